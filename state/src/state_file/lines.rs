//! Stored states one a line: what database dumps and distributed engines pipe through.
//!
//! A line is a JSON object with `type_name`, `schema_version` and `attributes`, and any other
//! members.

use std::io::{self, BufRead, Write};
use std::num::NonZeroUsize;
use std::ops::Range;

use memchr::{memchr_iter, memrchr};
use upstate::{Diagnostic, DiagnosticCode, Registry, UpgradeRequest, UpgradeResponse};

use super::line::{Engine, Fate, begin_line, upgrade_line, upgrade_text};
use super::options::UpgradeFunction;
use super::parallel::{Buffers, in_order};
use super::record::base64_writer;

/// A line longer than this is refused, so that memory stays bounded.
const LONGEST_LINE: usize = 64 << 20;
/// About so many bytes are upgraded in one go.
const PIECE: usize = 64 << 10;
/// Nothing else is read while more bytes than this are upgraded in one go.
const LARGE: usize = 1 << 20;

/// The numbers of lines, by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineTotals {
    /// Brought to the current version.
    pub upgraded: u64,
    /// Upgraded lines with values that no schema defines, which name them in `not_kept`.
    pub leaving_out: u64,
    /// Stored at the current version, and passed on as they were.
    pub current: u64,
    /// Lines of types that are not registered, passed on as they were.
    pub unknown: u64,
    /// Passed on with an `error`.
    pub failed: u64,
}

/// Upgrades stored states, one a line, from `input` to `output`, in order, on so many threads as
/// there are cores.
///
/// In an upgraded line only `schema_version` and `attributes` change; `attributes_flat`, the form
/// of Terraform 0.11, gives way to `attributes`. Stored values that the schema of their version
/// does not define are skipped, and the line gets a member `not_kept` that names their paths. A
/// line of a type that is not registered stays as it is, and so does one of the current version: it
/// is not read unless the filter is [strict](LineOptions::strict). A line that cannot be upgraded
/// stays as it is too, but gets an `error`: an object with `summary`, `detail` and, if an attribute
/// is concerned, `path`. One that is not a JSON object becomes an object of `line` (its number, from
/// 1), `error` and `input` (its text); one that is not UTF-8, or longer than 64 MiB, has
/// `input_base64` (its bytes) instead. The members `error` and `not_kept` belong to this filter:
/// those that a line brings along are taken away.
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
pub fn upgrade_lines(
    registry: &Registry,
    input: impl BufRead,
    output: impl Write,
) -> io::Result<LineTotals> {
    upgrade_lines_with(registry, &LineOptions::new(), input, output)
}

/// The options of [`upgrade_lines_with`].
#[derive(Clone, Copy, Default)]
pub struct LineOptions<'a> {
    threads: Option<NonZeroUsize>,
    upgraded_by: Option<UpgradeFunction<'a>>,
    strict: bool,
}

impl<'a> LineOptions<'a> {
    /// By the registry alone, on all cores.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// On so many threads instead of one for each core. What comes out does not depend on it.
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Refuses lines with values that no schema defines, and reads lines of the current version,
    /// too: one that its schema does not take gets an `error`.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Requests whose upgrade may call a function are answered by `upgrade`, as
    /// [`UpgradeOptions::upgraded_by`](crate::UpgradeOptions::upgraded_by) says.
    #[must_use]
    pub fn upgraded_by(
        mut self,
        upgrade: &'a (dyn Fn(&UpgradeRequest<'_>) -> UpgradeResponse + Sync),
    ) -> Self {
        self.upgraded_by = Some(upgrade);
        self
    }
}

upstate::__debug_parts! {
    LineOptions<'_> |self| {
        threads: self.threads,
    }
}

