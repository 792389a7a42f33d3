//! Brings JSON values into another text, or into `MessagePack`, straight from where they stand.
//!
//! What is as it would be written is not even looked at twice: of JSON it is left where it is until
//! something else comes, and then copied in one piece with all that was left before it.

use std::borrow::Cow;

use super::ends::{written_end, written_string_len};
use super::label::Label;
use super::lines::Lines;
use super::reader::{Reader, Result};
use super::strings::written_escape;
use super::text::Layout;
use crate::codec::{Encoding, Writer, msgpack};

/// A cursor over one JSON text and the end of another document: JSON, or `MessagePack` where `JSON`
/// is false.
///
/// Where `LAID_OUT` is true, both strings are laid out over the same lines. Any difference ends the
/// transfer.
pub(crate) struct Transfer<'a, 'o, const JSON: bool, const LAID_OUT: bool> {
    pub(super) reader: Reader<'a>,
    pub(super) out: &'o mut Vec<u8>,
    /// The offset, for JSON, of the text that goes into the output as it is, up to the cursor, and
    /// has not been copied yet.
    kept: usize,
    lines: Lines<'a>,
}

impl<'a, 'o, const JSON: bool> Transfer<'a, 'o, JSON, false> {
    pub(crate) fn new(text: &'a str, out: &'o mut Vec<u8>) -> Self {
        Self {
            reader: Reader::new(text),
            out,
            kept: 0,
            lines: Lines::NONE,
        }
    }
}

impl<'a, 'o> Transfer<'a, 'o, true, true> {
    pub(crate) fn laid_out(text: &'a str, layout: Layout<'a>, out: &'o mut Vec<u8>) -> Self {
        Self {
            reader: Reader::new(text),
            out,
            kept: 0,
            lines: Lines::new(layout),
        }
    }
}

