//! The values of its type that a field takes, as a line has them behind a tabulator: `u16`,
//! `["a","b"]`, or the name of a form, such as `ipv4`.

use crate::hash;

/// The least and the greatest of the integers that a type of Rust holds, by its name. Those of
/// `isize` and `usize` have 64 bits, because documents go from machine to machine.
#[must_use]
pub const fn integers(name: &[u8]) -> Option<(i128, u128)> {
    let (without_zero, is_atomic) = (leaves_out_zero(name), is_atomic(name));
    let name = if without_zero {
        name.split_at(NON_ZERO.len()).1
    } else if is_atomic {
        name.split_at(ATOMIC.len()).1
    } else {
        name
    };
    let (sign, bits) = match name {
        [sign, b's', b'i', b'z', b'e'] => (*sign, 64),
        [sign, b'1', b'2', b'8'] => (*sign, 128),
        [sign, tens @ b'1'..=b'9', ones @ b'0'..=b'9'] => {
            (*sign, (*tens - b'0') as u32 * 10 + (*ones - b'0') as u32)
        }
        [sign, ones @ b'1'..=b'9'] => (*sign, (*ones - b'0') as u32),
        _ => return None,
    };
    match (sign, without_zero || is_atomic) {
        (b'u', false) | (b'U', true) => Some((without_zero as i128, u128::MAX >> (128 - bits))),
        (b'i', false) | (b'I', true) => {
            Some((i128::MIN >> (128 - bits), u128::MAX >> 1 >> (128 - bits)))
        }
        _ => None,
    }
}

/// The beginning of the names of integer types without 0.
const NON_ZERO: &str = "NonZero";

/// The beginning of the names of atomic types.
const ATOMIC: &str = "Atomic";

/// True if a type of Rust is an atomic one, by its name.
#[must_use]
pub const fn is_atomic(name: &[u8]) -> bool {
    matches!(name, [b'A', b't', b'o', b'm', b'i', b'c', ..])
}

/// True if 0 is none of the integers that a type of Rust holds, by its name.
#[must_use]
pub const fn leaves_out_zero(name: &[u8]) -> bool {
    matches!(name, [b'N', b'o', b'n', b'Z', b'e', b'r', b'o', ..])
}

/// True if all integers of one type are of the other, by their names; nothing if one of them is the
/// name of no integer type.
#[must_use]
pub fn is_integer_within(name: &str, other: &str) -> Option<bool> {
    let (name, other) = (name.as_bytes(), other.as_bytes());
    let ((low, high), (min, max)) = integers(name).zip(integers(other))?;
    let has_zero = !leaves_out_zero(other) || leaves_out_zero(name);
    Some(min <= low && high <= max && has_zero)
}

/// True if only documents have an integer type, by its name. Older locks have no fact of those.
#[must_use]
pub fn is_integer_of_documents(name: &str) -> bool {
    matches!(name, "i128" | "u128" | "isize" | "usize")
        || leaves_out_zero(name.as_bytes())
        || is_atomic(name.as_bytes())
}

/// The number of such values. The runtime makes the same of the type of a field.
pub fn limit(values: &str) -> u64 {
    if let Some(texts) = values.strip_prefix('[') {
        // A string with an escape gives another number than the runtime's, so that lines are
        // compared.
        return hash::key_of_set(texts.split('"').skip(1).step_by(2));
    }
    let Some((min, max)) = integers(values.as_bytes()) else {
        return hash::key(values);
    };
    match u64::try_from(max) {
        Ok(max) => max << 1 | u64::from(min < 0),
        // Not 0, which is the number of a field that takes all numbers.
        Err(_) => hash::key(values),
    }
}

/// The name of the fact about values inside of others: null, keys of maps, and scalars of tuples,
/// variants and objects, by their positions.
pub const INSIDE: &str = "stored inside";

/// The path of a position inside of the values at a path: `ports[*]` for `[*]`, and
/// `look.Dim.level` for `Dim.level`.
#[must_use]
pub fn inside(path: &str, position: &str) -> String {
    let dot = if position.starts_with('[') { "" } else { "." };
    format!("{path}{dot}{position}")
}

