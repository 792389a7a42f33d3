//! Ephemeral resources without their Rust types.

use std::marker::PhantomData;
use std::time::SystemTime;

use upstate::__private::PlanOf;
use upstate::schema::{Schema, Type};
use upstate::{AttributePath, Diagnostics, Value};

use super::{
    BoxFuture, Call, Configurable, Outcome, complete, concluded, context, encode, validated,
};
use crate::caught::catch_async;
use crate::context::Context;
use crate::ephemeral::{EphemeralResource, Opened};
use crate::kept::Kept;
use crate::plan::{self, Filled};

/// The action on an ephemeral resource.
#[derive(Debug)]
pub(crate) enum Tenure<'a> {
    Open { config: Value, ty: &'a Type },
    Renew,
    Close,
}

impl Tenure<'_> {
    /// The heading of the diagnostic if it fails.
    fn failure(&self) -> &'static str {
        match self {
            Self::Open { .. } => "Unable to Open Ephemeral Resource",
            Self::Renew => "Unable to Renew Ephemeral Resource",
            Self::Close => "Unable to Close Ephemeral Resource",
        }
    }
}

/// The private data of a call, and the time of the next renewal.
#[derive(Debug, Default)]
pub(crate) struct Lease {
    pub(crate) outcome: Outcome,
    pub(crate) renew_at: Option<SystemTime>,
}

/// An ephemeral resource.
pub(crate) trait ErasedEphemeral: Configurable {
    /// True if the configuration is a type of its own, without what is computed.
    fn has_own_plan(&self) -> bool;
    /// The attribute that has no value for what is not known yet, and whether it is computed.
    fn unfillable(&self) -> Option<(AttributePath, bool)>;
    /// The attribute that keeps an author's function from being called with the object that it is
    /// in.
    fn unchecked(&self) -> Option<AttributePath>;
    /// Does what Terraform asks for; a panic of the author's function is part of the outcome.
    fn run<'a>(&'a self, work: Tenure<'a>, call: Call) -> BoxFuture<'a, Lease>;
}

/// The ephemeral resource `E`.
pub(crate) struct Ephemeral<E>(PhantomData<fn() -> E>);

impl<E> Ephemeral<E> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

impl<E: EphemeralResource> Ephemeral<E> {
    /// The result as `MessagePack`, if there is to be one, and when the next renewal is due.
    async fn perform(
        work: Tenure<'_>,
        context: &mut Context<E::Client>,
    ) -> Result<(Option<Vec<u8>>, Option<SystemTime>), Diagnostics> {
        match work {
            Tenure::Open { config, ty } => {
                let config = plan::with_unset_unknown(E::schema().block(), &config);
                let Filled {
                    model,
                    fillers,
                    value,
                } = plan::fill::<E>(&config, ty, plan::Fillers::Marked)?;
                let kept = Kept::of(&config, &model, E::schema().block(), ty);
                let planned = plan::plan_of(model, &value, &config, ty);
                drop((config, value));
                let Opened { model, renew_at } = E::open(planned, context).await?;
                let result = encode(&complete(model, fillers, ty, context)?)?;
                let result = match kept {
                    Some(kept) => kept.put_back(result, ty),
                    None => result,
                };
                Ok((Some(result), renew_at))
            }
            Tenure::Renew => Ok((None, E::renew(context).await?)),
            Tenure::Close => E::close(context).await.map(|()| (None, None)),
        }
    }
}

impl<E: EphemeralResource> Configurable for Ephemeral<E> {
    fn schema(&self) -> &'static Schema {
        E::schema()
    }

    fn validate(&self, config: Value, ty: Type) -> Diagnostics {
        validated::<E>(config, ty, E::validate)
    }
}

impl<E: EphemeralResource> ErasedEphemeral for Ephemeral<E> {
    fn has_own_plan(&self) -> bool {
        <E::Plan as PlanOf<E>>::IS_APART
    }

    fn unfillable(&self) -> Option<(AttributePath, bool)> {
        plan::unfillable::<E>()
    }

    fn unchecked(&self) -> Option<AttributePath> {
        plan::unchecked::<E>()
    }

    fn run<'a>(&'a self, work: Tenure<'a>, call: Call) -> BoxFuture<'a, Lease> {
        Box::pin(async move {
            let mut context = match context::<E::Client>(call) {
                Ok(context) => context,
                Err(outcome) => {
                    return Lease {
                        outcome: *outcome,
                        renew_at: None,
                    };
                }
            };
            let failure = work.failure();
            // Whatever an ephemeral resource makes is not to be shown.
            let done = catch_async(true, Self::perform(work, &mut context)).await;
            let (done, private, diagnostics) = concluded(failure, context, done);
            let settled = done.is_some();
            let (state, renew_at) = done.unwrap_or_default();
            Lease {
                outcome: Outcome {
                    state,
                    identity: None,
                    private,
                    diagnostics,
                    settled,
                },
                renew_at,
            }
        })
    }
}
