//! The comparison itself.
//!
//! Resources are paired first, then paths (declared renames before anything else), then the facts
//! at each path: shape, then flags, then constraints; policies come last, since they judge the
//! findings. A difference that one rule has named is not named by another.

mod aliases;
mod behaviour;
mod constraints;
mod custom_resources;
mod deprecations;
mod documents;
mod existence;
mod flags;
mod flattened;
mod function;
mod identity;
mod release;
mod resource;
mod schedule;
mod shape;
mod sums;
mod tree;
mod validators;
mod versions;
mod waivers;
mod without_state;

use std::collections::{BTreeMap, BTreeSet};

use upstate_words::lock::FLATTENED;

use super::date::Date;
use super::finding::{Finding, Waiver};
use super::kind::Kind;
use super::options::{LevelSetting, Options, StatePolicy};
use super::release::{Release, Semver};
use super::report::{Report, Warns};
use super::rule::{Bump, Rule};
use super::rules as R;
use super::snapshot::{Deprecation, ResourceSnapshot, Snapshot};

/// The state of the comparison of one resource.
struct Context<'a> {
    options: &'a Options,
    old_release: Option<&'a Release>,
    new_release: Option<&'a Release>,
    /// The day of the new release, and those of earlier ones.
    date: Option<Date>,
    dates: &'a BTreeMap<Release, Date>,
    resource: &'a str,
    kind: Kind,
    /// True if the old release was imported, so that less is known of it than of the new one.
    imported: bool,
    /// True if the old release says which strings and numbers have a form.
    knows_forms: bool,
    /// The forms that the new release rewrites strings of the old one from and to, by path.
    reformatted: Option<&'a BTreeMap<String, (String, String)>>,
    /// The new release: its type names, and what its documents require.
    types: &'a Snapshot,
    findings: Vec<Finding>,
}

impl Context<'_> {
    fn report(&mut self, rule: &'static Rule, path: &str) -> &mut Finding {
        let index = self.findings.len();
        self.findings.push(Finding {
            kind: self.kind,
            ..Finding::new(rule, self.resource, path)
        });
        // Never missing, since it was just pushed.
        #[expect(clippy::indexing_slicing, reason = "pushed on the line before")]
        &mut self.findings[index]
    }

    /// Reports documentation with other words. Where its lines end says nothing.
    fn described(&mut self, path: &str, was: &str, is: &str) {
        if was.split_whitespace().ne(is.split_whitespace()) {
            self.report(&R::DESCRIPTION_CHANGED, path);
        }
    }

    /// True if `bump` asks for a new version under the policy of the options.
    fn needs(&self, bump: Bump) -> bool {
        match self.options.state {
            StatePolicy::Strict => bump.strict,
            StatePolicy::Wire => bump.wire,
        }
    }

    /// True if an upgrader gives strings at the path, or inside of it, another form.
    fn rewrites(&self, path: &str) -> bool {
        let is_it = |rewritten: &String| {
            rewritten
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.reformatted
            .is_some_and(|forms| forms.keys().any(is_it))
    }

    /// True if a document is not read without the member at a path, which is inside of a type.
    fn requires(&self, path: &str) -> bool {
        let Some(required) = self.types.required_inside.get(self.resource) else {
            return false;
        };
        let (first, rest) = path.split_at(path.find(FLATTENED).unwrap_or(path.len()));
        // Without the numbers of flattened enums, which are their places among those of both
        // releases.
        let rest = rest
            .split(FLATTENED)
            .map(|part| part.trim_start_matches(|letter: char| letter.is_ascii_digit()));
        required.contains(&format!(
            "{first}{}",
            rest.collect::<Vec<_>>().join(FLATTENED)
        ))
    }

    /// The release number that all findings so far need.
    fn bump(&self) -> Bump {
        let any = |of: fn(&Bump) -> bool| self.findings.iter().any(|finding| of(&finding.bump));
        Bump {
            strict: any(|bump| bump.strict),
            wire: any(|bump| bump.wire),
        }
    }
}

