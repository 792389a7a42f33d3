//! Past values, which are checked and nothing more.
//!
//! Most of a state file is passed so. This says only where a value ends; the caller that finds no
//! end looks closely, and says what is wrong.

use super::ends::{blanks_end, plain_end};

/// The end of the value that begins at `at`, or behind the blanks there. `None` if it is not JSON,
/// has more than `levels` levels, or more than are followed here.
pub(super) fn value_end(bytes: &[u8], mut at: usize, levels: u32) -> Option<usize> {
    // One bit for each bracket that is open, the innermost one lowest: set for an object.
    let (mut objects, mut depth) = (0_u64, 0);
    let levels = levels.min(u64::BITS);
    'values: loop {
        let mut byte;
        (at, byte) = past_blanks(bytes, at)?;
        match byte {
            b'"' => at = string_end(bytes, at + 1)?,
            b'n' => at = word_end(bytes, at, b"null")?,
            b't' => at = word_end(bytes, at, b"true")?,
            b'f' => at = word_end(bytes, at, b"false")?,
            b'-' | b'0'..=b'9' => at = number_end(bytes, at)?,
            b'{' | b'[' if depth < levels => {
                // In ASCII, the closing character comes two after the opening one.
                let (object, closing) = (byte == b'{', byte + 2);
                (at, byte) = past_blanks(bytes, at + 1)?;
                if byte == closing {
                    at += 1;
                } else {
                    depth += 1;
                    objects = objects << 1 | u64::from(object);
                    if object {
                        at = name_end(bytes, at)?;
                    }
                    continue 'values;
                }
            }
            _ => return None,
        }
        while depth > 0 {
            (at, byte) = past_blanks(bytes, at)?;
            let object = objects & 1 == 1;
            at += 1;
            match byte {
                b',' => {
                    if object {
                        (at, _) = past_blanks(bytes, at)?;
                        at = name_end(bytes, at)?;
                    }
                    continue 'values;
                }
                b'}' if object => {}
                b']' if !object => {}
                _ => return None,
            }
            depth -= 1;
            objects >>= 1;
        }
        return Some(at);
    }
}

/// The first byte from `at` on that is not a blank, and its place.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "measured: most of the time there is none, and a call costs more than the look"
)]
fn past_blanks(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    let byte = *bytes.get(at)?;
    if byte > b' ' {
        return Some((at, byte));
    }
    if byte == b' '
        && let Some(next) = bytes.get(at + 1)
        && *next > b' '
    {
        return Some((at + 1, *next));
    }
    let end = blanks_end(bytes, at);
    bytes.get(end).map(|byte| (end, *byte))
}

/// Behind a name, which begins at `at`, and its colon.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as above")]
fn name_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let (end, byte) = past_blanks(bytes, string_end(bytes, at + 1)?)?;
    (byte == b':').then_some(end + 1)
}

/// Behind the closing quote of a string whose opening one is before `at`.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "measured: what is compared stays in registers"
)]
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let end = plain_end(bytes, at);
    if bytes.get(end) == Some(&b'"') {
        Some(end + 1)
    } else {
        string_end_behind_escapes(bytes, end)
    }
}

#[inline(never)]
fn string_end_behind_escapes(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match bytes.get(at..)? {
            [b'"', ..] => return Some(at + 1),
            [
                b'\\',
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't',
                ..,
            ] => at += 2,
            // The halves of surrogate pairs, which begin with `d`, are for the close look.
            [
                b'\\',
                b'u',
                b'0'..=b'9' | b'a'..=b'c' | b'A'..=b'C' | b'e' | b'f' | b'E' | b'F',
                a,
                b,
                c,
                ..,
            ] if [a, b, c].iter().all(|digit| digit.is_ascii_hexdigit()) => {
                at += 6;
            }
            _ => return None,
        }
        at = plain_end(bytes, at);
    }
}

#[inline]
fn word_end(bytes: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    bytes
        .get(at..)?
        .starts_with(word)
        .then_some(at + word.len())
}

