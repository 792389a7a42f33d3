//! The guide as a page.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use super::{Guide, GuideEntry};
use crate::kind::Kind;
use crate::release::Release;

impl fmt::Display for Guide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = number(self.to.as_ref(), "the next release");
        writeln!(f, "# Upgrading to {to}\n")?;
        if self.entries.is_empty() {
            writeln!(f, "Nothing to do.")?;
            if !self.planned.is_empty() {
                writeln!(f)?;
            }
            return f.write_str(&self.planned_markdown());
        }
        frame(
            f,
            self,
            &number(self.from.as_ref(), "the release before"),
            &to,
        )?;
        if !self.warns.is_empty() {
            let from = number(self.from.as_ref(), "the release before");
            writeln!(f, "## What {from} warns about\n")?;
            for warns in &self.warns {
                writeln!(f, "- `{}`: {}", warns.place(), warns.message.trim())?;
            }
            writeln!(f)?;
        }
        f.write_str(&self.entries_markdown())?;
        f.write_str(&self.planned_markdown())
    }
}

fn number(release: Option<&Release>, without: &str) -> String {
    release.map_or_else(|| without.to_owned(), ToString::to_string)
}

/// The subjects of a guide: what a step is about depends on them.
struct Subjects<'g> {
    /// The parts of a provider.
    terraform: bool,
    documents: bool,
    /// Definitions of custom resources.
    definitions: BTreeSet<&'g str>,
}

impl<'g> Subjects<'g> {
    fn of(guide: &'g Guide) -> Self {
        let is_document = |entry: &&GuideEntry| entry.kind == Kind::Document;
        let entries = guide.entries.iter();
        Self {
            terraform: entries.clone().any(|entry| entry.kind != Kind::Document),
            documents: entries
                .clone()
                .filter(is_document)
                .any(|entry| entry.definition.is_none()),
            definitions: entries
                .filter_map(|entry| entry.definition.as_deref())
                .collect(),
        }
    }

    /// The steps before an upgrade.
    fn before(&self, from: &str, to: &str) -> Vec<String> {
        let mut copies = Vec::new();
        copies.extend(self.terraform.then(|| "your state".to_owned()));
        copies.extend(self.documents.then(|| "the documents".to_owned()));
        copies.extend(self.definitions.iter().map(|name| {
            format!("what `kubectl get {name} --all-namespaces --output yaml` prints")
        }));
        let mut steps = vec![format!(
            "Go to {from} first, and keep a copy of {}.",
            copies.join(" and of ")
        )];
        if self.terraform {
            steps.push("Plan, and settle every warning.".to_owned());
            steps.push("Apply until the plan is empty.".to_owned());
            steps.push(format!("Change the version in `required_providers` to `{to}`, run `terraform init -upgrade`, and plan."));
        }
        if self.documents || !self.definitions.is_empty() {
            steps.push("Follow the entries below before the upgrade.".to_owned());
        }
        if self.documents {
            steps.push(format!(
                "Let all programs that read the documents change over to {to}: {from} refuses those of a later version."
            ));
        }
        if !self.definitions.is_empty() {
            steps.push(format!(
                "Install {to}: first its conversion webhook, then its definitions. The webhook converts for both releases."
            ));
            steps.push(
                "Run `migrate-storage` if the definitions store another version than before."
                    .to_owned(),
            );
        }
        steps
    }

    /// The ways back.
    fn back(&self, from: &str, to: &str) -> Vec<String> {
        let mut ways = Vec::new();
        if self.terraform {
            ways.push(format!(
                "After `init` or `plan` only: go back to {from}. Nothing was written."
            ));
            ways.push(format!("After `refresh` or `apply`, where no schema version changed: go back to {from}, and refresh."));
            ways.push(format!(
                "After `refresh` or `apply`: {from} cannot read that state. Restore the copy, then import, or delete, the objects \
                 created meanwhile."
            ));
        }
        if self.documents {
            ways.push(format!("Documents that {to} has not written: go back to {from}, which reads them as before."));
            ways.push(format!("Documents that it has: {from} refuses them if their version went up. Restore the copy of these."));
        }
        if !self.definitions.is_empty() {
            ways.push(format!(
                "Definitions: apply those of {from}, then its webhook. The server refuses one that lacks a version in which objects may be stored; \
                 stay with {to} then."
            ));
        }
        ways
    }
}

