//! The report for people: details first, totals where the eye is at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};

use upstate::path::Printable;
use upstate::{AttributePath, Diagnostics, Registry, ResourceDefinition, Severity};
use upstate_state::difference::{Entry, Line, Mark, Row, Side, Window, lines, rows, windows};
use upstate_state::{Change, Instance, InstanceOutcome, InstanceUpgrade, UNDEFINED, UpgradeTotals};

use super::next::Next;
use super::place::Places;
use super::{About, Lost, RowOutcome, Rows, Written};
use crate::releases::Releases;
use crate::source;
use crate::terminal::{BOLD, DIM, GREEN, RED, YELLOW, plain, plural};

/// The number of instances that are shown by type, stored version and outcome.
const SHOWN: usize = 10;
/// Longer values are cut.
const LONGEST: usize = 72;

pub(super) struct Details<'a> {
    out: Box<dyn Write>,
    text: String,
    /// The number of instances by type, stored version and outcome.
    met: BTreeMap<(String, u64, bool), usize>,
    width: usize,
    /// True if a value was cut.
    cut: bool,
    places: Places<'a>,
    /// The types whose instances go back without their identities, and the latest version that those were stored at.
    staying: BTreeMap<String, u64>,
    /// The releases that wrote the stored state; read when the first instance fails.
    releases: Option<Releases>,
    next: Option<Next>,
}

impl<'a> Details<'a> {
    /// Details that are written to `out` at the end.
    pub(super) fn new(out: Box<dyn Write>, about: &About<'a>) -> Self {
        let width = if about.full { usize::MAX } else { LONGEST };
        let places = Places::new(about.bytes);
        let (met, staying) = (BTreeMap::new(), BTreeMap::new());
        Self { out, text: String::new(), met, width, cut: false, places, staying, releases: None, next: None }
    }

    /// Writing to a string cannot fail.
    pub(super) fn instance(&mut self, about: &About<'_>, upgrade: &InstanceUpgrade<'_, '_>) {
        let instance = upgrade.instance();
        let failed = matches!(upgrade.outcome(), InstanceOutcome::Failed { .. });
        if about.leaves_identity(instance) {
            let latest = self.staying.entry(instance.type_name().to_owned()).or_default();
            *latest = instance.identity_schema_version().max(*latest);
        }
        let worth_it = match upgrade.outcome() {
            // What an author drops on purpose is news in a plan only.
            InstanceOutcome::Upgraded { warnings, undefined, .. } => {
                let identity_warns = upgrade.identity().is_some_and(|identity| !identity.warnings().is_empty());
                about.command == "plan" || identity_warns || !warnings.is_empty() || !undefined.is_empty()
            }
            _ => true,
        };
        if !worth_it {
            return;
        }
        let met = self.met.entry((instance.type_name().to_owned(), instance.schema_version(), failed)).or_default();
        *met += 1;
        if *met > SHOWN && !about.all {
            return;
        }
        let (out, address) = (&mut self.text, plain(&instance.address().to_string()));
        match upgrade.outcome() {
            InstanceOutcome::Upgraded { to, warnings, undefined, undefined_count, dropped } => {
                let _ = writeln!(out, "{BOLD}{address}{BOLD:#}  {} → {to}", instance.schema_version());
                let named = undefined.len();
                let undefined = undefined.iter().map(|path| (path, "lost", UNDEFINED));
                let dropped = dropped.iter().map(|dropped| (&dropped.path, "dropped", dropped.reason));
                let lost: Lines<'_> = dropped.chain(undefined).collect();
                // Only a plan compares what is stored with what it becomes.
                if about.command == "plan" {
                    self.cut |= changes(out, upgrade.changes(), &lost, self.width);
                }
                for (path, end, reason) in &lost {
                    let _ = writeln!(out, "  {YELLOW}!{YELLOW:#} {}  {DIM}{end}: {reason}{DIM:#}", plain(&path.to_string()));
                }
                if *undefined_count > named {
                    let more = undefined_count - named;
                    let _ = writeln!(out, "  {YELLOW}!{YELLOW:#} and {more} more  {DIM}lost: {UNDEFINED}{DIM:#}");
                }
                diagnostics(out, warnings, instance, None);
                if let Some(identity) = upgrade.identity() {
                    let to = identity.to().map_or_else(|| "removed".to_owned(), |to| to.to_string());
                    let _ = writeln!(out, "  {BOLD}identity{BOLD:#}  {} → {to}", identity.from());
                    if about.command == "plan" && !identity.changes().is_empty() {
                        self.cut |= changes(out, identity.changes(), &Lines::new(), self.width);
                    }
                    diagnostics(out, identity.warnings(), instance, None);
                }
            }
            InstanceOutcome::Failed { to, diagnostics: errors } => {
                let (versions, verb) = (format!("{} → {to}", instance.schema_version()), about.verb());
                let _ = writeln!(out, "{BOLD}{address}{BOLD:#}  {versions}  {RED}cannot be {verb}d{RED:#}");
                let releases = self.releases.get_or_insert_with(Releases::known);
                let wrote = |version| releases.wrote(instance.type_name(), version).map(|who| format!("{who} version {version}"));
                let known: Vec<String> = [instance.schema_version(), *to].into_iter().filter_map(wrote).collect();
                if !known.is_empty() {
                    let _ = writeln!(out, "  {DIM}{}{DIM:#}", known.join("; "));
                }
                diagnostics(out, errors, instance, Some((&source::name(about.state), &mut self.places)));
                self.next.get_or_insert_with(|| Next::after(instance));
            }
            _ => {}
        }
        out.push('\n');
    }

