//! Members that go by values: operators over collections, changed forms, types that are put
//! together of others.

use std::collections::BTreeMap;

use super::super::form::{Form, Member};
use super::super::stage::plain_type;
use super::compile::null;
use super::plan::Nothing;
use crate::codec::json::Reader;
use crate::codec::{DecodeError, Writer};
use crate::schema::{Holds, Members, Takes, Type};
use crate::value::{Unknown, Value};

/// The judgement of a value that was written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    /// The current model takes it, and would write the same.
    Takes,
    /// Only the model can tell.
    Model,
}

/// Reads a stored value; `None` if its type is not known.
pub(super) fn read(
    reader: &mut Reader<'_>,
    form: Form<'static>,
) -> Option<Result<Value, DecodeError>> {
    Some(match form {
        Form::Plain(ty) => Value::read_nested(reader, ty),
        form @ (Form::Objects(..) | Form::Made(_) | Form::Open) => {
            Value::read_nested(reader, &plain_type(form)?)
        }
    })
}

/// Writes null, or what means it.
pub(super) fn write_null(null: Nothing, writer: &mut Writer<'_>) -> Option<()> {
    match null {
        Nothing::Null => writer.null(),
        Nothing::List => {
            writer.open_array(0);
            writer.close_array();
        }
        Nothing::Map => {
            writer.open_object(0);
            writer.close_object();
        }
        Nothing::Refused => return None,
    }
    Some(())
}

/// Writes what operators made of the attribute `name`.
pub(super) fn write_made(
    value: Value,
    target: Member<'static>,
    members: Members<'static>,
    name: &str,
    writer: &mut Writer<'_>,
) -> Option<Judged> {
    if target.write_only {
        writer.null();
        return Some(Judged::Takes);
    }
    if value.is_null() {
        return write_null(null(target), writer).map(|()| Judged::Takes);
    }
    if matches!(target.form, Form::Plain(_)) {
        return write_as(value, target, writer);
    }
    let mut one = BTreeMap::from([(name.to_owned(), value)]);
    members.settle_one(name, &mut one);
    write_as(one.remove(name)?, target, writer)
}

/// Writes a value of the target's form.
pub(super) fn write_as(
    value: Value,
    target: Member<'static>,
    writer: &mut Writer<'_>,
) -> Option<Judged> {
    match target.form {
        Form::Plain(ty) => write_typed(value, ty, &target.holds, writer),
        // Nested objects: what they take is for the model to judge.
        form @ (Form::Objects(..) | Form::Made(_) | Form::Open) => {
            write_typed(value, &plain_type(form)?, &target.holds, writer).map(|_| Judged::Model)
        }
    }
}

/// Writes a value of a plain type.
pub(super) fn write_typed(
    mut value: Value,
    ty: &Type,
    holds: &Holds,
    writer: &mut Writer<'_>,
) -> Option<Judged> {
    value.conform(ty, Unknown::Refuse).ok()?;
    let judged = if has_set_of_objects(&value, ty) {
        Judged::Model
    } else {
        takes(&value, holds)?
    };
    value.write(ty, writer);
    Some(judged)
}

/// True if a set of more than one object or collection is in the value: the model decides in which
/// order those are written.
fn has_set_of_objects(value: &Value, ty: &Type) -> bool {
    match (value, ty) {
        (Value::List(list), Type::Set(element)) if list.len() > 1 => {
            !matches!(**element, Type::Bool | Type::String | Type::Number)
                || list.iter().any(|value| has_set_of_objects(value, element))
        }
        (Value::List(list), Type::List(element) | Type::Set(element)) => {
            list.iter().any(|value| has_set_of_objects(value, element))
        }
        (Value::Map(map), Type::Map(element)) => {
            map.values().any(|value| has_set_of_objects(value, element))
        }
        (Value::Map(map), Type::Object(fields)) => fields.iter().any(|field| {
            map.get(field.name())
                .is_some_and(|value| has_set_of_objects(value, field.ty()))
        }),
        _ => false,
    }
}

/// `Some` if a whole number is one that the field takes.
pub(super) fn in_range(int: i128, holds: &Holds) -> Option<()> {
    match holds.takes {
        Takes::Integers { min, max } => (min <= int && int <= max).then_some(()),
        Takes::Anything
        | Takes::Floats
        | Takes::Texts(_)
        | Takes::OwnType
        | Takes::Objects(_)
        | Takes::Tuples(_) => Some(()),
    }
}

/// The judgement of a value for a field; `None` if the field does not take it.
fn takes(value: &Value, holds: &Holds) -> Option<Judged> {
    match (value, holds.takes) {
        (Value::Null, _) => return holds.nullable.then_some(Judged::Takes),
        (Value::Number(number), Takes::Integers { .. }) => {
            let int = number
                .as_i64()
                .map(i128::from)
                .or_else(|| number.as_u64().map(i128::from))?;
            in_range(int, holds)?;
        }
        (Value::String(text), Takes::Texts(texts)) => {
            texts.contains(&text.as_str()).then_some(())?;
        }
        (Value::List(list), Takes::Anything) => {
            let inner = holds.elements.copied().unwrap_or(Holds::ANYTHING);
            return list
                .iter()
                .map(|value| takes(value, &inner))
                .try_fold(Judged::Takes, |all, one| {
                    one.map(|one| if one == Judged::Takes { all } else { one })
                });
        }
        // The model judges objects and maps, since nothing here looks at the members of objects,
        // nor at what is in tuples.
        (Value::Map(_), _) | (_, Takes::OwnType | Takes::Floats | Takes::Tuples(_)) => {
            return Some(Judged::Model);
        }
        // Only the proofs know the range of such a type.
        (Value::Number(_), _) if holds.integer != 0 => return Some(Judged::Model),
        _ => {}
    }
    Some(Judged::Takes)
}
