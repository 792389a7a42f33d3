//! A value on its way back from the current state to a prior one.

use super::form::{Form, Member};
use super::place::Place;
use super::table::{Apart, Path};
use crate::schema::Type;
use crate::value::Value;

/// A value on its way back.
#[derive(Clone)]
pub(super) struct Going {
    pub(super) value: Value,
    /// Its form now; only which objects are in it counts, not how they are arranged.
    pub(super) form: Form<'static>,
    /// Its place in the current object.
    pub(super) place: Place,
    /// True if the prior attribute that it goes to may be null.
    pub(super) nullable: bool,
}

/// The value that an operator met when the state was upgraded, as far as schemas tell.
pub(super) struct Was<'t> {
    /// Its type, where that is known.
    pub(super) ty: Option<&'t Type>,
    /// The prior attribute.
    pub(super) member: Option<Member<'static>>,
}

/// The destination of a value from an operator, backwards.
pub(super) enum Undone {
    /// On, as the value before the operator.
    Before(Going),
    /// To a prior attribute, where it came from.
    Went(Path, Sure, Going),
    /// The value came from this prior attribute or was there already; it goes on.
    Either(Path, Going),
    /// It is a part of the text of a prior attribute.
    TakenApart {
        from: Path,
        apart: &'static Apart,
        name: &'static str,
        value: Going,
    },
    /// The elements or entries came from these prior attributes; nothing tells which from which.
    Merged(&'static [Path], Going),
    /// Parts of it went into the text from prior attributes; the rest goes on.
    With(Vec<(Path, Going)>, Option<Going>),
    /// It came from no prior attribute.
    Nowhere,
}

/// The certainty that a prior attribute had a value; the surest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sure {
    /// A part of a string that was put together of several attributes, or a copy.
    Hardly,
    /// All parts that a string was taken apart into.
    Rather,
    /// It went there, or stays where it was.
    Quite,
}
