//! The report for people: one line a type, then what somebody should look at, the worst last, since
//! the eye is at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use upstate::{AttributePath, Diagnostics, Registry, ResourceDefinition, Severity};
use upstate_state::difference::{Moves, Row};
use upstate_state::{Instance, InstanceOutcome, InstanceUpgrade, UNDEFINED, UpgradeTotals};

use super::next::Next;
use super::place::Places;
use super::totals::{Effects, sum, table, verdict};
use super::values::{Lines, Room, changed, write_rows};
use super::{About, Lost, Rows, Written};
use crate::releases::Releases;
use crate::source;
use crate::terminal::{self, BOLD, DIM, RED, YELLOW, plain, plural, wrapped};

/// The number of instances that are shown by type, stored version and outcome.
const SHOWN: usize = 10;

/// A part of the report: instances that are of the same importance.
#[derive(Default)]
struct Part {
    text: String,
    /// The number of instances by type and stored version.
    met: BTreeMap<(String, u64), usize>,
}

impl Part {
    /// Counts an instance; its text, if it is among the first.
    fn of(&mut self, about: &About<'_>, instance: &Instance<'_>) -> Option<&mut String> {
        let met = self
            .met
            .entry((instance.type_name().to_owned(), instance.schema_version()))
            .or_default();
        *met += 1;
        (*met <= SHOWN || about.all).then_some(&mut self.text)
    }

    fn write(&self, out: &mut String, about: &About<'_>) {
        out.push_str(&self.text);
        let hidden: Vec<_> = self
            .met
            .iter()
            .filter(|(_, met)| **met > SHOWN && !about.all)
            .collect();
        for ((type_name, version), met) in &hidden {
            let _ = writeln!(
                out,
                "{DIM}… and {} more of {} at version {version}{DIM:#}",
                **met - SHOWN,
                plain(type_name)
            );
        }
        if !hidden.is_empty() {
            let _ = writeln!(out, "{DIM}  (--all shows every instance){DIM:#}\n");
        }
    }
}

pub(super) struct Details<'a> {
    out: Box<dyn Write>,
    /// The goal of what is wrong: standard error, unless the report is what was asked for.
    wrong: Option<Box<dyn Write>>,
    columns: Option<usize>,
    /// Instances that lose nothing.
    fine: Part,
    /// Those with a warning or a loss without a declared reason.
    noted: Part,
    failed: Part,
    effects: BTreeMap<String, Effects>,
    /// The attributes that move, by type and both versions; found with the first instance.
    moves: BTreeMap<(String, u64, u64), Moves>,
    /// True if a value was cut.
    cut: bool,
    places: Places<'a>,
    /// The types whose instances go back without their identities, and the latest version that
    /// those were stored at.
    staying: BTreeMap<String, u64>,
    /// The releases that wrote the stored state; read when the first instance fails.
    releases: Option<Releases>,
    next: Option<Next>,
}

impl<'a> Details<'a> {
    /// Details that are written to `out` at the end, and what is wrong to another goal if there is
    /// one.
    pub(super) fn new(
        out: Box<dyn Write>,
        wrong: Option<Box<dyn Write>>,
        about: &About<'a>,
        columns: Option<usize>,
    ) -> Self {
        let places = Places::new(about.bytes);
        let (fine, noted, failed) = (Part::default(), Part::default(), Part::default());
        let (effects, moves, staying) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self {
            out,
            wrong,
            columns,
            fine,
            noted,
            failed,
            effects,
            moves,
            cut: false,
            places,
            staying,
            releases: None,
            next: None,
        }
    }

    /// Writing to a string cannot fail.
    pub(super) fn instance(
        &mut self,
        about: &About<'_>,
        registry: &Registry,
        upgrade: &InstanceUpgrade<'_, '_>,
    ) {
        let instance = upgrade.instance();
        if about.leaves_identity(instance) {
            let latest = self
                .staying
                .entry(instance.type_name().to_owned())
                .or_default();
            *latest = instance.identity_schema_version().max(*latest);
        }
        match upgrade.outcome() {
            InstanceOutcome::Upgraded { .. } => self.upgraded(about, registry, upgrade),
            InstanceOutcome::Failed { to, diagnostics } => {
                self.failed(about, instance, *to, diagnostics);
            }
            _ => {}
        }
    }

