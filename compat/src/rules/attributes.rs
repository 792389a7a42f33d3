//! Rules about attributes and blocks that come, go and change their names.

use super::rules;

rules! { ATTRIBUTES:
    ATTRIBUTE_ADDED_OPTIONAL = "attribute-added-optional", Safe, NO, Minor, [Config],
        "an attribute is new and may be set",
        "Stored state without it reads as null.",
        "Nothing.";
    ATTRIBUTE_ADDED_COMPUTED = "attribute-added-computed", Safe, NO, Minor, [Reference],
        "an attribute is new and set by the provider",
        "Stored state without it reads as null until it is next refreshed.",
        "Make sure that reading the resource fills it.";
    COMPUTED_BACKFILL_REQUIRED = "computed-backfill-required", Potential, YES, Minor, [State],
        "a new attribute can only be filled by an upgrade",
        "The resource cannot be read back, so it would stay null for ever in state that is stored already.",
        "Raise the schema version and compute the value in the upgrade.";
    ATTRIBUTE_ADDED_REQUIRED = "attribute-added-required", Breaking, NO, Major, [Config],
        "an attribute is new and must be set",
        "Every configuration of the resource has to be edited.",
        "Make it optional, or wait for a major release.";
    ATTRIBUTE_ADDED_DEFAULT = "attribute-added-default", Potential, NO, Minor, [Plan],
        "an attribute is new and has a default",
        "Existing objects plan a change from null to the default, unless the API had the same value all along.",
        "Declare what the API takes by itself (`api_default`); where it differs, wait for a major release or make it computed.";
    ATTRIBUTE_ADDED_FORCE_NEW_DEFAULT = "attribute-added-force-new-default", Breaking, YES, Major, [Plan State],
        "an attribute is new, has a default, and replaces the object when it changes",
        "Every existing object would be planned for replacement: null to the default.",
        "Raise the schema version and write the value that existing objects have in the upgrade.";
    ATTRIBUTE_ADDED_ID_COMPONENT = "attribute-added-id-component", Potential, YES, Minor, [State],
        "a new attribute is part of the id",
        "Stored state has no value for it, so its id cannot be made again.",
        "Raise the schema version and write the value that existing objects have in the upgrade.";
    ATTRIBUTE_REMOVED = "attribute-removed", Breaking, STRICT, Major, [Config Reference State],
        "an attribute or block is gone",
        "Configurations that set it and expressions that read it fail; the stored value is dropped.",
        "Deprecate it for a release first; then raise the schema version and account for the stored value in the upgrade.";
    ATTRIBUTE_RENAMED = "attribute-renamed", Breaking, YES, Major, [Config Reference State],
        "an attribute or block has another name",
        "Configurations and expressions have to be edited, and the value is stored under the old name.",
        "Serve both names for a release, the old one deprecated; then raise the schema version and carry the value over.";
    ATTRIBUTE_MOVED = "attribute-moved", Breaking, YES, Major, [Config Reference State],
        "an attribute is somewhere else",
        "Configurations and expressions have to be edited, and the value is stored at the old place.",
        "Serve both places for a release, the old one deprecated; then raise the schema version and carry the value over.";
    ATTRIBUTE_SPLIT = "attribute-split", Breaking, YES, Major, [Config Reference State],
        "an attribute became several",
        "Configurations have to be edited, and the stored value has to be split.",
        "Raise the schema version and split the value in the upgrade.";
    ATTRIBUTE_MERGED = "attribute-merged", Breaking, YES, Major, [Config Reference State],
        "several attributes became one",
        "Configurations have to be edited, and the stored values have to be merged.",
        "Raise the schema version and merge the values in the upgrade.";
    ATTRIBUTE_NAME_REUSED = "attribute-name-reused", Breaking, YES, Major, [State],
        "a name that was gone is back with another type",
        "State that is old enough still has the former value under that name.",
        "Take another name; if it has to be this one, every upgrade from a version that had it must drop the former value.";
    RENAME_GUESS = "rename-guess", Info, NO, Patch, [Policy],
        "a removed name looks like a new one",
        "A rename that is declared is judged as one change, and its value is carried over.",
        "If it is a rename, say so: `renamed_from` on the new attribute, or `replaced_by` where the old one is deprecated.";
    BLOCK_ADDED_OPTIONAL = "block-added-optional", Safe, NO, Minor, [Config],
        "a block is new and may be written",
        "Stored state without it reads as no block.",
        "Nothing.";
    BLOCK_ADDED_REQUIRED = "block-added-required", Breaking, NO, Major, [Config],
        "a block is new and must be written",
        "Every configuration of the resource has to be edited.",
        "Let configurations leave it out, or wait for a major release.";
}
