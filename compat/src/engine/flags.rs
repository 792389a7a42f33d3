//! Presence, defaults and replacement of attributes; limits of blocks.

use serde_json::Value as Json;
use upstate::__internal::Canonical;

use super::tree::Node;
use super::{Context, documents, resource, validators};
use crate::kind::Kind;
use crate::release::Semver;
use crate::rule::{Bump, Level, Rule};
use crate::rules as R;
use crate::snapshot::{AttributeSnapshot, BlockSnapshot, Nesting};

pub(super) fn compare(cx: &mut Context<'_>, path: &str, old: Node<'_>, new: Node<'_>) {
    let (other, other_now) = match (old, new) {
        (Node::Attribute(before), Node::Attribute(after)) => {
            if cx.kind == Kind::Document {
                documents::members(cx, path, before, after);
            } else {
                attributes(cx, path, before, after);
            }
            (&before.other, &after.other)
        }
        (Node::Block(before), Node::Block(after)) => {
            items(cx, path, before, after);
            if !cx.imported {
                let [was, is] = [before, after].map(checked);
                validators::compare(cx, path, &was, &is);
            }
            cx.described(path, &before.description, &after.description);
            (&before.other, &after.other)
        }
        (Node::Attribute(_), Node::Block(_)) | (Node::Block(_), Node::Attribute(_)) => return,
    };
    for name in other.keys().chain(other_now.keys()) {
        if other.get(name) != other_now.get(name) {
            resource::unhandled(cx, path, name, other.get(name), other_now.get(name));
        }
    }
}

fn attributes(cx: &mut Context<'_>, path: &str, old: &AttributeSnapshot, new: &AttributeSnapshot) {
    presence(cx, path, old, new);
    toggles(cx, path, old, new);
    form(cx, path, old, new);
    if !cx.imported {
        defaults(cx, path, old, new);
        opaque(cx, path, old, new);
        validators::compare(cx, path, old, new);
    }
    cx.described(path, &old.description, &new.description);
}

fn presence(cx: &mut Context<'_>, path: &str, old: &AttributeSnapshot, new: &AttributeSnapshot) {
    // An attribute with a default is announced as computed, too, and an imported schema does not
    // say which it is.
    let has_default = cx.imported && new.default.is_some();
    let mut report = |rule: &'static Rule| {
        cx.report(rule, path);
    };
    let computed_only = |attribute: &AttributeSnapshot| !attribute.required && !attribute.optional;
    if computed_only(new) {
        if !computed_only(old) {
            report(&R::ATTRIBUTE_BECAME_COMPUTED_ONLY);
        }
    } else if new.required {
        if computed_only(old) {
            report(&R::ATTRIBUTE_COMPUTED_TO_REQUIRED);
        } else if !old.required {
            report(&R::ATTRIBUTE_OPTIONAL_TO_REQUIRED);
        }
    } else if old.required {
        report(&R::ATTRIBUTE_REQUIRED_TO_OPTIONAL);
    } else {
        if computed_only(old) {
            report(&R::ATTRIBUTE_COMPUTED_TO_SETTABLE);
        }
        match (old.computed, new.computed) {
            (true, false) if !has_default => report(&R::ATTRIBUTE_COMPUTED_REMOVED),
            (false, true) => report(&R::ATTRIBUTE_COMPUTED_ADDED),
            _ => {}
        }
    }
    if old.nullable == Some(true) && new.nullable == Some(false) && cx.kind.is_stored() {
        let required = cx.findings.iter_mut().rev().find(|finding| {
            finding.path == path
                && [
                    R::ATTRIBUTE_OPTIONAL_TO_REQUIRED.id,
                    R::ATTRIBUTE_COMPUTED_TO_REQUIRED.id,
                ]
                .contains(&finding.rule.id)
        });
        match required {
            Some(finding) => {
                finding
                    .needs(Bump::YES)
                    .note("the field is not an `Option` any more, so stored null is refused");
            }
            None => {
                cx.report(&R::NULL_REFUSED, path);
            }
        }
    }
}

fn toggles(cx: &mut Context<'_>, path: &str, old: &AttributeSnapshot, new: &AttributeSnapshot) {
    let rules: [(bool, bool, Option<&'static Rule>, Option<&'static Rule>); 4] = [
        (
            old.sensitive,
            new.sensitive,
            Some(&R::SENSITIVE_ADDED),
            Some(&R::SENSITIVE_REMOVED),
        ),
        (
            old.write_only,
            new.write_only,
            Some(&R::WRITE_ONLY_ADDED),
            Some(&R::WRITE_ONLY_REMOVED),
        ),
        (
            old.force_new || cx.imported && new.force_new,
            new.force_new,
            Some(&R::FORCE_NEW_ADDED),
            Some(&R::FORCE_NEW_REMOVED),
        ),
        (
            old.id_component || cx.imported && new.id_component,
            new.id_component,
            Some(&R::RESOURCE_ID_FORMAT_CHANGED),
            Some(&R::RESOURCE_ID_FORMAT_CHANGED),
        ),
    ];
    for (before, after, set, unset) in rules {
        let rule = match (before, after) {
            (false, true) => set,
            (true, false) => unset,
            _ => None,
        };
        let is_reported = rule.is_some_and(|rule| {
            *rule == R::RESOURCE_ID_FORMAT_CHANGED
                && cx.findings.iter().any(|finding| *finding.rule == *rule)
        });
        if let Some(rule) = rule.filter(|_| !is_reported) {
            cx.report(rule, path);
        }
    }
}

