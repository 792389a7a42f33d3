//! A cursor over one JSON text.
//!
//! Everything that decodes JSON here goes through this one concrete type: the derive's decoders,
//! the decoder by schema, the state file reader. It borrows from the text, keeps the source text of
//! numbers, knows its byte offset and can be put back to an earlier one, which decoding by
//! Terraform's rules needs and the usual parsers don't offer together.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::ends::{blanks_end, plain_string_len};
use super::label::Label;
use super::settled::{Settled, Trials, Tried};
use super::skip::value_end;
use super::words::begin_with;

use crate::codec::error::Problem;
use crate::codec::{DecodeError, DecodeErrorKind, UnknownAttributes};

/// The number of arrays and objects that may be nested in one another.
pub(crate) const MAX_DEPTH: u32 = 256;

/// The number of digits that every float keeps, also one of 32 bits.
pub(crate) const FLOAT_DIGITS: usize = 7;

/// The number of digits of a decimal that a float of 64 bits keeps. One of 32 bits may be what a
/// longer decimal was written for.
const DECIMAL_DIGITS: usize = 15;

/// The kind of a JSON value, known from its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    /// The noun that a person uses for a value of this kind.
    #[doc(hidden)]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a bool",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// The text that these bytes are, if they are UTF-8.
#[inline]
pub(crate) fn text_of(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

pub(super) type Result<T> = std::result::Result<T, DecodeError>;

/// The memory of a reader for documents that are out of the ordinary.
#[derive(Default)]
pub(super) struct Notes {
    /// The buffer in which strings with escapes are put together.
    pub(super) scratch: String,
    /// The offsets of sets that had an element more than once.
    repeated: Vec<usize>,
    /// The offsets of values whose names are not defined, and which were therefore skipped.
    undefined: Vec<usize>,
    /// Those of them that an edit cannot keep either, because another value is written in their
    /// place.
    unkept: Vec<usize>,
    /// The offsets of maps that had a key more than once.
    merged: Vec<usize>,
    /// The offsets of values that are not kept digit for digit.
    rounded: Vec<usize>,
    /// The outcomes of trying the variants of values that may be tried again. They are here, and
    /// not in the reader, so that most readers have nothing else to drop.
    settled: Option<HashMap<Tried, Settled<DecodeError>>>,
}

/// A cursor over one JSON text.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are set apart from one another"
)]
pub struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    depth: u32,
    /// The offset of the name of the member read last.
    name_at: usize,
    /// Objects are taken to have their names in byte order until one has not.
    sorted: bool,
    /// True if names that a model does not define are refused.
    strict: bool,
    /// Values are read by the rules of documents and not by Terraform's.
    exact: bool,
    /// A member that is absent is not null.
    leaves_absent: bool,
    /// The values without a tag whose variants are being tried.
    trials: Trials,
    /// The notes that only some documents need; most readers never make them.
    pub(super) notes: Option<Box<Notes>>,
}

