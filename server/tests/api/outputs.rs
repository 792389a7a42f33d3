//! SV-70 to SV-74: outputs.

use serde_json::{Value, json};

use crate::world::{Client, State, World};

const STATE: &str = r#"{"version":4,"serial":1,"lineage":"l","outputs":{
    "big":{"value":123456789012345678901234567890,"type":"number"},
    "list":{"value":["a",{"b":null}],"type":["tuple",["string",["object",{"b":"string"}]]]},
    "map":{"value":{},"type":["map","string"]},
    "none":{"value":null,"type":"string"},
    "password":{"value":"s3cret","type":"string","sensitive":true},
    "yes":{"value":true,"type":"bool"}},"resources":[]}"#;

async fn written(ann: &Client<'_>) -> (String, String) {
    let id = ann.locked("net").await;
    let version = ann.stored(&id, &State::of(1, "l", STATE)).await;
    (id, version)
}

#[tokio::test]
async fn lists_hide_what_is_sensitive_and_one_shows_it() {
    let world = World::new().await;
    let ann = world.owner().await;
    let (id, version) = written(&ann).await;
    for path in [
        format!("/api/v2/state-versions/{version}/outputs"),
        format!("/api/v2/workspaces/{id}/current-state-version-outputs"),
        format!("/api/v2/state-versions/{version}?include=outputs"),
    ] {
        let answer = ann.get(&path).await.expect(200);
        let text = String::from_utf8(answer.bytes.to_vec()).expect("text");
        assert!(!text.contains("s3cret"), "{path}");
        // Every digit is there.
        assert!(
            text.contains("\"value\":123456789012345678901234567890,"),
            "{text}"
        );
        let json = answer.json();
        let outputs = if json["included"].is_array() {
            &json["included"]
        } else {
            &json["data"]
        };
        let kinds: Vec<(&str, &str)> = outputs
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| {
                (
                    one["attributes"]["name"].as_str().expect("a name"),
                    one["attributes"]["type"].as_str().expect("a type"),
                )
            })
            .collect();
        let expected = [
            ("big", "number"),
            ("list", "array"),
            ("map", "object"),
            ("none", "string"),
            ("password", "string"),
            ("yes", "bool"),
        ];
        assert_eq!(kinds, expected);
        for output in outputs.as_array().expect("a list") {
            let names: Vec<&String> = output["attributes"]
                .as_object()
                .expect("attributes")
                .keys()
                .collect();
            assert_eq!(
                names,
                ["detailed-type", "name", "sensitive", "type", "value"]
            );
        }
        assert_eq!(
            outputs[1]["attributes"]["detailed-type"],
            json!(["tuple", ["string", ["object", { "b": "string" }]]])
        );
        assert_eq!(
            (
                &outputs[4]["attributes"]["value"],
                &outputs[4]["attributes"]["sensitive"]
            ),
            (&Value::Null, &json!(true))
        );
        let secret = outputs[4]["id"].as_str().expect("an id");
        let shown = ann
            .attributes(&format!("/api/v2/state-version-outputs/{secret}"))
            .await;
        assert_eq!(shown["value"], "s3cret");
    }
    let second = ann
        .json(&format!(
            "/api/v2/state-versions/{version}/outputs?page[size]=4&page[number]=2"
        ))
        .await;
    assert_eq!(
        (
            second["data"].as_array().map(Vec::len),
            &second["meta"]["pagination"]["total-count"]
        ),
        (Some(2), &json!(6))
    );
}

#[tokio::test]
async fn outputs_alone_may_be_read() {
    let world = World::new().await;
    let ann = world.owner().await;
    let (id, version) = written(&ann).await;
    let viewer = world.user("vic", "read-outputs").await;
    let listed = viewer
        .json(&format!(
            "/api/v2/workspaces/{id}/current-state-version-outputs"
        ))
        .await;
    let output = listed["data"][4]["id"].as_str().expect("an id").to_owned();
    viewer
        .get(&format!("/api/v2/state-version-outputs/{output}"))
        .await
        .expect(200);
    viewer.current(&id).await.refused(403, "read-state");
    viewer
        .get(&format!("/api/v2/state-versions/{version}"))
        .await
        .refused(403, "read-state");
    let locker = world.user("lou", "lock").await;
    locker
        .get(&format!("/api/v2/state-version-outputs/{output}"))
        .await
        .refused(403, "read-outputs");
    let stranger = world.token("zoe", "other", "read-state,read-outputs").await;
    world
        .client(&stranger)
        .get(&format!("/api/v2/state-version-outputs/{output}"))
        .await
        .refused(404, "not found");
    ann.get("/api/v2/state-version-outputs/wsout-none")
        .await
        .refused(404, "not found");
}