/// A default for a message: never the value of something sensitive.
pub(super) fn default_words(attribute: &AttributeSnapshot, default: &Json) -> String {
    if attribute.sensitive || attribute.write_only {
        "a default".to_owned()
    } else {
        format!("default {}", Canonical(default))
    }
}

fn defaults(cx: &mut Context<'_>, path: &str, old: &AttributeSnapshot, new: &AttributeSnapshot) {
    let show = |attribute: &AttributeSnapshot, default: &Json| {
        if old.sensitive || new.sensitive {
            "a value".to_owned()
        } else {
            default_words(attribute, default)
        }
    };
    match (&old.default, &new.default) {
        (None, Some(default)) => {
            let finding = cx.report(&R::DEFAULT_ADDED, path).now(show(new, default));
            // A required attribute was set, and the API's own default does not change anything.
            if old.required || new.api_default.as_ref() == Some(default) {
                finding.graded(Level::Safe, Semver::Minor);
            }
        }
        (Some(before), Some(after)) if before != after => {
            let finding = cx
                .report(&R::DEFAULT_CHANGED, path)
                .was(show(old, before))
                .now(show(new, after));
            if new.force_new {
                finding.note("a changed value replaces the object");
            }
        }
        (Some(before), None) => {
            let api = new.api_default.as_ref().or(old.api_default.as_ref());
            let finding = cx.report(&R::DEFAULT_REMOVED, path).was(show(old, before));
            if new.computed && api == Some(before) {
                finding.graded(Level::Potential, Semver::Minor);
            }
        }
        _ => {}
    }
}

/// Compares the forms of values: those that models declare, and those that an upgrader rewrites.
fn form(cx: &mut Context<'_>, path: &str, old: &AttributeSnapshot, new: &AttributeSnapshot) {
    let rewritten = cx.reformatted.and_then(|forms| forms.get(path)).cloned();
    let changed = match (&old.format, &new.format) {
        (Some(old), Some(new)) if old != new => Some((old.clone(), new.clone())),
        // A form declared for the first time is not a change, unless an upgrader rewrites the
        // strings.
        (Some(_) | None, Some(_)) | (None, None) => rewritten,
        (Some(old), None) => Some(rewritten.unwrap_or_else(|| (old.clone(), "none".to_owned()))),
    };
    if let Some((was, now)) = changed {
        let is_accepted = new.accepts.contains(&was)
            || old
                .format
                .as_ref()
                .is_some_and(|format| new.accepts.contains(format));
        let finding = cx.report(&R::STATE_FORMAT_CHANGED, path).was(was).now(now);
        if is_accepted {
            finding.graded(Level::Potential, Semver::Minor);
        }
    } else if !cx.imported && old.accepts != new.accepts {
        let tightened = old.accepts.iter().any(|form| !new.accepts.contains(form));
        let rule: &'static Rule = if tightened {
            &R::VALIDATOR_TIGHTENED
        } else {
            &R::VALIDATOR_LOOSENED
        };
        cx.report(rule, path)
            .was(old.accepts.join(", "))
            .now(new.accepts.join(", "));
    }
}

/// Compares what only has a name.
fn opaque(cx: &mut Context<'_>, path: &str, old: &AttributeSnapshot, new: &AttributeSnapshot) {
    let unset = |value: &Json| matches!(value, Json::Null | Json::Bool(false));
    match (unset(&old.diff_suppress), unset(&new.diff_suppress)) {
        (false, true) => {
            cx.report(&R::DIFF_SUPPRESS_REMOVED, path);
        }
        (false, false) if old.diff_suppress != new.diff_suppress => {
            let (was, now) = (Canonical(&old.diff_suppress), Canonical(&new.diff_suppress));
            cx.report(&R::DIFF_SUPPRESS_CHANGED, path)
                .was(was.to_string())
                .now(now.to_string());
        }
        _ => {}
    }
}

/// The checks of blocks, as those of an attribute.
fn checked(block: &BlockSnapshot) -> AttributeSnapshot {
    AttributeSnapshot {
        validators: block.validators.clone(),
        ..AttributeSnapshot::default()
    }
}

fn items(cx: &mut Context<'_>, path: &str, old: &BlockSnapshot, new: &BlockSnapshot) {
    // Numbers of blocks that are arranged in another way do not compare.
    if (old.mode == Nesting::Single) != (new.mode == Nesting::Single)
        || (old.mode == Nesting::Map) != (new.mode == Nesting::Map)
    {
        return;
    }
    let least: Option<&'static Rule> = match new.min_items.cmp(&old.min_items) {
        std::cmp::Ordering::Greater => Some(&R::MIN_ITEMS_INCREASED),
        std::cmp::Ordering::Less => Some(&R::MIN_ITEMS_DECREASED),
        std::cmp::Ordering::Equal => None,
    };
    if let Some(rule) = least {
        cx.report(rule, path)
            .was(old.min_items.to_string())
            .now(new.min_items.to_string());
    }
    let most = |block: &BlockSnapshot| block.max_items.filter(|max| *max > 0).unwrap_or(u64::MAX);
    let words = |block: &BlockSnapshot| match most(block) {
        u64::MAX => "any number".to_owned(),
        max => max.to_string(),
    };
    let (before, after) = (most(old), most(new));
    if before != after {
        let rule: &'static Rule = if after < before {
            &R::MAX_ITEMS_DECREASED
        } else {
            &R::MAX_ITEMS_INCREASED
        };
        cx.report(rule, path).was(words(old)).now(words(new));
        if (before == 1) != (after == 1) {
            cx.report(&R::MAX_ITEMS_ONE_CHANGED, path)
                .was(words(old))
                .now(words(new));
        }
    }
}
