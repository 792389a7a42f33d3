//! The rules for versions of custom resources: Kubernetes' deprecation policy. What they promise
//! depends on how stable a version is by its name.
//!
//! The rest of that policy is elsewhere: the derive refuses names of versions that Kubernetes
//! cannot order and warnings that are too long, and writes one status and one scale for all
//! versions; no definition is written where a version loses what no annotation may keep; and the
//! rules of documents say what a changed shape does.

use super::rules;

rules! { KUBERNETES:
    API_VERSION_RESHAPED = "api-version-reshaped", Error, NO, Major, [Clients],
        "a version of the custom resource has another shape",
        "Clients and manifests that name the version have the shape that was released.",
        "Give the new shape another version, and keep the released name with the number that it had.";
    API_VERSION_DEPRECATED_ALONE = "api-version-deprecated-alone", Error, NO, Patch, [Clients],
        "a version is deprecated, and no other that is as stable takes its place",
        "Clients have nothing to change over to.",
        "Serve a version that is as stable and not deprecated first.";
    API_VERSION_UNSERVED = "api-version-unserved", Breaking, NO, Major, [Clients],
        "a version is no longer served",
        "Clients and manifests that name it are refused.",
        "Let users write another version in their manifests first.";
    API_VERSION_UNSERVED_EARLY = "api-version-unserved-early", Error, NO, Patch, [Clients],
        "a version is no longer served, earlier than Kubernetes' deprecation policy allows",
        "A stable version is served for 12 months and three releases after its deprecation, a beta for 9 months and three releases.",
        "Deprecate it, and serve it until then.";
    API_VERSION_REMOVED = "api-version-removed", Info, NO, Patch, [Clients],
        "a version is removed",
        "Objects that are still stored in it cannot be read any more.",
        "Run `migrate-storage` of the release before, and install this one when it has ended.";
    API_VERSION_REMOVED_EARLY = "api-version-removed-early", Error, NO, Patch, [Clients],
        "a version is removed that the last release served",
        "Objects may be stored in it, and no release has clients refused while they can still be read.",
        "Keep it with `served = false` for a release, run `migrate-storage`, and remove it then.";
    API_FIELD_REMOVED_EARLY = "api-field-removed-early", Error, NO, Patch, [Clients],
        "a deprecated field is removed while a version that has it is served",
        "Clients of that version go on writing it, and nothing reads what they write.",
        "Keep it, deprecated, until no version that has it is served.";
    API_STORAGE_MOVED_EARLY = "api-storage-moved-early", Error, NO, Patch, [Clients],
        "objects are stored in a version that the last release did not serve",
        "The last release cannot read what this one stores, so users cannot go back.",
        "Serve the version for a release before objects are stored in it.";
    API_STORAGE_LESS_STABLE = "api-storage-less-stable", Error, NO, Patch, [Clients],
        "objects are stored in a less stable version than before",
        "Stored objects depend on a shape that may change or end sooner.",
        "Store objects in the version that is as stable as the one before.";
    API_DEPRECATION_WITHOUT_WARNING = "api-deprecation-without-warning", Warning, NO, Patch, [Clients],
        "a version is deprecated without its own warning",
        "The server only says that it is deprecated, not what to use instead.",
        "Write it: `deprecated = \"use v1; v1beta1 ends in release 3\"`.";
    API_IDENTITY_CHANGED = "api-identity-changed", Error, NO, Major, [Clients],
        "the group, kind, plural or scope of a custom resource is another",
        "The server refuses the changed definition, or takes it as another one without the objects.",
        "Keep the released ones; for others, declare a separate custom resource.";
    API_SUBRESOURCE_REMOVED = "api-subresource-removed", Warning, NO, Major, [Clients],
        "a subresource is gone",
        "Controllers and autoscalers that write it are refused.",
        "Keep it for as long as a version is served that had it.";
    API_VALUES_REFUSED = "api-values-refused", Error, NO, Major, [Clients],
        "a released version takes fewer values",
        "Objects with another value are there, and each write of one is refused, even of a label.",
        "Keep the released values; let the next version take fewer.";
    API_VALUE_ADDED = "api-value-added", Warning, NO, Minor, [Clients],
        "a stable version has a value that it did not have",
        "Clients that were built before read objects with it, and may refuse them.",
        "Let clients expect unknown values, or add it in a new version.";
    API_VERSIONS_UNRANKED = "api-versions-unranked", Info, NO, Patch, [Clients],
        "several stable versions are served, and none of the earlier ones is deprecated",
        "Users cannot tell which one will stay.",
        "Deprecate those that will end.";
}
