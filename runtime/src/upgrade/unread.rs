//! All mistakes of what is stored and cannot be read. Looked for only once that is known.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::operators::{is_needed, scalar_taken};
use crate::codec::json::{Kind, Reader, write_string};
use crate::codec::{DecodeError, DecodeErrorKind, Problem, one_of, scalar};
use crate::schema::table::{DocumentTable, Row, Stored, Table, TypeInfo, UnionTable, VariantRow};
use crate::schema::{Holds, Members, Node, Tagging, Takes};

type Result<T> = std::result::Result<T, DecodeError>;

/// The judge of the values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The Rust types of a struct.
    Types,
    /// The Rust types that a version's table knows, also those inside of enums and tuples: for a
    /// version that may have no struct, which would judge them itself.
    Contents,
    /// The kinds of JSON alone, since a version without a struct is not judged by more.
    Kinds,
}

/// All mistakes, in their order in the text. None is located yet, because finding a path reads the
/// text from its beginning.
#[cold]
pub(super) fn mistakes(text: &str, table: &'static Table, by: By) -> Vec<DecodeError> {
    let mut reader = Reader::new(text);
    if table.is_read_exactly() {
        reader.read_exactly();
    }
    let mut search = Search {
        by,
        in_document: table.document.is_some(),
        found: Vec::new(),
    };
    match search.object(&mut reader, table) {
        // Text that is not JSON ends the search: the decoder, which has not come that far, finds it
        // once the mistakes before it are mended.
        Err(error) if error.kind() == DecodeErrorKind::Syntax => {}
        Err(error) => search.found.push(error),
        Ok(()) => {}
    }
    search.found.sort_by_key(DecodeError::offset);
    search.found
}

struct Search {
    by: By,
    /// A document's rules hold for it, though it may be read as leniently as a state.
    in_document: bool,
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

    /// Says whether the value was read to its end. An error is one of the value as a whole, found
    /// at its begin.
    fn look(&mut self, reader: &mut Reader<'_>, stored: &Stored, holds: &Holds) -> Result<bool> {
        let kind = reader.peek()?;
        if kind == Kind::Null && (holds.nullable || self.by == By::Kinds) {
            return Ok(false);
        }
        let by_types = self.by != By::Kinds;
        if self.by == By::Contents && !holds.lenient {
            if let Stored::Union(union) = stored {
                return self.variant(reader, union).map(|()| false);
            }
            if let Stored::Tuple(elements) = stored {
                return self.tuple(reader, elements, holds).map(|()| false);
            }
            if let Some(decode) = holds.decodes {
                return decode(reader).map(|()| false);
            }
        }
        if by_types && (holds.lenient || matches!(holds.takes, Takes::OwnType)) {
            return Ok(false);
        }
        // A document's value of another kind is kept as it is, and judged by the model alone.
        let by_kind = by_types || !self.in_document;
        match (stored, kind) {
            (Stored::Object(table), Kind::Object) => self.object(reader, table).map(|()| true),
            // A document's struct is read from an array, too.
            (Stored::Object(_), Kind::Array) if self.in_document => Ok(false),
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
                while let Some(key) = reader.next_member(std::mem::take(&mut first))? {
                    self.entry(reader, &key, element, holds)?;
                }
                Ok(true)
            }
            (Stored::Bool, _) => scalar::bool(reader).map(|_| true),
            (Stored::String | Stored::Number, _)
                if by_types && !matches!(holds.takes, Takes::Anything) =>
            {
                scalar_taken(reader, holds.takes).map(|()| true)
            }
            (Stored::String, _) => scalar::text(reader).map(|_| true),
            (Stored::Number, _) => scalar::number(reader).map(|_| true),
            (Stored::Object(_), _) if by_kind => Err(reader.unexpected("an object")),
            (Stored::List(_), _) if by_kind => Err(reader.unexpected("a list")),
            (Stored::Set(_), _) if by_kind => Err(reader.unexpected("a set")),
            (Stored::Map(_), _) if by_kind => Err(reader.unexpected("a map")),
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

    /// Notes the mistakes of an entry of a map.
    fn entry(
        &mut self,
        reader: &mut Reader<'_>,
        key: &str,
        element: &Stored,
        map: &Holds,
    ) -> Result<()> {
        if self.by == By::Contents
            && let Some(problem) = map.keys.and_then(|keys| not_a_key(key, keys))
        {
            // At the value, so that the path names the key.
            reader.peek()?;
            self.found
                .push(DecodeError::new(problem, reader.position()));
        }
        self.value(reader, element, map.elements.unwrap_or(&Holds::ANYTHING))
    }

    /// Notes the mistakes of the elements of an array. An error is that it is none, or has more of
    /// them; the last ones may have defaults, of which no table tells.
    fn tuple(
        &mut self,
        reader: &mut Reader<'_>,
        elements: &'static [&'static Stored],
        holds: &Holds,
    ) -> Result<()> {
        let kind = reader.peek()?;
        if elements.is_empty() && kind == Kind::Null {
            return Ok(());
        }
        if kind != Kind::Array {
            let wanted = if elements.is_empty() {
                "null"
            } else {
                "an array"
            };
            return Err(reader.unexpected(wanted));
        }
        let start = reader.position();
        let all: &[&Holds] = if let Takes::Tuples(all) = holds.takes {
            all
        } else {
            &[]
        };
        reader.open_array()?;
        let wanted = elements.len();
        let (mut elements, mut all, mut first) = (elements.iter(), all.iter(), true);
        while reader.next_element(std::mem::take(&mut first))? {
            let Some(element) = elements.next() else {
                return Err(DecodeError::new(Problem::Elements(wanted, None), start));
            };
            match all.next() {
                Some(holds) => self.value(reader, element, holds)?,
                None => reader.skip()?,
            }
        }
        Ok(())
    }

