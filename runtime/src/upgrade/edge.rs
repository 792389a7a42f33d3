//! Edges: from one stored version to a later model.

use std::marker::PhantomData;

use super::context::UpgradeContext;
use super::engine::upgrade_model;
use super::history::Step;
use super::operators::{Declared, Operators, Prior, model_of, value_of};
use super::raw_state::RawState;
use crate::diagnostics::Diagnostics;
use crate::resource::{Resource, UpgradeFrom};
use crate::value::Value;

/// The way from one stored version to the model `T`.
#[derive(Debug)]
pub struct Edge<T: 'static> {
    step: Step,
    way: Way<T>,
}

#[derive(Debug)]
enum Way<T: 'static> {
    /// Rust code.
    Upgrader(&'static dyn Upgrader<T>),
    /// Operators.
    Declared(Declared),
}

impl<T> Edge<T> {
    /// Through `TryFrom` (and so `From`).
    #[must_use]
    pub const fn convert<P>(from: u64) -> Self
    where
        P: Resource,
        T: UpgradeFrom<P>,
    {
        Self { step: Step::new(from, P::HISTORY), way: Way::Upgrader(Convert::<P>::NEW) }
    }

    /// Through a function.
    #[must_use]
    pub const fn with<P: Resource, E: Into<Diagnostics>>(from: u64, with: &'static With<T, P, E>) -> Self {
        Self { step: Step::new(from, P::HISTORY), way: Way::Upgrader(with) }
    }

    /// Through operators.
    #[must_use]
    pub const fn declared(from: u64, prior: &'static Prior, operators: &'static Operators) -> Self {
        Self { step: Step::new(from, prior.history()), way: Way::Declared(Declared { operators, prior }) }
    }

    pub(super) const fn step(&self) -> Step {
        self.step
    }

    /// Brings state stored at `version`, which this edge or its model's own edges are for, to `T`.
    pub(super) fn upgrade(&self, version: u64, raw: RawState<'_>, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics>
    where
        T: Resource,
    {
        match &self.way {
            Way::Upgrader(upgrader) => upgrader.upgrade(version, raw, context),
            Way::Declared(declared) => {
                let value = declared.upgrade(version, raw, T::SCHEMA, context)?;
                model_of(&value, self.step.from())
            }
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
        match &self.way {
            Way::Upgrader(upgrader) => value_of(&upgrader.upgrade(version, raw, context)?),
            Way::Declared(declared) => declared.upgrade(version, raw, T::SCHEMA, context),
        }
    }
}

/// Makes a `T` from state stored at an earlier version.
pub(super) trait Upgrader<T>: Sync + std::fmt::Debug {
    /// Brings state stored at `version` to `T`.
    fn upgrade(&self, version: u64, raw: RawState<'_>, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics>;
}

/// Upgrades through the prior model `P` and `TryFrom`.
struct Convert<P>(PhantomData<fn(P)>);

impl<P: 'static> Convert<P> {
    const NEW: &'static Self = &Self(PhantomData);
}

impl<P> std::fmt::Debug for Convert<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Convert")
    }
}

impl<P: Resource, T: UpgradeFrom<P>> Upgrader<T> for Convert<P> {
    fn upgrade(&self, version: u64, raw: RawState<'_>, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics> {
        let prior = upgrade_model::<P>(version, raw, context)?;
        T::upgrade_from(prior, context)
    }
}

/// Upgrades through the prior model `P` and a function.
pub struct With<T, P, E>(pub fn(P, &mut UpgradeContext<'_>) -> Result<T, E>);

impl<T, P, E> std::fmt::Debug for With<T, P, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("With")
    }
}

impl<T, P: Resource, E: Into<Diagnostics>> Upgrader<T> for With<T, P, E> {
    fn upgrade(&self, version: u64, raw: RawState<'_>, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics> {
        let prior = upgrade_model::<P>(version, raw, context)?;
        (self.0)(prior, context).map_err(Into::into)
    }
}
