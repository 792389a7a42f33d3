//! Reports what does not fit.

use super::super::table::{Operation, Stage, Structure};
use super::conversion::members_convert;
use super::fit::{Misfit, fits, has, takes_fit};
use super::form::{Form, Member};
use super::left_over::{explain_left_over, explain_made_key};
use super::made::{arrangement, may_be_members, same_arrangement};
use super::names::suggested;
use super::track::{ANY_KEY, Made, Names, Track, constant_element, elements};
use super::{same, short};
use crate::message::{Message, iterate};
use crate::schema::table::Stored;
use crate::schema::{Holds, Nesting, Takes};

#[track_caller]
pub(in super::super) const fn refuse_misfit(
    misfit: Misfit,
    track: &Track,
    target: &Member,
    names: Names,
) {
    let message = Message::new().format(
        "the operators' result for `{}` does not fit the field of `{}`: ",
        &[names.field, names.current],
    );
    let message = if names.of_each {
        // A misfit of elements is not one of the field, and an operator for them is not one for it.
        explain(
            message,
            misfit,
            (names.field, "add "),
            &Track::open(true),
            target,
        )
    } else {
        explain(message, misfit, (names.field, "add "), track, target)
    };
    message.panic();
}

/// Appends the reason, and the operators that would help: behind one that is there, they are to be
/// added; otherwise, they are to be written.
pub(super) const fn explain(
    message: Message,
    misfit: Misfit,
    (field, verb): (&str, &str),
    track: &Track,
    target: &Member,
) -> Message {
    let why = match misfit {
        Misfit::Null => {
            let message = message.text("it may be null, and the field may not [U0013]\nhelp: add ");
            return with_field(message, "`default(FIELD = …)`", field);
        }
        Misfit::Narrower => {
            let message = match lost_text(&track.holds, &target.holds) {
                Some(text) => {
                    message.format("it may be \"{}\", which the field does not take", &[text])
                }
                None => compared_values(message, track, &target.holds),
            };
            return helped(message, proposed(misfit, track, target), (field, verb));
        }
        Misfit::Keys => {
            let message = compared_keys(message, track, &target.holds);
            return helped(message, proposed(misfit, track, target), (field, verb));
        }
        Misfit::ListToSet => "it was a list, whose order and repeated elements a set does not keep",
        Misfit::ListToObject => "it was a list, and the field is a single object",
        Misfit::ObjectToList => "it was a single object, and the field is a list",
        Misfit::ListAndMap => "one is a map and the other a list",
        Misfit::Objects(prior, current) => {
            return no_upgrader(message, short(prior), short(current), field);
        }
        Misfit::NoMember(objects, name) => {
            let message = message.format(
                "`{}` has no member `{}`\nhelp: ",
                &[short(objects.origin.rust_name), name],
            );
            return suggested(message, objects.members, name);
        }
        Misfit::Needs(current, other) => {
            let message = message.format(
                "`{}` has `{}` too, which always has a value, and nothing gives it one\nhelp: make it an `Option`, or ",
                &[short(current), other],
            );
            return with_field(message, "`convert(FIELD, with = path)`", field);
        }
        Misfit::Parameters(name) => {
            let message = message.format(
                "the parameters of `{}` stood for other types, and a struct with parameters has no upgraders\nhelp: ",
                &[short(name)],
            );
            return with_field(message.text(verb), "`convert(FIELD, with = path)`", field);
        }
        Misfit::Inner(prior, current) => {
            let message = message.format(
                "`{}` is not `{}`, and nested objects inside lists of lists, maps of lists and tuples are not upgraded\nhelp: ",
                &[short(prior), short(current)],
            );
            return with_field(message.text(verb), "`convert(FIELD, with = path)`", field);
        }
        Misfit::NotRun(prior, current) => {
            let message = message.format(
                "`{}` is not `{}`, and nested objects inside the result of an operator are not upgraded\nhelp: write ",
                &[short(prior), short(current)],
            );
            return with_field(message, "`convert(FIELD, with = path)`", field);
        }
        Misfit::LeftOver(from, to, left_over) => {
            return explain_left_over(message, (from, to, left_over), field);
        }
        Misfit::KeyIsMade(from, to, key) => return explain_made_key(message, (from, to, key)),
        Misfit::Type(from, to) => {
            let message = message.format("it was {} and is {}", &[noun(from), noun(to)]);
            return helped(message, proposed(misfit, track, target), (field, verb));
        }
        Misfit::Other => "it has another shape",
    };
    helped(
        message.text(why),
        proposed(misfit, track, target),
        (field, verb),
    )
}

