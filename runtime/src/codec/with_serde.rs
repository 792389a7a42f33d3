//! Values that serde reads and writes: types of other crates, and fields whose author wrote
//! functions for serde.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Display;
use std::ops::Range;

use serde_ignored::Path;
use serde_json::de::StrRead;

use super::error::{DecodeError, DecodeErrorKind, NOT_FINITE, Problem};
use super::finite::is_finite;
use super::json::{Kind, Reader};
use super::writer::{Encoding, Writer};
use crate::value::Number;

type Result<T> = std::result::Result<T, DecodeError>;

/// serde's reader of a value, which notes the members that no type takes.
type Noting<'p, 'n, 'd, 't> = serde_ignored::Deserializer<
    'p,
    'n,
    &'d mut serde_json::Deserializer<StrRead<'t>>,
    &'n dyn Fn(Path<'_>),
>;

/// Reads the value that the reader is at with functions of serde. Members that they ignore are
/// noted, keys that come twice, and numbers that `write` writes as the float nearest to them.
#[doc(hidden)]
pub fn read_with_serde<T>(
    reader: &mut Reader<'_>,
    read: impl FnOnce(Noting<'_, '_, '_, '_>) -> serde_json::Result<T>,
    write: fn(&T, &mut Writer<'_>),
) -> Result<T> {
    let (value, numbers) = read_noting(reader, read)?;
    if !numbers.is_empty() {
        note_rounded(reader, &numbers, &|writer| write(&value, writer));
    }
    Ok(value)
}

/// Reads the value that the reader is at with functions of serde; gives the places of the numbers
/// that a float might not keep.
pub(super) fn read_noting<T>(
    reader: &mut Reader<'_>,
    read: impl FnOnce(Noting<'_, '_, '_, '_>) -> serde_json::Result<T>,
) -> Result<(T, Vec<Range<usize>>)> {
    reader.peek()?;
    let start = reader.position();
    let mut numbers = Vec::new();
    reader.skip_noting(&mut numbers)?;
    let text = reader
        .text()
        .get(start..reader.position())
        .unwrap_or_default();
    let ignored = RefCell::new(Vec::new());
    let note = |path: Path<'_>| ignored.borrow_mut().push(steps(&path));
    let mut note: &dyn Fn(Path<'_>) = &note;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = read(serde_ignored::Deserializer::new(
        &mut deserializer,
        &mut note,
    ));
    let value = value.and_then(|value| deserializer.end().map(|()| value));
    let value = value.map_err(|error| refused_by_serde::<T>(&error, start))?;
    for steps in ignored.take() {
        let mut inside = Reader::new(text);
        if let Some(offset) = offset_of(&mut inside, &steps) {
            reader.note_undefined_at(start + offset);
            inside.skip()?;
            let undefined = start + offset..start + inside.position();
            numbers.retain(|place| !undefined.contains(&place.start));
        }
    }
    Ok((value, numbers))
}

/// Notes those of these numbers that `write` writes as the float nearest to them. One of which
/// neither is written is not noted: a type may keep it in another form, such as a date, or leave it
/// out as its author wants.
#[cold]
fn note_rounded(reader: &mut Reader<'_>, stored: &[Range<usize>], write: &dyn Fn(&mut Writer<'_>)) {
    let mut json = Vec::new();
    write(&mut Writer::new(&mut json, Encoding::Json));
    let json = String::from_utf8_lossy(&json);
    // A type may write as a string what it reads as a number, so that the numbers in strings count.
    let numbers = || {
        json.split(|letter: char| {
            !letter.is_ascii_digit() && !matches!(letter, '+' | '-' | '.' | 'e' | 'E')
        })
    };
    let (text, mut left) = (reader.text(), numbers());
    // Nearly always all are written as they are stored, in the same order, which needs no memory.
    if stored.iter().all(|place| {
        text.get(place.clone())
            .is_some_and(|digits| left.any(|number| number == digits))
    }) {
        return;
    }
    let written: HashSet<Number> = numbers().filter_map(|digits| digits.parse().ok()).collect();
    for place in stored {
        let Some(digits) = text.get(place.clone()) else {
            continue;
        };
        let is_kept = digits
            .parse()
            .is_ok_and(|number: Number| written.contains(&number));
        let is_rounded = if digits.contains(['.', 'e', 'E']) {
            digits.parse::<f64>().is_ok_and(|float| {
                float
                    .to_string()
                    .parse()
                    .is_ok_and(|float: Number| written.contains(&float))
            })
        } else {
            floats_of(digits).any(|float| written.contains(&float))
        };
        if !is_kept && is_rounded {
            reader.note_rounded(place.start);
        }
    }
}

