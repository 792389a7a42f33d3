//! Objects: structs whose fields are attributes.

use super::error::{DecodeError, EncodeError, Problem};
use super::json::{Kind, Label, Lines, Mark, NextMember, Reader, path_at};
use super::writer::{Encoding, Writer, Written};
use crate::path::AttributePath;
use crate::schema::Schema;
use crate::schema::table::Table;

/// A struct whose fields are attributes: every model, and every nested object.
///
/// This trait is sealed: only the derives implement it, `#[derive(Object)]` for nested structs and `#[derive(Resource)]` for models. Its
/// hidden items change without notice.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an object of attributes",
    note = "only a struct of yours can be one: it derives `upstate::Object` if it is nested, `upstate::Resource` if it is a model",
    note = "`#[block]` is for such structs; a list or map of strings, numbers or bools is an attribute, without `#[block]`"
)]
pub trait Object: Sized {
    /// Its fields.
    #[doc(hidden)]
    const TABLE: &'static Table;

    /// Reads the fields in byte order of their names. The reader keeps the error of the one that cannot be read: an `Option` a field is
    /// less for the compiler than a `Result`.
    #[doc(hidden)]
    fn decode(object: &mut ObjectReader<'_, '_>) -> Option<Self>;

    /// Writes the fields in byte order of their names.
    #[doc(hidden)]
    fn encode(&self, object: &mut ObjectWriter<'_, '_>);
}

/// Reads an object that the reader is at.
///
/// Stored objects nearly always have their names in byte order, so fields are read straight from the text in that order. The
/// first object whose names come otherwise is read once more through an index of its members, and so are all that follow.
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

/// Reads the members of any struct: `decode` reads the fields and keeps them, and says whether it could.
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
    if !reader.is_at_object() && reader.peek()? != Kind::Object {
        return Err(reader.unexpected("an object"));
    }
    let start = reader.mark();
    if reader.expects_sorted() {
        let mut object = ObjectReader::in_order(reader, table.labels())?;
        let result = if decode(&mut object) { object.close() } else { Err(object.into_error()) };
        match result {
            Err(error) if error.is_reordered() => {
                reader.stop_expecting_sorted();
                reader.rewind(start);
            }
            result => return result,
        }
    }
    let mut object = ObjectReader::indexed(reader, table.labels())?;
    if decode(&mut object) { object.close() } else { Err(object.into_error()) }
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
    steps.into_iter().collect::<AttributePath>().truncated(visible)
}

/// Writes any struct, whose fields `encode` writes.
#[inline]
fn write_members(table: &'static Table, encode: &dyn Fn(&mut ObjectWriter<'_, '_>), writer: &mut Writer<'_>) {
    let labels = table.labels();
    writer.open_object(labels.len());
    let mut object = ObjectWriter { writer, labels, written: 0 };
    encode(&mut object);
    object.writer.close_object();
}

/// Appends `value` to `out`.
#[inline]
pub(crate) fn encode_object<T: Object>(value: &T, encoding: Encoding, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    encode_members(T::TABLE, &|object| value.encode(object), Written::In(encoding), out)
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
        writer.finish(&|json, offset| located(table, json, offset), &|again| write_members(table, encode, again))
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
    /// How many names have been asked for.
    asked: usize,
    start: usize,
    next: Next,
    /// Which of the names was read, if [`Next::Named`].
    named: usize,
    /// If [`Next::Indexed`].
    index: Option<Box<Index>>,
    /// Why a field could not be read.
    error: Option<DecodeError>,
}

/// Where the values of an object are.
#[derive(Debug)]
struct Index {
    /// Where that of each name starts, if it is there.
    starts: Vec<Option<usize>>,
    end: Mark,
}

/// Where the next member is.
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
    /// Where it was found beforehand, since names do not come in order.
    Indexed,
}

