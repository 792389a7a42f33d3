//! Checks of the condition of an upgrader or move: the compiler refuses a name that no state in
//! question has.

// Everything here runs in the compiler, which reports a wrong index or number itself; iterators and
// `get` are not const.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::history::{History, Step, UpgraderKind};
use super::operators::same;
use super::resource::Resource;
use super::when::When;
use crate::message::{Message, distance, is_misspelling};
use crate::schema::table::Table;
use upstate_words::key;

/// Refuses, at compile time, a condition that asks for a name which no shape of these versions has.
#[doc(hidden)]
#[track_caller]
pub const fn check_when(history: &'static History, upgrader: usize) {
    if history.is_stub() || upgrader >= history.steps().len() {
        return;
    }
    let step = &history.steps()[upgrader];
    let Some((name, wanted)) = question(step) else {
        return;
    };
    let Some(own) = schema(step, history) else {
        return;
    };
    if wanted && is_declared(step) {
        // Operators account for each attribute of their model, so the model has what its states
        // have.
        if !stores(own, name) {
            refuse(own, step, name, true);
        }
        return;
    }
    // The name may be one of another shape, which the model of this one leaves out.
    let mut others = 0;
    let mut index = 0;
    while index < history.steps().len() {
        let other = &history.steps()[index];
        if other.contains(step.from()) {
            match schema(other, history) {
                Some(schema) if !stores(schema, name) => {}
                _ => return,
            }
            others += (index != upgrader) as usize;
        }
        index += 1;
    }
    if others > 0 {
        refuse(own, step, name, false);
    }
}

/// Decides for a move of `T`, from a model that has no earlier ones: their shape might be the
/// stored one.
#[doc(hidden)]
#[track_caller]
pub const fn check_move_when<T: Resource>(index: usize) {
    if index >= T::MOVES.len() {
        return;
    }
    let step = T::MOVES[index].step();
    if let Some((name, true)) = question(step)
        && let Some(prior) = step.known()
        && prior.is_first
        && !prior.is_stub()
        && is_declared(step)
        && !stores(prior.table, name)
    {
        refuse(prior.table, step, name, true);
    }
}

/// The name that a condition asks for, and whether it is to be there.
const fn question(step: &Step) -> Option<(&'static str, bool)> {
    match step.condition() {
        Some(When::Has(name)) => Some((name, true)),
        Some(When::Lacks(name)) => Some((name, false)),
        Some(When::Is(_)) | None => None,
    }
}

const fn is_declared(step: &Step) -> bool {
    matches!(step.written_as(), UpgraderKind::Operators(_))
}

/// The schema of the states that an upgrader is for, if a model tells of them.
const fn schema(step: &Step, history: &'static History) -> Option<&'static Table> {
    match (step.known(), step.written_as()) {
        (Some(prior), _) if prior.is_stub() => None,
        (Some(prior), _) => Some(prior.table),
        (None, UpgraderKind::Unchanged) => Some(history.table()),
        (None, _) => None,
    }
}

/// The name in state of an attribute or block.
const fn stored_name(table: &'static Table, index: usize) -> Option<&'static str> {
    if index < table.rows.len() {
        Some(table.rows[index].name)
    } else {
        None
    }
}

const fn stores(table: &'static Table, wanted: &str) -> bool {
    let mut index = 0;
    while let Some(name) = stored_name(table, index) {
        if same(name, wanted) {
            return true;
        }
        index += 1;
    }
    false
}

#[track_caller]
const fn refuse(table: &'static Table, step: &Step, wanted: &str, of_model: bool) -> ! {
    let mut message = match step.known() {
        Some(prior) if of_model => {
            Message::new().format("state of `{}` has no `", &[prior.rust_name])
        }
        _ => Message::new()
            .text("no state of version ")
            .number(step.from())
            .text(" has a `"),
    };
    let never = matches!(step.condition(), Some(When::Has(_)));
    message = message.text(wanted).text(if never {
        "`, so this never holds\nhelp: "
    } else {
        "`, so this always holds\nhelp: "
    });
    let mut nearest: Option<(&str, usize)> = None;
    let mut index = 0;
    while let Some(name) = stored_name(table, index) {
        if table.rows[index].field_key() == key(wanted) {
            let message = message.format("the field `{}` is stored as `{}`", &[wanted, name]);
            message.panic();
        }
        let distance = distance(name, wanted);
        match nearest {
            Some((_, best)) if best <= distance => {}
            _ => nearest = Some((name, distance)),
        }
        index += 1;
    }
    match nearest {
        Some((name, distance)) if is_misspelling(distance, wanted) => {
            message = message.format("did you mean `{}`?", &[name]);
        }
        _ => {
            message = match step.known() {
                Some(prior) => message.format("`{}` stores", &[prior.rust_name]),
                None => message.text("the current model stores"),
            };
            let mut index = 0;
            while index < 12
                && let Some(name) = stored_name(table, index)
            {
                message = message
                    .text(if index == 0 { " `" } else { ", `" })
                    .text(name)
                    .text("`");
                index += 1;
            }
            if stored_name(table, index).is_some() {
                message = message.text(", …");
            }
        }
    }
    message.panic();
}
