//! The report for programs, one instance after the other. Its form is described in the guide; additions keep `format_version`'s
//! first number.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;
use upstate::{Diagnostic, Diagnostics, Registry, ResourceDefinition, Severity};
use upstate_state::{Change, InstanceOutcome, InstanceUpgrade, Shown, UpgradeTotals};

use super::{About, RowOutcome, Rows, Written};
use crate::terminal::visible_json;

const FORMAT_VERSION: &str = "1.0";

pub(super) struct Stream {
    out: Box<dyn Write>,
    begun: bool,
}

#[derive(Serialize)]
struct Head<'a> {
    format_version: &'a str,
    command: &'a str,
    state: String,
    serial: u64,
}

#[derive(Serialize)]
struct Instance<'a> {
    address: String,
    #[serde(rename = "type")]
    type_name: &'a str,
    from: u64,
    to: u64,
    outcome: &'static str,
    changes: Vec<JsonChange>,
    dropped: Vec<Dropped>,
    diagnostics: Vec<JsonDiagnostic<'a>>,
}

#[derive(Serialize)]
struct JsonChange {
    path: String,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    before_sensitive: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    after_sensitive: bool,
}

#[derive(Serialize)]
struct Dropped {
    path: String,
    reason: &'static str,
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    severity: &'static str,
    summary: &'a str,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

#[derive(Serialize)]
struct TypeRow<'a> {
    #[serde(rename = "type")]
    type_name: &'a str,
    from: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<u64>,
    instances: usize,
    outcome: RowOutcome,
}

#[derive(Serialize)]
struct Tail<'a> {
    types: Vec<TypeRow<'a>>,
    totals: Totals,
    new_serial: Option<u64>,
    written: Option<JsonWritten>,
}

#[derive(Serialize)]
struct Totals {
    instances: usize,
    upgraded: usize,
    failed: usize,
    current: usize,
    excluded: usize,
    unknown_type: usize,
    data_sources: usize,
}

#[derive(Serialize)]
struct JsonWritten {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
}

impl Stream {
    pub(super) fn new(out: Box<dyn Write>) -> Self {
        Self { out, begun: false }
    }

    fn begin(&mut self, about: &About<'_>) -> io::Result<()> {
        let state = about.state.display().to_string();
        let head = Head { format_version: FORMAT_VERSION, command: about.command, state, serial: about.serial };
        self.members(&head)?;
        self.out.write_all(b",\n  \"instances\": [")
    }

    /// The members of an object, without the brace that closes it.
    fn members(&mut self, object: &impl Serialize) -> io::Result<()> {
        let text = visible_json(&serde_json::to_string_pretty(object)?);
        self.out.write_all(text.trim_end_matches(['}', '\n']).as_bytes())
    }

    pub(super) fn instance(&mut self, about: &About<'_>, upgrade: &InstanceUpgrade<'_, '_>) -> io::Result<()> {
        if self.begun {
            self.out.write_all(b",")?;
        } else {
            self.begin(about)?;
            self.begun = true;
        }
        let nothing = Diagnostics::new();
        let (outcome, to, diagnostics) = match upgrade.outcome() {
            InstanceOutcome::Upgraded { to, warnings, .. } => ("upgraded", *to, warnings),
            InstanceOutcome::Failed { to, diagnostics } => ("failed", *to, diagnostics),
            _ => ("", 0, &nothing),
        };
        let instance = upgrade.instance();
        let row = Instance {
            address: instance.address().to_string(),
            type_name: instance.type_name(),
            from: instance.schema_version(),
            to,
            outcome,
            changes: upgrade.changes().iter().map(change).collect(),
            dropped: dropped(upgrade.outcome()),
            diagnostics: diagnostics.iter().map(diagnostic).collect(),
        };
        let text = visible_json(&serde_json::to_string_pretty(&row)?).replace('\n', "\n    ");
        write!(self.out, "\n    {text}")
    }

    pub(super) fn finish(
        mut self,
        about: &About<'_>,
        registry: &Registry,
        rows: &Rows,
        totals: &UpgradeTotals,
        written: &Written,
    ) -> io::Result<()> {
        if self.begun {
            self.out.write_all(b"\n  ],\n")?;
        } else {
            self.begin(about)?;
            self.out.write_all(b"],\n")?;
        }
        let path = |path: &std::path::Path| path.display().to_string();
        let tail = Tail {
            types: rows.iter().map(|row| type_row(row, registry)).collect(),
            totals: Totals {
                instances: totals.instances(),
                upgraded: totals.upgraded(),
                failed: totals.failed(),
                current: totals.current(),
                excluded: totals.excluded(),
                unknown_type: totals.unknown(),
                data_sources: totals.data(),
            },
            new_serial: totals.new_serial().filter(|_| totals.may_be_written()),
            written: match written {
                Written::Planned | Written::Nothing => None,
                Written::To(target) => Some(JsonWritten { path: path(target), backup: None }),
                Written::Stdout => Some(JsonWritten { path: "-".to_owned(), backup: None }),
                Written::InPlace { backup } => Some(JsonWritten { path: path(about.state), backup: Some(path(backup)) }),
            },
        };
        let text = visible_json(&serde_json::to_string_pretty(&tail)?);
        self.out.write_all(text.trim_start_matches(['{', '\n']).as_bytes())?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

fn type_row<'r>(row: (&'r (RowOutcome, String, u64), &usize), registry: &Registry) -> TypeRow<'r> {
    let ((outcome, type_name, from), instances) = row;
    TypeRow {
        type_name,
        from: *from,
        to: registry.get(type_name).map(ResourceDefinition::version),
        instances: *instances,
        outcome: *outcome,
    }
}

fn dropped(outcome: &InstanceOutcome) -> Vec<Dropped> {
    let InstanceOutcome::Upgraded { undefined, dropped, .. } = outcome else { return Vec::new() };
    let undefined = undefined.iter().map(|path| (path, super::text::UNDEFINED));
    let all = dropped.iter().map(|dropped| (&dropped.path, dropped.reason)).chain(undefined);
    all.map(|(path, reason)| Dropped { path: path.to_string(), reason }).collect()
}

fn change(change: &Change) -> JsonChange {
    let json = |shown: Option<&Shown>| match shown {
        Some(Shown::Json(json)) => RawValue::from_string(json.clone()).ok(),
        _ => None,
    };
    let hidden = |shown: Option<&Shown>| matches!(shown, Some(Shown::Hidden));
    JsonChange {
        path: change.path().to_string(),
        action: match (change.old(), change.new_value()) {
            (None, _) => "add",
            (_, None) => "remove",
            _ => "change",
        },
        before: json(change.old()),
        after: json(change.new_value()),
        before_sensitive: hidden(change.old()),
        after_sensitive: hidden(change.new_value()),
    }
}

fn diagnostic(diagnostic: &Diagnostic) -> JsonDiagnostic<'_> {
    JsonDiagnostic {
        severity: match diagnostic.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        summary: diagnostic.summary(),
        detail: diagnostic.detail(),
        path: diagnostic.path().filter(|path| !path.is_empty()).map(ToString::to_string),
    }
}
