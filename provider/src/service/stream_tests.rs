//! Lists and actions, whose answers are streams.

use std::time::Duration;

use tokio::sync::mpsc;
use upstate::{Diagnostic, Diagnostics, Object, Resource, Value};

use super::tests::{in_msgpack, with_configuration};
use super::*;
use crate::proto::action::{ActionRequest, Stage};
use crate::proto::data_source::ValidateConfigRequest;
use crate::proto::list_resource::{
    GenerateResourceConfigRequest, ListResourceEvent, ListResourceRequest,
};
use crate::proto::{self, DynamicValue};
use crate::{
    Action, Context, Found, GeneratedConfig, IdentifiedResource, ListResource, ManagedResource,
    Progress, Provider, ResourceConfig,
};

#[derive(Object)]
struct Config {}

#[derive(Debug, Clone, Resource)]
#[resource(type_name = "test_barge", version = 0, identity = BargeIdentity)]
struct Barge {
    #[attribute(computed)]
    id: String,
    number: i64,
    #[attribute(default = 2.0)]
    draught: Option<f64>,
    note: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_barge_identity", version = 0)]
struct BargeIdentity {
    number: i64,
}

impl ManagedResource for Barge {
    type Client = ();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }

    fn generate_config(config: &mut GeneratedConfig<Self>) {
        assert_ne!(config.get("number"), &Value::from(13), "an unlucky number");
        if config.state().is_some_and(|barge| barge.number == 1) {
            config.set("note", "the first");
        } else {
            config.unset("note");
        }
    }
}

impl IdentifiedResource for Barge {
    type Identity = BargeIdentity;

    fn identity(&self) -> BargeIdentity {
        BargeIdentity {
            number: self.number,
        }
    }
}

/// A number of barges, then the end that `end` gives.
#[derive(Debug, Resource)]
#[resource(type_name = "test_barge")]
struct Barges {
    amount: i64,
    #[attribute(default = "well")]
    end: Option<String>,
}

impl ListResource for Barges {
    type Resource = Barge;

    async fn list(
        config: Self,
        found: &mut Found<Barge>,
        context: &mut Context<()>,
    ) -> Result<(), Diagnostics> {
        for number in 1..=config.amount {
            let draught = if config.end.as_deref() == Some("sinks") {
                f64::NAN
            } else {
                1.0
            };
            let barge = Barge {
                id: format!("b-{number}"),
                number,
                draught: Some(draught),
                note: None,
            };
            if found
                .add(&barge, format!("barge {number}"))
                .await
                .is_break()
            {
                assert!(found.add(&barge, "one too many").await.is_break());
                return Ok(());
            }
        }
        match config.end.as_deref() {
            Some("fails") => return Err("the rest is in the fog".into()),
            Some("panics") => panic!("the fog horn"),
            Some("hangs") => std::future::pending().await,
            Some("blocks") => std::thread::sleep(Duration::from_secs(20)),
            Some("warns") => context.warn(Diagnostic::warning("Fog", "There may be more.")),
            _ => {}
        }
        Ok(())
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        if config.get("amount").as_str() == Some("0") {
            Err("none".into())
        } else {
            Ok(())
        }
    }
}

/// Blows a horn.
#[derive(Debug, Resource)]
#[resource(type_name = "test_horn")]
struct Horn {
    times: u8,
    #[attribute(sensitive)]
    tune: Option<String>,
    #[attribute(default = "well")]
    end: Option<String>,
}

impl Action for Horn {
    type Client = ();

    async fn invoke(
        config: Self,
        progress: &Progress,
        context: &mut Context<()>,
    ) -> Result<(), Diagnostics> {
        let tune = config.tune.unwrap_or_default();
        for time in 1..=config.times {
            progress.report(format!("{tune} {time}"));
        }
        match config.end.as_deref() {
            Some("fails") => Err(format!("nobody knows {tune}").into()),
            Some("panics") => panic!("{tune}"),
            Some("waits") => {
                context.stopping().await;
                Err("stopped".into())
            }
            _ => Ok(()),
        }
    }

    async fn plan(
        config: &ResourceConfig<Self>,
        context: &mut Context<()>,
    ) -> Result<(), Diagnostics> {
        assert_ne!(config.get("times"), &Value::from(13), "an unlucky number");
        if !config.is_known("times") {
            context.warn(Diagnostic::warning("Noise", "It may be loud."));
        }
        if config.get("times") == &Value::from(99) {
            Err("too loud".into())
        } else {
            Ok(())
        }
    }
}

fn provider() -> Provider<()> {
    Provider::new("example.com/test/test", async |_: Config| Ok(()))
        .with_identified::<Barge>()
        .with_list_resource::<Barges>()
        .with_action::<Horn>()
}

async fn configured() -> Service {
    provider().check().unwrap();
    with_configuration(Service::new(provider().parts)).await
}

fn value<T: Resource>(members: &[(&str, Value)]) -> Option<DynamicValue> {
    let value: Value = members
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    in_msgpack(&value, T::schema())
}

