//! Objects: structs whose fields are attributes.

use std::borrow::Cow;

use super::error::{DecodeError, EncodeError, Problem};
use super::json::{Kind, Lines, Mark, NextMember, Reader};
use super::writer::{Encoding, Writer, Written};
use crate::schema::table::{Row, Table};

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
    match (read_members(reader, T::TABLE.rows, &mut decode), value) {
        (Ok(()), Some(value)) => Ok(value),
        (Ok(()), None) => Err(DecodeError::stub()),
        (Err(error), _) => Err(error),
    }
}

/// Reads the members of any struct: `decode` reads the fields and keeps them, and says whether it could.
pub(crate) fn read_members(
    reader: &mut Reader<'_>,
    rows: &'static [Row],
    decode: &mut dyn FnMut(&mut ObjectReader<'_, '_>) -> bool,
) -> Result<(), DecodeError> {
    read_members_of(reader, rows, decode)
}

/// Reads the members inline, without one more call.
#[inline]
pub(crate) fn read_members_of(
    reader: &mut Reader<'_>,
    rows: &'static [Row],
    mut decode: impl FnMut(&mut ObjectReader<'_, '_>) -> bool,
) -> Result<(), DecodeError> {
    if reader.peek()? != Kind::Object {
        return Err(reader.unexpected("an object"));
    }
    let start = reader.mark();
    if reader.expects_sorted() {
        let mut object = ObjectReader::in_order(reader, rows)?;
        let result = if decode(&mut object) { object.close() } else { Err(object.into_error()) };
        match result {
            Err(error) if error.is_reordered() => {
                reader.stop_expecting_sorted();
                reader.rewind(start);
            }
            result => return result,
        }
    }
    let mut object = ObjectReader::indexed(reader, rows)?;
    if decode(&mut object) { object.close() } else { Err(object.into_error()) }
}

/// Writes `value` as an object.
pub fn write_object<T: Object>(value: &T, writer: &mut Writer<'_>) {
    write_members(T::TABLE, &|object| value.encode(object), writer);
}

/// Writes any struct, whose fields `encode` writes.
#[inline]
fn write_members(table: &'static Table, encode: &dyn Fn(&mut ObjectWriter<'_, '_>), writer: &mut Writer<'_>) {
    writer.open_object(table.rows.len());
    let mut object = ObjectWriter { writer, rows: table.rows, written: 0 };
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
        writer.finish(table, &|again| write_members(table, encode, again))
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
    rows: &'static [Row],
    /// How many names have been asked for.
    asked: usize,
    start: usize,
    access: Access<'a>,
    /// Why a field could not be read.
    error: Option<DecodeError>,
}

#[derive(Debug)]
enum Access<'a> {
    /// Read as they come.
    InOrder { first: bool, waiting: Option<Cow<'a, str>>, ended: bool },
    /// Found beforehand: where each name's value starts, if it is there, and the end of the object.
    Indexed { starts: Vec<Option<usize>>, end: Mark },
}

impl<'r, 'a> ObjectReader<'r, 'a> {
    #[inline]
    fn in_order(reader: &'r mut Reader<'a>, rows: &'static [Row]) -> Result<Self, DecodeError> {
        let start = reader.position();
        reader.open_object()?;
        Ok(Self {
            reader,
            rows,
            asked: 0,
            start,
            access: Access::InOrder { first: true, waiting: None, ended: false },
            error: None,
        })
    }

    fn indexed(reader: &'r mut Reader<'a>, rows: &'static [Row]) -> Result<Self, DecodeError> {
        let start = reader.position();
        let mut starts = vec![None; rows.len()];
        reader.open_object()?;
        let inside = reader.mark();
        let mut first = true;
        while let Some(name) = reader.next_member(first)? {
            first = false;
            reader.peek()?;
            // Of a repeated name the last value counts.
            match position(rows, &name).ok().and_then(|index| starts.get_mut(index)) {
                Some(start) => *start = Some(reader.position()),
                None => reader.undefined(&name)?,
            }
            reader.skip()?;
        }
        let end = reader.mark();
        reader.rewind(inside);
        Ok(Self { reader, rows, asked: 0, start, access: Access::Indexed { starts, end }, error: None })
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
        if let Some(row) = self.rows.get(self.asked)
            && let Access::InOrder { first, waiting: None, ended: false } = &mut self.access
            && self.reader.take_compact_member(*first, row.name)
        {
            *first = false;
            self.asked += 1;
            return true;
        }
        false
    }

