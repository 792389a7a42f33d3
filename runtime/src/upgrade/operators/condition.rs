//! Conditions that a guard or a match puts on prior values.

use super::scalar::{Seen, is_one};
use super::table::{Condition, Literal, Match, Path, Pattern};
use super::text::take_apart;
use crate::value::Value;

/// The prior values that conditions and sources read.
pub(super) trait Prior {
    /// The prior value at a path; null if an object on the way is.
    fn at(&self, path: Path) -> Found<'_>;
}

/// The value, or lack of blocks, that a condition asks about.
pub(super) enum Found<'v> {
    Value(&'v Value),
    /// Blocks without an element, be they stored so, as null or not at all.
    NoBlocks,
}

impl Found<'_> {
    fn is_nothing(&self) -> bool {
        matches!(self, Self::Value(Value::Null) | Self::NoBlocks)
    }

    fn is_one(&self, these: &[Match]) -> bool {
        match self {
            Self::Value(value) => is_one(these, Seen::from(*value)),
            Self::NoBlocks => these.iter().any(|this| match this {
                Match::Empty
                | Match::Literal(Literal::Null | Literal::EmptyList | Literal::EmptyMap) => true,
                Match::Literal(Literal::Bool(_) | Literal::Number(_) | Literal::String(_)) => false,
            }),
        }
    }

    /// True if the value is a string that fits the pattern.
    pub(super) fn fits(&self, pattern: &Pattern) -> bool {
        match self {
            Self::Value(value) => value
                .as_str()
                .is_some_and(|text| take_apart(pattern, text).is_some()),
            Self::NoBlocks => false,
        }
    }
}

pub(super) fn holds(condition: &Condition, prior: &dyn Prior) -> bool {
    match condition {
        Condition::Has(path) => !prior.at(path).is_nothing(),
        Condition::Lacks(path) => prior.at(path).is_nothing(),
        Condition::Is(path, these) => prior.at(path).is_one(these),
        Condition::Fits(path, pattern) => prior.at(path).fits(pattern),
        Condition::Not(other) => !holds(other, prior),
        Condition::All(all) => all.iter().all(|one| holds(one, prior)),
        Condition::Any(any) => any.iter().any(|one| holds(one, prior)),
    }
}
