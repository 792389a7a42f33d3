//! Attributes that are one value: bools, strings, numbers.

use std::borrow::Cow;
use std::str::FromStr;

use super::error::{DecodeError, DecodeErrorKind, Problem};
use super::json::{FLOAT_DIGITS, Kind, Reader};
use super::slot::{AttributeType, decoded};
use super::writer::Writer;
use crate::schema::table::{Stored, TypeInfo};
use crate::schema::{Holds, Takes};
use crate::value::{Number, ParseNumberError};

type Result<T> = std::result::Result<T, DecodeError>;

/// Reads text by Terraform's rules: a number gives its source text, a bool its word.
#[inline]
pub(crate) fn text<'a>(reader: &mut Reader<'a>) -> Result<Cow<'a, str>> {
    match reader.take_plain_string() {
        Some(text) => Ok(Cow::Borrowed(text)),
        // Its end was looked for already.
        None if reader.is_at_string() => reader.any_string(),
        None => any_text(reader),
    }
}

#[inline(never)]
fn any_text<'a>(reader: &mut Reader<'a>) -> Result<Cow<'a, str>> {
    match reader.peek()? {
        Kind::String => reader.string(),
        _ if reader.is_exact() => Err(reader.unexpected("a string")),
        Kind::Number => reader.number().map(Cow::Borrowed),
        Kind::Bool => reader
            .bool()
            .map(|value| Cow::Borrowed(if value { "true" } else { "false" })),
        Kind::Null | Kind::Array | Kind::Object => Err(reader.unexpected("a string")),
    }
}

/// Reads a bool by Terraform's rules: also the strings `true`, `false`, `1`, `0` and the numbers 1
/// and 0.
#[inline]
pub(crate) fn bool(reader: &mut Reader<'_>) -> Result<bool> {
    match reader.take_bool() {
        Some(value) => Ok(value),
        None => any_bool(reader),
    }
}

#[inline(never)]
fn any_bool(reader: &mut Reader<'_>) -> Result<bool> {
    let kind = reader.peek()?;
    let start = reader.position();
    let source = match kind {
        Kind::Bool => return reader.bool(),
        _ if reader.is_exact() => return Err(reader.unexpected("a bool")),
        Kind::String => reader.string()?,
        Kind::Number => Cow::Borrowed(reader.number()?),
        Kind::Null | Kind::Array | Kind::Object => return Err(reader.unexpected("a bool")),
    };
    parse_bool(&source, kind == Kind::Number).map_err(|problem| DecodeError::new(problem, start))
}

pub(crate) fn parse_bool(source: &str, was_number: bool) -> std::result::Result<bool, Problem> {
    match source {
        "1" => Ok(true),
        "0" => Ok(false),
        "true" if !was_number => Ok(true),
        "false" if !was_number => Ok(false),
        _ if was_number => Err(Problem::Unfit(
            DecodeErrorKind::BadBool,
            "a bool",
            "a number other than 0 and 1",
        )),
        _ if source.eq_ignore_ascii_case("true") => Err(Problem::Content(
            DecodeErrorKind::BadBool,
            "a bool is required; to convert from string, use lowercase \"true\"",
        )),
        _ if source.eq_ignore_ascii_case("false") => Err(Problem::Content(
            DecodeErrorKind::BadBool,
            "a bool is required; to convert from string, use lowercase \"false\"",
        )),
        _ => Err(Problem::Content(
            DecodeErrorKind::BadBool,
            "expected a bool, found a string other than \"true\", \"false\", \"1\" and \"0\"",
        )),
    }
}

/// The source text of a number, or of a string that should hold one, and where it starts.
fn number_source<'a>(
    reader: &mut Reader<'a>,
    wanted: &'static str,
) -> Result<(Cow<'a, str>, usize)> {
    let kind = reader.peek()?;
    let start = reader.position();
    match kind {
        Kind::Number => Ok((Cow::Borrowed(reader.number()?), start)),
        _ if reader.is_exact() => Err(reader.unexpected(wanted)),
        Kind::String => Ok((reader.string()?, start)),
        Kind::Null | Kind::Bool | Kind::Array | Kind::Object => Err(reader.unexpected(wanted)),
    }
}

