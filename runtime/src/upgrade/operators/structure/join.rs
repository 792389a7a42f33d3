//! `join`: the strings of a list with separators between them.

use super::super::check::blame::Blame;
use super::super::check::track::Track;
use super::super::check::wants::want_texts;
use super::super::form::{Form, Member};
use super::super::going::{Going, Undone, Was};
use super::super::table::Text;
use super::super::transit::Transit;
use super::split::parts_of;
use super::work::{Checked, Result, Work};
use crate::schema::Type;
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

pub(super) struct Join;

impl Work for Join {
    type Argument = Text;
    const LOST: Option<&'static str> = Some("whether an empty string was the only element");
    const REFUSED: Option<&'static str> = Some("an element that holds the separator");

    fn apply<'f>(
        separator: Self::Argument,
        _: Vec<Transit<'f>>,
        transit: Transit<'f>,
        _: Member<'f>,
        _: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>> {
        let Value::List(list) = &transit.value else {
            return if transit.value.is_null() {
                Ok(transit)
            } else {
                Err(transit.not_text())
            };
        };
        let texts: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
        let Some(texts) = texts else {
            return Err(transit
                .place
                .refuse("a list with an element that is not a string cannot be joined"));
        };
        if let Some(part) = texts.iter().find(|text| text.contains(separator)) {
            let shown = transit.place.shown(&Value::from(*part));
            return Err(transit.place.refuse(format_args!(
                "{shown} holds the separator {separator:?}, so `join` cannot be reversed"
            )));
        }
        let joined = texts.join(separator);
        Ok(Transit {
            value: Value::String(joined),
            form: Form::Open,
            ..transit
        })
    }

    fn undo(separator: Self::Argument, going: Going, _: &Was<'_>) -> Result<Undone> {
        let Going {
            value,
            form,
            place,
            nullable,
        } = going;
        let Transit { value, place, .. } = parts_of(separator, Transit { value, form, place })?;
        Ok(Undone::Before(Going {
            value,
            form: Form::Open,
            place,
            nullable,
        }))
    }

    fn makes(_: Self::Argument, _: Option<Type>, _: Option<&Type>) -> Option<Type> {
        Some(Type::String)
    }
}

#[track_caller]
pub(super) const fn check(_: Text, checked: &Checked<'_>, _: &mut Blame) -> Track {
    want_texts(checked.track, checked.names);
    Track::text(checked.track.holds.nullable)
}
