//! A provider with faults, each of which Terraform refuses, and one life without any.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, SystemTime};

use serde_json::json;
use upstate::{AttributePath, Computed, Diagnostic, Diagnostics, Object, Resource};

use super::*;
use crate::{
    Change, Context, DataSource, EphemeralResource, IdentifiedResource, ManagedResource, Planned,
    Provider, ResourceConfig,
};

#[derive(Object)]
struct Config {
    region: String,
}

/// The number of calls that planned something.
#[derive(Clone, Default)]
struct Client(Arc<AtomicU64>);

/// A sign whose `fault` is what the provider does wrong.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "test_sign", version = 1)]
#[upgrade_from(0 => 1, rename(name => text))]
struct Sign {
    #[attribute(computed)]
    id: String,
    text: String,
    #[attribute(requires_replace)]
    place: Option<String>,
    fault: Option<String>,
    #[attribute(default = 2)]
    height: i64,
    #[attribute(computed)]
    letters: Option<i64>,
    parts: Option<Vec<Part>>,
    #[block]
    lamp: Vec<Part>,
    #[attribute(write_only)]
    pin: Option<String>,
    /// The former `pin`, which is stored.
    code: Option<String>,
    locks: Option<Vec<Lock>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Object)]
struct Lock {
    key: Option<String>,
    #[attribute(write_only)]
    key_wo: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Object)]
struct Part {
    name: String,
    #[attribute(computed)]
    serial: String,
}

impl Sign {
    fn made(mut self) -> Self {
        for (index, part) in self
            .parts
            .iter_mut()
            .flatten()
            .chain(&mut self.lamp)
            .enumerate()
        {
            part.serial = format!("{}-{index}", part.name);
        }
        self.letters = i64::try_from(self.text.len()).ok();
        match self.fault.as_deref() {
            Some("other text") => self.text.push('!'),
            Some("a part more") => self.lamp.push(Part {
                name: "x".to_owned(),
                serial: "y".to_owned(),
            }),
            _ => {}
        }
        Self {
            id: "s-1".to_owned(),
            pin: None,
            ..self
        }
    }
}

impl ManagedResource for Sign {
    type Client = Client;

    const PREFER_WRITE_ONLY: &'static [(&'static str, &'static str)] =
        &[("code", "pin"), ("locks.key", "locks.key_wo")];

    async fn create(plan: Self, context: &mut Context<Client>) -> Result<Self, Diagnostics> {
        context.private_mut().set("seen", *b"1");
        if plan.fault.as_deref() == Some("breaks") {
            context.save(&Self {
                letters: None,
                pin: None,
                ..plan.clone()
            });
            return Err("the ladder broke".into());
        }
        Ok(plan.made())
    }

    async fn read(state: Self, context: &mut Context<Client>) -> Result<Option<Self>, Diagnostics> {
        assert_eq!(
            context.private().get("seen"),
            Some(&b"1"[..]),
            "what is private came along"
        );
        Ok(match state.fault.as_deref() {
            Some("is gone") => None,
            Some("drifts") => Some(Self {
                text: format!("{}~", state.text),
                ..state
            }),
            _ => Some(state),
        })
    }

    async fn update(plan: Self, _: Self, _: &mut Context<Client>) -> Result<Self, Diagnostics> {
        Ok(plan.made())
    }

    async fn delete(state: Self, _: &mut Context<Client>) -> Result<(), Diagnostics> {
        if state.fault.as_deref() == Some("sticks") {
            Err("it sticks".into())
        } else {
            Ok(())
        }
    }

    const IMPORT_ID: Option<&'static str> = None;

    async fn import(id: &str, context: &mut Context<Client>) -> Result<Option<Self>, Diagnostics> {
        context.private_mut().set("seen", *b"1");
        let sign = Self {
            id: id.to_owned(),
            text: "found".to_owned(),
            place: None,
            fault: None,
            height: 2,
            letters: Some(5),
            parts: None,
            lamp: Vec::new(),
            pin: None,
            code: None,
            locks: None,
        };
        Ok((id != "nobody").then_some(sign))
    }

