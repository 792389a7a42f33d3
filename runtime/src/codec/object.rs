//! Objects: structs whose fields are attributes.

use std::borrow::Cow;

use super::error::{DecodeError, EncodeError, Problem};
use super::json::{
    Kind, Label, Lines, Mark, NextMember, Reader, SetAside, Settled, Tried, path_at,
};
use super::writer::{Encoding, Writer, Written};
use crate::path::AttributePath;
use crate::schema::Schema;
use crate::schema::table::{DocumentTable, Names, Table};

/// A struct whose fields are attributes: every model, and every nested object.
///
/// This trait is sealed: only the derives implement it, `#[derive(Object)]` for nested structs and
/// `#[derive(Resource)]` for models. Its hidden items change without notice.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an object of attributes",
    note = "only a struct of yours can be one: it derives `upstate::Object` if it is nested, `upstate::Resource` if it is a model, `upstate::Document` in documents",
    note = "`#[block]` is for such structs; a list or map of strings, numbers or bools is an attribute, without `#[block]`"
)]
pub trait Object: Sized {
    /// Its fields.
    #[doc(hidden)]
    const TABLE: &'static Table;

    /// Reads the fields in byte order of their names. The reader keeps the error of the one that
    /// cannot be read: an `Option` a field is less for the compiler than a `Result`.
    #[doc(hidden)]
    fn decode(object: &mut ObjectReader<'_, '_>) -> Option<Self>;

    /// Writes the fields in byte order of their names.
    #[doc(hidden)]
    fn encode(&self, object: &mut ObjectWriter<'_, '_>);
}

/// The prior struct of a nested object, as generated code names one: the compiler does not list
/// other objects below an error about it, since one implementation is for all.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a nested object",
    label = "not a nested object",
    note = "add `#[derive(upstate::Object)]` above it"
)]
pub trait IsObject {
    /// Its fields.
    const SHAPE: &'static Table;
}

#[diagnostic::do_not_recommend]
impl<T: Object> IsObject for T {
    const SHAPE: &'static Table = T::TABLE;
}

/// Reads an object that the reader is at.
///
/// Stored objects nearly always have their names in byte order, so fields are read straight from
/// the text in that order. The first object whose names come otherwise is read once more through an
/// index of its members, and so are all that follow.
pub fn read_object<T: Object>(reader: &mut Reader<'_>) -> Result<T, DecodeError> {
    let mut value = None;
    let mut decode = |object: &mut ObjectReader<'_, '_>| {
        value = T::decode(object);
        value.is_some()
    };
    match (read_members(reader, T::TABLE, &mut decode), value) {
        (Ok(()), Some(value)) => Ok(value),
        (Ok(()), None) => Err(DecodeError::stub()),
        (Err(error), _) => Err(error),
    }
}

/// Reads the members of any struct: `decode` reads the fields and keeps them, and says whether it
/// could.
pub(crate) fn read_members(
    reader: &mut Reader<'_>,
    table: &'static Table,
    decode: &mut dyn FnMut(&mut ObjectReader<'_, '_>) -> bool,
) -> Result<(), DecodeError> {
    read_members_of(reader, table, decode)
}

/// Reads the members inline, without one more call.
#[inline]
pub(crate) fn read_members_of(
    reader: &mut Reader<'_>,
    table: &'static Table,
    mut decode: impl FnMut(&mut ObjectReader<'_, '_>) -> bool,
) -> Result<(), DecodeError> {
    if let Some(document) = table.document {
        return read_document(reader, table, document, &mut decode);
    }
    if !reader.is_at_object() && reader.peek()? != Kind::Object {
        return Err(reader.unexpected("an object"));
    }
    let start = reader.mark();
    if reader.expects_sorted() {
        let result = {
            let mut object = ObjectReader::in_order(reader, table.labels(), table.document)?;
            if decode(&mut object) {
                object.close()
            } else {
                Err(object.take_error())
            }
        };
        match result {
            Err(error) if error.is_reordered() => {
                reader.stop_expecting_sorted();
                reader.rewind(start);
            }
            result => return result,
        }
    }
    let mut object = ObjectReader::indexed(reader, table.labels())?;
    if decode(&mut object) {
        object.close()
    } else {
        Err(object.take_error())
    }
}

