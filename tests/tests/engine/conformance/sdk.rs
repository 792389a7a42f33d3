//! Upgrades of the SDK kind: chains of single steps, and flat state older than the chain.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use upstate::upgrade::DefinitionBuilder;
use upstate::{Diagnostic, Diagnostics, ResourceDefinition, UpgradeContext, Value};

use super::canonical::schema;
use super::ops::{Made, apply};
use super::upgrades::{Answered, TYPE_NAME, asked, judged, outcome, with_upgraders};
use super::{Outcome, codes};

pub fn run(case: &Json) -> Outcome {
    if case["check"] == "definition" {
        return outcome(checked(case, builder(case).build().err()));
    }
    judged(case, answered(case))
}

pub fn answered(case: &Json) -> Answered {
    let definition = builder(case).build().map_err(|error| error.to_string())?;
    let current = definition.schema().clone();
    Ok((
        asked(case, definition, |registry, request| {
            registry.upgrade(request)
        })?,
        current,
    ))
}

fn builder(case: &Json) -> DefinitionBuilder {
    let current = schema(&case["schema"]);
    let builder = ResourceDefinition::builder(TYPE_NAME, current.clone()).sdk();
    let builder = with_upgraders(builder, case, "prior_schemas", &current);
    let Some(ops) = case["migrate_state"]["ops"].as_array().cloned() else {
        return builder;
    };
    builder.migrate_state(
        move |_, flat: BTreeMap<String, String>, context: &mut UpgradeContext<'_>| {
            let members = flat
                .into_iter()
                .map(|(key, text)| (key, Value::from(text)))
                .collect();
            let Made::State(upstate::upgrade::UpgradedState::Value(Value::Map(members))) =
                apply(&ops, members, true, &current, context)?
            else {
                return Err(Diagnostics::from("no flat state"));
            };
            let text =
                |(key, value): (String, Value)| value.as_str().map(|text| (key, text.to_owned()));
            Ok(members.into_iter().filter_map(text).collect())
        },
    )
}

/// Whether the definition was refused as the case expects, and for its reason.
fn checked(case: &Json, refused: Option<Diagnostics>) -> Result<(), String> {
    let wanted = case["expected"]["error"]["code"].as_str();
    let reason = match wanted {
        None => "",
        Some("definition_gap" | "definition_chain_too_short") => "from which no upgrade goes on",
        Some("definition_upgrader_not_older") => "never runs",
        Some("definition_type_not_object") => "must be an object",
        Some("definition_duplicate") => "there are two upgrades",
        Some(code) => return Err(codes::unknown(code)),
    };
    match (refused, wanted) {
        (None, None) => Ok(()),
        (Some(errors), Some(_))
            if errors
                .iter()
                .any(|one: &Diagnostic| one.detail().contains(reason)) =>
        {
            Ok(())
        }
        (refused, wanted) => Err(format!("\n  got      {refused:?}\n  expected {wanted:?}")),
    }
}
