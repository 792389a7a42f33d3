//! Finding type, version and attributes in a document.

use std::borrow::Cow;
use std::ops::Range;

use upstate::__internal::{FoundMembers, Kind, Reader};
use upstate::{DecodeError, Diagnostic, DiagnosticCode, Diagnostics};

use super::format::Format;
use super::text::of_decoder;

/// The parts of a document other than its attributes, and the place of those.
#[derive(Debug, Default)]
pub(super) struct Located<'a> {
    pub(super) version: Option<u64>,
    pub(super) type_name: Option<Cow<'a, str>>,
    /// The byte range of the attributes, if they have a member of their own.
    pub(super) attributes: Option<Range<usize>>,
    /// The byte ranges of a flat document that are not attributes, those of the version and the
    /// type, separators included; empty without them.
    pub(super) beside: [Range<usize>; 2],
    /// The names of members that the format does not know, in a document whose attributes have a
    /// member of their own.
    pub(super) unknown: Vec<String>,
    /// The attributes of a flat document, if all of them were met and none has an escape in its
    /// name.
    pub(super) members: Option<FoundMembers<'a>>,
    /// True if a flat document was not read to its end, because all that was wanted had been found.
    pub(super) ended_early: bool,
}

/// A member of the document's outermost object.
struct Member<'a> {
    name: Cow<'a, str>,
    name_at: usize,
    /// The offset behind the member before this one, or behind the opening brace.
    after: usize,
}

/// Finds them, and where each attribute is if the document is not of the version `current`.
pub(super) fn locate<'a>(
    format: &Format<'_>,
    json: &'a [u8],
    current: Option<u64>,
) -> Result<Located<'a>, Diagnostics> {
    /// The room for members, which most documents need no more than.
    const ROOM: usize = 16;
    let mut reader = Reader::from_bytes(json).map_err(|error| unreadable(&error, format))?;
    let mut found = Located {
        members: current
            .filter(|_| format.attributes.is_none())
            .map(|_| FoundMembers {
                text: reader.text(),
                all: Vec::with_capacity(ROOM),
            }),
        ..Located::default()
    };
    let mut finder = Finder {
        format,
        current,
        kept: false,
        found: &mut found,
    };
    match finder.look_through(&mut reader) {
        Ok(()) => Ok(found),
        Err(Problem::Json(error)) => Err(unreadable(&error, format)),
        Err(Problem::Member(diagnostic)) => Err(diagnostic.into()),
    }
}

enum Problem {
    Json(DecodeError),
    Member(Diagnostic),
}

impl From<DecodeError> for Problem {
    fn from(error: DecodeError) -> Self {
        Self::Json(error)
    }
}

struct Finder<'f, 'a> {
    format: &'f Format<'f>,
    /// The version of documents whose attributes need not be found.
    current: Option<u64>,
    /// True if a member was met that stays in a flat document.
    kept: bool,
    found: &'f mut Located<'a>,
}