/// Reads the members of a document's struct. Its fields are read in their own order, in which they
/// are usually stored, too.
fn read_document(
    reader: &mut Reader<'_>,
    table: &'static Table,
    document: &'static DocumentTable,
    decode: &mut dyn FnMut(&mut ObjectReader<'_, '_>) -> bool,
) -> Result<(), DecodeError> {
    let is_root = !reader.is_inside() && !reader.is_exact();
    if is_root && !document.lenient {
        reader.read_exactly();
    }
    match reader.peek()? {
        Kind::Object => {}
        // As serde does; on top there would be no place for a version.
        Kind::Array if !document.has_parts && !document.is_variant && !is_root => {
            let mut object = ObjectReader::positional(reader, table.labels())?;
            return if decode(&mut object) {
                object.close()
            } else {
                Err(object.take_error())
            };
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String | Kind::Array => {
            return Err(reader.unexpected("an object"));
        }
    }
    let (start, from) = (reader.mark(), reader.position());
    if !document.has_parts && !document.denies_unknown && reader.expects_sorted() {
        let result = {
            let mut object = ObjectReader::in_order(reader, table.labels(), table.document)?;
            if decode(&mut object) {
                object.close()
            } else {
                Err(object.take_error())
            }
        };
        match result {
            Err(error) if error.is_reordered() => {
                reader.waste_since(from);
                // Otherwise objects inside one another are read twice at each depth.
                if reader.is_wasteful() {
                    reader.stop_expecting_sorted();
                }
                reader.rewind(start);
            }
            result => return result,
        }
    }
    let mut object = ObjectReader::by_name(reader, table)?;
    if decode(&mut object) {
        object.close()
    } else {
        Err(object.take_error())
    }
}

/// Reads the members of a document's struct, which were found beforehand: their names, and the
/// offsets of their values in the text. The reader's text begins with the object, and it is left
/// anywhere.
pub(crate) fn read_found<'a>(
    reader: &mut Reader<'a>,
    table: &'static Table,
    members: impl Iterator<Item = (&'a str, usize)>,
    decode: &mut dyn FnMut(&mut ObjectReader<'_, '_>) -> bool,
) -> Result<(), DecodeError> {
    reader.read_exactly();
    let mut object = ObjectReader::of_found(reader, table, members)?;
    if decode(&mut object) {
        object.close()
    } else {
        Err(object.take_error())
    }
}

/// Writes `value` as an object.
pub fn write_object<T: Object>(value: &T, writer: &mut Writer<'_>) {
    write_members(T::TABLE, &|object| value.encode(object), writer);
}

/// The path of the value at a byte of JSON, as far as it may be shown.
#[cold]
fn located(table: &'static Table, json: &str, offset: usize) -> AttributePath {
    let members = table.schema().block().members();
    let steps = path_at(json, offset, &|steps| members.container_at(steps));
    let visible = members.visible(&steps).len;
    steps
        .into_iter()
        .collect::<AttributePath>()
        .truncated(visible)
}

/// Writes any struct, whose fields `encode` writes.
#[inline]
fn write_members(
    table: &'static Table,
    encode: &dyn Fn(&mut ObjectWriter<'_, '_>),
    writer: &mut Writer<'_>,
) {
    if table.document.is_some_and(|document| !document.lenient) {
        writer.write_exactly();
    }
    write_members_of(Some(table), encode, writer);
}

/// Writes an object, also one that no struct is behind.
#[inline]
pub(super) fn write_members_of(
    table: Option<&'static Table>,
    encode: &dyn Fn(&mut ObjectWriter<'_, '_>),
    writer: &mut Writer<'_>,
) {
    let labels = table.map_or(&[][..], Table::labels);
    writer.open_object(labels.len());
    let document = table.and_then(|table| table.document);
    let beside = document
        .filter(|document| document.parts.takes_all())
        .map(|document| Box::new(Beside::of(document)));
    let mut object = ObjectWriter {
        writer,
        labels,
        next_label: 0,
        written: 0,
        document,
        beside,
        reserved: None,
    };
    encode(&mut object);
    object.writer.close_object();
}

/// Appends `value` to `out`.
///
/// # Errors
/// Names the attribute that holds a number which is not finite.
#[inline]
pub fn encode_object<T: Object>(
    value: &T,
    encoding: Encoding,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    encode_members(
        T::TABLE,
        &|object| value.encode(object),
        Written::In(encoding),
        out,
    )
}

/// Writes any struct, whose fields `encode` writes.
#[inline]
pub(crate) fn encode_members(
    table: &'static Table,
    encode: &dyn Fn(&mut ObjectWriter<'_, '_>),
    written: Written<'_>,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let write = |mut writer: Writer<'_>| {
        write_members(table, encode, &mut writer);
        writer.finish(&|json, offset| located(table, json, offset), &|again| {
            write_members(table, encode, again);
        })
    };
    match written {
        Written::In(encoding) => write(Writer::new(out, encoding)),
        Written::LaidOut(layout) => write(Writer::laid_out(out, &mut Lines::new(layout))),
    }
}

/// Hands out the members of one stored object in the order of the model's names.
#[derive(Debug)]
pub struct ObjectReader<'r, 'a> {
    reader: &'r mut Reader<'a>,
    labels: &'static [Label],
    /// The form of a document's struct, whose labels are in the order of its fields.
    document: Option<&'static DocumentTable>,
    /// The position of the next label.
    next_label: usize,
    start: usize,
    next: Next,
    /// The position of the name that was read, if [`Next::Named`]; the number of elements, if
    /// [`Next::NoElement`].
    named: usize,
    /// If [`Next::Indexed`].
    index: Option<Box<Index>>,
    /// If [`Next::ByName`].
    entries: Option<Box<Entries<'a>>>,
    /// The reason why a field could not be read.
    error: Option<DecodeError>,
}

/// The places of the values of an object.
#[derive(Debug)]
struct Index {
    /// The offset at which the value of each name starts, if the object has it.
    starts: Vec<Option<usize>>,
    end: Mark,
}

/// The place of the next member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Behind the brace.
    First,
    /// Behind another member.
    Later,
    /// Its name has been read; the reader is at its value.
    Named,
    /// There is none.
    Ended,
    /// At the offset that the index has for it, since names do not come in order.
    Indexed,
    /// Among all members of a document's object, found beforehand.
    ByName,
    /// The next element of an array, which a document's struct is read from, too.
    Element,
    /// The array has no more elements.
    NoElement,
}

