//! The upgrade guide: what users have to do, from findings and an author's notes.

mod changelog;
mod documents;
mod entry;
mod markdown;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::finding::Finding;
use super::kind::Kind;
use super::release::Release;
use super::report::{Planned, Report, Warns};
use super::rule::Level;

/// The facts about a change that only an author knows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GuideNote {
    /// The finding's fingerprint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The place: resource and path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The finding's rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The reason of the change, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The new value of each old one.
    #[serde(
        default,
        alias = "value_map",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub value_map: BTreeMap<String, String>,
    /// A configuration before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The configuration that replaces it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Any other diagnostic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
}

impl GuideNote {
    fn is_about(&self, finding: &Finding) -> bool {
        match (&self.fingerprint, &self.path) {
            (Some(fingerprint), _) => *fingerprint == finding.fingerprint,
            (None, Some(path)) => {
                *path == finding.place()
                    && self
                        .rule
                        .as_deref()
                        .is_none_or(|rule| rule == finding.rule.id())
            }
            (None, None) => false,
        }
    }

    /// True if it is about a removal that is to come.
    fn names(&self, planned: &Planned) -> bool {
        self.fingerprint.is_none()
            && self
                .path
                .as_ref()
                .is_some_and(|path| *path == planned.place())
    }
}

/// The upgrade guide of one release. Displayed as Markdown, serialized as its twin for programs;
/// both are the same every time they are made from the same findings and notes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Guide {
    /// The release users come from.
    pub from: Option<Release>,
    /// The release they go to.
    pub to: Option<Release>,
    /// The warnings of the release before.
    pub warns: Vec<Warns>,
    /// The entries: the provider, data sources, resources, then the rest, each by name; in each,
    /// what is gone first.
    pub entries: Vec<GuideEntry>,
    /// The removals of the next release that may break.
    pub planned: Vec<Planned>,
}

/// One change that users have to know of.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GuideEntry {
    /// The resource's type name, or the address of something else, such as `data.example_thing`.
    pub resource: String,
    /// Its subject: a resource, a data source, a function.
    pub kind: Kind,
    /// The name of its definition, such as `boats.ferry.example.com`, of a custom resource of
    /// Kubernetes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The path in it.
    pub path: String,
    /// The rule.
    pub rule: &'static str,
    /// The finding.
    pub fingerprint: String,
    /// The change.
    pub heading: String,
    /// The former fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// The fact now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<String>,
    /// The people who have to act.
    pub affected: String,
    /// The steps for users, one sentence each, in order.
    pub steps: Vec<String>,
    /// The fate of stored values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The way to keep the former behaviour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<String>,
    /// The steps that can be done before the upgrade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepare: Option<String>,
    /// A configuration before, and the same now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<(String, String)>,
    /// The author's note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<GuideNote>,
}

impl Guide {
    /// The guide to what `report` found, with what `notes` say about it.
    #[must_use]
    pub fn new(report: &Report, notes: &[GuideNote]) -> Self {
        let is_gone = |resource: &String| {
            report
                .findings
                .iter()
                .any(|other| other.resource == *resource && other.rule.id() == "resource-removed")
        };
        let concerns_users = |finding: &&Finding| {
            // The entry about all of it is enough, since its versions went with it.
            if finding.rule.id().starts_with("api-") && is_gone(&finding.resource) {
                return false;
            }
            matches!(finding.level, Level::Breaking | Level::Potential)
                || documents::concerns_users(finding.rule.id())
        };
        let mut entries: Vec<(u8, GuideEntry)> = report
            .findings
            .iter()
            .filter(|finding| !finding.resource.is_empty())
            .filter(concerns_users)
            .map(|finding| (rank(finding.rule.id()), entry::of(report, finding, notes)))
            .collect();
        entries.sort_by(|(a, one), (b, other)| {
            (place(one.kind), &one.resource, a, &one.path).cmp(&(
                place(other.kind),
                &other.resource,
                b,
                &other.path,
            ))
        });
        let entries = entries.into_iter().map(|(_, entry)| entry).collect();
        let why = |planned: &Planned| {
            notes
                .iter()
                .find(|note| note.names(planned))
                .and_then(|note| note.why.clone())
        };
        let planned = report
            .planned
            .iter()
            .map(|planned| Planned {
                why: why(planned),
                ..planned.clone()
            })
            .collect();
        Self {
            from: report.baseline.clone(),
            to: report.current.clone(),
            warns: report.warns.clone(),
            entries,
            planned,
        }
    }

    /// The fingerprints of findings in `report` that a note gives the reason of.
    #[must_use]
    pub fn explained(report: &Report, notes: &[GuideNote]) -> Vec<String> {
        let explained = |finding: &&Finding| {
            notes
                .iter()
                .any(|note| note.why.is_some() && note.is_about(finding))
        };
        report
            .findings
            .iter()
            .filter(explained)
            .map(|finding| finding.fingerprint.clone())
            .collect()
    }

    /// The notes that are about nothing that `report` found.
    #[must_use]
    pub fn unused<'n>(report: &Report, notes: &'n [GuideNote]) -> Vec<&'n GuideNote> {
        let used = |note: &GuideNote| {
            report.findings.iter().any(|finding| note.is_about(finding))
                || report.planned.iter().any(|planned| note.names(planned))
        };
        notes.iter().filter(|note| !used(note)).collect()
    }

    /// The entries for the changelog, by the sections that Terraform's own providers have.
    #[must_use]
    pub fn changelog(report: &Report) -> String {
        changelog::of(report)
    }
}

/// The provider, data sources, resources, and then what Terraform learned later.
fn place(kind: Kind) -> u8 {
    match kind {
        Kind::Provider => 0,
        Kind::ProviderMeta => 1,
        Kind::Data => 2,
        Kind::Managed | Kind::Document => 3,
        Kind::Ephemeral => 4,
        Kind::List => 5,
        Kind::Action => 6,
        Kind::Function => 7,
    }
}

/// Removals, required attributes, defaults, types, the rest.
fn rank(rule: &str) -> u8 {
    match rule {
        _ if rule.contains("removed") || rule.contains("renamed") || rule.contains("moved") => 0,
        _ if rule.contains("required") => 1,
        _ if rule.contains("default") => 2,
        _ if rule.contains("type")
            || rule.contains("list")
            || rule.contains("block")
            || rule.contains("collection") =>
        {
            3
        }
        _ => 4,
    }
}
