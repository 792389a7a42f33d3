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
    let message = Message::new()
        .text("`")
        .text(operator)
        .text("` takes a string apart, but `")
        .text(names.field)
        .text("` is ")
        .text(found)
        .text(" in `")
        .text(names.prior)
        .text("`\nhelp: for the elements of a collection write `each(")
        .text(operator)
        .text("(…))`; for another type convert it first");
    panic!("{}", message.as_str());
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
    let message = Message::new()
        .text("`join` makes one string of a list of strings, but `")
        .text(names.field)
        .text("` is ")
        .text(found);
    let message = message
        .text(" in `")
        .text(names.prior)
        .text("`\nhelp: `convert(")
        .text(names.field);
    let message = message
        .text(", json)` writes it as a string of JSON, `convert(")
        .text(names.field);
    panic!("{}", message.text(", with = path)` as you like").as_str());
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
    let message = Message::new()
        .text("`filter` leaves elements of a collection out, but `")
        .text(names.field)
        .text("` is ");
    let message = message
        .text(found)
        .text(" in `")
        .text(names.prior)
        .text("`\nhelp: `null_if(")
        .text(names.field);
    panic!(
        "{}",
        message.text(", …)` makes it null for some values").as_str()
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
    let message = Message::new()
        .text("`key` finds entries of a map, but `")
        .text(names.field)
        .text("` is ")
        .text(found);
    let message = message.text(" in `").text(names.prior).text("`\nhelp: ");
    let message = match track.form {
        Form::Plain(Stored::List(_) | Stored::Set(_)) => message
            .text("`filter(")
            .text(names.field)
            .text(", \"value\")` leaves out elements by their value"),
        Form::Objects(_, Nesting::List | Nesting::Set) => message
            .text("`rekey(")
            .text(names.field)
            .text(", by = member)` first makes a map of it"),
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => message
            .text("`convert(")
            .text(names.field)
            .text(", with = path)` makes any value of it"),
    };
    blame.fall_on(0, message);
}
