//! The other names that members and variants of a document are read by: stored documents may have each of them.

use upstate_words::lock::variant;

use super::Context;
use crate::finding::Finding;
use crate::rule::Rule;
use crate::rules as R;
use crate::snapshot::ResourceSnapshot;

/// The rules about what is gone or has another name. Its other names are judged with it.
const GONE: [&Rule; 6] = [
    &R::ATTRIBUTE_REMOVED,
    &R::ATTRIBUTE_RENAMED,
    &R::ATTRIBUTE_MOVED,
    &R::ATTRIBUTE_SPLIT,
    &R::OBJECT_MEMBER_REMOVED,
    &R::VARIANT_REMOVED,
];

/// Reports the names that are no longer read, once everything else was compared.
pub(super) fn compare(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    // No definition that is imported says by which names it is read.
    if new.imported {
        return;
    }
    for (path, names) in &old.aliases {
        if cx.findings.iter().any(|finding| takes_along(finding, path)) {
            continue;
        }
        let here = new.aliases.get(path);
        // In a later version another member may have taken it over.
        let is_elsewhere = |name: &String| new.version != old.version && new.aliases.values().any(|names| names.contains(name));
        for name in names.iter().filter(|name| !here.is_some_and(|here| here.contains(*name)) && !is_elsewhere(name)) {
            cx.report(&R::ALIAS_REMOVED, path).was(name.clone());
        }
    }
}

/// True if a finding is about all that is at a path: it is gone, or it is inside of what does not read.
fn takes_along(finding: &Finding, path: &str) -> bool {
    let mut at = without_positions(&finding.path);
    if *finding.rule == R::VARIANT_REMOVED {
        at = variant(&at, finding.old.as_deref().unwrap_or_default());
    }
    let is_gone = GONE.contains(&finding.rule);
    match path.strip_prefix(at.as_str()) {
        Some("") => is_gone,
        Some(inside) => inside.starts_with('.') && (is_gone || finding.bump.wire),
        None => false,
    }
}

/// A path without the positions of elements, which the paths of names do not have.
fn without_positions(path: &str) -> String {
    let mut plain = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        rest = after.split_once(']').map_or("", |(_, rest)| rest);
    }
    plain + rest
}
