//! The lines of an entry as one number. The runtime makes the same of a model's table (`schema/table/released.rs` there).

use std::iter::Peekable;
use std::str::Lines;

use super::{mixed, number};
use crate::key;

const SENSITIVE: u64 = 1 << 3;
const WRITE_ONLY: u64 = 1 << 4;
const BLOCK: u64 = 1 << 6;
const NULL: u64 = 1 << 7;
const OF_FLAGS: u64 = BLOCK | WRITE_ONLY | SENSITIVE | NULL | 1;

/// The number of these lines; nothing if they say something that has none.
pub(super) fn of(lines: &str, sensitive: &[String]) -> Option<u64> {
    let mut lines = lines.lines().peekable();
    let number = members(&mut lines, sensitive, "")?;
    lines.next().is_none().then_some(number)
}

/// Those that are below `prefix`, with all that is in them.
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
        let (stored, write_only) = flag(stored, " write_only", WRITE_ONLY);
        let (stored, null) = flag(stored, " null", NULL);
        let (ty, block) = stored.strip_prefix("block ").map_or((stored, 0), |nesting| (nesting, BLOCK | NULL));
        let nesting = if block == 0 { ty.strip_prefix("nested ") } else { Some(ty) };
        let hash = match nesting {
            Some(nesting) => {
                let nesting = match nesting {
                    "single" => 11,
                    "list" => 7,
                    "set" => 8,
                    "map" => 9,
                    _ => return None,
                };
                mixed(mixed(0, members(lines, sensitive, &format!("{path}."))?), nesting)
            }
            None => mixed(mixed(0, types(ty)?), if values.is_empty() { 0 } else { number(values) }),
        };
        let secret = if sensitive.iter().any(|sensitive| sensitive == path) { SENSITIVE } else { 0 };
        sum ^= key::of(name).wrapping_mul(hash & !OF_FLAGS | write_only | null | block | secret | 1);
    }
    Some(sum)
}

fn flag<'s>(stored: &'s str, flag: &str, bit: u64) -> (&'s str, u64) {
    stored.strip_suffix(flag).map_or((stored, 0), |stored| (stored, bit))
}

/// The codes of a type and of its elements, as they are in the hash of a shape.
fn types(mut ty: &str) -> Option<u64> {
    let mut codes = 0_u64;
    loop {
        if codes >> 60 != 0 {
            return None;
        }
        let (code, element) = match ty {
            "\"bool\"" => (1, None),
            "\"string\"" => (2, None),
            "\"number\"" => (3, None),
            "\"dynamic\"" => (6, None),
            _ => {
                let (nesting, element) = ty.strip_prefix("[\"")?.strip_suffix(']')?.split_once("\",")?;
                let code = match nesting {
                    "list" => 7,
                    "set" => 8,
                    "map" => 9,
                    _ => return None,
                };
                (code, Some(element))
            }
        };
        codes = codes << 4 | code;
        match element {
            Some(element) => ty = element,
            None => return Some(codes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    /// Of the wall in the tests of the runtime's tables, which computes the same number.
    const WALL: &str = "id = \"string\"\nlabels = [\"map\",\"string\"]\t[\"a\",\"b\"]\npassword = \"string\" null\nrules = nested list null\n\
        rules.number = \"number\"\tu16\nrules.zone = \"string\" null\ntoken = \"string\" null write_only\ngates = block single\n\
        gates.number = \"number\"\tu16\ngates.zone = \"string\" null\n";

    #[test]
    fn lines_have_the_number_that_the_runtime_computes_of_the_table() {
        assert_eq!(of(WALL, &["password".to_owned()]), Some(4_524_308_263_014_620_049));
        assert_ne!(of(WALL, &["id".to_owned()]), of(WALL, &["password".to_owned()]));
        assert_ne!(of("a = \"string\"\nb = \"bool\"\n", &[]), of("a = \"bool\"\nb = \"string\"\n", &[]));
        assert_ne!(of("a = nested single\na.b = \"bool\"\n", &[]), of("a = nested single null\na.b = \"bool\"\n", &[]));
    }

    #[test]
    fn what_a_number_does_not_cover_has_none() {
        for line in
            ["a = \"string\" null?", "a = [\"tuple\",[\"string\"]]", "\"a.b\" = \"string\"", "a.b = \"string\"", "a = thing"]
        {
            assert_eq!(of(line, &[]), None, "{line}");
        }
    }
}
