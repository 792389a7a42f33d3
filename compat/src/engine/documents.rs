//! The rules for documents: nobody configures them, so that only what is stored counts.

use super::flags::default_words;
use super::tree::parent;
use super::{Context, validators};
use crate::release::Semver;
use crate::rule::{Axis, Level};
use crate::rules as R;
use crate::snapshot::{AttributeSnapshot, ResourceSnapshot};
use crate::stored_type::StoredType;

/// True if a document without the member reads.
fn may_be_absent(member: &AttributeSnapshot) -> bool {
    !member.required
}

fn takes_null_no_more(old: &AttributeSnapshot, new: &AttributeSnapshot) -> bool {
    old.nullable == Some(true) && new.nullable == Some(false)
}

/// A member that was not there.
pub(super) fn added(
    cx: &mut Context<'_>,
    path: &str,
    member: &AttributeSnapshot,
    words: String,
    old: &ResourceSnapshot,
) {
    let was_open = old
        .flattened
        .as_ref()
        .and_then(|flattened| flattened.get(parent(path)))
        .into_iter()
        .flatten()
        .any(|part| matches!(part.ty, Some(StoredType::Map(_))));
    if was_open {
        cx.report(&R::OPEN_MEMBER_NAMED, path).now(words.clone());
    }
    if !may_be_absent(member) {
        cx.report(&R::MEMBER_REQUIRED, path).now(words);
    }
}

/// Judges the value that an absent member reads as, and the values that are read.
pub(super) fn members(
    cx: &mut Context<'_>,
    path: &str,
    old: &AttributeSnapshot,
    new: &AttributeSnapshot,
) {
    match (may_be_absent(old), may_be_absent(new)) {
        (true, false) => {
            let finding = cx.report(&R::MEMBER_REQUIRED, path);
            if takes_null_no_more(old, new) {
                finding.note("the field is not an `Option` any more, so null is refused, too");
            }
        }
        (true, true) if old.default != new.default => {
            let words = |member: &AttributeSnapshot| match &member.default {
                // A default that was computed each time is in no lock, nor is one of a lock that is
                // older than documents' defaults.
                None if member.nullable == Some(true) => "null".to_owned(),
                None => "a value that the lock does not know".to_owned(),
                Some(_) if old.sensitive || new.sensitive => "a value".to_owned(),
                Some(default) => default_words(member, default),
            };
            if old.default.is_some() || old.nullable == Some(true) {
                cx.report(&R::ABSENT_VALUE_CHANGED, path)
                    .was(words(old))
                    .now(words(new));
            }
        }
        (true | false, true) | (false, false) => {}
    }
    // One that may not be absent any more is reported as such.
    if takes_null_no_more(old, new) && (may_be_absent(new) || !may_be_absent(old)) {
        cx.report(&R::NULL_REFUSED, path);
    }
    if old.sensitive && !new.sensitive {
        cx.report(&R::SENSITIVE_REMOVED, path);
    }
    validators::compare(cx, path, old, new);
    cx.described(path, &old.description, &new.description);
}

/// Leaves out what only providers are held to, and what an upgrade takes care of.
pub(super) fn grade(cx: &mut Context<'_>) {
    cx.findings.retain_mut(|finding| {
        let needs_upgrade = finding.bump.strict || finding.bump.wire;
        finding.axes.retain(|axis| cx.kind.has(*axis));
        if finding.axes.is_empty() && (needs_upgrade || *finding.rule == R::RESOURCE_ADDED) {
            finding.axes.push(Axis::State);
        }
        // Users do nothing: the document is upgraded when it is read, and an earlier release
        // refuses the later version.
        if finding.upgraded
            && needs_upgrade
            && matches!(finding.level, Level::Breaking | Level::Potential)
        {
            finding.graded(Level::Safe, Semver::Minor);
        }
        !finding.axes.is_empty() && !R::is_of_providers(finding.rule.id())
    });
}
