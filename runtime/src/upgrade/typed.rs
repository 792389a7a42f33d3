//! The code that is compiled for each model: all that the engine needs of a struct that derives
//! `Resource`, as functions without its type.

use super::decode::decode_json;
use super::encode::encode;
use super::history::{Behind, History, PriorHistory};
use super::model::{AnyUpgrader, Fill, Model, ModelPlace, Output, Typed, nothing_made};
use super::operators::has_own_types;
use super::resource::Resource;
use crate::codec::{DecodeError, ObjectReader, UnknownAttributes};
use crate::diagnostics::Diagnostics;

struct Of<T>(T);

impl<T: Resource> Of<T> {
    const MODEL: &'static Model = &Model {
        history: T::HISTORY,
        routes: T::ROUTES,
        upgrader: upgrader::<T>,
        judge: if has_own_types(T::TABLE) {
            Some(judge::<T>)
        } else {
            None
        },
        typed: if T::TABLE.reads_leniently() || T::HISTORY.has_functions() {
            Some(Typed::of::<T>)
        } else {
            None
        },
    };
    const TYPED: &'static Typed = &Typed {
        model: Self::MODEL,
        read: read::<T>,
        write: write::<T>,
    };
}

impl Model {
    /// The model `T`.
    pub(super) fn of<T: Resource>() -> &'static Self {
        Of::<T>::MODEL
    }
}

impl Typed {
    pub(super) const fn of<T: Resource>() -> &'static Self {
        Of::<T>::TYPED
    }
}

impl PriorHistory {
    /// The prior model `P`.
    pub(super) const fn of<P: Resource>() -> Self {
        fn history<P: Resource>() -> &'static History {
            P::HISTORY
        }
        Self::new(P::HISTORY, P::ROUTES, Behind::Model(history::<P>))
    }
}

fn upgrader<T: Resource>(index: usize) -> Option<&'static AnyUpgrader> {
    T::UPGRADERS.get(index).map(super::model::Upgrader::any)
}

fn judge<T: Resource>(json: &[u8]) -> Option<DecodeError> {
    decode_json::<T>(json, UnknownAttributes::Ignore).err()
}

fn read<T: Resource>(object: &mut ObjectReader<'_, '_>, place: &mut ModelPlace) -> bool {
    let Some(place) = place.downcast_mut::<Option<T>>() else {
        return false;
    };
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
