//! Checks what `convert` takes and makes.

use super::super::conversion::{Kind, Signature};
use super::super::table::{Conversion, EmptyText, Stage};
use super::fit::{Goes, Misfit, converted_to, each_fits, keys_fit, nestings_fit, types_fit};
use super::form::{Form, Member, Objects};
use super::made::{holds_objects, may_be_members, same_arrangement};
use super::refusal::{impossible_here, noun, scalar, with_field};
use super::track::{Made, Names, Track, constant_element, elements};
use super::{at, each, same};
use crate::message::{Message, iterate};
use crate::schema::table::Stored;
use crate::schema::{Holds, Nesting, Takes};

#[track_caller]
pub(super) const fn convert(
    stage: &'static Stage,
    track: &Track,
    target: &Member,
    empty: EmptyText,
    last: bool,
    names: Names,
) -> Track {
    if !last
        && let Some(entry) = scalar_inside(target)
        && is_scalar(track.form)
    {
        // The next operator puts it into a collection, so that the aim is the type of an element.
        return convert(stage, track, &entry, empty, true, names);
    }
    if let Some(made) = converted_form(stage, track, target, names) {
        return made;
    }
    check_texts(track, target, empty, names);
    let Form::Plain(goal) = target.form else {
        return Track::open(track.holds.nullable);
    };
    if !matches!(
        track.form,
        Form::Open
            | Form::Made(_)
            | Form::Plain(Stored::Bool | Stored::Number | Stored::String | Stored::Dynamic)
    ) && scalar(goal)
        && !matches!(goal, Stored::Dynamic)
    {
        Message::refuse(
            "`convert` takes a scalar, but `{}` is a collection or an object in `{}` and {} now\nhelp: `unwrap` takes the only element out, `join` makes a string of a list, `convert(…, json)` a string of JSON",
            &[names.field, names.prior, noun(goal)],
        );
    }
    if let Some(help) = scalar_and_collection(track.form, goal) {
        let message = Message::new().format(
            "`convert` takes a scalar to a scalar, and `{}` was ",
            &[names.field],
        );
        let message = match track.form {
            Form::Plain(ty) | Form::Made(ty) => message.text(noun(ty)),
            Form::Objects(..) | Form::Open => message.text("something else"),
        };
        let message = message.format(" in `{}` and is {} now\nhelp: ", &[names.prior, noun(goal)]);
        with_field(message, help, names.field).panic();
    }
    let from_text = matches!(
        track.form,
        Form::Plain(Stored::String) | Form::Made(Stored::String)
    );
    let from_enum = matches!(track.holds.takes, Takes::Texts(_));
    let goal_is_number = matches!(goal, Stored::Number | Stored::Bool);
    if from_text && goal_is_number && !from_enum && matches!(empty, EmptyText::Unsaid) {
        let message = Message::new()
            .format(
                "`{}` was a string, and an empty string is not ",
                &[names.field],
            )
            .text(if matches!(goal, Stored::Bool) {
                "a bool"
            } else {
                "a number"
            })
            .text("\nhelp: add `empty = ")
            .text(if target.holds.nullable {
                "null`, `empty = zero` or `empty = refuse` to this `convert`"
            } else {
                "zero` or `empty = refuse` to this `convert`"
            });
        message.panic();
    }
    let nullable = track.holds.nullable || (from_text && matches!(empty, EmptyText::Null));
    let made = converted_to(track, target);
    Track {
        holds: Holds {
            nullable,
            ..made.holds
        },
        ..made
    }
}

/// The scalar that the collections of a target hold.
const fn scalar_inside(target: &Member) -> Option<Member> {
    let mut inner = *target;
    while let Form::Plain(Stored::List(_) | Stored::Set(_) | Stored::Map(_)) = inner.form {
        inner = Member {
            form: constant_element(inner.form),
            holds: elements(&inner.holds),
            ..inner
        };
    }
    match (target.form, inner.form) {
        (Form::Plain(Stored::List(_) | Stored::Set(_) | Stored::Map(_)), Form::Plain(ty))
            if scalar(ty) =>
        {
            Some(inner)
        }
        _ => None,
    }
}

