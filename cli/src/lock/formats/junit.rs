//! For test reports: a suite for each resource, a case for each rule, passed ones too.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use upstate::compat::{Finding, RULES};

use super::{Compared, severity};

pub(super) fn print(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let mut suites: BTreeMap<&str, Vec<&Finding>> = BTreeMap::from([("", Vec::new())]);
    for resource in compared.report.resources.keys() {
        suites.insert(resource, Vec::new());
    }
    for finding in &compared.report.findings {
        suites.entry(finding.resource.as_str()).or_default().push(finding);
    }
    let fails = |finding: &&&Finding| severity(compared, finding) == "error";
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"upstate check\">")?;
    for (resource, findings) in &suites {
        let name = if resource.is_empty() { "release" } else { resource };
        let failures = findings.iter().filter(fails).count();
        let extra: usize = RULES.iter().map(|rule| findings.iter().filter(|finding| finding.rule == *rule).count().max(1)).sum();
        writeln!(out, "  <testsuite name=\"{}\" tests=\"{extra}\" failures=\"{failures}\">", escape(name))?;
        for rule in RULES {
            let of_rule: Vec<&&Finding> = findings.iter().filter(|finding| finding.rule == *rule).collect();
            if of_rule.is_empty() {
                writeln!(out, "    <testcase classname=\"{}\" name=\"{}\"/>", escape(name), rule.id())?;
            }
            for finding in of_rule {
                let case = format!("{} {}", rule.id(), finding.path);
                write!(out, "    <testcase classname=\"{}\" name=\"{}\">", escape(name), escape(case.trim()))?;
                let text = escape(&format!("{}. {}", finding.message, finding.remediation));
                if fails(&finding) {
                    write!(out, "<failure type=\"{}\" message=\"{}\">{text}</failure>", rule.id(), escape(&finding.message))?;
                } else {
                    write!(out, "<system-out>{text}</system-out>")?;
                }
                writeln!(out, "</testcase>")?;
            }
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML has no way to write these.
            letter if letter.is_control() && !matches!(letter, '\n' | '\t') => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}
