//! Resources without their Rust types, as the service sees them.

pub(crate) mod action;
pub(crate) mod data_source;
pub(crate) mod ephemeral;
pub(crate) mod list_resource;

use std::any::Any;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use upstate::__private::PlanOf;
use upstate::codec::Encoding;
use upstate::schema::{Schema, Type};
use upstate::{AttributeNames, AttributePath, Diagnostics, Object, ResourceDefinition, Value};

use crate::caught::{catch, catch_async};
use crate::context::{Context, Stop};
use crate::diagnostics;
use crate::kept::{Kept, round_trip};
use crate::plan::{
    self, Draft, Filled, Fillers, GeneratedConfig, Owed, Plan, Planned, Read, ResourceConfig, Why,
};
use crate::private::Private;
use crate::resource::{IdentifiedResource, ManagedResource};
use crate::wire::diagnostics::headed;

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A client of any type.
pub(crate) type AnyClient = Arc<dyn Any + Send + Sync>;

/// The plan of a change before its author's own planning.
pub(crate) fn drafted(
    resource: &dyn Erased,
    ty: &Type,
    config: Value,
    prior: Value,
    mut proposed: Value,
) -> Result<Draft, Diagnostics> {
    let block = resource.definition().schema().block();
    let plan = Plan {
        block,
        ty,
        stable: resource.stable(),
        stable_paths: resource.stable_paths(),
    };
    // Nothing write-only is part of a planned state.
    plan::merge_write_only(block, &Value::Null, &mut proposed);
    let planned = if proposed.is_null() {
        proposed
    } else {
        plan.propose(&config, &prior, proposed, |planned| {
            resource.keep_meaning(&config, &prior, planned, ty);
        })?
    };
    let replace = plan.replaced(&config, &prior, &planned);
    Ok(Draft {
        config,
        prior,
        planned,
        replace,
    })
}

/// The context of one call of a resource's function.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) client: AnyClient,
    pub(crate) private: Private,
    pub(crate) stop: Stop,
    /// The `provider_meta` of the module that asks, as `MessagePack`.
    pub(crate) meta: Option<Vec<u8>>,
    /// The resource's configuration, where it is created or updated, and its type.
    pub(crate) config: Option<(Value, Type)>,
}

/// The private data of a call.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The state, as `MessagePack`; `None` for null.
    pub(crate) state: Option<Vec<u8>>,
    /// The identity, as `MessagePack`.
    pub(crate) identity: Option<Vec<u8>>,
    pub(crate) private: Private,
    pub(crate) diagnostics: Diagnostics,
    /// True if `state` says what is there; otherwise what was there before is still the best guess.
    pub(crate) settled: bool,
}

/// The outcome of a plan.
#[derive(Debug)]
pub(crate) struct PlanOutcome {
    pub(crate) draft: Draft,
    pub(crate) private: Private,
    pub(crate) diagnostics: Diagnostics,
}

/// A data source, an ephemeral resource, a list resource or an action.
pub(crate) trait Configurable: Send + Sync {
    fn schema(&self) -> &'static Schema;
    fn validate(&self, config: Value, ty: Type) -> Diagnostics;
}

