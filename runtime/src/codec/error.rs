//! What can be wrong with stored bytes, and where.

use std::error::Error;
use std::fmt;

use crate::path::{AttributePath, PathStep};

/// Why stored bytes could not be decoded, at which attribute and at which byte.
///
/// Building one costs nothing until something fails; the path is found by walking the document once more.
/// The text never holds a stored value, only what kind of value was found.
pub struct DecodeError(Option<Box<Inner>>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    problem: Problem,
    offset: usize,
    /// Steps below the value at `offset`: the name of a missing attribute, for one.
    below: Vec<PathStep>,
    path: Option<AttributePath>,
}

/// What kind of problem a [`DecodeError`] is about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Problem {
    /// The bytes are not JSON: what was expected.
    Syntax(&'static str),
    /// The bytes are not UTF-8.
    Utf8,
    /// Values stand too deep inside one another.
    Depth,
    /// Another kind of value stands there: wanted, found.
    Kind(&'static str, &'static str),
    /// The kind is right, the content is not: the whole sentence.
    Content(&'static str),
    /// The same, made at run time. Must not hold stored values.
    Text(String),
    /// An attribute that can't be null is.
    Null,
    /// An attribute that can't be null is not there.
    Missing,
}

impl DecodeError {
    pub(crate) fn new(problem: Problem, offset: usize) -> Self {
        Self(Some(Box::new(Inner { problem, offset, below: Vec::new(), path: None })))
    }

    /// The sign by which a decoder asks to be run again because the names of an object come in another order. Never seen
    /// outside [`read_object`](super::read_object).
    pub(super) const REORDERED: Self = Self(None);

    pub(super) fn is_reordered(&self) -> bool {
        self.0.is_none()
    }

    /// What the decoder of a model that did not compile returns; it never runs.
    #[doc(hidden)]
    pub fn stub() -> Self {
        Self::new(Problem::Content("the model did not compile"), 0)
    }

    pub(super) fn below(mut self, name: &'static str) -> Self {
        if let Some(inner) = &mut self.0 {
            inner.below.insert(0, PathStep::Attribute(name.into()));
        }
        self
    }

    /// The same error with its path, found by walking `text`, the document it came from.
    pub(crate) fn located_in(mut self, text: &str, is_map: impl Fn(&[PathStep]) -> bool) -> Self {
        if let Some(inner) = &mut self.0 {
            let mut steps = super::json::path_at(text, inner.offset, is_map);
            steps.append(&mut inner.below);
            inner.path = Some(steps.into_iter().collect());
        }
        self
    }

    /// Where in the resource the problem is, if that is known.
    pub fn path(&self) -> Option<&AttributePath> {
        self.0.as_ref()?.path.as_ref()
    }

    /// At which byte of the input the problem was found.
    pub fn offset(&self) -> usize {
        self.0.as_ref().map_or(0, |inner| inner.offset)
    }

    /// The problem alone, without path and position.
    pub fn problem(&self) -> String {
        let Some(inner) = &self.0 else { return "names come in another order".to_owned() };
        match &inner.problem {
            Problem::Syntax(expected) => format!("not valid JSON: expected {expected}"),
            Problem::Utf8 => "not valid UTF-8".to_owned(),
            Problem::Depth => format!("more than {} values inside one another", super::json::MAX_DEPTH),
            Problem::Kind(wanted, found) => format!("expected {wanted}, found {found}"),
            Problem::Content(sentence) => (*sentence).to_owned(),
            Problem::Text(sentence) => sentence.clone(),
            Problem::Null => "the stored value is null, but the model's field always has a value".to_owned(),
            Problem::Missing => "the stored state has no such attribute, but the model's field always has a value".to_owned(),
        }
    }

    /// What an author or user can do about it, where that is known.
    pub fn remedy(&self) -> Option<&'static str> {
        match self.0.as_ref()?.problem {
            Problem::Null | Problem::Missing => Some("If it can be null in real states, make the field an `Option`."),
            _ => None,
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.path().filter(|path| !path.is_empty()) {
            write!(f, "{path}: ")?;
        }
        write!(f, "{} (byte {})", self.problem(), self.offset())
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DecodeError").field(&self.to_string()).finish()
    }
}

impl Clone for DecodeError {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl PartialEq for DecodeError {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Error for DecodeError {}

/// Why a value could not be encoded: a number that is not finite has no form in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodeError {
    pub(crate) path: AttributePath,
}

impl EncodeError {
    /// Where the value stands.
    pub fn path(&self) -> &AttributePath {
        &self.path
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str("a number that is not finite cannot be stored")
    }
}

impl Error for EncodeError {}
