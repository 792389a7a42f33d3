//! Versions of custom resources, by Kubernetes' deprecation policy.

use std::collections::BTreeSet;

use upstate::__internal::custom_resource::Maturity;

use super::Context;
use crate::api::{ApiVersionSnapshot, CustomResourceSnapshot, maturity};
use crate::finding::{Finding, SERVED_NOW};
use crate::fingerprint::fingerprint_of;
use crate::release::{Release, Semver};
use crate::rule::Level;
use crate::rules as R;
use crate::snapshot::ResourceSnapshot;

/// The least time from a deprecation to the end, in days.
const DAYS_OF_STABLE: u64 = 365;
const DAYS_OF_BETA: u64 = 273;
/// The least number of releases from a deprecation to the end.
const RELEASES: u64 = 3;

/// Judges the versions of a custom resource that is new, changed or gone.
pub(super) fn compare(
    cx: &mut Context<'_>,
    old: Option<&ResourceSnapshot>,
    new: Option<&ResourceSnapshot>,
) {
    let (before, now) = (old.and_then(of), new.and_then(of));
    if let (Some(before), Some(now)) = (before, now) {
        changed(cx, before, now);
    }
    if let Some(before) = before {
        let ended: Vec<_> = before.versions.iter().collect();
        for (name, was) in ended {
            ended_version(cx, (name, was), now);
        }
    }
    if let (Some(old), Some(new), Some(before), Some(now)) = (old, new, before, now) {
        reshaped(cx, (old, before), (new, now));
    }
    if let Some(now) = now {
        at_once(cx, before, now);
    }
}

fn of(resource: &ResourceSnapshot) -> Option<&CustomResourceSnapshot> {
    resource.custom_resource.as_ref()
}

fn changed(cx: &mut Context<'_>, before: &CustomResourceSnapshot, now: &CustomResourceSnapshot) {
    let identity = |of: &CustomResourceSnapshot| {
        format!("{} {} {}.{}", of.scope, of.kind, of.plural, of.group)
    };
    if identity(before) != identity(now) {
        cx.report(&R::API_IDENTITY_CHANGED, "")
            .was(identity(before))
            .now(identity(now));
    }
    for gone in before
        .subresources
        .iter()
        .filter(|name| !now.subresources.contains(name))
    {
        cx.report(&R::API_SUBRESOURCE_REMOVED, "").was(gone.clone());
    }
    if let (Some((was, _)), Some((is, _))) = (before.storage(), now.storage())
        && was != is
    {
        if !before
            .versions
            .get(is)
            .is_some_and(|version| version.served)
        {
            cx.report(&R::API_STORAGE_MOVED_EARLY, "").was(was).now(is);
        }
        if maturity(is) < maturity(was) {
            cx.report(&R::API_STORAGE_LESS_STABLE, "").was(was).now(is);
        }
    }
}

/// Judges a version that clients could ask for, or objects could be stored in, by what it is now.
fn ended_version(
    cx: &mut Context<'_>,
    (name, was): (&str, &ApiVersionSnapshot),
    now: Option<&CustomResourceSnapshot>,
) {
    let is = now.and_then(|now| now.versions.get(name));
    if was.served && !is.is_some_and(|is| is.served) {
        let stability = maturity(name);
        let finding = cx.report(&R::API_VERSION_UNSERVED, "").was(name);
        let served: Vec<&str> = now.map(served).unwrap_or_default();
        if !served.is_empty() {
            finding.note(format!("{SERVED_NOW}{}", served.join(", ")));
        }
        match stability {
            Maturity::Stable => {}
            Maturity::Beta | Maturity::Alpha => {
                finding.graded(Level::Potential, Semver::Minor);
            }
        }
        if let Some(why) = early(cx, stability, was) {
            cx.report(&R::API_VERSION_UNSERVED_EARLY, "")
                .was(name)
                .note(why);
        }
    }
    match is {
        Some(_) => {}
        None if was.served => {
            cx.report(&R::API_VERSION_REMOVED_EARLY, "").was(name);
        }
        None => {
            cx.report(&R::API_VERSION_REMOVED, "").was(name);
        }
    }
}

