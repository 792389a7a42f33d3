//! `rekey`: a list of objects into a map by a member, or back.

mod check;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::check::{check_key, rekeyed};
use super::super::check::blame::Blame;
use super::super::check::track::Track;
use super::super::elements::Elements;
use super::super::form::{Form, Member, Objects, member_form};
use super::super::going::{Going, Undone, Was};
use super::super::known::Known;
use super::super::table::{KeyMember, ValueMember};
use super::super::transit::Transit;
use super::work::{Checked, Note, Result, Work};
use crate::path::PathStep;
use crate::schema::{Field, Nesting, Type};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::verdict::Weight;
use crate::value::Value;

pub(super) struct Rekey;

impl Work for Rekey {
    type Argument = (KeyMember, ValueMember);

    fn apply<'f>(
        (key, value): Self::Argument,
        _: Vec<Transit<'f>>,
        transit: Transit<'f>,
        target: Member<'f>,
        _: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        rekey(key, value, transit, target)
    }

    fn undo((key, part): Self::Argument, going: Going, was: &Was<'_>) -> Result<Undone> {
        let Some(before) = was.member else {
            return Ok(Undone::Before(going));
        };
        let Going {
            value,
            form,
            place,
            nullable,
        } = going;
        let is_map = value.as_map().is_some();
        let Transit { value, place, .. } =
            rekey(key, part, Transit { value, form, place }, before)?;
        let form = match (form, part) {
            (Form::Objects(objects, nesting), None) if is_map => Form::Objects(
                Objects {
                    with: Some(key),
                    ..objects
                },
                nesting,
            ),
            (Form::Objects(objects, nesting), None) => Form::Objects(
                Objects {
                    without: Some(key),
                    ..objects
                },
                nesting,
            ),
            (Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open, _) => Form::Open,
        };
        Ok(Undone::Before(Going {
            value,
            form,
            place,
            nullable,
        }))
    }

    fn makes(_: Self::Argument, _: Option<Type>, _: Option<&Type>) -> Option<Type> {
        None
    }

    fn judge_up((key, _): Self::Argument, known: &Known<'_>, note: &mut Note<'_>) {
        note(Weight::Refused, "two elements with one key");
        if matches!(known.ty, Some(Type::List(_)) | None) {
            note(Weight::Lost, "the order of the elements");
        }
        if let (Some(Type::Map(_)), Some(Type::Number | Type::Bool) | None) =
            (known.ty, key_of(key, known.goal))
        {
            note(Weight::Lost, "the spelling of the keys");
        }
    }

    fn judge_down((key, _): Self::Argument, known: &Known<'_>, note: &mut Note<'_>) {
        if matches!(known.goal, Some(Type::List(_)) | None) {
            note(Weight::Lost, "the order of the elements");
        }
        if let (Some(Type::Map(_)), Some(Type::Number | Type::Bool)) =
            (known.goal, key_of(key, known.ty))
        {
            note(Weight::Lost, "another spelling of a key");
            note(Weight::Refused, "keys that the older type does not take");
        }
        note(Weight::Refused, "two elements with one key");
    }
}

/// The type of the member that is the key, in a collection of objects.
fn key_of<'t>(key: &str, ty: Option<&'t Type>) -> Option<&'t Type> {
    let (Type::List(object) | Type::Set(object)) = ty? else {
        return None;
    };
    let Type::Object(fields) = &**object else {
        return None;
    };
    fields
        .iter()
        .find(|field| field.name() == key)
        .map(Field::ty)
}

/// A list of objects into a map by a member, or back.
fn rekey<'f>(
    key: &'static str,
    member: Option<&'static str>,
    transit: Transit<'f>,
    target: Member<'_>,
) -> Result<Transit<'f>> {
    match transit.value {
        Value::List(_) => by_key(key, member, transit, target),
        Value::Map(_) => from_keys(key, member, transit, target),
        Value::Null
        | Value::Unknown
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Dynamic(_) => Ok(transit),
    }
}