    /// Notes the mistakes of what a variant holds. An error is that the value is of none.
    fn variant(&mut self, reader: &mut Reader<'_>, union: &'static UnionTable) -> Result<()> {
        let kind = reader.peek()?;
        let start = reader.mark();
        let (tag, content) = match Tagging::parse(union.tagging) {
            Some(Tagging::External) => return self.named_variant(reader, union),
            Some(Tagging::Internal(tag)) => (tag, None),
            Some(Tagging::Adjacent(tag, content)) => (tag, Some(content)),
            Some(Tagging::Untagged) => return self.untagged(reader, union.variants.iter()),
            None => return Ok(()),
        };
        match kind {
            Kind::Object => {}
            // A tag and its content, which no release writes so.
            Kind::Array => return Ok(()),
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => {
                let error = reader.unexpected("an object");
                return self.without_tag(reader, union, error);
            }
        }
        let (mut row, mut unknown, mut held, mut first) = (None, None, None, true);
        reader.open_object()?;
        while let Some(name) = reader.next_member(std::mem::take(&mut first))? {
            let kind = reader.peek()?;
            if name == tag && kind == Kind::String {
                let at = reader.position();
                row = variant_of(union, &reader.string()?);
                unknown = row.is_none().then_some(at);
                continue;
            }
            if content.as_deref() == Some(&*name) {
                held = Some(reader.mark());
            }
            reader.skip()?;
        }
        let Some(row) = row else {
            reader.rewind(start);
            return match unknown {
                Some(at) => self.other(reader, union, at),
                // It is for the enum itself, because the current one has the same tag.
                None => Ok(()),
            };
        };
        if let Some(held) = held {
            reader.rewind(held);
            return self.value(reader, &row.info.stored, &row.info.holds);
        }
        if let (None, Stored::Object(table)) = (content, &row.info.stored) {
            reader.rewind(start);
            return self.object(reader, table);
        }
        Ok(())
    }

