//! `split` into a list: the parts of a string between separators.

use super::super::check::blame::Blame;
use super::super::check::made::split;
use super::super::check::track::Track;
use super::super::check::wants::want_text;
use super::super::form::{Form, Member};
use super::super::going::{Going, Undone, Was};
use super::super::scalar::Seen;
use super::super::table::Text;
use super::super::transit::Transit;
use super::work::{Checked, Result, Work};
use crate::schema::Type;
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

pub(super) struct Split;

impl Work for Split {
    type Argument = Text;
    const LOST_BACK: Option<&'static str> = Some("an element that holds the separator");

    fn apply<'f>(
        separator: Self::Argument,
        _: Vec<Transit<'f>>,
        transit: Transit<'f>,
        _: Member<'f>,
        _: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        parts_of(separator, transit)
    }

    fn undo(separator: Self::Argument, going: Going, _: &Was<'_>) -> Result<Undone> {
        let texts = going
            .value
            .as_list()
            .map(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        match texts {
            Some(Some(texts)) => Ok(Undone::Before(Going {
                value: Value::String(texts.join(separator)),
                form: Form::Open,
                ..going
            })),
            Some(None) => Err(going
                .place
                .refuse("a list with an element that is not a string was not split off a string")),
            None => Ok(Undone::Before(going)),
        }
    }

    fn makes(_: Self::Argument, _: Option<Type>, _: Option<&Type>) -> Option<Type> {
        Some(Type::list(Type::String))
    }
}

/// A list of the parts of a string; an empty one has no part.
pub(super) fn parts_of<'f>(separator: &str, transit: Transit<'f>) -> Result<Transit<'f>> {
    let list = match Seen::from(&transit.value) {
        Seen::Text("") => Vec::new(),
        Seen::Text(text) => text.split(separator).map(Value::from).collect(),
        Seen::Null => return Ok(transit),
        Seen::Bool(_) | Seen::Number(_) | Seen::List { .. } | Seen::Map { .. } | Seen::Unknown => {
            return Err(transit.not_text());
        }
    };
    Ok(Transit {
        value: Value::List(list),
        form: Form::Open,
        place: transit.place.rearranged(None),
    })
}

#[track_caller]
pub(super) const fn check(_: Text, checked: &Checked<'_>, _: &mut Blame) -> Track {
    want_text(checked.track, "split", checked.names);
    split(checked.track.holds.nullable)
}