impl<'r, 'a> ObjectReader<'r, 'a> {
    #[inline]
    fn in_order(reader: &'r mut Reader<'a>, labels: &'static [Label]) -> Result<Self, DecodeError> {
        let start = reader.position();
        reader.open_object()?;
        Ok(Self { reader, labels, asked: 0, start, next: Next::First, named: 0, index: None, error: None })
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
            // Of a repeated name the last value counts.
            match position(labels, &name).ok().and_then(|index| starts.get_mut(index)) {
                Some(start) => *start = Some(reader.position()),
                None => reader.undefined(&name)?,
            }
            reader.skip()?;
        }
        let index = Some(Box::new(Index { starts, end: reader.mark() }));
        reader.rewind(inside);
        Ok(Self { reader, labels, asked: 0, start, next: Next::Indexed, named: 0, index, error: None })
    }

    /// Reads the next field. If that fails, the error is kept.
    #[inline]
    pub(super) fn read<T>(
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
        let value = if self.error.is_none() { absent() } else { None };
        if value.is_none() {
            self.lacks();
        }
        value
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
            Next::Named | Next::Ended | Next::Indexed => return false,
        };
        if let Some(label) = self.labels.get(self.asked)
            && self.reader.take_compact_member(first, label)
        {
            self.next = Next::Later;
            self.asked += 1;
            return true;
        }
        false
    }

    #[inline(never)]
    fn is_somewhere(&mut self) -> bool {
        // There are as many labels as fields.
        let name = self.labels.get(self.asked).map_or("", |label| label.name);
        if let Next::First | Next::Later = self.next
            && self.reader.take_member_between_blanks(self.next == Next::First, name)
        {
            self.next = Next::Later;
            self.asked += 1;
            return true;
        }
        match self.find(name) {
            Ok(found) => found,
            Err(error) => {
                self.error = Some(error);
                false
            }
        }
    }

    /// Keeps the error that the field which was asked for last is not there.
    #[cold]
    fn lacks(&mut self) {
        if self.error.is_some() {
            return;
        }
        self.error = Some(match self.next {
            // It may still come, behind names that belong after it.
            Next::First | Next::Later | Next::Named => DecodeError::REORDERED,
            Next::Ended | Next::Indexed => {
                let name = self.labels.get(self.asked.wrapping_sub(1)).map_or("", |label| label.name);
                DecodeError::new(Problem::Missing, self.start).below(name)
            }
        });
    }

    /// Why a field could not be read.
    fn into_error(self) -> DecodeError {
        self.error.unwrap_or_else(DecodeError::stub)
    }

    /// Moves to the value of the member `name`, the next of the model's names; says whether there is one.
    #[inline(never)]
    fn find(&mut self, name: &'static str) -> Result<bool, DecodeError> {
        let asked = self.asked;
        self.asked += 1;
        loop {
            let other = match self.next {
                Next::Ended => return Ok(false),
                Next::Indexed => {
                    let start = self.index.as_ref().and_then(|index| index.starts.get(asked).copied().flatten());
                    let Some(start) = start else { return Ok(false) };
                    self.reader.jump(start);
                    return Ok(true);
                }
                Next::Named => {
                    let wanted = self.named == asked;
                    self.next = if wanted { Next::Later } else { Next::Named };
                    return Ok(wanted);
                }
                Next::First | Next::Later => match self.reader.next_member_if(self.next == Next::First, name)? {
                    NextMember::Wanted => {
                        self.next = Next::Later;
                        return Ok(true);
                    }
                    NextMember::Other(other) => other,
                    NextMember::End => {
                        self.next = Next::Ended;
                        return Ok(false);
                    }
                },
            };
            match position(self.labels, &other) {
                // A later name: the wanted one is absent, unless it turns up out of order.
                Ok(index) if index > asked => {
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
    fn close(self) -> Result<(), DecodeError> {
        match self.next {
            Next::First | Next::Later if self.reader.take_end() => Ok(()),
            Next::First | Next::Later | Next::Named | Next::Ended | Next::Indexed => self.close_slowly(),
        }
    }

    #[inline(never)]
    fn close_slowly(self) -> Result<(), DecodeError> {
        match self.next {
            Next::Ended => {}
            Next::Indexed => self.index.iter().for_each(|index| self.reader.rewind(index.end)),
            Next::First | Next::Later | Next::Named => {
                let mut first = self.next == Next::First;
                while let Some(name) = self.reader.next_member(std::mem::take(&mut first))? {
                    if position(self.labels, &name).is_ok() {
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
fn position(labels: &[Label], name: &str) -> Result<usize, usize> {
    labels.binary_search_by(|label| label.name.cmp(name))
}

/// Takes the fields of one object in the order of the model's names.
#[derive(Debug)]
pub struct ObjectWriter<'w, 'o> {
    writer: &'w mut Writer<'o>,
    labels: &'static [Label],
    written: usize,
}

impl ObjectWriter<'_, '_> {
    /// Writes the next field.
    #[inline]
    pub(super) fn write<T>(&mut self, value: &T, encode: fn(&T, &mut Writer<'_>)) {
        // There are as many labels as fields.
        if let Some(label) = self.labels.get(self.written) {
            self.writer.name(self.written, label);
        }
        self.written += 1;
        encode(value, self.writer);
    }
}

impl Schema {
    /// The schema of a struct of attributes, made when it is first asked for. A nested object is of version 0.
    #[must_use]
    pub fn of<T: Object>() -> &'static Self {
        T::TABLE.schema()
    }
}