    pub(super) fn finish(
        mut self,
        about: &About<'_>,
        registry: &Registry,
        (rows, lost): (&Rows, Lost),
        totals: &UpgradeTotals,
        written: &Written,
    ) -> io::Result<()> {
        let out = &mut *self.out;
        let name = source::name(about.state);
        writeln!(out, "{BOLD}{name}{BOLD:#}: {}, serial {}\n", plural(about.instances, "instance"), about.serial)?;
        out.write_all(self.text.as_bytes())?;
        let hidden: Vec<_> = self.met.iter().filter(|(_, met)| **met > SHOWN && !about.all).collect();
        for ((type_name, version, _), met) in &hidden {
            writeln!(out, "{DIM}… and {} more of {} at version {version}{DIM:#}", **met - SHOWN, plain(type_name))?;
        }
        if !hidden.is_empty() {
            writeln!(out, "{DIM}  (--all shows every instance){DIM:#}\n")?;
        }
        if self.cut {
            writeln!(out, "{DIM}  (--full shows values whole){DIM:#}\n")?;
        }
        table(out, about, registry, rows, written)?;
        for (type_name, version) in &self.staying {
            if let Some(identity) = registry.get(type_name).and_then(ResourceDefinition::identity) {
                let (type_name, identity) = (plain(type_name), plain(identity.type_name()));
                writeln!(
                    out,
                    "  {DIM}(the identity of {type_name} stays at version {version}; --to {identity}=VERSION takes it back){DIM:#}\n"
                )?;
            }
        }
        if let Some(next) = &self.next {
            next.write(out, about, totals.failed(), written)?;
        }
        summary(out, about, (rows, lost), totals, written)?;
        out.flush()
    }
}

/// The places of values that an upgrade leaves out, whether they are dropped or lost, and why.
type Lines<'u> = Vec<(&'u AttributePath, &'static str, &'static str)>;

/// Writes what changes, except for values that are `lost`, which have lines of their own; says whether a value was cut.
fn changes(out: &mut String, changes: &[Change], lost: &Lines<'_>, width: usize) -> bool {
    let nothing = changes.is_empty() && lost.is_empty();
    let is_lost = |change: &&Change| change.new_value().is_none() && lost.iter().any(|(path, ..)| *path == change.path());
    let entries = changes.iter().filter(|change| !is_lost(change)).map(|change| Entry {
        path: plain(&change.path().to_string()),
        before: change.old().map(Side::from),
        after: change.new_value().map(Side::from),
    });
    let rows = rows(entries);
    let path = |row: &Row<'_>| match row {
        Row::Added(path, _) | Row::Removed(path, _) | Row::Changed(path, ..) => path.clone(),
        Row::Moved(from, to, _) => format!("{from} → {to}"),
    };
    let paths: Vec<String> = rows.iter().map(path).collect();
    let column = paths.iter().map(|path| path.chars().count()).filter(|length| *length <= 40).max().unwrap_or(0);
    let mut cut = false;
    for (row, path) in rows.iter().zip(&paths) {
        let (style, mark) = match row {
            Row::Added(..) => (GREEN, "+"),
            Row::Removed(..) => (RED, "-"),
            Row::Changed(..) | Row::Moved(..) => (YELLOW, "~"),
        };
        let _ = write!(out, "  {style}{mark}{style:#} ");
        // A nested value needs no column, since its lines are below the path.
        let nested = match row {
            Row::Added(_, Side::Json(json)) => lines(None, Some(json)),
            Row::Removed(_, Side::Json(json)) => lines(Some(json), None),
            Row::Changed(_, Side::Json(old), Side::Json(new)) => lines(Some(old), Some(new)),
            Row::Added(..) | Row::Removed(..) | Row::Changed(..) | Row::Moved(..) => None,
        };
        if let Some(nested) = nested {
            let _ = writeln!(out, "{path}");
            cut |= write_lines(out, &nested, width);
            continue;
        }
        let _ = write!(out, "{path:column$}");
        match row {
            Row::Changed(_, Side::Json(old), Side::Json(new)) => {
                let (old, new) = windows(old, new, width);
                let _ = writeln!(out, "  {} → {}", windowed(&old, &mut cut), windowed(&new, &mut cut));
            }
            Row::Moved(_, _, json) => {
                let _ = writeln!(out, "  {DIM}moved{DIM:#} {}", windowed(&Window::of(json, width), &mut cut));
            }
            Row::Added(_, one) | Row::Removed(_, one) => {
                let _ = writeln!(out, "  {}", alone(*one, width, &mut cut));
            }
            Row::Changed(_, old, new) => {
                let _ = writeln!(out, "  {} → {}", alone(*old, width, &mut cut), alone(*new, width, &mut cut));
            }
        }
    }
    if nothing {
        let _ = writeln!(out, "  {DIM}only the version{DIM:#}");
    }
    cut
}

