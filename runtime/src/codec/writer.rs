//! Writes values in the encoding asked for.

use std::fmt;

use super::error::EncodeError;
use super::json::{path_at, write_string};
use super::msgpack;
use crate::path::AttributePath;
use crate::schema::table::Table;
use crate::value::Number;

/// How stored values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    /// Compact JSON, as Terraform writes it into state files.
    #[default]
    Json,
    /// `MessagePack`, as Terraform's plugin protocol wants it.
    Msgpack,
}

/// Writes one value, without blanks and always the same way: attributes in byte order, map keys sorted.
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
    encoding: Encoding,
    /// Where the value begins in `out`.
    start: usize,
    /// Where the first value is that has no form in this encoding, and why it has none.
    unwritable: Option<(usize, &'static str)>,
}

/// Why a float may have no form.
const NOT_FINITE: &str = "a number that is not finite cannot be stored";

/// Says how much is written, not what: stored values may be secrets.
impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("encoding", &self.encoding).field("len", &self.out.len()).finish_non_exhaustive()
    }
}

impl<'o> Writer<'o> {
    /// Appends to `out`.
    pub fn new(out: &'o mut Vec<u8>, encoding: Encoding) -> Self {
        let start = out.len();
        Self { out, encoding, start, unwritable: None }
    }

