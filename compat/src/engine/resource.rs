//! One resource: what is said about it as a whole.

use super::tree::Paths;
use super::{
    Context, aliases, behaviour, constraints, custom_resources, deprecations, documents, existence,
    flattened, function, identity, sums, versions, without_state,
};
use crate::kind::Kind;
use crate::release::Semver;
use crate::report::ResourceVerdict;
use crate::rule::{Bump, Level};
use crate::rules as R;
use crate::snapshot::{ResourceSnapshot, Snapshot};
use crate::untagged::{self, TaggingChange};

/// Compares the resource `name`, and says what it needs if anything changed.
pub(super) fn compare(
    cx: &mut Context<'_>,
    old: &Snapshot,
    new: &Snapshot,
    name: &str,
) -> Option<ResourceVerdict> {
    let verdict = match (old.resources.get(name), new.resources.get(name)) {
        (None, Some(resource)) => {
            added(cx, old, new, name, resource);
            None
        }
        (Some(resource), None) => {
            removed(cx, old, new, name, resource);
            None
        }
        (Some(before), Some(after)) if before != after => Some(changed(cx, before, after)),
        (Some(_), Some(_)) | (None, None) => None,
    };
    match cx.kind {
        Kind::Managed => {}
        Kind::Document => {
            let (before, after) = (old.resources.get(name), new.resources.get(name));
            if before != after {
                custom_resources::compare(cx, before, after);
            }
            documents::grade(cx);
        }
        Kind::Provider
        | Kind::ProviderMeta
        | Kind::Data
        | Kind::Ephemeral
        | Kind::List
        | Kind::Action
        | Kind::Function => {
            without_state::grade(cx);
        }
    }
    verdict
}

/// The kind that something has now, if it is gone under the one it had.
fn other_kind(
    old: &Snapshot,
    new: &Snapshot,
    name: &str,
    resource: &ResourceSnapshot,
) -> Option<Kind> {
    // A name says nothing of others, such as functions, because they have no type.
    let is_object = |kind: Kind| matches!(kind, Kind::Managed | Kind::Data | Kind::Ephemeral);
    let kind = Kind::of(resource);
    let bare = kind.bare(name);
    let others = new
        .resources
        .iter()
        .filter(|(key, _)| !old.resources.contains_key(*key));
    let mut others = others.map(|(key, resource)| (Kind::of(resource), key));
    let mut found =
        others.find(|(other, key)| is_object(*other) && *other != kind && other.bare(key) == bare);
    found
        .take()
        .filter(|_| is_object(kind))
        .map(|(kind, _)| kind)
}

fn added(
    cx: &mut Context<'_>,
    old: &Snapshot,
    new: &Snapshot,
    name: &str,
    resource: &ResourceSnapshot,
) {
    let renamed = new
        .renamed
        .iter()
        .any(|(from, to)| to == name && old.resources.contains_key(from));
    // Reported where it is gone.
    let had_other_kind = other_kind(new, old, name, resource).is_some();
    if !renamed && !had_other_kind {
        cx.report(&R::RESOURCE_ADDED, "");
    }
}

fn removed(
    cx: &mut Context<'_>,
    old: &Snapshot,
    new: &Snapshot,
    name: &str,
    resource: &ResourceSnapshot,
) {
    // Only information, because the provider that the lock was imported from serves more kinds than
    // a registry of models does.
    if cx.imported
        && !cx.kind.is_stored()
        && !new
            .resources
            .values()
            .any(|other| Kind::of(other) == cx.kind)
    {
        let note = "`lock --import` recorded it, and this program serves nothing of its kind";
        cx.report(&R::RESOURCE_REMOVED, "")
            .note(note)
            .graded(Level::Info, Semver::Patch);
        return;
    }
    if let Some(to) = new.renamed.get(name) {
        cx.report(&R::RESOURCE_RENAMED, "")
            .was(name)
            .now(to.clone());
    } else if let Some(kind) = other_kind(old, new, name, resource) {
        let was = cx.kind.name();
        cx.report(&R::RESOURCE_KIND_CHANGED, "")
            .was(was)
            .now(kind.name());
    } else {
        let successor = resource
            .deprecated
            .as_ref()
            .and_then(|deprecated| deprecated.replaced_by.only());
        let finding = cx.report(&R::RESOURCE_REMOVED, "");
        if let Some(successor) = successor {
            finding.note(format!("its successor is {successor}"));
        }
        if tier(resource) > 0 {
            finding.graded(Level::Potential, Semver::Minor);
        }
    }
    if tier(resource) == 0 {
        deprecations::removal(cx, "", resource.deprecated.as_ref());
    }
}

