//! The problems that stored bytes can have, and their places.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::path::{AttributePath, Container, PathStep};

/// The problem for which stored bytes could not be decoded, with its attribute and its byte.
///
/// Building one costs nothing until something fails; the path is found by walking the document once
/// more. The text never holds a stored value, only what kind of value was found.
pub struct DecodeError(Option<Box<Inner>>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    problem: Problem,
    /// Nothing if the bytes that it counts are not those that were given.
    offset: Option<usize>,
    /// Steps below the value at `offset`: the name of a missing attribute, for one.
    below: Vec<PathStep>,
    path: Option<AttributePath>,
    /// True if a value of a plain type is at the path, and it is not secret.
    is_open: bool,
}

/// The kind of problem of a [`DecodeError`], for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The bytes are not of the encoding, or not UTF-8.
    Syntax,
    /// Values stand too deep inside one another.
    Depth,
    /// The value is of another kind.
    WrongKind,
    /// A string or number that is not a bool.
    BadBool,
    /// A string that is not a number, a number of too many digits, or one that the field's type
    /// cannot hold.
    BadNumber,
    /// An attribute that the type does not define, where only defined ones are taken.
    UndefinedAttribute,
    /// A tuple of another length.
    TupleLength,
    /// A dynamic value that is not an object with `type` and `value`.
    BadDynamic,
    /// Dynamic elements of one collection that have several types.
    MixedElements,
    /// Null, or nothing, where the model always has a value.
    Null,
    /// A string that the field's own type does not accept.
    BadText,
    /// A member of a document that is there twice.
    RepeatedMember,
    /// A name that is not one of an enum's variants.
    UnknownVariant,
}

impl DecodeErrorKind {
    /// The code of a diagnostic about it.
    pub(crate) fn code(self) -> DiagnosticCode {
        match self {
            Self::Syntax => DiagnosticCode::Syntax,
            Self::Depth => DiagnosticCode::TooDeep,
            Self::WrongKind => DiagnosticCode::WrongKind,
            Self::BadBool => DiagnosticCode::BadBool,
            Self::BadNumber => DiagnosticCode::BadNumber,
            Self::UndefinedAttribute => DiagnosticCode::Undefined,
            Self::TupleLength => DiagnosticCode::WrongLength,
            Self::BadDynamic | Self::MixedElements => DiagnosticCode::BadDynamic,
            Self::Null => DiagnosticCode::Null,
            Self::BadText => DiagnosticCode::BadText,
            Self::RepeatedMember => DiagnosticCode::Repeated,
            Self::UnknownVariant => DiagnosticCode::UnknownVariant,
        }
    }
}

