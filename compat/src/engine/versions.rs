//! Schema versions, history and upgraders.

use std::collections::BTreeSet;

use super::Context;
use crate::kind::Kind;
use crate::lock::needs_version;
use crate::rules as R;
use crate::snapshot::{FixtureOutcome, ResourceSnapshot};
use crate::upgraders::Upgrader;

/// Judges versions and upgraders by what was found before.
pub(super) fn judge(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    let (before, now) = (old.version, new.version);
    let needed = cx.bump();
    if now == before && cx.needs(needed) {
        cx.report(&R::SCHEMA_VERSION_NOT_BUMPED, "")
            .was(before.to_string());
    }
    if now < before {
        cx.report(&R::SCHEMA_VERSION_DECREASED, "")
            .was(before.to_string())
            .now(now.to_string());
    }
    if now > before {
        if first_skipped(before, now, &new.skips).is_some() {
            cx.report(&R::SCHEMA_VERSION_SKIPPED, "")
                .was(before.to_string())
                .now(now.to_string());
        }
        let reason = new
            .upgraders
            .iter()
            .any(|upgrader| upgrader.from == before && upgrader.reason.is_some());
        // Clients ask for a version of the API by its name, which is often all that is new in it.
        let names = new.custom_resource.iter().flat_map(|facts| &facts.versions);
        let is_known = |name: &String| {
            old.custom_resource
                .as_ref()
                .is_some_and(|facts| facts.versions.contains_key(name))
        };
        let has_new_name = names
            .filter(|(_, version)| version.number == now)
            .any(|(name, _)| !is_known(name));
        // The compiler takes no new member of an object that is inside of a type, such as of a
        // variant, though nothing is lost by it.
        let is_refused = || cx.kind == Kind::Document && needs_version(old, new);
        if !cx.needs(needed) && !needed.strict && !reason && !has_new_name && !is_refused() {
            cx.report(&R::SCHEMA_VERSION_BUMP_UNNEEDED, "")
                .was(before.to_string())
                .now(now.to_string());
        }
    }
    let upgraded = now > before && reaching(new).contains(&before);
    for finding in &mut cx.findings {
        finding.upgraded = upgraded;
    }
    upgraders(cx, old, new);
    history(cx, old, new);
    for (version, outcome) in new
        .fixtures
        .iter()
        .filter(|(version, _)| old.fixtures.get(version) != new.fixtures.get(version))
    {
        let version = version.to_string();
        match outcome {
            FixtureOutcome::Passed => {}
            FixtureOutcome::Missing => {
                cx.report(&R::UPGRADER_FIXTURE_MISSING, "").now(version);
            }
            FixtureOutcome::Unreadable(why) => {
                cx.report(&R::PRIOR_SCHEMA_MISMATCH, "")
                    .now(version)
                    .note(why.clone());
            }
            FixtureOutcome::Mismatch(why) => {
                cx.report(&R::UPGRADER_OUTPUT_MISMATCH, "")
                    .now(version)
                    .note(why.clone());
            }
        }
    }
}

/// The first number between two versions that is not declared to be left out.
fn first_skipped(before: u64, now: u64, skips: &[(u64, u64)]) -> Option<u64> {
    let mut version = before.checked_add(1)?;
    while let Some((_, last)) = skips
        .iter()
        .find(|(first, last)| (first..=last).contains(&&version))
    {
        version = last.checked_add(1)?;
    }
    (version < now).then_some(version)
}

/// The stored versions that reach the current one.
fn reaching(resource: &ResourceSnapshot) -> BTreeSet<u64> {
    let mut reaching = BTreeSet::from([resource.version]);
    loop {
        let more: Vec<u64> = resource
            .upgraders
            .iter()
            .filter(|upgrader| {
                upgrader.from < resource.version && !reaching.contains(&upgrader.from)
            })
            .filter(|upgrader| upgrader.to.is_none_or(|to| reaching.contains(&to)))
            .map(|upgrader| upgrader.from)
            .collect();
        if more.is_empty() {
            return reaching;
        }
        reaching.extend(more);
    }
}

