//! Deprecations, and whether what is gone was announced.

use super::tree::{Node, Paths, join, parent};
use super::{Context, resource};
use crate::release::Release;
use crate::rule::Rule;
use crate::rules as R;
use crate::snapshot::{AttributeSnapshot, Deprecation, GroupKind, ResourceSnapshot};

/// True if what is gone from `path` was announced, and for long enough.
pub(super) fn removal(cx: &mut Context<'_>, path: &str, deprecated: Option<&Deprecation>) {
    let Some(deprecated) = deprecated else {
        cx.report(&R::REMOVED_WITHOUT_DEPRECATION, path);
        return;
    };
    if let Some(finding) = cx
        .findings
        .iter_mut()
        .rev()
        .find(|finding| finding.path == path)
    {
        finding.announced = Some(deprecated.clone());
    }
    let window = cx.options.deprecation;
    let (Some(new), release) = (cx.new_release, |text: Option<&String>| {
        text.and_then(|text| text.parse::<Release>().ok())
    }) else {
        return;
    };
    if let Some(removal) =
        release(deprecated.removal.as_ref()).filter(|removal| !new.reaches(removal))
    {
        cx.report(&R::REMOVED_BEFORE_WINDOW, path)
            .note(format!("its removal was announced for {removal}"));
    } else if let Some(since) = release(deprecated.since.as_ref())
        && since.minors_until(new) < window.min_minor_releases
    {
        let needed = window.min_minor_releases;
        cx.report(&R::REMOVED_BEFORE_WINDOW, path).note(format!(
            "deprecated in {since}; {needed} minor releases are asked for"
        ));
    } else if let Some(since) = release(deprecated.since.as_ref())
        && let (Some(day), Some(now)) = (cx.dates.get(&since).copied(), cx.date)
        && day.days_until(now) < window.min_days
    {
        let (past, needed) = (day.days_until(now), window.min_days);
        cx.report(&R::REMOVED_BEFORE_WINDOW, path)
            .note(format!("deprecated in {since} on {day}, {past} days before this release; {needed} days are asked for"));
    }
}

