//! Rules about whole resources.

use super::rules;

rules! { RESOURCES:
    RESOURCE_ADDED = "resource-added", Safe, NO, Minor, [Config],
        "a resource type is new",
        "No configuration or state has it yet.",
        "Nothing.";
    RESOURCE_REMOVED = "resource-removed", Breaking, NO, Major, [Config Reference State],
        "a resource type is gone",
        "Configurations with it stop working, and nothing reads its state any more.",
        "Deprecate it for a release first, and tell users how to leave it: stop managing it, or move to the successor.";
    RESOURCE_RENAMED = "resource-renamed", Breaking, NO, Major, [Config Reference State],
        "a resource type has another name",
        "Every configuration has to be edited, and stored state belongs to the old name.",
        "Serve both names for a while, the old one deprecated, and let the new type take over state of the old one.";
    RESOURCE_DEPRECATED = "resource-deprecated", Safe, NO, Minor, [Policy],
        "a resource type is deprecated",
        "Users see a warning; it works as before.",
        "Nothing; say in the message what to use instead.";
    RESOURCE_UNDEPRECATED = "resource-undeprecated", Safe, NO, Patch, [Policy],
        "a resource type is no longer deprecated",
        "Users may use it again.",
        "Nothing.";
    RESOURCE_TIER_LOWERED = "resource-tier-lowered", Breaking, NO, Major, [Config],
        "a resource type is less stable than it was",
        "Users relied on a promise that is taken back.",
        "Announce it a release ahead.";
    RESOURCE_TIER_RAISED = "resource-tier-raised", Safe, NO, Minor, [Config],
        "a resource type is more stable than it was",
        "More is promised than before.",
        "Nothing.";
    RESOURCE_KIND_CHANGED = "resource-kind-changed", Breaking, NO, Major, [Config Reference State],
        "a type is managed, read or ephemeral, and was not before",
        "It is written in another block and stored in another way.",
        "Give it a new name, and remove the old one as any resource is removed.";
    RESOURCE_ID_FORMAT_CHANGED = "resource-id-format-changed", Breaking, YES, Major, [Reference State],
        "the id is made in another way",
        "Stored ids have the old form; whatever compares or parses them no longer fits.",
        "Raise the schema version and rewrite `id` in the upgrade.";
    IMPORT_FORMAT_REMOVED = "import-format-removed", Breaking, NO, Major, [Config],
        "a form of id can no longer be imported",
        "Import blocks and scripts with that form fail.",
        "Keep reading the old form, or announce its end a release ahead.";
    IMPORT_FORMAT_ADDED = "import-format-added", Safe, NO, Minor, [Config],
        "one more form of id can be imported",
        "Nothing that worked stops working.",
        "Nothing.";
    IDENTITY_SCHEMA_CHANGED = "identity-schema-changed", Breaking, NO, Major, [State Reference],
        "the identity has other attributes",
        "Stored identities have the old shape.",
        "Raise the identity's own version and upgrade identities.";
    DESTROY_BEHAVIOUR_CHANGED = "destroy-behaviour-changed", Breaking, NO, Major, [Plan],
        "destroying the resource does something else",
        "Users who destroy it get another outcome than they tested.",
        "Wait for a major release, and offer the old behaviour as a setting.";
    BEHAVIOUR_CHANGED = "behaviour-changed", Breaking, NO, Major, [Plan],
        "it behaves in another way",
        "An unchanged configuration has another effect.",
        "Let a flag switch it on that is off by default, or wait for a major release.";
    BEHAVIOUR_BEHIND_FLAG = "behaviour-behind-flag", Safe, NO, Minor, [Plan],
        "it can behave in another way",
        "Nothing changes until the flag is set.",
        "Nothing.";
}
