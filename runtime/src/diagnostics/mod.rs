//! Diagnostics: errors and warnings for the person who runs an upgrade.
//!
//! The shape is the one of the Terraform plugin protocol: severity, one-line summary, a detail that
//! may be long, and the path of the attribute concerned. A diagnostic must never hold the value of
//! a sensitive attribute.

mod code;

use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use ::serde::ser::SerializeStruct;
use ::serde::{Serialize, Serializer};

pub use code::DiagnosticCode;

use crate::path::AttributePath;

/// The severity of a [`Diagnostic`]. Only errors make an upgrade fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The upgrade fails and the stored state stays as it is.
    Error,
    /// Worth a person's attention; the upgrade goes on.
    Warning,
}

/// One message for the person who runs an upgrade.
///
/// ```
/// use upstate::{AttributePath, Diagnostic};
///
/// let problem = Diagnostic::error("Unknown Size", "The size must be one of small, large.")
///     .at(AttributePath::new().attribute("size"));
/// assert_eq!(problem.to_string(), "error: Unknown Size (at size)\nThe size must be one of small, large.");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    severity: Severity,
    summary: String,
    detail: String,
    path: Option<AttributePath>,
    /// True if the path is one of what operators make, not of what they read.
    made: bool,
    /// True if the diagnostic is an author's string, which has no summary of its own.
    is_text: bool,
    /// Boxed, so that an error stays small; `None` if there are none.
    facts: Option<Box<Facts>>,
}

/// The advice where a downgrade cannot make what was stored.
pub(crate) const RESTORE: &str =
    "Restore a copy from before the upgrade, if nothing has changed since then.";

const NONE: Facts = Facts {
    code: None,
    kinds: None,
    remedy: None,
    authors: None,
};

/// The parts that programs ask for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Facts {
    code: Option<DiagnosticCode>,
    /// The kinds of value that were expected and found.
    kinds: Option<(&'static str, &'static str)>,
    /// The advice, which is a part of the detail.
    remedy: Option<String>,
    /// The sentence for the authors of the resource, which is a part of the detail.
    authors: Option<String>,
}

impl Diagnostic {
    fn new(severity: Severity, summary: String, detail: String) -> Self {
        Self {
            severity,
            summary,
            detail,
            path: None,
            made: false,
            is_text: false,
            facts: None,
        }
    }

    /// An error: the upgrade fails.
    #[must_use]
    pub fn error(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Severity::Error, summary.into(), detail.into())
    }

    /// The error that an upgrader is wrong.
    #[doc(hidden)]
    #[must_use]
    pub fn bug(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::error(summary, detail)
            .coded(DiagnosticCode::Bug)
            .with_remedy("This is a bug in the upgrader: report it to the authors.")
    }

    /// A warning: shown, and the upgrade goes on.
    #[must_use]
    pub fn warning(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Severity::Warning, summary.into(), detail.into())
    }

    /// Sets the path of the attribute concerned.
    #[must_use]
    pub fn at(mut self, path: AttributePath) -> Self {
        self.path = Some(path);
        self
    }

    /// Adds what to do about it, as the last sentence of the detail.
    #[must_use]
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        let remedy = remedy.into();
        self.add_sentence(&remedy);
        self.facts().remedy = Some(remedy);
        self
    }

    /// Sets what to do about it where the detail says so already, in words that are the author's
    /// own.
    pub(crate) fn with_remedy_in_detail(mut self, remedy: impl Into<String>) -> Self {
        self.facts().remedy = Some(remedy.into());
        self
    }

    /// Adds a sentence that only the authors of the resource can act on, at the end of the detail.
    #[must_use]
    pub fn for_authors(mut self, sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        self.add_sentence(&sentence);
        self.facts().authors = Some(sentence);
        self
    }

    /// Sets the reason, for programs.
    #[doc(hidden)]
    #[must_use]
    pub fn coded(mut self, code: DiagnosticCode) -> Self {
        self.facts().code = Some(code);
        self
    }

    /// Sets which kinds of value were expected and found.
    pub(crate) fn with_kinds(mut self, kinds: Option<(&'static str, &'static str)>) -> Self {
        if kinds.is_some() {
            self.facts().kinds = kinds;
        }
        self
    }

    /// This diagnostic with each of its strings changed, so that code which hides, shortens or
    /// heads them keeps the rest.
    #[doc(hidden)]
    #[must_use]
    pub fn with_texts(
        &self,
        summary: impl Into<String>,
        detail: impl Into<String>,
        remedy: impl FnOnce(&str) -> String,
    ) -> Self {
        let facts = self.facts.as_deref().map(|facts| {
            Box::new(Facts {
                remedy: facts.remedy.as_deref().map(remedy),
                authors: facts.authors.clone(),
                ..*facts
            })
        });
        Self {
            severity: self.severity,
            summary: summary.into(),
            detail: detail.into(),
            path: self.path.clone(),
            made: false,
            is_text: false,
            facts,
        }
    }

    /// This diagnostic without its path.
    #[doc(hidden)]
    #[must_use]
    pub fn without_path(&self) -> Self {
        Self {
            path: None,
            ..self.clone()
        }
    }

    /// Notes whether the path is one of what operators make. Only for the way from an operator to
    /// its upgrader.
    pub(crate) fn set_made(&mut self, made: bool) {
        self.made = made;
    }

    /// True if the path is one of what operators make.
    pub(crate) fn is_made(&self) -> bool {
        self.made
    }

    /// The severity: an error, or a warning.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The one-line heading.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// The problem in detail, and the advice; may span lines, may be empty.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The attribute concerned, if one is.
    pub fn path(&self) -> Option<&AttributePath> {
        self.path.as_ref()
    }

    /// The sentence that only the authors of the resource can act on, which the detail says, too.
    pub fn authors(&self) -> Option<&str> {
        self.facts.as_ref()?.authors.as_deref()
    }

    fn facts(&mut self) -> &mut Facts {
        self.facts.get_or_insert_default()
    }

    /// The reason, for programs; `None` if it is a diagnostic of an author's own.
    pub fn code(&self) -> Option<DiagnosticCode> {
        self.facts.as_ref()?.code
    }

    /// The advice, which the detail says, too.
    pub fn remedy(&self) -> Option<&str> {
        self.facts.as_ref()?.remedy.as_deref()
    }

    /// Adds a sentence to the detail.
    pub(crate) fn add_sentence(&mut self, sentence: &str) {
        if !self.detail.is_empty() {
            self.detail.push(' ');
        }
        self.detail.push_str(sentence);
    }

    /// Adds a paragraph to the detail.
    pub(crate) fn add_paragraph(&mut self, paragraph: &str) {
        if !self.detail.is_empty() {
            self.detail.push_str("\n\n");
        }
        self.detail.push_str(paragraph);
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}", self.summary)?;
        if let Some(path) = self.path.as_ref().filter(|path| !path.is_empty()) {
            write!(f, " (at {path})")?;
        }
        if !self.detail.is_empty() {
            write!(f, "\n{}", self.detail)?;
        }
        Ok(())
    }
}

