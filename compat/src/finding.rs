//! The result of a comparison.

use serde::{Deserialize, Serialize};

use super::kind::Kind;
use super::release::{Release, Semver};
use super::rule::{Axis, Bump, Level, Rule, Words};
use super::rules;
use super::snapshot::Deprecation;
use upstate_words::Hash;

/// The beginning of the note on a removal, where an upgrader says why the state is dropped.
pub(super) const DROPPED: &str = "the upgrade drops it: ";

/// The beginning of the note on objects of which an upgrader makes a map by a member, or a list
/// with that member: the member follows.
pub(super) const KEYED: &str = "the key of each object is its member ";

/// The beginning of the note on a version of a custom resource that ends: the versions that are
/// served follow.
pub(super) const SERVED_NOW: &str = "served now: ";

/// One change, and what the rules say about it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// Twelve hexadecimal digits that stay the same as long as the change does.
    pub fingerprint: String,
    /// Its level.
    pub level: Level,
    /// The axes that it affects.
    pub axes: Vec<Axis>,
    /// Its subject: a resource, a data source, a function.
    pub kind: Kind,
    /// The resource's type name, or the address of something else, such as `data.example_thing`;
    /// empty if it is about the whole program.
    pub resource: String,
    /// The path in the resource; empty if it is about all of it.
    pub path: String,
    /// The released fact, as a string.
    pub old: Option<String>,
    /// The fact now.
    pub new: Option<String>,
    /// The least kind of release that may contain it.
    pub semver: Semver,
    /// True if it needs a new schema version.
    pub bump: Bump,
    /// The change, in one line.
    pub message: String,
    /// A note on this finding.
    pub note: Option<String>,
    /// The deprecation that announced it, of what is gone.
    pub announced: Option<Deprecation>,
    /// The smallest configuration or expression that breaks.
    pub witness: Option<String>,
    /// The advice: what to do.
    pub remediation: String,
    /// The person who agreed to it, and the last day.
    pub waived: Option<Waived>,
    /// True if it was there when the rules were adopted.
    pub known: bool,
    /// True if the release number allows for it.
    pub permitted: bool,
    /// True if upgraders that are there take over what the last release stored.
    pub upgraded: bool,
}

/// The reason why a finding is let through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Waived {
    /// `always-failed`, `security`, `never-released`, `api-removed`, or in other words.
    pub reason: String,
    /// The release from which on it no longer is.
    pub until: Release,
}

/// An agreement to let a finding through.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Waiver {
    /// The rule; any if a fingerprint is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The place: `labels.key` in the resource, with or without the type name before it; `labels.*`
    /// with what is inside of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The finding's fingerprint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The release from which the waiver no longer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

impl Waiver {
    /// True if it is about `finding`.
    pub(super) fn covers(&self, finding: &Finding) -> bool {
        let Self {
            rule,
            path,
            fingerprint,
            ..
        } = self;
        if rule.is_none() && fingerprint.is_none() {
            return false;
        }
        let path_fits = path.as_deref().is_none_or(|path| {
            let path = plain(path);
            let at = plain(&finding.path);
            let (path, and_inside) = path
                .strip_suffix(".*")
                .map_or((path.as_str(), false), |path| (path, true));
            let fits =
                |path: &str| path == at || and_inside && (path.is_empty() || is_inside(&at, path));
            let rest = path.strip_prefix(&finding.resource);
            let inside = rest
                .filter(|rest| rest.is_empty() || rest.starts_with('.'))
                .map(|rest| rest.trim_start_matches('.'));
            fits(path) || inside.is_some_and(fits)
        });
        rule.as_deref().is_none_or(|rule| rule == finding.rule.id())
            && fingerprint
                .as_deref()
                .is_none_or(|fingerprint| fingerprint == finding.fingerprint)
            && path_fits
    }

    /// Itself in a few words, for messages about it.
    pub(super) fn name(&self) -> String {
        let parts = [
            self.rule.as_deref(),
            self.path.as_deref(),
            self.fingerprint.as_deref(),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

fn is_inside(path: &str, above: &str) -> bool {
    path.strip_prefix(above)
        .is_some_and(|rest| rest.starts_with('.'))
}

/// A path without the marks of elements.
fn plain(path: &str) -> String {
    path.replace("[*]", "")
}

impl Rule {
    /// Its sentences for those whom it concerns: who keeps documents has no configurations and no
    /// plans.
    pub fn words(&self, kind: Kind) -> Words {
        let of_document = (kind == Kind::Document)
            .then(|| rules::words(self.id()))
            .flatten();
        of_document.copied().unwrap_or(Words {
            title: self.title(),
            why: self.why(),
            fix: self.fix(),
        })
    }
}

/// Resource and path as one string.
pub(super) fn place_of(resource: &str, path: &str) -> String {
    if path.is_empty() {
        resource.to_owned()
    } else {
        format!("{resource}.{path}")
    }
}

impl Finding {
    pub(super) fn new(rule: &'static Rule, resource: &str, path: &str) -> Self {
        Self {
            rule,
            fingerprint: String::new(),
            level: rule.level(),
            axes: rule.axes().to_vec(),
            kind: Kind::Managed,
            resource: resource.to_owned(),
            path: path.to_owned(),
            old: None,
            new: None,
            semver: rule.semver(),
            bump: rule.bump(),
            message: String::new(),
            note: None,
            announced: None,
            witness: None,
            remediation: String::new(),
            waived: None,
            known: false,
            permitted: false,
            upgraded: false,
        }
    }

    pub(super) fn was(&mut self, old: impl Into<String>) -> &mut Self {
        self.old = Some(old.into());
        self
    }

    pub(super) fn now(&mut self, new: impl Into<String>) -> &mut Self {
        self.new = Some(new.into());
        self
    }

    pub(super) fn note(&mut self, note: impl Into<String>) -> &mut Self {
        self.note = Some(note.into());
        self
    }

    pub(super) fn graded(&mut self, level: Level, semver: Semver) -> &mut Self {
        self.level = level;
        self.semver = semver;
        self
    }

    pub(super) fn needs(&mut self, bump: Bump) -> &mut Self {
        self.bump = bump;
        self
    }

    /// Resource and path as one string; empty if it is about the whole program.
    pub fn place(&self) -> String {
        place_of(&self.resource, &self.path)
    }

    /// True if it is let through, by a waiver or because it was there when the rules were adopted.
    pub fn is_let_through(&self) -> bool {
        self.waived.is_some() || self.known
    }

    /// The fate of state of the last release if nothing upgrades it, in a few words.
    pub fn state_impact(&self) -> &'static str {
        super::impact::of(self)
    }

    /// The rule in the words of those whom it concerns.
    fn words(&self) -> Words {
        self.rule.words(self.kind)
    }

    /// The change that it tells of, in a few words.
    pub fn title(&self) -> &'static str {
        self.words().title
    }

    /// The importance of it.
    pub fn why(&self) -> &'static str {
        self.words().why
    }

