//! Pieces: runs of neighbouring instances that one thread upgrades at once.
//!
//! Upgrading an instance costs half of what parsing it costs (`docs/src/benchmarks.md`), so a task,
//! a buffer and a write for each instance would cost about as much as the work. A piece is
//! therefore as many instances as have [`PIECE`](super::upgrade) bytes of text, and its result is
//! one buffer: the text from its first instance up to the next piece, in which the edits have been
//! made. Written one after the other, the buffers are the new file, so the output does not depend
//! on the number of threads, and memory holds only the pieces in progress.
//!
//! Within a piece an instance takes one of two paths. *In place*, the prepared upgrade reads the
//! stored JSON and writes the new one directly into the buffer, in its layout; nothing is parsed or
//! copied twice. The other path makes values, because changes, downgrades, flat attributes and
//! functions of an author need them. Both end in the same [`InstanceResult`]. If an instance fails,
//! the buffer is cut back to where the instance began, so that the old text is copied in its place;
//! and if the file will not be written because of that, later pieces find outcomes only.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use upstate::codec::Encoding;
use upstate::upgrade::{DroppedValue, PreparedUpgrade, UpgradeNotes};
use upstate::{
    AttributePath, Diagnostic, DiagnosticCode, Diagnostics, Registry, UpgradeRequest,
    UpgradeResponse,
};

use super::address::Mode;
use super::changes::changes;
use super::goals::{Goal, IdentityGoal};
use super::identity;
use super::layout::{Edit, edits, layout};
use super::options::{UpgradeFunction, UpgradeOptions};
use super::outcome::{InstanceOutcome, InstanceResult};
use super::parse::{Attributes, Instance};
use super::record::flat_map;
use super::scan::Slot;
use super::secrets::Marked;
use crate::undefined::listed;

/// The results of a run of instances.
#[derive(Default)]
pub(super) struct Piece {
    pub(super) results: Vec<InstanceResult>,
    /// The new text from the run's first instance up to the next run's.
    pub(super) text: Vec<u8>,
    /// True if the attributes of an instance are not JSON. The results and the text end before it.
    pub(super) is_broken: bool,
}

/// The plan for one instance.
pub(super) enum Plan {
    /// It stays unchanged, with this outcome.
    Keep(InstanceOutcome),
    Change(Work),
}

/// The work on one instance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    /// The schema version that it gets.
    to: u64,
    /// True if its attributes get that version; otherwise they have it.
    attributes: bool,
    identity: IdentityGoal,
}

impl Plan {
    pub(super) fn new(
        instance: &Instance<'_>,
        registry: &Registry,
        options: &UpgradeOptions<'_>,
    ) -> Self {
        if instance.mode() == Mode::Data {
            return Self::Keep(InstanceOutcome::Data);
        }
        let Some(definition) = registry.get(instance.type_name()) else {
            return Self::Keep(InstanceOutcome::UnknownType);
        };
        if options
            .select
            .is_some_and(|select| !select(&instance.address))
        {
            return Self::Keep(InstanceOutcome::Excluded);
        }
        if let Some(goal) = options.goals {
            return Self::of_downgrade(instance, goal(instance.type_name()), options);
        }
        if instance.schema_version == definition.version()
            && !matches!(instance.attributes, Attributes::Flat(_))
        {
            return Self::Keep(InstanceOutcome::Current);
        }
        Self::Change(Work {
            to: definition.version(),
            attributes: true,
            identity: IdentityGoal::Stay,
        })
    }

    fn of_downgrade(instance: &Instance<'_>, goal: Goal, options: &UpgradeOptions<'_>) -> Self {
        let stored = instance.schema_version;
        let identity = options.identities.map_or(IdentityGoal::Stay, |(goals, _)| {
            goals.identity(instance.type_name(), instance.identity_version)
        });
        let outcome = match goal {
            Goal::Version(to) if stored > to => {
                return Self::Change(Work {
                    to,
                    attributes: true,
                    identity,
                });
            }
            Goal::Version(_) => InstanceOutcome::Current,
            Goal::Nowhere => {
                return Self::Change(Work {
                    to: stored,
                    attributes: true,
                    identity: IdentityGoal::Stay,
                });
            }
            Goal::Stay => InstanceOutcome::Excluded,
        };
        match identity {
            IdentityGoal::Stay => Self::Keep(outcome),
            IdentityGoal::Version(_) | IdentityGoal::Remove => Self::Change(Work {
                to: stored,
                attributes: false,
                identity,
            }),
        }
    }
}

