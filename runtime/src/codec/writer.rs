//! Writes values in the encoding asked for.

use super::error::EncodeError;
use super::json::{path_at, write_string};
use crate::path::PathStep;
use crate::value::Number;

/// Writes one value as JSON, compact and as Terraform writes it.
#[derive(Debug)]
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
    /// Where the first number without a text form should have stood.
    not_finite: Option<usize>,
}

impl<'o> Writer<'o> {
    /// Appends to `out`.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        Self { out, start, not_finite: None }
    }

    /// Ends the value. `is_map` says which objects are maps, for the path of an error.
    pub(crate) fn finish(self, is_map: impl Fn(&[PathStep]) -> bool) -> Result<(), EncodeError> {
        let Some(offset) = self.not_finite else { return Ok(()) };
        let written = self.out.get(self.start..).unwrap_or_default();
        let text = std::str::from_utf8(written).unwrap_or_default();
        let path = path_at(text, offset, is_map).into_iter().collect();
        self.out.truncate(self.start);
        Err(EncodeError { path })
    }

    pub(crate) fn null(&mut self) {
        self.out.extend_from_slice(b"null");
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
    }

    #[inline]
    pub(crate) fn string(&mut self, text: &str) {
        write_string(text, self.out);
    }

    pub(crate) fn signed(&mut self, int: i64) {
        self.out.extend_from_slice(itoa::Buffer::new().format(int).as_bytes());
    }

    pub(crate) fn unsigned(&mut self, int: u64) {
        self.out.extend_from_slice(itoa::Buffer::new().format(int).as_bytes());
    }

    pub(crate) fn float(&mut self, float: f64) {
        if !float.is_finite() {
            self.not_finite.get_or_insert(self.out.len() - self.start);
            return self.null();
        }
        self.display(&float);
    }

    pub(crate) fn number(&mut self, number: &Number) {
        self.display(number);
    }

    /// Text that is JSON already.
    pub(crate) fn raw(&mut self, json: &str) {
        self.out.extend_from_slice(json.as_bytes());
    }

    fn display(&mut self, value: &dyn std::fmt::Display) {
        use std::io::Write as _;
        // Writing to a Vec cannot fail.
        let _ = write!(self.out, "{value}");
    }

    #[inline]
    pub(crate) fn open_array(&mut self, _len: usize) {
        self.out.push(b'[');
    }

    /// Comes before the element at `index`.
    #[inline]
    pub(crate) fn element(&mut self, index: usize) {
        if index > 0 {
            self.out.push(b',');
        }
    }

    #[inline]
    pub(crate) fn close_array(&mut self) {
        self.out.push(b']');
    }

    #[inline]
    pub(crate) fn open_object(&mut self, _len: usize) {
        self.out.push(b'{');
    }

    /// Comes before the member at `index`; `name` is a plain attribute name.
    #[inline]
    pub(crate) fn name(&mut self, index: usize, name: &str) {
        self.element(index);
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// Comes before the member at `index`; `key` may be any text.
    #[inline]
    pub(crate) fn key(&mut self, index: usize, key: &str) {
        self.element(index);
        self.string(key);
        self.out.push(b':');
    }

    #[inline]
    pub(crate) fn close_object(&mut self) {
        self.out.push(b'}');
    }
}
