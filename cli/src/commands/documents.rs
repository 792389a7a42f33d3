//! `plan`, `upgrade` and `downgrade` of documents: files that carry their type and version.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;
use upstate::path::Printable;
use upstate::{AttributePath, DiagnosticCode, Diagnostics, Registry};
use upstate_state::document::{DocumentFileError, FileUpgrade, Format as Documents, Rewrite};
use upstate_state::{Change, DowngradeGoals, Shown};

use crate::format::Format;
use crate::outcome::Outcome;
use crate::program::Program;
use crate::source;
use crate::terminal::{self, DIM, GREEN, RED, YELLOW, plural};

/// The options about files that are not state files.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Documents")]
pub(crate) struct DocumentOptions {
    /// More files; each is a document, with its type and version in it
    #[arg(value_name = "FILE")]
    more: Vec<PathBuf>,
    /// The format of the files (default: by their names; .json and others are state files)
    #[arg(long, value_enum, value_name = "FORMAT")]
    file_format: Option<FileFormat>,
    /// The type of documents that carry none; it is not written into them
    #[arg(long = "type", value_name = "TYPE")]
    type_name: Option<String>,
    /// The name that a type had in earlier releases, and that of today; may be given several times
    #[arg(long = "former-type", value_name = "FORMER=TYPE")]
    former_types: Vec<String>,
    /// The version of documents that carry none
    #[arg(long, value_name = "VERSION")]
    unversioned: Option<u64>,
    /// The member with the version (default: `schema_version`)
    #[arg(long, value_name = "NAME")]
    version_member: Option<String>,
    /// The member with the type (default: type)
    #[arg(long, value_name = "NAME")]
    type_member: Option<String>,
    /// The member with the attributes (default: next to type and version)
    #[arg(long, value_name = "NAME")]
    attributes_member: Option<String>,
    /// Rewrite YAML and lose its comments; a backup keeps the old file
    #[arg(long)]
    discard_comments: bool,
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// A state file of Terraform
    State,
    /// A document in JSON
    Json,
    /// A document in JSON with comments
    Jsonc,
    /// A document in TOML
    Toml,
    /// A document in YAML
    Yaml,
    /// A document in `MessagePack`
    Msgpack,
    /// A document in CBOR
    Cbor,
}

impl FileFormat {
    /// The format that the name of a file says.
    fn of(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("jsonc") => Self::Jsonc,
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") => Self::Yaml,
            Some("msgpack") => Self::Msgpack,
            Some("cbor") => Self::Cbor,
            Some(_) | None => Self::State,
        }
    }

    /// The format, if the program was built to read it.
    #[allow(clippy::unnecessary_wraps, reason = "with fewer features it fails")]
    fn format(self) -> Result<Documents<'static>, &'static str> {
        macro_rules! formats {
            ($($variant:ident $feature:tt $format:ident)*) => {
                match self {
                    Self::State | Self::Json => Ok(Documents::new()),
                    $(
                        #[cfg(feature = $feature)]
                        Self::$variant => Ok(Documents::$format()),
                        #[cfg(not(feature = $feature))]
                        Self::$variant => Err($feature),
                    )*
                }
            };
        }
        formats!(
            Jsonc "jsonc" jsonc
            Toml "toml" toml
            Yaml "yaml" yaml
            Msgpack "msgpack" message_pack
            Cbor "cbor" cbor
        )
    }
}

/// The work on documents.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(crate) struct Work<'g> {
    /// False if nothing is written.
    pub(crate) writes: bool,
    pub(crate) strict: bool,
    /// True if an upgrade may lose values that no schema defines.
    pub(crate) allows_loss: bool,
    pub(crate) detailed_exitcode: bool,
    pub(crate) format: Format,
    /// The goals of a downgrade.
    pub(crate) back: Option<&'g DowngradeGoals>,
}

impl Work<'_> {
    /// The name of what is done to a document.
    const fn done(&self) -> &'static str {
        if self.back.is_some() {
            "downgraded"
        } else {
            "upgraded"
        }
    }

    /// The name of a document that stays as it is.
    const fn stays(&self) -> &'static str {
        if self.back.is_some() {
            "unchanged"
        } else {
            "current"
        }
    }
}

impl DocumentOptions {
    /// True if the first of the files is a document. Several are documents too, because state files
    /// are given one at a time.
    pub(crate) fn are_meant(&self, first: &Path) -> bool {
        let format = self.file_format.unwrap_or_else(|| FileFormat::of(first));
        format != FileFormat::State || !self.more.is_empty()
    }

