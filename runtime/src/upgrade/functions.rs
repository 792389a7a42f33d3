//! The kinds of upgraders that authors write themselves: functions and standard conversions.

use std::fmt;
use std::marker::PhantomData;

use super::context::UpgradeContext;
use super::dynamic::{UpgradedState, not_taken, value_answered};
use super::future::BoxFuture;
use super::model::{Apply, ApplyAsync, ModelPlace, Typed, nothing_made, put};
use super::operators::Refusal;
use super::raw_state::RawState;
use super::reach::{bring_prior, upgrade_model_async};
use super::resource::{Resource, UpgradeFrom};
use super::values::model_of;
use crate::diagnostics::Diagnostics;

/// Upgrades through the prior model `P` and `TryFrom`.
pub(super) struct Convert<P, T>(PhantomData<fn(P) -> T>);

impl<P: 'static, T: 'static> Convert<P, T> {
    pub(super) const NEW: &'static Self = &Self(PhantomData);
}

impl<P: Resource, T: UpgradeFrom<P> + 'static> Apply for Convert<P, T> {
    fn upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        place: &mut ModelPlace,
    ) -> Result<(), Diagnostics> {
        let mut prior = None::<P>;
        bring_prior(Typed::of::<P>(), version, raw, context, &mut prior)?;
        let Some(prior) = prior else { return Err(nothing_made()) };
        match T::upgrade_from(prior, context) {
            Ok(model) => put(model, place),
            Err(refused) => Err(refused),
        }
    }
}

impl<P: Resource, T: UpgradeFrom<P>> ApplyAsync<T> for Convert<P, T> {
    fn upgrade_async<'a>(
        &'a self,
        version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<T, Diagnostics>> {
        Box::pin(async move {
            let prior = upgrade_model_async::<P>(version, raw, context).await?;
            context.check()?;
            T::upgrade_from(prior, context)
        })
    }
}

/// The answer of a function that makes a `T`: the model, or a `Result` of it.
#[diagnostic::on_unimplemented(
    message = "a function that makes `{T}` cannot return `{Self}`",
    label = "returns `{Self}`",
    note = "it returns `{T}`, or a `Result` of it and an error that people can read, a `String` for example: `.map_err(|error| error.to_string())`",
    note = "with an `async fn`, write `async` behind it: `with = …, async`"
)]
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

/// Upgrades through the prior model `P` and a function.
pub struct With<T, P, R> {
    function: fn(P, &mut UpgradeContext<'_>) -> R,
    makes: PhantomData<fn() -> T>,
}

impl<T: Resource, P: Resource, R: ModelAnswer<T>> With<T, P, R> {
    /// Wraps the function.
    #[must_use]
    pub const fn new(function: fn(P, &mut UpgradeContext<'_>) -> R) -> Self {
        Self { function, makes: PhantomData }
    }
}

impl<T: 'static, P: Resource, R: ModelAnswer<T>> Apply for With<T, P, R> {
    fn upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        place: &mut ModelPlace,
    ) -> Result<(), Diagnostics> {
        let mut prior = None::<P>;
        bring_prior(Typed::of::<P>(), version, raw, context, &mut prior)?;
        let Some(prior) = prior else { return Err(nothing_made()) };
        put((self.function)(prior, context).into_model()?, place)
    }
}

impl<T, P: Resource, R: ModelAnswer<T>> ApplyAsync<T> for With<T, P, R> {
    fn upgrade_async<'a>(
        &'a self,
        version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
    ) -> BoxFuture<'a, Result<T, Diagnostics>> {
        Box::pin(async move {
            let prior = upgrade_model_async::<P>(version, raw, context).await?;
            context.check()?;
            (self.function)(prior, context).into_model()
        })
    }
}

/// Upgrades through the prior model `P` and an asynchronous function.
pub struct WithAsync<T, P>(pub for<'a, 'c> fn(P, &'a mut UpgradeContext<'c>) -> BoxFuture<'a, Result<T, Diagnostics>>);

impl<T, P: Resource> Apply for WithAsync<T, P> {
    fn upgrade(&self, _: u64, _: RawState<'_>, context: &mut UpgradeContext<'_>, _: &mut ModelPlace) -> Result<(), Diagnostics> {
        Err(context.subject().asynchronous().into())
    }
}

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

/// What a function of what is stored may answer: the model, or its state as it is stored.
#[diagnostic::on_unimplemented(
    message = "a function of stored bytes cannot answer `{Self}`: it makes `{T}`",
    label = "answers `{Self}`",
    note = "answer `Result<{T}, E>`, or `Result<upstate::upgrade::UpgradedState, E>` for state of the current version as JSON, `MessagePack` or a `Value`"
)]
pub trait RawAnswer<T>: Sized {
    /// The model.
    ///
    /// # Errors
    /// State that does not fit it.
    fn into_model(self, context: &UpgradeContext<'_>) -> Result<T, Diagnostics>;
}

impl<T: Resource> RawAnswer<T> for T {
    #[inline]
    fn into_model(self, _: &UpgradeContext<'_>) -> Result<T, Diagnostics> {
        Ok(self)
    }
}

impl<T: Resource> RawAnswer<T> for UpgradedState {
    fn into_model(self, context: &UpgradeContext<'_>) -> Result<T, Diagnostics> {
        let schema = T::schema();
        let value = value_answered(self, schema, context)?;
        model_of(&value).map_err(|error| not_taken(error, schema, context))
    }
}

/// The model that a function of what is stored answered.
///
/// # Errors
/// What it refuses, and state that does not fit the model.
pub fn answered<T, A: RawAnswer<T>, E: Into<Diagnostics>>(
    answer: Result<A, E>,
    context: &UpgradeContext<'_>,
) -> Result<T, Diagnostics> {
    answer.map_err(Into::into)?.into_model(context)
}

/// Upgrades through a function of what is stored.
pub struct Raw<T, A, E>(pub fn(RawState<'_>, &mut UpgradeContext<'_>) -> Result<A, E>, pub PhantomData<fn() -> T>);

impl<T: 'static, A: RawAnswer<T>, E: Into<Diagnostics>> Apply for Raw<T, A, E> {
    fn upgrade(
        &self,
        _: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        place: &mut ModelPlace,
    ) -> Result<(), Diagnostics> {
        context.check()?;
        let answer = (self.0)(raw, context);
        put(answered::<T, A, E>(answer, context)?, place)
    }
}

/// Upgrades through an asynchronous function of what is stored.
pub struct RawAsync<T>(pub for<'a, 'c> fn(RawState<'a>, &'a mut UpgradeContext<'c>) -> BoxFuture<'a, Result<T, Diagnostics>>);

impl<T> Apply for RawAsync<T> {
    fn upgrade(&self, _: u64, _: RawState<'_>, context: &mut UpgradeContext<'_>, _: &mut ModelPlace) -> Result<(), Diagnostics> {
        Err(context.subject().asynchronous().into())
    }
}

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

macro_rules! debug_by_name {
    ($($name:ident<$($parameter:ident),*>)*) => {$(
        impl<$($parameter),*> fmt::Debug for $name<$($parameter),*> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )*};
}

debug_by_name!(Convert<P, T> With<T, P, R> WithAsync<T, P> Raw<T, A, E> RawAsync<T>);