/// A part of a value; says whether it is not the whole.
fn windowed(window: &Window, cut: &mut bool) -> String {
    *cut |= window.is_cut();
    let dots = |cut| if cut { "…" } else { "" };
    let text = format!("{}{}{}", window.same_before, window.differs, window.same_after);
    format!("{}{}{}", dots(window.cut_before), Printable(&text), dots(window.cut_after))
}

/// A value that is not compared with another one, or the reason why it is not shown.
fn alone(side: Side<'_>, width: usize, cut: &mut bool) -> String {
    match side {
        Side::Json(json) => windowed(&Window::of(json, width), cut),
        Side::Hidden => format!("{DIM}(sensitive value){DIM:#}"),
        Side::Undefined => format!("{DIM}(not shown: not in the schema){DIM:#}"),
    }
}

/// Writes the lines of a nested value; says whether one was cut.
fn write_lines(out: &mut String, all: &[Line], width: usize) -> bool {
    let mut cut = false;
    for line in all {
        let text = windowed(&Window::of(&line.text, width), &mut cut);
        let _ = match line.mark {
            Mark::Same => writeln!(out, "        {text}"),
            Mark::Removed => writeln!(out, "      {RED}-{RED:#} {text}"),
            Mark::Added => writeln!(out, "      {GREEN}+{GREEN:#} {text}"),
            Mark::Skipped(number) => writeln!(out, "        {DIM}… {}{DIM:#}", plural(number, "equal line")),
        };
    }
    cut
}

/// Writes diagnostics; those of `file` with line and column in it.
fn diagnostics(out: &mut String, all: &Diagnostics, instance: &Instance<'_>, mut file: Option<(&str, &mut Places<'_>)>) {
    // Left out, since the heading of the instance says it.
    let about = format!("Resource type {}, stored at schema version ", instance.type_name());
    for diagnostic in all {
        let (style, severity) = match diagnostic.severity() {
            Severity::Error => (RED, "error"),
            Severity::Warning => (YELLOW, "warning"),
        };
        let _ = write!(out, "  {style}{severity}{style:#}: {BOLD}{}{BOLD:#}", plain(diagnostic.summary()));
        let path = diagnostic.path().filter(|path| !path.is_empty());
        if let Some(path) = path.map(ToString::to_string).filter(|path| !diagnostic.detail().contains(path)) {
            let _ = write!(out, " {DIM}in{DIM:#} {}", plain(&path));
        }
        out.push('\n');
        for line in diagnostic.detail().lines().filter(|line| !line.is_empty() && !line.starts_with(&about)) {
            let _ = writeln!(out, "    {}", plain(&sentence(line)));
        }
        if let Some((name, places)) = &mut file {
            let (line, column) = places.of(instance.offset_of(path.unwrap_or(&AttributePath::new())));
            let _ = writeln!(out, "    {DIM}-->{DIM:#} {name}:{line}:{column}");
        }
    }
}

