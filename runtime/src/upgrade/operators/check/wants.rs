//! Operators that take strings or collections only.

use super::blame::Blame;
use super::form::Form;
use super::refusal::noun;
use super::track::{Made, Names, Track};
use crate::message::Message;
use crate::schema::Nesting;
use crate::schema::table::Stored;

#[track_caller]
pub(in super::super) const fn want_text(track: &Track, operator: &str, names: Names) {
    let found = match track.form {
        Form::Open if matches!(track.made, Made::Collection(..)) => "a collection",
        Form::Open if matches!(track.made, Made::Object(..) | Made::Pairs { .. }) => {
            "made of nested objects"
        }
        Form::Open | Form::Plain(Stored::String | Stored::Dynamic) | Form::Made(Stored::String) => {
            return;
        }
        Form::Plain(ty) | Form::Made(ty) => noun(ty),
        Form::Objects(..) => "made of nested objects",
    };
    Message::refuse(
        "`{}` takes a string apart, but `{}` is {} in `{}`\nhelp: for the elements of a collection write `each({}(…))`; for another type convert it first",
        &[operator, names.field, found, names.prior, operator],
    );
}

#[track_caller]
pub(in super::super) const fn want_texts(track: &Track, names: Names) {
    let found = match track.form {
        Form::Open if matches!(track.made, Made::Object(..) | Made::Pairs { .. }) => {
            "made of nested objects"
        }
        Form::Open | Form::Plain(Stored::Dynamic) => return,
        Form::Plain(Stored::List(element) | Stored::Set(element)) => match element {
            Stored::String | Stored::Dynamic => return,
            Stored::Number | Stored::Bool => "a list of other values",
            Stored::List(_)
            | Stored::Set(_)
            | Stored::Map(_)
            | Stored::Tuple(_)
            | Stored::Json
            | Stored::Union(_)
            | Stored::Object(_) => "a list of collections",
        },
        Form::Plain(ty) | Form::Made(ty) => noun(ty),
        Form::Objects(..) => "made of nested objects",
    };
    Message::refuse(
        "`join` makes one string of a list of strings, but `{}` is {} in `{}`\nhelp: `convert({}, json)` writes it as a string of JSON, `convert({}, with = path)` as you like",
        &[names.field, found, names.prior, names.field, names.field],
    );
}

#[track_caller]
pub(in super::super) const fn want_collection(form: Form, names: Names) {
    let found = match form {
        Form::Plain(ty @ (Stored::Bool | Stored::String | Stored::Number)) | Form::Made(ty) => {
            noun(ty)
        }
        Form::Objects(_, Nesting::Single) => "one object",
        Form::Objects(..) | Form::Plain(_) | Form::Open => return,
    };
    Message::refuse(
        "`filter` leaves elements of a collection out, but `{}` is {} in `{}`\nhelp: `null_if({}, …)` makes it null for some values",
        &[names.field, found, names.prior, names.field],
    );
}

/// Entries are found by a key in maps only.
pub(in super::super) const fn want_map(track: &Track, names: Names, blame: &mut Blame) {
    let found = match (track.form, track.made) {
        (Form::Objects(_, Nesting::Map) | Form::Plain(Stored::Map(_) | Stored::Dynamic), _)
        | (Form::Open, Made::Nothing | Made::Collection(Nesting::Map, _)) => return,
        (Form::Open, Made::Collection(..) | Made::Pairs { .. })
        | (Form::Objects(_, Nesting::List), _) => "a list",
        (Form::Objects(_, Nesting::Set), _) => "a set",
        (Form::Open, Made::Object(..)) | (Form::Objects(_, Nesting::Single), _) => "an object",
        (Form::Plain(ty) | Form::Made(ty), _) => noun(ty),
    };
    let message = Message::new().format(
        "`key` finds entries of a map, but `{}` is {} in `{}`\nhelp: ",
        &[names.field, found, names.prior],
    );
    let message = match track.form {
        Form::Plain(Stored::List(_) | Stored::Set(_)) => message.format(
            "`filter({}, \"value\")` leaves out elements by their value",
            &[names.field],
        ),
        Form::Objects(_, Nesting::List | Nesting::Set) => message.format(
            "`rekey({}, by = member)` first makes a map of it",
            &[names.field],
        ),
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => message.format(
            "`convert({}, with = path)` makes any value of it",
            &[names.field],
        ),
    };
    blame.fall_on(0, message);
}