/// The distance from stable, as a number.
pub(super) fn tier(resource: &ResourceSnapshot) -> u8 {
    match resource.tier.as_deref() {
        None | Some("stable" | "ga" | "general") => 0,
        Some("preview" | "beta") => 1,
        Some("experimental" | "alpha") => 2,
        Some(_) => 3,
    }
}

fn changed(
    cx: &mut Context<'_>,
    old: &ResourceSnapshot,
    new: &ResourceSnapshot,
) -> ResourceVerdict {
    if !cx.imported {
        markers(cx, old, new);
        ids(cx, old, new);
    }
    for name in old.other.keys().chain(new.other.keys()) {
        let (before, after) = (old.other.get(name), new.other.get(name));
        if before != after {
            unhandled(cx, "", name, before, after);
        }
    }
    let (before, after) = flattened::as_members(old, new);
    let (before, after) = (&*before, &*after);
    let paths = Paths::new(before.into(), after.into(), new.renames.get(&old.version));
    if cx.kind == Kind::Function {
        function::compare(cx, old, new);
    } else {
        existence::members(
            cx,
            &paths,
            "",
            (before.into(), after.into()),
            (before, after),
        );
    }
    if !cx.imported {
        constraints::compare(cx, &paths, &old.groups, &new.groups);
        sums::compare(cx, &paths, &old.groups, &new.groups);
    }
    deprecations::resource(cx, old, new);
    deprecations::pairs(cx, &paths, new);
    cx.described("", &old.description, &new.description);
    if !cx.kind.is_stored() {
        return ResourceVerdict {
            old_version: None,
            new_version: None,
            bump: Bump::NO,
            upgrader: false,
        };
    }
    if cx.kind == Kind::Document {
        aliases::compare(cx, old, new);
        for TaggingChange { path, was, now } in untagged::changes(old, new) {
            cx.report(&R::UNION_TAGGING_CHANGED, &path)
                .was(was)
                .now(now);
        }
        custom_resources::grade(cx, old, new);
        documents::grade(cx);
    }
    super::grade(&mut cx.findings, cx.options);
    let bump = cx.bump();
    versions::judge(cx, old, new);
    identity::compare(cx, old.identity.as_deref(), new.identity.as_deref());
    ResourceVerdict {
        old_version: Some(old.version),
        new_version: Some(new.version),
        bump,
        upgrader: bump.strict || new.version > old.version,
    }
}

/// Reports a difference that no rule knows.
pub(super) fn unhandled(
    cx: &mut Context<'_>,
    path: &str,
    name: &str,
    old: Option<&serde_json::Value>,
    new: Option<&serde_json::Value>,
) {
    let text = |value: Option<&serde_json::Value>| {
        value.map_or_else(|| format!("no {name}"), |value| format!("{name} = {value}"))
    };
    cx.report(&R::UNHANDLED_CHANGE, path)
        .was(text(old))
        .now(text(new));
}

fn markers(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    let words =
        |resource: &ResourceSnapshot| resource.tier.clone().unwrap_or_else(|| "stable".to_owned());
    if tier(new) > tier(old) {
        cx.report(&R::RESOURCE_TIER_LOWERED, "")
            .was(words(old))
            .now(words(new));
    } else if tier(new) < tier(old) {
        cx.report(&R::RESOURCE_TIER_RAISED, "")
            .was(words(old))
            .now(words(new));
    }
    let kind = |resource: &ResourceSnapshot| {
        resource
            .kind
            .clone()
            .unwrap_or_else(|| "managed".to_owned())
    };
    if kind(old) != kind(new) && cx.kind != Kind::Document {
        cx.report(&R::RESOURCE_KIND_CHANGED, "")
            .was(kind(old))
            .now(kind(new));
    }
    if old.destroy != new.destroy {
        let words = |resource: &ResourceSnapshot| {
            resource
                .destroy
                .clone()
                .unwrap_or_else(|| "not said".to_owned())
        };
        cx.report(&R::DESTROY_BEHAVIOUR_CHANGED, "")
            .was(words(old))
            .now(words(new));
    }
    behaviour::compare(cx, old, new);
    let is_read = |resource: &ResourceSnapshot| resource.read.as_deref() != Some("none");
    if is_read(old) && !is_read(new) {
        cx.report(&R::DRIFT_DETECTION_REMOVED, "");
    }
}

fn ids(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    if let (Some(before), Some(after)) = (&old.id_format, &new.id_format)
        && before != after
    {
        cx.report(&R::RESOURCE_ID_FORMAT_CHANGED, "")
            .was(before.clone())
            .now(after.clone());
    }
    for format in &old.import_formats {
        if !new.import_formats.contains(format) {
            cx.report(&R::IMPORT_FORMAT_REMOVED, "").was(format.clone());
        }
    }
    for format in &new.import_formats {
        if !old.import_formats.contains(format) {
            cx.report(&R::IMPORT_FORMAT_ADDED, "").now(format.clone());
        }
    }
}
