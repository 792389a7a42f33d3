//! Mistakes of a lock, or of a change to it.

use std::error::Error;
use std::fmt;

/// The error for a string that is not a lock: the line, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockError {
    line: usize,
    problem: String,
}

impl LockError {
    pub(super) fn new(line: usize, problem: impl Into<String>) -> Self {
        Self {
            line,
            problem: problem.into(),
        }
    }

    /// The number of the line, from 1; 0 if it is about the whole.
    pub fn line(&self) -> usize {
        self.line
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: {}", self.line, self.problem)
        } else {
            f.write_str(&self.problem)
        }
    }
}

impl Error for LockError {}

/// The reason why a lock was not changed: a released entry would have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusals(pub(super) Vec<String>);

impl Refusals {
    /// One line each.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the lock was not changed: ")?;
        f.write_str(&self.0.join("; "))
    }
}

impl Error for Refusals {}
