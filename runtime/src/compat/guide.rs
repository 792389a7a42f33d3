//! The upgrade guide: what users have to do, from findings and an author's notes.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::finding::Finding;
use super::release::Release;
use super::report::Report;
use super::rule::Level;

/// What only an author knows about a change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GuideNote {
    /// The finding's fingerprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Where: resource and path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The finding's rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why it changed, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Which value became which.
    #[serde(default, alias = "value_map", skip_serializing_if = "BTreeMap::is_empty")]
    pub value_map: BTreeMap<String, String>,
    /// A configuration before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The same configuration now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Whatever else is to be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
}

impl GuideNote {
    fn is_about(&self, finding: &Finding) -> bool {
        match (&self.fingerprint, &self.path) {
            (Some(fingerprint), _) => *fingerprint == finding.fingerprint,
            (None, Some(path)) => *path == finding.place() && self.rule.as_deref().is_none_or(|rule| rule == finding.rule.id()),
            (None, None) => false,
        }
    }
}

/// The upgrade guide of one release. Displayed as Markdown, serialized as its twin for programs; both are the same every time they
/// are made from the same findings and notes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Guide {
    /// The release users come from.
    pub from: Option<Release>,
    /// The release they go to.
    pub to: Option<Release>,
    /// The entries, by resource, what is gone first.
    pub entries: Vec<GuideEntry>,
}

/// One change that users have to know of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GuideEntry {
    /// The resource's type name.
    pub resource: String,
    /// Where in it.
    pub path: String,
    /// The rule.
    pub rule: &'static str,
    /// The finding.
    pub fingerprint: String,
    /// What happened.
    pub heading: String,
    /// What to do, a sentence each.
    pub steps: Vec<String>,
    /// The author's note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<GuideNote>,
}

impl Guide {
    /// The guide to what `report` found, with what `notes` say about it.
    #[must_use]
    pub fn new(report: &Report, notes: &[GuideNote]) -> Self {
        let mut entries: Vec<(u8, GuideEntry)> = report
            .findings
            .iter()
            .filter(|finding| !finding.resource.is_empty() && matches!(finding.level, Level::Breaking | Level::Potential))
            .map(|finding| (rank(finding.rule.id()), entry(finding, notes)))
            .collect();
        entries.sort_by(|(a, one), (b, other)| (&one.resource, a, &one.path).cmp(&(&other.resource, b, &other.path)));
        let entries = entries.into_iter().map(|(_, entry)| entry).collect();
        Self { from: report.baseline, to: report.current, entries }
    }

    /// The fingerprints of findings in `report` that a note gives the reason of.
    #[must_use]
    pub fn explained(report: &Report, notes: &[GuideNote]) -> Vec<String> {
        let explained = |finding: &&Finding| notes.iter().any(|note| note.why.is_some() && note.is_about(finding));
        report.findings.iter().filter(explained).map(|finding| finding.fingerprint.clone()).collect()
    }
}

/// What is gone, what must be set, defaults, types, the rest.
fn rank(rule: &str) -> u8 {
    match rule {
        _ if rule.contains("removed") || rule.contains("renamed") || rule.contains("moved") => 0,
        _ if rule.contains("required") => 1,
        _ if rule.contains("default") => 2,
        _ if rule.contains("type") || rule.contains("list") || rule.contains("block") || rule.contains("collection") => 3,
        _ => 4,
    }
}

fn entry(finding: &Finding, notes: &[GuideNote]) -> GuideEntry {
    let (heading, steps) = words(finding);
    GuideEntry {
        resource: finding.resource.clone(),
        path: finding.path.clone(),
        rule: finding.rule.id(),
        fingerprint: finding.fingerprint.clone(),
        heading,
        steps,
        note: notes.iter().find(|note| note.is_about(finding)).cloned(),
    }
}

