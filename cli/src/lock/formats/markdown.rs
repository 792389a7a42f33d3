//! For a comment that is updated in place: its first line tells it from others.

use std::io::{Result, Write};

use upstate::compat::{Finding, Level};

use super::{Compared, severity, verdict};

pub(super) fn print(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let report = &compared.report;
    writeln!(out, "<!-- upstate check -->")?;
    writeln!(out, "### {}: {}\n", if report.ok { "ok" } else { "FAIL" }, verdict(compared))?;
    let (safe, rest): (Vec<&Finding>, Vec<&Finding>) =
        report.findings.iter().partition(|finding| matches!(finding.level, Level::Safe | Level::Info));
    table(out, compared, &rest)?;
    if !safe.is_empty() {
        writeln!(out, "<details><summary>{} safe</summary>\n", safe.len())?;
        table(out, compared, &safe)?;
        writeln!(out, "</details>\n")?;
    }
    if let Some(finding) = report.failures(&compared.options).find(|finding| finding.rule.can_be_waived()) {
        writeln!(out, "To let one through: `accept {} --reason … --until …`", finding.fingerprint)?;
    }
    Ok(())
}

fn table(out: &mut dyn Write, compared: &Compared, findings: &[&Finding]) -> Result<()> {
    if findings.is_empty() {
        return Ok(());
    }
    writeln!(out, "| | where | what | release | what to do | |\n|---|---|---|---|---|---|")?;
    for finding in findings {
        let mark = match (severity(compared, finding), &finding.waived) {
            (_, Some(waived)) => format!("waived: {}", waived.reason),
            ("error", None) => "**fails**".to_owned(),
            (_, None) => finding.level.name().to_owned(),
        };
        let change = match (&finding.old, &finding.new) {
            (Some(old), Some(new)) => format!(": `{old}` -> `{new}`"),
            (Some(one), None) | (None, Some(one)) => format!(" (`{one}`)"),
            (None, None) => String::new(),
        };
        let cells = [
            mark,
            format!("`{}`", finding.place()),
            format!("`{}` {}{change}", finding.rule.id(), finding.rule.title()),
            finding.semver.to_string(),
            finding.remediation.to_owned(),
            format!("`{}`", finding.fingerprint),
        ];
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|").replace(['\n', '\r'], " ")).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    writeln!(out)
}
