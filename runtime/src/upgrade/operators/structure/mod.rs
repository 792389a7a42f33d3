//! The operators on collections and objects that have a file of their own: what each takes and
//! makes in const evaluation, its work, its inverse, what neither keeps.
//!
//! `upstate_words::operators` is the list of them. The compiled plan leaves them to the
//! interpreter.

mod work;

pub(super) use self::filter_keys::{is_key, without_keys};
pub(super) use self::variants::changed as changed_variants;
pub(super) use self::work::Checked;
use self::work::{Result, Work};
use super::check::blame::Blame;
use super::check::track::Track;
use super::form::Member;
use super::going::{Going, Undone, Was};
use super::known::Known;
use super::table::Structure;
use super::transit::Transit;
use crate::schema::Type;
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::verdict::Direction;

macro_rules! dispatch {
    (
        plain $plain:tt
        structures { $($module:ident $variant:ident($($name:ident: $kind:ident),*) $word:ident $effect:tt;)* }
    ) => {
        $(mod $module;)*

        impl Structure {
            /// Upgrades a value. `parts` are those of the prior attributes that it reads.
            pub(super) fn apply<'f>(
                &self,
                parts: Vec<Transit<'f>>,
                transit: Transit<'f>,
                target: Member<'f>,
                context: &mut UpgradeContext<'_>,
            ) -> Result<Transit<'f>> {
                match *self {
                    $(Self::$variant($($name),*) => $module::$variant::apply(($($name),*), parts, transit, target, context),)*
                }
            }

            /// The value before it, by the one behind it.
            pub(super) fn undo(&self, going: Going, was: &Was<'_>) -> Result<Undone> {
                match *self {
                    $(Self::$variant($($name),*) => $module::$variant::undo(($($name),*), going, was),)*
                }
            }

            /// The type of the value behind it.
            pub(super) fn makes(&self, ty: Option<Type>, goal: Option<&Type>) -> Option<Type> {
                match *self {
                    $(Self::$variant($($name),*) => $module::$variant::makes(($($name),*), ty, goal),)*
                }
            }

            /// True if the value behind it may be null.
            pub(super) fn leaves_null(&self, known: &Known<'_>) -> bool {
                match *self {
                    $(Self::$variant($($name),*) => $module::$variant::leaves_null(($($name),*), known),)*
                }
            }

            /// Reports the part of a value that it does not keep, and the values that it refuses.
            pub(super) fn judge_up(&self, known: &Known<'_>, path: &str, up: &mut Direction) {
                let mut note = |weight, what: &str| up.note(weight, path, what);
                match *self {
                    $(Self::$variant($($name),*) => $module::$variant::judge_up(($($name),*), known, &mut note),)*
                }
            }

            /// Reports the values that its inverse does not keep, and those that it refuses.
            pub(super) fn judge_down(&self, known: &Known<'_>, path: &str, down: &mut Direction) {
                let mut note = |weight, what: &str| down.note(weight, path, what);
                match *self {
                    $(Self::$variant($($name),*) => $module::$variant::judge_down(($($name),*), known, &mut note),)*
                }
            }

            /// Refuses, at compile time, what it does not take, and answers the abstract value
            /// behind it.
            #[track_caller]
            pub(super) const fn check(&self, checked: &Checked<'_>, blame: &mut Blame) -> Track {
                match *self {
                    $(Self::$variant($($name),*) => $module::check(($($name),*), checked, blame),)*
                }
            }
        }
    };
}
upstate_words::operators!(dispatch);
