//! The places that a release hits, for people, for programs and for code scanning.

use std::collections::BTreeSet;
use std::io::{Result, Write};

use serde_json::{Value, json};

use super::super::files::Compared;
use super::super::formats::sarif;
use super::configuration::{Manner, Use};
use super::{Consumers, Effect, Hit};
use crate::terminal::{BOLD, DIM, RED, YELLOW, plain, plural};

/// The version of the form of the JSON.
const FORMAT: u32 = 1;

impl Effect {
    fn name(self) -> &'static str {
        match self {
            Self::Breaks => "breaks",
            Self::MayBreak => "may-break",
            Self::Warns => "warns",
        }
    }

    /// The level of code scanning.
    fn level(self) -> &'static str {
        match self {
            Self::Breaks => "error",
            Self::MayBreak => "warning",
            Self::Warns => "note",
        }
    }
}

/// The use in a sentence: `acme_bucket.logs sets acl`.
fn sentence(used: &Use, hit: &Hit<'_>) -> String {
    let (address, path) = (&used.address, used.path.join("."));
    match &used.manner {
        Manner::Writes(_) if super::leaves_out(hit.finding) => {
            format!(
                "{address} leaves out {}",
                hit.finding.path.replace("[*]", "")
            )
        }
        Manner::Writes(_) => format!("{address} is written"),
        Manner::Sets(_) => format!("{address} sets {path}"),
        Manner::Reads { .. } if path.is_empty() => format!("{address} is used"),
        Manner::Reads { .. } => format!("{address}.{path} is read"),
        Manner::Ignores => format!("{address} ignores changes of {path}"),
        Manner::Calls => format!("{address} is called"),
    }
}

pub(super) fn text(compared: &Compared, consumers: &Consumers, hits: &[Hit<'_>]) -> Result<()> {
    let out = &mut anstream::stdout().lock();
    for hit in hits {
        let (style, word) = match hit.effect {
            Effect::Breaks => (RED, "breaks"),
            Effect::MayBreak => (YELLOW, "may break"),
            Effect::Warns => (YELLOW, "warns"),
        };
        let place = format!("{}:{}:{}", hit.place.file, hit.place.line, hit.place.col);
        writeln!(
            out,
            "{style}{word}{style:#} {BOLD}{}{BOLD:#}: {}",
            plain(&place),
            plain(&sentence(&hit.used, hit))
        )?;
        writeln!(out, "  {}", plain(&hit.heading))?;
        for step in &hit.steps {
            writeln!(out, "  {DIM}-{DIM:#} {}", plain(step))?;
        }
    }
    if !hits.is_empty() {
        writeln!(out)?;
    }
    let release = compared
        .report
        .current
        .as_ref()
        .map_or_else(|| "this release".to_owned(), ToString::to_string);
    let files = plural(consumers.files.len(), "file");
    let folder = consumers.folder.display();
    let hit_files = hits
        .iter()
        .map(|hit| &hit.place.file)
        .collect::<BTreeSet<_>>()
        .len();
    let counts = [Effect::Breaks, Effect::MayBreak, Effect::Warns]
        .map(|effect| {
            (
                effect,
                hits.iter().filter(|hit| hit.effect == effect).count(),
            )
        })
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(effect, count)| match effect {
            Effect::Breaks => format!("{count} that it breaks"),
            Effect::MayBreak => format!("{count} that it may break"),
            Effect::Warns => format!("{count} that it warns about"),
        })
        .collect::<Vec<_>>()
        .join(", ");
    if consumers.files.is_empty() {
        writeln!(out, "There is no Terraform configuration in {folder}.")?;
    } else if hits.is_empty() {
        writeln!(
            out,
            "{release} changes nothing that {files} in {folder} use."
        )?;
    } else {
        let places = plural(hits.len(), "place");
        writeln!(
            out,
            "{release} concerns {places} in {hit_files} of {files} in {folder}: {counts}."
        )?;
    }
    out.flush()
}

pub(super) fn json(compared: &Compared, consumers: &Consumers, hits: &[Hit<'_>]) -> Result<()> {
    let out = &mut std::io::stdout().lock();
    let places: Vec<Value> = hits
        .iter()
        .map(|hit| {
            json!({
                "location": hit.place,
                "effect": hit.effect.name(),
                "use": sentence(&hit.used, hit),
                "address": hit.used.address,
                "resource": hit.finding.resource,
                "kind": hit.finding.kind,
                "path": hit.finding.path,
                "rule": hit.finding.rule.id(),
                "fingerprint": hit.finding.fingerprint,
                "change": hit.heading,
                "steps": hit.steps,
            })
        })
        .collect();
    let count = |effect| hits.iter().filter(|hit| hit.effect == effect).count();
    let document = json!({
        "format": FORMAT,
        "tool": concat!("upstate ", env!("CARGO_PKG_VERSION")),
        "baseline": compared.report.baseline,
        "current": compared.report.current,
        "files": consumers.files.len(),
        "failed": consumers.failed,
        "counts": {
            "breaks": count(Effect::Breaks), "may_break": count(Effect::MayBreak), "warns": count(Effect::Warns),
        },
        "places": places,
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

pub(super) fn sarif(compared: &Compared, _: &Consumers, hits: &[Hit<'_>]) -> Result<()> {
    let results: Vec<Value> = hits
        .iter()
        .map(|hit| {
            let steps = hit.steps.join(" ");
            let text = format!("{}: {}. {steps}", sentence(&hit.used, hit), hit.heading.trim_end_matches('.'));
            json!({
                "ruleId": hit.finding.rule.id(),
                "ruleIndex": sarif::rule_index(hit.finding),
                "level": hit.effect.level(),
                "message": { "text": text.trim_end() },
                "locations": [{
                    "physicalLocation": sarif::physical(&hit.place.file, hit.place.line, Some(hit.place.col)),
                    "logicalLocations": [{ "fullyQualifiedName": hit.used.address }],
                }],
                "properties": { "effect": hit.effect.name() },
            })
        })
        .collect();
    sarif::write(&mut std::io::stdout().lock(), compared, &results)
}
