//! Declarative upgraders among the others, and between nested objects.

use std::any::Any;

use super::context::UpgradeContext;
use super::future::BoxFuture;
use super::history::{History, PriorHistory};
use super::model::{AnyUpgrader, Judge, Model};
use super::operators::{Operators, downgrade_state};
use super::prior_shape::PriorShape;
use super::raw_state::RawState;
use crate::diagnostics::Diagnostics;
use crate::schema::table::Table;
use crate::schema::{LeftOver, Members, ObjectUpgrader, Schema};
use crate::value::Value;

/// The prior side of a declarative upgrader: not a Rust type, but the facts that are to be known of
/// one.
#[derive(Debug, Clone, Copy)]
pub struct Prior {
    pub(super) table: &'static Table,
    pub(super) behind: Behind,
}

/// The item that describes the prior version.
#[derive(Debug, Clone, Copy)]
pub(super) enum Behind {
    /// A struct that derives `Resource`.
    Model(PriorModel),
    /// A difference to a later version.
    Shape(&'static PriorShape),
    /// A struct that derives `Object`, which has no version.
    Object,
}

/// The means by which state gets to the version of a prior model, as a value of its schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct PriorModel {
    pub(super) prior: PriorHistory,
    /// The model as the engine knows it.
    pub(super) known: fn() -> &'static Model,
    /// True if state of the model's own version can be read by its schema alone.
    pub(super) strict: bool,
    /// Only if an upgrader of the route may await.
    pub(super) value_async: Option<ValueAsync>,
}

pub(super) type ValueAsync = for<'a> fn(
    u64,
    RawState<'a>,
    &'a mut UpgradeContext<'_>,
) -> BoxFuture<'a, Result<Value, Diagnostics>>;

impl Prior {
    /// A prior version without a struct.
    #[must_use]
    pub const fn shape(shape: &'static PriorShape) -> Self {
        Self {
            table: shape.table(),
            behind: Behind::Shape(shape),
        }
    }

    /// A prior nested object.
    #[must_use]
    pub const fn object_shape(table: &'static Table) -> Self {
        Self {
            table,
            behind: Behind::Object,
        }
    }

    /// The shape of the prior version, which the compiler's checks ask about.
    #[must_use]
    pub const fn table(&self) -> &'static Table {
        self.table
    }

    /// The schema version of the prior model; 0 for a nested object, which has none.
    #[must_use]
    pub const fn version(&self) -> u64 {
        match self.behind {
            Behind::Model(PriorModel { prior, .. }) => prior.version(),
            Behind::Shape(_) => self.table.version,
            Behind::Object => 0,
        }
    }

    /// Its attributes and blocks.
    pub(super) fn members(&self) -> Members<'static> {
        self.table.schema().block().members()
    }

    /// The model, if it is one.
    pub(super) const fn prior(&self) -> Option<PriorHistory> {
        match self.behind {
            Behind::Model(PriorModel { prior, .. }) => Some(prior),
            Behind::Shape(shape) => Some(shape.prior()),
            Behind::Object => None,
        }
    }

    /// The history of the model.
    pub(super) fn history(&self) -> Option<&'static History> {
        self.prior().map(|prior| prior.history())
    }

    /// True if an upgrader that leads to the model may await.
    pub(super) const fn awaits(&self) -> bool {
        match self.prior() {
            Some(prior) => prior.awaits(),
            None => false,
        }
    }

    /// True if state of the model's own version can be read by its schema alone.
    pub(super) const fn is_strict(&self) -> bool {
        match self.behind {
            Behind::Model(PriorModel { strict, .. }) => strict,
            Behind::Shape(_) => !self.table.reads_leniently(),
            Behind::Object => false,
        }
    }
}

impl ObjectUpgrader {
    /// From the struct that `prior` tells of.
    #[must_use]
    pub const fn new(
        prior: &'static Prior,
        operators: fn() -> &'static (dyn Any + Send + Sync),
    ) -> Self {
        Self::between(prior.table, operators)
    }

    /// From a shape without a struct to the one that `later` tells of.
    #[must_use]
    pub const fn onward(
        later: &'static Table,
        operators: fn() -> &'static (dyn Any + Send + Sync),
    ) -> Self {
        Self::between(later, operators)
    }

    const fn between(
        other: &'static Table,
        operators: fn() -> &'static (dyn Any + Send + Sync),
    ) -> Self {
        let Table {
            rust_name: other_name,
            instance: other_instance,
            ..
        } = *other;
        Self {
            other_name,
            other_instance,
            left_over: &LeftOver::Nothing,
            operators,
        }
    }

    /// This upgrader, whose operators leave a member to `rekey`.
    #[must_use]
    pub const fn leaving(self, left_over: &'static LeftOver) -> Self {
        Self { left_over, ..self }
    }
}

/// A declarative upgrader: the table, and the model it starts from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared {
    pub(super) operators: &'static Operators,
    pub(super) prior: &'static Prior,
    /// True if a function among the operators is an `async fn`. The operators of nested objects
    /// have a table of their own.
    pub(super) awaits: bool,
}

impl Declared {
    /// The model or shape that describes the prior version; nothing for a nested object.
    pub(super) fn prior_version(&self) -> Option<PriorVersion> {
        match self.prior.behind {
            Behind::Model(PriorModel { known, .. }) => Some(PriorVersion::Model(known())),
            Behind::Shape(shape) => Some(PriorVersion::Shape(shape)),
            Behind::Object => None,
        }
    }

    /// The prior value that a current one comes from, as far as the operators tell.
    pub(super) fn undo(
        &self,
        current: &Value,
        to: &'static Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        downgrade_state(
            self.operators,
            current,
            self.prior.members(),
            to.block().members(),
            context,
        )
    }

    /// True if state of this version has the prior model's shape and can be read by its schema, and
    /// no function of the upgrader awaits.
    pub(super) fn starts_at(&self, version: u64) -> bool {
        !self.awaits && self.prior.is_strict() && self.prior.version() == version
    }
}

/// A version, whatever describes it.
#[derive(Clone, Copy)]
pub(super) enum PriorVersion {
    /// A struct.
    Model(&'static Model),
    /// A difference to a later version.
    Shape(&'static PriorShape),
}

impl PriorVersion {
    pub(super) const fn history(self) -> &'static History {
        match self {
            Self::Model(model) => model.history,
            Self::Shape(shape) => shape.history(),
        }
    }

    pub(super) fn table(self) -> &'static Table {
        self.history().table()
    }

    /// The upgrader of this index that leads to it.
    pub(super) fn upgrader(self, index: usize) -> Option<&'static AnyUpgrader> {
        match self {
            Self::Model(model) => (model.upgrader)(index),
            Self::Shape(shape) => shape.upgrader(index),
        }
    }

    /// The model's own reading, where its schema does not tell which values it takes.
    pub(super) const fn judge(self) -> Option<Judge> {
        match self {
            Self::Model(model) => model.judge,
            Self::Shape(_) => None,
        }
    }
}