/// The requests of the data source `tfe_outputs`, and of the ephemeral resource: the workspace with
/// its outputs, and then each output that is sensitive.
#[tokio::test]
async fn tfe_outputs_reads_every_value_with_the_permission_for_outputs() {
    let world = World::new().await;
    let ann = world.owner().await;
    let (id, _) = written(&ann).await;
    let viewer = world.user("vic", "read-outputs").await;
    viewer.get("/api/v2/ping").await.expect(204);
    let named = "/api/v2/organizations/acme/workspaces/net?include=outputs";
    for path in [named, &format!("/api/v2/workspaces/{id}?include=outputs")] {
        let answer = viewer.get(path).await.expect(200);
        let text = String::from_utf8(answer.bytes.to_vec()).expect("text");
        assert!(!text.contains("s3cret"), "{text}");
        assert!(
            text.contains("\"value\":123456789012345678901234567890,"),
            "{text}"
        );
        let json = answer.json();
        let related = &json["data"]["relationships"]["outputs"]["data"];
        let (related, included) = (
            related.as_array().expect("a list"),
            json["included"].as_array().expect("a list"),
        );
        assert_eq!((related.len(), included.len()), (6, 6));
        let mut values = serde_json::Map::new();
        for (related, output) in related.iter().zip(included) {
            // go-tfe takes no other type here, and finds each by its id.
            assert_eq!(output["type"], "workspace-outputs");
            assert_eq!(
                (&related["type"], &related["id"]),
                (&output["type"], &output["id"])
            );
            let of = &output["attributes"];
            let name = of["name"].as_str().expect("a name").to_owned();
            assert!(of["output-type"].is_string(), "{output}");
            let value = if of["sensitive"] == true {
                assert_eq!(of["value"], Value::Null);
                let id = output["id"].as_str().expect("an id");
                let path = format!("/api/v2/state-version-outputs/{id}");
                viewer.attributes(&path).await["value"].clone()
            } else {
                of["value"].clone()
            };
            values.insert(name, value);
        }
        values.remove("big").expect("a number");
        assert_eq!(
            Value::from(values),
            json!({
                "list": ["a", { "b": null }], "map": {}, "none": null, "password": "s3cret", "yes": true,
            })
        );
    }
    // None would be taken for all that there are.
    ann.get("/api/v2/organizations/acme/workspaces?include=outputs")
        .await
        .refused(400, "Invalid include parameter");
    let locker = world.user("lou", "lock").await;
    locker.get(named).await.refused(403, "read-outputs");
    ann.workspace("empty").await;
    let empty = "/api/v2/organizations/acme/workspaces/empty?include=outputs";
    let empty = locker.json(empty).await;
    assert_eq!(
        (
            &empty["data"]["relationships"]["outputs"]["data"],
            &empty["included"]
        ),
        (&json!([]), &json!([]))
    );
}

#[tokio::test]
async fn a_workspace_without_state_has_no_outputs() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.workspace("net").await;
    ann.get(&format!(
        "/api/v2/workspaces/{id}/current-state-version-outputs"
    ))
    .await
    .refused(404, "has no state yet");
}

/// Section 8, 7: a rollback's outputs are its own.
#[tokio::test]
async fn a_rollback_has_outputs_of_its_own() {
    let world = World::new().await;
    let ann = world.owner().await;
    let (id, version) = written(&ann).await;
    let back = ann.rollback(&id, &version).await.expect(201);
    let ids = async |version: &str| {
        let listed = ann
            .json(&format!("/api/v2/state-versions/{version}/outputs"))
            .await;
        listed["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one["id"].clone())
            .collect::<Vec<_>>()
    };
    let (old, new) = (ids(&version).await, ids(&back.id()).await);
    assert_eq!((old.len(), new.len()), (6, 6));
    assert!(old.iter().all(|id| !new.contains(id)));
}