/// A managed resource.
pub(crate) trait Erased: Send + Sync {
    fn definition(&self) -> &'static ResourceDefinition;
    fn identity(&self) -> Option<&'static ResourceDefinition>;
    /// True if the identity of an object may change.
    fn has_mutable_identity(&self) -> bool;
    fn stable(&self) -> &'static [&'static str];
    /// Those that are declared by typed paths.
    fn stable_paths(&self) -> &'static [AttributeNames];
    /// Attributes that are stored, and those to be used in their place.
    fn prefer_write_only(&self) -> &'static [(&'static str, &'static str)];
    /// True if the resource's plan is a type of its own.
    fn has_own_plan(&self) -> bool;
    /// The attribute that the id of an import is the value of, if there is one.
    fn import_id(&self) -> Option<&'static str>;
    /// Checks that a state of the current version is one that the model can hold.
    fn check(&self, state: &[u8]) -> Result<(), Diagnostics>;
    /// True if a stored state of the current version differs from what the model holds only in
    /// nulls.
    fn holds_nulls(&self, state: &Value, ty: &Type) -> bool;
    /// The attribute that has no value for what is not known yet, and whether it is computed.
    fn unfillable(&self) -> Option<(AttributePath, bool)>;
    /// The attribute that keeps an author's function from being called with the object that it is
    /// in.
    fn unchecked(&self) -> Option<AttributePath>;
    /// The part of a stored state, read as far as it fits the current schema, that an upgrade must
    /// keep unchanged. `current` says whether it is of the current version.
    fn kept(&self, stored: Value, current: bool, ty: &Type) -> Option<Kept>;
    /// Puts prior values in the place of those planned ones that mean the same.
    fn keep_meaning(&self, config: &Value, prior: &Value, planned: &mut Value, ty: &Type);
    fn validate(&self, config: Value, ty: Type) -> Diagnostics;
    /// Does what Terraform asks for; a panic of the resource's function is part of the outcome.
    fn run<'a>(&'a self, work: Work<'a>, ty: &'a Type, call: Call) -> BoxFuture<'a, Outcome>;
    fn modify_plan<'a>(
        &'a self,
        draft: Draft,
        ty: &'a Type,
        call: Call,
    ) -> BoxFuture<'a, PlanOutcome>;
    /// The configuration to be written for a state, as its author wants it, and the diagnostics
    /// about it.
    fn generate_config(&self, state: Value, config: Value, ty: &Type) -> (Value, Diagnostics);
    /// The identity of a state of the current version, if the resource has one.
    fn identify(&self, state: &[u8]) -> Result<Option<Vec<u8>>, Diagnostics>;
}

/// A call of one of a resource's functions, with its input.
#[derive(Debug)]
pub(crate) enum Work<'a> {
    Create {
        plan: Value,
    },
    Read {
        state: Value,
        /// As it came, as `MessagePack`; empty if it came as something else.
        sent: Bytes,
    },
    Update {
        plan: Value,
        prior: Value,
    },
    Delete {
        state: Value,
    },
    Import(ImportBy<'a>),
}

impl Work<'_> {
    /// The heading of the diagnostic if it fails.
    fn failure(&self) -> &'static str {
        match self {
            Self::Create { .. } => "Unable to Create Resource",
            Self::Read { .. } => "Unable to Read Resource",
            Self::Update { .. } => "Unable to Update Resource",
            Self::Delete { .. } => "Unable to Delete Resource",
            Self::Import(_) => "Unable to Import Resource",
        }
    }
}

/// The input of an import.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ImportBy<'a> {
    Id(&'a str),
    /// The identity as JSON.
    Identity(&'a [u8]),
}

/// The function that finds the identity of a resource, for those that have one.
pub(crate) trait Identify<R: ManagedResource>: Send + Sync + 'static {
    fn definition() -> Option<&'static ResourceDefinition>;
    fn is_mutable() -> bool;
    fn identity(model: &R) -> Result<Option<Vec<u8>>, Diagnostics>;
    fn import<'a>(
        identity: &'a [u8],
        context: &'a mut Context<R::Client>,
    ) -> BoxFuture<'a, Result<Option<R>, Diagnostics>>;
}

/// A resource without identity.
pub(crate) struct Anonymous;

impl<R: ManagedResource> Identify<R> for Anonymous {
    fn definition() -> Option<&'static ResourceDefinition> {
        None
    }

    fn is_mutable() -> bool {
        false
    }

    fn identity(_: &R) -> Result<Option<Vec<u8>>, Diagnostics> {
        Ok(None)
    }

    fn import<'a>(
        _: &'a [u8],
        _: &'a mut Context<R::Client>,
    ) -> BoxFuture<'a, Result<Option<R>, Diagnostics>> {
        Box::pin(std::future::ready(Err(diagnostics::no_identity(
            R::TYPE_NAME,
        )
        .into())))
    }
}