/// A line that begins with a capital.
fn sentence(line: &str) -> String {
    let mut letters = line.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn table(out: &mut dyn Write, about: &About<'_>, registry: &Registry, rows: &Rows, written: &Written) -> io::Result<()> {
    // What nobody asked for is only counted.
    let rows: Vec<_> = rows.iter().filter(|((outcome, ..), _)| *outcome != RowOutcome::Excluded).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = rows.iter().map(|((_, type_name, _), _)| plain(type_name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("type".len());
    writeln!(out, "  {DIM}{:width$}  {:>9}  {:<10}{DIM:#}", "type", "instances", "version")?;
    for (((outcome, type_name, from), instances), name) in rows.iter().copied().zip(&names) {
        let versions = match about.goal(registry, type_name) {
            Some(to)
                if to != *from
                    && *outcome != RowOutcome::Excluded
                    && (about.back.is_none() || *outcome != RowOutcome::Current) =>
            {
                format!("{from} → {to}")
            }
            _ => from.to_string(),
        };
        let verb = about.verb();
        let (style, says) = match (outcome, written) {
            (RowOutcome::Failed, _) => (RED, format!("cannot be {verb}d")),
            (RowOutcome::Upgraded | RowOutcome::Downgraded, Written::Planned) => (GREEN, format!("would be {verb}d")),
            (RowOutcome::Upgraded | RowOutcome::Downgraded, Written::Nothing) => (GREEN, format!("could be {verb}d")),
            (RowOutcome::Upgraded | RowOutcome::Downgraded, _) => (GREEN, format!("{verb}d")),
            (RowOutcome::Current, _) if about.back.is_some() => (DIM, "already that old, left as it is".to_owned()),
            (RowOutcome::Current, _) => (DIM, "already current".to_owned()),
            (RowOutcome::Excluded, _) => (DIM, "not selected".to_owned()),
            (RowOutcome::UnknownType, _) => (DIM, "unknown type, left as it is".to_owned()),
        };
        writeln!(out, "  {name:width$}  {instances:>9}  {versions:<10}  {style}{says}{style:#}")?;
    }
    writeln!(out)
}

fn summary(
    out: &mut dyn Write,
    about: &About<'_>,
    (rows, lost): (&Rows, Lost),
    totals: &UpgradeTotals,
    written: &Written,
) -> io::Result<()> {
    let unknown: BTreeSet<&str> =
        rows.keys().filter(|(outcome, ..)| *outcome == RowOutcome::UnknownType).map(|(_, name, _)| name.as_str()).collect();
    let (failed, upgraded, verb) = (totals.failed(), totals.upgraded(), about.verb());
    let mut parts = Vec::new();
    if failed > 0 {
        parts.push(format!("{failed} cannot be {verb}d"));
    }
    parts.push(match written {
        Written::Planned => format!("{upgraded} to {verb}"),
        Written::Nothing if upgraded > 0 => format!("{upgraded} could be {verb}d"),
        Written::Nothing | Written::To(_) | Written::Stdout | Written::InPlace { .. } => format!("{upgraded} {verb}d"),
    });
    let left = if about.back.is_some() { "already that old" } else { "already current" };
    parts.push(format!("{} {left}", totals.current()));
    if totals.excluded() > 0 {
        parts.push(format!("{} not selected", totals.excluded()));
    }
    if totals.unknown() > 0 {
        parts.push(format!("{} left as they are ({})", totals.unknown(), plural(unknown.len(), "unknown type")));
    }
    if totals.data() > 0 {
        parts.push(plural(totals.data(), "data source"));
    }
    write!(out, "{}", parts.join(", "))?;
    let will = match written {
        Written::Planned => "to be ",
        Written::Nothing => "would be ",
        Written::To(_) | Written::Stdout | Written::InPlace { .. } => "",
    };
    if lost.dropped > 0 {
        write!(out, "; {} {will}dropped with a reason", plural(lost.dropped, "value"))?;
    }
    if lost.values > 0 {
        write!(out, "; {YELLOW}{} {will}lost{YELLOW:#}", plural(lost.values, "value"))?;
    }
    writeln!(out)?;
    match written {
        Written::Planned if failed > 0 && !totals.may_be_written() => {
            writeln!(
                out,
                "{} would be {RED}refused{RED:#}: it writes nothing unless every instance can be {verb}d \
                 (--partial skips those that cannot, --exclude those that you name{})",
                if about.back.is_some() { "a downgrade" } else { "an upgrade" },
                about.permission(),
            )
        }
        Written::Planned => Ok(()),
        Written::Nothing if failed > 0 => {
            let name = source::name(about.state);
            writeln!(out, "{RED}refused{RED:#}: nothing was written, {name} is as it was")?;
            let permission = about.permission();
            writeln!(
                out,
                "{DIM}(--partial skips instances that cannot be {verb}d, --exclude those that you name{permission}){DIM:#}"
            )
        }
        Written::Nothing | Written::To(_) | Written::Stdout | Written::InPlace { .. } => {
            writeln!(out, "{}", written.said(about, totals))
        }
    }
}
