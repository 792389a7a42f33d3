//! One function an area, each through the dynamic interface only: no case has Rust of its own.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use upstate::codec::{Encoding, UnknownAttributes};
use upstate::schema::Type;
use upstate::{AttributePath, Diagnostic, Diagnostics, Value};

use super::canonical::{path, same, schema, ty, value};
use super::upgrades::judged;
use super::{Outcome, codes};

pub fn run(case: &Json) -> Outcome {
    let checked = match case["area"].as_str() {
        Some("json_decode") => json_decode(case),
        Some("msgpack") => msgpack(case),
        Some("flatmap") => flatmap(case),
        Some("diagnostics") => diagnostics(case),
        Some("statefile") => super::state_files::run(case),
        Some("upgrade_framework") => return judged(case, super::upgrades::framework(case)),
        Some("upgrade_sdk_chain") => return super::sdk::run(case),
        Some("move_state") => return judged(case, super::moves::answered(case)),
        Some("identity") => return judged(case, super::upgrades::identity(case)),
        _ => return Outcome::NotRun,
    };
    match checked {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why),
    }
}

pub type Checked = Result<(), String>;

pub fn check(holds: bool, got: impl std::fmt::Debug, expected: impl std::fmt::Debug) -> Checked {
    if holds {
        Ok(())
    } else {
        Err(format!("\n  got      {got:?}\n  expected {expected:?}"))
    }
}

pub fn case_type(case: &Json) -> Type {
    if case["type"].is_null() {
        schema(&case["schema"]).implied_type()
    } else {
        ty(&case["type"])
    }
}

/// The document of a case, byte for byte.
pub fn document(case: &Json) -> String {
    match case["raw_state"]["json_text"].as_str() {
        Some(text) => text.to_owned(),
        None => case["raw_state"]["json"].to_string(),
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("hex"))
        .collect()
}

fn json_decode(case: &Json) -> Checked {
    let ty = case_type(case);
    let lenient = case["options"]["ignore_undefined_attributes"] == Json::Bool(true);
    let undefined = if lenient {
        UnknownAttributes::Ignore
    } else {
        UnknownAttributes::Deny
    };
    let got = Value::from_json(document(case).as_bytes(), &ty, undefined);
    let expected = &case["expected"];
    match (got, expected["error"].as_object()) {
        (Ok(got), None) => {
            let wanted = value(&expected["upgraded"], &ty);
            check(
                same(&got, &wanted, &ty, expected["ordered"] == Json::Bool(true)),
                &got,
                &wanted,
            )?;
            if let Some(wanted) = expected["msgpack_hex"].as_str() {
                let bytes = got
                    .encode(&ty, Encoding::Msgpack)
                    .map_err(|error| error.to_string())?;
                check(hex(&bytes) == wanted, hex(&bytes), wanted)?;
            }
            // What was read is written and read again unchanged.
            let json = got
                .encode(&ty, Encoding::Json)
                .map_err(|error| error.to_string())?;
            let again = Value::from_json(&json, &ty, UnknownAttributes::Deny)
                .map_err(|error| error.to_string())?;
            check(again == got, again, got)
        }
        (Err(error), Some(wanted)) => {
            let code = wanted.get("code").and_then(Json::as_str).unwrap_or("");
            let kind = codes::kind(code).ok_or_else(|| codes::unknown(code))?;
            check(
                error.kind() == kind,
                format!("{:?}: {error}", error.kind()),
                kind,
            )?;
            let Some(steps) = wanted.get("path").filter(|steps| !steps.is_null()) else {
                return Ok(());
            };
            let (got, wanted) = (error.path().cloned().unwrap_or_default(), path(steps));
            check(got == wanted, got.to_string(), wanted.to_string())
        }
        (got, wanted) => Err(format!("\n  got      {got:?}\n  expected {wanted:?}")),
    }
}

fn msgpack(case: &Json) -> Checked {
    let ty = case_type(case);
    let direction = case["direction"].as_str().unwrap_or("both");
    let bytes = from_hex(case["msgpack_hex"].as_str().unwrap_or(""));
    let error = case["expected"]["error"].as_object();
    if direction != "decode" {
        let encoded = value(&case["value"], &ty).encode(&ty, Encoding::Msgpack);
        match (encoded, error) {
            (Ok(encoded), None) => check(encoded == bytes, hex(&encoded), hex(&bytes))?,
            (Err(error), Some(wanted)) => {
                return refused(wanted, error.problem(), Some(error.path()));
            }
            (encoded, error) => {
                return Err(format!("\n  got      {encoded:?}\n  expected {error:?}"));
            }
        }
    }
    if direction == "encode" {
        return Ok(());
    }
    match (Value::from_msgpack(&bytes, &ty), error) {
        (Ok(got), None) => {
            let wanted = value(&case["value"], &ty);
            check(same(&got, &wanted, &ty, false), got, wanted)
        }
        (Err(error), Some(wanted)) => refused(wanted, error.problem(), Some(error.path())),
        (got, wanted) => Err(format!("\n  got      {got:?}\n  expected {wanted:?}")),
    }
}