/// A list of objects into a map.
fn by_key<'f>(
    key: &'static str,
    member: Option<&'static str>,
    transit: Transit<'f>,
    target: Member<'_>,
) -> Result<Transit<'f>> {
    let Transit { value, form, place } = transit;
    let Value::List(list) = value else {
        return Ok(Transit { value, form, place });
    };
    let in_set = matches!(
        form,
        Form::Objects(_, Nesting::Set) | Form::Plain(Type::Set(_))
    );
    // The key stays a member if the current objects have it, or operators of their own may take it.
    let stays = match target.form {
        Form::Objects(objects, _) => objects.have(key) || objects.have_upgrader_from(form),
        Form::Plain(Type::Map(element)) => {
            matches!(&**element, Type::Object(fields) if fields.iter().any(|field| field.name() == key))
        }
        Form::Plain(_) | Form::Made(_) | Form::Open => false,
    };
    let mut map = BTreeMap::new();
    let mut stored = BTreeMap::new();
    for (value, index) in list.into_iter().zip(0..) {
        let at = place.step(PathStep::Index(index));
        let Value::Map(mut object) = value else {
            return Err(at.refuse("an element that is not an object cannot be found by a key"));
        };
        let text = match object.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Bool(bool)) => bool.to_string(),
            _ => {
                return Err(at.refuse(format_args!("{key:?}, which becomes the key, has no value")));
            }
        };
        let value = if let Some(member) = member {
            let value = object.remove(member).unwrap_or_default();
            object.remove(key);
            if let Some((other, _)) = object.iter().find(|(_, value)| !value.is_null()) {
                return Err(at
                    .step(PathStep::Attribute(other.clone().into()))
                    .refuse(format_args!("only {key:?} and {member:?} have a place")));
            }
            value
        } else {
            if !stays {
                object.remove(key);
            }
            Value::Map(object)
        };
        let step = if in_set {
            PathStep::Element(None)
        } else {
            PathStep::Index(index)
        };
        stored.extend(place.stored(step).map(|step| (text.clone(), step)));
        if map.insert(text.clone(), value).is_some() {
            let shown = at
                .clone()
                .hidden_if(member_form(form, key).1)
                .shown(&Value::String(text));
            return Err(at.refuse(format_args!(
                "{key:?} becomes the key, but two elements have {shown}"
            )));
        }
    }
    let part = member.map(|member| (member, member_form(form, member).1));
    let form = match form {
        Form::Objects(objects, _) if member.is_none() => {
            Form::Objects(objects.keyed_by(key, target.form), Nesting::Map)
        }
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Form::Open,
    };
    let elements = (stored.len() == map.len()).then(|| Elements::Keyed(Arc::new(stored), part));
    Ok(Transit {
        value: Value::Map(map),
        form,
        place: place.rearranged(elements),
    })
}

/// A map into a list of objects, by its keys.
fn from_keys<'f>(
    key: &'static str,
    member: Option<&str>,
    transit: Transit<'f>,
    target: Member<'_>,
) -> Result<Transit<'f>> {
    let Transit { value, form, place } = transit;
    let Value::Map(map) = value else {
        return Ok(Transit { value, form, place });
    };
    // Keys that are a secret now may not have been marked then, and would be steps of paths.
    let place = place.hidden_if(member_form(target.form, key).1);
    let mut list = Vec::with_capacity(map.len());
    let mut stored = Vec::with_capacity(map.len());
    for (text, value) in map {
        stored.extend(place.stored(PathStep::Key(text.clone())));
        let place = place.step(PathStep::Key(text.clone()));
        let mut object = match (member, value) {
            (Some(member), value) => BTreeMap::from([(member.to_owned(), value)]),
            (None, Value::Map(object)) => object,
            (None, Value::Null) => BTreeMap::new(),
            (None, _) => {
                return Err(place.refuse("an entry that is not an object cannot take its key in"));
            }
        };
        if let Some(there) = object.get(key)
            && !there.is_null()
            && !matches!(there, Value::String(there) if *there == text)
        {
            let place = place.step(PathStep::Attribute(key.into()));
            return Err(place.refuse(format_args!(
                "the entry has a {key:?} already, and it is not the entry's key"
            )));
        }
        object.insert(key.to_owned(), Value::String(text));
        list.push(Value::Map(object));
    }
    let form = match form {
        Form::Objects(objects, _) if member.is_none() => {
            Form::Objects(objects.with_key(key), Nesting::List)
        }
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Form::Open,
    };
    let elements = (stored.len() == list.len()).then(|| Elements::Listed(stored.into()));
    Ok(Transit {
        value: Value::List(list),
        form,
        place: place.rearranged(elements),
    })
}

#[track_caller]
pub(super) const fn check(
    of: (KeyMember, ValueMember),
    checked: &Checked<'_>,
    blame: &mut Blame,
) -> Track {
    let Checked {
        stage,
        track,
        target,
        is_last,
        names,
        ..
    } = *checked;
    check_key(of, track, target, names, blame);
    if blame.is_found() {
        return Track::open(track.holds.nullable);
    }
    rekeyed(stage, of, track, target, is_last, names)
}
