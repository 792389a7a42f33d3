//! Values that are written in an upgrader, where the target must be able to hold them.

use super::super::table::{Constant, Literal};
use super::blame::Blame;
use super::fit::has;
use super::form::{Form, Member, Objects};
use super::made::needed_beside;
use super::matches::{in_type, kind, number_fits, of_integers, of_texts, shown};
use super::refusal::{noun, with_field};
use super::track::{Names, Track};
use super::{count, field_at, short};
use crate::message::Message;
use crate::schema::table::Stored;
use crate::schema::{Nesting, Takes};

pub(super) const fn written(
    constant: &'static Constant,
    target: &Member,
    last: bool,
    names: Names,
    blame: &mut Blame,
) -> Track {
    check_literal(constant, 0, target, last, names, blame);
    Track::open(matches!(constant, Constant::Literal(Literal::Null)))
}

/// Refuses a literal that the target cannot hold, as far as no later operator may change it. It is
/// the `nth` operand.
pub(in super::super) const fn check_literal(
    constant: &Constant,
    nth: usize,
    target: &Member,
    last: bool,
    names: Names,
    blame: &mut Blame,
) {
    let Constant::Literal(literal) = constant else {
        return;
    };
    if !last {
        return;
    }
    let ty = match target.form {
        Form::Plain(ty) => ty,
        Form::Objects(objects, nesting) => {
            check_literal_of_objects(literal, nth, objects, nesting, names, blame);
            return;
        }
        Form::Made(_) | Form::Open => return,
    };
    let fits = match (literal, ty) {
        (Literal::Null, _) => target.holds.nullable,
        (_, Stored::Dynamic) => true,
        (Literal::String(text), Stored::String) => match target.holds.takes {
            Takes::Texts(texts) => has(texts, text),
            Takes::Anything
            | Takes::Integers { .. }
            | Takes::Floats
            | Takes::OwnType
            | Takes::Objects(_)
            | Takes::Tuples(_) => true,
        },
        (Literal::Number(digits), Stored::Number) => number_fits(digits, &target.holds),
        (Literal::Bool(_), ty) => matches!(ty, Stored::Bool),
        (Literal::Number(_) | Literal::String(_), _) => false,
        (Literal::EmptyList, ty) => matches!(ty, Stored::List(_) | Stored::Set(_)),
        (Literal::EmptyMap, ty) => matches!(ty, Stored::Map(_) | Stored::Object(_)),
    };
    if fits {
        return;
    }
    let message = Message::new().format("`{}` of `{}` ", &[names.field, names.current]);
    let message = match (literal, ty) {
        (Literal::Null, _) => {
            message.text("is never null\nhelp: make the field an `Option`, or give a value")
        }
        (Literal::String(text), Stored::String) => {
            let message = shown(message.text("has no value "), literal);
            of_texts(message, target.holds.takes, text)
        }
        (Literal::Number(_), Stored::Number) => {
            let message = shown(message.text("cannot hold "), literal);
            of_integers(message, &target.holds)
        }
        (Literal::EmptyMap, Stored::List(_) | Stored::Set(_)) => message
            .text("is ")
            .text(noun(ty))
            .text(", and `{}` is a map\nhelp: write `[]`"),
        (Literal::EmptyList, Stored::Map(_) | Stored::Object(_)) => message
            .text("is ")
            .text(noun(ty))
            .text(", and `[]` is a list\nhelp: write `{}`"),
        (
            Literal::Bool(_)
            | Literal::Number(_)
            | Literal::String(_)
            | Literal::EmptyList
            | Literal::EmptyMap,
            _,
        ) => in_type(
            shown(message.format("is {}, and ", &[noun(ty)]), literal)
                .text(" is ")
                .text(kind(literal)),
            literal,
            ty,
        ),
    };
    blame.fall_on(nth, message);
}

/// Refuses a literal where nested objects are.
const fn check_literal_of_objects(
    literal: &Literal,
    nth: usize,
    objects: Objects,
    nesting: Nesting,
    names: Names,
    blame: &mut Blame,
) {
    if matches!((literal, nesting), (Literal::EmptyMap, Nesting::Single))
        && let Some(member) = needed_beside(objects.members, "", None)
    {
        let message = Message::new()
            .format(
                "`{}` of `{}` is an object whose `{}",
                &[names.field, names.current, member],
            )
            .text("` always has a value, so it cannot be `{}`\nhelp: give a value of type `");
        return blame.fall_on(nth, message.text(short(objects.origin.rust_name)).text("`"));
    }
    let fits = match literal {
        Literal::Null => true,
        Literal::EmptyList => matches!(nesting, Nesting::List | Nesting::Set),
        Literal::EmptyMap => matches!(nesting, Nesting::Map | Nesting::Single),
        Literal::Bool(_) | Literal::Number(_) | Literal::String(_) => false,
    };
    if fits {
        return;
    }
    let message = Message::new().format("`{}` of `{}` is ", &[names.field, names.current]);
    if matches!(nesting, Nesting::Single) && count(objects.members) > 0 {
        let message = shown(message.text("an object, and "), literal).format(
            " is {}\nhelp: write the operator for a field of it, such as `{}.{}`",
            &[kind(literal), names.field, field_at(objects.members, 0)],
        );
        return blame.fall_on(nth, message);
    }
    let (noun, help) = match nesting {
        Nesting::Single => ("an object", "leave the operator out"),
        Nesting::List => ("a list of objects", "`[]` is the empty list"),
        Nesting::Set => ("a set of objects", "`[]` is the empty set"),
        Nesting::Map => ("a map of objects", "`{}` is the empty map"),
    };
    let message = shown(message.text(noun).text(", and "), literal)
        .format(" is {}\nhelp: ", &[kind(literal)]);
    blame.fall_on(nth, with_field(message, help, names.field));
}
