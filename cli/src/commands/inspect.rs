//! `inspect`: what is in a state file.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde::Serialize;
use upstate::Registry;
use upstate_state::{Mode, StateFile};

use crate::format::Format;
use crate::terminal::{self, BOLD, DIM, GREEN, RED, YELLOW, plain, plural};
use crate::{Outcome, source};

/// Show which types and schema versions a state file holds, and which of them need an upgrade
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  inspect terraform.tfstate\n  terraform state pull | inspect - --format json")]
pub(crate) struct Inspect {
    /// The state file; - reads standard input
    #[arg(value_name = "STATE")]
    state: PathBuf,
    /// How to print
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
    /// Instances of known types that this release has no way up for.
    cannot_upgrade: usize,
    types: Vec<Row>,
}

/// The instances of one type that are stored at the same version.
#[derive(Debug, Serialize)]
struct Row {
    mode: &'static str,
    #[serde(rename = "type")]
    type_name: String,
    version: u64,
    instances: usize,
    /// How many of them are in the form of Terraform 0.11.
    flat: usize,
    providers: Vec<String>,
    /// The current version; absent if the type is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<u64>,
    status: Status,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Current,
    NeedsUpgrade,
    /// No upgrade leads from there.
    NoWay,
    UnknownType,
    Data,
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
        let mut rows: BTreeMap<(bool, String, u64), Row> = BTreeMap::new();
        for instance in state.instances() {
            let key = (instance.mode() == Mode::Data, instance.type_name().to_owned(), instance.schema_version());
            let definition = registry.get(instance.type_name());
            let row = rows.entry(key).or_insert_with(|| Row {
                mode: if instance.mode() == Mode::Data { "data" } else { "managed" },
                type_name: instance.type_name().to_owned(),
                version: instance.schema_version(),
                instances: 0,
                flat: 0,
                providers: Vec::new(),
                current: definition.map(upstate::ResourceDefinition::version),
                status: match definition {
                    _ if instance.mode() == Mode::Data => Status::Data,
                    None => Status::UnknownType,
                    Some(definition) if definition.version() == instance.schema_version() => Status::Current,
                    Some(definition) if definition.reaches(instance.schema_version()) => Status::NeedsUpgrade,
                    Some(_) => Status::NoWay,
                },
            });
            row.instances += 1;
            if instance.attributes().is_none() {
                row.flat += 1;
                if row.status == Status::Current {
                    row.status = Status::NeedsUpgrade;
                }
            }
            if !row.providers.iter().any(|provider| provider == instance.provider()) {
                row.providers.push(instance.provider().to_owned());
            }
        }
        let types: Vec<Row> = rows.into_values().collect();
        let counted = |status: Status| types.iter().filter(|row| row.status == status).map(|row| row.instances).sum();
        Report {
            format_version: "1.0",
            state: self.state.display().to_string(),
            terraform_version: state.terraform_version(),
            serial: state.serial(),
            lineage: state.lineage(),
            instances: state.instances().len(),
            needs_upgrade: counted(Status::NeedsUpgrade),
            cannot_upgrade: counted(Status::NoWay),
            types,
        }
    }
}

fn json(report: &Report<'_>) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", terminal::visible_json(&serde_json::to_string_pretty(report)?))?;
    out.flush()
}

fn text(report: &Report<'_>) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    let name = if report.state == "-" { "standard input" } else { &report.state };
    writeln!(out, "{BOLD}{name}{BOLD:#}: {}, serial {}", plural(report.instances, "instance"), report.serial)?;
    if !report.terraform_version.is_empty() {
        writeln!(out, "  {DIM}written by Terraform{DIM:#} {}", plain(report.terraform_version))?;
    }
    if !report.lineage.is_empty() {
        writeln!(out, "  {DIM}lineage{DIM:#} {}", plain(report.lineage))?;
    }
    writeln!(out)?;
    let name_of = |row: &Row| format!("{}{}", if row.mode == "data" { "data." } else { "" }, plain(&row.type_name));
    let width = report.types.iter().map(|row| name_of(row).chars().count()).max().unwrap_or(0).max("type".len());
    if !report.types.is_empty() {
        writeln!(out, "  {DIM}{:width$}  {:>7}  {:>9}{DIM:#}", "type", "version", "instances")?;
    }
    for row in &report.types {
        let current = row.current.unwrap_or_default();
        let (style, says) = match row.status {
            Status::Current => (DIM, "current".to_owned()),
            Status::NeedsUpgrade if row.flat > 0 => (GREEN, format!("needs an upgrade to {current}, {} in flat form", row.flat)),
            Status::NeedsUpgrade => (GREEN, format!("needs an upgrade to {current}")),
            Status::NoWay if row.version > current => (RED, format!("newer than {current}, the latest known here")),
            Status::NoWay => (RED, format!("has no way up to {current}")),
            Status::UnknownType => (YELLOW, "unknown type".to_owned()),
            Status::Data => (DIM, "data source, read anew by Terraform".to_owned()),
        };
        writeln!(out, "  {:width$}  {:>7}  {:>9}  {style}{says}{style:#}", name_of(row), row.version, row.instances)?;
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
        writeln!(out, "{} cannot be upgraded by this release", plural(report.cannot_upgrade, "instance"))?;
    }
    out.flush()
}