    async fn modify_plan(
        plan: &mut Planned<Self>,
        context: &mut Context<Client>,
    ) -> Result<(), Diagnostics> {
        let count = context.client().0.fetch_add(1, SeqCst);
        match plan.get("fault").as_str() {
            Some("plans another text") => plan.set("text", "mine"),
            Some("replaces nothing") => plan.require_replace("nowhere"),
            Some("replaces because of the pin") => plan.require_replace("pin"),
            Some("plans a pin") => plan.set("pin", "1234"),
            Some("plans a key") => plan.set(
                AttributePath::from("locks").index(0).attribute("key_wo"),
                "1234",
            ),
            Some("counts") => plan.set("letters", i64::try_from(count).unwrap_or_default()),
            Some("warns") if plan.change() == Change::Create => {
                context.warn(Diagnostic::warning("Careful", "It is high."));
            }
            _ => {}
        }
        Ok(())
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        if config.get("text").as_str() == Some("") {
            return Err(Diagnostic::error("No Text", "Write something.")
                .at("text".into())
                .into());
        }
        Ok(())
    }
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_depth", stateless, plan)]
struct Depth {
    quay: String,
    #[attribute(computed)]
    metres: f64,
    /// A bool that was forgotten looks like one that is false, so that only the compiler finds it.
    #[attribute(computed)]
    tidal: bool,
    #[attribute(optional, computed)]
    unit: Option<String>,
}

impl DataSource for Depth {
    type Client = Client;

    async fn read(config: DepthPlan, _: &mut Context<Client>) -> Result<Self, Diagnostics> {
        let DepthPlan {
            quay,
            metres,
            tidal,
            unit,
        } = config;
        if quay == "nowhere" {
            return Err("there is no such quay".into());
        }
        assert!(matches!(
            (metres, tidal),
            (Computed::Unknown, Computed::Unknown)
        ));
        let unit = unit.unwrap_or_else(|| Some("m".to_owned()));
        Ok(Self {
            quay,
            metres: 12.5,
            tidal: true,
            unit,
        })
    }
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_token", stateless, plan)]
struct Token {
    scope: String,
    #[attribute(computed, sensitive)]
    value: String,
}

impl EphemeralResource for Token {
    type Client = Client;

    async fn open(
        config: TokenPlan,
        context: &mut Context<Client>,
    ) -> Result<crate::Opened<Self>, Diagnostics> {
        context.private_mut().set("token", *b"1");
        let soon = SystemTime::UNIX_EPOCH + Duration::from_mins(1);
        Ok(crate::Opened::new(Self {
            value: "t-1".to_owned(),
            scope: config.scope,
        })
        .renew_at(soon))
    }

    async fn renew(context: &mut Context<Client>) -> Result<Option<SystemTime>, Diagnostics> {
        context.private_mut().set("token", *b"2");
        Ok(None)
    }

