//! The problems that a state file can have.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use super::shown::names_near;

/// The most problems that are collected of one file, because nobody reads more.
pub(super) const MAX_PROBLEMS: usize = 1_000;

/// The reason that a file is not a state file that can be upgraded: one problem or more, each with
/// its position if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFileError {
    problems: Vec<StateFileProblem>,
    no_state: bool,
}

/// One thing that is wrong with a state file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFileProblem {
    message: String,
    position: Option<Position>,
    secret: bool,
    names: Vec<Range<usize>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Position {
    range: Range<usize>,
    line: usize,
    column: usize,
}

/// A problem before its line is known.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    pub(super) message: String,
    /// True if the value at `range` may be a secret.
    pub(super) secret: bool,
}

impl StateFileError {
    /// A problem of the whole file.
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self {
            problems: vec![StateFileProblem {
                message: message.into(),
                position: None,
                secret: false,
                names: Vec::new(),
            }],
            no_state: false,
        }
    }

    /// There is nothing in the file.
    pub(super) fn no_state() -> Self {
        Self {
            no_state: true,
            ..Self::whole("the file is empty; there is no state to upgrade")
        }
    }

    /// Problems at byte ranges of `text`.
    pub(super) fn at(text: &str, mut found: Vec<Found>) -> Self {
        // Sorted by offset, then by message, so that the order does not depend on the number of
        // threads that read the file.
        found.sort_by(|a, b| (a.range.start, &a.message).cmp(&(b.range.start, &b.message)));
        found.truncate(MAX_PROBLEMS);
        // Files may be large, in one line or in many: each byte is looked at once, and nothing is
        // kept.
        let (mut at, mut line, mut column) = (0, 1, 1);
        let starts: Vec<usize> = found.iter().map(|found| found.range.start).collect();
        let locate = |(found, names): (Found, Vec<Range<usize>>)| {
            let mut offset = found.range.start.min(text.len());
            while !text.is_char_boundary(offset) {
                offset -= 1;
            }
            let between = text.get(at..offset).unwrap_or_default();
            match between.rsplit_once('\n') {
                Some((_, last)) => {
                    line += between.bytes().filter(|byte| *byte == b'\n').count();
                    column = last.chars().count() + 1;
                }
                None => column += between.chars().count(),
            }
            at = offset;
            let position = Some(Position {
                range: found.range,
                line,
                column,
            });
            StateFileProblem {
                message: found.message,
                position,
                secret: found.secret,
                names,
            }
        };
        Self {
            problems: found
                .into_iter()
                .zip(names_near(text, &starts))
                .map(locate)
                .collect(),
            no_state: false,
        }
    }

    /// The problems, in the order they stand in the file.
    pub fn problems(&self) -> &[StateFileProblem] {
        &self.problems
    }

    /// True if the file is empty, which Terraform takes for the absence of state, not for an error.
    pub fn is_no_state(&self) -> bool {
        self.no_state
    }
}

impl StateFileProblem {
    /// The problem, and the advice.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Line and column, both from 1; none if it is about the whole file. Columns count characters.
    pub fn line_and_column(&self) -> Option<(usize, usize)> {
        self.position
            .as_ref()
            .map(|position| (position.line, position.column))
    }

    /// The byte offset; none if it is about the whole file.
    pub fn offset(&self) -> Option<usize> {
        self.range().map(|range| range.start)
    }

    /// The bytes that it is about; none if it is about the whole file. Empty if something is
    /// missing there.
    pub fn range(&self) -> Option<Range<usize>> {
        self.position
            .as_ref()
            .map(|position| position.range.clone())
    }

    /// The bytes of the names near it that may be shown, with their quotes: everything else may be
    /// a stored value.
    pub fn names(&self) -> &[Range<usize>] {
        &self.names
    }

    /// True if the bytes that the problem is about may hold a stored value, and should not be
    /// shown.
    pub fn may_be_secret(&self) -> bool {
        self.secret
    }
}

impl fmt::Display for StateFileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column, .. }) = self.position {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl fmt::Display for StateFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.problems.iter().enumerate() {
            let newline = if position == 0 { "" } else { "\n" };
            write!(f, "{newline}{problem}")?;
        }
        Ok(())
    }
}

impl Error for StateFileError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let text = "ab\n\u{e7}d\u{e9}x\n\nz";
        let at = |offsets: &[usize]| {
            let found = offsets.iter().map(|offset| Found {
                range: *offset..*offset,
                message: String::new(),
                secret: false,
            });
            let error = StateFileError::at(text, found.collect());
            error
                .problems()
                .iter()
                .filter_map(StateFileProblem::line_and_column)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            at(&[99, 0, 5, 4, 8, 1]),
            [(1, 1), (1, 2), (2, 1), (2, 2), (2, 4), (4, 2)]
        );
    }
}
