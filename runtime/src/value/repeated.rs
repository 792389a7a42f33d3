//! Members that come twice, in values of documents that are read without their types.
//!
//! The reader of a type refuses the second one of a field, of a tag and of a variant; of a key of a
//! map and in any JSON the last one counts. An older version has no such reader, so that its values
//! are looked at here, to be refused as they are in the current version.

use std::collections::HashSet;

use crate::codec::json::{Kind, Reader};
use crate::codec::{DecodeError, Problem};
use crate::schema::Tagging;
use crate::schema::table::{Stored, StoredRows, Table, UnionTable};

type Result<T> = std::result::Result<T, DecodeError>;

/// True if a member may come once only, and the values that it holds, if that is known.
type Member = (bool, Option<&'static Stored>);

/// Passes the value that comes next, unless something in it comes twice that may not.
pub(super) fn refuse_repeated(reader: &mut Reader<'_>, stored: Option<&Stored>) -> Result<()> {
    match (stored, reader.peek()?) {
        (Some(&Stored::Object(table)), Kind::Object) => {
            members(reader, &|name| member_of(table, name))
        }
        // As a struct is read from an array.
        (Some(&Stored::Object(table)), Kind::Array) => elements(reader, &|index| {
            let name = table.document?.names.get(index)?;
            member_of(table, name).1
        }),
        (Some(&Stored::Map(element)), Kind::Object) => members(reader, &|_| (false, Some(element))),
        (Some(&(Stored::List(element) | Stored::Set(element))), Kind::Array) => {
            elements(reader, &|_| Some(element))
        }
        (Some(&Stored::Tuple(types)), Kind::Array) => {
            elements(reader, &|index| types.get(index).copied())
        }
        (Some(&Stored::Union(union)), _) => variant(reader, union),
        (
            Some(
                Stored::Object(_)
                | Stored::Map(_)
                | Stored::List(_)
                | Stored::Set(_)
                | Stored::Tuple(_)
                | Stored::Bool
                | Stored::String
                | Stored::Number
                | Stored::Dynamic
                | Stored::Json,
            )
            | None,
            _,
        ) => reader.skip(),
    }
}

/// The member of this name of a struct.
pub(super) fn member_of(table: &'static Table, name: &str) -> Member {
    let stored = table.aliased(name).unwrap_or(name);
    let mut rows = StoredRows::of(table);
    while let Some(row) = rows.next() {
        if row.name == stored {
            return (true, Some(&row.info.stored));
        }
    }
    let latest = table.latest();
    // Otherwise flattened fields may take it, which are not known where a variant holds no struct.
    let may_be_of_part = latest.defined_at.is_none()
        || latest
            .document
            .is_some_and(|document| document.parts.has(name));
    (may_be_of_part, None)
}

fn members(reader: &mut Reader<'_>, member: &dyn Fn(&str) -> Member) -> Result<()> {
    reader.open_object()?;
    let mut names = HashSet::new();
    while let Some(name) = reader.next_member(names.is_empty())? {
        reader.peek()?;
        let start = reader.position();
        let (is_single, held) = member(&name);
        if !names.insert(name) && is_single {
            return Err(DecodeError::new(Problem::Repeated, start));
        }
        refuse_repeated(reader, held)?;
    }
    Ok(())
}

fn elements(
    reader: &mut Reader<'_>,
    held: &dyn Fn(usize) -> Option<&'static Stored>,
) -> Result<()> {
    reader.open_array()?;
    let mut index = 0;
    while reader.next_element(index == 0)? {
        refuse_repeated(reader, held(index))?;
        index += 1;
    }
    Ok(())
}

fn variant(reader: &mut Reader<'_>, union: &'static UnionTable) -> Result<()> {
    let tagging = Tagging::parse(union.tagging).unwrap_or(Tagging::Untagged);
    let tag = match &tagging {
        Tagging::External => None,
        Tagging::Internal(tag) | Tagging::Adjacent(tag, _) => Some(&**tag),
        Tagging::Untagged => {
            reader.refuse_repeated_members()?;
            return untagged(reader, union);
        }
    };
    let kind = reader.peek()?;
    let held = if kind == Kind::Object {
        tagged(reader, union, tag)?
    } else {
        None
    };
    if held.is_none() && union.variants.iter().any(|row| row.is_untagged) {
        return untagged(reader, union);
    }
    match (tagging, kind) {
        (Tagging::External, Kind::Object) => {
            members(reader, &|name| (true, content_of(union, name)))
        }
        (Tagging::Internal(tag), Kind::Object) => members(reader, &|name| {
            if name == tag {
                (true, None)
            } else {
                beside_tag(held, name)
            }
        }),
        (Tagging::Adjacent(tag, content), Kind::Object) => members(reader, &|name| {
            if name == content {
                (true, held)
            } else {
                (name == tag, None)
            }
        }),
        (Tagging::Adjacent(..), Kind::Array) => pair(reader, union),
        (
            Tagging::External | Tagging::Internal(_) | Tagging::Adjacent(..) | Tagging::Untagged,
            _,
        ) => reader.skip(),
    }
}

/// The content of the variant with a tag of this name.
fn content_of(union: &'static UnionTable, name: &str) -> Option<&'static Stored> {
    union
        .variants
        .iter()
        .find(|row| !row.is_untagged && (row.name == name || row.aliases.contains(&name)))
        .map(|row| &row.info.stored)
}

/// The content of the variant that the object which comes next tells. Stays where it is.
fn tagged(
    reader: &mut Reader<'_>,
    union: &'static UnionTable,
    tag: Option<&str>,
) -> Result<Option<&'static Stored>> {
    let start = reader.mark();
    reader.open_object()?;
    let (mut first, mut held) = (true, None);
    while let Some(name) = reader.next_member(std::mem::take(&mut first))? {
        match tag {
            None => held = held.or_else(|| content_of(union, &name)),
            Some(tag) if tag == name && held.is_none() && reader.peek()? == Kind::String => {
                held = content_of(union, &reader.string()?);
                continue;
            }
            Some(_) => {}
        }
        reader.skip()?;
    }
    reader.rewind(start);
    Ok(held)
}

/// The member of this name of what a variant holds beside its tag.
fn beside_tag(held: Option<&'static Stored>, name: &str) -> Member {
    match held {
        Some(&Stored::Object(table)) => member_of(table, name),
        Some(&Stored::Map(element)) => (false, Some(element)),
        Some(Stored::Tuple(_) | Stored::Json | Stored::Dynamic) | None => (false, None),
        // Because the members of an enum depend on its own tag; the others are no objects.
        Some(
            Stored::Union(_)
            | Stored::List(_)
            | Stored::Set(_)
            | Stored::Bool
            | Stored::String
            | Stored::Number,
        ) => (true, None),
    }
}

/// Passes an array of the name of a variant and its content.
fn pair(reader: &mut Reader<'_>, union: &'static UnionTable) -> Result<()> {
    reader.open_array()?;
    let (mut first, mut held) = (true, None);
    while reader.next_element(first)? {
        if std::mem::take(&mut first) && reader.peek()? == Kind::String {
            held = content_of(union, &reader.string()?);
        } else {
            refuse_repeated(reader, held)?;
        }
    }
    Ok(())
}

/// Passes a value of a variant without a tag.
fn untagged(reader: &mut Reader<'_>, union: &'static UnionTable) -> Result<()> {
    let kind = reader.peek()?;
    let start = reader.mark();
    let are_all = !union.variants.iter().any(|row| row.is_untagged);
    for row in union
        .variants
        .iter()
        .filter(|row| (are_all || row.is_untagged) && fits(&row.info.stored, kind))
    {
        // Because only the type knows which of them it is, what one of them refuses is refused.
        refuse_repeated(reader, Some(&row.info.stored))?;
        reader.rewind(start);
    }
    reader.skip()
}

/// True if JSON of this kind may be such a value.
fn fits(stored: &Stored, kind: Kind) -> bool {
    match stored {
        Stored::Object(_) => matches!(kind, Kind::Object | Kind::Array),
        Stored::Map(_) => kind == Kind::Object,
        Stored::List(_) | Stored::Set(_) | Stored::Tuple(_) => kind == Kind::Array,
        Stored::Bool | Stored::String | Stored::Number => {
            !matches!(kind, Kind::Object | Kind::Array)
        }
        Stored::Dynamic | Stored::Json | Stored::Union(_) => true,
    }
}
