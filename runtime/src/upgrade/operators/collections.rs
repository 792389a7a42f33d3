//! The operators that take collections and objects apart and put them together.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::elements::Elements;
use super::form::{Form, Member, element};
use super::table::{Many, NoElement};
use super::transit::Transit;
use crate::diagnostics::Diagnostics;
use crate::path::PathStep;
use crate::schema::{Nesting, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

type Result<T> = std::result::Result<T, Diagnostics>;

pub(super) fn unwrap<'f>(
    many: Many,
    empty: NoElement,
    transit: Transit<'f>,
    context: &mut UpgradeContext<'_>,
) -> Result<Transit<'f>> {
    let Transit { value, form, place } = transit;
    let in_set = matches!(form, Form::Objects(_, Nesting::Set) | Form::Plain(Type::Set(_)));
    let form = element_of_list(form);
    if value.is_null() && empty == NoElement::Refuse {
        return Err(place.refuse("expected one element, found null"));
    }
    let Value::List(list) = value else { return Ok(Transit { value, form, place }) };
    if list.len() > 1 {
        if many == Many::Refuse {
            return Err(place.refuse(format_args!("there are {} elements where at most one was expected", list.len())));
        }
        for index in (1..list.len()).filter_map(|index| u64::try_from(index).ok()) {
            context.note_dropped(place.step(PathStep::Index(index)).into_path(), "only the first element counts");
        }
    }
    let (value, place) = match (list.into_iter().next(), empty) {
        // What is inside is in the first element, and is reported there.
        (Some(value), _) => (value, if in_set { place.step(PathStep::Element(None)) } else { place.step(PathStep::Index(0)) }),
        (None, NoElement::Null) => (Value::Null, place),
        (None, NoElement::Object) => (Value::Map(BTreeMap::new()), place),
        (None, NoElement::Refuse) => return Err(place.refuse("expected one element, found none")),
    };
    Ok(Transit { value, form, place })
}

/// The form of a list's elements; a single object stays what it is.
fn element_of_list(form: Form<'_>) -> Form<'_> {
    match form {
        Form::Objects(objects, Nesting::List | Nesting::Set) => Form::Objects(objects, Nesting::Single),
        Form::Plain(Type::List(_) | Type::Set(_)) => element(form),
        other @ (Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open) => other,
    }
}

/// A member of an object that holds nothing else.
pub(super) fn only_member<'f>(name: &str, transit: Transit<'f>) -> Result<Transit<'f>> {
    let Transit { value, form, place } = transit;
    let Value::Map(mut object) = value else { return Ok(Transit { value, form, place }) };
    let value = object.remove(name).unwrap_or_default();
    if let Some((other, _)) = object.iter().find(|(_, value)| !value.is_null()) {
        return Err(place.step(PathStep::Attribute(other.clone().into())).refuse(format_args!("only {name:?} has a place")));
    }
    let (form, sensitive) = member_form(form, name);
    Ok(Transit { value, form, place: place.below(name, sensitive) })
}

/// The form of a member of objects, however they are arranged, and whether it is sensitive.
fn member_form<'f>(objects: Form<'f>, name: &str) -> (Form<'f>, bool) {
    match objects {
        Form::Objects(objects, _) => {
            super::form::member(objects.members, name).map_or((Form::Open, false), |member| (member.form, member.sensitive))
        }
        Form::Plain(_) | Form::Made(_) | Form::Open => (Form::Open, false),
    }
}

/// A list of objects into a map by a member, or back.
pub(super) fn rekey<'f>(
    key: &'static str,
    member: Option<&'static str>,
    transit: Transit<'f>,
    target: Member<'_>,
) -> Result<Transit<'f>> {
    match transit.value {
        Value::List(_) => by_key(key, member, transit, target),
        Value::Map(_) => from_keys(key, member, transit, target),
        Value::Null | Value::Unknown | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Dynamic(_) => Ok(transit),
    }
}

/// A list of objects into a map.
fn by_key<'f>(key: &'static str, member: Option<&'static str>, transit: Transit<'f>, target: Member<'_>) -> Result<Transit<'f>> {
    let Transit { value, form, place } = transit;
    let Value::List(list) = value else { return Ok(Transit { value, form, place }) };
    let in_set = matches!(form, Form::Objects(_, Nesting::Set) | Form::Plain(Type::Set(_)));
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
            _ => return Err(at.refuse(format_args!("{key:?}, which is to be the key, has no value"))),
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
        let step = if in_set { PathStep::Element(None) } else { PathStep::Index(index) };
        stored.extend(place.stored(step).map(|step| (text.clone(), step)));
        if map.insert(text.clone(), value).is_some() {
            let shown = at.clone().hidden_if(member_form(form, key).1).shown(&Value::String(text));
            return Err(at.refuse(format_args!("{key:?} is to be the key, but two elements have {shown}")));
        }
    }
    let part = member.map(|member| (member, member_form(form, member).1));
    let form = match form {
        Form::Objects(objects, _) if member.is_none() => Form::Objects(objects.keyed_by(key, target.form), Nesting::Map),
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Form::Open,
    };
    let elements = (stored.len() == map.len()).then(|| Elements::Keyed(Arc::new(stored), part));
    Ok(Transit { value: Value::Map(map), form, place: place.rearranged(elements) })
}

/// A map into a list of objects, by its keys.
fn from_keys<'f>(key: &'static str, member: Option<&str>, transit: Transit<'f>, target: Member<'_>) -> Result<Transit<'f>> {
    let Transit { value, form, place } = transit;
    let Value::Map(map) = value else { return Ok(Transit { value, form, place }) };
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
            (None, _) => return Err(place.refuse("an entry that is not an object cannot take its key in")),
        };
        if let Some(there) = object.get(key)
            && !there.is_null()
            && !matches!(there, Value::String(there) if *there == text)
        {
            let place = place.step(PathStep::Attribute(key.into()));
            return Err(place.refuse(format_args!("the entry has a {key:?} already, and it is not the entry's key")));
        }
        object.insert(key.to_owned(), Value::String(text));
        list.push(Value::Map(object));
    }
    let form = match form {
        Form::Objects(objects, _) if member.is_none() => Form::Objects(objects.with_key(key), Nesting::List),
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Form::Open,
    };
    let elements = (stored.len() == list.len()).then(|| Elements::Listed(stored.into()));
    Ok(Transit { value: Value::List(list), form, place: place.rearranged(elements) })
}
