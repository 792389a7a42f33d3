//! The identity of a resource, which has a schema version of its own and is stored beside the
//! state.

use std::collections::BTreeSet;

use super::tree::{Node, join};
use super::{Context, shape, versions};
use crate::release::Semver;
use crate::rule::{Bump, Level};
use crate::rules as R;
use crate::snapshot::{AttributeSnapshot, IdentitySnapshot, ResourceSnapshot};

/// The path of findings about it, in the resource.
const AT: &str = "identity";

/// Compares identities; the versions of the identity are judged by what was found.
pub(super) fn compare(
    cx: &mut Context<'_>,
    old: Option<&IdentitySnapshot>,
    new: Option<&IdentitySnapshot>,
) {
    match (old, new) {
        (None, None) => {}
        // Safe, because no release has stored an identity of a resource that had none.
        (None, Some(_)) => {
            cx.report(&R::IDENTITY_SCHEMA_CHANGED, AT)
                .graded(Level::Safe, Semver::Minor)
                .now("has an identity");
        }
        (Some(old), None) => {
            let names = old
                .schema
                .attributes
                .keys()
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            cx.report(&R::IDENTITY_SCHEMA_CHANGED, AT)
                .was(names)
                .now("none");
        }
        (Some(old), Some(new)) => {
            let mut inside = Context {
                findings: Vec::new(),
                ..*cx
            };
            attributes(&mut inside, &old.schema, &new.schema);
            super::grade(&mut inside.findings, inside.options);
            versions::judge(&mut inside, &old.schema, &new.schema);
            for mut finding in inside.findings {
                if finding.path.is_empty() {
                    AT.clone_into(&mut finding.path);
                }
                cx.findings.push(finding);
            }
        }
    }
}

fn attributes(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    let names = new.renames.get(&old.version);
    let renamed = |name: &str| {
        names
            .and_then(|names| names.get(name)?.only())
            .filter(|to| !old.attributes.contains_key(*to))
    };
    let mut sources = BTreeSet::new();
    for (name, was) in &old.attributes {
        let path = join(AT, name);
        match (new.attributes.get(name), renamed(name)) {
            (Some(is), _) => changed(cx, &path, was, is),
            (None, Some(to)) => {
                sources.insert(to);
                let finding = cx.report(&R::IDENTITY_SCHEMA_CHANGED, &path);
                finding
                    .was(name)
                    .now(to)
                    .needs(Bump::YES)
                    .note("`import` blocks have to write the new name");
                if let Some(is) = new.attributes.get(to) {
                    changed(cx, &join(AT, to), was, is);
                }
            }
            (None, None) => {
                let words = Node::Attribute(was).words();
                cx.report(&R::IDENTITY_SCHEMA_CHANGED, &path)
                    .was(words)
                    .needs(Bump::YES);
            }
        }
    }
    let is_new =
        |name: &String| !old.attributes.contains_key(name) && !sources.contains(name.as_str());
    for (name, is) in new.attributes.iter().filter(|(name, _)| is_new(name)) {
        let words = Node::Attribute(is).words();
        let finding = cx
            .report(&R::IDENTITY_SCHEMA_CHANGED, &join(AT, name))
            .now(words);
        if is.nullable == Some(false) {
            finding
                .needs(Bump::YES)
                .note("the field is not an `Option`, so a stored identity without it is refused");
        }
        if is.optional {
            finding.graded(Level::Safe, Semver::Minor);
        }
    }
}

fn changed(cx: &mut Context<'_>, path: &str, was: &AttributeSnapshot, is: &AttributeSnapshot) {
    let (before, after) = (Node::Attribute(was), Node::Attribute(is));
    let mut types = Context {
        findings: Vec::new(),
        ..*cx
    };
    shape::compare(&mut types, path, (before, after), None);
    let worst = types
        .findings
        .iter()
        .max_by_key(|finding| (finding.level, finding.bump.wire, finding.bump.strict));
    if let Some(worst) = worst {
        let (bump, level, semver) = (worst.bump, worst.level, worst.semver);
        cx.report(&R::IDENTITY_SCHEMA_CHANGED, path)
            .was(before.words())
            .now(after.words())
            .needs(bump)
            .graded(level, semver);
    } else if was.required != is.required {
        let finding = cx
            .report(&R::IDENTITY_SCHEMA_CHANGED, path)
            .was(before.words())
            .now(after.words());
        if is.required {
            finding.note("`import` blocks without it fail");
        } else {
            finding.graded(Level::Safe, Semver::Minor);
        }
    }
    if was.nullable == Some(true) && is.nullable == Some(false) {
        cx.report(&R::NULL_REFUSED, path);
    }
    cx.described(path, &was.description, &is.description);
}
