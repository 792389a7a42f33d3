//! `variants`: an enum with data whose variants have other names, are no more or are new, and whose
//! contents have members of other names.
//!
//! It works on the enum itself and on the elements of one collection of it. The names are stored
//! ones; the derive looks those up.

mod check;
mod text;

use std::collections::BTreeMap;
use std::fmt;

use self::check::check_variants;
pub(in crate::upgrade::operators) use self::text::changed;
use super::super::check::blame::Blame;
use super::super::check::track::Track;
use super::super::form::{Form, Member};
use super::super::going::{Going, Undone, Was};
use super::super::known::Known;
use super::super::notation::literal_value;
use super::super::place::Place;
use super::super::scalar::{Makes, Seen, convert};
use super::super::table::{EmptyText, MemberChange, VariantChange, Variants as Changes};
use super::super::transit::Transit;
use super::work::{Checked, Result, Work};
use crate::path::PathStep;
use crate::schema::table::{Stored, TypeInfo};
use crate::schema::{Tagging, Takes, Type, UnionType};
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

pub(super) struct Variants;

impl Work for Variants {
    type Argument = Changes;

    fn apply<'f>(
        changes: Self::Argument,
        _: Vec<Transit<'f>>,
        transit: Transit<'f>,
        target: Member<'f>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        let Transit {
            mut value,
            form,
            place,
        } = transit;
        let ty = match (form, target.form) {
            (Form::Plain(ty), _)
            | (Form::Objects(..) | Form::Made(_) | Form::Open, Form::Plain(ty)) => ty,
            (Form::Objects(..) | Form::Made(_) | Form::Open, _) => {
                return Ok(Transit { value, form, place });
            }
        };
        each_of(&mut value, ty, &place, &mut |value, union, place| {
            upgrade(value, union, changes, place, context)
        })?;
        Ok(Transit { value, form, place })
    }

    fn undo(changes: Self::Argument, going: Going, _: &Was<'_>) -> Result<Undone> {
        let Going {
            mut value,
            form,
            place,
            nullable,
        } = going;
        if let Form::Plain(ty) = form {
            each_of(&mut value, ty, &place, &mut |value, union, place| {
                downgrade(value, &union.form(), changes, place)
            })?;
        }
        Ok(Undone::Before(Going {
            value,
            form,
            place,
            nullable,
        }))
    }

    fn makes(_: Self::Argument, ty: Option<Type>, goal: Option<&Type>) -> Option<Type> {
        goal.cloned().or(ty)
    }

    fn lost(changes: Self::Argument, _: &Known<'_>) -> Option<&'static str> {
        let has = |is: fn(&VariantChange) -> bool| changes.iter().any(is);
        if has(|change| matches!(change, VariantChange::Dropped { .. })) {
            return Some("the dropped variant, and its content");
        }
        let drops = has(|change| {
            matches!(
                change,
                VariantChange::Member {
                    change: MemberChange::Dropped { .. },
                    ..
                }
            )
        });
        if drops {
            return Some("the dropped members of variants");
        }
        let fills = has(|change| {
            matches!(
                change,
                VariantChange::Member {
                    change: MemberChange::Default { .. },
                    ..
                }
            )
        });
        if fills {
            return Some("whether the default of a member of a variant was stored");
        }
        converts(changes, narrows).then_some("the spelling of a converted member of a variant")
    }

    fn refused(changes: Self::Argument, _: &Known<'_>) -> Option<&'static str> {
        converts(changes, refuses)
            .then_some("a member of a variant that its new type does not take")
    }

    fn lost_back(changes: Self::Argument, _: &Known<'_>) -> Option<&'static str> {
        let sets = |change: &VariantChange| {
            matches!(
                change,
                VariantChange::Member {
                    change: MemberChange::Set { .. },
                    ..
                }
            )
        };
        let sets = changes
            .iter()
            .any(sets)
            .then_some("a member of a variant that is new");
        sets.or(
            converts(changes, widens).then_some("the spelling of a converted member of a variant")
        )
    }

    fn refused_back(changes: Self::Argument, _: &Known<'_>) -> Option<&'static str> {
        let adds = |change: &VariantChange| matches!(change, VariantChange::Added { .. });
        let adds = changes.iter().any(adds).then_some("a variant that is new");
        let refuses = converts(changes, |from, to| refuses(to, from));
        adds.or(refuses.then_some("a member of a variant that its earlier type does not take"))
    }
}

/// True if a member is converted between such types.
fn converts(changes: Changes, between: fn(&TypeInfo, &TypeInfo) -> bool) -> bool {
    changes.iter().any(|change| {
        matches!(change, VariantChange::Member { change: MemberChange::Converted { from, to, .. }, .. } if between(from, to))
    })
}

/// True if the text of a scalar of a type is not always that of one of another.
fn narrows(from: &TypeInfo, to: &TypeInfo) -> bool {
    matches!(
        (&from.stored, &to.stored),
        (Stored::String, Stored::Number | Stored::Bool) | (Stored::Number, Stored::Bool)
    )
}

fn widens(from: &TypeInfo, to: &TypeInfo) -> bool {
    narrows(to, from)
}

/// True if not every scalar of a type is one of another: those that are few strings seldom have
/// the text of a number.
fn refuses(from: &TypeInfo, to: &TypeInfo) -> bool {
    narrows(from, to) || matches!(to.holds.takes, Takes::Texts(_))
}

/// True if strings of a type may be empty.
const fn is_any_text(of: &TypeInfo) -> bool {
    matches!(of.stored, Stored::String) && !matches!(of.holds.takes, Takes::Texts(_))
}

impl fmt::Display for VariantChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Renamed { from, to } => write!(f, "{from:?} => {to:?}"),
            Self::Dropped {
                name,
                reason,
                becomes,
            } => write!(f, "drop({name:?}, {reason:?}, as = {becomes:?})"),
            Self::Added { name } => write!(f, "add({name:?})"),
            Self::Member { variant, change } => match change {
                MemberChange::Renamed { from, to } => write!(f, "{variant:?}.{from} => {to}"),
                MemberChange::Dropped { name, reason } => {
                    write!(f, "drop({variant:?}.{name}, {reason:?})")
                }
                MemberChange::Set { name, value } => write!(f, "{variant:?}.{name} = {value}"),
                MemberChange::Default { name, value } => {
                    write!(f, "default({variant:?}.{name} = {value})")
                }
                MemberChange::Converted {
                    name,
                    empty: EmptyText::Unsaid,
                    ..
                } => write!(f, "convert({variant:?}.{name})"),
                MemberChange::Converted { name, empty, .. } => {
                    write!(f, "convert({variant:?}.{name}, empty = {})", empty.name())
                }
            },
        }
    }
}

