//! What an author's function takes and makes.

use super::fit::{Misfit, takes_fit};
use super::form::{Form, Member, Objects};
use super::made::Made;
use super::production::{Names, On, Track, elements};
use super::refusal::described;
use super::{at, count, member, name_at};
use crate::message::Message;
use crate::schema::table::{Stored, Table, TypeInfo};
use crate::schema::{Holds, Nesting};

/// Refuses a function that does not take every value that goes into it. Null passes it if need be.
#[track_caller]
pub(super) const fn check_argument(info: &'static TypeInfo, track: &Track, names: Names) {
    let TypeInfo { stored: takes, holds: takes_of, .. } = info;
    let is_taken = match track.made {
        Made::Nothing => alike(track.form, takes, takes_of),
        Made::Object(..) | Made::Collection(Nesting::Map, _) => {
            matches!(takes, Stored::Object(_) | Stored::Map(_) | Stored::Dynamic)
        }
        Made::Collection(..) | Made::Pairs { .. } => {
            matches!(takes, Stored::List(_) | Stored::Set(_) | Stored::Tuple(_) | Stored::Dynamic)
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
pub(super) const fn check_result(misfit: Misfit, on: &On, passes: bool, target: &Member, names: Names) {
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
        Misfit::ListToSet
        | Misfit::ListToObject
        | Misfit::ObjectToList
        | Misfit::ListAndMap
        | Misfit::Type(..)
        | Misfit::Objects(..)
        | Misfit::Inner(..)
        | Misfit::NotRun(..)
        | Misfit::NoMember(..)
        | Misfit::Needs(..)
        | Misfit::Other => {
            let message =
                described(message.text("the function makes "), &on.track).text(", but `").text(names.field).text("` of `");
            described(message.text(names.current).text("` is "), &current)
                .text("\nhelp: let the function return the type of the field")
        }
    };
    panic!("{}", message.as_str());
}

/// Whether a value of a form may be read as a type: scalars as scalars, lists as lists, objects as objects or maps.
const fn alike(form: Form, ty: &'static Stored, holds: &Holds) -> bool {
    match (form, ty) {
        (Form::Open, _) | (_, Stored::Dynamic) | (Form::Objects(_, Nesting::Map), Stored::Object(_)) => true,
        (Form::Objects(objects, Nesting::Single), Stored::Object(fields)) => fields_alike(objects, fields),
        (Form::Plain(from) | Form::Made(from), ty) => types_alike(from, ty),
        (Form::Objects(objects, Nesting::Single), Stored::Map(entry)) => members_alike(objects, entry, &elements(holds)),
        (Form::Objects(objects, Nesting::List | Nesting::Set), Stored::List(element) | Stored::Set(element))
        | (Form::Objects(objects, Nesting::Map), Stored::Map(element)) => {
            alike(Form::Objects(objects, Nesting::Single), element, &elements(holds))
        }
        _ => false,
    }
}

/// Whether all members may be read as entries of a type.
const fn members_alike(objects: Objects, entry: &'static Stored, holds: &Holds) -> bool {
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
const fn fields_alike(objects: Objects, fields: &'static Table) -> bool {
    let mut index = 0;
    while index < count(fields) {
        if let Some(found) = member(objects.members, name_at(fields, index))
            && !alike(found.form, &fields.rows[index].info.stored, &Holds::ANYTHING.or_null())
        {
            return false;
        }
        index += 1;
    }
    true
}

const fn types_alike(from: &'static Stored, to: &'static Stored) -> bool {
    match (from, to) {
        (Stored::Dynamic, _)
        | (_, Stored::Dynamic)
        | (Stored::Object(_), Stored::Object(_) | Stored::Map(_))
        | (Stored::Map(_), Stored::Object(_))
        | (Stored::Tuple(_), Stored::Tuple(_))
        // Any bool or number is read as a string, but not every string as a number.
        | (Stored::Bool, Stored::Bool | Stored::String)
        | (Stored::Number, Stored::Number | Stored::String)
        | (Stored::String, Stored::String) => true,
        (Stored::List(element) | Stored::Set(element), Stored::Tuple(of)) => each_alike(of, element, true),
        (Stored::Tuple(of), Stored::List(element) | Stored::Set(element)) => each_alike(of, element, false),
        (Stored::List(from) | Stored::Set(from), Stored::List(to) | Stored::Set(to)) | (Stored::Map(from), Stored::Map(to)) => {
            types_alike(from, to)
        }
        _ => false,
    }
}

/// Whether the elements of a list may be read as those of a tuple, or the other way round.
const fn each_alike(of: &'static [&'static Stored], element: &'static Stored, into: bool) -> bool {
    let mut index = 0;
    while index < of.len() {
        let other = of[index];
        let (from, to) = if into { (element, other) } else { (other, element) };
        if !types_alike(from, to) {
            return false;
        }
        index += 1;
    }
    true
}
