//! `zip`: lists put together element by element, into a list of objects or a map.

// The functions of const evaluation index, since the compiler reports it; those of the run time do
// not.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use std::collections::BTreeMap;

use super::super::check::blame::Blame;
use super::super::check::form::{Form as Shape, Objects};
use super::super::check::made::fits_without_upgraders;
use super::super::check::refusal::described;
use super::super::check::track::{Track, constant_element, elements, source};
use super::super::check::{at, count, member, name_at, same, short};
use super::super::form::{Form, Member};
use super::super::going::{Going, Undone, Was};
use super::super::known::Known;
use super::super::table::{Path, Priors};
use super::super::transit::Transit;
use super::work::{Checked, Result, Work};
use crate::message::{Message, iterate};
use crate::path::PathStep;
use crate::schema::table::Stored;
use crate::schema::{Holds, Nesting, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

pub(super) struct Zip;

/// The member that the elements of a list become.
fn name_of(path: Path) -> &'static str {
    path.last().copied().unwrap_or_default()
}

impl Work for Zip {
    type Argument = Priors;

    fn apply<'f>(
        paths: Self::Argument,
        parts: Vec<Transit<'f>>,
        transit: Transit<'f>,
        target: Member<'f>,
        _: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        let place = transit
            .place
            .hidden_if(parts.iter().any(|part| part.place.sensitive))
            .rearranged(None);
        let made = |value, place| {
            Ok(Transit {
                value,
                form: Form::Open,
                place,
            })
        };
        let mut lists = Vec::with_capacity(parts.len());
        let mut first: Option<(usize, String)> = None;
        let mut null = None;
        for part in parts {
            let Transit { value, form, place } = part;
            if matches!(
                form,
                Form::Plain(Type::Set(_)) | Form::Objects(_, Nesting::Set)
            ) {
                return Err(place.refuse(
                    "a set has no order, so that its elements cannot be paired with others",
                ));
            }
            let list = match value {
                Value::List(list) => list,
                Value::Null => {
                    null = Some(place);
                    continue;
                }
                other @ (Value::Unknown
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Map(_)
                | Value::Dynamic(_)) => return Err(place.refuse_kind("a list", &other, "")),
            };
            match &first {
                None => first = Some((list.len(), place.path().to_string())),
                Some((count, other)) if *count != list.len() => {
                    return Err(place.refuse(format_args!(
                        "lists of different lengths cannot be paired: {other} has {count}, and this one has {}",
                        list.len()
                    )));
                }
                Some(_) => {}
            }
            lists.push((list, place));
        }
        match (first, null) {
            (None, _) => return made(Value::Null, place),
            (Some((count, other)), Some(null)) => {
                return Err(null.refuse(format_args!(
                    "null cannot be paired with a list: {other} has {count} elements"
                )));
            }
            (Some(_), None) => {}
        }
        if matches!(
            target.form,
            Form::Plain(Type::Map(_)) | Form::Objects(_, Nesting::Map)
        ) {
            return made(entries(lists)?, place);
        }
        let mut objects: Vec<BTreeMap<String, Value>> = Vec::new();
        for ((list, _), path) in lists.into_iter().zip(paths) {
            objects.resize_with(list.len(), BTreeMap::new);
            for (object, value) in objects.iter_mut().zip(list) {
                object.insert(name_of(path).to_owned(), value);
            }
        }
        made(
            Value::List(objects.into_iter().map(Value::Map).collect()),
            place,
        )
    }

    fn undo(paths: Self::Argument, going: Going, _: &Was<'_>) -> Result<Undone> {
        let Going {
            value,
            form,
            place,
            nullable,
        } = going;
        let mut lists = vec![Vec::new(); paths.len()];
        let part = |value, path: &Path| {
            (
                *path,
                Going {
                    value,
                    form: Form::Open,
                    place: place.clone(),
                    nullable,
                },
            )
        };
        match value {
            Value::Null => {
                return Ok(Undone::With(
                    paths.iter().map(|path| part(Value::Null, path)).collect(),
                    None,
                ));
            }
            Value::List(objects) => {
                for (object, index) in objects.into_iter().zip(0..) {
                    let at = place.step(PathStep::Index(index));
                    let Value::Map(mut object) = object else {
                        return Err(
                            at.refuse("an element that is not an object was not made by `zip`")
                        );
                    };
                    for (list, path) in lists.iter_mut().zip(paths) {
                        list.push(object.remove(name_of(path)).unwrap_or_default());
                    }
                    if let Some((other, _)) = object.iter().find(|(_, value)| !value.is_null()) {
                        let at = at.step(PathStep::Attribute(other.clone().into()));
                        return Err(at.refuse("the older version has no list for it"));
                    }
                }
            }
            Value::Map(map) => {
                for (key, value) in map {
                    if let [keys, values, ..] = &mut lists[..] {
                        keys.push(Value::String(key));
                        values.push(value);
                    }
                }
            }
            value @ (Value::Unknown
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Dynamic(_)) => {
                return Ok(Undone::Before(Going {
                    value,
                    form,
                    place,
                    nullable,
                }));
            }
        }
        let parts = lists
            .into_iter()
            .map(Value::List)
            .zip(paths)
            .map(|(list, path)| part(list, path));
        Ok(Undone::With(parts.collect(), None))
    }

    fn makes(_: Self::Argument, _: Option<Type>, goal: Option<&Type>) -> Option<Type> {
        goal.cloned()
    }

    fn lost(_: Self::Argument, known: &Known<'_>) -> Option<&'static str> {
        matches!(known.goal, Some(Type::Map(_)) | None).then_some("the order of the elements")
    }

    fn refused(_: Self::Argument, known: &Known<'_>) -> Option<&'static str> {
        Some(match known.goal {
            Some(Type::Map(_)) | None => "lists of different lengths, or with one key twice",
            Some(_) => "lists of different lengths",
        })
    }

    fn refused_back(paths: Self::Argument, known: &Known<'_>) -> Option<&'static str> {
        let Some(Type::List(element)) = known.goal else {
            return None;
        };
        let Type::Object(fields) = &**element else {
            return None;
        };
        let other = fields
            .iter()
            .any(|field| paths.iter().all(|path| name_of(path) != field.name()));
        other.then_some("a value in a member that no list was of")
    }
}

/// The elements of the first list as keys of those of the second.
fn entries(lists: Vec<(Vec<Value>, super::super::place::Place)>) -> Result<Value> {
    let mut lists = lists.into_iter();
    let (Some((keys, place)), Some((values, _))) = (lists.next(), lists.next()) else {
        return Ok(Value::Null);
    };
    let mut map = BTreeMap::new();
    for ((key, value), index) in keys.into_iter().zip(values).zip(0..) {
        let at = place.step(PathStep::Index(index));
        let Value::String(key) = key else {
            return Err(at.refuse_kind("a string", &key, ": the keys of a map are strings"));
        };
        if map.contains_key(&key) {
            let shown = at.shown(&Value::String(key));
            return Err(at.refuse(format_args!(
                "two elements are {shown}, and a map has each key once"
            )));
        }
        map.insert(key, value);
    }
    Ok(Value::Map(map))
}

#[track_caller]
pub(super) const fn check(paths: Priors, checked: &Checked<'_>, _: &mut Blame) -> Track {
    let mut nullable = true;
    iterate!(path in paths => {
        let part = source(checked.prior, path);
        nullable = nullable && part.holds.nullable;
        if !is_list(part.form) {
            let message = described(about(path, checked).text(" is "), &part);
            message
                .text("\nhelp: `convert(…, with = path)` makes any value of several fields")
                .panic();
        }
    });
    if checked.is_last {
        match checked.target.form {
            Shape::Objects(objects, Nesting::List) => check_members(paths, objects, checked),
            Shape::Objects(_, Nesting::Map) | Shape::Plain(Stored::Map(_)) => {
                check_entries(paths, checked);
            }
            Shape::Plain(Stored::List(Stored::Map(entry))) => {
                iterate!(path in paths => {
                    check_entry(path, Shape::Plain(entry), &Holds::ANYTHING, checked);
                });
            }
            Shape::Plain(Stored::List(Stored::Object(_) | Stored::Dynamic) | Stored::Dynamic)
            | Shape::Open => {}
            Shape::Objects(..) | Shape::Plain(_) | Shape::Made(_) => refuse_target(checked),
        }
    }
    let keys = if let ([keys, _], Shape::Objects(_, Nesting::Map) | Shape::Plain(Stored::Map(_))) =
        (paths, checked.target.form)
    {
        source(checked.prior, keys).holds.elements
    } else {
        None
    };
    Track::made_of(
        Shape::Open,
        Holds {
            nullable,
            keys,
            ..Holds::ANYTHING
        },
    )
}

/// True if a form is a list, or may be. Elements of a set have no order, so they cannot be paired.
const fn is_list(form: Shape) -> bool {
    matches!(
        form,
        Shape::Objects(_, Nesting::List)
            | Shape::Plain(Stored::List(_) | Stored::Dynamic)
            | Shape::Open
    )
}

/// The beginning of a message about a prior field.
const fn about(path: Path, checked: &Checked<'_>) -> Message {
    Message::new().format(
        "{}, but `{}` of `{}`",
        &[
            checked.stage.operation.row().rule,
            path[path.len() - 1],
            checked.names.prior,
        ],
    )
}

#[track_caller]
const fn refuse_target(checked: &Checked<'_>) -> ! {
    let message = Message::new().format(
        "{}, but `{}",
        &[checked.stage.operation.row().rule, checked.names.field],
    );
    let message = described(
        message.text("` is "),
        &Track::made_of(checked.target.form, checked.target.holds),
    );
    let message = message.format(
        " in `{}`\nhelp: write `convert(a, b => {}, with = path)` with a function of your own",
        &[checked.names.current, checked.names.field],
    );
    message.panic()
}

/// Refuses objects that lack a member for a list, have one that does not take its elements, or need
/// another.
#[track_caller]
const fn check_members(paths: Priors, objects: Objects, checked: &Checked<'_>) {
    let owner = short(objects.origin.rust_name);
    iterate!(path in paths => {
        let name = path[path.len() - 1];
        let part = source(checked.prior, path);
        let Some(found) = member(objects.members, name) else {
            let message = about(path, checked).format(
                " has no member of its name in `{}`\nhelp: add `{}` to `{}`, or give the member this name there: `#[attribute(name = \"…\")]`",
                &[owner, name, owner],
            );
            message.panic();
        };
        let (element, holds) = (constant_element(part.form), elements(&part.holds));
        if fits_without_upgraders(element, &holds, found.form, &found.holds).is_some() {
            let message = about(path, checked).format(
                " holds what `{}::{}` does not take\nhelp: write `convert(a, b => {}, with = path)` with a function of your own",
                &[owner, name, checked.names.field],
            );
            message.panic();
        }
    });
    let mut index = 0;
    while index < count(objects.members) {
        let other = name_at(objects.members, index);
        let found = at(objects.members, index);
        index += 1;
        if found.holds.nullable || found.is_block || is_among(paths, other) {
            continue;
        }
        Message::refuse(
            "`{}` of `{}` always has a value, and `zip` has no list for it\nhelp: make it an `Option`, or write `convert(a, b => {}, with = path)` with a function of your own",
            &[other, owner, checked.names.field],
        );
    }
}

/// True if the elements of a list become this member.
const fn is_among(paths: Priors, name: &str) -> bool {
    iterate!(path in paths => {
        if same(path[path.len() - 1], name) {
            return true;
        }
    });
    false
}

/// Refuses a map of other than two lists, of strings and of what it holds.
#[track_caller]
const fn check_entries(paths: Priors, checked: &Checked<'_>) {
    let [keys, values] = paths else {
        let message = Message::new()
            .text("`zip` makes a map of two lists, its keys and its values, and here are ");
        let message = message
            .number(paths.len() as u64)
            .text("\nhelp: `convert(…, with = path)` makes any value of several fields");
        message.panic();
    };
    if !matches!(
        constant_element(source(checked.prior, keys).form),
        Shape::Plain(Stored::String | Stored::Dynamic) | Shape::Open
    ) {
        let message = about(keys, checked).format(
            " does not hold strings, and the keys of a map are\nhelp: write `convert(a, b => {}, with = path)` with a function of your own",
            &[checked.names.field],
        );
        message.panic();
    }
    check_entry(
        values,
        constant_element(checked.target.form),
        &elements(&checked.target.holds),
        checked,
    );
}

/// Refuses a list whose elements a map does not take.
#[track_caller]
const fn check_entry(path: Path, entry: Shape, takes: &Holds, checked: &Checked<'_>) {
    let part = source(checked.prior, path);
    if fits_without_upgraders(
        constant_element(part.form),
        &elements(&part.holds),
        entry,
        takes,
    )
    .is_some()
    {
        let message = about(path, checked).format(
            " holds what the map does not take\nhelp: write `convert(a, b => {}, with = path)` with a function of your own",
            &[checked.names.field],
        );
        message.panic();
    }
}