type OnOne<'a> = dyn FnMut(&mut Value, &UnionType, &Place) -> Result<()> + 'a;

/// Calls `act` with each value of the enum in a value of this type.
fn each_of(value: &mut Value, ty: &Type, place: &Place, act: &mut OnOne<'_>) -> Result<()> {
    match (ty, value) {
        (Type::Union(union), value) => act(value, union, place),
        (Type::List(element) | Type::Set(element), Value::List(list)) => {
            for (value, index) in list.iter_mut().zip(0..) {
                each_of(value, element, &place.step(PathStep::Index(index)), act)?;
            }
            Ok(())
        }
        (Type::Map(element), Value::Map(map)) => {
            for (key, value) in map {
                each_of(value, element, &place.step(PathStep::Key(key.clone())), act)?;
            }
            Ok(())
        }
        (
            Type::List(_)
            | Type::Set(_)
            | Type::Map(_)
            | Type::Bool
            | Type::String
            | Type::Number
            | Type::Dynamic
            | Type::Tuple(_)
            | Type::Object(_)
            | Type::Json,
            _,
        ) => Ok(()),
    }
}

/// The parts of a value that has a tag: its variant, and the object that it holds, if it holds one.
struct Tagged<'v> {
    name: &'v mut String,
    content: Option<&'v mut BTreeMap<String, Value>>,
}