impl<'a> Reader<'a> {
    /// A cursor at the start of `text`.
    #[inline]
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            name_at: 0,
            sorted: true,
            strict: false,
            exact: false,
            leaves_absent: false,
            trials: Trials::new(),
            notes: None,
        }
    }

    /// A cursor over `bytes`, which must be UTF-8.
    #[inline]
    #[doc(hidden)]
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self> {
        match text_of(bytes) {
            Some(text) => Ok(Self::new(text)),
            None => Err(DecodeError::not_utf8(bytes)),
        }
    }

    /// This cursor, for decoders that refuse names they do not define.
    pub(crate) fn strict(mut self, undefined: UnknownAttributes) -> Self {
        self.strict = undefined == UnknownAttributes::Deny;
        self
    }

    /// True if values are read by the rules of documents: a string is not a number, and no member
    /// comes twice.
    #[inline]
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    /// Reads by the rules of documents from here on.
    pub(crate) fn read_exactly(&mut self) {
        self.exact = true;
        self.leaves_absent = true;
    }

    /// True if a member that is absent is not null.
    pub(crate) fn leaves_absent(&self) -> bool {
        self.leaves_absent
    }

    /// Leaves absent what is absent, also where values are read by Terraform's rules.
    pub(crate) fn leave_absent(&mut self) {
        self.leaves_absent = true;
    }

    /// True if the cursor is inside of an array or object.
    pub(crate) fn is_inside(&self) -> bool {
        self.depth > 0
    }

    /// The error for a name that a model does not define, if such names are refused; the cursor is
    /// at its value.
    #[inline]
    pub(crate) fn undefined(&mut self, name: &str) -> Result<()> {
        if self.strict {
            return Err(self.undefined_error(name));
        }
        self.note_undefined();
        Ok(())
    }

    #[cold]
    fn note_undefined(&mut self) {
        // If no value follows, reading on says so.
        let _ = self.peek();
        let at = self.at;
        self.notes().undefined.push(at);
    }

    /// Remembers that the value at `offset` is not kept.
    #[cold]
    pub(crate) fn note_undefined_at(&mut self, offset: usize) {
        self.notes().undefined.push(offset);
    }

    /// Remembers that the value at `offset` is not kept, and that an edit cannot keep it either.
    #[cold]
    pub(crate) fn note_unkept_at(&mut self, offset: usize) {
        self.note_undefined_at(offset);
        self.notes().unkept.push(offset);
    }

    /// The offsets of values that were skipped because their names are not defined.
    pub(crate) fn skipped(&self) -> &[usize] {
        self.notes.as_deref().map_or(&[], |notes| &notes.undefined)
    }

    /// Those of them that an edit cannot keep either.
    pub(crate) fn unkept(&self) -> &[usize] {
        self.notes.as_deref().map_or(&[], |notes| &notes.unkept)
    }

    #[cold]
    pub(crate) fn undefined_error(&mut self, name: &str) -> DecodeError {
        // If no value follows, the name is still where the problem is.
        let _ = self.peek();
        let problem = if self.exact {
            format!("no field takes the member {name:?}")
        } else {
            format!("unsupported attribute {name:?}")
        };
        self.error(Problem::Text(DecodeErrorKind::UndefinedAttribute, problem))
    }

    /// The byte offset of the cursor.
    #[doc(hidden)]
    pub fn position(&self) -> usize {
        self.at
    }

    /// The whole text.
    #[doc(hidden)]
    pub fn text(&self) -> &'a str {
        self.text
    }

    #[doc(hidden)]
    pub fn mark(&self) -> Mark {
        Mark {
            at: self.at,
            depth: self.depth,
        }
    }

    #[doc(hidden)]
    pub fn rewind(&mut self, mark: Mark) {
        self.at = mark.at;
        self.depth = mark.depth;
    }

    /// Puts the cursor at the value that starts at `offset`, inside the object or array it is in
    /// now.
    #[doc(hidden)]
    pub fn jump(&mut self, offset: usize) {
        self.at = offset;
    }

    pub(crate) fn expects_sorted(&self) -> bool {
        self.sorted
    }

    pub(crate) fn stop_expecting_sorted(&mut self) {
        self.sorted = false;
    }

    pub(super) fn notes(&mut self) -> &mut Notes {
        self.notes.get_or_insert_default()
    }

    /// True if the reader has notes: it remembers something, or it put a string with escapes
    /// together.
    #[inline]
    pub(crate) fn has_notes(&self) -> bool {
        self.notes.is_some()
    }

    /// Sets aside what is remembered, so that what comes next can be forgotten.
    pub(crate) fn take_notes(&mut self) -> SetAside {
        self.exchange_notes(SetAside(None))
    }

    /// Remembers again what was set aside `before`, and sets aside what came since.
    pub(crate) fn exchange_notes(&mut self, SetAside(before): SetAside) -> SetAside {
        let mut since = std::mem::replace(&mut self.notes, before);
        // Otherwise what values were found to be is forgotten with what was read of them.
        if let Some(settled) = since.as_mut().and_then(|notes| notes.settled.take()) {
            self.notes().settled = Some(settled);
        }
        SetAside(since)
    }

    /// Remembers what was set aside beside what is remembered already.
    pub(crate) fn remember(&mut self, SetAside(since): SetAside) {
        if let Some(since) = since {
            let notes = self.notes();
            notes.repeated.extend(since.repeated);
            notes.undefined.extend(since.undefined);
            notes.unkept.extend(since.unkept);
            notes.merged.extend(since.merged);
            notes.rounded.extend(since.rounded);
        }
    }

    /// Tries to read the value that comes next; if it cannot be read, the cursor stays where it is
    /// and nothing is remembered.
    pub(crate) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (value, notes) = self.attempt_apart(read)?;
        self.remember(notes);
        Ok(value)
    }

    /// Tries to read the value that comes next, and sets aside what is to be remembered of it.
    pub(crate) fn attempt_apart<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(T, SetAside)> {
        let (mark, before) = (self.mark(), self.take_notes());
        let value = read(self);
        let since = self.exchange_notes(before);
        match value {
            Ok(value) => Ok((value, since)),
            Err(error) => {
                self.waste_since(mark.at);
                self.rewind(mark);
                Err(error)
            }
        }
    }

    /// The variants of a value are tried from here on.
    pub(crate) fn begin_trial(&mut self) {
        self.trials.begin();
    }

    /// The variants of that value were tried.
    pub(crate) fn end_trial(&mut self) {
        self.trials.end();
        if let Some(notes) = &mut self.notes
            && !self.trials.is_running()
        {
            // Nothing tries these values again, so that a memory of them would only grow.
            notes.settled = None;
        }
    }

    /// Counts the bytes since `offset` as read without a result.
    pub(crate) fn waste_since(&mut self, offset: usize) {
        self.trials
            .waste(self.at.saturating_sub(offset).saturating_add(1));
    }

    /// Counts what was looked through since `offset` if another variant may look through it again.
    pub(crate) fn waste_tried_since(&mut self, offset: usize) {
        if self.trials.is_running() {
            self.waste_since(offset);
        }
    }

    /// True if so much was read without a result that values inside one another may be the reason.
    pub(crate) fn is_wasteful(&self) -> bool {
        self.trials.are_wasteful(self.text.len())
    }

    /// The outcome of trying the variants of a value before, if it is remembered.
    pub(crate) fn settled(&self, value: impl FnOnce() -> Tried) -> Option<Settled<DecodeError>> {
        let settled = self.notes.as_deref()?.settled.as_ref()?;
        settled.get(&value()).cloned()
    }

    /// Remembers what trying the variants of a value came to, if they may be tried again many
    /// times.
    pub(crate) fn settle(
        &mut self,
        value: impl FnOnce() -> Tried,
        settled: impl FnOnce() -> Settled<DecodeError>,
    ) {
        if self.trials.is_inside() && self.is_wasteful() {
            let known = self.notes().settled.get_or_insert_default();
            known.insert(value(), settled());
        }
    }

    /// Refuses an object that comes next if a member of it comes twice; stays where it is.
    pub(crate) fn refuse_repeated_members(&mut self) -> Result<()> {
        if self.peek()? != Kind::Object {
            return Ok(());
        }
        let start = self.mark();
        self.open_object()?;
        let mut names = std::collections::HashSet::new();
        while let Some(name) = self.next_member(names.is_empty())? {
            self.peek()?;
            if !names.insert(name) {
                return Err(self.error(Problem::Repeated));
            }
            self.skip()?;
        }
        self.waste_tried_since(start.at);
        self.rewind(start);
        Ok(())
    }

    /// Skips the value that comes next. Remembers the objects in it that have a key more than once;
    /// `numbers` are the places of those that a float might not keep.
    pub(crate) fn skip_noting(&mut self, numbers: &mut Vec<Range<usize>>) -> Result<()> {
        match self.peek()? {
            Kind::Object => {
                let start = self.position();
                self.open_object()?;
                let mut names = std::collections::HashSet::new();
                let mut first = true;
                while let Some(name) = self.next_member(first)? {
                    first = false;
                    if !names.insert(name) {
                        self.note_merged(start);
                    }
                    self.skip_noting(numbers)?;
                }
                Ok(())
            }
            Kind::Array => {
                self.open_array()?;
                let mut first = true;
                while self.next_element(first)? {
                    first = false;
                    self.skip_noting(numbers)?;
                }
                Ok(())
            }
            Kind::Number => {
                let start = self.position();
                self.skip()?;
                let place = start..self.position();
                let kept = |digits: &str| {
                    if digits.contains(['.', 'e', 'E']) {
                        DECIMAL_DIGITS
                    } else {
                        FLOAT_DIGITS
                    }
                };
                if self
                    .text
                    .get(place.clone())
                    .is_some_and(|digits| digits.len() > kept(digits))
                {
                    numbers.push(place);
                }
                Ok(())
            }
            Kind::Null | Kind::Bool | Kind::String => self.skip(),
        }
    }

    /// Remembers that the set at `offset` had an element more than once.
    #[cold]
    pub(crate) fn note_repeated(&mut self, offset: usize) {
        self.notes().repeated.push(offset);
    }

    /// The offsets of sets that had an element more than once.
    pub(crate) fn repeated(&self) -> &[usize] {
        self.notes.as_deref().map_or(&[], |notes| &notes.repeated)
    }

    /// Remembers that the map at `offset` had a key more than once.
    #[cold]
    pub(crate) fn note_merged(&mut self, offset: usize) {
        self.notes().merged.push(offset);
    }

    /// Remembers that the integer at `offset` was rounded to a float.
    #[cold]
    pub(crate) fn note_rounded(&mut self, offset: usize) {
        self.notes().rounded.push(offset);
    }

    /// The offsets of maps that had a key more than once.
    pub(crate) fn merged(&self) -> &[usize] {
        self.notes.as_deref().map_or(&[], |notes| &notes.merged)
    }

    /// The offsets of values that are not kept digit for digit.
    pub(crate) fn rounded(&self) -> &[usize] {
        self.notes.as_deref().map_or(&[], |notes| &notes.rounded)
    }

    pub(crate) fn error(&self, problem: Problem) -> DecodeError {
        DecodeError::new(problem, self.at)
    }

    #[cold]
    pub(super) fn syntax(&self, expected: &'static str) -> DecodeError {
        let marked = self.at == 0 && self.text.starts_with('\u{feff}');
        self.error(if marked {
            Problem::ByteOrderMark
        } else {
            Problem::Syntax(expected)
        })
    }

    #[inline]
    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        if let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.skip_more_blanks();
        }
    }

    /// In a state file, most bytes between values are indentation.
    #[inline]
    fn skip_more_blanks(&mut self) {
        self.at = blanks_end(self.text.as_bytes(), self.at + 1);
    }

    /// True if the cursor is at the brace that opens an object. That is sooner known than the kind
    /// of the value that comes next.
    #[inline]
    pub(crate) fn is_at_object(&self) -> bool {
        self.byte() == Some(b'{')
    }

    /// True if the cursor is at the quote that opens a string.
    #[inline]
    pub(crate) fn is_at_string(&self) -> bool {
        self.byte() == Some(b'"')
    }

    /// The kind of the value that comes next. Leaves the cursor at its first byte.
    #[inline]
    pub fn peek(&mut self) -> Result<Kind> {
        self.skip_blanks();
        match self.byte() {
            Some(b'"') => Ok(Kind::String),
            Some(b'n') => Ok(Kind::Null),
            Some(b't' | b'f') => Ok(Kind::Bool),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b'[') => Ok(Kind::Array),
            Some(b'{') => Ok(Kind::Object),
            _ => Err(self.syntax("a value")),
        }
    }

    /// The error for a value of another kind than wanted.
    #[cold]
    #[doc(hidden)]
    pub fn unexpected(&mut self, wanted: &'static str) -> DecodeError {
        match self.peek() {
            Ok(Kind::Null) => self.error(Problem::Null),
            Ok(found) => self.error(Problem::Kind(wanted, found.noun())),
            Err(error) => error,
        }
    }

    #[inline]
    fn word(&mut self, word: &'static str) -> Result<()> {
        if self
            .text
            .as_bytes()
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word.as_bytes()))
        {
            self.at += word.len();
            Ok(())
        } else {
            Err(self.syntax("`null`, `true` or `false`"))
        }
    }

    /// Reads `null`.
    #[doc(hidden)]
    pub fn null(&mut self) -> Result<()> {
        self.word("null")
    }

    /// Reads `null` if it comes next, without blanks; otherwise stays where it is.
    #[inline]
    pub(crate) fn take_null(&mut self) -> bool {
        let rest = self.text.as_bytes().get(self.at..);
        let is_null = rest.is_some_and(|rest| rest.starts_with(b"null"));
        self.at += if is_null { 4 } else { 0 };
        is_null
    }

    /// Reads `true` or `false`.
    #[doc(hidden)]
    pub fn bool(&mut self) -> Result<bool> {
        if self.byte() == Some(b't') {
            self.word("true").map(|()| true)
        } else {
            self.word("false").map(|()| false)
        }
    }

    /// Reads `true` or `false` if one of them comes next, without blanks; otherwise stays where it
    /// is.
    #[inline]
    pub(crate) fn take_bool(&mut self) -> Option<bool> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let value = rest.starts_with(b"true");
        if !value && !rest.starts_with(b"false") {
            return None;
        }
        self.at += if value { 4 } else { 5 };
        Some(value)
    }

    /// Reads a number and gives its source text.
    #[doc(hidden)]
    pub fn number(&mut self) -> Result<&'a str> {
        let start = self.at;
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        match self.byte() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.syntax("a digit")),
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    /// Reads a whole number of few digits if one comes next, without blanks, and ends there;
    /// otherwise stays where it is.
    #[inline]
    pub(crate) fn take_whole(&mut self) -> Option<u64> {
        // As many digits never overflow.
        const MOST: usize = 18;
        let rest = self.text.as_bytes().get(self.at..)?;
        let (mut whole, mut len) = (0, 0);
        for byte in rest {
            match byte {
                b'0'..=b'9' if len < MOST => {
                    whole = whole * 10 + u64::from(byte - b'0');
                    len += 1;
                }
                b',' | b'}' | b']' => break,
                _ => return None,
            }
        }
        if len == 0 || len > 1 && rest.first() == Some(&b'0') {
            return None;
        }
        self.at += len;
        Some(whole)
    }

    #[inline]
    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Result<()> {
        match self.byte() {
            Some(b'0'..=b'9') => {
                self.digits();
                Ok(())
            }
            _ => Err(self.syntax("a digit")),
        }
    }

    fn deeper(&mut self) -> Result<()> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(Problem::Depth));
        }
        self.depth += 1;
        Ok(())
    }

    /// Enters an object; the cursor is at `{`.
    #[doc(hidden)]
    pub fn open_object(&mut self) -> Result<()> {
        self.deeper()?;
        self.at += 1;
        Ok(())
    }

    /// Enters an array; the cursor is at `[`.
    #[doc(hidden)]
    pub fn open_array(&mut self) -> Result<()> {
        self.deeper()?;
        self.at += 1;
        Ok(())
    }

    /// The cursor will be put outside the object or array that it is in.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Moves to the next element, or out of the array if there is none. `first` says whether none
    /// was read yet.
    #[inline]
    #[doc(hidden)]
    pub fn next_element(&mut self, first: bool) -> Result<bool> {
        self.skip_blanks();
        match self.byte() {
            Some(b']') => {
                self.at += 1;
                self.depth -= 1;
                Ok(false)
            }
            Some(b',') if !first => {
                self.at += 1;
                Ok(true)
            }
            Some(_) if first => Ok(true),
            _ => Err(self.syntax("`,` or `]`")),
        }
    }

    /// Moves to the next member's value and gives its name, or moves out of the object.
    #[doc(hidden)]
    pub fn next_member(&mut self, first: bool) -> Result<Option<Cow<'a, str>>> {
        if let Some(name) = self.take_compact_name(first) {
            return Ok(Some(Cow::Borrowed(name)));
        }
        if self.byte() == Some(b'}') {
            self.at += 1;
            self.depth -= 1;
            return Ok(None);
        }
        self.next_member_otherwise(first)
    }

    /// Moves to it if it is not as usual, apart, so that the compiler saves no registers around the
    /// usual ones.
    #[inline(never)]
    fn next_member_otherwise(&mut self, first: bool) -> Result<Option<Cow<'a, str>>> {
        if !self.next_name(first)? {
            return Ok(None);
        }
        self.name_at = self.at;
        let name = self.string()?;
        self.colon()?;
        Ok(Some(name))
    }

    /// Moves to the next member's value and gives its name, if no blanks are around that, it has no
    /// escapes and its end is soon found; otherwise stays where it is.
    #[inline]
    fn take_compact_name(&mut self, first: bool) -> Option<&'a str> {
        let start = self.at + usize::from(!first);
        let bytes = self.text.as_bytes();
        if !first && bytes.get(self.at) != Some(&b',') {
            return None;
        }
        let len = plain_string_len(bytes, start)?;
        if bytes.get(start + len) != Some(&b':') {
            return None;
        }
        let text = self.between_quotes(start, len)?;
        (self.name_at, self.at) = (start, start + len + 1);
        Some(text)
    }

    /// Moves to the next member's value, or out of the object, without a look at the name.
    #[inline]
    fn skip_name(&mut self, first: bool) -> Result<bool> {
        if !self.next_name(first)? {
            return Ok(false);
        }
        self.skip_string()?;
        self.colon()?;
        Ok(true)
    }

    /// The offset of the name that [`Reader::next_member`] gave last, at its opening quote.
    #[doc(hidden)]
    pub fn name_position(&self) -> usize {
        self.name_at
    }

    /// Moves to the quote before the next member's name, or out of the object.
    #[inline]
    fn next_name(&mut self, first: bool) -> Result<bool> {
        self.skip_blanks();
        match self.byte() {
            Some(b'}') => {
                self.at += 1;
                self.depth -= 1;
                return Ok(false);
            }
            Some(b',') if !first => {
                self.at += 1;
                self.skip_blanks();
            }
            Some(_) if first => {}
            _ => return Err(self.syntax("`,` or `}`")),
        }
        if self.byte() == Some(b'"') {
            Ok(true)
        } else {
            Err(self.syntax("a name in quotes"))
        }
    }

    #[inline]
    fn colon(&mut self) -> Result<()> {
        self.skip_blanks();
        if self.byte() == Some(b':') {
            self.at += 1;
            Ok(())
        } else {
            Err(self.syntax("`:`"))
        }
    }

    /// Moves out of the object if it ends here; otherwise stays where it is.
    #[inline]
    pub(crate) fn take_end(&mut self) -> bool {
        self.skip_blanks();
        let ends = self.byte() == Some(b'}');
        if ends {
            self.at += 1;
            self.depth -= 1;
        }
        ends
    }

    /// Moves to the next member's value if that member is called so, and no blanks are around the
    /// name; otherwise stays where it is.
    ///
    /// The way through a document whose names come as expected: no name is put together, nothing
    /// can fail.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "measured: it is most of what a member costs beside its value"
    )]
    pub(crate) fn take_compact_member(&mut self, first: bool, label: &Label) -> bool {
        let Some(len) = label.len_at(self.text.as_bytes(), self.at, first) else {
            return false;
        };
        self.at += len;
        true
    }

    /// Moves to the next member's value if that member is called `name`, whatever blanks there are;
    /// otherwise stays where it is.
    #[inline(never)]
    pub(crate) fn take_member_between_blanks(&mut self, first: bool, name: &str) -> bool {
        let start = self.at;
        self.skip_blanks();
        if !first {
            if self.byte() != Some(b',') {
                self.at = start;
                return false;
            }
            self.at += 1;
            self.skip_blanks();
        }
        if let Some([b'"', inner @ .., b'"']) =
            self.text.as_bytes().get(self.at..self.at + name.len() + 2)
            && begin_with(inner, name.as_bytes())
        {
            self.at += name.len() + 2;
            self.skip_blanks();
            if self.byte() == Some(b':') {
                self.at += 1;
                return true;
            }
        }
        self.at = start;
        false
    }

    /// Moves to the next member's value if that member is called `name`; otherwise gives its name,
    /// or nothing at the end.
    #[inline]
    pub(crate) fn next_member_if(&mut self, first: bool, name: &str) -> Result<NextMember<'a>> {
        if !self.next_name(first)? {
            return Ok(NextMember::End);
        }
        let rest = self.text.as_bytes().get(self.at + 1..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix(name.as_bytes())
            && after.first() == Some(&b'"')
        {
            self.at += name.len() + 2;
            self.colon()?;
            return Ok(NextMember::Wanted);
        }
        let other = self.string()?;
        self.colon()?;
        Ok(if other == name {
            NextMember::Wanted
        } else {
            NextMember::Other(other)
        })
    }

    /// Moves past the value that comes next, checking that it is JSON.
    pub fn skip(&mut self) -> Result<()> {
        // Most values that are passed are a string, whose end is sooner found without levels.
        if let Some(len) = plain_string_len(self.text.as_bytes(), self.at) {
            self.at += len;
            return Ok(());
        }
        match value_end(self.text.as_bytes(), self.at, MAX_DEPTH - self.depth) {
            Some(end) => {
                self.at = end;
                Ok(())
            }
            None => self.skip_closely(),
        }
    }

    /// Goes step by step to where something is wrong.
    #[cold]
    pub(super) fn skip_closely(&mut self) -> Result<()> {
        let floor = self.depth;
        // One bit for each open bracket: set for an object.
        let mut objects = [0_u64; MAX_DEPTH as usize / 64];
        let mut bit = |depth: u32, set: Option<bool>| -> bool {
            let index = (depth - 1) as usize;
            let Some(word) = objects.get_mut(index / 64) else {
                return false;
            };
            let mask = 1 << (index % 64);
            match set {
                Some(true) => *word |= mask,
                Some(false) => *word &= !mask,
                None => {}
            }
            *word & mask != 0
        };
        let mut first = false;
        loop {
            match self.peek()? {
                Kind::Null => self.null()?,
                Kind::Bool => drop(self.bool()?),
                Kind::Number => drop(self.number()?),
                Kind::String => self.skip_string()?,
                Kind::Array => {
                    self.open_array()?;
                    bit(self.depth, Some(false));
                    first = true;
                }
                Kind::Object => {
                    self.open_object()?;
                    bit(self.depth, Some(true));
                    first = true;
                }
            }
            loop {
                if self.depth == floor {
                    return Ok(());
                }
                let more = if bit(self.depth, None) {
                    self.skip_name(first)?
                } else {
                    self.next_element(first)?
                };
                first = false;
                if more {
                    break;
                }
            }
        }
    }

    /// Checks that nothing but blanks follows.
    #[doc(hidden)]
    pub fn end(&mut self) -> Result<()> {
        self.skip_blanks();
        if self.byte().is_none() {
            Ok(())
        } else {
            Err(self.syntax("the end of the document"))
        }
    }
}

