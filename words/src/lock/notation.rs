//! Types in Terraform's notation, as the lines of an entry have them.

use std::borrow::Cow;
use std::error::Error;
use std::fmt::{self, Write as _};

use crate::hash::{Hash, code, key};

/// The largest number of types inside one another.
const MAX_DEPTH: usize = 64;

/// The arrangement of nested objects or blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Nesting {
    /// One object.
    #[default]
    Single,
    /// A list of objects.
    List,
    /// A set of objects.
    Set,
    /// Objects by text key.
    Map,
}

impl Nesting {
    /// Its word in locks and in schemas as JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::List => "list",
            Self::Set => "set",
            Self::Map => "map",
        }
    }

    /// The arrangement that a word means.
    pub fn of(name: &str) -> Option<Self> {
        [Self::Single, Self::List, Self::Set, Self::Map]
            .into_iter()
            .find(|nesting| nesting.name() == name)
    }

    /// Its code in the hash of a shape.
    pub const fn code(self) -> u64 {
        match self {
            Self::Single => code::OBJECT,
            Self::List => code::LIST,
            Self::Set => code::SET,
            Self::Map => code::MAP,
        }
    }
}

/// The type of a stored value, finer than a schema's: with the kinds of numbers that a program
/// tells apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notation<'t> {
    /// `true` or `false`.
    Bool,
    /// Text.
    String,
    /// A number of any size.
    Number,
    /// Only of what was imported: a number that was written down as an integer.
    Int64,
    /// Only of what was imported: a number that was written down as a float.
    Float64,
    /// A value that carries its own type.
    Dynamic,
    /// Any JSON value.
    Json,
    /// Elements of one type, in order.
    List(Box<Notation<'t>>),
    /// Elements of one type, each once.
    Set(Box<Notation<'t>>),
    /// Elements of one type, by text key.
    Map(Box<Notation<'t>>),
    /// A fixed number of elements.
    Tuple(Vec<Notation<'t>>),
    /// The members in their order, and those of them that configuration may leave out.
    Object(Vec<Member<'t>>, Vec<Cow<'t, str>>),
    /// One of several variants: how the stored value tells which, and the variants in their order
    /// with the type of their content.
    Union(Cow<'t, str>, Vec<Member<'t>>),
}

/// A member of an object, by its name.
pub(super) type Member<'t> = (Cow<'t, str>, Notation<'t>);

/// The error for a text that is not the notation of a type; its message quotes the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotationError(String);

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a type: `{}`", self.0)
    }
}

impl Error for NotationError {}

impl<'t> Notation<'t> {
    /// Reads the type that the whole of `text` is.
    ///
    /// # Errors
    /// The text is not a type, or has more than 64 types inside one another.
    pub fn read(text: &'t str) -> Result<Self, NotationError> {
        match Self::first(text, 0) {
            Some((notation, "")) => Ok(notation),
            _ => Err(NotationError(
                string(text).map_or_else(|| text.to_owned(), |(name, _)| name.into_owned()),
            )),
        }
    }

    /// The type that `text` begins with, and what is after it.
    fn first(text: &'t str, depth: usize) -> Option<(Self, &'t str)> {
        if depth > MAX_DEPTH {
            return None;
        }
        Some(match text.strip_prefix('[') {
            None => {
                let (name, rest) = string(text)?;
                let ty = match &*name {
                    "bool" => Self::Bool,
                    "string" => Self::String,
                    "number" => Self::Number,
                    "int64" | "int32" => Self::Int64,
                    "float64" | "float32" => Self::Float64,
                    "dynamic" => Self::Dynamic,
                    "json" => Self::Json,
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
                            "list" => Self::List(element),
                            "set" => Self::Set(element),
                            _ => Self::Map(element),
                        };
                        (ty, rest)
                    }
                    "tuple" => {
                        let (elements, rest) = listed(rest.strip_prefix('[')?, ']', |text| {
                            Self::first(text, depth + 1)
                        })?;
                        (Self::Tuple(elements), rest)
                    }
                    "union" => {
                        let (tagging, rest) = string(rest)?;
                        // Pairs and not an object, since a reader of JSON may lose the order of
                        // members, and that of variants counts.
                        let variant = |text: &'t str| {
                            let (name, rest) = string(text.strip_prefix('[')?)?;
                            let (ty, rest) = Self::first(rest.strip_prefix(',')?, depth + 1)?;
                            Some(((name, ty), rest.strip_prefix(']')?))
                        };
                        let (variants, rest) = listed(rest.strip_prefix(",[")?, ']', variant)?;
                        (Self::Union(tagging, variants), rest)
                    }
                    "object" => {
                        let member = |text| {
                            let (name, rest) = string(text)?;
                            let (ty, rest) = Self::first(rest.strip_prefix(':')?, depth + 1)?;
                            Some(((name, ty), rest))
                        };
                        let (members, rest) = listed(rest.strip_prefix('{')?, '}', member)?;
                        let (optional, rest) = match rest.strip_prefix(",[") {
                            Some(optional) => listed(optional, ']', string)?,
                            None => (Vec::new(), rest),
                        };
                        (Self::Object(members, optional), rest)
                    }
                    _ => return None,
                };
                (ty, rest.strip_prefix(']')?)
            }
        })
    }

    /// The members and their arrangement, if values of it are objects or a collection of them.
    pub fn objects(&self) -> Option<(&[Member<'t>], Nesting)> {
        let (element, nesting) = match self {
            Self::Object(members, _) => return Some((members, Nesting::Single)),
            Self::List(element) => (element, Nesting::List),
            Self::Set(element) => (element, Nesting::Set),
            Self::Map(element) => (element, Nesting::Map),
            Self::Bool
            | Self::String
            | Self::Number
            | Self::Int64
            | Self::Float64
            | Self::Dynamic
            | Self::Json
            | Self::Tuple(_)
            | Self::Union(..) => return None,
        };
        if let Self::Object(members, _) = &**element {
            Some((members, nesting))
        } else {
            None
        }
    }

    /// The code of the type in the hash of a shape, if it has one for itself; otherwise 0, and
    /// [`hashed`](Self::hashed) follows.
    pub fn code(&self) -> u64 {
        let of_strings = |element: &Self, code| if *element == Self::String { code } else { 0 };
        match self {
            Self::Bool => code::BOOL,
            Self::String => code::STRING,
            Self::Number => code::NUMBER,
            Self::Int64 => code::INT64,
            Self::Float64 => code::FLOAT64,
            Self::Dynamic => code::DYNAMIC,
            Self::Json => code::JSON,
            Self::List(element) => of_strings(element, code::LIST_OF_STRINGS),
            Self::Set(element) => of_strings(element, code::SET_OF_STRINGS),
            Self::Map(element) => of_strings(element, code::MAP_OF_STRINGS),
            Self::Tuple(_) | Self::Object(..) | Self::Union(..) => 0,
        }
    }

    /// The hash with the type taken in, with all that is in it.
    #[must_use]
    pub fn hashed(&self, hash: Hash) -> Hash {
        match self {
            Self::Bool
            | Self::String
            | Self::Number
            | Self::Int64
            | Self::Float64
            | Self::Dynamic
            | Self::Json => hash.word(self.code()),
            Self::List(element) => element.hashed(hash.word(code::LIST)),
            Self::Set(element) => element.hashed(hash.word(code::SET)),
            Self::Map(element) => element.hashed(hash.word(code::MAP)),
            Self::Tuple(elements) => {
                let start = hash.word(code::TUPLE).word(elements.len() as u64);
                elements
                    .iter()
                    .fold(start, |hash, element| element.hashed(hash))
            }
            Self::Object(members, _) => {
                let start = hash.word(code::OBJECT).word(members.len() as u64);
                members
                    .iter()
                    .fold(start, |hash, (name, ty)| ty.hashed(hash.word(key(name))))
            }
            Self::Union(tagging, variants) => {
                let start = hash
                    .word(code::UNION)
                    .word(key(tagging))
                    .word(variants.len() as u64);
                variants
                    .iter()
                    .fold(start, |hash, (name, ty)| ty.hashed(hash.word(key(name))))
            }
        }
    }
}

