//! The fingerprint of an entry's lines: the number that the runtime computes of a model's table (`released/fingerprint.rs` there), and the
//! library of a schema as data.

use std::collections::HashSet;
use std::iter::Peekable;
use std::str::Lines;

use super::mixed;
use super::notation::{Notation, Ty, name};
use crate::key;

/// The runtime has the same codes (`hash.rs` there): what was released was hashed with them.
mod code {
    pub(super) const START: u64 = 0x5851_f42d_4c95_7f2d;
    pub(super) const BOOL: u64 = 1;
    pub(super) const STRING: u64 = 2;
    pub(super) const NUMBER: u64 = 3;
    pub(super) const INT64: u64 = 4;
    pub(super) const FLOAT64: u64 = 5;
    pub(super) const DYNAMIC: u64 = 6;
    pub(super) const LIST: u64 = 7;
    pub(super) const SET: u64 = 8;
    pub(super) const MAP: u64 = 9;
    pub(super) const TUPLE: u64 = 10;
    pub(super) const OBJECT: u64 = 11;
    pub(super) const LIST_OF_STRINGS: u64 = 12;
    pub(super) const SET_OF_STRINGS: u64 = 13;
    pub(super) const MAP_OF_STRINGS: u64 = 14;
    pub(super) const NULL: u64 = 1;
    pub(super) const WRITE_ONLY: u64 = 2;
    pub(super) const UNKNOWN_NULL: u64 = 4;
    pub(super) const NESTED: u64 = 8;
    pub(super) const BLOCK: u64 = 16;
    pub(super) const MEMBER: u64 = 0x100;
    pub(super) const END: u64 = 0x200;
}

/// The fingerprint of these lines, or what they have that no entry has.
pub(super) fn of(lines: &str) -> Result<u64, String> {
    let mut rest = lines.lines().peekable();
    let hash = members(&mut rest, "", code::START)?;
    Ok(mixed(hash, hash >> 32))
}

/// A path that has more than one of these lines.
pub(super) fn twice(lines: &str) -> Option<&str> {
    let mut paths = HashSet::new();
    lines.lines().filter_map(|line| line.split(" = ").next()).find(|path| !paths.insert(*path))
}

/// Takes in those that are below `prefix`, with all that is in them.
fn members(lines: &mut Peekable<Lines<'_>>, prefix: &str, mut hash: u64) -> Result<u64, String> {
    while let Some(line) = lines.next_if(|line| line.starts_with(prefix)) {
        let (path, stored) = line.split_once(" = ").unwrap_or((line, ""));
        let step = path.get(prefix.len()..).unwrap_or_default();
        let name = name(step).ok_or_else(|| format!("`{path}`, which is not a path of a member"))?;
        let stored = stored.split_once('\t').map_or(stored, |(stored, _)| stored);
        let (member, inside) = member(&name, stored).ok_or_else(|| format!("`{path}`, whose stored form cannot be read"))?;
        hash = mixed(hash, member);
        hash = match inside {
            Inside::Members => members(lines, &format!("{path}."), hash)?,
            Inside::Type(ty) => whole(hash, &ty),
            Inside::Nothing => hash,
        };
    }
    Ok(mixed(hash, code::END))
}

/// What is hashed after the word of a member.
enum Inside<'t> {
    Nothing,
    Members,
    Type(Notation<'t>),
}

/// The word of a member.
fn member<'t>(name: &str, stored: &'t str) -> Option<(u64, Inside<'t>)> {
    let word = |facts: u64, own: u64| key::of(name) ^ (code::MEMBER | facts) ^ (own << 16);
    if let Some(nesting) = stored.strip_prefix("block ") {
        return Some((word(code::BLOCK, nesting_code(nesting)?), Inside::Members));
    }
    let (stored, write_only) = stored.strip_suffix(" write_only").map_or((stored, 0), |stored| (stored, code::WRITE_ONLY));
    let (stored, null) = match (stored.strip_suffix(" null?"), stored.strip_suffix(" null")) {
        (Some(stored), _) => (stored, code::UNKNOWN_NULL),
        (None, Some(stored)) => (stored, code::NULL),
        (None, None) => (stored, 0),
    };
    let facts = write_only | null;
    if let Some(nesting) = stored.strip_prefix("nested ") {
        return Some((word(facts | code::NESTED, nesting_code(nesting)?), Inside::Members));
    }
    let ty = Notation::read(stored)?;
    let own = own_code(&ty.ty);
    Some((word(facts, own), if own == 0 { Inside::Type(ty) } else { Inside::Nothing }))
}

fn nesting_code(nesting: &str) -> Option<u64> {
    Some(match nesting {
        "single" => code::OBJECT,
        "list" => code::LIST,
        "set" => code::SET,
        "map" => code::MAP,
        _ => return None,
    })
}

/// The code of a type, if it has one for itself; otherwise 0, and the type follows.
fn own_code(ty: &Ty<'_>) -> u64 {
    let of_strings = |element: &Notation<'_>, code| if matches!(element.ty, Ty::String) { code } else { 0 };
    match ty {
        Ty::Bool => code::BOOL,
        Ty::String => code::STRING,
        Ty::Number => code::NUMBER,
        Ty::Int64 => code::INT64,
        Ty::Float64 => code::FLOAT64,
        Ty::Dynamic => code::DYNAMIC,
        Ty::List(element) => of_strings(element, code::LIST_OF_STRINGS),
        Ty::Set(element) => of_strings(element, code::SET_OF_STRINGS),
        Ty::Map(element) => of_strings(element, code::MAP_OF_STRINGS),
        Ty::Tuple(_) | Ty::Object(_) => 0,
    }
}

/// Takes in a type, with all that is in it.
fn whole(hash: u64, ty: &Notation<'_>) -> u64 {
    match &ty.ty {
        Ty::Bool => mixed(hash, code::BOOL),
        Ty::String => mixed(hash, code::STRING),
        Ty::Number => mixed(hash, code::NUMBER),
        Ty::Int64 => mixed(hash, code::INT64),
        Ty::Float64 => mixed(hash, code::FLOAT64),
        Ty::Dynamic => mixed(hash, code::DYNAMIC),
        Ty::List(element) => whole(mixed(hash, code::LIST), element),
        Ty::Set(element) => whole(mixed(hash, code::SET), element),
        Ty::Map(element) => whole(mixed(hash, code::MAP), element),
        Ty::Tuple(elements) => elements.iter().fold(mixed(mixed(hash, code::TUPLE), elements.len() as u64), whole),
        Ty::Object(members) => {
            let start = mixed(mixed(hash, code::OBJECT), members.len() as u64);
            members.iter().fold(start, |hash, (name, ty)| whole(mixed(hash, key::of(name)), ty))
        }
    }
}
