//! Stored states one a line: what database dumps and distributed engines pipe through.
//!
//! A line is a JSON object with `type_name`, `schema_version` and `attributes`, and any other members.

use std::fmt;
use std::io::{self, BufRead, Write};
use std::num::NonZeroUsize;
use std::ops::Range;

use upstate::{Diagnostic, Registry, UpgradeRequest, UpgradeResponse};

use super::line::{Engine, Fate, begin_line, upgrade_line};
use super::parallel::{Buffers, in_order};
use super::record::base64_writer;
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
    upgrade_lines_with(registry, &LineOptions::new(), input, output)
}

/// How [`upgrade_lines_with`] upgrades lines.
#[derive(Clone, Copy, Default)]
pub struct LineOptions<'a> {
    threads: Option<NonZeroUsize>,
    upgraded_by: Option<UpgradedBy<'a>>,
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

    /// Requests whose upgrade may call a function are answered by `upgrade`, as [`UpgradeOptions::upgraded_by`](crate::UpgradeOptions::upgraded_by)
    /// says.
    #[must_use]
    pub fn upgraded_by(mut self, upgrade: &'a (dyn Fn(&UpgradeRequest<'_>) -> UpgradeResponse + Sync)) -> Self {
        self.upgraded_by = Some(upgrade);
        self
    }
}

impl fmt::Debug for LineOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineOptions").field("threads", &self.threads).finish_non_exhaustive()
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
    let threads = options.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
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
