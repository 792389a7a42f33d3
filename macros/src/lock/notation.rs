//! Types in Terraform's notation, as the lines of an entry have them.

use std::borrow::Cow;
use std::fmt::Write as _;

/// How many types may stand inside one another.
const MAX_DEPTH: usize = 64;

/// A type, and the text that it was read from.
#[derive(Debug)]
pub(super) struct Notation<'t> {
    text: &'t str,
    pub(super) ty: Ty<'t>,
}

#[derive(Debug)]
pub(super) enum Ty<'t> {
    Bool,
    String,
    Number,
    /// Only of what was imported: a number that was written down as an integer.
    Int64,
    /// Only of what was imported: a number that was written down as a float.
    Float64,
    Dynamic,
    List(Box<Notation<'t>>),
    Set(Box<Notation<'t>>),
    Map(Box<Notation<'t>>),
    Tuple(Vec<Notation<'t>>),
    Object(Members<'t>),
}

/// Each member of an object and its type, in their order.
type Members<'t> = Vec<(Cow<'t, str>, Notation<'t>)>;

impl<'t> Notation<'t> {
    /// The type that the whole of `text` is.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let (notation, rest) = Self::first(text, 0)?;
        rest.is_empty().then_some(notation)
    }

    /// The type that `text` begins with, and what is after it.
    fn first(text: &'t str, depth: usize) -> Option<(Self, &'t str)> {
        if depth > MAX_DEPTH {
            return None;
        }
        let (ty, rest) = match text.strip_prefix('[') {
            None => {
                let (name, rest) = string(text)?;
                let ty = match &*name {
                    "bool" => Ty::Bool,
                    "string" => Ty::String,
                    "number" => Ty::Number,
                    "int64" | "int32" => Ty::Int64,
                    "float64" | "float32" => Ty::Float64,
                    "dynamic" => Ty::Dynamic,
                    _ => return None,
                };
                (ty, rest)
            }
            Some(inside) => {
                let (kind, rest) = string(inside)?;
                let rest = rest.strip_prefix(',')?;
                let (ty, rest) = match &*kind {
                    "list" | "set" | "map" => {
                        let (element, rest) = Self::first(rest, depth + 1)?;
                        let element = Box::new(element);
                        let ty = match &*kind {
                            "list" => Ty::List(element),
                            "set" => Ty::Set(element),
                            _ => Ty::Map(element),
                        };
                        (ty, rest)
                    }
                    "tuple" => {
                        let (elements, rest) = listed(rest.strip_prefix('[')?, ']', |text| Self::first(text, depth + 1))?;
                        (Ty::Tuple(elements), rest)
                    }
                    "object" => {
                        let member = |text| {
                            let (name, rest) = string(text)?;
                            let (ty, rest) = Self::first(rest.strip_prefix(':')?, depth + 1)?;
                            Some(((name, ty), rest))
                        };
                        let (members, rest) = listed(rest.strip_prefix('{')?, '}', member)?;
                        // Which of them configuration may leave out: nothing of that is stored.
                        let rest = match rest.strip_prefix(",[") {
                            Some(optional) => listed(optional, ']', string)?.1,
                            None => rest,
                        };
                        (Ty::Object(members), rest)
                    }
                    _ => return None,
                };
                (ty, rest.strip_prefix(']')?)
            }
        };
        let text = text.get(..text.len() - rest.len())?;
        Some((Self { text, ty }, rest))
    }

    /// Its members and how they are arranged, if values of it are objects or a collection of them.
    fn objects(&self) -> Option<(&Members<'t>, &'static str)> {
        let (element, nesting) = match &self.ty {
            Ty::Object(members) => return Some((members, "single")),
            Ty::List(element) => (element, "list"),
            Ty::Set(element) => (element, "set"),
            Ty::Map(element) => (element, "map"),
            Ty::Bool | Ty::String | Ty::Number | Ty::Int64 | Ty::Float64 | Ty::Dynamic | Ty::Tuple(_) => return None,
        };
        if let Ty::Object(members) = &element.ty { Some((members, nesting)) } else { None }
    }
}

/// What is in a list up to `end`, and what is after that.
fn listed<'t, T>(mut text: &'t str, end: char, first: impl Fn(&'t str) -> Option<(T, &'t str)>) -> Option<(Vec<T>, &'t str)> {
    let mut all = Vec::new();
    if let Some(rest) = text.strip_prefix(end) {
        return Some((all, rest));
    }
    loop {
        let (one, rest) = first(text)?;
        all.push(one);
        match rest.strip_prefix(',') {
            Some(rest) => text = rest,
            None => return Some((all, rest.strip_prefix(end)?)),
        }
    }
}

/// The string of JSON that `text` begins with, and what is after it.
fn string(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let inside = text.strip_prefix('"')?;
    let (plain, rest) = inside.split_at_checked(inside.find(['"', '\\'])?)?;
    if let Some(rest) = rest.strip_prefix('"') {
        return Some((Cow::Borrowed(plain), rest));
    }
    let mut name = plain.to_owned();
    let mut letters = rest.char_indices();
    // Beyond the first 65,536 characters, JSON has two escapes for one.
    let mut units = Vec::new();
    loop {
        let (at, letter) = letters.next()?;
        let escaped = if letter == '\\' { Some(letters.next()?.1) } else { None };
        if escaped == Some('u') {
            let digits: String = letters.by_ref().take(4).map(|(_, digit)| digit).collect();
            units.push(u16::from_str_radix(&digits, 16).ok()?);
            continue;
        }
        for unit in char::decode_utf16(units.drain(..)) {
            name.push(unit.ok()?);
        }
        name.push(match escaped {
            None if letter == '"' => return Some((Cow::Owned(name), rest.get(at + 1..)?)),
            None => letter,
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some(other) => other,
        });
    }
}

/// The name that a step of a path means: it is between quotation marks if it is not plain.
pub(super) fn name(step: &str) -> Option<Cow<'_, str>> {
    let Some(quoted) = step.strip_prefix('"') else { return (!step.contains('.')).then_some(Cow::Borrowed(step)) };
    let quoted = quoted.strip_suffix('"')?;
    let mut name = String::new();
    let mut letters = quoted.chars();
    while let Some(letter) = letters.next() {
        name.push(match letter {
            '"' => return None,
            '\\' => match letters.next()? {
                's' => ' ',
                letter => letter,
            },
            _ => letter,
        });
    }
    Some(Cow::Owned(name))
}

/// These lines, with object types as nested attributes.
pub(super) fn unfolded(lines: &str) -> Cow<'_, str> {
    if !lines.contains("[\"object\",") {
        return Cow::Borrowed(lines);
    }
    let mut text = String::new();
    for line in lines.lines() {
        let (path, stored) = line.split_once(" = ").unwrap_or_default();
        // The type has no blanks outside of its names.
        let form = stored.split('\t').next().unwrap_or_default();
        let end = form.rfind(']').map_or(form.len(), |end| end + 1);
        match stored.split_at_checked(end).and_then(|(ty, facts)| Some((Notation::read(ty)?, facts))) {
            Some((ty, facts)) => unfold(&mut text, path, &ty, facts),
            None => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    Cow::Owned(text)
}

fn unfold(text: &mut String, path: &str, notation: &Notation<'_>, facts: &str) {
    let Some((members, nesting)) = notation.objects() else {
        let _ = writeln!(text, "{path} = {}{facts}", notation.text);
        return;
    };
    let _ = writeln!(text, "{path} = nested {nesting}{facts}");
    for (name, ty) in members {
        // Whether null was read there is in no schema document.
        unfold(text, &format!("{path}.{}", step(name)), ty, " null?");
    }
}

/// A name as a step of a path.
fn step(name: &str) -> Cow<'_, str> {
    let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'_' | b'-');
    if !name.is_empty() && name.bytes().all(is_plain) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace(' ', "\\s")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_types_are_unfolded_at_every_depth() {
        let lines = "a = [\"list\",[\"object\",{\"b\":\"string\",\"c d\":[\"object\",{\"e\":[\"set\",\"number\"]}]}]] null?\n\
            f = [\"map\",[\"list\",[\"object\",{}]]] null\ng = \"string\"\t[\"x]\"]\n";
        let expected = "a = nested list null?\na.b = \"string\" null?\na.\"c\\sd\" = nested single null?\n\
            a.\"c\\sd\".e = [\"set\",\"number\"] null?\nf = [\"map\",[\"list\",[\"object\",{}]]] null\ng = \"string\"\t[\"x]\"]\n";
        assert_eq!(unfolded(lines), expected);
        assert!(matches!(unfolded("a = \"string\"\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn only_types_are_read() {
        for text in [
            "\"int32\"",
            "[\"tuple\",[]]",
            "[\"object\",{\"a\":\"bool\"},[\"a\"]]",
            "[\"set\",[\"tuple\",[\"dynamic\",\"number\"]]]",
        ] {
            assert_eq!(Notation::read(text).map(|notation| notation.text), Some(text));
        }
        let deep = "[\"list\",".repeat(70) + "\"bool\"" + &"]".repeat(70);
        for text in
            ["", "string", "\"text\"", "[\"list\"]", "[\"list\",\"bool\"", "[\"object\",{\"a\"}]", "[\"bag\",\"bool\"]", &deep]
        {
            assert!(Notation::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn names_are_read_with_their_escapes() {
        assert_eq!(string(r#""a\"\\\u00e4\ud83d\ude00\n" rest"#), Some((Cow::Borrowed("a\"\\ä😀\n"), " rest")));
        assert_eq!(string(r#""a\ud83d""#), None);
        assert_eq!(name(r#""a\s\"b.c""#).as_deref(), Some("a \"b.c"));
        assert_eq!([name("a.b"), name("\"a"), name("\"a\"b\"")], [None, None, None]);
    }
}