#[inline]
fn number_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    at += usize::from(bytes.get(at) == Some(&b'-'));
    at = if bytes.get(at) == Some(&b'0') {
        at + 1
    } else {
        digits_end(bytes, at)?
    };
    if bytes.get(at) == Some(&b'.') {
        at = digits_end(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        at = digits_end(bytes, at)?;
    }
    Some(at)
}

/// Behind digits, of which there must be one.
#[inline]
fn digits_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let len = rest
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(rest.len());
    (len > 0).then_some(at + len)
}

#[cfg(test)]
mod tests {
    use super::super::reader::{MAX_DEPTH, Reader};
    use super::value_end;

    /// Both ways past what is at the start of `text`.
    fn agree(text: &str) {
        let mut reader = Reader::new(text);
        let closely = reader.skip_closely().ok().map(|()| reader.position());
        let end = value_end(text.as_bytes(), 0, MAX_DEPTH);
        // Pairs of surrogates and deep nesting are only seen closely.
        let unseen =
            text.contains("\\ud") || text.contains("\\uD") || text.matches(['[', '{']).count() > 64;
        assert!(
            end == closely || end.is_none() && unseen,
            "{text:?}: {end:?}, closely {closely:?}"
        );
    }

    const DOCUMENT: &str = "{\n  \"a\": [1, -2.5e+3, {\"é\\u00e9\\n\": \"\u{2028} 0123456789abcdef\"}, [], {}],\r\n\t\"b\" :true,\"c\":null,\
        \"d\":{\"e\":[[\"\\\"\\\\\\/\"],false,0,0.0,-0]} }";

    #[test]
    fn values_end_where_a_close_look_ends_them() {
        agree(DOCUMENT);
        assert_eq!(
            value_end(DOCUMENT.as_bytes(), 0, MAX_DEPTH),
            Some(DOCUMENT.len())
        );
        for text in [
            "",
            " ",
            "1",
            "01",
            "-",
            "1.",
            "1.e1",
            "1e",
            "1e+",
            "1E-7x",
            "\"",
            "\"a",
            "\"\\",
            "\"\\u12\"",
            "\"\\ud800\"",
            "\"\\ud83d\\ude00\"",
            "[",
            "[1",
            "[1,",
            "[,]",
            "[1,]",
            "{",
            "{1:2}",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1,",
            "{\"a\":1,}",
            "{,}",
            "[}",
            "{]",
            "tru",
            "truex",
            "nul",
            "]",
            "\"\u{1}\"",
            "\u{1}1",
            "\u{feff}1",
            "[1 2]",
            "{\"a\" 1}",
            "  [ ]  ",
        ] {
            agree(text);
        }
    }

    #[test]
    fn what_is_changed_anywhere_is_seen() {
        for at in (0..DOCUMENT.len()).filter(|at| DOCUMENT.is_char_boundary(*at)) {
            let (before, behind) = DOCUMENT.split_at(at);
            agree(before);
            let rest = behind.chars().skip(1).collect::<String>();
            agree(&format!("{before}{rest}"));
            for other in "\"\\{}[],:0-+.eEntfud /\n\t\u{0}\u{b}é".chars() {
                agree(&format!("{before}{other}{behind}"));
                agree(&format!("{before}{other}{rest}"));
            }
        }
    }

    #[test]
    fn levels_are_counted_alike() {
        for depth in [1, 63, 64, 65, 255, 256, 257] {
            for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
                for inside in ["0", "[]", "{}"] {
                    agree(&format!(
                        "{}{inside}{}",
                        open.repeat(depth),
                        close.repeat(depth)
                    ));
                }
            }
        }
        assert_eq!(value_end(b"[[[]]]", 0, 3), Some(6));
        assert_eq!(value_end(b"[[[]]]", 0, 2), None);
        assert_eq!(value_end(b"[[{}]]", 0, 2), None);
    }
}
