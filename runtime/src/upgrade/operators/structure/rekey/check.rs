//! The types that `rekey` takes and makes, in const evaluation.

use super::super::super::check::blame::Blame;
use super::super::super::check::fit::{row_of, takes_fit};
use super::super::super::check::form::{Form, Member, Objects};
use super::super::super::check::made::{arrangement, holds_objects, needed_beside, settles};
use super::super::super::check::names::suggested;
use super::super::super::check::refusal::impossible_here;
use super::super::super::check::track::{ANY_KEY, Made, Names, Part, Track, elements};
use super::super::super::check::{at, each, member, same, short};
use super::super::super::table::Stage;
use crate::message::Message;
use crate::schema::table::Stored;
use crate::schema::{Holds, Nesting};
use upstate_words::lock::OWN;

/// Refuses a `rekey` by members that the objects of the list do not have.
pub(super) const fn check_key(
    (key, value): (&'static str, Option<&'static str>),
    track: &Track,
    target: &Member,
    names: Names,
    blame: &mut Blame,
) {
    let ((Form::Objects(objects, Nesting::List | Nesting::Set), _)
    | (_, Form::Objects(objects, Nesting::List | Nesting::Set))) = (track.form, target.form)
    else {
        return;
    };
    if objects.origin.rust_name.is_empty() {
        return;
    }
    let (nth, missing) = match value {
        _ if member(objects.members, key).is_none() => (0, key),
        Some(value) if member(objects.members, value).is_none() => (1, value),
        _ => return,
    };
    let message = Message::new().format(
        "`{}` has no member `{}`, so the elements of `{}",
        &[short(objects.origin.rust_name), missing, names.field],
    );
    let message = message.text(if same(missing, key) {
        "` cannot be found by it"
    } else {
        "` have no such value"
    });
    blame.fall_on(
        nth,
        suggested(message.text("\nhelp: "), objects.members, missing),
    );
}

