//! For code scanning: SARIF 2.1.0.

use std::io::{Result, Write};

use serde_json::json;
use upstate::compat::{Level, RULES};

use super::{Compared, file, line, severity};

pub(super) fn print(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let rules: Vec<_> = RULES
        .iter()
        .map(|rule| {
            let level = match rule.level() {
                Level::Breaking | Level::Error => "error",
                Level::Potential | Level::Warning => "warning",
                Level::Safe | Level::Info => "note",
            };
            json!({
                "id": rule.id(),
                "shortDescription": { "text": rule.title() },
                "fullDescription": { "text": rule.why() },
                "help": { "text": rule.fix() },
                "defaultConfiguration": { "level": level },
            })
        })
        .collect();
    let results: Vec<_> = compared
        .report
        .findings
        .iter()
        .map(|finding| {
            let mut result = json!({
                "ruleId": finding.rule.id(),
                "ruleIndex": RULES.iter().position(|rule| *rule == finding.rule),
                "level": severity(compared, finding),
                "message": { "text": format!("{}. {}", finding.message, finding.remediation) },
                "locations": [{
                    "physicalLocation": {
                        "artifactLocation": { "uri": file(compared) },
                        "region": { "startLine": line(compared, finding) },
                    },
                    "logicalLocations": [{ "fullyQualifiedName": finding.place() }],
                }],
                "partialFingerprints": { "upstate/v1": finding.fingerprint },
                "suppressions": [],
            });
            if let (Some(waived), Some(result)) = (&finding.waived, result.as_object_mut()) {
                let suppression =
                    json!({ "kind": "external", "justification": format!("{}, until {}", waived.reason, waived.until) });
                result.insert("suppressions".to_owned(), json!([suppression]));
            }
            result
        })
        .collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "upstate", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
