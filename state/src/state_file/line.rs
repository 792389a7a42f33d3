//! One stored state in a line of its own.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;
use upstate::__internal::{Kind, write_string};
use upstate::codec::Encoding;
use upstate::upgrade::PreparedUpgrade;
use upstate::{
    AttributePath, Diagnostic, DiagnosticCode, Diagnostics, Registry, Severity, UpgradeRequest,
};

use super::options::UpgradeFunction;
use super::piece::undefined_values;
use super::record::{base64_encoded, flat_attributes, flat_map};
use super::scan::{Scanned, Scanner, Slot};

pub(super) enum Fate {
    /// With values left out that no schema defines, if it says so.
    Upgraded {
        leaves_out: bool,
    },
    Current,
    Unknown,
    Failed,
    Blank,
}

/// The contents of a line.
#[derive(Default)]
struct Stored<'t> {
    type_name: Option<Cow<'t, str>>,
    version: u64,
    version_range: Option<Range<usize>>,
    attributes: Option<Slot>,
    flat: Option<Slot>,
    /// The byte ranges of the members `error` and `not_kept`, which go, with their commas.
    errors: Vec<Range<usize>>,
    /// True if the line has a member other than `error` and `not_kept`.
    has_others: bool,
    /// Behind the opening brace.
    inside: usize,
    /// True if all that is left of the line was taken for the attributes, without a look at where
    /// they end.
    is_guess: bool,
}

/// Upgrades the attributes of lines.
pub(super) struct Engine<'r> {
    registry: &'r Registry,
    /// The function that answers in place of the registry.
    upgrade: Option<UpgradeFunction<'r>>,
    /// That of the last line. Lines of one type and version often stand together.
    prepared: Option<PreparedUpgrade<'r>>,
    /// The version that it goes to, as it is written.
    to: String,
    /// Refuses what no schema defines, and lines of the current version that their schema does not
    /// take.
    strict: bool,
}

/// Values of a line that no schema defines: their names, and their number.
type Undefined = (Vec<AttributePath>, usize);

impl<'r> Engine<'r> {
    pub(super) fn new(
        registry: &'r Registry,
        upgrade: Option<UpgradeFunction<'r>>,
        strict: bool,
    ) -> Self {
        Self {
            registry,
            upgrade,
            prepared: None,
            to: String::new(),
            strict,
        }
    }

    /// The upgrade of this type and version, if the registry is to answer for it.
    fn prepare(&mut self, type_name: &str, version: u64) -> Option<PreparedUpgrade<'r>> {
        if self.prepared.is_none_or(|last| {
            last.version() != version || last.definition().type_name() != type_name
        }) {
            self.prepared = self.registry.prepare(type_name, version);
            self.to = self
                .prepared
                .map(|prepared| prepared.definition().version().to_string())
                .unwrap_or_default();
        }
        // Nothing else answers for operators than the registry.
        self.prepared
            .filter(|prepared| self.upgrade.is_none() || prepared.is_by_operators())
    }

    /// Appends the upgraded attributes of a line, and returns what they leave out.
    fn upgrade(
        &mut self,
        text: &str,
        type_name: &str,
        stored: &Stored<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Undefined, Diagnostics> {
        let version = stored.version;
        let json = stored
            .attributes
            .as_ref()
            .map(|slot| text.get(slot.range.clone()).unwrap_or_default());
        if let Some(json) = json
            && let Some(prepared) = self.prepare(type_name, version)
        {
            let notes = prepared.upgrade_into(json, Encoding::Json, out)?;
            return self.allowed((notes.undefined().to_vec(), notes.undefined_count()));
        }
        let answer = |request: &UpgradeRequest<'_>| match self.upgrade {
            Some(upgrade) => upgrade(request),
            None => self.registry.upgrade(request),
        };
        let response = match (json, &stored.flat) {
            (Some(json), _) => answer(&UpgradeRequest::json(type_name, version, json.as_bytes())),
            (None, flat) => {
                let flat = flat
                    .as_ref()
                    .and_then(|slot| text.get(slot.range.clone()))
                    .unwrap_or_default();
                answer(&UpgradeRequest::flatmap(
                    type_name,
                    version,
                    &flat_map(flat),
                ))
            }
        };
        match response.state() {
            Some(new) => out.extend_from_slice(new),
            None => return Err(response.diagnostics().clone()),
        }
        self.allowed((response.undefined().to_vec(), response.undefined_count()))
    }

    fn allowed(&self, (undefined, count): Undefined) -> Result<Undefined, Diagnostics> {
        if self.strict && count > 0 {
            Err(undefined_values(&undefined, count).into())
        } else {
            Ok((undefined, count))
        }
    }
}

