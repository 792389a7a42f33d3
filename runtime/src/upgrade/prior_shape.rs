//! Prior versions without a struct: what they stored is written as a difference to a later version.

use super::history::{Behind, Difference, History, PriorHistory, Step};
use super::model::{AnyUpgrader, Upgrader};
use crate::schema::Schema;
use crate::schema::table::Table;

/// A prior version without a struct, and the upgraders that lead to it. One is a static; nothing of
/// it is compiled for each.
#[derive(Debug)]
pub struct PriorShape {
    history: History,
    pub(super) routes: &'static [u16],
    pub(super) upgraders: &'static [Upgrader<NoModel>],
}

/// The struct in place of a model where there is none.
#[derive(Debug)]
pub enum NoModel {}

impl PriorShape {
    /// The version that a table describes, of the type of this name (with its number). `is_named`
    /// says whether the author wrote that name, `is_pinned` whether the compiler compares it with
    /// what `upstate.lock` says was released.
    #[must_use]
    pub const fn new(
        table: &'static Table,
        type_name: (&'static str, u64),
        is_named: bool,
        is_pinned: bool,
    ) -> Self {
        Self {
            history: History::of_shape(table, type_name, is_named, is_pinned),
            routes: &[],
            upgraders: &[],
        }
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

    /// The history of the shape: what const evaluation and the engine know of it.
    #[must_use]
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// The upgrader of this index.
    pub(super) fn upgrader(&'static self, index: usize) -> Option<&'static AnyUpgrader> {
        self.upgraders.get(index).map(Upgrader::any)
    }

    /// This version as the prior one of an upgrader.
    pub(super) const fn prior(&'static self) -> PriorHistory {
        PriorHistory::new(&self.history, self.routes, Behind::Shape(self))
    }

    pub(super) const fn table(&self) -> &'static Table {
        self.history.table()
    }

    pub(super) fn schema(&self) -> &'static Schema {
        self.table().schema()
    }
}

impl Difference for PriorShape {
    fn history(&self) -> &History {
        &self.history
    }
}
