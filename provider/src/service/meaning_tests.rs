//! Values that can be written in several ways.

use bytes::Bytes;
use upstate::codec::UnknownAttributes;
use upstate::meaning::{IgnoreCase, JsonText};
use upstate::{Diagnostics, Object, Resource, Value};

use super::tests::{in_msgpack, with_configuration};
use super::*;
use crate::proto::{ApplyResourceChangeRequest, PlanResourceChangeRequest, ReadResourceRequest};
use crate::{Context, ManagedResource, Provider};

#[derive(Object)]
struct Config {}

#[derive(Debug, Clone, Resource)]
#[resource(type_name = "test_policy", version = 0)]
struct Policy {
    #[attribute(computed)]
    id: String,
    #[attribute(as_string)]
    json: JsonText,
    #[attribute(as_string, requires_replace)]
    kind: Option<IgnoreCase>,
    rules: Option<Vec<Rule>>,
    #[attribute(set)]
    set: Option<Vec<Rule>>,
    #[block]
    part: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Rule {
    #[attribute(as_string)]
    name: IgnoreCase,
    size: Option<i64>,
}

impl ManagedResource for Policy {
    type Client = ();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(Self {
            id: "p".to_owned(),
            ..plan
        })
    }

    /// Answers as an API would that writes everything in its own way.
    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

async fn service() -> Service {
    let provider =
        Provider::new("example.com/test/test", async |_: Config| Ok(())).with::<Policy>();
    with_configuration(Service::new(provider.parts)).await
}

const PRIOR: &str = r#"{"id": "p", "json": "{\"a\": 1}", "kind": "Big", "rules": [{"name": "One", "size": 1}, {"name": "Two"}],
    "set": [{"name": "One"}], "part": [{"name": "One"}]}"#;

fn value(json: &str) -> Value {
    Value::from_json(
        json.as_bytes(),
        &Policy::schema().implied_type(),
        UnknownAttributes::Deny,
    )
    .unwrap()
}

fn sent(value: &Value) -> Option<DynamicValue> {
    in_msgpack(value, Policy::schema())
}

/// The plan for this configuration, and whether the resource is replaced.
async fn planned(config: &str) -> (Value, bool) {
    let config = value(config);
    let mut proposed = config.clone();
    proposed
        .as_map_mut()
        .unwrap()
        .insert("id".to_owned(), "p".into());
    let request = PlanResourceChangeRequest {
        type_name: "test_policy".to_owned(),
        prior_state: sent(&value(PRIOR)),
        proposed_new_state: sent(&proposed),
        config: sent(&config),
        ..PlanResourceChangeRequest::default()
    };
    let response = service().await.plan(request).await;
    assert_eq!(response.diagnostics, []);
    let planned = Value::from_msgpack(
        &response.planned_state.unwrap().msgpack,
        &Policy::schema().implied_type(),
    )
    .unwrap();
    (planned, !response.requires_replace.is_empty())
}

#[tokio::test]
async fn what_means_the_same_plans_nothing() {
    let same = r#"{"json": "{\"a\":1.0}", "kind": "BIG", "rules": [{"name": "ONE", "size": 1}, {"name": "two"}],
        "set": [{"name": "ONE"}], "part": [{"name": "ONE"}]}"#;
    assert_eq!(planned(same).await, (value(PRIOR), false));
}

#[tokio::test]
async fn an_unchanged_value_is_planned_afresh() {
    let prior = sent(&value(PRIOR)).unwrap().msgpack;
    let at = prior
        .windows(5)
        .position(|bytes| bytes == b"\xa2id\xa1p")
        .unwrap();
    // With the id in a longer form than it needs, so that it shows that the state is not given back
    // as bytes.
    let longer = [&prior[..at], b"\xa2id\xd9\x01p", &prior[at + 5..]].concat();
    let state = Some(DynamicValue {
        msgpack: longer.into(),
        json: Bytes::new(),
    });
    let request = PlanResourceChangeRequest {
        type_name: "test_policy".to_owned(),
        prior_state: state.clone(),
        proposed_new_state: sent(&value(PRIOR)),
        config: sent(&value(&PRIOR.replace(r#""id": "p", "#, ""))),
        ..PlanResourceChangeRequest::default()
    };
    for proposed_new_state in [request.proposed_new_state.clone(), state.clone()] {
        let response = service()
            .await
            .plan(PlanResourceChangeRequest {
                proposed_new_state,
                ..request.clone()
            })
            .await;
        assert_eq!(
            (response.planned_state, response.diagnostics),
            (sent(&value(PRIOR)), Vec::new())
        );
    }
}

#[tokio::test]
async fn what_changes_is_as_it_is_configured_and_the_rest_as_it_was() {
    let config = PRIOR.replace(r#""id": "p", "#, "");
    let change = async |from: &str, to: &str| {
        assert!(config.contains(from));
        let (planned, anew) = planned(&config.replace(from, to)).await;
        let mut expected = value(&PRIOR.replace(from, to));
        assert_eq!(
            expected.as_map_mut().unwrap().remove("id"),
            Some("p".into())
        );
        let mut planned = planned;
        planned.as_map_mut().unwrap().remove("id");
        (planned == expected, anew)
    };
    assert_eq!(change(r#""Big""#, r#""Small""#).await, (true, true));
    assert_eq!(
        change(r#""kind": "Big", "#, r#""kind": null, "#).await,
        (true, true)
    );
    assert_eq!(change(r#""size": 1"#, r#""size": 2"#).await, (true, false));
    // One more, which shows the others as they are configured only where they are meant otherwise.
    let (planned, _) = planned(&config.replace(
        r#"{"name": "Two"}"#,
        r#"{"name": "TWO"}, {"name": "Three"}"#,
    ))
    .await;
    assert_eq!(
        planned.as_map().unwrap()["rules"],
        value(&PRIOR.replace(
            r#"{"name": "Two"}"#,
            r#"{"name": "Two"}, {"name": "Three"}"#
        ))
        .as_map()
        .unwrap()["rules"]
    );
}

#[tokio::test]
async fn answers_keep_the_letters() {
    let request = ReadResourceRequest {
        type_name: "test_policy".to_owned(),
        current_state: sent(&value(PRIOR)),
        ..ReadResourceRequest::default()
    };
    assert_eq!(
        service().await.read(request).await.new_state,
        sent(&value(PRIOR))
    );
    let mut unknown = value(PRIOR);
    unknown
        .as_map_mut()
        .unwrap()
        .insert("id".to_owned(), Value::Unknown);
    let request = ApplyResourceChangeRequest {
        type_name: "test_policy".to_owned(),
        planned_state: sent(&unknown),
        config: sent(&value(PRIOR)),
        ..ApplyResourceChangeRequest::default()
    };
    let created = service().await.apply(request).await;
    assert_eq!(
        (created.new_state, created.diagnostics),
        (sent(&value(PRIOR)), Vec::new())
    );
}
