//! The deviations that `docs/src/deviations.md` lists by case, and what the page says upstate does
//! there.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use upstate::codec::{Encoding, UnknownAttributes};
use upstate::{Severity, UpgradeResponse, Value};

use super::areas::{case_type, document};
use super::{moves, root, sdk, upgrades};

/// The first table of the page: outcomes by case.
pub fn listed() -> BTreeMap<String, String> {
    let path = root().join("docs/src/deviations.md");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let table = text.split("\n## ").next().unwrap_or_default();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let read = |row: &str| {
        let mut cells = row.split('|').map(str::trim);
        let case = cells.next()?.trim_end_matches('`').to_owned();
        Some((case, cells.next()?.to_owned()))
    };
    rows.filter_map(read).collect()
}

/// What upstate does in a case, as the page says it: the state between backticks, or the error with
/// its heading and place.
pub fn outcome(case: &Json) -> Result<String, String> {
    let (response, current) = match case["area"].as_str() {
        Some("json_decode") => return decoded(case),
        Some("upgrade_framework") => upgrades::framework(case)?,
        Some("upgrade_sdk_chain") => sdk::answered(case)?,
        Some("move_state") => moves::answered(case)?,
        Some("identity") => upgrades::identity(case)?,
        area => return Err(format!("the outcome of a case of {area:?} cannot be told")),
    };
    let Some(bytes) = response.state() else {
        return Ok(refused(&response));
    };
    if response.diagnostics().has_errors() {
        return Err(format!("a state beside errors: {}", response.diagnostics()));
    }
    let ty = current.implied_type();
    let state = Value::from_msgpack(bytes, &ty).map_err(|error| error.to_string())?;
    written(
        &state
            .encode(&ty, Encoding::Json)
            .map_err(|error| error.to_string())?,
    )
}

fn decoded(case: &Json) -> Result<String, String> {
    let ty = case_type(case);
    match Value::from_json(document(case).as_bytes(), &ty, UnknownAttributes::Deny) {
        Ok(value) => written(
            &value
                .encode(&ty, Encoding::Json)
                .map_err(|error| error.to_string())?,
        ),
        Err(error) => Ok(format!("error: {error}")),
    }
}

fn written(json: &[u8]) -> Result<String, String> {
    String::from_utf8(json.to_vec())
        .map(|text| format!("`{text}`"))
        .map_err(|error| error.to_string())
}

fn refused(response: &UpgradeResponse) -> String {
    let errors = response
        .diagnostics()
        .iter()
        .filter(|one| one.severity() == Severity::Error);
    let errors = errors.map(|error| match error.path() {
        Some(path) => format!("error *{}* at `{path}`", error.summary()),
        None => format!("error *{}*", error.summary()),
    });
    errors.collect::<Vec<_>>().join(", ")
}