/// Reads a number, also from a string that holds one.
pub(crate) fn number(reader: &mut Reader<'_>) -> Result<Number> {
    let (source, start) = number_source(reader, "a number")?;
    parse_number(&source).map_err(|problem| DecodeError::new(problem, start))
}

pub(crate) fn parse_number(source: &str) -> std::result::Result<Number, Problem> {
    source.parse().map_err(|error| match error {
        ParseNumberError::NotANumber => Problem::Content(
            DecodeErrorKind::BadNumber,
            "error parsing number: expected a number, found a string that is not a decimal number",
        ),
        ParseNumberError::TooLong => Problem::Content(
            DecodeErrorKind::BadNumber,
            "error parsing number: written without an exponent it has more than 1000 digits",
        ),
    })
}

#[diagnostic::do_not_recommend]
impl AttributeType for bool {
    const SET_ORDER: bool = true;
    const INFO: &'static TypeInfo = &TypeInfo::of(Stored::Bool);

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        bool(reader)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        writer.bool(*self);
    }
}

#[diagnostic::do_not_recommend]
impl AttributeType for String {
    const SET_ORDER: bool = true;
    const INFO: &'static TypeInfo = &TypeInfo::of(Stored::String);

    #[inline]
    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        text(reader).map(Cow::into_owned)
    }

    #[inline]
    fn encode(&self, writer: &mut Writer<'_>) {
        writer.string(self);
    }
}

#[diagnostic::do_not_recommend]
impl AttributeType for Number {
    const SET_ORDER: bool = true;
    const INFO: &'static TypeInfo = &TypeInfo::of(Stored::Number);

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        number(reader)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        writer.number(self);
    }
}

macro_rules! integers {
    ($($int:ident as $wide:ident by $write:ident, $exact:ident: $range:literal;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl AttributeType for $int {
            const SET_ORDER: bool = true;
            const INFO: &'static TypeInfo =
                &TypeInfo::new(Stored::Number, Holds::integers($int::MIN as i128, $int::MAX as i128));

            fn decode(reader: &mut Reader<'_>) -> Result<Self> {
                let at = reader.position();
                let whole = reader.take_whole();
                if let Some(int) = whole.and_then(|whole| Self::try_from(whole).ok()) {
                    return Ok(int);
                }
                reader.jump(at);
                let (source, start) = number_source(reader, "a number")?;
                // Plain digits are the rule; `7.0`, `1e3` and the like are whole numbers too,
                // though not in a document.
                if let Ok(int) = source.parse() {
                    return if reader.is_exact() && source == "-0" { Err(not_an_integer(start)) } else { Ok(int) };
                }
                if reader.is_exact() {
                    return Err(if is_integer(&source) { out_of_range($range, start) } else { not_an_integer(start) });
                }
                let number = parse_number(&source).map_err(|problem| DecodeError::new(problem, start))?;
                number.$exact().and_then(|wide| wide.try_into().ok()).ok_or_else(|| {
                    DecodeError::new(Problem::Unfit(DecodeErrorKind::BadNumber, $range, "another number"), start)
                })
            }

            fn encode(&self, writer: &mut Writer<'_>) {
                writer.$write($wide::from(*self));
            }
        }
    )+};
}

integers! {
    i8 as i64 by signed, as_i64: "a whole number from -128 to 127";
    i16 as i64 by signed, as_i64: "a whole number from -32768 to 32767";
    i32 as i64 by signed, as_i64: "a whole number from -2147483648 to 2147483647";
    i64 as i64 by signed, as_i64: "a whole number from -9223372036854775808 to 9223372036854775807";
    u8 as u64 by unsigned, as_u64: "a whole number from 0 to 255";
    u16 as u64 by unsigned, as_u64: "a whole number from 0 to 65535";
    u32 as u64 by unsigned, as_u64: "a whole number from 0 to 4294967295";
    u64 as u64 by unsigned, as_u64: "a whole number from 0 to 18446744073709551615";
}