    async fn close(context: &mut Context<Client>) -> Result<(), Diagnostics> {
        if context.private().get("token") == Some(b"2") {
            Ok(())
        } else {
            Err("it was not renewed".into())
        }
    }
}

fn provider() -> Provider<Client> {
    let provider = Provider::new("example.com/test/test", async |config: Config| {
        if config.region == "moon" {
            Err("nobody is there".into())
        } else {
            Ok(Client::default())
        }
    });
    provider
        .with::<Sign>()
        .with_data_source::<Depth>()
        .with_ephemeral_resource::<Token>()
}

fn core() -> Core {
    Core::of(provider(), json!({"region": "eu"})).unwrap()
}

/// Terraform's refusal of an apply with this fault.
fn refused(fault: &str) -> String {
    let core = core();
    let mut sign = core.resource::<Sign>();
    let config =
        json!({"text": "hello", "fault": fault, "lamp": [{"name": "a"}], "locks": [{"key": "a"}]});
    let refusal = sign.apply(config).unwrap_err();
    assert!(refusal.is_by_terraform(), "{refusal}");
    refusal.to_string()
}

#[test]
fn a_resource_lives() {
    let core = core();
    let mut sign = core.resource::<Sign>();
    assert_eq!(sign.model().unwrap(), None);
    let config =
        json!({"text": "hello", "parts": [{"name": "a"}], "lamp": [{"name": "b"}], "pin": "1234"});
    let plan = sign.plan(config.clone()).unwrap();
    assert_eq!(
        (plan.action, plan.get("height")),
        (PlannedAction::Create, &2.into())
    );
    assert!(
        !plan.is_known("letters")
            && !plan.is_known(AttributePath::from("parts").index(0).attribute("serial"))
    );
    assert_eq!(
        sign.apply(config.clone()).unwrap().action,
        PlannedAction::Create
    );
    let made = sign.model().unwrap().unwrap();
    assert_eq!(
        (
            made.id.as_str(),
            made.letters,
            made.lamp[0].serial.as_str(),
            &made.pin
        ),
        ("s-1", Some(5), "b-1", &None)
    );
    assert_eq!(sign.apply(config).unwrap().action, PlannedAction::Nothing);
    assert_eq!(
        sign.apply(json!({"text": "bye"})).unwrap().action,
        PlannedAction::Update
    );
    let plan = sign.plan(json!({"text": "bye", "place": "door"})).unwrap();
    assert_eq!(
        (plan.action, plan.replaced_by),
        (PlannedAction::Replace, vec!["place".into()])
    );
    assert_eq!(
        sign.apply(json!({"text": "bye", "place": "door"}))
            .unwrap()
            .action,
        PlannedAction::Replace
    );
    sign.destroy().unwrap();
    assert!(sign.state().is_null());
}

#[test]
fn what_terraform_refuses_is_refused() {
    let inconsistent = "Provider produced inconsistent result after apply";
    assert_eq!(
        refused("other text"),
        format!("{inconsistent}: text: it was \"hello\" in the plan, and is \"hello!\" now.")
    );
    assert_eq!(
        refused("a part more"),
        format!("{inconsistent}: lamp: 1 blocks were planned, and there are 2.")
    );
    assert_eq!(
        refused("plans another text"),
        "Provider produced invalid plan: text: \"mine\" is planned, and \"hello\" is configured."
    );
    assert_eq!(
        refused("plans a pin"),
        "Provider produced invalid plan: pin: it is write-only, and the plan has a value for it."
    );
    assert_eq!(
        refused("plans a key"),
        "Provider produced invalid plan: locks[0].key_wo: it is write-only, and the plan has a value for it."
    );
    assert_eq!(
        refused("counts"),
        "Provider produced inconsistent final plan: letters: it was 0 in the plan, and is 1 now."
    );
    assert_eq!(
        refused("drifts"),
        "The plan after the apply is not empty: text: it was \"hello\" in the plan, and is \"hello~\" now.\n\
         The plan after the apply is not empty: lamp[0].serial: it is to be known after the apply."
    );
}

#[test]
fn an_attribute_that_a_plan_does_not_have_fails_the_test() {
    let core = core();
    let sign = core.resource::<Sign>();
    let plan = sign.plan(json!({"text": "hello"})).unwrap();
    let ask = std::panic::AssertUnwindSafe(|| plan.is_known("weight"));
    let panic = std::panic::catch_unwind(ask).unwrap_err();
    let message = panic.downcast::<String>().unwrap();
    assert!(
        message.starts_with("the plan has no attribute \"weight\"; it has "),
        "{message}"
    );
}

#[test]
fn an_attribute_that_there_is_not_fails_the_test_of_a_function() {
    let failed = |ask: &dyn Fn() -> bool| {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(ask)).unwrap_err();
        *panic.downcast::<String>().unwrap()
    };
    let config = config::<Sign>(json!({"text": "hello"}));
    let plan = creation::<Sign>(json!({"text": "hello"}));
    let problem = "the schema has no attribute weight";
    for panic in [
        failed(&|| config.is_known("weight")),
        failed(&|| plan.is_known("weight")),
        failed(&|| plan.changes("weight")),
        failed(&|| plan.config().get("weight").is_null()),
    ] {
        assert_eq!(panic, problem);
    }
    assert!(config.is_known("text") && !plan.is_known("letters"));
}

#[test]
fn a_replacement_because_of_nothing_is_refused() {
    let core = core();
    let mut sign = core.resource::<Sign>();
    sign.apply(json!({"text": "hello"})).unwrap();
    let refusal = sign
        .plan(json!({"text": "hello", "fault": "replaces nothing"}))
        .unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "Provider produced invalid plan: nowhere: a replacement is required because of this attribute, which does not exist."
    );
}