impl<'a> Finder<'_, 'a> {
    fn look_through(&mut self, reader: &mut Reader<'a>) -> Result<(), Problem> {
        match reader.peek()? {
            Kind::Object => {}
            Kind::Null => {
                return Err(problem(&format!(
                    "expected an object, found null{}",
                    at(self.format, 0)
                )));
            }
            Kind::Bool | Kind::Number | Kind::String | Kind::Array => {
                return Err(reader.unexpected("an object").into());
            }
        }
        reader.open_object()?;
        let mut after = reader.position();
        let mut first = true;
        while let Some(name) = reader.next_member(first)? {
            if self.has_all() {
                self.found.members = self.rest(reader, name);
                self.found.ended_early = self.found.members.is_none();
                return Ok(());
            }
            first = false;
            let member = Member {
                name,
                name_at: reader.name_position(),
                after,
            };
            reader.peek()?;
            self.member(reader, &member)?;
            after = reader.position();
        }
        reader.end()?;
        Ok(())
    }

    /// A flat document that says the rest of what is wanted has been heard: a second member of the
    /// same name would be met by the model's decoder, which does not know it either.
    fn has_all(&self) -> bool {
        self.format.attributes.is_none()
            && self.found.version.is_some()
            && (self.format.type_name.is_none() || self.found.type_name.is_some())
    }

    /// The attributes, of which this one comes next, if some were found before. Whatever is unusual
    /// is left to the decoder, which says what is wrong.
    fn rest(&mut self, reader: &mut Reader<'a>, next: Cow<'a, str>) -> Option<FoundMembers<'a>> {
        let mut found = self.found.members.take()?;
        if found.all.is_empty() {
            return None;
        }
        let mut next = Some(next);
        while let Some(Cow::Borrowed(name)) = next {
            if name == self.format.version || Some(name) == self.format.type_name {
                return None;
            }
            reader.peek().ok()?;
            let start = reader.position();
            reader.skip().ok()?;
            found.all.push((name, start..reader.position()));
            next = reader.next_member(false).ok()?;
        }
        reader.end().ok()?;
        next.is_none().then_some(found)
    }

    fn member(&mut self, reader: &mut Reader<'a>, member: &Member<'a>) -> Result<(), Problem> {
        let (name, start) = (member.name.as_ref(), reader.position());
        let is_version = name == self.format.version;
        if is_version {
            let version = read_version(reader, name, self.format)?;
            once(name, self.found.version.is_some())?;
            self.found.version = Some(version);
            if self.current == Some(version) {
                self.found.members = None;
            }
        } else if Some(name) == self.format.type_name {
            if reader.peek()? != Kind::String {
                return Err(problem(&format!(
                    "its member {name:?} must be a string, the name of its type{}",
                    at(self.format, start)
                )));
            }
            once(name, self.found.type_name.is_some())?;
            self.found.type_name = Some(reader.string()?);
        } else if Some(name) == self.format.attributes {
            reader.skip()?;
            once(name, self.found.attributes.is_some())?;
            self.found.attributes = Some(start..reader.position());
            return Ok(());
        } else {
            reader.skip()?;
            self.kept = true;
            if self.format.attributes.is_some() {
                self.found.unknown.push(name.to_owned());
            }
            match (&mut self.found.members, &member.name) {
                (Some(found), Cow::Borrowed(name)) => {
                    found.all.push((name, start..reader.position()));
                }
                (members, Cow::Owned(_)) => *members = None,
                (None, Cow::Borrowed(_)) => {}
            }
            return Ok(());
        }
        // The separator before it goes with it if something that stays was there before, otherwise
        // the one behind it.
        let separator = comma(
            reader.text(),
            if self.kept {
                member.after
            } else {
                reader.position()
            },
        );
        let range = match (self.kept, separator) {
            (true, Some(before)) => before..reader.position(),
            (false, Some(behind)) => member.name_at..behind + 1,
            (_, None) => member.name_at..reader.position(),
        };
        let [version, type_name] = &mut self.found.beside;
        *(if is_version { version } else { type_name }) = range;
        Ok(())
    }
}

/// The first of these names that an object has a member of; none if it cannot be read, which its
/// decoder says better.
pub(super) fn first_of<'n>(object: &[u8], names: &[Option<&'n str>]) -> Option<&'n str> {
    let mut reader = Reader::from_bytes(object).ok()?;
    if reader.peek().ok()? != Kind::Object {
        return None;
    }
    reader.open_object().ok()?;
    let mut first = true;
    while let Some(found) = reader.next_member(std::mem::take(&mut first)).ok()? {
        let name = names.iter().copied().flatten().find(|name| *name == found);
        if name.is_some() {
            return name;
        }
        reader.peek().ok()?;
        reader.skip().ok()?;
    }
    None
}

fn once(name: &str, already: bool) -> Result<(), Problem> {
    if already {
        Err(Problem::Member(repeated(name)))
    } else {
        Ok(())
    }
}