fn words(finding: &Finding) -> (String, Vec<String>) {
    let (path, ty) = (&finding.path, &finding.resource);
    let old = finding.old.as_deref().unwrap_or("what it was");
    let new = finding.new.as_deref().unwrap_or("something else");
    let migrated = "What is stored is carried over when state is upgraded.".to_owned();
    match finding.rule.id() {
        "resource-removed" => (
            format!("`{ty}` is gone"),
            vec![
                format!("Remove `{ty}` from your configuration."),
                "Tell Terraform to forget the objects without destroying them (a `removed` block with `destroy = false`)."
                    .to_owned(),
                finding.note.as_ref().map_or_else(
                    || "Manage them with another resource, or outside of Terraform.".to_owned(),
                    |note| format!("Import them again where they belong: {note}."),
                ),
            ],
        ),
        "resource-renamed" => {
            (format!("`{ty}` is now `{new}`"), vec![format!("Change the type in your configuration to `{new}`.")])
        }
        "attribute-removed" => (
            format!("`{path}` is gone"),
            vec![format!("Delete `{path}` from your configuration."), "What is stored of it is discarded.".to_owned()],
        ),
        "attribute-renamed" | "attribute-moved" | "attribute-merged" | "attribute-split" => {
            (format!("`{old}` is now `{new}`"), vec![format!("Write `{new}` in place of `{old}`."), migrated])
        }
        "attribute-added-required" | "attribute-optional-to-required" | "attribute-computed-to-required" => (
            format!("`{path}` must be set"),
            vec![format!("Set `{path}`; where it was left out, write what it had by itself until now.")],
        ),
        "default-changed" | "default-added" | "attribute-added-default" => (
            format!("`{path}` has another default: {}", finding.new.as_deref().unwrap_or("none")),
            vec![
                format!("Where `{path}` is not set, a change is planned."),
                match &finding.old {
                    Some(old) => format!("To stay as you are, write the old value: {old}."),
                    None => "To stay as you are, write the value that the object has.".to_owned(),
                },
            ],
        ),
        "default-removed" => {
            (format!("`{path}` has no default any more"), vec![format!("To stay as you are, write the old value: {old}.")])
        }
        "list-to-set" => (
            format!("`{path}` has no order"),
            vec![
                format!("Take `tolist({ty}.x.{path})[0]`, or a `for` expression, in place of `{ty}.x.{path}[0]`."),
                "Of equal elements one is kept.".to_owned(),
            ],
        ),
        "type-changed"
        | "type-narrowed"
        | "element-type-changed"
        | "type-from-dynamic"
        | "scalar-collection-changed"
        | "collection-kind-changed" => (
            format!("`{path}` is a {new}"),
            vec![format!("Literals and comparisons that take it for a {old} need editing."), migrated],
        ),
        "attribute-became-computed-only" => (
            format!("`{path}` is read-only"),
            vec![format!("Remove `{path}` from your configuration; expressions that read it keep working.")],
        ),
        "constraint-added" => {
            (format!("attributes constrain each other: {new}"), vec!["Set only what is allowed together.".to_owned()])
        }
        "force-new-added" => (
            format!("changing `{path}` replaces the object"),
            vec![format!("Nothing to edit; look at the plan before you change `{path}`.")],
        ),
        "upgrader-removed" => (
            format!("state of version {old} can no longer be upgraded"),
            vec!["Stop over at the last release before this one, apply there, then go on.".to_owned()],
        ),
        _ => {
            let at = if path.is_empty() { ty } else { path };
            (format!("`{at}`: {}", finding.rule.title()), vec![finding.rule.why().to_owned()])
        }
    }
}

impl fmt::Display for Guide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let release =
            |release: Option<Release>| release.map_or_else(|| "the next release".to_owned(), |release| release.to_string());
        writeln!(f, "# Upgrading to {}\n", release(self.to))?;
        if self.entries.is_empty() {
            return writeln!(f, "Nothing to do.");
        }
        if let Some(from) = self.from {
            writeln!(
                f,
                "This is about the step from {from} only. Go to {from} first, clear its warnings and get an empty plan; then change the \
                 version. State that a later release has upgraded cannot be read by an earlier one: keep a copy.\n",
            )?;
        }
        let mut resource = "";
        for entry in &self.entries {
            if entry.resource != resource {
                resource = &entry.resource;
                writeln!(f, "## `{resource}`\n")?;
            }
            write_entry(f, entry)?;
        }
        Ok(())
    }
}

fn write_entry(f: &mut fmt::Formatter<'_>, entry: &GuideEntry) -> fmt::Result {
    writeln!(f, "### {}\n", entry.heading)?;
    if let Some(why) = entry.note.as_ref().and_then(|note| note.why.as_deref()) {
        writeln!(f, "{}\n", why.trim())?;
    }
    for step in &entry.steps {
        writeln!(f, "- {step}")?;
    }
    writeln!(f)?;
    let Some(note) = &entry.note else { return Ok(()) };
    if !note.value_map.is_empty() {
        writeln!(f, "| before | now |\n|---|---|")?;
        for (before, now) in &note.value_map {
            writeln!(f, "| `{before}` | `{now}` |")?;
        }
        writeln!(f)?;
    }
    for (title, snippet) in [("Before", &note.before), ("Now", &note.after)] {
        if let Some(snippet) = snippet {
            writeln!(f, "{title}:\n\n```hcl\n{}\n```\n", snippet.trim())?;
        }
    }
    if let Some(extra) = &note.extra {
        writeln!(f, "{}\n", extra.trim())?;
    }
    Ok(())
}
