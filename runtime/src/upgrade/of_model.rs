//! The definition of a model: all that the engine does with its type, behind functions that are
//! compiled once for each model.

use super::context::UpgradeContext;
use super::definition::{Current, ResourceDefinition, Source};
use super::encode::encode;
use super::fast::FastModel;
use super::future::BoxFuture;
use super::model::{ModelPlace, Output, Typed, Upgrader};
use super::moves::{ModelMoves, Move, MoveSource, RunMoveAsync};
use super::raw_state::RawState;
use super::reach::upgrade_model_async;
use super::resource::Resource;
use crate::codec::Encoding;
use crate::diagnostics::Diagnostics;
use crate::message::iterate;
use crate::schema::Shared;

impl ResourceDefinition {
    /// The definition of the model `T`.
    #[must_use]
    pub const fn of<T: Resource>() -> Self {
        Self {
            type_name: Shared::Static(T::TYPE_NAME),
            schema: Current::Model(T::TABLE),
            oldest: T::HISTORY.oldest(),
            identity: match T::IDENTITY {
                Some(identity) => Some(Shared::Static(identity)),
                None => None,
            },
            source: Source::Model {
                history: T::HISTORY,
                routes: T::ROUTES,
                typed: Typed::of::<T>(),
                upgrade_async: if T::HISTORY.awaits() {
                    Some(upgrade_and_encode_async::<T>)
                } else {
                    None
                },
                moves: ModelMoves::of::<T>(),
                fast: if any_declared(T::UPGRADERS) {
                    Some(FastModel::new(Typed::of::<T>()))
                } else {
                    None
                },
                fast_routes: None,
            },
            known: None,
        }
    }
}

/// True if any of the upgraders is written with operators.
const fn any_declared<T>(upgraders: &[Upgrader<T>]) -> bool {
    iterate!(one in upgraders => {
        if one.any().operators().is_some() {
            return true;
        }
    });
    false
}

fn upgrade_and_encode_async<'a, T: Resource>(
    version: u64,
    raw: RawState<'a>,
    context: &'a mut UpgradeContext<'_>,
    encoding: Encoding,
    out: &'a mut Vec<u8>,
) -> BoxFuture<'a, Result<(), Diagnostics>> {
    Box::pin(async move {
        let model = upgrade_model_async::<T>(version, raw, context).await?;
        encode(&model, &mut Output::new(encoding, raw.room(), out))
    })
}

impl ModelMoves {
    pub(super) const fn of<T: Resource>() -> Option<Self> {
        if T::MOVES.is_empty() {
            return None;
        }
        let run_async: Option<RunMoveAsync> = if awaits(T::MOVES) {
            Some(run_async::<T>)
        } else {
            None
        };
        Some(Self {
            sources: sources::<T>,
            run: run::<T>,
            run_async,
        })
    }
}

const fn awaits<T>(moves: &[Move<T>]) -> bool {
    iterate!(one in moves => {
        if one.from.step.awaits() {
            return true;
        }
    });
    false
}

fn sources<T: Resource>() -> Vec<MoveSource> {
    T::MOVES.iter().map(|one| one.from).collect()
}

fn run<T: Resource>(
    index: usize,
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
    encoding: Encoding,
    out: &mut Vec<u8>,
) -> Result<(), Diagnostics> {
    // The index comes from the sources, which are as many.
    let Some(one) = T::MOVES.get(index) else {
        return Err(Diagnostics::new());
    };
    let typed = Typed::of::<T>();
    let mut fill = |place: &mut ModelPlace| {
        one.upgrader
            .any()
            .upgrade(typed, version, raw, context, place)
    };
    (typed.write)(&mut fill, &mut Output::new(encoding, raw.room(), out))
}

fn run_async<'a, T: Resource>(
    index: usize,
    version: u64,
    raw: RawState<'a>,
    context: &'a mut UpgradeContext<'_>,
    encoding: Encoding,
    out: &'a mut Vec<u8>,
) -> BoxFuture<'a, Result<(), Diagnostics>> {
    Box::pin(async move {
        let Some(one) = T::MOVES.get(index) else {
            return Err(Diagnostics::new());
        };
        let model = one.upgrader.upgrade_async(version, raw, context).await?;
        encode(&model, &mut Output::new(encoding, raw.room(), out))
    })
}