    #[inline(never)]
    fn is_somewhere(&mut self) -> bool {
        // There are as many rows as fields.
        let name = self.rows.get(self.asked).map_or("", |row| row.name);
        if let Access::InOrder { first, waiting: None, ended: false } = &mut self.access
            && self.reader.take_member_between_blanks(*first, name)
        {
            *first = false;
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
        self.error = Some(if let Access::InOrder { ended: false, .. } = &self.access {
            // It may still come, behind names that belong after it.
            DecodeError::REORDERED
        } else {
            let name = self.rows.get(self.asked.wrapping_sub(1)).map_or("", |row| row.name);
            DecodeError::new(Problem::Missing, self.start).below(name)
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
        let (first, waiting, ended) = match &mut self.access {
            Access::InOrder { first, waiting, ended } => (first, waiting, ended),
            Access::Indexed { starts, .. } => {
                let Some(start) = starts.get(asked).copied().flatten() else { return Ok(false) };
                self.reader.jump(start);
                return Ok(true);
            }
        };
        loop {
            if *ended {
                return Ok(false);
            }
            let other = match waiting.take() {
                Some(other) if other == name => return Ok(true),
                Some(other) => other,
                None => match self.reader.next_member_if(std::mem::take(first), name)? {
                    NextMember::Wanted => return Ok(true),
                    NextMember::Other(other) => other,
                    NextMember::End => {
                        *ended = true;
                        return Ok(false);
                    }
                },
            };
            match position(self.rows, &other) {
                // A later name: the wanted one is absent, unless it turns up out of order.
                Ok(index) if index > asked => {
                    *waiting = Some(other);
                    return Ok(false);
                }
                Ok(_) => return Err(DecodeError::REORDERED),
                Err(_) => {
                    self.reader.undefined(&other)?;
                    self.reader.skip()?;
                }
            }
        }
    }

    /// Skips what is left of the object.
    #[inline]
    fn close(self) -> Result<(), DecodeError> {
        if let Access::InOrder { waiting: None, ended: false, .. } = &self.access
            && self.reader.take_end()
        {
            return Ok(());
        }
        self.close_slowly()
    }

    #[inline(never)]
    fn close_slowly(self) -> Result<(), DecodeError> {
        match self.access {
            Access::InOrder { ended: true, .. } => {}
            Access::InOrder { mut first, .. } => {
                while let Some(name) = self.reader.next_member(std::mem::take(&mut first))? {
                    if position(self.rows, &name).is_ok() {
                        return Err(DecodeError::REORDERED);
                    }
                    self.reader.undefined(&name)?;
                    self.reader.skip()?;
                }
            }
            Access::Indexed { end, .. } => self.reader.rewind(end),
        }
        Ok(())
    }
}

/// The position of the field of this name in state.
fn position(rows: &[Row], name: &str) -> Result<usize, usize> {
    rows.binary_search_by(|row| row.name.cmp(name))
}

/// Takes the fields of one object in the order of the model's names.
#[derive(Debug)]
pub struct ObjectWriter<'w, 'o> {
    writer: &'w mut Writer<'o>,
    rows: &'static [Row],
    written: usize,
}

impl ObjectWriter<'_, '_> {
    /// Writes the next field.
    #[inline]
    pub(super) fn write<T>(&mut self, value: &T, encode: fn(&T, &mut Writer<'_>)) {
        // There are as many rows as fields.
        let name = self.rows.get(self.written).map_or("", |row| row.name);
        self.writer.name(self.written, name);
        self.written += 1;
        encode(value, self.writer);
    }
}