/// The numbers that may be written for the float nearest to an integer, of 64 or of 32 bits: all of
/// its digits, or as many as tell it from its neighbours.
fn floats_of(digits: &str) -> impl Iterator<Item = Number> {
    let wide = digits
        .parse::<f64>()
        .into_iter()
        .flat_map(|float| [float.to_string(), format!("{float:.0}")]);
    // A float of 32 bits may be rounded twice, because serde_json reads more than 64 bits as one of
    // 64 first.
    let twice = wide.clone().last();
    let narrow = [Some(digits), twice.as_deref()]
        .into_iter()
        .flatten()
        .filter_map(|digits| digits.parse::<f32>().ok());
    let narrow: Vec<_> = narrow
        .flat_map(|float| {
            [
                float.to_string(),
                f64::from(float).to_string(),
                format!("{float:.0}"),
            ]
        })
        .collect();
    wide.chain(narrow).filter_map(|digits| digits.parse().ok())
}

/// A step to a member that serde ignored.
enum Step {
    Member(String),
    Element(usize),
    /// Into the content of the variant of an enum.
    Content,
}

fn steps(path: &Path<'_>) -> Vec<Step> {
    let (parent, step) = match path {
        Path::Root => return Vec::new(),
        Path::Seq { parent, index } => (parent, Some(Step::Element(*index))),
        Path::Map { parent, key } => (parent, Some(Step::Member(key.clone()))),
        Path::NewtypeVariant { parent } => (parent, Some(Step::Content)),
        Path::Some { parent } | Path::NewtypeStruct { parent } => (parent, None),
    };
    let mut steps = steps(parent);
    steps.extend(step);
    steps
}

/// The offset of the value that the steps lead to.
fn offset_of(reader: &mut Reader<'_>, steps: &[Step]) -> Option<usize> {
    let kind = reader.peek().ok()?;
    let Some((step, after)) = steps.split_first() else {
        return Some(reader.position());
    };
    match (step, kind) {
        (Step::Element(index), Kind::Array) => {
            reader.open_array().ok()?;
            for passed in 0..=*index {
                if passed > 0 {
                    reader.skip().ok()?;
                }
                reader.next_element(passed == 0).ok()?.then_some(())?;
            }
            offset_of(reader, after)
        }
        (Step::Member(wanted), Kind::Object) => {
            let start = reader.mark();
            reader.open_object().ok()?;
            let mut first = true;
            while let Some(name) = reader.next_member(first).ok()? {
                if name == wanted.as_str() {
                    return offset_of(reader, after);
                }
                first = false;
                reader.skip().ok()?;
            }
            // The path lacks the name of a variant that holds fields with names, and so does this
            // object.
            reader.rewind(start);
            content(reader)?;
            (reader.peek().ok()? == Kind::Object)
                .then(|| offset_of(reader, steps))
                .flatten()
        }
        (Step::Content, Kind::Object) => {
            content(reader)?;
            offset_of(reader, after)
        }
        _ => None,
    }
}

/// Goes to the value of an object's only member.
fn content(reader: &mut Reader<'_>) -> Option<()> {
    let start = reader.mark();
    reader.open_object().ok()?;
    reader.next_member(true).ok()??;
    let value = reader.mark();
    reader.skip().ok()?;
    if reader.next_member(false).ok()?.is_some() {
        reader.rewind(start);
        return None;
    }
    reader.rewind(value);
    Some(())
}

