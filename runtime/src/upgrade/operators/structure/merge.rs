//! `merge`: the elements or entries of several prior collections, in this order. Of two entries
//! with one key that differ the state is refused.

mod check;

use std::collections::BTreeMap;

use self::check::check_all_members;
pub(super) use self::check::check_merged;
use super::super::check::blame::Blame;
use super::super::check::form::Member as Target;
use super::super::check::track::{Names, Track, source};
use super::super::form::{Form, Member};
use super::super::going::{Going, Undone, Was};
use super::super::table::{Path, Priors, Stage};
use super::super::transit::Transit;
use super::work::{Checked, Result, Work};
use crate::message::iterate;
use crate::path::PathStep;
use crate::schema::table::Table;
use crate::schema::{Nesting, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

pub(super) struct Merge;

impl Work for Merge {
    type Argument = Priors;
    const LOST: Option<&'static str> = Some("which element came from where");
    const REFUSED: Option<&'static str> = Some(DIFFER);

    fn apply<'f>(
        _: Self::Argument,
        parts: Vec<Transit<'f>>,
        transit: Transit<'f>,
        target: Member<'f>,
        _: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        together(parts, transit, target.form)
    }

    fn undo(paths: Self::Argument, going: Going, _: &Was<'_>) -> Result<Undone> {
        Ok(Undone::Merged(paths, going))
    }

    fn makes(_: Self::Argument, _: Option<Type>, goal: Option<&Type>) -> Option<Type> {
        goal.cloned()
    }
}

/// The refusal of entries that cannot be merged, for verdicts.
pub(super) const DIFFER: &str = "two entries with one key that differ";

/// Puts collections together. Where the target is a map, lists of maps are taken apart first.
pub(super) fn together<'f>(
    parts: Vec<Transit<'f>>,
    transit: Transit<'f>,
    target: Form<'_>,
) -> Result<Transit<'f>> {
    let into_map = matches!(
        target,
        Form::Plain(Type::Map(_)) | Form::Objects(_, Nesting::Map)
    );
    let apart = |part: Transit<'f>| match part.value {
        Value::List(list) if into_map => {
            let steps = (0..).map(PathStep::Index);
            list.into_iter()
                .zip(steps)
                .map(|(value, step)| Transit {
                    value,
                    form: Form::Open,
                    place: part.place.step(step),
                })
                .collect()
        }
        Value::Null
        | Value::Unknown
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Dynamic(_) => vec![part],
    };
    let is_there = parts.iter().any(|part| !part.value.is_null());
    let parts: Vec<Transit<'f>> = parts.into_iter().flat_map(apart).collect();
    let transit = Transit {
        place: transit
            .place
            .clone()
            .hidden_if(parts.iter().any(|part| part.place.sensitive)),
        ..transit
    };
    let mut merged = Value::Null;
    for Transit { value, place, .. } in parts {
        merged = match (merged, value) {
            (merged, Value::Null) => merged,
            (Value::Null, value) => value,
            (Value::List(mut list), Value::List(more)) => {
                list.extend(more);
                Value::List(list)
            }
            (Value::Map(mut map), Value::Map(more)) => {
                for (key, value) in more {
                    if map.get(&key).is_some_and(|there| *there != value) {
                        return Err(place
                            .step(PathStep::Key(key))
                            .refuse("two of the merged maps have different values for one key"));
                    }
                    map.insert(key, value);
                }
                Value::Map(map)
            }
            (merged, value) => {
                return Err(place.refuse(format_args!(
                    "{} cannot be merged with {}",
                    value.noun(),
                    merged.noun()
                )));
            }
        };
    }
    // Empty lists leave no part, and yet they are not null.
    if into_map && is_there && merged.is_null() {
        merged = Value::Map(BTreeMap::new());
    }
    Ok(Transit {
        value: merged,
        ..transit
    })
}

#[track_caller]
pub(super) const fn check(paths: Priors, checked: &Checked<'_>, _: &mut Blame) -> Track {
    if checked.is_last {
        check_parts(
            checked.stage,
            paths,
            checked.prior,
            checked.target,
            checked.names,
        );
    }
    Track::open(all_nullable(paths, checked.prior))
}

/// Refuses merged collections that do not fit the target.
#[track_caller]
const fn check_parts(
    stage: &'static Stage,
    paths: &'static [Path],
    prior: &'static Table,
    target: &Target,
    names: Names,
) {
    iterate!(path in paths => {
        check_merged(stage, path, &source(prior, path), target, names);
    });
    check_all_members(paths, prior, target, names);
}

/// True if merged collections may all be null.
const fn all_nullable(paths: &'static [Path], prior: &'static Table) -> bool {
    iterate!(path in paths => {
        if !source(prior, path).holds.nullable {
            return false;
        }
    });
    true
}
