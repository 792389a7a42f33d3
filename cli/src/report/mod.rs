//! The reports of `plan` and `upgrade`, as text or as JSON.

mod json;
mod next;
mod place;
mod text;
mod totals;
mod values;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use upstate::{Diagnostics, Registry, ResourceDefinition};
use upstate_state::{DowngradeGoals, Instance, InstanceOutcome, InstanceUpgrade, UpgradeTotals};

use crate::format::Format;
use crate::outcome::Outcome;
use crate::{source, terminal};

/// The outcome for the file.
#[derive(Debug, Clone)]
pub(crate) enum Written {
    /// Nothing was to be written: a plan.
    Planned,
    Nothing,
    To(PathBuf),
    Stdout,
    InPlace {
        backup: PathBuf,
    },
}

/// The subject of a report.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(crate) struct About<'a> {
    pub(crate) command: &'static str,
    pub(crate) state: &'a Path,
    /// The whole file.
    pub(crate) bytes: &'a [u8],
    pub(crate) serial: u64,
    pub(crate) instances: usize,
    /// Every instance instead of the first of each kind.
    pub(crate) all: bool,
    /// True to show the changes of each instance, and not only a line a type.
    pub(crate) diff: bool,
    /// Values whole, however long they are.
    pub(crate) full: bool,
    /// Instances that fail are left out.
    pub(crate) partial: bool,
    /// The goals of a downgrade.
    pub(crate) back: Option<&'a DowngradeGoals>,
    /// The lock that the program has in it.
    pub(crate) lock: Option<&'static str>,
}

impl About<'_> {
    /// The version that instances of a type are brought to.
    fn goal(&self, registry: &Registry, type_name: &str) -> Option<u64> {
        match self.back {
            Some(goals) => goals.version(type_name),
            None => registry.get(type_name).map(ResourceDefinition::version),
        }
    }

    /// True if an instance goes back and its identity, which `--to` asks for by a name of its own,
    /// does not.
    fn leaves_identity(&self, instance: &Instance<'_>) -> bool {
        let Some(goals) = self.back.filter(|goals| goals.release().is_none()) else {
            return false;
        };
        let (type_name, stored) = (instance.type_name(), instance.identity_schema_version());
        // Where identities of the type go anywhere, one of the latest version does.
        goals.version(type_name).is_some()
            && stored > 0
            && !goals.concerns_identity(type_name, u64::MAX)
    }

    /// The action: `upgrade` or `downgrade`.
    const fn verb(&self) -> &'static str {
        if self.back.is_some() {
            "downgrade"
        } else {
            "upgrade"
        }
    }

    /// Another option against a refusal, in the end of a list of them.
    fn permission(&self) -> &'static str {
        match self.back {
            Some(goals) if !goals.allows_loss() && !goals.is_strict() => {
                ", --allow-loss drops what the older version cannot hold"
            }
            Some(_) | None => "",
        }
    }
}

/// The instances of one type and stored version that met the same end.
type Rows = BTreeMap<(RowOutcome, String, u64), usize>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum RowOutcome {
    Failed,
    Upgraded,
    Downgraded,
    Current,
    Excluded,
    UnknownType,
}

impl RowOutcome {
    /// Its name in a downgrade.
    const fn back(self) -> Self {
        match self {
            Self::Upgraded => Self::Downgraded,
            Self::Failed
            | Self::Downgraded
            | Self::Current
            | Self::Excluded
            | Self::UnknownType => self,
        }
    }
}

/// The stored values that an upgrade leaves out.
#[derive(Debug, Clone, Copy, Default)]
struct Lost {
    /// Those that a `drop` gives a reason for.
    dropped: usize,
    /// Those that nobody gave a reason for.
    values: usize,
}

impl Lost {
    fn add(&mut self, upgrade: &InstanceUpgrade<'_, '_>) {
        let identity = upgrade
            .identity()
            .map_or(0, |identity| count_lost(identity.warnings()));
        self.values += identity;
        if let InstanceOutcome::Upgraded {
            undefined_count,
            dropped,
            warnings,
            ..
        } = upgrade.outcome()
        {
            let back = count_lost(warnings);
            self.dropped += dropped.len();
            self.values += undefined_count + back;
        }
    }
}

/// The losses of a downgrade, which are warnings if they are allowed.
fn count_lost(warnings: &Diagnostics) -> usize {
    warnings
        .iter()
        .filter(|warning| warning.summary() == VALUE_LOST)
        .count()
}

/// The summary of the warning for each value that a downgrade loses.
const VALUE_LOST: &str = "Value Lost";

/// Takes what came of the instances, one after the other, and says it.
pub(crate) struct Reporter<'a> {
    about: About<'a>,
    registry: &'a Registry,
    rows: Rows,
    lost: Lost,
    how: How<'a>,
    /// Its goal.
    stream: &'static str,
    /// The reason why it could not be written on. The work goes on without it.
    broken: Option<io::Error>,
}

