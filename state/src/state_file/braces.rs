//! The end of an object that is laid out over lines, found by its braces alone.
//!
//! This only says where an object ends if it is JSON; whether it is, the upgrade finds out, which
//! reads it anyway. It is exact for all JSON, however it is laid out, and fast for what Terraform
//! writes.

use memchr::{memchr, memchr2, memrchr};

/// True if the object that begins at `at` is laid out over lines.
pub(super) fn is_laid_out(bytes: &[u8], at: usize) -> bool {
    matches!(
        bytes.get(at..),
        Some([b'{', b'\n', ..] | [b'{', b'\r', b'\n', ..])
    )
}

/// The offset behind the object that begins at `at`, if it is JSON. `None` if it does not end.
pub(super) fn object_end(bytes: &[u8], at: usize) -> Option<usize> {
    // Up to here no string is open.
    let mut outside = at;
    let mut from = at;
    let mut depth = 0_usize;
    loop {
        let brace = from + memchr2(b'{', b'}', bytes.get(from..)?)?;
        from = brace + 1;
        if !ends_line(bytes, from)
            && let Some(end) = string_around(bytes, outside, brace)
        {
            (outside, from) = (end?, end?);
            continue;
        }
        outside = from;
        if bytes.get(brace) == Some(&b'{') {
            depth += 1;
        } else {
            depth = depth.checked_sub(1)?;
        }
        if depth == 0 {
            return Some(from);
        }
    }
}

/// True if the byte before `at` is the last of its line, but for a comma. Strings have no line
/// breaks, so it is in none.
#[inline]
fn ends_line(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at..) {
        Some([b',', next, ..] | [next, ..]) => *next < b' ',
        _ => false,
    }
}

/// The offset behind the string that contains `place`, if one does: `Some(None)` if it does not
/// end. No string is open at `outside`.
#[expect(
    clippy::option_option,
    reason = "it may be in none, or in one without an end"
)]
fn string_around(bytes: &[u8], outside: usize, place: usize) -> Option<Option<usize>> {
    let line =
        memrchr(b'\n', bytes.get(outside..place)?).map_or(outside, |line| outside + line + 1);
    let mut at = line;
    loop {
        let quote = at + memchr(b'"', bytes.get(at..place)?)?;
        let Some(end) = string_end(bytes, quote + 1) else {
            return Some(None);
        };
        if end > place {
            return Some(Some(end));
        }
        at = end;
    }
}

/// Behind the closing quote of a string whose opening one is before `at`.
fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes.get(at) == Some(&b'"') {
            return Some(at + 1);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upstate::__internal::Reader;

    /// The end that reading the value finds.
    fn read_end(text: &str) -> Option<usize> {
        let mut reader = Reader::new(text);
        reader.skip().ok()?;
        Some(reader.position())
    }

    #[test]
    fn objects_end_where_reading_them_ends() {
        for text in [
            "{}",
            "{\n}",
            "{\n  \"a\": {},\n  \"b\": [{\"c\": 1}, {\n}]\n}",
            "{\n  \"a}\": \"{\", \"b{\": \"}\",\n  \"c\": \"\\\"}\"\n}, {}",
            "{\r\n\t\"a\": {\r\n\t\t\"}\": \"\\\\\"\r\n\t}\r\n}\r\n",
            "{\n\"a\": {\n},\n\"b\": \"{,\"\n}",
            "{\n\"a\": {}\n,\"b\": \"x{\",\"c\":{}}",
            "{\n\"a\": \"}\",\n\"b\": \"\\u007b\\\\\"}",
            "{\n\"a\": [\"}\", {}, \"{\"], \"é}\": {\"\u{2028}{\": 1}}",
        ] {
            let end = read_end(text);
            assert!(end.is_some(), "{text}");
            assert_eq!(object_end(text.as_bytes(), 0), end, "{text}");
            // Wherever it is cut off, it does not end, or it is not JSON.
            for cut in (0..end.unwrap()).filter(|cut| text.is_char_boundary(*cut)) {
                assert!(
                    object_end(&text.as_bytes()[..cut], 0)
                        .is_none_or(|_| read_end(&text[..cut]).is_none()),
                    "{text} up to {cut}"
                );
            }
        }
    }

    /// Every document of up to some parts: where it is JSON, it ends where reading it ends.
    #[test]
    fn whatever_is_put_together_ends_where_reading_it_ends() {
        const PARTS: [&str; 12] = [
            "{", "}", "\"", "\\", ",", ":", "\n", "{}", "\"a\":", "\"{\"", "1", "[{}]",
        ];
        let mut read = 0;
        for number in 0..12_usize.pow(6) {
            let mut rest = number;
            let mut text = String::from("{");
            for _ in 0..6 {
                text.push_str(PARTS[rest % 12]);
                rest /= 12;
            }
            if let Some(end) = read_end(&text) {
                assert_eq!(object_end(text.as_bytes(), 0), Some(end), "{text}");
                read += 1;
            }
        }
        assert!(read > 1_000, "{read}");
    }
}