/// The parts that every guide shares.
fn frame(f: &mut fmt::Formatter<'_>, guide: &Guide, from: &str, to: &str) -> fmt::Result {
    let subjects = Subjects::of(guide);
    let announced = if subjects.terraform {
        " Warnings of earlier releases announced most of it; the"
    } else {
        " The"
    };
    writeln!(
        f,
        "This guide covers the upgrade from {from} to {to} only.{announced} changelog has all changes.\n\n## Before you upgrade\n"
    )?;
    for (index, step) in subjects.before(from, to).iter().enumerate() {
        writeln!(f, "{}. {step}", index + 1)?;
    }
    writeln!(f, "\n## If you upgraded by accident\n")?;
    for way in subjects.back(from, to) {
        writeln!(f, "- {way}")?;
    }
    writeln!(f)
}

impl Guide {
    /// The removals of the next release that may break, as Markdown.
    fn planned_markdown(&self) -> String {
        let mut text = String::new();
        if !self.planned.is_empty() {
            text += "## Removed next\n\n";
        }
        for planned in &self.planned {
            let why = planned
                .why
                .as_deref()
                .map_or_else(String::new, |why| format!(" {}", why.trim()));
            // The result is dropped because writing to a string cannot fail.
            let _ = writeln!(
                text,
                "- `{}` in {}: {}{why}",
                planned.place(),
                planned.removal,
                planned.message.trim()
            );
        }
        text
    }

    /// The entries alone, as Markdown.
    #[must_use]
    pub fn entries_markdown(&self) -> String {
        let mut text = String::new();
        let mut resource = "";
        for entry in &self.entries {
            if entry.resource != resource {
                resource = &entry.resource;
                let (title, name) = match &entry.definition {
                    Some(definition) => ("Custom resource", definition.as_str()),
                    None => (entry.kind.title(), entry.kind.bare(resource)),
                };
                let _ = if entry.kind.is_unnamed() {
                    writeln!(text, "## {title}\n")
                } else {
                    writeln!(text, "## {title}: `{name}`\n")
                };
            }
            // The result is dropped because writing to a string cannot fail.
            let _ = write_entry(&mut text, entry);
        }
        text
    }
}

fn write_entry(f: &mut String, entry: &GuideEntry) -> fmt::Result {
    writeln!(f, "### {}\n", entry.heading)?;
    if let Some(why) = entry.note.as_ref().and_then(|note| note.why.as_deref()) {
        writeln!(f, "{}\n", why.trim())?;
    }
    match (&entry.was, &entry.is) {
        (Some(was), Some(is)) => writeln!(f, "It was `{was}`, and is `{is}` now.\n")?,
        (Some(was), None) => writeln!(f, "It was `{was}`.\n")?,
        (None, Some(is)) => writeln!(f, "It is `{is}` now.\n")?,
        (None, None) => {}
    }
    writeln!(f, "**Who is affected:** {}\n", entry.affected)?;
    match entry.steps.as_slice() {
        [] => {}
        [step] => writeln!(f, "**What to do:** {step}\n")?,
        steps => {
            writeln!(f, "**What to do:**\n")?;
            for (index, step) in steps.iter().enumerate() {
                writeln!(f, "{}. {step}", index + 1)?;
            }
            writeln!(f)?;
        }
    }
    if let Some(note) = entry
        .note
        .as_ref()
        .filter(|note| !note.value_map.is_empty())
    {
        writeln!(f, "| before | now |\n|---|---|")?;
        for (before, now) in &note.value_map {
            writeln!(f, "| `{before}` | `{now}` |")?;
        }
        writeln!(f)?;
    }
    let note = entry.note.as_ref();
    let given = |pick: fn(&super::GuideNote) -> Option<&String>| {
        note.and_then(pick).map(|snippet| snippet.trim().to_owned())
    };
    // A snippet of the author replaces both generated ones, since a generated one may not fit it.
    let (before, after) = match (
        given(|note| note.before.as_ref()),
        given(|note| note.after.as_ref()),
    ) {
        (None, None) => entry
            .example
            .clone()
            .map_or((None, None), |(before, after)| (Some(before), Some(after))),
        given => given,
    };
    // A document may have any syntax.
    let language = match (entry.kind == Kind::Document, &entry.definition) {
        (true, Some(_)) => "yaml",
        (true, None) => "text",
        (false, _) => "hcl",
    };
    for (title, snippet) in [("Before", before), ("Now", after)] {
        if let Some(snippet) = snippet {
            writeln!(f, "{title}:\n\n```{language}\n{snippet}\n```\n")?;
        }
    }
    for (title, text) in [
        ("State", &entry.state),
        ("To keep it as it was", &entry.keep),
        ("To prepare", &entry.prepare),
    ] {
        if let Some(text) = text {
            writeln!(f, "**{title}:** {text}\n")?;
        }
    }
    if let Some(extra) = note.and_then(|note| note.extra.as_ref()) {
        writeln!(f, "{}\n", extra.trim())?;
    }
    Ok(())
}
