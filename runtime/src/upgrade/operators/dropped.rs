//! Where a prior attribute that is dropped has a value.

use std::collections::BTreeMap;

use super::form::{Form, member};
use super::place::Place;
use super::table::Path;
use crate::path::{AttributePath, PathStep};
use crate::schema::{Members, Nesting};
use crate::value::Value;

/// Adds the places at which `path` leads to a value: one in every element of the lists on the way.
pub(super) fn places(
    members: Members<'_>,
    prior: &BTreeMap<String, Value>,
    path: Path,
    place: &Place,
    found: &mut Vec<AttributePath>,
) {
    let Some((name, rest)) = path.split_first() else { return };
    let (Some(value), Some(member)) = (prior.get(*name), member(members, name)) else { return };
    let place = place.below(name, member.sensitive);
    if rest.is_empty() {
        if !member.form.is_nothing(value) {
            found.push(place.into_path());
        }
        return;
    }
    let Form::Objects(objects, nesting) = member.form else { return };
    match value {
        Value::Map(object) => places(objects.members, object, rest, &place, found),
        Value::List(list) => {
            for (element, index) in list.iter().zip(0..) {
                let step = if nesting == Nesting::Set { PathStep::Element(None) } else { PathStep::Index(index) };
                if let Value::Map(object) = element {
                    places(objects.members, object, rest, &place.step(step), found);
                }
            }
        }
        _ => {}
    }
}
