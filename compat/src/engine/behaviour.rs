//! Changes of behaviour that authors declare, since no schema shows them.

use super::Context;
use crate::release::Release;
use crate::rule::Rule;
use crate::rules as R;
use crate::snapshot::{Behaviour, ResourceSnapshot};

pub(super) fn compare(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    for behaviour in added(cx.old_release, old, new) {
        let is_on = flag_is_on(behaviour, new);
        let rule: &'static Rule = if is_on {
            &R::BEHAVIOUR_CHANGED
        } else {
            &R::BEHAVIOUR_BEHIND_FLAG
        };
        let finding = cx.report(rule, "").now(behaviour.text.as_str());
        if let Some(flag) = &behaviour.flag {
            finding.note(if is_on {
                format!("`{flag} = false` keeps the old behaviour")
            } else {
                format!("`{flag} = true` switches it on")
            });
        }
    }
}

/// The changes of behaviour that the old release did not have.
fn added<'n>(
    released: Option<&Release>,
    old: &'n ResourceSnapshot,
    new: &'n ResourceSnapshot,
) -> impl Iterator<Item = &'n Behaviour> {
    new.behaviours.iter().filter(move |behaviour| {
        let was_declared = old
            .behaviours
            .iter()
            .any(|other| other.text == behaviour.text);
        // A behaviour that a release had before anybody declared it is not new.
        let is_old = behaviour
            .since
            .parse()
            .is_ok_and(|since: Release| released.is_some_and(|released| since <= *released));
        !was_declared && !is_old
    })
}

/// True if it behaves in the new way where nobody sets the flag.
fn flag_is_on(behaviour: &Behaviour, resource: &ResourceSnapshot) -> bool {
    let attribute = behaviour
        .flag
        .as_ref()
        .and_then(|flag| resource.attributes.get(flag));
    attribute.is_none_or(|flag| {
        flag.default
            .as_ref()
            .is_some_and(|default| *default != serde_json::Value::Bool(false))
    })
}

/// The new behaviour that an attribute switches, and whether it is on where nobody sets the
/// attribute.
pub(super) fn switched<'n>(
    released: Option<&Release>,
    path: &str,
    old: &'n ResourceSnapshot,
    new: &'n ResourceSnapshot,
) -> Option<(&'n Behaviour, bool)> {
    let behaviour =
        added(released, old, new).find(|behaviour| behaviour.flag.as_deref() == Some(path))?;
    Some((behaviour, flag_is_on(behaviour, new)))
}
