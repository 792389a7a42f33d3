//! For annotations of a workflow, the worst first: only about ten of a level are shown.

use std::io::{Result, Write};

use super::super::files::Compared;
use super::{Counts, required, severity, verdict};

pub(super) fn print(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let mut findings: Vec<_> = compared.findings().collect();
    findings.sort_by_key(|(finding, _)| match severity(compared, finding) {
        "error" => 0,
        "warning" => 1,
        _ => 2,
    });
    for (finding, spot) in findings {
        let level = match severity(compared, finding) {
            "note" => "notice",
            level => level,
        };
        let place = compared.place(spot);
        writeln!(
            out,
            "::{level} title={},file={},line={},col={}::{}",
            property(finding.rule.id()),
            property(&place.file),
            place.line,
            place.col,
            text(&format!("{}. {}", finding.message, finding.remediation)),
        )?;
    }
    writeln!(out, "{}", verdict(compared))?;
    if let Some(path) = std::env::var_os("GITHUB_OUTPUT") {
        let mut outputs = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)?;
        outputs.write_all(step_outputs(compared).as_bytes())?;
    }
    Ok(())
}

/// The outputs for later steps of the workflow.
fn step_outputs(compared: &Compared) -> String {
    let Counts {
        breaking,
        potential,
        safe,
        errors,
        warnings,
        waived,
        known,
    } = Counts::of(compared);
    format!(
        "ok={}\nrequired-release={}\nbreaking={breaking}\npotential={potential}\nsafe={safe}\nerrors={errors}\nwarnings={warnings}\n\
         waived={waived}\nknown={known}\n",
        compared.report.ok,
        required(compared),
    )
}

fn text(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(property: &str) -> String {
    text(property).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(super::text("50 %: a,b\r\nc"), "50 %25: a,b%0D%0Ac");
        assert_eq!(super::property("C:\\a,b 100%\n"), "C%3A\\a%2Cb 100%25%0A");
    }
}
