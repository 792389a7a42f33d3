//! The identity that is stored with the attributes of an instance, in a downgrade.

use upstate::upgrade::DowngradeRequest;
use upstate::{Diagnostic, DiagnosticCode, Diagnostics, RawState, Registry, UpgradeRequest, Value};

use super::changes::compared_identities;
use super::goals::{DowngradeGoals, IdentityGoal};
use super::layout::{Edit, laid_out};
use super::options::DowngradeFunction;
use super::outcome::IdentityDowngrade;
use super::parse::Instance;
use super::scan::Slot;
use super::secrets::Marked;

/// Downgrades the identity of an instance; returns the report and the edits of the text, or `None`
/// if the identity stays.
pub(super) fn downgraded(
    instance: &Instance<'_>,
    goal: IdentityGoal,
    registry: &Registry,
    (goals, downgrade): (&DowngradeGoals, DowngradeFunction<'_>),
    wants_changes: bool,
) -> Result<Option<(IdentityDowngrade, Vec<Edit>)>, Diagnostics> {
    // Instances of types without identities have the member also: its version is 0, so it stays.
    let identity = instance
        .record()
        .map(|record| record.identity)
        .filter(|_| goal != IdentityGoal::Stay);
    let Some(identity) = identity else {
        return Ok(None);
    };
    let (object, at, from) = (instance.object(), instance.range.start, identity.version);
    let stored = identity.json(object);
    let slot = identity.slot.as_ref().map(|slot| Slot {
        name_at: slot.name_at + at,
        range: slot.range.start + at..slot.range.end + at,
        is_json: slot.is_json,
    });
    let mut edits = Vec::new();
    let mut report = IdentityDowngrade {
        from,
        to: None,
        warnings: Diagnostics::new(),
        changes: Vec::new(),
    };
    let mut new = None;
    match (goal, stored, slot) {
        (IdentityGoal::Stay, ..) => return Ok(None),
        (IdentityGoal::Version(to), Some(json), Some(slot)) => {
            goals.permits_identity(registry, instance.type_name(), to)?;
            let request = DowngradeRequest::json(instance.type_name(), from, to, json.as_bytes())
                .allow_loss(goals.allows_loss());
            let response = downgrade(&request);
            let warnings = response.diagnostics().clone();
            let made = response
                .into_result()
                .map_err(|errors| without_paths(&errors))?;
            let mut text = Vec::new();
            laid_out(instance.text, &slot, &made, &mut text);
            edits.push(Edit::new(slot.range, text));
            report = IdentityDowngrade {
                to: Some(to),
                warnings: without_paths(&warnings),
                ..report
            };
            new = Some(made);
        }
        (IdentityGoal::Version(to), ..) => report.to = Some(to),
        (IdentityGoal::Remove, stored, slot) => {
            if let Some(json) = stored {
                report.warnings = removed(instance, json, registry, goals)?;
            }
            if identity.is_twice {
                let detail = "The instance has two members named `identity`.";
                return Err(
                    Diagnostic::error("Unable to Downgrade Resource Identity", detail)
                        .coded(DiagnosticCode::Repeated)
                        .with_remedy("Remove the one that does not count, which is the first.")
                        .into(),
                );
            }
            edits.extend(slot.map(|slot| without_member(instance.text, &slot)));
        }
    }
    if let Some(range) = identity.version_range {
        edits.push(Edit::new(
            range.start + at..range.end + at,
            report.to.unwrap_or(0).to_string(),
        ));
    }
    if let (true, Some(json)) = (wants_changes, stored) {
        report.changes = compared_identities(instance, json.as_bytes(), new.as_deref(), registry);
    }
    if let Some(marked) = Marked::of(instance, registry) {
        report.warnings = marked.hide(&report.warnings);
    }
    Ok(Some((report, edits)))
}

/// The warning that an identity is removed. There is none if Terraform's next request, which is an
/// upgrade of an empty identity, makes the same one.
fn removed(
    instance: &Instance<'_>,
    json: &str,
    registry: &Registry,
    goals: &DowngradeGoals,
) -> Result<Diagnostics, Diagnostics> {
    let type_name = instance.type_name();
    let again =
        registry.upgrade_identity(&UpgradeRequest::new(type_name, 0, Some(RawState::Empty)));
    let value = |json: &[u8]| Value::from_any_json(json).ok();
    if !goals.is_strict()
        && again
            .state()
            .is_some_and(|made| value(made).is_some() && value(made) == value(json.as_bytes()))
    {
        return Ok(Diagnostics::new());
    }
    let detail = format!(
        "Release {} has no identity of {type_name}, so the stored one is removed. Terraform stores one again when a release that has it reads \
         the resource.\n\nResource type {type_name}, identity, stored at schema version {}.",
        goals.release().unwrap_or_default(),
        instance.identity_version
    );
    if goals.allows_loss() {
        Ok(Diagnostic::warning("Value Lost", detail)
            .coded(DiagnosticCode::WouldLose)
            .into())
    } else {
        Err(Diagnostic::error("Downgrade Would Lose a Value", detail)
            .coded(DiagnosticCode::WouldLose)
            .into())
    }
}

/// Diagnostics about an identity without their paths, which readers would take for paths into the
/// attributes. The text names the place.
fn without_paths(diagnostics: &Diagnostics) -> Diagnostics {
    diagnostics.iter().map(Diagnostic::without_path).collect()
}

/// Removes a member and the comma that separates it from the next or the previous one.
fn without_member(text: &str, slot: &Slot) -> Edit {
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
