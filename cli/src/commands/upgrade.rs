//! `upgrade`: state files, and stored states one a line.

use std::fs::{self, File};
use std::io::{self, Seek as _, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use upstate::UpgradeRequest;
use upstate::upgrade::DowngradeRequest;
use upstate_state::atomic_file::{NewFile, nameless, write_new};
use upstate_state::{
    Address, DowngradeGoals, Goal, LineOptions, LockedFile, Replacement, StateFile, UpgradeOptions,
    UpgradeTotals,
};

use super::documents::{DocumentOptions, Work};
use super::downgrade::Back;
use super::ndjson;
use super::plan::Plan;
use crate::format::Format;
use crate::outcome::Outcome;
use crate::program::Program;
use crate::report::{About, Reporter, Written};
use crate::select::Selection;
use crate::source::{self, is_dash};
use crate::{progress, terminal};

/// Upgrade a state file, in place or into another file
///
/// In place, the file is locked as Terraform locks it, and the old content is kept in a file with
/// `.backup` behind its name, which takes the place of an earlier backup. At any moment the file is
/// the old one or the new one, whole.
#[derive(Debug, ClapArgs)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
#[command(after_help = "Examples:\n  \
    {program} upgrade terraform.tfstate                         in place; keeps a backup\n  \
    {program} upgrade terraform.tfstate --dry-run               what it would do, as plan shows it\n  \
    {program} upgrade terraform.tfstate --output new.tfstate    keeps the original\n  \
    terraform state pull | {program} upgrade - > new.tfstate    from a pipe into a file\n  \
    {program} upgrade terraform.tfstate --exclude 'module.old' --partial\n  \
    {program} upgrade --ndjson < rows.ndjson > upgraded.ndjson  one stored state a line\n  \
    {program} upgrade settings.toml                             a document, edited in place; keeps a backup")]
pub(crate) struct Upgrade {
    /// The state file, or a document; - reads a state file from standard input and writes it to
    /// standard output
    #[arg(value_name = "STATE", required_unless_present = "ndjson")]
    state: Option<PathBuf>,
    #[command(flatten)]
    documents: DocumentOptions,
    /// Write to this file instead of in place; an existing file is replaced, without a backup; - is
    /// standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write nothing; show what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    selection: Selection,
    /// Skip instances that cannot be upgraded; the exit code is 1 if any were skipped
    #[arg(long)]
    partial: bool,
    /// Rewrite the whole file as Terraform writes it: sorted, indented, without members that the
    /// format does not define
    #[arg(long)]
    normalize: bool,
    /// Read stored states, one per line, and write them upgraded, in order
    ///
    /// A line is a JSON object of `type_name`, `schema_version` and `attributes`; other members are
    /// kept. A line that cannot be upgraded is passed on with an "error", and the exit code is 1.
    #[arg(long, conflicts_with_all = [
        "dry_run", "only", "exclude", "partial", "normalize", "format", "diff", "all", "full",
        "allow_loss", "more", "file_format", "type_name", "former_types", "unversioned", "version_member", "type_member", "attributes_member", "discard_comments",
    ])]
    ndjson: bool,
    #[command(flatten)]
    report: ReportOptions,
    /// Refuse instances and lines with values that no schema defines, and read lines of the current
    /// version too
    #[arg(long)]
    strict: bool,
    /// Upgrade documents even if values that no schema defines are lost, each because another one
    /// has its place; the backup keeps them
    #[arg(long, conflicts_with = "strict")]
    allow_loss: bool,
    /// The goals of a downgrade.
    #[arg(skip)]
    back: Option<DowngradeGoals>,
}

