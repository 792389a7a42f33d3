//! The member of nested objects that their upgrader leaves to `rekey`.

use super::super::table::Operators;
use super::form::Objects;
use super::glance::Accounts;
use super::{each, field_at, has_unknown_name, position, row_at, short};
use crate::message::{Message, iterate};
use crate::schema::LeftOver;
use crate::schema::table::{Row, Stored, Table};

/// True if a key is one of these.
const fn is_among(keys: &[u64], key: u64) -> bool {
    iterate!(first in keys => {
        if *first == key {
            return true;
        }
    });
    false
}

const fn has(table: &'static Table, key: u64) -> bool {
    each!(row in row_at(table) => {
        if row.key == key {
            return true;
        }
    });
    false
}

/// The member that the operators between two structs of nested objects neither take nor make, if
/// there is one and `rekey` may be about it.
#[doc(hidden)]
#[must_use]
pub const fn left_over(
    current: &'static Table,
    prior: &'static Table,
    operators: &'static Operators,
    accounts: &Accounts,
) -> LeftOver {
    if prior.is_stub() || current.is_stub() || has_unknown_name(operators) {
        return LeftOver::Refused;
    }
    let (mut found, mut forgotten) = (LeftOver::Refused, 0);
    each!(row in row_at(prior) => {
        let field = row.field_key();
        if !has(current, row.key)
            && !is_among(accounts.taken, field)
            && !is_among(accounts.named, field)
        {
            forgotten += 1;
            if let (Stored::String | Stored::Number | Stored::Bool, false) =
                (&row.info.stored, row.is_block())
            {
                found = LeftOver::Earlier(row.name);
            }
        }
    });
    each!(row in row_at(current) => {
        if !has(prior, row.key)
            && !is_among(accounts.made, row.key)
            && !is_among(accounts.parts, row.key)
        {
            forgotten += 1;
            if is_text(row) {
                found = LeftOver::Later(row.name);
            }
        }
    });
    match forgotten {
        0 => LeftOver::Nothing,
        1 => found,
        _ => LeftOver::Refused,
    }
}

/// True if the key of a map may be a member's value.
const fn is_text(row: &Row) -> bool {
    matches!(row.info.stored, Stored::String | Stored::Dynamic)
}

/// The member that `rekey` takes out of the objects of a shape or puts into them, and that
/// operators on the other members leave over. `shape` is that of the objects without what `rekey`
/// does to them; `is_earlier` says on which side the list is.
#[doc(hidden)]
#[must_use]
pub const fn key_left_over(shape: &'static Table, key: &'static str, is_earlier: bool) -> LeftOver {
    match (is_earlier, position(shape, key)) {
        (true, None) => LeftOver::Earlier(key),
        (false, Some(_)) => LeftOver::Later(key),
        (true, Some(_)) | (false, None) => LeftOver::Nothing,
    }
}

/// Says which member is not accounted for, and with what it would be.
pub(super) const fn explain_left_over(
    message: Message,
    (from, to, left_over): (Objects, Objects, LeftOver),
    field: &str,
) -> Message {
    let (prior, current) = (short(from.origin.rust_name), short(to.origin.rust_name));
    let (key, message) = match left_over {
        LeftOver::Nothing | LeftOver::Refused => return message,
        LeftOver::Earlier(key) => {
            let name = field_of(from.members, key);
            let message = message.format(
                "`{}` of `{}` goes nowhere [U0002]\nhelp: add `rename({} => new)`, or `drop({}, \"why\")` if its value may be lost,",
                &[name, prior, name, name],
            );
            (key, message)
        }
        LeftOver::Later(key) => {
            let name = field_of(to.members, key);
            let message = message.format(
                "`{}` of `{}` comes from nowhere [U0001]\nhelp: add `rename(old => {})`, `copy(other => {})`, or `set({} = …)`",
                &[name, current, name, name, name],
            );
            (key, message)
        }
    };
    let message = message.format(" to the upgrader of `{}` from `{}`", &[current, prior]);
    // Without a `rekey`, there are no keys of a map here.
    if !from.is_rekeyed {
        return message;
    }
    let message = message.format("; or `rekey({}, by = {}", &[field, key]);
    message.text(if matches!(left_over, LeftOver::Later(_)) {
        ")` makes it of the keys of a map"
    } else {
        ")` makes it the key of a map"
    })
}

/// Says that the keys of a map would be lost.
pub(super) const fn explain_made_key(
    message: Message,
    (from, to, key): (Objects, Objects, &'static str),
) -> Message {
    let (prior, current) = (short(from.origin.rust_name), short(to.origin.rust_name));
    let key = field_of(to.members, key);
    message.format(
        "the upgrader of `{}` from `{}` makes `{}`, so the keys of the map would be lost\nhelp: leave `{}` out of the operators of that upgrader: `rekey` puts the key there",
        &[current, prior, key, key],
    )
}

/// The Rust name of a member.
const fn field_of(members: &'static Table, name: &'static str) -> &'static str {
    match position(members, name) {
        Some(index) => field_at(members, index),
        None => name,
    }
}