/// A resource with identity.
pub(crate) struct Identified;

impl<R: IdentifiedResource> Identify<R> for Identified {
    fn definition() -> Option<&'static ResourceDefinition> {
        R::IDENTITY
    }

    fn is_mutable() -> bool {
        R::MUTABLE_IDENTITY
    }

    fn identity(model: &R) -> Result<Option<Vec<u8>>, Diagnostics> {
        encode(&model.identity()).map(Some)
    }

    fn import<'a>(
        identity: &'a [u8],
        context: &'a mut Context<R::Client>,
    ) -> BoxFuture<'a, Result<Option<R>, Diagnostics>> {
        Box::pin(async move {
            let identity = upstate::from_json(identity)
                .map_err(|error| diagnostics::invalid_identity(&error, identity))?;
            R::import_identity(identity, context).await
        })
    }
}

/// The resource `R`, whose identity `I` knows.
pub(crate) struct Managed<R, I>(PhantomData<fn() -> (R, I)>);

impl<R, I> Managed<R, I> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

/// The context of a call's function, if the provider is configured.
fn context<C: Clone + Send + Sync + 'static>(call: Call) -> Result<Context<C>, Box<Outcome>> {
    match call.client.downcast_ref::<C>() {
        Some(client) => Ok(Context::new(client.clone(), call.private, call.stop)
            .with_meta(call.meta)
            .with_config(call.config)),
        None => Err(Box::new(Outcome {
            private: call.private,
            diagnostics: diagnostics::not_configured().into(),
            ..Outcome::default()
        })),
    }
}

/// The end of a call: what the author's function gave, if it gave anything, and what goes with it.
/// `None` is a panic.
fn concluded<T, C>(
    operation: &'static str,
    context: Context<C>,
    result: Option<Result<T, Diagnostics>>,
) -> (Option<T>, Private, Diagnostics) {
    let (private, mut diagnostics, _) = context.into_parts();
    let given = result
        .unwrap_or_else(|| Err(panicked(operation)))
        .map_err(|errors| diagnostics.append(headed(errors, operation)));
    (given.ok(), private, diagnostics)
}

/// Checks what a user wrote: first what the types of the model refuse, then what its author does.
fn validated<T: Object>(
    config: Value,
    ty: Type,
    check: impl FnOnce(&ResourceConfig<T>) -> Result<(), Diagnostics>,
) -> Diagnostics {
    // What the model's types refuse is reported here, where Terraform can point at the line, and
    // not when it is applied.
    match plan::fill_unset::<T>(&config, &ty) {
        Err(unfit) if unfit.why != Why::NotKnown => return unfit.diagnostics,
        _ => {}
    }
    checked(&ResourceConfig::<T>::new(config, ty), check)
}

/// The diagnostics of an author's function about a configuration.
pub(crate) fn checked<T: Object>(
    config: &ResourceConfig<T>,
    check: impl FnOnce(&ResourceConfig<T>) -> Result<(), Diagnostics>,
) -> Diagnostics {
    let mut found = match catch(secret::<T>(), || check(config)) {
        Some(Ok(())) => Diagnostics::new(),
        Some(Err(errors)) => headed(errors, "Invalid Configuration"),
        None => panicked("Unable to Validate Configuration"),
    };
    if let Some(mistake) = config.misnamed().report() {
        found.push(mistake);
    }
    found
}