    /// Notes the mistakes of a variant that is a string, or the one member of an object.
    fn named_variant(&mut self, reader: &mut Reader<'_>, union: &'static UnionTable) -> Result<()> {
        let kind = reader.peek()?;
        let (start, mut at) = (reader.mark(), reader.position());
        match kind {
            Kind::String => {
                if variant_of(union, &reader.string()?).is_some() {
                    return Ok(());
                }
            }
            Kind::Object => {
                reader.open_object()?;
                if let Some(name) = reader.next_member(true)? {
                    if let Some(row) = variant_of(union, &name) {
                        return self.value(reader, &row.info.stored, &row.info.holds);
                    }
                    at = reader.name_position();
                }
            }
            Kind::Null | Kind::Bool | Kind::Number | Kind::Array => {
                let error = reader.unexpected("a string or an object with one member");
                return self.without_tag(reader, union, error);
            }
        }
        reader.rewind(start);
        self.other(reader, union, at)
    }

    /// Judges a value whose tag, which is there, names none of the variants.
    fn other(
        &mut self,
        reader: &mut Reader<'_>,
        union: &'static UnionTable,
        at: usize,
    ) -> Result<()> {
        if union.other.is_some() {
            return Ok(());
        }
        let tagged = union.variants.iter().filter(|row| !row.is_untagged);
        let error = DecodeError::new(Problem::no_variant(tagged.map(|row| row.name)), at);
        self.without_tag(reader, union, error)
    }

    /// Judges a value that tells none of the variants with a tag. Without others, that is the
    /// error.
    fn without_tag(
        &mut self,
        reader: &mut Reader<'_>,
        union: &'static UnionTable,
        error: DecodeError,
    ) -> Result<()> {
        let untagged = || union.variants.iter().filter(|row| row.is_untagged);
        if untagged().next().is_none() {
            return Err(error);
        }
        self.untagged(reader, untagged())
    }

    /// Judges a value by variants without a tag: the error is that it has mistakes by each of them.
    fn untagged(
        &mut self,
        reader: &mut Reader<'_>,
        variants: impl Iterator<Item = &'static VariantRow>,
    ) -> Result<()> {
        reader.peek()?;
        let start = reader.mark();
        let mut reasons = Vec::new();
        for row in variants {
            let before = std::mem::take(&mut self.found);
            let read = self.value(reader, &row.info.stored, &row.info.holds);
            let of_variant = std::mem::replace(&mut self.found, before);
            read?;
            let Some(mistake) = of_variant.first() else {
                return Ok(());
            };
            reasons.push(format!("{:?}: {}", row.name, mistake.problem()));
            reader.rewind(start);
        }
        let problem = format!("none of the variants fits: {}", reasons.join("; "));
        Err(DecodeError::new(
            Problem::Variant(problem),
            start.position(),
        ))
    }

    /// Notes the mistakes of an object's members. An error is that it is none, or not JSON.
    fn object(&mut self, reader: &mut Reader<'_>, table: &'static Table) -> Result<()> {
        if reader.peek()? != Kind::Object {
            return Err(reader.unexpected("an object"));
        }
        let begin = reader.position();
        let mut of_members = BTreeMap::new();
        let read = self.members(reader, table, &mut of_members);
        let members = table.schema().block().members();
        let absent = |row: &&Row| {
            read.is_ok()
                && self.by != By::Kinds
                && !of_members.contains_key(row.name)
                && self.is_judged(row, members)
        };
        let mut lacking = Vec::new();
        for row in table.rows.iter().filter(absent) {
            if let Some(Node::Attribute(attribute)) = members.get(row.name)
                && is_needed(attribute, self.in_document)
                && !row.info.holds.lenient
                && (matches!(row.info.stored, Stored::Union(_))
                    || !matches!(row.info.holds.takes, Takes::OwnType))
            {
                lacking.push(DecodeError::missing(row.name, begin));
            }
        }
        self.found.extend(lacking);
        self.found.extend(of_members.into_values().flatten());
        read
    }

