//! The arguments of an author's functions, for tests that call them.

use std::fmt;
use std::future::Future;

use tokio::runtime::Builder;
use tokio::sync::{mpsc, watch};
use upstate::schema::{Schema, Type};
use upstate::{Diagnostics, Object, Value};

use super::values::Values;
use super::{fail, shown};
use crate::action::Progress;
use crate::context::{Context, Stop};
use crate::erased::{Anonymous, Managed, drafted};
use crate::list_resource::{Found, ListResource, Wanted};
use crate::misnamed::Misnamed;
use crate::plan::{Planned, ResourceConfig, proposed};
use crate::private::Private;
use crate::resource::ManagedResource;

/// A context with this client, for calling `create`, `read`, `open` and the like from a test.
///
/// ```
/// # use upstate::{Diagnostics, Resource};
/// # use upstate_provider::{Context, ManagedResource};
/// use upstate_provider::testing;
///
/// # #[derive(Resource)]
/// # #[resource(type_name = "example_greeting", version = 0)]
/// # struct Greeting {
/// #     #[attribute(computed)]
/// #     id: String,
/// #     name: String,
/// # }
/// # impl ManagedResource for Greeting {
/// #     type Client = ();
/// #     async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> { Ok(Greeting { id: format!("hello-{}", plan.name), ..plan }) }
/// #     async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> { Ok(Some(state)) }
/// #     async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> { Ok(plan) }
/// #     async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> { Ok(()) }
/// # }
/// let mut context = testing::context(());
/// let plan = Greeting { id: String::new(), name: "Ada".to_owned() };
/// let created = testing::run(Greeting::create(plan, &mut context)).unwrap();
/// assert_eq!(created.id, "hello-Ada");
/// assert!(context.warnings().is_empty());
/// ```
pub fn context<C>(client: C) -> Context<C> {
    stoppable(client).0
}

/// A context whose call can be interrupted, as a user does with Ctrl-C.
pub fn stoppable<C>(client: C) -> (Context<C>, Stopper) {
    let stopper = Stopper(watch::Sender::new(0));
    let context = Context::new(
        client,
        Private::default(),
        Stop::since_now(stopper.0.subscribe()),
    );
    (context, stopper)
}

/// The user who may want to stop a call.
#[derive(Debug)]
pub struct Stopper(watch::Sender<u64>);

impl Stopper {
    /// Asks the call to stop: [`Context::is_stopping`] is true from now on.
    pub fn stop(&self) {
        self.0.send_modify(|wishes| *wishes += 1);
    }
}

/// The context of a `create` or `update` with this configuration, which [`Context::config`] gives.
///
/// # Panics
/// The values do not fit the model's schema.
#[track_caller]
pub fn configured<T: Object, C>(context: Context<C>, config: impl Into<Values>) -> Context<C> {
    context.with_config(Some(typed::<T>(Some(config.into()))))
}

/// The model that a call [saved](Context::save) for the case that it fails later, if it did.
///
/// # Panics
/// The model can't be stored, such as one with a float that is not finite.
#[track_caller]
pub fn saved<T: Object, C>(context: &Context<C>) -> Option<T> {
    let saved = context
        .saved()?
        .as_ref()
        .map_err(|error| Diagnostics::from(error.to_string()));
    match saved.and_then(|bytes| Ok(upstate::from_msgpack(bytes)?)) {
        Ok(model) => Some(model),
        Err(errors) => fail(&shown(&errors)),
    }
}

/// A configuration, for calling `validate` from a test. Asking it, or a plan, for an attribute that
/// the schema does not have fails the test.
///
/// ```
/// # use upstate::{Diagnostic, Diagnostics, Object};
/// # use upstate_provider::ResourceConfig;
/// # #[derive(Object)]
/// # struct Greeting { name: String }
/// # fn check(config: &ResourceConfig<Greeting>) -> Result<(), Diagnostics> {
/// #     if config.get("name").as_str() == Some("") { Err("The name is empty.".into()) } else { Ok(()) }
/// # }
/// use serde_json::json;
/// use upstate_provider::testing::{self, Values};
///
/// assert!(check(&testing::config(json!({"name": ""}))).is_err());
/// assert!(check(&testing::config(Values::from(json!({})).unknown("name"))).is_ok());
/// ```
///
/// # Panics
/// The values do not fit the model's schema.
#[track_caller]
pub fn config<T: Object>(values: impl Into<Values>) -> ResourceConfig<T> {
    let (value, ty) = typed::<T>(Some(values.into()));
    ResourceConfig::new(value, ty).noting(Misnamed::fatal())
}