/// True if a number is written without a point and an exponent.
fn is_integer(source: &str) -> bool {
    source != "-0" && !source.contains(['.', 'e', 'E'])
}

#[cold]
fn not_an_integer(start: usize) -> DecodeError {
    DecodeError::new(
        Problem::Kind("an integer", "a number with a fraction or an exponent"),
        start,
    )
}

#[cold]
fn out_of_range(wanted: &'static str, start: usize) -> DecodeError {
    DecodeError::new(
        Problem::Unfit(DecodeErrorKind::BadNumber, wanted, "another number"),
        start,
    )
}

/// Integers that Terraform's protocol does not have, each with the type whose range the proofs take
/// for it: that of `isize` and `usize` is not the machine's, because documents go from machine to
/// machine.
macro_rules! wide_integers {
    ($($int:ident as $range_of:literal: $range:expr;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl AttributeType for $int {
            const INFO: &'static TypeInfo = &TypeInfo::new(
                Stored::Number,
                Holds::integers_of($range_of).of_documents().decoded_by(decoded::<Self>),
            );

            fn decode(reader: &mut Reader<'_>) -> Result<Self> {
                let (source, start) = number_source(reader, "an integer")?;
                match source.parse() {
                    // In fewer bits it is a float, as for serde.
                    Ok(_) if source == "-0" && size_of::<Self>() < 16 && reader.is_exact() => Err(not_an_integer(start)),
                    Ok(int) => Ok(int),
                    // 128 bits are read from text alone, where negative zero is zero.
                    Err(_) if source == "-0" && size_of::<Self>() == 16 => Ok(0),
                    Err(_) if is_integer(&source) => Err(out_of_range($range, start)),
                    Err(_) => Err(not_an_integer(start)),
                }
            }

            fn encode(&self, writer: &mut Writer<'_>) {
                writer.digits(self);
            }
        }
    )+};
}

wide_integers! {
    i128 as "i128": "a whole number from -170141183460469231731687303715884105728 to 170141183460469231731687303715884105727";
    u128 as "u128": "a whole number from 0 to 340282366920938463463374607431768211455";
    isize as "i64": SIGNED;
    usize as "u64": UNSIGNED;
}

/// The integers that a machine's own types hold.
const SIGNED: &str = if usize::BITS == 64 {
    "a whole number from -9223372036854775808 to 9223372036854775807"
} else {
    "a whole number from -2147483648 to 2147483647"
};
const UNSIGNED: &str = if usize::BITS == 64 {
    "a whole number from 0 to 18446744073709551615"
} else {
    "a whole number from 0 to 4294967295"
};

/// Reads the float that is nearest to a number of a document; `range` says which numbers have one.
fn exact_float<F: FromStr>(
    reader: &mut Reader<'_>,
    range: &'static str,
    finite: impl Fn(&F) -> bool,
    same: impl Fn(&F, &str) -> bool,
) -> Result<F> {
    let (source, start) = number_source(reader, "a number")?;
    // This cannot fail, since JSON's numbers are among those that Rust reads.
    let float: F = source.parse().map_err(|_| reader.unexpected("a number"))?;
    if !finite(&float) {
        return Err(out_of_range(range, start));
    }
    if source.len() > FLOAT_DIGITS && is_integer(&source) && !same(&float, &source) {
        reader.note_rounded(start);
    }
    Ok(float)
}

/// True if a float is just the integer of these digits, and is written as that.
fn is_just(exact: &str, written: &str, source: &str) -> bool {
    let number = |text: &str| text.parse::<Number>().ok();
    let integer = number(source);
    number(exact) == integer && number(written) == integer
}

