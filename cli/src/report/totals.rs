//! The types of a report, a line each, and its last lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use upstate::{Diagnostics, Registry};
use upstate_state::UpgradeTotals;
use upstate_state::difference::Row;

use super::{About, Lost, RowOutcome, Rows, VALUE_LOST, Written};
use crate::source;
use crate::terminal::{BOLD, DIM, GREEN, RED, YELLOW, broken, middle, plain, plural};

/// The values of a type's instances by what becomes of them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Effects {
    changed: usize,
    moved: usize,
    new: usize,
    removed: usize,
    dropped: usize,
    lost: usize,
    warnings: usize,
}

impl Effects {
    /// Adds those of an instance.
    pub(super) fn add(
        &mut self,
        rows: &[Row<'_>],
        dropped: usize,
        undefined: usize,
        warnings: &Diagnostics,
    ) {
        for row in rows {
            match row {
                Row::Changed(..) => self.changed += 1,
                Row::Moved(..) | Row::Converted(..) => self.moved += 1,
                Row::Added(..) => self.new += 1,
                Row::Removed(..) => self.removed += 1,
            }
        }
        let lost = warnings
            .iter()
            .filter(|warning| warning.summary() == VALUE_LOST)
            .count();
        self.dropped += dropped;
        self.lost += undefined + lost;
        self.warnings += warnings.len() - lost;
    }

    fn text(self, is_plan: bool) -> String {
        let counts = [
            (self.changed, "changed"),
            (self.moved, "moved"),
            (self.new, "new"),
            (self.removed, "removed"),
            (self.dropped, "dropped"),
            (self.lost, "lost"),
        ];
        let mut parts: Vec<String> = counts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("{number} {what}"))
            .collect();
        if self.warnings > 0 {
            parts.push(plural(self.warnings, "warning"));
        }
        if parts.is_empty() && is_plan {
            "only the version".to_owned()
        } else {
            parts.join(", ")
        }
    }
}

/// The narrowest column of types: what is cut more cannot be told apart.
const NARROWEST: usize = 20;
/// The columns that are left for the values of a type; more of them go on in the next line.
const VALUES: usize = 28;

/// One line for each type, under its outcome.
pub(super) fn table(
    out: &mut String,
    about: &About<'_>,
    registry: &Registry,
    rows: &Rows,
    (effects, columns): (&BTreeMap<String, Effects>, Option<usize>),
    written: &Written,
) {
    let mut types: BTreeMap<RowOutcome, BTreeMap<&str, (Vec<u64>, usize)>> = BTreeMap::new();
    for ((outcome, type_name, from), instances) in rows {
        let (versions, all) = types
            .entry(*outcome)
            .or_default()
            .entry(type_name)
            .or_default();
        versions.push(*from);
        *all += instances;
    }
    let verb = about.verb();
    let done = match written {
        Written::Planned => format!("would be {verb}d"),
        Written::Nothing => format!("could be {verb}d"),
        Written::To(_) | Written::Stdout | Written::InPlace { .. } => format!("{verb}d"),
    };
    let shown = [
        (
            RowOutcome::Current,
            DIM,
            if about.back.is_some() {
                "already that old"
            } else {
                "already current"
            }
            .to_owned(),
        ),
        (RowOutcome::Upgraded, GREEN, done.clone()),
        (RowOutcome::Downgraded, GREEN, done),
        (
            RowOutcome::UnknownType,
            DIM,
            "unknown type, left as it is".to_owned(),
        ),
        (RowOutcome::Failed, RED, format!("cannot be {verb}d")),
    ];
    for (outcome, style, heading) in shown {
        // The sum has the number of those that stay as they are.
        if outcome == RowOutcome::Current && !about.all {
            continue;
        }
        let Some(types) = types.get(&outcome) else {
            continue;
        };
        let line = |(name, (from, instances)): (&&str, &(Vec<u64>, usize))| {
            let stored: Vec<String> = from.iter().map(u64::to_string).collect();
            let changes = !matches!(
                outcome,
                RowOutcome::Current | RowOutcome::UnknownType | RowOutcome::Excluded
            );
            let versions = match about.goal(registry, name) {
                Some(to) if changes && from != &[to] => format!("{} → {to}", stored.join(",")),
                _ => stored.join(","),
            };
            let effects = effects
                .get(*name)
                .filter(|_| matches!(outcome, RowOutcome::Upgraded | RowOutcome::Downgraded));
            (
                plain(name),
                *instances,
                versions,
                effects
                    .map(|one| one.text(about.command == "plan"))
                    .unwrap_or_default(),
            )
        };
        let lines: Vec<_> = types.iter().map(line).collect();
        let versions = lines
            .iter()
            .map(|line| line.2.chars().count())
            .max()
            .unwrap_or(0)
            .max("versions".len());
        let longest = lines
            .iter()
            .map(|line| line.0.chars().count())
            .max()
            .unwrap_or(0)
            .max(heading.chars().count());
        let beside = lines
            .iter()
            .map(|line| line.3.chars().count())
            .max()
            .unwrap_or(0)
            .min(VALUES);
        let width = columns.map_or(longest, |columns| {
            columns
                .saturating_sub(17 + versions + beside)
                .max(NARROWEST)
                .min(longest)
        });
        let _ = writeln!(
            out,
            "{style}{heading}{style:#}{:1$}  {DIM}instances  versions{DIM:#}",
            "",
            (width + 2).saturating_sub(heading.chars().count())
        );
        for (name, instances, from, effects) in lines {
            let line = format!(
                "  {:width$}  {instances:>9}  {from:versions$}  {effects}",
                middle(&name, width)
            );
            let line = format!("{}\n", line.trim_end());
            match columns {
                Some(columns) => out.push_str(&broken(&line, columns, width + versions + 17)),
                None => out.push_str(&line),
            }
        }
        out.push('\n');
    }
    if about.command == "plan" && !about.diff && types.contains_key(&RowOutcome::Upgraded) {
        let _ = writeln!(
            out,
            "{DIM}  (--diff shows what changes in each instance){DIM:#}\n"
        );
    }
}

