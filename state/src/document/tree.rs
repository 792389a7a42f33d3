//! A document as a tree of values, digits and order kept.

use std::borrow::Cow;

use upstate::__internal::{Kind, Reader, write_string};
use upstate::path::PathStep;
use upstate::{AttributePath, DecodeError, Number};

use super::transcode::{self, Wide};

/// A JSON value; numbers are their digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tree<'t> {
    Null,
    Bool(bool),
    Number(Cow<'t, str>),
    String(Cow<'t, str>),
    Array(Vec<Tree<'t>>),
    Object(Vec<(Cow<'t, str>, Tree<'t>)>),
}

impl<'t> Tree<'t> {
    /// Reads one JSON value.
    pub(super) fn parse(json: &'t str) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(json);
        let tree = Self::read(&mut reader)?;
        reader.end()?;
        Ok(tree)
    }

    fn read(reader: &mut Reader<'t>) -> Result<Self, DecodeError> {
        Ok(match reader.peek()? {
            Kind::Null => {
                reader.null()?;
                Self::Null
            }
            Kind::Bool => Self::Bool(reader.bool()?),
            Kind::Number => Self::Number(Cow::Borrowed(reader.number()?)),
            Kind::String => Self::String(reader.string()?),
            Kind::Array => {
                reader.open_array()?;
                let mut elements = Vec::new();
                while reader.next_element(elements.is_empty())? {
                    elements.push(Self::read(reader)?);
                }
                Self::Array(elements)
            }
            Kind::Object => {
                reader.open_object()?;
                let mut members = Vec::new();
                while let Some(name) = reader.next_member(members.is_empty())? {
                    members.push((name, Self::read(reader)?));
                }
                Self::Object(members)
            }
        })
    }

    /// The value at a path through objects.
    pub(super) fn at(&self, path: &[String]) -> Option<&Self> {
        path.iter().try_fold(self, |tree, step| tree.member(step))
    }

    /// The value at the path of a message.
    pub(super) fn at_path(&self, path: &AttributePath) -> Option<&Self> {
        path.steps().iter().try_fold(self, |tree, step| match step {
            PathStep::Attribute(name) => tree.member(name),
            PathStep::Key(key) => tree.member(key),
            PathStep::Index(index) => match tree {
                Self::Array(elements) => elements.get(usize::try_from(*index).ok()?),
                Self::Null
                | Self::Bool(_)
                | Self::Number(_)
                | Self::String(_)
                | Self::Object(_) => None,
            },
            PathStep::Element(_) => None,
        })
    }

    /// The member of an object.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members
                .iter()
                .find(|(other, _)| other == name)
                .map(|(_, value)| value),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Array(_) => None,
        }
    }

    /// Removes the member at a path, if it is there.
    pub(super) fn remove(&mut self, steps: &[PathStep]) {
        let Some((step, inner)) = steps.split_first() else {
            return;
        };
        let name: &str = match step {
            PathStep::Attribute(name) => name,
            PathStep::Key(key) => key,
            PathStep::Index(index) => {
                if let (Self::Array(elements), Ok(index)) = (self, usize::try_from(*index))
                    && let Some(element) = elements.get_mut(index)
                {
                    element.remove(inner);
                }
                return;
            }
            PathStep::Element(_) => return,
        };
        let Self::Object(members) = self else {
            return;
        };
        if inner.is_empty() {
            members.retain(|(other, _)| other != name);
        } else if let Some((_, value)) = members.iter_mut().find(|(other, _)| other == name) {
            value.remove(inner);
        }
    }

    /// Writes it as compact JSON.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Bool(bool) => out.extend_from_slice(if *bool { b"true" } else { b"false" }),
            Self::Number(digits) => out.extend_from_slice(digits.as_bytes()),
            Self::String(string) => write_string(string, out),
            Self::Array(elements) => {
                out.push(b'[');
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    element.write(out);
                }
                out.push(b']');
            }
            Self::Object(members) => {
                out.push(b'{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    write_string(name, out);
                    out.push(b':');
                    value.write(out);
                }
                out.push(b'}');
            }
        }
    }
}

/// A tree as serde writes it.
#[cfg(any(feature = "msgpack", feature = "cbor", feature = "yaml"))]
pub(super) struct Serialized<'w, 't>(pub(super) &'w Tree<'t>, pub(super) Wide);

#[cfg(any(feature = "msgpack", feature = "cbor", feature = "yaml"))]
impl serde::Serialize for Serialized<'_, '_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(tree, wide) = self;
        match tree {
            Tree::Null => serializer.serialize_none(),
            Tree::Bool(bool) => serializer.serialize_bool(*bool),
            Tree::Number(digits) => transcode::number(digits, *wide, serializer),
            Tree::String(string) => serializer.serialize_str(string),
            Tree::Array(elements) => {
                serializer.collect_seq(elements.iter().map(|element| Serialized(element, *wide)))
            }
            Tree::Object(members) => serializer.collect_map(
                members
                    .iter()
                    .map(|(name, value)| (name, Serialized(value, *wide))),
            ),
        }
    }
}

/// The numbers that are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Equal ones, however they are written.
    Equal,
    /// Equal ones of one kind: a float and an integer differ, and so do zero and negative zero.
    OfOneKind,
    /// Those, and dates of TOML are compared as the strings that they are read as.
    AndDates,
}

impl Numbers {
    /// All of them, in the order in which they are tried.
    pub(super) const ALL: &[Self] = &[Self::Equal, Self::OfOneKind, Self::AndDates];

    /// True if a stored number is the new one.
    pub(super) fn are_same(self, old: &str, new: &str) -> bool {
        let is_float = transcode::is_float;
        let are_of_one_kind = || {
            is_float(old) == is_float(new)
                && !(is_float(new) && old.starts_with('-') != new.starts_with('-'))
        };
        equal_numbers(old, new) && (self == Self::Equal || are_of_one_kind())
    }
}

/// True if two numbers are equal, however they are written.
pub(super) fn equal_numbers(a: &str, b: &str) -> bool {
    a == b || matches!((a.parse::<Number>(), b.parse::<Number>()), (Ok(a), Ok(b)) if a == b)
}
