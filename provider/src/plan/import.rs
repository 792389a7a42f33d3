//! A state of which no more is known than what an import names.

use std::collections::BTreeMap;

use upstate::schema::{Schema, Type};
use upstate::{AttributePath, Diagnostics, Number, Object, Value};

use super::fillers::{self, Fillers};
use super::model::{Filled, Why, fill};
use crate::diagnostics;

/// The values of what an import names, by the names of their attributes.
pub(crate) type Named = BTreeMap<String, Value>;

/// Instances that an id names.
pub(crate) fn by_id(attribute: &str, id: &str) -> Named {
    Named::from([(attribute.to_owned(), id.into())])
}

/// Instances that an identity names: the attributes that are called like its own.
pub(crate) fn by_identity<I: Object>(identity: &I) -> Result<Named, Diagnostics> {
    match value_of(identity)? {
        Value::Map(members) => Ok(members),
        _ => Err(diagnostics::not_an_object("identity").into()),
    }
}

/// A model in which these attributes are set, and nothing else.
pub(crate) fn named<T: Object>(values: &Named, with: Fillers) -> Result<Filled<T>, Diagnostics> {
    let ty = Schema::of::<T>().implied_type();
    let Type::Object(fields) = &ty else {
        return Err(diagnostics::not_an_object("model").into());
    };
    let mut state = BTreeMap::new();
    for field in fields.iter() {
        // An identity has null for what the import leaves out, which is as little known as all
        // else.
        let value = match values.get(field.name()).filter(|value| !value.is_null()) {
            Some(value) => fitting(field.name(), value.clone(), field.ty())?,
            None => Value::Unknown,
        };
        state.insert(field.name().to_owned(), value);
    }
    fill::<T>(&Value::Map(state), &ty, with).map_err(|unfit| match unfit.why {
        Why::NotKnown => {
            let path = unfit
                .diagnostics
                .iter()
                .find_map(|diagnostic| diagnostic.path().cloned())
                .unwrap_or_default();
            diagnostics::no_filler_for_import(path).into()
        }
        Why::Null | Why::Value => unfit.diagnostics,
    })
}

/// True if something in an answer may be what stood in for it: nothing is so by chance if the two
/// are compared with those of [`Fillers::Others`], too.
pub(crate) fn may_stand_in<T: Object>(answer: &T, filled: &Value) -> Result<bool, Diagnostics> {
    let block = Schema::of::<T>().block();
    let answer = value_of(answer)?;
    Ok(block
        .attributes()
        .iter()
        .filter(|attribute| !attribute.is_nullable() && !fillers::is_found_again(attribute))
        .any(|attribute| {
            let name = attribute.name();
            let (answer, filled) = (super::member(&answer, name), super::member(filled, name));
            answer == filled && *filled != Fillers::Others.of(attribute)
        }))
}

/// The first attribute that neither of two answers set, each to a state that was filled otherwise.
pub(crate) fn never_set<T: Object>(
    answers: [&T; 2],
    filled: [&Value; 2],
) -> Result<Option<AttributePath>, Diagnostics> {
    let [one, other] = answers;
    Ok(fillers::in_both(
        Schema::of::<T>().block(),
        [&value_of(one)?, &value_of(other)?],
        filled,
    ))
}

fn value_of<T: Object>(model: &T) -> Result<Value, Diagnostics> {
    let msgpack = upstate::to_msgpack(model).map_err(|error| diagnostics::unencodable(&error))?;
    Value::from_msgpack(&msgpack, &Schema::of::<T>().implied_type())
        .map_err(|error| error.problem().into())
}

/// The id of an import as a value of the attribute's type: a number may be one.
fn fitting(name: &str, value: Value, ty: &Type) -> Result<Value, Diagnostics> {
    match (&value, ty) {
        (Value::String(text), Type::Number) => text
            .parse::<Number>()
            .map(Value::Number)
            .map_err(|_| diagnostics::invalid_id(text, name).into()),
        _ => Ok(value),
    }
}
