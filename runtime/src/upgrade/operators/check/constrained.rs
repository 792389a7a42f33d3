//! Fields that a constraint names.

use super::form::Form;
use super::{at, count, field_at, same};
use crate::codec::Object;
use crate::message::Message;
use crate::schema::Presence;
use crate::schema::table::Table;

/// Refuses, at compile time, a constraint between fields one of which is always set, or never by the user. A name that does not exist is
/// reported by itself.
#[doc(hidden)]
#[track_caller]
pub const fn check_constrained<T: Object>(kind: &str, path: &[&'static str]) {
    let mut members = T::TABLE;
    let mut depth = 0;
    while depth < path.len() {
        let Some(index) = position(members, path[depth]) else { return };
        if depth + 1 == path.len() {
            if !members.rows[index].is_block() {
                refuse(kind, path[depth], members.rows[index].presence());
            }
            return;
        }
        let Form::Objects(objects, _) = at(members, index).form else { return };
        members = objects.members;
        depth += 1;
    }
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
        Presence::Required => message
            .text("` is required, so it is always set, and `")
            .text(kind)
            .text("` says nothing about it, or forbids the others\nhelp: make it an `Option`, or leave it out here"),
        Presence::Computed => message
            .text("` is set by the provider alone, so `")
            .text(kind)
            .text("` says nothing to users\nhelp: add `optional` to it if they may set it, or leave it out here"),
        Presence::Optional | Presence::OptionalComputed => return,
    };
    panic!("{}", message.as_str());
}