/// Names the values that were taken and those that are, where both are known.
const fn compared_values(message: Message, track: &Track, to: &Holds) -> Message {
    let message = message.text("the field takes fewer values than it did");
    match differing_values(track, to) {
        Some((before, now)) => message.format(" ({} became {})", &[before, now]),
        None => message,
    }
}

/// The kinds of values that there are and those that are taken, of a field or of what its
/// collections hold; nothing if one of the two is not known, or they are the same.
pub(super) const fn differing_values(
    track: &Track,
    to: &Holds,
) -> Option<(&'static str, &'static str)> {
    let (mut from, mut to) = (track.holds, *to);
    // Because an author's own type and strings of one form never were all that their type has.
    let mut before = if matches!(from.takes, Takes::Anything) {
        any_of(track.form)
    } else {
        ""
    };
    while let (Some(inner), Some(wanted)) = (from.elements, to.elements) {
        (from, to) = (*inner, *wanted);
        before = "";
    }
    if !kind_of_values(&from).is_empty() {
        before = kind_of_values(&from);
    }
    let now = kind_of_values(&to);
    if before.is_empty() || now.is_empty() || same(before, now) {
        return None;
    }
    Some((before, now))
}

const fn kind_of_values(holds: &Holds) -> &'static str {
    if let Some(range) = holds.range() {
        return range.words();
    }
    match holds.takes {
        Takes::Floats if holds.format.is_empty() => "f64",
        Takes::Floats => "f32",
        Takes::Texts(_) => "a few strings",
        Takes::Anything
        | Takes::Integers { .. }
        | Takes::OwnType
        | Takes::Objects(_)
        | Takes::Tuples(_) => "",
    }
}

/// The values of a scalar of which nothing but the type is known.
const fn any_of(form: Form) -> &'static str {
    match form {
        Form::Plain(Stored::String) | Form::Made(Stored::String) => "any string",
        Form::Plain(Stored::Number) | Form::Made(Stored::Number) => "any number",
        Form::Plain(_) | Form::Made(_) | Form::Objects(..) | Form::Open => "",
    }
}

/// Names the keys of the first of several maps inside one another that takes fewer than it did.
const fn compared_keys(message: Message, track: &Track, to: &Holds) -> Message {
    let (mut from, mut to) = (track.holds, *to);
    let mut is_known = !matches!(track.form, Form::Open) || from.keys.is_some();
    while is_known {
        if let Some(now) = to.keys {
            let before = match from.keys {
                Some(before) => before,
                None => ANY_KEY,
            };
            if let Some(text) = lost_text(before, now) {
                return message.format(
                    "a key may be \"{}\", which the field does not take",
                    &[text],
                );
            }
            if !takes_fit(before, now) {
                let message = kind_of_keys(message.text("its keys are "), now);
                return kind_of_keys(message.text(" now, and were "), before);
            }
        }
        match (from.elements, to.elements) {
            (Some(inner), Some(wanted)) => (from, to) = (*inner, *wanted),
            (None, _) | (_, None) => is_known = false,
        }
    }
    message.text("it takes fewer keys than it did")
}

