//! Upgrades of the framework kind, where each entry goes straight to the current schema, and of
//! identities.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use upstate::codec::Encoding;
use upstate::schema::Schema;
use upstate::upgrade::{ClosureUpgrader, DefinitionBuilder};
use upstate::{
    RawState, Registry, ResourceDefinition, Severity, UpgradeRequest, UpgradeResponse, Value,
};

use super::areas::{check, diagnostic, document, flat, hex};
use super::canonical::{path, same, schema, value};
use super::ops::{apply, members, upgraded};
use super::{Outcome, codes};

pub const TYPE_NAME: &str = "case_thing";

/// What a request of a case was answered with, and by which schema.
pub type Answered = Result<(UpgradeResponse, Schema), String>;

/// Whether the answer of a case is the one that it expects.
pub fn judged(case: &Json, answered: Answered) -> Outcome {
    outcome(answered.and_then(|(response, current)| compare(case, &response, &current)))
}

pub fn framework(case: &Json) -> Answered {
    let current = schema(&case["schema"]);
    let mut builder = with_upgraders(
        ResourceDefinition::builder(TYPE_NAME, current.clone()).unsupported(0..=u64::MAX),
        case,
        "prior_schemas",
        &current,
    );
    if let Some(told) = case["configure"].as_array().cloned() {
        builder = builder.configure(move |context| {
            for one in told.iter().map(diagnostic) {
                match one.severity() {
                    Severity::Error => return Err(one),
                    Severity::Warning => context.warn(one),
                }
            }
            Ok(())
        });
    }
    let definition = builder.build().map_err(|error| error.to_string())?;
    Ok((
        asked(case, definition, |registry, request| {
            registry.upgrade(request)
        })?,
        current,
    ))
}

pub fn identity(case: &Json) -> Answered {
    let mut builder =
        ResourceDefinition::builder(TYPE_NAME, schema(&case["schema"])).unsupported(0..=u64::MAX);
    let current = schema(&case["identity_schema"]);
    let definition = || {
        if case["identity_schema"].is_object() {
            let identity =
                ResourceDefinition::builder("identity", current.clone()).unsupported(0..=u64::MAX);
            let identity = with_upgraders(identity, case, "prior_identity_schemas", &current);
            builder = builder.identity(identity.build()?);
        }
        builder.build()
    };
    let definition = definition().map_err(|error| error.to_string())?;
    Ok((
        asked(case, definition, |registry, request| {
            registry.upgrade_identity(request)
        })?,
        current,
    ))
}

pub fn outcome(checked: Result<(), String>) -> Outcome {
    match checked {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why),
    }
}

/// The builder with the upgraders of a case.
pub fn with_upgraders(
    mut builder: DefinitionBuilder,
    case: &Json,
    priors: &str,
    current: &Schema,
) -> DefinitionBuilder {
    for entry in case["upgrader"].as_array().into_iter().flatten() {
        let from = entry["from"].as_u64().expect("an entry has a version");
        let ops = entry["ops"].as_array().cloned().unwrap_or_default();
        let target = current.clone();
        let mut upgrader = ClosureUpgrader::new(from, move |prior, context| {
            apply(&ops, members(prior)?, true, &target, context).and_then(upgraded)
        });
        let prior = &case[priors][from.to_string()];
        if prior.is_object() {
            upgrader = upgrader.prior_schema(&schema(prior));
        }
        builder = builder.upgrader(upgrader);
    }
    builder
}

/// What a case has stored: nothing at all, neither of both, a document, or a flat map.
pub struct Stored {
    absent: bool,
    json: Option<String>,
    flat: Option<BTreeMap<String, String>>,
}

impl Stored {
    pub fn of(case: &Json) -> Self {
        let raw = &case["raw_state"];
        let has = |key: &str| raw.as_object().is_some_and(|raw| raw.contains_key(key));
        let json = (has("json") || has("json_text")).then(|| document(case));
        Self {
            absent: raw.is_null(),
            json,
            flat: flat(&raw["flatmap"]),
        }
    }