    /// Ends the value. If something in it has no form, nothing of it stays in the output.
    ///
    /// `table` is that of the value, and `again` writes the value once more, as JSON, where the path is found.
    pub(crate) fn finish(self, table: &'static Table, again: &dyn Fn(&mut Writer<'_>)) -> Result<(), EncodeError> {
        match self.unwritable {
            None => Ok(()),
            Some((offset, why)) => Err(self.failed(offset, why, table, again)),
        }
    }

    /// Ends a value that has no attributes to find a path by.
    pub(crate) fn finish_alone(self) -> Result<(), EncodeError> {
        let Some((_, why)) = self.unwritable else { return Ok(()) };
        self.out.truncate(self.start);
        Err(EncodeError { path: AttributePath::new(), why })
    }

    // Not generic over the model, so that it is compiled once.
    #[cold]
    fn failed(self, offset: usize, why: &'static str, table: &'static Table, again: &dyn Fn(&mut Writer<'_>)) -> EncodeError {
        let mut json = Vec::new();
        let offset = if self.encoding == Encoding::Json {
            json.extend_from_slice(self.out.get(self.start..).unwrap_or_default());
            offset
        } else {
            let mut writer = Writer::new(&mut json, Encoding::Json);
            again(&mut writer);
            writer.unwritable.map_or(0, |(offset, _)| offset)
        };
        self.out.truncate(self.start);
        let text = std::str::from_utf8(&json).unwrap_or_default();
        let members = table.schema().block().members();
        let steps = path_at(text, offset, &|steps| members.container_at(steps));
        let visible = members.visible(&steps).len;
        EncodeError { path: steps.into_iter().collect::<AttributePath>().truncated(visible), why }
    }

    /// Notes that the value about to be written has no form. The caller still writes one, so that what is around it keeps its own.
    pub(crate) fn unwritable(&mut self, why: &'static str) {
        self.unwritable.get_or_insert((self.out.len() - self.start, why));
    }

    fn is_json(&self) -> bool {
        self.encoding == Encoding::Json
    }

    pub(crate) fn null(&mut self) {
        match self.encoding {
            Encoding::Json => self.out.extend_from_slice(b"null"),
            Encoding::Msgpack => msgpack::write_null(self.out),
        }
    }

    pub(crate) fn bool(&mut self, value: bool) {
        match self.encoding {
            Encoding::Json => self.out.extend_from_slice(if value { b"true" } else { b"false" }),
            Encoding::Msgpack => msgpack::write_bool(value, self.out),
        }
    }

    #[inline]
    pub(crate) fn string(&mut self, text: &str) {
        match self.encoding {
            Encoding::Json => write_string(text, self.out),
            Encoding::Msgpack => msgpack::write_string(text, self.out),
        }
    }

    pub(crate) fn signed(&mut self, int: i64) {
        match self.encoding {
            Encoding::Json => self.out.extend_from_slice(itoa::Buffer::new().format(int).as_bytes()),
            Encoding::Msgpack => msgpack::write_int(int, self.out),
        }
    }

    pub(crate) fn unsigned(&mut self, int: u64) {
        match (self.encoding, i64::try_from(int)) {
            (Encoding::Msgpack, Ok(int)) => msgpack::write_int(int, self.out),
            // Beyond 63 bits the protocol wants the digits as text.
            (Encoding::Msgpack, Err(_)) => self.string(itoa::Buffer::new().format(int)),
            (Encoding::Json, _) => self.out.extend_from_slice(itoa::Buffer::new().format(int).as_bytes()),
        }
    }

    pub(crate) fn float(&mut self, float: f64) {
        if !float.is_finite() {
            self.unwritable(NOT_FINITE);
            return self.null();
        }
        match self.encoding {
            // Negative zero is zero.
            Encoding::Json => self.display(&(float + 0.0)),
            Encoding::Msgpack => msgpack::write_float(float, self.out),
        }
    }

    pub(crate) fn number(&mut self, number: &Number) {
        match self.encoding {
            Encoding::Json => match number.as_i64() {
                Some(int) => self.signed(int),
                None => self.display(number),
            },
            Encoding::Msgpack => msgpack::write_number(number, self.out),
        }
    }

    fn display(&mut self, value: &dyn fmt::Display) {
        use std::io::Write as _;
        // Writing to a Vec cannot fail.
        let _ = write!(self.out, "{value}");
    }

    /// A value that carries its type, up to the value itself: `end_dynamic` comes behind it.
    pub(crate) fn begin_dynamic(&mut self, notation: &str) {
        match self.encoding {
            Encoding::Json => self.out.extend_from_slice(b"{\"value\":"),
            Encoding::Msgpack => {
                msgpack::write_array_header(2, self.out);
                msgpack::write_bin(notation.as_bytes(), self.out);
            }
        }
    }

    pub(crate) fn end_dynamic(&mut self, notation: &str) {
        if self.is_json() {
            self.out.extend_from_slice(b",\"type\":");
            self.out.extend_from_slice(notation.as_bytes());
            self.out.push(b'}');
        }
    }

    /// A value not known yet, which only `MessagePack` can say.
    pub(crate) fn unknown(&mut self) {
        match self.encoding {
            Encoding::Json => self.null(),
            Encoding::Msgpack => msgpack::write_unknown(self.out),
        }
    }

    #[inline]
    pub(crate) fn open_array(&mut self, len: usize) {
        match self.encoding {
            Encoding::Json => self.out.push(b'['),
            Encoding::Msgpack => msgpack::write_array_header(len, self.out),
        }
    }

    /// Comes before the element at `index`.
    #[inline]
    pub(crate) fn element(&mut self, index: usize) {
        if index > 0 && self.is_json() {
            self.out.push(b',');
        }
    }

    #[inline]
    pub(crate) fn close_array(&mut self) {
        if self.is_json() {
            self.out.push(b']');
        }
    }

    #[inline]
    pub(crate) fn open_object(&mut self, len: usize) {
        match self.encoding {
            Encoding::Json => self.out.push(b'{'),
            Encoding::Msgpack => msgpack::write_map_header(len, self.out),
        }
    }

    /// Comes before the member at `index`; `name` is a plain attribute name.
    #[inline]
    pub(crate) fn name(&mut self, index: usize, name: &str) {
        match self.encoding {
            Encoding::Json => {
                self.out.reserve(name.len() + 4);
                self.out.extend_from_slice(if index > 0 { b",\"" } else { b"\"" });
                self.out.extend_from_slice(name.as_bytes());
                self.out.extend_from_slice(b"\":");
            }
            Encoding::Msgpack => msgpack::write_string(name, self.out),
        }
    }

    /// Comes before the member at `index`; `key` may be any text.
    #[inline]
    pub(crate) fn key(&mut self, index: usize, key: &str) {
        self.element(index);
        self.string(key);
        if self.is_json() {
            self.out.push(b':');
        }
    }

    #[inline]
    pub(crate) fn close_object(&mut self) {
        if self.is_json() {
            self.out.push(b'}');
        }
    }
}
