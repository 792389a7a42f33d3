//! JSON text as Terraform writes it.

use super::ends::{plain_end, written_end};
use super::strings::has_escaped;

/// Writes `text` between quotes.
#[inline]
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    if has_escaped(text.as_bytes()) {
        write_escaped(text, out);
    } else {
        out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
}

fn write_escaped(text: &str, out: &mut Vec<u8>) {
    const HEX: [u8; 16] = *b"0123456789abcdef";
    let mut rest = text;
    loop {
        let (plain, special) = rest
            .split_at_checked(written_end(rest.as_bytes(), 0))
            .unwrap_or((rest, ""));
        out.extend_from_slice(plain.as_bytes());
        let mut characters = special.chars();
        let Some(character) = characters.next() else {
            return;
        };
        rest = characters.as_str();
        let short = match character {
            '"' => b'"',
            '\\' => b'\\',
            '\n' => b'n',
            '\r' => b'r',
            '\t' => b't',
            '\u{8}' => b'b',
            '\u{c}' => b'f',
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.extend_from_slice(b"\\u");
                let code = character as usize;
                out.extend(
                    [12, 8, 4, 0]
                        .iter()
                        .filter_map(|shift| HEX.get(code >> shift & 0xF)),
                );
                continue;
            }
            plain => {
                out.extend_from_slice(plain.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
}

/// The layout of JSON over lines.
#[derive(Debug, Clone, Copy)]
pub struct Layout<'a> {
    /// The characters that end a line.
    pub newline: &'a str,
    /// The indentation of the line that the value starts on.
    pub indent: &'a str,
    /// The indentation that each level adds to `indent`.
    pub unit: &'a str,
}

impl Layout<'_> {
    /// As Terraform lays out state files: two blanks a level.
    pub const TERRAFORM: Self = Self {
        newline: "\n",
        indent: "",
        unit: "  ",
    };
}

/// Compact JSON laid out over lines. Only white space is added.
pub fn indented(compact: &str, layout: Layout<'_>, out: &mut Vec<u8>) {
    let bytes = compact.as_bytes();
    // A line begins with the line break and the indentation of the depth that has been reached, so
    // brackets change `line`.
    let mut line = format!("{}{}", layout.newline, layout.indent).into_bytes();
    // All before it is in `out` already, so that text without white space is copied at once.
    let mut copied = 0;
    let mut at = 0;
    let mut copy_to = |out: &mut Vec<u8>, end: usize| {
        out.extend_from_slice(bytes.get(copied..end).unwrap_or_default());
        copied = end;
    };
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' if !matches!(bytes.get(at + 1), Some(b'}' | b']')) => {
                line.extend_from_slice(layout.unit.as_bytes());
                copy_to(out, at + 1);
                out.extend_from_slice(&line);
            }
            b'}' | b']'
                if !matches!(
                    at.checked_sub(1).and_then(|before| bytes.get(before)),
                    Some(b'{' | b'[')
                ) =>
            {
                line.truncate(line.len().saturating_sub(layout.unit.len()));
                copy_to(out, at);
                out.extend_from_slice(&line);
            }
            b',' => {
                copy_to(out, at + 1);
                out.extend_from_slice(&line);
            }
            b':' => {
                copy_to(out, at + 1);
                out.push(b' ');
            }
            _ => {}
        }
        at += 1;
    }
    copy_to(out, bytes.len());
}

/// The end of the string that begins at `start`, its closing quote included.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        at = plain_end(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

/// Valid JSON without the white space between its parts, and with the characters escaped that Go
/// escapes.
pub fn compact(json: &str, out: &mut Vec<u8>) {
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'"' => {
                let end = string_end(bytes, at);
                for character in json.get(at..end).unwrap_or_default().chars() {
                    let mut buffer = [0; 4];
                    match character {
                        '<' => out.extend_from_slice(b"\\u003c"),
                        '>' => out.extend_from_slice(b"\\u003e"),
                        '&' => out.extend_from_slice(b"\\u0026"),
                        '\u{2028}' => out.extend_from_slice(b"\\u2028"),
                        '\u{2029}' => out.extend_from_slice(b"\\u2029"),
                        plain => out.extend_from_slice(plain.encode_utf8(&mut buffer).as_bytes()),
                    }
                }
                at = end;
                continue;
            }
            b' ' | b'\n' | b'\r' | b'\t' => {}
            _ => out.push(byte),
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_as_go_does() {
        let mut out = Vec::new();
        write_string(
            "a\"\\\n\r\t\u{8}\u{c}\u{1}<>&\u{2028}\u{2029}\u{20ac}\u{e9}\u{7f}",
            &mut out,
        );
        let expected = concat!(
            r#""a\"\\\n\r\t\b\f\u0001\u003c\u003e\u0026\u2028\u2029"#,
            "\u{20ac}\u{e9}\u{7f}\""
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn indentation_adds_white_space_only() {
        let mut out = Vec::new();
        let json = r#"{"a":{},"b":[1,{"c":"x,\"{:"}],"d":[]}"#;
        indented(
            json,
            Layout {
                indent: "  ",
                ..Layout::TERRAFORM
            },
            &mut out,
        );
        let expected = "{\n    \"a\": {},\n    \"b\": [\n      1,\n      {\n        \"c\": \"x,\\\"{:\"\n      }\n    ],\n    \"d\": []\n  }";
        assert_eq!(String::from_utf8(out.clone()).unwrap(), expected);
        let mut again = Vec::new();
        compact(expected, &mut again);
        assert_eq!(String::from_utf8(again).unwrap(), json);
        out.clear();
        indented(
            json,
            Layout {
                newline: "\r\n",
                indent: "\t",
                unit: "\t",
            },
            &mut out,
        );
        assert_eq!(
            String::from_utf8(out).unwrap(),
            expected.replace('\n', "\r\n").replace("  ", "\t")
        );
    }
}