/// The line with all numbers.
pub(super) fn sum(
    out: &mut String,
    about: &About<'_>,
    (rows, lost): (&Rows, Lost),
    totals: &UpgradeTotals,
    written: &Written,
) {
    let unknown: BTreeSet<&str> = rows
        .keys()
        .filter(|(outcome, ..)| *outcome == RowOutcome::UnknownType)
        .map(|(_, name, _)| name.as_str())
        .collect();
    let (failed, upgraded, verb) = (totals.failed(), totals.upgraded(), about.verb());
    let is_idle = failed == 0 && upgraded == 0;
    let mut parts = Vec::new();
    if failed > 0 {
        parts.push(format!("{failed} cannot be {verb}d"));
    }
    match written {
        Written::Planned | Written::Nothing if is_idle => {}
        Written::Planned => parts.push(format!("{upgraded} to {verb}")),
        Written::Nothing if upgraded > 0 => parts.push(format!("{upgraded} could be {verb}d")),
        Written::Nothing | Written::To(_) | Written::Stdout | Written::InPlace { .. } => {
            parts.push(format!("{upgraded} {verb}d"));
        }
    }
    let left = if about.back.is_some() {
        "already that old"
    } else {
        "already current"
    };
    parts.push(format!("{} {left}", totals.current()));
    if totals.excluded() > 0 {
        parts.push(format!("{} not selected", totals.excluded()));
    }
    if totals.unknown() > 0 {
        parts.push(format!(
            "{} left as they are ({})",
            totals.unknown(),
            plural(unknown.len(), "unknown type")
        ));
    }
    if totals.data() > 0 {
        parts.push(plural(totals.data(), "data source"));
    }
    let name = source::name(about.state);
    match written {
        Written::Planned if is_idle => {
            let _ = write!(out, "nothing to {verb} in {BOLD}{name}{BOLD:#}: ");
        }
        Written::Nothing if is_idle => {
            let _ = write!(out, "{}: ", written.summary(about, totals));
        }
        Written::Planned
        | Written::Nothing
        | Written::To(_)
        | Written::Stdout
        | Written::InPlace { .. } => {}
    }
    out.push_str(&parts.join(", "));
    let will = match written {
        Written::Planned => "to be ",
        Written::Nothing => "would be ",
        Written::To(_) | Written::Stdout | Written::InPlace { .. } => "",
    };
    if lost.dropped > 0 {
        let _ = write!(
            out,
            "; {} {will}dropped with a reason",
            plural(lost.dropped, "value")
        );
    }
    if lost.values > 0 {
        let _ = write!(
            out,
            "; {YELLOW}{} {will}lost{YELLOW:#}",
            plural(lost.values, "value")
        );
    }
    out.push('\n');
}

/// The outcome for the file.
pub(super) fn verdict(
    out: &mut String,
    about: &About<'_>,
    totals: &UpgradeTotals,
    written: &Written,
) {
    let (failed, verb, permission) = (totals.failed(), about.verb(), about.permission());
    let _ = match written {
        Written::Planned if failed > 0 && !totals.may_be_written() => writeln!(
            out,
            "{} would be {RED}refused{RED:#}: it writes nothing unless every instance can be {verb}d \
             (--partial skips those that cannot, --exclude those that you name{permission})",
            if about.back.is_some() {
                "a downgrade"
            } else {
                "an upgrade"
            },
        ),
        Written::Planned => Ok(()),
        Written::Nothing if failed == 0 && totals.upgraded() == 0 && !about.all => Ok(()),
        Written::Nothing if failed > 0 => {
            let name = source::name(about.state);
            writeln!(
                out,
                "{RED}refused{RED:#}: nothing was written, {name} is as it was\n\
                 {DIM}(--partial skips those that cannot be {verb}d, --exclude those that you name{permission}){DIM:#}"
            )
        }
        Written::Nothing | Written::To(_) | Written::Stdout | Written::InPlace { .. } => {
            writeln!(out, "{}", written.summary(about, totals))
        }
    };
}
