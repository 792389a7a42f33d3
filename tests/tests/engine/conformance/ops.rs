//! The operations of the case files, which stand for the code of upgraders and movers.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use upstate::schema::{Schema, Type};
use upstate::upgrade::UpgradedState;
use upstate::{Diagnostic, Diagnostics, Number, Severity, UpgradeContext, Value};

use super::areas::diagnostic;
use super::canonical::{schema, value};

/// What the operations of an upgrader or mover came to.
pub enum Made {
    State(UpgradedState),
    /// No state at all.
    Nothing,
    /// A mover leaves this to another one.
    Skipped,
}

/// Does the operations on what is stored.
pub fn apply(
    ops: &[Json],
    mut members: BTreeMap<String, Value>,
    source_state: bool,
    current: &Schema,
    context: &mut UpgradeContext<'_>,
) -> Result<Made, Diagnostics> {
    let current = current.implied_type();
    let ty = |name: &str| match &current {
        Type::Object(fields) => fields
            .iter()
            .find(|field| field.name() == name)
            .map(|field| field.ty().clone()),
        _ => None,
    };
    let mut low_level = None;
    for op in ops {
        let text = |key: &str| op[key].as_str().unwrap_or_default().to_owned();
        match op["op"].as_str().unwrap_or_default() {
            "set" => {
                let ty = ty(&text("attr"));
                members.insert(
                    text("attr"),
                    ty.map_or_else(|| untyped(&op["value"]), |ty| set(&op["value"], &ty)),
                );
            }
            "set_unknown" => drop(members.insert(text("attr"), Value::Unknown)),
            "convert" => convert(&mut members, &text("attr"), &text("to"))?,
            "diagnostic" => {
                let one = diagnostic(op);
                if one.severity() == Severity::Error {
                    return Err(one.into());
                }
                context.warn(one);
            }
            "fail" => return Err(Diagnostic::error(text("message"), "").into()),
            "return_nothing" => return Ok(Made::Nothing),
            "return_null" => return Ok(Made::State(Value::Null.into())),
            "dynamic_value" => {
                low_level = Some(UpgradedState::Json(text("json_text").into_bytes()))
            }
            "skip" => return Ok(Made::Skipped),
            "expect_source_state" if op["present"] == Json::Bool(source_state) => {}
            "return_identity" => {
                let schema = schema(&op["identity_schema"]);
                context.set_identity(value(&op["identity"], &schema.implied_type()));
            }
            _ => edit(op, &mut members)?,
        }
    }
    Ok(Made::State(low_level.unwrap_or(Value::Map(members).into())))
}

/// The operations that only look at names.
fn edit(op: &Json, members: &mut BTreeMap<String, Value>) -> Result<(), Diagnostics> {
    let text = |key: &str| op[key].as_str().unwrap_or_default();
    let names = |key: &str| {
        op[key]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
    };
    match text("op") {
        "rename" => {
            if let Some(value) = members.remove(text("from")) {
                members.insert(text("to").to_owned(), value);
            }
        }
        "remove" => drop(members.remove(text("attr"))),
        "keep_only" => members.retain(|name, _| names("attrs").any(|kept| kept == name)),
        "split" => {
            let whole = members.remove(text("attr")).unwrap_or_default();
            let whole = whole.as_str().ok_or("split needs a text")?;
            for (name, part) in names("into").zip(whole.split(text("sep"))) {
                members.insert(name.to_owned(), part.into());
            }
        }
        other => return Err(format!("operation {other} failed").into()),
    }
    Ok(())
}

/// A value of a case for an attribute of this type; one of another type as it is.
fn set(json: &Json, ty: &Type) -> Value {
    match (json, ty) {
        (Json::String(text), Type::Number | Type::Bool) => text.as_str().into(),
        (Json::Number(number), Type::String) => {
            Value::Number(number.to_string().parse().expect("a JSON number"))
        }
        (json, ty) => value(json, ty),
    }
}

fn untyped(json: &Json) -> Value {
    Value::from_untyped_json(json.to_string().as_bytes()).expect("JSON")
}

fn convert(members: &mut BTreeMap<String, Value>, name: &str, to: &str) -> Result<(), Diagnostics> {
    let Some(value) = members.get_mut(name) else {
        return Ok(());
    };
    let text = match value {
        Value::Null => return Ok(()),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return Err(format!("{name} cannot be converted").into()),
    };
    *value = match to {
        "string" => text.into(),
        "number" => Value::Number(text.parse::<Number>().map_err(|error| error.to_string())?),
        _ => Value::Bool(text.parse::<bool>().map_err(|error| error.to_string())?),
    };
    Ok(())
}

/// What an upgrader answers with: nothing is an answer without state and without error.
pub fn upgraded(made: Made) -> Result<UpgradedState, Diagnostics> {
    match made {
        Made::State(state) => Ok(state),
        Made::Nothing | Made::Skipped => Err(Diagnostics::new()),
    }
}

/// The members of what an upgrader is called with.
pub fn members(prior: Value) -> Result<BTreeMap<String, Value>, Diagnostics> {
    match prior {
        Value::Map(members) => Ok(members),
        Value::Null => Ok(BTreeMap::new()),
        _ => Err("the prior state is no object".into()),
    }
}