/// All members of an object, in the order of the text.
#[derive(Debug)]
struct Entries<'a> {
    all: Vec<Entry<'a>>,
    /// No two have the same name.
    are_distinct: bool,
    /// A part refuses members that no part names.
    denies_unknown: bool,
    end: Mark,
}

/// A member of an object.
struct Entry<'a> {
    name: Cow<'a, str>,
    /// The offset of its value.
    start: usize,
    taken: bool,
}

/// The members of an object that parts took so far.
struct Taken {
    members: Vec<bool>,
    denies_unknown: bool,
}

__debug_parts! {
    /// Says where it is, not its name: keys of maps may be secrets.
    Entry<'_> |self| {
        start: self.start,
    }
}

impl<'r, 'a> ObjectReader<'r, 'a> {
    #[inline]
    fn in_order(
        reader: &'r mut Reader<'a>,
        labels: &'static [Label],
        document: Option<&'static DocumentTable>,
    ) -> Result<Self, DecodeError> {
        let start = reader.position();
        reader.open_object()?;
        Ok(Self {
            reader,
            labels,
            document,
            next_label: 0,
            start,
            next: Next::First,
            named: 0,
            index: None,
            entries: None,
            error: None,
        })
    }

    fn indexed(reader: &'r mut Reader<'a>, labels: &'static [Label]) -> Result<Self, DecodeError> {
        let start = reader.position();
        let mut starts = vec![None; labels.len()];
        reader.open_object()?;
        let inside = reader.mark();
        let mut first = true;
        while let Some(name) = reader.next_member(first)? {
            first = false;
            reader.peek()?;
            // The last value counts where a name is repeated, as in Terraform.
            match position(labels, None, &name)
                .ok()
                .and_then(|index| starts.get_mut(index))
            {
                Some(Some(_)) if reader.is_exact() => {
                    return Err(DecodeError::new(Problem::Repeated, reader.position()));
                }
                Some(start) => *start = Some(reader.position()),
                None => reader.undefined(&name)?,
            }
            reader.skip()?;
        }
        let index = Some(Box::new(Index {
            starts,
            end: reader.mark(),
        }));
        reader.rewind(inside);
        Ok(Self {
            reader,
            labels,
            document: None,
            next_label: 0,
            start,
            next: Next::Indexed,
            named: 0,
            index,
            entries: None,
            error: None,
        })
    }

    /// All members of an object, for a struct whose fields are read by name.
    fn by_name(reader: &'r mut Reader<'a>, table: &'static Table) -> Result<Self, DecodeError> {
        Self::of_all(reader, table.labels(), table.document)
    }

    /// All members of an object.
    pub(super) fn of_all(
        reader: &'r mut Reader<'a>,
        labels: &'static [Label],
        document: Option<&'static DocumentTable>,
    ) -> Result<Self, DecodeError> {
        if reader.peek()? != Kind::Object {
            return Err(reader.unexpected("an object"));
        }
        let start = reader.position();
        reader.open_object()?;
        let inside = reader.mark();
        let mut all = Vec::with_capacity(labels.len().max(4));
        while let Some(name) = reader.next_member(all.is_empty())? {
            reader.peek()?;
            all.push(Entry {
                name,
                start: reader.position(),
                taken: false,
            });
            reader.skip()?;
        }
        let entries = Some(Box::new(Entries {
            all,
            are_distinct: false,
            denies_unknown: false,
            end: reader.mark(),
        }));
        reader.waste_tried_since(start);
        reader.rewind(inside);
        Ok(Self {
            reader,
            labels,
            document,
            next_label: 0,
            start,
            next: Next::ByName,
            named: 0,
            index: None,
            entries,
            error: None,
        })
    }

    /// Takes the members behind the tag of an object straight from the text; `None` unless they are
    /// all of it, in the order of the fields, and no field is called as the tag.
    pub(super) fn behind_tag<T>(
        reader: &'r mut Reader<'a>,
        tag: &str,
        take: impl FnOnce(&mut ObjectReader<'_, '_>) -> Option<T>,
    ) -> Option<T> {
        let mut object = Self {
            start: reader.position(),
            reader,
            labels: &[],
            document: None,
            next_label: 0,
            next: Next::Later,
            named: 0,
            index: None,
            entries: None,
            error: None,
        };
        let value = take(&mut object)?;
        let ends =
            object.next == Next::Ended || object.next == Next::Later && object.reader.take_end();
        // Because among all members such a field is the tag once more, which is an error.
        let has_tag = object.labels.iter().any(|label| label.name == tag);
        (ends && !has_tag).then_some(value)
    }

