//! Writing a value by a type known at run time, and checking that it has that type.

use std::fmt;

use super::Value;
use crate::codec::{DecodeError, DecodeErrorKind, Encoding, Problem, Writer};
use crate::path::AttributePath;
use crate::schema::Type;

/// The error for a value that is not of a type: the path, and the kind of value there. Holds no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConformError {
    path: AttributePath,
    problem: String,
}

impl ConformError {
    /// Where the value is not of the type.
    pub fn path(&self) -> &AttributePath {
        &self.path
    }

    /// The problem alone, without the path.
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for ConformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for ConformError {}

impl From<ConformError> for DecodeError {
    fn from(error: ConformError) -> Self {
        Self::at(error.path, Problem::Text(DecodeErrorKind::WrongKind, error.problem), None)
    }
}

impl Value {
    /// The value in an encoding, names and keys sorted. A value that is not known has no form in JSON.
    ///
    /// # Errors
    /// The value is not of type `ty`, or not known.
    pub fn encode(&self, ty: &Type, encoding: Encoding) -> Result<Vec<u8>, ConformError> {
        let mut complete = self.clone();
        let unknown = if encoding == Encoding::Json { Unknown::Refuse } else { Unknown::Keep };
        complete.conform(ty, unknown)?;
        let mut out = Vec::new();
        complete.write(ty, &mut Writer::new(&mut out, encoding));
        Ok(out)
    }

    /// Writes the value, which must have passed [`Value::conform`].
    pub(crate) fn write(&self, ty: &Type, writer: &mut Writer<'_>) {
        write(self, ty, writer);
    }

    /// Writes the value as JSON by what it is, without a type.
    pub(crate) fn write_untyped(&self, writer: &mut Writer<'_>) -> Result<(), ConformError> {
        write_untyped(self, writer, &AttributePath::new())
    }

    /// Makes the value complete for `ty`: attributes that are not there become null, elements of sets stand once and in order.
    ///
    /// Attributes that the type does not define and values of another type are refused.
    pub(crate) fn conform(&mut self, ty: &Type, unknown: Unknown) -> Result<(), ConformError> {
        conform(self, ty, unknown, &AttributePath::new())
    }
}

/// What to do with values that are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    Keep,
    Refuse,
}

fn write(value: &Value, ty: &Type, writer: &mut Writer<'_>) {
    match (value, ty) {
        (Value::Bool(bool), _) => writer.bool(*bool),
        (Value::Number(number), _) => writer.number(number),
        (Value::String(text), _) => writer.string(text),
        (Value::List(list), Type::List(element) | Type::Set(element)) => {
            writer.open_array(list.len());
            for (index, value) in list.iter().enumerate() {
                writer.element(index);
                write(value, element, writer);
            }
            writer.close_array();
        }
        (Value::List(list), Type::Tuple(types)) => {
            writer.open_array(list.len());
            for (index, (value, ty)) in list.iter().zip(types.iter()).enumerate() {
                writer.element(index);
                write(value, ty, writer);
            }
            writer.close_array();
        }
        (Value::Map(map), Type::Map(element)) => {
            writer.open_object(map.len());
            for (index, (key, value)) in map.iter().enumerate() {
                writer.key(index, key);
                write(value, element, writer);
            }
            writer.close_object();
        }
        (Value::Map(map), Type::Object(fields)) => {
            writer.open_object(fields.len());
            for (index, field) in fields.iter().enumerate() {
                writer.key(index, field.name());
                write(map.get(field.name()).unwrap_or(&Value::Null), field.ty(), writer);
            }
            writer.close_object();
        }
        (Value::Dynamic(dynamic), _) => {
            let (ty, value) = &**dynamic;
            let notation = ty.to_string();
            writer.begin_dynamic(&notation);
            write(value, ty, writer);
            writer.end_dynamic(&notation);
        }
        (Value::Unknown, _) => writer.unknown(),
        (Value::Null | Value::List(_) | Value::Map(_), _) => writer.null(),
    }
}

fn write_untyped(value: &Value, writer: &mut Writer<'_>, path: &AttributePath) -> Result<(), ConformError> {
    match value {
        Value::List(list) => {
            writer.open_array(list.len());
            for (index, value) in list.iter().enumerate() {
                writer.element(index);
                write_untyped(value, writer, &path.clone().index(index as u64))?;
            }
            writer.close_array();
        }
        Value::Map(map) => {
            writer.open_object(map.len());
            for (index, (key, value)) in map.iter().enumerate() {
                writer.key(index, key);
                write_untyped(value, writer, &path.clone().attribute(key.clone()))?;
            }
            writer.close_object();
        }
        Value::Unknown => {
            let problem = "the upgrade left an unknown value, which cannot be stored".to_owned();
            return Err(ConformError { path: path.clone(), problem });
        }
        scalar_or_typed @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Dynamic(_)) => {
            write(scalar_or_typed, &Type::Dynamic, writer);
        }
    }
    Ok(())
}

fn conform(value: &mut Value, ty: &Type, unknown: Unknown, path: &AttributePath) -> Result<(), ConformError> {
    let refuse = |path: &AttributePath, problem: String| Err(ConformError { path: path.clone(), problem });
    match (&mut *value, ty) {
        (Value::Null, _) | (Value::Bool(_), Type::Bool) | (Value::Number(_), Type::Number) | (Value::String(_), Type::String) => {
            Ok(())
        }
        (Value::Unknown, _) if unknown == Unknown::Keep => Ok(()),
        (Value::Unknown, _) => refuse(path, "the upgrade left an unknown value, which cannot be stored".to_owned()),
        (Value::List(list), Type::List(element) | Type::Set(element)) => {
            (0..)
                .zip(list.iter_mut())
                .try_for_each(|(index, value)| conform(value, element, unknown, &path.clone().index(index)))?;
            one_type(element, list.iter(), path)?;
            if matches!(ty, Type::Set(_)) {
                super::set::normalize(list);
            }
            Ok(())
        }
        (Value::List(list), Type::Tuple(types)) if list.len() == types.len() => (0..)
            .zip(list.iter_mut().zip(types.iter()))
            .try_for_each(|(index, (value, ty))| conform(value, ty, unknown, &path.clone().index(index))),
        (Value::Map(map), Type::Map(element)) => {
            map.iter_mut().try_for_each(|(key, value)| conform(value, element, unknown, &path.clone().key(key.as_str())))?;
            one_type(element, map.values(), path)
        }
        (Value::Map(map), Type::Object(fields)) => {
            if let Some(name) = map.keys().find(|name| fields.iter().all(|field| field.name() != **name)) {
                let path = path.clone().attribute(name.clone());
                return refuse(&path, "the schema defines no such attribute".to_owned());
            }
            fields.iter().try_for_each(|field| {
                let value = map.entry(field.name().to_owned()).or_default();
                conform(value, field.ty(), unknown, &path.clone().attribute(field.name().to_owned()))
            })
        }
        (Value::Dynamic(dynamic), Type::Dynamic) => {
            let (ty, value) = &mut **dynamic;
            conform(value, ty, unknown, path)
        }
        (value, ty) => refuse(path, format!("expected {}, found {}", ty.noun(), value.noun())),
    }
}

/// Dynamic elements of one collection must have one type, or what is written could not be read again.
fn one_type<'v>(element: &Type, elements: impl Iterator<Item = &'v Value>, path: &AttributePath) -> Result<(), ConformError> {
    if *element != Type::Dynamic {
        return Ok(());
    }
    super::decode::one_type(elements).map_err(|problem| ConformError { path: path.clone(), problem: problem.to_string() })
}
