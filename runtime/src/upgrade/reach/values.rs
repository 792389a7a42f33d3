//! Upgrades over values, where only schemas are known.

use super::bring;
use crate::codec::Encoding;
use crate::diagnostics::Diagnostics;
use crate::schema::Schema;
use crate::upgrade::choose::{choose, is_unsupported, no_upgrader};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::declared::{Behind, Declared, Prior, PriorModel};
use crate::upgrade::model::{Model, Output, Upgrader, nothing_made};
use crate::upgrade::operators::upgrade_state;
use crate::upgrade::prior_shape::{NoModel, PriorShape};
use crate::upgrade::raw_state::RawState;
use crate::upgrade::values::{read_shape, read_value, value_of_json};
use crate::value::{Unknown, Value};

impl Prior {
    /// Brings state stored at `version` to a value of the schema.
    pub(super) fn value(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        match self.behind {
            Behind::Model(PriorModel { known, .. }) => {
                upgrade_to_value(known(), version, raw, context)
            }
            Behind::Shape(shape) => shape.value(version, raw, context),
            Behind::Object => Ok(Value::Null),
        }
    }
}

impl Declared {
    /// Brings state stored at `version` to a value of the schema with these members.
    pub(in crate::upgrade) fn upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        let prior = self.prior.value(version, raw, context)?;
        context.check()?;
        self.upgrade_value(prior, (version, raw), to, context)
    }

    /// Brings a value of the prior schema to the current one.
    pub(in crate::upgrade) fn upgrade_value(
        &self,
        prior: Value,
        stored: (u64, RawState<'_>),
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        let mut value = match upgrade_state(
            self.operators,
            prior,
            self.prior.members(),
            to.block().members(),
            context,
        ) {
            Ok(value) => value,
            Err(refused) => return Err(self.blame_refusals(refused, stored, to, context)),
        };
        if context.has_questions() {
            return Ok(value);
        }
        // Not for a document, since the struct that is made of it says what is missing.
        if self.prior.table().document.is_some() {
            return Ok(value);
        }
        to.block().settle(&mut value);
        match value.conform(&to.implied_type(), Unknown::Refuse) {
            Ok(()) => Ok(value),
            Err(error) => Err(self.not_conform(&error, &value, stored, to, context)),
        }
    }
}

impl PriorShape {
    pub(super) fn chosen(
        &'static self,
        version: u64,
        raw: RawState<'_>,
        context: &UpgradeContext<'_>,
    ) -> Result<&'static Upgrader<NoModel>, Diagnostics> {
        let index = choose(self.history(), self.routes, version, raw, context)?;
        self.upgraders
            .get(index)
            .ok_or_else(|| no_upgrader(version, self.history(), context))
    }

    /// Brings state stored at `version` to a value of the shape.
    pub(in crate::upgrade) fn value(
        &'static self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        if version == self.history().version() {
            return read_shape(raw, self.table(), context);
        }
        let upgrader = self.chosen(version, raw, context)?;
        match upgrader.any().operators() {
            Some(declared) => declared.upgrade(
                upgrader.step().model_version(version),
                raw,
                self.schema(),
                context,
            ),
            None => Err(is_unsupported(upgrader.step(), context)),
        }
    }
}

/// Brings state stored at `version` to the model, as a value of its schema.
pub(in crate::upgrade) fn upgrade_to_value(
    model: &'static Model,
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    let upgrader = if version == model.version() {
        if model.table().document.is_some() {
            return read_shape(raw, model.table(), context);
        }
        if !model.table().reads_leniently() {
            return read_value(raw, model.schema(), context);
        }
        None
    } else {
        let upgrader = match model.choose(version, raw, context) {
            Ok(upgrader) => upgrader,
            Err(refused) => {
                let state = model.history.migrated(version, raw, context, refused)?;
                let made = upgrade_to_value(
                    model,
                    model.history.oldest(),
                    RawState::Flatmap(&state),
                    context,
                );
                return made.map_err(|errors| model.history.during_migration(version, errors));
            }
        };
        if let Some(declared) = upgrader.operators() {
            return declared.upgrade(
                upgrader.step().model_version(version),
                raw,
                model.schema(),
                context,
            );
        }
        Some(upgrader)
    };
    let Some(typed) = model.typed else {
        // An upgrader that makes no model is one that refuses.
        return Err(upgrader.map_or_else(nothing_made, |upgrader| {
            is_unsupported(upgrader.step(), context)
        }));
    };
    let typed = typed();
    let mut json = Vec::new();
    let mut output = Output::new(Encoding::Json, raw.room(), &mut json);
    (typed.write)(
        &mut |place| bring(typed, version, raw, context, place),
        &mut output,
    )?;
    value_of_json(&json, model.table(), context)
}
