//! The quick part of the accounting: which attributes are seen at a glance to be accounted for.
//!
//! In const evaluation a call costs microseconds, and so does a letter; so names are compared by
//! their keys, and what can be said of most attributes of most upgraders is said without a call.

use crate::schema::table::{Row, Stored, Table};

/// The names that operators use, as the macro sees them: the keys of first names. All other
/// attributes can only be carried.
#[doc(hidden)]
#[derive(Debug)]
pub struct Accounts {
    /// Prior fields whose whole value an operator takes, on any state.
    pub taken: &'static [u64],
    /// Prior fields that are named besides.
    pub named: &'static [u64],
    /// Current attributes that an operator makes.
    pub made: &'static [u64],
    /// Those of them that are made of what had their name before, among others.
    pub kept: &'static [u64],
    /// Current attributes in which an operator makes something.
    pub parts: &'static [u64],
}

/// True if a key is one of these, without a call.
macro_rules! is_among {
    ($keys:expr, $key:expr) => {{
        let (keys, key): (&[u64], u64) = ($keys, $key);
        let mut at = 0;
        while at < keys.len() && keys[at] != key {
            at += 1;
        }
        at < keys.len()
    }};
}

/// The position of the row with a key, without a call. Most often it is the one at the cursor,
/// which then moves on: both sides are in the order of their names.
macro_rules! position {
    ($rows:expr, $key:expr, $cursor:expr) => {{
        let (rows, key): (&[Row], u64) = ($rows, $key);
        let mut left = rows.len();
        while left > 0 {
            if $cursor >= rows.len() {
                $cursor = 0;
            }
            if rows[$cursor].key == key {
                break;
            }
            $cursor += 1;
            left -= 1;
        }
        left > 0
    }};
}

/// The number of a row's field, most often without a call.
macro_rules! field_key {
    ($row:expr) => {
        match $row.beside {
            None => $row.key,
            Some(_) => $row.field_key(),
        }
    };
}

/// Takes the row of each key out of the number of what rows carry.
macro_rules! take_out {
    ($left:ident, $keys:expr, $rows:expr => |$key:ident, $row:ident| $is:expr) => {
        let mut keys = $keys;
        while let [$key, after @ ..] = keys {
            let mut rest = $rows;
            while let [$row, others @ ..] = rest {
                if $is {
                    $left ^= $row.carry();
                    break;
                }
                rest = others;
            }
            keys = after;
        }
    };
}

/// True if all fields that no operator takes or makes are the same on both sides, in name, type and
/// values, and there are no others.
///
/// What all of each side carry is one number; out of it goes what operators take and make, and what
/// is left must be nothing.
pub(super) const fn all_is_declared(
    prior: &'static Table,
    current: &'static Table,
    accounts: &Accounts,
) -> bool {
    if !accounts.named.is_empty() || !accounts.parts.is_empty() || has_parts(prior, current) {
        return false;
    }
    let mut left = prior.carry() ^ current.carry();
    take_out!(left, accounts.taken, prior.rows => |key, row| field_key!(row) == *key);
    take_out!(left, accounts.made, current.rows => |key, row| row.key == *key);
    // One that is taken as well is out already.
    take_out!(left, accounts.kept, prior.rows => |key, row| {
        row.key == *key && !is_among!(accounts.taken, field_key!(row))
    });
    left == 0
}

/// True if flattened fields store members of the one or the other, which rows do not tell of.
const fn has_parts(prior: &'static Table, current: &'static Table) -> bool {
    !prior.flattened.is_empty() || !current.flattened.is_empty()
}

/// True if one current attribute or block needs a closer look.
pub(super) const fn current_needs_a_look(
    prior: &'static Table,
    current: &'static Table,
    index: usize,
    cursor: &mut usize,
    accounts: &Accounts,
) -> bool {
    if has_parts(prior, current) {
        return true;
    }
    let to = &current.rows[index];
    if to.is_block() {
        return true;
    }
    if is_among!(accounts.made, to.key) {
        return false;
    }
    let mut at = *cursor;
    if is_among!(accounts.parts, to.key) || !position!(prior.rows, to.key, at) {
        return true;
    }
    *cursor = at + 1;
    !are_alike(&prior.rows[at], to)
}

/// True if one prior attribute or block needs a closer look.
pub(super) const fn prior_needs_a_look(
    prior: &'static Table,
    current: &'static Table,
    index: usize,
    cursor: &mut usize,
    accounts: &Accounts,
) -> bool {
    if has_parts(prior, current) {
        return true;
    }
    let row = &prior.rows[index];
    if row.is_block() {
        return true;
    }
    let field = field_key!(row);
    let mut at = *cursor;
    let there = position!(current.rows, row.key, at);
    if there {
        *cursor = at + 1;
    }
    if is_among!(accounts.taken, field) {
        return there;
    }
    !there
        || is_among!(accounts.named, field)
        || is_among!(accounts.made, row.key) && !is_among!(accounts.kept, row.key)
        || is_among!(accounts.parts, row.key)
}

/// True if values of `from` are values of `to` and as little to be shown, as far as that is seen at
/// a glance.
pub(super) const fn are_alike(from: &Row, to: &Row) -> bool {
    if from.is_block() || to.is_block() || from.is_hidden() != to.is_hidden() {
        return false;
    }
    if from.info.word == to.info.word {
        return true;
    }
    // Any value is a dynamic one, and what is never null may stand where null may.
    let (a, b) = (&from.info.holds, &to.info.holds);
    matches!(to.info.stored, Stored::Dynamic)
        && (b.nullable || !a.nullable)
        && (to.is_hidden() || from.info.objects().is_none())
}
