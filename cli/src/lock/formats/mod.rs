//! The output of `check` and `changelog`.

mod github;
mod gitlab;
mod json;
mod junit;
mod markdown;
pub(super) mod sarif;
mod text;

use std::io::{Result, Write};

use upstate_compat::{Finding, Level, Release};

use super::files::Compared;
use super::{Check, Format};

/// Prints what was found: for a check what is not safe, for a changelog everything.
pub(super) fn print(compared: &Compared, args: &Check, everything: bool) -> Result<()> {
    let out = &mut std::io::stdout().lock();
    match args.format {
        Format::Text => {
            return text::print(&mut anstream::stdout().lock(), compared, args, everything);
        }
        Format::Json => json::print(out, compared)?,
        Format::Jsonl => json::print_lines(out, compared)?,
        Format::Sarif => sarif::print(out, compared)?,
        Format::Junit => junit::print(out, compared)?,
        Format::Github => github::print(out, compared)?,
        Format::Gitlab => gitlab::print(out, compared)?,
        Format::Markdown => markdown::print(out, compared)?,
    }
    out.flush()
}

/// The weight of a finding: one that is let through or allowed by the release number does not count
/// as an error.
fn severity(compared: &Compared, finding: &Finding) -> &'static str {
    if finding.fails(compared.options.fails_on) {
        return "error";
    }
    match finding.level {
        _ if finding.is_let_through() => "note",
        Level::Safe | Level::Info => "note",
        Level::Potential | Level::Warning | Level::Breaking | Level::Error => "warning",
    }
}

/// The number of findings of each kind.
struct Counts {
    breaking: usize,
    potential: usize,
    safe: usize,
    errors: usize,
    warnings: usize,
    waived: usize,
    known: usize,
}

impl Counts {
    fn of(compared: &Compared) -> Self {
        let report = &compared.report;
        Self {
            breaking: report.count(Level::Breaking),
            potential: report.count(Level::Potential),
            safe: report.count(Level::Safe) + report.count(Level::Info),
            errors: report.count(Level::Error),
            warnings: report.count(Level::Warning),
            waived: report
                .findings
                .iter()
                .filter(|finding| finding.waived.is_some())
                .count(),
            known: report
                .findings
                .iter()
                .filter(|finding| finding.known)
                .count(),
        }
    }

    /// The change, in words.
    fn changes(&self) -> String {
        format!(
            "{} breaking, {} potential, {} safe",
            self.breaking, self.potential, self.safe
        )
    }

    /// The observance of the policies, in words.
    fn policy(&self) -> String {
        match (self.errors, self.warnings) {
            (0, 0) => "ok".to_owned(),
            (errors, 0) => crate::terminal::plural(errors, "error"),
            (0, warnings) => crate::terminal::plural(warnings, "warning"),
            (errors, warnings) => {
                format!(
                    "{}, {}",
                    crate::terminal::plural(errors, "error"),
                    crate::terminal::plural(warnings, "warning")
                )
            }
        }
    }

    /// The findings that are let through, in words; nothing if there are none.
    fn let_through(&self) -> Option<String> {
        let parts = [(self.waived, "waived"), (self.known, "known")];
        let words: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

fn number(release: Option<&Release>) -> String {
    release.map_or_else(|| "unnumbered".to_owned(), ToString::to_string)
}

/// The least release that the findings allow.
fn required(compared: &Compared) -> String {
    let report = &compared.report;
    report.required_release().map_or_else(
        || format!("a {} one", report.required_bump),
        |release| release.to_string(),
    )
}

fn verdict(compared: &Compared) -> String {
    format!(
        "required release: {} (have {})",
        required(compared),
        number(compared.report.current.as_ref())
    )
}

/// The lock that was compared with, as people call it.
fn baseline(compared: &Compared) -> String {
    let baseline = &compared.baseline;
    let revision = baseline
        .revision
        .as_ref()
        .map_or(String::new(), |revision| format!(" at {revision}"));
    format!("{}{revision}", baseline.file)
}

/// The schema version and upgrade that a finding asks for, and whether they are there.
struct Needs {
    old: Option<u64>,
    new: Option<u64>,
    /// True if a new version is needed under the policy of the settings.
    bump: bool,
    upgrader: Upgrader,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Upgrader {
    NotNeeded,
    Missing,
    Present,
}

impl Upgrader {
    fn name(self) -> &'static str {
        match self {
            Self::NotNeeded => "not needed",
            Self::Missing => "missing",
            Self::Present => "present",
        }
    }
}

impl Needs {
    fn of(compared: &Compared, finding: &Finding) -> Self {
        // An identity has a version of its own, so the versions of the state say nothing about it.
        let about_state = finding.rule.id() != "identity-schema-changed";
        let verdict = compared
            .report
            .resources
            .get(&finding.resource)
            .filter(|_| about_state);
        let (old, new) = (
            verdict.and_then(|verdict| verdict.old_version),
            verdict.and_then(|verdict| verdict.new_version),
        );
        let bump = match compared.options.state {
            upstate_compat::StatePolicy::Strict => finding.bump.strict,
            upstate_compat::StatePolicy::Wire => finding.bump.wire,
        };
        let missing = compared.report.findings.iter().any(|other| {
            other.resource == finding.resource && other.rule.id() == "upgrader-missing"
        });
        let upgrader = match bump {
            false => Upgrader::NotNeeded,
            true if missing || new <= old => Upgrader::Missing,
            true => Upgrader::Present,
        };
        Self {
            old,
            new,
            bump,
            upgrader,
        }
    }
}

/// The rules of policy that were broken or bent at the same place.
fn policies<'c>(
    compared: &'c Compared,
    finding: &'c Finding,
) -> impl Iterator<Item = &'static str> + use<'c> {
    let same =
        move |other: &&Finding| other.resource == finding.resource && other.path == finding.path;
    let judged = compared
        .report
        .findings
        .iter()
        .filter(same)
        .filter(|other| other.level.is_policy());
    judged
        .filter(move |_| !finding.level.is_policy())
        .map(|other| other.rule.id())
}
