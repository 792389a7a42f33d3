//! For people.

use std::collections::BTreeSet;
use std::io::{Result, Write};

use anstyle::Style;
use upstate_compat::{Axis, Finding, Level, RULES, Rule, Semver};

use super::super::Check;
use super::super::files::{Compared, Spot};
use super::{Counts, Needs, Upgrader, baseline, number, policies, required, severity};
use crate::program::program_name;
use crate::terminal::{BOLD, DIM, GREEN, RED, YELLOW, plural};

/// The greatest width of a line of names.
const WIDTH: usize = 100;

pub(super) fn print(
    out: &mut dyn Write,
    compared: &Compared,
    args: &Check,
    everything: bool,
) -> Result<()> {
    let report = &compared.report;
    let everything = everything || args.verbose;
    let names = report
        .findings
        .iter()
        .map(|finding| finding.resource.as_str());
    let changed: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
    let bump = report
        .actual_bump
        .map_or(String::new(), |bump| format!(" ({bump})"));
    writeln!(
        out,
        "{BOLD}Checking{BOLD:#}  {} {} -> {}{bump} against {} ({}) {DIM}·{DIM:#} {}, {} changed\n",
        program_name(),
        number(report.baseline.as_ref()),
        number(report.current.as_ref()),
        baseline(compared),
        number(report.baseline.as_ref()),
        plural(compared.resources, "resource"),
        changed.len(),
    )?;
    if !args.quiet {
        for (finding, spot) in compared
            .findings()
            .filter(|(finding, _)| everything || finding.level > Level::Info)
        {
            write_finding(out, compared, finding, spot)?;
        }
    }
    if args.verbose {
        passed(out, compared)?;
    }
    summary(out, compared)
}

fn summary(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let report = &compared.report;
    let counts = Counts::of(compared);
    let found = |id: &str| {
        report
            .findings
            .iter()
            .filter(|finding| finding.rule.id() == id && !finding.is_let_through())
            .count()
    };
    let state = [
        (found("schema-version-not-bumped"), "bump"),
        (
            found("upgrader-missing") + found("upgrader-chain-gap"),
            "upgrader",
        ),
    ];
    let state: Vec<String> = state
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| format!("{} missing", plural(count, noun)))
        .collect();
    let state = if state.is_empty() {
        "ok".to_owned()
    } else {
        state.join(", ")
    };
    let let_through = counts
        .let_through()
        .map_or(String::new(), |words| format!(" {DIM}·{DIM:#} {words}"));
    writeln!(
        out,
        "{BOLD}Summary{BOLD:#}   {} {DIM}·{DIM:#} state: {state} {DIM}·{DIM:#} policy: {}{let_through}",
        counts.changes(),
        counts.policy()
    )?;
    for planned in &report.planned {
        writeln!(
            out,
            "          planned: {} goes in {}",
            planned.place(),
            planned.removal
        )?;
    }
    if !compared.settled.is_empty() {
        let settled = plural(compared.settled.len(), "known finding");
        writeln!(
            out,
            "          {settled} settled since; `{} known` takes them out",
            program_name()
        )?;
    }
    let (style, word) = if report.ok {
        (GREEN, "ok")
    } else {
        (RED, "FAIL")
    };
    let verdict = format!(
        "required release: {} (have {})",
        required(compared),
        number(report.current.as_ref())
    );
    writeln!(out, "          {verdict:<54}  {style}{word}{style:#}")
}

/// The rules that had nothing to say, and how long it took.
fn passed(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let found = |id: &str| {
        compared
            .report
            .findings
            .iter()
            .any(|finding| finding.rule.id() == id)
    };
    let (needed, off): (Vec<&Rule>, Vec<&Rule>) = RULES
        .iter()
        .partition(|rule| compared.options.includes(rule));
    let passed = needed
        .iter()
        .map(|rule| rule.id())
        .filter(|id| !found(id))
        .collect();
    let off: Vec<&str> = off.iter().map(|rule| rule.id()).collect();
    for (title, names) in [("Passed", passed), ("Off", off)] {
        if names.is_empty() {
            continue;
        }
        writeln!(
            out,
            "{BOLD}{title:<8}{BOLD:#}  {}",
            plural(names.len(), "rule")
        )?;
        let mut line = String::new();
        for name in names {
            if line.len() + name.len() > WIDTH {
                writeln!(out, "          {DIM}{}{DIM:#}", line.trim_end())?;
                line.clear();
            }
            line += name;
            line.push(' ');
        }
        writeln!(out, "          {DIM}{}{DIM:#}\n", line.trim_end())?;
    }
    writeln!(
        out,
        "{BOLD}Took{BOLD:#}      {:.1} ms\n",
        compared.took.as_secs_f64() * 1e3
    )
}

