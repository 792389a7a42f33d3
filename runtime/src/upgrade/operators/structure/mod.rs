//! The operators on collections and objects that have a file of their own: what each takes and makes in const evaluation, its work, its inverse, what neither
//! keeps, and how it is printed and saved.
//!
//! `upstate_words::structures` is the list of them. The compiled plan leaves them to the interpreter.

mod work;

use serde_json::Value as Json;
use upstate_words::operators::Effect;

pub(super) use self::filter_keys::{is_key, without_keys};
pub(super) use self::work::Checked;
use self::work::{Result, Work};
use super::check::blame::Blame;
use super::check::track::Track;
use super::form::Member;
use super::going::{Going, Undone, Was};
use super::known::Known;
use super::table::{Path, Structure};
use super::transit::Transit;
use crate::schema::Type;
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::verdict::Direction;

/// The effect of an operator; of two, the one that the module chooses by the arguments.
macro_rules! effect {
    ([$($name:ident),*] $module:ident $word:ident::$effect:ident) => {
        &upstate_words::operators::$word::$effect
    };
    ([$($name:ident),*] $module:ident $word:ident::$effect:ident or $other_word:ident::$other:ident) => {
        if $module::is_other($($name),*) {
            &upstate_words::operators::$other_word::$other
        } else {
            &upstate_words::operators::$word::$effect
        }
    };
}

/// Returns the prior attributes in an argument.
macro_rules! reads {
    (Priors $argument:ident) => {
        return $argument;
    };
    ($other:ident $argument:ident) => {};
}

/// Returns the member in an argument that the value is taken out of, and the one that it is put into.
macro_rules! members {
    (TakenMember $argument:ident) => {
        return (Some($argument), None);
    };
    (PutMember $argument:ident) => {
        return (None, Some($argument));
    };
    // One side has objects with this member, the other the values alone.
    (ValueMember $argument:ident) => {
        return ($argument, $argument);
    };
    ($other:ident $argument:ident) => {};
}

/// Returns the member in an argument that is the key of a map.
macro_rules! key {
    (KeyMember $argument:ident) => {
        return Some($argument);
    };
    ($other:ident $argument:ident) => {};
}

macro_rules! dispatch {
    ($($module:ident $variant:ident($($name:ident: $kind:ident),*) $word:ident::$effect:ident $(or $other_word:ident::$other:ident)?;)*) => {
        $(mod $module;)*

        impl Structure {
            /// All that is known of it whatever it works on.
            #[allow(unused_variables, reason = "most have one effect")]
            pub(super) const fn effect(&self) -> &'static Effect {
                match *self {
                    $(Self::$variant($($name),*) => effect!([$($name),*] $module $word::$effect $(or $other_word::$other)?),)*
                }
            }

            /// The prior attributes that it reads.
            #[allow(unused_variables, unreachable_code, reason = "most arguments are none")]
            pub(super) const fn reads(&self) -> &'static [Path] {
                match *self {
                    $(Self::$variant($($name),*) => {
                        $(reads!($kind $name);)*
                        &[]
                    })*
                }
            }

            /// The member that it takes out of objects, and the one that it puts what is left into.
            #[allow(unused_variables, unreachable_code, reason = "most arguments are none")]
            pub(super) const fn members(&self) -> (Option<&'static str>, Option<&'static str>) {
                match *self {
                    $(Self::$variant($($name),*) => {
                        $(members!($kind $name);)*
                        (None, None)
                    })*
                }
            }

            /// True if the objects that it takes come to the target by upgraders of their own first.
            pub(super) const fn carries(&self) -> bool {
                match self {
                    $(Self::$variant(..) => <$module::$variant as Work>::CARRIES,)*
                }
            }

            /// The member of the objects in a list that is the key of a map.
            #[allow(unused_variables, unreachable_code, reason = "most arguments are none")]
            pub(super) const fn key(&self) -> Option<&'static str> {
                match *self {
                    $(Self::$variant($($name),*) => {
                        $(key!($kind $name);)*
                        None
                    })*
                }
            }

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

            /// True if the value behind it has the form of the one before it.
            pub(super) const fn keeps_form(&self) -> bool {
                match self {
                    $(Self::$variant(..) => <$module::$variant as Work>::KEEPS_FORM,)*
                }
            }

            /// True if nested objects come out of it as they went in, or through an upgrader of their own.
            pub(super) const fn keeps_objects(&self) -> bool {
                // Objects end or begin here, because a member that is both taken and put was or becomes the whole value.
                if let (Some(_), Some(_)) = self.members() {
                    return false;
                }
                match self {
                    $(Self::$variant(..) => <$module::$variant as Work>::KEEPS_OBJECTS,)*
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

            /// The operator as people read it.
            pub(super) fn text(&self, word: &str, target: &str) -> String {
                match *self {
                    $(Self::$variant($($name),*) => $module::$variant::text(($($name),*), word, target),)*
                }
            }

            /// The operator as the lock hashes it.
            pub(super) fn json(&self, word: &str, target: Path) -> Json {
                match *self {
                    $(Self::$variant($($name),*) => $module::$variant::json(($($name),*), word, target),)*
                }
            }

            /// Refuses, at compile time, what it does not take, and answers the abstract value behind it.
            #[track_caller]
            pub(super) const fn check(&self, checked: &Checked<'_>, blame: &mut Blame) -> Track {
                match *self {
                    $(Self::$variant($($name),*) => $module::check(($($name),*), checked, blame),)*
                }
            }
        }
    };
}
upstate_words::structures!(dispatch);
