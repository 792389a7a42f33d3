//! For annotations of a workflow, the worst first: only about ten of a level are shown.

use std::io::{Result, Write};

use upstate::compat::Finding;

use super::{Compared, file, line, severity, verdict};

pub(super) fn print(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let mut findings: Vec<&Finding> = compared.report.findings.iter().collect();
    let rank = |finding: &Finding| match severity(compared, finding) {
        "error" => 0,
        "warning" => 1,
        _ => 2,
    };
    findings.sort_by_key(|finding| rank(finding));
    for finding in findings {
        let level = match severity(compared, finding) {
            "note" => "notice",
            level => level,
        };
        writeln!(
            out,
            "::{level} title={},file={},line={}::{}",
            property(finding.rule.id()),
            property(&file(compared)),
            line(compared, finding),
            text(&format!("{}. {}", finding.message, finding.remediation)),
        )?;
    }
    writeln!(out, "{}", verdict(compared))
}

fn text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(property: &str) -> String {
    text(property).replace(':', "%3A").replace(',', "%2C")
}
