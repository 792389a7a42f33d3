//! The declarative routes of a model, compiled when the first state takes them.

use std::sync::OnceLock;

use super::choose::choose_shape;
use super::context::{Noted, UpgradeContext};
use super::declared::{Behind, Declared, PriorModel};
use super::decode::decode_document;
use super::history::{Route, routed};
use super::model::{Model, ModelPlace, Output, Typed};
use super::operators::{Fused, FusedUpgrader, Pass, compile, fuse};
use super::prior_shape::PriorShape;
use super::raw_state::{RawState, make_room};
use crate::codec::json::text_of;
use crate::codec::{Encoding, UnknownAttributes};
use crate::diagnostics::Diagnostics;
use crate::schema::table::Table;

/// The part of a model that the engine needs to take its declarative routes straight over the
/// bytes.
#[derive(Clone, Copy)]
pub(super) struct FastModel {
    typed: &'static Typed,
}

impl FastModel {
    pub(super) const fn new(typed: &'static Typed) -> Self {
        Self { typed }
    }
}

/// The upgraders that state stored at `version` takes to the model, if all of them are declarative
/// and the schemas say all that is to be known. `upgrader` is the index of the first one seen from
/// the model, where the state itself decides about it.
pub(super) fn route_of(
    model: &'static Model,
    version: u64,
    upgrader: Option<usize>,
) -> Option<Vec<FusedUpgrader>> {
    let index = match (
        upgrader,
        routed(model.routes, model.history.oldest(), version),
    ) {
        (Some(index), _) | (None, Route::Upgrader(index)) => index,
        (None, Route::None | Route::Conditional) => return None,
    };
    let upgrader = (model.upgrader)(index)?;
    let declared = upgrader.operators()?;
    declared.route(upgrader.step().model_version(version), model.table())
}

impl Declared {
    /// The upgraders from state stored at a version to what these operators make.
    fn route(&self, version: u64, current: &'static Table) -> Option<Vec<FusedUpgrader>> {
        let mut route = if self.starts_at(version) {
            Vec::new()
        } else {
            self.route_before(version)?
        };
        route.push(FusedUpgrader::new(
            self.operators,
            self.prior.table(),
            current,
        ));
        Some(route)
    }

    /// The upgraders from state stored at a version before the prior model's to that model.
    fn route_before(&self, version: u64) -> Option<Vec<FusedUpgrader>> {
        if self.awaits || !self.prior.is_strict() || self.prior.version() == version {
            return None;
        }
        match self.prior.behind {
            Behind::Model(PriorModel { known, .. }) => route_of(known(), version, None),
            Behind::Shape(shape) => shape.route(version),
            Behind::Object => None,
        }
    }
}

impl PriorShape {
    /// The upgraders from state stored at `version` to the shape, if the way is straight over the
    /// bytes.
    fn route(&'static self, version: u64) -> Option<Vec<FusedUpgrader>> {
        let Route::Upgrader(index) = routed(self.routes, self.history().oldest(), version) else {
            return None;
        };
        let upgrader = self.upgraders.get(index)?;
        let declared = upgrader.any().operators()?;
        declared.route(upgrader.step().model_version(version), self.table())
    }
}

/// JSON as the model itself reads and writes it.
fn remodel(typed: &Typed, json: &[u8], encoding: Encoding, out: &mut Vec<u8>) -> Option<()> {
    // The error is empty, because the interpreter takes the state next and says what is wrong with
    // it.
    let mut fill = |place: &mut ModelPlace| {
        decode_document(typed, json, UnknownAttributes::Deny, place).map_err(|_| Diagnostics::new())
    };
    (typed.write)(&mut fill, &mut Output::new(encoding, json.len(), out)).ok()
}

type Compiled = OnceLock<Option<Vec<Pass>>>;

/// The routes of one model that have been taken.
pub(super) struct FastRoutes {
    model: FastModel,
    /// By stored version, from the oldest on.
    by_version: Box<[Compiled]>,
    /// By upgrader, where the state itself decides which one it takes.
    by_upgrader: Box<[Compiled]>,
}

impl FastRoutes {
    pub(super) fn new(model: FastModel) -> Self {
        let none = |len| std::iter::repeat_with(OnceLock::new).take(len).collect();
        Self {
            model,
            by_version: none(model.typed.model.routes.len()),
            by_upgrader: none(model.typed.model.history.steps().len()),
        }
    }

    /// Brings JSON stored at `version` to the model and appends it to `out`; says whether that was
    /// the way for this state. If not, nothing has changed.
    pub(super) fn upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) -> bool {
        let (start, noted) = (out.len(), context.noted());
        let done = self
            .try_upgrade(version, raw, context, encoding, (start, noted), out)
            .is_some();
        if !done {
            out.truncate(start);
            context.forget(noted);
            context.start_over();
        }
        done
    }

    fn try_upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        encoding: Encoding,
        (start, noted): (usize, Noted),
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let json = text_of(raw.json()?)?;
        let passes = self.passes(version, raw, context)?;
        // The room is made here, because a plan begins to write at once.
        make_room(out, raw.room());
        match fuse(passes, json, context, encoding, out)? {
            Fused::Sure => return Some(()),
            Fused::ForModel if encoding == Encoding::Json => {
                let json = out.split_off(start);
                return remodel(self.model.typed, &json, encoding, out);
            }
            Fused::ForModel => {}
        }
        // The route is run again into JSON, because the model reads JSON and `out` has another
        // encoding.
        out.truncate(start);
        context.forget(noted);
        context.start_over();
        let mut again = Vec::new();
        fuse(passes, json, context, Encoding::Json, &mut again)?;
        remodel(self.model.typed, &again, encoding, out)
    }

    /// True if some state stored at `version` may go straight over the bytes.
    pub(super) fn may_take(&self, version: u64) -> bool {
        let model = self.model.typed.model;
        match routed(model.routes, model.history.oldest(), version) {
            Route::Upgrader(_) => self.passes_of_version(version).is_some(),
            Route::Conditional => true,
            Route::None => false,
        }
    }

    /// The way that all states stored at `version` take, if there is one.
    pub(super) fn taken_from(&self, version: u64) -> Option<&[Pass]> {
        let model = self.model.typed.model;
        match routed(model.routes, model.history.oldest(), version) {
            Route::Upgrader(_) => self.passes_of_version(version),
            Route::None | Route::Conditional => None,
        }
    }

    fn passes_of_version(&self, version: u64) -> Option<&[Pass]> {
        let model = self.model.typed.model;
        let index = usize::try_from(version.checked_sub(model.history.oldest())?).ok()?;
        self.by_version
            .get(index)?
            .get_or_init(|| compile(&route_of(model, version, None)?))
            .as_deref()
    }

    #[inline]
    fn passes(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &UpgradeContext<'_>,
    ) -> Option<&[Pass]> {
        let model = self.model.typed.model;
        let (history, routes) = (model.history, model.routes);
        match routed(routes, history.oldest(), version) {
            Route::None => None,
            Route::Upgrader(_) => self.passes_of_version(version),
            Route::Conditional => {
                let upgrader = choose_shape(history, version, raw, context).ok()?;
                self.by_upgrader
                    .get(upgrader)?
                    .get_or_init(|| compile(&route_of(model, version, Some(upgrader))?))
                    .as_deref()
            }
        }
    }
}
