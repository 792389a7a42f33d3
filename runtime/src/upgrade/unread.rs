//! All mistakes of a document that cannot be read. Looked for only once that is known.

use std::collections::BTreeSet;

use super::decode::unreadable_state;
use super::operators::scalar_taken;
use super::subject::Subject;
use crate::codec::json::{Kind, Reader};
use crate::codec::{DecodeError, DecodeErrorKind, Problem, scalar};
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::schema::table::{DocumentTable, Stored, Table};
use crate::schema::{Holds, Node, Presence, Takes};

type Result<T> = std::result::Result<T, DecodeError>;

/// The mistakes that are listed; more are counted.
const MOST: usize = 50;

/// What judges the values of a document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The Rust types of a struct.
    Types,
    /// The kinds of JSON alone, since a version without a struct is not judged by more.
    Kinds,
}

/// The diagnostics for a document that could not be read: the error of its decoder, and all mistakes that are like it.
#[cold]
pub(super) fn unreadable_document(
    error: &DecodeError,
    text: &str,
    table: &'static Table,
    by: By,
    subject: Subject,
) -> Diagnostics {
    let version = table.version;
    let mut found = if table.document().is_some_and(|document| !document.lenient) && error.kind() != DecodeErrorKind::Syntax {
        mistakes(text, table, by)
    } else {
        Vec::new()
    };
    // The decoder decides: where this search does not see what it saw, the search knows the type too little to add to it.
    if !found
        .iter()
        .any(|mistake| (mistake.offset(), mistake.kind(), mistake.path()) == (error.offset(), error.kind(), error.path()))
    {
        return unreadable_state(error, version, subject).into();
    }
    found.sort_by_key(DecodeError::offset);
    let more = found.len().saturating_sub(MOST);
    let listed = found.iter().take(MOST).map(|mistake| unreadable_state(mistake, version, subject));
    listed.chain((more > 0).then(|| too_many(more, version, subject))).collect()
}

/// The diagnostic for so many mistakes more.
fn too_many(count: usize, version: u64, subject: Subject) -> Diagnostic {
    let values = if count == 1 { "1 more value does" } else { &format!("{count} more values do") };
    let detail = format!("In the stored {}, {values} not fit schema version {version}.", subject.noun());
    Diagnostic::error(subject.cannot_read(), detail).coded(DiagnosticCode::Refused)
}

/// Each with its path, as far as that may be shown.
fn mistakes(text: &str, table: &'static Table, by: By) -> Vec<DecodeError> {
    let members = table.schema().block().members();
    let mut reader = Reader::new(text);
    reader.read_exactly();
    let mut search = Search { by, found: Vec::new() };
    match search.object(&mut reader, table) {
        // What is not JSON ends the search: the decoder, which has not come that far, finds it once the mistakes before it are mended.
        Err(error) if error.kind() == DecodeErrorKind::Syntax => {}
        Err(error) => search.found.push(error),
        Ok(()) => {}
    }
    let shown = |error: DecodeError| error.located_in(text, &|steps| members.container_at(steps)).redacted(members);
    search.found.into_iter().map(shown).collect()
}

struct Search {
    by: By,
    found: Vec<DecodeError>,
}

impl Search {
    /// Notes the mistakes of a value and leaves the cursor behind it.
    fn value(&mut self, reader: &mut Reader<'_>, stored: &Stored, holds: &Holds) -> Result<()> {
        reader.peek()?;
        let start = reader.mark();
        match self.look(reader, stored, holds) {
            Err(error) if error.kind() == DecodeErrorKind::Syntax => return Err(error),
            Err(error) => self.found.push(error),
            Ok(true) => return Ok(()),
            Ok(false) => {}
        }
        reader.rewind(start);
        reader.skip()
    }

