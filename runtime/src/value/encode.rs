//! Writing a value by a type known at run time, and checking that it has that type.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::Value;
use crate::codec::{DecodeError, DecodeErrorKind, Encoding, Problem, Writer};
use crate::path::{AttributePath, PathStep};
use crate::schema::Type;

/// The error for a value that is not of a type: the path, and the kind of value there. Holds no
/// value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConformError {
    path: AttributePath,
    problem: String,
}

impl ConformError {
    /// The path at which the value is not of the type.
    pub fn path(&self) -> &AttributePath {
        &self.path
    }

    /// The problem alone, without the path.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    fn new(problem: impl Into<String>) -> Self {
        Self {
            path: AttributePath::new(),
            problem: problem.into(),
        }
    }

    /// The error of the value around the one that it is about.
    fn below(self, step: PathStep) -> Self {
        Self {
            path: self.path.below(step),
            ..self
        }
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
        Self::at(
            error.path,
            Problem::Text(DecodeErrorKind::WrongKind, error.problem),
            None,
        )
    }
}

impl Value {
    /// The value in an encoding, names and keys sorted. A value that is not known has no form in
    /// JSON.
    ///
    /// # Errors
    /// The value is not of type `ty`, or not known.
    pub fn encode(&self, ty: &Type, encoding: Encoding) -> Result<Vec<u8>, ConformError> {
        let mut complete = Cow::Borrowed(self);
        if !is_complete(self, ty) {
            let unknown = if encoding == Encoding::Json {
                Unknown::Refuse
            } else {
                Unknown::Keep
            };
            complete.to_mut().conform(ty, unknown)?;
        }
        let mut out = Vec::with_capacity(128);
        complete.write(ty, &mut Writer::new(&mut out, encoding));
        Ok(out)
    }

    /// Writes the value, which must have passed [`Value::conform`].
    pub(crate) fn write(&self, ty: &Type, writer: &mut Writer<'_>) {
        write(self, ty, writer);
    }

    /// Writes the value as JSON by what it is, without a type.
    pub(crate) fn write_untyped(&self, writer: &mut Writer<'_>) -> Result<(), ConformError> {
        write_untyped(self, writer)
    }

    /// Makes the value complete for `ty`: attributes that are not there become null, elements of
    /// sets stand once and in order.
    ///
    /// Attributes that the type does not define and values of another type are refused.
    pub(crate) fn conform(&mut self, ty: &Type, unknown: Unknown) -> Result<(), ConformError> {
        conform(self, ty, unknown)
    }
}

/// The treatment of values that are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    Keep,
    Refuse,
    /// They are refused, a member that is absent does not become null, and one that the type does
    /// not define stays: a flattened field may take it.
    LeaveAbsent,
}

