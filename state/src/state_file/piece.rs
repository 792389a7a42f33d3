//! A run of instances and what comes of it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use upstate::codec::Encoding;
use upstate::upgrade::{DroppedValue, PreparedUpgrade, UpgradeNotes};
use upstate::{AttributePath, Diagnostic, Diagnostics, Registry, UpgradeRequest, UpgradeResponse};

use super::changes::{Change, changes};
use super::identity::{IdentityDowngrade, Task, taken_back};
use super::layout::{Edit, edits, layout};
use super::parse::{Attributes, Instance, Mode};
use super::record::flat_map;
use super::scan::Slot;
use super::secrets::Marked;
use super::upgrade::{Goal, InstanceOutcome, UpgradeOptions, UpgradedBy};

/// What comes of a run of instances.
#[derive(Default)]
pub(super) struct Piece {
    pub(super) outcomes: Vec<Came>,
    /// The text from the run's first instance up to the next run's, with what takes its place.
    pub(super) text: Vec<u8>,
    /// Whether the attributes of an instance turned out not to be JSON. Then the rest is missing.
    pub(super) is_broken: bool,
}

/// What became of an instance.
#[derive(Debug)]
pub(super) struct Came {
    pub(super) outcome: InstanceOutcome,
    pub(super) changes: Vec<Change>,
    pub(super) identity: Option<Box<IdentityDowngrade>>,
}

impl Came {
    const fn of(outcome: InstanceOutcome) -> Self {
        Self { outcome, changes: Vec::new(), identity: None }
    }

    /// Refuses what would leave out values that no schema defines.
    fn strict(self) -> Result<Self, Diagnostics> {
        match &self.outcome {
            InstanceOutcome::Upgraded { undefined, undefined_count, .. } if *undefined_count > 0 => {
                Err(undefined_values(undefined, *undefined_count).into())
            }
            InstanceOutcome::Upgraded { .. }
            | InstanceOutcome::Current
            | InstanceOutcome::UnknownType
            | InstanceOutcome::Data
            | InstanceOutcome::Excluded
            | InstanceOutcome::Failed { .. } => Ok(self),
        }
    }
}

/// The refusal of stored values that no schema defines.
pub(crate) fn undefined_values(undefined: &[AttributePath], count: usize) -> Diagnostic {
    const MOST: usize = 10;
    let named: Vec<String> = undefined.iter().take(MOST).map(|path| format!("`{path}`")).collect();
    let more = match count.saturating_sub(named.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let detail = format!(
        "No schema of its version defines {}{more}, and strict upgrades lose nothing. Remove the values, or upgrade without `--strict`, which \
         leaves them out. If nobody edited the state, a release stored them: report it to the authors.",
        named.join(", ")
    );
    Diagnostic::error("Undefined Values", detail)
}

/// What has to be done with an instance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    /// The schema version that it gets.
    to: u64,
    /// Whether its attributes are brought there; otherwise they are of that version.
    attributes: bool,
    identity: Task,
}

