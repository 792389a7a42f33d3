//! List resources without their Rust types.

use std::marker::PhantomData;

use tokio::sync::mpsc;
use upstate::schema::{Schema, Type};
use upstate::{Diagnostics, Value};

use super::{BoxFuture, Call, Configurable, concluded, context, not_finite, secret, validated};
use crate::caught::catch_async;
use crate::list_resource::{Entry, Found, ListResource, Wanted};
use crate::plan::{self, Filled};

/// A list resource.
pub(crate) trait ErasedList: Configurable {
    /// Passes on what the configuration asks for; a panic of the author's function is part of the
    /// answer.
    fn list<'a>(
        &'a self,
        config: Value,
        ty: &'a Type,
        wanted: Wanted,
        entries: mpsc::Sender<Entry>,
        call: Call,
    ) -> BoxFuture<'a, Diagnostics>;
}

/// The list resource `L`.
pub(crate) struct Listing<L>(PhantomData<fn() -> L>);

impl<L> Listing<L> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

impl<L: ListResource> Configurable for Listing<L> {
    fn schema(&self) -> &'static Schema {
        L::schema()
    }

    fn validate(&self, config: Value, ty: Type) -> Diagnostics {
        validated::<L>(config, ty, L::validate)
    }
}

impl<L: ListResource> ErasedList for Listing<L> {
    fn list<'a>(
        &'a self,
        config: Value,
        ty: &'a Type,
        wanted: Wanted,
        entries: mpsc::Sender<Entry>,
        call: Call,
    ) -> BoxFuture<'a, Diagnostics> {
        Box::pin(async move {
            let mut context = match context(call) {
                Ok(context) => context,
                Err(outcome) => return outcome.diagnostics,
            };
            let list = async {
                let Filled { model, .. } = plan::fill::<L>(&config, ty, plan::Fillers::Empty)?;
                let mut found = Found::new(entries, wanted);
                L::list(model, &mut found, &mut context).await?;
                found
                    .into_error()
                    .map_or(Ok(()), |error| Err(not_finite(&error)))
            };
            let operation = "Unable to List Resources";
            // What is found may be secret as well as what was asked for.
            let hides = secret::<L>() || secret::<L::Resource>();
            let listed = catch_async(hides, list).await;
            concluded(operation, context, listed).2
        })
    }
}