    /// Says whether the value was read to its end. An error is one of the value as a whole, found at its begin.
    fn look(&mut self, reader: &mut Reader<'_>, stored: &Stored, holds: &Holds) -> Result<bool> {
        let kind = reader.peek()?;
        if kind == Kind::Null && (holds.nullable || self.by == By::Kinds) {
            return Ok(false);
        }
        if self.by == By::Types && (holds.lenient || matches!(holds.takes, Takes::OwnType)) {
            return Ok(false);
        }
        match (stored, kind) {
            (Stored::Object(table), Kind::Object) => self.object(reader, table).map(|()| true),
            // A struct is read from an array, too.
            (Stored::Object(_), Kind::Array) => Ok(false),
            (Stored::List(element) | Stored::Set(element), Kind::Array) => {
                reader.open_array()?;
                let mut first = true;
                while reader.next_element(std::mem::take(&mut first))? {
                    self.value(reader, element, holds.elements.unwrap_or(&Holds::ANYTHING))?;
                }
                Ok(true)
            }
            (Stored::Map(element), Kind::Object) => {
                reader.open_object()?;
                let mut first = true;
                while reader.next_member(std::mem::take(&mut first))?.is_some() {
                    self.value(reader, element, holds.elements.unwrap_or(&Holds::ANYTHING))?;
                }
                Ok(true)
            }
            (Stored::Bool, _) => scalar::bool(reader).map(|_| true),
            (Stored::String | Stored::Number, _) if self.by == By::Types && !matches!(holds.takes, Takes::Anything) => {
                scalar_taken(reader, holds.takes).map(|()| true)
            }
            (Stored::String, _) => scalar::text(reader).map(|_| true),
            (Stored::Number, _) => scalar::number(reader).map(|_| true),
            (Stored::Object(_), _) if self.by == By::Types => Err(reader.unexpected("an object")),
            (Stored::List(_), _) if self.by == By::Types => Err(reader.unexpected("a list")),
            (Stored::Set(_), _) if self.by == By::Types => Err(reader.unexpected("a set")),
            (Stored::Map(_), _) if self.by == By::Types => Err(reader.unexpected("a map")),
            // Only the types themselves know which values these are, or any is taken.
            (
                Stored::Object(_)
                | Stored::List(_)
                | Stored::Set(_)
                | Stored::Map(_)
                | Stored::Tuple(_)
                | Stored::Dynamic
                | Stored::Json
                | Stored::Union(_),
                _,
            ) => Ok(false),
        }
    }

    /// Notes the mistakes of an object's members. An error is that it is none, or not JSON.
    fn object(&mut self, reader: &mut Reader<'_>, table: &'static Table) -> Result<()> {
        if reader.peek()? != Kind::Object {
            return Err(reader.unexpected("an object"));
        }
        let form = table.document().copied().unwrap_or(DocumentTable::EMPTY);
        let begin = reader.position();
        reader.open_object()?;
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut first = true;
        while let Some(found) = reader.next_member(std::mem::take(&mut first))? {
            let name = table.aliased(&found).unwrap_or(&found);
            reader.peek()?;
            match table.rows.iter().find(|row| row.name == name) {
                Some(row) if !seen.insert(row.name) => {
                    self.found.push(DecodeError::new(Problem::Repeated, reader.position()));
                    reader.skip()?;
                }
                Some(row) if self.by == By::Types && row.info.reads.is_some() => reader.skip()?,
                Some(row) => self.value(reader, &row.info.stored, &row.info.holds)?,
                None => {
                    if form.denies_unknown && !form.has_parts {
                        self.found.push(reader.undefined_error(name));
                    }
                    reader.skip()?;
                }
            }
        }
        if self.by == By::Types {
            self.absent(table, &seen, begin);
        }
        Ok(())
    }

    /// Notes the members that an object lacks.
    fn absent(&mut self, table: &'static Table, seen: &BTreeSet<&str>, begin: usize) {
        let members = table.schema().block().members();
        for row in table.rows.iter().filter(|row| !seen.contains(row.name) && row.info.reads.is_none()) {
            let Some(Node::Attribute(attribute)) = members.get(row.name) else { continue };
            let holds = &row.info.holds;
            if attribute.presence() == Presence::Required
                && !attribute.is_filled_in()
                && !holds.nullable
                && !holds.lenient
                && !matches!(holds.takes, Takes::OwnType)
            {
                self.found.push(DecodeError::missing(row.name, begin));
            }
        }
    }
}
