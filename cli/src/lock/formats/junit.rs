//! Test reports in the form of `JUnit`: a suite for each resource, a case for each rule, passed
//! ones too.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{Result, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use upstate_compat::{Finding, RULES};

use super::super::files::{Compared, Spot};
use super::severity;

type Found<'c> = (&'c Finding, &'c Spot);

struct Suite<'c> {
    name: &'c str,
    cases: Vec<Case<'c>>,
}

struct Case<'c> {
    name: Cow<'c, str>,
    outcome: Outcome<'c>,
}

enum Outcome<'c> {
    Passed,
    Skipped,
    Allowed(Found<'c>),
    Failed(Found<'c>),
}

pub(super) fn print(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let mut suites: BTreeMap<&str, Vec<Found<'_>>> = BTreeMap::from([("", Vec::new())]);
    for resource in compared.report.resources.keys() {
        suites.insert(resource, Vec::new());
    }
    for found in compared.findings() {
        suites
            .entry(found.0.resource.as_str())
            .or_default()
            .push(found);
    }
    let suites: Vec<Suite<'_>> = suites
        .into_iter()
        .map(|(name, found)| suite(compared, name, &found))
        .collect();

    let mut xml = Writer::new_with_indent(&mut *out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let cases = || suites.iter().flat_map(|suite| &suite.cases);
    xml.create_element("testsuites")
        .with_attribute(("name", "upstate check"))
        .with_attributes(counts(cases()))
        .write_inner_content(|xml| {
            for suite in &suites {
                let element = xml
                    .create_element("testsuite")
                    .with_attribute(("name", legal(suite.name).as_ref()));
                element
                    .with_attributes(counts(suite.cases.iter()))
                    .write_inner_content(|xml| {
                        suite
                            .cases
                            .iter()
                            .try_for_each(|case| write_case(xml, compared, suite.name, case))
                    })?;
            }
            Ok(())
        })?;
    out.write_all(b"\n")
}

fn suite<'c>(compared: &Compared, name: &'c str, found: &[Found<'c>]) -> Suite<'c> {
    let mut cases = Vec::new();
    for rule in RULES {
        let before = cases.len();
        cases.extend(
            found
                .iter()
                .filter(|(finding, _)| finding.rule == *rule)
                .map(|&found| {
                    let name = format!("{} {}", rule.id(), found.0.path)
                        .trim_end()
                        .to_owned()
                        .into();
                    let failed = severity(compared, found.0) == "error";
                    Case {
                        name,
                        outcome: if failed {
                            Outcome::Failed(found)
                        } else {
                            Outcome::Allowed(found)
                        },
                    }
                }),
        );
        if cases.len() == before {
            let outcome = if compared.options.includes(rule) {
                Outcome::Passed
            } else {
                Outcome::Skipped
            };
            cases.push(Case {
                name: rule.id().into(),
                outcome,
            });
        }
    }
    Suite {
        name: if name.is_empty() { "release" } else { name },
        cases,
    }
}

fn counts<'c>(cases: impl Iterator<Item = &'c Case<'c>>) -> [(&'static str, Cow<'static, str>); 4] {
    let (mut tests, mut failures, mut skipped) = (0_usize, 0_usize, 0_usize);
    for case in cases {
        tests += 1;
        match case.outcome {
            Outcome::Failed(_) => failures += 1,
            Outcome::Skipped => skipped += 1,
            Outcome::Passed | Outcome::Allowed(_) => {}
        }
    }
    [
        ("tests", tests),
        ("skipped", skipped),
        ("errors", 0),
        ("failures", failures),
    ]
    .map(|(name, count)| (name, count.to_string().into()))
}

fn write_case<W: Write>(
    xml: &mut Writer<W>,
    compared: &Compared,
    suite: &str,
    case: &Case<'_>,
) -> Result<()> {
    let element = xml
        .create_element("testcase")
        .with_attribute(("name", legal(&case.name).as_ref()));
    let element = element.with_attribute(("classname", legal(suite).as_ref()));
    let (Outcome::Allowed((finding, spot)) | Outcome::Failed((finding, spot))) = case.outcome
    else {
        return match case.outcome {
            Outcome::Skipped => element
                .write_inner_content(|xml| xml.create_element("skipped").write_empty().map(drop))
                .map(drop),
            Outcome::Passed | Outcome::Allowed(_) | Outcome::Failed(_) => {
                element.write_empty().map(drop)
            }
        };
    };
    let place = compared.place(spot);
    let text = format!("{}. {}", finding.message, finding.remediation);
    let element = element.with_attribute(("file", legal(&place.file).as_ref()));
    let element = element.with_attribute(("line", place.line.to_string().as_str()));
    let written = element.write_inner_content(|xml| {
        if matches!(case.outcome, Outcome::Failed(_)) {
            let failure = xml
                .create_element("failure")
                .with_attribute(("message", legal(&finding.message).as_ref()));
            let text = format!("{text}\n{}:{}:{}", place.file, place.line, place.col);
            failure
                .with_attribute(("type", finding.rule.id()))
                .write_text_content(BytesText::new(&legal(&text)))?;
        } else {
            xml.create_element("system-out")
                .write_text_content(BytesText::new(&legal(&text)))?;
        }
        Ok(())
    });
    written.map(drop)
}

/// The text without the characters that XML 1.0 cannot hold, not even escaped.
fn legal(text: &str) -> Cow<'_, str> {
    let illegal = |c: char| matches!(c, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
    if text.contains(illegal) {
        text.replace(illegal, "").into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::legal;

    #[test]
    fn characters_that_xml_cannot_hold_are_left_out() {
        assert_eq!(
            legal("a\u{1b}[1m\tb\r\n\u{ffff}\u{fffd}\0"),
            "a[1m\tb\r\n\u{fffd}"
        );
    }
}
