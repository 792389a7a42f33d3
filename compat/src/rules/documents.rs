//! The rules in the words of documents, and those that only documents have.
//!
//! A document has no configuration, no plan and no provider: what counts is that a file, a row or a
//! message that an earlier release wrote still reads, as what it was.

use super::rules;
use crate::rule::Words;

rules! { DOCUMENTS:
    MEMBER_REQUIRED = "member-required", Breaking, YES, Major, [State],
        "a member must be there now",
        "Documents that earlier releases wrote without it do not read.",
        "Give it a default, or make the field an `Option`; else raise the version and fill it in: `set(x = …)`.";
    ABSENT_VALUE_CHANGED = "absent-value-changed", Potential, STRICT, Minor, [State],
        "an absent member reads as another value",
        "Nothing in such a document says which value its author meant.",
        "Raise the version, and read the earlier one by a struct that has the former default: `#[upgrade_from(0, model = …)]`.";
    OPEN_MEMBER_NAMED = "open-member-named", Info, NO, Patch, [State],
        "a member is new where documents may have had any",
        "A document that has a member of this name reads it as the new one, and does not read if it has another type.",
        "Nothing, if such a member meant the same; else take another name.";
    ALIAS_REMOVED = "alias-removed", Breaking, YES, Major, [State],
        "another name is no longer read",
        "Documents that have the member or variant by that name lose it, or do not read.",
        "Read it again: `alias = \"…\"`, for `*` a variant with `other`; else raise the version, and read the earlier one by a struct that has the alias: `#[upgrade_from(0, model = …)]`.";
}

/// Declares the sentences of rules, by their names.
macro_rules! sentences {
    ($($rule:literal: $title:literal, $why:literal, $fix:literal;)*) => {
        &[$(($rule, Words { title: $title, why: $why, fix: $fix })),*]
    };
}