/// The form behind `rekey`: a map made of a list of objects, or the list of a map.
#[track_caller]
pub(super) const fn rekeyed(
    stage: &'static Stage,
    (key, value): (&'static str, Option<&'static str>),
    track: &Track,
    target: &Member,
    last: bool,
    names: Names,
) -> Track {
    let current = target;
    // The operators that follow may make anything of it.
    let target = &Member {
        form: if last { target.form } else { Form::Open },
        ..*target
    };
    let open = Track::made_of(
        Form::Open,
        Holds {
            nullable: track.holds.nullable,
            ..Holds::ANYTHING
        },
    );
    check_keys_are_taken(key, track, target.form, names);
    match (track.form, track.made) {
        (Form::Objects(objects, Nesting::List | Nesting::Set), _) => {
            let open = Track::made_of(
                Form::Open,
                Holds {
                    nullable: track.holds.nullable,
                    ..keyed_by(objects, key)
                },
            );
            let Some(value) = value else {
                let stays = match current.form {
                    Form::Objects(objects, _) => member(objects.members, key).is_some(),
                    Form::Plain(_) | Form::Made(_) | Form::Open => false,
                };
                let without = if stays { None } else { Some(key) };
                return match target.form {
                    Form::Plain(Stored::Map(_)) if holds_objects(target.form) => open,
                    Form::Plain(Stored::Map(_)) => impossible_here(stage, track, target, names),
                    Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Track {
                        form: Form::Objects(
                            Objects {
                                without,
                                is_rekeyed: true,
                                ..objects
                            },
                            Nesting::Map,
                        ),
                        ..open
                    },
                };
            };
            if let Some(other) = needed_beside(objects.members, key, Some(value)) {
                Message::refuse(
                    "`{}` has `{}` next to the key `{}` and the value `{}`, which would be lost\nhelp: `rekey({}, by = {})` makes a map of objects, which keeps all members",
                    &[
                        short(objects.origin.rust_name),
                        other,
                        key,
                        value,
                        names.field,
                        key,
                    ],
                );
            }
            match member(objects.members, value) {
                Some(found) => Track {
                    made: Made::Collection(
                        Nesting::Map,
                        Part {
                            form: found.form,
                            holds: found.holds,
                        },
                    ),
                    ..open
                },
                None => open,
            }
        }
        (Form::Objects(objects, Nesting::Map), _) => match value {
            // The key is put in as a string.
            None => match target.form {
                Form::Plain(Stored::List(_) | Stored::Set(_)) if holds_objects(target.form) => open,
                Form::Plain(Stored::List(_) | Stored::Set(_)) => {
                    impossible_here(stage, track, target, names)
                }
                Form::Objects(current, Nesting::List | Nesting::Set) => {
                    if let Some(there) = member(current.members, key)
                        && !matches!(there.form, Form::Plain(Stored::String | Stored::Dynamic))
                    {
                        Message::refuse(
                            "`{}::{}` is not a string, and the keys of a map are\nhelp: make it a `String`, or `convert({}, with = path)`",
                            &[short(current.origin.rust_name), key, names.field],
                        );
                    }
                    let nesting = match target.form {
                        Form::Objects(_, nesting) => nesting,
                        Form::Plain(_) | Form::Made(_) | Form::Open => Nesting::List,
                    };
                    Track {
                        form: Form::Objects(
                            Objects {
                                with: Some(key),
                                is_rekeyed: true,
                                ..objects
                            },
                            nesting,
                        ),
                        ..open
                    }
                }
                Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Track {
                    form: Form::Objects(
                        Objects {
                            with: Some(key),
                            is_rekeyed: true,
                            ..objects
                        },
                        Nesting::List,
                    ),
                    ..open
                },
            },
            Some(value) => {
                let part = Part {
                    form: Form::Objects(objects, Nesting::Single),
                    holds: Holds::ANYTHING,
                };
                Track {
                    made: Made::Pairs { key, value, part },
                    ..open
                }
            }
        },
        (Form::Objects(objects, Nesting::Single), _) => match value {
            Some(value) => Track {
                made: Made::Pairs {
                    key,
                    value,
                    part: entry(objects, (key, value), target),
                },
                ..open
            },
            None => match first_form(objects) {
                Form::Objects(inner, Nesting::Single) => match target.form {
                    Form::Objects(_, nesting @ (Nesting::List | Nesting::Set)) => Track {
                        form: Form::Objects(
                            Objects {
                                with: Some(key),
                                is_rekeyed: true,
                                ..inner
                            },
                            nesting,
                        ),
                        ..open
                    },
                    Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => {
                        without_struct(false, stage, track, target, names)
                    }
                },
                Form::Open | Form::Plain(Stored::Map(_) | Stored::Object(_) | Stored::Dynamic) => {
                    without_struct(false, stage, track, target, names)
                }
                Form::Objects(..) | Form::Plain(_) | Form::Made(_) => {
                    impossible_here(stage, track, target, names)
                }
            },
        },
        (Form::Plain(Stored::Map(element)), _) => match (element, value) {
            (element, Some(value)) => {
                let part = Part {
                    form: Form::Plain(element),
                    holds: elements(&track.holds),
                };
                Track {
                    made: Made::Pairs { key, value, part },
                    ..open
                }
            }
            (Stored::Map(_) | Stored::Object(_) | Stored::Dynamic, None) => {
                without_struct(false, stage, track, target, names)
            }
            (_, None) => impossible_here(stage, track, target, names),
        },
        (Form::Plain(Stored::List(element) | Stored::Set(element)), _) => match (element, value) {
            (Stored::Map(_), None) | (Stored::Object(_) | Stored::Dynamic, _) => {
                without_struct(true, stage, track, target, names)
            }
            (Stored::Map(inner), Some(_)) => Track {
                made: Made::Collection(
                    Nesting::Map,
                    Part {
                        form: Form::Plain(inner),
                        holds: Holds::ANYTHING,
                    },
                ),
                ..open
            },
            _ => impossible_here(stage, track, target, names),
        },
        (
            Form::Open,
            Made::Collection(
                _,
                Part {
                    form: Form::Plain(of) | Form::Made(of),
                    ..
                },
            ),
        ) if is_plain(of, value) => impossible_here(stage, track, target, names),
        (Form::Open, _) | (Form::Plain(Stored::Dynamic), Made::Nothing) => open,
        _ => impossible_here(stage, track, target, names),
    }
}