/// The place of the next comma, if there is one.
fn comma(text: &str, from: usize) -> Option<usize> {
    let rest = text.as_bytes().get(from..)?;
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    let blanks = rest.iter().position(|byte| !is_blank(byte))?;
    (rest.get(blanks) == Some(&b',')).then_some(from + blanks)
}

/// A version is a whole number, or a string of its digits.
fn read_version(reader: &mut Reader<'_>, name: &str, format: &Format<'_>) -> Result<u64, Problem> {
    let start = reader.position();
    let version = match reader.peek()? {
        Kind::Number => digits(reader.number()?),
        Kind::String => digits(&reader.string()?),
        Kind::Null | Kind::Bool | Kind::Array | Kind::Object => None,
    };
    version.ok_or_else(|| {
        problem(&format!(
            "its member {name:?} must be a whole number from 0 up, the schema version it was stored with{}",
            at(format, start)
        ))
    })
}

fn digits(text: &str) -> Option<u64> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}

const UNREADABLE: &str = "Unable to Read Document";

fn problem(what: &str) -> Problem {
    let diagnostic = Diagnostic::error(UNREADABLE, format!("The document can't be read: {what}."));
    Problem::Member(diagnostic.coded(DiagnosticCode::WrongKind))
}

pub(super) fn repeated(name: &str) -> Diagnostic {
    let detail = format!("The document can't be read: it has the member {name:?} more than once.");
    Diagnostic::error(UNREADABLE, detail).coded(DiagnosticCode::Repeated)
}

/// The byte of a problem, for the end of a message. Offsets in the JSON of another syntax would
/// mislead.
fn at(format: &Format<'_>, byte: usize) -> String {
    if format.syntax.facts().is_json {
        format!(" (byte {byte})")
    } else {
        String::new()
    }
}

#[cold]
fn unreadable(error: &DecodeError, format: &Format<'_>) -> Diagnostics {
    let detail = format!(
        "The document can't be read: {}{}.",
        error.problem(),
        at(format, error.offset())
    );
    of_decoder(error, UNREADABLE, detail).into()
}

#[cold]
pub(super) fn without_version(member: &str) -> Diagnostics {
    let detail = format!("The document has no member {member:?} with its schema version.");
    let remedy = "If an early release wrote documents without one, say which version those are: \
                  `--unversioned 0` on the command line, `Format::unversioned(0)` in a program.";
    Diagnostic::error("Document Without Version", detail)
        .coded(DiagnosticCode::Null)
        .with_remedy(remedy)
        .into()
}

#[cold]
pub(super) fn without_attributes(member: &str) -> Diagnostics {
    let detail = format!(
        "The document can't be read: it has no member {member:?}, where its attributes should be."
    );
    Diagnostic::error(UNREADABLE, detail)
        .coded(DiagnosticCode::Null)
        .into()
}

#[cold]
pub(super) fn without_object(member: &str) -> Diagnostics {
    let detail = format!(
        "The document can't be read: its member {member:?}, where its attributes should be, is not an object."
    );
    Diagnostic::error(UNREADABLE, detail)
        .coded(DiagnosticCode::WrongKind)
        .into()
}

#[cold]
pub(super) fn without_type(member: Option<&str>) -> Diagnostics {
    let detail = match member {
        Some(member) => format!("The document has no member {member:?} with its type."),
        None => "The document format has no member with the type of a document.".to_owned(),
    };
    Diagnostic::error("Document Without Type", detail)
        .coded(DiagnosticCode::Null)
        .into()
}

#[cold]
pub(super) fn other_type(found: &str, wanted: &str) -> Diagnostics {
    let shown: String = found.chars().take(100).collect();
    let detail = format!("The document is of the type {shown:?} and is read as {wanted:?}.");
    let remedy = format!(
        "Read it as {shown:?}; if an earlier release called {wanted:?} so, the program must name it (`Format::former_types`)."
    );
    Diagnostic::error("Document of Another Type", detail)
        .coded(DiagnosticCode::UnknownType)
        .with_remedy(remedy)
        .into()
}