    /// Members of a document's object that were found beforehand.
    fn of_found(
        reader: &'r mut Reader<'a>,
        table: &'static Table,
        members: impl Iterator<Item = (&'a str, usize)>,
    ) -> Result<Self, DecodeError> {
        let all = members
            .map(|(name, start)| Entry {
                name: Cow::Borrowed(name),
                start,
                taken: false,
            })
            .collect();
        if reader.peek()? != Kind::Object {
            return Err(reader.unexpected("an object"));
        }
        let mut object = Self::in_order(reader, table.labels(), table.document)?;
        object.entries = Some(Box::new(Entries {
            all,
            are_distinct: true,
            denies_unknown: false,
            end: object.reader.mark(),
        }));
        object.next = Next::ByName;
        Ok(object)
    }

    /// The elements of an array, in the order of the fields.
    fn positional(
        reader: &'r mut Reader<'a>,
        labels: &'static [Label],
    ) -> Result<Self, DecodeError> {
        let start = reader.position();
        reader.open_array()?;
        Ok(Self {
            reader,
            labels,
            document: None,
            next_label: 0,
            start,
            next: Next::Element,
            named: 0,
            index: None,
            entries: None,
            error: None,
        })
    }

    /// Reads a part whose members are beside the others.
    pub(super) fn part<T>(
        &mut self,
        table: &'static Table,
        read: impl FnOnce(&mut ObjectReader<'_, '_>) -> Option<T>,
    ) -> Option<T> {
        // Behind a tag, only one struct's members come in order.
        if self.entries.is_none() && table.document.is_some_and(|document| document.has_parts) {
            return None;
        }
        let outer = (self.labels, self.document, self.next_label);
        (self.labels, self.document, self.next_label) = (table.labels(), table.document, 0);
        if let Some(entries) = &mut self.entries {
            entries.denies_unknown |= table
                .document
                .is_some_and(|document| document.denies_unknown);
        }
        let value = read(self);
        // Because behind a tag the names of the one part are compared with the tag then.
        if self.entries.is_some() {
            (self.labels, self.document, self.next_label) = outer;
        }
        value
    }

    /// Keeps an error.
    pub(super) fn fail<T>(&mut self, error: DecodeError) -> Option<T> {
        self.error.get_or_insert(error);
        None
    }

    /// Reads a whole object whose members `take` takes.
    pub(super) fn whole<T>(
        reader: &'r mut Reader<'a>,
        denies_unknown: bool,
        take: impl FnOnce(&mut ObjectReader<'_, '_>) -> Option<T>,
    ) -> Result<T, DecodeError> {
        const DENYING: &DocumentTable = &DocumentTable {
            denies_unknown: true,
            ..DocumentTable::EMPTY
        };
        let document = if denies_unknown {
            DENYING
        } else {
            &DocumentTable::EMPTY
        };
        let mut object = Self::of_all(reader, &[], Some(document))?;
        match take(&mut object) {
            Some(value) => object.close().map(|()| value),
            None => Err(object.take_error()),
        }
    }

    /// Tries to read something, and forgets what was taken and what went wrong if it cannot be
    /// read.
    pub(super) fn attempt<T>(
        &mut self,
        read: impl FnOnce(&mut ObjectReader<'_, '_>) -> Option<T>,
    ) -> Result<T, DecodeError> {
        let taken = self.taken();
        let (value, notes) = self.attempt_apart(&taken, read)?;
        self.reader.remember(notes);
        Ok(value)
    }

    /// Tries to read something, and sets aside what is to be remembered of it.
    fn attempt_apart<T>(
        &mut self,
        taken: &Taken,
        read: impl FnOnce(&mut ObjectReader<'_, '_>) -> Option<T>,
    ) -> Result<(T, SetAside), DecodeError> {
        let (mark, before) = (self.reader.mark(), self.reader.take_notes());
        let value = read(self);
        let since = self.reader.exchange_notes(before);
        let Some(value) = value else {
            self.take_back(taken);
            self.reader.waste_since(self.start);
            // Otherwise the cursor may be inside of an array or object, where the failure was.
            self.reader.rewind(mark);
            return Err(self.error.take().unwrap_or_else(DecodeError::stub));
        };
        Ok((value, since))
    }

    /// Takes what the first of these functions reads that loses nothing; where none does, what the
    /// first that fits reads. A member that is left counts as lost if it is one of `names`, those
    /// of all of them: a map that keeps it would not give back the variant that was written.
    pub(super) fn take_best<T: 'static>(
        &mut self,
        names: &Names,
        variants: &[fn(&mut ObjectReader<'_, '_>) -> Option<T>],
    ) -> Option<T> {
        // Behind a tag, a variant that comes later might take more than the first one that comes in
        // order.
        self.entries.as_ref()?;
        self.reader.begin_trial();
        let best = self.best_of(names, variants);
        self.reader.end_trial();
        best
    }