const fn kind_of_keys(message: Message, keys: &Holds) -> Message {
    if let Some(range) = keys.range() {
        return message.text(range.words());
    }
    match keys.takes {
        Takes::Texts(_) => message.text("a few strings"),
        Takes::OwnType if !keys.format.is_empty() => {
            message.format("strings of the form `{}`", &[keys.format])
        }
        Takes::Anything
        | Takes::Integers { .. }
        | Takes::Floats
        | Takes::OwnType
        | Takes::Objects(_)
        | Takes::Tuples(_) => message.text("any strings"),
    }
}

/// The first string of one enum that another one does not have.
const fn lost_text(from: &Holds, to: &Holds) -> Option<&'static str> {
    let (Takes::Texts(texts), Takes::Texts(known)) = (from.takes, to.takes) else {
        return None;
    };
    iterate!(text in texts => {
        if !has(known, text) {
            return Some(text);
        }
    });
    None
}

/// The operators that would do, if any, and the one that always does.
const fn helped(message: Message, proposed: &str, (field, verb): (&str, &str)) -> Message {
    let message = with_field(message.text("\nhelp: ").text(verb), proposed, field);
    let message = if proposed.is_empty() {
        message
    } else {
        message.text(", or ")
    };
    with_field(
        message,
        "`convert(FIELD, with = path)` with a function of your own",
        field,
    )
}

/// The operators that make what fits. Each passes the check that it is proposed for.
const fn proposed(misfit: Misfit, track: &Track, target: &Member) -> &'static str {
    match misfit {
        Misfit::Narrower => match (track.form, target.form) {
            (Form::Plain(from), Form::Plain(to)) if scalar(from) && scalar(to) => {
                "`convert(FIELD)`, `values(FIELD, …)`"
            }
            (Form::Plain(Stored::List(_) | Stored::Set(_) | Stored::Map(_)), Form::Plain(_)) => {
                let (from, to) = (elements(&track.holds), elements(&target.holds));
                match constant_element(track.form) {
                    Form::Plain(element) if scalar(element) && (to.nullable || !from.nullable) => {
                        "`each(convert(FIELD))`"
                    }
                    Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => "",
                }
            }
            _ => "",
        },
        Misfit::Keys => "",
        Misfit::ListToSet => "`convert(FIELD)`",
        Misfit::Null
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
        | Misfit::Other => match proposal(track, target) {
            found if same(found, AS_IT_IS) => "",
            found => found,
        },
    }
}

/// Two kinds of objects without an upgrader between them. Those that operators describe have no
/// struct to write one on, or to name in one.
const fn no_upgrader(
    message: Message,
    prior: &'static str,
    current: &'static str,
    field: &str,
) -> Message {
    let message = message.format(
        "`{}` is not `{}`, and no upgrade between the two is declared\nhelp: ",
        &[shown(prior), shown(current)],
    );
    if is_of_a_difference(current) {
        return message.format(
            "leave `{}` out, since operators of a later upgrader describe `{}`; declare the changes inside by paths, such as `rename({}.old: String => {}.new)` or `drop({}.old: String, \"why\")`",
            &[shown(prior), shown(current), field, field, field],
        );
    }
    if is_of_a_difference(prior) {
        return message.format(
            "write the type of `{}` as a struct that derives `Object`, and add `#[upgrade_from(model = …, …)]` with that struct to `{}`; or leave the type out, and declare the changes inside by paths",
            &[field, current],
        );
    }
    message.format(
        "add `#[upgrade_from(model = {}, …)]` to `{}`, with `carry` if only the struct changed",
        &[prior, current],
    )
}

/// True if objects are those of a difference: their name says of which version.
const fn is_of_a_difference(name: &'static str) -> bool {
    matches!(shown(name).as_bytes(), [.., b')'])
}

/// The name of objects, without the number that tells several of one place from each other.
const fn shown(name: &'static str) -> &'static str {
    let bytes = name.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        end += 1;
        if bytes[end - 1] == b')' {
            break;
        }
    }
    name.split_at(end).0
}

