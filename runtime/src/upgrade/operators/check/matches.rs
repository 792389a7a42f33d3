//! Values that operators look for and that cannot be there: a guard that never holds goes unnoticed
//! otherwise.

use super::super::table::{Condition, Literal, Match};
use super::blame::{Blame, Blamed};
use super::fit::has;
use super::form::Form;
use super::refusal::noun;
use super::same;
use super::track::find;
use crate::message::{Message, distance, is_misspelling, iterate};
use crate::schema::table::Stored;
use crate::schema::table::Table;
use crate::schema::{Holds, Nesting, Takes};

/// Looks, at compile time, for a value in a condition that is never there. Operands are counted as
/// they are written; a pattern is one.
#[doc(hidden)]
pub const fn find_in_condition(
    condition: &'static Condition,
    prior: &'static Table,
) -> Option<Blamed> {
    let mut blame = Blame::none();
    check_each(condition, prior, &mut 0, &mut blame);
    blame.into_found()
}

/// Refuses, at compile time, a condition that looks for a value that is never there.
#[doc(hidden)]
#[track_caller]
pub const fn check_condition(condition: &'static Condition, prior: &'static Table) {
    if let Some(blamed) = find_in_condition(condition, prior) {
        blamed.refuse();
    }
}

/// Looks at the values of a condition, the first of which is the one at `from`.
const fn check_each(
    condition: &'static Condition,
    prior: &'static Table,
    from: &mut usize,
    blame: &mut Blame,
) {
    match condition {
        Condition::Is(path, these) => {
            if let Some(found) = find(prior, path) {
                check_all(
                    these,
                    *from,
                    found.form,
                    &found.holds,
                    path[path.len() - 1],
                    false,
                    blame,
                );
            }
            *from += these.len();
        }
        Condition::Fits(path, _) => {
            if let Some(found) = find(prior, path) {
                check_string(*from, found.form, path[path.len() - 1], blame);
            }
            *from += 1;
        }
        Condition::Not(other) => check_each(other, prior, from, blame),
        Condition::All(several) | Condition::Any(several) => {
            iterate!(one in several => {
                check_each(one, prior, from, blame);
            });
        }
        Condition::Has(_) | Condition::Lacks(_) => {}
    }
}

/// Refuses a pattern for what is never a string.
const fn check_string(nth: usize, form: Form, field: &str, blame: &mut Blame) {
    let ty = match form {
        Form::Plain(ty) | Form::Made(ty) => Some(ty),
        Form::Objects(..) => None,
        Form::Open => return,
    };
    if matches!(ty, Some(Stored::String | Stored::Dynamic)) {
        return;
    }
    let message = Message::new().format("`{}` never holds a string: it is ", &[field]);
    let message = match ty {
        Some(ty) => message.text(noun(ty)),
        None => message.text("made of nested objects"),
    };
    let help = if matches!(ty, Some(Stored::Bool | Stored::Number)) {
        "\nhelp: `is({}, …)` compares it with values"
    } else {
        "\nhelp: `has({})` is true where there is a value"
    };
    blame.fall_on(nth, message.format(help, &[field]));
}

/// Refuses values that are never found where they are looked for; the first is the operand at
/// `from`.
pub(in super::super) const fn check_matches(
    these: &'static [Match],
    from: usize,
    form: Form,
    holds: &Holds,
    field: &str,
    blame: &mut Blame,
) {
    check_all(these, from, form, holds, field, true, blame);
}

const fn check_all(
    these: &'static [Match],
    from: usize,
    form: Form,
    holds: &Holds,
    field: &str,
    may_be_each: bool,
    blame: &mut Blame,
) {
    let mut index = 0;
    while index < these.len() {
        if let Match::Literal(literal) = &these[index] {
            check_one(
                literal,
                from + index,
                form,
                holds,
                field,
                may_be_each,
                blame,
            );
        }
        index += 1;
    }
}

/// Refuses a value that is never found where it is looked for.
pub(super) const fn check_literal(
    literal: &Literal,
    nth: usize,
    form: Form,
    holds: &Holds,
    field: &str,
    blame: &mut Blame,
) {
    check_one(literal, nth, form, holds, field, true, blame);
}

const fn check_one(
    literal: &Literal,
    nth: usize,
    form: Form,
    holds: &Holds,
    field: &str,
    may_be_each: bool,
    blame: &mut Blame,
) {
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
        (Literal::EmptyList, Some(ty)) => {
            matches!(ty, Stored::List(_) | Stored::Set(_) | Stored::Tuple(_))
        }
        (Literal::EmptyMap, Some(ty)) => matches!(ty, Stored::Map(_) | Stored::Object(_)),
        (Literal::EmptyList, None) => {
            matches!(form, Form::Objects(_, Nesting::List | Nesting::Set))
        }
        (Literal::EmptyMap, None) => {
            matches!(form, Form::Objects(_, Nesting::Map | Nesting::Single))
        }
        (_, None) => false,
    };
    let has_it = match literal {
        Literal::String(text) => !matches!(holds.takes, Takes::Texts(texts) if !has(texts, text)),
        Literal::Number(digits) => number_fits(digits, holds),
        Literal::Null | Literal::Bool(_) | Literal::EmptyList | Literal::EmptyMap => true,
    };
    if of_the_type && has_it {
        return;
    }
    let message = shown(
        Message::new().format("`{}` never holds ", &[field]),
        literal,
    );
    let message = match (literal, ty) {
        (_, None) => {
            message.text(": it is made of nested objects\nhelp: write a value of its type")
        }
        (_, Some(ty)) if !of_the_type => {
            let message = message.text(": it is ").text(noun(ty));
            if may_be_each && is_of_elements(literal, ty) {
                message.text("\nhelp: `each(…)` around the operator acts on the elements")
            } else {
                in_type(message, literal, ty)
            }
        }
        (Literal::String(text), _) => of_texts(message, holds.takes, text),
        (
            Literal::Null
            | Literal::Bool(_)
            | Literal::Number(_)
            | Literal::EmptyList
            | Literal::EmptyMap,
            _,
        ) => of_integers(message, holds),
    };
    blame.fall_on(nth, message);
}

