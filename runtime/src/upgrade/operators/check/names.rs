//! Fields that operators name.

use super::form::{Form, Member};
use super::{at, count, field_at, name_at, row_at, short};
use crate::codec::Object;
use crate::message::{Message, distance, is_misspelling, iterate};
use crate::schema::Nesting;
use crate::schema::table::Table;
use upstate_words::key;

/// The name in state of a field of the prior struct, `path[depth]` on the way there; empty if there
/// is none.
#[doc(hidden)]
#[must_use]
pub const fn prior_name(
    prior: &'static Table,
    path: &[&'static str],
    depth: usize,
) -> &'static str {
    if let Some(name) = own(prior, path) {
        return name;
    }
    match resolve(prior, path, depth, false) {
        Ok(name) => name,
        Err(_) => "",
    }
}

/// The name in state of an attribute of the struct itself, which is what most paths lead to: looked
/// for without a call.
const fn own(table: &'static Table, path: &[&'static str]) -> Option<&'static str> {
    let [field] = path else { return None };
    let wanted = key(field);
    iterate!(row in table.rows => {
        let found = match row.beside {
            None => row.key == wanted,
            Some(_) => row.field_key() == wanted,
        };
        if found {
            return Some(row.name);
        }
    });
    None
}

/// The name in state of a field of the current struct, `path[depth]` on the way there; empty if
/// there is none.
#[doc(hidden)]
#[must_use]
pub const fn current_name<T: Object>(path: &[&'static str], depth: usize) -> &'static str {
    name_in(T::TABLE, path, depth)
}

/// Takes the table of what is made in place of its type.
#[doc(hidden)]
#[must_use]
pub const fn name_in(table: &'static Table, path: &[&'static str], depth: usize) -> &'static str {
    match resolve(table, path, depth, false) {
        Ok(name) => name,
        Err(_) => "",
    }
}

/// The name in state of a field of a constraint, which may also be in the elements of a map; empty
/// if there is none.
#[doc(hidden)]
#[must_use]
pub const fn constrained_name<T: Object>(path: &[&'static str], depth: usize) -> &'static str {
    match resolve(T::TABLE, path, depth, true) {
        Ok(name) => name,
        Err(_) => "",
    }
}

/// Refuses, at compile time, a path whose segment `path[depth]` is not a field of the prior struct.
#[doc(hidden)]
#[track_caller]
pub const fn check_prior_name(prior: &'static Table, path: &[&'static str], depth: usize) {
    if own(prior, path).is_none() {
        refuse(resolve(prior, path, depth, false));
    }
}

/// Refuses, at compile time, a path whose segment `path[depth]` is not a field of the current
/// struct.
#[doc(hidden)]
#[track_caller]
pub const fn check_current_name<T: Object>(path: &[&'static str], depth: usize) {
    refuse(resolve(T::TABLE, path, depth, false));
}

/// Refuses, at compile time, a constraint whose segment `path[depth]` is not a field of the struct.
#[doc(hidden)]
#[track_caller]
pub const fn check_constrained_name<T: Object>(path: &[&'static str], depth: usize) {
    refuse(resolve(T::TABLE, path, depth, true));
}

/// Takes the table of what is made in place of its type.
#[doc(hidden)]
#[track_caller]
pub const fn check_current_name_in(table: &'static Table, path: &[&'static str], depth: usize) {
    refuse(resolve(table, path, depth, false));
}

#[track_caller]
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is not copied, it is computed in place"
)]
const fn refuse(found: Result<&'static str, Unresolved>) {
    match found {
        Ok(_) | Err(Unresolved::Elsewhere) => {}
        Err(Unresolved::NoSuchField(members, owner, wanted)) => {
            no_such_field(members, owner, wanted)
        }
        Err(Unresolved::ThroughMap {
            owner,
            wanted,
            within,
            inner,
        }) => {
            Message::refuse(
                "`{}` of `{}` is a map, and a path to `{}` goes through nested objects and lists of one\nhelp: write operators for each entry in an upgrade of `{}` itself",
                &[within, owner, wanted, inner],
            );
        }
        Err(Unresolved::NoObject {
            owner,
            wanted,
            within,
        }) => {
            Message::refuse(
                "`{}` of `{}` is not a nested object, so it has no `{}`\nhelp: a path goes through fields whose type is, or holds, a struct that derives `Object`",
                &[within, owner, wanted],
            );
        }
    }
}

