//! Brings JSON values into another text, or into `MessagePack`, straight from where they stand.
//!
//! What stands as it would be written is not even looked at twice: of JSON it is left where it is until something else comes, and
//! then copied in one piece with all that was left before it.

use std::borrow::Cow;

use super::reader::{Reader, Result};
use super::strings::{written_end, written_escape};
use crate::codec::{Encoding, Writer, msgpack};

/// A member's name, ready to be found and to be written.
pub(crate) struct Label {
    pub(crate) name: &'static str,
    /// `,"name":`
    json: Box<[u8]>,
    msgpack: Box<[u8]>,
}

impl Label {
    /// A plain attribute name.
    pub(crate) fn new(name: &'static str) -> Self {
        let mut json = Vec::new();
        Writer::new(&mut json, Encoding::Json).name(1, name);
        let mut msgpack = Vec::new();
        Writer::new(&mut msgpack, Encoding::Msgpack).name(1, name);
        Self { name, json: json.into(), msgpack: msgpack.into() }
    }

    #[inline]
    fn json(&self, first: bool) -> &[u8] {
        self.json.get(usize::from(first)..).unwrap_or_default()
    }

    #[inline]
    fn written<const JSON: bool>(&self, first: bool) -> &[u8] {
        if JSON { self.json(first) } else { &self.msgpack }
    }
}

/// A cursor over one JSON text and the end of another document.
pub(crate) struct Transfer<'a, 'o, const JSON: bool> {
    reader: Reader<'a>,
    out: &'o mut Vec<u8>,
    /// Of JSON: the text from here to the cursor is to stand in the output as it is, and has not been copied yet.
    kept: usize,
}

impl<'a, 'o, const JSON: bool> Transfer<'a, 'o, JSON> {
    pub(crate) fn new(text: &'a str, out: &'o mut Vec<u8>) -> Self {
        Self { reader: Reader::new(text), out, kept: 0 }
    }

