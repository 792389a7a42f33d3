//! Prior versions without a struct: what they stored is written as a difference to a later version.

use super::context::UpgradeContext;
use super::declared::read_shape;
use super::definition::ResourceDefinition;
use super::dynamic::ClosureUpgrader;
use super::engine::{choose, no_upgrader};
use super::functions::is_unsupported;
use super::future::BoxFuture;
use super::history::{History, Route, Step, is_routed, routed};
use super::operators::FusedUpgrader;
use super::raw_state::RawState;
use super::upgrader::{AnyUpgrader, Upgrader};
use crate::diagnostics::Diagnostics;
use crate::path::AttributePath;
use crate::schema::table::Table;
use crate::schema::{Schema, Shared};
use crate::value::Value;

/// A prior version without a struct, and the upgraders that lead to it. One is a static; nothing of it is compiled for each.
#[derive(Debug)]
pub struct PriorShape {
    history: History,
    routes: &'static [u16],
    upgraders: &'static [Upgrader<NoModel>],
}

/// The struct in place of a model where there is none.
#[derive(Debug)]
pub enum NoModel {}

impl PriorShape {
    /// The version that a table describes, of the type of this name (with its number). `is_named` says whether the author wrote that name, `is_pinned`
    /// whether the compiler compares it with what `upstate.lock` says was released.
    #[must_use]
    pub const fn new(table: &'static Table, type_name: (&'static str, u64), is_named: bool, is_pinned: bool) -> Self {
        Self { history: History::of_shape(table, type_name, is_named, is_pinned), routes: &[], upgraders: &[] }
    }

    /// This version, reached from earlier ones: `routes` begin with the version `oldest`.
    #[must_use]
    pub const fn reached(
        mut self,
        oldest: u64,
        upgraders: &'static [Upgrader<NoModel>],
        steps: &'static [Step],
        routes: &'static [u16],
    ) -> Self {
        self.history.oldest = oldest;
        self.history.steps = steps;
        self.upgraders = upgraders;
        self.routes = routes;
        self
    }

    /// What const evaluation and the engine know of it.
    #[must_use]
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// The upgrader of this index.
    pub(super) fn upgrader(&'static self, index: usize) -> Option<&'static AnyUpgrader> {
        self.upgraders.get(index).map(Upgrader::any)
    }

    pub(super) const fn routes(&self) -> &'static [u16] {
        self.routes
    }

    pub(super) const fn table(&self) -> &'static Table {
        self.history.table()
    }

    pub(super) fn schema(&self) -> &'static Schema {
        self.table().schema()
    }

    /// The shape as a resource of its own: state of earlier versions goes up to it and no further.
    pub(super) fn definition(&'static self, type_name: Shared<str>) -> Result<ResourceDefinition, Diagnostics> {
        let (version, oldest) = (self.history.version(), self.history.oldest());
        let builder = ResourceDefinition::builder(type_name, self.schema().clone()).oldest(oldest);
        let earlier = (oldest..version).filter(|stored| is_routed(self.routes, oldest, *stored));
        let awaits = self.history.awaits();
        let upgrader = |stored| {
            if awaits {
                ClosureUpgrader::new_async(stored, move |_, context| self.value_async(stored, context.raw_state(), context))
            } else {
                ClosureUpgrader::new(stored, move |_, context| self.value(stored, context.raw_state(), context))
            }
        };
        earlier.fold(builder, |builder, stored| builder.upgrader(upgrader(stored))).build()
    }

    fn chosen(
        &'static self,
        version: u64,
        raw: RawState<'_>,
        context: &UpgradeContext<'_>,
    ) -> Result<&'static Upgrader<NoModel>, Diagnostics> {
        let index = choose(&self.history, self.routes, version, raw, context)?;
        self.upgraders.get(index).ok_or_else(|| no_upgrader(version, &self.history, context))
    }

    /// Brings state stored at `version` to a value of the shape.
    pub(super) fn value(
        &'static self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        if version == self.history.version() {
            return read_shape(raw, self.table(), context);
        }
        let upgrader = self.chosen(version, raw, context)?;
        match upgrader.any().operators() {
            Some(declared) => declared.upgrade(upgrader.step().model_version(version), raw, self.schema(), context),
            None => Err(is_unsupported(upgrader.step(), context)),
        }
    }

    /// Upgrades as above, awaiting where an upgrader on the route does.
    pub(super) fn value_async<'a>(
        &'static self,
        version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<Value, Diagnostics>> {
        Box::pin(async move {
            if version == self.history.version() {
                return read_shape(raw, self.table(), context);
            }
            let upgrader = self.chosen(version, raw, context)?;
            match upgrader.any().operators() {
                Some(declared) => {
                    declared.upgrade_async(upgrader.step().model_version(version), raw, self.schema(), context).await
                }
                None => Err(is_unsupported(upgrader.step(), context)),
            }
        })
    }

    /// The upgraders from state stored at `version` to the shape, if the way is straight over the bytes.
    pub(super) fn route(&'static self, version: u64) -> Option<Vec<FusedUpgrader>> {
        let Route::Upgrader(index) = routed(self.routes, self.history.oldest(), version) else { return None };
        let upgrader = self.upgraders.get(index)?;
        let declared = upgrader.any().operators()?;
        let version = upgrader.step().model_version(version);
        let mut route = if declared.starts_at(version) { Vec::new() } else { declared.route_before(version)? };
        route.push(FusedUpgrader::new(declared.operators, declared.prior.table(), self.table()));
        Some(route)
    }

    /// What is wrong at these paths with the shape, to which state stored at an earlier version was brought.
    #[cold]
    pub(super) fn blame(
        &'static self,
        version: u64,
        raw: RawState<'_>,
        suspects: &[AttributePath],
        context: &mut UpgradeContext<'_>,
    ) -> Option<Diagnostics> {
        let upgrader = self.chosen(version, raw, context).ok()?;
        let stored = (upgrader.step().model_version(version), raw);
        upgrader.any().operators()?.blame_answer(stored, self.schema(), None, suspects, context)
    }
}