enum Unresolved {
    NoSuchField(&'static Table, &'static str, &'static str),
    NoObject {
        owner: &'static str,
        wanted: &'static str,
        within: &'static str,
    },
    ThroughMap {
        owner: &'static str,
        wanted: &'static str,
        within: &'static str,
        inner: &'static str,
    },
    /// The mistake is reported elsewhere: at an earlier segment, or the struct itself did not
    /// compile.
    Elsewhere,
}

const fn resolve(
    mut members: &'static Table,
    path: &[&'static str],
    depth: usize,
    through_maps: bool,
) -> Result<&'static str, Unresolved> {
    let mut owner = members.rust_name;
    let mut step = 0;
    while step < path.len() {
        if members.is_stub() {
            return Err(Unresolved::Elsewhere);
        }
        let wanted = path[step];
        let Some((index, member)) = field(members, wanted) else {
            return Err(if step < depth {
                Unresolved::Elsewhere
            } else {
                Unresolved::NoSuchField(members, short(owner), wanted)
            });
        };
        if step == depth {
            return Ok(name_at(members, index));
        }
        if !through_maps && let Form::Objects(objects, Nesting::Map) = member.form {
            let (owner, inner) = (short(owner), short(objects.origin.rust_name));
            let through_map = Unresolved::ThroughMap {
                owner,
                wanted: path[step + 1],
                within: wanted,
                inner,
            };
            return Err(if step + 1 < depth {
                Unresolved::Elsewhere
            } else {
                through_map
            });
        }
        let Form::Objects(objects, _) = member.form else {
            let no_object = Unresolved::NoObject {
                owner: short(owner),
                wanted: path[step + 1],
                within: wanted,
            };
            return Err(if step + 1 < depth {
                Unresolved::Elsewhere
            } else {
                no_object
            });
        };
        members = objects.members;
        owner = objects.origin.rust_name;
        step += 1;
    }
    Err(Unresolved::Elsewhere)
}

const fn field(members: &'static Table, name: &str) -> Option<(usize, Member)> {
    let wanted = key(name);
    let mut index = 0;
    while index < count(members) {
        if row_at(members, index).field_key() == wanted {
            return Some((index, at(members, index)));
        }
        index += 1;
    }
    None
}

#[track_caller]
const fn no_such_field(members: &'static Table, owner: &str, wanted: &str) -> ! {
    let message = Message::new().format("`{}` has no field `{}` [U0011]\nhelp: ", &[owner, wanted]);
    suggested(message, members, wanted).panic();
}

/// Appends the field that was meant, or all there are.
pub(in super::super) const fn suggested(
    mut message: Message,
    members: &'static Table,
    wanted: &str,
) -> Message {
    let mut nearest: Option<(usize, usize)> = None;
    let mut index = 0;
    while index < count(members) {
        let distance = distance(field_at(members, index), wanted);
        let nearer = match nearest {
            Some((_, best)) => distance < best,
            None => true,
        };
        if nearer {
            nearest = Some((index, distance));
        }
        index += 1;
    }
    match nearest {
        Some((index, distance)) if is_misspelling(distance, wanted) => {
            message = message.format("did you mean `{}`?", &[field_at(members, index)]);
        }
        Some(_) => {
            message = message.text("it has");
            let mut index = 0;
            while index < count(members) && index < 12 {
                message = message
                    .text(if index == 0 { " `" } else { ", `" })
                    .text(field_at(members, index))
                    .text("`");
                index += 1;
            }
            if index < count(members) {
                message = message.text(", …");
            }
        }
        None => message = message.text("it has no fields at all"),
    }
    message
}
