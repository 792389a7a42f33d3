//! What `plan` and `upgrade` report, as text or as JSON.

mod json;
mod text;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use upstate::Registry;
use upstate_state::{InstanceOutcome, InstanceUpgrade, UpgradeTotals};

use crate::args::Format;
use crate::{Outcome, terminal};

/// What happened to the file.
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

/// What a report is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About<'a> {
    pub(crate) command: &'static str,
    pub(crate) state: &'a Path,
    pub(crate) serial: u64,
    pub(crate) instances: usize,
    /// Every instance instead of the first of each kind.
    pub(crate) all: bool,
}

/// The instances of one type and stored version that met the same end.
type Rows = BTreeMap<(RowOutcome, String, u64), usize>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum RowOutcome {
    Failed,
    Upgraded,
    Current,
    Excluded,
    UnknownType,
}

/// Takes what came of the instances, one after the other, and says it.
pub(crate) struct Reporter<'a> {
    about: About<'a>,
    registry: &'a Registry,
    rows: Rows,
    how: How,
}

enum How {
    Text(text::Details),
    Json(json::Stream),
}

impl<'a> Reporter<'a> {
    /// A report to `out`, which is standard output unless state is written there.
    pub(crate) fn new(about: About<'a>, registry: &'a Registry, format: Format, to_stderr: bool) -> Self {
        let how = match format {
            Format::Text if to_stderr => How::Text(text::Details::new(Box::new(anstream::stderr()))),
            Format::Text => How::Text(text::Details::new(Box::new(anstream::stdout()))),
            Format::Json if to_stderr => How::Json(json::Stream::new(Box::new(io::stderr()))),
            Format::Json => How::Json(json::Stream::new(Box::new(io::BufWriter::new(io::stdout())))),
        };
        Self { about, registry, rows: Rows::new(), how }
    }

    pub(crate) fn instance(&mut self, upgrade: &InstanceUpgrade<'_, '_>) -> io::Result<()> {
        let outcome = match upgrade.outcome() {
            InstanceOutcome::Upgraded { .. } => RowOutcome::Upgraded,
            InstanceOutcome::Failed { .. } => RowOutcome::Failed,
            InstanceOutcome::Current => RowOutcome::Current,
            InstanceOutcome::Excluded => RowOutcome::Excluded,
            InstanceOutcome::UnknownType => RowOutcome::UnknownType,
            // Data sources, and whatever else is not upgraded.
            _ => return Ok(()),
        };
        let instance = upgrade.instance();
        let key = (outcome, instance.type_name().to_owned(), instance.schema_version());
        *self.rows.entry(key).or_default() += 1;
        if !matches!(outcome, RowOutcome::Upgraded | RowOutcome::Failed) {
            return Ok(());
        }
        match &mut self.how {
            How::Text(details) => {
                details.instance(&self.about, upgrade);
                Ok(())
            }
            How::Json(stream) => stream.instance(&self.about, upgrade),
        }
    }

    pub(crate) fn finish(self, totals: &UpgradeTotals, written: &Written) -> Outcome {
        terminal::printed(match self.how {
            How::Text(details) => details.finish(&self.about, self.registry, &self.rows, totals, written),
            How::Json(stream) => stream.finish(&self.about, self.registry, &self.rows, totals, written),
        })
    }
}