/// Compares what the last release serves with what the next one will.
///
/// The findings are in the order of their resource, path and rule. Comparing a snapshot with itself
/// finds nothing.
#[must_use]
pub fn compare(old: &Snapshot, new: &Snapshot, options: &Options) -> Report {
    let mut findings = Vec::new();
    let mut resources = BTreeMap::new();
    if old.resources.is_empty() && !new.resources.is_empty() && old.release.is_none() {
        findings.push(Finding::new(&R::BASELINE_MISSING, "", ""));
    } else {
        if old.unreleased && old != new {
            findings.push(Finding::new(&R::BASELINE_STALE, "", ""));
        }
        let names: BTreeSet<&str> = old
            .resources
            .keys()
            .chain(new.resources.keys())
            .map(String::as_str)
            .collect();
        for name in names {
            let kind = kind(old.resources.get(name), new.resources.get(name));
            let mut context = Context {
                options,
                old_release: old.release.as_ref(),
                new_release: new.release.as_ref(),
                date: new.date,
                dates: &old.dates,
                resource: name,
                kind,
                imported: old
                    .resources
                    .get(name)
                    .is_some_and(|resource| resource.imported),
                knows_forms: old
                    .resources
                    .get(name)
                    .is_some_and(|resource| resource.knows_forms),
                reformatted: old
                    .resources
                    .get(name)
                    .and_then(|old| new.resources.get(name)?.reformatted.get(&old.version)),
                types: new,
                findings: Vec::new(),
            };
            let verdict = resource::compare(&mut context, old, new, name);
            findings.append(&mut context.findings);
            if let Some(verdict) = verdict {
                resources.insert(name.to_owned(), verdict);
            }
        }
    }
    let (mut scheduled, planned) = schedule::judge(old, new);
    findings.append(&mut scheduled);
    grade(&mut findings, options);
    findings.iter_mut().for_each(Finding::finish);
    let waivers: Vec<Waiver> = options
        .waivers
        .iter()
        .chain(&new.waivers)
        .cloned()
        .collect();
    waivers::apply(
        &mut findings,
        &waivers,
        &options.known,
        new.release.as_ref(),
    );
    let required_bump = findings
        .iter()
        .map(|finding| finding.semver)
        .max()
        .unwrap_or(Semver::Patch);
    let actual_bump = release::judge(
        &mut findings,
        old.release.as_ref(),
        new.release.as_ref(),
        required_bump,
    );
    release::guide(
        &mut findings,
        old.release.as_ref(),
        new.release.as_ref(),
        options,
    );
    findings.iter_mut().for_each(Finding::finish);
    waivers::hygiene(
        &mut findings,
        &waivers,
        &options.known,
        new.release.as_ref(),
    );
    grade(&mut findings, options);
    findings.iter_mut().for_each(Finding::finish);
    let required = old
        .release
        .as_ref()
        .map(|release| release.next(required_bump));
    for finding in &mut findings {
        finding.permitted = actual_bump.is_some_and(|actual| actual >= finding.semver);
        finding.remediation = finding.advice(required.as_ref());
    }
    findings.sort_by(|a, b| {
        (&a.resource, &a.path, a.rule.id()).cmp(&(&b.resource, &b.path, b.rule.id()))
    });
    findings.dedup_by(|a, b| a.fingerprint == b.fingerprint && a.place() == b.place());
    let ok = !findings
        .iter()
        .any(|finding| finding.fails(options.fails_on));
    let warns = warns(old);
    Report {
        baseline: old.release.clone(),
        current: new.release.clone(),
        required_bump,
        actual_bump,
        ok,
        resources,
        definitions: definitions(old, new),
        warns,
        planned,
        findings,
    }
}

/// The names of the definitions of custom resources, as they were released.
fn definitions(old: &Snapshot, new: &Snapshot) -> BTreeMap<String, String> {
    let both = new.resources.iter().chain(&old.resources);
    let names = both.filter_map(|(ty, resource)| {
        let facts = resource.custom_resource.as_ref()?;
        Some((ty.clone(), format!("{}.{}", facts.plural, facts.group)))
    });
    // The released names come last, so that they are the ones that stay.
    names.collect()
}

/// The kind of what is compared.
fn kind(old: Option<&ResourceSnapshot>, new: Option<&ResourceSnapshot>) -> Kind {
    match (old.map(Kind::of), new.map(Kind::of)) {
        // A lock of before documents had a kind of their own says nothing of it.
        (Some(Kind::Managed), Some(Kind::Document)) => Kind::Document,
        (Some(old), Some(new)) if old != new => Kind::Managed,
        (_, Some(kind)) | (Some(kind), None) => kind,
        (None, None) => Kind::Managed,
    }
}

/// The warnings of a release. Nothing warns of a field of a document.
fn warns(release: &Snapshot) -> Vec<Warns> {
    let is_shown = |(resource, path, _): &(&str, String, &Deprecation)| {
        path.is_empty()
            || release
                .resources
                .get(*resource)
                .is_none_or(|of| Kind::of(of) != Kind::Document)
    };
    let warns = |(resource, path, deprecated): (&str, String, &Deprecation)| Warns {
        resource: resource.to_owned(),
        path,
        message: deprecated.message.clone(),
    };
    deprecated(release)
        .into_iter()
        .filter(is_shown)
        .map(warns)
        .collect()
}

/// Everything that a release deprecates: the resource, the path, and what is said about it.
fn deprecated(release: &Snapshot) -> Vec<(&str, String, &Deprecation)> {
    let mut all = Vec::new();
    for (name, resource) in &release.resources {
        all.extend(
            resource
                .deprecated
                .as_ref()
                .map(|deprecated| (name.as_str(), String::new(), deprecated)),
        );
        let inside = tree::flat(resource.into()).into_iter();
        all.extend(
            inside.filter_map(|(path, node)| Some((name.as_str(), path, node.deprecated()?))),
        );
    }
    all
}

/// Leaves out what the options allow, and grades the rest as they say. Doing it again changes
/// nothing.
fn grade(findings: &mut Vec<Finding>, options: &Options) {
    findings.retain(|finding| options.includes(finding.rule));
    for finding in findings {
        if let Some(level) = options
            .level_of(finding.rule.id())
            .and_then(LevelSetting::level)
        {
            finding.level = level;
        }
        if let Some(semver) = options.semver_of(finding.rule.id())
            && !finding.is_let_through()
        {
            finding.semver = semver;
        }
    }
}
