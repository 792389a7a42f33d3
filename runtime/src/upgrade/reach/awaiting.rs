//! Upgrades that await an author's function.

use super::{upgrade_model, upgrade_to_value};
use crate::diagnostics::Diagnostics;
use crate::schema::Schema;
use crate::upgrade::choose::{choose, is_unsupported, no_upgrader};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::declared::{Behind, Declared, PriorModel};
use crate::upgrade::future::BoxFuture;
use crate::upgrade::model::{Model, Typed, Upgrader, nothing_made};
use crate::upgrade::prior_shape::PriorShape;
use crate::upgrade::raw_state::RawState;
use crate::upgrade::resource::Resource;
use crate::upgrade::values::{put_value, read_shape, value_of};
use crate::value::Value;

impl Declared {
    /// Upgrades a value, awaiting where an upgrader on the way does.
    pub(in crate::upgrade) async fn upgrade_async(
        &self,
        version: u64,
        raw: RawState<'_>,
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        let prior = match self.prior.behind {
            Behind::Model(PriorModel {
                value_async: Some(value),
                ..
            }) => value(version, raw, context).await?,
            Behind::Shape(shape) if self.prior.awaits() => {
                shape.value_async(version, raw, context).await?
            }
            Behind::Model(_) | Behind::Shape(_) | Behind::Object => {
                self.prior.value(version, raw, context)?
            }
        };
        context.check()?;
        let noted = context.noted();
        context.keep_questions();
        loop {
            let value = self.upgrade_value(prior.clone(), (version, raw), to, context);
            // An error asks nothing. Without one, a value may still be missing until its question
            // is answered.
            if value.is_err() || !context.await_answers().await? {
                context.forget_questions();
                return value;
            }
            context.forget(noted);
            context.start_over();
        }
    }
}

impl PriorShape {
    /// Upgrades as above, awaiting where an upgrader on the route does.
    pub(in crate::upgrade) fn value_async<'a>(
        &'static self,
        version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<Value, Diagnostics>> {
        Box::pin(async move {
            if version == self.history().version() {
                return read_shape(raw, self.table(), context);
            }
            let upgrader = self.chosen(version, raw, context)?;
            match upgrader.any().operators() {
                Some(declared) => {
                    declared
                        .upgrade_async(
                            upgrader.step().model_version(version),
                            raw,
                            self.schema(),
                            context,
                        )
                        .await
                }
                None => Err(is_unsupported(upgrader.step(), context)),
            }
        })
    }
}

impl<T> Upgrader<T> {
    /// Brings state stored at `version`, which this upgrader or its model's own upgraders are for,
    /// to `T`, awaiting where an upgrader on the way does.
    pub(in crate::upgrade) fn upgrade_async<'a>(
        &'a self,
        version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<T, Diagnostics>>
    where
        T: Resource,
    {
        let step = &self.any.step;
        match (self.awaiting, &self.any.declared) {
            (Some(awaiting), _) => {
                awaiting.upgrade_async(step.model_version(version), raw, context)
            }
            (None, Some(declared)) if step.awaits() => Box::pin(async move {
                let version = step.model_version(version);
                let value = declared
                    .upgrade_async(version, raw, T::schema(), context)
                    .await?;
                // Into a place, because of a document this also notes what the model does not keep.
                let mut place = None::<T>;
                put_value(Typed::of::<T>(), &value, &mut place, context).map_err(|error| {
                    declared.not_taken(error, &value, (version, raw), T::schema(), context)
                })?;
                place.ok_or_else(nothing_made)
            }),
            _ => Box::pin(async move {
                let mut place = None::<T>;
                self.any
                    .upgrade(Typed::of::<T>(), version, raw, context, &mut place)?;
                place.ok_or_else(nothing_made)
            }),
        }
    }
}

/// Brings state stored at `version` to the model `T`, awaiting where an upgrader on the way does.
pub(in crate::upgrade) fn upgrade_model_async<'a, T: Resource>(
    version: u64,
    raw: RawState<'a>,
    context: &'a mut UpgradeContext<'_>,
) -> BoxFuture<'a, Result<T, Diagnostics>> {
    if version == T::VERSION {
        return Box::pin(async move { upgrade_model(version, raw, context) });
    }
    match choose(T::HISTORY, T::ROUTES, version, raw, context).map(|index| T::UPGRADERS.get(index))
    {
        Ok(Some(upgrader)) => upgrader.upgrade_async(version, raw, context),
        Ok(None) => Box::pin(async move {
            let refused = no_upgrader(version, T::HISTORY, context);
            let state = T::HISTORY.migrated(version, raw, context, refused)?;
            let brought =
                upgrade_model_async(T::HISTORY.oldest(), RawState::Flatmap(&state), context).await;
            brought.map_err(|errors| T::HISTORY.during_migration(version, errors))
        }),
        Err(errors) => Box::pin(async move { Err(errors) }),
    }
}

/// Does what [`upgrade_to_value`] does, awaiting where an upgrader on the route does.
pub(in crate::upgrade) fn upgrade_to_value_async<'a, T: Resource>(
    version: u64,
    raw: RawState<'a>,
    context: &'a mut UpgradeContext<'_>,
) -> BoxFuture<'a, Result<Value, Diagnostics>> {
    Box::pin(async move {
        if version == T::VERSION {
            return upgrade_to_value(Model::of::<T>(), version, raw, context);
        }
        let model = upgrade_model_async::<T>(version, raw, context).await?;
        value_of(&model, context)
    })
}
