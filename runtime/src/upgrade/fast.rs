//! The declarative routes of a model, compiled when the first state takes them.

use std::sync::OnceLock;

use super::context::UpgradeContext;
use super::decode::decode_json;
use super::definition::encode;
use super::edge::Edge;
use super::engine::choose_shape;
use super::history::{History, Route, routed};
use super::operators::{Fused, FusedEdge, Leg, compile, fuse};
use super::raw_state::RawState;
use crate::codec::{Encoding, UnknownAttributes};
use crate::resource::Resource;

/// What the engine needs of a model to go its declarative routes straight over the bytes.
#[derive(Clone, Copy)]
pub(super) struct FastModel {
    history: &'static History,
    routes: &'static [u16],
    route: fn(u64, Option<usize>) -> Option<Vec<FusedEdge>>,
    /// JSON as the model itself reads and writes it.
    remodel: fn(&[u8], Encoding, &mut Vec<u8>) -> Option<()>,
}

impl FastModel {
    /// Of the model `T`, if any of its edges is written with operators.
    pub(super) const fn of<T: Resource>() -> Option<Self> {
        if any_declared(T::EDGES) {
            Some(Self { history: T::HISTORY, routes: T::ROUTES, route: route_of::<T>, remodel: remodel::<T> })
        } else {
            None
        }
    }
}

/// Whether any of the edges is written with operators.
const fn any_declared<T>(mut edges: &[Edge<T>]) -> bool {
    while let [first, rest @ ..] = edges {
        if first.operators().is_some() {
            return true;
        }
        edges = rest;
    }
    false
}

/// The edges that state stored at `version` takes to the model `T`, if all of them are declarative and the schemas say all that is to be
/// known. `edge` is the index of the first one seen from the model, where the state itself decides about it.
pub(super) fn route_of<T: Resource>(version: u64, edge: Option<usize>) -> Option<Vec<FusedEdge>> {
    let index = match (edge, routed(T::ROUTES, T::HISTORY.oldest(), version)) {
        (Some(index), _) | (None, Route::Edge(index)) => index,
        (None, Route::None | Route::Conditional) => return None,
    };
    let edge = T::EDGES.get(index)?;
    let declared = edge.operators()?;
    let version = edge.step().model_version(version);
    let mut route = if declared.starts_at(version) { Vec::new() } else { declared.route_before(version)? };
    route.push(FusedEdge::new(declared, T::schema().block().members()));
    Some(route)
}

fn remodel<T: Resource>(json: &[u8], encoding: Encoding, out: &mut Vec<u8>) -> Option<()> {
    encode(&decode_json::<T>(json, UnknownAttributes::Deny).ok()?, encoding, out).ok()
}

type Compiled = OnceLock<Option<Vec<Leg>>>;

/// The routes of one model that have been taken.
pub(super) struct FastRoutes {
    model: FastModel,
    /// By stored version, from the oldest on.
    by_version: Box<[Compiled]>,
    /// By edge, where the state itself decides which one it takes.
    by_edge: Box<[Compiled]>,
}

impl FastRoutes {
    pub(super) fn new(model: FastModel) -> Self {
        let none = |len| std::iter::repeat_with(OnceLock::new).take(len).collect();
        Self { model, by_version: none(model.routes.len()), by_edge: none(model.history.steps().len()) }
    }

    /// Brings JSON stored at `version` to the model and appends it to `out`; says whether that was the way for this state. If not, nothing
    /// has changed.
    pub(super) fn upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) -> bool {
        let (start, noted) = (out.len(), context.noted());
        let done = self.try_upgrade(version, raw, context, encoding, out).is_some();
        if !done {
            out.truncate(start);
            context.forget(noted);
        }
        done
    }

    fn try_upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let json = raw.json()?;
        let legs = self.legs(version, raw, context)?;
        let (start, noted) = (out.len(), context.noted());
        match fuse(legs, json, context, encoding, out)? {
            Fused::Sure => return Some(()),
            Fused::ForModel if encoding == Encoding::Json => {
                let json = out.split_off(start);
                return (self.model.remodel)(&json, encoding, out);
            }
            Fused::ForModel => {}
        }
        // Models read JSON.
        out.truncate(start);
        context.forget(noted);
        let mut again = Vec::new();
        fuse(legs, json, context, Encoding::Json, &mut again)?;
        (self.model.remodel)(&again, encoding, out)
    }

    fn legs(&self, version: u64, raw: RawState<'_>, context: &UpgradeContext<'_>) -> Option<&[Leg]> {
        let FastModel { history, routes, route, .. } = self.model;
        let (compiled, edge) = match routed(routes, history.oldest(), version) {
            Route::None => return None,
            Route::Edge(_) => {
                let index = usize::try_from(version.checked_sub(history.oldest())?).ok()?;
                (self.by_version.get(index)?, None)
            }
            Route::Conditional => {
                let edge = choose_shape(history, version, raw, context).ok()?;
                (self.by_edge.get(edge)?, Some(edge))
            }
        };
        compiled.get_or_init(|| compile(&route(version, edge)?)).as_deref()
    }
}