fn upgraders(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    let (before, now) = (old.version, new.version);
    let (reached, reach) = (reaching(old), reaching(new));
    let oldest = new.oldest.unwrap_or(0);
    if now > before && before >= oldest && !reach.contains(&before) {
        cx.report(&R::UPGRADER_MISSING, "")
            .was(before.to_string())
            .now(now.to_string());
    }
    let frozen: BTreeSet<u64> = old
        .history
        .keys()
        .copied()
        .chain(old.upgraders.iter().map(|upgrader| upgrader.from))
        .collect();
    for version in frozen.iter().filter(|version| {
        (oldest..now).contains(version) && **version != before && !reach.contains(version)
    }) {
        cx.report(&R::UPGRADER_CHAIN_GAP, "")
            .was(version.to_string());
    }
    for version in reached
        .iter()
        .filter(|version| **version < before && !reach.contains(version))
    {
        let finding = cx.report(&R::UPGRADER_REMOVED, "").was(version.to_string());
        if *version >= oldest {
            finding.note(format!("declare it: `oldest = {}`", version + 1));
        }
    }
    for version in new
        .upgraders
        .iter()
        .map(|upgrader| upgrader.from)
        .collect::<BTreeSet<_>>()
    {
        let now: Vec<Upgrader> = of_version(new, version).collect();
        // A removed one has no place for a reason, so that a new reason of those that stay answers
        // for it, too.
        let is_new = |now: &Upgrader| {
            now.reason.is_some() && of_version(old, version).all(|was| was.reason != now.reason)
        };
        let has_new_reason = now.iter().any(is_new);
        // Upgraders that lead elsewhere now are others, and not edited ones, because they were
        // written for that version.
        let leads_there = |was: &Upgrader| now.iter().any(|now| now.to == was.to);
        // One of several that was removed is an edit, because its states are refused now.
        let is_edited = |(place, was): (usize, Upgrader)| {
            now.get(place)
                .map_or(!has_new_reason, |now| is_edited(&was, now))
        };
        if of_version(old, version)
            .filter(leads_there)
            .enumerate()
            .any(is_edited)
        {
            cx.report(&R::UPGRADER_EDITED, "").was(version.to_string());
        }
    }
}

/// The upgraders of a stored version, in the order in which their conditions are asked. Each says
/// the version that it leads to, so that one that led to the current version is found where that is
/// an earlier one now.
fn of_version(resource: &ResourceSnapshot, version: u64) -> impl Iterator<Item = Upgrader> {
    let current = resource.version;
    let upgraders = resource
        .upgraders
        .iter()
        .filter(move |upgrader| upgrader.from == version);
    upgraders.map(move |upgrader| Upgrader {
        to: upgrader.to.or(Some(current)),
        ..upgrader.clone()
    })
}

/// True if a released upgrader does something else now, or is for other states. Of several of one
/// version each is compared with the one in its place, because the first whose condition holds
/// takes a state; another one after the last is for states that were refused.
fn is_edited(was: &Upgrader, now: &Upgrader) -> bool {
    let is_other = was.digest.is_some() && now.digest.is_some() && was.digest != now.digest;
    // Nothing is compared where none was, because locks that are older have no conditions.
    let has_other_condition = was.when.is_some() && was.when != now.when;
    // A reason that was there before is of an earlier edit.
    (is_other || has_other_condition) && (now.reason.is_none() || now.reason == was.reason)
}

fn history(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    for (version, digest) in &old.history {
        if *version == new.version && new.version != old.version {
            let now = crate::fingerprint::fingerprint_of(new);
            if digest.len() == now.len() && *digest != now {
                cx.report(&R::SCHEMA_VERSION_REUSED, "")
                    .was(format!("{version}: {digest}"))
                    .now(now);
            }
        } else if let Some(now) = new.history.get(version) {
            let differences = new
                .edited
                .get(version)
                .filter(|differences| !differences.is_empty());
            // A prior model of the released shape may take fewer values than were stored.
            if now == digest && differences.is_none() {
                continue;
            }
            let finding = cx
                .report(&R::PRIOR_SCHEMA_EDITED, "")
                .was(format!("{version}: {digest}"))
                .now(now.clone());
            if let Some(differences) = differences {
                finding.note(format!("in version {version}, {}", differences.join("; ")));
            }
        }
    }
    if !old.history.is_empty() || !new.history.is_empty() {
        let oldest = new.oldest.unwrap_or(0);
        // An upgrader that reads what is stored by itself has no model, nor has one that says the
        // shape is today's, or refuses one of several shapes.
        let has_model = |upgrader: &&Upgrader| {
            !matches!(
                upgrader.kind.as_deref(),
                Some("raw" | "unchanged" | "unsupported")
            )
        };
        let supported: BTreeSet<u64> = new
            .upgraders
            .iter()
            .filter(has_model)
            .map(|upgrader| upgrader.from)
            .collect();
        let missing = supported.into_iter().filter(|version| {
            *version >= oldest && *version < new.version && !new.history.contains_key(version)
        });
        for version in missing {
            cx.report(&R::PRIOR_SCHEMA_MISSING, "")
                .was(version.to_string());
        }
    }
}
