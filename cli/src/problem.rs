//! Problems of a state file, drawn on its own lines.
//!
//! A line of state may hold secrets. So what is drawn shows punctuation and what the reader has
//! taken for names; all else is blotted out, except for the problem itself where it is not secret.

use std::io::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use upstate_state::{StateFileError, StateFileProblem};

use crate::terminal;

/// More than these are only counted.
const DRAWN: usize = 20;
/// The part of a long line on each side of the problem, in characters.
const AROUND: usize = 48;
/// Longer lines are not looked at as a whole.
const LONG: usize = 1 << 20;
/// The bytes of them that are compared on each side.
const NEAR: usize = 1 << 10;

/// Draws what is wrong with the file called `name` on standard error.
pub(crate) fn draw(name: &str, bytes: &[u8], error: &StateFileError) {
    let problems = error.problems();
    for problem in problems.iter().take(DRAWN) {
        match drawn(name, bytes, problem) {
            Some(text) => drop(writeln!(anstream::stderr(), "{text}\n")),
            None => terminal::fail(&format!("{name}: {}", problem.message())),
        }
    }
    if let Some(more) = problems.len().checked_sub(DRAWN).filter(|more| *more > 0) {
        terminal::fail(&format!("{name}: {more} problems more"));
    }
}

fn drawn(name: &str, bytes: &[u8], problem: &StateFileProblem) -> Option<String> {
    let (line, column) = problem.line_and_column()?;
    let range = problem.range()?;
    let start = bytes
        .get(..range.start)?
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    let length = bytes
        .get(start..)?
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(bytes.len() - start);
    let line_bytes = bytes.get(start..start + length)?;
    let span = range.start - start
        ..range
            .end
            .saturating_sub(start)
            .min(length)
            .max(range.start - start);
    // Of a line without end only what is near is looked at. What is a name there is not known, so
    // nothing but punctuation shows.
    let near = if length <= LONG {
        0..length
    } else {
        span.start.saturating_sub(NEAR)..length.min(span.end + NEAR)
    };
    let text = std::str::from_utf8(line_bytes.get(..near.end)?)
        .ok()
        .and_then(|text| {
            let begin = (near.start..near.start + 4).find(|begin| text.is_char_boundary(*begin))?;
            Some((text.get(begin..)?, begin))
        });
    let lossy;
    let (text, begin) = if let Some(known) = text {
        known
    } else {
        lossy = String::from_utf8_lossy(line_bytes.get(near.clone())?);
        (&*lossy, near.start)
    };
    let text = text.trim_end_matches('\r');
    let span = span.start.saturating_sub(begin)..span.end.saturating_sub(begin).min(text.len());
    let offset = start + begin;
    let names = problem
        .names()
        .iter()
        .filter_map(|name| Some(name.start.checked_sub(offset)?..name.end.checked_sub(offset)?));
    let window = Window::around(
        text,
        span,
        !problem.may_be_secret(),
        &blotted(text, &names.collect::<Vec<_>>(), length <= LONG),
    );
    let snippet = Snippet::source(window.text.as_str())
        .line_start(line)
        .annotation(AnnotationKind::Primary.span(window.span));
    let title = Level::ERROR.primary_title(problem.message());
    let origin = Origin::path(name).line(line).char_column(column);
    let group = Group::with_title(title).element(origin).element(snippet);
    let rendered = Renderer::styled().render(&[group]);
    // The place is printed above, so the sign for more of the same file would only puzzle.
    let lines = rendered
        .lines()
        .filter(|line| anstream::adapter::strip_str(line).to_string().trim() != ":::");
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// The part of a line that is drawn.
struct Window {
    text: String,
    span: Range<usize>,
}

impl Window {
    /// The line as it is blotted out, cut to what is near `span`, a byte range of it, which itself
    /// is shown if it may be.
    fn around(line: &str, span: Range<usize>, show: bool, blotted: &str) -> Self {
        // Characters keep their number, not their length.
        let count = |end: usize| line.get(..end).map_or(0, |before| before.chars().count());
        let (first, last) = (
            count(span.start),
            count(span.end).max(count(span.start) + 1),
        );
        let mut text = String::new();
        let mut marked = 0..0;
        let from = first.saturating_sub(AROUND);
        if from > 0 {
            text.push('…');
        }
        let characters = line
            .chars()
            .zip(blotted.chars())
            .enumerate()
            .skip(from)
            .take(last.min(first + AROUND) + AROUND - from);
        let mut end = from;
        for (index, (plain, mark)) in characters {
            if index == first {
                marked.start = text.len();
            }
            let shown = if show && (first..last).contains(&index) {
                plain
            } else {
                mark
            };
            // One character stays one, for the sign below it.
            let odd = upstate::path::Printable(shown.encode_utf8(&mut [0; 4]))
                .to_string()
                .chars()
                .count()
                != 1;
            text.push(if odd { ' ' } else { shown });
            end = index + 1;
            if index < last {
                marked.end = text.len();
            }
        }
        if end < blotted.chars().count() {
            text.push('…');
        }
        // The problem may be behind the last character.
        if marked.end <= marked.start || end <= first {
            marked = text.len()..text.len();
        }
        Self { text, span: marked }
    }
}

/// The line with everything blotted out but these names and punctuation, character by character. If
/// it is known where strings begin, the punctuation inside of them is blotted out as well.
fn blotted(line: &str, names: &[Range<usize>], whole: bool) -> String {
    let (mut inside, mut escaped) = (false, false);
    let mut mark = |(at, character): (usize, char)| {
        if names.iter().any(|name| name.contains(&at)) {
            return character;
        }
        let quote = character == '"' && !escaped;
        let shown = quote || !inside && ("{}[],:".contains(character) || character.is_whitespace());
        escaped = inside && character == '\\' && !escaped;
        inside ^= whole && quote;
        if shown { character } else { '•' }
    };
    line.char_indices().map(&mut mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_and_punctuation_are_not_blotted_out() {
        let name = |line: &str, name: &str| line.find(name).map_or(0..0, |at| at..at + name.len());
        for (line, names, seen) in [
            (
                r#"  "password": "hunter2","#,
                r#""password""#,
                r#"  "password": "•••••••","#,
            ),
            (
                r#"{"a": 17, "b": [true, "x\"{y"], "c": {}}"#,
                r#""b""#,
                r#"{"•": ••, "b": [••••, "•••••"], "•": {}}"#,
            ),
            (
                r#"  "value": "hunter2": 1"#,
                r#""value""#,
                r#"  "value": "•••••••": •"#,
            ),
            (
                r#""password": hunter2", "x": 1"#,
                "",
                r#""••••••••": •••••••"••"•"•••"#,
            ),
            (r#""open"#, "", "\"••••"),
        ] {
            assert_eq!(blotted(line, &[name(line, names)], true), seen);
        }
        assert_eq!(blotted(r#"x", "a,b": 1"#, &[], false), r#"•", "•,•": •"#);
    }

    #[test]
    fn long_lines_are_cut_around_the_problem() {
        let line = format!(
            "{{\"a\":\"{}\",\"serial\":-1,\"b\":\"{}\"}}",
            "x".repeat(500),
            "y".repeat(500)
        );
        let at = line.find("-1").unwrap();
        let window = Window::around(&line, at..at + 2, true, &blotted(&line, &[], true));
        assert_eq!(&window.text[window.span.clone()], "-1");
        assert!(
            window.text.starts_with('…')
                && window.text.ends_with('…')
                && window.text.chars().count() < 120,
            "{}",
            window.text
        );
        let secret = Window::around(&line, at..at + 2, false, &blotted(&line, &[], true));
        assert_eq!(&secret.text[secret.span.clone()], "••");
        let end = Window::around(
            "{\"a\": 1",
            7..7,
            false,
            &blotted("{\"a\": 1", &[Range { start: 1, end: 4 }], true),
        );
        assert_eq!((end.text.as_str(), end.span), ("{\"a\": •", 9..9));
    }
}
