//! Types of stored values, finer than a schema's: with the kinds of numbers that a program tells
//! apart.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;
use upstate::schema::{Nesting, Type};
use upstate_words::lock::Notation;

/// The type of a stored value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoredType {
    /// `true` or `false`.
    Bool,
    /// Text.
    String,
    /// A number of any size.
    Number,
    /// A whole number of at most 64 bits.
    Int64,
    /// A number as a 64-bit float has it.
    Float64,
    /// A value that carries its own type.
    Dynamic,
    /// Elements of one type, in order.
    List(Box<StoredType>),
    /// Elements of one type, each once.
    Set(Box<StoredType>),
    /// Elements of one type, by text key.
    Map(Box<StoredType>),
    /// A fixed number of elements.
    Tuple(Vec<StoredType>),
    /// Named members, and those of them that configuration may leave out.
    Object(BTreeMap<String, StoredType>, BTreeSet<String>),
    /// Any JSON value; only in documents.
    Json,
    /// One of several variants, only in documents: the way by which a value tells which, and the
    /// variants in their order.
    Union(String, Vec<(String, StoredType)>),
}

impl StoredType {
    /// True if it has no parts.
    pub(super) fn is_scalar(&self) -> bool {
        matches!(
            self,
            Self::Bool | Self::String | Self::Number | Self::Int64 | Self::Float64
        )
    }

    /// The type of objects of this type in an arrangement.
    pub(crate) fn arranged(self, nesting: Nesting) -> Self {
        match nesting {
            Nesting::Single => self,
            Nesting::List => Self::List(Box::new(self)),
            Nesting::Set => Self::Set(Box::new(self)),
            Nesting::Map => Self::Map(Box::new(self)),
        }
    }

    /// The type of the elements and their arrangement, of a list, set or map.
    pub(crate) fn elements(&self) -> Option<(&Self, Nesting)> {
        match self {
            Self::List(element) => Some((&**element, Nesting::List)),
            Self::Set(element) => Some((&**element, Nesting::Set)),
            Self::Map(element) => Some((&**element, Nesting::Map)),
            Self::Bool
            | Self::String
            | Self::Number
            | Self::Int64
            | Self::Float64
            | Self::Dynamic
            | Self::Tuple(_)
            | Self::Object(..)
            | Self::Json
            | Self::Union(..) => None,
        }
    }

    /// The members and their arrangement, if values of it are objects or a collection of them.
    pub(crate) fn objects(&self) -> Option<(&BTreeMap<String, Self>, Nesting)> {
        let (object, nesting) = self.elements().unwrap_or((self, Nesting::Single));
        if let Self::Object(members, _) = object {
            Some((members, nesting))
        } else {
            None
        }
    }

    /// The type as the lock writes it.
    pub(crate) fn notation(&self) -> Notation<'_> {
        match self {
            Self::Bool => Notation::Bool,
            Self::String => Notation::String,
            Self::Number => Notation::Number,
            Self::Int64 => Notation::Int64,
            Self::Float64 => Notation::Float64,
            Self::Dynamic => Notation::Dynamic,
            Self::List(element) => Notation::List(Box::new(element.notation())),
            Self::Set(element) => Notation::Set(Box::new(element.notation())),
            Self::Map(element) => Notation::Map(Box::new(element.notation())),
            Self::Tuple(elements) => Notation::Tuple(elements.iter().map(Self::notation).collect()),
            Self::Object(members, optional) => Notation::Object(
                members
                    .iter()
                    .map(|(name, ty)| (Cow::Borrowed(name.as_str()), ty.notation()))
                    .collect(),
                optional
                    .iter()
                    .map(|name| Cow::Borrowed(name.as_str()))
                    .collect(),
            ),
            Self::Json => Notation::Json,
            Self::Union(tagging, variants) => Notation::Union(
                Cow::Borrowed(tagging),
                variants
                    .iter()
                    .map(|(name, ty)| (Cow::Borrowed(name.as_str()), ty.notation()))
                    .collect(),
            ),
        }
    }
}

impl From<&Notation<'_>> for StoredType {
    fn from(ty: &Notation<'_>) -> Self {
        let boxed = |element: &Notation<'_>| Box::new(Self::from(element));
        match ty {
            Notation::Bool => Self::Bool,
            Notation::String => Self::String,
            Notation::Number => Self::Number,
            Notation::Int64 => Self::Int64,
            Notation::Float64 => Self::Float64,
            Notation::Dynamic => Self::Dynamic,
            Notation::List(element) => Self::List(boxed(element)),
            Notation::Set(element) => Self::Set(boxed(element)),
            Notation::Map(element) => Self::Map(boxed(element)),
            Notation::Tuple(elements) => Self::Tuple(elements.iter().map(Self::from).collect()),
            Notation::Object(members, optional) => Self::Object(
                members
                    .iter()
                    .map(|(name, ty)| (name.clone().into_owned(), Self::from(ty)))
                    .collect(),
                optional
                    .iter()
                    .map(|name| name.clone().into_owned())
                    .collect(),
            ),
            Notation::Json => Self::Json,
            Notation::Union(tagging, variants) => Self::Union(
                tagging.clone().into_owned(),
                variants
                    .iter()
                    .map(|(name, ty)| (name.clone().into_owned(), Self::from(ty)))
                    .collect(),
            ),
        }
    }
}

impl From<&Type> for StoredType {
    fn from(ty: &Type) -> Self {
        Self::from(&ty.notation())
    }
}

/// As a person writes it: `list of string`, `object`.
impl fmt::Display for StoredType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(element) => write!(f, "list of {element}"),
            Self::Set(element) => write!(f, "set of {element}"),
            Self::Map(element) => write!(f, "map of {element}"),
            Self::Tuple(elements) => write!(f, "tuple of {}", elements.len()),
            Self::Object(members, _) => {
                f.write_str("object {")?;
                for (index, (name, ty)) in members.iter().enumerate() {
                    write!(f, "{}{name}: {ty}", if index == 0 { " " } else { ", " })?;
                }
                f.write_str(" }")
            }
            Self::Union(_, variants) => {
                let names: Vec<&str> = variants.iter().map(|(name, _)| name.as_str()).collect();
                write!(f, "enum of {}", names.join(", "))
            }
            scalar @ (Self::Bool
            | Self::String
            | Self::Number
            | Self::Int64
            | Self::Float64
            | Self::Dynamic
            | Self::Json) => f.write_str(scalar.notation().to_string().trim_matches('"')),
        }
    }
}

impl Serialize for StoredType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The notation is JSON; its parts are written, because formats other than JSON have no raw
        // text.
        let json: Json =
            serde_json::from_str(&self.notation().to_string()).map_err(S::Error::custom)?;
        json.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StoredType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?.to_string();
        Notation::read(&json)
            .map(|notation| Self::from(&notation))
            .map_err(D::Error::custom)
    }
}
