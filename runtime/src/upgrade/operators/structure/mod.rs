//! The operators on collections that have a file of their own: what each takes and makes in const evaluation, its work, its inverse, what neither
//! keeps, and how it is printed and saved.
//!
//! `upstate_words::structures` is the list of them. The compiled plan leaves them to the interpreter.

mod work;

use serde_json::Value as Json;

pub(super) use self::filter_keys::{is_key, without_keys};
pub(super) use self::work::Checked;
use self::work::{Result, Work};
use super::check::blame::Blame;
use super::check::track::Track;
use super::form::Form;
use super::going::{Going, Undone};
use super::known::Known;
use super::table::Structure;
use super::transit::Transit;
use crate::schema::Type;
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::verdict::{Direction, Weight};

macro_rules! dispatch {
    ($($module:ident $variant:ident($kind:ident) $word:ident::$effect:ident;)*) => {
        $(mod $module;)*

        impl Structure {
            /// Upgrades a value. `parts` are those of the prior attributes that it reads.
            pub(super) fn apply<'f>(
                &self,
                parts: Vec<Transit<'f>>,
                transit: Transit<'f>,
                target: Form<'_>,
                context: &mut UpgradeContext<'_>,
            ) -> Result<Transit<'f>> {
                match *self {
                    $(Self::$variant(argument) => $module::$variant::apply(argument, parts, transit, target, context),)*
                }
            }

            /// The value before it, by the one behind it.
            pub(super) fn undo(&self, going: Going) -> Result<Undone> {
                match *self {
                    $(Self::$variant(argument) => $module::$variant::undo(argument, going),)*
                }
            }

            /// The type of the value behind it.
            pub(super) fn makes(&self, ty: Option<Type>, goal: Option<&Type>) -> Option<Type> {
                match self {
                    $(Self::$variant(_) => $module::$variant::makes(ty, goal),)*
                }
            }

            /// True if the value behind it has the form of the one before it.
            pub(super) const fn keeps_form(&self) -> bool {
                match self {
                    $(Self::$variant(_) => <$module::$variant as Work>::KEEPS_FORM,)*
                }
            }

            /// True if the value behind it may be null.
            pub(super) fn leaves_null(&self, known: &Known<'_>) -> bool {
                match self {
                    $(Self::$variant(_) => $module::$variant::leaves_null(known),)*
                }
            }

            /// Reports the part of a value that it does not keep, and the values that it refuses.
            pub(super) fn judge_up(&self, known: &Known<'_>, path: &str, up: &mut Direction) {
                let (lost, refused) = match *self {
                    $(Self::$variant(argument) => {
                        ($module::$variant::lost(argument, known), $module::$variant::refused(argument, known))
                    })*
                };
                note(path, up, lost, refused);
            }

            /// Reports the values that its inverse does not keep, and those that it refuses.
            pub(super) fn judge_down(&self, known: &Known<'_>, path: &str, down: &mut Direction) {
                let (lost, refused) = match *self {
                    $(Self::$variant(argument) => {
                        ($module::$variant::lost_back(argument, known), $module::$variant::refused_back(argument, known))
                    })*
                };
                note(path, down, lost, refused);
            }

            /// The operator as people read it.
            pub(super) fn text(&self, word: &str, target: &str) -> String {
                match *self {
                    $(Self::$variant(argument) => $module::$variant::text(argument, word, target),)*
                }
            }

            /// The operator as the lock hashes it.
            pub(super) fn json(&self, word: &str) -> Json {
                match *self {
                    $(Self::$variant(argument) => $module::$variant::json(argument, word),)*
                }
            }

            /// Refuses, at compile time, what it does not take, and answers the abstract value behind it.
            #[track_caller]
            pub(super) const fn check(&self, checked: &Checked<'_>, blame: &mut Blame) -> Track {
                match *self {
                    $(Self::$variant(argument) => $module::check(argument, checked, blame),)*
                }
            }
        }
    };
}
upstate_words::structures!(dispatch);

fn note(path: &str, direction: &mut Direction, lost: Option<&'static str>, refused: Option<&'static str>) {
    if let Some(what) = refused {
        direction.note(Weight::Refused, path, what);
    }
    if let Some(what) = lost {
        direction.note(Weight::Lost, path, what);
    }
}
