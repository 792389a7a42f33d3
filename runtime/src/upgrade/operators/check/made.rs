//! Tracks what the operators that change the form of a value make of it, and what none of them can
//! make.

use super::super::table::{Operation, Stage};
use super::fit::{Misfit, fits, known_keys_fit};
use super::form::{Form, Member, Objects};
use super::refusal::impossible;
use super::track::{Made, Names, Part, Track, constant_element, elements};
use super::{at, count, each, member, name_at, same};
use crate::schema::table::{Stored, Table};
use crate::schema::{Holds, Nesting, Origin};

impl Part {
    /// The reason that the part cannot be there, if it cannot. Null is checked where a value is not
    /// inside of another.
    const fn misfit(&self, form: Form, holds: &Holds) -> Option<Misfit> {
        if let (Form::Plain(Stored::Map(_)), Form::Objects(objects, Nesting::Single)) =
            (self.form, form)
            && may_be_members(self.form, objects)
        {
            return None;
        }
        fits_without_upgraders(
            self.form,
            &Holds {
                nullable: false,
                ..self.holds
            },
            form,
            holds,
        )
    }
}

/// As [`fits`], of something inside of what an operator made. Which struct it came from is not
/// known any more when the operators have run, so nested objects do not come through an upgrader of
/// their own.
pub(in super::super) const fn fits_without_upgraders(
    from: Form,
    from_holds: &Holds,
    form: Form,
    holds: &Holds,
) -> Option<Misfit> {
    let misfit = fits(from, from_holds, form, holds);
    match (misfit, from, form) {
        (None, Form::Objects(prior, _), Form::Objects(current, nesting)) => {
            let origin = Origin {
                upgraders: &[],
                ..current.origin
            };
            let before = Origin {
                upgraders: &[],
                ..prior.origin
            };
            let Form::Objects(_, arranged) = from else {
                return misfit;
            };
            match fits(
                Form::Objects(
                    Objects {
                        origin: before,
                        ..prior
                    },
                    arranged,
                ),
                from_holds,
                Form::Objects(Objects { origin, ..current }, nesting),
                holds,
            ) {
                Some(_) => Some(Misfit::NotRun(
                    prior.origin.rust_name,
                    current.origin.rust_name,
                )),
                None => None,
            }
        }
        _ => misfit,
    }
}

/// The reason that what has been made does not fit the target, if it does not.
pub(in super::super) const fn settles(track: &Track, target: &Member) -> Option<Misfit> {
    if matches!(track.made, Made::Nothing) {
        return fits(track.form, &track.holds, target.form, &target.holds);
    }
    if matches!(target.form, Form::Open | Form::Plain(Stored::Dynamic)) {
        return None;
    }
    let misfit = match track.made {
        Made::Nothing => None,
        Made::Collection(nesting, part) => {
            if same_arrangement(nesting, target.form) {
                part.misfit(constant_element(target.form), &elements(&target.holds))
            } else {
                Some(Misfit::Other)
            }
        }
        Made::Object(name, part) => match target.form {
            Form::Objects(objects, Nesting::Single) => member_takes(objects, name, &part, None),
            Form::Objects(_, Nesting::Map) | Form::Plain(Stored::Map(_)) => {
                part.misfit(constant_element(target.form), &elements(&target.holds))
            }
            Form::Plain(Stored::Object(_)) => None,
            Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Some(Misfit::Other),
        },
        Made::Pairs { key, value, part } => match target.form {
            Form::Objects(objects, Nesting::List | Nesting::Set) => {
                match member(objects.members, key) {
                    Some(Member {
                        form: Form::Plain(Stored::String | Stored::Dynamic) | Form::Open,
                        ..
                    }) => member_takes(objects, value, &part, Some(key)),
                    _ => Some(Misfit::Other),
                }
            }
            Form::Plain(Stored::List(_) | Stored::Set(_)) => match constant_element(target.form) {
                Form::Plain(Stored::Map(inner @ Stored::String)) => {
                    part.misfit(Form::Plain(inner), &Holds::ANYTHING)
                }
                Form::Plain(Stored::Map(Stored::Dynamic) | Stored::Object(_) | Stored::Dynamic)
                | Form::Open => None,
                Form::Objects(..) | Form::Plain(_) | Form::Made(_) => Some(Misfit::Other),
            },
            Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Some(Misfit::Other),
        },
    };
    match misfit {
        None if track.holds.nullable && !target.holds.nullable => Some(Misfit::Null),
        None if !known_keys_fit(track.form, &track.holds, &target.holds) => Some(Misfit::Keys),
        misfit => misfit,
    }
}

/// The reason that the objects do not take the part as this member, or need something else; `None`
/// if neither.
const fn member_takes(
    objects: Objects,
    name: &'static str,
    part: &Part,
    key: Option<&str>,
) -> Option<Misfit> {
    let Some(target) = member(objects.members, name) else {
        return Some(Misfit::NoMember(objects, name));
    };
    if let Some(misfit) = part.misfit(target.form, &target.holds) {
        return Some(misfit);
    }
    match needed_beside(objects.members, name, key) {
        Some(other) => Some(Misfit::Needs(objects.origin.rust_name, other)),
        None => None,
    }
}

