//! A state of which no more is known than what an import names.

use std::collections::BTreeMap;

use upstate::schema::{Schema, Type};
use upstate::{Diagnostic, Diagnostics, Number, Object, Value};

use super::fill;

/// A model in which these attributes are set, and nothing else.
pub(crate) fn named<T: Object>(values: impl IntoIterator<Item = (String, Value)>) -> Result<T, Diagnostics> {
    let ty = Schema::of::<T>().implied_type();
    let Type::Object(fields) = &ty else { return Err("the model is not an object".into()) };
    let mut values: BTreeMap<String, Value> = values.into_iter().collect();
    let mut state = BTreeMap::new();
    for field in fields.iter() {
        let value = match values.remove(field.name()) {
            Some(value) => fitting(field.name(), value, field.ty())?,
            None => Value::Unknown,
        };
        state.insert(field.name().to_owned(), value);
    }
    Ok(fill::<T>(&Value::Map(state), &ty)?.model)
}

/// The model in which only the attributes are set that are called like those of an identity.
pub(crate) fn named_by<T: Object, I: Object>(identity: &I) -> Result<T, Diagnostics> {
    let ty = Schema::of::<I>().implied_type();
    let msgpack = upstate::to_msgpack(identity).map_err(|error| error.to_string())?;
    match Value::from_msgpack(&msgpack, &ty) {
        Ok(Value::Map(members)) => named(members),
        Ok(_) => Err("the identity is not an object".into()),
        Err(error) => Err(error.problem().into()),
    }
}

/// The id of an import as a value of the attribute's type: a number may be one.
fn fitting(name: &str, value: Value, ty: &Type) -> Result<Value, Diagnostics> {
    match (&value, ty) {
        (Value::String(text), Type::Number) => text.parse::<Number>().map(Value::Number).map_err(|_| {
            let detail = format!("The id {text:?} is not a number, and {name} is one.");
            Diagnostic::error("Invalid Import Id", detail).into()
        }),
        _ => Ok(value),
    }
}