impl<'a, const JSON: bool, const LAID_OUT: bool> Transfer<'a, '_, JSON, LAID_OUT> {
    #[inline]
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.reader.text.as_bytes()
    }

    /// Copies what was left to the cursor.
    #[inline]
    pub(super) fn flush(&mut self) {
        if JSON && self.kept < self.reader.at {
            self.out.extend_from_slice(
                self.bytes()
                    .get(self.kept..self.reader.at)
                    .unwrap_or_default(),
            );
            self.kept = self.reader.at;
        }
    }

    /// Reads what does not come into the output as it is: what is written next comes in its place.
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
        let start = self.out.len();
        let written = write(&mut Writer::new(
            self.out,
            if JSON {
                Encoding::Json
            } else {
                Encoding::Msgpack
            },
        ));
        if LAID_OUT {
            self.lines.lay_out(self.out, start);
        }
        written
    }

    /// Appends what is a value of the output's encoding.
    #[inline]
    pub(crate) fn append(&mut self, [json, msgpack]: &[Box<[u8]>; 2]) {
        self.flush();
        let start = self.out.len();
        self.out
            .extend_from_slice(if JSON { json } else { msgpack });
        if LAID_OUT {
            self.lines.lay_out(self.out, start);
        }
    }

    /// The number of bytes written so far, to go back to with [`Transfer::forget`].
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
        match byte {
            // Blanks of laid out text are passed before it comes to this.
            0..=b' ' if LAID_OUT => None,
            0..=b' ' => self.behind_blanks(),
            byte => Some(byte),
        }
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

    /// True if the value passed since `start` is an array or object with nothing in it.
    pub(crate) fn is_empty_since(&self, start: usize) -> bool {
        let mut inside = self.bytes().iter().take(self.reader.at).skip(start + 1);
        inside
            .find(|byte| **byte > b' ')
            .is_some_and(|byte| matches!(byte, b']' | b'}'))
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
        self.lines.leave();
    }

    /// Moves past the value that comes next.
    pub(crate) fn skip(&mut self) -> Option<()> {
        self.read(Reader::skip)
    }

    /// Returns `Some` if nothing but blanks follows, no set had an element more than once, and no
    /// value was skipped for its name.
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

    /// Takes a member over, with the name `written` for it in the output; `same` says that the two
    /// names are equal.
    #[inline]
    pub(crate) fn carry(
        &mut self,
        stored: &Label,
        first: bool,
        written: &Label,
        first_written: bool,
        same: bool,
    ) -> bool {
        let start = self.reader.at;
        let Some(plain) = self.take(stored, first) else {
            return false;
        };
        if !(JSON && plain && same && first == first_written) {
            self.rename(start, written, first_written);
        }
        true
    }

    /// Writes a name in place of the one that has been read since `start`.
    #[inline(never)]
    fn rename(&mut self, start: usize, written: &Label, first: bool) {
        if JSON {
            self.out
                .extend_from_slice(self.bytes().get(self.kept..start).unwrap_or_default());
            self.kept = self.reader.at;
        }
        self.write_name(written, first);
    }

    #[inline(never)]
    fn write_name(&mut self, written: &Label, first: bool) {
        if LAID_OUT {
            if !first {
                self.out.push(b',');
            }
            self.out.extend_from_slice(self.lines.line());
            written.append_laid_out(self.out);
        } else if JSON {
            written.append_json(first, self.out);
        } else {
            written.append_msgpack(self.out);
        }
    }

    /// Moves past a name, if it comes next, and says whether it stood there as it is written.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "measured: it is part of what each member costs"
    )]
    fn take(&mut self, stored: &Label, first: bool) -> Option<bool> {
        if LAID_OUT {
            return self.take_line(stored, first);
        }
        if self.take_plain(stored, first) {
            Some(true)
        } else {
            self.take_otherwise(stored, first)
        }
    }

    #[inline(never)]
    fn take_plain(&mut self, stored: &Label, first: bool) -> bool {
        self.reader.take_compact_member(first, stored)
    }

    #[inline(never)]
    fn take_otherwise(&mut self, stored: &Label, first: bool) -> Option<bool> {
        if let Some(len) = stored.len_otherwise_at(self.bytes(), self.reader.at, first) {
            self.reader.at += len;
            return Some(true);
        }
        self.reader
            .take_member_between_blanks(first, stored.name)
            .then_some(false)
    }

    /// Takes a member over that is on a line of its own.
    #[inline]
    fn take_line(&mut self, stored: &Label, first: bool) -> Option<bool> {
        let rest = self.bytes().get(self.reader.at..)?;
        let rest = if first {
            rest
        } else {
            rest.strip_prefix(b",")?
        };
        let line = self.lines.line().len();
        // One that is written otherwise is left where it is, and the object does not end there.
        if !self.lines.begins(rest) {
            return None;
        }
        let name = self.reader.at + usize::from(!first) + line;
        self.reader.at = name + stored.laid_out_len_at(self.bytes(), name)?;
        Some(true)
    }

    /// Writes the name of a member.
    #[inline]
    pub(crate) fn name(&mut self, written: &Label, first: bool) {
        self.flush();
        self.write_name(written, first);
    }

    #[inline]
    pub(crate) fn open_object(&mut self, members: usize) -> Option<()> {
        if self.peek()? != b'{' {
            return None;
        }
        if !JSON {
            msgpack::write_map_header(members, self.out);
        }
        if LAID_OUT {
            self.lines.enter();
        }
        self.reader.open_object().ok()
    }

    /// Moves out of an object. `none_read` says whether no member of it was, `none_written` whether
    /// none was written.
    #[inline]
    pub(crate) fn close_object(&mut self, none_read: bool, none_written: bool) -> Option<()> {
        if LAID_OUT {
            self.lines.leave();
            if !none_read {
                self.line()?;
            }
            if none_read != none_written {
                self.move_brace(none_written);
            }
        }
        self.peek()?;
        self.reader.take_end().then_some(())
    }

    /// Moves past the line break and the indentation that are expected here.
    #[inline]
    fn line(&mut self) -> Option<()> {
        if !self.lines.begins(self.bytes().get(self.reader.at..)?) {
            return None;
        }
        self.reader.at += self.lines.line().len();
        Some(())
    }

    /// Puts the brace that comes next on a line of its own, or right behind the one that opened the
    /// object.
    #[cold]
    fn move_brace(&mut self, behind_other: bool) {
        let line = self.lines.line().len();
        if behind_other {
            let (at, kept) = (self.reader.at, self.kept);
            self.reader.at = at.saturating_sub(line).max(kept);
            self.flush();
            self.reader.at = at;
            self.kept = at;
        } else {
            self.flush();
            self.out.extend_from_slice(self.lines.line());
        }
    }

    /// Enters an array, or an object of any keys. The answer is for [`Transfer::close`].
    #[inline]
    pub(crate) fn open(&mut self, bracket: u8) -> Option<usize> {
        if self.peek()? != bracket {
            return None;
        }
        if bracket == b'[' {
            self.reader.open_array()
        } else {
            self.reader.open_object()
        }
        .ok()?;
        if LAID_OUT {
            self.lines.enter();
        }
        // The length comes before it, and is not known until its end.
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
        if LAID_OUT {
            return if self.next_line(b']', first)? {
                Some(true)
            } else {
                self.reader.next_element(first).ok()
            };
        }
        match self.peek()? {
            b',' if !first => self.reader.at += 1,
            b']' => {
                self.reader.at += 1;
                self.reader.leave();
                return Some(false);
            }
            _ if first => {}
            _ => return None,
        }
        Some(true)
    }

    /// Moves to the next element or key on a line of its own, or to the bracket that ends them.
    #[inline]
    fn next_line(&mut self, bracket: u8, first: bool) -> Option<bool> {
        let next = self.reader.byte()?;
        if next == b',' && !first {
            self.reader.at += 1;
        } else if !first || next == bracket {
            self.lines.leave();
            if !first {
                self.line()?;
            }
            return (self.reader.byte()? == bracket).then_some(false);
        }
        self.line().map(|()| true)
    }

    /// Moves to the next entry's key, or out of the object.
    pub(crate) fn next_entry(&mut self, first: bool) -> Option<bool> {
        if LAID_OUT {
            return if self.next_line(b'}', first)? {
                Some(true)
            } else {
                self.reader.take_end().then_some(false)
            };
        }
        match self.peek()? {
            b'}' => return self.reader.take_end().then_some(false),
            b',' if !first => self.reader.at += 1,
            _ if first => {}
            _ => return None,
        }
        self.peek().map(|_| true)
    }

    /// Takes a key over, moves to its value and gives the key.
    #[inline]
    pub(crate) fn key(&mut self) -> Option<Cow<'a, str>> {
        let key = match self.string() {
            Some(key) => Cow::Borrowed(key),
            None => self.text(Reader::string)?,
        };
        if self.peek()? != b':' {
            return None;
        }
        // It is not part of MessagePack, and of JSON it may stand behind a key that was rewritten.
        self.reader.at += 1;
        if LAID_OUT {
            if self.reader.byte()? != b' ' {
                return None;
            }
            self.reader.at += 1;
        }
        Some(key)
    }

    /// Takes a string over; one that does not stand as it would be written is read so.
    #[inline]
    pub(crate) fn text(
        &mut self,
        read: fn(&mut Reader<'a>) -> Result<Cow<'a, str>>,
    ) -> Option<Cow<'a, str>> {
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
        let Some(value) = self.reader.take_bool() else {
            return false;
        };
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

    /// Takes a string over, if one comes next that is as it would be written, and gives its text.
    #[inline]
    pub(crate) fn string(&mut self) -> Option<&'a str> {
        let (bytes, at) = (self.bytes(), self.reader.at);
        let end = at + written_string_len(bytes, at).or_else(|| string_len(bytes, at))?;
        let text = self.reader.text.get(self.reader.at + 1..end - 1)?;
        self.reader.at = end;
        if !JSON {
            msgpack::write_string(text, self.out);
        }
        Some(text)
    }

    /// Takes a string over, if one comes next that is as it would be written, whatever its text is.
    #[inline]
    pub(crate) fn any_string(&mut self) -> bool {
        if JSON && let Some(len) = written_string_len(self.bytes(), self.reader.at) {
            self.reader.at += len;
            return true;
        }
        self.any_string_otherwise()
    }

    #[inline(never)]
    fn any_string_otherwise(&mut self) -> bool {
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
}

