//! Values that operators look for and that cannot be there: a guard that never holds goes unnoticed otherwise.

use super::super::table::{Condition, Literal, Match, Operators};
use super::super::upgrader::Prior;
use super::fit::has;
use super::form::Form;
use super::production::find;
use super::refusal::noun;
use super::{has_unknown_name, same};
use crate::message::Message;
use crate::schema::table::Stored;
use crate::schema::{Holds, Nesting, Takes};

/// Refuses, at compile time, notices whose condition looks for a value that is never there.
#[track_caller]
pub(super) const fn check_notices(prior: &Prior, operators: &'static Operators) {
    if has_unknown_name(operators) {
        return;
    }
    let mut index = 0;
    while index < operators.notices.len() {
        if let Some(condition) = operators.notices[index].only_if {
            check_condition(condition, prior);
        }
        index += 1;
    }
}

/// Refuses a condition that looks for a value that is never there.
#[track_caller]
pub(super) const fn check_condition(condition: &'static Condition, prior: &Prior) {
    match condition {
        Condition::Is(path, these) => {
            if let Some(found) = find(prior.table, path) {
                check_all(these, found.form, &found.holds, path[path.len() - 1], false);
            }
        }
        Condition::Fits(path, _) => {
            if let Some(found) = find(prior.table, path) {
                check_one(&Literal::String(""), found.form, &Holds::ANYTHING, path[path.len() - 1], false);
            }
        }
        Condition::Not(other) => check_condition(other, prior),
        Condition::All(several) | Condition::Any(several) => {
            let mut index = 0;
            while index < several.len() {
                check_condition(&several[index], prior);
                index += 1;
            }
        }
        Condition::Has(_) | Condition::Lacks(_) => {}
    }
}

/// Refuses values that are never found where they are looked for.
#[track_caller]
pub(super) const fn check_matches(these: &'static [Match], form: Form, holds: &Holds, field: &str) {
    check_all(these, form, holds, field, true);
}

#[track_caller]
const fn check_all(these: &'static [Match], form: Form, holds: &Holds, field: &str, may_be_each: bool) {
    let mut index = 0;
    while index < these.len() {
        if let Match::Literal(literal) = &these[index] {
            check_one(literal, form, holds, field, may_be_each);
        }
        index += 1;
    }
}

/// Refuses a value that is never found where it is looked for.
#[track_caller]
pub(super) const fn check_literal(literal: &Literal, form: Form, holds: &Holds, field: &str) {
    check_one(literal, form, holds, field, true);
}

#[track_caller]
const fn check_one(literal: &Literal, form: Form, holds: &Holds, field: &str, may_be_each: bool) {
    let ty = match form {
        Form::Plain(ty) | Form::Made(ty) => Some(ty),
        Form::Objects(..) => None,
        Form::Open => return,
    };
    let of_the_type = match (literal, ty) {
        (Literal::Null, _) | (_, Some(Stored::Dynamic)) => true,
        (Literal::Bool(_), Some(ty)) => matches!(ty, Stored::Bool),
        (Literal::Number(_), Some(ty)) => matches!(ty, Stored::Number),
        (Literal::String(_), Some(ty)) => matches!(ty, Stored::String),
        (Literal::EmptyList, Some(ty)) => matches!(ty, Stored::List(_) | Stored::Set(_) | Stored::Tuple(_)),
        (Literal::EmptyMap, Some(ty)) => matches!(ty, Stored::Map(_) | Stored::Object(_)),
        (Literal::EmptyList, None) => matches!(form, Form::Objects(_, Nesting::List | Nesting::Set)),
        (Literal::EmptyMap, None) => matches!(form, Form::Objects(_, Nesting::Map | Nesting::Single)),
        (_, None) => false,
    };
    let message = shown(Message::new().text("`").text(field).text("` is never "), literal);
    if !of_the_type {
        let message = message.text(" there: it is ").text(match ty {
            Some(ty) => noun(ty),
            None => "made of nested objects",
        });
        let message = message.text(if may_be_each && is_of_elements(literal, ty) {
            "\nhelp: `each(…)` around the operator acts on the elements"
        } else {
            "\nhelp: write the value in the type that it has there"
        });
        panic!("{}", message.as_str());
    }
    match (literal, holds.takes) {
        (Literal::String(text), Takes::Texts(texts)) if !has(texts, text) => {
            let message = message.text(" there: it has no such value");
            panic!("{}", message.as_str());
        }
        (Literal::Number(digits), _) if !number_fits(digits, holds) => {
            let message = message.text(" there: its type has no such number");
            panic!("{}", message.as_str());
        }
        _ => {}
    }
}

/// Whether the elements of a collection may be this value.
const fn is_of_elements(literal: &Literal, ty: Option<&'static Stored>) -> bool {
    match ty {
        Some(Stored::List(element) | Stored::Set(element) | Stored::Map(element)) => matches!(
            (literal, element),
            (Literal::Bool(_), Stored::Bool) | (Literal::Number(_), Stored::Number) | (Literal::String(_), Stored::String)
        ),
        _ => false,
    }
}

const fn shown(message: Message, literal: &Literal) -> Message {
    match literal {
        Literal::Null => message.text("null"),
        Literal::Bool(true) => message.text("true"),
        Literal::Bool(false) => message.text("false"),
        Literal::Number(digits) => message.text(digits),
        Literal::String(text) if same(text, "") => message.text("a string"),
        Literal::String(text) => message.text("\"").text(text).text("\""),
        Literal::EmptyList => message.text("[]"),
        Literal::EmptyMap => message.text("{}"),
    }
}

/// Whether a number can be what a field takes.
pub(super) const fn number_fits(digits: &str, holds: &Holds) -> bool {
    let Takes::Integers { min, max } = holds.takes else { return true };
    match whole(digits) {
        Whole::Is(number) => min <= number && number <= max,
        Whole::Fraction => false,
        Whole::Unknown => true,
    }
}

enum Whole {
    Is(i128),
    Fraction,
    /// Written with an exponent, or far too large to tell here.
    Unknown,
}

const fn whole(digits: &str) -> Whole {
    let bytes = digits.as_bytes();
    let negative = !bytes.is_empty() && bytes[0] == b'-';
    let (mut index, mut number, mut fraction, mut in_fraction) = (negative as usize, 0_i128, false, false);
    while index < bytes.len() {
        match bytes[index] {
            b'.' => in_fraction = true,
            b'0' if in_fraction => {}
            digit @ b'0'..=b'9' if in_fraction => fraction = digit != b'0',
            digit @ b'0'..=b'9' => match number.checked_mul(10) {
                Some(ten) => number = ten + (digit - b'0') as i128,
                None => return Whole::Unknown,
            },
            b'_' => {}
            _ => return Whole::Unknown,
        }
        index += 1;
    }
    if fraction { Whole::Fraction } else { Whole::Is(if negative { -number } else { number }) }
}