/// Changes of the deprecation of the resource itself.
pub(super) fn resource(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    let rules: [&'static Rule; 2] = [&R::RESOURCE_DEPRECATED, &R::RESOURCE_UNDEPRECATED];
    let known = |types: &crate::Snapshot, name: &str| {
        // With one resource only, nothing is known about others.
        types.resources.len() < 2
            || types
                .resources
                .get(name)
                .is_some_and(|resource| resource.deprecated.is_none())
    };
    let types = cx.types;
    changed(
        cx,
        "",
        (old.deprecated.as_ref(), new.deprecated.as_ref()),
        rules,
        &|name| known(types, name),
    );
}

/// Changes of the deprecation of an attribute or block.
pub(super) fn compare(
    cx: &mut Context<'_>,
    paths: &Paths<'_>,
    path: &str,
    old: Node<'_>,
    new: Node<'_>,
) {
    let rules: [&'static Rule; 2] = [&R::DEPRECATION_ADDED, &R::DEPRECATION_REMOVED];
    changed(
        cx,
        path,
        (old.deprecated(), new.deprecated()),
        rules,
        &|name| is_there(paths, path, name),
    );
    if old.deprecated().is_none() && new.deprecated().is_some() {
        of_attribute(cx, path, new);
    }
}

/// The finding about an attribute that is new and deprecated at once.
pub(super) fn added(cx: &mut Context<'_>, paths: &Paths<'_>, path: &str, node: Node<'_>) {
    if let Some(deprecated) = node.deprecated() {
        judge(cx, path, deprecated, &|name| is_there(paths, path, name));
        of_attribute(cx, path, node);
    }
}

fn is_there(paths: &Paths<'_>, path: &str, name: &str) -> bool {
    let sibling = join(parent(path), name);
    let node = paths.new.get(&sibling).or_else(|| paths.new.get(name));
    node.is_some_and(|node| node.deprecated().is_none())
}

fn of_attribute(cx: &mut Context<'_>, path: &str, node: Node<'_>) {
    let Node::Attribute(attribute) = node else {
        return;
    };
    if attribute.required {
        cx.report(&R::DEPRECATION_OF_REQUIRED_ATTRIBUTE, path);
    } else if !attribute.optional {
        cx.report(&R::DEPRECATION_UNREFERENCED_COMPUTED, path);
    }
}

fn changed(
    cx: &mut Context<'_>,
    path: &str,
    (old, new): (Option<&Deprecation>, Option<&Deprecation>),
    [added, removed]: [&'static Rule; 2],
    is_there: &dyn Fn(&str) -> bool,
) {
    let release = |text: Option<&String>| text.and_then(|text| text.parse::<Release>().ok());
    match (old, new) {
        (None, None) => {}
        (Some(_), None) => {
            cx.report(removed, path);
        }
        (None, Some(new)) => {
            let finding = cx.report(added, path);
            // Left out where it is empty, because Rust's own `#[deprecated]` need not have one.
            if !new.message.is_empty() {
                finding.now(new.message.clone());
            }
            judge(cx, path, new, is_there);
        }
        // Since when, the lock may know where the author says nothing.
        (Some(old), Some(new))
            if old == new
                || new.since.is_none()
                    && *old
                        == (Deprecation {
                            since: old.since.clone(),
                            ..new.clone()
                        }) => {}
        (Some(old), Some(new)) => {
            if old.message != new.message {
                cx.report(&R::DEPRECATION_MESSAGE_CHANGED, path)
                    .was(old.message.clone())
                    .now(new.message.clone());
            }
            if let (Some(before), Some(after)) =
                (release(old.removal.as_ref()), release(new.removal.as_ref()))
                && after < before
            {
                cx.report(&R::DEPRECATION_WINDOW_SHORTENED, path)
                    .was(before.to_string())
                    .now(after.to_string());
            }
            judge(cx, path, new, is_there);
        }
    }
}

/// True if a deprecation tells users what to do.
fn judge(
    cx: &mut Context<'_>,
    path: &str,
    deprecated: &Deprecation,
    is_there: &dyn Fn(&str) -> bool,
) {
    if deprecated.replaced_by.is_empty() && deprecated.no_replacement.is_none() {
        cx.report(&R::DEPRECATION_NO_REPLACEMENT, path);
    }
    if !names_a_remedy(&deprecated.message) {
        cx.report(&R::DEPRECATION_NOT_ACTIONABLE, path)
            .now(format!("{:?}", deprecated.message));
    }
    for name in deprecated
        .replaced_by
        .0
        .iter()
        .filter(|name| !is_there(name))
    {
        cx.report(&R::DEPRECATION_REPLACEMENT_MISSING, path)
            .now(name.clone());
    }
}

/// True if a message tells its reader to do something: a verb that is not a noun there.
fn names_a_remedy(message: &str) -> bool {
    const VERBS: [&str; 29] = [
        "use",
        "remove",
        "set",
        "move",
        "import",
        "replace",
        "migrate",
        "switch",
        "configure",
        "delete",
        "omit",
        "rename",
        "drop",
        "specify",
        "prefer",
        "change",
        "convert",
        "unset",
        "write",
        "add",
        "upgrade",
        "call",
        "consider",
        "define",
        "manage",
        "provide",
        "pass",
        "create",
        "leave",
    ];
    let lower = message.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let mut before = "";
    for word in words {
        if VERBS.contains(&word)
            && !matches!(before, "in" | "of" | "the" | "a" | "for" | "this" | "not")
        {
            return true;
        }
        before = word;
    }
    false
}

/// Pairs of an old and a new name that are both served.
pub(super) fn pairs(cx: &mut Context<'_>, paths: &Paths<'_>, new: &ResourceSnapshot) {
    for (path, node) in &paths.new {
        let (Node::Attribute(attribute), Some(deprecated)) = (node, node.deprecated()) else {
            continue;
        };
        let is_new = paths
            .old
            .get(path)
            .is_none_or(|old| old.deprecated().is_none());
        let Some(name) = deprecated.replaced_by.only().filter(|_| is_new) else {
            continue;
        };
        let sibling = join(parent(path), name);
        let to = if paths.new.contains_key(&sibling) {
            sibling
        } else {
            name.to_owned()
        };
        let Some(Node::Attribute(successor)) = paths.new.get(&to) else {
            continue;
        };
        let exclusive = new.groups.iter().any(|group| {
            matches!(
                group.kind,
                GroupKind::ConflictsWith | GroupKind::ExactlyOneOf
            ) && group.paths.contains(path)
                && group.paths.contains(&to)
        });
        let settable = |attribute: &AttributeSnapshot| attribute.optional && !attribute.required;
        // An attribute that is optional and computed takes the other's value if it is not set.
        if !exclusive
            && settable(attribute)
            && settable(successor)
            && !attribute.computed
            && resource::tier(new) == 0
        {
            cx.report(&R::RENAME_PAIR_NOT_EXCLUSIVE, path).now(to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_to_name_a_remedy() {
        for message in [
            "Use `b` instead.",
            "Deprecated: please remove it",
            "Will go in 2.0; move it to `network`.",
        ] {
            assert!(names_a_remedy(message), "{message}");
        }
        for message in [
            "",
            "This attribute is deprecated.",
            "No longer in use",
            "Will be removed in 2.0",
            "Not used any more",
        ] {
            assert!(!names_a_remedy(message), "{message}");
        }
    }
}