/// Refuses a list of objects whose member does not take every key of the map.
#[track_caller]
const fn check_keys_are_taken(key: &'static str, track: &Track, target: Form, names: Names) {
    let (Some(keys), Form::Objects(objects, Nesting::List | Nesting::Set)) = (track.keys(), target)
    else {
        return;
    };
    // None is refused here, because the upgrader of these objects says what becomes of the member.
    if let Form::Objects(before, _) = track.form
        && member(before.members, key).is_some()
    {
        return;
    }
    let Some(row) = row_of(objects.members, key) else {
        return;
    };
    // Only its author knows which strings a type of their own takes.
    if matches!(row.info.stored, Stored::String)
        && !same(row.info.holds.format, OWN)
        && !takes_fit(keys, &row.info.holds)
    {
        Message::refuse(
            "`{}::{}` does not take every key of `{}`\nhelp: make it a `String`, or `convert({}, with = path)`",
            &[
                short(objects.origin.rust_name),
                key,
                names.field,
                names.field,
            ],
        );
    }
}

/// The maps that have such a member as their key, which is made a string.
const fn keyed_by(objects: Objects, key: &str) -> Holds {
    match row_of(objects.members, key) {
        Some(row) if matches!(row.info.stored, Stored::String | Stored::Number) => Holds {
            keys: Some(&row.info.holds),
            ..Holds::ANYTHING
        },
        // Nothing is known of the keys, because a bool or a dynamic value becomes one, or what has
        // no type here.
        Some(_) | None => Holds {
            given: Some(ANY_KEY),
            ..Holds::ANYTHING
        },
    }
}

/// True if elements of this type are neither objects nor entries.
const fn is_plain(of: &Stored, value: Option<&str>) -> bool {
    matches!(of, Stored::Bool | Stored::Number | Stored::String) && value.is_none()
}

/// The member of an object that fits worst as the value of an entry.
const fn entry(
    objects: Objects,
    (key, value): (&'static str, &'static str),
    target: &Member,
) -> Part {
    let mut part = Part {
        form: Form::Open,
        holds: Holds::ANYTHING,
    };
    each!(member in at(objects.members) => {
        part = Part {
            form: member.form,
            holds: member.holds,
        };
        let made = Made::Pairs { key, value, part };
        if settles(
            &Track {
                made,
                ..Track::made_of(Form::Open, Holds::ANYTHING)
            },
            target,
        )
        .is_some()
        {
            return part;
        }
    });
    part
}

/// The form of the first member that always has a value.
const fn first_form(objects: Objects) -> Form {
    match needed_beside(objects.members, "", None) {
        Some(name) => match member(objects.members, name) {
            Some(found) => found.form,
            None => Form::Open,
        },
        None => Form::Open,
    }
}

/// Elements without a Rust struct become entries of a map, or such entries elements of a list.
#[track_caller]
const fn without_struct(
    is_mapped: bool,
    stage: &'static Stage,
    track: &Track,
    target: &Member,
    names: Names,
) -> Track {
    let fits = match arrangement(target.form) {
        Some(Nesting::Map) => is_mapped,
        Some(Nesting::List | Nesting::Set) => !is_mapped,
        Some(Nesting::Single) => false,
        None => true,
    };
    if !fits || !holds_objects(target.form) {
        impossible_here(stage, track, target, names);
    }
    Track::made_of(
        Form::Open,
        Holds {
            nullable: track.holds.nullable,
            ..Holds::ANYTHING
        },
    )
}
