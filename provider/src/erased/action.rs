//! Actions without their Rust types.

use std::marker::PhantomData;

use upstate::schema::{Schema, Type};
use upstate::{Diagnostics, Value};

use super::{BoxFuture, Call, Configurable, concluded, context, secret, validated};
use crate::action::{Action, Progress};
use crate::caught::catch_async;
use crate::plan::{self, Filled, ResourceConfig};

/// An action.
pub(crate) trait ErasedAction: Configurable {
    /// Looks at a plan; a panic of the author's function is part of the answer.
    fn plan<'a>(&'a self, config: Value, ty: &'a Type, call: Call) -> BoxFuture<'a, Diagnostics>;
    /// Does it; a panic of the author's function is part of the answer.
    fn invoke<'a>(
        &'a self,
        config: Value,
        ty: &'a Type,
        progress: Progress,
        call: Call,
    ) -> BoxFuture<'a, Diagnostics>;
}

/// The action `A`.
pub(crate) struct Acting<A>(PhantomData<fn() -> A>);

impl<A> Acting<A> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

impl<A: Action> Configurable for Acting<A> {
    fn schema(&self) -> &'static Schema {
        A::schema()
    }

    fn validate(&self, config: Value, ty: Type) -> Diagnostics {
        validated::<A>(config, ty, A::validate)
    }
}

impl<A: Action> ErasedAction for Acting<A> {
    fn plan<'a>(&'a self, config: Value, ty: &'a Type, call: Call) -> BoxFuture<'a, Diagnostics> {
        Box::pin(async move {
            let mut context = match context::<A::Client>(call) {
                Ok(context) => context,
                Err(outcome) => return outcome.diagnostics,
            };
            let config = ResourceConfig::<A>::new(config, ty.clone());
            let operation = "Unable to Plan Action";
            let planned = catch_async(secret::<A>(), A::plan(&config, &mut context)).await;
            let (_, _, mut diagnostics) = concluded(operation, context, planned);
            if let Some(mistake) = config.misnamed().report() {
                diagnostics.push(mistake);
            }
            diagnostics
        })
    }

    fn invoke<'a>(
        &'a self,
        config: Value,
        ty: &'a Type,
        progress: Progress,
        call: Call,
    ) -> BoxFuture<'a, Diagnostics> {
        Box::pin(async move {
            let mut context = match context::<A::Client>(call) {
                Ok(context) => context,
                Err(outcome) => return outcome.diagnostics,
            };
            let invoke = async {
                let Filled { model, .. } = plan::fill::<A>(&config, ty, plan::Fillers::Empty)?;
                A::invoke(model, &progress, &mut context).await
            };
            let operation = "Unable to Invoke Action";
            let done = catch_async(secret::<A>(), invoke).await;
            concluded(operation, context, done).2
        })
    }
}
