//! JSON text as Terraform writes it.

/// Which bytes of a string can't stand for themselves: controls, `"`, `\`, and `<`, `>`, `&`, which Go escapes; 0xE2 begins the
/// two line separators that it escapes too.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which would say so")]
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table[b'<' as usize] = true;
    table[b'>' as usize] = true;
    table[b'&' as usize] = true;
    table[0xE2] = true;
    table
};

/// Writes `text` between quotes.
#[inline]
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    if text.bytes().any(|byte| SPECIAL.get(byte as usize).copied().unwrap_or(true)) {
        write_escaped(text, out);
    } else {
        out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
}

fn write_escaped(text: &str, out: &mut Vec<u8>) {
    const HEX: [u8; 16] = *b"0123456789abcdef";
    let mut buffer = [0; 4];
    for character in text.chars() {
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
                out.extend([12, 8, 4, 0].iter().filter_map(|shift| HEX.get(code >> shift & 0xF)));
                continue;
            }
            plain => {
                out.extend_from_slice(plain.encode_utf8(&mut buffer).as_bytes());
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
}

/// Compact JSON laid out over lines, as Terraform indents state files: each level two blanks further than `indent`, which is
/// the indentation of the line it starts on. Only white space is added.
pub(crate) fn indented(compact: &str, indent: usize, out: &mut Vec<u8>) {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    let bytes = compact.as_bytes();
    let newline = |depth: usize, out: &mut Vec<u8>| {
        out.push(b'\n');
        out.resize(out.len() + indent + 2 * depth, b' ');
    };
    for (position, byte) in bytes.iter().copied().enumerate() {
        if in_string {
            out.push(byte);
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => {
                in_string = true;
                out.push(byte);
            }
            b'{' | b'[' => {
                out.push(byte);
                if !matches!(bytes.get(position + 1), Some(b'}' | b']')) {
                    depth += 1;
                    newline(depth, out);
                }
            }
            b'}' | b']' => {
                if !matches!(position.checked_sub(1).and_then(|before| bytes.get(before)), Some(b'{' | b'[')) {
                    depth = depth.saturating_sub(1);
                    newline(depth, out);
                }
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                newline(depth, out);
            }
            b':' => out.extend_from_slice(b": "),
            _ => out.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_as_go_does() {
        let mut out = Vec::new();
        write_string("a\"\\\n\r\t\u{8}\u{c}\u{1}<>&\u{2028}\u{2029}\u{20ac}\u{e9}\u{7f}", &mut out);
        let expected = concat!(r#""a\"\\\n\r\t\b\f\u0001\u003c\u003e\u0026\u2028\u2029"#, "\u{20ac}\u{e9}\u{7f}\"");
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn indentation_adds_white_space_only() {
        let mut out = Vec::new();
        indented(r#"{"a":{},"b":[1,{"c":"x,\"{:"}],"d":[]}"#, 2, &mut out);
        let expected = "{\n    \"a\": {},\n    \"b\": [\n      1,\n      {\n        \"c\": \"x,\\\"{:\"\n      }\n    ],\n    \"d\": []\n  }";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