const fn is_scalar(form: Form) -> bool {
    match form {
        Form::Plain(ty) | Form::Made(ty) => scalar(ty),
        Form::Objects(..) | Form::Open => false,
    }
}

/// The advice for a `convert` that meets a collection whose elements have another type, or that
/// makes a collection of a scalar.
pub(super) const fn scalar_and_collection(
    from: Form,
    goal: &'static Stored,
) -> Option<&'static str> {
    match (from, goal) {
        (
            Form::Plain(Stored::List(from) | Stored::Set(from)),
            Stored::List(to) | Stored::Set(to),
        )
        | (Form::Plain(Stored::Map(from)), Stored::Map(to)) => match (from, to) {
            (Stored::Bool, Stored::Number | Stored::String)
            | (Stored::Number, Stored::Bool | Stored::String)
            | (Stored::String, Stored::Bool | Stored::Number) => {
                Some("`each(convert(FIELD))` converts its elements")
            }
            _ => None,
        },
        (
            Form::Plain(Stored::Bool | Stored::Number) | Form::Made(_),
            Stored::List(_) | Stored::Set(_),
        ) => Some("`wrap(FIELD)` makes a list of it"),
        (Form::Plain(Stored::String), Stored::List(_) | Stored::Set(_)) => Some(
            "`wrap(FIELD)` makes a list of it, `split(FIELD, \",\")` one of its parts, `convert(FIELD, json)` reads it as JSON",
        ),
        _ => None,
    }
}

