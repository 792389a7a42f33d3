//! For code scanning: SARIF 2.1.0.

use std::io::{Result, Write};

use serde_json::{Value, json};
use upstate_compat::{Finding, Level, RULES};

use super::super::files::{Compared, Spot};
use super::severity;

pub(super) fn print(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let results: Vec<Value> = compared
        .findings()
        .map(|(finding, spot)| result(compared, finding, spot))
        .collect();
    write(out, compared, &results)
}

/// Writes results about the rules of upstate.
pub(in crate::lock) fn write(
    out: &mut dyn Write,
    compared: &Compared,
    results: &[Value],
) -> Result<()> {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| {
            let level = match rule.level() {
                Level::Breaking | Level::Error => "error",
                Level::Potential | Level::Warning => "warning",
                Level::Safe | Level::Info => "note",
            };
            let axes: Vec<&str> = rule.axes().iter().map(|axis| axis.name()).collect();
            json!({
                "id": rule.id(),
                "shortDescription": { "text": rule.title() },
                "fullDescription": { "text": rule.why() },
                "help": { "text": rule.fix() },
                "defaultConfiguration": { "level": level, "enabled": compared.options.includes(rule) },
                "properties": { "tags": axes },
            })
        })
        .collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "upstate", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn result(compared: &Compared, finding: &Finding, spot: &Spot) -> Value {
    let place = compared.place(spot);
    let mut result = json!({
        "ruleId": finding.rule.id(),
        "ruleIndex": rule_index(finding),
        "level": severity(compared, finding),
        "message": { "text": format!("{}. {}", finding.message, finding.remediation) },
        "locations": [{
            "physicalLocation": physical(&place.file, place.line, Some(place.col)),
            "logicalLocations": [{ "fullyQualifiedName": finding.place() }],
        }],
        "partialFingerprints": { "upstate/v1": finding.fingerprint },
        "baselineState": if finding.is_let_through() { "unchanged" } else { "new" },
        "suppressions": suppressions(finding),
        "properties": { "severity": finding.level.name(), "semver": finding.semver.name() },
    });
    // The program as a whole has no name of its own.
    if finding.resource.is_empty()
        && let Some(location) = result
            .pointer_mut("/locations/0")
            .and_then(Value::as_object_mut)
    {
        location.remove("logicalLocations");
    }
    if let (Some(line), Some(_), Some(members)) = (spot.lock, &spot.source, result.as_object_mut())
    {
        let related = json!([{
            "id": 1,
            "physicalLocation": physical(&compared.baseline.file, line, None),
            "message": { "text": "as it was released" },
        }]);
        members.insert("relatedLocations".to_owned(), related);
    }
    result
}

/// The place of a finding's rule in the list of rules.
pub(in crate::lock) fn rule_index(finding: &Finding) -> Option<usize> {
    RULES.iter().position(|rule| *rule == finding.rule)
}

pub(in crate::lock) fn physical(file: &str, line: usize, col: Option<usize>) -> Value {
    let mut region = json!({ "startLine": line });
    if let (Some(col), Some(members)) = (col, region.as_object_mut()) {
        members.insert("startColumn".to_owned(), col.into());
    }
    let mut artifact = json!({ "uri": uri(file) });
    if let (false, Some(members)) = (file.starts_with('/'), artifact.as_object_mut()) {
        members.insert("uriBaseId".to_owned(), "%SRCROOT%".into());
    }
    json!({ "artifactLocation": artifact, "region": region })
}

/// A path as a relative reference, or as a URI of a file if it is absolute.
fn uri(path: &str) -> String {
    use std::fmt::Write as _;
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}

fn suppressions(finding: &Finding) -> Value {
    if let Some(waived) = &finding.waived {
        return json!([{ "kind": "external", "justification": format!("{}, until {}", waived.reason, waived.until) }]);
    }
    if finding.known {
        return json!([{ "kind": "external", "justification": "was there when the rules were adopted" }]);
    }
    json!([])
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_are_uris() {
        assert_eq!(super::uri("a b/ü.rs"), "a%20b/%C3%BC.rs");
        assert_eq!(super::uri("/tmp/upstate.lock"), "file:///tmp/upstate.lock");
    }
}