/// What becomes of an instance without an upgrade, or what has to be done with it.
pub(super) fn plan(instance: &Instance<'_>, registry: &Registry, options: &UpgradeOptions<'_>) -> Result<InstanceOutcome, Work> {
    if instance.mode() == Mode::Data {
        return Ok(InstanceOutcome::Data);
    }
    let Some(definition) = registry.get(instance.type_name()) else { return Ok(InstanceOutcome::UnknownType) };
    if options.select.is_some_and(|select| !select(&instance.address)) {
        return Ok(InstanceOutcome::Excluded);
    }
    if let Some(goal) = options.goals {
        let identity = options
            .identities
            .map_or(Task::Stay, |(goals, _)| goals.identity_task(instance.type_name(), instance.identity_version));
        let outcome = match goal(instance.type_name()) {
            Goal::Version(to) if instance.schema_version > to => return Err(Work { to, attributes: true, identity }),
            Goal::Version(_) => InstanceOutcome::Current,
            Goal::Nowhere => return Err(Work { to: instance.schema_version, attributes: true, identity: Task::Stay }),
            Goal::Stay => InstanceOutcome::Excluded,
        };
        return match identity {
            Task::Stay => Ok(outcome),
            Task::Back(_) | Task::Remove => Err(Work { to: instance.schema_version, attributes: false, identity }),
        };
    }
    if instance.schema_version == definition.version() && !matches!(instance.attributes, Attributes::Flat(_)) {
        return Ok(InstanceOutcome::Current);
    }
    Err(Work { to: definition.version(), attributes: true, identity: Task::Stay })
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
            let work = match plan(instance, registry, options) {
                Ok(outcome) => {
                    if !is_json(instance) {
                        self.is_broken = true;
                        return;
                    }
                    self.outcomes.push(Came::of(outcome));
                    continue;
                }
                Err(work) => work,
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
            // What was upgraded has been read, unless an author's function has done that.
            let was_read = in_place.is_some_and(|upgrade| upgrade.reads_all());
            let came = if let Some(upgrade) = in_place {
                self.upgrade_in_place(instance, (registry, upgrade), work.to, &mut copied).map(Came::of)
            } else {
                worked(instance, work, registry, options).map(|worked| {
                    if wanted {
                        for edit in worked.edits {
                            self.copy_to(text, &mut copied, &edit.range);
                            edit.write(text, &worked.attributes, &mut self.text);
                        }
                    }
                    worked.came
                })
            };
            if !(was_read && came.is_ok() || is_json(instance)) {
                self.is_broken = true;
                return;
            }
            let came = came.and_then(|came| if options.strict { came.strict() } else { Ok(came) });
            let came = came.unwrap_or_else(|diagnostics| {
                failed.store(true, Ordering::Relaxed);
                self.text.truncate(written);
                copied = so_far;
                let marked = Marked::of(instance, registry);
                let diagnostics = marked.map_or_else(|| diagnostics.clone(), |marked| marked.hide(&diagnostics));
                Came::of(InstanceOutcome::Failed { to: work.to, diagnostics })
            });
            self.outcomes.push(came);
        }
        self.copy_to(text, &mut copied, &(range.end..range.end));
    }

    /// Upgrades an instance straight into the text of the new file.
    fn upgrade_in_place(
        &mut self,
        instance: &Instance<'_>,
        (registry, upgrade): (&Registry, PreparedUpgrade<'_>),
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
        Ok(upgraded((instance, registry), to, notes.warnings(), (notes.undefined(), notes.undefined_count()), notes.dropped()))
    }

    /// Copies what has not been copied up to a range, and goes on behind it.
    fn copy_to(&mut self, text: &str, copied: &mut usize, range: &Range<usize>) {
        self.text.extend_from_slice(text.get(*copied..range.start).unwrap_or_default().as_bytes());
        *copied = range.end;
    }
}

/// What came of an instance, and what changes in its text.
struct Worked {
    came: Came,
    /// The new attributes, if they are others.
    attributes: Vec<u8>,
    edits: Vec<Edit>,
}

/// Brings an instance to the version that it should get, and its identity.
fn worked(instance: &Instance<'_>, work: Work, registry: &Registry, options: &UpgradeOptions<'_>) -> Result<Worked, Diagnostics> {
    let mut worked = Worked {
        came: Came::of(upgraded((instance, registry), work.to, &Diagnostics::new(), (&[], 0), &[])),
        attributes: Vec::new(),
        edits: Vec::new(),
    };
    let mut errors = Diagnostics::new();
    if work.attributes {
        let response = respond(instance, &|request| match options.upgraded_by {
            Some(upgrade) => upgrade(request),
            None => registry.upgrade(request),
        });
        if let Some(new) = response.state() {
            if options.changes {
                worked.came.changes = changes(instance, new, registry, options.goals.is_some());
            }
            let undefined = (response.undefined(), response.undefined_count());
            worked.came.outcome = upgraded((instance, registry), work.to, response.diagnostics(), undefined, response.dropped());
            worked.edits = edits(instance, new, work.to);
            worked.attributes = new.to_vec();
        } else {
            errors = response.diagnostics().clone();
        }
    }
    let identity = options.identities.map(|goals| taken_back(instance, work.identity, registry, goals, options.changes));
    match identity.transpose() {
        Ok(Some(Some(taken))) => {
            worked.came.identity = Some(Box::new(taken.told));
            worked.edits.extend(taken.edits);
            worked.edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        }
        Ok(Some(None) | None) => {}
        Err(refused) => errors.append(refused),
    }
    if errors.has_errors() { Err(errors) } else { Ok(worked) }
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
    (instance, registry): (&Instance<'_>, &Registry),
    to: u64,
    warnings: &Diagnostics,
    (undefined, undefined_count): (&[AttributePath], usize),
    dropped: &[DroppedValue],
) -> InstanceOutcome {
    let is_silent = warnings.is_empty() && undefined.is_empty() && dropped.is_empty();
    match if is_silent { None } else { Marked::of(instance, registry) } {
        None => {
            let (warnings, undefined, dropped) = (warnings.clone(), undefined.to_vec(), dropped.to_vec());
            InstanceOutcome::Upgraded { to, warnings, undefined, undefined_count, dropped }
        }
        Some(marked) => InstanceOutcome::Upgraded {
            to,
            warnings: marked.hide(warnings),
            undefined: undefined.iter().map(|path| marked.hide_path(path)).collect(),
            undefined_count,
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