/// The options of both directions about the report, and the threads that make it.
#[derive(Debug, ClapArgs)]
pub(crate) struct ReportOptions {
    /// With --dry-run: show what changes in the instances, attribute by attribute
    #[arg(long)]
    diff: bool,
    /// Show every instance that has messages, not only the first ten of each type and version
    #[arg(long)]
    all: bool,
    /// With --dry-run: show values whole, not cut where they are long
    #[arg(long)]
    full: bool,
    /// Number of threads (default: one per core); does not affect the output
    #[arg(long, value_name = "NUMBER")]
    threads: Option<NonZeroUsize>,
    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

/// The path of the upgraded file.
enum Target<'a> {
    InPlace(Replacement<'a>),
    /// Another file, which is there already and locked as well.
    Over(PathBuf, Replacement<'a>),
    File(PathBuf, NewFile),
    /// Standard output gets nothing before everything is known.
    Stdout(File),
}

impl Upgrade {
    /// A downgrade of a state file, in place.
    pub(super) fn back(goals: DowngradeGoals, state: PathBuf, report: ReportOptions) -> Self {
        Self {
            state: Some(state),
            documents: DocumentOptions::default(),
            output: None,
            dry_run: false,
            selection: Selection::default(),
            partial: false,
            normalize: false,
            ndjson: false,
            report,
            strict: false,
            allow_loss: false,
            back: Some(goals),
        }
    }

    pub(super) fn output(mut self, output: Option<PathBuf>, dry_run: bool) -> Self {
        self.output = output;
        self.dry_run = dry_run;
        self
    }

    pub(super) fn selected(mut self, selection: Selection, partial: bool) -> Self {
        self.selection = selection;
        self.partial = partial;
        self
    }

    pub(crate) fn run(self, program: &Program) -> Outcome {
        if self.ndjson {
            let options = LineOptions::new().strict(self.strict);
            let options = self
                .report
                .threads
                .map_or(options, |threads| options.threads(threads));
            return ndjson::run(
                program,
                self.state.as_deref(),
                self.output.as_deref(),
                options,
            );
        }
        let Some(path) = self.state.clone() else {
            return Outcome::Usage;
        };
        if self.back.is_none() && self.documents.are_meant(&path) {
            if self.output.is_some() || self.partial || self.normalize || !self.selection.is_empty()
            {
                terminal::fail(
                    "documents are upgraded in place and whole: --output, --partial, --normalize, --only and --exclude are for \
                     state files",
                );
                return Outcome::Usage;
            }
            let work = Work {
                writes: !self.dry_run,
                strict: self.strict,
                allows_loss: self.allow_loss,
                detailed_exitcode: false,
                format: self.report.format,
                back: None,
            };
            return self.documents.run(program, &path, work);
        }
        if self.allow_loss {
            terminal::fail("--allow-loss is for documents, and for state that goes back");
            return Outcome::Usage;
        }
        if self.dry_run {
            let Self {
                selection,
                partial,
                report,
                strict,
                back,
                ..
            } = self;
            let (state, detailed_exitcode) = (path, false);
            let goals = back;
            let back = Back::nowhere(strict);
            let documents = DocumentOptions::default();
            let plan = Plan {
                state,
                documents,
                back,
                selection,
                partial,
                diff: report.diff,
                all: report.all,
                full: report.full,
                detailed_exitcode,
                format: report.format,
            };
            return plan.run_to(program, goals.as_ref());
        }
        // Another name for the same file is still that file: it gets its backup.
        let elsewhere = match &self.output {
            Some(output) if is_dash(&path) || !same_file(output, &path) => Some(output.clone()),
            None if is_dash(&path) => Some(PathBuf::from("-")),
            _ => None,
        };
        let outcome = match elsewhere {
            None => self.in_place(program, &path),
            Some(output) => self.elsewhere(program, &path, &output),
        };
        program.say_what_it_lacks();
        outcome.unwrap_or_else(|outcome| outcome)
    }

    fn elsewhere(&self, program: &Program, path: &Path, output: &Path) -> Result<Outcome, Outcome> {
        let bytes = source::read(path)?;
        let state = source::parse_to_upgrade(path, &bytes)?;
        let failed = |error: io::Error| unwritable(output, &error);
        // A Terraform may be working on what is there.
        let locked = if fs::metadata(output).is_ok_and(|there| there.is_file()) {
            Some(locked(output)?)
        } else {
            None
        };
        let target = match &locked {
            Some(there) => Target::Over(output.to_owned(), there.replacement().map_err(failed)?),
            None if is_dash(output) => Target::Stdout(nameless().map_err(failed)?),
            None => Target::File(output.to_owned(), NewFile::create(output).map_err(failed)?),
        };
        self.write(program, path, &state, &bytes, target)
    }

    fn in_place(&self, program: &Program, path: &Path) -> Result<Outcome, Outcome> {
        let file = locked(path)?;
        let state = source::parse_to_upgrade(path, file.bytes())?;
        let target = file
            .replacement()
            .map_err(|error| unwritable(path, &error))?;
        self.write(program, path, &state, file.bytes(), Target::InPlace(target))
    }

    fn write(
        &self,
        program: &Program,
        path: &Path,
        state: &StateFile<'_>,
        old: &[u8],
        mut target: Target<'_>,
    ) -> Result<Outcome, Outcome> {
        let patterns = self.selection.patterns(state)?;
        let pick = |address: &Address<'_>| patterns.pick(address);
        let upgrade = |request: &UpgradeRequest<'_>| match &self.back {
            Some(goals) => program.downgrade(goals, request),
            None => program.upgrade(request),
        };
        let goal = |type_name: &str| {
            self.back
                .as_ref()
                .map_or(Goal::Stay, |goals| goals.of(type_name))
        };
        let identity = |request: &DowngradeRequest<'_>| program.downgrade_identity(request);
        let mut options = UpgradeOptions::new()
            .only(&pick)
            .partial(self.partial)
            .strict(self.strict)
            .upgraded_by(&upgrade);
        if let Some(goals) = &self.back {
            options = options.back_to(&goal).identities_back_to(goals, &identity);
        }
        if let Some(threads) = self.report.threads {
            options = options.threads(threads);
        }
        let instances = state.instances().len();
        let command = if self.back.is_some() {
            "downgrade"
        } else {
            "upgrade"
        };
        let about = About {
            command,
            state: path,
            bytes: old,
            serial: state.serial(),
            instances,
            all: self.report.all,
            diff: false,
            full: self.report.full,
            partial: self.partial,
            back: self.back.as_ref(),
            lock: program.lock(),
        };
        let mut reporter = Reporter::new(
            about,
            program.registry(),
            self.report.format,
            matches!(target, Target::Stdout(_)),
        );
        let bar = progress::bar(
            instances,
            if self.back.is_some() {
                "downgrading"
            } else {
                "upgrading"
            },
        );
        let each = |upgrade: upstate_state::InstanceUpgrade<'_, '_>| {
            bar.inc(1);
            reporter.instance(&upgrade);
            Ok(())
        };
        let mut whole = Vec::new();
        let out: &mut dyn Write = if self.normalize {
            &mut whole
        } else {
            target.writer()
        };
        let totals = state.upgrade_to(program.registry(), &options, out, each);
        bar.finish_and_clear();
        let goal = self.output.as_deref().unwrap_or(path);
        let totals = totals.map_err(|error| {
            source::refused_later(path, old, &error).unwrap_or_else(|| unwritable(goal, &error))
        })?;
        if totals.failed() > 0 && !self.partial {
            // Nobody waits for the lock until the report is read.
            target.give_up();
            return Ok(reporter.finish(&totals, &Written::Nothing, Outcome::Refused));
        }
        let target = if self.normalize {
            let upgraded = if totals.upgraded() > 0 {
                whole.as_slice()
            } else {
                old
            };
            normalize(upgraded, target).map_err(|error| unwritable(goal, &error))?
        } else {
            target
        };
        let written = put(target, &totals, old, self.normalize, state)
            .map_err(|error| unwritable(goal, &error))?;
        let outcome = if totals.failed() > 0 {
            Outcome::Refused
        } else {
            Outcome::Done
        };
        Ok(reporter.finish(&totals, &written, outcome))
    }
}

impl Target<'_> {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::InPlace(replacement) | Self::Over(_, replacement) => replacement,
            Self::File(_, file) => file,
            Self::Stdout(file) => file,
        }
    }

    /// Throws away what was written.
    fn give_up(self) {
        match self {
            Self::InPlace(replacement) | Self::Over(_, replacement) => replacement.give_up(),
            Self::File(..) | Self::Stdout(_) => {}
        }
    }
}

