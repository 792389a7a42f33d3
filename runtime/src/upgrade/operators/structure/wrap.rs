//! `wrap`: a list or set that holds just the value.

use super::super::check::blame::Blame;
use super::super::check::form::Form as Shape;
use super::super::check::track::{Made, Part, Track};
use super::super::form::{Form, Member};
use super::super::going::{Going, Undone, Was};
use super::super::known::Known;
use super::super::transit::Transit;
use super::work::{Checked, Note, Result, Work};
use crate::path::PathStep;
use crate::schema::{Holds, Nesting, Type};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::verdict::Weight;
use crate::value::Value;

pub(super) struct Wrap;

impl Work for Wrap {
    /// True if null stays null instead of becoming a list without elements.
    type Argument = bool;

    fn apply<'f>(
        keep_null: Self::Argument,
        _: Vec<Transit<'f>>,
        transit: Transit<'f>,
        _: Member<'f>,
        _: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        let Transit { value, form, place } = transit;
        if keep_null && value.is_null() {
            return Ok(Transit { value, form, place });
        }
        let list = if value.is_null() {
            Vec::new()
        } else {
            vec![value]
        };
        let form = match form {
            Form::Objects(objects, Nesting::Single) => Form::Objects(objects, Nesting::List),
            Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Form::Open,
        };
        Ok(Transit {
            value: Value::List(list),
            form,
            place: place.wrapped(),
        })
    }

    fn undo(_: Self::Argument, mut going: Going, _: &Was<'_>) -> Result<Undone> {
        // The first element alone, because what is behind it differs when it is upgraded again.
        if let Value::List(list) = going.value {
            if !list.is_empty() {
                going.place = going.place.step(PathStep::Index(0));
            }
            going.value = list.into_iter().next().unwrap_or_default();
        }
        Ok(Undone::Before(going))
    }

    fn makes(_: Self::Argument, ty: Option<Type>, _: Option<&Type>) -> Option<Type> {
        Some(Type::list(ty?))
    }

    fn leaves_null(keep_null: Self::Argument, known: &Known<'_>) -> bool {
        keep_null && known.nullable
    }

    fn judge_down(keep_null: Self::Argument, _: &Known<'_>, note: &mut Note<'_>) {
        note(Weight::Lost, "the elements behind the first");
        if keep_null {
            note(Weight::Lost, "a list without elements");
        }
    }
}

#[track_caller]
pub(super) const fn check(keep_null: bool, checked: &Checked<'_>, _: &mut Blame) -> Track {
    let track = checked.track;
    let holds = Holds {
        nullable: keep_null && track.holds.nullable,
        ..Holds::ANYTHING
    };
    match (track.form, track.made) {
        (Shape::Objects(objects, Nesting::Single), _) => {
            Track::made_of(Shape::Objects(objects, Nesting::List), holds)
        }
        (Shape::Open, _) => Track::made_of(Shape::Open, holds),
        (form, _) => {
            let made = Made::Collection(
                Nesting::List,
                Part {
                    form,
                    holds: track.holds,
                },
            );
            Track {
                form: Shape::Open,
                holds,
                made,
            }
        }
    }
}
