//! `check --consumers`: who is hit by what a release changes, in Terraform configurations.
//!
//! Configurations do not say which release of a provider's schema a value came from, so a place is
//! found by names alone: the type, and the path in it. References through modules, locals and
//! variables are not followed.

mod configuration;
mod json;
mod print;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use upstate_compat::{
    AttributeSnapshot, Axis, BlockSnapshot, Finding, Guide, Kind, Level, Nesting, Snapshot,
};

use self::configuration::{Manner, Use};
use super::files::{Compared, compared};
use super::sources::Place;
use super::{Check, Failure, Format};
use crate::outcome::Outcome;
use crate::program::Program;
use crate::terminal;

/// The ends of the names of configurations in Terraform's own syntax.
const HCL: [&str; 3] = [".tf", ".tftest.hcl", ".tfquery.hcl"];
/// The ends of the names of configurations in its JSON syntax.
const JSON: [&str; 3] = [".tf.json", ".tftest.json", ".tfquery.json"];

/// The effect of a release on a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    /// It stops working, or plans something that nobody asked for.
    Breaks,
    /// It may.
    MayBreak,
    /// It works, with a warning.
    Warns,
}

/// A place that a release hits, and by what.
struct Hit<'c> {
    place: Place,
    used: Use,
    finding: &'c Finding,
    effect: Effect,
    /// The change in the words of the guide, and what its user has to do.
    heading: String,
    steps: Vec<String>,
}

/// The configurations below a folder.
#[derive(Default)]
struct Consumers {
    folder: PathBuf,
    files: Vec<(PathBuf, String)>,
    /// Files that could not be read.
    failed: usize,
}

pub(super) fn check(program: &Program, args: &Check, folder: &Path) -> Result<Outcome, Failure> {
    let print = match args.format {
        Format::Text => print::text,
        Format::Json => print::json,
        Format::Sarif => print::sarif,
        Format::Jsonl | Format::Junit | Format::Github | Format::Gitlab | Format::Markdown => {
            return Err(Failure::usage("--consumers prints text, json or sarif"));
        }
    };
    let compared = compared(program, &args.place, args.against.as_deref())?;
    let mut consumers = Consumers {
        folder: folder.to_owned(),
        ..Consumers::default()
    };
    consumers.read(folder)?;
    let hits = consumers.hits(&compared);
    let printed = terminal::printed(print(&compared, &consumers, &hits));
    let outcome = match hits.iter().map(|hit| hit.effect).min() {
        _ if consumers.failed > 0 => Outcome::Unreadable,
        Some(Effect::Breaks) => Outcome::Refused,
        Some(Effect::MayBreak | Effect::Warns) | None => Outcome::Done,
    };
    Ok(printed.and(outcome))
}

