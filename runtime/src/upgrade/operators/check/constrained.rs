//! Fields that a constraint names.

use super::form::Form;
use super::{at, count, field_at, same};
use crate::codec::Object;
use crate::message::Message;
use crate::schema::table::{Row, Table};
use crate::schema::{Presence, Takes};

/// Refuses, at compile time, a constraint between fields one of which is always set, or never by
/// the user. A name that does not exist is reported by itself.
#[doc(hidden)]
#[track_caller]
pub const fn check_constrained<T: Object>(kind: &str, path: &[&'static str]) {
    let Some(row) = row(T::TABLE, path) else {
        return;
    };
    if !row.is_block() {
        refuse(kind, path[path.len() - 1], row.presence());
    }
}

/// Refuses, at compile time, a sum of fields one of which is not a whole number, or never set by
/// the user. One may always be set.
#[doc(hidden)]
#[track_caller]
pub const fn check_summed<T: Object>(kind: &str, path: &[&'static str]) {
    let Some(row) = row(T::TABLE, path) else {
        return;
    };
    let field = path[path.len() - 1];
    if row.is_block() || !matches!(row.info.holds.takes, Takes::Integers { .. }) {
        Message::refuse(
            "`{}` is not a whole number, and `{}` compares one with the sum of others\nhelp: make it an `i64`, or compare it in `validate`",
            &[field, kind],
        );
    }
    if !matches!(row.presence(), Presence::Required) {
        refuse(kind, field, row.presence());
    }
}

/// The row of the field at the end of a path, if there is one.
const fn row(mut members: &'static Table, path: &[&'static str]) -> Option<&'static Row> {
    let mut depth = 0;
    while depth < path.len() {
        let Some(index) = position(members, path[depth]) else {
            return None;
        };
        if depth + 1 == path.len() {
            return Some(&members.rows[index]);
        }
        let Form::Objects(objects, _) = at(members, index).form else {
            return None;
        };
        members = objects.members;
        depth += 1;
    }
    None
}

/// The position of the field of this Rust name.
const fn position(members: &'static Table, field: &str) -> Option<usize> {
    let mut index = 0;
    while index < count(members) {
        if same(field_at(members, index), field) {
            return Some(index);
        }
        index += 1;
    }
    None
}

#[track_caller]
const fn refuse(kind: &str, field: &str, presence: Presence) {
    let message = Message::new().text("`").text(field);
    let message = match presence {
        Presence::Required => message.format(
            "` is required, so it is always set, and `{}` says nothing about it, or forbids the others\nhelp: make it an `Option`, or leave it out here",
            &[kind],
        ),
        Presence::Computed => message.format(
            "` is set by the provider alone, so `{}` says nothing to users\nhelp: add `optional` to it if they may set it, or leave it out here",
            &[kind],
        ),
        Presence::Optional | Presence::OptionalComputed => return,
    };
    message.panic();
}
