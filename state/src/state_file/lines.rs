//! Stored states one a line: what database dumps and distributed engines pipe through.
//!
//! A line is a JSON object with `type_name`, `schema_version` and `attributes`, and any other members.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::num::NonZeroUsize;
use std::ops::Range;

use upstate::__internal::{Kind, write_string};
use upstate::codec::Encoding;
use upstate::upgrade::PreparedUpgrade;
use upstate::{Diagnostic, Diagnostics, Registry, Severity, UpgradeRequest, UpgradeResponse};

use super::parallel::{Buffers, in_order};
use super::record::{base64_encoded, base64_writer, flat_attributes, flat_map};
use super::scan::{Scanned, Scanner, Slot};
use super::upgrade::UpgradedBy;

/// A line longer than this is refused, so that memory stays bounded.
const LONGEST_LINE: usize = 64 << 20;
/// About so many bytes are read before they are upgraded.
const BATCH: usize = 4 << 20;
/// About so many bytes are upgraded in one go.
const PIECE: usize = 64 << 10;

/// How many lines met which end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineTotals {
    /// Brought to the current version.
    pub upgraded: u64,
    /// Stored at the current version, and passed on as they were.
    pub current: u64,
    /// Of types that are not registered, and passed on as they were.
    pub unknown: u64,
    /// Passed on with an `error`.
    pub failed: u64,
}

enum Fate {
    Upgraded,
    Current,
    Unknown,
    Failed,
    Blank,
}

/// Upgrades stored states, one a line, from `input` to `output`, in order, on so many threads as there are cores.
///
/// In an upgraded line only `schema_version` and `attributes` change; `attributes_flat`, the form of Terraform 0.11, gives way to
/// `attributes`. A line of the current version or of a type that is not registered stays as it is. A line that cannot be upgraded
/// stays as it is too, but gets an `error`: an object with `summary`, `detail` and, if an attribute is concerned, `path`. One that
/// is no JSON object becomes an object of `line` (its number, from 1), `error` and `input` (its text); one that is not UTF-8, or longer
/// than 64 MiB, has `input_base64` (its bytes) instead. The member `error` belongs to this filter: those that a line brings along are
/// taken away.
///
/// Memory does not grow with the input.
///
/// # Errors
/// Those of `input` and `output`.
///
/// ```
/// use upstate::Registry;
///
/// let registry = Registry::new(); // .with::<Thing>()
/// let mut out = Vec::new();
/// let totals = upstate_state::upgrade_lines(&registry, &b"{\"type_name\": \"other\", \"attributes\": {}}\n"[..], &mut out)?;
/// assert_eq!(totals.unknown, 1);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn upgrade_lines(registry: &Registry, input: impl BufRead, output: impl Write) -> io::Result<LineTotals> {
    upgrade_all(registry, None, input, output)
}