/// Upgrades lines as [`upgrade_lines`] does, with options.
///
/// # Errors
/// Those of `input` and `output`.
pub fn upgrade_lines_with(
    registry: &Registry,
    options: &LineOptions<'_>,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<LineTotals> {
    let upgrade = options.upgraded_by;
    let threads = options
        .threads
        .or_else(|| std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN);
    let mut totals = LineTotals::default();
    let buffers = Buffers::default();
    let mut number = 1;
    loop {
        let mut pieces = Pieces::new(&mut input, &buffers, number);
        pieces.read_ahead();
        let work = |piece: &Piece| {
            let mut out = buffers.take();
            let mut counts = LineTotals::default();
            let mut engine = Engine::new(registry, upgrade, options.strict);
            // Nearly always all of it is text. Then no line is looked at for that.
            let text = std::str::from_utf8(&piece.lines).ok();
            let mut number = piece.number;
            each_line(&piece.lines, |line| {
                let fate = match text.and_then(|text| text.get(line.clone())) {
                    Some(text) => upgrade_text(&mut engine, text, number, &mut out),
                    None => upgrade_line(
                        &mut engine,
                        piece.lines.get(line).unwrap_or_default(),
                        number,
                        &mut out,
                    ),
                };
                match fate {
                    Fate::Upgraded { leaves_out } => {
                        counts.upgraded += 1;
                        counts.leaving_out += u64::from(leaves_out);
                    }
                    Fate::Current => counts.current += 1,
                    Fate::Unknown => counts.unknown += 1,
                    Fate::Failed => counts.failed += 1,
                    Fate::Blank => {}
                }
                number += 1;
            });
            (out, counts)
        };
        in_order(&mut pieces, threads, work, |piece: Piece, (out, counts)| {
            totals.upgraded += counts.upgraded;
            totals.leaving_out += counts.leaving_out;
            totals.current += counts.current;
            totals.unknown += counts.unknown;
            totals.failed += counts.failed;
            output.write_all(&out)?;
            buffers.give_back(out);
            buffers.give_back(piece.lines);
            Ok(())
        })?;
        let Pieces {
            number: next, end, ..
        } = pieces;
        number = next;
        match end {
            Some(End::Pause) => {}
            Some(End::Whole) | None => {
                output.flush()?;
                return Ok(totals);
            }
            Some(End::Failed(error)) => return Err(error),
            Some(End::Long(begun)) => {
                pass_on(&mut input, &begun, number, &mut output)?;
                totals.failed += 1;
                number += 1;
            }
        }
    }
}

/// Calls `each` with the place of each line, its line break included.
fn each_line(bytes: &[u8], mut each: impl FnMut(Range<usize>)) {
    let mut start = 0;
    for end in memchr_iter(b'\n', bytes) {
        each(start..end + 1);
        start = end + 1;
    }
    if start < bytes.len() {
        each(start..bytes.len());
    }
}

/// Lines that are upgraded in one go.
struct Piece {
    lines: Vec<u8>,
    /// The number of the first line, from 1.
    number: usize,
}

/// The reason that no more pieces come.
enum End {
    /// All lines were read.
    Whole,
    /// A line is too long to take. This is its beginning.
    Long(Vec<u8>),
    /// Little is read ahead of a piece with a long line.
    Pause,
    Failed(io::Error),
}

/// The lines of an input, read while earlier ones are upgraded.
struct Pieces<'i, R> {
    input: &'i mut R,
    buffers: &'i Buffers,
    /// The number of the next line that is read.
    number: usize,
    /// The piece that was read already.
    ahead: Option<Piece>,
    end: Option<End>,
}

impl<'i, R: BufRead> Pieces<'i, R> {
    fn new(input: &'i mut R, buffers: &'i Buffers, number: usize) -> Self {
        Self {
            input,
            buffers,
            number,
            ahead: None,
            end: None,
        }
    }

    /// Reads a piece, so that it is known whether there is another: of little input, none is
    /// upgraded by other threads.
    fn read_ahead(&mut self) {
        if self.end.is_some() {
            return;
        }
        let mut lines = self.buffers.take();
        self.end = self.read(&mut lines);
        if !lines.is_empty() {
            let number = self.number;
            self.number +=
                memchr_iter(b'\n', &lines).count() + usize::from(lines.last() != Some(&b'\n'));
            self.ahead = Some(Piece { lines, number });
        }
    }

    /// Reads whole lines until there are about enough, or why there are no more.
    fn read(&mut self, lines: &mut Vec<u8>) -> Option<End> {
        while lines.len() < PIECE {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Some(End::Failed(error)),
            };
            if buffer.is_empty() {
                return Some(End::Whole);
            }
            let wanted = buffer.get(..PIECE).unwrap_or(buffer);
            // As many lines as there are, or the next one.
            if let Some(end) = memrchr(b'\n', wanted) {
                lines.extend_from_slice(wanted.get(..=end).unwrap_or_default());
                self.input.consume(end + 1);
                continue;
            }
            let start = lines.len();
            match io::Read::take(&mut *self.input, LONGEST_LINE as u64 + 1).read_until(b'\n', lines)
            {
                Ok(read) if read > LONGEST_LINE && lines.last() != Some(&b'\n') => {
                    return Some(End::Long(lines.split_off(start)));
                }
                Ok(_) => {}
                Err(error) => {
                    lines.truncate(start);
                    return Some(End::Failed(error));
                }
            }
        }
        (lines.len() > LARGE).then_some(End::Pause)
    }
}