    pub fn raw(&self) -> Option<RawState<'_>> {
        match (&self.flat, &self.json) {
            _ if self.absent => None,
            (Some(map), _) => Some(RawState::Flatmap(map)),
            (None, Some(json)) => Some(RawState::Json(json.as_bytes())),
            (None, None) => Some(RawState::Empty),
        }
    }
}

/// Asks for the upgrade of a case.
pub fn asked(
    case: &Json,
    definition: ResourceDefinition,
    ask: impl FnOnce(&Registry, &UpgradeRequest<'_>) -> UpgradeResponse,
) -> Result<UpgradeResponse, String> {
    let mut registry = Registry::new();
    registry.insert(definition);
    let type_name = case["type_name"].as_str().unwrap_or(TYPE_NAME);
    let version = case["stored_version"].as_u64().ok_or("no stored version")?;
    let stored = Stored::of(case);
    Ok(ask(
        &registry,
        &UpgradeRequest::new(type_name, version, stored.raw()).with_encoding(Encoding::Msgpack),
    ))
}

/// Whether the answer is the one that the case expects.
pub fn compare(case: &Json, response: &UpgradeResponse, current: &Schema) -> Result<(), String> {
    let expected = &case["expected"];
    let (diagnostics, wanted_error) = (response.diagnostics(), expected["error"].as_object());
    if let Some(wanted) = expected["diagnostics"].as_array() {
        let got: Vec<&str> = diagnostics.iter().map(|one| one.summary()).collect();
        let wanted: Vec<&str> = wanted
            .iter()
            .map(|one| one["summary"].as_str().unwrap_or_default())
            .collect();
        // What built-in errors are called is ours to choose; what the author of an upgrade says is
        // not.
        let authors = expected["error"]["code"]
            .as_str()
            .is_none_or(|code| code.starts_with("from_"));
        check(
            if authors {
                got == wanted
            } else {
                got.len() == wanted.len()
            },
            got,
            wanted,
        )?;
    }
    if let Some(wanted) = wanted_error {
        let error = diagnostics
            .iter()
            .find(|one| one.severity() == Severity::Error)
            .ok_or("no error came")?;
        let code = wanted
            .get("code")
            .and_then(Json::as_str)
            .unwrap_or_default();
        if code.starts_with("from_") {
            let summary = wanted
                .get("summary_contains")
                .and_then(Json::as_str)
                .unwrap_or_default();
            check(
                !summary.is_empty() && error.summary().contains(summary),
                error.summary(),
                summary,
            )?;
        } else {
            let headings = codes::headings(code).ok_or_else(|| codes::unknown(code))?;
            check(
                headings.contains(&error.summary()),
                error.summary(),
                headings,
            )?;
        }
        for fact in codes::facts(wanted.get("detail_contains").unwrap_or(&Json::Null)) {
            check(error.detail().contains(&fact), error.detail(), fact)?;
        }
        if let Some(steps) = wanted.get("path").filter(|steps| !steps.is_null()) {
            check(
                error.path() == Some(&path(steps)),
                error.path(),
                path(steps),
            )?;
        }
    }
    if expected.get("upgraded").is_none() {
        let nothing = wanted_error.is_some() || diagnostics.is_empty();
        return check(
            response.state().is_none() && nothing,
            format!("{response:?}"),
            "no state",
        );
    }
    let Some(bytes) = response.state() else {
        return Err(format!("refused: {diagnostics}"));
    };
    let ty = current.implied_type();
    let got = Value::from_msgpack(bytes, &ty).map_err(|error| error.to_string())?;
    let wanted = value(&expected["upgraded"], &ty);
    check(same(&got, &wanted, &ty, false), &got, &wanted)?;
    match expected["msgpack_hex"].as_str() {
        // Elements of sets may come in another order.
        Some(wanted) if !ty.to_string().contains("\"set\"") => {
            check(hex(bytes) == wanted, hex(bytes), wanted)
        }
        _ => Ok(()),
    }
}
