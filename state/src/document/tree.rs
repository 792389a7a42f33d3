//! A document as a tree of values, digits and order kept.

use std::borrow::Cow;

use upstate::__internal::{Kind, Reader};
use upstate::DecodeError;
use upstate::Number;

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
}

/// True if two numbers are equal, however they are written.
pub(super) fn equal_numbers(a: &str, b: &str) -> bool {
    a == b || matches!((a.parse::<Number>(), b.parse::<Number>()), (Ok(a), Ok(b)) if a == b)
}