fn write(value: &Value, ty: &Type, writer: &mut Writer<'_>) {
    match (value, ty) {
        (Value::Bool(bool), _) => writer.bool(*bool),
        (Value::Number(number), _) => writer.number(number),
        (Value::String(text), _) => writer.string(text),
        (Value::List(list), Type::List(element) | Type::Set(element)) => {
            write_list(list, element, writer);
        }
        (Value::List(list), Type::Json | Type::Union(_)) => write_list(list, &Type::Json, writer),
        (Value::List(list), Type::Tuple(types)) => {
            writer.open_array(list.len());
            for (index, (value, ty)) in list.iter().zip(types.iter()).enumerate() {
                writer.element(index);
                write(value, ty, writer);
            }
            writer.close_array();
        }
        (Value::Map(map), Type::Map(element)) => write_map(map, element, writer),
        (Value::Map(map), Type::Json | Type::Union(_)) => write_map(map, &Type::Json, writer),
        (Value::Map(map), Type::Object(fields)) => {
            writer.open_object(fields.len());
            for (index, field) in fields.iter().enumerate() {
                writer.key(index, field.name());
                write(
                    map.get(field.name()).unwrap_or(&Value::Null),
                    field.ty(),
                    writer,
                );
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

fn write_list(list: &[Value], element: &Type, writer: &mut Writer<'_>) {
    writer.open_array(list.len());
    for (index, value) in list.iter().enumerate() {
        writer.element(index);
        write(value, element, writer);
    }
    writer.close_array();
}

fn write_map(map: &BTreeMap<String, Value>, element: &Type, writer: &mut Writer<'_>) {
    writer.open_object(map.len());
    for (index, (key, value)) in map.iter().enumerate() {
        writer.key(index, key);
        write(value, element, writer);
    }
    writer.close_object();
}

fn write_untyped(value: &Value, writer: &mut Writer<'_>) -> Result<(), ConformError> {
    match value {
        Value::List(list) => {
            writer.open_array(list.len());
            for (index, value) in list.iter().enumerate() {
                writer.element(index);
                write_untyped(value, writer)
                    .map_err(|error| error.below(PathStep::Index(index as u64)))?;
            }
            writer.close_array();
        }
        Value::Map(map) => {
            writer.open_object(map.len());
            for (index, (key, value)) in map.iter().enumerate() {
                writer.key(index, key);
                write_untyped(value, writer)
                    .map_err(|error| error.below(PathStep::Attribute(key.clone().into())))?;
            }
            writer.close_object();
        }
        Value::Unknown => {
            let problem = "the upgrade left an unknown value, which cannot be stored".to_owned();
            return Err(ConformError {
                path: AttributePath::new(),
                problem,
            });
        }
        scalar_or_typed @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Dynamic(_)) => {
            write(scalar_or_typed, &Type::Dynamic, writer);
        }
    }
    Ok(())
}

/// True if it is clear that [`conform`] would neither change nor refuse anything. It looks into no
/// sets and dynamic values: only null is complete there.
fn is_complete(value: &Value, ty: &Type) -> bool {
    match (value, ty) {
        (Value::Null, _)
        | (Value::Bool(_), Type::Bool)
        | (Value::Number(_), Type::Number)
        | (Value::String(_), Type::String) => true,
        (Value::List(list), Type::List(element)) => {
            list.iter().all(|value| is_complete(value, element))
        }
        (Value::Map(map), Type::Map(element)) => {
            map.values().all(|value| is_complete(value, element))
        }
        (Value::Map(map), Type::Object(fields)) => {
            map.len() == fields.len()
                && map.iter().zip(fields.iter()).all(|((name, value), field)| {
                    name == field.name() && is_complete(value, field.ty())
                })
        }
        (
            Value::Unknown
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Dynamic(_),
            _,
        ) => false,
    }
}

fn conform(value: &mut Value, ty: &Type, unknown: Unknown) -> Result<(), ConformError> {
    let inside = |value: &mut Value, ty: &Type, step: &dyn Fn() -> PathStep| {
        conform(value, ty, unknown).map_err(|error| error.below(step()))
    };
    match (&mut *value, ty) {
        (Value::Null, _)
        | (Value::Bool(_), Type::Bool)
        | (Value::Number(_), Type::Number)
        | (Value::String(_), Type::String) => Ok(()),
        (Value::Unknown, _) if unknown == Unknown::Keep => Ok(()),
        (Value::Unknown, _) => Err(ConformError::new(
            "the upgrade left an unknown value, which cannot be stored",
        )),
        (Value::List(list), Type::List(element) | Type::Set(element)) => {
            (0..).zip(list.iter_mut()).try_for_each(|(index, value)| {
                inside(value, element, &|| PathStep::Index(index))
            })?;
            one_type(element, list.iter())?;
            if matches!(ty, Type::Set(_)) {
                super::set::normalize(list);
            }
            Ok(())
        }
        (Value::List(list), Type::Tuple(types)) if list.len() == types.len() => (0..)
            .zip(list.iter_mut().zip(types.iter()))
            .try_for_each(|(index, (value, ty))| inside(value, ty, &|| PathStep::Index(index))),
        (Value::Map(map), Type::Map(element)) => {
            map.iter_mut().try_for_each(|(key, value)| {
                inside(value, element, &|| PathStep::Key(key.clone()))
            })?;
            one_type(element, map.values())
        }
        (Value::Map(map), Type::Object(fields)) => {
            let step = |name: &str| PathStep::Attribute(name.to_owned().into());
            let is_defined = |name: &String| {
                fields
                    .binary_search_by(|field| field.name().cmp(name))
                    .is_ok()
            };
            if unknown != Unknown::LeaveAbsent
                && let Some(name) = map.keys().find(|name| !is_defined(name))
            {
                return Err(
                    ConformError::new("the schema defines no such attribute").below(step(name))
                );
            }
            fields.iter().try_for_each(|field| {
                let Some(value) = map.get_mut(field.name()) else {
                    if unknown != Unknown::LeaveAbsent {
                        map.insert(field.name().to_owned(), Value::Null);
                    }
                    return Ok(());
                };
                inside(value, field.ty(), &|| step(field.name()))
            })
        }
        (Value::Dynamic(dynamic), Type::Dynamic) => {
            let (ty, value) = &mut **dynamic;
            conform(value, ty, unknown)
        }
        (Value::Bool(_) | Value::Number(_) | Value::String(_), Type::Json | Type::Union(_)) => {
            Ok(())
        }
        (Value::List(list), Type::Json | Type::Union(_)) => (0..)
            .zip(list)
            .try_for_each(|(index, value)| inside(value, &Type::Json, &|| PathStep::Index(index))),
        (Value::Map(map), Type::Json | Type::Union(_)) => {
            map.iter_mut().try_for_each(|(key, value)| {
                inside(value, &Type::Json, &|| PathStep::Key(key.clone()))
            })
        }
        (value, ty) => Err(ConformError::new(format!(
            "expected {}, found {}",
            ty.noun(),
            value.noun()
        ))),
    }
}

/// Dynamic elements of one collection must have one type, or what is written could not be read
/// again.
fn one_type<'v>(
    element: &Type,
    elements: impl Iterator<Item = &'v Value>,
) -> Result<(), ConformError> {
    if *element != Type::Dynamic {
        return Ok(());
    }
    super::decode::one_type(elements).map_err(|problem| ConformError::new(problem.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Field;

    #[test]
    fn what_is_complete_is_written_at_once_and_the_rest_is_completed_or_refused() {
        let inner = Type::object([
            Field::new("a", Type::list(Type::String)),
            Field::new("b", Type::Bool),
        ]);
        let ty = Type::object([
            Field::new("any", Type::list(Type::Dynamic)),
            Field::new("inner", Type::map(inner)),
            Field::new("set", Type::set(Type::Number)),
        ]);
        let written = |json: &str| {
            let value = Value::from_untyped_json(json.as_bytes()).unwrap();
            let written = value
                .encode(&ty, Encoding::Json)
                .map(|json| String::from_utf8(json).unwrap());
            (
                is_complete(&value, &ty),
                written.map_err(|error| error.to_string()),
            )
        };
        let complete =
            r#"{"any":[null],"inner":{"x":{"a":["1",null],"b":true},"y":null},"set":null}"#;
        assert_eq!(written(complete), (true, Ok(complete.to_owned())));
        for (json, expected) in [
            (
                r#"{"inner": {"x": {"a": [], "b": null}}}"#,
                Ok(r#"{"any":null,"inner":{"x":{"a":[],"b":null}},"set":null}"#),
            ),
            (
                r#"{"any": null, "inner": null, "set": [2, 1, 2]}"#,
                Ok(r#"{"any":null,"inner":null,"set":[1,2]}"#),
            ),
            (
                r#"{"any": null, "inner": null, "other": null}"#,
                Err("other: the schema defines no such attribute"),
            ),
            (
                r#"{"any": null, "inner": {"x": {"a": ["", 7], "b": null}}, "set": null}"#,
                Err(r#"inner["x"].a[1]: expected a string, found a number"#),
            ),
            (
                r#"{"any": [7], "inner": null, "set": null}"#,
                Err("any[0]: expected a dynamic value, found a number"),
            ),
        ] {
            assert_eq!(
                written(json),
                (false, expected.map(str::to_owned).map_err(str::to_owned)),
                "{json}"
            );
        }
        let unknown = Value::List(vec![Value::Unknown]);
        let ty = Type::list(Type::Bool);
        assert_eq!(
            unknown
                .encode(&ty, Encoding::Json)
                .unwrap_err()
                .path()
                .to_string(),
            "[0]"
        );
        assert_eq!(
            unknown.encode(&ty, Encoding::Msgpack).unwrap(),
            [0x91, 0xd4, 0, 0]
        );
    }
}
