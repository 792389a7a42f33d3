//! Writes values in the encoding asked for.

use std::fmt;

use super::error::{EncodeError, NOT_FINITE};
use super::json::{Label, Layout, Lines, write_string};
use super::msgpack;
use crate::path::AttributePath;
use crate::value::Number;

/// The encoding in which stored values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    /// Compact JSON, as Terraform writes it into state files.
    #[default]
    Json,
    /// `MessagePack`, as Terraform's plugin protocol wants it.
    Msgpack,
}

/// The form in which a value is written.
#[derive(Clone, Copy)]
pub(crate) enum Written<'l> {
    /// In this encoding.
    In(Encoding),
    /// As JSON that is laid out over lines.
    LaidOut(Layout<'l>),
}

/// The form that a writer writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    Msgpack,
    /// JSON over lines.
    LaidOut,
}

/// Writes one value, without blanks and always the same way: attributes in byte order, map keys
/// sorted.
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
    form: Form,
    /// The lines of JSON that is laid out; nothing for other forms.
    lines: Option<&'o mut Lines<'o>>,
    /// The offset in `out` at which the value begins.
    start: usize,
    /// Values are written by the rules of documents: a float keeps its point, a set the order of
    /// its type.
    exact: bool,
    /// The offset from `start` of the first value that has no form in this encoding, and the
    /// reason.
    unwritable: Option<(usize, &'static str)>,
}

__debug_parts! {
    /// Says how much is written, not what: stored values may be secrets.
    Writer<'_> |self| {
        len: self.out.len(),
    }
}

