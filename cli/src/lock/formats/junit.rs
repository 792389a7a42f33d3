//! For test reports: a suite for each resource, a case for each rule, passed ones too.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use upstate_compat::{Finding, RULES};

use super::super::files::{Compared, Spot};
use super::severity;

type Found<'c> = (&'c Finding, &'c Spot);

pub(super) fn print(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let mut suites: BTreeMap<&str, Vec<Found<'_>>> = BTreeMap::from([("", Vec::new())]);
    for resource in compared.report.resources.keys() {
        suites.insert(resource, Vec::new());
    }
    for found in compared.findings() {
        suites.entry(found.0.resource.as_str()).or_default().push(found);
    }
    let suites: Vec<Suite<'_>> = suites.into_iter().map(|(name, found)| Suite::new(compared, name, &found)).collect();
    let sum = |of: fn(&Suite<'_>) -> usize| suites.iter().map(of).sum::<usize>();
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"upstate check\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">",
        sum(|suite| suite.cases.len()),
        sum(|suite| suite.failures),
        sum(|suite| suite.skipped),
    )?;
    for suite in &suites {
        suite.print(out)?;
    }
    writeln!(out, "</testsuites>")
}

struct Suite<'c> {
    name: &'c str,
    cases: Vec<String>,
    failures: usize,
    skipped: usize,
}

impl<'c> Suite<'c> {
    fn new(compared: &Compared, name: &'c str, found: &[Found<'c>]) -> Self {
        let name = if name.is_empty() { "release" } else { name };
        let mut suite = Self { name, cases: Vec::new(), failures: 0, skipped: 0 };
        let class = escape(name);
        for rule in RULES {
            let before = suite.cases.len();
            for (finding, spot) in found.iter().filter(|(finding, _)| finding.rule == *rule) {
                let place = compared.place(spot);
                let case = escape(format!("{} {}", rule.id(), finding.path).trim());
                let text = escape(&format!("{}. {}", finding.message, finding.remediation));
                let file = escape(&place.file);
                let outcome = if severity(compared, finding) == "error" {
                    suite.failures += 1;
                    let message = escape(&finding.message);
                    format!(
                        "<failure type=\"{}\" message=\"{message}\">{text}\n{file}:{}:{}</failure>",
                        rule.id(),
                        place.line,
                        place.col
                    )
                } else {
                    format!("<system-out>{text}</system-out>")
                };
                let at = format!("file=\"{file}\" line=\"{}\"", place.line);
                suite.cases.push(format!("<testcase classname=\"{class}\" name=\"{case}\" {at}>{outcome}</testcase>"));
            }
            if suite.cases.len() > before {
                continue;
            }
            if compared.options.asks_for(rule) {
                suite.cases.push(format!("<testcase classname=\"{class}\" name=\"{}\"/>", rule.id()));
            } else {
                suite.skipped += 1;
                suite.cases.push(format!("<testcase classname=\"{class}\" name=\"{}\"><skipped/></testcase>", rule.id()));
            }
        }
        suite
    }

    fn print(&self, out: &mut dyn Write) -> Result<()> {
        let Self { name, cases, failures, skipped } = self;
        let (name, tests) = (escape(name), cases.len());
        writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">"
        )?;
        for case in cases {
            writeln!(out, "    {case}")?;
        }
        writeln!(out, "  </testsuite>")
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            // XML has no way to write these.
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_xml_does_not_have_is_replaced() {
        assert_eq!(super::escape("a<b> & \"c\"\u{1}\n"), "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd}&#10;");
    }
}