pub(super) fn upgrade_line(
    engine: &mut Engine<'_>,
    bytes: &[u8],
    number: usize,
    out: &mut Vec<u8>,
) -> Fate {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => upgrade_text(engine, text, number, out),
        Err(error) => {
            let detail = format!(
                "The line is not UTF-8 from byte {} on.",
                error.valid_up_to()
            );
            begin_line(
                number,
                &Diagnostic::error("Line Not Readable", detail).coded(DiagnosticCode::Syntax),
                out,
            );
            out.extend_from_slice(b",\"input_base64\":\"");
            out.extend_from_slice(base64_encoded(body).as_bytes());
            out.extend_from_slice(b"\"}\n");
            Fate::Failed
        }
    }
}

/// Upgrades a line that is text, its line break included.
pub(super) fn upgrade_text(
    engine: &mut Engine<'_>,
    line: &str,
    number: usize,
    out: &mut Vec<u8>,
) -> Fate {
    let text = line.strip_suffix('\n').unwrap_or(line);
    if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
        out.extend_from_slice(line.as_bytes());
        return Fate::Blank;
    }
    if let Some(leaves_out) = upgrade_at_once(engine, text, out) {
        return Fate::Upgraded { leaves_out };
    }
    let mut scanner = Scanner::new(text);
    let stored = match read(&mut scanner, false) {
        Ok(Some(stored)) if scanner.problems.is_empty() => stored,
        Ok(stored) => {
            let problems: Vec<&str> = scanner
                .problems
                .iter()
                .map(|problem| problem.message.as_str())
                .collect();
            let diagnostic = Diagnostic::error("Line Not Readable", sentence(&problems.join("; ")))
                .coded(DiagnosticCode::Syntax);
            match stored {
                Some(stored) => add_error(text, &stored, &Errors::one(&diagnostic), out),
                None => replace_line(number, text, &diagnostic, out),
            }
            return Fate::Failed;
        }
        Err(error) => {
            let detail = sentence(&format!("{} (byte {})", error.problem(), error.offset()));
            replace_line(
                number,
                text,
                &Diagnostic::error("Line Not Readable", detail).coded(DiagnosticCode::Syntax),
                out,
            );
            return Fate::Failed;
        }
    };
    let type_name = stored.type_name.as_deref().unwrap_or_default();
    let Some(definition) = engine.registry.get(type_name) else {
        write_unchanged(text, &stored, out);
        return Fate::Unknown;
    };
    if stored.version == definition.version() && stored.attributes.is_some() {
        if engine.strict
            && let Err(diagnostics) = engine.upgrade(text, type_name, &stored, &mut Vec::new())
        {
            add_error(text, &stored, &Errors::all(&diagnostics), out);
            return Fate::Failed;
        }
        write_unchanged(text, &stored, out);
        return Fate::Current;
    }
    let start = out.len();
    let edits = edits(&stored, definition.version());
    let mut undefined = Undefined::default();
    let edited = write_edited(text, &stored, edits, out, |out| {
        undefined = engine.upgrade(text, type_name, &stored, out)?;
        Ok(())
    });
    match edited {
        Ok(()) => {
            let leaves_out = undefined.1 > 0;
            if leaves_out {
                // Behind the last member, before the brace and the line break.
                let close = out
                    .iter()
                    .rposition(|byte| *byte == b'}')
                    .unwrap_or(out.len());
                let rest = out.split_off(close);
                write_not_kept(&undefined, out);
                out.extend_from_slice(&rest);
            }
            Fate::Upgraded { leaves_out }
        }
        Err(diagnostics) => {
            out.truncate(start);
            add_error(text, &stored, &Errors::all(&diagnostics), out);
            Fate::Failed
        }
    }
}

/// Upgrades a line whose attributes come last, without a look at where they end: as most programs
/// write them. `None` if the line is another, or has something wrong with it; then nothing was
/// written.
fn upgrade_at_once(engine: &mut Engine<'_>, text: &str, out: &mut Vec<u8>) -> Option<bool> {
    if !text.ends_with("}}") {
        return None;
    }
    let mut scanner = Scanner::new(text);
    let stored = read(&mut scanner, true)
        .ok()?
        .filter(|stored| stored.is_guess && scanner.problems.is_empty())?;
    let type_name = stored.type_name.as_deref()?;
    // If the attributes are more than one object of JSON, this refuses them.
    let prepared = engine
        .prepare(type_name, stored.version)
        .filter(PreparedUpgrade::reads_all)?;
    let to = prepared.definition().version();
    if stored.version == to {
        return None;
    }
    let slot = stored.attributes.as_ref()?;
    let json = text.get(slot.range.clone())?;
    // The version comes before the attributes, if at all.
    let (before, between) = match &stored.version_range {
        Some(range) => (
            text.get(..range.start)?,
            text.get(range.end..slot.range.start)?,
        ),
        None => (
            text.get(..slot.name_at)?,
            text.get(slot.name_at..slot.range.start)?,
        ),
    };
    let start = out.len();
    out.extend_from_slice(before.as_bytes());
    if stored.version_range.is_some() {
        out.extend_from_slice(engine.to.as_bytes());
    } else {
        out.extend_from_slice(b"\"schema_version\":");
        out.extend_from_slice(engine.to.as_bytes());
        out.push(b',');
    }
    out.extend_from_slice(between.as_bytes());
    let notes = prepared.upgrade_into(json, Encoding::Json, out).ok();
    let Some(notes) = notes.filter(|notes| !engine.strict || notes.undefined_count() == 0) else {
        out.truncate(start);
        return None;
    };
    let leaves_out = notes.undefined_count() > 0;
    if leaves_out {
        write_not_kept(&(notes.undefined().to_vec(), notes.undefined_count()), out);
    }
    out.extend_from_slice(b"}\n");
    Some(leaves_out)
}

