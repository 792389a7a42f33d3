//! The lines of an entry as one number, which `fingerprint` sums up as it reads them. The runtime
//! makes the same of a model's table (`schema/table/released.rs` there).

use super::notation::Notation;
use super::stored::{Form, Null, Stored};
use super::values::limit;
use crate::hash::{Hash, code, key};

const SENSITIVE: u64 = 1 << 3;
const WRITE_ONLY: u64 = 1 << 4;
const BLOCK: u64 = 1 << 6;
const NULL: u64 = 1 << 7;
const OF_FLAGS: u64 = BLOCK | WRITE_ONLY | SENSITIVE | NULL | 1;

/// A member's share in the number of an entry, with the number of what is inside of it; nothing if
/// its line says something that has none.
pub(super) fn of_member(
    (name, path): (&str, &str),
    stored: &Stored<'_>,
    values: &str,
    inside: Option<u64>,
    sensitive: &[String],
) -> Option<u64> {
    // A name between quotation marks may have anything in it.
    if name.contains('.') || name.contains('"') {
        return None;
    }
    let block = if matches!(stored.form, Form::Block(_)) {
        BLOCK | NULL
    } else {
        0
    };
    let null = match stored.null {
        Null::Refused => 0,
        Null::Read => NULL,
        Null::Unknown => return None,
    };
    let hash = match &stored.form {
        Form::Block(nesting) | Form::Nested(nesting) => {
            Hash::zero().word(inside?).word(nesting.code())
        }
        Form::Type(ty) => {
            Hash::zero()
                .word(codes(ty, 0)?)
                .word(if values.is_empty() { 0 } else { limit(values) })
        }
    };
    let write_only = if stored.write_only { WRITE_ONLY } else { 0 };
    let secret = if sensitive.iter().any(|sensitive| sensitive == path) {
        SENSITIVE
    } else {
        0
    };
    let word = hash.bits() & !OF_FLAGS | write_only | null | block | secret | 1;
    Some(key(name).wrapping_mul(word))
}

/// The codes of a type and of its elements, four bits each, after those `above` it.
fn codes(ty: &Notation<'_>, above: u64) -> Option<u64> {
    if above >> 60 != 0 {
        return None;
    }
    let with = |code: u64| above << 4 | code;
    match ty {
        Notation::Bool
        | Notation::String
        | Notation::Number
        | Notation::Dynamic
        | Notation::Json => Some(with(ty.code())),
        Notation::List(element) => codes(element, with(code::LIST)),
        Notation::Set(element) => codes(element, with(code::SET)),
        Notation::Map(element) => codes(element, with(code::MAP)),
        Notation::Int64
        | Notation::Float64
        | Notation::Tuple(_)
        | Notation::Object(..)
        | Notation::Union(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::lock::fingerprint;

    fn of(lines: &str, sensitive: &[String]) -> Option<u64> {
        fingerprint::with_number(lines, sensitive).ok()?.1
    }

    /// The lines of the wall in the tests of the runtime's tables, which computes the same number.
    const WALL: &str = "id = \"string\"\nlabels = [\"map\",\"string\"]\t[\"a\",\"b\"]\npassword = \"string\" null\nrules = nested list null\n\
        rules.number = \"number\"\tu16\nrules.zone = \"string\" null\ntoken = \"string\" null write_only\ngates = block single\n\
        gates.number = \"number\"\tu16\ngates.zone = \"string\" null\n";

    #[test]
    fn lines_have_the_number_that_the_runtime_computes_of_the_table() {
        assert_eq!(
            of(WALL, &["password".to_owned()]),
            Some(4_524_308_263_014_620_049)
        );
        assert_ne!(
            of(WALL, &["id".to_owned()]),
            of(WALL, &["password".to_owned()])
        );
        assert_ne!(
            of("a = \"string\"\nb = \"bool\"\n", &[]),
            of("a = \"bool\"\nb = \"string\"\n", &[])
        );
        assert_ne!(
            of("a = nested single\na.b = \"bool\"\n", &[]),
            of("a = nested single null\na.b = \"bool\"\n", &[])
        );
    }

    #[test]
    fn what_a_number_does_not_cover_has_none() {
        for line in [
            "a = \"string\" null?",
            "a = [\"tuple\",[\"string\"]]",
            "\"a.b\" = \"string\"",
            "a.b = \"string\"",
            "a = thing",
        ] {
            assert_eq!(of(line, &[]), None, "{line}");
        }
    }
}