fn normalize<'a>(bytes: &[u8], mut target: Target<'a>) -> io::Result<Target<'a>> {
    let state = StateFile::parse(bytes).map_err(io::Error::other)?;
    state.normalize(target.writer())?;
    Ok(target)
}

/// Puts the upgraded file where it belongs.
fn put(
    target: Target<'_>,
    totals: &UpgradeTotals,
    old: &[u8],
    normalized: bool,
    state: &StateFile<'_>,
) -> io::Result<Written> {
    let changed = totals.upgraded() > 0;
    match target {
        Target::InPlace(replacement) if changed || normalized && !is_normal(state, old)? => {
            replacement
                .put_in_place()
                .map(|backup| Written::InPlace { backup })
        }
        Target::InPlace(replacement) => {
            replacement.give_up();
            Ok(Written::Nothing)
        }
        Target::Over(path, replacement) if changed || normalized || totals.failed() == 0 => {
            replacement.put_without_backup().map(|()| Written::To(path))
        }
        Target::Over(path, replacement) => replacement.put_instead(old).map(|()| Written::To(path)),
        // What was written may have a new serial for upgrades that failed.
        Target::File(path, file) if changed || normalized || totals.failed() == 0 => {
            file.put_in_place().map(|()| Written::To(path))
        }
        Target::File(path, _) => write_new(&path, old).map(|()| Written::To(path)),
        Target::Stdout(mut file) => {
            let mut out = io::stdout().lock();
            if changed || normalized || totals.failed() == 0 {
                file.rewind()?;
                io::copy(&mut file, &mut out)?;
            } else {
                out.write_all(old)?;
            }
            out.flush()?;
            Ok(Written::Stdout)
        }
    }
}

/// True if the file is as Terraform would write it already.
fn is_normal(state: &StateFile<'_>, old: &[u8]) -> io::Result<bool> {
    let mut normal = Vec::with_capacity(old.len());
    state.normalize(&mut normal)?;
    Ok(normal == old)
}

pub(super) fn unwritable(path: &Path, error: &io::Error) -> Outcome {
    let name = if is_dash(path) {
        "standard output".to_owned()
    } else {
        path.display().to_string()
    };
    terminal::fail(&match error.kind() {
        io::ErrorKind::BrokenPipe => format!(
            "the reader of {name} closed it early; the rest of the output is lost ({error})"
        ),
        _ => format!("cannot write {name}: {error}"),
    });
    Outcome::Unreadable
}

/// Takes the lock of a file that is there.
fn locked(path: &Path) -> Result<LockedFile, Outcome> {
    LockedFile::open(path).map_err(|error| {
        let shown = path.display();
        terminal::fail(&match error.kind() {
            io::ErrorKind::WouldBlock => format!("{shown} is locked: {error}"),
            // The system's own errors have no inner one, so this says that the file cannot be read;
            // others say why it cannot be replaced.
            _ if error.get_ref().is_none() => format!("cannot read {shown}: {error}"),
            _ => format!("cannot replace {shown}: {error}"),
        });
        Outcome::Unreadable
    })
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}
