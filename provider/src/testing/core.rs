//! A provider in a test, without Terraform: this plays Terraform's part.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::time::SystemTime;

use bytes::Bytes;
use serde_json::Value as Json;
use tokio::runtime::{Builder, Runtime};
use upstate::codec::Encoding;
use upstate::path::PathStep;
use upstate::schema::{Attribute, Block, Schema, Type};
use upstate::{AttributePath, Diagnostic, Diagnostics, Object, Value};

use super::PlannedAction;
use super::rules::{self, Problem};
use super::values::Values;
use super::{fail, shown};
use crate::data_source::DataSource;
use crate::ephemeral::EphemeralResource;
use crate::plan::{arrange, at, attribute_at, has_unknown, proposed, write_only_given};
use crate::proto::data_source::{
    OpenEphemeralResourceRequest, OpenedEphemeralResourceRequest, ReadDataSourceRequest, Timestamp,
    ValidateConfigRequest,
};
use crate::proto::{
    self, ApplyResourceChangeRequest, ClientCapabilities, ConfigureProviderRequest, DynamicValue,
    ImportResourceStateRequest, PlanResourceChangeRequest, RawState, ReadResourceRequest,
    ResourceIdentityData, UpgradeResourceStateRequest, ValidateProviderConfigRequest,
    ValidateResourceConfigRequest,
};
use crate::provider::Provider;
use crate::resource::ManagedResource;
use crate::service::{Answer, Question, Service};
use crate::wire::diagnostics::path_from_wire;
use crate::wire::value::{from_wire, null, to_wire};

/// The version of the Terraform that is played.
const VERSION: &str = "1.15.5";

/// Terraform's part, played inside of a test: it asks the provider what Terraform asks, with the
/// messages that Terraform sends, and refuses what Terraform refuses as a mistake of the provider.
/// A whole life of a resource takes a few milliseconds.
///
/// ```
/// use serde_json::json;
/// use upstate_provider::testing::{Core, PlannedAction};
/// # use upstate::{Diagnostics, Object, Resource};
/// # use upstate_provider::{Context, ManagedResource, Provider};
/// # #[derive(Object)]
/// # struct Config {}
/// # #[derive(Debug, PartialEq, Resource)]
/// # #[resource(type_name = "example_greeting", version = 0)]
/// # struct Greeting {
/// #     #[attribute(computed)]
/// #     id: String,
/// #     #[attribute(requires_replace)]
/// #     name: String,
/// # }
/// # impl ManagedResource for Greeting {
/// #     type Client = ();
/// #     async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> { Ok(Greeting { id: format!("hello-{}", plan.name), ..plan }) }
/// #     async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> { Ok(Some(state)) }
/// #     async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> { Ok(plan) }
/// #     async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> { Ok(()) }
/// # }
/// # fn provider() -> Provider<()> { Provider::new("example.com/me/example", async |_: Config| Ok(())).with::<Greeting>() }
///
/// let terraform = Core::of(provider(), json!({}))?;
/// let mut greeting = terraform.resource::<Greeting>();
/// let plan = greeting.plan(json!({"name": "Ada"}))?;
/// assert!(!plan.is_known("id"));
/// greeting.apply(json!({"name": "Ada"}))?;
/// assert_eq!(greeting.model()?.map(|greeting| greeting.id).as_deref(), Some("hello-Ada"));
/// assert_eq!(greeting.apply(json!({"name": "Bea"}))?.action, PlannedAction::Replace);
/// greeting.destroy()?;
/// # Ok::<(), upstate_provider::testing::Refusal>(())
/// ```
///
/// It does not replace an acceptance test: the language, modules and state files are not played.
pub struct Core {
    service: Service,
    runtime: Runtime,
}

/// The reason why an operation ended: the provider said no, or Terraform did not accept the
/// provider's answer.
///
/// | heading | rule |
/// |---|---|
/// | `Provider produced invalid plan` | what is configured is planned as it is, or as it was before; only what is computed is filled in; a replacement names an attribute that exists |
/// | `Provider produced inconsistent final plan` | the plan that is made again while it is applied is the first one, with more of it known |
/// | `Provider produced inconsistent result after apply` | what was known in the plan is what is there afterwards |
/// | `Provider returned invalid result object after apply` | nothing is unknown afterwards |
/// | each of them, and `Provider produced invalid object` | nothing that is write-only has a value in an answer |
/// | `The plan after the apply is not empty` | what was applied is what was configured, as `Acceptance` checks it too |
#[derive(Clone)]
pub struct Refusal {
    diagnostics: Diagnostics,
    by_terraform: bool,
}