fn barges(
    amount: i64,
    end: &str,
    limit: i64,
    include_resource_object: bool,
) -> ListResourceRequest {
    let config = value::<Barges>(&[("amount", amount.into()), ("end", end.into())]);
    ListResourceRequest {
        type_name: "test_barge".to_owned(),
        config,
        include_resource_object,
        limit,
    }
}

async fn listed(request: ListResourceRequest) -> Vec<ListResourceEvent> {
    let (to, mut answers) = mpsc::channel(1);
    let service = configured().await;
    let sent = service.events("ListResource", &request, to);
    let reported = tokio::spawn(service.list(request, sent));
    let mut events = Vec::new();
    while let Some(event) = answers.recv().await {
        events.push(event.unwrap());
    }
    let reported = reported.await.unwrap();
    assert_eq!(
        events
            .last()
            .map(|last| last.diagnostics.clone())
            .unwrap_or_default(),
        reported
    );
    events
}

fn names(events: &[ListResourceEvent]) -> Vec<&str> {
    events
        .iter()
        .filter(|event| event.identity.is_some())
        .map(|event| event.display_name.as_str())
        .collect()
}

#[tokio::test]
async fn a_list_gives_what_is_there_up_to_the_limit() {
    let events = listed(barges(3, "well", 100, false)).await;
    assert_eq!(names(&events), ["barge 1", "barge 2", "barge 3"]);
    let identity =
        |event: &ListResourceEvent| event.identity.clone().unwrap().identity_data.unwrap();
    assert_eq!(
        identity(&events[2]),
        value::<BargeIdentity>(&[("number", 3.into())]).unwrap()
    );
    assert!(events.iter().all(|event| event.resource_object.is_none()));
    assert_eq!(
        names(&listed(barges(200, "fails", 2, false)).await),
        ["barge 1", "barge 2"]
    );
    assert_eq!(
        names(&listed(barges(200, "well", 0, false)).await).len(),
        200
    );
    let whole = listed(barges(1, "well", 100, true)).await;
    let barge = [
        ("id", "b-1".into()),
        ("number", 1.into()),
        ("draught", 1.into()),
        ("note", Value::Null),
    ];
    assert_eq!(whole[0].resource_object, value::<Barge>(&barge));
}

#[tokio::test]
async fn a_list_reports_its_error_after_its_results() {
    for (end, severity, summary, detail) in [
        (
            "fails",
            1,
            "Unable to List Resources",
            "the rest is in the fog",
        ),
        (
            "panics",
            1,
            "Unable to List Resources",
            "The provider panicked.",
        ),
        ("warns", 2, "Fog", "There may be more."),
    ] {
        let events = listed(barges(2, end, 100, false)).await;
        assert_eq!(names(&events), ["barge 1", "barge 2"], "{end}");
        let [reported] = events[2].diagnostics.as_slice() else {
            panic!("{events:?}")
        };
        assert_eq!(
            (reported.severity, reported.summary.as_str()),
            (severity, summary)
        );
        assert!(reported.detail.starts_with(detail), "{}", reported.detail);
    }
    let events = listed(barges(2, "sinks", 100, true)).await;
    assert_eq!(names(&events), [""; 0]);
    assert_eq!(events[0].diagnostics[0].summary, "Unable to Convert State");
    let unknown = ListResourceRequest {
        type_name: "test_boat".to_owned(),
        ..barges(1, "well", 1, false)
    };
    assert_eq!(
        listed(unknown).await[0].diagnostics[0].summary,
        "List Resource Not Found"
    );
}

#[tokio::test]
async fn a_list_ends_when_it_is_dropped_or_stopped() {
    for end in ["hangs", "blocks"] {
        let (to, mut answers) = mpsc::channel(1);
        let service = configured().await;
        let request = barges(1, end, 100, false);
        let sent = service.events("ListResource", &request, to);
        let listing = tokio::spawn(service.clone().list(request, sent));
        assert_eq!(
            answers.recv().await.unwrap().unwrap().display_name,
            "barge 1"
        );
        drop(answers);
        let ended = tokio::time::timeout(Duration::from_secs(5), listing).await;
        assert_eq!(ended.expect("it ended").unwrap(), [], "{end}");

        let (to, mut answers) = mpsc::channel(1);
        let request = barges(1, end, 100, false);
        let sent = service.events("ListResource", &request, to);
        let listing = tokio::spawn(service.clone().list(request, sent));
        answers.recv().await.unwrap().unwrap();
        service.request_stop();
        let reported = tokio::time::timeout(Duration::from_secs(5), async {
            answers.recv().await.unwrap().unwrap()
        })
        .await;
        assert_eq!(
            reported.expect("it was told").diagnostics[0].summary,
            "Operation Cancelled",
            "{end}"
        );
        listing.await.unwrap();
    }
}