    /// Upgrades the files, takes them back, or shows what that changes.
    pub(crate) fn run(&self, program: &Program, first: &Path, work: Work<'_>) -> Outcome {
        let files: Vec<&Path> = std::iter::once(first)
            .chain(self.more.iter().map(PathBuf::as_path))
            .collect();
        // All before the first is written, so that a mistake changes nothing.
        let former_types = match self.former_types(program.registry()) {
            Ok(former_types) => former_types,
            Err(outcome) => return outcome,
        };
        let mut formats = Vec::with_capacity(files.len());
        for path in &files {
            match self.of(path, &former_types, work.strict) {
                Ok(format) => formats.push(format),
                Err(outcome) => return outcome,
            }
        }
        let (mut totals, mut rows, mut text) = (Totals::default(), Vec::new(), String::new());
        for (path, format) in files.iter().zip(formats) {
            let format = lines_of(self.typed_as(path, format), path);
            let (registry, type_name) = (program.registry(), self.type_name.as_deref());
            let result = match (work.back, work.writes) {
                (None, true) if work.allows_loss => {
                    format.upgrade_file_with_loss(registry, type_name, *path)
                }
                (None, true) => format.upgrade_file(registry, type_name, *path),
                (None, false) => format.plan_file(registry, type_name, *path),
                (Some(goals), true) => format.downgrade_file(registry, type_name, goals, *path),
                (Some(goals), false) => format.plan_downgrade(registry, type_name, goals, *path),
            };
            totals.add(&result);
            match work.format {
                Format::Text => write_text(&mut text, path, &result, work),
                Format::Json => rows.push(row(path, &result, work)),
            }
        }
        let printed = match work.format {
            Format::Text => {
                let _ = writeln!(text, "{}", totals.sentence(work));
                terminal::printed(anstream::stdout().write_all(text.as_bytes()))
            }
            Format::Json => {
                let whole = json!({"documents": rows, work.done(): totals.outdated, work.stays(): totals.current, "failed": totals.failed,
                        "lost_values": totals.lost});
                terminal::printed(writeln!(
                    std::io::stdout(),
                    "{}",
                    terminal::visible_json(&whole.to_string())
                ))
            }
        };
        match totals.outcome {
            Outcome::Done if work.detailed_exitcode && (totals.lost > 0 || totals.would_lose) => {
                printed.and(Outcome::Losses)
            }
            // Because the upgrade refuses it.
            Outcome::Done if totals.lost > 0 && !work.allows_loss => printed.and(Outcome::Refused),
            Outcome::Done if work.detailed_exitcode && !work.writes && totals.outdated > 0 => {
                printed.and(Outcome::Changes)
            }
            outcome => printed.and(outcome),
        }
    }

    /// The former names of types, each with that of today.
    fn former_types(&self, registry: &Registry) -> Result<Vec<(&str, &str)>, Outcome> {
        let mut pairs = Vec::with_capacity(self.former_types.len());
        for given in &self.former_types {
            let mistake = match given.split_once('=') {
                Some(pair) if registry.get(pair.1).is_some() => {
                    pairs.push(pair);
                    continue;
                }
                Some((_, today)) => format!("this program has no type {today:?}"),
                None => "write --former-type settings=app_settings".to_owned(),
            };
            terminal::fail(&format!(
                "--former-type {given:?} is not a former name and a type of today: {mistake}"
            ));
            return Err(Outcome::Usage);
        }
        Ok(pairs)
    }

    /// The format of a file.
    fn of<'f>(
        &'f self,
        path: &Path,
        former_types: &'f [(&'f str, &'f str)],
        strict: bool,
    ) -> Result<Documents<'f>, Outcome> {
        let file_format = self.file_format.unwrap_or_else(|| FileFormat::of(path));
        let name = source::name(path);
        if file_format == FileFormat::State {
            let by = if self.file_format.is_some() {
                "--file-format"
            } else {
                "its name"
            };
            terminal::fail(&format!(
                "{name} is a state file by {by}, and state files are given one at a time; if it is a document, say which with --file-format"
            ));
            return Err(Outcome::Usage);
        }
        if source::is_dash(path) {
            terminal::fail("documents are rewritten in their files; standard input has none");
            return Err(Outcome::Usage);
        }
        let mut format: Documents<'_> = file_format.format().map_err(|feature| {
            terminal::fail(&format!(
                "{name}: this program does not read this format; its author can build `upstate-cli` with the feature `{feature}`"
            ));
            Outcome::Usage
        })?;
        format = format.former_types(former_types);
        if let Some(version) = self.unversioned {
            format = format.unversioned(version);
        }
        if let Some(member) = &self.version_member {
            format = format.version_member(member);
        }
        if let Some(member) = &self.type_member {
            format = format.type_member(member);
        }
        if let Some(member) = &self.attributes_member {
            format = format.attributes_member(member);
        }
        #[cfg(feature = "yaml")]
        if self.discard_comments {
            format = format.discard_comments();
        }
        Ok(if strict { format.strict() } else { format })
    }

    /// A format that stores no type, if the document has none and its type is given: what reads it
    /// may take a type for one of its values.
    fn typed_as<'f>(&self, path: &Path, format: Documents<'f>) -> Documents<'f> {
        let has_none = |bytes: Vec<u8>| {
            format
                .parse(&bytes)
                .is_ok_and(|parsed| parsed.type_name().is_none())
        };
        // A pipe can be read only once.
        let is_untyped =
            self.type_name.is_some() && path.is_file() && std::fs::read(path).is_ok_and(has_none);
        if is_untyped {
            format.without_type()
        } else {
            format
        }
    }
}

