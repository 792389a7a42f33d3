//! Rules about versions, history, deprecation and releases.

use super::rules;

rules! { POLICIES:
    SCHEMA_VERSION_NOT_BUMPED = "schema-version-not-bumped", Error, NO, Patch, [State Policy],
        "the stored shape changed, and the schema version did not",
        "State written by the last release has the same number as the new shape, so no upgrade ever runs on it.",
        "Raise the schema version, keep the old shape as a prior model, and write the upgrade.";
    SCHEMA_VERSION_SKIPPED = "schema-version-skipped", Warning, NO, Patch, [Policy],
        "the schema version went up by more than one",
        "It is unknown whether the numbers in between were ever stored.",
        "Go up by one, or declare the numbers that were left out: `#[upgrade_from(2..=9, never_released)]`.";
    SCHEMA_VERSION_DECREASED = "schema-version-decreased", Error, NO, Major, [State Policy],
        "the schema version went down",
        "State of the higher version counts as written by a newer provider and is refused outright.",
        "Take the next higher number.";
    SCHEMA_VERSION_REUSED = "schema-version-reused", Error, NO, Patch, [State Policy],
        "a schema version that was released has another shape now",
        "Nothing can tell two shapes under one number apart.",
        "Take a number that was never released.";
    SCHEMA_VERSION_BUMP_UNNEEDED = "schema-version-bump-unneeded", Warning, NO, Patch, [Policy],
        "the schema version went up, and nothing that is stored changed",
        "Every stored object is upgraded for nothing, and cannot be read by the last release again.",
        "Stay with the version; if the upgrade changes values, say so in the upgrader: `reason = \"…\"`.";
    UPGRADER_MISSING = "upgrader-missing", Error, NO, Patch, [State Policy],
        "state of the last release has no upgrade path",
        "The first plan with the new release fails on every stored object.",
        "Write the upgrade from the last released version.";
    UPGRADER_CHAIN_GAP = "upgrader-chain-gap", Error, NO, Patch, [State Policy],
        "state of an earlier release has no upgrade path",
        "Users who skipped releases are stuck.",
        "Write the upgrade, or raise `oldest` and name the release to stop at in the upgrade guide.";
    UPGRADER_REMOVED = "upgrader-removed", Breaking, NO, Major, [State],
        "a version that could be upgraded no longer can",
        "Users who still have such state have to upgrade to an earlier release first.",
        "Raise `oldest`, and name that release in the upgrade guide.";
    PRIOR_SCHEMA_EDITED = "prior-schema-edited", Error, NO, Patch, [State Policy],
        "the schema of a released version was edited",
        "State was written with the released shape and is still there.",
        "Put the released prior model back.";
    PRIOR_SCHEMA_MISSING = "prior-schema-missing", Error, NO, Patch, [State Policy],
        "a supported version has no frozen schema",
        "Nothing tells what state of that version looks like.",
        "Put the prior model back, and freeze it.";
    PRIOR_SCHEMA_MISMATCH = "prior-schema-mismatch", Error, NO, Patch, [State Policy],
        "a prior schema does not read the state recorded at its version",
        "The prior model differs from the released shape.",
        "Correct the prior model.";
    UPGRADER_OUTPUT_MISMATCH = "upgrader-output-mismatch", Error, NO, Patch, [State Policy],
        "upgrading recorded state failed",
        "It fails for users, too.",
        "Correct the upgrade.";
    UPGRADER_FIXTURE_MISSING = "upgrader-fixture-missing", Warning, NO, Patch, [Policy],
        "a supported version has no recorded state",
        "Nothing tests its upgrade.",
        "Record one state as a release of that version wrote it.";
    UPGRADER_EDITED = "upgrader-edited", Warning, NO, Patch, [Policy],
        "a released upgrade was changed",
        "State that was upgraded before differs from state that will be.",
        "Name the correction in the upgrader: `reason = \"…\"`.";
    BASELINE_MISSING = "baseline-missing", Error, NO, Patch, [Policy],
        "there is nothing to compare with",
        "Nothing can be said about compatibility.",
        "Freeze the shapes of the last release.";
    BASELINE_STALE = "baseline-stale", Error, NO, Patch, [Policy],
        "the shape to compare with was never released",
        "Users do not have that shape.",
        "Compare with the last release.";
    UNHANDLED_CHANGE = "unhandled-change", Error, NO, Major, [Policy],
        "something changed that no rule knows",
        "No rule has judged it.",
        "Report it; waive it with a reason until there is a rule.";
    REMOVED_WITHOUT_DEPRECATION = "removed-without-deprecation", Error, NO, Patch, [Policy],
        "something is gone that was not deprecated",
        "Users had no release in which both ways worked and the old one warned.",
        "Put it back, deprecate it, and remove it in the next major release.";
    REMOVED_BEFORE_WINDOW = "removed-before-window", Error, NO, Patch, [Policy],
        "something is gone earlier than announced",
        "Users counted on the time they were given.",
        "Put it back until the announced release.";
    RENAME_WITHOUT_OVERLAP = "rename-without-overlap", Error, NO, Patch, [Policy],
        "the old name is gone in the release that brings the new one",
        "No release accepts both, so configurations cannot be edited before the upgrade.",
        "Serve both names for a release.";
    RENAME_PAIR_NOT_EXCLUSIVE = "rename-pair-not-exclusive", Warning, NO, Patch, [Policy],
        "the old and the new name can both be set",
        "It is undefined which one counts.",
        "Let them conflict, and make the old one optional and computed.";
    DEPRECATION_NO_REPLACEMENT = "deprecation-no-replacement", Warning, NO, Patch, [Policy],
        "a deprecation names nothing that takes its place",
        "The warning does not say what to use instead.",
        "Give `replaced_by`, or the reason in `no_replacement`.";
    DEPRECATION_NOT_ACTIONABLE = "deprecation-not-actionable", Error, NO, Patch, [Policy],
        "a deprecation says nothing to do",
        "Users see the message in every plan and cannot make it go away.",
        "Begin with a verb: use, remove, set, move, import and so on.";
    DEPRECATION_REPLACEMENT_MISSING = "deprecation-replacement-missing", Error, NO, Patch, [Policy],
        "the replacement of something deprecated is missing, or deprecated itself",
        "Users cannot follow the message.",
        "Name a replacement that exists and is not deprecated.";
    DEPRECATION_OF_REQUIRED_ATTRIBUTE = "deprecation-of-required-attribute", Error, NO, Patch, [Policy],
        "an attribute that must be set is deprecated",
        "Users cannot take it out.",
        "Make it optional first.";
    DEPRECATION_WINDOW_SHORTENED = "deprecation-window-shortened", Error, NO, Patch, [Policy],
        "the announced removal is earlier than it was",
        "Users counted on the time they were given.",
        "Keep the announced release.";
    DEPRECATION_OVERDUE = "deprecation-overdue", Warning, NO, Patch, [Policy],
        "the release that was to remove it is out",
        "Announcements that nothing follows are not believed.",
        "Remove it, or announce a later release.";
    REMOVAL_PLANNED = "removal-planned", Info, NO, Patch, [Policy],
        "an attribute or block will be removed in the next release that may break",
        "Users have until then to change over.",
        "Say in the guide of that release what users have to do, `guide/<major>.toml`; then remove it in that release.";
    DEPRECATION_UNREFERENCED_COMPUTED = "deprecation-unreferenced-computed", Info, NO, Patch, [Policy],
        "an attribute that only the provider sets is deprecated",
        "Many hosts never show such a warning.",
        "Put it into the changelog.";
    RELEASE_BUMP_INSUFFICIENT = "release-bump-insufficient", Error, NO, Patch, [Policy],
        "the release number promises less change than there is",
        "Users install such a release without reading the changelog.",
        "Take the higher number, or leave the change out.";
    RELEASE_VERSION_DECREASED = "release-version-decreased", Error, NO, Patch, [Policy],
        "the release number went down",
        "Hosts never offer such a release to users.",
        "Take a higher number, or compare with the right release.";
    UPGRADE_GUIDE_ENTRY_MISSING = "upgrade-guide-entry-missing", Error, NO, Patch, [Policy],
        "a breaking change has no note in the upgrade guide",
        "The generated entry says what to do, not why.",
        "Add a note with `why` to the guide's notes.";
    SUPPRESSION_UNUSED = "suppression-unused", Warning, NO, Patch, [Policy],
        "a waiver waives nothing",
        "It would hide the next finding at its place.",
        "Remove it.";
    SUPPRESSION_EXPIRED = "suppression-expired", Error, NO, Patch, [Policy],
        "a waiver has expired",
        "It was agreed on until that release only.",
        "Settle the finding, or agree on a later release.";
    SUPPRESSION_WITHOUT_REASON = "suppression-without-reason", Error, NO, Patch, [Policy],
        "a waiver has no reason or no end",
        "Later readers cannot know why it was agreed on.",
        "Give `reason` and `until`.";
}
