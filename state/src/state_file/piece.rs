//! A run of instances and what comes of it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use upstate::codec::Encoding;
use upstate::upgrade::{DroppedValue, PreparedUpgrade, UpgradeNotes};
use upstate::{AttributePath, Diagnostics, Registry, UpgradeRequest, UpgradeResponse};

use super::changes::{Change, changes};
use super::layout::{edits, layout};
use super::parse::{Attributes, Instance, Mode};
use super::record::flat_map;
use super::scan::Slot;
use super::secrets::Marked;
use super::upgrade::{Goal, InstanceOutcome, UpgradeOptions, UpgradedBy};

/// What comes of a run of instances.
#[derive(Default)]
pub(super) struct Piece {
    pub(super) outcomes: Vec<(InstanceOutcome, Vec<Change>)>,
    /// The text from the run's first instance up to the next run's, with what takes its place.
    pub(super) text: Vec<u8>,
    /// Whether the attributes of an instance turned out not to be JSON. Then the rest is missing.
    pub(super) is_broken: bool,
}

/// What becomes of an instance without an upgrade, or the version that it has to be brought to.
pub(super) fn plan(instance: &Instance<'_>, registry: &Registry, options: &UpgradeOptions<'_>) -> Result<InstanceOutcome, u64> {
    if instance.mode() == Mode::Data {
        return Ok(InstanceOutcome::Data);
    }
    let Some(definition) = registry.get(instance.type_name()) else { return Ok(InstanceOutcome::UnknownType) };
    if options.select.is_some_and(|select| !select(&instance.address)) {
        return Ok(InstanceOutcome::Excluded);
    }
    if let Some(goal) = options.goals {
        return match goal(instance.type_name()) {
            Goal::Stay => Ok(InstanceOutcome::Excluded),
            Goal::Version(to) if instance.schema_version <= to => Ok(InstanceOutcome::Current),
            Goal::Version(to) => Err(to),
            Goal::Nowhere => Err(instance.schema_version),
        };
    }
    if instance.schema_version == definition.version() && !matches!(instance.attributes, Attributes::Flat(_)) {
        return Ok(InstanceOutcome::Current);
    }
    Err(definition.version())
}

impl Piece {
    /// Upgrades a run of instances, whose text and what follows it up to the next run is `range`.
    pub(super) fn upgrade(
        &mut self,
        run: &[Instance<'_>],
        range: Range<usize>,
        registry: &Registry,
        options: &UpgradeOptions<'_>,
        failed: &AtomicBool,
    ) {
        let Some(text) = run.first().map(|instance| instance.text) else { return };
        self.outcomes.reserve(run.len());
        self.text.reserve(range.len() + range.len() / 8);
        let mut copied = range.start;
        let mut prepared = None;
        for instance in run {
            let to = match plan(instance, registry, options) {
                Ok(outcome) => {
                    if !is_json(instance) {
                        self.is_broken = true;
                        return;
                    }
                    self.outcomes.push((outcome, Vec::new()));
                    continue;
                }
                Err(to) => to,
            };
            // Once it is known that nothing will be written, only the outcomes still matter.
            let wanted = options.partial || !failed.load(Ordering::Relaxed);
            let (written, so_far) = (self.text.len(), copied);
            let in_place = match &instance.attributes {
                Attributes::Json(_) if wanted && !options.changes && options.goals.is_none() => {
                    // Nothing else answers for operators than the registry.
                    prepare(&mut prepared, instance, registry)
                        .filter(|upgrade| options.upgraded_by.is_none() || upgrade.is_by_operators())
                }
                Attributes::Json(_) | Attributes::Flat(_) | Attributes::Missing { .. } => None,
            };
            let mut differences = Vec::new();
            // What was upgraded has been read, unless an author's function has done that.
            let was_read = in_place.is_some_and(|upgrade| upgrade.reads_all());
            let came = if let Some(upgrade) = in_place {
                self.upgrade_in_place(instance, upgrade, to, &mut copied)
            } else {
                let response = respond(instance, &|request| match options.upgraded_by {
                    Some(upgrade) => upgrade(request),
                    None => registry.upgrade(request),
                });
                if let Some(new) = response.state() {
                    if options.changes {
                        differences = changes(instance, new, registry, options.goals.is_some());
                    }
                    if wanted {
                        for edit in edits(instance, new, to) {
                            self.copy_to(text, &mut copied, &edit.range);
                            edit.write(text, new, &mut self.text);
                        }
                    }
                    Ok(upgraded(instance, to, response.diagnostics(), response.undefined(), response.dropped()))
                } else {
                    Err(response.diagnostics().clone())
                }
            };
            if !(was_read && came.is_ok() || is_json(instance)) {
                self.is_broken = true;
                return;
            }
            let outcome = came.unwrap_or_else(|diagnostics| {
                failed.store(true, Ordering::Relaxed);
                self.text.truncate(written);
                copied = so_far;
                let diagnostics = Marked::of(instance).map_or_else(|| diagnostics.clone(), |marked| marked.hide(&diagnostics));
                InstanceOutcome::Failed { to, diagnostics }
            });
            self.outcomes.push((outcome, differences));
        }
        self.copy_to(text, &mut copied, &(range.end..range.end));
    }

    /// Upgrades an instance straight into the text of the new file.
    fn upgrade_in_place(
        &mut self,
        instance: &Instance<'_>,
        upgrade: PreparedUpgrade<'_>,
        to: u64,
        copied: &mut usize,
    ) -> Result<InstanceOutcome, Diagnostics> {
        let text = instance.text;
        let mut notes = UpgradeNotes::default();
        for edit in edits(instance, b"", to) {
            self.copy_to(text, copied, &edit.range);
            match edit.slot() {
                Some(slot) => notes = upgrade_slot(text, slot, upgrade, &mut self.text)?,
                None => edit.write(text, b"", &mut self.text),
            }
        }
        Ok(upgraded(instance, to, notes.warnings(), notes.undefined(), notes.dropped()))
    }

    /// Copies what has not been copied up to a range, and goes on behind it.
    fn copy_to(&mut self, text: &str, copied: &mut usize, range: &Range<usize>) {
        self.text.extend_from_slice(text.get(*copied..range.start).unwrap_or_default().as_bytes());
        *copied = range.end;
    }
}

/// Whether its attributes are JSON, which reading the file may have left open.
fn is_json(instance: &Instance<'_>) -> bool {
    match &instance.attributes {
        Attributes::Json(slot) => slot.is_json(instance.text),
        Attributes::Flat(_) | Attributes::Missing { .. } => true,
    }
}

/// The upgrade of this instance. Those of one type and version stand together.
fn prepare<'r>(
    last: &mut Option<PreparedUpgrade<'r>>,
    instance: &Instance<'_>,
    registry: &'r Registry,
) -> Option<PreparedUpgrade<'r>> {
    let (type_name, version) = (instance.type_name(), instance.schema_version);
    if last.is_none_or(|last| last.version() != version || last.definition().type_name() != type_name) {
        *last = registry.prepare(type_name, version);
    }
    *last
}

