//! Going through a state file's JSON: what has the wrong kind is noted and skipped, so that all
//! problems come together.

use std::borrow::Cow;
use std::ops::Range;

use upstate::__internal::{Kind, Reader};
use upstate::DecodeError;

use super::braces;
use super::error::{Found, MAX_PROBLEMS};

pub(super) struct Scanner<'t> {
    pub(super) reader: Reader<'t>,
    pub(super) problems: Vec<Found>,
    pub(super) attributes: Look,
}

/// The care with which attributes are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// All of them are JSON.
    Closely,
    /// Attributes that are laid out over lines are passed by their braces: it is only known where
    /// they end, if they are JSON.
    ForBraces,
    /// Some that it is only known of where they end will not be looked at again: the file has to be
    /// read closely.
    Lost,
}

/// Only what is not JSON stops reading.
pub(super) type Scanned<T> = Result<T, DecodeError>;

/// A member's value: where its name begins, and the value's byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) name_at: usize,
    pub(super) range: Range<usize>,
    /// True if the value is known to be JSON. If not, `range` is the place where it would be.
    pub(super) is_json: bool,
}

impl Slot {
    /// True if the value is JSON.
    pub(super) fn is_json(&self, text: &str) -> bool {
        self.is_json || {
            let mut reader = Reader::new(text.get(self.range.clone()).unwrap_or_default());
            reader.skip().and_then(|()| reader.end()).is_ok()
        }
    }
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self::looking(text, Look::Closely)
    }

    pub(super) fn looking(text: &'t str, attributes: Look) -> Self {
        Self {
            reader: Reader::new(text),
            problems: Vec::new(),
            attributes,
        }
    }

    /// Says that attributes which may have been passed by their braces will not be looked at again.
    pub(super) fn lose(&mut self) {
        if self.attributes == Look::ForBraces {
            self.attributes = Look::Lost;
        }
    }

    pub(super) fn problem(&mut self, range: Range<usize>, message: impl Into<String>) {
        self.note(Found {
            range,
            message: message.into(),
            secret: false,
        });
    }

    /// A problem with something that may be a secret.
    pub(super) fn secret_problem(&mut self, range: Range<usize>, message: impl Into<String>) {
        self.note(Found {
            range,
            message: message.into(),
            secret: true,
        });
    }

    fn note(&mut self, found: Found) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(found);
        }
    }

    /// The offset at which the next value begins.
    pub(super) fn start(&mut self) -> Scanned<usize> {
        self.reader.peek()?;
        Ok(self.reader.position())
    }

    /// Skips the next value, and returns its place.
    pub(super) fn skip(&mut self) -> Scanned<Range<usize>> {
        let start = self.start()?;
        self.reader.skip()?;
        Ok(start..self.reader.position())
    }

    pub(super) fn slot(&mut self) -> Scanned<Slot> {
        Ok(Slot {
            name_at: self.reader.name_position(),
            range: self.skip()?,
            is_json: true,
        })
    }

    /// Passes attributes as closely as they are looked at.
    pub(super) fn attributes_slot(&mut self) -> Scanned<Slot> {
        let (name_at, start) = (self.reader.name_position(), self.start()?);
        let bytes = self.reader.text().as_bytes();
        if self.attributes == Look::ForBraces
            && braces::is_laid_out(bytes, start)
            && let Some(end) = braces::object_end(bytes, start)
        {
            self.reader.jump(end);
            return Ok(Slot {
                name_at,
                range: start..end,
                is_json: false,
            });
        }
        self.slot()
    }

    /// True if the next value is of this kind; if not, that is noted and the value skipped.
    pub(super) fn is(&mut self, kind: Kind, what: &str) -> Scanned<bool> {
        let found = self.reader.peek()?;
        if found == kind {
            return Ok(true);
        }
        let range = self.skip()?;
        // Whatever it is and wherever it was meant to stand, it may hold values.
        let secret = found != Kind::Null;
        let message = format!("{what} must be {}, found {}", kind.noun(), found.noun());
        self.note(Found {
            range,
            message,
            secret,
        });
        Ok(false)
    }

    /// True if a member has this kind, for members that may be null, which is then skipped: null
    /// means that it is missing.
    fn is_or_null(&mut self, kind: Kind, what: &str) -> Scanned<bool> {
        if self.reader.peek()? == Kind::Null {
            self.reader.null()?;
            return Ok(false);
        }
        self.is(kind, what)
    }

    /// Goes through the members of the object that comes next. Names are matched without regard to
    /// letter case, as Go does.
    pub(super) fn members(
        &mut self,
        what: &str,
        mut member: impl FnMut(&mut Self, &str) -> Scanned<()>,
    ) -> Scanned<bool> {
        if !self.is(Kind::Object, what)? {
            return Ok(false);
        }
        self.reader.open_object()?;
        let mut first = true;
        while let Some(name) = self.reader.next_member(first)? {
            first = false;
            if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
                member(self, &name.to_ascii_lowercase())?;
            } else {
                member(self, &name)?;
            }
        }
        Ok(true)
    }

    /// Goes through the members of a map, whose names are data; null means an empty one.
    pub(super) fn entries(
        &mut self,
        what: &str,
        mut entry: impl FnMut(&mut Self, Cow<'t, str>) -> Scanned<()>,
    ) -> Scanned<()> {
        if !self.is_or_null(Kind::Object, what)? {
            return Ok(());
        }
        self.reader.open_object()?;
        let mut first = true;
        while let Some(name) = self.reader.next_member(first)? {
            first = false;
            entry(self, name)?;
        }
        Ok(())
    }

    /// Goes through the elements of the array that comes next; null means an empty one.
    pub(super) fn elements(
        &mut self,
        what: &str,
        mut element: impl FnMut(&mut Self) -> Scanned<()>,
    ) -> Scanned<()> {
        if !self.is_or_null(Kind::Array, what)? {
            return Ok(());
        }
        self.reader.open_array()?;
        let mut first = true;
        while self.reader.next_element(first)? {
            first = false;
            element(self)?;
        }
        Ok(())
    }

    /// A string, and its place; null means an empty one.
    pub(super) fn text(&mut self, what: &str) -> Scanned<(Cow<'t, str>, Range<usize>)> {
        let start = self.start()?;
        let text = if self.is_or_null(Kind::String, what)? {
            self.reader.string()?
        } else {
            Cow::Borrowed("")
        };
        Ok((text, start..self.reader.position()))
    }

    /// A whole number that is not negative, and its place.
    pub(super) fn unsigned(&mut self, what: &str) -> Scanned<Option<(u64, Range<usize>)>> {
        if !self.is(Kind::Number, what)? {
            return Ok(None);
        }
        let start = self.reader.position();
        let digits = self.reader.number()?;
        let range = start..self.reader.position();
        if let Ok(number) = digits.parse() {
            return Ok(Some((number, range)));
        }
        self.problem(
            range,
            format!(
                "{what} must be a whole number of at most 64 bits, found {}",
                shortened(digits)
            ),
        );
        Ok(None)
    }

    /// A whole number that is not negative; null means 0.
    pub(super) fn unsigned_or_null(&mut self, what: &str) -> Scanned<Option<(u64, Range<usize>)>> {
        if self.reader.peek()? != Kind::Null {
            return self.unsigned(what);
        }
        let start = self.reader.position();
        self.reader.null()?;
        Ok(Some((0, start..self.reader.position())))
    }

    /// Passes null if that comes next, which leaves the value of an earlier member of the same
    /// name, as in Go.
    pub(super) fn passes_null(&mut self) -> Scanned<bool> {
        let is_null = self.reader.peek()? == Kind::Null;
        if is_null {
            self.reader.null()?;
        }
        Ok(is_null)
    }

    /// A bool; null means false.
    pub(super) fn bool(&mut self, what: &str) -> Scanned<bool> {
        if self.is_or_null(Kind::Bool, what)? {
            self.reader.bool()
        } else {
            Ok(false)
        }
    }
}

/// A number of any length, fit for a message.
fn shortened(digits: &str) -> String {
    match digits.get(..24) {
        Some(front) if digits.len() > 24 => format!("{front}…"),
        _ => digits.to_owned(),
    }
}