__debug_parts! {
    /// Says where it is, not what it reads: stored values may be secrets.
    Reader<'_> |self| {
        len: self.text.len(),
        at: self.at,
    }
}

/// The memory of a reader, set aside.
pub(crate) struct SetAside(Option<Box<Notes>>);

impl SetAside {
    /// True if all of the text was kept.
    pub(crate) fn is_whole(&self) -> bool {
        self.0.as_deref().is_none_or(|notes| {
            [
                &notes.repeated,
                &notes.undefined,
                &notes.merged,
                &notes.rounded,
            ]
            .iter()
            .all(|offsets| offsets.is_empty())
        })
    }
}

/// A place in the text to come back to.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    at: usize,
    depth: u32,
}

impl Mark {
    /// The byte offset of the place.
    pub(crate) fn position(self) -> usize {
        self.at
    }
}

/// The item that [`Reader::next_member_if`] met: a member or the end of the object.
#[derive(Debug)]
pub(crate) enum NextMember<'a> {
    /// The wanted member; the cursor is at its value.
    Wanted,
    /// Another member; the cursor is at its value.
    Other(Cow<'a, str>),
    /// The end of the object; the cursor is behind it.
    End,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_at_once_and_step_by_step() {
        let parts = [
            "\"",
            "\"a\"",
            "\"é\"",
            "\"sixteen letters and more\"",
            "\\n",
            "\\",
            ",",
            ":",
            " ",
            "}",
            "\u{1}",
        ];
        let mut texts = vec![String::new()];
        for from in 0..1_500 {
            texts.extend(parts.map(|part| format!("{}{part}", texts[from])));
        }
        // Because near the end of the text no whole block is left to look at.
        let behind = ["", "1}", "1                                        }"];
        let texts = texts
            .iter()
            .flat_map(|text| behind.map(|end| format!("{text}{end}")));
        let place = |reader: &Reader<'_>| (reader.at, reader.depth, reader.name_at);
        let mut names = 0;
        for text in texts {
            for first in [true, false] {
                let (mut reader, mut other) = (Reader::new(&text), Reader::new(&text));
                (reader.depth, other.depth) = (1, 1);
                let name = reader.next_member(first);
                let expected = other.next_member_otherwise(first);
                assert_eq!(name, expected, "{text}");
                if let Ok(name) = name {
                    names += usize::from(name.is_some());
                    assert_eq!(place(&reader), place(&other), "{text}");
                }
            }
        }
        assert!(names > 1_000, "{names}");
    }

    #[test]
    fn bytes_are_utf8_or_not_from_the_same_one_on_as_for_the_standard_library() {
        // Some of each are longer than what is looked at many bytes at a time.
        for len in [0, 5, 63, 64, 65, 127, 200] {
            for at in 0..=len {
                for part in [
                    b"\xc3\xa9".as_slice(),
                    b"\xf0\x9f\x9a\xa2",
                    b"\xff",
                    b"\x80",
                    b"\xc3",
                    b"\xf0\x9f\x9a",
                    b"\xc0\xaf",
                    b"\xe2\x82 \xff",
                    b"\xed\xa0\x80",
                    b"\xf4\x90\x80\x80",
                ] {
                    let mut bytes = vec![b'a'; len];
                    bytes.splice(at..at, part.iter().copied());
                    let error = Reader::from_bytes(&bytes).err();
                    let expected = std::str::from_utf8(&bytes).err();
                    assert_eq!(
                        error.map(|error| error.offset()),
                        expected.map(|error| error.valid_up_to()),
                        "{part:x?} at {at} of {len}"
                    );
                }
            }
        }
    }

    #[test]
    fn variants_are_known_while_notes_are_set_aside() {
        let [one, other] = [1, 2].map(|start| move || Tried::whole::<u8>(start));
        let is_known = |reader: &Reader<'_>, value: &dyn Fn() -> Tried| {
            matches!(reader.settled(value), Some(Settled::Variant(7)))
        };
        let mut reader = Reader::new("{}");
        reader.begin_trial();
        reader.settle(one, || Settled::Variant(7));
        assert!(!reader.has_notes(), "one value alone is not tried again");
        reader.begin_trial();
        reader.settle(one, || Settled::Variant(7));
        assert!(!reader.has_notes(), "little was read in vain");
        reader.trials.waste(usize::MAX);
        reader.settle(one, || Settled::Variant(7));
        reader.note_undefined_at(3);
        let before = reader.take_notes();
        assert!(is_known(&reader, &one));
        assert!(reader.skipped().is_empty());
        reader.settle(other, || Settled::Variant(7));
        reader.note_undefined_at(4);
        let since = reader.exchange_notes(before);
        assert!(is_known(&reader, &one) && is_known(&reader, &other));
        assert_eq!(reader.skipped(), [3]);
        reader.remember(since);
        assert_eq!(reader.skipped(), [3, 4]);
        reader.end_trial();
        assert!(is_known(&reader, &one) && is_known(&reader, &other));
        reader.end_trial();
        assert!(!is_known(&reader, &one) && !is_known(&reader, &other));
        assert_eq!(reader.skipped(), [3, 4]);
    }
}