impl Refusal {
    /// The errors, and the warnings before them.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// True if it is Terraform that refuses: the provider's answer, which is a mistake of the
    /// provider, or a configuration that does not fit the schema.
    pub fn is_by_terraform(&self) -> bool {
        self.by_terraform
    }

    fn by_provider(diagnostics: Diagnostics) -> Self {
        Self {
            diagnostics,
            by_terraform: false,
        }
    }

    fn of_whole(summary: &str, problem: String) -> Self {
        Self::by_terraform(summary, vec![(AttributePath::new(), problem)])
    }

    fn by_terraform(summary: &str, problems: Vec<Problem>) -> Self {
        let diagnostic = |(path, problem): Problem| {
            let place = if path.is_empty() {
                "the resource".to_owned()
            } else {
                path.to_string()
            };
            let diagnostic = Diagnostic::error(summary, format!("{place}: {problem}."));
            if path.is_empty() {
                diagnostic
            } else {
                diagnostic.at(path)
            }
        };
        Self {
            diagnostics: problems.into_iter().map(diagnostic).collect(),
            by_terraform: true,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.diagnostics))
    }
}

/// As it is displayed, so that a test that ends with it can be read.
impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Refusal {}

impl From<Diagnostics> for Refusal {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::by_provider(diagnostics)
    }
}

/// The provider's diagnostics: warnings, or a refusal if there are errors.
fn heard(diagnostics: Vec<proto::Diagnostic>) -> Result<Diagnostics, Refusal> {
    let heard: Diagnostics = diagnostics.into_iter().map(diagnostic).collect();
    if heard.has_errors() {
        Err(Refusal::by_provider(heard))
    } else {
        Ok(heard)
    }
}

fn diagnostic(wire: proto::Diagnostic) -> Diagnostic {
    let make = if wire.severity == 2 {
        Diagnostic::warning
    } else {
        Diagnostic::error
    };
    let diagnostic = make(wire.summary, wire.detail);
    match wire.attribute {
        Some(at) => diagnostic.at(path_from_wire(&at)),
        None => diagnostic,
    }
}

/// The schema that a model is sent by.
struct Shape {
    block: &'static Block,
    ty: Type,
}

impl Shape {
    fn of(schema: &'static Schema) -> Self {
        Self {
            block: schema.block(),
            ty: schema.implied_type(),
        }
    }

    /// A configuration that Terraform accepts.
    fn configured(&self, values: &Values) -> Result<Value, Refusal> {
        let config = values
            .read(self.block, &self.ty)
            .map_err(|diagnostics| Refusal {
                diagnostics,
                by_terraform: true,
            })?;
        match rules::missing(self.block, &config) {
            missing if missing.is_empty() => Ok(config),
            missing => Err(Refusal::by_terraform(
                "Missing or Invalid Argument",
                missing,
            )),
        }
    }

    fn send(&self, value: &Value) -> Result<Option<DynamicValue>, Refusal> {
        let mut value = value.clone();
        arrange(&mut value, &self.ty);
        Ok(Some(to_wire(&value, &self.ty, "value of the test")?))
    }

    /// The value of an answer; `what` is the answer's name.
    fn receive(
        &self,
        answer: Option<&DynamicValue>,
        what: &str,
        summary: &str,
    ) -> Result<Value, Refusal> {
        let mut value = from_wire(answer, &self.ty, what).map_err(|_| {
            let problem = format!("the {what} does not fit the schema");
            Refusal::of_whole(summary, problem)
        })?;
        arrange(&mut value, &self.ty);
        let given = write_only_given(self.block, &value);
        if given.is_empty() {
            return Ok(value);
        }
        let problem = format!("it is write-only, and the {what} has a value for it");
        Err(Refusal::by_terraform(
            summary,
            given
                .into_iter()
                .map(|path| (path, problem.clone()))
                .collect(),
        ))
    }
}

