//! `filter`: a collection without some elements or entries.

use super::super::check::blame::Blame;
use super::super::check::matches::{check_matches, matches_null};
use super::super::check::track::{Track, constant_element, elements};
use super::super::check::wants::want_collection;
use super::super::elements::Elements;
use super::super::form::Member;
use super::super::going::{Going, Undone, Was};
use super::super::scalar::{Seen, is_one};
use super::super::table::Matches;
use super::super::transit::Transit;
use super::work::{Checked, Result, Work};
use crate::path::PathStep;
use crate::schema::{Holds, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

pub(super) struct Filter;

impl Work for Filter {
    type Argument = Matches;
    const LOST: Option<&'static str> = Some("the elements that are filtered out");
    const LOST_BACK: Option<&'static str> = Some("a value that the filter leaves out");

    fn apply<'f>(
        these: Self::Argument,
        _: Vec<Transit<'f>>,
        transit: Transit<'f>,
        _: Member<'f>,
        _: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        let Transit {
            value,
            form,
            mut place,
        } = transit;
        let value = match value {
            Value::List(list) => {
                let (mut left, mut stored, count) =
                    (Vec::with_capacity(list.len()), Vec::new(), list.len());
                for (value, index) in list.into_iter().zip(0..) {
                    if !is_one(these, Seen::from(&value)) {
                        left.push(value);
                        stored.extend(place.stored(PathStep::Index(index)));
                    }
                }
                if left.len() < count {
                    let elements =
                        (stored.len() == left.len()).then(|| Elements::Listed(stored.into()));
                    place = place.rearranged(elements);
                }
                Value::List(left)
            }
            Value::Map(map) => Value::Map(
                map.into_iter()
                    .filter(|(_, value)| !is_one(these, Seen::from(value)))
                    .collect(),
            ),
            other @ (Value::Null
            | Value::Unknown
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Dynamic(_)) => other,
        };
        Ok(Transit { value, form, place })
    }

    fn undo(_: Self::Argument, going: Going, _: &Was<'_>) -> Result<Undone> {
        // The others were there, so that no more can be done.
        Ok(Undone::Before(going))
    }

    fn makes(_: Self::Argument, ty: Option<Type>, _: Option<&Type>) -> Option<Type> {
        ty
    }
}

#[track_caller]
pub(super) const fn check(these: Matches, checked: &Checked<'_>, blame: &mut Blame) -> Track {
    let (track, names) = (checked.track, checked.names);
    want_collection(track.form, names);
    check_matches(
        these,
        0,
        constant_element(track.form),
        &elements(&track.holds),
        names.field,
        blame,
    );
    let holds = if matches_null(these) {
        Holds {
            elements: None,
            ..track.holds
        }
    } else {
        track.holds
    };
    Track { holds, ..*track }
}
