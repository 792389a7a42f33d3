//! Upgraders: from stored versions to a later model.

use std::fmt;

use super::context::UpgradeContext;
use super::declared::Declared;
use super::declared::Prior;
use super::declared::model_of;
use super::declared::put_value;
use super::decode::decode_model;
use super::downgrade::{Downgrade, DowngradeWith};
use super::functions::{Convert, Raw, RawAnswer, RawAsync, With, WithAsync, is_unsupported};
use super::future::BoxFuture;
use super::history::{Step, UpgraderKind, Via};
use super::model::{ModelPlace, Typed, nothing_made};
use super::operators::Operators;
use super::raw_state::RawState;
use super::when::When;
use crate::diagnostics::Diagnostics;
use crate::resource::{Resource, UpgradeFrom};

/// The way from one stored version, or a range of them that share one shape, to the model `T`.
#[derive(Debug)]
pub struct Upgrader<T: 'static> {
    any: AnyUpgrader,
    /// Only if this upgrader, or one that leads to its model, may await: what nobody calls is not compiled.
    awaiting: Option<&'static dyn ApplyAsync<T>>,
}

/// An upgrader, whatever model it makes.
#[derive(Debug)]
pub(super) struct AnyUpgrader {
    step: Step,
    /// A function of the author's, or a conversion.
    apply: Option<&'static dyn Apply>,
    /// Operators instead.
    declared: Option<Declared>,
    /// The author's function for the way back.
    back: Option<&'static dyn Downgrade>,
}

/// Makes a model from state stored at an earlier version.
pub(super) trait Apply: Sync + fmt::Debug {
    /// Brings state of `version` to the model and puts that into `place`, which is one of its type. The version is that of the upgrader's
    /// prior model, or one from which that model is reached.
    fn upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        place: &mut ModelPlace,
    ) -> Result<(), Diagnostics>;
}

/// Upgrades as above, awaiting where an upgrader on the route does.
pub(super) trait ApplyAsync<T>: Sync + fmt::Debug {
    /// Brings state of `version` to `T`.
    fn upgrade_async<'a>(
        &'a self,
        version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<T, Diagnostics>>;
}

impl<T> Upgrader<T> {
    /// Through `TryFrom` (and so `From`).
    #[must_use]
    pub const fn convert<P>(from: u64) -> Self
    where
        P: Resource,
        T: UpgradeFrom<P>,
    {
        let mut upgrader = Self::new::<P>(from, Convert::<P, T>::NEW);
        upgrader.any.step = upgrader.any.step.kind(UpgraderKind::Conversion);
        if P::HISTORY.awaits() { upgrader.awaiting(Convert::<P, T>::NEW) } else { upgrader }
    }

    /// Through a function.
    #[must_use]
    pub const fn with<P: Resource, E: Into<Diagnostics>>(from: u64, with: &'static With<T, P, E>) -> Self {
        let upgrader = Self::new::<P>(from, with);
        if P::HISTORY.awaits() { upgrader.awaiting(with) } else { upgrader }
    }

    /// Through an asynchronous function.
    #[must_use]
    pub const fn with_async<P: Resource>(from: u64, with: &'static WithAsync<T, P>) -> Self {
        let mut upgrader = Self::new::<P>(from, with).awaiting(with);
        upgrader.any.step = upgrader.any.step.asynchronous();
        upgrader
    }

    /// Through a function of what is stored, without a prior model.
    #[must_use]
    pub const fn raw<A: RawAnswer<T>, E: Into<Diagnostics>>(from: u64, raw: &'static Raw<T, A, E>) -> Self {
        Self::of(AnyUpgrader { step: Step::new(from, None), apply: Some(raw), declared: None, back: None })
    }

    /// Through an asynchronous function of what is stored, without a prior model.
    #[must_use]
    pub const fn raw_async(from: u64, raw: &'static RawAsync<T>) -> Self {
        Self::of(AnyUpgrader { step: Step::new(from, None).asynchronous(), apply: Some(raw), declared: None, back: None })
            .awaiting(raw)
    }

    /// No way any more: `instead` tells what to do.
    #[must_use]
    pub const fn unsupported(from: u64, instead: &'static str) -> Self {
        Self::of(AnyUpgrader { step: Step::new(from, None).unsupported_but(instead), apply: None, declared: None, back: None })
    }

    /// No release ever stored these versions, so there is nothing to upgrade.
    #[must_use]
    pub const fn never_released(from: u64) -> Self {
        let step = Step::new(from, None).kind(UpgraderKind::NeverReleased);
        Self::of(AnyUpgrader { step, apply: None, declared: None, back: None })
    }

    /// Without any change: what is stored has the current shape, only its version is another.
    #[must_use]
    pub const fn unchanged(from: u64) -> Self
    where
        T: Resource,
    {
        let step = Step::new(from, None).kind(UpgraderKind::Unchanged).with_pin(false);
        Self::of(AnyUpgrader { step, apply: None, declared: None, back: None })
    }