impl Core {
    /// Starts a provider with this configuration, and refuses it as Terraform does if it is not
    /// what Terraform takes.
    ///
    /// # Errors
    /// [`Provider::check`] finds something, or the provider refuses its configuration.
    pub fn of<C: Clone + Send + Sync + 'static>(
        provider: Provider<C>,
        config: impl Into<Values>,
    ) -> Result<Self, Refusal> {
        provider.check()?;
        let shape = Shape::of(provider.parts.config_schema);
        let config = shape.configured(&config.into())?;
        let config = Some(to_wire(&config, &shape.ty, "provider configuration")?);
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| {
            Diagnostics::from(format!("The test can't start a runtime: {error}."))
        })?;
        let core = Self {
            service: Service::new(provider.parts),
            runtime,
        };
        let request = ValidateProviderConfigRequest {
            config: config.clone(),
        };
        let validated = core.ask(
            "ValidateProviderConfig",
            request,
            |service, it| async move { service.validate_provider(it, false) },
        );
        heard(validated.diagnostics)?;
        let request = ConfigureProviderRequest {
            terraform_version: VERSION.to_owned(),
            config,
            client_capabilities: None,
        };
        let configured = core.ask("ConfigureProvider", request, Service::configure);
        heard(configured.diagnostics)?;
        Ok(core)
    }

    /// A resource that is not there yet.
    pub fn resource<R: ManagedResource>(&self) -> Instance<'_, R> {
        Instance {
            core: self,
            shape: Shape::of(R::schema()),
            state: Value::Null,
            private: Bytes::new(),
            identity: None,
            model: PhantomData,
        }
    }

    /// Reads a data source.
    ///
    /// # Errors
    /// The provider refuses the configuration or the reading, or Terraform refuses the answer.
    pub fn read<D: DataSource>(&self, config: impl Into<Values>) -> Result<D, Refusal> {
        let (shape, type_name) = (Shape::of(D::schema()), D::TYPE_NAME.to_owned());
        let config = shape.configured(&config.into())?;
        let sent = shape.send(&config)?;
        let request = ValidateConfigRequest {
            type_name: type_name.clone(),
            config: sent.clone(),
        };
        let validated = self.ask("ValidateDataResourceConfig", request, |service, it| {
            service.validate_config(it, Service::data_source)
        });
        heard(validated.diagnostics)?;
        let request = ReadDataSourceRequest {
            type_name,
            config: sent,
            ..ReadDataSourceRequest::default()
        };
        let response = self.ask("ReadDataSource", request, Service::read_data_source);
        heard(response.diagnostics)?;
        let state = shape.receive(
            response.state.as_ref(),
            "answer",
            "Provider produced invalid object",
        )?;
        whole(&state, "Provider produced invalid object")?;
        decoded(&state, &shape.ty)
    }

    /// Opens an ephemeral resource.
    ///
    /// # Errors
    /// The provider refuses the configuration or the opening, or Terraform refuses the answer.
    pub fn open<E: EphemeralResource>(
        &self,
        config: impl Into<Values>,
    ) -> Result<Opened<'_, E>, Refusal> {
        let (shape, type_name) = (Shape::of(E::schema()), E::TYPE_NAME.to_owned());
        let config = shape.configured(&config.into())?;
        let sent = shape.send(&config)?;
        let request = ValidateConfigRequest {
            type_name: type_name.clone(),
            config: sent.clone(),
        };
        let validated = self.ask("ValidateEphemeralResourceConfig", request, |service, it| {
            service.validate_config(it, Service::ephemeral)
        });
        heard(validated.diagnostics)?;
        let request = OpenEphemeralResourceRequest {
            type_name,
            config: sent,
        };
        let response = self.ask("OpenEphemeralResource", request, Service::open_ephemeral);
        heard(response.diagnostics)?;
        let result = shape.receive(
            response.result.as_ref(),
            "result",
            "Provider produced invalid object",
        )?;
        whole(&result, "Provider produced invalid object")?;
        let problems = rules::invalid_plan(
            shape.block,
            rules::Change {
                prior: &Value::Null,
                config: &config,
                planned: &result,
            },
        );
        if !problems.is_empty() {
            return Err(Refusal::by_terraform(
                "Provider produced invalid object",
                problems,
            ));
        }
        let model = decoded(&result, &shape.ty)?;
        Ok(Opened {
            core: self,
            model,
            private: response.private,
            renew_at: response.renew_at.map(time),
        })
    }

    /// Answers a request as a provider does that Terraform asks.
    fn ask<'s, Q: Question, A: Answer, Answering: Future<Output = A>>(
        &'s self,
        method: &str,
        request: Q,
        answer: impl FnOnce(&'s Service, Q) -> Answering,
    ) -> A {
        let question = request.clone();
        let answering = answer(&self.service, request);
        self.runtime
            .block_on(self.service.redacted(method, &question, answering))
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core")
            .field("provider", &self.service.address())
            .finish_non_exhaustive()
    }
}