/// The new attributes in the layout of the old ones.
fn upgrade_slot(text: &str, slot: &Slot, upgrade: PreparedUpgrade<'_>, out: &mut Vec<u8>) -> Result<UpgradeNotes, Diagnostics> {
    let json = text.get(slot.range.clone()).unwrap_or_default();
    match layout(text, slot) {
        Some(layout) => upgrade.upgrade_laid_out(json, layout, out),
        None => upgrade.upgrade_into(json, Encoding::Json, out),
    }
}

/// The outcome of an upgrade, without values that the configuration marks as sensitive.
fn upgraded(
    instance: &Instance<'_>,
    to: u64,
    warnings: &Diagnostics,
    undefined: &[AttributePath],
    dropped: &[DroppedValue],
) -> InstanceOutcome {
    let is_silent = warnings.is_empty() && undefined.is_empty() && dropped.is_empty();
    match if is_silent { None } else { Marked::of(instance) } {
        None => {
            InstanceOutcome::Upgraded { to, warnings: warnings.clone(), undefined: undefined.to_vec(), dropped: dropped.to_vec() }
        }
        Some(marked) => InstanceOutcome::Upgraded {
            to,
            warnings: marked.hide(warnings),
            undefined: undefined.iter().map(|path| marked.hide_path(path)).collect(),
            dropped: dropped.iter().map(|dropped| marked.hide_dropped(dropped)).collect(),
        },
    }
}

fn respond(instance: &Instance<'_>, upgrade: UpgradedBy<'_>) -> UpgradeResponse {
    let (type_name, stored, text) = (instance.type_name(), instance.schema_version, instance.text);
    match &instance.attributes {
        Attributes::Json(slot) => {
            let json = text.get(slot.range.clone()).unwrap_or_default();
            upgrade(&UpgradeRequest::json(type_name, stored, json.as_bytes()))
        }
        Attributes::Flat(slot) => {
            let map = flat_map(text.get(slot.range.clone()).unwrap_or_default());
            upgrade(&UpgradeRequest::flatmap(type_name, stored, &map))
        }
        Attributes::Missing { .. } => upgrade(&UpgradeRequest::json(type_name, stored, b"{}")),
    }
}
