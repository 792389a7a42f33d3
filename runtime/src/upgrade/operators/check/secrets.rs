//! Checks whether a value that must not be shown ends where it may be.
//!
//! A field is hidden if it, or an object around it, is sensitive or write-only. Conditions are not
//! looked at: they tell of a value only what their author wrote down.

use super::super::row::starts_empty;
use super::super::table::{Operation, Operators, Path, Production, Stage};
use super::{count, each, position, row_at, short, spelt};
use crate::message::{Message, iterate};
use crate::schema::table::{Row, Table};
use crate::schema::{Nesting, flags};

/// The row at a path, and whether it is hidden.
#[derive(Clone, Copy)]
struct Place {
    row: &'static Row,
    /// The name of the row, if it is a member of the objects at the path.
    member: Option<&'static str>,
    /// True if it is hidden; then `is_in_part` says whether that is so only because of a part of
    /// it.
    is_hidden: bool,
    is_in_part: bool,
}

/// The part of what was hidden that a field shows.
#[derive(Clone, Copy)]
pub(super) enum Leak {
    /// All of it.
    Whole,
    /// This member, whatever holds it.
    Member(&'static str),
}

/// Refuses, at compile time, a production that shows what was hidden.
#[track_caller]
pub(super) const fn check_production_secrets(
    prior: &'static Table,
    current: &'static Table,
    operators: &'static Operators,
    production: &'static Production,
) {
    let Some(whole) = place(current, production.target) else {
        return;
    };
    let (stages, mut index) = (production.stages, 0);
    let sides = Sides { prior, current };
    let declassified = is_declassified(operators, production.target);
    let same = keeps_objects(stages);
    let (taken, put) = members(stages);
    let target = whole.member(put);
    let key = key(stages);
    if !starts_empty(stages)
        && let Some(source) = place(prior, production.target)
    {
        if let Some(key) = key {
            let (source, target) = source.keys_into(key, whole);
            let (from, to) = (production.target, production.target);
            sides.check(&Flow {
                from,
                source,
                to,
                target,
                declassified,
                same,
                is_part: true,
            });
        }
        let (source, is_part) = (source.member(taken), key.is_some());
        sides.check(&Flow {
            from: production.target,
            source,
            to: production.target,
            target,
            declassified,
            same,
            is_part,
        });
    }
    while index < stages.len() {
        let operation = &stages[index].operation;
        // The values of a map that is rekeyed go without its keys.
        let is_part =
            key.is_some() || matches!(operation, Operation::Extract(..) | Operation::Combine(..));
        let mut nth = 0;
        while let Some(from) = operation.reads(nth) {
            if let Some(source) = place(prior, from) {
                if let Some(key) = key {
                    let (source, target) = source.keys_into(key, whole);
                    sides.check(&Flow {
                        from,
                        source,
                        to: production.target,
                        target,
                        declassified,
                        same,
                        is_part: true,
                    });
                }
                let source = source.member(taken);
                let target = if operation.row().members {
                    whole.member(from.last().copied())
                } else {
                    target
                };
                sides.check(&Flow {
                    from,
                    source,
                    to: production.target,
                    target,
                    declassified,
                    same,
                    is_part,
                });
            }
            nth += 1;
        }
        index += 1;
    }
}

/// The member that operators take out of objects, and the one that they put what is left into.
const fn members(stages: &[Stage]) -> (Option<&'static str>, Option<&'static str>) {
    let (mut taken, mut put) = (None, None);
    iterate!(stage in stages => {
        let members = stage.operation.members();
        (taken, put) = (or(members.0, taken), or(members.1, put));
    });
    (taken, put)
}

const fn or(name: Option<&'static str>, other: Option<&'static str>) -> Option<&'static str> {
    if name.is_some() { name } else { other }
}

/// The member of the objects in a list that is the key of the map.
const fn key(stages: &[Stage]) -> Option<&'static str> {
    iterate!(stage in stages => {
        if let Some(key) = stage.operation.key() {
            return Some(key);
        }
    });
    None
}