/// `{"severity": "error" or "warning", "code": …, "summary": …, "detail": …, "path": …, "expected": …, "found": …, "remedy": …, "authors": …}`,
/// without what is not known or does not apply: as `--format json` prints it.
impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let path = self
            .path
            .as_ref()
            .filter(|path| !path.is_empty())
            .map(ToString::to_string);
        let Facts {
            code,
            kinds,
            remedy,
            authors,
        } = self.facts.as_deref().unwrap_or(&NONE);
        let (expected, found) = kinds.unzip();
        let there = [
            code.is_some(),
            path.is_some(),
            expected.is_some(),
            found.is_some(),
            remedy.is_some(),
            authors.is_some(),
        ];
        let mut row = serializer.serialize_struct(
            "Diagnostic",
            3 + there.iter().filter(|there| **there).count(),
        )?;
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        row.serialize_field("severity", severity)?;
        optional(&mut row, "code", code.as_ref())?;
        row.serialize_field("summary", &self.summary)?;
        row.serialize_field("detail", &self.detail)?;
        optional(&mut row, "path", path.as_ref())?;
        optional(&mut row, "expected", expected.as_ref())?;
        optional(&mut row, "found", found.as_ref())?;
        optional(&mut row, "remedy", remedy.as_ref())?;
        optional(&mut row, "authors", authors.as_ref())?;
        row.end()
    }
}

/// A member that is there if its value is.
fn optional<S: SerializeStruct>(
    row: &mut S,
    name: &'static str,
    value: Option<&impl Serialize>,
) -> Result<(), S::Error> {
    match value {
        Some(value) => row.serialize_field(name, value),
        None => row.skip_field(name),
    }
}

/// A list of [`Diagnostic`]s.
impl Serialize for Diagnostics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.list())
    }
}

/// Diagnostics in the order they were found. An exact repeat is kept once.
///
/// A [`Diagnostic`], a string and a `Box<dyn Error + Send + Sync>` convert into it with `?`; any
/// other error does through its message, `map_err(|error| error.to_string())?`.
#[derive(Clone, Default)]
pub struct Diagnostics {
    /// Behind a pointer, because most functions of an upgrade may return some, and hardly any call
    /// does.
    found: Option<Box<Found>>,
}

#[derive(Clone, Default)]
struct Found {
    list: Vec<Diagnostic>,
    /// The index of each diagnostic by its hash, once there are many: so a repeat is found without
    /// a look at each.
    known: Option<HashMap<u64, usize>>,
}