/// A kind, and the sentence that says what exactly. Never holds stored values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Problem {
    /// The bytes are not JSON: what was expected.
    Syntax(&'static str),
    Utf8,
    /// UTF-16, by the mark at its beginning.
    Utf16,
    /// A byte order mark at the beginning.
    ByteOrderMark,
    Depth,
    /// Another kind of value is there: wanted, found.
    Kind(&'static str, &'static str),
    /// A kind of error other than [`DecodeErrorKind::WrongKind`]: what was expected and found.
    Unfit(DecodeErrorKind, &'static str, &'static str),
    /// A whole sentence.
    Content(DecodeErrorKind, &'static str),
    /// A kind of error with a message made at run time.
    Text(DecodeErrorKind, String),
    /// The words of a model's author about a value; not shown if the attribute is sensitive.
    Author(String),
    /// A string that is not what is named, and why, in the words of the type that reads it: those
    /// may quote the string, and are not shown with the rest.
    Unread(String, String),
    /// A value that serde does not read as a type of this name, and why, in serde's words, which
    /// may quote the value.
    Serde(DecodeErrorKind, String, String),
    /// An attribute that can't be null is.
    Null,
    /// An attribute that can't be null is not there.
    Missing,
    /// A member of a document comes twice.
    Repeated,
    /// The array that a struct or tuple is read from has fewer or more elements than are wanted:
    /// how many it has, unless it has more and nobody counted them.
    Elements(usize, Option<usize>),
    /// The name of no variant: what is expected.
    Variant(String),
    /// The key of an entry, which the path names, is not what is expected.
    Key(Cow<'static, str>),
}

/// `one of "a", "b"`.
#[cold]
pub(crate) fn one_of<T: fmt::Debug>(texts: impl IntoIterator<Item = T>) -> String {
    let known: Vec<String> = texts.into_iter().map(|text| format!("{text:?}")).collect();
    format!("one of {}", known.join(", "))
}

impl Problem {
    /// The name of none of these variants.
    #[cold]
    pub(crate) fn no_variant<T: fmt::Debug>(names: impl IntoIterator<Item = T>) -> Self {
        Self::Variant(format!("expected {}, found another name", one_of(names)))
    }

    pub(crate) fn kind(&self) -> DecodeErrorKind {
        match self {
            Self::Syntax(_) | Self::Utf8 | Self::Utf16 | Self::ByteOrderMark => {
                DecodeErrorKind::Syntax
            }
            Self::Depth => DecodeErrorKind::Depth,
            Self::Kind(..) => DecodeErrorKind::WrongKind,
            Self::Unfit(kind, ..)
            | Self::Content(kind, _)
            | Self::Text(kind, _)
            | Self::Serde(kind, ..) => *kind,
            Self::Author(_) | Self::Unread(..) | Self::Key(_) => DecodeErrorKind::BadText,
            Self::Null | Self::Missing => DecodeErrorKind::Null,
            Self::Repeated => DecodeErrorKind::RepeatedMember,
            Self::Elements(..) => DecodeErrorKind::TupleLength,
            Self::Variant(_) => DecodeErrorKind::UnknownVariant,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(expected) => write!(f, "not valid JSON: expected {expected}"),
            Self::Utf8 => f.write_str("not valid UTF-8"),
            Self::Utf16 => f.write_str("not UTF-8 but UTF-16, by its byte order mark; save it as UTF-8 without that mark"),
            Self::ByteOrderMark => f.write_str(
                "not valid JSON: it begins with a byte order mark (BOM), which JSON must not have; save it as UTF-8 without one",
            ),
            Self::Depth => write!(f, "more than {} values inside one another", super::json::MAX_DEPTH),
            Self::Kind(wanted, found) | Self::Unfit(_, wanted, found) => write!(f, "expected {wanted}, found {found}"),
            Self::Content(_, sentence) => f.write_str(sentence),
            Self::Text(_, sentence) | Self::Author(sentence) | Self::Serde(_, sentence, _) => f.write_str(sentence),
            Self::Unread(wanted, _) => write!(f, "the stored string is not {wanted}"),
            Self::Null => f.write_str("the stored value is null, but must not be"),
            Self::Missing => f.write_str("the stored state lacks this attribute, which must have a value"),
            Self::Repeated => f.write_str("the member is there twice, by its name or another one that it is read by"),
            Self::Elements(wanted, found) => {
                let noun = if *wanted == 1 { "element" } else { "elements" };
                write!(f, "expected an array with {wanted} {noun}, found ")?;
                match found {
                    Some(found) => write!(f, "{found}"),
                    None => f.write_str("more"),
                }
            }
            Self::Variant(expected) => f.write_str(expected),
            Self::Key(expected) => write!(f, "the key is not {expected}"),
        }
    }
}

/// The words for a value that is of the right kind and not shown.
const ANOTHER: [&str; 3] = ["another number", "another string", "another name"];

/// True if bytes begin with a byte order mark of UTF-16.
pub fn is_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

impl DecodeError {
    pub(crate) fn new(problem: Problem, offset: usize) -> Self {
        Self(Some(Box::new(Inner {
            problem,
            offset: Some(offset),
            below: Vec::new(),
            path: None,
            is_open: false,
        })))
    }

    /// The error that what is at `path` has this problem; at a byte of the input, if that is known.
    pub(crate) fn at(path: AttributePath, problem: Problem, offset: Option<usize>) -> Self {
        Self(Some(Box::new(Inner {
            problem,
            offset,
            below: Vec::new(),
            path: Some(path),
            is_open: false,
        })))
    }

    /// This error for bytes that were read in another encoding, so without an offset.
    pub(crate) fn without_offset(mut self) -> Self {
        if let Some(inner) = &mut self.0 {
            inner.offset = None;
        }
        self
    }

    /// The error that the object at `offset` has no member `name`, which it must have.
    pub(crate) fn missing(name: &str, offset: usize) -> Self {
        let below = vec![PathStep::Attribute(name.to_owned().into())];
        Self(Some(Box::new(Inner {
            problem: Problem::Missing,
            offset: Some(offset),
            below,
            path: None,
            is_open: false,
        })))
    }

    /// The error for bytes that are not UTF-8.
    #[cold]
    pub(crate) fn not_utf8(bytes: &[u8]) -> Self {
        let valid_up_to = match std::str::from_utf8(bytes) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        Self::new(
            if is_utf16(bytes) {
                Problem::Utf16
            } else {
                Problem::Utf8
            },
            valid_up_to,
        )
    }

    /// The sign by which a decoder asks to be run again because the names of an object come in
    /// another order. Never seen outside [`read_object`](super::read_object).
    pub(super) const REORDERED: Self = Self(None);

    pub(super) fn is_reordered(&self) -> bool {
        self.0.is_none()
    }

    /// The error that the decoder of a model that did not compile returns; that decoder never runs.
    #[doc(hidden)]
    pub fn stub() -> Self {
        Self::new(
            Problem::Content(DecodeErrorKind::Syntax, "the model did not compile"),
            0,
        )
    }

    pub(super) fn below(mut self, name: &'static str) -> Self {
        if let Some(inner) = &mut self.0 {
            inner.below.insert(0, PathStep::Attribute(name.into()));
        }
        self
    }

    /// This error with its path, found by walking `text`, the document it came from.
    pub(crate) fn located_in(
        mut self,
        text: &str,
        container: &dyn Fn(&[PathStep]) -> Container,
    ) -> Self {
        if let Some(inner) = &mut self.0 {
            let mut steps = super::json::path_at(text, inner.offset.unwrap_or_default(), container);
            steps.append(&mut inner.below);
            inner.path = Some(steps.into_iter().collect());
        }
        self
    }

    /// This error, its path cut to the steps that may be shown, and without the author's words
    /// about a sensitive value. `visible` says how many steps that are, whether the value is
    /// sensitive, and whether its type is a plain one.
    pub(crate) fn cut(mut self, visible: impl FnOnce(&[PathStep]) -> (usize, bool, bool)) -> Self {
        if let Some(inner) = &mut self.0 {
            let path = inner.path.take().unwrap_or_default();
            let (shown, sensitive, is_plain) = visible(path.steps());
            inner.is_open = is_plain && !sensitive && shown == path.steps().len();
            inner.path = Some(path.truncated(shown));
            if sensitive && matches!(inner.problem, Problem::Author(_)) {
                inner.problem = Problem::Content(
                    DecodeErrorKind::BadText,
                    "the stored value is not one that the attribute's reader takes",
                );
            }
        }
        self
    }

    /// The path of the problem in the resource, if that is known.
    pub fn path(&self) -> Option<&AttributePath> {
        self.0.as_ref()?.path.as_ref()
    }

    /// At which byte of the input the problem was found; 0 if that is not known.
    pub fn offset(&self) -> usize {
        self.known_offset().unwrap_or_default()
    }

    fn known_offset(&self) -> Option<usize> {
        self.0.as_ref()?.offset
    }

    /// The kind of problem.
    pub fn kind(&self) -> DecodeErrorKind {
        self.0
            .as_ref()
            .map_or(DecodeErrorKind::Syntax, |inner| inner.problem.kind())
    }

    /// The kinds of value that were expected and found, if it is a matter of kinds.
    pub(crate) fn kinds(&self) -> Option<(&'static str, &'static str)> {
        match &self.0.as_ref()?.problem {
            Problem::Kind(wanted, found) | Problem::Unfit(_, wanted, found) => {
                Some((wanted, found))
            }
            Problem::Key(Cow::Borrowed(wanted)) => Some((wanted, "another string")),
            Problem::Syntax(_)
            | Problem::Utf8
            | Problem::Utf16
            | Problem::ByteOrderMark
            | Problem::Depth
            | Problem::Content(..)
            | Problem::Text(..)
            | Problem::Author(_)
            | Problem::Unread(..)
            | Problem::Serde(..)
            | Problem::Null
            | Problem::Missing
            | Problem::Repeated
            | Problem::Elements(..)
            | Problem::Variant(_)
            | Problem::Key(_) => None,
        }
    }

    /// The problem alone, without path and position.
    pub fn problem(&self) -> String {
        self.0.as_ref().map_or_else(
            || "names come in another order".to_owned(),
            |inner| inner.problem.to_string(),
        )
    }

    /// True if the error is about an attribute that is not there; its offset is then that of the
    /// object around the attribute.
    pub(crate) fn is_missing(&self) -> bool {
        self.0
            .as_ref()
            .is_some_and(|inner| inner.problem == Problem::Missing)
    }

    /// True if the error is about an attribute that is null or not there, and can't be.
    fn is_nothing(&self) -> bool {
        self.0
            .as_ref()
            .is_some_and(|inner| matches!(inner.problem, Problem::Null | Problem::Missing))
    }

    /// The byte at which the value begins that the problem is one of, if a message may show it.
    pub(crate) fn value_offset(&self) -> Option<usize> {
        let inner = self.0.as_ref().filter(|inner| inner.is_open)?;
        let is_of_value = match &inner.problem {
            Problem::Kind(..) | Problem::Unfit(..) | Problem::Unread(..) => true,
            Problem::Content(kind, _) | Problem::Text(kind, _) => matches!(
                kind,
                DecodeErrorKind::BadBool | DecodeErrorKind::BadNumber | DecodeErrorKind::BadText
            ),
            Problem::Variant(sentence) => ANOTHER.iter().any(|noun| sentence.ends_with(*noun)),
            Problem::Syntax(_)
            | Problem::Utf8
            | Problem::Utf16
            | Problem::ByteOrderMark
            | Problem::Depth
            | Problem::Author(_)
            | Problem::Serde(..)
            | Problem::Null
            | Problem::Missing
            | Problem::Repeated
            | Problem::Elements(..)
            | Problem::Key(_) => false,
        };
        inner.offset.filter(|_| is_of_value)
    }

    /// The problem, with the value that was found.
    pub(crate) fn problem_of(&self, value: &str) -> String {
        let problem = self.problem();
        let begin = ANOTHER.iter().find_map(|noun| problem.strip_suffix(*noun));
        begin.map_or_else(
            || format!("{problem}: {value}"),
            |begin| format!("{begin}{value}"),
        )
    }

    /// The problem of a value that an upgrade made, which is stored nowhere yet.
    pub(crate) fn problem_of_made(&self) -> String {
        if self.is_nothing() {
            return "it is null, but must not be".to_owned();
        }
        let problem = self.problem();
        // Decoders begin their sentences so, because they read stored values only.
        problem
            .strip_prefix("the stored ")
            .map_or_else(|| problem.clone(), |problem| format!("the {problem}"))
    }

    /// The reason why a type or serde did not read a value, in its own words. They may quote the
    /// value: they are for its writer, if it is not sensitive.
    #[doc(hidden)]
    pub fn in_own_words(&self) -> Option<&str> {
        let (Problem::Unread(_, why) | Problem::Serde(_, _, why)) = &self.0.as_ref()?.problem
        else {
            return None;
        };
        Some(why)
    }

    /// True if the problem is reported in the words of a model's author.
    pub(crate) fn is_authors(&self) -> bool {
        self.0
            .as_ref()
            .is_some_and(|inner| matches!(inner.problem, Problem::Author(_)))
    }

    /// The advice for a user, where there is one.
    pub fn remedy(&self) -> Option<&'static str> {
        self.is_nothing()
            .then_some("If nobody edited it, a release stored it so: report this to the authors.")
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.path().filter(|path| !path.is_empty()) {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.problem())?;
        match self.known_offset().filter(|_| !self.is_missing()) {
            Some(offset) => write!(f, " (byte {offset})"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DecodeError")
            .field(&self.to_string())
            .finish()
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

/// The reason why a float may have no form.
pub(super) const NOT_FINITE: &str = "a number that is not finite cannot be stored";

/// The reason why a value could not be encoded: a number that is not finite has no form in JSON,
/// nor has every value of a type of serde.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodeError {
    pub(crate) path: AttributePath,
    pub(crate) why: &'static str,
}

impl EncodeError {
    /// The path of the value.
    pub fn path(&self) -> &AttributePath {
        &self.path
    }

    /// The reason, without the path.
    #[doc(hidden)]
    pub fn problem(&self) -> &'static str {
        self.why
    }

    /// True if a number is not finite.
    #[doc(hidden)]
    pub fn is_not_finite(&self) -> bool {
        self.why == NOT_FINITE
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(self.why)
    }
}

impl Error for EncodeError {}

/// With the path, so that what an upgrade reads on its own fails as what upstate reads.
impl From<DecodeError> for Diagnostics {
    fn from(error: DecodeError) -> Self {
        let diagnostic =
            Diagnostic::error("Unable to Read Previously Saved State", error.to_string())
                .coded(error.kind().code())
                .with_kinds(error.kinds());
        match error.path().filter(|path| !path.is_empty()) {
            Some(path) => diagnostic.at(path.clone()).into(),
            None => diagnostic.into(),
        }
    }
}