#[diagnostic::do_not_recommend]
impl AttributeType for f32 {
    const INFO: &'static TypeInfo = &TypeInfo::new(
        Stored::Number,
        Holds::formatted("f32", Takes::Floats)
            .of_documents()
            .decoded_by(decoded::<Self>),
    );

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        exact_float(
            reader,
            "a number from -3.4028235e38 to 3.4028235e38",
            |float: &Self| float.is_finite(),
            |float, source| is_just(&format!("{float:.0}"), &format!("{float:?}"), source),
        )
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        if self.is_finite() {
            writer.digits(&format_args!("{self:?}"));
        } else {
            writer.float(f64::from(*self));
        }
    }
}

#[diagnostic::do_not_recommend]
impl AttributeType for char {
    const SET_ORDER: bool = true;
    const INFO: &'static TypeInfo = &TypeInfo::formatted_by("char", decoded::<Self>);

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        let start = reader.position();
        let text = text(reader)?;
        let mut letters = text.chars();
        if let (Some(letter), None) = (letters.next(), letters.next()) {
            return Ok(letter);
        }
        Err(DecodeError::new(
            Problem::Content(
                DecodeErrorKind::BadText,
                "expected a string of one character",
            ),
            start,
        ))
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        writer.string(self.encode_utf8(&mut [0; 4]));
    }
}

/// Reads a number as the nearest float, and refuses what a float would change beyond rounding a
/// fraction.
fn float(reader: &mut Reader<'_>) -> Result<f64> {
    let was_number = reader.peek()? == Kind::Number;
    let (source, start) = number_source(reader, "a number")?;
    if was_number && let Some(float) = kept_float(&source) {
        return Ok(float);
    }
    let number = parse_number(&source).map_err(|problem| DecodeError::new(problem, start))?;
    let nearest = number.to_f64();
    let zero = number == Number::from(0_i64);
    // Terraform writes a float of more than 64 bits as the shortest text that reads as it, or
    // exactly.
    let is = |float: Option<Number>| float.as_ref() == Some(&number);
    let kept = nearest.is_finite()
        && (nearest == 0.0) == zero
        && (!number.is_whole() || is(Number::from_f64(nearest)) || is(Number::of_sent(nearest)));
    if !kept {
        let problem = Problem::Unfit(
            DecodeErrorKind::BadNumber,
            "a number that a 64-bit float can hold",
            "one that it would change; `Number` keeps every digit",
        );
        return Err(DecodeError::new(problem, start));
    }
    Ok(nearest)
}

/// The float nearest to a number of JSON, if no float changes one of so few digits beyond rounding
/// a fraction.
fn kept_float(source: &str) -> Option<f64> {
    /// As many digits as every float keeps.
    const KEPT: usize = 15;
    let digits = source.strip_prefix('-').unwrap_or(source);
    if digits.len() > KEPT || digits.bytes().any(|byte| matches!(byte, b'e' | b'E')) {
        return None;
    }
    // Negative zero is read as zero, because `-0.0 + 0.0` is `0.0`.
    source.parse().ok().map(|float: f64| float + 0.0)
}