/// The error of serde, by the words that its messages begin with.
#[cold]
fn refused_by_serde<T>(error: &serde_json::Error, start: usize) -> DecodeError {
    let text = error.to_string();
    let kinds = [
        ("missing field", DecodeErrorKind::Null),
        ("unknown field", DecodeErrorKind::UndefinedAttribute),
        ("unknown variant", DecodeErrorKind::UnknownVariant),
        ("duplicate field", DecodeErrorKind::RepeatedMember),
        ("invalid type", DecodeErrorKind::WrongKind),
        ("invalid length", DecodeErrorKind::TupleLength),
        ("number out of range", DecodeErrorKind::BadNumber),
        ("recursion limit", DecodeErrorKind::Depth),
    ];
    let kind = kinds
        .iter()
        .find(|(words, _)| text.starts_with(words))
        .map_or(DecodeErrorKind::BadText, |(_, kind)| *kind);
    let name = short::<T>();
    let sentence = match expected(&text) {
        Some(expected) => format!("the stored value is not a valid `{name}`: {expected}"),
        None => format!("the stored value is not a valid `{name}`"),
    };
    DecodeError::new(Problem::Serde(kind, sentence, text), start)
}

/// The part of serde's message that is about the type and not about the stored value, which may be
/// secret.
fn expected(message: &str) -> Option<String> {
    let message = message
        .rsplit_once(" at line ")
        .map_or(message, |(message, _)| message);
    if let Some(field) = message.strip_prefix("missing field ") {
        return Some(format!("it lacks {field}"));
    }
    let is_of_serde = [
        "invalid type: ",
        "invalid value: ",
        "invalid length ",
        "unknown variant ",
        "unknown field ",
    ]
    .iter()
    .any(|words| message.starts_with(words));
    let (_, expected) = message.rsplit_once(", expected ").filter(|_| is_of_serde)?;
    Some(format!("expected {expected}"))
}