#[test]
fn what_is_write_only_replaces_although_nothing_of_it_is_stored() {
    let core = core();
    let mut sign = core.resource::<Sign>();
    sign.apply(json!({"text": "hello"})).unwrap();
    let config = json!({"text": "hello", "fault": "replaces because of the pin"});
    let plan = sign.plan(config.clone()).unwrap();
    assert_eq!(
        (plan.action, plan.replaced_by),
        (PlannedAction::Replace, vec!["pin".into()])
    );
    // It replaces also where nothing changes: Terraform looks at the paths before it compares
    // (`getAction`, since 1.11).
    assert_eq!(
        sign.apply(config).unwrap_err().to_string(),
        "The plan after the apply is not empty: pin: it requires a replacement again.\n\
         The plan after the apply is not empty: id: it is to be known after the apply."
    );
}

#[test]
fn a_configuration_is_judged_by_terraform_and_then_by_the_provider() {
    let core = core();
    let sign = core.resource::<Sign>();
    let refusal = sign.validate(json!({})).unwrap_err();
    assert!(refusal.is_by_terraform());
    assert_eq!(
        refusal.to_string(),
        "Missing or Invalid Argument: text: it is required, and not set."
    );
    let refusal = sign.plan(json!({"text": ""})).unwrap_err();
    assert!(!refusal.is_by_terraform());
    assert_eq!(
        refusal.to_string(),
        "No Text: Write something.\n\nAttribute: text"
    );
    let refusal = sign
        .validate(json!({"text": "a", "id": "mine", "lamp": [{"name": "b", "serial": "mine"}]}))
        .unwrap_err();
    let read_only = |path: &str| {
        format!(
            "Invalid Configuration for Read-Only Attribute: {path} cannot be set: the provider sets it. \
             Remove the line that sets it."
        )
    };
    assert_eq!(
        refusal.to_string(),
        [read_only("id"), read_only("lamp[0].serial")].join("\n")
    );
    let refusal = sign.validate(json!({"txet": "a"})).unwrap_err();
    assert!(
        refusal
            .to_string()
            .starts_with("Invalid Values In Test: The values do not fit the schema: "),
        "{refusal}"
    );
    let refusal = sign
        .validate(Values::from(json!({"text": "a"})).unknown(AttributePath::from("parts").index(0)))
        .unwrap_err();
    assert!(
        refusal.to_string().starts_with("Invalid Values In Test: "),
        "{refusal}"
    );
    let refused = |region: &str| {
        Core::of(provider(), json!({"region": region}))
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused("moon"),
        "Unable to Configure Provider: nobody is there"
    );
    let refusal = Core::of(provider(), json!({})).map(drop).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "Missing or Invalid Argument: region: it is required, and not set."
    );
}

#[test]
fn the_providers_configuration_is_validated() {
    fn small(config: &ResourceConfig<Config>) -> Result<(), Diagnostics> {
        match config.get("region").as_str() {
            Some("panic") => panic!("no such region"),
            Some(region) if region.len() > 3 => {
                Err(Diagnostic::error("Long Region", "Take another.")
                    .at("region".into())
                    .into())
            }
            Some(_) | None => Ok(()),
        }
    }
    let refused = |region: &str| {
        Core::of(provider().validated_by(small), json!({"region": region}))
            .map(drop)
            .unwrap_err()
    };
    assert_eq!(
        refused("europe").to_string(),
        "Long Region: Take another.\n\nAttribute: region"
    );
    assert!(
        refused("panic")
            .to_string()
            .starts_with("Unable to Validate Configuration: The provider panicked.")
    );
    // The function runs first, because the provider is configured later.
    assert_eq!(
        refused("moon").to_string(),
        "Long Region: Take another.\n\nAttribute: region"
    );
    assert!(Core::of(provider().validated_by(small), json!({"region": "eu"})).is_ok());
    let other = provider()
        .validated_by(|_: &ResourceConfig<Part>| Ok(()))
        .check()
        .unwrap_err();
    assert!(shown(&other).starts_with("Another Provider Configuration: "));
}