/// Reads a line. If it is to be guessed, and attributes are an object behind what says whose they
/// are, all that is left of the line but for the last brace is taken for them.
fn read<'t>(scanner: &mut Scanner<'t>, guess: bool) -> Scanned<Option<Stored<'t>>> {
    let mut stored = Stored::default();
    let start = scanner.start()?;
    let mut first = true;
    if !scanner.is(Kind::Object, "a line")? {
        return Ok(None);
    }
    scanner.reader.open_object()?;
    // The offset behind the last member. `error` and `not_kept` are cut from there if a member
    // before them stays, so that the comma goes with them.
    let mut behind = start + 1;
    while let Some(name) = scanner.reader.next_member(first)? {
        first = false;
        let name_at = scanner.reader.name_position();
        match &*name {
            "type_name" => stored.type_name = Some(scanner.text("`type_name`")?.0),
            "schema_version" => {
                if let Some((version, range)) = scanner.unsigned_or_null("`schema_version`")? {
                    (stored.version, stored.version_range) = (version, Some(range));
                }
            }
            "attributes" => {
                let found = scanner.reader.peek()?;
                if guess {
                    let range =
                        scanner.reader.position()..scanner.reader.text().len().saturating_sub(1);
                    let without_errors =
                        stored.errors.is_empty() && (stored.has_others || behind == start + 1);
                    stored.is_guess = found == Kind::Object && without_errors;
                    stored.attributes = Some(Slot {
                        name_at,
                        range,
                        is_json: false,
                    });
                    stored.inside = start + 1;
                    return Ok(Some(stored));
                }
                let slot = scanner.slot()?;
                if found != Kind::Object {
                    scanner.secret_problem(
                        slot.range.clone(),
                        format!("`attributes` must be an object, found {}", found.noun()),
                    );
                }
                stored.attributes = Some(slot);
            }
            "attributes_flat" => {
                let from = scanner.start()?;
                let there = scanner.reader.peek()? != Kind::Null;
                flat_attributes(scanner, |_, _| {})?;
                stored.flat = there.then(|| Slot {
                    name_at,
                    range: from..scanner.reader.position(),
                    is_json: true,
                });
            }
            "error" | "not_kept" => {
                scanner.reader.skip()?;
                // With the comma before it. A member with no kept member before it goes once the
                // next member is known.
                if stored.has_others {
                    stored.errors.push(behind..scanner.reader.position());
                }
                behind = scanner.reader.position();
                continue;
            }
            _ => scanner.reader.skip()?,
        }
        if !stored.has_others && behind > start + 1 {
            // Up to the next name, so that the comma behind the errors goes with them.
            stored.errors.push(start + 1..name_at);
        }
        stored.has_others = true;
        behind = scanner.reader.position();
    }
    if !stored.has_others && behind > start + 1 {
        stored.errors.push(start + 1..behind);
    }
    stored.inside = start + 1;
    scanner.reader.end()?;
    if stored.type_name.as_deref().unwrap_or_default().is_empty() {
        scanner.problem(
            start..start + 1,
            "the line has no `type_name`, so its type is unknown",
        );
    }
    if stored.attributes.is_none() && stored.flat.is_none() {
        scanner.problem(start..start + 1, "the line has no `attributes`");
    }
    Ok(Some(stored))
}

/// The text that takes the place of a part of a line.
enum New {
    /// The new attributes.
    Attributes,
    /// A member of them.
    AttributesMember,
    /// The current version.
    Version(u64),
    /// A member of it, before others.
    VersionMember(u64),
    Nothing,
}