impl Place {
    /// A member of the objects that are there, if they have it.
    const fn member(self, name: Option<&str>) -> Self {
        let (Some(name), Some((owner, _))) = (name, self.row.info.objects()) else {
            return self;
        };
        let Some(at) = position(owner, name) else {
            return self;
        };
        let row = row_at(owner, at);
        let is_whole = self.is_hidden && !self.is_in_part || row.is_hidden_as_a_whole();
        Self {
            row,
            member: Some(row.name),
            is_hidden: self.is_hidden || row.is_hidden(),
            is_in_part: !is_whole,
        }
    }

    /// The key of the objects here, and what is made of it: the keys of a map are as hidden as the
    /// map is, and no less.
    const fn keys_into(self, key: &'static str, target: Self) -> (Self, Self) {
        let into_map = matches!(
            self.row.info.objects(),
            Some((_, Nesting::List | Nesting::Set))
        );
        (
            self.member(Some(key)),
            if into_map {
                target
            } else {
                target.member(Some(key))
            },
        )
    }
}

/// The part of what was hidden that a carried field shows.
pub(super) const fn carried(from: &'static Row, to: &'static Row) -> Option<Leak> {
    if from.is_hidden() {
        return if shows_nothing(to) {
            None
        } else {
            Some(Leak::Whole)
        };
    }
    if to.is_hidden() {
        return None;
    }
    match leaks_inside(from, to) {
        Some(name) => Some(Leak::Member(name)),
        None => None,
    }
}

/// A prior value that goes into a current one.
struct Flow {
    from: Path,
    source: Place,
    to: Path,
    target: Place,
    /// True if the author says that the value may be shown.
    declassified: bool,
    /// True if nested objects stay what they are.
    same: bool,
    /// True if only a part of the value goes there, or what a function makes of it.
    is_part: bool,
}

struct Sides {
    prior: &'static Table,
    current: &'static Table,
}

impl Sides {
    #[track_caller]
    const fn check(&self, flow: &Flow) {
        let Flow { source, target, .. } = flow;
        if target.is_hidden || flow.declassified {
            return;
        }
        let leak = if source.is_hidden {
            if source.is_in_part && flow.is_part || shows_nothing(target.row) {
                None
            } else {
                Some(Leak::Whole)
            }
        } else {
            let inside = if flow.same {
                leaks_inside(source.row, target.row)
            } else {
                hidden_member(source.row)
            };
            match inside {
                Some(name) if !shows_nothing(target.row) => Some(Leak::Member(name)),
                Some(_) | None => None,
            }
        };
        if let Some(leak) = leak {
            self.refuse_leak(flow, leak);
        }
    }

    #[track_caller]
    const fn refuse_leak(&self, flow: &Flow, leak: Leak) -> ! {
        let message = spelt(Message::new().text("`"), flow.from);
        let message = match flow.source.member {
            Some(name) => message.text(".").text(name),
            None => message,
        };
        let message = match leak {
            Leak::Whole => message,
            Leak::Member(name) => message.text(".").text(name),
        };
        let message = message
            .text("` of `")
            .text(short(self.prior.rust_name))
            .text("` is ")
            .text(marked(flow.source.row));
        let message = target_of(message.text(", and goes into `"), flow);
        let message = message.text("` of `").text(short(self.current.rust_name));
        let message = message.text("`, which is not sensitive [U0019]\nhelp: ");
        // The help compiles: otherwise it would have a block marked.
        let message = if flow.target.row.is_block() {
            message
        } else {
            target_of(message.text("mark `"), flow).text("` as `#[attribute(sensitive)]`; or ")
        };
        let message = message.text("add `declassified = \"why it may be shown\"` to the operator");
        message.panic();
    }
}

/// The word for the mark of a row that must not be shown.
pub(super) const fn marked(row: &Row) -> &'static str {
    if !row.is_sensitive() && row.flags & flags::WRITE_ONLY != 0 {
        "write-only"
    } else {
        "sensitive"
    }
}