#[test]
fn what_fails_is_kept_as_terraform_keeps_it() {
    let core = core();
    let mut sign = core.resource::<Sign>();
    let refusal = sign
        .apply(json!({"text": "hello", "fault": "breaks"}))
        .unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "Unable to Create Resource: the ladder broke"
    );
    assert_eq!(sign.state().get(&"text".into()), Some(&"hello".into()));
    let mut sign = core.resource::<Sign>();
    sign.apply(json!({"text": "hello", "fault": "sticks"}))
        .unwrap();
    assert_eq!(
        sign.destroy().unwrap_err().to_string(),
        "Unable to Delete Resource: it sticks"
    );
    assert!(!sign.state().is_null());
}

#[test]
fn a_resource_that_is_gone_is_made_again() {
    let core = core();
    let mut sign = core.resource::<Sign>();
    let config = json!({"text": "hello", "fault": "is gone"});
    assert_eq!(
        sign.apply_and_leave_changes(config.clone()).unwrap().action,
        PlannedAction::Create
    );
    sign.refresh().unwrap();
    assert!(sign.state().is_null());
    assert_eq!(
        sign.apply_and_leave_changes(config).unwrap().action,
        PlannedAction::Create
    );
}

#[test]
fn what_is_unknown_when_it_is_planned_is_known_when_it_is_applied() {
    let core = core();
    let mut sign = core.resource::<Sign>();
    let unknown = Values::from(json!({"text": "?"})).unknown("text");
    assert!(!sign.plan(unknown.clone()).unwrap().is_known("text"));
    sign.apply_when_known(unknown, json!({"text": "hello"}))
        .unwrap();
    assert_eq!(sign.model().unwrap().unwrap().text, "hello");
    // An unknown value may turn out to be the one that was there.
    let unknown = Values::from(json!({"text": "?"})).unknown("text");
    assert_eq!(
        sign.apply_when_known(unknown, json!({"text": "hello"}))
            .unwrap()
            .action,
        PlannedAction::Update
    );
}

#[test]
fn old_states_and_imports_are_taken() {
    let core = core();
    let mut sign = core.resource::<Sign>();
    sign.import("s-9").unwrap();
    assert_eq!(sign.model().unwrap().unwrap().text, "found");
    assert!(
        sign.import("nobody")
            .unwrap_err()
            .to_string()
            .contains("There is no test_sign named \"nobody\"")
    );
    let mut sign = core.resource::<Sign>();
    let stored = json!({"id": "s-1", "name": "hello", "height": 2, "letters": 5, "lamp": []});
    sign.upgrade(0, &stored).unwrap();
    assert_eq!(sign.model().unwrap().unwrap().text, "hello");
    assert_eq!(
        sign.plan(json!({"text": "hello"})).unwrap().action,
        PlannedAction::Nothing
    );
    assert!(
        sign.upgrade(7, &stored)
            .unwrap_err()
            .to_string()
            .starts_with("Resource State Is Newer")
    );
}

/// A post whose identity is its place.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "test_post", version = 0, identity = PostIdentity)]
struct Post {
    place: String,
    note: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_post_identity", version = 0)]
struct PostIdentity {
    place: String,
}

echo! { Post: Client; const IMPORT_ID: Option<&'static str> = Some("place"); }

impl IdentifiedResource for Post {
    type Identity = PostIdentity;

    fn identity(&self) -> PostIdentity {
        PostIdentity {
            place: self.place.clone(),
        }
    }
}

#[test]
fn a_resource_is_imported_by_its_identity() {
    let core = Core::of(
        provider().with_identified::<Post>(),
        json!({"region": "eu"}),
    )
    .unwrap();
    let mut post = core.resource::<Post>();
    post.import_identity(json!({"place": "pier"})).unwrap();
    assert_eq!(
        post.model().unwrap().map(|post| post.place).as_deref(),
        Some("pier")
    );
    let refusal = core
        .resource::<Post>()
        .import_identity(json!({}))
        .unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "Missing or Invalid Argument: place: it is required, and not set."
    );
    let refusal = core
        .resource::<Sign>()
        .import_identity(json!({}))
        .unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "Import by identity is not supported: the resource: test_sign has no identity."
    );
}

