//! The types that `merge` takes, in const evaluation.

#![expect(clippy::panic, reason = "const evaluation")]

use super::super::super::check::fit::{Misfit, fits, takes_fit};
use super::super::super::check::form::{Form, Member, Objects};
use super::super::super::check::made::arrangement;
use super::super::super::check::refusal::{described, impossible_here, refuse_misfit};
use super::super::super::check::track::{Names, Track, constant_element, elements, source};
use super::super::super::check::{at, count, member, name_at, same, short};
use super::super::super::table::{Path, Stage};
use crate::message::{Message, iterate};
use crate::schema::table::{Stored, Table};
use crate::schema::{Holds, Nesting};

/// Refuses a part of a `merge` that no element or entry of the target can come from.
#[track_caller]
pub(in super::super) const fn check_merged(
    stage: &'static Stage,
    from: Path,
    track: &Track,
    target: &Member,
    names: Names,
) {
    let fit = match (arrangement(track.form), arrangement(target.form)) {
        (None, _) | (_, None) => true,
        (Some(Nesting::List | Nesting::Set), Some(Nesting::List | Nesting::Set))
        | (Some(Nesting::Map), Some(Nesting::Map)) => {
            let (element, wanted) = (constant_element(track.form), constant_element(target.form));
            fits(
                element,
                &elements(&track.holds),
                wanted,
                &Holds {
                    nullable: true,
                    ..elements(&target.holds)
                },
            )
            .is_none()
        }
        (Some(Nesting::List | Nesting::Set), Some(Nesting::Map)) => {
            entries_fit(constant_element(track.form), constant_element(target.form))
        }
        (Some(Nesting::Single), Some(Nesting::Map)) => {
            entries_fit(track.form, constant_element(target.form))
        }
        (Some(Nesting::Single), Some(Nesting::Single)) => match (track.form, target.form) {
            (Form::Objects(from, _), Form::Objects(to, _)) => members_have_a_place(from, to),
            _ => false,
        },
        _ => false,
    };
    if !fit {
        let [.., field] = from else {
            impossible_here(stage, track, target, names)
        };
        if same(field, names.field) {
            impossible_here(stage, track, target, names);
        }
        let message =
            Message::new().format("{}, but `{}` is ", &[stage.operation.row().rule, field]);
        let message = described(message, track)
            .format(", and `{}` of `{}` is ", &[names.field, names.current]);
        let message = described(message, &Track::made_of(target.form, target.holds));
        let message = message.format(
            "\nhelp: merge fields of one kind, or let a function upgrade the whole struct: `model = {}, with = path`",
            &[names.prior],
        );
        panic!("{}", message.as_str());
    }
    let entries = match (arrangement(track.form), arrangement(target.form)) {
        (Some(Nesting::List | Nesting::Set), Some(Nesting::Map)) => {
            Track::made_of(constant_element(track.form), elements(&track.holds))
        }
        _ => *track,
    };
    if let (Some(keys), Some(taken)) = (entries.keys(), target.holds.keys)
        && !takes_fit(keys, taken)
    {
        refuse_misfit(Misfit::Keys, &entries, target, names);
    }
}

/// Refuses a `merge` of objects into one that has a member with a value in any case, which none of
/// them has.
#[track_caller]
pub(super) const fn check_all_members(
    paths: &'static [Path],
    prior: &'static Table,
    target: &Member,
    names: Names,
) {
    let Form::Objects(objects, Nesting::Single) = target.form else {
        return;
    };
    let mut index = 0;
    while index < count(objects.members) {
        let wanted = at(objects.members, index);
        let name = name_at(objects.members, index);
        if !wanted.holds.nullable && !wanted.is_block && !one_has(paths, prior, name) {
            let message = Message::new().format(
                "none of the objects that `merge` puts together has `{}`, which always has a value in `{}`\nhelp: make it an `Option`, or `convert({}, with = path)`",
                &[name, short(objects.origin.rust_name), names.field],
            );
            panic!("{}", message.as_str());
        }
        index += 1;
    }
}

/// True if one of the merged objects has this member, as far as that is known.
const fn one_has(paths: &'static [Path], prior: &'static Table, name: &str) -> bool {
    iterate!(path in paths => {
        match source(prior, path).form {
            Form::Objects(objects, Nesting::Single) if member(objects.members, name).is_none() => {}
            Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => return true,
        }
    });
    false
}

/// True if each member that always has a value is a member there.
const fn members_have_a_place(from: Objects, to: Objects) -> bool {
    let mut index = 0;
    while index < count(from.members) {
        let part = at(from.members, index);
        let there = member(to.members, name_at(from.members, index));
        let fit = match there {
            Some(there) => {
                fits(part.form, &Holds::ANYTHING, there.form, &Holds::ANYTHING).is_none()
            }
            None => part.holds.nullable || part.is_block,
        };
        if !fit {
            return false;
        }
        index += 1;
    }
    true
}

/// True if all entries of a map, or members of an object, may be entries of this kind.
const fn entries_fit(of: Form, wanted: Form) -> bool {
    match of {
        Form::Plain(Stored::Map(_)) | Form::Objects(_, Nesting::Map) => fits(
            constant_element(of),
            &Holds::ANYTHING,
            wanted,
            &Holds::ANYTHING,
        )
        .is_none(),
        Form::Objects(objects, Nesting::Single) => {
            let mut index = 0;
            while index < count(objects.members) {
                let member = at(objects.members, index);
                if fits(member.form, &Holds::ANYTHING, wanted, &Holds::ANYTHING).is_some() {
                    return false;
                }
                index += 1;
            }
            true
        }
        Form::Open | Form::Plain(Stored::Object(_) | Stored::Dynamic) => true,
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) => false,
    }
}