/// The form of what an author's own type reads, of which nothing is known.
pub const OWN: &str = "own";
/// Its bytes, for patterns.
const OWN_BYTES: &[u8] = OWN.as_bytes();

/// True if a float of 32 bits holds each value of an integer type, by its name.
#[must_use]
pub const fn is_exact_in_f32(integer: &[u8]) -> bool {
    const EXACT: u128 = 1 << 24;
    match integers(integer) {
        Some((low, high)) => low.unsigned_abs() <= EXACT && high <= EXACT,
        None => false,
    }
}

/// True if all values of one form, by its name, are of the other, too, or if that is not known.
#[must_use]
pub const fn is_within(format: &[u8], other: &[u8]) -> bool {
    match (format, other) {
        (OWN_BYTES, _)
        | (_, OWN_BYTES)
        | (b"ipv4" | b"ipv6", b"ip")
        | (b"socket-v4" | b"socket-v6", b"socket")
        | (b"duration", b"span") => true,
        (mut format, mut other) => {
            while let ([first, rest @ ..], [same, others @ ..]) = (format, other) {
                if *first != *same {
                    return false;
                }
                (format, other) = (rest, others);
            }
            format.is_empty() && other.is_empty()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_within_themselves_and_wider_ones() {
        let within = |format: &str, other: &str| is_within(format.as_bytes(), other.as_bytes());
        assert!(
            within("ipv4", "ip")
                && within("socket-v6", "socket")
                && within("date", "date")
                && within("duration", "span")
        );
        assert!(
            !within("ip", "ipv4")
                && !within("date", "date-time")
                && !within("date-time", "date")
                && !within("", "date")
        );
    }

    #[test]
    fn integers_have_the_numbers_of_their_bounds() {
        assert_eq!(
            ["u16", "u64", "i64", "i8"].map(limit),
            [65_535 << 1, u64::MAX << 1, u64::MAX, 255]
        );
        assert_eq!(limit("[\"a\",\"b\"]"), limit("[\"b\",\"a\"]"));
        assert_eq!(
            [integers(b"i8"), integers(b"u16"), integers(b"f64")],
            [Some((-128, 127)), Some((0, 65_535)), None]
        );
        assert_eq!(
            [integers(b"i128"), integers(b"u128"), integers(b"u129")],
            [
                Some((i128::MIN, i128::MAX.unsigned_abs())),
                Some((0, u128::MAX)),
                None
            ]
        );
        assert_eq!(
            [integers(b"usize"), integers(b"isize")],
            [integers(b"u64"), integers(b"i64")]
        );
        assert_eq!(
            [integers(b"NonZeroU8"), integers(b"NonZeroIsize")],
            [Some((1, 255)), integers(b"i64")]
        );
        assert_eq!(
            [integers(b"AtomicU8"), integers(b"AtomicI32")],
            [Some((0, 255)), integers(b"i32")]
        );
        assert_eq!([integers(b"AtomicBool"), integers(b"Atomicu8")], [None; 2]);
        assert_eq!(
            [
                integers(b"U8"),
                integers(b"NonZerou8"),
                integers(b"NonZero")
            ],
            [None; 3]
        );
        assert!(limit("u128") != 0 && limit("u128") != limit("i128"));
    }

    #[test]
    fn integers_are_within_types_that_hold_each() {
        for (name, other, expected) in [
            ("u64", "usize", Some(true)),
            ("usize", "u64", Some(true)),
            ("usize", "u32", Some(false)),
            ("u128", "i128", Some(false)),
            ("NonZeroU8", "u8", Some(true)),
            ("NonZeroU8", "NonZeroI16", Some(true)),
            ("u8", "NonZeroU8", Some(false)),
            ("AtomicU32", "AtomicU8", Some(false)),
            ("u8", "AtomicU8", Some(true)),
            ("i8", "NonZeroI8", Some(false)),
            ("u8", "ipv4", None),
        ] {
            assert_eq!(is_integer_within(name, other), expected, "{name} {other}");
        }
        assert_eq!(
            ["u128", "isize", "NonZeroI64", "AtomicU16", "u64"].map(is_integer_of_documents),
            [true, true, true, true, false]
        );
    }
}