/// Calls `act` with the variant's name and its content; a name that is a key is put in again.
fn tagged<R>(
    value: &mut Value,
    tagging: &Tagging<'_>,
    act: impl FnOnce(Tagged<'_>) -> R,
) -> Option<R> {
    match (tagging, value) {
        (Tagging::External, Value::String(name)) => Some(act(Tagged {
            name,
            content: None,
        })),
        (Tagging::External, Value::Map(map)) if map.len() == 1 => {
            let (mut name, mut content) = map.pop_first()?;
            let object = if let Value::Map(object) = &mut content {
                Some(object)
            } else {
                None
            };
            let result = act(Tagged {
                name: &mut name,
                content: object,
            });
            map.insert(name, content);
            Some(result)
        }
        (Tagging::Internal(tag), Value::Map(map)) => {
            let Some(Value::String(name)) = map.get_mut(&**tag) else {
                return None;
            };
            let mut name = std::mem::take(name);
            // Outside of the object meanwhile, so that a member does not take the tag's place.
            map.remove(&**tag);
            let result = act(Tagged {
                name: &mut name,
                content: Some(map),
            });
            map.insert(tag.clone().into_owned(), Value::String(name));
            Some(result)
        }
        (Tagging::Adjacent(tag, content), Value::Map(map)) => {
            let mut held = map.remove(&**content);
            let object = if let Some(Value::Map(object)) = &mut held {
                Some(object)
            } else {
                None
            };
            let result = match map.get_mut(&**tag) {
                Some(Value::String(name)) => Some(act(Tagged {
                    name,
                    content: object,
                })),
                Some(_) | None => None,
            };
            if let Some(held) = held {
                map.insert(content.clone().into_owned(), held);
            }
            result
        }
        // Values that do not have this form are for the model to refuse.
        (
            Tagging::External | Tagging::Internal(_) | Tagging::Adjacent(..) | Tagging::Untagged,
            _,
        ) => None,
    }
}

/// The place of the members of a variant of this stored name.
fn place_of_content(place: &Place, tagging: &Tagging<'_>, name: &str) -> Place {
    match tagging {
        Tagging::External => place.below(name, false),
        Tagging::Adjacent(_, content) => place.below(content, false),
        Tagging::Internal(_) | Tagging::Untagged => place.clone(),
    }
}

/// The value of a variant that holds nothing.
fn without_content(value: &mut Value, tagging: &Tagging<'_>, name: &str) {
    *value = match tagging {
        Tagging::External | Tagging::Untagged => Value::String(name.to_owned()),
        Tagging::Internal(tag) | Tagging::Adjacent(tag, _) => Value::Map(BTreeMap::from([(
            tag.clone().into_owned(),
            Value::String(name.to_owned()),
        )])),
    };
}

/// True if a value holds more than the name of its variant.
fn has_content(value: &Value, tagging: &Tagging<'_>) -> bool {
    match (tagging, value) {
        (Tagging::Internal(_) | Tagging::Adjacent(..), Value::Map(map)) => map.len() > 1,
        (Tagging::External, Value::Map(map)) => map.values().any(|content| !content.is_null()),
        (
            Tagging::External | Tagging::Internal(_) | Tagging::Adjacent(..) | Tagging::Untagged,
            _,
        ) => false,
    }
}

fn upgrade(
    value: &mut Value,
    union: &UnionType,
    changes: Changes,
    place: &Place,
    context: &mut UpgradeContext<'_>,
) -> Result<()> {
    let tagging = &union.form();
    let dropped: Option<Result<Option<(&str, &str)>>> =
        tagged(value, tagging, |Tagged { name, content }| {
            let inside = place_of_content(place, tagging, name);
            // Otherwise no change would be for it, because changes go by the stored name.
            if let Some(stored) = union.aliased(name) {
                stored.clone_into(name);
            }
            for change in changes {
                match change {
                    VariantChange::Renamed { from, to } if name == from => {
                        (*to).clone_into(name);
                        break;
                    }
                    VariantChange::Dropped {
                        name: from,
                        becomes,
                        reason,
                    } if name == from => return Ok(Some((*becomes, *reason))),
                    VariantChange::Renamed { .. }
                    | VariantChange::Dropped { .. }
                    | VariantChange::Added { .. }
                    | VariantChange::Member { .. } => {}
                }
            }
            if let Some(content) = content {
                upgrade_members(content, name, changes, &inside, context)?;
            }
            Ok(None)
        });
    if let Some((becomes, reason)) = dropped.transpose()?.flatten() {
        if has_content(value, tagging) {
            context.note_dropped(place.path(), reason);
        }
        without_content(value, tagging, becomes);
    }
    Ok(())
}

/// Changes the members of a variant, all at once, so that two may trade their names.
fn upgrade_members(
    object: &mut BTreeMap<String, Value>,
    variant: &str,
    changes: Changes,
    place: &Place,
    context: &mut UpgradeContext<'_>,
) -> Result<()> {
    let mut made = Vec::new();
    for change in members(changes, variant) {
        match change {
            MemberChange::Renamed { from, to } => {
                made.extend(object.remove(*from).map(|value| (*to, value)));
            }
            MemberChange::Dropped { name, reason } => {
                if object.remove(*name).is_some_and(|value| !value.is_null()) {
                    context.note_dropped(place.below(name, false).into_path(), reason);
                }
            }
            MemberChange::Set { name, value } => made.push((*name, literal_value(value))),
            MemberChange::Default { .. } | MemberChange::Converted { .. } => {}
        }
    }
    for (name, value) in made {
        // No schema of the prior version has a member of this name, which otherwise would end
        // without a report.
        if object
            .insert(name.to_owned(), value)
            .is_some_and(|value| !value.is_null())
        {
            context.note_replaced(&place.below(name, false).into_path());
        }
    }
    // Last, because a member that was renamed is meant by its later name, and a default is of the
    // later type.
    for change in members(changes, variant) {
        if let MemberChange::Converted {
            name, to, empty, ..
        } = change
        {
            convert_member(object, name, (*to, *empty), place)?;
        }
    }
    for change in members(changes, variant) {
        if let MemberChange::Default { name, value } = change
            && object.get(*name).is_none_or(Value::is_null)
        {
            object.insert((*name).to_owned(), literal_value(value));
        }
    }
    Ok(())
}

/// Makes a member, if it is there, a scalar of another type.
fn convert_member(
    object: &mut BTreeMap<String, Value>,
    name: &str,
    (to, empty): (&TypeInfo, EmptyText),
    place: &Place,
) -> Result<()> {
    if let Some(value) = object.get_mut(name) {
        let goal = to.stored.to_type();
        let made = convert(empty, &goal, Seen::from(&*value));
        let made = made.map_err(|refusal| refusal.reported(value, &place.below(name, false)))?;
        if let Makes::Scalar(scalar) = made {
            *value = Value::from(scalar);
        }
    }
    Ok(())
}

fn downgrade(
    value: &mut Value,
    tagging: &Tagging<'_>,
    changes: Changes,
    place: &Place,
) -> Result<()> {
    let result = tagged(value, tagging, |Tagged { name, content }| {
        if let Some(content) = content {
            downgrade_members(
                content,
                name,
                changes,
                &place_of_content(place, tagging, name),
            )?;
        }
        for change in changes {
            match change {
                VariantChange::Renamed { from, to } if name == to => {
                    (*from).clone_into(name);
                    return Ok(());
                }
                VariantChange::Added { name: new } if name == new => {
                    return Err(
                        place.refuse(format_args!("the earlier version has no variant `{new}`"))
                    );
                }
                VariantChange::Renamed { .. }
                | VariantChange::Added { .. }
                | VariantChange::Dropped { .. }
                | VariantChange::Member { .. } => {}
            }
        }
        Ok(())
    });
    result.unwrap_or(Ok(()))
}

fn downgrade_members(
    object: &mut BTreeMap<String, Value>,
    variant: &str,
    changes: Changes,
    place: &Place,
) -> Result<()> {
    for change in members(changes, variant) {
        if let MemberChange::Converted {
            name, from, empty, ..
        } = change
        {
            convert_member(object, name, (*from, *empty), place)?;
            // Null is refused otherwise, though the upgrade makes it of an empty string.
            if *empty == EmptyText::Null
                && is_any_text(from)
                && !from.is_nullable()
                && object.get(*name).is_none_or(Value::is_null)
            {
                object.insert((*name).to_owned(), Value::from(""));
            }
        }
    }
    let mut made = Vec::new();
    for change in members(changes, variant) {
        match change {
            MemberChange::Renamed { from, to } => {
                made.extend(object.remove(*to).map(|value| (*from, value)));
            }
            MemberChange::Set { name, .. } => drop(object.remove(*name)),
            MemberChange::Dropped { .. }
            | MemberChange::Default { .. }
            | MemberChange::Converted { .. } => {}
        }
    }
    for (name, value) in made {
        // No schema of the current version has a member of this name, and there is no room for
        // both.
        if object
            .insert(name.to_owned(), value)
            .is_some_and(|value| !value.is_null())
        {
            return Err(place.refuse(format_args!(
                "it has a member `{name}`, which is the earlier name of another one"
            )));
        }
    }
    Ok(())
}

fn members(changes: Changes, of: &str) -> impl Iterator<Item = &'static MemberChange> {
    changes.iter().filter_map(move |change| match change {
        VariantChange::Member { variant, change } if *variant == of => Some(change),
        VariantChange::Member { .. }
        | VariantChange::Renamed { .. }
        | VariantChange::Dropped { .. }
        | VariantChange::Added { .. } => None,
    })
}

#[track_caller]
pub(super) const fn check(changes: Changes, checked: &Checked<'_>, blame: &mut Blame) -> Track {
    check_variants(
        changes,
        (checked.track, checked.target),
        checked.names,
        blame,
    )
}
