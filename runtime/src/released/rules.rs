//! The names of the rules that two releases are compared by: a model may say which finding of which rule is let through.
//!
//! What each rule means is in `upstate-compat`, whose tests hold its catalogue to this list.

#![expect(clippy::indexing_slicing, clippy::panic, reason = "const evaluation")]

use crate::message::{Message, distance};

/// The name of every rule, in the order of the catalogue.
pub const RULE_NAMES: &[&str] = &[
    // Of whole resources.
    "resource-added",
    "resource-removed",
    "resource-renamed",
    "resource-deprecated",
    "resource-undeprecated",
    "resource-tier-lowered",
    "resource-tier-raised",
    "resource-kind-changed",
    "resource-id-format-changed",
    "import-format-removed",
    "import-format-added",
    "identity-schema-changed",
    "destroy-behaviour-changed",
    "behaviour-changed",
    "behaviour-behind-flag",
    // Of attributes and blocks.
    "attribute-added-optional",
    "attribute-added-computed",
    "computed-backfill-required",
    "attribute-added-required",
    "attribute-added-default",
    "attribute-added-force-new-default",
    "attribute-added-id-component",
    "attribute-removed",
    "attribute-renamed",
    "attribute-moved",
    "attribute-split",
    "attribute-merged",
    "attribute-name-reused",
    "rename-guess",
    "block-added-optional",
    "block-added-required",
    // Of types.
    "type-widened",
    "type-narrowed",
    "type-changed",
    "type-to-dynamic",
    "type-from-dynamic",
    "list-to-set",
    "set-to-list",
    "collection-kind-changed",
    "scalar-collection-changed",
    "element-type-changed",
    "object-member-added",
    "object-member-removed",
    "tuple-arity-changed",
    "nesting-mode-changed",
    "block-to-attribute",
    "attribute-to-block",
    "object-to-nested",
    "nested-to-object",
    // Of configuration.
    "attribute-optional-to-required",
    "attribute-computed-to-required",
    "attribute-required-to-optional",
    "null-refused",
    "attribute-became-computed-only",
    "attribute-computed-to-settable",
    "attribute-computed-removed",
    "attribute-computed-added",
    "sensitive-added",
    "sensitive-removed",
    "write-only-added",
    "write-only-removed",
    "default-added",
    "default-changed",
    "default-removed",
    "force-new-added",
    "force-new-removed",
    "diff-suppress-removed",
    "diff-suppress-changed",
    "state-format-changed",
    "drift-detection-removed",
    "validator-added",
    "validator-tightened",
    "enum-value-removed",
    "validator-changed-opaque",
    "validator-loosened",
    "validator-removed",
    "enum-value-added",
    "constraint-added",
    "constraint-relaxed",
    "min-items-increased",
    "min-items-decreased",
    "max-items-decreased",
    "max-items-increased",
    "max-items-one-changed",
    "description-changed",
    "deprecation-added",
    "deprecation-removed",
    "deprecation-message-changed",
    // Of functions.
    "function-parameters-changed",
    "function-parameter-added",
    "function-parameter-renamed",
    "function-null-refused",
    "function-null-taken",
    // Of versions, history, deprecation and release.
    "schema-version-not-bumped",
    "schema-version-skipped",
    "schema-version-decreased",
    "schema-version-reused",
    "schema-version-bump-unneeded",
    "upgrader-missing",
    "upgrader-chain-gap",
    "upgrader-removed",
    "prior-schema-edited",
    "prior-schema-missing",
    "prior-schema-mismatch",
    "upgrader-output-mismatch",
    "upgrader-fixture-missing",
    "upgrader-edited",
    "baseline-missing",
    "baseline-stale",
    "unhandled-change",
    "removed-without-deprecation",
    "removed-before-window",
    "rename-without-overlap",
    "rename-pair-not-exclusive",
    "deprecation-no-replacement",
    "deprecation-not-actionable",
    "deprecation-replacement-missing",
    "deprecation-of-required-attribute",
    "deprecation-window-shortened",
    "deprecation-overdue",
    "removal-planned",
    "deprecation-unreferenced-computed",
    "release-bump-insufficient",
    "release-version-decreased",
    "upgrade-guide-entry-missing",
    "suppression-unused",
    "suppression-expired",
    "suppression-without-reason",
];

/// Whether a finding of the rule can be let through; not where it says that stored state is lost.
#[must_use]
pub const fn can_be_waived(rule: &str) -> bool {
    !matches!(rule.as_bytes(), b"schema-version-decreased" | b"prior-schema-edited" | b"upgrader-chain-gap")
}

/// Refuses, at compile time, to let through findings of a rule that there is not, or of one that cannot be waived.
#[doc(hidden)]
#[track_caller]
pub const fn check_rule(id: &str) {
    let mut nearest = (usize::MAX, "");
    let mut index = 0;
    while index < RULE_NAMES.len() {
        let distance = distance(RULE_NAMES[index], id);
        if distance == 0 {
            if can_be_waived(id) {
                return;
            }
            let message = Message::new()
                .text("`")
                .text(id)
                .text("` cannot be let through\nhelp: it says that stored state is lost; mend what it finds instead");
            panic!("{}", message.as_str());
        }
        if distance < nearest.0 {
            nearest = (distance, RULE_NAMES[index]);
        }
        index += 1;
    }
    let message = Message::new().text("there is no rule `").text(id).text("`\nhelp: ");
    let message = if nearest.0 * 2 <= id.len() {
        message.text("did you mean `").text(nearest.1).text("`?")
    } else {
        message.text("the subcommand `rules` lists them, and `upstate_compat::RULES`")
    };
    panic!("{}", message.as_str());
}
