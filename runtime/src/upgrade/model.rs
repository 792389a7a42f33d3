//! Models without their types, so that all that is done with them is compiled once, in this crate.
//!
//! A model is in a [`ModelPlace`]. Only two small functions know its type ([`Typed`]), and they are compiled for the models that are made at
//! all: a prior model that operators alone lead from is nothing but its table.

use std::any::Any;

use super::blame::Judge;
use super::decode::decode_json;
use super::definition::encode;
use super::history::History;
use super::operators::has_own_types;
use super::upgrader::AnyUpgrader;
use crate::codec::{Encoding, ObjectReader, UnknownAttributes, Written};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::resource::Resource;
use crate::schema::Schema;
use crate::schema::table::Table;

/// Where a model is put once it is made: an `Option` of its type.
pub(super) type ModelPlace = dyn Any;

/// How a model is reached, and what its table does not say of it.
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

/// Where a model is written.
pub(super) struct Output<'o> {
    pub(super) written: Written<'o>,
    /// About how much there will be. The room is made once the model is: what was freed since the last one was made is then in use again, and
    /// the allocator need not put it together to find room.
    pub(super) room: usize,
    pub(super) out: &'o mut Vec<u8>,
}

impl<'o> Output<'o> {
    pub(super) fn new(encoding: Encoding, room: usize, out: &'o mut Vec<u8>) -> Self {
        Self { written: Written::In(encoding), room, out }
    }
}

/// What puts a model into a place of it.
pub(super) type Fill<'f> = &'f mut dyn FnMut(&mut ModelPlace) -> Result<(), Diagnostics>;

struct Of<T>(T);

impl<T: Resource> Of<T> {
    const MODEL: &'static Model = &Model {
        history: T::HISTORY,
        routes: T::ROUTES,
        upgrader: upgrader::<T>,
        judge: if has_own_types(T::TABLE) { Some(judge::<T>) } else { None },
        typed: if T::TABLE.reads_leniently() || T::HISTORY.has_functions() { Some(Typed::of::<T>) } else { None },
    };
    const TYPED: &'static Typed = &Typed { model: Self::MODEL, read: read::<T>, write: write::<T> };
}

impl Model {
    pub(super) fn of<T: Resource>() -> &'static Self {
        Of::<T>::MODEL
    }

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

impl Typed {
    pub(super) const fn of<T: Resource>() -> &'static Self {
        Of::<T>::TYPED
    }
}

fn upgrader<T: Resource>(index: usize) -> Option<&'static AnyUpgrader> {
    T::UPGRADERS.get(index).map(super::upgrader::Upgrader::any)
}

fn judge<T: Resource>(json: &[u8]) -> Option<crate::codec::DecodeError> {
    decode_json::<T>(json, UnknownAttributes::Ignore).err()
}

fn read<T: Resource>(object: &mut ObjectReader<'_, '_>, place: &mut ModelPlace) -> bool {
    let Some(place) = place.downcast_mut::<Option<T>>() else { return false };
    *place = T::decode(object);
    place.is_some()
}

fn write<T: Resource>(fill: Fill<'_>, output: &mut Output<'_>) -> Result<(), Diagnostics> {
    let mut place = None::<T>;
    fill(&mut place)?;
    match &place {
        Some(model) => encode(model, output),
        None => Err(nothing_made()),
    }
}

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

/// The diagnostic for a place that is empty, or of another model, which generated code does not leave.
#[cold]
pub(super) fn nothing_made() -> Diagnostics {
    Diagnostic::error(
        "Unable to Convert State",
        "The upgrade made no model of the current version. This is a mistake in upstate: report it there.",
    )
    .into()
}
