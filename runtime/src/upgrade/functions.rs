//! The kinds of upgraders that authors write themselves: functions and standard conversions.

use super::context::{MutableContext, SharedContext, UpgradeContext};
use super::decode::decode_model;
use super::dynamic::{UpgradedState, not_taken, value_answered};
use super::future::BoxFuture;
use super::model::{Apply, ApplyAsync, Taker, Typed, nothing_made};
use super::operators::Refusal;
use super::raw_state::RawState;
use super::reach::{bring, upgrade_model_async};
use super::resource::{Resource, UpgradeFrom};
use super::values::model_of;
use crate::diagnostics::Diagnostics;

/// The answer of a function that makes a `T`: the model, or a `Result` of it.
pub trait ModelAnswer<T> {
    /// The model.
    ///
    /// # Errors
    /// The function refused.
    fn into_model(self) -> Result<T, Diagnostics>;
}

#[diagnostic::do_not_recommend]
impl<T: Resource> ModelAnswer<T> for T {
    #[inline]
    fn into_model(self) -> Result<T, Diagnostics> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Resource, E: Refusal> ModelAnswer<T> for Result<T, E> {
    #[inline]
    fn into_model(self) -> Result<T, Diagnostics> {
        self.map_err(Refusal::into_diagnostics)
    }
}

/// A function from the prior model `P` to the model `T`.
#[diagnostic::on_unimplemented(
    message = "`with` cannot call this function: its signature is another",
    label = "called with a `{P}` and the context, for a `{T}`",
    note = "write `fn name(prior: {P}, context: &mut upstate::UpgradeContext<'_>) -> Result<{T}, String>`",
    note = "with an `async fn`, write `async` behind it: `with = …, async`"
)]
pub trait ModelFunction<P, T, Form>: Sized {
    /// Calls it.
    ///
    /// # Errors
    /// The function refused.
    fn call(self, prior: P, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics>;
}

#[diagnostic::do_not_recommend]
impl<P, T, R: ModelAnswer<T>, F: Fn(P, &mut UpgradeContext<'_>) -> R>
    ModelFunction<P, T, MutableContext<R>> for F
{
    #[inline]
    fn call(self, prior: P, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics> {
        self(prior, context).into_model()
    }
}

#[diagnostic::do_not_recommend]
impl<P, T, R: ModelAnswer<T>, F: Fn(P, &UpgradeContext<'_>) -> R>
    ModelFunction<P, T, SharedContext<R>> for F
{
    #[inline]
    fn call(self, prior: P, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics> {
        self(prior, context).into_model()
    }
}

/// Upgrades through the prior model `P` and a function.
pub struct With<T, P>(pub fn(P, &mut UpgradeContext<'_>) -> Result<T, Diagnostics>);

impl<T: UpgradeFrom<P> + 'static, P: 'static> With<T, P> {
    /// Upgrades through the prior model `P` and `TryFrom`.
    pub(super) const CONVERSION: &'static Self = &Self(<T as UpgradeFrom<P>>::upgrade_from);
}

impl<T: Resource, P: Resource> Apply for With<T, P> {
    fn upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        taker: Taker<'_, '_>,
    ) -> Result<(), Diagnostics> {
        let mut prior = None::<P>;
        if version == P::VERSION {
            decode_model(P::TABLE, raw, context, &mut |object| {
                prior = P::decode(object);
                prior.is_some()
            })?;
        } else {
            bring(Typed::of::<P>(), version, raw, context, &mut prior)?;
        }
        context.check()?;
        match prior {
            Some(prior) => taker.take((self.0)(prior, context)?),
            None => Err(nothing_made()),
        }
    }
}

impl<T, P: Resource> ApplyAsync<T> for With<T, P> {
    fn upgrade_async<'a>(
        &'a self,
        version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<T, Diagnostics>> {
        Box::pin(async move {
            let prior = upgrade_model_async::<P>(version, raw, context).await?;
            context.check()?;
            (self.0)(prior, context)
        })
    }
}

/// An `async fn` from the prior model `P` to the model `T`; calling it makes the future `R`.
#[diagnostic::on_unimplemented(
    message = "`with` cannot call this function: its signature is another",
    label = "called with a `{P}` and the context, for a `{T}`",
    note = "write `async fn name(prior: {P}, context: &mut upstate::UpgradeContext<'_>) -> Result<{T}, String>`"
)]
pub trait AsyncModelFunction<'a, 'c: 'a, P, T, R, Form>: Sized {
    /// Calls it.
    fn call(self, prior: P, context: &'a mut UpgradeContext<'c>) -> R;
}

#[diagnostic::do_not_recommend]
impl<'a, 'c: 'a, P, T, R, F> AsyncModelFunction<'a, 'c, P, T, R, MutableContext<R>> for F
where
    F: Fn(P, &'a mut UpgradeContext<'c>) -> R,
{
    #[inline]
    fn call(self, prior: P, context: &'a mut UpgradeContext<'c>) -> R {
        self(prior, context)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, 'c: 'a, P, T, R, F> AsyncModelFunction<'a, 'c, P, T, R, SharedContext<R>> for F
where
    F: Fn(P, &'a UpgradeContext<'c>) -> R,
{
    #[inline]
    fn call(self, prior: P, context: &'a mut UpgradeContext<'c>) -> R {
        self(prior, context)
    }
}

/// Upgrades through the prior model `P` and an asynchronous function.
pub struct WithAsync<T, P>(
    pub for<'a, 'c> fn(P, &'a mut UpgradeContext<'c>) -> BoxFuture<'a, Result<T, Diagnostics>>,
);

impl<T, P: Resource> ApplyAsync<T> for WithAsync<T, P> {
    fn upgrade_async<'a>(
        &'a self,
        version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<T, Diagnostics>> {
        Box::pin(async move {
            let prior = upgrade_model_async::<P>(version, raw, context).await?;
            context.check()?;
            (self.0)(prior, context).await
        })
    }
}

/// In place of an asynchronous function where nobody awaits: it refuses.
#[derive(Debug)]
pub(super) struct Awaits;

impl Apply for Awaits {
    fn upgrade(
        &self,
        _: u64,
        _: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        _: Taker<'_, '_>,
    ) -> Result<(), Diagnostics> {
        Err(context.subject().asynchronous().into())
    }
}

/// A function of what is stored, for the model `T`.
#[diagnostic::on_unimplemented(
    message = "`raw` cannot call this function: its signature is another",
    label = "called with the stored state and the context, for a `{T}`",
    note = "write `fn name(state: upstate::RawState<'_>, context: &mut upstate::UpgradeContext<'_>) -> Result<{T}, String>`; the state itself, as an `upstate::upgrade::UpgradedState`, may be in the place of the `{T}`",
    note = "with an `async fn`, write `async` behind it: `raw = …, async`"
)]
pub trait RawFunction<T, Form>: Sized {
    /// Calls it.
    ///
    /// # Errors
    /// The function refused, or state that does not fit the model.
    fn call(self, state: RawState<'_>, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics>;
}

#[diagnostic::do_not_recommend]
impl<T, R: RawAnswer<T>, F: Fn(RawState<'_>, &mut UpgradeContext<'_>) -> R>
    RawFunction<T, MutableContext<R>> for F
{
    #[inline]
    fn call(self, state: RawState<'_>, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics> {
        self(state, context).into_model(context)
    }
}

#[diagnostic::do_not_recommend]
impl<T, R: RawAnswer<T>, F: Fn(RawState<'_>, &UpgradeContext<'_>) -> R>
    RawFunction<T, SharedContext<R>> for F
{
    #[inline]
    fn call(self, state: RawState<'_>, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics> {
        self(state, context).into_model(context)
    }
}

/// The answer of a function of what is stored: the model, its state as it is stored, or a `Result`
/// of one of them.
#[diagnostic::on_unimplemented(
    message = "a function of stored state that makes `{T}` cannot return `{Self}`",
    label = "returns `{Self}`",
    note = "it returns `Result<{T}, String>`, or `Result<upstate::upgrade::UpgradedState, String>` for state of the current version as JSON, `MessagePack` or a `Value`"
)]
pub trait RawAnswer<T>: Sized {
    /// The model.
    ///
    /// # Errors
    /// The function refused, or state that does not fit the model.
    fn into_model(self, context: &UpgradeContext<'_>) -> Result<T, Diagnostics>;
}

#[diagnostic::do_not_recommend]
impl<T: Resource> RawAnswer<T> for T {
    #[inline]
    fn into_model(self, _: &UpgradeContext<'_>) -> Result<T, Diagnostics> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Resource> RawAnswer<T> for UpgradedState {
    fn into_model(self, context: &UpgradeContext<'_>) -> Result<T, Diagnostics> {
        let schema = T::schema();
        let value = value_answered(self, schema, context)?;
        model_of(&value).map_err(|error| not_taken(error, schema, context))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Resource, E: Refusal> RawAnswer<T> for Result<T, E> {
    #[inline]
    fn into_model(self, _: &UpgradeContext<'_>) -> Result<T, Diagnostics> {
        self.map_err(Refusal::into_diagnostics)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Resource, E: Refusal> RawAnswer<T> for Result<UpgradedState, E> {
    fn into_model(self, context: &UpgradeContext<'_>) -> Result<T, Diagnostics> {
        self.map_err(Refusal::into_diagnostics)?.into_model(context)
    }
}

/// Upgrades through a function of what is stored.
pub struct Raw<T>(pub fn(RawState<'_>, &mut UpgradeContext<'_>) -> Result<T, Diagnostics>);

impl<T: Resource> Apply for Raw<T> {
    fn upgrade(
        &self,
        _: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        taker: Taker<'_, '_>,
    ) -> Result<(), Diagnostics> {
        context.check()?;
        taker.take((self.0)(raw, context)?)
    }
}

/// Upgrades through an asynchronous function of what is stored.
pub struct RawAsync<T>(
    pub  for<'a, 'c> fn(
        RawState<'a>,
        &'a mut UpgradeContext<'c>,
    ) -> BoxFuture<'a, Result<T, Diagnostics>>,
);

impl<T> ApplyAsync<T> for RawAsync<T> {
    fn upgrade_async<'a>(
        &'a self,
        _version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<T, Diagnostics>> {
        match context.check() {
            Ok(()) => (self.0)(raw, context),
            Err(stopped) => Box::pin(async move { Err(stopped) }),
        }
    }
}

debug_by_name!(With<T, P> WithAsync<T, P> Raw<T> RawAsync<T>);
