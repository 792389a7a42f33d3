//! The abstract value that the proofs compute with, instead of a stored one.

use super::super::table::{Path, Stage};
use super::form::{Form, Member};
use super::guard::{Assumed, is_known};
use super::member;
use crate::schema::table::{Stored, Table};
use crate::schema::{Holds, Nesting};

/// The abstract value: all that is known of a value after some operators, whatever the state.
#[derive(Clone, Copy)]
pub(in super::super) struct Track {
    pub(in super::super) form: Form,
    pub(in super::super) holds: Holds,
    pub(in super::super) made: Made,
}

const OPEN: Holds = Holds::ANYTHING;
/// The keys of a map that takes any strings.
pub(in super::super) const ANY_KEY: &Holds = &OPEN;

impl Track {
    pub(in super::super) const fn made_of(form: Form, holds: Holds) -> Self {
        Self {
            form,
            holds,
            made: Made::Nothing,
        }
    }

    pub(in super::super) const fn null() -> Self {
        Self::made_of(Form::Open, OPEN.or_null())
    }

    pub(in super::super) const fn of(member: Member) -> Self {
        Self::made_of(member.form, member.holds)
    }

    pub(in super::super) const fn text(nullable: bool) -> Self {
        Self::made_of(Form::Made(&Stored::String), Holds { nullable, ..OPEN })
    }

    pub(in super::super) const fn open(nullable: bool) -> Self {
        Self::made_of(Form::Open, Holds { nullable, ..OPEN })
    }

    /// Elements or entries that are not known, in this collection: the keys of a map stay.
    pub(super) const fn with_open_elements(&self) -> Self {
        Self::made_of(
            Form::Open,
            Holds {
                nullable: self.holds.nullable,
                keys: self.keys(),
                ..OPEN
            },
        )
    }

    /// The keys of the map that the value is, if something is known of them.
    pub(in super::super) const fn keys(&self) -> Option<&'static Holds> {
        match self.form {
            Form::Objects(_, Nesting::Map) | Form::Plain(Stored::Map(_))
                if self.holds.given.is_none() =>
            {
                Some(match self.holds.keys {
                    Some(keys) => keys,
                    None => ANY_KEY,
                })
            }
            Form::Open => self.holds.keys,
            Form::Objects(..) | Form::Plain(_) | Form::Made(_) => None,
        }
    }
}

/// A form that an operator made and that no schema has; the form of the [`Track`] is open then.
#[derive(Clone, Copy)]
pub(in super::super) enum Made {
    /// Nothing of that kind.
    Nothing,
    /// A collection of this.
    Collection(Nesting, Part),
    /// An object with this one member.
    Object(&'static str, Part),
    /// A list of objects with a member for the key and one for the value.
    Pairs {
        key: &'static str,
        value: &'static str,
        part: Part,
    },
}

/// The value that is inside of what an operator made.
#[derive(Clone, Copy)]
pub(in super::super) struct Part {
    pub(in super::super) form: Form,
    pub(in super::super) holds: Holds,
}

/// The abstract state between two operators.
#[derive(Clone, Copy)]
pub(in super::super) struct On {
    pub(in super::super) track: Track,
    /// The prior attribute whose value it still is.
    pub(in super::super) of: Option<Path>,
    /// The last operator that acted, and what it met.
    pub(in super::super) last: Option<(&'static Stage, Track)>,
}

/// The names that messages use.
#[derive(Clone, Copy)]
pub(in super::super) struct Names {
    pub(in super::super) field: &'static str,
    pub(in super::super) prior: &'static str,
    pub(in super::super) current: &'static str,
    /// True if the elements of the field are meant.
    pub(in super::super) of_each: bool,
    /// True if no struct says what the prior fields were, so that operators do.
    pub(in super::super) is_difference: bool,
}

impl Names {
    /// The type behind a prior field in a help: left to the author, or left out where a struct has
    /// it.
    pub(in super::super) const fn type_behind(&self) -> &'static str {
        if self.is_difference { ": …" } else { "" }
    }
}

/// Adds what the conditions that hold here say about the prior attribute.
pub(super) const fn known(on: &On, assumed: Option<&Assumed<'_>>) -> On {
    let Some(path) = on.of else { return *on };
    if is_known(path, true, assumed) {
        let track = Track {
            holds: Holds {
                nullable: false,
                ..on.track.holds
            },
            ..on.track
        };
        return On { track, ..*on };
    }
    // Null is assumed only of what may be null, because a collection of blocks is there in any
    // case.
    if is_known(path, false, assumed) && on.track.holds.nullable {
        return On {
            track: Track::null(),
            ..*on
        };
    }
    *on
}

/// The attribute at a path, through nested objects.
pub(in super::super) const fn find(mut members: &'static Table, path: Path) -> Option<Member> {
    let mut index = 0;
    let mut nullable = false;
    while index < path.len() {
        let Some(mut found) = member(members, path[index]) else {
            return None;
        };
        if index + 1 == path.len() {
            found.holds.nullable = found.holds.nullable || nullable;
            return Some(found);
        }
        match found.form {
            Form::Objects(objects, nesting) => {
                // A member may be null if its object may be missing.
                nullable = nullable || found.holds.nullable || !matches!(nesting, Nesting::Single);
                members = objects.members;
            }
            Form::Plain(_) | Form::Made(_) | Form::Open => return None,
        }
        index += 1;
    }
    None
}

pub(in super::super) const fn source(prior: &'static Table, from: Path) -> Track {
    match find(prior, from) {
        Some(member) => Track::of(member),
        None => Track::null(),
    }
}

/// The value at a prior path where these conditions hold.
pub(super) const fn source_where(
    prior: &'static Table,
    from: Path,
    assumed: Option<&Assumed<'_>>,
) -> Track {
    known(
        &On {
            track: source(prior, from),
            of: Some(from),
            last: None,
        },
        assumed,
    )
    .track
}

pub(in super::super) const fn elements(holds: &Holds) -> Holds {
    match holds.elements {
        Some(elements) => *elements,
        None => OPEN,
    }
}

pub(in super::super) const fn constant_element(form: Form) -> Form {
    match form {
        Form::Objects(objects, Nesting::List | Nesting::Set | Nesting::Map) => {
            Form::Objects(objects, Nesting::Single)
        }
        Form::Plain(Stored::List(element) | Stored::Set(element) | Stored::Map(element)) => {
            Form::Plain(element)
        }
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Form::Open,
    }
}
