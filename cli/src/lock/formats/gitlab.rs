//! For GitLab's code quality report. Every item needs a path, so what is gone from the source is
//! placed at its line of the lock.

use std::io::{Result, Write};

use serde_json::{Value, json};
use upstate_compat::Level;

use super::super::files::Compared;

pub(super) fn print(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let items: Vec<Value> = compared
        .findings()
        .map(|(finding, spot)| {
            let place = compared.place(spot);
            let severity = match finding.level {
                _ if finding.is_let_through() => "info",
                Level::Breaking | Level::Error => "critical",
                Level::Potential | Level::Warning => "major",
                Level::Safe | Level::Info => "info",
            };
            json!({
                "description": format!("{}. {}", finding.message, finding.remediation),
                "check_name": finding.rule.id(),
                "fingerprint": finding.fingerprint,
                "severity": severity,
                "location": { "path": place.file, "lines": { "begin": place.line } },
            })
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &items)?;
    writeln!(out)
}