/// Whether a value was refused for the reason that a case expects, and where.
fn refused(wanted: &Map<String, Json>, problem: &str, at: Option<&AttributePath>) -> Checked {
    let code = wanted.get("code").and_then(Json::as_str).unwrap_or("");
    let reason = codes::reason(code).ok_or_else(|| codes::unknown(code))?;
    check(problem.contains(reason), problem, reason)?;
    let Some(steps) = wanted.get("path").filter(|steps| !steps.is_null()) else {
        return Ok(());
    };
    check(at == Some(&path(steps)), at, path(steps))
}

/// A flat map of a case.
pub fn flat(json: &Json) -> Option<BTreeMap<String, String>> {
    let text = |(key, value): (&String, &Json)| {
        (key.clone(), value.as_str().unwrap_or_default().to_owned())
    };
    json.as_object()
        .map(|members| members.iter().map(text).collect())
}

fn flatmap(case: &Json) -> Checked {
    let ty = case_type(case);
    let expected = &case["expected"];
    if case["direction"].as_str() == Some("encode") {
        let got = value(&case["value"], &ty)
            .to_flatmap(&ty)
            .map_err(|error| error.to_string());
        return match (got, expected["error"].as_object()) {
            (Ok(got), None) => check(
                got == flat(&expected["flatmap"]),
                &got,
                &expected["flatmap"],
            ),
            (Err(error), Some(wanted)) => refused(wanted, &error, None),
            (got, wanted) => Err(format!("\n  got      {got:?}\n  expected {wanted:?}")),
        };
    }
    let Some(map) = flat(&case["raw_state"]["flatmap"]) else {
        return check(
            expected["upgraded"].is_null(),
            "no flat map is a null object",
            &expected["upgraded"],
        );
    };
    match (
        Value::from_flatmap(&map, &ty),
        expected["error"].as_object(),
    ) {
        (Ok(got), None) => {
            let wanted = value(&expected["upgraded"], &ty);
            check(same(&got, &wanted, &ty, false), got, wanted)
        }
        (Err(error), Some(wanted)) => {
            // Flat state has no paths: the key in the text is what tells the place. What is said of
            // it is ours.
            let summary = wanted
                .get("summary_contains")
                .and_then(Json::as_str)
                .unwrap_or("");
            let place = summary
                .split_inclusive(" in state")
                .next()
                .unwrap_or_default();
            check(
                !place.is_empty() && error.to_string().contains(place),
                error.to_string(),
                place,
            )?;
            refused(wanted, &error.to_string(), None)
        }
        (got, wanted) => Err(format!("\n  got      {got:?}\n  expected {wanted:?}")),
    }
}

fn diagnostics(case: &Json) -> Checked {
    let expected = &case["expected"];
    if !case["path"].is_null() {
        let at = path(&case["path"]);
        let texts = [
            ("framework_text", at.to_string()),
            ("core_text", at.to_core_text()),
            ("tftypes_text", at.to_protocol_text()),
        ];
        for (key, got) in texts {
            if let Some(wanted) = expected[key].as_str() {
                // In messages the value layer's form is before a colon.
                check(
                    wanted == got || wanted.starts_with(&format!("{got}: ")),
                    got,
                    wanted,
                )?;
            }
        }
        if expected["wire_path"].is_array() {
            let wanted = path(&expected["wire_path"]);
            check(
                at.wire_steps() == wanted.steps(),
                at.wire_steps(),
                wanted.steps(),
            )?;
        }
    }
    if let Some(appended) = case["append"].as_array() {
        let mut all = Diagnostics::new();
        let mut kept = Vec::new();
        for (index, json) in appended.iter().enumerate() {
            let before = all.len();
            all.push(diagnostic(json));
            if all.len() > before {
                kept.push(Json::from(index));
            }
        }
        check(
            expected["kept_indexes"] == Json::from(kept.clone()),
            kept,
            &expected["kept_indexes"],
        )?;
        let errors = all
            .iter()
            .filter(|one| one.severity() == upstate::Severity::Error)
            .count();
        for (key, got) in [
            ("has_error", Json::from(all.has_errors())),
            ("error_count", Json::from(errors)),
            ("warning_count", Json::from(all.len() - errors)),
        ] {
            check(
                expected[key].is_null() || expected[key] == got,
                &got,
                &expected[key],
            )?;
        }
    }
    Ok(())
}

pub fn diagnostic(json: &Json) -> Diagnostic {
    let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
    let built = match json["severity"].as_str() {
        Some("warning") => Diagnostic::warning(text("summary"), text("detail")),
        _ => Diagnostic::error(text("summary"), text("detail")),
    };
    if json["path"].is_null() {
        built
    } else {
        built.at(path(&json["path"]))
    }
}