/// Refuses what the last operator made, if it is one that changes the form.
#[track_caller]
pub(super) const fn check_last(
    stage: &'static Stage,
    before: &Track,
    misfit: Misfit,
    target: &Member,
    names: Names,
) {
    if !stage.operation.row().rule.is_empty()
        && matches!(
            misfit,
            Misfit::Type(..)
                | Misfit::Other
                | Misfit::ListToObject
                | Misfit::ObjectToList
                | Misfit::ListAndMap
        )
    {
        impossible_here(stage, before, target, names);
    }
    // No `default` holds an object.
    if matches!(misfit, Misfit::Null) && matches!(target.form, Form::Objects(..)) {
        let message = Message::new().format(
            "the operators' result for `{}` does not fit the field of `{}`: it may be null, and the field may not [U0013]\nhelp: ",
            &[names.field, names.current],
        );
        let message = if matches!(stage.operation, Operation::Structure(Structure::Unwrap(..))) {
            message.text("add `empty = refuse` to the operator, or make the field an `Option`")
        } else {
            let message = message.text("make the field an `Option`, or write ");
            with_field(
                message,
                "`convert(FIELD, with = path)` with a function of your own",
                names.field,
            )
        };
        message.panic()
    }
}

/// Refuses an operator for what goes in and what the field is.
#[track_caller]
pub(in super::super) const fn impossible_here(
    stage: &'static Stage,
    track: &Track,
    target: &Member,
    names: Names,
) -> ! {
    impossible(stage.operation.row().rule, stage, track, target, names)
}

const AS_IT_IS: &str = "leave the operator out, which carries the value unchanged";

#[track_caller]
pub(super) const fn impossible(
    rule: &str,
    stage: &'static Stage,
    track: &Track,
    target: &Member,
    names: Names,
) -> ! {
    let message = Message::new().text(rule).text(", but ");
    let current = Track::made_of(target.form, target.holds);
    if names.is_difference
        && !names.of_each
        && matches!(stage.operation, Operation::Structure(Structure::Wrap(..)))
        && matches!(track.form, Form::Plain(Stored::Dynamic))
    {
        // No type is written, and there are no elements to infer one from.
        let message = described(message.format("`{}` is ", &[names.field]), &current)
            .format(" in `{}`\nhelp: remove `wrap`", &[names.current]);
        message.panic();
    }
    let message = message.text(if names.of_each {
        "an element of `"
    } else {
        "`"
    });
    let message = described(message.text(names.field).text("` gets "), track);
    let message = described(message.text(", and is "), &current)
        .text(" in `")
        .text(names.current);
    let found = if matches!(
        (stage.operation.members(), target.form),
        ((Some(_), None), Form::Plain(Stored::Map(_)))
    ) {
        "`unwrap(FIELD, member = member), convert(FIELD)`"
    } else {
        proposal(track, target)
    };
    let is_as_it_is = same(found, AS_IT_IS);
    let message = message.text(if is_as_it_is {
        "`\nhelp: "
    } else {
        "`\nhelp: write "
    });
    let found = match (names.of_each, found) {
        (true, _) if is_as_it_is => "leave the operator out, which carries the elements unchanged",
        // An operator for elements is not one for the field.
        (true, _) => "",
        (false, found) => found,
    };
    let message = with_field(message, found, names.field);
    let message = if found.is_empty() {
        message
    } else {
        message.text(if is_as_it_is { ", or write " } else { ", or " })
    };
    with_field(
        message,
        "`convert(FIELD, with = path)` with a function of your own",
        names.field,
    )
    .panic()
}

