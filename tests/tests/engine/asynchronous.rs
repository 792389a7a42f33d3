//! Upgrades that await, without a runtime: the caller that polls is the runtime.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::upgrade::{
    CancellationToken, ClosureUpgrader, DowngradeRequest, boxed, upgrade_in_progress,
};
use upstate::{
    Diagnostic, Diagnostics, RawState, Registry, Resource, ResourceDefinition, UpgradeContext,
    UpgradeRequest, UpgradeResponse, Value,
};

/// Asked by upgrades: names by id.
struct Service {
    calls: Arc<AtomicUsize>,
}

impl Service {
    async fn name(&self, id: &str) -> Result<String, String> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Waiting(2).await;
        match id {
            "unknown" => Err(format!("no thing is called {id:?}")),
            "panics" => panic!("the service met {id}"),
            "waits" => std::future::pending().await,
            id => Ok(format!("name of {id}")),
        }
    }
}

/// Another client, asked for by its type.
struct Suffix(&'static str);

/// Pending so many times.
struct Waiting(usize);

impl Future for Waiting {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        assert!(upgrade_in_progress());
        if self.0 == 0 {
            return Poll::Ready(());
        }
        self.0 -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_named", version = 4, oldest = 1)]
#[upgrade_from(3, model = NamedV3)]
#[upgrade_from(1, raw = from_stored, async)]
struct Named {
    id: String,
    name: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_named", version = 3, prior)]
#[upgrade_from(2, model = NamedV2, with = ask_for_name, async)]
struct NamedV3 {
    id: String,
    name: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_named", version = 2, prior)]
struct NamedV2 {
    id: String,
}

async fn ask_for_name(prior: NamedV2, context: &mut UpgradeContext<'_>) -> Result<NamedV3, String> {
    let service: &Service = context.client().ok_or("no service was given")?;
    let name = service.name(&prior.id).await?;
    context.warn(upstate::Diagnostic::warning(
        "Name Asked For",
        "Version 2 kept no name.",
    ));
    Ok(NamedV3 { id: prior.id, name })
}

async fn from_stored(
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<Named, Diagnostics> {
    let service: &Service = context.client().ok_or("no service was given")?;
    let name = service.name(&format!("{raw:?}")).await?;
    Ok(Named {
        id: "raw".to_owned(),
        name,
    })
}

impl From<NamedV3> for Named {
    fn from(prior: NamedV3) -> Self {
        assert_ne!(prior.id, "panics later");
        Self {
            id: prior.id,
            name: prior.name,
        }
    }
}

fn registry() -> (Registry, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let registry = Registry::new()
        .with::<Named>()
        .with_client(Suffix("."))
        .with_client(Service {
            calls: Arc::clone(&calls),
        });
    (registry, calls)
}

/// Polls until it is done, at most so often.
fn run<T>(future: impl Future<Output = T> + Send, polls: usize) -> Option<T> {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    (0..polls).find_map(|_| match future.as_mut().poll(&mut context) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => {
            assert!(!upgrade_in_progress());
            None
        }
    })
}

fn ask(version: u64, json: &str) -> UpgradeResponse {
    let (registry, _) = registry();
    let request = UpgradeRequest::json("example_named", version, json.as_bytes());
    run(registry.upgrade_async(&request), 100).unwrap()
}

fn state(response: &UpgradeResponse) -> String {
    let state = response
        .state()
        .unwrap_or_else(|| panic!("{}", response.diagnostics()));
    String::from_utf8(state.to_vec()).unwrap()
}

#[test]
fn chains_await_where_an_upgrader_does() {
    let response = ask(2, r#"{"id":"a"}"#);
    assert_eq!(state(&response), r#"{"id":"a","name":"name of a"}"#);
    assert!(
        response
            .diagnostics()
            .to_string()
            .starts_with("warning: Name Asked For")
    );
    assert_eq!(
        state(&ask(1, r#"{"id":"a"}"#)),
        r#"{"id":"raw","name":"name of Json(10 bytes)"}"#
    );
    // What has nothing to await is ready at once.
    for version in [3, 4] {
        let (registry, calls) = registry();
        let request = UpgradeRequest::json("example_named", version, br#"{"id":"a","name":"x"}"#);
        assert_eq!(
            state(&run(registry.upgrade_async(&request), 1).unwrap()),
            r#"{"id":"a","name":"x"}"#
        );
        assert_eq!(calls.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn errors_and_panics_are_diagnostics_wherever_they_happen() {
    let text = |response: UpgradeResponse| response.into_result().unwrap_err().to_string();
    assert!(text(ask(2, r#"{"id":"unknown"}"#)).contains("no thing is called \"unknown\""));
    assert!(text(ask(2, r#"{"id":"panics"}"#)).contains(
        "error: Upgrade Panicked\nThe upgrader panicked. It said: the service met panics."
    ));
    assert!(text(ask(2, r#"{"id":"panics later"}"#)).contains("error: Upgrade Panicked"));
    assert!(text(ask(2, r#"{"id":[]}"#)).contains("expected a string, found an array (at id)"));
    assert!(text(ask(0, "{}")).contains("this release upgrades from version 1 on"));
    assert!(!upgrade_in_progress());
    let without = Registry::new().with::<Named>().with_client(Suffix("."));
    let request = UpgradeRequest::json("example_named", 2, br#"{"id":"a"}"#);
    assert!(
        text(run(without.upgrade_async(&request), 9).unwrap()).contains("no service was given")
    );
}

#[test]
fn without_awaiting_an_asynchronous_upgrader_is_a_diagnostic() {
    let (registry, calls) = registry();
    for version in [1, 2] {
        let request = UpgradeRequest::json("example_named", version, br#"{"id":"a"}"#);
        assert_eq!(
            registry
                .upgrade(&request)
                .into_result()
                .unwrap_err()
                .to_string(),
            format!(
                "error: Unable to Upgrade Resource State\n\
                 The upgrade from that version is asynchronous: it may talk to a service. The caller cannot await it. \
                 Call `Registry::upgrade_async`.\n\n\
                 Resource type example_named, stored at schema version {version}, current version 4, id \"a\"."
            )
        );
    }
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    assert_eq!(
        state(&registry.upgrade(&UpgradeRequest::json(
            "example_named",
            3,
            br#"{"id":"a","name":"x"}"#
        ))),
        r#"{"id":"a","name":"x"}"#
    );
}

#[test]
fn a_cancelled_or_late_upgrade_stops_at_its_next_poll() {
    let (registry, _) = registry();
    let cancellation = CancellationToken::new();
    let request = UpgradeRequest::json("example_named", 2, br#"{"id":"waits"}"#)
        .with_cancellation(&cancellation);
    let mut upgrade = pin!(registry.upgrade_async(&request));
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..9 {
        assert!(upgrade.as_mut().poll(&mut context).is_pending());
    }
    cancellation.clone().cancel();
    let Poll::Ready(response) = upgrade.as_mut().poll(&mut context) else {
        panic!("it goes on")
    };
    assert_eq!(
        response.into_result().unwrap_err().to_string(),
        "error: Upgrade Cancelled\nThe upgrade was cancelled before it was done. The stored state is unchanged.\n\n\
         Resource type example_named, stored at schema version 2, current version 4, id \"waits\"."
    );

    let deadline = Instant::now() + Duration::from_millis(20);
    let request =
        UpgradeRequest::json("example_named", 2, br#"{"id":"waits"}"#).with_deadline(deadline);
    let mut upgrade = pin!(registry.upgrade_async(&request));
    assert!(upgrade.as_mut().poll(&mut context).is_pending());
    std::thread::sleep(Duration::from_millis(25));
    let Poll::Ready(response) = upgrade.as_mut().poll(&mut context) else {
        panic!("it goes on")
    };
    assert!(
        response
            .into_result()
            .unwrap_err()
            .to_string()
            .contains("error: Upgrade Timed Out")
    );
}

/// Counts how far a chain went.
struct Steps(Arc<AtomicUsize>, CancellationToken);

#[derive(Debug, Resource)]
#[resource(type_name = "example_steps", version = 2)]
#[upgrade_from(1, model = StepsV1, with = second)]
struct StepsV2 {
    id: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_steps", version = 1)]
#[upgrade_from(0, model = StepsV0, with = first)]
struct StepsV1 {
    id: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_steps", version = 0)]
struct StepsV0 {
    id: String,
}

fn first(prior: StepsV0, context: &mut UpgradeContext<'_>) -> Result<StepsV1, Diagnostics> {
    let steps: &Steps = context.client().ok_or("no steps")?;
    steps.0.fetch_add(1, Ordering::Relaxed);
    steps.1.cancel();
    assert!(context.is_cancelled() && context.deadline().is_none() && context.check().is_err());
    Ok(StepsV1 { id: prior.id })
}

fn second(prior: StepsV1, context: &mut UpgradeContext<'_>) -> Result<StepsV2, Diagnostics> {
    let steps: &Steps = context.client().ok_or("no steps")?;
    steps.0.fetch_add(1, Ordering::Relaxed);
    Ok(StepsV2 { id: prior.id })
}

#[test]
fn a_chain_stops_between_its_steps() {
    let (cancellation, steps) = (CancellationToken::new(), Arc::new(AtomicUsize::new(0)));
    let registry = Registry::new()
        .with::<StepsV2>()
        .with_client(Steps(Arc::clone(&steps), cancellation.clone()));
    let request =
        UpgradeRequest::json("example_steps", 0, br#"{"id":"a"}"#).with_cancellation(&cancellation);
    // The first step cancels, so the second one is not taken.
    assert!(
        registry
            .upgrade(&request)
            .into_result()
            .unwrap_err()
            .to_string()
            .contains("Upgrade Cancelled")
    );
    assert_eq!(steps.load(Ordering::Relaxed), 1);
    // Not even the first step is taken now, nor after a deadline.
    let late =
        UpgradeRequest::json("example_steps", 0, br#"{"id":"a"}"#).with_deadline(Instant::now());
    for (request, heading) in [(request, "Upgrade Cancelled"), (late, "Upgrade Timed Out")] {
        assert!(
            registry
                .upgrade(&request)
                .into_result()
                .unwrap_err()
                .to_string()
                .contains(heading)
        );
    }
    assert_eq!(steps.load(Ordering::Relaxed), 1);
    // State that is current needs no step.
    let request =
        UpgradeRequest::json("example_steps", 2, br#"{"id":"a"}"#).with_cancellation(&cancellation);
    assert!(registry.upgrade(&request).state().is_some());
}

#[test]
fn definitions_made_at_run_time_await_too() {
    let schema = |version| {
        Schema::new(
            version,
            Block::new([Attribute::new("name", Type::String, Presence::Optional)]),
        )
    };
    let definition = ResourceDefinition::builder("example_dynamic", schema(2))
        .unsupported(0..=u64::MAX)
        .upgrader(ClosureUpgrader::new(0, |value: Value, _| Ok::<_, Diagnostics>(value)).to(1))
        .upgrader(ClosureUpgrader::new_async(1, |mut value, context| {
            boxed(async move {
                let service: &Service = context.client().ok_or("no service")?;
                let members = value.as_map_mut().ok_or("no object")?;
                let name = service
                    .name(
                        members
                            .get("name")
                            .and_then(Value::as_str)
                            .unwrap_or_default(),
                    )
                    .await?;
                members.insert("name".to_owned(), name.into());
                Ok::<_, Diagnostics>(value)
            })
        }))
        .build()
        .unwrap();
    let (mut registry, _) = registry();
    registry.insert(definition);
    let request = UpgradeRequest::json("example_dynamic", 0, br#"{"name":"a"}"#);
    assert_eq!(
        state(&run(registry.upgrade_async(&request), 9).unwrap()),
        r#"{"name":"name of a"}"#
    );
    assert!(
        registry
            .upgrade(&request)
            .into_result()
            .unwrap_err()
            .to_string()
            .contains("is asynchronous")
    );
    let request = UpgradeRequest::json("example_dynamic", 1, br#"{"name":"panics"}"#);
    assert!(
        run(registry.upgrade_async(&request), 9)
            .unwrap()
            .into_result()
            .unwrap_err()
            .to_string()
            .contains("Upgrade Panicked")
    );
}

#[test]
fn clients_are_found_by_their_type_and_the_last_one_counts() {
    struct Seen;
    let schema = Schema::new(
        1,
        Block::new([Attribute::new("seen", Type::String, Presence::Optional)]),
    );
    let definition = ResourceDefinition::builder("example_seen", schema)
        .unsupported(0..=u64::MAX)
        .upgrader(ClosureUpgrader::new(0, |_: Value, context| {
            let suffix = context.client::<Suffix>().map_or("none", |suffix| suffix.0);
            assert!(context.client::<Seen>().is_some() && context.client::<String>().is_none());
            Ok::<_, Diagnostics>(Value::from_iter([("seen".to_owned(), Value::from(suffix))]))
        }))
        .build()
        .unwrap();
    let mut registry = Registry::new()
        .with_client(Suffix("first"))
        .with_client(Seen)
        .with_client(Suffix("second"));
    registry.insert(definition);
    assert_eq!(
        state(&registry.upgrade(&UpgradeRequest::json("example_seen", 0, b"{}"))),
        r#"{"seen":"second"}"#
    );
}

/// One field from the service, and what is upgraded beside it.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_filled", version = 2)]
#[upgrade_from(1 => 2,
    fill(id => name, with = name_of, async),
    each(convert(members: Vec<String>, with = name_of, async)),
    convert(port: Option<String>, empty = null),
    set(note = null),
    only_if(has(port), fill(port => note, with = name_of, async)),
    drop(legacy: Option<bool>, "nobody uses it"))]
#[upgrade_from(0 => 1, rename(key => id))]
struct Filled {
    id: String,
    name: String,
    members: Vec<String>,
    port: Option<u16>,
    note: Option<String>,
}

async fn name_of(id: String, context: &UpgradeContext<'_>) -> Result<String, Diagnostic> {
    let service: &Service = context
        .client()
        .ok_or_else(|| Diagnostic::error("No Service", "No service was given."))?;
    service
        .name(&id)
        .await
        .map_err(|problem| Diagnostic::error("Name Not Found", format!("{problem}.")))
}

fn fill(state: &str) -> (UpgradeResponse, usize) {
    let calls = Arc::new(AtomicUsize::new(0));
    let registry = Registry::new().with::<Filled>().with_client(Service {
        calls: Arc::clone(&calls),
    });
    let request = UpgradeRequest::json("example_filled", 0, state.as_bytes());
    let response = run(registry.upgrade_async(&request), 100).unwrap();
    (response, calls.load(Ordering::Relaxed))
}

#[test]
fn a_field_is_asked_for_beside_operators() {
    let (response, calls) =
        fill(r#"{"key":"a","members":["b","a","b"],"port":"80","legacy":true}"#);
    assert_eq!(
        state(&response),
        r#"{"id":"a","members":["name of b","name of a","name of b"],"name":"name of a","note":"name of 80","port":80}"#
    );
    assert_eq!(calls, 4, "an operator asks the same question once");
    assert_eq!(response.dropped().len(), 1, "{:?}", response.dropped());
    // Where a condition does not hold, nothing is asked.
    let (response, calls) = fill(r#"{"key":"a","members":[]}"#);
    assert_eq!(
        state(&response),
        r#"{"id":"a","members":[],"name":"name of a","note":null,"port":null}"#
    );
    assert_eq!(calls, 1);
}

#[test]
fn what_a_service_says_of_a_field_is_told() {
    let said = |state: &str| fill(state).0.into_result().unwrap_err().to_string();
    assert_eq!(
        said(r#"{"key":"unknown","members":[]}"#),
        "error: Name Not Found (at key)\nno thing is called \"unknown\". That is in the upgrade from schema version 1 to 2; id is made from \
         `key` of version 0.\n\n\
         Resource type example_filled, stored at schema version 0, current version 2."
    );
    assert!(said(r#"{"key":"panics","members":[]}"#).contains("error: Upgrade Panicked"));
    // What another operator refuses is found before anything is asked.
    let (response, calls) = fill(r#"{"key":"a","members":["b"],"port":"x"}"#);
    assert!(
        response
            .into_result()
            .unwrap_err()
            .to_string()
            .contains("\"x\"")
    );
    assert_eq!(calls, 0);
    let registry = Registry::new().with::<Filled>();
    let request = UpgradeRequest::json("example_filled", 0, br#"{"key":"a","members":[]}"#);
    assert!(
        registry
            .upgrade(&request)
            .into_result()
            .unwrap_err()
            .to_string()
            .contains("is asynchronous")
    );
    let without = run(registry.upgrade_async(&request), 9).unwrap();
    assert!(
        without
            .into_result()
            .unwrap_err()
            .to_string()
            .starts_with("error: No Service")
    );
}

#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_titled", version = 1)]
#[upgrade_from(0 => 1, fill(id => name, with = name_of, async))]
struct Titled {
    id: String,
    name: String,
}

#[test]
fn a_downgrade_asks_again_whether_anything_is_lost() {
    let (registry, calls) = registry();
    let registry = registry.with::<Titled>();
    let request =
        DowngradeRequest::json("example_titled", 1, 0, br#"{"id":"a","name":"name of a"}"#);
    let response = run(registry.downgrade_async(&request), 9).unwrap();
    assert_eq!(
        response.state(),
        Some(br#"{"id":"a"}"#.as_slice()),
        "{}",
        response.diagnostics()
    );
    assert_eq!(
        (response.losses().len(), calls.load(Ordering::Relaxed)),
        (0, 1)
    );

    let other = DowngradeRequest::json("example_titled", 1, 0, br#"{"id":"a","name":"mine"}"#);
    let response = run(registry.downgrade_async(&other), 9).unwrap();
    assert_eq!(response.state(), None);
    assert_eq!(response.losses()[0].to_string(), "name: \"mine\"");
    assert!(
        run(registry.downgrade_async(&other.allow_loss(true)), 9)
            .unwrap()
            .state()
            .is_some()
    );

    let refused = registry
        .downgrade(&request)
        .into_result()
        .unwrap_err()
        .to_string();
    assert!(
        refused
            .contains("here nothing can be awaited. Ask for it with `Registry::downgrade_async`"),
        "{refused}"
    );
    let history = Titled::HISTORY;
    let verdicts = history.verdicts(&history.steps()[0]);
    assert_eq!(verdicts.up.to_string(), "lossless");
    assert_eq!(
        verdicts.down.to_string(),
        "lossy: name (any value but the one that the function makes)"
    );
    assert!(history.awaits_from(0) && !history.awaits_from(1));
    assert_eq!(
        history
            .whole_upgrader(&history.steps()[0])
            .unwrap()
            .to_string(),
        "copy(id => name)\nconvert(name, with = an asynchronous function)"
    );
}

/// A document, of which one member is asked about.
#[derive(Debug, PartialEq, upstate::Document)]
#[document(type_name = "example.labelled", version = 1)]
#[upgrade_from(0 => 1, convert(name: String, with = name_of, async))]
struct Labelled {
    name: String,
    size: Extent,
}

#[derive(Debug, PartialEq, upstate::Document)]
struct Extent {
    width: u8,
}

#[test]
fn a_document_that_waits_reports_what_no_schema_defines() {
    let (registry, _) = registry();
    let registry = registry.with::<Labelled>();
    let stored = br#"{"name":"a","size":{"width":1,"odd":2},"odd":3}"#;
    let request = UpgradeRequest::json("example.labelled", 0, stored);
    let response = run(registry.upgrade_async(&request), 9).unwrap();
    let undefined: Vec<String> = response
        .undefined()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(undefined, ["size.odd", "odd"]);
    assert_eq!(
        state(&response),
        r#"{"name":"name of a","size":{"width":1}}"#
    );
}

/// A function that asks about two fields, one of which is gone.
#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_asked", version = 1)]
#[upgrade_from(0 => 1, convert(owner: Option<String>, id => name, with = name_of_both, async))]
struct Asked {
    id: String,
    name: Option<String>,
}

async fn name_of_both(
    owner: String,
    id: String,
    context: &UpgradeContext<'_>,
) -> Result<String, Diagnostic> {
    Ok(format!("{owner}'s {}", name_of(id, context).await?))
}

#[test]
fn a_service_is_asked_about_several_fields() {
    let (registry, calls) = registry();
    let registry = registry.with::<Asked>();
    let upgraded = |state: &str| {
        let response = run(
            registry.upgrade_async(&UpgradeRequest::json("example_asked", 0, state.as_bytes())),
            9,
        )
        .unwrap();
        response
            .into_result()
            .map(|state| String::from_utf8(state).unwrap())
            .map_err(|errors| errors.to_string())
    };
    assert_eq!(
        upgraded(r#"{"owner":"o","id":"a"}"#).unwrap(),
        r#"{"id":"a","name":"o's name of a"}"#
    );
    assert_eq!(
        upgraded(r#"{"owner":null,"id":"a"}"#).unwrap(),
        r#"{"id":"a","name":null}"#
    );
    assert_eq!(
        calls.load(Ordering::Relaxed),
        1,
        "nothing is asked where nothing is made"
    );
    let refused = upgraded(r#"{"owner":"o","id":"unknown"}"#).unwrap_err();
    assert!(
        refused.starts_with("error: Name Not Found (at name)"),
        "{refused}"
    );
    let refused = registry.upgrade(&UpgradeRequest::json(
        "example_asked",
        0,
        br#"{"owner":"o","id":"a"}"#,
    ));
    assert!(
        refused
            .into_result()
            .unwrap_err()
            .to_string()
            .contains("is asynchronous")
    );
}

/// What a server shares between its tasks, and what it awaits, goes from thread to thread.
#[test]
fn what_is_shared_is_send_and_sync() {
    const fn shared<T: Send + Sync>() {}
    fn sent<T: Send>(_: &T) {}
    const {
        shared::<Registry>();
        shared::<ResourceDefinition>();
        shared::<UpgradeResponse>();
        shared::<CancellationToken>();
        shared::<Diagnostics>();
        shared::<upstate::DecodeError>();
        shared::<Value>();
    }
    let (registry, request) = (
        Registry::new(),
        UpgradeRequest::json("example_thing", 0, b"{}"),
    );
    sent(&registry.upgrade_async(&request));
}
