//! A document as a tree of values, digits and order kept.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

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

/// The members of an object by name. Several of one name are the first of them.
pub(super) struct ByName<'m, 't> {
    members: &'m [(Cow<'t, str>, Tree<'t>)],
    /// Their places, if they are many.
    places: Option<HashMap<&'m str, usize>>,
}

/// The number of members up to which each is compared by its name, which takes less time than to
/// hash that.
const FEW: usize = 16;

impl<'m, 't> ByName<'m, 't> {
    pub(super) fn of(members: &'m [(Cow<'t, str>, Tree<'t>)]) -> Self {
        let table = || {
            let all = members.iter().enumerate().rev();
            all.map(|(place, (name, _))| (&**name, place)).collect()
        };
        Self {
            members,
            places: (members.len() > FEW).then(table),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'m Tree<'t>> {
        let found = match &self.places {
            Some(places) => self.members.get(*places.get(name)?),
            None => self.members.iter().find(|(other, _)| other == name),
        };
        found.map(|(_, value)| value)
    }
}

/// The members of objects by name, for many look-ups in one tree: those of an object with a million
/// entries would take hours otherwise.
#[derive(Default)]
pub(super) struct Index<'m, 't> {
    /// Those of each large object that was looked at, by its address.
    objects: RefCell<HashMap<usize, ByName<'m, 't>>>,
}

impl<'m, 't> Index<'m, 't> {
    /// The member of an object.
    pub(super) fn member(&self, value: &'m Tree<'t>, name: &str) -> Option<&'m Tree<'t>> {
        let members = match value {
            Tree::Object(members) if members.len() > FEW => members,
            Tree::Null
            | Tree::Bool(_)
            | Tree::Number(_)
            | Tree::String(_)
            | Tree::Array(_)
            | Tree::Object(_) => return value.member(name),
        };
        self.objects
            .borrow_mut()
            .entry(members.as_ptr().addr())
            .or_insert_with(|| ByName::of(members))
            .get(name)
    }

    /// The value at the path of a message.
    pub(super) fn at_path(&self, tree: &'m Tree<'t>, path: &AttributePath) -> Option<&'m Tree<'t>> {
        path.steps().iter().try_fold(tree, |tree, step| match step {
            PathStep::Attribute(name) => self.member(tree, name),
            PathStep::Key(key) => self.member(tree, key),
            PathStep::Index(index) => match tree {
                Tree::Array(elements) => elements.get(usize::try_from(*index).ok()?),
                Tree::Null
                | Tree::Bool(_)
                | Tree::Number(_)
                | Tree::String(_)
                | Tree::Object(_) => None,
            },
            PathStep::Element(_) => None,
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_few_and_of_many_are_the_first_of_their_name() {
        for count in [3, 100] {
            let members = (0..count).flat_map(|at| [(at, "1"), (at, "2")]);
            let members = members.map(|(at, digits)| {
                let name = Cow::Owned(format!("m{at}"));
                (name, Tree::Number(Cow::Borrowed(digits)))
            });
            let tree = Tree::Object(vec![("a".into(), Tree::Object(members.collect()))]);
            let index = Index::default();
            for name in ["m0", "m2", "m99", "x"] {
                let path = AttributePath::new().attribute("a").key(name);
                let found = index.at_path(&tree, &path);
                assert_eq!(found, tree.at(&["a".to_owned(), name.to_owned()]));
                let is_there = name == "m0" || name == "m2" || name == "m99" && count == 100;
                assert_eq!(found.is_some(), is_there, "{name} of {count}");
                assert!(found.is_none_or(|one| *one == Tree::Number("1".into())));
            }
        }
    }
}