/// A format that keeps a document in lines, if its file has more than one.
fn lines_of<'f>(format: Documents<'f>, path: &Path) -> Documents<'f> {
    // A pipe can be read only once.
    let is_in_lines = path.is_file()
        && std::fs::read(path).is_ok_and(|bytes| bytes.trim_ascii_end().contains(&b'\n'));
    if is_in_lines { format.pretty() } else { format }
}

/// The greatest number of values without a schema that are named, as in the messages about those
/// that would be lost.
const MOST_NAMED: usize = 10;

type Upgraded = Result<Option<FileUpgrade>, DocumentFileError>;

/// The numbers of files by outcome.
#[derive(Debug)]
struct Totals {
    outdated: usize,
    current: usize,
    failed: usize,
    /// The values that no schema defines, and that the upgraded documents would lack.
    lost: usize,
    /// True if an older version cannot hold all of a document, whether or not it may lose that.
    would_lose: bool,
    outcome: Outcome,
}

impl Default for Totals {
    fn default() -> Self {
        Self {
            outdated: 0,
            current: 0,
            failed: 0,
            lost: 0,
            would_lose: false,
            outcome: Outcome::Done,
        }
    }
}

impl Totals {
    fn add(&mut self, result: &Upgraded) {
        match result {
            Ok(Some(upgrade)) => {
                self.outdated += 1;
                self.lost += upgrade.rewrite().lost;
                self.would_lose |= would_lose(&upgrade.rewrite().warnings);
            }
            Ok(None) => self.current += 1,
            Err(error) => {
                self.failed += 1;
                self.would_lose |= error.diagnostics().is_some_and(would_lose);
                let outcome = if error.diagnostics().is_some() {
                    Outcome::Refused
                } else {
                    Outcome::Unreadable
                };
                self.outcome = self.outcome.and(outcome);
            }
        }
    }

    fn sentence(&self, work: Work<'_>) -> String {
        let verb = match (work.writes, work.back) {
            (true, _) => work.done(),
            (false, None) => "to upgrade",
            (false, Some(_)) => "to downgrade",
        };
        let mut sentence = format!(
            "{} {verb}, {} {}",
            plural(self.outdated, "document"),
            self.current,
            work.stays()
        );
        if self.failed > 0 {
            let _ = write!(sentence, ", {} refused and unchanged", self.failed);
        }
        if self.lost > 0 {
            let fate = match (work.writes, work.allows_loss) {
                (true, _) => "lost",
                (false, true) => "would be lost",
                (false, false) => "would be lost, which is refused without --allow-loss",
            };
            let _ = write!(sentence, "; {} {fate}", plural(self.lost, "value"));
        }
        let may_allow = |goals: &DowngradeGoals| !goals.allows_loss() && !goals.is_strict();
        if self.would_lose && work.back.is_some_and(may_allow) {
            sentence.push_str("; --allow-loss drops what the older version cannot hold");
        }
        sentence
    }
}

/// True if one says what a downgrade loses or would lose.
fn would_lose(diagnostics: &Diagnostics) -> bool {
    let code = Some(DiagnosticCode::WouldLose);
    diagnostics.iter().any(|one| one.code() == code)
}

