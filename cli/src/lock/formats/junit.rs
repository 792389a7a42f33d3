//! For test reports: a suite for each resource, a case for each rule, passed ones too.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
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
    let mut report = Report::new("upstate check");
    report.add_test_suites(suites.into_iter().map(|(name, found)| suite(compared, name, &found)));
    report.serialize(out).map_err(std::io::Error::other)
}

fn suite(compared: &Compared, name: &str, found: &[Found<'_>]) -> TestSuite {
    let name = if name.is_empty() { "release" } else { name };
    let mut suite = TestSuite::new(name);
    for rule in RULES {
        let mut of_rule = found.iter().filter(|(finding, _)| finding.rule == *rule).peekable();
        if of_rule.peek().is_none() {
            let status = if compared.options.asks_for(rule) { TestCaseStatus::success() } else { TestCaseStatus::skipped() };
            suite.add_test_case(case(name, rule.id(), status));
            continue;
        }
        suite.add_test_cases(of_rule.map(|(finding, spot)| of_finding(compared, name, finding, spot)));
    }
    suite
}

fn case(suite: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(suite);
    case
}

fn of_finding(compared: &Compared, suite: &str, finding: &Finding, spot: &Spot) -> TestCase {
    let place = compared.place(spot);
    let text = format!("{}. {}", finding.message, finding.remediation);
    let is_error = severity(compared, finding) == "error";
    let status = if is_error {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type(finding.rule.id()).set_message(finding.message.as_str());
        status.set_description(format!("{text}\n{}:{}:{}", place.file, place.line, place.col));
        status
    } else {
        TestCaseStatus::success()
    };
    let mut case = case(suite, format!("{} {}", finding.rule.id(), finding.path).trim(), status);
    if !is_error {
        case.set_system_out(text);
    }
    case.extra.insert("file".into(), place.file.as_str().into());
    case.extra.insert("line".into(), place.line.to_string().into());
    case
}
