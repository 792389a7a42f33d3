//! The types that `merge` takes, in const evaluation.

use super::super::super::check::fit::{Misfit, fits, takes_fit};
use super::super::super::check::form::{Form, Member, Objects};
use super::super::super::check::made::arrangement;
use super::super::super::check::refusal::{described, impossible_here, refuse_misfit};
use super::super::super::check::track::{Names, Track, constant_element, elements, source};
use super::super::super::check::{at, count, each, member, name_at, same, short};
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
    let wanted = Holds {
        nullable: true,
        ..elements(&target.holds)
    };
    let (element, entry) = (constant_element(track.form), constant_element(target.form));
    let mut entries = *track;
    let misfit = match (arrangement(track.form), arrangement(target.form)) {
        (None, _) | (_, None) => None,
        (Some(Nesting::List | Nesting::Set), Some(Nesting::List | Nesting::Set))
        | (Some(Nesting::Map), Some(Nesting::Map)) => {
            fits(element, &elements(&track.holds), entry, &wanted)
        }
        (Some(Nesting::List | Nesting::Set), Some(Nesting::Map)) => {
            entries = Track::made_of(element, elements(&track.holds));
            entries_fit(&entries, entry, &wanted)
        }
        (Some(Nesting::Single), Some(Nesting::Map)) => entries_fit(track, entry, &wanted),
        (Some(Nesting::Single), Some(Nesting::Single)) => match (track.form, target.form) {
            (Form::Objects(from, _), Form::Objects(to, _)) => members_fit(from, to),
            _ => Some(Misfit::Other),
        },
        _ => Some(Misfit::Other),
    };
    if let Some(misfit) = misfit {
        if matches!(misfit, Misfit::Narrower | Misfit::Keys) {
            refuse_misfit(misfit, &entries, target, names);
        }
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
        message.panic();
    }
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
            Message::refuse(
                "none of the objects that `merge` puts together has `{}`, which always has a value in `{}`\nhelp: make it an `Option`, or `convert({}, with = path)`",
                &[name, short(objects.origin.rust_name), names.field],
            );
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

/// The reason that the members of an object are not among those of another, if they are not. One
/// that may be null may also be missing there.
const fn members_fit(from: Objects, to: Objects) -> Option<Misfit> {
    let mut index = 0;
    while index < count(from.members) {
        let part = at(from.members, index);
        let misfit = match member(to.members, name_at(from.members, index)) {
            Some(there) => {
                let takes = there.holds.or_null();
                fits(part.form, &part.holds, there.form, &takes)
            }
            None if part.holds.nullable || part.is_block => None,
            None => Some(Misfit::Other),
        };
        if misfit.is_some() {
            return misfit;
        }
        index += 1;
    }
    None
}

/// The reason that the entries of a map, or the members of an object, are not entries of this kind,
/// if they are not.
const fn entries_fit(of: &Track, wanted: Form, takes: &Holds) -> Option<Misfit> {
    match of.form {
        Form::Plain(Stored::Map(_)) | Form::Objects(_, Nesting::Map) => {
            let element = constant_element(of.form);
            fits(element, &elements(&of.holds), wanted, takes)
        }
        Form::Objects(objects, Nesting::Single) => {
            each!(member in at(objects.members) => {
                let misfit = fits(member.form, &member.holds, wanted, takes);
                if misfit.is_some() {
                    return misfit;
                }
            });
            None
        }
        Form::Open | Form::Plain(Stored::Object(_) | Stored::Dynamic) => None,
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) => Some(Misfit::Other),
    }
}