/// The error about stored values that no schema defines.
pub(super) fn undefined_values(undefined: &[AttributePath], count: usize) -> Diagnostic {
    let detail = format!(
        "No schema of its version defines {}, and strict upgrades lose nothing.",
        listed(undefined, count)
    );
    Diagnostic::error("Undefined Values", detail).coded(DiagnosticCode::Undefined).with_remedy(
        "Remove the values, or upgrade without `--strict`, which leaves them out. If the state was not edited by hand, a release stored them: report it to the authors.",
    )
}

/// Refuses an upgrade that leaves out values that no schema defines.
fn complete(outcome: &InstanceOutcome) -> Result<(), Diagnostics> {
    match outcome {
        InstanceOutcome::Upgraded {
            undefined,
            undefined_count,
            ..
        } if *undefined_count > 0 => Err(undefined_values(undefined, *undefined_count).into()),
        InstanceOutcome::Upgraded { .. }
        | InstanceOutcome::Current
        | InstanceOutcome::UnknownType
        | InstanceOutcome::Data
        | InstanceOutcome::Excluded
        | InstanceOutcome::Failed { .. } => Ok(()),
    }
}

impl Piece {
    /// Upgrades a run of instances. `range` is the text from the first of them up to the next run.
    pub(super) fn upgrade(
        &mut self,
        run: &[Instance<'_>],
        range: Range<usize>,
        registry: &Registry,
        options: &UpgradeOptions<'_>,
        failed: &AtomicBool,
    ) {
        let Some(text) = run.first().map(|instance| instance.text) else {
            return;
        };
        self.results.reserve(run.len());
        self.text.reserve(range.len() + range.len() / 8);
        let mut copied = range.start;
        let mut prepared = None;
        for instance in run {
            let work = match Plan::new(instance, registry, options) {
                Plan::Keep(outcome) => {
                    if !is_json(instance) {
                        self.is_broken = true;
                        return;
                    }
                    self.results.push(outcome.into());
                    continue;
                }
                Plan::Change(work) => work,
            };
            // After a failure nothing will be written unless the upgrade is partial, so that only
            // outcomes matter.
            let writes = options.partial || !failed.load(Ordering::Relaxed);
            let (written, copied_before) = (self.text.len(), copied);
            let in_place = match &instance.attributes {
                Attributes::Json(_) if writes && !options.changes && options.goals.is_none() => {
                    // Functions may await, so those go to `upgraded_by`.
                    prepare(&mut prepared, instance, registry).filter(|upgrade| {
                        options.upgraded_by.is_none() || upgrade.is_by_operators()
                    })
                }
                Attributes::Json(_) | Attributes::Flat(_) | Attributes::Missing { .. } => None,
            };
            // An upgrade in place proves that the attributes are JSON, unless an author's function
            // has read them.
            let was_read = in_place.is_some_and(|upgrade| upgrade.reads_all());
            let result = if let Some(upgrade) = in_place {
                self.upgrade_in_place(instance, (registry, upgrade), work.to, &mut copied)
                    .map(InstanceResult::from)
            } else {
                changed(instance, work, registry, options).map(|changed| {
                    if writes {
                        for edit in changed.edits {
                            self.copy_to(text, &mut copied, &edit.range);
                            edit.write(text, &changed.attributes, &mut self.text);
                        }
                    }
                    changed.result
                })
            };
            if !(was_read && result.is_ok() || is_json(instance)) {
                self.is_broken = true;
                return;
            }
            let result = match result {
                Ok(result) if options.strict => complete(&result.outcome).map(|()| result),
                result => result,
            };
            self.results.push(result.unwrap_or_else(|diagnostics| {
                failed.store(true, Ordering::Relaxed);
                self.text.truncate(written);
                copied = copied_before;
                let marked = Marked::of(instance, registry);
                let diagnostics =
                    marked.map_or_else(|| diagnostics.clone(), |marked| marked.hide(&diagnostics));
                InstanceOutcome::Failed {
                    to: work.to,
                    diagnostics,
                }
                .into()
            }));
        }
        self.copy_to(text, &mut copied, &(range.end..range.end));
    }

    /// Upgrades an instance directly into the text of the new file.
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
        Ok(upgraded(
            (instance, registry),
            to,
            notes.warnings(),
            (notes.undefined(), notes.undefined_count()),
            notes.dropped(),
        ))
    }

