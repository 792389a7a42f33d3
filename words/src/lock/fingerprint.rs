//! The fingerprint of an entry's lines: the number that the runtime computes of a model's table (`released/fingerprint.rs` there).

use std::collections::HashSet;
use std::iter::Peekable;
use std::str::Lines;

use super::path::name;
use super::stored::{Form, Stored};
use crate::hash::{Hash, code};

/// The fingerprint of these lines.
///
/// # Errors
/// Says what the lines have that no entry has.
pub fn of(lines: &str) -> Result<u64, String> {
    let mut rest = lines.lines().peekable();
    members(&mut rest, "", Hash::new()).map(Hash::finish)
}

/// A path that has more than one of these lines.
pub fn twice(lines: &str) -> Option<&str> {
    let mut paths = HashSet::new();
    lines.lines().filter_map(|line| line.split(" = ").next()).find(|path| !paths.insert(*path))
}

/// Takes in the members below `prefix`, with all that is in them.
fn members(lines: &mut Peekable<Lines<'_>>, prefix: &str, mut hash: Hash) -> Result<Hash, String> {
    while let Some(line) = lines.next_if(|line| line.starts_with(prefix)) {
        let (path, stored) = line.split_once(" = ").unwrap_or((line, ""));
        let step = path.get(prefix.len()..).unwrap_or_default();
        let name = name(step).ok_or_else(|| format!("`{path}`, which is not a path of a member"))?;
        let stored = stored.split_once('\t').map_or(stored, |(stored, _)| stored);
        let stored = Stored::read(stored).map_err(|_| format!("`{path}`, whose stored form cannot be read"))?;
        hash = stored.hashed(hash, &name);
        if matches!(stored.form, Form::Block(_) | Form::Nested(_)) {
            hash = members(lines, &format!("{path}."), hash)?;
        }
    }
    Ok(hash.word(code::END))
}