/// The words of rules that speak of Terraform otherwise.
pub(crate) const WORDS: &[(&str, Words)] = sentences! {
    "resource-added":
        "a document is new",
        "None has been stored yet.",
        "Nothing.";
    "resource-removed":
        "a document is gone",
        "Nothing reads the documents stored under its name any more.",
        "Keep the struct for as long as there may be such documents.";
    "resource-renamed":
        "a document has another name",
        "Stored documents have the old name.",
        "Keep the old name, or read both.";
    "attribute-removed":
        "a member is gone",
        "The stored value is dropped when the document is read.",
        "Raise the version and say in the upgrade why the value may go: `drop(x: T, \"…\")`.";
    "attribute-renamed":
        "a member has another name",
        "The value is stored under the old name.",
        "Raise the version and carry the value over: `rename(old => new)`; or read both names: `alias = \"old\"`.";
    "attribute-moved":
        "a member is somewhere else",
        "The value is stored at the old place.",
        "Raise the version and carry the value over: `rename(old.path => new.path)`.";
    "attribute-split":
        "a member became several",
        "The stored value has to be split.",
        "Raise the version and split the value in the upgrade.";
    "attribute-merged":
        "several members became one",
        "The stored values have to be merged.",
        "Raise the version and merge the values in the upgrade.";
    "attribute-name-reused":
        "a name that was gone is back with another type",
        "Documents that are old enough have the former value under that name.",
        "Take another name; if it has to be this one, every upgrade from a version that had it must drop the former value.";
    "rename-guess":
        "a removed name looks like a new one",
        "A rename that is declared carries the value over.",
        "If it is a rename, say so in the upgrade: `rename(old => new)`.";
    "type-narrowed":
        "a number may be less than it was",
        "Stored fractions, or numbers that are too large, no longer read.",
        "Raise the version and decide in the upgrade what becomes of them.";
    "type-changed":
        "a member has another type",
        "Stored values have the old type.",
        "Raise the version and convert the value in the upgrade: `convert(x: T)`.";
    "type-to-dynamic":
        "a member takes values of any type",
        "A dynamic value is stored with its type around it: the stored value does not read.",
        "Raise the version and wrap the value in the upgrade.";
    "type-from-dynamic":
        "a member no longer takes values of any type",
        "The stored value may be of any type.",
        "Raise the version and convert the value in a function of the upgrade; some values may have to be refused.";
    "list-to-set":
        "a list became a set",
        "Only one of equal elements stays, and the order is lost.",
        "Raise the version and say in the upgrade what becomes of duplicates.";
    "set-to-list":
        "a set became a list",
        "The order matters now, and stored elements have an arbitrary one.",
        "Raise the version and put the elements in order in the upgrade.";
    "collection-kind-changed":
        "a collection is of another kind",
        "The stored value is arranged in another way.",
        "Raise the version and rearrange the elements in the upgrade.";
    "scalar-collection-changed":
        "a single value became a collection, or the other way round",
        "The stored value is arranged in another way.",
        "Raise the version and wrap or unwrap the value in the upgrade.";
    "element-type-changed":
        "the elements of a collection have another type",
        "Stored elements have the old type.",
        "Raise the version and convert the elements in the upgrade.";
    "object-member-removed":
        "an object has one member less",
        "The stored value is dropped when the document is read.",
        "Raise the version and account for the stored member in the upgrade.";
    "tuple-arity-changed":
        "a tuple has another length",
        "Stored tuples of the old length do not read.",
        "Raise the version and rebuild the tuple in the upgrade.";
    "nesting-mode-changed":
        "nested values are arranged in another way",
        "One value, a list and a map are stored differently.",
        "Raise the version and wrap, unwrap or rekey them in the upgrade.";
    "enum-value-removed":
        "a value is no longer read",
        "Documents with it do not read.",
        "Keep the value, or raise the version and say in the upgrade what becomes of it.";
    "validator-added":
        "values are checked that were not before",
        "Documents with a value that is refused do not read.",
        "Raise the version and say in the upgrade what becomes of such values.";
    "validator-tightened":
        "fewer values are read",
        "Documents with a value that is refused do not read.",
        "Raise the version and say in the upgrade what becomes of such values.";
    "null-refused":
        "null is refused",
        "The field is not an `Option` any more, so documents with null do not read.",
        "Raise the version and write the value in place of null: `default(x = …)`; or keep the `Option`.";
    "sensitive-removed":
        "a member is no longer sensitive",
        "Messages and logs may show its value from now on.",
        "Make sure that nothing secret is in it.";
    "state-format-changed":
        "values have another form",
        "Stored values have the old form.",
        "Raise the version and rewrite the value in the upgrade.";
    "schema-version-not-bumped":
        "the stored shape changed, and the version did not",
        "Documents that the last release wrote have the same number as the new shape, so no upgrade ever runs on them.",
        "Raise the version and write the upgrade from the last one; `upstate next` writes both.";
    "schema-version-decreased":
        "the version went down",
        "Documents of the higher version count as written by a newer program and are refused.",
        "Take the next higher number.";
    "schema-version-skipped":
        "the version went up by more than one",
        "It is unknown whether the numbers in between were ever stored.",
        "Go up by one, or declare the numbers that were left out: `#[upgrade_from(2..=9, never_released)]`.";
    "schema-version-reused":
        "a version that was released has another shape now",
        "Nothing can tell two shapes under one number apart.",
        "Take a number that was never released.";
    "schema-version-bump-unneeded":
        "the version went up, and nothing that is stored changed",
        "The last release refuses documents of this one without need.",
        "Stay with the version; if the upgrade changes values, say so in the upgrader: `reason = \"…\"`.";
    "upgrader-missing":
        "documents of the last release have no upgrade path",
        "The first thing that users of the new release see is that their files do not open.",
        "Write the upgrade from the last released version.";
    "upgrader-chain-gap":
        "documents of an earlier release have no upgrade path",
        "Users who skipped releases are stuck.",
        "Write the upgrade, or raise `oldest` and name the release to stop at in the changelog.";
    "upgrader-removed":
        "a version that could be upgraded no longer can",
        "Users who still have such documents have to run an earlier release first.",
        "Raise `oldest`, and name that release in the changelog.";
    "prior-schema-edited":
        "the shape of a released version was edited",
        "Documents were written with the released shape and are still there.",
        "Put the released prior model back.";
    "prior-schema-missing":
        "a supported version has no frozen shape",
        "Nothing tells what documents of that version look like.",
        "Put the prior model back, and freeze it.";
    "prior-schema-mismatch":
        "a prior shape does not read the document recorded at its version",
        "The prior model differs from the released shape.",
        "Correct the prior model.";
    "upgrader-output-mismatch":
        "upgrading a recorded document failed",
        "It fails for users, too.",
        "Correct the upgrade.";
    "upgrader-fixture-missing":
        "a supported version has no recorded document",
        "Nothing tests its upgrade.",
        "Record one document as a release of that version wrote it.";
    "upgrader-edited":
        "a released upgrade was changed",
        "Documents that were upgraded before differ from documents that will be.",
        "Name the correction in the upgrader: `reason = \"…\"`.";
    "resource-deprecated":
        "a document is deprecated",
        "Stored documents are unaffected.",
        "Nothing.";
    "resource-undeprecated":
        "a document is no longer deprecated",
        "Stored documents are unaffected.",
        "Nothing.";
    "deprecation-added":
        "a member is deprecated",
        "Stored documents are unaffected.",
        "Nothing.";
    "deprecation-removed":
        "a member is no longer deprecated",
        "Stored documents are unaffected.",
        "Nothing.";
};