    fn moves(&mut self, registry: &Registry, instance: &Instance<'_>, to: u64) -> &Moves {
        let (type_name, from) = (instance.type_name(), instance.schema_version());
        let found = || {
            registry
                .get(type_name)
                .map_or_else(Moves::default, |definition| {
                    Moves::between(definition, from, to)
                })
        };
        self.moves
            .entry((type_name.to_owned(), from, to))
            .or_insert_with(found)
    }

    fn upgraded(
        &mut self,
        about: &About<'_>,
        registry: &Registry,
        upgrade: &InstanceUpgrade<'_, '_>,
    ) {
        let instance = upgrade.instance();
        let InstanceOutcome::Upgraded {
            to,
            warnings,
            undefined,
            undefined_count,
            dropped,
        } = upgrade.outcome()
        else {
            return;
        };
        let (named, is_plan) = (undefined.len(), about.command == "plan");
        let undefined = undefined.iter().map(|path| (path, "lost", UNDEFINED));
        let dropped = dropped
            .iter()
            .map(|dropped| (&dropped.path, "dropped", dropped.reason));
        let lost: Lines<'_> = dropped.chain(undefined).collect();
        let rows = match upgrade.changes() {
            [] => Vec::new(),
            changes => changed(changes, &lost, self.moves(registry, instance, *to)),
        };
        let effects = self
            .effects
            .entry(instance.type_name().to_owned())
            .or_default();
        effects.add(&rows, lost.len() - named, *undefined_count, warnings);
        let identity = upgrade.identity();
        let identity_warns = identity.is_some_and(|identity| !identity.warnings().is_empty());
        let is_noted = identity_warns || !warnings.is_empty() || *undefined_count > 0;
        let part = if is_noted {
            &mut self.noted
        } else {
            &mut self.fine
        };
        // One line a type is enough of what is as its author wants it.
        if !is_noted && !about.diff {
            return;
        }
        let Some(out) = part.of(about, instance) else {
            return;
        };
        let address = plain(&instance.address().to_string());
        let _ = writeln!(
            out,
            "{BOLD}{address}{BOLD:#}  {} → {to}",
            instance.schema_version()
        );
        let room = match (about.full, self.columns) {
            (true, _) => Room::Full,
            (false, Some(columns)) => Room::Columns(columns),
            (false, None) => Room::Unknown,
        };
        // Only a plan compares what is stored with what it becomes.
        let has_rows = about.diff && is_plan;
        if has_rows {
            self.cut |= write_rows(out, &rows, room);
            if rows.is_empty() && lost.is_empty() {
                let _ = writeln!(out, "  {DIM}only the version{DIM:#}");
            }
        }
        for (path, end, reason) in lost
            .iter()
            .filter(|(_, end, _)| about.diff || !is_plan || *end == "lost")
        {
            let _ = writeln!(
                out,
                "  {YELLOW}!{YELLOW:#} {}  {DIM}{end}: {reason}{DIM:#}",
                plain(&path.to_string())
            );
        }
        if *undefined_count > named {
            let more = undefined_count - named;
            let _ = writeln!(
                out,
                "  {YELLOW}!{YELLOW:#} and {more} more  {DIM}lost: {UNDEFINED}{DIM:#}"
            );
        }
        diagnostics(out, warnings, instance, None);
        if let Some(identity) = identity {
            let to = identity
                .to()
                .map_or_else(|| "removed".to_owned(), |to| to.to_string());
            let _ = writeln!(out, "  {BOLD}identity{BOLD:#}  {} → {to}", identity.from());
            let rows: Vec<Row<'_>> = changed(identity.changes(), &Lines::new(), &Moves::default());
            if has_rows && !rows.is_empty() {
                self.cut |= write_rows(out, &rows, room);
            }
            diagnostics(out, identity.warnings(), instance, None);
        }
        out.push('\n');
    }

