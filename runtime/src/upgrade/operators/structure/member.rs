//! `unwrap(…, member = member)`: this member of an object. Other members must be null.

use std::collections::BTreeMap;

use super::super::check::blame::Blame;
use super::super::check::form::Form as Shape;
use super::super::check::made::needed_beside;
use super::super::check::names::suggested;
use super::super::check::refusal::impossible_here;
use super::super::check::track::{Made, Track, elements};
use super::super::check::{member, same, short};
use super::super::form::{Form, Member as Target, member_form};
use super::super::going::{Going, Undone, Was};
use super::super::known::Known;
use super::super::table::TakenMember;
use super::super::transit::Transit;
use super::work::{Checked, Result, Work};
use crate::message::Message;
use crate::path::PathStep;
use crate::schema::table::Stored;
use crate::schema::{Holds, Nesting, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

pub(super) struct Member;

impl Work for Member {
    type Argument = TakenMember;
    const REFUSED: Option<&'static str> = Some("a value in another member");

    fn apply<'f>(
        name: Self::Argument,
        _: Vec<Transit<'f>>,
        transit: Transit<'f>,
        _: Target<'f>,
        _: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        let Transit { value, form, place } = transit;
        let Value::Map(mut object) = value else {
            return Ok(Transit { value, form, place });
        };
        let value = object.remove(name).unwrap_or_default();
        if let Some((other, _)) = object.iter().find(|(_, value)| !value.is_null()) {
            return Err(place
                .step(PathStep::Attribute(other.clone().into()))
                .refuse(format_args!("only {name:?} has a place")));
        }
        let (form, sensitive) = member_form(form, name);
        Ok(Transit {
            value,
            form,
            place: place.below(name, sensitive),
        })
    }

    fn undo(name: Self::Argument, going: Going, _: &Was<'_>) -> Result<Undone> {
        let Going {
            value,
            place,
            nullable,
            ..
        } = going;
        let value = if value.is_null() && nullable {
            value
        } else {
            Value::Map(BTreeMap::from([(name.to_owned(), value)]))
        };
        Ok(Undone::Before(Going {
            value,
            form: Form::Open,
            place,
            nullable,
        }))
    }

    fn makes(name: Self::Argument, ty: Option<Type>, _: Option<&Type>) -> Option<Type> {
        let Type::Object(fields) = ty? else {
            return None;
        };
        let field = fields.iter().find(|field| field.name() == name)?;
        Some(field.ty().clone())
    }

    fn leaves_null(_: Self::Argument, _: &Known<'_>) -> bool {
        true
    }

    fn lost(_: Self::Argument, known: &Known<'_>) -> Option<&'static str> {
        known
            .nullable
            .then_some("whether an object without values was stored")
    }
}

#[track_caller]
pub(super) const fn check(name: TakenMember, checked: &Checked<'_>, _: &mut Blame) -> Track {
    let Checked {
        stage,
        track,
        target,
        names,
        ..
    } = *checked;
    let nullable = track.holds.nullable;
    match (track.form, track.made) {
        (Shape::Objects(objects, Nesting::Single), _) => {
            let Some(found) = member(objects.members, name) else {
                if objects.origin.rust_name.is_empty() {
                    return Track::made_of(Shape::Open, Holds::ANYTHING.or_null());
                }
                let message = Message::new().format(
                    "`{}` has no member `{}`\nhelp: ",
                    &[short(objects.origin.rust_name), name],
                );
                suggested(message, objects.members, name).panic();
            };
            if let Some(other) = needed_beside(objects.members, name, objects.without) {
                Message::refuse(
                    "`{}` has `{}` next to `{}`, which would be lost: `unwrap` takes `{}` out of objects that hold nothing else\nhelp: `unnest` moves several members, `convert({}, with = path)` makes any value of them",
                    &[
                        short(objects.origin.rust_name),
                        other,
                        name,
                        name,
                        names.field,
                    ],
                );
            }
            Track::made_of(
                found.form,
                Holds {
                    nullable: nullable || found.holds.nullable,
                    ..found.holds
                },
            )
        }
        (Shape::Objects(objects, Nesting::Map), _) => Track::made_of(
            Shape::Objects(objects, Nesting::Single),
            Holds::ANYTHING.or_null(),
        ),
        (Shape::Plain(Stored::Map(element)), _) => {
            Track::made_of(Shape::Plain(element), elements(&track.holds).or_null())
        }
        (Shape::Open, Made::Object(there, part)) if same(there, name) => {
            Track::made_of(part.form, part.holds)
        }
        (Shape::Open, Made::Nothing) | (Shape::Plain(Stored::Object(_) | Stored::Dynamic), _) => {
            Track::made_of(
                Shape::Open,
                Holds {
                    nullable,
                    ..Holds::ANYTHING
                },
            )
        }
        _ => impossible_here(stage, track, target, names),
    }
}
