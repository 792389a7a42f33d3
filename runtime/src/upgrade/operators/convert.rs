//! One scalar type into another, and text of JSON.

use std::collections::BTreeMap;

use super::form::Form;
use super::function::json_of;
use super::scalar::{Makes, Refusal, Seen, convert};
use super::stage::plain_type;
use super::table::EmptyText;
use super::transit::Transit;
use crate::codec::json::Reader;
use crate::codec::{DecodeError, UnknownAttributes};
use crate::diagnostics::Diagnostics;
use crate::path::PathStep;
use crate::schema::{Field, Type};
use crate::value::{Unknown, Value};

type Result<T> = std::result::Result<T, Diagnostics>;

/// The type that a conversion aims at: that of the target, or of what its collections hold.
pub(super) const fn goal(form: Form<'_>) -> Option<&Type> {
    match form {
        Form::Plain(ty) | Form::Made(ty) => Some(ty),
        Form::Objects(..) | Form::Open => None,
    }
}

/// Converts a scalar into the target's type; an object of scalars into a map of them, its null
/// members left out.
pub(super) fn scalar<'f>(
    transit: Transit<'f>,
    target: Form<'f>,
    empty: EmptyText,
) -> Result<Transit<'f>> {
    if let (Value::Map(members), Form::Plain(Type::Map(element))) = (&transit.value, target)
        && !matches!(transit.form, Form::Plain(Type::Map(_)))
    {
        let mut map = BTreeMap::new();
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            let place = transit.place.step(PathStep::Attribute(name.clone().into()));
            let member = Transit {
                value: value.clone(),
                form: Form::Open,
                place,
            };
            map.insert(
                name.clone(),
                scalar(member, Form::Plain(element), empty)?.value,
            );
        }
        return Ok(Transit {
            value: Value::Map(map),
            form: Form::Open,
            ..transit
        });
    }
    let Some(goal) = goal(target).map(Type::innermost) else {
        return Ok(transit);
    };
    if *goal == Type::Dynamic {
        // Nothing is converted, because a value of a dynamic attribute takes its type along.
        return Ok(transit);
    }
    let Transit { value, place, .. } = transit;
    let value = if let Value::Dynamic(dynamic) = value {
        dynamic.1
    } else {
        value
    };
    if let (
        Seen::List { .. } | Seen::Map { .. },
        Form::Plain(Type::String | Type::Number | Type::Bool) | Form::Made(_),
    ) = (Seen::from(&value), target)
    {
        return Err(Refusal::NoConversion(goal).reported(&value, &place));
    }
    let made = match convert(empty, goal, Seen::from(&value))
        .map_err(|refusal| refusal.reported(&value, &place))?
    {
        Makes::Scalar(scalar) => Some(Value::from(scalar)),
        Makes::Same
        | Makes::Literal(_)
        | Makes::Constant(_)
        | Makes::Text(..)
        | Makes::Composed(_) => None,
    };
    Ok(Transit {
        value: made.unwrap_or(value),
        form: Form::Open,
        place,
    })
}

/// True if text of JSON that becomes a value has a key more than once in an object.
pub(super) fn repeats_key(transit: &Transit<'_>, target: Form<'_>) -> bool {
    let into_text = matches!(goal(target), Some(Type::String));
    let text = transit.value.as_str().filter(|_| !into_text);
    text.is_some_and(|text| Value::repeats_key(text.as_bytes()))
}

/// Text of JSON into the target's type; or, if the target is a string, the value into text of JSON.
/// `exact` if it is of a document, where `1.0` and `1` differ.
pub(super) fn json<'f>(transit: Transit<'f>, target: Form<'f>, exact: bool) -> Result<Transit<'f>> {
    let Transit { value, form, place } = transit;
    let into_text = matches!(goal(target), Some(Type::String));
    if into_text && !value.is_null() {
        let (ty, value) = if let Value::Dynamic(dynamic) = value {
            *dynamic
        } else {
            (
                plain_type(form).unwrap_or_else(|| implied_type(&value)),
                value,
            )
        };
        let json = json_of(&value, &ty, exact).map_err(|error| place.refuse(error.problem()))?;
        return Ok(Transit {
            value: Value::String(String::from_utf8_lossy(&json).into_owned()),
            form: Form::Open,
            place,
        });
    }
    match value {
        Value::Null => Ok(Transit {
            value,
            form: Form::Open,
            place,
        }),
        Value::String(text) => {
            let read = match plain_type(target) {
                Some(Type::Dynamic) | None => {
                    Value::from_untyped_json(text.as_bytes()).map(|value| into_dynamic(value, None))
                }
                Some(ty) => parsed(text.as_bytes(), &ty, exact),
            };
            let value = read.map_err(|error| {
                let problem = if place.sensitive {
                    "it does not fit (sensitive)".to_owned()
                } else {
                    error.problem()
                };
                place.refuse(format_args!("the string of JSON cannot be read: {problem}"))
            })?;
            Ok(Transit {
                value,
                form: Form::Open,
                place: place.rearranged(None),
            })
        }
        other @ (Value::Unknown
        | Value::Bool(_)
        | Value::Number(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Dynamic(_)) => Err(place.refuse_kind("a string of JSON", &other, "")),
    }
}

/// The value of a type that JSON holds.
pub(super) fn parsed(
    json: &[u8],
    ty: &Type,
    exact: bool,
) -> std::result::Result<Value, DecodeError> {
    // First by the rules of documents, which keep floats. By these alone, `"7"` would be no number.
    if exact && let Ok(mut reader) = Reader::from_bytes(json) {
        reader.read_exactly();
        if let Ok(value) = Value::read(&mut reader, ty, UnknownAttributes::Deny) {
            return Ok(value);
        }
    }
    let mut reader = Reader::from_bytes(json)?;
    if exact {
        reader.leave_absent();
    }
    Value::read(&mut reader, ty, UnknownAttributes::Deny)
}

/// The type of a value that has none: objects and tuples, as Terraform takes untyped JSON.
fn implied_type(value: &Value) -> Type {
    match value {
        Value::Bool(_) => Type::Bool,
        Value::Number(_) => Type::Number,
        Value::String(_) => Type::String,
        Value::List(list) => Type::tuple(list.iter().map(implied_type)),
        Value::Map(map) => Type::object(
            map.iter()
                .map(|(name, value)| Field::new(name.clone(), implied_type(value))),
        ),
        Value::Null | Value::Unknown | Value::Dynamic(_) => Type::Dynamic,
    }
}

/// The value with a type of its own: that which it had, where that is known.
pub(super) fn into_dynamic(value: Value, ty: Option<Type>) -> Value {
    match value {
        value @ (Value::Null | Value::Unknown | Value::Dynamic(_)) => value,
        mut value @ (Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::List(_)
        | Value::Map(_)) => {
            let known =
                ty.filter(|ty| *ty != Type::Dynamic && value.conform(ty, Unknown::Refuse).is_ok());
            Value::Dynamic(Box::new((
                known.unwrap_or_else(|| implied_type(&value)),
                value,
            )))
        }
    }
}
