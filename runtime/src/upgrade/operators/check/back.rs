//! Checks whether a prior attribute that was dropped can hold the value that a downgrade puts
//! there.

use super::super::table::{Constant, Literal, Operators};
use super::blame::Blame;
use super::form::Form;
use super::literal::check_literal;
use super::track::Names;
use super::{is_unknown, member, short};
use crate::message::Message;
use crate::schema::table::Table;

/// Refuses, at compile time, a `back` that the prior field cannot hold.
#[doc(hidden)]
#[track_caller]
pub const fn check_back(prior: &'static Table, operators: &'static Operators, index: usize) {
    if prior.is_stub() || index >= operators.drops.len() {
        return;
    }
    let dropped = &operators.drops[index];
    let (Some(back), false) = (&dropped.back, is_unknown(dropped.path)) else {
        return;
    };
    let mut table = prior;
    let mut rest = dropped.path;
    while let [name, after @ ..] = rest {
        let Some(found) = member(table, name) else {
            return;
        };
        if after.is_empty() {
            let of = short(table.rust_name);
            if matches!(back, Constant::Literal(Literal::Null)) && !found.holds.nullable {
                Message::refuse(
                    "`{}` of `{}` is never null\nhelp: give the value that a downgrade puts there",
                    &[name, of],
                );
            }
            let names = Names {
                field: name,
                prior: of,
                current: of,
                of_each: false,
                is_difference: prior.defined_at.is_none(),
            };
            let mut blame = Blame::none();
            check_literal(back, 0, &found, true, names, &mut blame);
            if let Some(blamed) = blame.into_found() {
                blamed.refuse();
            }
            return;
        }
        let Form::Objects(objects, _) = found.form else {
            return;
        };
        table = objects.members;
        rest = after;
    }
}
