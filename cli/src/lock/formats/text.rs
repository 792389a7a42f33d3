//! For people.

use std::io::{Result, Write};

use anstyle::{AnsiColor, Style};
use upstate::compat::{Axis, Finding, Level};

use super::{Compared, file, line, verdict};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default().bold();

pub(super) fn print(out: &mut dyn Write, compared: &Compared, quiet: bool, everything: bool) -> Result<()> {
    let report = &compared.report;
    let release = |release: Option<upstate::compat::Release>| {
        release.map_or_else(|| "no release".to_owned(), |release| release.to_string())
    };
    let bump = report.actual_bump.map_or(String::new(), |bump| format!(" (at most {bump} changes)"));
    writeln!(
        out,
        "{BOLD}{} -> {}{bump}{BOLD:#}, compared with {}\n",
        release(report.baseline),
        release(report.current),
        file(compared)
    )?;
    if !quiet {
        let shown = |finding: &&Finding| everything || finding.level > Level::Info;
        for finding in report.findings.iter().filter(shown) {
            write_finding(out, compared, finding)?;
        }
    }
    let count = |level| report.count(level);
    let errors = report.findings.iter().filter(|finding| finding.level == Level::Error && finding.waived.is_none()).count();
    let waived = report.findings.iter().filter(|finding| finding.waived.is_some()).count();
    writeln!(
        out,
        "{} breaking, {} potentially breaking, {} safe; {errors} errors and {} warnings of policy; {waived} waived",
        count(Level::Breaking),
        count(Level::Potential),
        count(Level::Safe) + count(Level::Info),
        count(Level::Warning),
    )?;
    let (style, word) = if report.ok { (GREEN, "ok") } else { (RED, "FAIL") };
    writeln!(out, "{}  {style}{word}{style:#}", verdict(compared))
}

fn write_finding(out: &mut dyn Write, compared: &Compared, finding: &Finding) -> Result<()> {
    let style = match finding.level {
        _ if finding.waived.is_some() => DIM,
        Level::Breaking | Level::Error => RED,
        Level::Potential | Level::Warning => YELLOW,
        Level::Safe | Level::Info => DIM,
    };
    writeln!(out, "{style}{}[{}]{style:#}: {BOLD}{}{BOLD:#}", finding.level.name(), finding.rule.id(), finding.message)?;
    writeln!(out, "  {DIM}-->{DIM:#} {}:{}", file(compared), line(compared, finding))?;
    if let Some(note) = &finding.note {
        writeln!(out, "   {DIM}={DIM:#} note:   {note}")?;
    }
    if finding.axes.contains(&Axis::State) && finding.level != Level::Error {
        let verdict = compared.report.resources.get(&finding.resource);
        let versions = verdict.and_then(|verdict| Some((verdict.old_version?, verdict.new_version?)));
        let needs = match (finding.bump.strict, finding.bump.wire) {
            (false, _) => "no new schema version needed".to_owned(),
            (true, wire) => {
                let unless = if wire { "" } else { " (not under the wire policy)" };
                match versions {
                    Some((old, new)) if new > old => format!("schema version {old} -> {new}: ok{unless}"),
                    Some((old, _)) => {
                        format!("schema version {old} -> {} needed, with an upgrade{unless}", old.saturating_add(1))
                    }
                    None => format!("a new schema version is needed{unless}"),
                }
            }
        };
        writeln!(out, "   {DIM}={DIM:#} state:  {needs}")?;
    }
    if !finding.level.is_policy() {
        let allowed = if finding.permitted { ": ok" } else { "" };
        writeln!(out, "   {DIM}={DIM:#} semver: {}{allowed}", finding.semver)?;
    }
    if let Some(witness) = &finding.witness {
        writeln!(out, "   {DIM}={DIM:#} breaks: {witness}")?;
    }
    if let Some(waived) = &finding.waived {
        writeln!(out, "   {DIM}={DIM:#} waived: {}, until {}", waived.reason, waived.until)?;
    } else if finding.remediation != "Nothing." {
        writeln!(out, "   {DIM}={DIM:#} fix:    {}", finding.remediation)?;
    }
    writeln!(out, "   {DIM}={DIM:#} more:   explain {} {DIM}· {}{DIM:#}\n", finding.rule.id(), finding.fingerprint)
}