    /// Copies the text between the last copy and `range`, and continues after `range`.
    fn copy_to(&mut self, text: &str, copied: &mut usize, range: &Range<usize>) {
        self.text.extend_from_slice(
            text.get(*copied..range.start)
                .unwrap_or_default()
                .as_bytes(),
        );
        *copied = range.end;
    }
}

/// A changed instance: its result, and the edits of its text.
struct Changed {
    result: InstanceResult,
    /// The new attributes; empty if they are unchanged.
    attributes: Vec<u8>,
    edits: Vec<Edit>,
}

/// Changes the attributes and the identity of an instance as planned.
fn changed(
    instance: &Instance<'_>,
    work: Work,
    registry: &Registry,
    options: &UpgradeOptions<'_>,
) -> Result<Changed, Diagnostics> {
    let mut changed = Changed {
        result: upgraded(
            (instance, registry),
            work.to,
            &Diagnostics::new(),
            (&[], 0),
            &[],
        )
        .into(),
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
                let back = options.goals.map(|_| work.to);
                changed.result.changes = changes(instance, new, registry, back);
            }
            let undefined = (response.undefined(), response.undefined_count());
            changed.result.outcome = upgraded(
                (instance, registry),
                work.to,
                response.diagnostics(),
                undefined,
                response.dropped(),
            );
            changed.edits = edits(instance, new, work.to);
            changed.attributes = new.to_vec();
        } else {
            errors = response.diagnostics().clone();
        }
    }
    let identity = options.identities.map(|goals| {
        identity::downgraded(instance, work.identity, registry, goals, options.changes)
    });
    match identity.transpose() {
        Ok(Some(Some((identity, edits)))) => {
            changed.result.identity = Some(Box::new(identity));
            changed.edits.extend(edits);
            changed
                .edits
                .sort_by_key(|edit| (edit.range.start, edit.range.end));
        }
        Ok(Some(None) | None) => {}
        Err(refused) => errors.append(refused),
    }
    if errors.has_errors() {
        Err(errors)
    } else {
        Ok(changed)
    }
}

/// True if the attributes are JSON, which `parse_to_upgrade` does not check.
fn is_json(instance: &Instance<'_>) -> bool {
    match &instance.attributes {
        Attributes::Json(slot) => slot.is_json(instance.text),
        Attributes::Flat(_) | Attributes::Missing { .. } => true,
    }
}

/// The prepared upgrade of this instance. `last` is that of the previous one, because instances of
/// one type and version follow each other.
fn prepare<'r>(
    last: &mut Option<PreparedUpgrade<'r>>,
    instance: &Instance<'_>,
    registry: &'r Registry,
) -> Option<PreparedUpgrade<'r>> {
    let (type_name, version) = (instance.type_name(), instance.schema_version);
    if last
        .is_none_or(|last| last.version() != version || last.definition().type_name() != type_name)
    {
        *last = registry.prepare(type_name, version);
    }
    *last
}

/// Writes the new attributes in the layout of the old ones.
fn upgrade_slot(
    text: &str,
    slot: &Slot,
    upgrade: PreparedUpgrade<'_>,
    out: &mut Vec<u8>,
) -> Result<UpgradeNotes, Diagnostics> {
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
    match if is_silent {
        None
    } else {
        Marked::of(instance, registry)
    } {
        None => {
            let (warnings, undefined, dropped) =
                (warnings.clone(), undefined.to_vec(), dropped.to_vec());
            InstanceOutcome::Upgraded {
                to,
                warnings,
                undefined,
                undefined_count,
                dropped,
            }
        }
        Some(marked) => InstanceOutcome::Upgraded {
            to,
            warnings: marked.hide(warnings),
            undefined: undefined
                .iter()
                .map(|path| marked.hide_path(path))
                .collect(),
            undefined_count,
            dropped: dropped
                .iter()
                .map(|dropped| marked.hide_dropped(dropped))
                .collect(),
        },
    }
}

/// Passes the request for an instance to `upgrade`.
fn respond(instance: &Instance<'_>, upgrade: UpgradeFunction<'_>) -> UpgradeResponse {
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
