//! Models and upgraders without the types of their structs, so that all that is done with them is
//! compiled once, in this crate.
//!
//! A model is in a [`ModelPlace`]. Only two small functions know its type ([`Typed`]), and they are
//! compiled for the models that are made at all: a prior model that operators alone lead from is
//! nothing but its table.

use std::any::Any;
use std::fmt;

use super::context::UpgradeContext;
use super::declared::{Declared, PriorVersion};
use super::future::BoxFuture;
use super::history::{History, Step};
use super::raw_state::RawState;
use crate::codec::{DecodeError, Encoding, ObjectReader, Written};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::schema::Schema;
use crate::schema::table::Table;

/// The place that a model is put into once it is made: an `Option` of its type.
pub(super) type ModelPlace = dyn Any;

/// The routes and upgraders to a model, and the facts that its table does not say of it.
pub(super) struct Model {
    pub(super) history: &'static History,
    pub(super) routes: &'static [u16],
    pub(super) upgrader: fn(usize) -> Option<&'static AnyUpgrader>,
    /// Only if its table does not tell which values its fields take.
    pub(super) judge: Option<Judge>,
    /// Only if some state becomes a value of its schema by way of the model itself.
    pub(super) typed: Option<fn() -> &'static Typed>,
}

/// A model that is made.
pub(super) struct Typed {
    pub(super) model: &'static Model,
    /// Reads its fields into a place of it; says whether it could.
    pub(super) read: fn(&mut ObjectReader<'_, '_>, &mut ModelPlace) -> bool,
    /// Fills an empty place of it, and appends what is there then.
    pub(super) write: fn(Fill<'_>, &mut Output<'_>) -> Result<(), Diagnostics>,
}

/// The buffer that a model is written to, and the encoding or layout to write it in.
pub(super) struct Output<'o> {
    pub(super) written: Written<'o>,
    /// About how much there will be. The room is made once the model is: what was freed since the
    /// last one was made is then in use again, and the allocator need not put it together to find
    /// room.
    pub(super) room: usize,
    pub(super) out: &'o mut Vec<u8>,
}

impl<'o> Output<'o> {
    pub(super) fn new(encoding: Encoding, room: usize, out: &'o mut Vec<u8>) -> Self {
        Self {
            written: Written::In(encoding),
            room,
            out,
        }
    }
}

/// A function that puts a model into a place of its type.
pub(super) type Fill<'f> = &'f mut dyn FnMut(&mut ModelPlace) -> Result<(), Diagnostics>;

/// Puts a model into a place of its type.
#[inline]
pub(super) fn put<T: 'static>(model: T, place: &mut ModelPlace) -> Result<(), Diagnostics> {
    match place.downcast_mut::<Option<T>>() {
        Some(place) => {
            *place = Some(model);
            Ok(())
        }
        None => Err(nothing_made()),
    }
}

/// The end to which an upgrader makes a model.
pub(super) enum Taker<'t, 'o> {
    /// A later upgrader, or a caller, who finds it in this place of its type.
    Place(&'t mut ModelPlace),
    /// The answer, for which it is written at once.
    Output(&'t mut Output<'o>),
}

/// The diagnostic for a place that is empty, or of another model, which generated code does not
/// leave.
#[cold]
pub(super) fn nothing_made() -> Diagnostics {
    Diagnostic::error(
        "Unable to Convert State",
        "The upgrade made no model of the current version.",
    )
    .with_remedy("This is a mistake in upstate: report it there.")
    .into()
}

impl Model {
    pub(super) fn table(&self) -> &'static Table {
        self.history.table()
    }

    pub(super) fn schema(&self) -> &'static Schema {
        self.history.schema()
    }

    pub(super) fn version(&self) -> u64 {
        self.history.version()
    }
}

/// The model's own reading of a document, where its schema does not tell which values its fields
/// take.
pub(super) type Judge = fn(&[u8]) -> Option<DecodeError>;

/// The way from one stored version, or a range of them that share one shape, to the model `T`.
#[derive(Debug)]
pub struct Upgrader<T: 'static> {
    pub(super) any: AnyUpgrader,
    /// Only if this upgrader, or one that leads to its model, may await: what nobody calls is not
    /// compiled.
    pub(super) awaiting: Option<&'static dyn ApplyAsync<T>>,
}

/// An upgrader, whatever model it makes.
#[derive(Debug)]
pub(super) struct AnyUpgrader {
    pub(super) step: Step,
    /// A function of the author's, or a conversion.
    pub(super) apply: Option<&'static dyn Apply>,
    /// Operators instead.
    pub(super) declared: Option<Declared>,
    /// The author's function for the way back.
    pub(super) back: Option<&'static dyn Downgrade>,
}

/// Makes a model from state stored at an earlier version.
pub(super) trait Apply: Sync + fmt::Debug {
    /// Brings state of `version` to the model and hands that over. The version is that of the
    /// upgrader's prior model, or one from which that model is reached.
    fn upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        taker: Taker<'_, '_>,
    ) -> Result<(), Diagnostics>;
}

/// Upgrades as above, awaiting where an upgrader on the route does.
pub(super) trait ApplyAsync<T>: Sync + fmt::Debug {
    /// Brings state of `version` to `T`.
    fn upgrade_async<'a>(
        &'a self,
        version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<T, Diagnostics>>;
}

/// Makes state of a prior model from state of a later one.
pub(super) trait Downgrade: Sync + fmt::Debug {
    /// JSON of the later model into JSON of the prior one.
    fn downgrade(
        &self,
        json: &[u8],
        context: &mut UpgradeContext<'_>,
    ) -> Result<Vec<u8>, Diagnostics>;

    /// The version of the prior model.
    fn prior(&self) -> PriorVersion;
}

impl<T> Upgrader<T> {
    /// The upgrader without the type of its model.
    pub(super) const fn any(&self) -> &AnyUpgrader {
        &self.any
    }

    pub(super) const fn step(&self) -> &Step {
        &self.any.step
    }
}

impl AnyUpgrader {
    /// The author's function for the way back, if there is one.
    pub(super) const fn back(&self) -> Option<&'static dyn Downgrade> {
        self.back
    }

    /// The operators, if it is written with some.
    pub(super) const fn operators(&self) -> Option<&Declared> {
        self.declared.as_ref()
    }

    pub(super) const fn step(&self) -> &Step {
        &self.step
    }
}

/// The steps of `upgraders`.
#[doc(hidden)]
#[must_use]
#[expect(
    clippy::indexing_slicing,
    reason = "both indices are below their lengths, and const evaluation has no iterators"
)]
pub const fn steps<T, const N: usize>(upgraders: &'static [Upgrader<T>]) -> [Step; N] {
    let mut steps = [Step::new(0, None); N];
    let mut index = 0;
    while index < N && index < upgraders.len() {
        steps[index] = *upgraders[index].step();
        index += 1;
    }
    steps
}