/// The length of the string at `at`, its quotes included, if it is written as it is.
#[inline(never)]
fn string_len(bytes: &[u8], at: usize) -> Option<usize> {
    let end = written_end(bytes, at + 1);
    (bytes.get(at) == Some(&b'"') && bytes.get(end) == Some(&b'"')).then_some(end + 1 - at)
}

/// True if this takes a whole string over, but for a comma at its end.
#[cfg(test)]
pub(super) fn taken(text: &str, take: fn(&mut Transfer<'_, '_, true, false>) -> bool) -> bool {
    let mut out = Vec::new();
    let mut transfer = Transfer::<true, false>::new(text, &mut out);
    let taken = take(&mut transfer);
    assert_eq!(transfer.position() > 0, taken, "{text}");
    transfer.flush();
    assert!(
        !taken || out == text.trim_end_matches(',').as_bytes(),
        "{text}"
    );
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any_string(transfer: &mut Transfer<'_, '_, true, false>) -> bool {
        transfer.any_string()
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
            assert_eq!(
                taken(text, |transfer| transfer.string().is_some()),
                as_it_is,
                "{text}"
            );
            let escaped = matches!(text, r#""a\n""#);
            assert_eq!(taken(text, any_string), as_it_is || escaped, "{text}");
        }
    }
}