impl<R: ManagedResource, I: Identify<R>> Managed<R, I> {
    /// Calls the function that the work is for. The values are dropped before it runs: a model may
    /// be large. What the model can't give back as it was is noted in `kept`.
    async fn perform(
        work: Work<'_>,
        ty: &Type,
        context: &mut Context<R::Client>,
        kept: &mut Option<Kept>,
    ) -> Result<Option<R>, Diagnostics> {
        let block = R::schema().block();
        match work {
            Work::Create { plan } => {
                let Filled {
                    model,
                    fillers,
                    value,
                } = plan::fill::<R>(&plan, ty, Fillers::Marked)?;
                *kept = Kept::of(&plan, &model, block, ty);
                let planned = plan::plan_of(model, &value, &plan, ty);
                drop(plan);
                let created = R::create(planned, context).await?;
                complete(created, fillers, ty, context).map(Some)
            }
            Work::Read { state, sent } => {
                let Filled { model, .. } = plan::fill_stored::<R>(&state, ty)?;
                *kept = Kept::of_sent(&sent, &state, &model, block, ty);
                drop(state);
                R::read(model, context).await
            }
            Work::Update { plan, prior } => {
                let Filled {
                    model,
                    fillers,
                    value,
                } = plan::fill::<R>(&plan, ty, Fillers::Marked)?;
                let before = plan::fill_stored::<R>(&prior, ty)?.model;
                *kept = Kept::of(&plan, &model, block, ty);
                let planned = plan::plan_of(model, &value, &plan, ty);
                drop((plan, prior));
                let updated = R::update(planned, before, context).await?;
                complete(updated, fillers, ty, context).map(Some)
            }
            Work::Delete { state } => {
                let Filled { model, .. } = plan::fill_stored::<R>(&state, ty)?;
                drop(state);
                R::delete(model, context).await.map(|()| None)
            }
            Work::Import(by) => {
                let (found, named) = match by {
                    ImportBy::Id(id) => (R::import(id, context).await?, format!("named {id:?}")),
                    ImportBy::Identity(identity) => (
                        I::import(identity, context).await?,
                        "with that identity".to_owned(),
                    ),
                };
                let Some(found) = found else {
                    return Err(diagnostics::nothing_to_import(R::TYPE_NAME, &named).into());
                };
                if R::IMPORT_ID.is_some()
                    && let Some((path, _)) = without_fillers(&found, ty, Owed::Everything)?
                {
                    return Err(diagnostics::not_set_by_read(path).into());
                }
                Ok(Some(found))
            }
        }
    }

    /// The identity of a model. A panic of the author's function is an error.
    fn identity_of(model: &R) -> Result<Option<Vec<u8>>, Diagnostics> {
        let operation = "Unable to Identify Resource";
        let identity =
            catch(secret::<R>(), || I::identity(model)).unwrap_or_else(|| Err(panicked(operation)));
        identity.map_err(|errors| headed(errors, operation))
    }

    /// Makes an outcome of what became of a call: `None` is a panic.
    fn outcome(
        operation: &'static str,
        context: Context<R::Client>,
        result: Option<Result<Option<R>, Diagnostics>>,
        ty: &Type,
    ) -> Outcome {
        let (private, mut diagnostics, saved) = context.into_parts();
        let encoded = result
            .unwrap_or_else(|| Err(panicked(operation)))
            .and_then(|model| {
                let Some(model) = model else {
                    return Ok((None, None));
                };
                let state = catch(secret::<R>(), || encode(&model))
                    .unwrap_or_else(|| Err(panicked(operation)))?;
                // The state is kept without its identity, because what was done is done.
                let identity = Self::identity_of(&model).unwrap_or_else(|errors| {
                    diagnostics.append(errors);
                    None
                });
                Ok((Some(state), identity))
            });
        match encoded {
            Ok((state, identity)) => Outcome {
                state,
                identity,
                private,
                diagnostics,
                settled: true,
            },
            Err(errors) => {
                diagnostics.append(headed(errors, operation));
                let saved = saved.and_then(|saved| match saved {
                    Ok(state) => Some(without_marks::<R>(state, ty)),
                    Err(error) => {
                        diagnostics.append(not_finite(&error));
                        None
                    }
                });
                Outcome {
                    settled: saved.is_some(),
                    state: saved,
                    identity: None,
                    private,
                    diagnostics,
                }
            }
        }
    }
}

