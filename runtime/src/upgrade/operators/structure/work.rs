//! The parts of an operator on collections or objects, which each of them has in its own file.

use super::super::check::form::Member as Target;
use super::super::check::track::{Names, Track};
use super::super::form::Member;
use super::super::going::{Going, Undone, Was};
use super::super::known::Known;
use super::super::table::Stage;
use super::super::transit::Transit;
use crate::diagnostics::Diagnostics;
use crate::schema::Type;
use crate::schema::table::Table;
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::verdict::Weight;

pub(super) type Result<T> = std::result::Result<T, Diagnostics>;

/// Takes a remark on a value.
pub(super) type Note<'n> = dyn FnMut(Weight, &str) + 'n;

/// An operator on collections or objects, by what is written in its parentheses. What does not
/// differ from most others has a default.
pub(super) trait Work {
    type Argument: Copy;
    /// The part of any value that it does not keep.
    const LOST: Option<&'static str> = None;
    /// The values that it refuses, whatever its argument is.
    const REFUSED: Option<&'static str> = None;
    /// The values that its inverse does not keep, whatever its argument is.
    const LOST_BACK: Option<&'static str> = None;

    /// Upgrades a value. `parts` are those of the prior attributes that it reads.
    fn apply<'f>(
        argument: Self::Argument,
        parts: Vec<Transit<'f>>,
        transit: Transit<'f>,
        target: Member<'f>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Transit<'f>>;

    /// The value before it, by the one behind it. It has no default, because an inverse that is
    /// left out would give back what the earlier version never stored.
    fn undo(argument: Self::Argument, going: Going, was: &Was<'_>) -> Result<Undone>;

    /// The type of the value behind it.
    fn makes(argument: Self::Argument, ty: Option<Type>, goal: Option<&Type>) -> Option<Type>;

    /// True if the value behind it may be null.
    fn leaves_null(_: Self::Argument, known: &Known<'_>) -> bool {
        known.nullable
    }

    /// The part of a value that it does not keep.
    fn lost(_: Self::Argument, _: &Known<'_>) -> Option<&'static str> {
        Self::LOST
    }

    /// The values that it refuses.
    fn refused(_: Self::Argument, _: &Known<'_>) -> Option<&'static str> {
        Self::REFUSED
    }

    /// The values that its inverse does not keep.
    fn lost_back(_: Self::Argument, _: &Known<'_>) -> Option<&'static str> {
        Self::LOST_BACK
    }

    /// The values that its inverse refuses.
    fn refused_back(_: Self::Argument, _: &Known<'_>) -> Option<&'static str> {
        None
    }

    /// Reports the part of a value that it does not keep, and the values that it refuses.
    fn judge_up(argument: Self::Argument, known: &Known<'_>, note: &mut Note<'_>) {
        if let Some(what) = Self::refused(argument, known) {
            note(Weight::Refused, what);
        }
        if let Some(what) = Self::lost(argument, known) {
            note(Weight::Lost, what);
        }
    }

    /// Reports the values that its inverse does not keep, and those that it refuses.
    fn judge_down(argument: Self::Argument, known: &Known<'_>, note: &mut Note<'_>) {
        if let Some(what) = Self::refused_back(argument, known) {
            note(Weight::Refused, what);
        }
        if let Some(what) = Self::lost_back(argument, known) {
            note(Weight::Lost, what);
        }
    }
}

/// An operator in const evaluation, which has no traits: each file has a function `check` of this,
/// which answers the abstract value behind it.
pub(in super::super) struct Checked<'a> {
    pub(in super::super) stage: &'static Stage,
    /// The abstract value before it.
    pub(in super::super) track: &'a Track,
    pub(in super::super) target: &'a Target,
    pub(in super::super) prior: &'static Table,
    /// True if no other operator follows.
    pub(in super::super) is_last: bool,
    pub(in super::super) names: Names,
}