impl Consumers {
    /// Reads the configurations below a folder, in the order of their names; what is hidden, such
    /// as `.terraform`, is left out.
    fn read(&mut self, folder: &Path) -> Result<(), Failure> {
        let unreadable = |path: &Path, error| {
            Failure::unreadable(format!("cannot read {}: {error}", path.display()))
        };
        let entries = std::fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
        let mut paths = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(folder, error))?;
            let kind = entry
                .file_type()
                .map_err(|error| unreadable(&entry.path(), error))?;
            if !entry.file_name().to_string_lossy().starts_with('.') {
                paths.push((entry.path(), kind));
            }
        }
        paths.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (path, kind) in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if kind.is_dir() {
                self.read(&path)?;
            } else if HCL.iter().chain(&JSON).any(|end| name.ends_with(end)) && is_file(&path, kind)
            {
                match std::fs::read_to_string(&path) {
                    Ok(text) => self.files.push((
                        path,
                        text.strip_prefix('\u{feff}')
                            .map(str::to_owned)
                            .unwrap_or(text),
                    )),
                    Err(error) => self.fail(&format!("cannot read {}: {error}", path.display())),
                }
            }
        }
        Ok(())
    }

    fn fail(&mut self, message: &str) {
        terminal::fail(message);
        self.failed += 1;
    }

    fn hits<'c>(&mut self, compared: &'c Compared) -> Vec<Hit<'c>> {
        let guide = Guide::new(&compared.report, &compared.notes);
        let guide: BTreeMap<&str, (&str, &[String])> = guide
            .entries
            .iter()
            .map(|entry| {
                (
                    entry.fingerprint.as_str(),
                    (entry.heading.as_str(), entry.steps.as_slice()),
                )
            })
            .collect();
        let names = Names::of(&[&compared.released, &compared.served]);
        let mut findings: BTreeMap<(&str, &str), Vec<(&Finding, Effect)>> = BTreeMap::new();
        for finding in &compared.report.findings {
            if let Some(effect) = effect(finding) {
                findings
                    .entry((finding.kind.name(), finding.kind.bare(&finding.resource)))
                    .or_default()
                    .push((finding, effect));
            }
        }
        let mut hits = Vec::new();
        for (path, text) in std::mem::take(&mut self.files) {
            let lines = Lines::of(&text);
            let is_map = |kind: Kind, name: &str, path: &str| {
                names
                    .maps
                    .contains(&(kind.name(), name.to_owned(), path.to_owned()))
            };
            let uses = if JSON.iter().any(|end| path.to_string_lossy().ends_with(end)) {
                json::uses(&text, &is_map)
                    .map_err(|fault| (lines.position(&text, fault.at), fault.message))
            } else {
                // The parser's own display quotes the line, which may hold a secret.
                let body = hcl_edit::parser::parse_body(&text);
                let body = body.map_err(|error| {
                    (
                        (error.location().line(), error.location().column()),
                        error.message().to_owned(),
                    )
                });
                body.map(|body| configuration::uses(&body, &is_map))
            };
            let uses = match uses {
                Ok(uses) => uses,
                Err(((line, col), why)) => {
                    self.fail(&format!(
                        "{}:{line}:{col}: this is not a Terraform configuration: {why}",
                        path.display()
                    ));
                    continue;
                }
            };
            for used in uses {
                let Some(name) = names.provider_less(&used) else {
                    continue;
                };
                for &(finding, effect) in findings
                    .get(&(used.kind.name(), name))
                    .into_iter()
                    .flatten()
                {
                    if !is_hit(finding, &used) {
                        continue;
                    }
                    let (line, col) = lines.position(&text, used.span.start);
                    let (heading, steps) = guide.get(finding.fingerprint.as_str()).map_or_else(
                        || (finding.headline(), finding.new.iter().cloned().collect()),
                        |(heading, steps)| ((*heading).to_owned(), steps.to_vec()),
                    );
                    let place = Place {
                        file: path.to_string_lossy().replace('\\', "/"),
                        line,
                        col,
                    };
                    hits.push(Hit {
                        place,
                        used: used.clone(),
                        finding,
                        effect,
                        heading,
                        steps,
                    });
                }
            }
            self.files.push((path, text));
        }
        hits
    }
}

/// True for a file, also behind a link, which Terraform reads, too. Folders behind links are left
/// out, since they may lead back.
fn is_file(path: &Path, kind: std::fs::FileType) -> bool {
    kind.is_file() || kind.is_symlink() && path.is_file()
}

/// The effect of a finding on those who use what changed; nothing if a configuration cannot show
/// who is hit.
fn effect(finding: &Finding) -> Option<Effect> {
    if is_deprecation(finding) {
        return Some(Effect::Warns);
    }
    let concerns = |axis| finding.axes.contains(&axis);
    if !(concerns(Axis::Config) || concerns(Axis::Reference) || leaves_out(finding)) {
        return None;
    }
    match finding.level {
        Level::Breaking => Some(Effect::Breaks),
        Level::Potential => Some(Effect::MayBreak),
        Level::Safe | Level::Info | Level::Warning | Level::Error => None,
    }
}

fn is_deprecation(finding: &Finding) -> bool {
    matches!(
        finding.rule.id(),
        "deprecation-added" | "resource-deprecated"
    )
}

/// True if it hits who leaves something out.
fn leaves_out(finding: &Finding) -> bool {
    matches!(
        finding.rule.id(),
        "attribute-added-required"
            | "attribute-optional-to-required"
            | "attribute-computed-to-required"
            | "block-added-required"
            | "attribute-added-default"
            | "attribute-added-force-new-default"
            | "attribute-computed-removed"
            | "default-added"
            | "default-changed"
            | "default-removed"
    )
}