/// Upgrades lines as [`upgrade_lines`] does, with `upgrade` answering the requests. It may block on [`Registry::upgrade_async`] in your own
/// runtime, and is called on several threads.
///
/// # Errors
/// Those of `input` and `output`.
pub fn upgrade_lines_by(
    registry: &Registry,
    upgrade: &(dyn Fn(&UpgradeRequest<'_>) -> UpgradeResponse + Sync),
    input: impl BufRead,
    output: impl Write,
) -> io::Result<LineTotals> {
    upgrade_all(registry, Some(upgrade), input, output)
}

/// Upgrades lines by `upgrade`, or by the registry itself.
fn upgrade_all(
    registry: &Registry,
    upgrade: Option<UpgradedBy<'_>>,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<LineTotals> {
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let mut totals = LineTotals::default();
    let mut batch = Vec::new();
    let buffers = Buffers::default();
    let mut first_line = 1;
    loop {
        let lines = read_batch(&mut input, &mut batch)?;
        if lines.whole.is_empty() && !lines.goes_on {
            output.flush()?;
            return Ok(totals);
        }
        let pieces = pieces(&lines.whole);
        in_order(
            pieces.len(),
            threads,
            |index| {
                let mut out = buffers.take();
                let mut counts = LineTotals::default();
                let mut engine = Engine { registry, upgrade, prepared: None };
                for at in pieces.get(index).cloned().unwrap_or(0..0) {
                    let bytes = lines.whole.get(at).and_then(|line| batch.get(line.clone())).unwrap_or_default();
                    match upgrade_line(&mut engine, bytes, first_line + at, &mut out) {
                        Fate::Upgraded => counts.upgraded += 1,
                        Fate::Current => counts.current += 1,
                        Fate::Unknown => counts.unknown += 1,
                        Fate::Failed => counts.failed += 1,
                        Fate::Blank => {}
                    }
                }
                (out, counts)
            },
            |(out, counts): (Vec<u8>, LineTotals)| {
                totals.upgraded += counts.upgraded;
                totals.current += counts.current;
                totals.unknown += counts.unknown;
                totals.failed += counts.failed;
                output.write_all(&out)?;
                buffers.give_back(out);
                Ok(())
            },
        )?;
        first_line += lines.whole.len();
        if lines.goes_on {
            let begun = lines.whole.last().map_or(0, |last| last.end);
            pass_on(&mut input, batch.get(begun..).unwrap_or_default(), first_line, &mut output)?;
            totals.failed += 1;
            first_line += 1;
        }
    }
}

/// The lines of a batch.
struct Lines {
    /// Where each is, its end included.
    whole: Vec<Range<usize>>,
    /// Whether the beginning of a line follows that is too long to take.
    goes_on: bool,
}

/// Reads lines until there are about enough.
fn read_batch(input: &mut impl BufRead, batch: &mut Vec<u8>) -> io::Result<Lines> {
    batch.clear();
    let mut whole = Vec::new();
    while batch.len() < BATCH {
        let start = batch.len();
        let limit = LONGEST_LINE as u64 + 1;
        let read = io::Read::take(&mut *input, limit).read_until(b'\n', batch)?;
        if read == 0 {
            break;
        }
        if read > LONGEST_LINE && batch.last() != Some(&b'\n') {
            return Ok(Lines { whole, goes_on: true });
        }
        whole.push(start..batch.len());
    }
    Ok(Lines { whole, goes_on: false })
}

/// Runs of lines to be upgraded in one go.
fn pieces(lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut first, mut bytes) = (0, 0);
    for (index, line) in lines.iter().enumerate() {
        bytes += line.len();
        if bytes >= PIECE {
            pieces.push(first..index + 1);
            (first, bytes) = (index + 1, 0);
        }
    }
    if first < lines.len() {
        pieces.push(first..lines.len());
    }
    pieces
}

/// What a line says.
#[derive(Default)]
struct Stored<'t> {
    type_name: Option<Cow<'t, str>>,
    version: u64,
    version_range: Option<Range<usize>>,
    attributes: Option<Slot>,
    flat: Option<Slot>,
    /// What goes when the members called `error` do, with the commas.
    errors: Vec<Range<usize>>,
    /// Whether there is a member with another name.
    has_others: bool,
    /// Behind the opening brace.
    inside: usize,
}

/// What upgrades the attributes of lines.
struct Engine<'r> {
    registry: &'r Registry,
    /// What answers in place of the registry.
    upgrade: Option<UpgradedBy<'r>>,
    /// That of the last line. Lines of one type and version often stand together.
    prepared: Option<PreparedUpgrade<'r>>,
}

