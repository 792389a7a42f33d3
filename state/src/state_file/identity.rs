//! The identity that is stored beside the attributes of an instance, on its way back to an earlier release.

use upstate::upgrade::{DowngradeRequest, DowngradeResponse};
use upstate::{Diagnostic, Diagnostics, RawState, Registry, UpgradeRequest, Value};

use super::changes::{Change, compared_identities};
use super::goals::DowngradeGoals;
use super::layout::{Edit, laid_out};
use super::parse::Instance;
use super::scan::Slot;
use super::secrets::Marked;

/// What answers requests about identities, which may await.
pub(super) type AnsweredBy<'a> = &'a (dyn Fn(&DowngradeRequest<'_>) -> DowngradeResponse + Sync);

/// What has to be done with an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// The release reads it as it is.
    Stay,
    /// It goes back to this version.
    Back(u64),
    /// The release has no identity of the type.
    Remove,
}

/// What a downgrade makes of the identity of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityDowngrade {
    pub(super) from: u64,
    pub(super) to: Option<u64>,
    pub(super) warnings: Diagnostics,
    pub(super) changes: Vec<Change>,
}

impl IdentityDowngrade {
    /// The version of the identity's schema that it was stored with.
    pub fn from(&self) -> u64 {
        self.from
    }

    /// The version that it goes back to; `None` if it is removed, because the release has no identity of the type.
    pub fn to(&self) -> Option<u64> {
        self.to
    }

    /// Warnings only: one for each value that is lost.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// What changes in it, if changes were asked for.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }
}

/// What becomes of an identity, and of the text of its instance.
pub(super) struct TakenBack {
    pub(super) told: IdentityDowngrade,
    pub(super) edits: Vec<Edit>,
}

/// Takes the identity of an instance back, or says why it cannot go.
pub(super) fn taken_back(
    instance: &Instance<'_>,
    task: Task,
    registry: &Registry,
    (goals, answered_by): (&DowngradeGoals, AnsweredBy<'_>),
    wants_changes: bool,
) -> Result<Option<TakenBack>, Diagnostics> {
    // Instances of types without identities have the member, too: their version is 0, and they stay.
    let Some(identity) = instance.record().map(|record| record.identity).filter(|_| task != Task::Stay) else { return Ok(None) };
    let (object, at, from) = (instance.object(), instance.range.start, identity.version);
    let stored = identity.json(object);
    let slot = identity.slot.as_ref().map(|slot| Slot {
        name_at: slot.name_at + at,
        range: slot.range.start + at..slot.range.end + at,
        is_json: slot.is_json,
    });
    let mut edits = Vec::new();
    let mut told = IdentityDowngrade { from, to: None, warnings: Diagnostics::new(), changes: Vec::new() };
    let mut new = None;
    match (task, stored, slot) {
        (Task::Stay, ..) => return Ok(None),
        (Task::Back(to), Some(json), Some(slot)) => {
            goals.permits_identity(registry, instance.type_name(), to)?;
            let request = DowngradeRequest::json(instance.type_name(), from, to, json.as_bytes()).allow_loss(goals.allows_loss());
            let response = answered_by(&request);
            let warnings = response.diagnostics().clone();
            let made = response.into_result().map_err(|errors| within(&errors))?;
            let mut text = Vec::new();
            laid_out(instance.text, &slot, &made, &mut text);
            edits.push(Edit::new(slot.range, text));
            told = IdentityDowngrade { to: Some(to), warnings: within(&warnings), ..told };
            new = Some(made);
        }
        (Task::Back(to), ..) => told.to = Some(to),
        (Task::Remove, stored, slot) => {
            if let Some(json) = stored {
                told.warnings = removed(instance, json, registry, goals)?;
            }
            if identity.is_twice {
                let detail =
                    "The instance has two members named `identity`. Remove the one that does not count, which is the first.";
                return Err(Diagnostic::error("Unable to Downgrade Resource Identity", detail).into());
            }
            edits.extend(slot.map(|slot| without(instance.text, &slot)));
        }
    }
    if let Some(range) = identity.version_range {
        edits.push(Edit::new(range.start + at..range.end + at, told.to.unwrap_or(0).to_string()));
    }
    if let (true, Some(json)) = (wants_changes, stored) {
        told.changes = compared_identities(instance, json.as_bytes(), new.as_deref(), registry);
    }
    if let Some(marked) = Marked::of(instance, registry) {
        told.warnings = marked.hide(&told.warnings);
    }
    Ok(Some(TakenBack { told, edits }))
}

/// The warning that an identity is removed. It is nothing lost if the next upgrade makes the same one again, from nothing, as Terraform asks for it.
fn removed(instance: &Instance<'_>, json: &str, registry: &Registry, goals: &DowngradeGoals) -> Result<Diagnostics, Diagnostics> {
    let type_name = instance.type_name();
    let again = registry.upgrade_identity(&UpgradeRequest::new(type_name, 0, Some(RawState::Empty)));
    let value = |json: &[u8]| Value::from_any_json(json).ok();
    if !goals.is_strict() && again.state().is_some_and(|made| value(made).is_some() && value(made) == value(json.as_bytes())) {
        return Ok(Diagnostics::new());
    }
    let detail = format!(
        "Release {} has no identity of {type_name}, so the stored one is removed. Terraform stores one again when a release that has it reads \
         the resource.\n\nResource type {type_name}, identity, stored at schema version {}.",
        goals.release().unwrap_or_default(),
        instance.identity_version
    );
    if goals.allows_loss() {
        Ok(Diagnostic::warning("Value Lost", detail).into())
    } else {
        Err(Diagnostic::error("Downgrade Would Lose a Value", detail).into())
    }
}

/// Diagnostics about an identity, which say in their text where: a path is one into the attributes.
fn within(diagnostics: &Diagnostics) -> Diagnostics {
    let mut all = Diagnostics::new();
    for one in diagnostics {
        all.push(match one.severity() {
            upstate::Severity::Error => Diagnostic::error(one.summary(), one.detail()),
            upstate::Severity::Warning => Diagnostic::warning(one.summary(), one.detail()),
        });
    }
    all
}

/// Removes a member, with the comma that goes with it.
fn without(text: &str, slot: &Slot) -> Edit {
    let after = text.get(slot.range.end..).unwrap_or_default();
    let before = text.get(..slot.name_at).unwrap_or_default();
    let range = if let Some(rest) = after.trim_start().strip_prefix(',') {
        slot.name_at..text.len() - rest.trim_start().len()
    } else if let Some(rest) = before.trim_end().strip_suffix(',') {
        rest.len()..slot.range.end
    } else {
        slot.name_at..slot.range.end
    };
    Edit::new(range, "")
}