/// The target, and its member if the value goes into that.
const fn target_of(message: Message, flow: &Flow) -> Message {
    let message = spelt(message, flow.to);
    match flow.target.member {
        Some(name) => message.text(".").text(name),
        None => message,
    }
}

/// True if the author says that a current field may show what was hidden.
const fn is_declassified(operators: &'static Operators, path: Path) -> bool {
    iterate!(shown in operators.declassified => {
        if same_path(shown.path, path) {
            return true;
        }
    });
    false
}

const fn same_path(one: Path, other: Path) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if !super::same(one[index], other[index]) {
            return false;
        }
        index += 1;
    }
    true
}

const fn place(mut table: &'static Table, path: Path) -> Option<Place> {
    let (mut is_hidden, mut is_whole) = (false, false);
    let mut index = 0;
    while index < path.len() {
        let Some(at) = position(table, path[index]) else {
            return None;
        };
        let row = row_at(table, at);
        is_hidden = is_hidden || row.is_hidden();
        is_whole = is_whole || row.is_hidden_as_a_whole();
        if index + 1 == path.len() {
            return Some(Place {
                row,
                member: None,
                is_hidden,
                is_in_part: !is_whole,
            });
        }
        let Some((inner, _)) = row.info.objects() else {
            return None;
        };
        table = inner;
        index += 1;
    }
    None
}

/// True if nested objects come out of the operators as they went in, or through an upgrader of
/// their own.
const fn keeps_objects(stages: &[Stage]) -> bool {
    iterate!(stage in stages => {
        if !stage.operation.keeps_objects() {
            return false;
        }
    });
    true
}

/// The members of a flattened enum or map, in a message.
const REST: &str = "…";

/// The first hidden member of the objects in a row.
const fn hidden_member(row: &'static Row) -> Option<&'static str> {
    let Some((table, _)) = row.info.objects() else {
        return None;
    };
    if table.hides_rest() {
        return Some(REST);
    }
    each!(row in row_at(table) => {
        if row.is_hidden() {
            return Some(row.name);
        }
        if let Some(name) = hidden_member(row) {
            return Some(name);
        }
    });
    None
}

/// True if all that a row holds is hidden.
const fn shows_nothing(row: &'static Row) -> bool {
    if row.is_hidden() {
        return true;
    }
    let Some((table, _)) = row.info.objects() else {
        return false;
    };
    let mut index = 0;
    while index < count(table) {
        if !shows_nothing(row_at(table, index)) {
            return false;
        }
        index += 1;
    }
    index > 0
}

/// The first member of the objects in one row that is hidden, and is shown in the other. Where an
/// upgrader brings the one to the other, it has proofs of its own.
const fn leaks_inside(from: &'static Row, to: &'static Row) -> Option<&'static str> {
    let Some((prior, _)) = from.info.objects() else {
        return None;
    };
    let Some((current, _)) = to.info.objects() else {
        return hidden_member(from);
    };
    let (before, after) = (prior.origin(), current.origin());
    if before.is_struct_of(after) || after.upgrader_from(before).is_some() {
        return None;
    }
    if let Some(name) = rest_leaks(prior, current) {
        return Some(name);
    }
    each!(row in row_at(prior) => {
        let Some(at) = position(current, row.name) else {
            continue;
        };
        let to = row_at(current, at);
        if to.is_hidden() {
            continue;
        }
        if row.is_hidden() && !shows_nothing(to) {
            return Some(row.name);
        }
        if let Some(name) = leaks_inside(row, to) {
            return Some(name);
        }
    });
    None
}

/// The members that no row tells of, if some of them are hidden in one shape and shown in the
/// other.
pub(super) const fn rest_leaks(from: &'static Table, to: &'static Table) -> Option<&'static str> {
    if from.hides_rest() && !to.hides_rest() {
        Some(REST)
    } else {
        None
    }
}
