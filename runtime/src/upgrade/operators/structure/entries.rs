//! `merge` of one field: all entries of a list of maps. Of two with one key that differ the state
//! is refused.

use super::super::check::blame::Blame;
use super::super::check::made::arrangement;
use super::super::check::refusal::impossible_here;
use super::super::check::track::Track;
use super::super::form::{Form, Member};
use super::super::going::{Going, Undone, Was};
use super::super::transit::Transit;
use super::merge::{DIFFER, check_merged, together};
use super::work::{Checked, Result, Work};
use crate::schema::{Nesting, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

pub(super) struct Entries;

impl Work for Entries {
    type Argument = ();
    const LOST: Option<&'static str> = Some("which map each entry was in");
    const REFUSED: Option<&'static str> = Some(DIFFER);

    fn apply<'f>(
        (): Self::Argument,
        _: Vec<Transit<'f>>,
        transit: Transit<'f>,
        target: Member<'f>,
        _: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        let place = transit.place.clone().rearranged(None);
        together(
            vec![transit],
            Transit {
                value: Value::Null,
                form: Form::Open,
                place,
            },
            target.form,
        )
    }

    fn undo((): Self::Argument, mut going: Going, was: &Was<'_>) -> Result<Undone> {
        let is_map = matches!(was.ty, Some(Type::Map(_) | Type::Object(_)));
        if !is_map && let Value::Map(map) = going.value {
            going.value = Value::List(if map.is_empty() {
                Vec::new()
            } else {
                vec![Value::Map(map)]
            });
        }
        Ok(Undone::Before(going))
    }

    fn makes((): Self::Argument, _: Option<Type>, goal: Option<&Type>) -> Option<Type> {
        goal.cloned()
    }
}

#[track_caller]
pub(super) const fn check((): (), checked: &Checked<'_>, _: &mut Blame) -> Track {
    let Checked {
        stage,
        track,
        target,
        names,
        ..
    } = *checked;
    if checked.is_last {
        if let (Some(Nesting::Single), Some(Nesting::Single)) =
            (arrangement(track.form), arrangement(target.form))
        {
            impossible_here(stage, track, target, names);
        }
        check_merged(stage, &[], track, target, names);
    }
    Track::open(track.holds.nullable)
}
