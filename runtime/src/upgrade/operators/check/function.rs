//! What an author's function takes and makes.

use super::super::form::{Form, Member, Objects};
use super::fit::{Misfit, takes_fit};
use super::made::Made;
use super::production::{Names, On, Track, elements};
use super::refusal::described;
use super::{at, count, member};
use crate::message::Message;
use crate::schema::{Field, Holds, Nesting, Shared, Type};

/// Refuses a function that does not take every value that goes into it. Null passes it if need be.
#[track_caller]
pub(super) const fn check_argument((takes, takes_of): (&'static Type, &Holds), track: &Track, names: Names) {
    let is_taken = match track.made {
        Made::Nothing => alike(track.form, takes, takes_of),
        Made::Object(..) | Made::Collection(Nesting::Map, _) => matches!(takes, Type::Object(_) | Type::Map(_) | Type::Dynamic),
        Made::Collection(..) | Made::Pairs { .. } => {
            matches!(takes, Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Dynamic)
        }
    };
    if !is_taken {
        let message = Message::new().text("the function takes ");
        let message = described(message, &Track::made_of(Form::Plain(takes), Holds::ANYTHING)).text(", but what goes into `");
        let message = described(message.text(names.field).text("` is "), track);
        panic!("{}", message.text("\nhelp: let the function take the type that the field has in the prior model").as_str());
    }
    if matches!(track.form, Form::Plain(_)) && !takes_fit(&track.holds, takes_of) {
        let message = Message::new().text("the function does not take every value that goes into `").text(names.field);
        let message = message.text("` from `").text(names.prior);
        panic!("{}", message.text("`\nhelp: let the function take the type that the field has there").as_str());
    }
}

/// Refuses a function for what it makes.
#[track_caller]
pub(super) const fn check_result(misfit: Misfit, on: &On, passes: bool, target: &Member<'static>, names: Names) {
    let current = Track::made_of(target.form, target.holds);
    let message = Message::new();
    let message = match misfit {
        Misfit::Null if passes => {
            let message = message
                .text("what goes into `")
                .text(names.field)
                .text("` may be null: the function takes no `Option`, so null stays null, and `");
            let message =
                message.text(names.field).text("` of `").text(names.current).text("` may not be null\nhelp: add `default(");
            message.text(names.field).text(" = …)`, or let the function take an `Option`")
        }
        Misfit::Null => {
            let message = message.text("the function may make null, and `").text(names.field).text("` of `").text(names.current);
            message
                .text("` may not be null\nhelp: let the function return no `Option`, or add `default(")
                .text(names.field)
                .text(" = …)`")
        }
        Misfit::Narrower => {
            let message =
                message.text("the function may make values that `").text(names.field).text("` of `").text(names.current);
            message.text("` does not take\nhelp: let the function return the type of the field")
        }
        _ => {
            let message =
                described(message.text("the function makes "), &on.track).text(", but `").text(names.field).text("` of `");
            described(message.text(names.current).text("` is "), &current)
                .text("\nhelp: let the function return the type of the field")
        }
    };
    panic!("{}", message.as_str());
}

/// Whether a value of a form may be read as a type: scalars as scalars, lists as lists, objects as objects or maps.
const fn alike(form: Form<'static>, ty: &'static Type, holds: &Holds) -> bool {
    match (form, ty) {
        (Form::Open, _) | (_, Type::Dynamic) | (Form::Objects(_, Nesting::Map), Type::Object(_)) => true,
        (Form::Objects(objects, Nesting::Single), Type::Object(fields)) => match fields.constant() {
            Some(fields) => fields_alike(objects, fields),
            None => true,
        },
        (Form::Plain(from) | Form::Made(from), ty) => types_alike(from, ty),
        (Form::Objects(objects, Nesting::Single), Type::Map(entry)) => match entry.constant() {
            Some(entry) => members_alike(objects, entry, &elements(holds)),
            None => true,
        },
        (Form::Objects(objects, Nesting::List | Nesting::Set), Type::List(element) | Type::Set(element))
        | (Form::Objects(objects, Nesting::Map), Type::Map(element)) => match element.constant() {
            Some(element) => alike(Form::Objects(objects, Nesting::Single), element, &elements(holds)),
            None => true,
        },
        _ => false,
    }
}

/// Whether all members may be read as entries of a type.
const fn members_alike(objects: Objects<'static>, entry: &'static Type, holds: &Holds) -> bool {
    let mut index = 0;
    while index < count(objects.members) {
        let member = at(objects.members, index);
        if member.holds.nullable && !holds.nullable || !alike(member.form, entry, holds) {
            return false;
        }
        index += 1;
    }
    true
}

/// Whether the fields of a struct that the objects have as members may be read from them.
const fn fields_alike(objects: Objects<'static>, fields: &'static [Field]) -> bool {
    let mut index = 0;
    while index < fields.len() {
        if let Some((name, ty)) = fields[index].constant_parts()
            && let Some(found) = member(objects.members, name)
            && !alike(found.form, ty, &Holds::ANYTHING.or_null())
        {
            return false;
        }
        index += 1;
    }
    true
}

const fn types_alike(from: &'static Type, to: &'static Type) -> bool {
    match (from, to) {
        (Type::Dynamic, _)
        | (_, Type::Dynamic)
        | (Type::Object(_), Type::Object(_) | Type::Map(_))
        | (Type::Map(_), Type::Object(_))
        | (Type::Tuple(_), Type::Tuple(_))
        // Any bool or number is read as a string, but not every string as a number.
        | (Type::Bool, Type::Bool | Type::String)
        | (Type::Number, Type::Number | Type::String)
        | (Type::String, Type::String) => true,
        (Type::List(element) | Type::Set(element), Type::Tuple(of)) => each_alike(of.constant(), element.constant(), true),
        (Type::Tuple(of), Type::List(element) | Type::Set(element)) => each_alike(of.constant(), element.constant(), false),
        (Type::List(from) | Type::Set(from), Type::List(to) | Type::Set(to)) | (Type::Map(from), Type::Map(to)) => {
            match (from.constant(), to.constant()) {
                (Some(from), Some(to)) => types_alike(from, to),
                _ => true,
            }
        }
        _ => false,
    }
}

/// Whether the elements of a list may be read as those of a tuple, or the other way round.
const fn each_alike(of: Option<&'static [Shared<Type>]>, element: Option<&'static Type>, into: bool) -> bool {
    let (Some(of), Some(element)) = (of, element) else { return true };
    let mut index = 0;
    while index < of.len() {
        if let Some(other) = of[index].constant() {
            let (from, to) = if into { (element, other) } else { (other, element) };
            if !types_alike(from, to) {
                return false;
            }
        }
        index += 1;
    }
    true
}