/// The rules of a provider's manners towards its users, who edit configurations. Nobody edits a
/// document to fit a program.
const OF_PROVIDERS: &[&str] = &[
    "removed-without-deprecation",
    "removed-before-window",
    "rename-without-overlap",
    "rename-pair-not-exclusive",
    "deprecation-no-replacement",
    "deprecation-not-actionable",
    "deprecation-of-required-attribute",
    "deprecation-unreferenced-computed",
    "deprecation-replacement-missing",
    "deprecation-window-shortened",
    "deprecation-overdue",
    "removal-planned",
    "upgrade-guide-entry-missing",
];

/// True if only providers are held to the rule.
pub(crate) fn is_of_providers(id: &str) -> bool {
    OF_PROVIDERS.contains(&id)
}

/// The words for a document, where they are not the rule's own.
pub(crate) fn words(id: &str) -> Option<&'static Words> {
    WORDS
        .iter()
        .find(|(rule, _)| *rule == id)
        .map(|(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Axis;
    use crate::rules::RULES;

    /// Rules that need something that a document cannot have: an identity, an id, a block, a read
    /// function, a value that is never stored.
    const IMPOSSIBLE: &[&str] = &[
        "resource-kind-changed",
        "resource-id-format-changed",
        "identity-schema-changed",
        "computed-backfill-required",
        "attribute-added-force-new-default",
        "attribute-added-id-component",
        "block-to-attribute",
        "attribute-to-block",
        "write-only-added",
        "write-only-removed",
        "function-parameter-renamed",
    ];

    #[test]
    fn no_finding_about_a_document_speaks_of_terraform() {
        const TERRAFORM: [&str; 8] = [
            "attribute",
            "configuration",
            "provider",
            "resource",
            " plan",
            " state ",
            "schema",
            "terraform",
        ];
        for rule in RULES.iter().filter(|rule| {
            rule.axes()
                .iter()
                .any(|axis| matches!(axis, Axis::State | Axis::Policy))
        }) {
            if IMPOSSIBLE.contains(&rule.id()) || is_of_providers(rule.id()) {
                continue;
            }
            let own = Words {
                title: rule.title(),
                why: rule.why(),
                fix: rule.fix(),
            };
            let words = words(rule.id()).unwrap_or(&own);
            for text in [words.title, words.why, words.fix] {
                let text = format!(" {} ", text.to_lowercase());
                let found = TERRAFORM.iter().find(|word| text.contains(*word));
                assert_eq!(found, None, "{}: {text}", rule.id());
            }
        }
    }

    #[test]
    fn words_are_of_rules() {
        for (id, words) in WORDS {
            assert!(RULES.iter().any(|rule| rule.id() == *id), "{id}");
            assert!(
                words.why.ends_with('.') && words.fix.ends_with('.') && !words.title.ends_with('.'),
                "{id}"
            );
        }
        for id in OF_PROVIDERS.iter().chain(IMPOSSIBLE) {
            assert!(RULES.iter().any(|rule| rule.id() == *id), "{id}");
        }
    }
}
