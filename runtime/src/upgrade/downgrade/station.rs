//! A version on the way down: what it stores, and the upgraders that lead to it.

use crate::schema::Schema;
use crate::upgrade::blame::Judge;
use crate::upgrade::history::History;
use crate::upgrade::model::Model;
use crate::upgrade::prior_shape::PriorShape;
use crate::upgrade::upgrader::AnyUpgrader;

/// A version, whatever describes it.
#[derive(Clone, Copy)]
pub(in crate::upgrade) enum Station {
    /// A struct.
    Model(&'static Model),
    /// A difference to a later version.
    Shape(&'static PriorShape),
}

impl Station {
    pub(super) const fn history(self) -> &'static History {
        match self {
            Self::Model(model) => model.history,
            Self::Shape(shape) => shape.history(),
        }
    }

    pub(in crate::upgrade) fn schema(self) -> &'static Schema {
        self.history().schema()
    }

    /// The upgrader of this index that leads to it.
    pub(super) fn upgrader(self, index: usize) -> Option<&'static AnyUpgrader> {
        match self {
            Self::Model(model) => (model.upgrader)(index),
            Self::Shape(shape) => shape.upgrader(index),
        }
    }

    /// The model's own reading, where its schema does not tell which values it takes.
    pub(in crate::upgrade) const fn judge(self) -> Option<Judge> {
        match self {
            Self::Model(model) => model.judge,
            Self::Shape(_) => None,
        }
    }
}