/// The versions that clients may ask for, the one that objects are stored in first.
fn served(of: &CustomResourceSnapshot) -> Vec<&str> {
    let mut served: Vec<_> = of
        .versions
        .iter()
        .filter(|(_, version)| version.served && version.deprecated.is_none())
        .collect();
    served.sort_by_key(|(_, version)| !version.storage);
    served.into_iter().map(|(name, _)| name.as_str()).collect()
}

/// The reason for which a version ends too early.
fn early(cx: &Context<'_>, stability: Maturity, was: &ApiVersionSnapshot) -> Option<String> {
    let days = match stability {
        Maturity::Alpha => return None,
        Maturity::Beta => DAYS_OF_BETA,
        Maturity::Stable => DAYS_OF_STABLE,
    };
    if was.deprecated.is_none() {
        return Some("it was not deprecated".to_owned());
    }
    let since: Release = was.since.as_ref()?.parse().ok()?;
    let releases = releases(cx, &since)?;
    if releases < RELEASES {
        return Some(format!(
            "deprecated in {since}, {releases} releases before this one; {RELEASES} are asked for"
        ));
    }
    let past = cx.dates.get(&since)?.days_until(cx.date?);
    (past < days).then(|| {
        format!("deprecated in {since}, {past} days before this release; {days} are asked for")
    })
}

/// The number of releases from one to the next, this one among them; patches are none.
fn releases(cx: &Context<'_>, since: &Release) -> Option<u64> {
    let now = cx.new_release?;
    if !cx.dates.contains_key(since) {
        // Without days the lock may have been imported, and lack releases.
        return Some(since.minors_until(now));
    }
    let minor = |release: &Release| (release.version().major, release.version().minor);
    let later = cx
        .dates
        .keys()
        .chain([now])
        .filter(|release| *release > since && *release <= now)
        .map(minor);
    let later: BTreeSet<_> = later.filter(|number| *number != minor(since)).collect();
    u64::try_from(later.len()).ok()
}

/// Reports names that lead to another shape than they did.
fn reshaped(
    cx: &mut Context<'_>,
    (old, before): (&ResourceSnapshot, &CustomResourceSnapshot),
    (new, now): (&ResourceSnapshot, &CustomResourceSnapshot),
) {
    let shape = |of: &ResourceSnapshot, number: u64| {
        if number == of.version {
            Some(fingerprint_of(of))
        } else {
            of.history.get(&number).cloned()
        }
    };
    for (name, was) in &before.versions {
        let Some(is) = now.versions.get(name).filter(|is| is.number != was.number) else {
            continue;
        };
        // The released shape is in the lock under its number; without it, the new history may have
        // it.
        let released = shape(old, was.number).or_else(|| shape(new, was.number));
        if released.is_some() && released == shape(new, is.number) {
            continue;
        }
        let words = |version: &ApiVersionSnapshot| format!("{name} is version {}", version.number);
        let finding = cx
            .report(&R::API_VERSION_RESHAPED, "")
            .was(words(was))
            .now(words(is));
        if maturity(name) == Maturity::Alpha {
            finding.graded(Level::Warning, Semver::Minor);
        }
    }
}

/// Judges the versions beside each other. What was so before is not reported again.
fn at_once(
    cx: &mut Context<'_>,
    before: Option<&CustomResourceSnapshot>,
    now: &CustomResourceSnapshot,
) {
    let was_so = |found: &dyn Fn(&CustomResourceSnapshot) -> Vec<String>| {
        before.map(found).unwrap_or_default()
    };
    for name in alone(now)
        .into_iter()
        .filter(|name| !was_so(&alone).contains(name))
    {
        cx.report(&R::API_VERSION_DEPRECATED_ALONE, "").now(name);
    }
    for name in without_warning(now)
        .into_iter()
        .filter(|name| !was_so(&without_warning).contains(name))
    {
        cx.report(&R::API_DEPRECATION_WITHOUT_WARNING, "").now(name);
    }
    let unranked = unranked(now);
    if unranked.len() > 1 && unranked != was_so(&self::unranked) {
        cx.report(&R::API_VERSIONS_UNRANKED, "")
            .now(unranked.join(", "));
    }
}

