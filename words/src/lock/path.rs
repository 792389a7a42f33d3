//! Paths of attributes and blocks, as the lines of an entry have them.

use std::borrow::Cow;

/// True if a name is written in a path without quotation marks.
#[must_use]
pub const fn is_plain(name: &[u8]) -> bool {
    let mut rest = name;
    while let [letter, after @ ..] = rest {
        if !(letter.is_ascii_alphanumeric() || matches!(letter, b'_' | b'-')) {
            return false;
        }
        rest = after;
    }
    !name.is_empty()
}

/// A path one step longer: a name that is not plain is between quotation marks, without blanks and
/// line breaks.
pub fn step(prefix: &str, name: &str) -> String {
    let dot = if prefix.is_empty() { "" } else { "." };
    if is_plain(name.as_bytes()) {
        return format!("{prefix}{dot}{name}");
    }
    let mut quoted = format!("{prefix}{dot}\"");
    for letter in name.chars() {
        match u8::try_from(letter).ok().and_then(escape) {
            Some(escaped) => quoted.extend(['\\', char::from(escaped)]),
            None => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// The letter that comes after a backslash in place of a byte of a name between quotation marks;
/// nothing if the byte is there itself.
#[must_use]
pub const fn escape(byte: u8) -> Option<u8> {
    match byte {
        b'"' | b'\\' => Some(byte),
        b' ' => Some(b's'),
        b'\n' => Some(b'n'),
        b'\r' => Some(b'r'),
        b'\t' => Some(b't'),
        _ => None,
    }
}

/// The path of what a variant of an enum with data holds, by which findings in it meet the members
/// that must be there.
pub fn variant(prefix: &str, name: &str) -> String {
    format!("{prefix}.{name}")
}

/// The path that names make.
pub fn path(names: &[impl AsRef<str>]) -> String {
    names
        .iter()
        .fold(String::new(), |path, name| step(&path, name.as_ref()))
}

/// The names that a path is made of.
pub fn steps(path: &str) -> Option<Vec<Cow<'_, str>>> {
    let mut steps = Vec::new();
    let mut rest = path;
    loop {
        let (step, after) = first(rest)?;
        if step.is_empty() {
            return None;
        }
        steps.push(step);
        match after.strip_prefix('.') {
            Some(after) => rest = after,
            None => return after.is_empty().then_some(steps),
        }
    }
}

/// The name that a single step means.
pub fn name(step: &str) -> Option<Cow<'_, str>> {
    first(step).and_then(|(name, after)| after.is_empty().then_some(name))
}

/// The name that a path begins with, and the path after it.
fn first(path: &str) -> Option<(Cow<'_, str>, &str)> {
    let Some(quoted) = path.strip_prefix('"') else {
        let (name, after) = path.split_at_checked(path.find('.').unwrap_or(path.len()))?;
        return Some((Cow::Borrowed(name), after));
    };
    let mut name = String::new();
    let mut letters = quoted.char_indices();
    loop {
        match letters.next()? {
            (_, '\\') => name.push(match letters.next()?.1 {
                's' => ' ',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                letter => letter,
            }),
            (at, '"') => return Some((Cow::Owned(name), quoted.get(at + 1..)?)),
            (_, letter) => name.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_are_written() {
        let path = path(&["rules", "a \"b\\.c", "port"]);
        assert_eq!(path, r#"rules."a\s\"b\\.c".port"#);
        assert_eq!(steps(&path).unwrap(), ["rules", "a \"b\\.c", "port"]);
        // A line break would end the line of the lock.
        assert_eq!(
            (step("a", "ä\n\tb").as_str(), name(r#""ä\n\tb""#).as_deref()),
            (r#"a."ä\n\tb""#, Some("ä\n\tb"))
        );
        assert_eq!(
            [
                steps(""),
                steps("a..b"),
                steps("a."),
                steps("\"a"),
                steps("\"a\"b")
            ],
            [None, None, None, None, None]
        );
        assert_eq!(name(r#""a\s\"b.c""#).as_deref(), Some("a \"b.c"));
        assert_eq!(
            [name("a.b"), name("\"a"), name("\"a\"b\"")],
            [None, None, None]
        );
        assert_eq!(variant("look", "Plain"), "look.Plain");
    }
}