/// As the lock writes it: without blanks.
impl fmt::Display for Notation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("\"bool\""),
            Self::String => f.write_str("\"string\""),
            Self::Number => f.write_str("\"number\""),
            Self::Int64 => f.write_str("\"int64\""),
            Self::Float64 => f.write_str("\"float64\""),
            Self::Dynamic => f.write_str("\"dynamic\""),
            Self::Json => f.write_str("\"json\""),
            Self::List(element) => write!(f, "[\"list\",{element}]"),
            Self::Set(element) => write!(f, "[\"set\",{element}]"),
            Self::Map(element) => write!(f, "[\"map\",{element}]"),
            Self::Tuple(elements) => {
                f.write_str("[\"tuple\",[")?;
                separated(f, elements, |f, element| write!(f, "{element}"))?;
                f.write_str("]]")
            }
            Self::Object(members, optional) => {
                f.write_str("[\"object\",{")?;
                separated(f, members, |f, (name, ty)| {
                    quoted(f, name)?;
                    write!(f, ":{ty}")
                })?;
                f.write_char('}')?;
                if !optional.is_empty() {
                    f.write_str(",[")?;
                    separated(f, optional, |f, name| quoted(f, name))?;
                    f.write_char(']')?;
                }
                f.write_char(']')
            }
            Self::Union(tagging, variants) => {
                f.write_str("[\"union\",")?;
                quoted(f, tagging)?;
                f.write_str(",[")?;
                separated(f, variants, |f, (name, ty)| {
                    f.write_char('[')?;
                    quoted(f, name)?;
                    write!(f, ",{ty}]")
                })?;
                f.write_str("]]")
            }
        }
    }
}