    /// Through operators.
    #[must_use]
    pub const fn declared(from: u64, prior: &'static Prior, operators: &'static Operators) -> Self {
        let step = Step::new(from, prior.via()).kind(UpgraderKind::Operators(operators));
        Self::of(AnyUpgrader { step, apply: None, declared: Some(Declared { operators, prior, awaits: false }), back: None })
    }

    /// Through operators, of which one calls an `async fn`.
    #[must_use]
    pub const fn declared_async(from: u64, prior: &'static Prior, operators: &'static Operators) -> Self {
        let step = Step::new(from, prior.via()).kind(UpgraderKind::Operators(operators)).asynchronous();
        Self::of(AnyUpgrader { step, apply: None, declared: Some(Declared { operators, prior, awaits: true }), back: None })
    }

    /// Through the prior model `P`, in a way of its own.
    const fn new<P: Resource>(from: u64, apply: &'static dyn Apply) -> Self {
        let step = Step::new(from, Some(Via::of::<P>())).kind(UpgraderKind::Function);
        Self::of(AnyUpgrader { step, apply: Some(apply), declared: None, back: None })
    }

    const fn of(any: AnyUpgrader) -> Self {
        Self { any, awaiting: None }
    }

    /// Adds a function that awaits. Given only if an upgrader that leads to the prior model does (`P::HISTORY.awaits()`).
    const fn awaiting(mut self, apply: &'static dyn ApplyAsync<T>) -> Self {
        self.awaiting = Some(apply);
        self
    }

    /// Adds the author's function for downgrades.
    #[must_use]
    pub const fn downgraded_by<P: Resource, E: Into<Diagnostics>>(mut self, with: &'static DowngradeWith<T, P, E>) -> Self
    where
        T: Resource,
    {
        self.any.back = Some(with);
        self.any.step = self.any.step.with_downgrade();
        self
    }

    /// Notes that the compiler has compared its versions with what `upstate.lock` says was released.
    #[must_use]
    pub const fn pinned(mut self) -> Self {
        self.any.step = self.any.step.with_pin(true);
        self
    }

    /// Notes why its author raised the version, or changed the upgrader after a release.
    #[must_use]
    pub const fn because(mut self, reason: &'static str) -> Self {
        self.any.step = self.any.step.because(reason);
        self
    }

    /// Makes it the upgrader of all versions up to this one.
    #[must_use]
    pub const fn through(mut self, last: u64) -> Self {
        self.any.step = self.any.step.through(last);
        self
    }

    /// Makes it the upgrader of some of the states stored at its versions.
    #[must_use]
    pub const fn when(mut self, when: When) -> Self {
        self.any.step = self.any.step.when(when);
        self
    }

    /// The upgrader without the type of its model.
    pub(super) const fn any(&self) -> &AnyUpgrader {
        &self.any
    }

    pub(super) const fn step(&self) -> &Step {
        &self.any.step
    }

    /// Brings state stored at `version`, which this upgrader or its model's own upgraders are for, to `T`, awaiting where an upgrader on the
    /// way does.
    pub(super) fn upgrade_async<'a>(
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
            (Some(awaiting), _) => awaiting.upgrade_async(step.model_version(version), raw, context),
            (None, Some(declared)) if step.awaits() => Box::pin(async move {
                let version = step.model_version(version);
                let value = declared.upgrade_async(version, raw, T::schema(), context).await?;
                model_of(&value).map_err(|error| declared.not_taken(error, &value, (version, raw), T::schema(), context))
            }),
            _ => Box::pin(async move {
                let mut place = None::<T>;
                self.any.upgrade(Typed::of::<T>(), version, raw, context, &mut place)?;
                place.ok_or_else(nothing_made)
            }),
        }
    }
}

impl AnyUpgrader {
    /// The author's function for the way back, if there is one.
    pub(super) const fn back(&self) -> Option<&'static dyn Downgrade> {
        self.back
    }

    /// The operators, if it is written with some.
    pub(super) const fn operators(&self) -> Option<&Declared> {
        self.declared.as_ref()
    }

    pub(super) const fn step(&self) -> &Step {
        &self.step
    }

    /// Brings state stored at `version`, which this upgrader or its model's own upgraders are for, to the model and puts that into `place`.
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
            Some(apply) => apply.upgrade(version, raw, context, place),
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
            let schema = to.model.schema();
            let value = declared.upgrade(version, raw, schema, context)?;
            return put_value(to, &value, place)
                .map_err(|error| declared.not_taken(error, &value, (version, raw), schema, context));
        }
        match self.step.written_as() {
            // State of the current shape that was stored under an earlier version.
            UpgraderKind::Unchanged => decode_model(to, raw, context, place),
            UpgraderKind::Conversion
            | UpgraderKind::Function
            | UpgraderKind::Raw
            | UpgraderKind::Operators(_)
            | UpgraderKind::Unsupported
            | UpgraderKind::NeverReleased => Err(is_unsupported(&self.step, context)),
        }
    }
}