/// The plan of a creation, as `modify_plan` gets it.
///
/// ```
/// # use upstate::{Diagnostics, Resource};
/// # use upstate_provider::{Context, ManagedResource, Planned};
/// # #[derive(Resource)]
/// # #[resource(type_name = "example_greeting", version = 0)]
/// # struct Greeting {
/// #     #[attribute(computed)]
/// #     id: String,
/// #     name: String,
/// # }
/// # impl ManagedResource for Greeting {
/// #     type Client = ();
/// #     async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> { Ok(plan) }
/// #     async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> { Ok(Some(state)) }
/// #     async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> { Ok(plan) }
/// #     async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> { Ok(()) }
/// #     async fn modify_plan(plan: &mut Planned<Self>, _: &mut Context<()>) -> Result<(), Diagnostics> {
/// #         if let Some(name) = plan.get("name").as_str().map(str::to_owned) { plan.set("id", format!("hello-{name}")); }
/// #         Ok(())
/// #     }
/// # }
/// use serde_json::json;
/// use upstate_provider::testing;
///
/// let mut plan = testing::creation::<Greeting>(json!({"name": "Ada"}));
/// assert!(!plan.is_known("id"));
/// testing::run(Greeting::modify_plan(&mut plan, &mut testing::context(()))).unwrap();
/// assert_eq!(plan.get("id").as_str(), Some("hello-Ada"));
/// ```
///
/// # Panics
/// The values do not fit the model's schema.
#[track_caller]
pub fn creation<R: ManagedResource>(config: impl Into<Values>) -> Planned<R> {
    planned(None, Some(config.into()))
}

/// The plan of a change from this state, as `modify_plan` gets it.
///
/// # Panics
/// The values do not fit the model's schema.
#[track_caller]
pub fn change<R: ManagedResource>(
    prior: impl Into<Values>,
    config: impl Into<Values>,
) -> Planned<R> {
    planned(Some(prior.into()), Some(config.into()))
}

/// The plan of a deletion, as `modify_plan` gets it.
///
/// # Panics
/// The values do not fit the model's schema.
#[track_caller]
pub fn deletion<R: ManagedResource>(prior: impl Into<Values>) -> Planned<R> {
    planned(Some(prior.into()), None)
}

#[track_caller]
fn planned<R: ManagedResource>(prior: Option<Values>, config: Option<Values>) -> Planned<R> {
    let ((prior, ty), (config, _)) = (typed::<R>(prior), typed::<R>(config));
    let proposed = proposed(R::schema().block(), &prior, &config);
    match drafted(&Managed::<R, Anonymous>::NEW, &ty, config, prior, proposed) {
        Ok(draft) => Planned::new(draft, ty).noting(Misnamed::fatal()),
        Err(errors) => fail(&shown(&errors)),
    }
}

#[track_caller]
fn typed<T: Object>(values: Option<Values>) -> (Value, Type) {
    let schema = Schema::of::<T>();
    let ty = schema.implied_type();
    match values.map_or(Ok(Value::Null), |values| values.read(schema.block(), &ty)) {
        Ok(value) => (value, ty),
        Err(errors) => fail(&shown(&errors)),
    }
}

/// Runs an `async` function of a resource to its end, in a test that is not `async` itself.
///
/// # Panics
/// The system gives no event queue.
#[track_caller]
pub fn run<T>(call: impl Future<Output = T>) -> T {
    match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(call),
        Err(error) => fail(&error.to_string()),
    }
}

/// The progress of an action, for calling `invoke` from a test, and the messages that it reports.
pub fn progress() -> (Progress, Messages) {
    let (progress, messages) = Progress::new();
    (progress, Messages(messages))
}

/// The messages that an action reports.
pub struct Messages(mpsc::UnboundedReceiver<String>);

impl Messages {
    /// The messages so far, each of them once.
    pub fn take(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.0.try_recv().ok()).collect()
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").finish_non_exhaustive()
    }
}

/// One resource that a list found.
#[derive(Debug)]
pub struct Listed<R> {
    /// The name that users see.
    pub display_name: String,
    /// The resource; `None` if the list gave its identity alone.
    pub resource: Option<R>,
}

/// Runs a list resource to its end, and answers with all that it found, up to `limit`.
///
/// # Errors
/// Those of the list.
///
/// # Panics
/// Something found can't be stored.
#[track_caller]
pub fn list<L: ListResource>(
    config: L,
    limit: u64,
    context: &mut Context<<L::Resource as ManagedResource>::Client>,
) -> Result<Vec<Listed<L::Resource>>, Diagnostics> {
    let (to, mut entries) = mpsc::channel(1);
    let mut found = Found::new(to, Wanted { whole: true, limit });
    let (listed, entries) = run(async {
        let listing = async {
            let listed = L::list(config, &mut found, context).await;
            // Found ends here, so that the entries end too.
            listed.and(
                found
                    .into_error()
                    .map_or(Ok(()), |error| Err(Diagnostics::from(error.to_string()))),
            )
        };
        let all = async {
            let mut all = Vec::new();
            while let Some(entry) = entries.recv().await {
                all.push(entry);
            }
            all
        };
        tokio::join!(listing, all)
    });
    listed?;
    let entry = |entry: crate::list_resource::Entry| match entry
        .resource
        .as_deref()
        .map(upstate::from_msgpack)
        .transpose()
    {
        Ok(resource) => Listed {
            display_name: entry.display_name,
            resource,
        },
        Err(error) => fail(&error.to_string()),
    };
    Ok(entries.into_iter().map(entry).collect())
}