impl<R: BufRead> Iterator for Pieces<'_, R> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let piece = self.ahead.take();
        self.read_ahead();
        piece
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let ahead = usize::from(self.ahead.is_some());
        (ahead, self.end.is_some().then_some(ahead))
    }
}

/// Writes an object in place of a line that is too long, of which `begun` was read, and passes on
/// the rest of it as it comes.
fn pass_on(
    input: &mut impl BufRead,
    begun: &[u8],
    number: usize,
    output: &mut impl Write,
) -> io::Result<()> {
    let detail = format!(
        "The line is longer than {} MiB, so it is passed on without a look at it.",
        LONGEST_LINE >> 20
    );
    let mut head = Vec::new();
    begin_line(
        number,
        &Diagnostic::error("Line Too Long", detail).coded(DiagnosticCode::TooLong),
        &mut head,
    );
    head.extend_from_slice(b",\"input_base64\":\"");
    output.write_all(&head)?;
    let mut encoder = base64_writer(&mut *output);
    encoder.write_all(begun)?;
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = buffer
            .get(..end.unwrap_or(buffer.len()))
            .unwrap_or_default();
        encoder.write_all(part)?;
        let (read, done) = (
            part.len() + usize::from(end.is_some()),
            end.is_some() || part.is_empty(),
        );
        input.consume(read);
        if done {
            break;
        }
    }
    encoder.finish()?;
    drop(encoder);
    output.write_all(b"\"}\n")
}

#[cfg(test)]
mod tests {
    use upstate::Resource;

    use super::*;

    #[derive(Resource)]
    #[resource(type_name = "example_note", version = 1)]
    #[upgrade_from(0 => 1, rename(name => title))]
    struct Note {
        title: String,
    }

    fn filtered(line: &str, strict: bool) -> (String, LineTotals) {
        let registry = Registry::new().with::<Note>();
        let mut out = Vec::new();
        let totals = upgrade_lines_with(
            &registry,
            &LineOptions::new().strict(strict),
            line.as_bytes(),
            &mut out,
        )
        .unwrap();
        (String::from_utf8(out).unwrap(), totals)
    }

    #[test]
    fn a_line_names_what_no_schema_defines() {
        // Attributes at the end are upgraded at once, others are not.
        for (stored, expected) in [
            (
                r#"{"type_name":"example_note","schema_version":0,"attributes":{"name":"x","a":1,"b":{"c":[]}}}"#,
                r#"{"type_name":"example_note","schema_version":1,"attributes":{"title":"x"},"not_kept":["a","b"]}"#,
            ),
            (
                r#"{"type_name":"example_note","schema_version":0,"attributes":{"name":"x","a":1},"id":7}"#,
                r#"{"type_name":"example_note","schema_version":1,"attributes":{"title":"x"},"id":7,"not_kept":["a"]}"#,
            ),
            (
                r#"{"type_name":"example_note","attributes_flat":{"name":"x","a":"1"},"not_kept":["z"]}"#,
                r#"{"type_name":"example_note","schema_version":1,"attributes":{"title":"x"},"not_kept":["a"]}"#,
            ),
        ] {
            let (line, totals) = filtered(stored, false);
            assert_eq!(
                (line.trim_end(), totals.upgraded, totals.leaving_out),
                (expected, 1, 1)
            );
            let (line, totals) = filtered(stored, true);
            assert_eq!((totals.upgraded, totals.failed), (0, 1));
            assert!(
                line.contains(
                    r#""error":{"severity":"error","code":"undefined","summary":"Undefined Values","detail":"No schema of its version defines `a`"#
                ),
                "{line}"
            );
        }
        let (line, totals) = filtered(
            r#"{"type_name":"example_note","schema_version":0,"attributes":{"name":"x"}}"#,
            false,
        );
        assert!(
            !line.contains("not_kept") && totals.leaving_out == 0,
            "{line}"
        );
    }