fn edits(stored: &Stored<'_>, to: u64) -> Vec<(Range<usize>, New)> {
    let mut edits = Vec::with_capacity(3);
    let name_at = match (&stored.attributes, &stored.flat) {
        (Some(slot), _) => {
            edits.push((slot.range.clone(), New::Attributes));
            slot.name_at
        }
        (None, Some(slot)) => {
            edits.push((slot.name_at..slot.range.end, New::AttributesMember));
            slot.name_at
        }
        (None, None) => stored.inside,
    };
    match &stored.version_range {
        Some(range) => edits.push((range.clone(), New::Version(to))),
        None => edits.push((name_at..name_at, New::VersionMember(to))),
    }
    edits
}

/// Writes the line with these changes, and without errors of an earlier run.
fn write_edited(
    text: &str,
    stored: &Stored<'_>,
    mut edits: Vec<(Range<usize>, New)>,
    out: &mut Vec<u8>,
    mut attributes: impl FnMut(&mut Vec<u8>) -> Result<(), Diagnostics>,
) -> Result<(), Diagnostics> {
    let bytes = text.as_bytes();
    edits.extend(
        stored
            .errors
            .iter()
            .map(|error| (error.clone(), New::Nothing)),
    );
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut copied = 0;
    for (range, new) in edits {
        out.extend_from_slice(bytes.get(copied..range.start).unwrap_or_default());
        match new {
            New::Attributes => attributes(out)?,
            New::AttributesMember => {
                out.extend_from_slice(b"\"attributes\":");
                attributes(out)?;
            }
            New::Version(to) => out.extend_from_slice(to.to_string().as_bytes()),
            New::VersionMember(to) => {
                out.extend_from_slice(format!("\"schema_version\":{to},").as_bytes());
            }
            New::Nothing => {}
        }
        copied = range.end;
    }
    out.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    out.push(b'\n');
    Ok(())
}

/// Writes the line as it is, without errors of an earlier run.
fn write_unchanged(text: &str, stored: &Stored<'_>, out: &mut Vec<u8>) {
    // Without new attributes nothing can fail.
    let _ = write_edited(text, stored, Vec::new(), out, |_| Ok(()));
}

/// Writes the line as it is, with an error at its end.
fn add_error(text: &str, stored: &Stored<'_>, errors: &Errors<'_>, out: &mut Vec<u8>) {
    let mut edited = Vec::new();
    write_unchanged(text, stored, &mut edited);
    edited.pop();
    // The last brace closes the object, because at most white space is behind it.
    let close = edited
        .iter()
        .rposition(|byte| *byte == b'}')
        .unwrap_or(edited.len());
    let rest = edited.split_off(close);
    out.append(&mut edited);
    if stored.has_others {
        out.push(b',');
    }
    out.extend_from_slice(b"\"error\":");
    write_error(errors, out);
    out.extend_from_slice(&rest);
    out.push(b'\n');
}

/// Writes an object in place of a line that is none.
fn replace_line(number: usize, text: &str, diagnostic: &Diagnostic, out: &mut Vec<u8>) {
    begin_line(number, diagnostic, out);
    out.extend_from_slice(b",\"input\":");
    write_string(text, out);
    out.extend_from_slice(b"}\n");
}

pub(super) fn begin_line(number: usize, diagnostic: &Diagnostic, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{{\"line\":{number},\"error\":").as_bytes());
    write_error(&Errors::one(diagnostic), out);
}

/// The errors of a line: a diagnostic, which holds the others, so that `error` is all that a later
/// run takes away.
#[derive(Serialize)]
struct Errors<'d> {
    #[serde(flatten)]
    first: Cow<'d, Diagnostic>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<&'d Diagnostic>,
}

impl<'d> Errors<'d> {
    fn one(diagnostic: &'d Diagnostic) -> Self {
        Self {
            first: Cow::Borrowed(diagnostic),
            more: Vec::new(),
        }
    }

    fn all(diagnostics: &'d Diagnostics) -> Self {
        let mut errors = diagnostics
            .iter()
            .filter(|one| one.severity() == Severity::Error);
        let without = || Cow::Owned(Diagnostic::error("Unable to Upgrade Resource State", ""));
        Self {
            first: errors.next().map_or_else(without, Cow::Borrowed),
            more: errors.collect(),
        }
    }
}

fn write_error(errors: &Errors<'_>, out: &mut Vec<u8>) {
    // Ignored, because neither memory nor strings fail to be written.
    let _ = serde_json::to_writer(out, errors);
}

/// Writes the member that names what a line leaves out, with their number if there are more than it
/// names.
fn write_not_kept((undefined, count): &Undefined, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"not_kept\":[");
    for (index, path) in undefined.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_string(&path.to_string(), out);
    }
    if *count > undefined.len() {
        out.push(b',');
        write_string(&format!("and {} more", count - undefined.len()), out);
    }
    out.push(b']');
}

/// A problem as a sentence of its own.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(char::to_uppercase);
    format!(
        "{}{}.",
        first.into_iter().flatten().collect::<String>(),
        characters.as_str()
    )
}