/// Appends what to write in place of a literal of another type.
pub(super) const fn in_type(message: Message, literal: &Literal, ty: &Stored) -> Message {
    match literal {
        Literal::Number(_) | Literal::Bool(_) if matches!(ty, Stored::String) => {
            shown(message.text("\nhelp: write it as a string: `\""), literal).text("\"`")
        }
        Literal::String(text) if matches!(ty, Stored::Number) && is_number(text) => {
            message.format("\nhelp: write it as a number: `{}`", &[text])
        }
        Literal::String(text)
            if matches!(ty, Stored::Bool) && (same(text, "true") || same(text, "false")) =>
        {
            message.format("\nhelp: write it as a bool: `{}`", &[text])
        }
        Literal::Null
        | Literal::Bool(_)
        | Literal::Number(_)
        | Literal::String(_)
        | Literal::EmptyList
        | Literal::EmptyMap => message.text(match ty {
            Stored::Bool => "\nhelp: write `true` or `false`",
            Stored::Number => "\nhelp: write a number",
            Stored::String => "\nhelp: write a string in quotes",
            Stored::List(_) | Stored::Set(_) => "\nhelp: `[]` is the empty one",
            Stored::Map(_) => "\nhelp: `{}` is the empty one",
            Stored::Tuple(_)
            | Stored::Object(_)
            | Stored::Dynamic
            | Stored::Json
            | Stored::Union(_) => "\nhelp: write a value of that type",
        }),
    }
}

const fn is_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut index = 0;
    while index < bytes.len() && bytes[index].is_ascii_digit() {
        index += 1;
    }
    index > 0 && index == bytes.len()
}

/// Appends which strings there are.
pub(super) const fn of_texts(message: Message, takes: Takes, wanted: &str) -> Message {
    let Takes::Texts(texts) = takes else {
        return message;
    };
    iterate!(text in texts => {
        let distance = distance(text, wanted);
        if is_misspelling(distance, wanted) {
            return message.format("\nhelp: did you mean \"{}\"?", &[*text]);
        }
    });
    let message = message.text(if texts.len() == 1 {
        "\nhelp: its value is "
    } else {
        "\nhelp: its values are "
    });
    message.texts(texts, 12)
}

/// Appends which whole numbers there are.
pub(super) const fn of_integers(message: Message, holds: &Holds) -> Message {
    match holds.range() {
        Some(range) => range.put_bounds(message.text("\nhelp: its numbers are whole, ")),
        None => message,
    }
}

/// The kind of a literal, as messages name it.
pub(super) const fn kind(literal: &Literal) -> &'static str {
    match literal {
        Literal::Null => "null",
        Literal::Bool(_) => "a bool",
        Literal::Number(_) => "a number",
        Literal::String(_) => "a string",
        Literal::EmptyList => "a list",
        Literal::EmptyMap => "a map",
    }
}

/// True if the elements of a collection may be this value.
const fn is_of_elements(literal: &Literal, ty: &Stored) -> bool {
    matches!(
        (literal, ty.element()),
        (Literal::Bool(_), Some(Stored::Bool))
            | (Literal::Number(_), Some(Stored::Number))
            | (Literal::String(_), Some(Stored::String))
    )
}

pub(super) const fn shown(message: Message, literal: &Literal) -> Message {
    match literal {
        Literal::Null => message.text("null"),
        Literal::Bool(true) => message.text("true"),
        Literal::Bool(false) => message.text("false"),
        Literal::Number(digits) => message.text(digits),
        Literal::String(text) => message.format("\"{}\"", &[text]),
        Literal::EmptyList => message.text("[]"),
        Literal::EmptyMap => message.text("{}"),
    }
}

/// True if a number can be one that a field takes.
pub(super) const fn number_fits(digits: &str, holds: &Holds) -> bool {
    let Some(range) = holds.range() else {
        return true;
    };
    match whole(digits) {
        Whole::Is(number) => range.has(number),
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
    let (mut index, mut number, mut fraction, mut in_fraction) =
        (negative as usize, 0_i128, false, false);
    while index < bytes.len() {
        match bytes[index] {
            b'.' => in_fraction = true,
            b'0' if in_fraction => {}
            digit @ b'0'..=b'9' if in_fraction => fraction = digit != b'0',
            digit @ b'0'..=b'9' => {
                let Some(ten) = number.checked_mul(10) else {
                    return Whole::Unknown;
                };
                let Some(next) = ten.checked_add((digit - b'0') as i128) else {
                    return Whole::Unknown;
                };
                number = next;
            }
            b'_' => {}
            _ => return Whole::Unknown,
        }
        index += 1;
    }
    if fraction {
        Whole::Fraction
    } else {
        Whole::Is(if negative { -number } else { number })
    }
}

/// True if null is among the values that are looked for.
pub(in super::super) const fn matches_null(these: &'static [Match]) -> bool {
    iterate!(one in these => {
        if matches!(one, Match::Empty | Match::Literal(Literal::Null)) {
            return true;
        }
    });
    false
}
