//! The operators that take collections and objects apart and put them together.

use std::collections::BTreeMap;

use super::form::{Form, element, member_form};
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