/// Served versions that are deprecated, while none as stable is served that is not.
fn alone(of: &CustomResourceSnapshot) -> Vec<String> {
    let served = |is_deprecated: bool| {
        of.versions.iter().filter(move |(_, version)| {
            version.served && version.deprecated.is_some() == is_deprecated
        })
    };
    let best = served(false).map(|(name, _)| maturity(name)).max();
    served(true)
        .map(|(name, _)| name)
        .filter(|name| best < Some(maturity(name)))
        .cloned()
        .collect()
}

fn without_warning(of: &CustomResourceSnapshot) -> Vec<String> {
    let deprecated = of
        .versions
        .iter()
        .filter(|(_, version)| version.served && version.deprecated.as_deref() == Some(""));
    deprecated.map(|(name, _)| name.clone()).collect()
}

/// Stable versions that are served and not deprecated.
fn unranked(of: &CustomResourceSnapshot) -> Vec<String> {
    let is_it = |(name, version): &(&String, &ApiVersionSnapshot)| {
        version.served && version.deprecated.is_none() && maturity(name) == Maturity::Stable
    };
    of.versions
        .iter()
        .filter(is_it)
        .map(|(name, _)| name.clone())
        .collect()
}

/// Reports deprecated fields that the newest version has no more, while the version of the last
/// release that has them is served. Without a new version, the removal is an error by itself.
fn removed_early(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    let Some(now) = of(new).filter(|_| of(old).is_some() && old.version < new.version) else {
        return;
    };
    let have_it: Vec<&str> = now
        .versions
        .iter()
        .filter(|(_, version)| version.served && version.number == old.version)
        .map(|(name, _)| name.as_str())
        .collect();
    if have_it.is_empty() {
        return;
    }
    let gone: Vec<String> = cx
        .findings
        .iter()
        .filter(|finding| *finding.rule == R::ATTRIBUTE_REMOVED && finding.announced.is_some())
        .map(|finding| finding.path.clone())
        .collect();
    for path in gone {
        cx.report(&R::API_FIELD_REMOVED_EARLY, &path)
            .now(have_it.join(", "));
    }
}

/// Grades what changed under a version that clients have: the server judges by the new schema what
/// they write.
pub(super) fn grade(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    removed_early(cx, old, new);
    let stability = of(new)
        .filter(|_| of(old).is_some())
        .and_then(|now| now.maturity_of(new.version));
    let Some(stability) = stability.filter(|_| old.version == new.version) else {
        return;
    };
    for finding in &mut cx.findings {
        let level = match finding.rule.id() {
            "member-required" => Level::Error,
            "absent-value-changed" | "null-refused" if stability == Maturity::Stable => {
                Level::Error
            }
            "absent-value-changed" | "null-refused" => Level::Warning,
            _ => continue,
        };
        let semver = finding.semver;
        finding.graded(level, semver);
    }
    // A document reads whatever checks refuse, so that for others these are no findings.
    let is_check = |finding: &&Finding| {
        let rules = [
            "validator-added",
            "validator-tightened",
            "enum-value-removed",
            "validator-changed-opaque",
        ];
        rules.contains(&finding.rule.id()) && !finding.bump.strict
    };
    let narrower: Vec<Finding> = cx.findings.iter().filter(is_check).cloned().collect();
    for check in narrower {
        let is_unclear = *check.rule == R::VALIDATOR_CHANGED_OPAQUE
            && !check.was_or_is().starts_with("list type");
        let finding = cx.report(&R::API_VALUES_REFUSED, &check.path);
        (finding.old, finding.new) = (check.old, check.new);
        if is_unclear {
            finding.graded(Level::Warning, Semver::Major);
        }
    }
    if stability == Maturity::Stable {
        let is_wider =
            |finding: &&Finding| matches!(finding.rule.id(), "enum-value-added" | "variant-added");
        let wider: Vec<_> = cx
            .findings
            .iter()
            .filter(is_wider)
            .map(|finding| (finding.path.clone(), finding.new.clone()))
            .collect();
        for (path, value) in wider {
            cx.report(&R::API_VALUE_ADDED, &path).new = value;
        }
    }
}
