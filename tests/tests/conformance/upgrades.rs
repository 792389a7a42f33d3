//! Upgrades of the framework kind: each entry goes straight to the current schema.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use upstate::{
    Diagnostic, Diagnostics, DynamicUpgrader, Encoding, Number, Registry, ResourceDefinition, Schema, Type, Undefined,
    UpgradeContext, UpgradeRequest, UpgradeResponse, Value,
};

use super::Outcome;
use super::areas::{check, diagnostic, document, flat, hex};
use super::canonical::{path, same, schema, value};

pub fn run(case: &Json) -> Outcome {
    // Not built yet: state that is absent or empty, and configuration of the resource before an upgrade.
    if case["raw_state"].is_null()
        || case["raw_state"].as_object().is_some_and(serde_json::Map::is_empty)
        || !case["configure"].is_null()
    {
        return Outcome::NotRun;
    }
    match answer(case).and_then(|response| compare(case, &response)) {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why),
    }
}

fn answer(case: &Json) -> Result<UpgradeResponse, String> {
    const TYPE_NAME: &str = "case_thing";
    let current = schema(&case["schema"]);
    let mut builder = ResourceDefinition::builder(TYPE_NAME, current.clone());
    for entry in case["upgrader"].as_array().into_iter().flatten() {
        let from = entry["from"].as_u64().ok_or("an entry has no version")?;
        let ops = entry["ops"].as_array().cloned().unwrap_or_default();
        let target = current.clone();
        let mut upgrader = DynamicUpgrader::new(from, move |prior, context| apply(&ops, prior, &target, context));
        let prior = &case["prior_schemas"][from.to_string()];
        if prior.is_object() {
            upgrader = upgrader.prior_schema(&schema(prior));
        }
        builder = builder.upgrader(upgrader);
    }
    let mut registry = Registry::new();
    registry.insert(builder.build().map_err(|error| error.to_string())?);
    let type_name = case["type_name"].as_str().unwrap_or(TYPE_NAME);
    let stored = case["stored_version"].as_u64().ok_or("no stored version")?;
    let (flat, json) = (flat(&case["raw_state"]["flatmap"]), document(case));
    let request = match &flat {
        Some(map) => UpgradeRequest::flatmap(type_name, stored, map),
        None => UpgradeRequest::json(type_name, stored, json.as_bytes()),
    };
    Ok(registry.upgrade(&request.answer_in(Encoding::Msgpack)))
}

fn compare(case: &Json, response: &UpgradeResponse) -> Result<(), String> {
    let expected = &case["expected"];
    let diagnostics = response.diagnostics();
    if let Some(wanted) = expected["diagnostics"].as_array() {
        let got: Vec<String> = diagnostics.iter().map(|one| one.summary().to_owned()).collect();
        let wanted: Vec<String> = wanted.iter().map(|one| one["summary"].as_str().unwrap_or_default().to_owned()).collect();
        // What built-in errors are called is ours to choose; what upgraders say is not.
        check(got == wanted || expected["error"]["code"] != "from_upgrader" && !wanted.is_empty(), got, wanted)?;
    }
    match (response.state(), expected["error"].as_object()) {
        (Some(bytes), None) => {
            let ty = schema(&case["schema"]).implied_type();
            let got = Value::from_msgpack(bytes, &ty).map_err(|error| error.to_string())?;
            let wanted = value(&expected["upgraded"], &ty);
            check(same(&got, &wanted, &ty, false), &got, &wanted)?;
            match expected["msgpack_hex"].as_str() {
                // Elements of sets may come in another order.
                Some(wanted) if !ty.to_string().contains("\"set\"") => check(hex(bytes) == wanted, hex(bytes), wanted),
                _ => Ok(()),
            }
        }
        (None, Some(wanted)) => {
            let error = diagnostics.iter().find(|one| one.severity() == upstate::Severity::Error).ok_or("no error")?;
            if wanted.get("code").and_then(Json::as_str) == Some("from_upgrader") {
                let summary = wanted["summary_contains"].as_str().unwrap_or_default();
                check(error.summary().contains(summary), error.summary(), summary)?;
            }
            match wanted.get("path").filter(|steps| !steps.is_null()) {
                Some(steps) => check(error.path() == Some(&path(steps)), error.path(), path(steps)),
                None => Ok(()),
            }
        }
        (None, None) => Err(format!("refused: {diagnostics}")),
        (Some(_), Some(wanted)) => Err(format!("a state came instead of {wanted:?}")),
    }
}

/// The operations of the case files, on the prior value.
fn apply(ops: &[Json], prior: Value, current: &Schema, context: &mut UpgradeContext<'_>) -> Result<Value, Diagnostics> {
    let Value::Map(mut members) = prior else { return Err("the prior state is no object".into()) };
    let current = current.implied_type();
    let ty = |name: &str| match &current {
        Type::Object(fields) => fields.iter().find(|field| field.name() == name).map(|field| field.ty().clone()),
        _ => None,
    };
    let mut result = None;
    for op in ops {
        let text = |key: &str| op[key].as_str().unwrap_or_default().to_owned();
        match op["op"].as_str().unwrap_or_default() {
            "rename" => {
                if let Some(value) = members.remove(&text("from")) {
                    members.insert(text("to"), value);
                }
            }
            "remove" => drop(members.remove(&text("attr"))),
            "set" => {
                let ty = ty(&text("attr")).ok_or("set names no attribute")?;
                members.insert(text("attr"), value(&op["value"], &ty));
            }
            "set_unknown" => drop(members.insert(text("attr"), Value::Unknown)),
            "keep_only" => {
                let kept: Vec<&str> = op["attrs"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
                members.retain(|name, _| kept.contains(&name.as_str()));
            }
            "convert" => convert(&mut members, &text("attr"), &text("to"))?,
            "split" => {
                let whole = members.remove(&text("attr")).unwrap_or_default();
                let whole = whole.as_str().ok_or("split needs a text")?;
                let names = op["into"].as_array().into_iter().flatten().filter_map(Json::as_str);
                for (name, part) in names.zip(whole.split(&text("sep"))) {
                    members.insert(name.to_owned(), part.into());
                }
            }
            "diagnostic" => {
                let one = diagnostic(op);
                if one.severity() == upstate::Severity::Error {
                    return Err(one.into());
                }
                context.warn(one);
            }
            "return_nothing" => return Err(Diagnostics::new()),
            "return_null" => return Ok(Value::Null),
            "dynamic_value" => {
                let read = Value::from_json(text("json_text").as_bytes(), &current, Undefined::Refuse);
                result = Some(read.map_err(|error| Diagnostic::error("Unable to Upgrade Resource State", error.to_string()))?);
            }
            other => return Err(format!("no operation {other}").into()),
        }
    }
    Ok(result.unwrap_or(Value::Map(members)))
}

fn convert(members: &mut BTreeMap<String, Value>, name: &str, to: &str) -> Result<(), Diagnostics> {
    let Some(value) = members.get_mut(name) else { return Ok(()) };
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