impl<R: ManagedResource, I: Identify<R>> Erased for Managed<R, I> {
    fn definition(&self) -> &'static ResourceDefinition {
        R::DEFINITION
    }

    fn identity(&self) -> Option<&'static ResourceDefinition> {
        I::definition()
    }

    fn has_mutable_identity(&self) -> bool {
        I::is_mutable()
    }

    fn stable(&self) -> &'static [&'static str] {
        R::STABLE
    }

    fn stable_paths(&self) -> &'static [AttributeNames] {
        R::STABLE_PATHS
    }

    fn prefer_write_only(&self) -> &'static [(&'static str, &'static str)] {
        R::PREFER_WRITE_ONLY
    }

    fn has_own_plan(&self) -> bool {
        <R::Plan as PlanOf<R>>::IS_APART
    }

    fn import_id(&self) -> Option<&'static str> {
        R::IMPORT_ID
    }

    fn check(&self, state: &[u8]) -> Result<(), Diagnostics> {
        Ok(upstate::from_msgpack::<R>(state).map(drop)?)
    }

    fn holds_nulls(&self, state: &Value, ty: &Type) -> bool {
        plan::fill_stored::<R>(state, ty).is_ok()
    }

    fn unfillable(&self) -> Option<(AttributePath, bool)> {
        plan::unfillable::<R>()
    }

    fn unchecked(&self) -> Option<AttributePath> {
        plan::unchecked::<R>()
    }

    fn kept(&self, stored: Value, current: bool, ty: &Type) -> Option<Kept> {
        Kept::stored::<R>(stored, current, R::schema().block(), ty)
    }

    fn keep_meaning(&self, config: &Value, prior: &Value, planned: &mut Value, ty: &Type) {
        let (Some(before), Some(after)) =
            (round_trip::<R>(prior, ty), round_trip::<R>(planned, ty))
        else {
            return;
        };
        plan::keep(
            R::schema().block(),
            config,
            Read {
                value: prior,
                round: &before,
            },
            planned,
            &after,
        );
    }

    fn validate(&self, config: Value, ty: Type) -> Diagnostics {
        validated::<R>(config, ty, R::validate)
    }

    fn run<'a>(&'a self, work: Work<'a>, ty: &'a Type, call: Call) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let mut context = match context::<R::Client>(call) {
                Ok(context) => context,
                Err(outcome) => return *outcome,
            };
            let failure = work.failure();
            let mut kept = None;
            let result = catch_async(
                secret::<R>(),
                Self::perform(work, ty, &mut context, &mut kept),
            )
            .await;
            let mut outcome = Self::outcome(failure, context, result, ty);
            if let Some(kept) = kept {
                // The answer as it is will do where a type's own conversion panics.
                let put_back = |state: Vec<u8>| {
                    catch(secret::<R>(), || kept.put_back(state.clone(), ty)).unwrap_or(state)
                };
                outcome.state = outcome.state.map(put_back);
            }
            outcome
        })
    }

    fn modify_plan<'a>(
        &'a self,
        draft: Draft,
        ty: &'a Type,
        call: Call,
    ) -> BoxFuture<'a, PlanOutcome> {
        Box::pin(async move {
            let mut context = match context::<R::Client>(call) {
                Ok(context) => context,
                Err(outcome) => {
                    let Outcome {
                        private,
                        diagnostics,
                        ..
                    } = *outcome;
                    return PlanOutcome {
                        draft,
                        private,
                        diagnostics,
                    };
                }
            };
            let mut plan = Planned::<R>::new(draft, ty.clone());
            let operation = "Unable to Plan Resource Change";
            let result = catch_async(secret::<R>(), R::modify_plan(&mut plan, &mut context)).await;
            let (_, private, mut diagnostics) = concluded(operation, context, result);
            if let Some(mistake) = plan.config().misnamed().report() {
                diagnostics.push(mistake);
            }
            let (draft, misplaced) = plan.into_parts();
            for path in misplaced {
                diagnostics.push(diagnostics::misplaced(
                    "Unknown Planned Attribute",
                    "planned",
                    &path,
                    "plan",
                    R::TYPE_NAME,
                ));
            }
            PlanOutcome {
                draft,
                private,
                diagnostics,
            }
        })
    }

    fn generate_config(&self, state: Value, config: Value, ty: &Type) -> (Value, Diagnostics) {
        let unchanged = config.clone();
        let mut generated = GeneratedConfig::<R>::new(state, config, ty.clone());
        match catch(secret::<R>(), || R::generate_config(&mut generated)) {
            Some(()) => {
                let (config, misplaced) = generated.into_parts();
                let mut diagnostics = Diagnostics::new();
                for path in misplaced {
                    let summary = "Unknown Generated Attribute";
                    diagnostics.push(diagnostics::misplaced(
                        summary,
                        "wrote",
                        &path,
                        "configuration",
                        R::TYPE_NAME,
                    ));
                }
                (config, diagnostics)
            }
            None => (unchanged, panicked("Unable to Generate Configuration")),
        }
    }

    fn identify(&self, state: &[u8]) -> Result<Option<Vec<u8>>, Diagnostics> {
        if I::definition().is_none() {
            return Ok(None);
        }
        let model = upstate::from_msgpack::<R>(state)?;
        Self::identity_of(&model)
    }
}