fn separated<T>(
    f: &mut fmt::Formatter<'_>,
    all: &[T],
    write: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, one) in all.iter().enumerate() {
        if index > 0 {
            f.write_char(',')?;
        }
        write(f, one)?;
    }
    Ok(())
}

/// A string of JSON.
fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for letter in text.chars() {
        match letter {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            control @ '\0'..='\u{1f}' => write!(f, "\\u{:04x}", u32::from(control))?,
            letter => f.write_char(letter)?,
        }
    }
    f.write_char('"')
}

/// The items of a list up to `end`, and the text after it.
fn listed<'t, T>(
    mut text: &'t str,
    end: char,
    first: impl Fn(&'t str) -> Option<(T, &'t str)>,
) -> Option<(Vec<T>, &'t str)> {
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
        let escaped = if letter == '\\' {
            Some(letters.next()?.1)
        } else {
            None
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_types_are_read_and_they_are_written_as_they_were() {
        for text in [
            "\"int64\"",
            "[\"tuple\",[]]",
            "[\"object\",{\"a\":\"bool\"},[\"a\"]]",
            "[\"set\",[\"tuple\",[\"dynamic\",\"number\"]]]",
            "[\"union\",\"internal kind\",[[\"plain\",[\"tuple\",[]]],[\"own\",[\"object\",{\"a\":\"json\"}]]]]",
            "[\"map\",[\"object\",{\"a\\\"\\\\\\n\\u0001ä\":\"float64\",\"b\":[\"list\",\"string\"]}]]",
        ] {
            assert_eq!(
                Notation::read(text)
                    .map(|notation| notation.to_string())
                    .as_deref(),
                Ok(text)
            );
        }
        assert_eq!(Notation::read("\"int32\""), Ok(Notation::Int64));
        let deep = "[\"list\",".repeat(70) + "\"bool\"" + &"]".repeat(70);
        for text in [
            "",
            "string",
            "\"text\"",
            "[\"list\"]",
            "[\"list\",\"bool\"",
            "[\"object\",{\"a\"}]",
            "[\"bag\",\"bool\"]",
            &deep,
        ] {
            assert!(Notation::read(text).is_err(), "{text}");
        }
        assert_eq!(
            Notation::read("\"strong\"").unwrap_err().to_string(),
            "not a type: `strong`"
        );
    }

    #[test]
    fn names_are_read_with_their_escapes() {
        assert_eq!(
            string(r#""a\"\\\u00e4\ud83d\ude00\n" rest"#),
            Some((Cow::Borrowed("a\"\\ä😀\n"), " rest"))
        );
        assert_eq!(string(r#""a\ud83d""#), None);
    }
}
