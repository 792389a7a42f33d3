//! The report for programs, one instance after the other. Its form is described in the guide;
//! additions keep `format_version`'s first number.

use std::io::{self, Write};

use serde::Serialize;
use upstate::AttributePath;
use upstate::Registry;
use upstate_state::{InstanceOutcome, InstanceUpgrade, UpgradeTotals};

use super::place::Places;
use super::{About, Lost, RowOutcome, Rows, Written};
use crate::terminal::visible_json;

const FORMAT_VERSION: &str = "1.0";

pub(super) struct Stream<'a> {
    out: Box<dyn Write>,
    begun: bool,
    places: Places<'a>,
}

/// An instance, and where in the file its first error is.
#[derive(Serialize)]
struct Placed<'u, 'r, 't> {
    #[serde(flatten)]
    upgrade: &'u InstanceUpgrade<'r, 't>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

#[derive(Serialize)]
struct Head<'a> {
    format_version: &'a str,
    command: &'a str,
    state: String,
    serial: u64,
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
    dropped_values: usize,
    lost_values: usize,
}

#[derive(Serialize)]
struct JsonWritten {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
}

impl<'a> Stream<'a> {
    pub(super) fn new(out: Box<dyn Write>, about: &About<'a>) -> Self {
        Self {
            out,
            begun: false,
            places: Places::new(about.bytes),
        }
    }

    fn begin(&mut self, about: &About<'_>) -> io::Result<()> {
        let state = about.state.display().to_string();
        let head = Head {
            format_version: FORMAT_VERSION,
            command: about.command,
            state,
            serial: about.serial,
        };
        self.members(&head)?;
        self.out.write_all(b",\n  \"instances\": [")
    }

    /// The members of an object, without the brace that closes it.
    fn members(&mut self, object: &impl Serialize) -> io::Result<()> {
        let text = visible_json(&serde_json::to_string_pretty(object)?);
        self.out
            .write_all(text.trim_end_matches(['}', '\n']).as_bytes())
    }

    pub(super) fn instance(
        &mut self,
        about: &About<'_>,
        upgrade: &InstanceUpgrade<'_, '_>,
    ) -> io::Result<()> {
        if self.begun {
            self.out.write_all(b",")?;
        } else {
            self.begin(about)?;
            self.begun = true;
        }
        let place = if let InstanceOutcome::Failed { diagnostics, .. } = upgrade.outcome() {
            let path = diagnostics
                .iter()
                .find_map(upstate::Diagnostic::path)
                .cloned()
                .unwrap_or_else(AttributePath::new);
            Some(self.places.of(upgrade.instance().offset_of(&path)))
        } else {
            None
        };
        let placed = Placed {
            upgrade,
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
        };
        let text = visible_json(&serde_json::to_string_pretty(&placed)?).replace('\n', "\n    ");
        write!(self.out, "\n    {text}")
    }

    pub(super) fn finish(
        mut self,
        about: &About<'_>,
        registry: &Registry,
        (rows, lost): (&Rows, Lost),
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
            types: rows
                .iter()
                .map(|row| type_row(row, about, registry))
                .collect(),
            totals: Totals {
                instances: totals.instances(),
                upgraded: totals.upgraded(),
                failed: totals.failed(),
                current: totals.current(),
                excluded: totals.excluded(),
                unknown_type: totals.unknown(),
                data_sources: totals.data(),
                dropped_values: lost.dropped,
                lost_values: lost.values,
            },
            new_serial: totals.new_serial().filter(|_| totals.may_be_written()),
            written: match written {
                Written::Planned | Written::Nothing => None,
                Written::To(target) => Some(JsonWritten {
                    path: path(target),
                    backup: None,
                }),
                Written::Stdout => Some(JsonWritten {
                    path: "-".to_owned(),
                    backup: None,
                }),
                Written::InPlace { backup } => Some(JsonWritten {
                    path: path(about.state),
                    backup: Some(path(backup)),
                }),
            },
        };
        let text = visible_json(&serde_json::to_string_pretty(&tail)?);
        self.out
            .write_all(text.trim_start_matches(['{', '\n']).as_bytes())?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

fn type_row<'r>(
    row: (&'r (RowOutcome, String, u64), &usize),
    about: &About<'_>,
    registry: &Registry,
) -> TypeRow<'r> {
    let ((outcome, type_name, from), instances) = row;
    TypeRow {
        type_name,
        from: *from,
        to: about.goal(registry, type_name),
        instances: *instances,
        outcome: if about.back.is_some() {
            outcome.back()
        } else {
            *outcome
        },
    }
}
