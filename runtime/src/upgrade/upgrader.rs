//! Upgraders: from stored versions to a later model.

use std::fmt;

use super::context::UpgradeContext;
use super::functions::{Convert, Raw, RawAsync, Unchanged, With, WithAsync, is_unsupported};
use super::future::BoxFuture;
use super::history::{Step, UpgraderKind, Via};
use super::operators::{Declared, Operators, Prior, model_of, value_of};
use super::raw_state::RawState;
use super::when::When;
use crate::diagnostics::Diagnostics;
use crate::resource::{Resource, UpgradeFrom};
use crate::value::Value;

/// The way from one stored version, or a range of them that share one shape, to the model `T`.
#[derive(Debug)]
pub struct Upgrader<T: 'static> {
    step: Step,
    /// `None` if state of these versions is no longer supported.
    apply: Option<&'static dyn Apply<T>>,
    /// Only if this upgrader, or one that leads to its model, may await: what nobody calls is not compiled.
    awaiting: Option<&'static dyn ApplyAsync<T>>,
    /// Operators instead of an upgrader.
    declared: Option<Declared>,
}

/// Makes a `T` from state stored at an earlier version.
pub(super) trait Apply<T>: Sync + fmt::Debug {
    /// Brings state of `version` to `T`. That is the version of the upgrader's model, or one from which that model is reached.
    fn upgrade(&self, version: u64, raw: RawState<'_>, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics>;
}

/// The same, awaiting where an upgrader on the way does.
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
        let mut upgrader = Self::new::<P>(from, Convert::<P>::NEW);
        upgrader.step = upgrader.step.kind(UpgraderKind::Conversion);
        if P::HISTORY.awaits() { upgrader.awaiting(Convert::<P>::NEW) } else { upgrader }
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
        upgrader.step = upgrader.step.asynchronous();
        upgrader
    }

    /// Through a function of what is stored, without a prior model.
    #[must_use]
    pub const fn raw<E: Into<Diagnostics>>(from: u64, raw: &'static Raw<T, E>) -> Self {
        Self { step: Step::new(from, None), apply: Some(raw), awaiting: None, declared: None }
    }

    /// Through an asynchronous function of what is stored, without a prior model.
    #[must_use]
    pub const fn raw_async(from: u64, raw: &'static RawAsync<T>) -> Self {
        Self { step: Step::new(from, None).asynchronous(), apply: Some(raw), awaiting: Some(raw), declared: None }
    }

    /// No way any more: `instead` tells what to do.
    #[must_use]
    pub const fn unsupported(from: u64, instead: &'static str) -> Self {
        Self { step: Step::new(from, None).unsupported_but(instead), apply: None, awaiting: None, declared: None }
    }

    /// No release ever stored these versions, so there is nothing to upgrade.
    #[must_use]
    pub const fn never_released(from: u64) -> Self {
        let step = Step::new(from, None).kind(UpgraderKind::NeverReleased);
        Self { step, apply: None, awaiting: None, declared: None }
    }

    /// Without any change: what is stored has the current shape, only its version is another.
    #[must_use]
    pub const fn unchanged(from: u64) -> Self
    where
        T: Resource,
    {
        let step = Step::new(from, None).kind(UpgraderKind::Unchanged);
        Self { step, apply: Some(&Unchanged), awaiting: None, declared: None }
    }

    /// Through operators.
    #[must_use]
    pub const fn declared(from: u64, prior: &'static Prior, operators: &'static Operators) -> Self {
        let step = Step::new(from, prior.via()).kind(UpgraderKind::Operators(operators));
        Self { step, apply: None, awaiting: None, declared: Some(Declared { operators, prior }) }
    }

    /// Through the prior model `P`, in a way of its own.
    pub(super) const fn new<P: Resource>(from: u64, apply: &'static dyn Apply<T>) -> Self {
        let step = Step::new(from, Some(Via::of::<P>())).kind(UpgraderKind::Function);
        Self { step, apply: Some(apply), awaiting: None, declared: None }
    }

    /// The same upgrader, with a way that awaits. Given only if an upgrader that leads to the prior model does (`P::HISTORY.awaits()`).
    pub(super) const fn awaiting(mut self, apply: &'static dyn ApplyAsync<T>) -> Self {
        self.awaiting = Some(apply);
        self
    }

    /// The same upgrader, for all versions up to this one.
    #[must_use]
    pub const fn through(mut self, last: u64) -> Self {
        self.step = self.step.through(last);
        self
    }

    /// The same upgrader, for some of the states stored at its versions.
    #[must_use]
    pub const fn when(mut self, when: When) -> Self {
        self.step = self.step.when(when);
        self
    }

    /// The operators, if it is written with some.
    pub(super) const fn operators(&self) -> Option<&Declared> {
        self.declared.as_ref()
    }

    pub(super) const fn step(&self) -> &Step {
        &self.step
    }

    /// Brings state stored at `version`, which this upgrader or its model's own upgraders are for, to `T`.
    pub(super) fn upgrade(&self, version: u64, raw: RawState<'_>, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics>
    where
        T: Resource,
    {
        let version = self.step.model_version(version);
        match (self.apply, &self.declared) {
            (Some(apply), _) => apply.upgrade(version, raw, context),
            (None, Some(declared)) => {
                let value = declared.upgrade(version, raw, T::schema(), context)?;
                model_of(&value).map_err(|error| declared.not_taken(error, &value, (version, raw), T::schema(), context))
            }
            (None, None) => Err(is_unsupported(&self.step, context)),
        }
    }

    /// The same, as a value of the schema of `T`.
    pub(super) fn upgrade_to_value(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics>
    where
        T: Resource,
    {
        match &self.declared {
            Some(declared) => declared.upgrade(self.step.model_version(version), raw, T::schema(), context),
            None => value_of(&self.upgrade(version, raw, context)?, context),
        }
    }

    /// The same, awaiting where an upgrader on the way does.
    pub(super) fn upgrade_async<'a>(
        &'a self,
        version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<T, Diagnostics>>
    where
        T: Resource,
    {
        match (self.awaiting, &self.declared) {
            (Some(awaiting), _) => awaiting.upgrade_async(self.step.model_version(version), raw, context),
            (None, Some(declared)) if declared.prior.awaits() => Box::pin(async move {
                let version = self.step.model_version(version);
                let value = declared.upgrade_async(version, raw, T::schema(), context).await?;
                model_of(&value).map_err(|error| declared.not_taken(error, &value, (version, raw), T::schema(), context))
            }),
            _ => Box::pin(async move { self.upgrade(version, raw, context) }),
        }
    }
}
