//! `filter(…, key = "…")`: a map without the entries whose keys fit a pattern, which are named as
//! dropped.

use super::super::check::blame::Blame;
use super::super::check::track::Track;
use super::super::check::wants::want_map;
use super::super::form::Member;
use super::super::going::{Going, Undone, Was};
use super::super::place::Place;
use super::super::table::{Pattern, Patterns};
use super::super::text::take_apart;
use super::super::transit::Transit;
use super::work::{Checked, Result, Work};
use crate::path::PathStep;
use crate::schema::Type;
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

pub(super) struct FilterKeys;

impl Work for FilterKeys {
    type Argument = Patterns;
    const LOST: Option<&'static str> = Some("the entries whose keys are filtered out");
    const LOST_BACK: Option<&'static str> = Some("an entry whose key the filter leaves out");

    fn apply<'f>(
        keys: Self::Argument,
        _: Vec<Transit<'f>>,
        transit: Transit<'f>,
        _: Member<'f>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        Ok(without_keys(keys, transit, |place, key| {
            context.note_dropped(
                place.step(PathStep::Key(key.to_owned())).into_path(),
                "entries with such keys are left out",
            );
        }))
    }

    fn undo(_: Self::Argument, going: Going, _: &Was<'_>) -> Result<Undone> {
        Ok(Undone::Before(going))
    }

    fn makes(_: Self::Argument, ty: Option<Type>, _: Option<&Type>) -> Option<Type> {
        ty
    }
}

pub(super) const fn check(_: Patterns, checked: &Checked<'_>, blame: &mut Blame) -> Track {
    want_map(checked.track, checked.names, blame);
    *checked.track
}

/// Leaves out the entries of a map whose keys fit one of the patterns, each of which `ends` is
/// called with.
pub(in super::super) fn without_keys<'f>(
    keys: &[Pattern],
    mut transit: Transit<'f>,
    mut ends: impl FnMut(&Place, &str),
) -> Transit<'f> {
    if let Value::Map(map) = &mut transit.value {
        map.retain(|key, _| {
            let fits = is_key(keys, key);
            if fits {
                ends(&transit.place, key);
            }
            !fits
        });
    }
    transit
}

/// True if a key fits one of the patterns.
pub(in super::super) fn is_key(keys: &[Pattern], key: &str) -> bool {
    keys.iter()
        .any(|pattern| take_apart(pattern, key).is_some())
}