impl PartialEq for Diagnostics {
    fn eq(&self, other: &Self) -> bool {
        self.list() == other.list()
    }
}

impl Eq for Diagnostics {}

/// Shows no hashes, because they say nothing that the list does not.
impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Diagnostics")
            .field("list", &self.list())
            .finish()
    }
}

fn hash(diagnostic: &Diagnostic) -> u64 {
    let mut hasher = DefaultHasher::new();
    diagnostic.hash(&mut hasher);
    hasher.finish()
}

impl Diagnostics {
    /// No diagnostics.
    #[must_use]
    pub const fn new() -> Self {
        Self { found: None }
    }

    fn list(&self) -> &[Diagnostic] {
        self.found.as_ref().map_or(&[], |found| &found.list)
    }

    fn into_list(self) -> Vec<Diagnostic> {
        self.found.map(|found| found.list).unwrap_or_default()
    }

    /// Adds a diagnostic unless the same one is there already.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        /// The number of diagnostics from which on a repeat is found by its hash; fewer are looked
        /// at one by one.
        const FEW: usize = 16;
        let Found { list, known } = &mut **self.found.get_or_insert_default();
        let is_known = if list.len() < FEW {
            list.contains(&diagnostic)
        } else {
            let places = || list.iter().map(hash).zip(0..).collect();
            let at = *known
                .get_or_insert_with(places)
                .entry(hash(&diagnostic))
                .or_insert(list.len());
            // Two hashes may be the same by chance.
            at < list.len() && (list.get(at) == Some(&diagnostic) || list.contains(&diagnostic))
        };
        if !is_known {
            list.push(diagnostic);
        }
    }

    /// All of them, to change them.
    fn change(&mut self) -> &mut Vec<Diagnostic> {
        let found = self.found.get_or_insert_default();
        found.known = None;
        &mut found.list
    }

    /// Adds all of `other`, in order.
    pub fn append(&mut self, other: Diagnostics) {
        for diagnostic in other {
            self.push(diagnostic);
        }
    }

    /// True if one of the diagnostics is an error.
    pub fn has_errors(&self) -> bool {
        self.iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Keeps the first `len` of them.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.change().truncate(len);
    }

    /// The number of diagnostics.
    pub fn len(&self) -> usize {
        self.list().len()
    }

    /// True if there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.list().is_empty()
    }

    /// Goes through them in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list().iter()
    }

    /// Puts the errors that are only an author's string under this summary.
    pub(crate) fn head_texts(&mut self, heading: &str) {
        for diagnostic in self
            .change()
            .iter_mut()
            .filter(|diagnostic| diagnostic.is_text)
        {
            heading.clone_into(&mut diagnostic.summary);
        }
    }

    /// Puts the errors under one summary under another.
    pub(crate) fn head_again(&mut self, from: &str, to: &str) {
        if from != to {
            for diagnostic in self
                .change()
                .iter_mut()
                .filter(|diagnostic| diagnostic.summary == from)
            {
                to.clone_into(&mut diagnostic.summary);
            }
        }
    }

    /// Says of errors that are only an author's string what they are: `begin` is the sentence
    /// before it.
    pub(crate) fn frame_texts(&mut self, begin: &str) {
        for diagnostic in self
            .change()
            .iter_mut()
            .filter(|diagnostic| diagnostic.is_text)
        {
            let written = diagnostic.detail.trim_end();
            let end = if written.ends_with(['.', '!', '?']) {
                ""
            } else {
                "."
            };
            diagnostic.detail = format!("{begin}: {written}{end}");
            diagnostic.is_text = false;
        }
    }

    /// Adds to each the advice of [`RESTORE`], and a sentence that only the authors of the resource
    /// can act on.
    pub(crate) fn restored(mut self, authors: &str) -> Self {
        let list = self.change();
        *list = std::mem::take(list)
            .into_iter()
            .map(|one| one.with_remedy(RESTORE).for_authors(authors))
            .collect();
        self
    }

    /// Adds a paragraph to the detail of each.
    pub(crate) fn add_paragraph(&mut self, paragraph: &str) {
        for diagnostic in self.change() {
            diagnostic.add_paragraph(paragraph);
        }
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list().iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_list().into_iter()
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(diagnostics: I) -> Self {
        let mut all = Self::new();
        for diagnostic in diagnostics {
            all.push(diagnostic);
        }
        all
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, diagnostic) in self.iter().enumerate() {
            if position > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl Error for Diagnostics {}
impl Error for Diagnostic {}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        let found = Found {
            list: vec![diagnostic],
            known: None,
        };
        Self {
            found: Some(Box::new(found)),
        }
    }
}