/// The operator that fits better.
pub(super) const fn proposal(track: &Track, target: &Member) -> &'static str {
    let (from, to) = (track.form, target.form);
    if matches!(from, Form::Open) {
        return "";
    }
    let any = Holds::ANYTHING;
    if fits(from, &any, to, &any).is_none() {
        return AS_IT_IS;
    }
    let (element, wanted) = (constant_element(from), constant_element(to));
    match (element, to) {
        (Form::Objects(_, Nesting::Single), Form::Plain(Stored::Map(_)))
            if same_arrangement(Nesting::List, from) =>
        {
            return "`rekey(FIELD, key = member, value = member)`, `unwrap(FIELD), convert(FIELD)`";
        }
        (Form::Plain(Stored::Map(_)), Form::Objects(objects, Nesting::Single))
            if may_be_members(element, objects) =>
        {
            return "`unwrap(FIELD), convert(FIELD)`";
        }
        _ => {}
    }
    if matches!(
        (from, wanted),
        (
            Form::Objects(_, Nesting::Single),
            Form::Plain(Stored::Map(_))
        )
    ) {
        return "`wrap(FIELD), each(convert(FIELD))`";
    }
    if matches!(arrangement(from), Some(Nesting::List | Nesting::Set))
        && fits(element, &any, to, &any).is_none()
    {
        return "`unwrap(FIELD)`";
    }
    if matches!(arrangement(to), Some(Nesting::List | Nesting::Set))
        && fits(from, &any, wanted, &any).is_none()
    {
        return if matches!(
            (from, wanted),
            (Form::Plain(Stored::String), Form::Plain(Stored::String))
        ) {
            "`wrap(FIELD)`, `split(FIELD, \",\")`"
        } else {
            "`wrap(FIELD)`"
        };
    }
    match (from, to) {
        (Form::Objects(_, Nesting::List | Nesting::Set), Form::Objects(_, Nesting::Map))
        | (Form::Objects(_, Nesting::Map), Form::Objects(_, Nesting::List | Nesting::Set)) => {
            "`rekey(FIELD, by = member)`"
        }
        (Form::Objects(_, Nesting::List | Nesting::Set), Form::Plain(Stored::Map(_)))
        | (Form::Plain(Stored::Map(_)), Form::Objects(_, Nesting::List | Nesting::Set)) => {
            "`rekey(FIELD, key = member, value = member)`"
        }
        (Form::Objects(_, Nesting::List), Form::Objects(_, Nesting::Set)) => "`convert(FIELD)`",
        (Form::Objects(objects, Nesting::Single), Form::Plain(Stored::Map(entry)))
            if members_convert(objects, entry) =>
        {
            "`convert(FIELD)`"
        }
        (Form::Plain(Stored::List(_) | Stored::Set(_)), Form::Plain(Stored::String)) => {
            "`join(FIELD, \",\")`, `convert(FIELD, json)`"
        }
        (Form::Objects(_, Nesting::Single), Form::Plain(to)) if scalar(to) => {
            "`unwrap(FIELD, member = member)`"
        }
        (Form::Plain(from), Form::Objects(_, Nesting::Single)) if scalar(from) => {
            "`wrap(FIELD, as = member)`"
        }
        (Form::Plain(a), Form::Plain(b)) if scalar(a) && scalar(b) => {
            scalars(a, &track.holds, b, &target.holds)
        }
        (Form::Plain(Stored::String), _) if !matches!(track.holds.takes, Takes::Texts(_)) => {
            "`convert(FIELD, json)`"
        }
        (_, Form::Plain(Stored::String)) if !matches!(target.holds.takes, Takes::Texts(_)) => {
            "`convert(FIELD, json)`"
        }
        (
            Form::Plain(Stored::List(_) | Stored::Set(_)),
            Form::Plain(Stored::List(_) | Stored::Set(_)),
        )
        | (Form::Plain(Stored::Map(_)), Form::Plain(Stored::Map(_))) => match (element, wanted) {
            (Form::Plain(a), Form::Plain(b)) if scalar(a) && scalar(b) => "`each(convert(FIELD))`",
            _ => "",
        },
        _ => "",
    }
}

