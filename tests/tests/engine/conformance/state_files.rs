//! State files: what is read, what is refused, what is rewritten.

use serde_json::{Value as Json, json};
use upstate_state::{Instance, InstanceKey, StateFile};

use super::areas::{Checked, check};

pub fn run(case: &Json) -> Checked {
    let raw = &case["raw_state"];
    let text = raw["text"]
        .as_str()
        .map_or_else(|| raw["json"].to_string(), str::to_owned);
    let expected = &case["expected"];
    let state = match (
        StateFile::parse(text.as_bytes()),
        expected["error"].as_object(),
    ) {
        (Ok(state), None) => state,
        (Err(error), Some(wanted)) => {
            let message = error.to_string().to_lowercase();
            let keywords = wanted
                .get("keywords")
                .and_then(Json::as_array)
                .into_iter()
                .flatten()
                .filter_map(Json::as_str);
            for keyword in keywords.chain(wanted.get("summary_contains").and_then(Json::as_str)) {
                check(message.contains(&keyword.to_lowercase()), &message, keyword)?;
            }
            if let Some(count) = wanted.get("error_count").and_then(Json::as_u64) {
                check(
                    error.problems().len() as u64 == count,
                    error.problems(),
                    count,
                )?;
            }
            let no_state = wanted.get("code").and_then(Json::as_str) == Some("no_state");
            return check(
                error.is_no_state() == no_state,
                error.is_no_state(),
                no_state,
            );
        }
        (got, wanted) => return Err(format!("\n  got      {got:?}\n  expected {wanted:?}")),
    };
    read(&state, &expected["read"])?;
    let mut rewritten = Vec::new();
    state
        .normalize(&mut rewritten)
        .map_err(|error| error.to_string())?;
    let rewritten = String::from_utf8(rewritten).map_err(|error| error.to_string())?;
    let json: Json =
        serde_json::from_str(&rewritten).map_err(|error| format!("{error}\n{rewritten}"))?;
    // What was written is read again, and written the same.
    let again = StateFile::parse(rewritten.as_bytes()).map_err(|error| error.to_string())?;
    let mut twice = Vec::new();
    again
        .normalize(&mut twice)
        .map_err(|error| error.to_string())?;
    check(
        twice == rewritten.as_bytes(),
        String::from_utf8_lossy(&twice),
        &rewritten,
    )?;
    if let Some(wanted) = expected["rewritten_text"].as_str() {
        check(rewritten == wanted, &rewritten, wanted)?;
    }
    if expected["rewritten_json"].is_object() {
        check(
            json == expected["rewritten_json"],
            &json,
            &expected["rewritten_json"],
        )?;
    }
    if !expected["rewritten_check_results"].is_null() {
        let wanted = &expected["rewritten_check_results"];
        check(
            json["check_results"] == *wanted,
            &json["check_results"],
            wanted,
        )?;
    }
    for wanted in expected["rewritten_contains"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
    {
        check(rewritten.contains(wanted), &rewritten, wanted)?;
    }
    if expected["order"].is_object() {
        order(&json, &expected["order"])?;
    }
    Ok(())
}

/// Every instance listed must be there with at least these members.
fn read(state: &StateFile<'_>, wanted: &Json) -> Checked {
    for wanted in wanted["instances"].as_array().into_iter().flatten() {
        let members = wanted.as_object().ok_or("an instance is an object")?;
        let found = state.instances().iter().any(|instance| {
            let got = describe(instance);
            members
                .iter()
                .all(|(name, value)| got.get(name).is_some_and(|got| got == value))
        });
        check(
            found,
            state.instances().iter().map(describe).collect::<Vec<_>>(),
            wanted,
        )?;
    }
    if let Some(wanted) = wanted["provider"].as_str() {
        // A resource without instances shows it in what is written.
        let mut out = Vec::new();
        state
            .normalize(&mut out)
            .map_err(|error| error.to_string())?;
        let json: Json = serde_json::from_slice(&out).map_err(|error| error.to_string())?;
        check(
            json["resources"][0]["provider"] == wanted,
            &json["resources"][0]["provider"],
            wanted,
        )?;
    }
    Ok(())
}

fn describe(instance: &Instance<'_>) -> Json {
    let key = match instance.address().key() {
        InstanceKey::None => Json::Null,
        InstanceKey::Int(index) => json!(index),
        InstanceKey::Text(key) => json!(key),
        other => panic!("{other:?}"),
    };
    json!({
        "key": key,
        "attributes_json": instance.attributes(),
        "attributes_flat": instance.attributes_flat(),
        "schema_version": instance.schema_version(),
        "sensitive_paths": instance.sensitive_attributes().iter().map(upstate::AttributePath::to_core_text).collect::<Vec<_>>(),
        "private": instance.private().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        "identity_schema_version": instance.identity_schema_version(),
        "identity_json": instance.identity(),
        "dependencies": instance.dependencies(),
        "deposed": instance.address().deposed(),
        "status": if instance.is_tainted() { "tainted" } else { "ready" },
        "tainted": instance.is_tainted(),
    })
}

fn order(written: &Json, wanted: &Json) -> Checked {
    let address = |resource: &Json| {
        let text = |name: &str| resource[name].as_str().unwrap_or_default().to_owned();
        let module = resource["module"]
            .as_str()
            .map_or(String::new(), |module| format!("{module}."));
        let data = if resource["mode"] == "data" {
            "data."
        } else {
            ""
        };
        format!("{module}{data}{}.{}", text("type"), text("name"))
    };
    let resources = written["resources"]
        .as_array()
        .ok_or("there are resources")?;
    let got: Vec<String> = resources.iter().map(address).collect();
    check(json!(got) == wanted["resources"], got, &wanted["resources"])?;
    for (name, wanted) in wanted["instances_of"].as_object().into_iter().flatten() {
        let resource = resources
            .iter()
            .find(|resource| address(resource) == *name)
            .ok_or("the resource is there")?;
        let instances = resource["instances"]
            .as_array()
            .ok_or("there are instances")?;
        let keys = |instance: &Json| {
            json!([
                instance["index_key"],
                instance["deposed"].as_str().unwrap_or("")
            ])
        };
        let got: Vec<Json> = instances.iter().map(keys).collect();
        check(json!(got) == *wanted, got, wanted)?;
    }
    Ok(())
}