/// True if the entries of a map may be all members that always have a value.
pub(super) const fn may_be_members(map: Form, objects: Objects) -> bool {
    let entry = constant_element(map);
    each!(member in at(objects.members) => {
        if !member.holds.nullable
            && !member.is_block
            && fits(entry, &Holds::ANYTHING, member.form, &Holds::ANYTHING).is_some()
        {
            return false;
        }
    });
    true
}

/// The first member, but for one or two, that always has a value.
pub(in super::super) const fn needed_beside(
    members: &'static Table,
    name: &str,
    key: Option<&str>,
) -> Option<&'static str> {
    let mut index = 0;
    while index < count(members) {
        let there = name_at(members, index);
        let is_key = match key {
            Some(key) => same(there, key),
            None => false,
        };
        let member = at(members, index);
        if !same(there, name) && !is_key && !member.holds.nullable && !member.is_block {
            return Some(there);
        }
        index += 1;
    }
    None
}

/// True if a form is a collection of this arrangement; lists and sets are one.
pub(super) const fn same_arrangement(nesting: Nesting, form: Form) -> bool {
    match arrangement(form) {
        Some(Nesting::List | Nesting::Set) => matches!(nesting, Nesting::List | Nesting::Set),
        Some(Nesting::Map) => matches!(nesting, Nesting::Map),
        _ => false,
    }
}

/// The arrangement of the elements of a form; `None` if that is not known.
pub(in super::super) const fn arrangement(form: Form) -> Option<Nesting> {
    match form {
        Form::Objects(_, nesting) => Some(nesting),
        Form::Plain(Stored::List(_) | Stored::Tuple(_)) => Some(Nesting::List),
        Form::Plain(Stored::Set(_)) => Some(Nesting::Set),
        Form::Plain(Stored::Map(_)) => Some(Nesting::Map),
        Form::Plain(Stored::Dynamic) | Form::Open => None,
        Form::Plain(_) | Form::Made(_) => Some(Nesting::Single),
    }
}

/// The arrangement of the elements that `each` changes, if they are known to be in a collection.
pub(super) const fn collected(track: &Track) -> Option<Nesting> {
    let nesting = match track.made {
        Made::Collection(nesting, _) => Some(nesting),
        Made::Nothing | Made::Object(..) | Made::Pairs { .. } => arrangement(track.form),
    };
    match nesting {
        Some(Nesting::Single) => None,
        nesting => nesting,
    }
}

/// The elements that `each` meets; refused if they do not stay in a collection of the target's
/// arrangement.
#[track_caller]
pub(super) const fn of_each(
    stage: &'static Stage,
    track: &Track,
    target: &Member,
    last: bool,
    names: Names,
) -> Track {
    let (inner, nesting) = match track.made {
        Made::Collection(nesting, part) => (Track::made_of(part.form, part.holds), Some(nesting)),
        Made::Nothing | Made::Object(..) | Made::Pairs { .. } => (
            Track::made_of(constant_element(track.form), elements(&track.holds)),
            arrangement(track.form),
        ),
    };
    if last && let (Some(nesting), Some(wanted)) = (nesting, arrangement(target.form)) {
        let stays = match (wanted, target.form) {
            // The entries of a map may be the members of an object, but are not converted to what
            // each of them is.
            (Nesting::Single, Form::Objects(objects, _)) if matches!(nesting, Nesting::Map) => {
                match stage.operation {
                    Operation::Convert(..) => may_be_members(track.form, objects),
                    Operation::Json() => false,
                    Operation::Take(..)
                    | Operation::Copy(..)
                    | Operation::Set(_)
                    | Operation::Default(..)
                    | Operation::NullIf(_)
                    | Operation::Function(..)
                    | Operation::Values(..)
                    | Operation::Reformat(..)
                    | Operation::Compose(_)
                    | Operation::Extract(..)
                    | Operation::Structure(_)
                    | Operation::Combine(..)
                    | Operation::Named(_) => true,
                }
            }
            (Nesting::Single, _) => false,
            _ => same_arrangement(nesting, target.form),
        };
        if !stays {
            impossible(
                "`each` changes the elements, and leaves a list a list and a map a map",
                stage,
                track,
                target,
                names,
            );
        }
    }
    inner
}

/// The elements of a target; of an object, one of the members that always have a value.
pub(super) const fn element_of(target: &Member) -> Member {
    if let Form::Objects(objects, Nesting::Single) = target.form
        && let Some(name) = needed_beside(objects.members, "", None)
        && let Some(member) = member(objects.members, name)
    {
        return member;
    }
    Member {
        form: constant_element(target.form),
        holds: elements(&target.holds),
        ..*target
    }
}

/// True if the elements of a form may be objects or maps.
pub(in super::super) const fn holds_objects(form: Form) -> bool {
    matches!(
        constant_element(form),
        Form::Objects(..)
            | Form::Open
            | Form::Plain(Stored::Map(_) | Stored::Object(_) | Stored::Dynamic)
    )
}

/// The list of strings that `split` makes.
pub(in super::super) const fn split(nullable: bool) -> Track {
    const TEXTS: Part = Part {
        form: Form::Made(&Stored::String),
        holds: Holds::ANYTHING,
    };
    Track {
        form: Form::Open,
        holds: Holds {
            nullable,
            ..Holds::ANYTHING
        },
        made: Made::Collection(Nesting::List, TEXTS),
    }
}