    #[inline]
    fn bytes(&self) -> &'a [u8] {
        self.reader.text.as_bytes()
    }

    /// Copies what was left to the cursor.
    #[inline]
    fn flush(&mut self) {
        if JSON && self.kept < self.reader.at {
            self.out.extend_from_slice(self.bytes().get(self.kept..self.reader.at).unwrap_or_default());
            self.kept = self.reader.at;
        }
    }

    /// Reads what does not come into the output as it stands: what is written next comes in its place.
    #[inline]
    pub(crate) fn read<R>(&mut self, read: impl FnOnce(&mut Reader<'a>) -> Result<R>) -> Option<R> {
        self.flush();
        let read = read(&mut self.reader).ok();
        self.kept = self.reader.at;
        read
    }

    #[inline]
    pub(crate) fn write<R>(&mut self, write: impl FnOnce(&mut Writer<'_>) -> R) -> R {
        self.flush();
        write(&mut Writer::new(self.out, if JSON { Encoding::Json } else { Encoding::Msgpack }))
    }

    /// Appends what is a value of the output's encoding.
    #[inline]
    pub(crate) fn append(&mut self, [json, msgpack]: &[Box<[u8]>; 2]) {
        self.flush();
        self.out.extend_from_slice(if JSON { json } else { msgpack });
    }

    /// How much is written, to go back to.
    pub(crate) fn written(&mut self) -> usize {
        self.flush();
        self.out.len()
    }

    /// Forgets what was written since.
    pub(crate) fn forget(&mut self, written: usize) {
        self.flush();
        self.out.truncate(written);
    }

    /// The first byte of the value that comes next. Blanks before it are not copied.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        let byte = self.reader.byte()?;
        if byte > b' ' { Some(byte) } else { self.behind_blanks() }
    }

    #[inline(never)]
    fn behind_blanks(&mut self) -> Option<u8> {
        self.flush();
        self.reader.skip_blanks();
        self.kept = self.reader.at;
        self.reader.byte()
    }

    #[inline]
    pub(crate) fn position(&self) -> usize {
        self.reader.at
    }

    /// Whether what was passed since `start` is an array or object with nothing in it.
    pub(crate) fn is_empty_since(&self, start: usize) -> bool {
        let mut inside = self.bytes().iter().take(self.reader.at).skip(start + 1);
        inside.find(|byte| **byte > b' ').is_some_and(|byte| matches!(byte, b']' | b'}'))
    }

    /// Puts the cursor at a value of the object that it is in, and says where it was.
    #[inline]
    pub(crate) fn jump(&mut self, to: usize) -> usize {
        self.flush();
        self.kept = to;
        std::mem::replace(&mut self.reader.at, to)
    }

    /// Moves out of an array in the middle of it, to be put elsewhere.
    pub(crate) fn leave(&mut self) {
        self.reader.leave();
    }

    /// Moves past the value that comes next.
    pub(crate) fn skip(&mut self) -> Option<()> {
        self.read(Reader::skip)
    }

    /// Whether nothing but blanks follows, and nothing was met that a note should tell of.
    #[inline]
    pub(crate) fn end(&mut self) -> Option<()> {
        self.flush();
        self.reader.end().ok()?;
        (self.reader.repeated().is_empty() && self.reader.skipped().is_empty()).then_some(())
    }

    /// Moves to the value of the member `stored` if that comes next.
    #[inline]
    pub(crate) fn find(&mut self, stored: &Label, first: bool) -> bool {
        self.flush();
        let found = self.take(stored, first).is_some();
        self.kept = self.reader.at;
        found
    }

    /// The same, with the name `written` for it in the output; `same` says that the two are.
    #[inline]
    pub(crate) fn carry(&mut self, stored: &Label, first: bool, written: &Label, first_written: bool, same: bool) -> bool {
        let start = self.reader.at;
        let Some(compact) = self.take(stored, first) else { return false };
        if JSON && compact && same && first == first_written {
            return true;
        }
        if JSON {
            self.out.extend_from_slice(self.bytes().get(self.kept..start).unwrap_or_default());
            self.kept = self.reader.at;
        }
        self.out.extend_from_slice(written.written::<JSON>(first_written));
        true
    }

    /// Moves past a name, if it comes next, and says whether it stood there without blanks.
    #[inline]
    fn take(&mut self, stored: &Label, first: bool) -> Option<bool> {
        let wanted = stored.json(first);
        if self.bytes().get(self.reader.at..)?.starts_with(wanted) {
            self.reader.at += wanted.len();
            return Some(true);
        }
        self.reader.take_member(first, stored.name).then_some(false)
    }

    /// Writes the name of a member.
    #[inline]
    pub(crate) fn name(&mut self, written: &Label, first: bool) {
        self.flush();
        self.out.extend_from_slice(written.written::<JSON>(first));
    }

    #[inline]
    pub(crate) fn open_object(&mut self, members: usize) -> Option<()> {
        if self.peek()? != b'{' {
            return None;
        }
        if !JSON {
            msgpack::write_map_header(members, self.out);
        }
        self.reader.open_object().ok()
    }

    #[inline]
    pub(crate) fn close_object(&mut self) -> Option<()> {
        self.peek()?;
        self.reader.take_end().then_some(())
    }

    /// Enters an array, or an object of any keys. The answer is for [`Transfer::close`].
    #[inline]
    pub(crate) fn open(&mut self, bracket: u8) -> Option<usize> {
        if self.peek()? != bracket {
            return None;
        }
        if bracket == b'[' { self.reader.open_array() } else { self.reader.open_object() }.ok()?;
        // How long it is comes before it, and is known behind it.
        let header = self.out.len();
        if !JSON {
            self.out.push(0);
        }
        Some(header)
    }

    /// Ends an array or object of `len` elements or entries; the cursor is behind it already.
    pub(crate) fn close(&mut self, bracket: u8, header: usize, len: usize) {
        if JSON {
            return;
        }
        if let (Ok(short @ 0..=15), Some(byte)) = (u8::try_from(len), self.out.get_mut(header)) {
            *byte = short | if bracket == b'[' { 0x90 } else { 0x80 };
            return;
        }
        let mut bytes = Vec::new();
        if bracket == b'[' {
            msgpack::write_array_header(len, &mut bytes);
        } else {
            msgpack::write_map_header(len, &mut bytes);
        }
        self.out.splice(header..=header, bytes);
    }

    /// Moves to the next element, or out of the array.
    #[inline]
    pub(crate) fn next_element(&mut self, first: bool) -> Option<bool> {
        match self.peek()? {
            b',' if !first => self.reader.at += 1,
            b']' => return self.reader.next_element(first).ok(),
            _ if first => {}
            _ => return None,
        }
        Some(true)
    }

    /// Moves to the next entry's key, or out of the object.
    pub(crate) fn next_entry(&mut self, first: bool) -> Option<bool> {
        match self.peek()? {
            b'}' => return self.reader.take_end().then_some(false),
            b',' if !first => self.reader.at += 1,
            _ if first => {}
            _ => return None,
        }
        self.peek().map(|_| true)
    }

    /// Takes a key over, moves to its value and gives the key.
    pub(crate) fn key(&mut self) -> Option<Cow<'a, str>> {
        let key = self.text(Reader::string)?;
        if self.peek()? != b':' {
            return None;
        }
        // It is no part of MessagePack, and of JSON it may stand behind a key that was written anew.
        self.reader.at += 1;
        Some(key)
    }

    /// Takes a string over; one that does not stand as it would be written is read so.
    #[inline]
    pub(crate) fn text(&mut self, read: fn(&mut Reader<'a>) -> Result<Cow<'a, str>>) -> Option<Cow<'a, str>> {
        if let Some(text) = self.string() {
            return Some(Cow::Borrowed(text));
        }
        let text = self.read(read)?;
        self.write(|writer| writer.string(&text));
        Some(text)
    }

    /// Takes a null over.
    #[inline]
    pub(crate) fn null(&mut self) -> Option<()> {
        self.reader.null().ok()?;
        if !JSON {
            msgpack::write_null(self.out);
        }
        Some(())
    }

    /// Takes a bool over, if one comes next.
    #[inline]
    pub(crate) fn bool(&mut self) -> bool {
        let rest = self.bytes().get(self.reader.at..).unwrap_or_default();
        let value = rest.starts_with(b"true");
        if !value && !rest.starts_with(b"false") {
            return false;
        }
        self.reader.at += if value { 4 } else { 5 };
        if !JSON {
            msgpack::write_bool(value, self.out);
        }
        true
    }

    /// Moves past a bool or null, which the output does not have as it is, if one comes next.
    #[inline]
    #[expect(clippy::option_option, reason = "there may be none of the two")]
    pub(crate) fn pass_bool_or_null(&mut self) -> Option<Option<bool>> {
        let rest = self.bytes().get(self.reader.at..)?;
        let (value, len) = match rest {
            [b't', b'r', b'u', b'e', ..] => (Some(true), 4),
            [b'f', b'a', b'l', b's', b'e', ..] => (Some(false), 5),
            [b'n', b'u', b'l', b'l', ..] => (None, 4),
            _ => return None,
        };
        self.flush();
        self.reader.at += len;
        self.kept = self.reader.at;
        Some(value)
    }

    /// Takes a string over, if one comes next that stands as it would be written, and gives its text.
    #[inline]
    pub(crate) fn string(&mut self) -> Option<&'a str> {
        if self.reader.byte() != Some(b'"') {
            return None;
        }
        let start = self.reader.at + 1;
        let end = written_end(self.bytes(), start);
        if self.bytes().get(end) != Some(&b'"') {
            return None;
        }
        let text = self.reader.text.get(start..end)?;
        self.reader.at = end + 1;
        if !JSON {
            msgpack::write_string(text, self.out);
        }
        Some(text)
    }

    /// Takes a string over, if one comes next that stands as it would be written, whatever its text is.
    #[inline]
    pub(crate) fn any_string(&mut self) -> bool {
        if !JSON || self.reader.byte() != Some(b'"') {
            return self.string().is_some();
        }
        let mut end = self.reader.at + 1;
        loop {
            end = written_end(self.bytes(), end);
            match self.bytes().get(end..) {
                Some([b'"', ..]) => break,
                Some([b'\\', escape @ ..]) => match written_escape(escape) {
                    0 => return false,
                    len => end += 1 + len,
                },
                _ => return false,
            }
        }
        self.reader.at = end + 1;
        true
    }

    /// Takes a whole number of this range over, if one comes next in plain digits.
    #[inline]
    pub(crate) fn integer(&mut self, min: i64, max: i64) -> bool {
        /// As many digits as always fit.
        const MOST: usize = 18;
        let rest = self.bytes().get(self.reader.at..).unwrap_or_default();
        let (negative, digits) = match rest {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        let mut int: i64 = 0;
        let mut count = 0;
        while let Some(digit @ b'0'..=b'9') = digits.get(count).filter(|_| count < MOST) {
            int = int * 10 + i64::from(digit - b'0');
            count += 1;
        }
        let zero = digits.first() == Some(&b'0');
        if count == 0 || zero && (count > 1 || negative) || matches!(digits.get(count), Some(b'0'..=b'9' | b'.' | b'e' | b'E')) {
            return false;
        }
        let int = if negative { -int } else { int };
        if int < min || int > max {
            return false;
        }
        self.reader.at += count + usize::from(negative);
        if !JSON {
            msgpack::write_int(int, self.out);
        }
        true
    }

    /// Takes a number over, if one comes next that is written digit for digit as it stands.
    #[inline]
    pub(crate) fn number(&mut self) -> bool {
        /// More is rare, and what a number may have at most is for others to know.
        const MOST: usize = 100;
        self.decimal(MOST, |_| JSON)
    }

    /// Takes a number over, if one comes next that is written as it stands once it is read as a float.
    #[inline]
    pub(crate) fn float(&mut self) -> bool {
        /// As many digits as any float keeps.
        const KEPT: usize = 15;
        /// More than these no float is written with, unless it is very small or very large.
        const MOST: usize = 24;
        self.decimal(MOST, |number| JSON && (number.digits <= KEPT || number.fraction && is_shortest(number.text)))
    }

    /// Takes a number without an exponent and without needless zeros over, if `wanted` wants it.
    #[inline]
    fn decimal(&mut self, most: usize, wanted: impl FnOnce(Decimal<'_>) -> bool) -> bool {
        let rest = self.bytes().get(self.reader.at..).unwrap_or_default();
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = |from: usize| rest.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
        let whole = digits(sign);
        let point = sign + whole;
        let fraction = if rest.get(point) == Some(&b'.') { digits(point + 1) } else { 0 };
        let end = if fraction > 0 { point + 1 + fraction } else { point };
        let zero = rest.get(sign) == Some(&b'0');
        let plain = whole > 0
            && whole + fraction <= most
            && !(zero && (whole > 1 || sign > 0 && fraction == 0))
            && (fraction == 0 || rest.get(end - 1) != Some(&b'0'))
            && !matches!(rest.get(end), Some(b'.' | b'e' | b'E'));
        let text = self.reader.text.get(self.reader.at..self.reader.at + end).unwrap_or_default();
        if !plain || !wanted(Decimal { text, digits: whole + fraction, fraction: fraction > 0 }) {
            return false;
        }
        self.reader.at += end;
        true
    }
}

/// A number as it stands.
struct Decimal<'a> {
    text: &'a str,
    /// How many it has, before and behind the point.
    digits: usize,
    /// Whether there is a point.
    fraction: bool,
}

