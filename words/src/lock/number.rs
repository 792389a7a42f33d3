//! The lines of an entry as one number. The runtime makes the same of a model's table
//! (`schema/table/released.rs` there).

use std::iter::Peekable;
use std::str::Lines;

use super::notation::Notation;
use super::stored::{Form, Null, Stored};
use super::values::limit;
use crate::hash::{Hash, code, key};

const SENSITIVE: u64 = 1 << 3;
const WRITE_ONLY: u64 = 1 << 4;
const BLOCK: u64 = 1 << 6;
const NULL: u64 = 1 << 7;
const OF_FLAGS: u64 = BLOCK | WRITE_ONLY | SENSITIVE | NULL | 1;

/// The number of these lines; nothing if they say something that has none.
pub fn of(lines: &str, sensitive: &[String]) -> Option<u64> {
    let mut lines = lines.lines().peekable();
    let number = members(&mut lines, sensitive, "")?;
    lines.next().is_none().then_some(number)
}

/// The number of the members below `prefix`, with all that is in them.
fn members(lines: &mut Peekable<Lines<'_>>, sensitive: &[String], prefix: &str) -> Option<u64> {
    let mut sum = 0;
    while let Some(line) = lines.next_if(|line| line.starts_with(prefix)) {
        let (path, stored) = line.split_once(" = ")?;
        let name = path.get(prefix.len()..)?;
        // A name between quotation marks may have anything in it.
        if name.contains('.') || name.contains('"') {
            return None;
        }
        let (stored, values) = stored.split_once('\t').unwrap_or((stored, ""));
        let Stored {
            form,
            null,
            write_only,
        } = Stored::read(stored).ok()?;
        let block = if matches!(form, Form::Block(_)) {
            BLOCK | NULL
        } else {
            0
        };
        let null = match null {
            Null::Refused => 0,
            Null::Read => NULL,
            Null::Unknown => return None,
        };
        let hash = match form {
            Form::Block(nesting) | Form::Nested(nesting) => {
                let inside = members(lines, sensitive, &format!("{path}."))?;
                Hash::zero().word(inside).word(nesting.code())
            }
            Form::Type(ty) => Hash::zero()
                .word(codes(&ty, 0)?)
                .word(if values.is_empty() { 0 } else { limit(values) }),
        };
        let write_only = if write_only { WRITE_ONLY } else { 0 };
        let secret = if sensitive.iter().any(|sensitive| sensitive == path) {
            SENSITIVE
        } else {
            0
        };
        sum ^= key(name)
            .wrapping_mul(hash.bits() & !OF_FLAGS | write_only | null | block | secret | 1);
    }
    Some(sum)
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
    use super::of;

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