fn write_finding(
    out: &mut dyn Write,
    compared: &Compared,
    finding: &Finding,
    spot: &Spot,
) -> Result<()> {
    let word = severity(compared, finding);
    let style: Style = match word {
        "error" => RED,
        "warning" => YELLOW,
        _ => DIM,
    };
    writeln!(
        out,
        "{style}{word}[{}]{style:#}: {BOLD}{}{BOLD:#}",
        finding.rule.id(),
        finding.headline()
    )?;
    let at = compared.place(spot);
    let col = if spot.source.is_some() {
        format!(":{}", at.col)
    } else {
        String::new()
    };
    let change = change(compared, finding, spot);
    // A finding about the release has no place.
    if finding.resource.is_empty() {
        if let Some(change) = change {
            writeln!(out, "   {DIM}={DIM:#} found:  {change}")?;
        }
    } else {
        let change = change.map_or(String::new(), |change| format!("  ({change})"));
        writeln!(
            out,
            "  {DIM}-->{DIM:#} {}:{}{col}{change}",
            at.file, at.line
        )?;
    }
    let mut line = |name: &str, text: &str| {
        // What comes from elsewhere, such as a fixture's diagnostic, may have several lines.
        let text = text.replace('\n', "\n             ");
        writeln!(out, "   {DIM}={DIM:#} {:<7} {text}", format!("{name}:"))
    };
    if let Some(note) = &finding.note {
        line("note", note)?;
    }
    if (finding.axes.contains(&Axis::State) || finding.bump.strict) && !finding.level.is_policy() {
        line("state", &state(compared, finding))?;
    }
    if !finding.level.is_policy() {
        line("semver", &semver(compared, finding))?;
    }
    if let Some(policy) = policy(compared, finding) {
        line("policy", &policy)?;
    }
    if let Some(witness) = &finding.witness {
        line("breaks", witness)?;
    }
    if let Some(waived) = &finding.waived {
        line(
            "waived",
            &format!("{}, until {}", waived.reason, waived.until),
        )?;
    } else if finding.known {
        line("known", "was there when the rules were adopted")?;
    } else if finding.remediation != "Nothing." {
        line("fix", &finding.remediation)?;
    }
    line(
        "more",
        &format!(
            "{} explain {} {DIM}·{DIM:#} {}",
            program_name(),
            finding.rule.id(),
            finding.fingerprint
        ),
    )?;
    writeln!(out)
}

/// The former and the present form, and the line of the lock if the arrow points elsewhere.
fn change(compared: &Compared, finding: &Finding, spot: &Spot) -> Option<String> {
    let change = match (&finding.old, &finding.new) {
        (Some(old), Some(new)) => Some(format!("{old} -> {new}")),
        (Some(old), None) => Some(format!("was {old}")),
        (None, Some(new)) => Some(new.clone()),
        (None, None) => None,
    };
    let lock = spot
        .lock
        .filter(|_| spot.source.is_some() && finding.old.is_some());
    let lock = lock.map(|line| format!("{}:{line}", baseline(compared)));
    match (change, lock) {
        (Some(change), Some(lock)) => Some(format!("{change}; {lock}")),
        (change, _) => change,
    }
}

fn state(compared: &Compared, finding: &Finding) -> String {
    let needs = Needs::of(compared, finding);
    let words = finding.state_impact();
    let (Some(old), Some(new)) = (needs.old, needs.new) else {
        return words.to_owned();
    };
    if !needs.bump {
        let unless = if finding.bump.strict {
            " under the wire policy"
        } else {
            ""
        };
        return format!("{words} · schema version {new} may stay{unless}");
    }
    let version = if new > old {
        format!("{old} -> {new}: ok")
    } else {
        format!("{old} -> {} needed", old.saturating_add(1))
    };
    let to = new.max(old.saturating_add(1));
    let upgrade = match needs.upgrader {
        Upgrader::NotNeeded => String::new(),
        Upgrader::Missing => format!(" · upgrade v{old} -> v{to} missing"),
        Upgrader::Present => format!(" · upgrade v{old} -> v{to}: ok"),
    };
    format!("{words} · schema version {version}{upgrade}")
}

fn semver(compared: &Compared, finding: &Finding) -> String {
    let needed = finding.semver;
    match compared.report.actual_bump {
        _ if needed == Semver::Patch => needed.to_string(),
        None => needed.to_string(),
        Some(_) if finding.permitted => format!("{needed}: ok"),
        Some(actual) => format!("{needed} (release is {actual})"),
    }
}

/// The policies that were not kept at its place, or its announcement.
fn policy(compared: &Compared, finding: &Finding) -> Option<String> {
    let broken: Vec<&str> = policies(compared, finding).collect();
    let announced = finding.announced.as_ref().map(|deprecated| {
        let since = deprecated
            .since
            .as_ref()
            .map_or(String::new(), |since| format!(" since {since}"));
        let instead = match deprecated.replaced_by.0.as_slice() {
            [] => String::new(),
            names => format!(", replaced by `{}`", names.join("`, `")),
        };
        format!("deprecated{since}{instead}")
    });
    match (broken.as_slice(), announced) {
        ([], None) => None,
        ([], Some(announced)) => Some(format!("{announced}: ok")),
        (broken, None) => Some(broken.join(", ")),
        (broken, Some(announced)) => Some(format!("{announced}; {}", broken.join(", "))),
    }
}