fn is_hit(finding: &Finding, used: &Use) -> bool {
    let plain = finding.path.replace("[*]", "");
    let path: Vec<&str> = plain.split('.').filter(|name| !name.is_empty()).collect();
    let concerns = |axis| finding.axes.contains(&axis);
    let is_deprecation = is_deprecation(finding);
    if leaves_out(finding) {
        let Some((last, parent)) = path.split_last() else {
            return false;
        };
        return matches!(&used.manner, Manner::Writes(members) if used.path == parent && !members.contains(*last));
    }
    match &used.manner {
        // An object counts once, for what is about all of it.
        Manner::Writes(_) => {
            path.is_empty() && used.path.is_empty() && (concerns(Axis::Config) || is_deprecation)
        }
        Manner::Calls => concerns(Axis::Config) || is_deprecation,
        Manner::Sets(literal) => {
            // A list may be written where a set is asked for.
            let may_be_written = finding.rule.id() == "list-to-set";
            let is_it = !path.is_empty()
                && used.path == path
                && (concerns(Axis::Config) && !may_be_written || is_deprecation);
            let removed_value = finding.old.as_deref().map(|value| value.trim_matches('"'));
            is_it
                && (finding.rule.id() != "enum-value-removed"
                    || literal.as_deref() == removed_value)
        }
        Manner::Ignores => {
            let is_gone = matches!(
                finding.rule.id(),
                "attribute-removed" | "attribute-renamed" | "attribute-moved"
            );
            is_gone && !path.is_empty() && starts_with(&used.path, &path)
        }
        Manner::Reads { by_number } => {
            // A set has no elements by number; all else of it reads as before.
            let is_read = *by_number || finding.rule.id() != "list-to-set";
            is_read
                && (concerns(Axis::Reference) || is_deprecation)
                && starts_with(&used.path, &path)
        }
    }
}

fn starts_with(used: &[String], path: &[&str]) -> bool {
    used.len() >= path.len() && used.iter().zip(path).all(|(used, name)| used == name)
}

/// The names by which configurations know what the provider serves.
struct Names {
    /// The provider's own, by the first word of its types.
    providers: BTreeSet<String>,
    /// The maps of nested objects: kind, name, path.
    maps: BTreeSet<(&'static str, String, String)>,
}

impl Names {
    fn of(snapshots: &[&Snapshot]) -> Self {
        let mut names = Self {
            providers: BTreeSet::new(),
            maps: BTreeSet::new(),
        };
        for (key, resource) in snapshots.iter().flat_map(|snapshot| &snapshot.resources) {
            let kind = Kind::of(resource);
            let name = kind.bare(key);
            if !matches!(kind, Kind::Provider | Kind::ProviderMeta | Kind::Function) {
                names
                    .providers
                    .insert(name.split('_').next().unwrap_or(name).to_owned());
            }
            names.attributes(kind, name, "", &resource.attributes);
            names.blocks(kind, name, "", &resource.blocks);
        }
        names
    }

    fn attributes(
        &mut self,
        kind: Kind,
        name: &str,
        above: &str,
        attributes: &BTreeMap<String, AttributeSnapshot>,
    ) {
        for (attribute, nested) in attributes
            .iter()
            .filter_map(|(name, attribute)| Some((name, attribute.nested.as_ref()?)))
        {
            let path = format!("{above}{attribute}");
            self.attributes(kind, name, &format!("{path}."), &nested.attributes);
            if nested.mode == Nesting::Map {
                self.maps.insert((kind.name(), name.to_owned(), path));
            }
        }
    }

    fn blocks(
        &mut self,
        kind: Kind,
        name: &str,
        above: &str,
        blocks: &BTreeMap<String, BlockSnapshot>,
    ) {
        for (block, nested) in blocks {
            let path = format!("{above}{block}.");
            self.attributes(kind, name, &path, &nested.attributes);
            self.blocks(kind, name, &path, &nested.blocks);
        }
    }

    /// The name by which findings know what is used; nothing if it is another provider's.
    fn provider_less<'u>(&self, used: &'u Use) -> Option<&'u str> {
        let is_ours = |name: &str| self.providers.is_empty() || self.providers.contains(name);
        match used.kind {
            Kind::Function => used
                .name
                .split_once("::")
                .filter(|(provider, _)| is_ours(provider))
                .map(|(_, name)| name),
            Kind::Provider | Kind::ProviderMeta => is_ours(&used.name).then(|| used.kind.name()),
            Kind::Managed | Kind::Data | Kind::Ephemeral | Kind::List | Kind::Action => {
                Some(&used.name)
            }
            Kind::Document => None,
        }
    }
}

/// The offsets at which the lines of a file begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(
            std::iter::once(0)
                .chain(text.match_indices('\n').map(|(at, _)| at + 1))
                .collect(),
        )
    }

    /// The line and the column of a byte, both from 1; columns count characters.
    fn position(&self, text: &str, at: usize) -> (usize, usize) {
        let line = self.0.partition_point(|begin| *begin <= at);
        let begin = line
            .checked_sub(1)
            .and_then(|line| self.0.get(line))
            .copied()
            .unwrap_or(0);
        (
            line,
            text.get(begin..at)
                .map_or(1, |before| before.chars().count() + 1),
        )
    }
}
