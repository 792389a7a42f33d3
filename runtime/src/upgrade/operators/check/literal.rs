//! Values that are written in an upgrader, where the target must be able to hold them.

use super::super::table::{Constant, Literal};
use super::fit::has;
use super::form::{Form, Member, Objects};
use super::made::needed_beside;
use super::matches::number_fits;
use super::production::{Names, Track};
use super::refusal::{noun, with_field};
use super::short;
use crate::message::Message;
use crate::schema::table::Stored;
use crate::schema::{Nesting, Takes};

#[track_caller]
pub(super) const fn written(constant: &'static Constant, target: &Member, last: bool, names: Names) -> Track {
    check_literal(constant, target, last, names);
    Track::open(matches!(constant, Constant::Literal(Literal::Null)))
}

/// Refuses a literal that the target cannot hold, as far as no later operator may change it.
#[track_caller]
pub(super) const fn check_literal(constant: &Constant, target: &Member, last: bool, names: Names) {
    let Constant::Literal(literal) = constant else { return };
    if !last {
        return;
    }
    let ty = match target.form {
        Form::Plain(ty) => ty,
        Form::Objects(objects, nesting) => {
            check_literal_of_objects(literal, objects, nesting, names);
            return;
        }
        Form::Made(_) | Form::Open => return,
    };
    let (fits, found) = match (literal, ty) {
        (Literal::Null, _) => (target.holds.nullable, "null"),
        (Literal::String(text), Stored::String) => match target.holds.takes {
            Takes::Texts(texts) => (has(texts, text), "not one of its values"),
            Takes::Anything | Takes::Integers { .. } | Takes::Floats | Takes::OwnType | Takes::Objects(_) | Takes::Tuples(_) => {
                (true, "")
            }
        },
        (Literal::Bool(_), _) => (matches!(ty, Stored::Bool | Stored::Dynamic), "a bool"),
        (Literal::Number(digits), Stored::Number) => (number_fits(digits, &target.holds), "one that its type cannot hold"),
        (Literal::Number(_), _) => (matches!(ty, Stored::Dynamic), "a number"),
        (Literal::String(_), _) => (matches!(ty, Stored::Dynamic), "a string"),
        (Literal::EmptyList, _) => (matches!(ty, Stored::List(_) | Stored::Set(_) | Stored::Dynamic), "a list"),
        (Literal::EmptyMap, _) => (matches!(ty, Stored::Map(_) | Stored::Object(_) | Stored::Dynamic), "a map"),
    };
    if fits {
        return;
    }
    let message = Message::new().text("`").text(names.field).text("` of `").text(names.current).text("` is ").text(noun(ty));
    let message = match literal {
        Literal::Null => {
            message.text(" that is never null, so null cannot be put there\nhelp: make the field an `Option`, or give a value")
        }
        Literal::String(text) => message.text(", and \"").text(text).text("\" is ").text(found),
        Literal::Bool(_) | Literal::Number(_) | Literal::EmptyList | Literal::EmptyMap => {
            message.text(", and this is ").text(found)
        }
    };
    let message = match (literal, ty) {
        (Literal::EmptyMap, Stored::List(_) | Stored::Set(_)) => message.text("\nhelp: the empty one is `[]`"),
        (Literal::EmptyList, Stored::Map(_)) => message.text("\nhelp: the empty one is `{}`"),
        _ => message,
    };
    panic!("{}", message.as_str());
}

/// Refuses a literal where nested objects are.
#[track_caller]
pub(super) const fn check_literal_of_objects(literal: &Literal, objects: Objects, nesting: Nesting, names: Names) {
    if matches!((literal, nesting), (Literal::EmptyMap, Nesting::Single))
        && let Some(member) = needed_beside(objects.members, "", None)
    {
        let message =
            Message::new().text("`").text(names.field).text("` of `").text(names.current).text("` is an object whose `");
        let message = message.text(member).text("` always has a value, so it cannot be `{}`\nhelp: give a value of type `");
        panic!("{}", message.text(short(objects.origin.rust_name)).text("`").as_str());
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
    let message = Message::new().text("`").text(names.field).text("` of `").text(names.current).text("` is ");
    let (noun, help) = match nesting {
        Nesting::Single => ("an object", "write the operator for a field of it: `FIELD.member`"),
        Nesting::List => ("a list of objects", "`[]` is the empty list"),
        Nesting::Set => ("a set of objects", "`[]` is the empty set"),
        Nesting::Map => ("a map of objects", "`{}` is the empty map"),
    };
    let message = message.text(noun).text(", and this is ").text(match literal {
        Literal::EmptyList => "a list",
        Literal::EmptyMap => "a map",
        Literal::Bool(_) => "a bool",
        Literal::Number(_) => "a number",
        Literal::Null | Literal::String(_) => "a string",
    });
    panic!("{}", with_field(message.text("\nhelp: "), help, names.field).as_str());
}