#[diagnostic::do_not_recommend]
impl AttributeType for f64 {
    const INFO: &'static TypeInfo = &TypeInfo::new(Stored::Number, Holds::of(Takes::Floats));

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        if reader.is_exact() {
            return exact_float(
                reader,
                "a number from -1.7976931348623157e308 to 1.7976931348623157e308",
                |float: &Self| float.is_finite(),
                |float, source| is_just(&format!("{float:.0}"), &format!("{float:?}"), source),
            );
        }
        float(reader)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        writer.float(*self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Encoding;
    use crate::schema::Type;
    use crate::value::Value;

    #[test]
    fn negative_zero_is_an_integer_in_128_bits_alone() {
        fn is_read<T: AttributeType>() -> bool {
            let mut reader = Reader::new("-0");
            reader.read_exactly();
            T::decode(&mut reader).is_ok()
        }
        assert!(is_read::<i128>() && is_read::<u128>());
        assert!(!is_read::<i64>() && !is_read::<isize>() && !is_read::<usize>());
    }

    #[test]
    fn text_is_the_same_by_its_quote_and_by_its_kind() {
        let long = format!("\"{}\"", "x".repeat(70));
        for json in [
            "",
            "x",
            "1",
            "-1.50e3",
            "true",
            "null",
            "[]",
            "\"",
            "\"\"",
            "\"a",
            "\"a\\",
            "\"a\"",
            " \"a\"",
            "\"a\"  ,",
            "\"\n\"",
            "\"\u{feff}\"",
            "\u{feff}\"a\"",
            r#""\u0061\"""#,
            r#""\ud83d\ude00""#,
            r#""\ud800""#,
            r#""\x""#,
            long.as_str(),
        ] {
            for is_exact in [false, true] {
                let outcome = |read: for<'a> fn(&mut Reader<'a>) -> Result<Cow<'a, str>>| {
                    let mut reader = Reader::new(json);
                    if is_exact {
                        reader.read_exactly();
                    }
                    let read = read(&mut reader).map(Cow::into_owned);
                    (format!("{read:?}"), reader.position())
                };
                assert_eq!(outcome(text), outcome(any_text), "{json:?}");
            }
        }
    }

    #[test]
    fn refused_numbers_name_the_range_of_their_type() {
        macro_rules! integers {
            ($($int:ident)+) => {$(
                for exact in [false, true] {
                    let mut reader = Reader::new("340282366920938463463374607431768211456");
                    if exact {
                        reader.read_exactly();
                    }
                    let refused = $int::decode(&mut reader).unwrap_err().problem();
                    let wanted = format!("expected a whole number from {} to {}, found another number", $int::MIN, $int::MAX);
                    assert_eq!(refused, wanted);
                }
            )+};
        }
        integers!(i8 i16 i32 i64 u8 u16 u32 u64 i128 u128 isize usize);
        macro_rules! floats {
            ($($float:ident)+) => {$(
                let mut reader = Reader::new("-1e400");
                reader.read_exactly();
                let refused = $float::decode(&mut reader).unwrap_err().problem();
                assert_eq!(refused, format!("expected a number from {:?} to {:?}, found another number", $float::MIN, $float::MAX));
            )+};
        }
        floats!(f32 f64);
    }

    #[test]
    fn whole_numbers_are_the_same_at_once_and_by_their_text() {
        fn outcome<T: AttributeType + std::fmt::Debug>(text: &str, is_exact: bool) -> String {
            let mut reader = Reader::new(text);
            if is_exact {
                reader.read_exactly();
            }
            match T::decode(&mut reader) {
                Ok(int) => format!("{int:?} before {:?}", text.get(reader.position()..)),
                Err(error) => error.problem(),
            }
        }
        let texts = [
            "",
            "0",
            "7",
            "00",
            "07",
            "-0",
            "-1",
            "+1",
            "127",
            "128",
            "255",
            "256",
            "1280",
            "4294967295",
            "4294967296",
            "999999999999999999",
            "1000000000000000000",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551615",
            "18446744073709551616",
            "7.0",
            "7.",
            "7e2",
            "7x",
            "\"7\"",
            "null",
        ];
        for text in texts {
            for behind in ["", ",8", "}", "]", " ", "\n,", ".5", "e1", "\""] {
                let text = format!("{text}{behind}");
                // With a blank, because a number behind one is read by its text.
                let later = format!(" {text}");
                macro_rules! integers {
                    ($($int:ident)+) => {$(
                        for is_exact in [false, true] {
                            assert_eq!(outcome::<$int>(&text, is_exact), outcome::<$int>(&later, is_exact), "{text:?}");
                        }
                    )+};
                }
                integers!(i8 i16 i32 i64 u8 u16 u32 u64);
            }
        }
        assert_eq!(outcome::<u8>("255,8", true), r#"255 before Some(",8")"#);
    }

    #[test]
    fn floats_of_few_digits_are_read_as_all_are() {
        let mut kept = 0;
        let texts = [
            "0",
            "-0",
            "0.0",
            "-0.0",
            "7",
            "7.0",
            "7.50",
            "-7.5",
            "123.625",
            "0.1",
            "0.3",
            "999999999999999",
            "9999999999999.5",
        ];
        let more = [
            "0.0000000000001",
            "-0.0000000000001",
            "1e3",
            "1E-3",
            "1000000000000000",
            "9007199254740993",
            "0.30000000000000004",
        ];
        for text in texts.into_iter().chain(more) {
            let number: Number = text.parse().unwrap();
            if let Some(float) = kept_float(text) {
                assert_eq!(float.to_bits(), number.to_f64().to_bits(), "{text}");
                assert!(
                    !number.is_whole() || Number::from_f64(float).as_ref() == Some(&number),
                    "{text}"
                );
                assert_eq!(float == 0.0, number == Number::from(0_i64), "{text}");
                kept += 1;
            }
        }
        assert_eq!(kept, texts.len() + 2);
    }

    fn read(text: &str) -> Result<f64> {
        float(&mut Reader::from_bytes(text.as_bytes())?)
    }

    /// JSON and `MessagePack` of a float, and of the value that either is read as.
    fn written(float: f64) -> [String; 3] {
        let (mut json, mut packed) = (Vec::new(), Vec::new());
        Writer::new(&mut json, Encoding::Json).float(float);
        Writer::new(&mut packed, Encoding::Msgpack).float(float);
        let packed = Value::from_known_msgpack(&packed, &Type::Number).unwrap();
        [
            String::from_utf8(json).unwrap(),
            packed.to_string(),
            Value::try_from(float).unwrap().to_string(),
        ]
    }

    #[test]
    fn whole_floats_keep_all_their_digits() {
        let two = |power: i32| 2_f64.powi(power);
        for (text, float) in [
            ("9223372036854775808", two(63)),
            ("-9223372036854775808", -two(63)),
            ("9223372036854774784", two(63).next_down()),
            ("18446744073709549568", two(64).next_down()),
            ("1152921504606846976", two(60)),
            ("9007199254740994", two(53) + 2.0),
        ] {
            assert_eq!(read(text).unwrap().to_bits(), float.to_bits(), "{text}");
            assert_eq!(written(float), [text; 3]);
        }
        // Beyond 64 bits as Go writes them, and MessagePack has the float itself; both forms are
        // read.
        for (text, exact, float) in [
            ("18446744073709552000", "18446744073709551616", two(64)),
            ("-18446744073709552000", "-18446744073709551616", -two(64)),
            ("10000000000000000000000", "10000000000000000000000", 1e22),
            ("100000000000000000000000", "99999999999999991611392", 1e23),
        ] {
            assert_eq!(
                [text, exact].map(|text| read(text).unwrap().to_bits()),
                [float.to_bits(); 2],
                "{text}"
            );
            assert_eq!(written(float), [text, exact, text]);
        }
        // Each of these would be written back as another number.
        for text in [
            "9223372036854776000",
            "18446744073709551617",
            "1152921504606847000",
            "9007199254740993",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn any_float_is_read_as_it_was_written() {
        let mut bits = 0x3FB9_9999_9999_999A_u64;
        let mut whole = 0;
        for step in 0..2_000_u64 {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(step);
            let float = f64::from_bits(bits);
            for float in [float, float.round(), (float % 1e25).round()]
                .into_iter()
                .filter(|float| float.is_finite())
            {
                let [json, packed, value] = written(float);
                assert_eq!(
                    read(&json).unwrap().to_bits(),
                    (float + 0.0).to_bits(),
                    "{json}"
                );
                assert_eq!(value, json);
                // In `MessagePack` it is the float itself.
                assert_eq!(
                    read(&packed).unwrap().to_bits(),
                    (float + 0.0).to_bits(),
                    "{packed}"
                );
                whole += usize::from(float.fract() == 0.0);
            }
        }
        assert!(whole > 3_000, "{whole}");
    }
}