/// Refuses a `convert` of or to something made of nested objects, or one that leaves elements as
/// they are where they do not fit.
#[track_caller]
pub(super) const fn converted_form(
    stage: &'static Stage,
    track: &Track,
    target: &Member,
    names: Names,
) -> Option<Track> {
    let open = track.with_open_elements();
    match (track.form, target.form) {
        (Form::Open, to) => match (track.made, to) {
            (Made::Nothing, _) => None,
            // Entries that an operator made are converted like the members of an object.
            (
                Made::Object(_, part) | Made::Collection(Nesting::Map, part),
                Form::Plain(Stored::Map(entry)),
            ) if is_scalar(part.form) && scalar(entry) => Some(open),
            _ => Some(*track),
        },
        (_, Form::Open | Form::Plain(Stored::Dynamic)) => Some(open),
        // Nested objects stay what they are, but a list of them may become a set.
        (Form::Objects(objects, from), Form::Objects(_, to)) => match nestings_fit(from, to) {
            None | Some(Misfit::ListToSet) => Some(Track {
                form: Form::Objects(objects, to),
                ..*track
            }),
            Some(_) => impossible_here(stage, track, target, names),
        },
        (Form::Objects(objects, Nesting::Single), Form::Plain(Stored::Map(element))) => {
            if members_convert(objects, element) {
                Some(open)
            } else {
                impossible_here(stage, track, target, names)
            }
        }
        (Form::Plain(Stored::Map(_)), Form::Objects(objects, Nesting::Single))
            if may_be_members(track.form, objects) =>
        {
            Some(open)
        }
        (
            Form::Plain(Stored::List(from) | Stored::Set(from)),
            Form::Objects(objects, Nesting::List | Nesting::Set),
        )
        | (Form::Plain(Stored::Map(from)), Form::Objects(objects, Nesting::Map)) => match from {
            entry @ Stored::Map(_) if !may_be_members(Form::Plain(entry), objects) => {
                impossible_here(stage, track, target, names)
            }
            Stored::Map(_) | Stored::Object(_) | Stored::Dynamic => Some(open),
            Stored::Bool
            | Stored::String
            | Stored::Number
            | Stored::List(_)
            | Stored::Set(_)
            | Stored::Tuple(_)
            | Stored::Json
            | Stored::Union(_) => impossible_here(stage, track, target, names),
        },
        (
            Form::Objects(_, nesting),
            Form::Plain(Stored::List(_) | Stored::Set(_) | Stored::Map(_)),
        ) if same_arrangement(nesting, target.form) && holds_objects(target.form) => Some(open),
        (Form::Objects(..), Form::Plain(goal)) if scalar(goal) => None,
        (
            Form::Plain(Stored::List(a) | Stored::Set(a)),
            Form::Plain(Stored::List(b) | Stored::Set(b)),
        )
        | (Form::Plain(Stored::Map(a)), Form::Plain(Stored::Map(b))) => {
            if scalar(a) && scalar(b) {
                return None;
            }
            match types_fit(a, b, Goes::Stored) {
                None if keys_fit(&track.holds, &target.holds) => Some(open),
                None => Some(converted_to(track, target)),
                Some(_) => impossible_here(stage, track, target, names),
            }
        }
        (Form::Plain(Stored::Tuple(of)), Form::Plain(Stored::List(element))) => {
            if each_fits(of, element, false, Goes::Stored).is_none() {
                Some(open)
            } else {
                impossible_here(stage, track, target, names)
            }
        }
        (Form::Plain(Stored::List(element)), Form::Plain(Stored::Tuple(of))) => {
            if each_fits(of, element, true, Goes::Stored).is_none() {
                Some(open)
            } else {
                impossible_here(stage, track, target, names)
            }
        }
        (Form::Plain(Stored::Tuple(_)), Form::Plain(Stored::Tuple(_)))
        | (Form::Plain(Stored::Object(_)), Form::Plain(Stored::Map(_) | Stored::Object(_))) => None,
        (Form::Plain(from) | Form::Made(from), Form::Plain(to)) => {
            if scalar(from) && !scalar(to) && !matches!(to, Stored::List(_) | Stored::Set(_)) {
                impossible_here(stage, track, target, names);
            }
            if !scalar(from) && !scalar(to) {
                impossible_here(stage, track, target, names);
            }
            None
        }
        (Form::Objects(..), Form::Plain(_) | Form::Made(_))
        | (Form::Plain(_) | Form::Made(_), Form::Objects(..) | Form::Made(_)) => {
            impossible_here(stage, track, target, names)
        }
    }
}

/// True if `convert` makes such entries of a map of all members.
pub(super) const fn members_convert(objects: Objects, entry: &'static Stored) -> bool {
    each!(member in at(objects.members) => {
        let converts = match (member.form, entry) {
            (Form::Plain(from), to) => scalar(from) && scalar(to),
            (_, Stored::Dynamic) | (Form::Open, _) => true,
            _ => false,
        };
        if !converts {
            return false;
        }
    });
    true
}

/// Refuses a `convert` between numbers or bools and strings none of which is one.
#[track_caller]
pub(super) const fn check_texts(track: &Track, target: &Member, empty: EmptyText, names: Names) {
    let ((Form::Plain(Stored::String), Takes::Texts(texts), Form::Plain(other), _)
    | (Form::Plain(other), _, Form::Plain(Stored::String), Takes::Texts(texts))) = (
        track.form,
        track.holds.takes,
        target.form,
        target.holds.takes,
    )
    else {
        return;
    };
    if !matches!(other, Stored::Number | Stored::Bool) {
        return;
    }
    if one_may_be(
        texts,
        other,
        !matches!(empty, EmptyText::Unsaid | EmptyText::Refuse),
    ) {
        return;
    }
    Message::refuse(
        "no value of `{}` is {}, so `convert` would always fail\nhelp: write `values({}, …)` with a table of old and new values, or `convert({}, with = path)`",
        &[names.field, noun(other), names.field, names.field],
    );
}