/// The operators that make one scalar of another.
const fn scalars(from: &Stored, from_holds: &Holds, to: &Stored, to_holds: &Holds) -> &'static str {
    match (from, from_holds.takes, to, to_holds.takes) {
        // `values` is offered, because few strings are numbers, and few numbers are one of a few
        // strings.
        (Stored::String, Takes::Texts(_), ..) | (.., Stored::String, Takes::Texts(_)) => {
            "`values(FIELD, …)`"
        }
        // An empty string is neither, and has the same successor as null.
        (Stored::String, _, Stored::Number | Stored::Bool, _)
            if from_holds.nullable && !to_holds.nullable =>
        {
            "`convert(FIELD, empty = null), default(FIELD = …)`, `values(FIELD, …)`"
        }
        (Stored::String, _, Stored::Number | Stored::Bool, _) => {
            "`convert(FIELD, empty = refuse)`, `values(FIELD, …)`"
        }
        _ => "`convert(FIELD)`, `values(FIELD, …)`",
    }
}

/// Appends the name that a person gives a form.
pub(in super::super) const fn described(message: Message, track: &Track) -> Message {
    match (track.form, track.made) {
        (Form::Open, Made::Collection(Nesting::Map, part)) => {
            message.text("a map of ").text(several(part.form))
        }
        (Form::Open, Made::Collection(_, part)) => {
            message.text("a list of ").text(several(part.form))
        }
        (Form::Open, Made::Nothing) => message.text("something else"),
        (Form::Open, Made::Object(..)) | (Form::Objects(_, Nesting::Single), _) => {
            message.text("an object")
        }
        (Form::Open, Made::Pairs { .. }) | (Form::Objects(_, Nesting::List), _) => {
            message.text("a list of objects")
        }
        (Form::Objects(_, Nesting::Set), _) => message.text("a set of objects"),
        (Form::Objects(_, Nesting::Map), _) => message.text("a map of objects"),
        (Form::Plain(ty) | Form::Made(ty), _) => {
            let message = message.text(noun(ty));
            match ty.element() {
                Some(element) => message.text(" of ").text(several(Form::Plain(element))),
                None => message,
            }
        }
    }
}

pub(super) const fn several(form: Form) -> &'static str {
    match form {
        Form::Open => "values",
        Form::Objects(_, Nesting::Single) => "objects",
        Form::Objects(_, Nesting::List) => "lists",
        Form::Objects(_, Nesting::Set) => "sets",
        Form::Objects(_, Nesting::Map) => "maps",
        Form::Plain(ty) | Form::Made(ty) => match ty {
            Stored::Bool => "bools",
            Stored::String => "strings",
            Stored::Number => "numbers",
            Stored::Dynamic => "dynamic values",
            Stored::List(_) => "lists",
            Stored::Set(_) => "sets",
            Stored::Map(_) => "maps",
            Stored::Tuple(_) => "tuples",
            Stored::Object(_) => "objects",
            Stored::Json => "JSON values",
            Stored::Union(_) => "variants of an enum",
        },
    }
}

/// The name that a person gives a value of this type.
pub(in super::super) const fn noun(ty: &Stored) -> &'static str {
    ty.noun()
}

/// Appends a string, each `FIELD` in it replaced.
pub(super) const fn with_field(mut message: Message, text: &str, field: &str) -> Message {
    const MARK: &[u8] = b"FIELD";
    let bytes = text.as_bytes();
    let (mut copied, mut at) = (0, 0);
    while at + MARK.len() <= bytes.len() {
        let mut letters = 0;
        while letters < MARK.len() && bytes[at + letters] == MARK[letters] {
            letters += 1;
        }
        if letters == MARK.len() {
            message = message
                .text(text.split_at(at).0.split_at(copied).1)
                .text(field);
            at += MARK.len();
            copied = at;
        } else {
            at += 1;
        }
    }
    message.text(text.split_at(copied).1)
}

pub(super) const fn scalar(ty: &Stored) -> bool {
    matches!(
        ty,
        Stored::Bool | Stored::String | Stored::Number | Stored::Dynamic
    )
}
