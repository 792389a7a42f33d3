//! Nested objects that were in a list and are in a map today, or back, as `rekey` describes them.

use super::locked::Locked;
use super::notation::{is_nullable, is_set, without_null};
use super::proposal::{Level, child, has, identifier};
use super::released_type::put_type;
use super::text::{equal, find, line, starts_with};
use super::values;
use crate::message::Message;
use crate::schema::table::{Row, Stored, StoredRows};
use crate::schema::{Nesting, flags};

/// Objects in a list on one side and in a map on the other.
pub(super) struct Rekeyed {
    /// The objects without their key, today beside what was released of them.
    pub(super) inside: Level,
    /// True if the prior type follows from today's, so that `rekey` need not say it.
    pub(super) is_inferred: bool,
    /// True if the key was sensitive.
    pub(super) is_secret: bool,
    /// The line of the key, where that is a member that the map's objects no longer have and its
    /// type has to be written.
    typed: Option<(Message, &'static [u8])>,
}

/// The measure of a member that cannot be the key: others are less unlikely.
const UNLIKELY: usize = usize::MAX;

impl Rekeyed {
    /// The objects of a row, if it was a list of objects and is a map of them, or back.
    pub(super) const fn of(
        level: &Level,
        row: &'static Row,
        was: &'static [u8],
        locked: &Locked,
    ) -> Option<Self> {
        let Some((table, nesting)) = row.info.objects() else {
            return None;
        };
        let (was_list, was_map) = (is_list(was), is_map(was));
        match nesting {
            Nesting::Map if was_list => {}
            Nesting::List | Nesting::Set if was_map => {}
            Nesting::Single | Nesting::List | Nesting::Set | Nesting::Map => return None,
        }
        let inside = level.inside(row, table, b"");
        let whole = values::split(was).0;
        let key = if was_list {
            key_before(&inside, locked)
        } else {
            key_today(&inside, locked)
        };
        let mut typed = None;
        let mut is_secret = false;
        if was_list && !key.is_empty() {
            let path = inside.path.copied().text(".").raw(key);
            is_secret = locked.is_sensitive(path.bytes());
            if let Some((stored, _)) = find(locked.lines, 0, path.bytes())
                && !equal(values::split(stored).0, b"\"string\"")
            {
                typed = Some((path, stored));
            }
        }
        let is_block = starts_with(whole, b"block ");
        let is_inferred = !is_secret
            && is_block == row.is_block()
            && !is_set(whole)
            && (is_block || is_nullable(whole) == row.info.holds.nullable)
            && locked.is_sensitive(inside.path.bytes()) == row.is_sensitive()
            && row.flags & flags::WRITE_ONLY == 0;
        Some(Self {
            inside: Level { key, ..inside },
            is_inferred,
            is_secret,
            typed,
        })
    }

    /// Appends the key to an operator that names the field.
    pub(super) const fn by(&self, out: Message, locked: &Locked) -> Message {
        let out = out.text(", by = ");
        if self.inside.key.is_empty() {
            return out.text("…");
        }
        let out = identifier(out, self.inside.key);
        match &self.typed {
            Some((path, stored)) if self.is_inferred => {
                put_type(out.text(": "), path.bytes(), stored, locked)
            }
            Some(_) | None => out,
        }
    }
}

const fn is_list(was: &[u8]) -> bool {
    starts_with(was, b"nested list")
        || starts_with(was, b"nested set")
        || starts_with(was, b"block list")
        || starts_with(was, b"block set")
}

const fn is_map(was: &[u8]) -> bool {
    starts_with(was, b"nested map") || starts_with(was, b"block map")
}

/// The member that a list's objects had and a map's have not, which is most likely the key: a
/// string before others, and one that is always there.
const fn key_before(inside: &Level, locked: &Locked) -> &'static [u8] {
    let (mut key, mut least): (&[u8], usize) = (b"", UNLIKELY);
    let mut at = 0;
    while at < locked.lines.len() {
        let (path, stored, next) = line(locked.lines, at);
        at = next;
        let Some(name) = child(path, inside.path.bytes()) else {
            continue;
        };
        if has(inside.table, name) {
            continue;
        }
        let stored = values::split(stored).0;
        let form = without_null(stored);
        let unlikely = if equal(form, b"\"string\"") {
            0
        } else if equal(form, b"\"number\"") || equal(form, b"\"bool\"") {
            1
        } else {
            continue;
        };
        let unlikely = unlikely + if is_nullable(stored) { 2 } else { 0 };
        if unlikely < least {
            (key, least) = (name, unlikely);
        }
    }
    key
}

/// The string that a list's objects have and a map's had not, which is most likely made of the
/// keys.
const fn key_today(inside: &Level, locked: &Locked) -> &'static [u8] {
    let (mut key, mut least): (&[u8], usize) = (b"", UNLIKELY);
    let mut rows = StoredRows::of(inside.table);
    while let Some(row) = rows.next() {
        let path = inside.path.copied().step(row.name);
        if !matches!(row.info.stored, Stored::String)
            || find(locked.lines, 0, path.bytes()).is_some()
        {
            continue;
        }
        let unlikely = if row.info.holds.nullable { 1 } else { 0 };
        if unlikely < least {
            (key, least) = (row.name.as_bytes(), unlikely);
        }
    }
    key
}
