//! What `plan` and `upgrade` print.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use upstate::state_file::{InstanceOutcome, StateFileUpgrade};
use upstate::{Diagnostic, Diagnostics, Registry, Severity};

use crate::Outcome;
use crate::args::Format;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default();

/// What happened to the file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Written {
    Nothing,
    To(PathBuf),
    InPlace { backup: PathBuf },
}

#[derive(Debug, Serialize)]
pub(crate) struct Report<'a> {
    state: &'a Path,
    serial: u64,
    instances: usize,
    types: Vec<TypeRow>,
    data_sources: usize,
    diagnostics: Vec<InstanceDiagnostic>,
    /// What is stored but not part of the schema it was stored with.
    dropped: Vec<Dropped>,
    /// Absent in a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<Written>,
}

/// The instances of one type that met the same end.
#[derive(Debug, Serialize)]
struct TypeRow {
    #[serde(rename = "type")]
    type_name: String,
    from: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<u64>,
    instances: usize,
    outcome: RowOutcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum RowOutcome {
    Failed,
    Upgraded,
    Current,
    UnknownType,
}

#[derive(Debug, Serialize)]
struct InstanceDiagnostic {
    address: String,
    from: u64,
    severity: &'static str,
    summary: String,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

#[derive(Debug, Serialize)]
struct Dropped {
    address: String,
    path: String,
}

impl<'a> Report<'a> {
    pub(crate) fn new(state: &'a Path, registry: &Registry, upgrade: &StateFileUpgrade<'_>, written: Option<Written>) -> Self {
        let mut rows: BTreeMap<(RowOutcome, String, u64), usize> = BTreeMap::new();
        let mut data_sources = 0;
        let mut diagnostics = Vec::new();
        let mut dropped_paths = Vec::new();
        for (instance, outcome) in upgrade.instances() {
            let mut add = |all: &Diagnostics| {
                diagnostics.extend(
                    all.iter().map(|one| InstanceDiagnostic::new(instance.address().to_string(), instance.schema_version(), one)),
                );
            };
            let row = match outcome {
                InstanceOutcome::Upgraded { warnings, dropped, .. } => {
                    add(warnings);
                    let at = |path: &upstate::AttributePath| Dropped {
                        address: instance.address().to_string(),
                        path: path.to_string(),
                    };
                    dropped_paths.extend(dropped.iter().map(at));
                    RowOutcome::Upgraded
                }
                InstanceOutcome::Failed { diagnostics, .. } => {
                    add(diagnostics);
                    RowOutcome::Failed
                }
                InstanceOutcome::Current => RowOutcome::Current,
                InstanceOutcome::UnknownType => RowOutcome::UnknownType,
                // Data sources, and whatever else is not upgraded.
                _ => {
                    data_sources += 1;
                    continue;
                }
            };
            *rows.entry((row, instance.type_name().to_owned(), instance.schema_version())).or_default() += 1;
        }
        let types = rows
            .into_iter()
            .map(|((outcome, type_name, from), instances)| {
                let to = registry.get(&type_name).map(upstate::ResourceDefinition::version);
                TypeRow { type_name, from, to, instances, outcome }
            })
            .collect();
        Self {
            state,
            serial: upgrade.serial(),
            instances: upgrade.instances().len(),
            types,
            data_sources,
            diagnostics,
            dropped: dropped_paths,
            written,
        }
    }

    pub(crate) fn print(&self, format: Format) -> Outcome {
        printed(match format {
            Format::Json => self.print_json(),
            Format::Text => self.print_text(),
        })
    }

    fn print_json(&self) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        serde_json::to_writer_pretty(&mut out, self)?;
        writeln!(out)?;
        out.flush()
    }

    fn count(&self, outcome: RowOutcome) -> usize {
        self.types.iter().filter(|row| row.outcome == outcome).map(|row| row.instances).sum()
    }

    fn print_text(&self) -> std::io::Result<()> {
        let mut out = anstream::stdout().lock();
        writeln!(
            out,
            "{BOLD}{}{BOLD:#}: {}, serial {}\n",
            self.state.display(),
            plural(self.instances, "instance"),
            self.serial
        )?;
        let width = self.types.iter().map(|row| row.type_name.len()).max().unwrap_or(0).max("type".len());
        if !self.types.is_empty() {
            writeln!(out, "  {DIM}{:width$}  {:>9}  {:<10}{DIM:#}", "type", "instances", "version")?;
        }
        for row in &self.types {
            let versions = match row.to {
                Some(to) if to != row.from => format!("{} → {to}", row.from),
                _ => row.from.to_string(),
            };
            let (style, says) = match (row.outcome, &self.written) {
                (RowOutcome::Failed, _) => (RED, "cannot be upgraded"),
                (RowOutcome::Upgraded, None) => (GREEN, "would be upgraded"),
                (RowOutcome::Upgraded, Some(Written::Nothing)) => (GREEN, "could be upgraded"),
                (RowOutcome::Upgraded, Some(_)) => (GREEN, "upgraded"),
                (RowOutcome::Current, _) => (DIM, "already current"),
                (RowOutcome::UnknownType, _) => (DIM, "unknown type, left as it is"),
            };
            writeln!(out, "  {:width$}  {:>9}  {versions:<10}  {style}{says}{style:#}", row.type_name, row.instances)?;
        }
        if !self.types.is_empty() {
            writeln!(out)?;
        }
        self.print_diagnostics(&mut out)?;
        self.print_dropped(&mut out)?;
        self.print_totals(&mut out)?;
        out.flush()
    }

