//! `MessagePack` as Terraform's plugin protocol writes and reads it.
//!
//! Numbers take the shortest integer form if they are whole and fit 64 signed bits, a float if one
//! holds them exactly, and are decimal text otherwise.

use rmp::Marker;
use rmp::encode;

use crate::value::Number;

pub(crate) fn write_null(out: &mut Vec<u8>) {
    out.push(Marker::Null.to_u8());
}

pub(crate) fn write_bool(value: bool, out: &mut Vec<u8>) {
    out.push(if value { Marker::True } else { Marker::False }.to_u8());
}

// Writing to a Vec cannot fail, and what is longer than 4 GiB has no form: it would have to be
// written in full before anybody could tell.
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    let _ = encode::write_str(out, text);
}

pub(crate) fn write_bin(bytes: &[u8], out: &mut Vec<u8>) {
    let _ = encode::write_bin(out, bytes);
}

pub(crate) fn write_array_header(len: usize, out: &mut Vec<u8>) {
    let _ = encode::write_array_len(out, u32::try_from(len).unwrap_or(u32::MAX));
}

pub(crate) fn write_map_header(len: usize, out: &mut Vec<u8>) {
    let _ = encode::write_map_len(out, u32::try_from(len).unwrap_or(u32::MAX));
}

pub(crate) fn write_int(int: i64, out: &mut Vec<u8>) {
    let _ = encode::write_sint(out, int);
}

pub(crate) fn write_float(float: f64, out: &mut Vec<u8>) {
    match whole(float) {
        Some(int) => write_int(int, out),
        None => match whole_above_63_bits(float) {
            // With all its digits, as other numbers of that size: its shortest text is another
            // number.
            Some(int) => write_string(&int.to_string(), out),
            None => {
                let _ = encode::write_f64(out, float);
            }
        },
    }
}

/// The 64-bit integer that a float is, if it is one.
pub(crate) fn whole(float: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    let int = float as i64;
    (float.fract() == 0.0
        && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float))
    .then_some(int)
}

/// The integer that a float is, if it is one that only 64 bits without a sign hold.
pub(crate) fn whole_above_63_bits(float: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and in range"
    )]
    let int = float as u64;
    (9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0)
        .contains(&float)
        .then_some(int)
}

pub(crate) fn write_number(number: &Number, out: &mut Vec<u8>) {
    if let Some(int) = number.as_i64() {
        write_int(int, out);
    } else if let Some(fraction) = number.as_exact_f64().filter(|_| !number.is_whole()) {
        let _ = encode::write_f64(out, fraction);
    } else {
        write_string(&number.to_string(), out);
    }
}

/// A value not known yet, without refinements.
pub(crate) fn write_unknown(out: &mut Vec<u8>) {
    out.extend_from_slice(&[Marker::FixExt1.to_u8(), 0, 0]);
}

/// A problem of bytes that are not `MessagePack`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// They end in the middle of a value.
    Truncated,
    /// A string is not UTF-8.
    Utf8,
    /// The reserved marker in place of a value.
    Reserved,
}

/// The head of one value: everything about it but what follows inside.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token<'a> {
    Null,
    Bool(bool),
    /// The digits of an integer.
    Number(String),
    /// A float, whose digits are its exact value.
    Float(f64),
    String(&'a str),
    Bin(&'a [u8]),
    Array(usize),
    Map(usize),
    /// Any extension: an unknown value.
    Unknown,
}

/// A cursor over `MessagePack` bytes.
#[derive(Debug)]
pub(crate) struct MsgpackReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> MsgpackReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The number of bytes that are left: no honest length is larger.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Malformed> {
        let end = self.at.checked_add(len).ok_or(Malformed::Truncated)?;
        let taken = self.bytes.get(self.at..end).ok_or(Malformed::Truncated)?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?
            .first_chunk()
            .copied()
            .ok_or(Malformed::Truncated)
    }

    fn len8(&mut self) -> Result<usize, Malformed> {
        self.array::<1>().map(|[byte]| usize::from(byte))
    }

    fn len16(&mut self) -> Result<usize, Malformed> {
        self.array()
            .map(|bytes| usize::from(u16::from_be_bytes(bytes)))
    }

    fn len32(&mut self) -> Result<usize, Malformed> {
        self.array()
            .map(|bytes| usize::try_from(u32::from_be_bytes(bytes)).unwrap_or(usize::MAX))
    }

    fn string(&mut self, len: usize) -> Result<Token<'a>, Malformed> {
        std::str::from_utf8(self.take(len)?)
            .map(Token::String)
            .map_err(|_| Malformed::Utf8)
    }

    fn extension(&mut self, len: usize) -> Result<Token<'a>, Malformed> {
        self.take(len.saturating_add(1)).map(|_| Token::Unknown)
    }

    /// Reads the next value's head, and the whole of a value that has nothing inside.
    pub(crate) fn next(&mut self) -> Result<Token<'a>, Malformed> {
        // A macro, because no trait has what the types of integers share.
        macro_rules! number {
            ($int:ty) => {
                Token::Number(<$int>::from_be_bytes(self.array()?).to_string())
            };
        }
        let [marker] = self.array::<1>()?;
        Ok(match Marker::from_u8(marker) {
            Marker::Null => Token::Null,
            Marker::True => Token::Bool(true),
            Marker::False => Token::Bool(false),
            Marker::FixPos(int) => Token::Number(int.to_string()),
            Marker::FixNeg(int) => Token::Number(int.to_string()),
            Marker::U8 => number!(u8),
            Marker::U16 => number!(u16),
            Marker::U32 => number!(u32),
            Marker::U64 => number!(u64),
            Marker::I8 => number!(i8),
            Marker::I16 => number!(i16),
            Marker::I32 => number!(i32),
            Marker::I64 => number!(i64),
            Marker::F32 => Token::Float(f64::from(f32::from_be_bytes(self.array()?))),
            Marker::F64 => Token::Float(f64::from_be_bytes(self.array()?)),
            Marker::FixStr(len) => self.string(usize::from(len))?,
            Marker::Str8 => {
                let len = self.len8()?;
                self.string(len)?
            }
            Marker::Str16 => {
                let len = self.len16()?;
                self.string(len)?
            }
            Marker::Str32 => {
                let len = self.len32()?;
                self.string(len)?
            }
            Marker::Bin8 => {
                let len = self.len8()?;
                Token::Bin(self.take(len)?)
            }
            Marker::Bin16 => {
                let len = self.len16()?;
                Token::Bin(self.take(len)?)
            }
            Marker::Bin32 => {
                let len = self.len32()?;
                Token::Bin(self.take(len)?)
            }
            Marker::FixArray(len) => Token::Array(usize::from(len)),
            Marker::Array16 => Token::Array(self.len16()?),
            Marker::Array32 => Token::Array(self.len32()?),
            Marker::FixMap(len) => Token::Map(usize::from(len)),
            Marker::Map16 => Token::Map(self.len16()?),
            Marker::Map32 => Token::Map(self.len32()?),
            Marker::FixExt1 => self.extension(1)?,
            Marker::FixExt2 => self.extension(2)?,
            Marker::FixExt4 => self.extension(4)?,
            Marker::FixExt8 => self.extension(8)?,
            Marker::FixExt16 => self.extension(16)?,
            Marker::Ext8 => {
                let len = self.len8()?;
                self.extension(len)?
            }
            Marker::Ext16 => {
                let len = self.len16()?;
                self.extension(len)?
            }
            Marker::Ext32 => {
                let len = self.len32()?;
                self.extension(len)?
            }
            Marker::Reserved => return Err(Malformed::Reserved),
        })
    }
}