    /// The change and its place: `acme_bucket.acl is gone`.
    pub fn headline(&self) -> String {
        let (place, title) = (self.place(), self.title());
        if place.is_empty() {
            return title.to_owned();
        }
        // The finding has the name of the thing, so that it replaces the words of the rule.
        let things = [
            "an attribute or block ",
            "an attribute ",
            "a block ",
            "a resource type ",
            "a list ",
            "a set ",
            "a document ",
            "a member ",
        ];
        let verb = things
            .iter()
            .find_map(|thing| title.strip_prefix(thing))
            .filter(|verb| !verb.contains("that "));
        verb.map_or_else(
            || format!("{place}: {title}"),
            |verb| format!("{place} {verb}"),
        )
    }

    /// The rule's advice; where nothing is stored, without what it says about stored state.
    fn fix(&self) -> String {
        let fix = self.words().fix;
        if self.kind.is_stored() {
            return fix.to_owned();
        }
        match (
            fix.split_once("; then raise "),
            fix.split_once("; else raise "),
        ) {
            (Some((first, _)), _) => format!("{first}; then remove it in a major release."),
            (None, Some((first, _))) => format!("{first}; else wait for a major release."),
            (None, None) if self.rule.id() == "resource-removed" => {
                "Deprecate it for a release first, and tell users what takes its place.".to_owned()
            }
            (None, None) if fix.starts_with("Raise the schema version") => {
                "Wait for a major release, and say in the upgrade guide what users have to change."
                    .to_owned()
            }
            (None, None) => fix.to_owned(),
        }
    }

    /// The advice, in view of the announcements and of the release number: `required` is the
    /// release that may contain the change.
    pub fn advice(&self, required: Option<&Release>) -> String {
        let fix = self.fix();
        if self.upgraded && self.bump.strict {
            return self.rest_of(&fix, required);
        }
        // An announced removal needs only a release that may break, so that the rest of the
        // sentence is enough.
        let Some((_, rest)) = fix
            .split_once("; then ")
            .filter(|_| self.announced.is_some())
        else {
            return fix;
        };
        match required {
            Some(required) if !self.permitted => format!("Keep it until {required}; then {rest}"),
            _ => {
                let mut letters = rest.chars();
                letters
                    .next()
                    .map(|first| first.to_uppercase().chain(letters).collect())
                    .unwrap_or_default()
            }
        }
    }

    /// The advice that is left once the schema version is raised and state is upgraded.
    fn rest_of(&self, fix: &str, required: Option<&Release>) -> String {
        if self.kind == Kind::Document {
            return "Nothing.".to_owned();
        }
        let wait = match required {
            _ if self.permitted => return "Nothing.".to_owned(),
            Some(required) => format!("Wait for {required}"),
            None => "Wait for a major release".to_owned(),
        };
        match fix.split_once("; then raise ") {
            Some((first, _)) if self.announced.is_none() => {
                format!("{first}; then remove it in a major release.")
            }
            Some(_) => format!("{wait}."),
            None if fix.starts_with("Raise the ")
                || fix.contains("; or raise ")
                || fix.contains("; else raise ") =>
            {
                format!("{wait}, and say in the upgrade guide what users have to change.")
            }
            None => fix.to_owned(),
        }
    }

    /// Fills in what follows from the rest.
    pub(super) fn finish(&mut self) {
        let change = match (&self.old, &self.new) {
            (Some(old), Some(new)) => format!(": {old} -> {new}"),
            (Some(old), None) => format!(" (was {old})"),
            (None, Some(new)) => format!(" ({new})"),
            (None, None) => String::new(),
        };
        self.message = format!("{}{change}", self.headline());
        let mut hash = Hash::new();
        for part in [
            self.rule.id(),
            &self.resource,
            &self.path,
            self.old.as_deref().unwrap_or(""),
            self.new.as_deref().unwrap_or(""),
        ] {
            hash = hash.text(part);
        }
        self.fingerprint = format!("{:012x}", hash.finish() >> 16);
        self.witness = super::witness::of(self);
    }

    /// Its subject, by the present schema or else the former.
    pub(super) fn was_or_is(&self) -> &str {
        self.new
            .as_deref()
            .or(self.old.as_deref())
            .unwrap_or_default()
    }

    pub(super) fn waivable(&self) -> bool {
        self.rule.can_be_waived()
    }
}