    /// Puts the mistakes of each member that a field takes beside its name.
    fn members(
        &mut self,
        reader: &mut Reader<'_>,
        table: &'static Table,
        of_members: &mut BTreeMap<&'static str, Vec<DecodeError>>,
    ) -> Result<()> {
        let form = table.document.copied().unwrap_or(DocumentTable::EMPTY);
        reader.open_object()?;
        let mut first = true;
        while let Some(found) = reader.next_member(std::mem::take(&mut first))? {
            let name = table.aliased(&found).unwrap_or(&found);
            reader.peek()?;
            let Some(row) = table.rows.iter().find(|row| row.name == name) else {
                if let (By::Contents, Some(rest)) = (self.by, rest_for(table, name))
                    && let Stored::Map(element) = &rest.stored
                {
                    self.entry(reader, name, element, &rest.holds)?;
                    continue;
                }
                // Not of contents, because the tag of a variant is beside its members.
                if form.denies_unknown && !form.has_parts && self.by != By::Contents {
                    self.found.push(reader.undefined_error(name));
                }
                reader.skip()?;
                continue;
            };
            if self.in_document && of_members.contains_key(row.name) {
                self.found
                    .push(DecodeError::new(Problem::Repeated, reader.position()));
                reader.skip()?;
                continue;
            }
            let before = std::mem::take(&mut self.found);
            let read = if self.is_judged(row, table.schema().block().members()) {
                self.value(reader, &row.info.stored, &row.info.holds)
            } else {
                reader.skip()
            };
            // The last value of an attribute counts, so that mistakes of the others are dropped.
            of_members.insert(row.name, std::mem::replace(&mut self.found, before));
            read?;
        }
        Ok(())
    }

    /// False for fields that read stored forms of their own, or nothing.
    fn is_judged(&self, row: &Row, members: Members<'_>) -> bool {
        let is_write_only = matches!(members.get(row.name), Some(Node::Attribute(attribute)) if attribute.is_write_only());
        self.by == By::Kinds || row.info.reads.is_none() && !is_write_only
    }
}

/// The variant with a tag that is stored by this name, or else one that is read by it: a variant
/// that is gone may have had what is another name of one that stays.
fn variant_of(union: &'static UnionTable, name: &str) -> Option<&'static VariantRow> {
    let tagged = || union.variants.iter().filter(|row| !row.is_untagged);
    tagged()
        .find(|row| row.name == name)
        .or_else(|| tagged().find(|row| row.aliases.contains(&name)))
}

/// The flattened map that holds a member without a row, if it alone does: names of an enum's
/// variants are not known here.
fn rest_for(table: &'static Table, name: &str) -> Option<&'static TypeInfo> {
    if (0..table.stored_len()).any(|index| table.any_row(index).0.name == name) {
        return None;
    }
    let [field] = table.flattened else {
        return None;
    };
    field.values()
}

/// The problem of a map's key, if its type, as far as that is known, does not take it.
fn not_a_key(key: &str, keys: &Holds) -> Option<Problem> {
    match keys.takes {
        Takes::Integers { min, max } => {
            let number = key.parse::<i128>().ok();
            let is_taken = number
                .is_some_and(|number| min <= number && number <= max && number.to_string() == key);
            (!is_taken).then(|| Problem::Key(format!("an integer from {min} to {max}").into()))
        }
        Takes::Texts(texts) => {
            let is_taken = texts.contains(&key);
            (!is_taken).then(|| Problem::Key(one_of(texts).into()))
        }
        Takes::OwnType => {
            let decode = keys.decodes?;
            let mut json = Vec::new();
            write_string(key, &mut json);
            let text = std::str::from_utf8(&json).ok()?;
            let is_taken = decode(&mut Reader::new(text)).is_ok();
            (!is_taken).then_some(Problem::Key("a string of its form".into()))
        }
        // These have 128 bits, because a table has the bounds of all others.
        Takes::Anything if keys.integer != 0 => {
            let is_taken = if keys.integer == 128 {
                is_written_as::<u128>(key)
            } else {
                is_written_as::<i128>(key)
            };
            (!is_taken).then_some(Problem::Key("an integer of 128 bits".into()))
        }
        Takes::Anything | Takes::Floats | Takes::Objects(_) | Takes::Tuples(_) => None,
    }
}

fn is_written_as<T: FromStr + ToString>(key: &str) -> bool {
    key.parse::<T>()
        .is_ok_and(|number| number.to_string() == key)
}
