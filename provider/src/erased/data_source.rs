//! Data sources without their Rust types.

use std::marker::PhantomData;

use upstate::__private::PlanOf;
use upstate::schema::{Schema, Type};
use upstate::{AttributePath, Diagnostics, Value};

use super::{
    BoxFuture, Call, Configurable, Outcome, complete, concluded, context, encode, secret, validated,
};
use crate::caught::catch_async;
use crate::context::Context;
use crate::data_source::DataSource;
use crate::kept::Kept;
use crate::plan::{self, Filled};

/// A data source.
pub(crate) trait ErasedDataSource: Configurable {
    /// True if the configuration is a type of its own, without what is computed.
    fn has_own_plan(&self) -> bool;
    /// The attribute that has no value for what is not known yet, and whether it is computed.
    fn unfillable(&self) -> Option<(AttributePath, bool)>;
    /// The attribute that keeps an author's function from being called with the object that it is
    /// in.
    fn unchecked(&self) -> Option<AttributePath>;
    /// Finds what the configuration asks for; a panic of the author's function is part of the
    /// outcome.
    fn read<'a>(&'a self, config: Value, ty: &'a Type, call: Call) -> BoxFuture<'a, Outcome>;
}

/// The data source `D`.
pub(crate) struct Source<D>(PhantomData<fn() -> D>);

impl<D> Source<D> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

impl<D: DataSource> Source<D> {
    async fn perform(
        config: Value,
        ty: &Type,
        context: &mut Context<D::Client>,
    ) -> Result<Vec<u8>, Diagnostics> {
        let config = plan::with_unset_unknown(D::schema().block(), &config);
        let Filled {
            model,
            fillers,
            value,
        } = plan::fill::<D>(&config, ty, plan::Fillers::Marked)?;
        let kept = Kept::of(&config, &model, D::schema().block(), ty);
        let planned = plan::plan_of(model, &value, &config, ty);
        drop((config, value));
        let found = D::read(planned, context).await?;
        let state = encode(&complete(found, fillers, ty, context)?)?;
        Ok(match kept {
            Some(kept) => kept.put_back(state, ty),
            None => state,
        })
    }
}

impl<D: DataSource> Configurable for Source<D> {
    fn schema(&self) -> &'static Schema {
        D::schema()
    }

    fn validate(&self, config: Value, ty: Type) -> Diagnostics {
        validated::<D>(config, ty, D::validate)
    }
}

impl<D: DataSource> ErasedDataSource for Source<D> {
    fn has_own_plan(&self) -> bool {
        <D::Plan as PlanOf<D>>::IS_APART
    }

    fn unfillable(&self) -> Option<(AttributePath, bool)> {
        plan::unfillable::<D>()
    }

    fn unchecked(&self) -> Option<AttributePath> {
        plan::unchecked::<D>()
    }

    fn read<'a>(&'a self, config: Value, ty: &'a Type, call: Call) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let mut context = match context::<D::Client>(call) {
                Ok(context) => context,
                Err(outcome) => return *outcome,
            };
            let operation = "Unable to Read Data Source";
            let read = catch_async(secret::<D>(), Self::perform(config, ty, &mut context)).await;
            let (state, private, diagnostics) = concluded(operation, context, read);
            Outcome {
                settled: state.is_some(),
                state,
                identity: None,
                private,
                diagnostics,
            }
        })
    }
}
