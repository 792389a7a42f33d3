//! Checks what an author's function takes and makes.

use super::super::table::{Called, Operation, Stage};
use super::blame::Blame;
use super::fit::{Misfit, is_read_as, known_keys_fit, takes_fit};
use super::form::{Form, Member};
use super::guard::Assumed;
use super::refusal::{described, differing_values};
use super::track::{Made, Names, On, Track, source_where};
use crate::message::Message;
use crate::released::type_of_values;
use crate::schema::table::{Stored, Table, TypeInfo};
use crate::schema::{Holds, Nesting};

/// Refuses a function that does not take every value that goes into it. Null passes it if need be.
#[track_caller]
pub(super) const fn check_argument(info: &'static TypeInfo, track: &Track, names: Names) {
    if let Some(message) = untaken((&info.stored, &info.holds), track, names) {
        message.panic();
    }
}

/// The result of a function of several prior attributes. An attribute that the function does not
/// take is blamed.
pub(super) const fn combined(
    stage: &'static Stage,
    prior: &'static Table,
    assumed: Option<&Assumed<'_>>,
    names: Names,
    blame: &mut Blame,
) -> Track {
    let Operation::Combine(from, Called { takes, makes, .. }) = &stage.operation else {
        return Track::open(true);
    };
    let mut nullable = makes.holds.nullable;
    let mut index = 0;
    while index < from.len() {
        let path = from[index];
        let found = source_where(prior, path, assumed);
        if let Some(element) = takes.tuple_element(index) {
            if let Some(message) = untaken(
                element,
                &found,
                Names {
                    field: path[path.len() - 1],
                    ..names
                },
            ) {
                blame.fall_on(index, message);
            }
            nullable = nullable || (found.holds.nullable && !element.1.nullable);
        }
        index += 1;
    }
    Track::made_of(
        Form::Plain(&makes.stored),
        Holds {
            nullable,
            ..makes.holds
        },
    )
}

/// The reason that a function with this parameter does not take every value that goes into it, if
/// it does not. Null passes it if need be.
const fn untaken(
    (takes, takes_of): (&'static Stored, &'static Holds),
    track: &Track,
    names: Names,
) -> Option<Message> {
    let is_taken = match track.made {
        Made::Nothing => is_read_as(track.form, takes, takes_of),
        Made::Object(..) | Made::Collection(Nesting::Map, _) => {
            matches!(takes, Stored::Object(_) | Stored::Map(_) | Stored::Dynamic)
        }
        Made::Collection(..) | Made::Pairs { .. } => {
            matches!(
                takes,
                Stored::List(_) | Stored::Set(_) | Stored::Tuple(_) | Stored::Dynamic
            )
        }
    };
    if !is_taken {
        let message = Message::new().text("the function takes ");
        let message = described(
            message,
            &Track::made_of(Form::Plain(takes), Holds::ANYTHING),
        )
        .text(", but `");
        let message = described(message.text(names.field).text("` gets "), track);
        return Some(taking(message, track));
    }
    if matches!(track.form, Form::Plain(_)) && !takes_fit(&track.holds, takes_of)
        || !known_keys_fit(track.form, &track.holds, takes_of)
    {
        let message = Message::new().format(
            "the function does not take every value that `{}` gets from `{}`",
            &[names.field, names.prior],
        );
        let message = match differing_values(track, takes_of) {
            Some((gets, takes)) => message.format(" (it takes {}, and gets {})", &[takes, gets]),
            None if has_null_elements(&track.holds, takes_of) => {
                message.text(" (an element may be null, and it takes none that is)")
            }
            None => message,
        };
        return Some(taking(message, track));
    }
    None
}

/// Adds which type the function should take.
const fn taking(message: Message, track: &Track) -> Message {
    match type_in(track.form, &track.holds) {
        Some(ty) => message
            .text("\nhelp: let it take `")
            .raw(ty.bytes())
            .text("`"),
        None => message.text("\nhelp: let it take the type that the field has in the prior model"),
    }
}

/// Adds which type the function should return.
const fn returning(message: Message, target: &Member) -> Message {
    match type_in(target.form, &target.holds) {
        Some(ty) => message
            .text("\nhelp: let it return `")
            .raw(ty.bytes())
            .text("`"),
        None => message.text("\nhelp: let it return the type of the field"),
    }
}

/// The Rust type of values of a form, if it is known.
const fn type_in(form: Form, holds: &Holds) -> Option<Message> {
    match form {
        Form::Plain(stored) | Form::Made(stored) => type_of_values(stored, holds),
        Form::Objects(..) | Form::Open => None,
    }
}

/// True if the elements of one may be null, and those of the other may not.
const fn has_null_elements(of: &Holds, other: &Holds) -> bool {
    match (of.elements, other.elements) {
        (Some(of), Some(other)) => of.nullable && !other.nullable,
        (None, _) | (_, None) => false,
    }
}

/// Refuses a function for what it makes.
#[track_caller]
pub(super) const fn check_result(
    misfit: Misfit,
    on: &On,
    passes: Option<&str>,
    target: &Member,
    names: Names,
) {
    let current = Track::made_of(target.form, target.holds);
    let message = Message::new();
    let message = match misfit {
        Misfit::Null => {
            if let Some(why) = passes {
                message.format(
                    "`{}` may get null: {}, and `{}` of `{}` may not be null\nhelp: add `default({} = …)`, or let the function take an `Option`",
                    &[names.field, why, names.field, names.current, names.field],
                )
            } else {
                message.format(
                    "the function may make null, and `{}` of `{}` may not be null\nhelp: let the function return no `Option`, or add `default({} = …)`",
                    &[names.field, names.current, names.field],
                )
            }
        }
        Misfit::Narrower | Misfit::Keys => {
            let message = message.format(
                "the function may make values that `{}` of `{}` does not take",
                &[names.field, names.current],
            );
            let message = match differing_values(&on.track, &target.holds) {
                Some((makes, takes)) => {
                    message.format(" (it makes {}, and the field takes {})", &[makes, takes])
                }
                None => message,
            };
            returning(message, target)
        }
        Misfit::ListToSet
        | Misfit::ListToObject
        | Misfit::ObjectToList
        | Misfit::ListAndMap
        | Misfit::Type(..)
        | Misfit::Objects(..)
        | Misfit::Parameters(..)
        | Misfit::Inner(..)
        | Misfit::NotRun(..)
        | Misfit::NoMember(..)
        | Misfit::Needs(..)
        | Misfit::LeftOver(..)
        | Misfit::KeyIsMade(..)
        | Misfit::Other => {
            let message = described(message.text("the function makes "), &on.track)
                .format(", but `{}` of `", &[names.field]);
            let message = described(message.text(names.current).text("` is "), &current);
            returning(message, target)
        }
    };
    message.panic();
}