/// Reads a value as its type's `Deserialize` does.
#[doc(hidden)]
pub fn read_serde<T: serde::de::DeserializeOwned>(
    reader: &mut Reader<'_>,
    write: fn(&T, &mut Writer<'_>),
) -> Result<T> {
    read_with_serde(reader, |deserializer| T::deserialize(deserializer), write)
}

/// Writes a value with functions of serde.
#[doc(hidden)]
pub fn write_with_serde(
    writer: &mut Writer<'_>,
    write: impl FnOnce(&mut serde_json::Serializer<&mut Vec<u8>>) -> serde_json::Result<()>,
) {
    write_finite(writer, write, || true);
}

/// Writes a value with functions of serde, unless it is not finite.
fn write_finite(
    writer: &mut Writer<'_>,
    write: impl FnOnce(&mut serde_json::Serializer<&mut Vec<u8>>) -> serde_json::Result<()>,
    is_finite: impl FnOnce() -> bool,
) {
    let mut json = Vec::new();
    if write(&mut serde_json::Serializer::new(&mut json)).is_err() {
        writer.unwritable("the type's own `Serialize` refuses the value");
        return writer.null();
    }
    let json = std::str::from_utf8(&json).unwrap_or_default();
    // Only with a null in it there may be a float that serde_json has no number for.
    if json.contains("null") && !is_finite() {
        writer.unwritable(NOT_FINITE);
        return writer.null();
    }
    writer.raw_json(json);
}

/// Writes a value as its type's `Serialize` does.
#[doc(hidden)]
pub fn write_serde<T: serde::Serialize>(value: &T, writer: &mut Writer<'_>) {
    write_finite(
        writer,
        |serializer| value.serialize(serializer),
        || is_finite(value),
    );
}

/// The error of a conversion that the author of a type wrote.
#[doc(hidden)]
pub fn refused_by_author(error: impl Display, start: usize) -> DecodeError {
    DecodeError::new(Problem::Author(error.to_string()), start)
}

/// The name of a type without its modules.
fn short<T>() -> String {
    super::forms::short_name(std::any::type_name::<T>())
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::{Encoding, Reader, Writer, expected, read_serde, write_serde};
    use crate::document::{read, write};

    /// The tests of this crate alone are without the feature `float_roundtrip` that dependencies of
    /// other tests ask for.
    #[test]
    fn floats_are_read_to_the_nearest_one() {
        let range = r#"{"start":1.602176634e-19,"end":0.30000000000000004}"#;
        let floats = read::<std::ops::Range<f64>>(range.as_bytes())
            .unwrap()
            .into_value();
        assert_eq!(String::from_utf8(write(&floats).unwrap()).unwrap(), range);
        let map = r#"{"end":0.30000000000000004,"start":1.602176634e-19}"#;
        let floats = read::<serde_json::Map<String, serde_json::Value>>(map.as_bytes())
            .unwrap()
            .into_value();
        assert_eq!(String::from_utf8(write(&floats).unwrap()).unwrap(), map);
    }

    #[derive(Serialize)]
    enum Measured {
        Unit,
        Plain(f64),
        Maybe { ratio: Option<f32> },
        Pair(u8, Option<f64>),
        Many(std::collections::BTreeMap<u8, Vec<Option<f64>>>),
        Wide(Option<i128>),
    }

    /// `serde_json` writes null for it, which is read as another value or not at all.
    #[test]
    fn a_float_that_is_not_finite_is_not_written() {
        let is_written = |value: &Measured| {
            let mut json = Vec::new();
            let mut writer = Writer::new(&mut json, Encoding::Json);
            write_serde(value, &mut writer);
            String::from_utf8(json).unwrap() != "null"
        };
        let many = |float| Measured::Many([(1, vec![None, float])].into());
        for written in [
            Measured::Unit,
            Measured::Plain(1.5),
            Measured::Maybe { ratio: None },
            Measured::Pair(1, None),
            many(Some(1.0)),
            Measured::Wide(None),
            Measured::Wide(Some(1)),
        ] {
            assert!(is_written(&written));
        }
        for refused in [
            Measured::Plain(f64::NAN),
            Measured::Maybe {
                ratio: Some(f32::INFINITY),
            },
            Measured::Pair(1, Some(f64::NEG_INFINITY)),
            many(Some(f64::NAN)),
        ] {
            assert!(!is_written(&refused));
        }
        write(&(f64::NAN..1.0)).unwrap_err();
    }

    #[derive(Deserialize, Serialize)]
    struct Numbers {
        float: f64,
        power: f64,
        whole: u64,
        wide: u128,
        string: Digits,
    }

    /// A number that is written as a string.
    #[derive(Clone, Deserialize, Serialize)]
    #[serde(from = "u128", into = "String")]
    struct Digits(u128);

    impl From<u128> for Digits {
        fn from(digits: u128) -> Self {
            Self(digits)
        }
    }

    impl From<Digits> for String {
        fn from(Digits(digits): Digits) -> Self {
            digits.to_string()
        }
    }

    #[test]
    fn integers_that_a_float_rounds_are_noted() {
        let json = concat!(
            r#"{"float":12345678901234567890123,"power":10000000000000000000000,"whole":18446744073709551615,"#,
            r#""wide":12345678901234567890124,"string":12345678901234567890125,"none":12345678901234567890126}"#
        );
        let mut reader = Reader::new(json);
        read_serde::<Numbers>(&mut reader, write_serde).unwrap();
        assert_eq!(
            reader.rounded(),
            [json.find("12345678901234567890123").unwrap()]
        );
        assert_eq!(
            reader.skipped(),
            [json.find("12345678901234567890126").unwrap()]
        );
    }

    /// The offsets of the numbers that are noted as rounded.
    fn rounded<T: Serialize + serde::de::DeserializeOwned>(json: &str) -> Vec<usize> {
        let mut reader = Reader::new(json);
        read_serde::<T>(&mut reader, write_serde).unwrap();
        reader.rounded().to_vec()
    }

    #[derive(Deserialize, Serialize)]
    struct Twice {
        float: f64,
        whole: u64,
    }

    #[test]
    fn an_integer_may_be_the_float_of_another_one() {
        assert_eq!(
            rounded::<Twice>(r#"{"float":9007199254740993,"whole":9007199254740992}"#),
            [9]
        );
        assert!(
            rounded::<Twice>(r#"{"float":9007199254740992,"whole":9007199254740993}"#).is_empty()
        );
    }

    #[derive(Deserialize, Serialize)]
    struct Narrow {
        narrow: f32,
        whole: u32,
    }

    #[test]
    fn floats_of_32_bits_round_sooner() {
        assert_eq!(rounded::<Narrow>(r#"{"narrow":16777217,"whole":1}"#), [10]);
        assert_eq!(
            rounded::<Narrow>(r#"{"narrow":-16777217,"whole":16777216}"#),
            [10]
        );
        assert!(rounded::<Narrow>(r#"{"narrow":16777216,"whole":16777217}"#).is_empty());
        assert_eq!(
            rounded::<Narrow>(r#"{"narrow":12345678901234567890123,"whole":1}"#),
            [10]
        );
    }

    #[test]
    fn decimals_that_no_float_has_are_noted() {
        type Floats = std::collections::BTreeMap<String, f64>;
        let json = r#"{"unit":1.602176634e-19,"long":0.12345678901234567890,"whole":9007199254740993.0,"zero":0}"#;
        let places = ["0.123", "9007"].map(|digits| json.find(digits).unwrap());
        assert_eq!(rounded::<Floats>(json), places);
        for digits in [
            "0.30000000000000004",
            "1.7976931348623157e308",
            "0.12345678901234568000",
            "1.5e300",
        ] {
            assert!(rounded::<f64>(digits).is_empty(), "{digits}");
        }
        // `serde_json::Value` writes a float of 32 bits so.
        assert!(rounded::<Narrow>(r#"{"narrow":0.10000000149011612,"whole":0}"#).is_empty());
    }

    #[derive(Deserialize, Serialize)]
    struct Odd {
        digits: Hexadecimal,
        #[serde(skip_serializing_if = "Option::is_some")]
        left_out: Option<u64>,
        near: u64,
    }

    /// A number that is written in other digits.
    #[derive(Clone, Deserialize, Serialize)]
    #[serde(from = "u64", into = "String")]
    struct Hexadecimal(u64);

    impl From<u64> for Hexadecimal {
        fn from(digits: u64) -> Self {
            Self(digits)
        }
    }

    impl From<Hexadecimal> for String {
        fn from(Hexadecimal(digits): Hexadecimal) -> Self {
            format!("{digits:x}")
        }
    }

    #[test]
    fn integers_in_another_form_or_left_out_are_not_rounded() {
        let json =
            r#"{"digits":9007199254740993,"left_out":9007199254740993,"near":9007199254740995}"#;
        assert!(rounded::<Odd>(json).is_empty());
    }

    #[test]
    fn messages_of_serde_lose_what_is_stored() {
        for (message, shown) in [
            ("missing field `q` at line 1 column 2", Some("it lacks `q`")),
            (
                "invalid type: string \"a, expected b\", expected u8 at line 1 column 14",
                Some("expected u8"),
            ),
            (
                "invalid value: integer `1999`, expected u8 at line 1 column 4",
                Some("expected u8"),
            ),
            (
                "invalid length 1, expected a tuple of size 2 at line 1 column 3",
                Some("expected a tuple of size 2"),
            ),
            (
                "unknown variant `c`, expected `A` or `B`",
                Some("expected `A` or `B`"),
            ),
            (
                "unknown field `c`, there are no fields at line 1 column 4",
                None,
            ),
            ("the colour of c, expected nothing at line 1 column 4", None),
        ] {
            assert_eq!(expected(message).as_deref(), shown, "{message}");
        }
    }
}
