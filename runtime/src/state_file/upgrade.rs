//! Upgrading every known instance of a state file.

use std::fmt;
use std::ops::Range;

use super::parse::{Attributes, Instance, Mode, StateFile};
use crate::codec::json::indented;
use crate::diagnostics::Diagnostics;
use crate::path::AttributePath;
use crate::registry::Registry;
use crate::upgrade::UpgradeRequest;

/// What came of one instance.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstanceOutcome {
    /// Brought to this schema version; possibly with warnings.
    Upgraded {
        /// The current schema version.
        to: u64,
        /// Warnings only.
        warnings: Diagnostics,
        /// What the schema of the stored version does not define, and is therefore not kept.
        dropped: Vec<AttributePath>,
    },
    /// Stored at the current schema version already; left as it is.
    Current,
    /// Of a type that is not registered; left as it is.
    UnknownType,
    /// A data source, which Terraform reads anew; left as it is.
    Data,
    /// Could not be upgraded, so nothing of the file is.
    Failed {
        /// The schema version it should have been brought to.
        to: u64,
        /// What is wrong.
        diagnostics: Diagnostics,
    },
}

/// A state file with the upgrades of all its instances. Nothing has been written.
pub struct StateFileUpgrade<'t> {
    state: StateFile<'t>,
    outcomes: Vec<InstanceOutcome>,
    /// Replacements, in file order, without overlap.
    edits: Vec<Edit>,
}

struct Edit {
    range: Range<usize>,
    text: Vec<u8>,
}

impl<'t> StateFile<'t> {
    /// Upgrades every managed instance whose type is registered.
    pub fn upgrade(self, registry: &Registry) -> StateFileUpgrade<'t> {
        let mut edits = Vec::new();
        let outcomes =
            self.instances.iter().map(|instance| upgrade_instance(self.text, instance, registry, &mut edits)).collect();
        if !edits.is_empty() {
            edits.push(match &self.serial {
                Some((serial, range)) => Edit::new(range.clone(), serial.saturating_add(1).to_string()),
                None => Edit::new(self.version_end..self.version_end, ", \"serial\": 1".to_owned()),
            });
        }
        // Where a version is put in before the attributes that it goes with, it comes first.
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        StateFileUpgrade { state: self, outcomes, edits }
    }
}

impl fmt::Debug for StateFileUpgrade<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateFileUpgrade").field("state", &self.state).field("outcomes", &self.outcomes).finish_non_exhaustive()
    }
}

impl<'t> StateFileUpgrade<'t> {
    /// Every instance with what came of it, in file order.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = (&Instance<'t>, &InstanceOutcome)> {
        self.state.instances.iter().zip(&self.outcomes)
    }

    /// The serial that the file has now; one less than it has after an upgrade.
    pub fn serial(&self) -> u64 {
        self.state.serial()
    }

    /// Whether an instance could not be upgraded.
    pub fn has_failures(&self) -> bool {
        self.outcomes.iter().any(|outcome| matches!(outcome, InstanceOutcome::Failed { .. }))
    }

    /// Whether any instance was upgraded.
    pub fn has_changes(&self) -> bool {
        !self.edits.is_empty()
    }

    /// The upgraded file; the file as it was if nothing had to be upgraded; `None` if an instance could not be.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        if self.has_failures() {
            return None;
        }
        let text = self.state.text;
        let mut out = Vec::with_capacity(text.len() + self.edits.iter().map(|edit| edit.text.len()).sum::<usize>());
        let mut kept = 0;
        for edit in &self.edits {
            out.extend_from_slice(text.get(kept..edit.range.start)?.as_bytes());
            out.extend_from_slice(&edit.text);
            kept = edit.range.end;
        }
        out.extend_from_slice(text.get(kept..)?.as_bytes());
        Some(out)
    }
}

impl Edit {
    fn new(range: Range<usize>, text: impl Into<Vec<u8>>) -> Self {
        Self { range, text: text.into() }
    }
}

fn upgrade_instance(text: &str, instance: &Instance<'_>, registry: &Registry, edits: &mut Vec<Edit>) -> InstanceOutcome {
    if instance.mode() == Mode::Data {
        return InstanceOutcome::Data;
    }
    let Some(definition) = registry.get(instance.type_name()) else { return InstanceOutcome::UnknownType };
    let to = definition.version();
    let flat = matches!(instance.attributes, Attributes::Flat { .. });
    if instance.schema_version == to && !flat {
        return InstanceOutcome::Current;
    }
    let failed = |diagnostics: Diagnostics| InstanceOutcome::Failed { to, diagnostics };
    let (type_name, stored) = (instance.type_name(), instance.schema_version);
    let request = match &instance.attributes {
        Attributes::Json { range, .. } => {
            UpgradeRequest::json(type_name, stored, text.get(range.clone()).unwrap_or_default().as_bytes())
        }
        Attributes::Flat { map, .. } => UpgradeRequest::flatmap(type_name, stored, map),
        Attributes::Missing { .. } => UpgradeRequest::json(type_name, stored, b"{}"),
    };
    let response = registry.upgrade(&request);
    let Some(state) = response.state() else {
        return failed(response.diagnostics().clone());
    };
    let name_at = match &instance.attributes {
        Attributes::Json { name_at, range } => {
            let old = text.get(range.clone()).unwrap_or_default();
            edits.push(Edit::new(range.clone(), laid_out(text, *name_at, old, state)));
            *name_at
        }
        // The flat member gives way to a JSON one.
        Attributes::Flat { range, .. } => {
            let old = text.get(range.clone()).unwrap_or_default();
            let mut member = b"\"attributes\": ".to_vec();
            member.append(&mut laid_out(text, range.start, old, state));
            edits.push(Edit::new(range.clone(), member));
            range.start
        }
        Attributes::Missing { at, alone } => {
            let mut member = b"\"attributes\": ".to_vec();
            member.extend_from_slice(state);
            if !alone || instance.version_range.is_none() {
                member.extend_from_slice(b", ");
            }
            if instance.version_range.is_none() {
                let comma = if *alone { "" } else { ", " };
                member.extend_from_slice(format!("\"schema_version\": {to}{comma}").as_bytes());
            }
            edits.push(Edit::new(*at..*at, member));
            *at
        }
    };
    match &instance.version_range {
        Some(range) => edits.push(Edit::new(range.clone(), to.to_string())),
        None if matches!(instance.attributes, Attributes::Missing { .. }) => {}
        None => edits.push(Edit::new(name_at..name_at, format!("\"schema_version\": {to}, "))),
    }
    InstanceOutcome::Upgraded { to, warnings: response.diagnostics().clone(), dropped: response.dropped().to_vec() }
}

/// The new attributes in the layout of the old ones: over lines and indented, or compact.
fn laid_out(text: &str, name_at: usize, old: &str, new: &[u8]) -> Vec<u8> {
    let before = text.get(..name_at).unwrap_or_default().as_bytes();
    let indent = before.iter().rev().take_while(|byte| **byte == b' ').count();
    let on_own_line = before.len().checked_sub(indent + 1).and_then(|at| before.get(at)) == Some(&b'\n');
    let one_line = !old.contains('\n') && old != "{}";
    match std::str::from_utf8(new) {
        Ok(compact) if on_own_line && !one_line => {
            let mut out = Vec::with_capacity(new.len() * 2);
            indented(compact, indent, &mut out);
            out
        }
        _ => new.to_vec(),
    }
}
