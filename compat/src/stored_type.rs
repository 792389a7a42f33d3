//! Types of stored values, finer than a schema's: with the kinds of numbers that a program tells apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value as Json, json};

use upstate::schema::Type;

/// The greatest depth of types in a notation.
const MAX_DEPTH: usize = 64;

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
}

impl StoredType {
    /// True if it has no parts.
    pub(super) fn is_scalar(&self) -> bool {
        matches!(self, Self::Bool | Self::String | Self::Number | Self::Int64 | Self::Float64)
    }

    /// Every member as a type of its own, for those that are read by name.
    pub(crate) fn notation(&self) -> Json {
        match self {
            Self::Bool => json!("bool"),
            Self::String => json!("string"),
            Self::Number => json!("number"),
            Self::Int64 => json!("int64"),
            Self::Float64 => json!("float64"),
            Self::Dynamic => json!("dynamic"),
            Self::List(element) => json!(["list", element.notation()]),
            Self::Set(element) => json!(["set", element.notation()]),
            Self::Map(element) => json!(["map", element.notation()]),
            Self::Tuple(elements) => json!(["tuple", elements.iter().map(Self::notation).collect::<Vec<_>>()]),
            Self::Object(members, optional) => {
                let members: BTreeMap<_, _> = members.iter().map(|(name, ty)| (name, ty.notation())).collect();
                if optional.is_empty() { json!(["object", members]) } else { json!(["object", members, optional]) }
            }
        }
    }

    fn from_json(json: &Json, depth: usize) -> Result<Self, String> {
        if depth > MAX_DEPTH {
            return Err(format!("not a type: more than {MAX_DEPTH} types inside one another"));
        }
        let part = |json: &Json| Self::from_json(json, depth + 1);
        let parts = match json {
            Json::String(name) => {
                return match name.as_str() {
                    "bool" => Ok(Self::Bool),
                    "string" => Ok(Self::String),
                    "number" => Ok(Self::Number),
                    "int64" | "int32" => Ok(Self::Int64),
                    "float64" | "float32" => Ok(Self::Float64),
                    "dynamic" => Ok(Self::Dynamic),
                    other => Err(format!("not a type: `{other}`")),
                };
            }
            Json::Array(parts) => parts,
            other @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_)) => {
                return Err(format!("not a type: `{other}`"));
            }
        };
        match parts.as_slice() {
            [Json::String(kind), of] if kind == "list" => Ok(Self::List(Box::new(part(of)?))),
            [Json::String(kind), of] if kind == "set" => Ok(Self::Set(Box::new(part(of)?))),
            [Json::String(kind), of] if kind == "map" => Ok(Self::Map(Box::new(part(of)?))),
            [Json::String(kind), Json::Array(of)] if kind == "tuple" => {
                Ok(Self::Tuple(of.iter().map(part).collect::<Result<_, _>>()?))
            }
            [Json::String(kind), Json::Object(of), rest @ ..] if kind == "object" => {
                let members = of.iter().map(|(name, ty)| Ok((name.clone(), part(ty)?))).collect::<Result<_, String>>()?;
                let optional = match rest {
                    [] => BTreeSet::new(),
                    [Json::Array(names)] => names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
                    _ => return Err(format!("not a type: `{json}`")),
                };
                Ok(Self::Object(members, optional))
            }
            _ => Err(format!("not a type: `{json}`")),
        }
    }
}

impl From<&Type> for StoredType {
    fn from(ty: &Type) -> Self {
        let boxed = |element: &Type| Box::new(Self::from(element));
        match ty {
            Type::Bool => Self::Bool,
            Type::String => Self::String,
            Type::Number => Self::Number,
            Type::Dynamic => Self::Dynamic,
            Type::List(element) => Self::List(boxed(element)),
            Type::Set(element) => Self::Set(boxed(element)),
            Type::Map(element) => Self::Map(boxed(element)),
            Type::Tuple(elements) => Self::Tuple(elements.iter().map(|element| Self::from(&**element)).collect()),
            Type::Object(fields) => Self::Object(
                fields.iter().map(|field| (field.name().to_owned(), Self::from(field.ty()))).collect(),
                BTreeSet::new(),
            ),
        }
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
            scalar @ (Self::Bool | Self::String | Self::Number | Self::Int64 | Self::Float64 | Self::Dynamic) => {
                f.write_str(scalar.notation().as_str().unwrap_or_default())
            }
        }
    }
}

impl Serialize for StoredType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.notation().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StoredType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(&Json::deserialize(deserializer)?, 0).map_err(D::Error::custom)
    }
}