    fn print_diagnostics(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        for diagnostic in &self.diagnostics {
            let style = if diagnostic.severity == "error" { RED } else { YELLOW };
            writeln!(out, "{style}{}{style:#}: {BOLD}{}{BOLD:#}", diagnostic.severity, diagnostic.summary)?;
            writeln!(out, "  {DIM}at{DIM:#} {}", diagnostic.address)?;
            if let Some(path) = &diagnostic.path {
                writeln!(out, "  {DIM}in{DIM:#} {path}")?;
            }
            for line in diagnostic.detail.lines() {
                writeln!(out, "  {line}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// What an upgrade does not keep, because no schema has it.
    fn print_dropped(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        if self.dropped.is_empty() {
            return Ok(());
        }
        let count = self.dropped.len();
        writeln!(
            out,
            "{YELLOW}dropped{YELLOW:#}: {}, stored but defined by no schema of its version",
            plural(count, "attribute")
        )?;
        for dropped in &self.dropped {
            writeln!(out, "  {}: {}", dropped.address, dropped.path)?;
        }
        writeln!(out)
    }

    fn print_totals(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        let (failed, upgraded) = (self.count(RowOutcome::Failed), self.count(RowOutcome::Upgraded));
        let unknown_types: std::collections::BTreeSet<&str> =
            self.types.iter().filter(|row| row.outcome == RowOutcome::UnknownType).map(|row| row.type_name.as_str()).collect();
        let mut totals = Vec::new();
        if failed > 0 {
            totals.push(format!("{failed} cannot be upgraded"));
        }
        let verb = match &self.written {
            None => "to upgrade",
            Some(Written::Nothing) if upgraded > 0 => "could be upgraded",
            Some(_) => "upgraded",
        };
        totals.push(format!("{upgraded} {verb}"));
        totals.push(format!("{} already current", self.count(RowOutcome::Current)));
        if !unknown_types.is_empty() {
            let instances = self.count(RowOutcome::UnknownType);
            totals.push(format!("{instances} left as they are ({})", plural(unknown_types.len(), "unknown type")));
        }
        if self.data_sources > 0 {
            totals.push(plural(self.data_sources, "data source"));
        }
        writeln!(out, "{}", totals.join(", "))?;
        match &self.written {
            None if failed > 0 => {
                writeln!(out, "an upgrade would be {RED}refused{RED:#}: nothing is written unless everything can be")
            }
            None => Ok(()),
            Some(Written::Nothing) if failed > 0 => {
                writeln!(out, "{RED}refused{RED:#}: nothing was written, {} is as it was", self.state.display())
            }
            Some(Written::Nothing) => writeln!(out, "nothing to do, {} is as it was", self.state.display()),
            Some(Written::To(output)) => writeln!(out, "wrote {}, {}", output.display(), self.serials(upgraded)),
            Some(Written::InPlace { backup }) => {
                writeln!(out, "wrote {}, {}; the old one is {}", self.state.display(), self.serials(upgraded), backup.display())
            }
        }
    }

    fn serials(&self, upgraded: usize) -> String {
        if upgraded > 0 {
            format!("serial {} → {}", self.serial, self.serial.saturating_add(1))
        } else {
            format!("serial {}", self.serial)
        }
    }
}

impl InstanceDiagnostic {
    fn new(address: String, from: u64, diagnostic: &Diagnostic) -> Self {
        Self {
            address,
            from,
            severity: match diagnostic.severity() {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            summary: diagnostic.summary().to_owned(),
            detail: diagnostic.detail().to_owned(),
            path: diagnostic.path().filter(|path| !path.is_empty()).map(ToString::to_string),
        }
    }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// What printing came to. That nobody reads any more is no failure; that it can't be written is one.
pub(crate) fn printed(result: std::io::Result<()>) -> Outcome {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            fail(&format!("cannot write to standard output: {error}"));
            Outcome::Unreadable
        }
        _ => Outcome::Done,
    }
}

/// Says on standard error why a command could not do its work.
pub(crate) fn fail(message: &str) {
    let _ = writeln!(anstream::stderr(), "{RED}error{RED:#}: {message}");
}