enum How<'a> {
    Text(Box<text::Details<'a>>),
    Json(json::Stream<'a>),
}

impl<'a> Reporter<'a> {
    /// A report to `out`, which is standard output unless state is written there.
    pub(crate) fn new(
        about: About<'a>,
        registry: &'a Registry,
        format: Format,
        to_stderr: bool,
    ) -> Self {
        let (out, stream): (Box<dyn io::Write>, _) = match (format, to_stderr) {
            (Format::Text, true) => (Box::new(anstream::stderr()), "standard error"),
            (Format::Text, false) => (Box::new(anstream::stdout()), "standard output"),
            (Format::Json, true) => (Box::new(io::stderr()), "standard error"),
            (Format::Json, false) => {
                let out = io::BufWriter::new(io::stdout());
                (Box::new(out), "standard output")
            }
        };
        let how = match format {
            Format::Text => {
                // A plan is asked for what is wrong, so it answers that.
                let wrong = (!to_stderr && about.command != "plan")
                    .then(|| Box::new(anstream::stderr()) as Box<dyn io::Write>);
                let columns = if to_stderr {
                    terminal::columns(&io::stderr())
                } else {
                    terminal::columns(&io::stdout())
                };
                How::Text(Box::new(text::Details::new(out, wrong, &about, columns)))
            }
            Format::Json => How::Json(json::Stream::new(out, &about)),
        };
        Self {
            about,
            registry,
            rows: Rows::new(),
            lost: Lost::default(),
            how,
            stream,
            broken: None,
        }
    }

    /// True if an upgrade would leave out stored values without a reason that its author gave.
    pub(crate) fn loses(&self) -> bool {
        self.lost.values > 0
    }

    pub(crate) fn instance(&mut self, upgrade: &InstanceUpgrade<'_, '_>) {
        let outcome = match upgrade.outcome() {
            InstanceOutcome::Upgraded { .. } => RowOutcome::Upgraded,
            InstanceOutcome::Failed { .. } => RowOutcome::Failed,
            InstanceOutcome::Current => RowOutcome::Current,
            InstanceOutcome::Excluded => RowOutcome::Excluded,
            InstanceOutcome::UnknownType => RowOutcome::UnknownType,
            // Data sources, and whatever else is not upgraded.
            _ => return,
        };
        let instance = upgrade.instance();
        let key = (
            outcome,
            instance.type_name().to_owned(),
            instance.schema_version(),
        );
        *self.rows.entry(key).or_default() += 1;
        self.lost.add(upgrade);
        if !matches!(outcome, RowOutcome::Upgraded | RowOutcome::Failed) {
            return;
        }
        match &mut self.how {
            How::Text(details) => details.instance(&self.about, self.registry, upgrade),
            How::Json(stream) if self.broken.is_none() => {
                self.broken = stream.instance(&self.about, upgrade).err();
            }
            How::Json(_) => {}
        }
    }

    /// Ends the report on what came to `outcome`. If it cannot be written, standard error tells
    /// what has become of the file.
    pub(crate) fn finish(
        self,
        totals: &UpgradeTotals,
        written: &Written,
        outcome: Outcome,
    ) -> Outcome {
        let result = match (self.broken, self.how) {
            (Some(error), _) => Err(error),
            (None, How::Text(details)) => details.finish(
                &self.about,
                self.registry,
                (&self.rows, self.lost),
                totals,
                written,
            ),
            (None, How::Json(stream)) => stream.finish(
                &self.about,
                self.registry,
                (&self.rows, self.lost),
                totals,
                written,
            ),
        };
        let Err(error) = result else { return outcome };
        let (stream, summary) = (self.stream, written.summary(&self.about, totals));
        match (error.kind(), written) {
            // A closed pipe does not fail a plan, because its reader has seen enough.
            (io::ErrorKind::BrokenPipe, Written::Planned) => outcome,
            (io::ErrorKind::BrokenPipe, _) => {
                terminal::warn(&format!("the report on {stream} has no reader; {summary}"));
                outcome
            }
            _ => {
                terminal::fail(&format!(
                    "the report cannot be written to {stream}: {error}; {summary}"
                ));
                Outcome::Unreadable
            }
        }
    }
}

impl Written {
    /// The outcome for the file.
    fn summary(&self, about: &About<'_>, totals: &UpgradeTotals) -> String {
        let name = source::name(about.state);
        let serials = match totals.new_serial() {
            Some(new) => format!("serial {} → {new}", about.serial),
            None => format!("serial {}", about.serial),
        };
        match self {
            Self::Planned => format!("nothing was to be written, {name} is as it was"),
            Self::Nothing if totals.failed() > 0 => {
                format!("refused: nothing was written, {name} is as it was")
            }
            Self::Nothing => format!("nothing to do, {name} is as it was"),
            Self::To(output) => format!("wrote {}, {serials}", output.display()),
            Self::Stdout => format!("wrote standard output, {serials}"),
            Self::InPlace { backup } => format!(
                "wrote {name}, {serials}; the old one is {}",
                backup.display()
            ),
        }
    }
}
