//! `inspect`: what is in a state file.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde::Serialize;
use upstate::Registry;
use upstate_state::{InstanceStatus, Mode, StateFile, StoredType};

use crate::format::Format;
use crate::outcome::Outcome;
use crate::source;
use crate::terminal::{self, BOLD, DIM, GREEN, RED, YELLOW, plain, plural};

/// Show which types and schema versions a state file holds, and which of them need an upgrade
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  {program} inspect terraform.tfstate\n  terraform state pull | {program} inspect - --format json"
)]
pub(crate) struct Inspect {
    /// The state file; - reads standard input
    #[arg(value_name = "STATE")]
    state: PathBuf,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    format_version: &'static str,
    state: String,
    terraform_version: &'a str,
    serial: u64,
    lineage: &'a str,
    instances: usize,
    needs_upgrade: usize,
    /// Instances of known types that this release cannot upgrade.
    cannot_upgrade: usize,
    types: Vec<Row>,
}

/// The instances of one type that are stored at the same version.
#[derive(Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    stored: StoredType,
    /// The current version; absent if the type is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<u64>,
    status: InstanceStatus,
}

impl Inspect {
    pub(crate) fn run(&self, registry: &Registry) -> Outcome {
        let shown = source::read(&self.state).and_then(|bytes| {
            let state = source::parse(&self.state, &bytes)?;
            let report = self.report(registry, &state);
            Ok(terminal::printed(match self.format {
                Format::Json => json(&report),
                Format::Text => text(&report),
            }))
        });
        shown.unwrap_or_else(|outcome| outcome)
    }

    fn report<'a>(&self, registry: &Registry, state: &'a StateFile<'_>) -> Report<'a> {
        let types: Vec<Row> = state
            .stored_types()
            .into_iter()
            .map(|stored| Row {
                current: registry
                    .get(&stored.type_name)
                    .map(upstate::ResourceDefinition::version),
                status: stored.status(registry),
                stored,
            })
            .collect();
        let counted = |status: InstanceStatus| {
            types
                .iter()
                .filter(|row| row.status == status)
                .map(|row| row.stored.instances)
                .sum()
        };
        Report {
            format_version: "1.0",
            state: self.state.display().to_string(),
            terraform_version: state.terraform_version(),
            serial: state.serial(),
            lineage: state.lineage(),
            instances: state.instances().len(),
            needs_upgrade: counted(InstanceStatus::NeedsUpgrade),
            cannot_upgrade: counted(InstanceStatus::CannotUpgrade),
            types,
        }
    }
}

fn json(report: &Report<'_>) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{}",
        terminal::visible_json(&serde_json::to_string_pretty(report)?)
    )?;
    out.flush()
}

fn text(report: &Report<'_>) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    let name = if report.state == "-" {
        "standard input"
    } else {
        &report.state
    };
    writeln!(
        out,
        "{BOLD}{name}{BOLD:#}: {}, serial {}",
        plural(report.instances, "instance"),
        report.serial
    )?;
    if !report.terraform_version.is_empty() {
        writeln!(
            out,
            "  {DIM}written by Terraform{DIM:#} {}",
            plain(report.terraform_version)
        )?;
    }
    if !report.lineage.is_empty() {
        writeln!(out, "  {DIM}lineage{DIM:#} {}", plain(report.lineage))?;
    }
    writeln!(out)?;
    let name_of = |row: &Row| {
        let prefix = match row.stored.mode {
            Mode::Data => "data.",
            Mode::Managed => "",
        };
        format!("{prefix}{}", plain(&row.stored.type_name))
    };
    let width = report
        .types
        .iter()
        .map(|row| name_of(row).chars().count())
        .max()
        .unwrap_or(0)
        .max("type".len());
    if !report.types.is_empty() {
        writeln!(
            out,
            "  {DIM}{:width$}  {:>7}  {:>9}{DIM:#}",
            "type", "version", "instances"
        )?;
    }
    for row in &report.types {
        let current = row.current.unwrap_or_default();
        let (style, words) = match row.status {
            InstanceStatus::Current => (DIM, "current".to_owned()),
            InstanceStatus::NeedsUpgrade if row.stored.flat > 0 => (
                GREEN,
                format!(
                    "needs an upgrade to {current}, {} in flat form",
                    row.stored.flat
                ),
            ),
            InstanceStatus::NeedsUpgrade => (GREEN, format!("needs an upgrade to {current}")),
            InstanceStatus::CannotUpgrade if row.stored.version > current => {
                (RED, format!("newer than {current}, the latest known here"))
            }
            InstanceStatus::CannotUpgrade => (RED, format!("has no upgrade path to {current}")),
            InstanceStatus::UnknownType => (YELLOW, "unknown type".to_owned()),
            InstanceStatus::Data => (DIM, "data source; Terraform reads it again".to_owned()),
        };
        writeln!(
            out,
            "  {:width$}  {:>7}  {:>9}  {style}{words}{style:#}",
            name_of(row),
            row.stored.version,
            row.stored.instances
        )?;
    }
    if !report.types.is_empty() {
        writeln!(out)?;
    }
    match report.needs_upgrade {
        0 => writeln!(out, "nothing needs an upgrade")?,
        1 => writeln!(out, "1 instance needs an upgrade")?,
        many => writeln!(out, "{many} instances need an upgrade")?,
    }
    if report.cannot_upgrade > 0 {
        writeln!(
            out,
            "{} cannot be upgraded by this release",
            plural(report.cannot_upgrade, "instance")
        )?;
    }
    out.flush()
}