/// The model, if nothing in it only fills a place. If something does, the rest is kept without it.
fn complete<T: Object, C>(
    model: T,
    fillers: bool,
    ty: &Type,
    context: &mut Context<C>,
) -> Result<T, Diagnostics> {
    if !fillers {
        return Ok(model);
    }
    let Some((path, value)) = without_fillers(&model, ty, Owed::Computed)? else {
        return Ok(model);
    };
    context.save_encoded(
        value
            .encode(ty, Encoding::Msgpack)
            .map_err(|error| diagnostics::unfit_value("state", &error))?,
    );
    Err(diagnostics::not_set(path).into())
}

/// The first path at which a model holds a filler, and its value without fillers.
fn without_fillers<T: Object>(
    model: &T,
    ty: &Type,
    owed: Owed,
) -> Result<Option<(AttributePath, Value)>, Diagnostics> {
    let encoded = encode(model)?;
    let mut value =
        Value::from_msgpack(&encoded, ty).map_err(|error| error.problem().to_owned())?;
    Ok(plan::forgotten(Schema::of::<T>().block(), &mut value, owed).map(|path| (path, value)))
}

/// A saved state, with null in place of what was not known when it was saved.
fn without_marks<T: Object>(state: Vec<u8>, ty: &Type) -> Vec<u8> {
    let Ok(mut value) = Value::from_msgpack(&state, ty) else {
        return state;
    };
    match plan::forgotten(Schema::of::<T>().block(), &mut value, Owed::Computed) {
        Some(_) => value.encode(ty, Encoding::Msgpack).unwrap_or(state),
        None => state,
    }
}

/// True if what a resource's functions see must not be shown.
fn secret<T: Object>() -> bool {
    Schema::of::<T>().block().has_secret()
}

fn encode<T: Object>(model: &T) -> Result<Vec<u8>, Diagnostics> {
    upstate::to_msgpack(model).map_err(|error| not_finite(&error))
}

fn not_finite(error: &upstate::EncodeError) -> Diagnostics {
    diagnostics::unencodable(error).into()
}

/// The diagnostic of a panic in a resource's function. Its message is not shown: it may hold what
/// is secret.
pub(crate) fn panicked(operation: &'static str) -> Diagnostics {
    diagnostics::panicked(operation, "provider").into()
}
