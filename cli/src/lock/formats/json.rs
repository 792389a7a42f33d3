//! For programs.

use std::io::{Result, Write};

use serde::Serialize;
use upstate::compat::{Finding, Report};

use super::{Compared, file, line};

#[derive(Serialize)]
struct Document<'a> {
    format: u32,
    tool: &'static str,
    lock: String,
    #[serde(flatten)]
    report: &'a Report,
    /// In place of the report's own: with their lines.
    findings: Vec<Located<'a>>,
}

#[derive(Serialize)]
struct Located<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    baseline_location: Location,
}

#[derive(Serialize)]
struct Location {
    file: String,
    line: usize,
}

pub(super) fn print(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let located =
        |finding| Located { finding, baseline_location: Location { file: file(compared), line: line(compared, finding) } };
    let document = Document {
        format: 1,
        tool: concat!("upstate ", env!("CARGO_PKG_VERSION")),
        lock: file(compared),
        report: &compared.report,
        findings: compared.report.findings.iter().map(located).collect(),
    };
    // Through a value, where of two members of one name the later counts.
    let value = serde_json::to_value(&document)?;
    serde_json::to_writer_pretty(&mut *out, &value)?;
    writeln!(out)
}