/// Refuses a value that is null or not known.
fn whole(value: &Value, summary: &str) -> Result<(), Refusal> {
    let problem = if value.is_null() {
        Some((
            AttributePath::new(),
            "the provider answered with null".to_owned(),
        ))
    } else {
        rules::first_unknown(value, &AttributePath::new())
            .map(|path| (path, "it is unknown".to_owned()))
    };
    problem.map_or(Ok(()), |problem| {
        Err(Refusal::by_terraform(summary, vec![problem]))
    })
}

fn decoded<T: Object>(value: &Value, ty: &Type) -> Result<T, Refusal> {
    let msgpack = value
        .encode(ty, Encoding::Msgpack)
        .map_err(|error| Diagnostics::from(error.to_string()))?;
    Ok(upstate::from_msgpack(&msgpack).map_err(Diagnostics::from)?)
}

fn time(timestamp: Timestamp) -> SystemTime {
    let seconds = u64::try_from(timestamp.seconds).unwrap_or_default();
    let nanos = u32::try_from(timestamp.nanos).unwrap_or_default();
    SystemTime::UNIX_EPOCH + std::time::Duration::new(seconds, nanos)
}

/// An ephemeral resource that is open.
pub struct Opened<'c, E> {
    core: &'c Core,
    model: E,
    private: Option<Bytes>,
    renew_at: Option<SystemTime>,
}

impl<E: EphemeralResource> Opened<'_, E> {
    /// The opened resource.
    pub fn model(&self) -> &E {
        &self.model
    }

    /// The time at which it asks to be renewed.
    pub fn renew_at(&self) -> Option<SystemTime> {
        self.renew_at
    }

    /// Renews it.
    ///
    /// # Errors
    /// Those of the provider.
    pub fn renew(&mut self) -> Result<(), Refusal> {
        let request = self.request();
        let response = self
            .core
            .ask("RenewEphemeralResource", request, Service::renew_ephemeral);
        heard(response.diagnostics)?;
        self.renew_at = response.renew_at.map(time);
        self.private = response.private;
        Ok(())
    }

    /// Closes it.
    ///
    /// # Errors
    /// Those of the provider.
    pub fn close(self) -> Result<(), Refusal> {
        let request = self.request();
        let response = self
            .core
            .ask("CloseEphemeralResource", request, Service::close_ephemeral);
        heard(response.diagnostics).map(drop)
    }

    fn request(&self) -> OpenedEphemeralResourceRequest {
        OpenedEphemeralResourceRequest {
            type_name: E::TYPE_NAME.to_owned(),
            private: self.private.clone(),
        }
    }
}

/// Says when, not what: it may be a secret.
impl<E> fmt::Debug for Opened<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened")
            .field("renew_at", &self.renew_at)
            .finish_non_exhaustive()
    }
}

/// A plan that Terraform accepts.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The kind of change.
    pub action: PlannedAction,
    /// The attributes that replace the resource.
    pub replaced_by: Vec<AttributePath>,
    /// The provider's warnings about the configuration and the plan.
    pub warnings: Diagnostics,
    planned: Value,
    private: Bytes,
    identity: Option<ResourceIdentityData>,
}

impl Plan {
    /// The planned value of an attribute, by its name or by its path: null if it has none,
    /// [`Value::Unknown`] if it is known after the apply.
    ///
    /// # Panics
    /// The resource has no such attribute.
    #[track_caller]
    pub fn get(&self, attribute: impl Into<AttributePath>) -> &Value {
        let path = attribute.into();
        // Otherwise a name with a mistake would be one of something that is null, and known.
        if let (Some(PathStep::Attribute(name)), Value::Map(members)) =
            (path.steps().first(), &self.planned)
            && !members.contains_key(&**name)
        {
            let all: Vec<&str> = members.keys().map(String::as_str).collect();
            fail(&format!(
                "the plan has no attribute {name:?}; it has {}",
                all.join(", ")
            ));
        }
        at(&self.planned, &path)
    }

