//! Rules about who sets an attribute, to what, and what follows.

use super::rules;

rules! { CONFIGURATION:
    ATTRIBUTE_OPTIONAL_TO_REQUIRED = "attribute-optional-to-required", Breaking, NO, Major, [Config],
        "an attribute must be set now",
        "Configurations that left it out fail.",
        "There is no way to announce it in a schema; wait for a major release and say so in the upgrade guide.";
    ATTRIBUTE_COMPUTED_TO_REQUIRED = "attribute-computed-to-required", Breaking, NO, Major, [Config],
        "an attribute that the provider set must be set by the user now",
        "Every configuration of the resource has to be edited.",
        "Make it optional and computed.";
    ATTRIBUTE_REQUIRED_TO_OPTIONAL = "attribute-required-to-optional", Safe, NO, Minor, [Config Reference],
        "an attribute need not be set any more",
        "Expressions that read it may find null.",
        "Nothing.";
    NULL_REFUSED = "null-refused", Potential, YES, Patch, [State],
        "stored null can no longer be read",
        "The field holds a value in every state that is read; a state with null, or without the attribute, is refused.",
        "Keep the field an `Option`; or raise the schema version and give the value in the upgrade.";
    ATTRIBUTE_BECAME_COMPUTED_ONLY = "attribute-became-computed-only", Breaking, NO, Major, [Config],
        "an attribute can no longer be set",
        "Configurations that set it fail, even where its value was never used.",
        "Deprecate setting it for a release first.";
    ATTRIBUTE_COMPUTED_TO_SETTABLE = "attribute-computed-to-settable", Safe, NO, Minor, [Config],
        "an attribute that the provider sets can be set by the user too",
        "Nothing that worked stops working.",
        "Nothing.";
    ATTRIBUTE_COMPUTED_REMOVED = "attribute-computed-removed", Breaking, NO, Major, [Plan Reference],
        "the provider no longer fills an attribute in",
        "If it is not set, a plan makes null of the value that the provider filled in.",
        "Wait for a major release.";
    ATTRIBUTE_COMPUTED_ADDED = "attribute-computed-added", Potential, NO, Minor, [Plan],
        "the provider fills an attribute in if the user does not",
        "Taking it out of a configuration no longer clears it.",
        "Say so in the changelog.";
    SENSITIVE_ADDED = "sensitive-added", Potential, NO, Major, [Plan Reference],
        "an attribute is sensitive now",
        "Outputs that show it stop planning until they are marked sensitive too.",
        "Wait for a major release, or waive it with the reason `security`.";
    SENSITIVE_REMOVED = "sensitive-removed", Potential, NO, Minor, [Policy],
        "an attribute is no longer sensitive",
        "Its value shows in plans and logs from now on.",
        "Ask someone who is responsible for security to look at it.";
    WRITE_ONLY_ADDED = "write-only-added", Breaking, YES, Major, [Reference State],
        "an attribute is no longer stored",
        "State holds a secret that must go, and nothing can read the attribute any more.",
        "Add a write-only twin and deprecate the old attribute; or raise the schema version and drop the value in the upgrade.";
    WRITE_ONLY_REMOVED = "write-only-removed", Potential, NO, Minor, [State],
        "an attribute is stored that was not before",
        "Its value lands in state from now on.",
        "Ask someone who is responsible for security to look at it.";
    DEFAULT_ADDED = "default-added", Breaking, NO, Major, [Plan],
        "an attribute has a default now",
        "If it is not set, Terraform plans a change from null to the default.",
        "Declare what the API takes by itself (`api_default`) if that is the same value; else wait for a major release.";
    DEFAULT_CHANGED = "default-changed", Breaking, NO, Major, [Plan],
        "an attribute has another default",
        "If it is not set, Terraform plans a change; an upgrade of state cannot help, since the plan puts the default in again.",
        "Wait for a major release, and tell users which value to write to stay as they are.";
    DEFAULT_REMOVED = "default-removed", Breaking, NO, Major, [Plan],
        "an attribute has no default any more",
        "If it is not set, Terraform plans a change from the default to null.",
        "Make it computed, and declare what the API takes by itself (`api_default`) if that is the old default.";
    FORCE_NEW_ADDED = "force-new-added", Breaking, NO, Major, [Plan],
        "changing an attribute replaces the object now",
        "Terraform destroys and recreates the object, which it updated in place before.",
        "Wait for a major release; if updating it always failed, waive it with the reason `always-failed`.";
    FORCE_NEW_REMOVED = "force-new-removed", Safe, NO, Minor, [Plan],
        "changing an attribute no longer replaces the object",
        "It is updated in place.",
        "Nothing.";
    DIFF_SUPPRESS_REMOVED = "diff-suppress-removed", Breaking, NO, Major, [Plan],
        "strings that counted as equal no longer do",
        "Configurations that wrote the value in another way than the API plan a change.",
        "Keep comparing the old way, or wait for a major release.";
    DIFF_SUPPRESS_CHANGED = "diff-suppress-changed", Potential, NO, Minor, [Plan],
        "strings count as equal by another rule",
        "upstate cannot compare what such rules answer.",
        "See whether configurations plan a change now.";
    STATE_FORMAT_CHANGED = "state-format-changed", Breaking, YES, Major, [Config State],
        "values have another form",
        "Stored values have the old form.",
        "Raise the schema version and rewrite the value in the upgrade; accept both forms in configuration if you can.";
    DRIFT_DETECTION_REMOVED = "drift-detection-removed", Breaking, NO, Major, [Plan],
        "the object is no longer read back",
        "Changes made elsewhere are not seen any more.",
        "Wait for a major release.";
    VALIDATOR_ADDED = "validator-added", Breaking, NO, Major, [Config],
        "values are checked that were not before",
        "Configurations with a value that is refused now fail.",
        "Wait for a major release, or show that such values always failed.";
    VALIDATOR_TIGHTENED = "validator-tightened", Breaking, NO, Major, [Config],
        "fewer values are accepted",
        "Configurations with a value that is refused now fail.",
        "Wait for a major release, or show that such values always failed.";
    ENUM_VALUE_REMOVED = "enum-value-removed", Breaking, NO, Major, [Config],
        "a value is no longer accepted",
        "Configurations with it fail.",
        "Wait for a major release, or show that it always failed.";
    VALIDATOR_CHANGED_OPAQUE = "validator-changed-opaque", Potential, NO, Major, [Config],
        "values are checked in another way",
        "upstate cannot know whether more or fewer values pass.",
        "Wait for a major release, or waive it with the reason that all values still pass.";
    VALIDATOR_LOOSENED = "validator-loosened", Safe, NO, Minor, [Config],
        "more values are accepted",
        "Nothing that worked stops working.",
        "Nothing.";
    VALIDATOR_REMOVED = "validator-removed", Safe, NO, Minor, [Config],
        "values are no longer checked",
        "Nothing that worked stops working.",
        "Nothing.";
    ENUM_VALUE_ADDED = "enum-value-added", Safe, NO, Minor, [Config Reference],
        "one more value is accepted",
        "If the provider sets the attribute, readers may meet a value they do not know.",
        "Nothing, or say so in the changelog.";
    CONSTRAINT_ADDED = "constraint-added", Breaking, NO, Major, [Config],
        "attributes constrain each other that did not before",
        "Configurations that set too many or too few of them fail.",
        "Wait for a major release, and list the combinations that are allowed in the upgrade guide.";
    CONSTRAINT_RELAXED = "constraint-relaxed", Safe, NO, Minor, [Config],
        "attributes constrain each other less",
        "Nothing that worked stops working.",
        "Nothing.";
    MIN_ITEMS_INCREASED = "min-items-increased", Breaking, NO, Major, [Config],
        "more blocks must be written",
        "Configurations with fewer fail.",
        "Wait for a major release.";
    MIN_ITEMS_DECREASED = "min-items-decreased", Safe, NO, Minor, [Config],
        "fewer blocks need be written",
        "Nothing that worked stops working.",
        "Nothing.";
    MAX_ITEMS_DECREASED = "max-items-decreased", Breaking, NO, Major, [Config],
        "fewer blocks may be written",
        "Configurations with more fail.",
        "Wait for a major release.";
    MAX_ITEMS_INCREASED = "max-items-increased", Safe, NO, Minor, [Config],
        "more blocks may be written",
        "Nothing that worked stops working.",
        "Nothing.";
    MAX_ITEMS_ONE_CHANGED = "max-items-one-changed", Potential, NO, Minor, [Reference],
        "there may be one block where there were many, or many where there was one",
        "Expressions such as `x[0].y`, and tools that treat a single block as an object, see another shape.",
        "Say so in the changelog.";
    DESCRIPTION_CHANGED = "description-changed", Safe, NO, Patch, [Policy],
        "the documentation says something else",
        "New words can change the meaning; only a reader can check that.",
        "Nothing.";
    DEPRECATION_ADDED = "deprecation-added", Safe, NO, Minor, [Policy],
        "an attribute or block is deprecated",
        "Users see a warning; it works as before.",
        "Nothing.";
    DEPRECATION_REMOVED = "deprecation-removed", Safe, NO, Patch, [Policy],
        "an attribute or block is no longer deprecated",
        "Users may use it again.",
        "Nothing.";
    DEPRECATION_MESSAGE_CHANGED = "deprecation-message-changed", Safe, NO, Patch, [Policy],
        "a deprecation says something else",
        "Users read something else to do.",
        "Nothing.";
}