/// Refuses `convert(…, json)` where neither side is a string that may be one of JSON.
#[track_caller]
pub(super) const fn check_json(
    stage: &'static Stage,
    track: &Track,
    target: &Member,
    names: Names,
) {
    let into_text = matches!(target.form, Form::Plain(Stored::String))
        && !matches!(target.holds.takes, Takes::Texts(_));
    let from_text = match track.form {
        Form::Plain(Stored::String) | Form::Made(Stored::String) => {
            !matches!(track.holds.takes, Takes::Texts(_))
        }
        Form::Plain(Stored::Dynamic) => true,
        Form::Open => matches!(track.made, Made::Nothing),
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) => false,
    };
    let reads = from_text && !matches!(target.form, Form::Plain(Stored::String));
    if !into_text && !reads && !matches!(target.form, Form::Open) {
        impossible_here(stage, track, target, names);
    }
}

/// True if one of some strings may be read as a number or bool.
const fn one_may_be(texts: &[&str], other: &Stored, empty: bool) -> bool {
    iterate!(text in texts => {
        let may = match text.as_bytes() {
            [] => empty,
            [b'0'..=b'9' | b'-' | b'.' | b'+', ..] => true,
            _ => {
                matches!(other, Stored::Bool) && (same(text, "true") || same(text, "false"))
            }
        };
        if may {
            return true;
        }
    });
    false
}

/// True if one of the strings begins with one of these letters.
const fn one_begins(texts: &[&str], letters: &[u8]) -> bool {
    iterate!(text in texts => {
        let mut rest = letters;
        while let ([letter, after @ ..], [first, ..]) = (rest, text.as_bytes()) {
            if *letter == *first {
                return true;
            }
            rest = after;
        }
    });
    false
}

/// The result of a conversion that has a name.
#[track_caller]
pub(super) const fn named(
    stage: &'static Stage,
    conversion: Conversion,
    track: &Track,
    target: &Member,
    last: bool,
    names: Names,
) -> Track {
    let nullable = track.holds.nullable;
    if let (Takes::Texts(texts), [_, ..]) = (track.holds.takes, conversion.starts())
        && !one_begins(texts, conversion.starts())
    {
        impossible_here(stage, track, target, names);
    }
    let from = match (track.form, track.made) {
        (Form::Plain(Stored::String) | Form::Made(Stored::String), _) => Some(Kind::Text),
        (Form::Plain(Stored::Number) | Form::Made(Stored::Number), _) => Some(Kind::Number),
        (Form::Plain(Stored::Dynamic), _) | (Form::Open, Made::Nothing) => None,
        _ => impossible_here(stage, track, target, names),
    };
    let signatures = conversion.signatures();
    let to = match from {
        Some(from) => match made_of(signatures, from) {
            Some(to) => to,
            None => impossible_here(stage, track, target, names),
        },
        None => match signatures {
            [signature] => signature.to,
            // The value decides, so that nothing is known.
            _ => return Track::open(nullable),
        },
    };
    let makes_number = matches!(to, Kind::Number);
    let fits = match target.form {
        Form::Open | Form::Plain(Stored::Dynamic) => true,
        Form::Plain(goal) | Form::Made(goal) if makes_number => matches!(goal, Stored::Number),
        Form::Plain(goal) | Form::Made(goal) => matches!(goal, Stored::String),
        Form::Objects(..) => false,
    };
    if last && !fits {
        impossible_here(stage, track, target, names);
    }
    if makes_number {
        Track::open(nullable)
    } else {
        Track::made_of(
            Form::Made(&Stored::String),
            Holds {
                nullable,
                ..Holds::ANYTHING
            },
        )
    }
}

/// The result of a conversion for a type.
const fn made_of(signatures: &[Signature], from: Kind) -> Option<Kind> {
    iterate!(signature in signatures => {
        if signature.from as u8 == from as u8 {
            return Some(signature.to);
        }
    });
    None
}