    /// True if all of a planned attribute is known.
    ///
    /// # Panics
    /// The resource has no such attribute.
    #[track_caller]
    pub fn is_known(&self, attribute: impl Into<AttributePath>) -> bool {
        !has_unknown(self.get(attribute))
    }
}

/// A change that was applied.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The kind of change.
    pub action: PlannedAction,
    /// The provider's warnings about the configuration, the plan and the change.
    pub warnings: Diagnostics,
}

/// One resource of a test: its state, and what Terraform keeps beside it.
pub struct Instance<'c, R> {
    core: &'c Core,
    shape: Shape,
    state: Value,
    private: Bytes,
    identity: Option<ResourceIdentityData>,
    model: PhantomData<fn() -> R>,
}

impl<R: ManagedResource> Instance<'_, R> {
    /// The state as a model; `None` if the resource is not there.
    ///
    /// # Errors
    /// The state has null where the model takes none, as one that another provider stored.
    pub fn model(&self) -> Result<Option<R>, Refusal> {
        if self.state.is_null() {
            Ok(None)
        } else {
            decoded(&self.state, &self.shape.ty).map(Some)
        }
    }

    /// The state; null if the resource is not there.
    pub fn state(&self) -> &Value {
        &self.state
    }

    /// Plans a configuration. Nothing is refreshed or changed.
    ///
    /// # Errors
    /// The provider refuses the configuration or the plan, or Terraform refuses the plan.
    pub fn plan(&self, config: impl Into<Values>) -> Result<Plan, Refusal> {
        let config = self.shape.configured(&config.into())?;
        self.planned(&config)
    }

    /// Applies a configuration, as `terraform apply` does: refreshes, plans, applies, and plans
    /// again, which has to plan nothing.
    ///
    /// # Errors
    /// The provider refuses something, Terraform refuses an answer of the provider, or the second
    /// plan is not empty. What was applied before that is in the state.
    pub fn apply(&mut self, config: impl Into<Values>) -> Result<Applied, Refusal> {
        let config = config.into();
        self.apply_when_known(config.clone(), config)
    }

    /// Applies a configuration of which some was [unknown](Values::unknown) when it was planned.
    ///
    /// # Errors
    /// Those of [`apply`](Self::apply), and the final plan is not one that the first plan can have
    /// become.
    pub fn apply_when_known(
        &mut self,
        planned: impl Into<Values>,
        known: impl Into<Values>,
    ) -> Result<Applied, Refusal> {
        let config = self.shape.configured(&known.into())?;
        let applied = self.applied(&self.shape.configured(&planned.into())?, &config)?;
        self.refresh()?;
        let again = self.planned(&config)?;
        if again.action == PlannedAction::Nothing {
            return Ok(applied);
        }
        // They are first, because a replacement has all that is computed unknown.
        let replacing = again
            .replaced_by
            .iter()
            .map(|path| (path.clone(), "it requires a replacement again".to_owned()));
        let mut differing: Vec<Problem> = replacing.collect();
        differing.extend(rules::inconsistent(
            self.shape.block,
            &again.planned,
            &self.state,
        ));
        differing.extend(
            rules::first_unknown(&again.planned, &AttributePath::new())
                .map(|path| (path, "it is to be known after the apply".to_owned())),
        );
        Err(Refusal::by_terraform(
            "The plan after the apply is not empty",
            differing,
        ))
    }

    /// Applies a configuration after which another plan is not empty, such as one of a resource
    /// that changes by itself.
    ///
    /// # Errors
    /// The provider refuses something, or Terraform refuses an answer of the provider.
    pub fn apply_and_leave_changes(
        &mut self,
        config: impl Into<Values>,
    ) -> Result<Applied, Refusal> {
        let config = self.shape.configured(&config.into())?;
        self.applied(&config, &config)
    }

    /// Reads the resource as it is now; it is gone if the provider does not find it.
    ///
    /// # Errors
    /// The provider can't read it, or Terraform refuses the answer.
    pub fn refresh(&mut self) -> Result<Diagnostics, Refusal> {
        if self.state.is_null() {
            return Ok(Diagnostics::new());
        }
        let request = ReadResourceRequest {
            type_name: R::TYPE_NAME.to_owned(),
            current_state: self.shape.send(&self.state)?,
            private: self.private.clone(),
            current_identity: self.identity.clone(),
            ..ReadResourceRequest::default()
        };
        let response = self.core.ask("ReadResource", request, Service::read);
        let warnings = heard(response.diagnostics)?;
        let summary = "Provider produced invalid object";
        let state = self
            .shape
            .receive(response.new_state.as_ref(), "read state", summary)?;
        if !state.is_null() {
            whole(&state, summary)?;
        }
        (self.state, self.private, self.identity) =
            (state, response.private, response.new_identity);
        Ok(warnings)
    }

    /// Takes a stored state of any version, as Terraform has it in a state file, and upgrades it.
    ///
    /// # Errors
    /// The state can't be upgraded.
    pub fn upgrade(&mut self, version: u64, stored: &Json) -> Result<Diagnostics, Refusal> {
        let request = UpgradeResourceStateRequest {
            type_name: R::TYPE_NAME.to_owned(),
            version: i64::try_from(version).unwrap_or(i64::MAX),
            raw_state: Some(RawState {
                json: stored.to_string().into(),
                ..RawState::default()
            }),
        };
        let response = self
            .core
            .ask("UpgradeResourceState", request, Service::upgrade_state);
        let warnings = heard(response.diagnostics)?;
        let summary = "Invalid resource state upgrade";
        let state =
            self.shape
                .receive(response.upgraded_state.as_ref(), "upgraded state", summary)?;
        whole(&state, summary)?;
        self.state = state;
        Ok(warnings)
    }

    /// Imports the resource by an id, and reads it.
    ///
    /// # Errors
    /// The provider can't import it, or it is not there.
    pub fn import(&mut self, id: &str) -> Result<Diagnostics, Refusal> {
        self.imported(id.to_owned(), None, &format!("the id {id:?}"))
    }

    /// Imports the resource by an identity, and reads it.
    ///
    /// # Errors
    /// It has no identity, or not this one; the provider can't import it, or it is not there.
    pub fn import_identity(&mut self, identity: impl Into<Values>) -> Result<Diagnostics, Refusal> {
        let Some(definition) = R::IDENTITY else {
            let problem = format!("{} has no identity", R::TYPE_NAME);
            return Err(Refusal::of_whole(
                "Import by identity is not supported",
                problem,
            ));
        };
        let shape = Shape::of(definition.schema());
        let identity = shape.configured(&identity.into())?;
        let identity = ResourceIdentityData {
            identity_data: Some(to_wire(&identity, &shape.ty, "identity")?),
        };
        self.imported(String::new(), Some(identity), "that identity")
    }

    /// Imports the resource that is `named` so.
    fn imported(
        &mut self,
        id: String,
        identity: Option<ResourceIdentityData>,
        named: &str,
    ) -> Result<Diagnostics, Refusal> {
        let request = ImportResourceStateRequest {
            type_name: R::TYPE_NAME.to_owned(),
            id,
            identity,
        };
        let response = self
            .core
            .ask("ImportResourceState", request, Service::import);
        let mut warnings = heard(response.diagnostics)?;
        let [imported] = response.imported_resources.as_slice() else {
            let problem = format!(
                "{} resources were imported, and one was asked for",
                response.imported_resources.len()
            );
            return Err(Refusal::of_whole("Import returned no resources", problem));
        };
        let state = self.shape.receive(
            imported.state.as_ref(),
            "imported state",
            "Provider produced invalid object",
        )?;
        (self.state, self.private, self.identity) =
            (state, imported.private.clone(), imported.identity.clone());
        warnings.append(self.refresh()?);
        if self.state.is_null() {
            let problem = format!("there is no {} with {named} to be read", R::TYPE_NAME);
            return Err(Refusal::of_whole(
                "Cannot import non-existent remote object",
                problem,
            ));
        }
        Ok(warnings)
    }

    /// Deletes the resource. One that is not there is left alone.
    ///
    /// # Errors
    /// The provider refuses the plan or the deletion.
    pub fn destroy(&mut self) -> Result<Diagnostics, Refusal> {
        if self.state.is_null() {
            return Ok(Diagnostics::new());
        }
        let plan = self.answered(
            &self.state,
            &Value::Null,
            &self.private,
            self.identity.clone(),
        )?;
        let mut warnings = plan.warnings;
        if !plan.planned.is_null() {
            let problem = "the plan of the deletion is not null".to_owned();
            return Err(Refusal::of_whole("Provider produced invalid plan", problem));
        }
        warnings.append(self.change(&Value::Null, &Value::Null, plan.private, plan.identity)?);
        Ok(warnings)
    }

    /// Validates a configuration, alone.
    ///
    /// # Errors
    /// The provider refuses it, or it does not fit the schema.
    pub fn validate(&self, config: impl Into<Values>) -> Result<Diagnostics, Refusal> {
        let config = self.shape.configured(&config.into())?;
        self.validated(&config)
    }

    fn validated(&self, config: &Value) -> Result<Diagnostics, Refusal> {
        let request = ValidateResourceConfigRequest {
            type_name: R::TYPE_NAME.to_owned(),
            config: self.shape.send(config)?,
            client_capabilities: Some(ClientCapabilities {
                deferral_allowed: false,
                write_only_attributes_allowed: true,
            }),
        };
        let response = self.core.ask(
            "ValidateResourceConfig",
            request,
            Service::validate_resource,
        );
        heard(response.diagnostics)
    }

    /// The plan of a change of the state to this configuration.
    fn planned(&self, config: &Value) -> Result<Plan, Refusal> {
        let mut warnings = self.validated(config)?;
        let mut plan = self.answered(&self.state, config, &self.private, self.identity.clone())?;
        warnings.append(std::mem::take(&mut plan.warnings));
        plan.replaced_by = self.replacing(&plan)?;
        plan.action = match (
            self.state.is_null(),
            plan.planned == self.state,
            plan.replaced_by.is_empty(),
        ) {
            (true, ..) => PlannedAction::Create,
            (false, true, true) => PlannedAction::Nothing,
            (false, false, true) => PlannedAction::Update,
            (false, _, false) => PlannedAction::Replace,
        };
        if plan.action == PlannedAction::Replace {
            // Terraform plans the new one as if there were none before.
            let anew = self.answered(&Value::Null, config, &plan.private, None)?;
            (plan.planned, plan.private, plan.identity) =
                (anew.planned, anew.private, anew.identity);
        }
        Ok(Plan { warnings, ..plan })
    }

    /// The attributes because of which the resource is replaced: those that the provider names and
    /// that change.
    fn replacing(&self, plan: &Plan) -> Result<Vec<AttributePath>, Refusal> {
        let mut replacing = Vec::new();
        for path in &plan.replaced_by {
            let (before, after) = (self.state.get(path), plan.planned.get(path));
            if before.is_none() && after.is_none() {
                let problem =
                    "a replacement is required because of this attribute, which does not exist"
                        .to_owned();
                return Err(Refusal::by_terraform(
                    "Provider produced invalid plan",
                    vec![(path.clone(), problem)],
                ));
            }
            let (before, after) = (
                before.unwrap_or(&Value::Null),
                after.unwrap_or(&Value::Null),
            );
            // It replaces in any case, because nothing of what is write-only can be compared.
            let is_write_only =
                attribute_at(self.shape.block, path).is_some_and(Attribute::is_write_only);
            if before != after || has_unknown(after) || is_write_only {
                replacing.push(path.clone());
            }
        }
        Ok(replacing)
    }

    /// The provider's plan, by Terraform's rules. All paths that it names are in `replaced_by`.
    fn answered(
        &self,
        prior: &Value,
        config: &Value,
        private: &Bytes,
        identity: Option<ResourceIdentityData>,
    ) -> Result<Plan, Refusal> {
        let request = PlanResourceChangeRequest {
            type_name: R::TYPE_NAME.to_owned(),
            prior_state: self.shape.send(prior)?,
            proposed_new_state: self
                .shape
                .send(&proposed(self.shape.block, prior, config))?,
            config: self.shape.send(config)?,
            prior_private: private.clone(),
            provider_meta: None,
            prior_identity: identity,
        };
        let response = self.core.ask("PlanResourceChange", request, Service::plan);
        let warnings = heard(response.diagnostics)?;
        let summary = "Provider produced invalid plan";
        let planned = self
            .shape
            .receive(response.planned_state.as_ref(), "plan", summary)?;
        let problems = rules::invalid_plan(
            self.shape.block,
            rules::Change {
                prior,
                config,
                planned: &planned,
            },
        );
        if !problems.is_empty() {
            return Err(Refusal::by_terraform(summary, problems));
        }
        Ok(Plan {
            action: PlannedAction::Nothing,
            replaced_by: response
                .requires_replace
                .iter()
                .map(path_from_wire)
                .collect(),
            warnings,
            planned,
            private: response.planned_private,
            identity: response.planned_identity,
        })
    }

    fn applied(&mut self, planned: &Value, config: &Value) -> Result<Applied, Refusal> {
        let mut warnings = self.refresh()?;
        let plan = self.planned(planned)?;
        // Terraform plans again when it applies, with what is known then.
        let last = if planned == config {
            self.planned(config)?
        } else {
            self.planned_when_known(&plan, config)?
        };
        let different = rules::inconsistent(self.shape.block, &plan.planned, &last.planned);
        if !different.is_empty() || last.action != plan.action {
            let action = (last.action != plan.action).then(|| {
                (
                    AttributePath::new(),
                    format!(
                        "{:?} was planned, and {:?} in the final plan",
                        plan.action, last.action
                    ),
                )
            });
            return Err(Refusal::by_terraform(
                "Provider produced inconsistent final plan",
                different.into_iter().chain(action).collect(),
            ));
        }
        warnings.append(plan.warnings);
        let Plan {
            action,
            planned,
            private,
            identity,
            ..
        } = last;
        match action {
            PlannedAction::Nothing => {}
            PlannedAction::Create | PlannedAction::Update => {
                warnings.append(self.change(config, &planned, private, identity)?);
            }
            PlannedAction::Replace | PlannedAction::Delete => {
                warnings.append(self.destroy()?);
                warnings.append(self.change(config, &planned, private, identity)?);
            }
        }
        Ok(Applied { action, warnings })
    }

    /// The plan when all is known. What was to be updated and turns out to be equal is still
    /// updated, and what was to be replaced is created.
    fn planned_when_known(&self, first: &Plan, config: &Value) -> Result<Plan, Refusal> {
        if first.action == PlannedAction::Replace {
            // Planned as a new one, because Terraform has deleted the former by then.
            let mut warnings = self.validated(config)?;
            let mut plan = self.answered(&Value::Null, config, &first.private, None)?;
            warnings.append(std::mem::take(&mut plan.warnings));
            return Ok(Plan {
                action: first.action,
                warnings,
                ..plan
            });
        }
        let plan = self.planned(config)?;
        let less =
            matches!(first.action, PlannedAction::Update) && plan.action == PlannedAction::Nothing;
        Ok(if less {
            Plan {
                action: first.action,
                ..plan
            }
        } else {
            plan
        })
    }

    /// Applies a plan, and keeps what it made of the resource, also if Terraform refuses that.
    fn change(
        &mut self,
        config: &Value,
        planned: &Value,
        private: Bytes,
        identity: Option<ResourceIdentityData>,
    ) -> Result<Diagnostics, Refusal> {
        let request = ApplyResourceChangeRequest {
            type_name: R::TYPE_NAME.to_owned(),
            prior_state: self.shape.send(&self.state)?,
            planned_state: if planned.is_null() {
                Some(null())
            } else {
                self.shape.send(planned)?
            },
            config: self.shape.send(config)?,
            planned_private: private,
            provider_meta: None,
            planned_identity: identity,
        };
        let response = self
            .core
            .ask("ApplyResourceChange", request, Service::apply);
        let summary = "Provider returned invalid result object after apply";
        let actual = self
            .shape
            .receive(response.new_state.as_ref(), "applied state", summary)?;
        let unknown = rules::first_unknown(&actual, &AttributePath::new());
        (self.private, self.identity) = (response.private, response.new_identity);
        self.state = if unknown.is_some() {
            Value::Null
        } else {
            actual.clone()
        };
        let warnings = heard(response.diagnostics)?;
        if let Some(path) = unknown {
            return Err(Refusal::by_terraform(
                summary,
                vec![(path, "it is still unknown after the apply".to_owned())],
            ));
        }
        let problems = rules::inconsistent(self.shape.block, planned, &actual);
        if !problems.is_empty() {
            return Err(Refusal::by_terraform(
                "Provider produced inconsistent result after apply",
                problems,
            ));
        }
        Ok(warnings)
    }
}

/// Says what it is, not its values: they may be secrets.
impl<R: ManagedResource> fmt::Debug for Instance<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance")
            .field("type_name", &R::TYPE_NAME)
            .field("exists", &!self.state.is_null())
            .finish_non_exhaustive()
    }
}