/// Writes a float that has few digits, as `Display` writes it; says whether it did.
///
/// No two numbers of up to 15 digits are nearest to the same float. So if the float is nearest to a
/// whole number of millionths that has no more digits, that is the shortest number that it is
/// nearest to, once zeros at its end are gone.
#[expect(clippy::float_cmp, reason = "it is this float or another one")]
fn write_short(float: f64, out: &mut Vec<u8>) -> bool {
    const PARTS: u32 = 1_000_000;
    const MOST: f64 = 999_999_999_999_999.0;
    let parts = (float * f64::from(PARTS)).round();
    if !(-MOST..=MOST).contains(&parts) || parts / f64::from(PARTS) != float {
        return false;
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole, and in range")]
    let parts = parts as i64;
    if parts < 0 {
        out.push(b'-');
    }
    let (whole, mut fraction) = (
        parts.unsigned_abs() / u64::from(PARTS),
        parts.unsigned_abs() % u64::from(PARTS),
    );
    out.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
    if fraction > 0 {
        out.push(b'.');
        let mut place = u64::from(PARTS) / 10;
        while fraction > 0 {
            // `fraction / place` is one digit, so the conversion never fails.
            out.push(b'0' + u8::try_from(fraction / place).unwrap_or_default());
            fraction %= place;
            place /= 10;
        }
    }
    true
}

/// Writes a float that has few digits, as `Debug` writes it; says whether it did.
fn write_short_exactly(float: f64, out: &mut Vec<u8>) -> bool {
    // Because smaller ones have an exponent, and zero a sign.
    if float.abs() < 1e-4 || !write_short(float, out) {
        return false;
    }
    if float.fract() == 0.0 {
        out.extend_from_slice(b".0");
    }
    true
}

impl<'o> Writer<'o> {
    /// Appends to `out`.
    pub fn new(out: &'o mut Vec<u8>, encoding: Encoding) -> Self {
        let form = match encoding {
            Encoding::Json => Form::Json,
            Encoding::Msgpack => Form::Msgpack,
        };
        let start = out.len();
        Self {
            out,
            form,
            lines: None,
            start,
            exact: false,
            unwritable: None,
        }
    }

    /// Appends JSON over these lines to `out`: what [`indented`](super::json::indented) makes of
    /// the compact one.
    pub(crate) fn laid_out(out: &'o mut Vec<u8>, lines: &'o mut Lines<'o>) -> Self {
        let start = out.len();
        Self {
            out,
            form: Form::LaidOut,
            lines: Some(lines),
            start,
            exact: false,
            unwritable: None,
        }
    }

    /// Ends the value. If something in it has no form, nothing of it stays in the output.
    ///
    /// `again` writes the value once more, as JSON, and `locate` finds the path of an offset in it.
    pub(crate) fn finish(
        &mut self,
        locate: &dyn Fn(&str, usize) -> AttributePath,
        again: &dyn Fn(&mut Writer<'_>),
    ) -> Result<(), EncodeError> {
        match self.unwritable {
            None => Ok(()),
            Some((offset, why)) => Err(self.failed(offset, why, locate, again)),
        }
    }

    /// Ends a value that has no attributes to find a path by.
    pub(crate) fn finish_alone(&mut self) -> Result<(), EncodeError> {
        let Some((_, why)) = self.unwritable else {
            return Ok(());
        };
        self.out.truncate(self.start);
        Err(EncodeError {
            path: AttributePath::new(),
            why,
        })
    }

    // Not generic over the model, so that it is compiled once.
    #[cold]
    fn failed(
        &mut self,
        offset: usize,
        why: &'static str,
        locate: &dyn Fn(&str, usize) -> AttributePath,
        again: &dyn Fn(&mut Writer<'_>),
    ) -> EncodeError {
        let mut json = Vec::new();
        let offset = if self.is_json() {
            json.extend_from_slice(self.out.get(self.start..).unwrap_or_default());
            offset
        } else {
            let mut writer = Writer::new(&mut json, Encoding::Json);
            again(&mut writer);
            writer.unwritable.map_or(0, |(offset, _)| offset)
        };
        self.out.truncate(self.start);
        let text = std::str::from_utf8(&json).unwrap_or_default();
        EncodeError {
            path: locate(text, offset),
            why,
        }
    }

    /// The place of what is written next.
    pub(crate) fn place(&self) -> usize {
        self.out.len() - self.start
    }

    /// Notes that the value about to be written has no form. The caller still writes one, so that
    /// what is around it keeps its own.
    pub(crate) fn unwritable(&mut self, why: &'static str) {
        self.unwritable_at(self.place(), why);
    }

    /// Notes that the value at a place has no form.
    pub(crate) fn unwritable_at(&mut self, place: usize, why: &'static str) {
        self.unwritable.get_or_insert((place, why));
    }

    /// True if values are written by the rules of documents.
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    /// Writes by the rules of documents from here on.
    pub(crate) fn write_exactly(&mut self) {
        self.exact = true;
    }

    /// True if both write the same by the rules of this writer, also if neither has a form. Both
    /// are written behind what is there, which needs no buffer of its own, and taken away again.
    pub(crate) fn writes_same(
        &mut self,
        one: &dyn Fn(&mut Writer<'_>),
        other: &dyn Fn(&mut Writer<'_>),
    ) -> bool {
        let start = self.out.len();
        let of_one = self.append_json(one);
        let middle = self.out.len();
        let of_other = self.append_json(other);
        let is_same = of_one == of_other && self.out.get(start..middle) == self.out.get(middle..);
        self.out.truncate(start);
        is_same
    }

    /// Appends JSON by the rules of this writer; gives the first value in it that has no form.
    fn append_json(&mut self, write: &dyn Fn(&mut Writer<'_>)) -> Option<(usize, &'static str)> {
        let mut writer = Writer::new(self.out, Encoding::Json);
        writer.exact = self.exact;
        write(&mut writer);
        writer.unwritable
    }

    /// JSON of somebody else's making, which is known to be complete.
    pub(crate) fn raw_json(&mut self, json: &str) {
        let start = self.out.len();
        self.out.extend_from_slice(json.as_bytes());
        if let Some(lines) = &self.lines {
            lines.lay_out(self.out, start);
        }
    }

    /// A number other than a float, of any size.
    pub(crate) fn digits(&mut self, number: &dyn fmt::Display) {
        self.display(number);
    }

    fn is_json(&self) -> bool {
        self.form != Form::Msgpack
    }

    /// Begins a line.
    #[inline(never)]
    fn line(&mut self) {
        if let Some(lines) = &self.lines {
            self.out.extend_from_slice(lines.line());
        }
    }

    /// Begins a line one level deeper, once something is written there.
    fn enter(&mut self) {
        if let Some(lines) = &mut self.lines {
            lines.enter();
        }
    }

    /// Ends a level: on a line of its own, unless nothing was written behind `bracket`.
    fn leave(&mut self, bracket: u8) {
        if let Some(lines) = &mut self.lines {
            lines.leave();
        }
        if self.out.last() != Some(&bracket) {
            self.line();
        }
    }

    pub(crate) fn null(&mut self) {
        match self.form {
            Form::Json | Form::LaidOut => self.out.extend_from_slice(b"null"),
            Form::Msgpack => msgpack::write_null(self.out),
        }
    }

    pub(crate) fn bool(&mut self, value: bool) {
        match self.form {
            Form::Json | Form::LaidOut => {
                self.out
                    .extend_from_slice(if value { b"true" } else { b"false" });
            }
            Form::Msgpack => msgpack::write_bool(value, self.out),
        }
    }

    #[inline]
    pub(crate) fn string(&mut self, text: &str) {
        match self.form {
            Form::Json | Form::LaidOut => write_string(text, self.out),
            Form::Msgpack => msgpack::write_string(text, self.out),
        }
    }

    pub(crate) fn signed(&mut self, int: i64) {
        match self.form {
            Form::Json | Form::LaidOut => self
                .out
                .extend_from_slice(itoa::Buffer::new().format(int).as_bytes()),
            Form::Msgpack => msgpack::write_int(int, self.out),
        }
    }

    pub(crate) fn unsigned(&mut self, int: u64) {
        match (self.form, i64::try_from(int)) {
            (Form::Msgpack, Ok(int)) => msgpack::write_int(int, self.out),
            // Beyond 63 bits the protocol wants the digits as text.
            (Form::Msgpack, Err(_)) => self.string(itoa::Buffer::new().format(int)),
            (Form::Json | Form::LaidOut, _) => self
                .out
                .extend_from_slice(itoa::Buffer::new().format(int).as_bytes()),
        }
    }

    pub(crate) fn float(&mut self, float: f64) {
        if !float.is_finite() {
            self.unwritable(NOT_FINITE);
            return self.null();
        }
        if self.exact {
            // Rust's own text is the shortest that reads as the float, and has a point or an
            // exponent.
            if !write_short_exactly(float, self.out) {
                self.display(&format_args!("{float:?}"));
            }
            return;
        }
        match self.form {
            // A whole float of 64 bits with all its digits: its shortest text is another number.
            // Negative zero is zero.
            Form::Json | Form::LaidOut => match msgpack::whole(float) {
                Some(int) => self.signed(int),
                None => match msgpack::whole_above_63_bits(float) {
                    Some(int) => self.unsigned(int),
                    None if write_short(float, self.out) => {}
                    None => self.display(&float),
                },
            },
            Form::Msgpack => msgpack::write_float(float, self.out),
        }
    }

    pub(crate) fn number(&mut self, number: &Number) {
        match self.form {
            Form::Json | Form::LaidOut => match number.as_i64() {
                Some(int) => self.signed(int),
                None => self.display(number),
            },
            Form::Msgpack => msgpack::write_number(number, self.out),
        }
    }

    fn display(&mut self, value: &dyn fmt::Display) {
        use std::io::Write as _;
        // Writing to a Vec cannot fail.
        let _ = write!(self.out, "{value}");
    }

    /// A value that carries its type, up to the value itself: `end_dynamic` comes behind it.
    pub(crate) fn begin_dynamic(&mut self, notation: &str) {
        match self.form {
            Form::Json => self.out.extend_from_slice(b"{\"value\":"),
            Form::LaidOut => {
                self.open_object(2);
                self.key(0, "value");
            }
            Form::Msgpack => {
                msgpack::write_array_header(2, self.out);
                msgpack::write_bin(notation.as_bytes(), self.out);
            }
        }
    }

    pub(crate) fn end_dynamic(&mut self, notation: &str) {
        if !self.is_json() {
            return;
        }
        self.key(1, "type");
        let start = self.out.len();
        self.out.extend_from_slice(notation.as_bytes());
        if let Some(lines) = &self.lines {
            lines.lay_out(self.out, start);
        }
        self.close_object();
    }

    /// A value not known yet, which only `MessagePack` can say.
    pub(crate) fn unknown(&mut self) {
        match self.form {
            Form::Json | Form::LaidOut => self.null(),
            Form::Msgpack => msgpack::write_unknown(self.out),
        }
    }

    #[inline]
    pub(crate) fn open_array(&mut self, len: usize) {
        match self.form {
            Form::Json => self.out.push(b'['),
            Form::LaidOut => {
                self.out.push(b'[');
                self.enter();
            }
            Form::Msgpack => msgpack::write_array_header(len, self.out),
        }
    }

    /// Comes before the element at `index`.
    #[inline]
    pub(crate) fn element(&mut self, index: usize) {
        if self.form == Form::Msgpack {
            return;
        }
        if index > 0 {
            self.out.push(b',');
        }
        if self.form == Form::LaidOut {
            self.line();
        }
    }

    #[inline]
    pub(crate) fn close_array(&mut self) {
        match self.form {
            Form::Json => self.out.push(b']'),
            Form::LaidOut => {
                self.leave(b'[');
                self.out.push(b']');
            }
            Form::Msgpack => {}
        }
    }

    #[inline]
    pub(crate) fn open_object(&mut self, len: usize) {
        match self.form {
            Form::Json => self.out.push(b'{'),
            Form::LaidOut => {
                self.out.push(b'{');
                self.enter();
            }
            Form::Msgpack => msgpack::write_map_header(len, self.out),
        }
    }

    /// Comes before the member at `index`.
    #[inline]
    pub(crate) fn name(&mut self, index: usize, label: &Label) {
        match self.form {
            Form::Json if label.append_json_to_room(index == 0, self.out) => {}
            Form::Json | Form::LaidOut | Form::Msgpack => self.name_otherwise(index, label),
        }
    }

    #[inline(never)]
    fn name_otherwise(&mut self, index: usize, label: &Label) {
        match self.form {
            Form::Json => label.append_json(index == 0, self.out),
            Form::LaidOut => {
                self.element(index);
                label.append_laid_out(self.out);
            }
            Form::Msgpack => label.append_msgpack(self.out),
        }
    }

    /// Comes before the member at `index`; `key` may be any text.
    #[inline]
    pub(crate) fn key(&mut self, index: usize, key: &str) {
        self.element(index);
        self.string(key);
        match self.form {
            Form::Json => self.out.push(b':'),
            Form::LaidOut => self.out.extend_from_slice(b": "),
            Form::Msgpack => {}
        }
    }

    /// Comes before the member at `index`, whose key are these digits, in compact JSON; says whether
    /// it is that.
    #[inline]
    pub(crate) fn key_of_digits(&mut self, index: usize, digits: &[u8]) -> bool {
        if self.form != Form::Json {
            return false;
        }
        self.element(index);
        self.out.push(b'"');
        self.out.extend_from_slice(digits);
        self.out.extend_from_slice(b"\":");
        true
    }

    #[inline]
    pub(crate) fn close_object(&mut self) {
        match self.form {
            Form::Json => self.out.push(b'}'),
            Form::LaidOut => {
                self.leave(b'{');
                self.out.push(b'}');
            }
            Form::Msgpack => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_values_are_compared_behind_what_is_written() {
        let mut out = Vec::new();
        let mut lines = Lines::new(Layout::TERRAFORM);
        let mut writer = Writer::laid_out(&mut out, &mut lines);
        writer.write_exactly();
        writer.open_array(2);
        assert!(writer.writes_same(&|writer| writer.float(7.0), &|writer| writer.digits(&"7.0")));
        assert!(!writer.writes_same(&|writer| writer.float(7.0), &|writer| writer.float(7.5)));
        assert!(!writer.writes_same(&|writer| writer.string("7"), &|writer| writer.string("70")));
        assert!(
            writer.writes_same(&|writer| writer.float(f64::NAN), &|writer| writer
                .float(f64::INFINITY))
        );
        assert!(!writer.writes_same(&|writer| writer.float(f64::NAN), &|writer| writer.null()));
        assert!(writer.unwritable.is_none());
        writer.close_array();
        assert_eq!(out, b"[]");
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "any floats will do")]
    fn short_floats_are_written_as_all_are() {
        let (mut short, mut exact) = (0, 0);
        let mut check = |float: f64| {
            let mut out = Vec::new();
            if write_short(float, &mut out) {
                assert_eq!(String::from_utf8(out).unwrap(), (float + 0.0).to_string());
                short += 1;
            } else {
                assert!(out.is_empty());
            }
            let mut out = Vec::new();
            if write_short_exactly(float, &mut out) {
                assert_eq!(String::from_utf8(out).unwrap(), format!("{float:?}"));
                exact += 1;
            } else {
                assert!(out.is_empty());
            }
        };
        for float in [
            0.0,
            -0.0,
            1e-4,
            2e-4,
            0.1,
            0.2,
            0.3,
            0.1 + 0.2,
            1e-6,
            1e-7,
            1.5e-6,
            5e-324,
            1e9,
            1e15,
            1e16,
            1e22,
            f64::MAX,
            999_999_999.999_999,
        ] {
            for float in [float, -float, float.next_up(), float.next_down()] {
                check(float);
            }
        }
        // These floats are far apart; `next_up` adds their neighbours, so that nearly equal floats
        // are checked too.
        let mut bits = 0x3FB9_9999_9999_999A_u64;
        for step in 0..200_000_u64 {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(step);
            let millionths = (bits >> 12) as f64 / 1e6;
            let near = ((bits >> 40) as f64) / 8.0;
            for float in [millionths, near, near / 125.0, (bits >> 44) as f64 / 1e6] {
                check(float);
                check(float.next_up());
            }
        }
        assert!(short > 300_000 && exact > 300_000, "{short}, {exact}");
    }
}