impl Engine<'_> {
    /// Appends the upgraded attributes of a line.
    fn upgrade(&mut self, text: &str, type_name: &str, stored: &Stored<'_>, out: &mut Vec<u8>) -> Result<(), Diagnostics> {
        let version = stored.version;
        let json = stored.attributes.as_ref().map(|slot| text.get(slot.range.clone()).unwrap_or_default());
        if let (Some(json), None) = (json, self.upgrade) {
            if self.prepared.is_none_or(|last| last.version() != version || last.definition().type_name() != type_name) {
                self.prepared = self.registry.prepare(type_name, version);
            }
            if let Some(prepared) = self.prepared {
                return prepared.upgrade_into(json, Encoding::Json, out).map(drop);
            }
        }
        let answer = |request: &UpgradeRequest<'_>| match self.upgrade {
            Some(upgrade) => upgrade(request),
            None => self.registry.upgrade(request),
        };
        let response = match (json, &stored.flat) {
            (Some(json), _) => answer(&UpgradeRequest::json(type_name, version, json.as_bytes())),
            (None, flat) => {
                let flat = flat.as_ref().and_then(|slot| text.get(slot.range.clone())).unwrap_or_default();
                answer(&UpgradeRequest::flatmap(type_name, version, &flat_map(flat)))
            }
        };
        match response.state() {
            Some(new) => out.extend_from_slice(new),
            None => return Err(response.diagnostics().clone()),
        }
        Ok(())
    }
}

fn upgrade_line(engine: &mut Engine<'_>, bytes: &[u8], number: usize, out: &mut Vec<u8>) -> Fate {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if body.iter().all(u8::is_ascii_whitespace) {
        out.extend_from_slice(bytes);
        return Fate::Blank;
    }
    let text = match std::str::from_utf8(body) {
        Ok(text) => text,
        Err(error) => {
            let detail = format!("The line is not UTF-8 text from byte {} on.", error.valid_up_to());
            begin_line(number, &Diagnostic::error("Line Not Readable", detail), out);
            out.extend_from_slice(b",\"input_base64\":\"");
            out.extend_from_slice(base64_encoded(body).as_bytes());
            out.extend_from_slice(b"\"}\n");
            return Fate::Failed;
        }
    };
    let mut scanner = Scanner::new(text);
    let stored = match read(&mut scanner) {
        Ok(Some(stored)) if scanner.problems.is_empty() => stored,
        Ok(stored) => {
            let problems: Vec<&str> = scanner.problems.iter().map(|problem| problem.message.as_str()).collect();
            let diagnostic = Diagnostic::error("Line Not Readable", sentence(&problems.join("; ")));
            match stored {
                Some(stored) => add_error(text, &stored, &diagnostic, out),
                None => replace_line(number, text, &diagnostic, out),
            }
            return Fate::Failed;
        }
        Err(error) => {
            let detail = sentence(&format!("{} (byte {})", error.problem(), error.offset()));
            replace_line(number, text, &Diagnostic::error("Line Not Readable", detail), out);
            return Fate::Failed;
        }
    };
    let type_name = stored.type_name.as_deref().unwrap_or_default();
    let Some(definition) = engine.registry.get(type_name) else {
        write_unchanged(text, &stored, out);
        return Fate::Unknown;
    };
    if stored.version == definition.version() && stored.attributes.is_some() {
        write_unchanged(text, &stored, out);
        return Fate::Current;
    }
    let start = out.len();
    let edits = edits(&stored, definition.version());
    match write_edited(text, &stored, edits, out, |out| engine.upgrade(text, type_name, &stored, out)) {
        Ok(()) => Fate::Upgraded,
        Err(diagnostics) => {
            out.truncate(start);
            add_error(text, &stored, &first_error(&diagnostics), out);
            Fate::Failed
        }
    }
}