    #[test]
    fn lines_of_the_current_version_are_read_only_by_a_strict_filter() {
        let unfit = r#"{"type_name":"example_note","schema_version":1,"attributes":{"title":[]}}"#;
        let (line, totals) = filtered(unfit, false);
        assert_eq!((line.trim_end(), totals.current), (unfit, 1));
        let (line, totals) = filtered(unfit, true);
        assert!(
            totals.failed == 1 && line.contains("expected a string, found an array"),
            "{line}"
        );
        let fits = r#"{"type_name":"example_note","schema_version":1,"attributes":{"title":"x"}}"#;
        assert_eq!(filtered(fits, true).0.trim_end(), fits);
    }

    #[derive(Resource)]
    #[resource(type_name = "example_box", version = 1)]
    #[upgrade_from(0 => 1, rename(name => title))]
    struct Crate {
        title: String,
        height: u8,
        width: u8,
    }

    #[test]
    fn an_error_holds_the_others_of_its_line() {
        let registry = Registry::new().with::<Crate>();
        let line = r#"{"type_name":"example_box","schema_version":0,"attributes":{"name":"x","height":{},"width":[]}}"#;
        let mut out = Vec::new();
        upgrade_lines_with(&registry, &LineOptions::new(), line.as_bytes(), &mut out).unwrap();
        let failed: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let error = &failed["error"];
        assert_eq!(
            (&error["severity"], &error["path"], &error["code"]),
            (&"error".into(), &"height".into(), &"wrong-kind".into())
        );
        assert_eq!(error["more"].as_array().map(Vec::len), Some(1), "{error}");
        assert_eq!(
            (&error["more"][0]["path"], &error["more"][0]["found"]),
            (&"width".into(), &"an array".into())
        );
        // A later run takes all of it away.
        let mended = String::from_utf8(out)
            .unwrap()
            .replacen("{}", "3", 1)
            .replacen("[]", "4", 1);
        let mut out = Vec::new();
        upgrade_lines_with(&registry, &LineOptions::new(), mended.as_bytes(), &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap().trim_end(),
            r#"{"type_name":"example_box","schema_version":1,"attributes":{"height":3,"title":"x","width":4}}"#
        );
    }

    #[test]
    fn every_undefined_value_of_an_instance_is_counted_and_a_strict_upgrade_refuses_it() {
        let odd: Vec<String> = (0..150)
            .map(|index| format!("\"odd{index:03}\":{index}"))
            .collect();
        let state = format!(
            r#"{{"version":4,"resources":[{{"mode":"managed","type":"example_note","name":"n","provider":"provider.p",
                "instances":[{{"schema_version":0,"attributes":{{"name":"x",{}}}}}]}}]}}"#,
            odd.join(",")
        );
        let state = crate::StateFile::parse(state.as_bytes()).unwrap();
        let registry = Registry::new().with::<Note>();
        let report = |strict: bool| {
            let mut report = String::new();
            let options = crate::UpgradeOptions::new().strict(strict);
            let each = |upgrade: crate::InstanceUpgrade<'_, '_>| {
                report = serde_json::to_string(&upgrade).unwrap();
                Ok(())
            };
            let totals = state
                .upgrade_to(&registry, &options, &mut Vec::new(), each)
                .unwrap();
            assert_eq!(totals.failed(), usize::from(strict));
            report
        };
        let named = report(false);
        assert!(
            named.contains("odd000") && named.contains("odd149"),
            "{named}"
        );
        let refused = report(true);
        assert!(
            refused.contains("`odd009` and 140 more, and strict upgrades lose nothing"),
            "{refused}"
        );
    }

    #[test]
    fn a_file_that_is_not_json_is_an_error_of_its_upgrade() {
        let state = r#"{
  "version": 4,
  "resources": [
    {
      "mode": "managed",
      "type": "example_note",
      "name": "n",
      "provider": "provider.p",
      "instances": [
        {
          "schema_version": 0,
          "attributes": {
            "name": 01
          }
        }
      ]
    }
  ]
}
"#;
        let parsed = crate::StateFile::parse_to_upgrade(state.as_bytes()).unwrap();
        let error = parsed.upgrade(&Registry::new().with::<Note>()).unwrap_err();
        assert!(error.to_string().contains("line 13"), "{error}");
    }
}