/// Whether the number is how the float that is nearest to it is written.
fn is_shortest(text: &str) -> bool {
    use std::io::Write as _;
    let Ok(float) = text.parse::<f64>() else { return false };
    let mut buffer = [0; 32];
    let mut rest = &mut buffer[..];
    let len = write!(rest, "{float}").map_or(0, |()| 32 - rest.len());
    buffer.get(..len) == Some(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str, take: fn(&mut Transfer<'_, '_, true>) -> bool) -> bool {
        let mut out = Vec::new();
        let mut transfer = Transfer::<true>::new(text, &mut out);
        let taken = take(&mut transfer);
        assert_eq!(transfer.position() > 0, taken, "{text}");
        transfer.flush();
        assert!(!taken || out == text.trim_end_matches(',').as_bytes(), "{text}");
        taken
    }

    fn number(transfer: &mut Transfer<'_, '_, true>) -> bool {
        transfer.number()
    }

    fn any_string(transfer: &mut Transfer<'_, '_, true>) -> bool {
        transfer.any_string()
    }

    fn float(transfer: &mut Transfer<'_, '_, true>) -> bool {
        transfer.float()
    }

    #[test]
    fn numbers_are_taken_over_if_they_are_written_so() {
        for (text, as_integer, as_number, as_float) in [
            ("0", true, true, true),
            ("-1,", true, true, true),
            ("-0", false, false, false),
            ("007", false, false, false),
            ("7.0", false, false, false),
            ("7.5", false, true, true),
            ("-0.5", false, true, true),
            ("-0.0", false, false, false),
            ("1e3", false, false, false),
            ("1.5e3", false, false, false),
            ("1.", false, false, false),
            ("200", false, true, true),
            ("999999999999999", false, true, true),
            ("9999999999999999", false, true, false),
            ("9223372036854775808", false, true, false),
            ("0.30000000000000004", false, true, true),
            ("0.30000000000000003", false, true, false),
            ("0.12345678901234567890123", false, true, false),
            ("0.00000000000000000001", false, true, true),
            ("x", false, false, false),
        ] {
            assert_eq!(taken(text, |transfer| transfer.integer(-100, 100)), as_integer, "{text}");
            assert_eq!(taken(text, number), as_number, "{text}");
            assert_eq!(taken(text, float), as_float, "{text}");
            // What is taken over is what would have been written.
            let text = text.trim_end_matches(',');
            if as_number {
                assert_eq!(text.parse::<crate::Number>().unwrap().to_string(), text);
            }
            if as_float {
                assert_eq!(text.parse::<f64>().unwrap().to_string(), text);
            }
        }
    }

    #[test]
    fn strings_are_taken_over_if_they_are_written_so() {
        for (text, as_it_is) in [
            (r#""""#, true),
            (r#""é""#, true),
            (r#""a<b""#, false),
            (r#""a\n""#, false),
            (r#""a"#, false),
            ("\"\u{2028}\"", false),
        ] {
            assert_eq!(taken(text, |transfer| transfer.string().is_some()), as_it_is, "{text}");
            let escaped = matches!(text, r#""a\n""#);
            assert_eq!(taken(text, any_string), as_it_is || escaped, "{text}");
        }
    }
}
