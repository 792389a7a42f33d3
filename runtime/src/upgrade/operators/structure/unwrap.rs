//! `unwrap`: the only element of a list or set.

use std::collections::BTreeMap;

use super::super::check::blame::Blame;
use super::super::check::form::Form as Shape;
use super::super::check::refusal::impossible_here;
use super::super::check::track::{Made, Track, elements};
use super::super::form::{Form, Member, element};
use super::super::going::{Going, Undone, Was};
use super::super::known::Known;
use super::super::table::{Many, NoElement};
use super::super::transit::Transit;
use super::work::{Checked, Note, Result, Work};
use crate::path::PathStep;
use crate::schema::table::Stored;
use crate::schema::{Holds, Nesting, Type};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::verdict::Weight;
use crate::value::Value;

pub(super) struct Unwrap;

impl Work for Unwrap {
    type Argument = (Many, NoElement);

    fn apply<'f>(
        (many, empty): Self::Argument,
        _: Vec<Transit<'f>>,
        transit: Transit<'f>,
        _: Member<'f>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        let Transit { value, form, place } = transit;
        let in_set = matches!(
            form,
            Form::Objects(_, Nesting::Set) | Form::Plain(Type::Set(_))
        );
        let form = element_of_list(form);
        if value.is_null() && empty == NoElement::Refuse {
            return Err(place.refuse("expected one element, found null"));
        }
        let Value::List(list) = value else {
            return Ok(Transit { value, form, place });
        };
        if list.len() > 1 {
            if many == Many::Refuse {
                return Err(place.refuse(format_args!(
                    "there are {} elements where at most one was expected",
                    list.len()
                )));
            }
            for index in (1..list.len()).filter_map(|index| u64::try_from(index).ok()) {
                context.note_dropped(
                    place.step(PathStep::Index(index)).into_path(),
                    "only the first element counts",
                );
            }
        }
        let (value, place) = match (list.into_iter().next(), empty) {
            // Members are reported at the first element, because they are in it.
            (Some(value), _) => (
                value,
                if in_set {
                    place.step(PathStep::Element(None))
                } else {
                    place.step(PathStep::Index(0))
                },
            ),
            (None, NoElement::Null) => (Value::Null, place),
            (None, NoElement::Object) => (Value::Map(BTreeMap::new()), place),
            (None, NoElement::Refuse) => {
                return Err(place.refuse("expected one element, found none"));
            }
        };
        Ok(Transit { value, form, place })
    }

    fn undo(_: Self::Argument, mut going: Going, _: &Was<'_>) -> Result<Undone> {
        if !going.value.is_null() {
            going.value = Value::List(vec![going.value]);
            going.place = going.place.wrapped();
        } else if !going.nullable {
            going.value = Value::List(Vec::new());
        }
        Ok(Undone::Before(going))
    }

    fn makes(_: Self::Argument, ty: Option<Type>, _: Option<&Type>) -> Option<Type> {
        let ty = ty?;
        if let Type::List(element) | Type::Set(element) = &ty {
            Some((**element).clone())
        } else {
            Some(ty)
        }
    }

    fn leaves_null((_, empty): Self::Argument, known: &Known<'_>) -> bool {
        match empty {
            NoElement::Null => true,
            NoElement::Object => known.nullable,
            NoElement::Refuse => false,
        }
    }

    fn judge_up((many, empty): Self::Argument, known: &Known<'_>, note: &mut Note<'_>) {
        if many == Many::Refuse {
            note(Weight::Refused, "more than one element");
        }
        if empty == NoElement::Refuse {
            note(Weight::Refused, "no element");
        }
        if many == Many::First {
            note(Weight::Lost, "the elements behind the first");
        }
        if known.nullable && empty != NoElement::Refuse {
            note(Weight::Lost, "whether null or an empty list was stored");
        }
        if empty == NoElement::Object {
            note(Weight::Lost, "whether there was an element");
        }
    }
}

/// The form of a list's elements; a single object stays what it is.
fn element_of_list(form: Form<'_>) -> Form<'_> {
    match form {
        Form::Objects(objects, Nesting::List | Nesting::Set) => {
            Form::Objects(objects, Nesting::Single)
        }
        Form::Plain(Type::List(_) | Type::Set(_)) => element(form),
        other @ (Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open) => other,
    }
}

#[track_caller]
pub(super) const fn check(
    (_, empty): (Many, NoElement),
    checked: &Checked<'_>,
    _: &mut Blame,
) -> Track {
    let Checked {
        stage,
        track,
        target,
        names,
        ..
    } = *checked;
    let may_be_null = matches!(empty, NoElement::Null)
        || (track.holds.nullable && !matches!(empty, NoElement::Refuse));
    let holds = Holds {
        nullable: may_be_null,
        ..elements(&track.holds)
    };
    match (track.form, track.made) {
        (Shape::Objects(objects, Nesting::List | Nesting::Set), _) => {
            Track::made_of(Shape::Objects(objects, Nesting::Single), holds)
        }
        (Shape::Plain(Stored::List(element) | Stored::Set(element)), _) => {
            Track::made_of(Shape::Plain(element), holds)
        }
        (Shape::Open, Made::Collection(Nesting::List | Nesting::Set, part)) => Track::made_of(
            part.form,
            Holds {
                nullable: may_be_null,
                ..part.holds
            },
        ),
        (Shape::Open, Made::Nothing | Made::Pairs { .. }) => Track::made_of(Shape::Open, holds),
        _ => impossible_here(stage, track, target, names),
    }
}
