//! What can be wrong with a state file.

use std::error::Error;
use std::fmt;

use crate::codec::json::Lines;

/// Why a file is not a state file that can be upgraded: one problem or more, each with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFileError {
    problems: Vec<StateFileProblem>,
}

/// One thing that is wrong with a state file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFileProblem {
    message: String,
    position: Option<Position>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    offset: usize,
    line: usize,
    column: usize,
}

impl StateFileError {
    /// A problem of the whole file.
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self { problems: vec![StateFileProblem { message: message.into(), position: None }] }
    }

    /// Problems at byte offsets of `text`.
    pub(super) fn at(text: &str, problems: impl IntoIterator<Item = (usize, String)>) -> Self {
        let lines = Lines::new(text);
        let locate = |(offset, message)| {
            let (line, column) = lines.line_and_column(offset);
            StateFileProblem { message, position: Some(Position { offset, line, column }) }
        };
        Self { problems: problems.into_iter().map(locate).collect() }
    }

    /// The problems, in the order they stand in the file.
    pub fn problems(&self) -> &[StateFileProblem] {
        &self.problems
    }
}

impl StateFileProblem {
    /// What is wrong, and what to do.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Line and column, both from 1; none if it is about the whole file.
    pub fn line_and_column(&self) -> Option<(usize, usize)> {
        self.position.map(|position| (position.line, position.column))
    }

    /// The byte offset; none if it is about the whole file.
    pub fn offset(&self) -> Option<usize> {
        self.position.map(|position| position.offset)
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