    fn failed(
        &mut self,
        about: &About<'_>,
        instance: &Instance<'_>,
        to: u64,
        errors: &Diagnostics,
    ) {
        self.next.get_or_insert_with(|| Next::after(instance));
        let Some(out) = self.failed.of(about, instance) else {
            return;
        };
        let (address, verb) = (plain(&instance.address().to_string()), about.verb());
        let versions = format!("{} → {to}", instance.schema_version());
        let _ = writeln!(
            out,
            "{BOLD}{address}{BOLD:#}  {versions}  {RED}cannot be {verb}d{RED:#}"
        );
        let releases = self
            .releases
            .get_or_insert_with(|| Releases::known(about.lock));
        let wrote = |version| {
            releases
                .wrote(instance.type_name(), version)
                .map(|who| format!("{who} version {version}"))
        };
        let known: Vec<String> = [instance.schema_version(), to]
            .into_iter()
            .filter_map(wrote)
            .collect();
        if !known.is_empty() {
            let _ = writeln!(out, "  {DIM}{}{DIM:#}", known.join("; "));
        }
        diagnostics(
            out,
            errors,
            instance,
            Some((&source::name(about.state), &mut self.places)),
        );
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
        let (name, columns) = (source::name(about.state), self.columns);
        let mut text = String::new();
        let is_idle = totals.failed() == 0 && totals.upgraded() == 0;
        if is_idle && matches!(written, Written::Planned | Written::Nothing) && !about.all {
            sum(&mut text, about, (rows, lost), totals, written);
            self.out.write_all(wrapped(&text, columns).as_bytes())?;
            return self.out.flush();
        }
        let _ = writeln!(
            text,
            "{BOLD}{name}{BOLD:#}: {}, serial {}\n",
            plural(about.instances, "instance"),
            about.serial
        );
        table(
            &mut text,
            about,
            registry,
            rows,
            (&self.effects, columns),
            written,
        );
        self.fine.write(&mut text, about);
        self.noted.write(&mut text, about);
        if self.cut {
            let _ = writeln!(text, "{DIM}  (--full shows values whole){DIM:#}\n");
        }
        for (type_name, version) in &self.staying {
            if let Some(identity) = registry
                .get(type_name)
                .and_then(ResourceDefinition::identity)
            {
                let (type_name, identity) = (plain(type_name), plain(identity.type_name()));
                let _ = writeln!(
                    text,
                    "  {DIM}(the identity of {type_name} stays at version {version}; --to {identity}=VERSION takes it back){DIM:#}\n"
                );
            }
        }
        let mut wrong = String::new();
        self.failed.write(&mut wrong, about);
        if let Some(next) = &self.next {
            next.write(&mut wrong, about, totals.failed(), written);
        }
        // Refusals go to standard error, so that somebody sees them whose report goes into a file.
        let is_refused = matches!(written, Written::Nothing) && totals.failed() > 0;
        let mut end = String::new();
        sum(&mut end, about, (rows, lost), totals, written);
        verdict(&mut end, about, totals, written);
        if let Some(stderr) = &mut self.wrong {
            self.out.write_all(wrapped(&text, columns).as_bytes())?;
            self.out.flush()?;
            if is_refused {
                wrong.push_str(&end);
                end.clear();
            }
            // It may be on a terminal while the report goes into a file, or the other way around.
            let columns_of_wrong = terminal::columns(&io::stderr());
            // An error is not reported, because standard error itself is where errors go.
            let _ = stderr.write_all(wrapped(&wrong, columns_of_wrong).as_bytes());
            self.out.write_all(wrapped(&end, columns).as_bytes())?;
        } else {
            text.push_str(&wrong);
            text.push_str(&end);
            self.out.write_all(wrapped(&text, columns).as_bytes())?;
        }
        self.out.flush()
    }
}

/// Writes diagnostics; those of `file` with line and column in it.
fn diagnostics(
    out: &mut String,
    all: &Diagnostics,
    instance: &Instance<'_>,
    mut file: Option<(&str, &mut Places<'_>)>,
) {
    // Left out, since the heading of the instance says it.
    let about = format!(
        "Resource type {}, stored at schema version ",
        instance.type_name()
    );
    for diagnostic in all {
        let (style, severity) = match diagnostic.severity() {
            Severity::Error => (RED, "error"),
            Severity::Warning => (YELLOW, "warning"),
        };
        let _ = write!(
            out,
            "  {style}{severity}{style:#}: {BOLD}{}{BOLD:#}",
            plain(diagnostic.summary())
        );
        let path = diagnostic.path().filter(|path| !path.is_empty());
        if let Some(path) = path
            .map(ToString::to_string)
            .filter(|path| !diagnostic.detail().contains(path))
        {
            let _ = write!(out, " {DIM}in{DIM:#} {}", plain(&path));
        }
        out.push('\n');
        for line in diagnostic
            .detail()
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with(&about))
        {
            let _ = writeln!(out, "    {}", plain(&sentence(line)));
        }
        if let Some((name, places)) = &mut file {
            let (line, column) =
                places.of(instance.offset_of(path.unwrap_or(&AttributePath::new())));
            let _ = writeln!(out, "    {DIM}-->{DIM:#} {name}:{line}:{column}");
        }
    }
}

/// A line that begins with a capital.
fn sentence(line: &str) -> String {
    let mut letters = line.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
