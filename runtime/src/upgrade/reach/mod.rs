//! Brings stored state to a later version: to a model, or to a value of its schema.
//!
//! A route is followed from its end: a model asks the upgrader that leads to it, and that asks its
//! prior version, until one reads the state. So these files call each other, and nothing above them
//! is asked.

mod awaiting;
mod blame;
mod document;
mod values;

pub(super) use self::awaiting::{upgrade_model_async, upgrade_to_value_async};
pub(super) use self::blame::{counted, unfit, unread};
use self::document::upgrade_document;
pub(super) use self::document::work_of;
pub(super) use self::values::upgrade_to_value;
use super::choose::is_unsupported;
use super::context::UpgradeContext;
use super::decode::decode_model;
use super::history::{Route, UpgraderKind, routed};
use super::model::{AnyUpgrader, ModelPlace, Output, Taker, Typed, nothing_made};
use super::raw_state::RawState;
use super::resource::Resource;
use super::values::put_value;
use crate::diagnostics::Diagnostics;

/// Brings state stored at `version` to the model `T`, through prior models if need be.
pub(super) fn upgrade_model<T: Resource>(
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<T, Diagnostics> {
    let mut place = None::<T>;
    match (
        bring(Typed::of::<T>(), version, raw, context, &mut place),
        place,
    ) {
        (Ok(()), Some(model)) => Ok(model),
        (Ok(()), None) => Err(nothing_made()),
        (Err(errors), _) => Err(errors),
    }
}

/// Upgrades to any model, which is put into `place`.
pub(super) fn bring(
    typed: &Typed,
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
    place: &mut ModelPlace,
) -> Result<(), Diagnostics> {
    let model = typed.model;
    if version == model.version() {
        return read(typed, raw, context, place);
    }
    match model.choose(version, raw, context) {
        Ok(upgrader) => upgrader.upgrade(typed, version, raw, context, place),
        Err(refused) => bring_migrated(typed, version, raw, context, place, refused),
    }
}

/// Reads state that has the shape of the model.
fn read(
    typed: &Typed,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
    place: &mut ModelPlace,
) -> Result<(), Diagnostics> {
    decode_model(typed.model.table(), raw, context, &mut |object| {
        (typed.read)(object, place)
    })
}

/// Upgrades flat state that is older than the first upgrader, if the author wrote a function for
/// it; `refused` otherwise.
#[cold]
fn bring_migrated(
    typed: &Typed,
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
    place: &mut ModelPlace,
    refused: Diagnostics,
) -> Result<(), Diagnostics> {
    let history = typed.model.history;
    let state = history.migrated(version, raw, context, refused)?;
    let brought = bring(
        typed,
        history.oldest(),
        RawState::Flatmap(&state),
        context,
        place,
    );
    brought.map_err(|errors| history.during_migration(version, errors))
}

/// Brings state stored at `version` to the model and writes that.
#[inline]
pub(super) fn upgrade_and_encode(
    typed: &Typed,
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
    output: &mut Output<'_>,
) -> Result<(), Diagnostics> {
    let model = typed.model;
    if version != model.version()
        && let Route::Upgrader(index) = routed(model.routes, model.history.oldest(), version)
        && let Some(AnyUpgrader {
            step,
            apply: Some(apply),
            ..
        }) = (model.upgrader)(index)
    {
        let version = step.model_version(version);
        return apply.upgrade(version, raw, context, Taker::Output(output));
    }
    (typed.write)(
        &mut |place| bring(typed, version, raw, context, place),
        output,
    )
}

impl AnyUpgrader {
    /// Brings state stored at `version`, which this upgrader or its model's own upgraders are for,
    /// to the model and puts that into `place`.
    #[inline]
    pub(super) fn upgrade(
        &self,
        to: &Typed,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        place: &mut ModelPlace,
    ) -> Result<(), Diagnostics> {
        let version = self.step.model_version(version);
        match self.apply {
            Some(apply) => apply.upgrade(version, raw, context, Taker::Place(place)),
            None => self.upgrade_without_function(to, version, raw, context, place),
        }
    }

    #[inline(never)]
    fn upgrade_without_function(
        &self,
        to: &Typed,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        place: &mut ModelPlace,
    ) -> Result<(), Diagnostics> {
        if let Some(declared) = &self.declared {
            if upgrade_document(declared, version, raw, to, context, place) {
                return Ok(());
            }
            let schema = to.model.schema();
            let value = declared.upgrade(version, raw, schema, context)?;
            return put_value(to, &value, place, context).map_err(|error| {
                declared.not_taken(error, &value, (version, raw), schema, context)
            });
        }
        match self.step.written_as() {
            // The model reads this state, because it has the current shape, although it was stored
            // under an earlier version.
            UpgraderKind::Unchanged => read(to, raw, context, place),
            UpgraderKind::Conversion
            | UpgraderKind::Function
            | UpgraderKind::Raw
            | UpgraderKind::Operators(_)
            | UpgraderKind::Unsupported
            | UpgraderKind::NeverReleased => Err(is_unsupported(&self.step, context)),
        }
    }
}
