//! `wrap(…, as = member)`: an object that holds the value as this member.

use std::collections::BTreeMap;

use super::super::check::blame::Blame;
use super::super::check::form::Form as Shape;
use super::super::check::track::{Made, Part, Track};
use super::super::form::{Form, Member, member};
use super::super::going::{Going, Undone, Was};
use super::super::table::PutMember;
use super::super::transit::Transit;
use super::work::{Checked, Result, Work};
use crate::schema::{Field, Holds, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

pub(super) struct Enclose;

impl Work for Enclose {
    type Argument = PutMember;
    const LOST_BACK: Option<&'static str> = Some("other members of the object");

    fn apply<'f>(
        name: Self::Argument,
        _: Vec<Transit<'f>>,
        transit: Transit<'f>,
        _: Member<'f>,
        _: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        if transit.value.is_null() {
            return Ok(transit);
        }
        let object = Value::Map(BTreeMap::from([(name.to_owned(), transit.value)]));
        Ok(Transit {
            value: object,
            form: Form::Open,
            ..transit
        })
    }

    fn undo(name: Self::Argument, mut going: Going, _: &Was<'_>) -> Result<Undone> {
        going.form = match going.form {
            Form::Objects(objects, _) => {
                member(objects.members, name).map_or(Form::Open, |member| member.form)
            }
            Form::Plain(_) | Form::Made(_) | Form::Open => Form::Open,
        };
        if let Value::Map(mut object) = going.value {
            going.value = object.remove(name).unwrap_or_default();
        }
        going.place = going.place.below(name, false);
        Ok(Undone::Before(going))
    }

    fn makes(name: Self::Argument, ty: Option<Type>, _: Option<&Type>) -> Option<Type> {
        Some(Type::object([Field::new(name, ty?)]))
    }
}

#[track_caller]
pub(super) const fn check(name: PutMember, checked: &Checked<'_>, _: &mut Blame) -> Track {
    let track = checked.track;
    let holds = Holds {
        nullable: track.holds.nullable,
        ..Holds::ANYTHING
    };
    let made = match (track.form, track.made) {
        (Shape::Open, _) => Made::Nothing,
        (form, _) => Made::Object(
            name,
            Part {
                form,
                holds: track.holds,
            },
        ),
    };
    Track {
        form: Shape::Open,
        holds,
        made,
    }
}