fn horn(times: impl Into<Value>, end: &str) -> ActionRequest {
    let config = value::<Horn>(&[
        ("times", times.into()),
        ("tune", "Greensleeves".into()),
        ("end", end.into()),
    ]);
    ActionRequest {
        action_type: "test_horn".to_owned(),
        config,
        client_capabilities: None,
    }
}

/// The messages of an invocation, and how it ended.
async fn blown(request: ActionRequest) -> (Vec<String>, Vec<proto::Diagnostic>) {
    let (to, mut answers) = mpsc::channel(1);
    let service = configured().await;
    let sent = service.events("InvokeAction", &request, to);
    let ended = tokio::spawn(service.invoke_action(request, sent));
    let mut messages = Vec::new();
    loop {
        match answers.recv().await.unwrap().unwrap().r#type.unwrap() {
            Stage::Progress(progress) => messages.push(progress.message),
            Stage::Completed(completed) => {
                assert!(
                    answers.recv().await.is_none(),
                    "nothing comes after the end"
                );
                assert_eq!(ended.await.unwrap().len(), completed.diagnostics.len());
                return (messages, completed.diagnostics);
            }
        }
    }
}

#[tokio::test]
async fn an_action_reports_progress_and_result_without_secrets() {
    let (messages, reported) = blown(horn(20, "well")).await;
    assert_eq!(
        (messages.len(), messages[19].as_str(), reported),
        (20, "(sensitive value) 20", Vec::new())
    );
    let (messages, reported) = blown(horn(1, "fails")).await;
    assert_eq!(messages.len(), 1);
    assert_eq!(
        (reported[0].summary.as_str(), reported[0].detail.as_str()),
        ("Unable to Invoke Action", "nobody knows (sensitive value)")
    );
    let (_, reported) = blown(horn(0, "panics")).await;
    assert!(
        reported[0].detail.starts_with("The provider panicked."),
        "{reported:?}"
    );
    let (_, reported) = blown(horn(300, "well")).await;
    assert!(reported[0].detail.starts_with("times: "), "{reported:?}");
    let unknown = ActionRequest {
        action_type: "test_boat".to_owned(),
        ..horn(1, "well")
    };
    assert_eq!(blown(unknown).await.1[0].summary, "Action Not Found");
}

#[tokio::test]
async fn an_action_goes_on_without_listeners_and_can_be_stopped() {
    let (to, answers) = mpsc::channel(1);
    let service = configured().await;
    let request = horn(3, "waits");
    let sent = service.events("InvokeAction", &request, to);
    let invoked = tokio::spawn(service.clone().invoke_action(request, sent));
    drop(answers);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!invoked.is_finished());
    service.request_stop();
    assert_eq!(invoked.await.unwrap()[0].detail, "stopped");
}

#[tokio::test]
async fn a_plan_of_an_action_is_looked_at() {
    let service = configured().await;
    let summaries = async |times: Value| -> Vec<String> {
        service
            .plan_action(horn(times, "well"))
            .await
            .diagnostics
            .into_iter()
            .map(|reported| reported.summary)
            .collect()
    };
    assert_eq!(summaries(1.into()).await, [""; 0]);
    assert_eq!(summaries(Value::Unknown).await, ["Noise"]);
    assert_eq!(summaries(99.into()).await, ["Unable to Plan Action"]);
    assert_eq!(summaries(13.into()).await, ["Unable to Plan Action"]);
    let request = ValidateConfigRequest {
        type_name: "test_horn".to_owned(),
        config: horn(300, "well").config,
    };
    let validated = service.validate_config(request, Service::action).await;
    assert_eq!(validated.diagnostics[0].summary, "Invalid Attribute Value");
    let request = ValidateConfigRequest {
        type_name: "test_barge".to_owned(),
        config: barges(1, "well", 1, false).config,
    };
    let validated = service
        .validate_config(request, Service::list_resource)
        .await;
    assert_eq!(validated.diagnostics, []);
}

#[tokio::test]
async fn a_configuration_is_generated_from_a_state() {
    let service = configured().await;
    let generated = async |number: i64, draught: i64| {
        let state = [
            ("id", "b".into()),
            ("number", number.into()),
            ("draught", draught.into()),
            ("note", "n".into()),
        ];
        let request = GenerateResourceConfigRequest {
            type_name: "test_barge".to_owned(),
            state: value::<Barge>(&state),
        };
        let response = service.generate_config(request).await;
        (response.config, response.diagnostics.len())
    };
    let config = |number: i64, draught: Value, note: Value| {
        value::<Barge>(&[
            ("id", Value::Null),
            ("number", number.into()),
            ("draught", draught),
            ("note", note),
        ])
    };
    assert_eq!(
        generated(1, 2).await,
        (config(1, Value::Null, "the first".into()), 0)
    );
    assert_eq!(generated(2, 3).await, (config(2, 3.into(), Value::Null), 0));
    assert_eq!(
        generated(13, 2).await,
        (config(13, Value::Null, "n".into()), 1)
    );
}