fn write_text(out: &mut String, path: &Path, result: &Upgraded, work: Work<'_>) {
    let name = source::name(path);
    let upgrade = match result {
        Ok(Some(upgrade)) => upgrade,
        Ok(None) => {
            let _ = writeln!(out, "{name}: {DIM}{}{DIM:#}", work.stays());
            return;
        }
        Err(error) => {
            let _ = writeln!(out, "{RED}refused{RED:#}: {}", visible(&error.to_string()));
            return;
        }
    };
    let rewrite = upgrade.rewrite();
    let _ = writeln!(
        out,
        "{name}: {}, {} → {}",
        rewrite.type_name, rewrite.from, rewrite.to
    );
    let column = upgrade
        .changes()
        .iter()
        .map(|change| change.path().to_string().chars().count())
        .max()
        .unwrap_or(0)
        .min(40);
    for change in upgrade.changes() {
        let path = Printable(&change.path().to_string()).to_string();
        let _ = match (change.old(), change.new_value()) {
            (Some(old), Some(new)) => writeln!(
                out,
                "  {YELLOW}~{YELLOW:#} {path:column$}  {} → {}",
                shown(old),
                shown(new)
            ),
            (None, Some(new)) => {
                writeln!(out, "  {GREEN}+{GREEN:#} {path:column$}  {}", shown(new))
            }
            (Some(old), None) => writeln!(out, "  {RED}-{RED:#} {path:column$}  {}", shown(old)),
            (None, None) => Ok(()),
        };
    }
    write_undefined(out, rewrite, work);
    for warning in &rewrite.warnings {
        let text = visible(&warning.to_string());
        // Because it begins with its severity.
        let rest = text.strip_prefix("warning").unwrap_or(&text);
        let _ = writeln!(out, "  {YELLOW}warning{YELLOW:#}{rest}");
    }
    if work.writes {
        let _ = writeln!(
            out,
            "  {DIM}the old file is {}{DIM:#}",
            upgrade.backup_path().display()
        );
    }
}

/// Says which values that no schema defines are kept, and which are lost.
fn write_undefined(out: &mut String, rewrite: &Rewrite, work: Work<'_>) {
    if rewrite.undefined.is_empty() {
        return;
    }
    let fate = if work.writes { "lost" } else { "would be lost" };
    let Some(lost) = rewrite.lost_paths() else {
        let _ = writeln!(
            out,
            "  {DIM}kept in part, though no schema defines it: {}; {} of these values {fate}{DIM:#}",
            named(&rewrite.undefined),
            rewrite.lost
        );
        return;
    };
    let kept = rewrite.undefined.get(lost.len()..).unwrap_or_default();
    if !kept.is_empty() {
        let _ = writeln!(
            out,
            "  {DIM}kept, though no schema defines it: {}{DIM:#}",
            named(kept)
        );
    }
    if !lost.is_empty() {
        let _ = writeln!(
            out,
            "  {RED}{fate}{RED:#}, because no schema defines it: {}",
            named(lost)
        );
    }
}

/// The first of the paths, and the number of the others.
fn named(paths: &[AttributePath]) -> String {
    let named: Vec<String> = paths
        .iter()
        .take(MOST_NAMED)
        .map(|path| Printable(&path.to_string()).to_string())
        .collect();
    match paths.len() - named.len() {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Lines of a message that cannot control a terminal.
fn visible(message: &str) -> String {
    message
        .lines()
        .map(|line| Printable(line).to_string())
        .collect::<Vec<_>>()
        .join("\n  ")
}

fn shown(value: &Shown) -> String {
    const LONGEST: usize = 80;
    match value {
        Shown::Hidden => format!("{DIM}(sensitive value){DIM:#}"),
        Shown::Undefined => format!("{DIM}(not shown: not in the schema){DIM:#}"),
        Shown::Json(json) if json.chars().count() > LONGEST => {
            let cut: String = json.chars().take(LONGEST).collect();
            format!("{}…", Printable(&cut))
        }
        Shown::Json(json) => Printable(json).to_string(),
    }
}

fn row(path: &Path, result: &Upgraded, work: Work<'_>) -> serde_json::Value {
    let file = path.display().to_string();
    match result {
        Ok(None) => json!({"file": file, "outcome": work.stays()}),
        Err(error) => {
            json!({"file": file, "outcome": "failed", "error": error.to_string(), "diagnostics": error.diagnostics()})
        }
        Ok(Some(upgrade)) => {
            let rewrite = upgrade.rewrite();
            let changes: &[Change] = upgrade.changes();
            let texts = |paths: &[AttributePath]| -> Vec<String> {
                paths.iter().map(ToString::to_string).collect()
            };
            let mut row = json!({
                "file": file, "outcome": work.done(), "type_name": rewrite.type_name, "from": rewrite.from, "to": rewrite.to,
                "changes": changes, "diagnostics": rewrite.warnings,
                "undefined": texts(&rewrite.undefined), "lost": rewrite.lost_paths().map(texts), "lost_values": rewrite.lost,
            });
            if let (true, Some(row)) = (work.writes, row.as_object_mut()) {
                row.insert(
                    "backup".to_owned(),
                    upgrade.backup_path().display().to_string().into(),
                );
            }
            row
        }
    }
}
