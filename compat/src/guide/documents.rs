//! An entry about a document, or about a custom resource, which is a document in a cluster: nobody
//! configures either, so that those who run the program act on what is stored, and on clients.

use super::GuideEntry;
use super::entry::say;
use crate::finding::{Finding, SERVED_NOW};

/// The parts of the sentences of an entry.
pub(super) struct Words<'f> {
    pub(super) finding: &'f Finding,
    pub(super) path: &'f str,
    pub(super) old: &'f str,
    pub(super) new: &'f str,
    /// The last release before this one.
    pub(super) last: &'f str,
    /// The name of the definition, such as `boats.ferry.example.com`, of a custom resource.
    pub(super) definition: Option<&'f str>,
}

/// True if a finding that grades the policy of versions alone is one that users have to act on.
pub(super) fn concerns_users(rule: &str) -> bool {
    matches!(
        rule,
        "api-version-removed"
            | "api-version-removed-early"
            | "api-subresource-removed"
            | "api-identity-changed"
    )
}

impl Words<'_> {
    /// Heading, who is affected, what to do.
    pub(super) fn fill(&self, entry: &mut GuideEntry) {
        let is_filled = match self.definition {
            Some(definition) => {
                self.versions(entry, definition) || self.in_cluster(entry, definition)
            }
            None => self.whole(entry),
        };
        let is_filled = is_filled || self.members(entry) || self.values(entry);
        if !is_filled {
            say(
                entry,
                self.finding.headline(),
                &format!("{} that an earlier release wrote.", self.things()),
                &[self.finding.why().to_owned(), before("Change it in each")],
            );
        }
    }

    fn things(&self) -> &'static str {
        if self.definition.is_some() {
            "Objects"
        } else {
            "Documents"
        }
    }

    /// A document that is gone, or has another name.
    fn whole(&self, entry: &mut GuideEntry) -> bool {
        let (ty, new) = (&self.finding.resource, self.new);
        match self.finding.rule.id() {
            "resource-removed" => say(
                entry,
                format!("`{ty}` is gone"),
                "Everyone who has such documents.",
                &[format!(
                    "Take over with {} what you still need of them: this release reads none.",
                    self.last
                )],
            ),
            "resource-renamed" => say(
                entry,
                format!("`{ty}` is now `{new}`"),
                &format!("Documents that say `{ty}`."),
                &[format!("Write `{new}` in place of `{ty}` in each.")],
            ),
            "upgrader-removed" => say(
                entry,
                format!("version {} of `{ty}` can no longer be upgraded", self.old),
                &format!(
                    "Documents that no release after version {} has rewritten.",
                    self.old
                ),
                &[
                    format!("Stop over at {}.", self.last),
                    "Let it read and write each of them there.".to_owned(),
                    "Then go on with this release.".to_owned(),
                ],
            ),
            _ => false,
        }
    }

    /// Versions and subresources that a cluster no longer has.
    fn versions(&self, entry: &mut GuideEntry, definition: &str) -> bool {
        let group = definition
            .split_once('.')
            .map_or(definition, |(_, group)| group);
        let (old, last) = (self.old, self.last);
        match self.finding.rule.id() {
            "api-version-unserved" => {
                let served = self.finding.note.as_deref().and_then(|note| note.strip_prefix(SERVED_NOW));
                let others: Vec<String> =
                    served.iter().flat_map(|names| names.split(", ")).map(|name| format!("`{group}/{name}`")).collect();
                let instead = if others.is_empty() { "another version".to_owned() } else { others.join(" or ") };
                say(
                    entry,
                    format!("`{definition}` is no longer served in `{old}`"),
                    &format!("Manifests and clients that name `{group}/{old}`: the server refuses it."),
                    &[format!(
                        "Before you upgrade, write {instead} in place of `{group}/{old}` in manifests, and build clients for it."
                    )],
                )
            }
            "api-version-removed" | "api-version-removed-early" => say(
                entry,
                format!("`{definition}` has no version `{old}` any more"),
                &format!(
                    "Clusters where objects may be stored in it: `kubectl get crd {definition} --output \
                     jsonpath='{{.status.storedVersions}}'` names it."
                ),
                &[
                    format!(
                        "Run `migrate-storage --forget {old}` of {last}: it rewrites all objects, and then takes `{old}` off that list."
                    ),
                    "Install this release when it has ended; earlier the server refuses the definition.".to_owned(),
                ],
            ),
            "api-subresource-removed" => say(
                entry,
                format!("`{definition}` has no subresource `{old}` any more"),
                &format!("Controllers, autoscalers and people who write `{old}`: the server refuses it."),
                &[format!("End what writes `{old}`, or let it write the object, once this release is installed.")],
            ),
            "api-identity-changed" => say(
                entry,
                format!("`{definition}` is another resource"),
                "Everyone who has such objects: the server refuses the definition, or takes it for a new one without objects.",
                &[
                    format!("Print them before you upgrade: `kubectl get {definition} --all-namespaces --output yaml`."),
                    "Delete the former definition, which deletes its objects, install this release, and create them again as what they are now.".to_owned(),
                ],
            ),
            _ => false,
        }
    }

    /// A custom resource that is gone, or whose old objects are.
    fn in_cluster(&self, entry: &mut GuideEntry, definition: &str) -> bool {
        match self.finding.rule.id() {
            "resource-removed" => say(
                entry,
                format!("`{definition}` is gone"),
                "Everyone who has such objects.",
                &[
                    format!(
                        "Print what you still need: `kubectl get {definition} --all-namespaces --output yaml`."
                    ),
                    format!(
                        "Delete the definition when nothing uses them: `kubectl delete crd {definition}` deletes the objects, too."
                    ),
                ],
            ),
            "upgrader-removed" => say(
                entry,
                format!(
                    "version {} of `{definition}` can no longer be converted",
                    self.old
                ),
                "Clusters with objects that no later release has rewritten.",
                &[
                    format!("Stop over at {}.", self.last),
                    "Run its `migrate-storage`: it rewrites all objects.".to_owned(),
                    "Then go on with this release.".to_owned(),
                ],
            ),
            _ => false,
        }
    }

    /// Members that are gone, somewhere else, or have to be there.
    fn members(&self, entry: &mut GuideEntry) -> bool {
        let Self { path, old, new, .. } = self;
        let things = self.things();
        match self.finding.rule.id() {
            "attribute-removed" | "object-member-removed" => say(
                entry,
                format!("`{path}` is gone"),
                &format!("{things} with `{path}`."),
                &["Keep its value elsewhere if you need it: this release drops it.".to_owned()],
            ),
            "attribute-renamed" | "attribute-moved" => say(
                entry,
                format!("`{old}` is now `{new}`"),
                &format!("{things} with `{old}`."),
                &[before(&format!(
                    "Write `{new}` in place of `{old}` in each"
                ))],
            ),
            "member-required" => say(
                entry,
                format!("`{path}` must be there now"),
                &format!("{things} without `{path}`: this release does not read them."),
                &[before(&format!("Write `{path}` into each"))],
            ),
            "absent-value-changed" => {
                let value = old.strip_prefix("default ");
                entry.keep = value.map(|value| format!("Write {value} as `{path}` into each."));
                say(
                    entry,
                    format!("an absent `{path}` means something else"),
                    &format!("{things} without `{path}`."),
                    &[format!(
                        "Write `{path}` into those that must keep their meaning."
                    )],
                )
            }
            "null-refused" => say(
                entry,
                format!("`{path}` is never null"),
                &format!("{things} whose `{path}` is null: this release does not read them."),
                &[before(&format!(
                    "Write a value, or leave `{path}` out of each"
                ))],
            ),
            _ => false,
        }
    }

    /// Values that are not read any more.
    fn values(&self, entry: &mut GuideEntry) -> bool {
        let Self { path, old, new, .. } = self;
        let things = self.things();
        let refused = if self.definition.is_some() {
            "each write of them is refused, even of a label"
        } else {
            "this release does not read them"
        };
        match self.finding.rule.id() {
            "enum-value-removed" | "variant-removed" => say(
                entry,
                format!("`{path}` is never `{}`", old.trim_matches('"')),
                &format!("{things} with that value: {refused}."),
                &[before("Choose another for each")],
            ),
            "validator-added" | "validator-tightened" | "validator-changed-opaque" => say(
                entry,
                format!("`{path}` takes other values than before"),
                &format!("{things} with another value than {new}: {refused}."),
                &[before("Change it in each")],
            ),
            "type-changed"
            | "type-narrowed"
            | "element-type-changed"
            | "scalar-collection-changed"
            | "collection-kind-changed"
            | "nesting-mode-changed"
            | "tuple-arity-changed" => say(
                entry,
                format!("`{path}` is {new}"),
                &format!("{things} where it is {old}."),
                &[before(&format!("Write it as {new} in each"))],
            ),
            _ => false,
        }
    }
}

fn before(step: &str) -> String {
    format!("{step} before this release reads it.")
}
