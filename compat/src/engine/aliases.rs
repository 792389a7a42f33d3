//! The other names that members and variants of a document are read by: stored documents may have
//! each of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use upstate_words::lock::{FLATTENED, OTHERS, step, steps};

use super::Context;
use crate::finding::Finding;
use crate::rule::Rule;
use crate::rules as R;
use crate::snapshot::{AttributeSnapshot, ResourceSnapshot};
use crate::stored_type::StoredType;

/// The rules about what is gone or has another name. Its other names are judged with it.
const GONE: [&Rule; 6] = [
    &R::ATTRIBUTE_REMOVED,
    &R::ATTRIBUTE_RENAMED,
    &R::ATTRIBUTE_MOVED,
    &R::ATTRIBUTE_SPLIT,
    &R::OBJECT_MEMBER_REMOVED,
    &R::VARIANT_REMOVED,
];

/// Reports other names that the new release does not read. It needs all other findings.
pub(super) fn compare(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    // No definition that is imported says by which names it is read.
    if new.imported {
        return;
    }
    // A struct of the earlier version may read them still.
    let types = cx.types;
    let priors = types
        .priors
        .get(cx.resource)
        .filter(|_| new.version != old.version);
    let prior = priors.and_then(|priors| priors.get(&old.version));
    for (path, names) in &old.aliases {
        if !exists(new, path) || cx.findings.iter().any(|finding| takes_along(finding, path)) {
            continue;
        }
        let readers = [
            new.aliases.get(path),
            prior.and_then(|prior| prior.aliases.get(path)),
        ];
        let is_read = |name: &String| {
            readers
                .into_iter()
                .flatten()
                .any(|read| read.contains(name))
        };
        // In a later version another member may have taken it over, but no enum the variants of
        // another one.
        let is_elsewhere = |name: &String| {
            name != OTHERS
                && new.version != old.version
                && new.aliases.values().any(|names| names.contains(name))
        };
        for name in names
            .iter()
            .filter(|name| !is_read(name) && !is_elsewhere(name))
        {
            cx.report(&R::ALIAS_REMOVED, path).was(name.clone());
        }
    }
}

/// True if the new release has what is at a path. What is gone takes its names with it, because the
/// findings, or an upgrader, tell of it.
fn exists(new: &ResourceSnapshot, path: &str) -> bool {
    let Some(names) = steps(path) else {
        return true;
    };
    // Findings alone judge the names in flattened enums and maps, because an object may have
    // several of these.
    names.iter().any(|name| name == FLATTENED) || is_in_members(&new.attributes, &names)
}

fn is_in_members(members: &BTreeMap<String, AttributeSnapshot>, names: &[Cow<'_, str>]) -> bool {
    let Some((first, rest)) = names.split_first() else {
        return true;
    };
    members
        .get(&**first)
        .is_some_and(|member| match (&member.nested, &member.ty) {
            (Some(nested), _) => is_in_members(&nested.attributes, rest),
            (None, Some(ty)) => is_in_type(ty, rest),
            (None, None) => rest.is_empty(),
        })
}

fn is_in_type(ty: &StoredType, names: &[Cow<'_, str>]) -> bool {
    let Some((first, rest)) = names.split_first() else {
        return true;
    };
    match ty {
        StoredType::List(element) | StoredType::Set(element) | StoredType::Map(element) => {
            is_in_type(element, names)
        }
        StoredType::Tuple(elements) => elements.iter().any(|element| is_in_type(element, names)),
        StoredType::Object(members, _) => members
            .get(&**first)
            .is_some_and(|member| is_in_type(member, rest)),
        StoredType::Union(_, variants) => variants
            .iter()
            .any(|(name, held)| name == first && is_in_type(held, rest)),
        StoredType::Bool
        | StoredType::String
        | StoredType::Number
        | StoredType::Int64
        | StoredType::Float64
        | StoredType::Dynamic
        | StoredType::Json => false,
    }
}

/// True if a finding is about all that is at a path: it is gone, or it is inside of what does not
/// read.
fn takes_along(finding: &Finding, path: &str) -> bool {
    // The name that a variant has lost leaves the names of its members to be judged, because its
    // own name is read still.
    if *finding.rule == R::ALIAS_REMOVED {
        return false;
    }
    let mut at = without_positions(&finding.path);
    if *finding.rule == R::VARIANT_REMOVED {
        at = step(&at, finding.old.as_deref().unwrap_or_default());
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
