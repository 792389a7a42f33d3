//! The fate of stored state that nothing upgrades.

use super::finding::Finding;

/// In a few words.
pub(super) fn of(finding: &Finding) -> &'static str {
    if !finding.kind.is_stored() {
        return "it is not stored";
    }
    match (finding.rule.id(), finding.bump.strict, finding.bump.wire) {
        ("resource-removed", ..) => "nothing reads it any more",
        ("resource-renamed", ..) => "nothing reads it any more, unless it is moved to the new type",
        ("schema-version-decreased", ..) => "state of the higher version is refused",
        (_, false, _) => "reads as before",
        ("identity-schema-changed", ..) if finding.upgraded => {
            "the identity's upgraders read stored identities"
        }
        ("identity-schema-changed", ..) => {
            "a stored identity of the old shape is refused or misread"
        }
        _ if !finding.rule.bump().strict => "state without it is refused",
        ("attribute-removed" | "object-member-removed", ..) => "the value is dropped on read",
        ("attribute-renamed" | "attribute-moved" | "attribute-split" | "attribute-merged", ..) => {
            "the value has the old name, and is dropped on read"
        }
        ("list-to-set", ..) => "order is lost on read, and equal elements become one",
        ("set-to-list", ..) => "the order read is arbitrary",
        ("block-to-attribute" | "attribute-to-block", ..) => "reads, but an empty list is not null",
        ("type-changed" | "element-type-changed", _, false) => {
            "numbers and bools are read as strings"
        }
        ("type-narrowed", ..) => "fractions are refused on read",
        ("null-refused", ..) => "null is refused on read",
        ("write-only-added", ..) => "the stored secret stays in state, and hosts refuse it",
        (
            "type-to-dynamic"
            | "type-from-dynamic"
            | "collection-kind-changed"
            | "scalar-collection-changed"
            | "tuple-arity-changed"
            | "variant-removed"
            | "union-tagging-changed"
            | "nesting-mode-changed"
            | "type-changed"
            | "element-type-changed",
            ..,
        ) => "refused on read",
        ("attribute-name-reused", ..) => "values of the old attribute are read as the new one",
        (
            "attribute-added-id-component"
            | "attribute-added-force-new-default"
            | "computed-backfill-required",
            ..,
        ) => "reads, but the value is missing",
        ("resource-id-format-changed" | "state-format-changed", ..) => {
            "reads, with a meaning that it no longer has"
        }
        _ => "refused or misread",
    }
}
