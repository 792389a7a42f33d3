//! The values of its type that a field takes, as a line has them behind a tabulator: `u16`,
//! `["a","b"]`, or the name of a form, such as `ipv4`.

use crate::hash;

/// The integers that a type of Rust holds, by its name.
#[must_use]
pub const fn integers(name: &[u8]) -> Option<(i128, u128)> {
    let (sign, bits) = match name {
        [sign, b'1', b'2', b'8'] => (*sign, 128),
        [sign, tens @ b'1'..=b'9', ones @ b'0'..=b'9'] => {
            (*sign, (*tens - b'0') as u32 * 10 + (*ones - b'0') as u32)
        }
        [sign, ones @ b'1'..=b'9'] => (*sign, (*ones - b'0') as u32),
        _ => return None,
    };
    match sign {
        b'u' => Some((0, u128::MAX >> (128 - bits))),
        b'i' => Some((i128::MIN >> (128 - bits), u128::MAX >> 1 >> (128 - bits))),
        _ => None,
    }
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
    u64::try_from(max).unwrap_or_default() << 1 | u64::from(min < 0)
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
    }
}