#[test]
fn warnings_are_answered() {
    let core = core();
    let mut sign = core.resource::<Sign>();
    let applied = sign
        .apply(json!({"text": "hello", "fault": "warns"}))
        .unwrap();
    assert_eq!(shown(&applied.warnings), "warning: Careful: It is high.");
}

#[test]
fn who_could_store_nothing_is_warned() {
    let core = core();
    let warned = |config: Value| {
        core.resource::<Sign>()
            .validate(config)
            .unwrap()
            .to_string()
    };
    let locks = json!([{"key_wo": "b"}, {"key": "sesame"}]);
    let warnings = warned(json!({"text": "a", "code": "sesame", "locks": locks}));
    assert_eq!(
        warnings,
        "warning: Available Write-only Attribute Alternative (at code)\ncode is stored in the state. Use pin, which Terraform stores nowhere.\n\n\
         warning: Available Write-only Attribute Alternative (at locks[1].key)\n\
         locks[1].key is stored in the state. Use key_wo, which Terraform stores nowhere."
    );
    assert_eq!(warned(json!({"text": "a", "pin": "sesame"})), "");
    // As in the framework, where only what is set for sure is warned about.
    let unknown = Values::from(json!({"text": "a"})).unknown("code");
    let warnings = core.resource::<Sign>().validate(unknown).unwrap();
    assert_eq!(warnings.to_string(), "");
}

#[test]
fn data_sources_are_read_and_ephemeral_resources_opened() {
    let core = core();
    assert_eq!(
        core.read::<Depth>(json!({"quay": "north"}))
            .unwrap()
            .metres
            .to_bits(),
        12.5f64.to_bits()
    );
    let refusal = core.read::<Depth>(json!({"quay": "nowhere"})).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "Unable to Read Data Source: there is no such quay"
    );
    assert!(core.read::<Depth>(json!({})).unwrap_err().is_by_terraform());
    let mut token = core.open::<Token>(json!({"scope": "all"})).unwrap();
    assert_eq!(token.model().value, "t-1");
    assert_eq!(
        token.renew_at(),
        Some(SystemTime::UNIX_EPOCH + Duration::from_mins(1))
    );
    token.renew().unwrap();
    assert_eq!(token.renew_at(), None);
    token.close().unwrap();
    assert!(
        core.open::<Token>(json!({"scope": "all"}))
            .unwrap()
            .close()
            .is_err()
    );
}

#[test]
fn functions_are_called_with_made_arguments() {
    let client = Client::default();
    let (mut call, stopper) = stoppable(client.clone());
    let mut plan = creation::<Sign>(json!({"text": "hello", "fault": "warns"}));
    assert_eq!(
        (plan.change(), plan.get("height")),
        (Change::Create, &2.into())
    );
    run(Sign::modify_plan(&mut plan, &mut call)).unwrap();
    assert_eq!(shown(call.warnings()), "warning: Careful: It is high.");
    assert!(!call.is_stopping());
    stopper.stop();
    assert!(call.is_stopping());
    let prior = json!({"id": "s-1", "text": "hello", "height": 2, "letters": 5, "lamp": []});
    let plan = change::<Sign>(prior.clone(), json!({"text": "bye", "place": "door"}));
    assert_eq!(
        (
            plan.change(),
            plan.get("id").as_str(),
            plan.is_known("letters")
        ),
        (Change::Update, Some("s-1"), false)
    );
    assert_eq!(plan.replaced_by(), ["place".into()]);
    assert_eq!(deletion::<Sign>(prior).change(), Change::Delete);
    let refused = |text: &str| Sign::validate(&config(json!({"text": text}))).is_err();
    assert_eq!((refused(""), refused("a")), (true, false));
    let broken = Sign {
        id: String::new(),
        text: "a".to_owned(),
        place: None,
        fault: Some("breaks".to_owned()),
        height: 1,
        letters: None,
        parts: None,
        lamp: Vec::new(),
        pin: None,
        code: None,
        locks: None,
    };
    let mut context = context(client);
    assert!(run(Sign::create(broken, &mut context)).is_err());
    assert_eq!(saved::<Sign, _>(&context).unwrap().text, "a");
}
