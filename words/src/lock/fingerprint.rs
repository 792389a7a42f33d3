//! The fingerprint of an entry's lines: the number that the runtime computes of a model's table
//! (`released/fingerprint.rs` there).

use std::collections::HashSet;
use std::iter::Peekable;
use std::str::Lines;

use super::line::FLATTENED;
use super::number;
use super::path::name;
use super::stored::{Form, Stored};
use crate::hash::{Hash, code};

/// The fingerprint of these lines.
///
/// # Errors
/// Says what the lines have that no entry has.
pub fn of(lines: &str) -> Result<u64, String> {
    with_number(lines, &[]).map(|(fingerprint, _)| fingerprint)
}

/// The fingerprint of these lines and their number, if they have one: both in one reading, because
/// the derive does it for each model.
///
/// # Errors
/// Says what the lines have that no entry has.
pub fn with_number(lines: &str, sensitive: &[String]) -> Result<(u64, Option<u64>), String> {
    let mut rest = lines.lines().peekable();
    let (hash, number) = members(&mut rest, "", sensitive, Hash::new())?;
    Ok((hash.finish(), number.filter(|_| rest.next().is_none())))
}

/// The fingerprint of flattened enums and maps, each with the path of the object that holds it, in
/// any order: `none` if there are none, else sixteen hexadecimal digits.
///
/// # Errors
/// Says which of them has a stored form that no entry has.
pub fn of_flattened<'l>(
    parts: impl IntoIterator<Item = (&'l str, &'l str)>,
) -> Result<String, String> {
    let mut parts = parts.into_iter().peekable();
    if parts.peek().is_none() {
        return Ok("none".to_owned());
    }
    let sum = parts.try_fold(0_u64, |sum, (path, stored)| {
        let read = Stored::read(stored);
        let stored =
            read.map_err(|_| format!("`{}`, whose stored form cannot be read", flattened(path)))?;
        Ok::<_, String>(sum.wrapping_add(stored.hashed(Hash::new().text(path), FLATTENED).finish()))
    })?;
    Ok(format!("{sum:016x}"))
}

/// The path of the line of a flattened enum or map in the object at `path`.
pub fn flattened(path: &str) -> String {
    if path.is_empty() {
        FLATTENED.to_owned()
    } else {
        format!("{path}.{FLATTENED}")
    }
}

/// A path that has more than one of these lines.
pub fn twice(lines: &str) -> Option<&str> {
    let mut paths = HashSet::new();
    lines
        .lines()
        .filter_map(|line| line.split(" = ").next())
        .find(|path| !paths.insert(*path))
}

/// Takes in the members below `prefix`, with all that is in them, and sums up their number.
fn members(
    lines: &mut Peekable<Lines<'_>>,
    prefix: &str,
    sensitive: &[String],
    mut hash: Hash,
) -> Result<(Hash, Option<u64>), String> {
    let mut sum = Some(0);
    while let Some(line) = lines.next_if(|line| line.starts_with(prefix)) {
        let (path, stored) = line.split_once(" = ").unwrap_or((line, ""));
        let step = path.get(prefix.len()..).unwrap_or_default();
        let name =
            name(step).ok_or_else(|| format!("`{path}`, which is not a path of a member"))?;
        let (stored, values) = stored.split_once('\t').unwrap_or((stored, ""));
        let stored = Stored::read(stored)
            .map_err(|_| format!("`{path}`, whose stored form cannot be read"))?;
        hash = stored.hashed(hash, &name);
        let mut inside = None;
        if matches!(stored.form, Form::Block(_) | Form::Nested(_)) {
            (hash, inside) = members(lines, &format!("{path}."), sensitive, hash)?;
        }
        let number = number::of_member((step, path), &stored, values, inside, sensitive);
        sum = sum.zip(number).map(|(sum, number)| sum ^ number);
    }
    Ok((hash.word(code::END), sum))
}

#[cfg(test)]
mod tests {
    use super::of_flattened;

    #[test]
    fn flattened_enums_and_maps_have_one_fingerprint_in_any_order() {
        let (map, other) = (
            ("", r#"["map","json"]"#),
            ("inner", r#"["map","number"] null"#),
        );
        let of =
            |parts: &[(&'static str, &'static str)]| of_flattened(parts.iter().copied()).unwrap();
        assert_eq!(of(&[map, other]), of(&[other, map]));
        assert_eq!(of(&[]), "none");
        for changed in [
            ("", r#"["map","json"] null"#),
            ("inner", map.1),
            ("", r#"["map","string"]"#),
        ] {
            assert_ne!(of(&[changed]), of(&[map]), "{changed:?}");
        }
        assert!(
            of_flattened([("a", "thing")])
                .unwrap_err()
                .starts_with("`a.*`, whose")
        );
    }
}