    fn best_of<T: 'static>(
        &mut self,
        names: &Names,
        variants: &[fn(&mut ObjectReader<'_, '_>) -> Option<T>],
    ) -> Option<T> {
        let (before, start) = (self.taken(), self.start);
        let value = || Tried {
            beside: Some(before.members.clone()),
            ..Tried::whole::<T>(start)
        };
        let only = match self.reader.settled(value) {
            Some(Settled::Variant(index)) => Some(index),
            Some(Settled::Misfit(_)) => return None,
            None => None,
        };
        let mut first = None;
        for (index, take) in variants
            .iter()
            .enumerate()
            .filter(|(index, _)| only.is_none_or(|only| only == *index))
        {
            let Ok((read, notes)) = self.attempt_apart(&before, *take) else {
                continue;
            };
            if notes.is_whole() && !self.has_any_of(names) {
                // The first one needs no memory, because it is tried first.
                if index > 0 {
                    self.reader.settle(value, || Settled::Variant(index));
                }
                self.reader.remember(notes);
                return Some(read);
            }
            first.get_or_insert_with(|| (read, notes, self.taken(), index));
            self.reader.waste_since(start);
            self.take_back(&before);
        }
        let Some((read, notes, taken, index)) = first else {
            self.reader.settle(value, || Settled::Misfit(None));
            return None;
        };
        self.reader.settle(value, || Settled::Variant(index));
        self.take_back(&taken);
        self.reader.remember(notes);
        Some(read)
    }

    /// The members that are taken.
    fn taken(&self) -> Taken {
        let entries = self.entries.as_deref();
        Taken {
            members: entries
                .into_iter()
                .flat_map(|entries| &entries.all)
                .map(|entry| entry.taken)
                .collect(),
            denies_unknown: entries.is_some_and(|entries| entries.denies_unknown),
        }
    }

    /// Takes these members and no others.
    fn take_back(
        &mut self,
        Taken {
            members,
            denies_unknown,
        }: &Taken,
    ) {
        if let Some(entries) = &mut self.entries {
            entries.denies_unknown = *denies_unknown;
            for (entry, taken) in entries.all.iter_mut().zip(members) {
                entry.taken = *taken;
            }
        }
    }

    /// Keeps the error that the object has no member `name`.
    pub(super) fn lacks_member<T>(&mut self, name: &'static str) -> Option<T> {
        self.fail(DecodeError::new(Problem::Missing, self.start).below(name))
    }

    /// Takes the name of the struct itself, which need not be stored; another one is reported.
    pub fn skip_name(&mut self, tag: &str, name: &str) -> Option<()> {
        let found = self.take(tag);
        if !self.keep(found)? {
            return Some(());
        }
        self.value(|reader| {
            let is_name = reader.peek()? == Kind::String && {
                let start = reader.mark();
                let is_name = reader.string()? == name;
                reader.rewind(start);
                is_name
            };
            if !is_name {
                reader.undefined(tag)?;
            }
            reader.skip()
        })
    }

    /// Keeps the error of a value at the object's beginning.
    pub(super) fn fail_here<T>(&mut self, problem: Problem) -> Option<T> {
        self.fail(DecodeError::new(problem, self.start))
    }

    /// Takes the value out of a result, or keeps the error.
    pub(super) fn keep<T>(&mut self, result: Result<T, DecodeError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => self.fail(error),
        }
    }

    /// True if a member of one of these names is not taken yet.
    pub fn has_any(&self, mut is_name: impl FnMut(&str) -> bool) -> bool {
        self.entries.as_ref().is_some_and(|entries| {
            entries
                .all
                .iter()
                .any(|entry| !entry.taken && is_name(&entry.name))
        })
    }

    /// True if a member that is one of `names` is not taken yet.
    pub(super) fn has_any_of(&self, names: &Names) -> bool {
        self.has_any(|found| names.has(found) || names.takes_all())
    }

    /// True if a member called `name` is not taken yet, and is a string that `is_it` says yes to.
    pub(super) fn has_text(&mut self, name: &str, is_it: impl Fn(&str) -> bool) -> bool {
        let mut entries = self
            .entries
            .iter()
            .flat_map(|entries| &entries.all)
            .filter(|entry| !entry.taken && entry.name == name);
        entries.any(|entry| {
            self.reader.jump(entry.start);
            matches!(self.reader.peek(), Ok(Kind::String))
                && self.reader.string().is_ok_and(|text| is_it(&text))
        })
    }

    /// Takes the member called `name` and moves to its value; false if there is none. A second one
    /// is an error.
    #[inline]
    pub(super) fn take(&mut self, name: &str) -> Result<bool, DecodeError> {
        self.take_where(|found| found == name, true)
    }

    /// Takes the first member that `is_it` says yes to, gives its name and moves to its value.
    pub(super) fn take_first(&mut self, mut is_it: impl FnMut(&str) -> bool) -> Option<String> {
        let entries = self.entries.as_mut()?;
        let entry = entries
            .all
            .iter_mut()
            .find(|entry| !entry.taken && is_it(&entry.name))?;
        entry.taken = true;
        self.reader.jump(entry.start);
        Some(entry.name.clone().into_owned())
    }

    #[inline]
    fn take_where(
        &mut self,
        is_it: impl Fn(&str) -> bool,
        is_one_name: bool,
    ) -> Result<bool, DecodeError> {
        let Some(entries) = &mut self.entries else {
            return Ok(false);
        };
        let mut found = entries
            .all
            .iter_mut()
            .filter(|entry| !entry.taken && is_it(&entry.name));
        let Some(entry) = found.next() else {
            return Ok(false);
        };
        entry.taken = true;
        self.reader.jump(entry.start);
        if is_one_name && entries.are_distinct {
            return Ok(true);
        }
        match found.next() {
            Some(repeated) => Err(DecodeError::new(Problem::Repeated, repeated.start)),
            None => Ok(true),
        }
    }

    /// Reads the value that the reader is at.
    pub(super) fn value<T>(
        &mut self,
        decode: impl FnOnce(&mut Reader<'_>) -> Result<T, DecodeError>,
    ) -> Option<T> {
        let value = decode(self.reader);
        self.keep(value)
    }

    /// Hands every member that no field has taken to `each`, in the order of the text, with the
    /// reader at its value.
    pub(super) fn rest(
        &mut self,
        mut each: impl FnMut(&str, &mut Reader<'_>) -> Result<bool, DecodeError>,
    ) -> Option<()> {
        let mut entries = self.entries.take()?;
        let mut merged = None;
        for entry in entries.all.iter_mut().filter(|entry| !entry.taken) {
            entry.taken = true;
            self.reader.jump(entry.start);
            match each(&entry.name, self.reader) {
                Ok(true) => {}
                Ok(false) => merged = Some(entry.start),
                Err(error) => {
                    self.entries = Some(entries);
                    return self.fail(error);
                }
            }
        }
        self.entries = Some(entries);
        if let Some(start) = merged {
            self.reader.note_merged(start);
        }
        Some(())
    }

    /// Reads the next field. If that fails, the error is kept.
    #[inline]
    pub fn read<T>(
        &mut self,
        decode: fn(&mut Reader<'_>) -> Result<T, DecodeError>,
        absent: fn() -> Option<T>,
    ) -> Option<T> {
        if self.is_there() {
            return match decode(self.reader) {
                Ok(value) => Some(value),
                Err(error) => {
                    self.error = Some(error);
                    None
                }
            };
        }
        // An `Option` is not absent in an array, where its place would be another's.
        let value = if self.error.is_none() && self.next != Next::NoElement {
            absent()
        } else {
            None
        };
        if value.is_none() {
            self.lacks();
        }
        value
    }

    /// Reads the next field; where it is not stored, `default` gives its value.
    pub fn read_or<T>(
        &mut self,
        decode: fn(&mut Reader<'_>) -> Result<T, DecodeError>,
        default: impl FnOnce() -> T,
    ) -> Option<T> {
        if self.is_there() {
            let value = decode(self.reader);
            return self.keep(value);
        }
        match self.next {
            // It may still come, behind names that belong after it.
            Next::First | Next::Later | Next::Named if self.error.is_none() => {
                self.fail(DecodeError::REORDERED)
            }
            Next::First
            | Next::Later
            | Next::Named
            | Next::Ended
            | Next::Indexed
            | Next::ByName
            | Next::Element
            | Next::NoElement => self.error.is_none().then(default),
        }
    }

    /// Moves to the value of the next of the model's names; says whether there is one.
    #[inline]
    fn is_there(&mut self) -> bool {
        self.is_next() || self.is_somewhere()
    }

    /// Moves to it if it comes next, and nothing is between.
    #[inline(never)]
    fn is_next(&mut self) -> bool {
        let first = match self.next {
            Next::First => true,
            Next::Later => false,
            Next::Named
            | Next::Ended
            | Next::Indexed
            | Next::ByName
            | Next::Element
            | Next::NoElement => return false,
        };
        if let Some(label) = self.labels.get(self.next_label)
            && self.reader.take_compact_member(first, label)
        {
            self.next = Next::Later;
            self.next_label += 1;
            return true;
        }
        false
    }

    #[inline(never)]
    fn is_somewhere(&mut self) -> bool {
        // There are as many labels as fields.
        let name = self
            .labels
            .get(self.next_label)
            .map_or("", |label| label.name);
        if let Next::First | Next::Later = self.next
            && self
                .reader
                .take_member_between_blanks(self.next == Next::First, name)
        {
            self.next = Next::Later;
            self.next_label += 1;
            return true;
        }
        let found = if self.next == Next::ByName {
            self.find_among_all(name)
        } else {
            self.find(name)
        };
        match found {
            Ok(found) => found,
            Err(error) => {
                self.error = Some(error);
                false
            }
        }
    }

    /// Keeps the error that the field which was read last is not there.
    #[cold]
    fn lacks(&mut self) {
        if self.error.is_some() {
            return;
        }
        self.error = Some(match self.next {
            // It may still come, behind names that belong after it.
            Next::First | Next::Later | Next::Named => DecodeError::REORDERED,
            Next::NoElement | Next::Element => {
                let problem = Problem::Elements(self.labels.len(), Some(self.named));
                DecodeError::new(problem, self.start)
            }
            Next::Ended | Next::Indexed | Next::ByName => {
                let name = self
                    .labels
                    .get(self.next_label.wrapping_sub(1))
                    .map_or("", |label| label.name);
                DecodeError::new(Problem::Missing, self.start).below(name)
            }
        });
    }

    /// The reason why a field could not be read.
    fn take_error(&mut self) -> DecodeError {
        self.error.take().unwrap_or_else(DecodeError::stub)
    }

    /// Moves to the value of the member `name`, the next of the model's names, where all members are
    /// known; says whether there is one.
    #[inline]
    fn find_among_all(&mut self, name: &'static str) -> Result<bool, DecodeError> {
        let next_label = self.next_label;
        self.next_label += 1;
        let aliases = self.document.map_or(&[][..], |document| document.aliases);
        if aliases.is_empty() {
            return self.take(name);
        }
        let is_it = |found: &str| {
            found == name
                || aliases
                    .iter()
                    .any(|(alias, label)| *label == next_label && *alias == found)
        };
        self.take_where(is_it, false)
    }

    /// Moves to the value of the member `name`, the next of the model's names; says whether there
    /// is one.
    #[inline(never)]
    fn find(&mut self, name: &'static str) -> Result<bool, DecodeError> {
        let next_label = self.next_label;
        self.next_label += 1;
        loop {
            let other = match self.next {
                Next::Ended | Next::NoElement => return Ok(false),
                Next::Indexed => {
                    let start = self
                        .index
                        .as_ref()
                        .and_then(|index| index.starts.get(next_label).copied().flatten());
                    let Some(start) = start else { return Ok(false) };
                    self.reader.jump(start);
                    return Ok(true);
                }
                Next::ByName => {
                    self.next_label = next_label;
                    return self.find_among_all(name);
                }
                Next::Element => {
                    if self.reader.next_element(next_label == 0)? {
                        return Ok(true);
                    }
                    // The error has their number, because later fields may have defaults.
                    (self.next, self.named) = (Next::NoElement, next_label);
                    return Ok(false);
                }
                Next::Named => {
                    let wanted = self.named == next_label;
                    self.next = if wanted { Next::Later } else { Next::Named };
                    return Ok(wanted);
                }
                Next::First | Next::Later => {
                    match self.reader.next_member_if(self.next == Next::First, name)? {
                        NextMember::Wanted => {
                            self.next = Next::Later;
                            return Ok(true);
                        }
                        NextMember::Other(other) => other,
                        NextMember::End => {
                            self.next = Next::Ended;
                            return Ok(false);
                        }
                    }
                }
            };
            match position(self.labels, self.document, &other) {
                // A later name: the wanted one is absent, unless it turns up out of order.
                Ok(index) if index > next_label => {
                    (self.next, self.named) = (Next::Named, index);
                    return Ok(false);
                }
                Ok(_) => return Err(DecodeError::REORDERED),
                Err(_) => {
                    self.reader.undefined(&other)?;
                    self.reader.skip()?;
                    self.next = Next::Later;
                }
            }
        }
    }

    /// Skips what is left of the object.
    #[inline]
    fn close(&mut self) -> Result<(), DecodeError> {
        match self.next {
            Next::First | Next::Later if self.reader.take_end() => Ok(()),
            Next::First
            | Next::Later
            | Next::Named
            | Next::Ended
            | Next::Indexed
            | Next::ByName
            | Next::Element
            | Next::NoElement => self.close_slowly(),
        }
    }

    #[inline(never)]
    fn close_slowly(&mut self) -> Result<(), DecodeError> {
        match self.next {
            Next::Ended | Next::NoElement => {}
            Next::Element => {
                if self.reader.next_element(self.next_label == 0)? {
                    let problem = Problem::Elements(self.labels.len(), None);
                    return Err(DecodeError::new(problem, self.start));
                }
            }
            Next::ByName => {
                let Some(entries) = self.entries.take() else {
                    return Ok(());
                };
                for entry in entries.all.iter().filter(|entry| !entry.taken) {
                    self.reader.jump(entry.start);
                    if entries.denies_unknown
                        || self
                            .document
                            .is_some_and(|document| document.denies_unknown)
                    {
                        return Err(self.reader.undefined_error(&entry.name));
                    }
                    self.reader.undefined(&entry.name)?;
                }
                self.reader.rewind(entries.end);
            }
            Next::Indexed => {
                if let Some(index) = &self.index {
                    self.reader.rewind(index.end);
                }
            }
            Next::First | Next::Later | Next::Named => {
                let mut first = self.next == Next::First;
                while let Some(name) = self.reader.next_member(std::mem::take(&mut first))? {
                    if position(self.labels, self.document, &name).is_ok() {
                        return Err(DecodeError::REORDERED);
                    }
                    self.reader.undefined(&name)?;
                    self.reader.skip()?;
                }
            }
        }
        Ok(())
    }
}

/// The position of the field of this name in state.
fn position(
    labels: &[Label],
    document: Option<&DocumentTable>,
    name: &str,
) -> Result<usize, usize> {
    let Some(document) = document else {
        return labels.binary_search_by(|label| label.name.cmp(name));
    };
    // A field that is stored under another name is found among all members.
    let alias = || {
        document
            .aliases
            .iter()
            .find(|(alias, _)| *alias == name)
            .map(|_| 0)
    };
    labels
        .iter()
        .position(|label| label.name == name)
        .or_else(alias)
        .ok_or(0)
}

/// Takes the fields of one object in the order of the model's names.
#[derive(Debug)]
pub struct ObjectWriter<'w, 'o> {
    writer: &'w mut Writer<'o>,
    labels: &'static [Label],
    /// The position of the next label.
    next_label: usize,
    /// The number of members written: fewer than fields if some are left out, more if parts are
    /// beside them.
    written: usize,
    /// The form of the struct whose object it is.
    document: Option<&'static DocumentTable>,
    /// The other members of the object, if it has a map of the remaining ones.
    beside: Option<Box<Beside>>,
    /// The member that tells the variant, which no other may be called.
    reserved: Option<&'static str>,
}

/// The members of an object that has a map of the remaining ones. No key of the map may be the name
/// of another member, since one of the two would not be read again.
#[derive(Default)]
struct Beside {
    /// The structs whose members are in the object.
    structs: Vec<&'static DocumentTable>,
    /// The members of enums: their tags and contents.
    members: Vec<&'static str>,
    /// The keys that the map has, each with the place of its value.
    keys: Vec<(String, usize)>,
}

__debug_parts! {
    /// Says how many there are, not their names: keys of maps may be secrets.
    Beside |self| {
        keys: self.keys.len(),
    }
}

impl Beside {
    fn of(document: &'static DocumentTable) -> Self {
        Self {
            structs: vec![document],
            ..Self::default()
        }
    }

    fn has(&self, name: &str) -> bool {
        self.members.contains(&name) || self.structs.iter().any(|document| document.takes(name))
    }
}

impl DocumentTable {
    /// True if a member of this name is never left for a map.
    fn takes(&self, name: &str) -> bool {
        self.names.contains(&name)
            || self.aliases.iter().any(|(alias, _)| *alias == name)
            || self.parts.always_has(name)
    }
}

const TAKEN: &str = "a key of the remaining members is the name of a field";

impl ObjectWriter<'_, '_> {
    /// Writes the next field.
    #[inline]
    pub fn write<T>(&mut self, value: &T, encode: fn(&T, &mut Writer<'_>)) {
        // There are as many labels as fields.
        if let Some(label) = self.labels.get(self.next_label) {
            self.writer.name(self.written, label);
        }
        self.next_label += 1;
        self.written += 1;
        encode(value, self.writer);
    }

    /// Leaves the next field out.
    pub fn leave_out(&mut self) {
        self.next_label += 1;
    }

    /// Leaves the next field out if `absent`, which is read where it is not stored, is the same
    /// value; otherwise writes it.
    pub fn write_unless_absent<T>(
        &mut self,
        value: &T,
        encode: fn(&T, &mut Writer<'_>),
        absent: impl FnOnce() -> Option<T>,
    ) {
        // Values of any type are compared by what is written of them, since few can be compared
        // themselves.
        let is_same = |absent: T| {
            self.writer
                .writes_same(&|writer| encode(value, writer), &|writer| {
                    encode(&absent, writer);
                })
        };
        if absent().is_some_and(is_same) {
            self.leave_out();
        } else {
            self.write(value, encode);
        }
    }

    /// Writes a part whose members are beside the others.
    pub(super) fn part(
        &mut self,
        table: &'static Table,
        write: impl FnOnce(&mut ObjectWriter<'_, '_>),
    ) {
        if let Some(document) = table.document
            && (self.beside.is_some() || document.parts.takes_all())
        {
            let beside = self.beside.get_or_insert_default();
            beside.structs.push(document);
            if let Some((_, place)) = beside.keys.iter().find(|(key, _)| document.takes(key)) {
                self.writer.unwritable_at(*place, TAKEN);
            }
        }
        let outer = (self.labels, self.next_label);
        (self.labels, self.next_label) = (table.labels(), 0);
        write(self);
        (self.labels, self.next_label) = outer;
    }

    /// Notes that the value about to be written has no form.
    pub(super) fn unwritable(&mut self, why: &'static str) {
        self.writer.unwritable(why);
    }

    /// Keeps a name from being written once more.
    pub(super) fn reserve(&mut self, name: &'static str) {
        // Nearly always there is one such name, which needs no memory.
        if let Some(outer) = self.reserved.replace(name) {
            self.others().members.push(outer);
        }
    }

    /// The other members of the object.
    fn others(&mut self) -> &mut Beside {
        self.beside
            .get_or_insert_with(|| Box::new(self.document.map_or_else(Beside::default, Beside::of)))
    }

    /// Writes a member that a map holds because no field names it. One that a field or an enum does
    /// name would be there twice.
    pub(super) fn member(&mut self, name: &str, write: impl FnOnce(&mut Writer<'_>)) {
        self.writer.key(self.written, name);
        self.written += 1;
        let place = self.writer.place();
        if self.others().has(name) || self.reserved == Some(name) {
            self.writer.unwritable_at(place, TAKEN);
        }
        self.others().keys.push((name.to_owned(), place));
        write(self.writer);
    }

    /// Writes a member of an enum.
    pub(super) fn member_of_enum(
        &mut self,
        name: &'static str,
        write: impl FnOnce(&mut Writer<'_>),
    ) {
        self.take_for_enum(name);
        self.write_member(name, write);
    }

    /// Keeps the name of a member of an enum from being a key.
    pub(super) fn take_for_enum(&mut self, name: &'static str) {
        if let Some(beside) = &mut self.beside {
            beside.members.push(name);
            if let Some((_, place)) = beside.keys.iter().find(|(key, _)| key == name) {
                self.writer.unwritable_at(*place, TAKEN);
            }
        }
    }

    fn write_member(&mut self, name: &str, write: impl FnOnce(&mut Writer<'_>)) {
        self.writer.key(self.written, name);
        self.written += 1;
        write(self.writer);
    }
}

impl Schema {
    /// The schema of a struct of attributes, made when it is first needed. A nested object is of
    /// version 0.
    #[must_use]
    pub fn of<T: Object>() -> &'static Self {
        T::TABLE.schema()
    }
}
