//! Stored forms: the part of a line behind ` = `, up to its facts.

use std::borrow::Cow;
use std::error::Error;
use std::fmt::{self, Write as _};

use super::notation::{Nesting, Notation, NotationError};
use super::path::step;
use crate::hash::{Hash, code, key};

/// The place of null among the stored values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Null {
    /// Null was refused.
    Refused,
    /// Null was read.
    Read,
    /// Only of what was imported: no schema document says it.
    Unknown,
}

/// The stored form of an attribute or block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored<'t> {
    /// The type, or the arrangement of its members.
    pub form: Form<'t>,
    /// The place of null among the values; refused in blocks.
    pub null: Null,
    /// True if it was in configuration only.
    pub write_only: bool,
}

/// The type of an attribute, or the arrangement of members whose lines follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form<'t> {
    /// Blocks.
    Block(Nesting),
    /// Nested attributes.
    Nested(Nesting),
    /// An attribute with a type.
    Type(Notation<'t>),
}

/// The error for a stored form that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredError {
    /// The word behind `block` or `nested`.
    Nesting(String),
    /// The type.
    Type(NotationError),
}

impl fmt::Display for StoredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nesting(word) => write!(f, "`{word}` is not a nesting"),
            Self::Type(error) => write!(f, "{error}"),
        }
    }
}

impl Error for StoredError {}

impl<'t> Stored<'t> {
    /// Reads a stored form.
    ///
    /// # Errors
    /// The text has no type and no nesting.
    pub fn read(text: &'t str) -> Result<Self, StoredError> {
        let nesting =
            |word: &str| Nesting::of(word).ok_or_else(|| StoredError::Nesting(word.to_owned()));
        if let Some(word) = text.strip_prefix("block ") {
            return Ok(Self {
                form: Form::Block(nesting(word)?),
                null: Null::Refused,
                write_only: false,
            });
        }
        let (text, write_only) = text
            .strip_suffix(" write_only")
            .map_or((text, false), |text| (text, true));
        let (text, null) = match (text.strip_suffix(" null?"), text.strip_suffix(" null")) {
            (Some(text), _) => (text, Null::Unknown),
            (None, Some(text)) => (text, Null::Read),
            (None, None) => (text, Null::Refused),
        };
        let form = match text.strip_prefix("nested ") {
            Some(word) => Form::Nested(nesting(word)?),
            None => Form::Type(Notation::read(text).map_err(StoredError::Type)?),
        };
        Ok(Self {
            form,
            null,
            write_only,
        })
    }

    /// The hash of a shape with the member `name` taken in, but for the members inside it.
    #[must_use]
    pub fn hashed(&self, hash: Hash, name: &str) -> Hash {
        let null = match self.null {
            Null::Refused => 0,
            Null::Read => code::NULL,
            Null::Unknown => code::UNKNOWN_NULL,
        };
        let facts = code::MEMBER | null | if self.write_only { code::WRITE_ONLY } else { 0 };
        match &self.form {
            Form::Block(nesting) => hash.member(key(name), facts | code::BLOCK, nesting.code()),
            Form::Nested(nesting) => hash.member(key(name), facts | code::NESTED, nesting.code()),
            Form::Type(ty) => {
                let hash = hash.member(key(name), facts, ty.code());
                if ty.code() == 0 {
                    ty.hashed(hash)
                } else {
                    hash
                }
            }
        }
    }
}

/// As the lock writes it.
impl fmt::Display for Stored<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Block(nesting) => return write!(f, "block {}", nesting.name()),
            Form::Nested(nesting) => write!(f, "nested {}", nesting.name())?,
            Form::Type(ty) => write!(f, "{ty}")?,
        }
        f.write_str(match self.null {
            Null::Refused => "",
            Null::Read => " null",
            Null::Unknown => " null?",
        })?;
        f.write_str(if self.write_only { " write_only" } else { "" })
    }
}

/// These lines, with object types as nested attributes: they are stored in the same form, and
/// models have no other.
pub fn unfolded(lines: &str) -> Cow<'_, str> {
    if !lines.contains("[\"object\",") {
        return Cow::Borrowed(lines);
    }
    let mut text = String::new();
    for line in lines.lines() {
        let (path, stored) = line.split_once(" = ").unwrap_or_default();
        // The type has no blanks outside of its names.
        let form = stored.split('\t').next().unwrap_or_default();
        let end = form.rfind(']').map_or(form.len(), |end| end + 1);
        match stored
            .split_at_checked(end)
            .and_then(|(ty, facts)| Some((Notation::read(ty).ok()?, facts)))
        {
            Some((ty, facts)) => unfold(&mut text, path, &ty, facts),
            None => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    Cow::Owned(text)
}

fn unfold(text: &mut String, path: &str, ty: &Notation<'_>, facts: &str) {
    let Some((members, nesting)) = ty.objects() else {
        let _ = writeln!(text, "{path} = {ty}{facts}");
        return;
    };
    let _ = writeln!(text, "{path} = nested {}{facts}", nesting.name());
    for (name, ty) in members {
        // No schema document says whether null was read there.
        unfold(text, &step(path, name), ty, " null?");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_forms_are_written_as_they_were_read() {
        for text in [
            "block map",
            "nested single null",
            "\"string\"",
            "[\"list\",\"bool\"] null? write_only",
            "\"number\" write_only",
        ] {
            assert_eq!(Stored::read(text).unwrap().to_string(), text);
        }
        for (text, problem) in [
            ("block bag", "`bag` is not a nesting"),
            ("nested ", "`` is not a nesting"),
            ("\"strong\" null", "not a type: `strong`"),
            ("thing", "not a type: `thing`"),
        ] {
            assert_eq!(Stored::read(text).unwrap_err().to_string(), problem);
        }
    }

    #[test]
    fn object_types_are_unfolded_at_every_depth() {
        let lines = "a = [\"list\",[\"object\",{\"b\":\"string\",\"c d\":[\"object\",{\"e\":[\"set\",\"number\"]}]}]] null?\n\
            f = [\"map\",[\"list\",[\"object\",{}]]] null\ng = \"string\"\t[\"x]\"]\n";
        let expected = "a = nested list null?\na.b = \"string\" null?\na.\"c\\sd\" = nested single null?\n\
            a.\"c\\sd\".e = [\"set\",\"number\"] null?\nf = [\"map\",[\"list\",[\"object\",{}]]] null\ng = \"string\"\t[\"x]\"]\n";
        assert_eq!(unfolded(lines), expected);
        assert!(matches!(unfolded("a = \"string\"\n"), Cow::Borrowed(_)));
    }
}