fn read<'t>(scanner: &mut Scanner<'t>) -> Scanned<Option<Stored<'t>>> {
    let mut stored = Stored::default();
    let start = scanner.start()?;
    let mut first = true;
    if !scanner.is(Kind::Object, "a line")? {
        return Ok(None);
    }
    scanner.reader.open_object()?;
    // Behind the last member, and behind the last of those that stay.
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
                let slot = scanner.slot()?;
                if found != Kind::Object {
                    scanner.secret_problem(slot.range.clone(), format!("`attributes` must be an object, found {}", found.noun()));
                }
                stored.attributes = Some(slot);
            }
            "attributes_flat" => {
                let from = scanner.start()?;
                let there = scanner.reader.peek()? != Kind::Null;
                flat_attributes(scanner, |_, _| {})?;
                stored.flat = there.then(|| Slot { name_at, range: from..scanner.reader.position() });
            }
            "error" => {
                scanner.reader.skip()?;
                // With the comma before it. Those that nothing stands before that stays go when it is known what follows.
                if stored.has_others {
                    stored.errors.push(behind..scanner.reader.position());
                }
                behind = scanner.reader.position();
                continue;
            }
            _ => scanner.reader.skip()?,
        }
        if !stored.has_others && behind > start + 1 {
            // With the comma behind them.
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
        scanner.problem(start..start + 1, "the line has no `type_name`, so nobody knows what it holds");
    }
    if stored.attributes.is_none() && stored.flat.is_none() {
        scanner.problem(start..start + 1, "the line has no `attributes`");
    }
    Ok(Some(stored))
}

/// What takes the place of a part of a line.
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
    edits.extend(stored.errors.iter().map(|error| (error.clone(), New::Nothing)));
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
            New::VersionMember(to) => out.extend_from_slice(format!("\"schema_version\":{to},").as_bytes()),
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
fn add_error(text: &str, stored: &Stored<'_>, diagnostic: &Diagnostic, out: &mut Vec<u8>) {
    let mut edited = Vec::new();
    write_unchanged(text, stored, &mut edited);
    edited.pop();
    // The brace that closes the object is the last.
    let close = edited.iter().rposition(|byte| *byte == b'}').unwrap_or(edited.len());
    let rest = edited.split_off(close);
    out.append(&mut edited);
    if stored.has_others {
        out.push(b',');
    }
    out.extend_from_slice(b"\"error\":");
    write_error(diagnostic, out);
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

fn begin_line(number: usize, diagnostic: &Diagnostic, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{{\"line\":{number},\"error\":").as_bytes());
    write_error(diagnostic, out);
}

/// Writes an object in place of a line that is too long, of which `begun` was read, and passes on the rest of it as it comes.
fn pass_on(input: &mut impl BufRead, begun: &[u8], number: usize, output: &mut impl Write) -> io::Result<()> {
    let detail = format!("The line is longer than {} MiB, so it is passed on without a look at it.", LONGEST_LINE >> 20);
    let mut head = Vec::new();
    begin_line(number, &Diagnostic::error("Line Too Long", detail), &mut head);
    head.extend_from_slice(b",\"input_base64\":\"");
    output.write_all(&head)?;
    let mut encoder = base64_writer(&mut *output);
    encoder.write_all(begun)?;
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
        encoder.write_all(part)?;
        let (read, done) = (part.len() + usize::from(end.is_some()), end.is_some() || part.is_empty());
        input.consume(read);
        if done {
            break;
        }
    }
    encoder.finish()?;
    drop(encoder);
    output.write_all(b"\"}\n")
}

fn write_error(diagnostic: &Diagnostic, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"summary\":");
    write_string(diagnostic.summary(), out);
    out.extend_from_slice(b",\"detail\":");
    write_string(diagnostic.detail(), out);
    if let Some(path) = diagnostic.path().filter(|path| !path.is_empty()) {
        out.extend_from_slice(b",\"path\":");
        write_string(&path.to_string(), out);
    }
    out.push(b'}');
}

fn first_error(diagnostics: &Diagnostics) -> Diagnostic {
    let mut errors = diagnostics.iter().filter(|one| one.severity() == Severity::Error);
    errors.next().cloned().unwrap_or_else(|| Diagnostic::error("Unable to Upgrade Resource State", ""))
}

/// A problem as a sentence of its own.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(char::to_uppercase);
    format!("{}{}.", first.into_iter().flatten().collect::<String>(), characters.as_str())
}