impl From<Infallible> for Diagnostics {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// The heading under which an upgrade's own error text appears, as in the reference framework.
pub(crate) const UPGRADE_FAILED: &str = "Unable to Upgrade Resource State";

impl From<String> for Diagnostics {
    fn from(text: String) -> Self {
        Diagnostic {
            is_text: true,
            ..Diagnostic::error(UPGRADE_FAILED, text)
        }
        .coded(DiagnosticCode::Author)
        .into()
    }
}

impl From<&str> for Diagnostics {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Box<dyn Error + Send + Sync>> for Diagnostics {
    fn from(error: Box<dyn Error + Send + Sync>) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            text.push_str(": ");
            text.push_str(&inner.to_string());
            cause = inner.source();
        }
        text.into()
    }
}

/// Errors of the standard library, so that `?` takes what files and numbers answer.
macro_rules! from_std {
    ($($error:ty),+) => {$(
        impl From<$error> for Diagnostics {
            fn from(error: $error) -> Self {
                Box::<dyn Error + Send + Sync>::from(error).into()
            }
        }
    )+};
}

from_std!(
    std::io::Error,
    std::num::ParseFloatError,
    std::num::ParseIntError,
    std::num::TryFromIntError,
    std::str::ParseBoolError,
    std::str::Utf8Error,
    std::string::FromUtf8Error
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_repeat_is_dropped_and_any_difference_is_kept() {
        let base = || Diagnostic::error("s", "d");
        let path = |name: &'static str| AttributePath::new().attribute(name);
        let all: Diagnostics = [
            base(),
            base(),
            Diagnostic::warning("s", "d"),
            Diagnostic::error("s", "d2"),
            base().at(path("a")),
            base().at(path("a")),
            base().at(path("b")),
        ]
        .into_iter()
        .collect();
        assert_eq!(all.len(), 5);
        assert!(all.has_errors());
        assert!(!Diagnostics::from(Diagnostic::warning("s", "d")).has_errors());
    }

    #[test]
    fn errors_of_the_standard_library_are_diagnostics() {
        fn read(text: &str) -> Result<u8, Diagnostics> {
            let number: i64 = text.parse()?;
            Ok(number.try_into()?)
        }
        let detail = |text: &str| {
            read(text)
                .unwrap_err()
                .iter()
                .next()
                .map(|diagnostic| diagnostic.detail().to_owned())
        };
        assert_eq!(
            detail("x").as_deref(),
            Some("invalid digit found in string")
        );
        assert_eq!(
            detail("300").as_deref(),
            Some("out of range integral type conversion attempted")
        );
        let missing = std::io::Error::other(std::io::Error::other("the disk is gone"));
        assert_eq!(
            Diagnostics::from(missing).to_string(),
            Diagnostics::from("the disk is gone").to_string()
        );
    }

    #[test]
    fn a_repeat_is_found_among_many_however_they_were_changed() {
        let one = |index: u32| Diagnostic::error("s", index.to_string());
        let mut all: Diagnostics = (0..50_000).chain(0..50_000).map(one).collect();
        assert_eq!(all.len(), 50_000);
        all.add_paragraph("more");
        all.push(one(7));
        all.push(one(7));
        all.push({
            let mut changed = one(7);
            changed.add_paragraph("more");
            changed
        });
        assert_eq!(all.len(), 50_001);
        all.truncate(20);
        all.push(one(49_999));
        assert_eq!(all.len(), 21);
    }

    #[test]
    fn a_heading_is_put_over_texts_and_not_over_what_has_one() {
        let mut all = Diagnostics::from("the disk is full");
        all.push(Diagnostic::error(
            UPGRADE_FAILED,
            "an author's own diagnostic",
        ));
        all.head_texts("Unable to Move Resource State");
        let summaries: Vec<&str> = all.iter().map(Diagnostic::summary).collect();
        assert_eq!(summaries, ["Unable to Move Resource State", UPGRADE_FAILED]);
    }

    #[test]
    fn diagnostics_are_written_as_programs_read_them() {
        let mut all = Diagnostics::from(
            Diagnostic::error("s", "d").at(AttributePath::new().attribute("a").index(1)),
        );
        all.push(Diagnostic::warning("t", ""));
        let expected = serde_json::json!([
            {"severity": "error", "summary": "s", "detail": "d", "path": "a[1]"},
            {"severity": "warning", "summary": "t", "detail": ""},
        ]);
        assert_eq!(serde_json::to_value(&all).unwrap(), expected);
    }

    #[test]
    fn boxed_errors_keep_their_causes() {
        let error: Box<dyn Error + Send + Sync> = "seven".parse::<i64>().unwrap_err().into();
        let all = Diagnostics::from(error);
        assert_eq!(
            all.to_string(),
            "error: Unable to Upgrade Resource State\ninvalid digit found in string"
        );
    }
}
