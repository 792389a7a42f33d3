//! Reading strings: many bytes at a time until something special comes.

use std::borrow::Cow;

use super::ends::{may_have_escaped, plain_end, plain_string_len, written_end};
use super::reader::{Reader, Result};

/// The length of the escape at the start of `bytes`, behind its backslash, if its character is
/// written with that escape; 0 if not.
#[inline]
pub(super) fn written_escape(bytes: &[u8]) -> usize {
    match bytes {
        [b'"' | b'\\' | b'n' | b'r' | b't' | b'b' | b'f', ..] => 1,
        [b'u', b'0', b'0', b'3', b'c' | b'e', ..]
        | [b'u', b'0', b'0', b'2', b'6', ..]
        | [b'u', b'2', b'0', b'2', b'8' | b'9', ..] => 5,
        _ => 0,
    }
}

/// True if a string of these bytes is written with escapes.
#[inline]
pub(super) fn has_escaped(bytes: &[u8]) -> bool {
    may_have_escaped(bytes) && written_end(bytes, 0) < bytes.len()
}

impl<'a> Reader<'a> {
    /// Reads a string; the cursor is at its opening quote.
    #[inline]
    #[doc(hidden)]
    pub fn string(&mut self) -> Result<Cow<'a, str>> {
        if let Some(text) = self.take_plain_string() {
            Ok(Cow::Borrowed(text))
        } else {
            self.any_string()
        }
    }

    /// Reads a string if one comes next, without blanks, that has no escapes and whose end is soon
    /// found; otherwise stays where it is.
    #[inline]
    pub(crate) fn take_plain_string(&mut self) -> Option<&'a str> {
        let len = plain_string_len(self.text.as_bytes(), self.at)?;
        let text = self.between_quotes(self.at, len)?;
        self.at += len;
        Some(text)
    }

    /// The text inside of the string at `start`, which is `len` bytes long with its quotes.
    #[inline]
    pub(super) fn between_quotes(&self, start: usize, len: usize) -> Option<&'a str> {
        // Cut off one after the other, because the compiler sees so that a character begins where
        // a quote was found.
        self.text.get(start..)?.strip_prefix('"')?.get(..len - 2)
    }

    /// Reads a string that has escapes, or whose end is not soon found.
    #[inline(never)]
    pub(crate) fn any_string(&mut self) -> Result<Cow<'a, str>> {
        if self.byte() != Some(b'"') {
            return Err(self.syntax("`\"`"));
        }
        self.at += 1;
        let start = self.at;
        self.plain_text();
        match self.byte() {
            Some(b'"') => {
                let plain = self.text.get(start..self.at).unwrap_or_default();
                self.at += 1;
                Ok(Cow::Borrowed(plain))
            }
            _ => self.string_with_escapes(start).map(Cow::Owned),
        }
    }

    /// Moves past a string, checking it as [`Reader::string`] does but putting nothing together;
    /// the cursor is at its opening quote.
    #[inline]
    pub(super) fn skip_string(&mut self) -> Result<()> {
        if self.byte() != Some(b'"') {
            return Err(self.syntax("`\"`"));
        }
        self.at += 1;
        loop {
            self.plain_text();
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape()?;
                }
                Some(_) => return Err(self.syntax("an escape in place of a control character")),
                None => return Err(self.syntax("`\"` at the end of the string")),
            }
        }
    }

    /// Moves to the next quote, backslash or control character.
    #[inline]
    fn plain_text(&mut self) {
        self.at = plain_end(self.text.as_bytes(), self.at);
    }

    #[cold]
    fn string_with_escapes(&mut self, start: usize) -> Result<String> {
        // Put together in a buffer that stays, so that the text is allocated once and in its size.
        let mut text = std::mem::take(&mut self.notes().scratch);
        text.clear();
        text.push_str(self.text.get(start..self.at).unwrap_or_default());
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    let whole = text.as_str().to_owned();
                    self.notes().scratch = text;
                    return Ok(whole);
                }
                Some(b'\\') => {
                    self.at += 1;
                    text.push(self.escape()?);
                }
                Some(byte) if byte < 0x20 => {
                    return Err(self.syntax("an escape in place of a control character"));
                }
                Some(_) => {
                    let plain = self.at;
                    self.plain_text();
                    text.push_str(self.text.get(plain..self.at).unwrap_or_default());
                }
                None => return Err(self.syntax("`\"` at the end of the string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let byte = self.byte();
        self.at += 1;
        Ok(match byte {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => {
                self.at -= 1;
                return Err(self.syntax("an escape character"));
            }
        })
    }

    fn unicode_escape(&mut self) -> Result<char> {
        let start = self.at;
        let unit = self.hex4()?;
        let code = match unit {
            0xD800..=0xDBFF => {
                // A lone half of a surrogate pair is not a character. The reference puts U+FFFD in
                // its place; that loses what was stored, so it is refused here.
                if !self
                    .text
                    .as_bytes()
                    .get(self.at..)
                    .is_some_and(|rest| rest.starts_with(b"\\u"))
                {
                    self.at = start;
                    return Err(self.syntax("both halves of a surrogate pair"));
                }
                self.at += 2;
                let low = self.hex4()?;
                if !(0xDC00..=0xDFFF).contains(&low) {
                    self.at = start;
                    return Err(self.syntax("both halves of a surrogate pair"));
                }
                0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
            }
            unit => unit,
        };
        char::from_u32(code).ok_or_else(|| {
            self.at = start;
            self.syntax("both halves of a surrogate pair")
        })
    }

    fn hex4(&mut self) -> Result<u32> {
        let digits = self
            .text
            .as_bytes()
            .get(self.at..)
            .and_then(<[u8]>::first_chunk::<4>);
        let mut code = 0;
        for byte in digits.ok_or_else(|| self.syntax("four hexadecimal digits"))? {
            let digit = (*byte as char)
                .to_digit(16)
                .ok_or_else(|| self.syntax("four hexadecimal digits"))?;
            code = code * 16 + digit;
        }
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::{has_escaped, written_escape};
    use crate::codec::json::ends::written_end;
    use crate::codec::json::{Reader, write_string};

    #[test]
    fn an_escape_that_is_written_so_is_known() {
        let mut written = 0;
        for escape in [
            "\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u003c", "\\u003C",
            "\\u003e", "\\u0026", "\\u000a", "\\u2028", "\\u2029", "\\u00e9",
        ] {
            let text = format!("\"{escape}\"");
            let mut out = Vec::new();
            write_string(&Reader::new(&text).string().unwrap(), &mut out);
            let len = written_escape(&escape.as_bytes()[1..]);
            assert!(
                len == 0 || len + 1 == escape.len() && out == text.as_bytes(),
                "{escape}"
            );
            written += usize::from(len > 0);
        }
        assert_eq!(written, 12);
    }

    #[test]
    fn every_byte_that_is_escaped_is_found_wherever_it_is() {
        let plain = |byte: &u8| !matches!(byte, 0..0x20 | b'"' | b'&' | b'<' | b'>' | b'\\');
        for before in 0..20 {
            for byte in 0..=255 {
                for filler in [b'a', 0x80, 0xFF, 0x21, 0x7F, 0xE2] {
                    let mut bytes = vec![filler; before];
                    bytes.push(byte);
                    bytes.extend([filler; 9]);
                    let expected = if plain(&byte) { bytes.len() } else { before };
                    assert_eq!(
                        written_end(&bytes, 0),
                        expected,
                        "{byte:#x} behind {before} of {filler:#x}"
                    );
                    assert_eq!(
                        has_escaped(&bytes),
                        !plain(&byte),
                        "{byte:#x} behind {before} of {filler:#x}"
                    );
                    bytes.truncate(before + 1);
                    assert_eq!(
                        has_escaped(&bytes),
                        !plain(&byte),
                        "{before} of {filler:#x}, then {byte:#x}"
                    );
                    assert_eq!(
                        written_end(&bytes, 0),
                        if plain(&byte) { bytes.len() } else { before }
                    );
                }
            }
        }
    }

    #[test]
    fn only_line_separators_are_escaped_of_what_is_not_ascii() {
        for before in [
            "",
            "a",
            "for the",
            "é",
            "größer – ",
            "– — …",
            "日本語",
            "\u{10ffff}",
        ] {
            for (behind, escaped) in [
                ("\u{2028}", true),
                ("\u{2029}", true),
                ("\u{202a}", false),
                ("–", false),
                ("â", false),
                ("\"", true),
            ] {
                for rest in ["", "abc", "abcdefghijkl", "\u{2027}"] {
                    let text = format!("{before}{behind}{rest}");
                    let expected = if escaped { before.len() } else { text.len() };
                    assert_eq!(written_end(text.as_bytes(), 0), expected, "{text:?}");
                    assert_eq!(has_escaped(text.as_bytes()), escaped, "{text:?}");
                    let mut out = Vec::new();
                    write_string(&text, &mut out);
                    assert_eq!(
                        out == format!("\"{text}\"").as_bytes(),
                        !escaped,
                        "{text:?}"
                    );
                }
            }
        }
    }
}
