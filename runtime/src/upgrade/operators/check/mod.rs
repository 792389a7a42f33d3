//! Checks for what the compiler refuses in a declarative upgrader.

// Everything here runs in the compiler, which reports a wrong index or number itself; iterators and
// `get` are not const.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

mod accounting;
mod back;
pub(super) mod blame;
mod constrained;
mod conversion;
mod findings;
pub(super) mod fit;
pub(super) mod form;
mod function;
mod glance;
mod guard;
mod left_over;
pub(super) mod literal;
pub(super) mod made;
pub(super) mod matches;
pub(super) mod names;
mod production;
pub(super) mod refusal;
mod renames;
mod secrets;
pub(super) mod track;
pub(super) mod wants;

pub use accounting::{
    check_accounting, check_accounting_to, check_object_accounting, find_in_accounting,
    find_in_accounting_to, find_in_object_accounting,
};
pub use back::check_back;
pub use blame::{Blamed, refuse_carried, refuse_operand};
pub use constrained::{check_constrained, check_summed};
pub use glance::Accounts;
pub use left_over::{key_left_over, left_over};
pub use matches::{check_condition, find_in_condition};
pub use names::{
    check_constrained_name, check_current_name, check_current_name_in, check_prior_name,
    constrained_name, current_name, name_in, prior_name,
};
pub use production::{check_production, check_production_to, find_operand, find_operand_to};

use self::form::Member;
use super::table::{Operators, Path, Production, Stage};
use crate::message::{Message, iterate};
use crate::schema::table::{LazySchema, Row, Table};
use upstate_words::key;

pub(in crate::upgrade) use crate::message::same;
pub(super) use crate::schema::table::short;

/// True if a production names a field that does not exist; that is reported at its path.
const fn names_unknown(production: &Production) -> bool {
    is_unknown(production.target) || stages_have_unknown(production.stages)
}

/// True if a path of these operators names a field that does not exist; that is reported at the
/// path.
const fn has_unknown_name(operators: &Operators) -> bool {
    iterate!(dropped in operators.drops => {
        if is_unknown(dropped.path) {
            return true;
        }
    });
    iterate!(production in operators.productions => {
        if names_unknown(production) {
            return true;
        }
    });
    false
}

const fn stages_have_unknown(stages: &[Stage]) -> bool {
    iterate!(stage in stages => {
        let Stage {
            operation, only_if, ..
        } = stage;
        let mut nth = 0;
        while let Some(path) = operation.reads(nth) {
            if is_unknown(path) {
                return true;
            }
            nth += 1;
        }
        nth = 0;
        while let Some(condition) = only_if
            && let Some(path) = condition.reads(nth)
        {
            if is_unknown(path) {
                return true;
            }
            nth += 1;
        }
    });
    false
}

const fn is_unknown(path: Path) -> bool {
    iterate!(name in path => {
        if name.is_empty() {
            return true;
        }
    });
    false
}

/// The attribute or block of this name in state.
pub(super) const fn member(members: &'static Table, name: &str) -> Option<Member> {
    match position(members, name) {
        Some(index) => Some(at(members, index)),
        None => None,
    }
}

const fn position(members: &'static Table, name: &str) -> Option<usize> {
    let wanted = key(name);
    let mut index = 0;
    while index < count(members) {
        if row_at(members, index).key == wanted {
            return Some(index);
        }
        index += 1;
    }
    None
}

/// Runs a block for each attribute and block, as a function of their table and a number has it,
/// because constants have no `for`.
macro_rules! each {
    ($item:ident in $of:ident($members:expr) => $body:block) => {{
        let members = $members;
        let (mut next, end) = (0, members.stored_len());
        while next < end {
            let $item = $of(members, next);
            next += 1;
            $body
        }
    }};
}
pub(super) use each;

/// The number of attributes and blocks, with those of flattened fields after the others; they are
/// counted through.
pub(super) const fn count(members: &'static Table) -> usize {
    members.stored_len()
}

pub(super) const fn row_at(members: &'static Table, index: usize) -> &'static Row {
    members.any_row(index).0
}

pub(super) const fn at(members: &'static Table, index: usize) -> Member {
    let (row, may_be_absent) = members.any_row(index);
    let mut member = Member::new(row);
    member.holds.nullable = member.holds.nullable || may_be_absent;
    member
}

/// The name in state.
pub(super) const fn name_at(members: &'static Table, index: usize) -> &'static str {
    row_at(members, index).name
}

/// The name of the Rust field.
const fn field_at(members: &'static Table, index: usize) -> &'static str {
    row_at(members, index).field()
}

/// Appends a path of names in state.
const fn spelt(mut message: Message, path: Path) -> Message {
    iterate!((index, name) in path => {
        message = message
            .text(if index == 0 { "" } else { "." })
            .text(name);
    });
    message
}

/// A shape without fields.
static NOTHING: Table = {
    static SCHEMA: LazySchema = LazySchema::new();
    Table::stub(&SCHEMA)
};
