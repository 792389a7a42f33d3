//! SV-30 to SV-43: what is asked of a new version.

use serde_json::{Value, json};

use upstate_server::__internal::model::{Status, WorkspaceId};
use upstate_server::__internal::store::Page;

use crate::world::{State, World, text};

#[tokio::test]
async fn a_new_version_is_current_and_says_what_it_holds() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let state = State::of(
        1,
        "l",
        r#"{"version":4,"terraform_version":"1.15.5","serial":1,"lineage":"l","outputs":{},"resources":[
            {"mode":"managed","type":"null_resource","name":"a","provider":"provider[\"registry.terraform.io/hashicorp/null\"]",
             "instances":[{"index_key":0,"schema_version":0,"attributes":{}},{"index_key":1,"schema_version":0,"attributes":{}}]},
            {"module":"module.m","mode":"data","type":"aws_ami","name":"b","provider":"provider[\"registry.terraform.io/hashicorp/aws\"]",
             "instances":[{"schema_version":0,"attributes":{}}]}]}"#,
    );
    let mut request = state.inline();
    request["data"]["relationships"] =
        json!({ "run": { "data": { "type": "runs", "id": "run-abc" } } });
    request["data"]["attributes"]["json-state"] = json!("e30=");
    let created = ann
        .post(&format!("/api/v2/workspaces/{id}/state-versions"), &request)
        .await
        .expect(201);
    assert_eq!(
        created.header("content-type"),
        Some("application/vnd.api+json")
    );
    assert_eq!(created.header("x-terraform-snapshot-interval"), Some("20"));
    let attributes = created.attributes();
    let expected = [
        ("serial", json!(1)),
        ("lineage", json!("l")),
        ("md5", json!(state.md5())),
        ("size", json!(state.bytes.len())),
        ("state-version", json!(4)),
        ("terraform-version", json!("1.15.5")),
        ("status", json!("finalized")),
        ("intermediate", json!(false)),
        ("resources-processed", json!(true)),
        (
            "modules",
            json!({ "root": { "null-resource": 2 }, "module.m": { "data.aws-ami": 1 } }),
        ),
        ("vcs-commit-sha", Value::Null),
        ("vcs-commit-url", Value::Null),
    ];
    for (name, value) in expected {
        assert_eq!(attributes[name], value, "{name}");
    }
    assert_eq!(
        attributes["providers"]["provider[\"registry.terraform.io/hashicorp/aws\"]"]["data.aws-ami"],
        1
    );
    assert_eq!(attributes["resources"][1]["type"], "data.aws_ami");
    assert_eq!(
        attributes["resources"][0],
        json!({
            "name": "a", "type": "null_resource", "count": 2, "module": "root",
            "provider": "provider[\"registry.terraform.io/hashicorp/null\"]",
        })
    );
    let relationships = created.json()["data"]["relationships"].clone();
    assert_eq!(
        relationships["run"]["data"],
        json!({ "id": "run-abc", "type": "runs" })
    );
    assert_eq!(
        relationships["workspace"]["data"],
        json!({ "id": id, "type": "workspaces" })
    );
    assert_eq!(ann.current(&id).await.expect(200).id(), created.id());
    let url = text(&created.attributes()["hosted-json-state-download-url"]);
    assert_eq!(&world.nobody().get(&url).await.expect(200).bytes[..], b"{}");
}

/// SV-31, SV-40: the messages that people search for.
#[tokio::test]
async fn who_does_not_hold_the_lock_does_not_write() {
    let world = World::new().await;
    let (ann, bob) = (
        world.owner().await,
        world.user("bob", "read-state,write-state,lock").await,
    );
    let id = ann.workspace("net").await;
    let state = State::new(1, "l", "a");
    let says = "This workspace is not locked and will only accept state uploads when locked";
    ann.create(&id, &state).await.refused(409, says);
    ann.begin(&id, &state).await.refused(409, says);
    ann.rollback(&id, "sv-x").await.refused(409, says);
    bob.lock(&id).await.expect(200);
    ann.create(&id, &state)
        .await
        .refused(409, "locked by User bob");
    assert!(ann.versions("net").await.is_empty());
}

/// SV-32 to SV-37, SV-40: 422 says which member is wrong, and nothing is stored.
#[tokio::test]
async fn a_wrong_member_is_named() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let path = format!("/api/v2/workspaces/{id}/state-versions");
    let state = State::new(3, "l", "a");
    let with = |name: &str, value: Value| {
        let mut request = state.inline();
        request["data"]["attributes"][name] = value;
        request
    };
    let without = |name: &str| {
        let mut request = state.inline();
        request["data"]["attributes"]
            .as_object_mut()
            .expect("attributes")
            .remove(name);
        request
    };
    let mut other_type = state.inline();
    other_type["data"]["type"] = json!("workspaces");
    let mut no_type = state.inline();
    no_type["data"]
        .as_object_mut()
        .expect("data")
        .remove("type");
    let cases = [
        (json!({}), "/data", "no data of type \"state-versions\""),
        (json!({ "data": null }), "/data", "no data of type"),
        (json!({ "data": [] }), "/data", "must be a resource object"),
        (json!({ "data": 7 }), "/data", "must be a resource object"),
        (
            other_type,
            "/data/type",
            "must be \"state-versions\", found \"workspaces\"",
        ),
        (no_type, "/data/type", "is missing"),
        (
            without("serial"),
            "/data/attributes/serial",
            "param is missing or the value is empty: serial",
        ),
        (
            with("serial", json!("3")),
            "/data/attributes/serial",
            "must be a whole number",
        ),
        (
            with("serial", json!(3.5)),
            "/data/attributes/serial",
            "must be a whole number",
        ),
        (
            with("serial", json!(-1)),
            "/data/attributes/serial",
            "0 or greater",
        ),
        (
            with("serial", json!(4)),
            "/data/attributes/serial",
            "is not that of the state, which has serial 3",
        ),
        (
            without("md5"),
            "/data/attributes/md5",
            "param is missing or the value is empty: md5",
        ),
        (
            with("md5", json!("x")),
            "/data/attributes/md5",
            "32 hexadecimal digits",
        ),
        (
            with("md5", json!("0".repeat(32))),
            "/data/attributes/md5",
            "The MD5 of the state is",
        ),
        (
            with("lineage", json!(5)),
            "/data/attributes/lineage",
            "must be a string",
        ),
        (
            with("lineage", json!("m")),
            "/data/attributes/lineage",
            "is not that of the state, which has l",
        ),
        (
            with("state", json!("%%%")),
            "/data/attributes/state",
            "is not base64",
        ),
        (
            with("state", json!(1)),
            "/data/attributes/state",
            "a string in base64",
        ),
        (
            with("state", Value::Null),
            "/data/attributes/state",
            "state is null",
        ),
        (
            with("json-state", json!("bm90IGpzb24=")),
            "/data/attributes/json-state",
            "is not JSON",
        ),
        (
            with("json-state-outputs", json!("W10=")),
            "/data/attributes/json-state-outputs",
            "cannot be read",
        ),
        (
            with("force", json!("yes")),
            "/data/attributes/force",
            "true or false",
        ),
    ];
    for (request, pointer, says) in cases {
        let answer = ann.post(&path, &request).await.refused(422, says);
        assert_eq!(
            answer.json()["errors"][0]["source"]["pointer"],
            pointer,
            "{says}"
        );
    }
    let mut run = state.inline();
    run["data"]["relationships"] = json!({ "run": { "data": { "type": "runs", "id": "a/b" } } });
    ann.post(&path, &run)
        .await
        .refused(422, "none of them / or space");
    assert!(ann.versions("net").await.is_empty());
    // Padding must not lose a state.
    let unpadded = with("state", json!(state.base64().trim_end_matches('=')));
    ann.post(&path, &unpadded).await.expect(201);
}

#[tokio::test]
async fn a_state_that_is_none_is_refused() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    for (text, says) in [
        ("", "The state is empty"),
        (
            "not json: s3cret",
            "The state has no serial: the state is not a JSON object (line 1, column 2)",
        ),
        ("[1]", "not a JSON object"),
        ("{\"version\":4,\"serial\":-4}", "must be a whole number"),
        ("{\"version\":4,\"serial\":1e3}", "must be a whole number"),
        (
            "{\"version\":4,\"serial\":18446744073709551615}",
            "is not a whole number",
        ),
    ] {
        let reported = ann
            .create(&id, &State::of(1, "", text))
            .await
            .refused(422, says)
            .detail();
        assert!(!reported.contains("s3cret"), "{reported}");
    }
    let wide = State::of(0, "", "\u{feff}{}");
    ann.create(&id, &wide)
        .await
        .refused(422, "not a JSON object");
    assert!(ann.versions("net").await.is_empty());
}

/// SV-41, SV-42: gaps are normal, the first may be any, and what does not follow is refused.
#[tokio::test]
async fn serials_rise_and_lineage_stays() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.create(&id, &State::new(7, "l", "a")).await.expect(201);
    ann.create(&id, &State::new(12, "l", "b")).await.expect(201);
    ann.create(&id, &State::new(12, "l", "c"))
        .await
        .refused(409, "The MD5 hash of the state provided does not match");
    ann.create(&id, &State::new(11, "l", "c")).await.refused(
        409,
        "is not greater than the serial currently known remotely",
    );
    let reported = ann
        .create(&id, &State::new(13, "m", "c"))
        .await
        .refused(409, "The lineage provided in the state file")
        .json();
    assert_eq!(reported["errors"][0]["title"], "Conflict");
    assert_eq!(ann.versions("net").await.len(), 2);
}

/// SV-36: very old states have no lineage, and then none is compared.
#[tokio::test]
async fn a_missing_lineage_is_not_compared() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let without = |serial: i64| {
        State::of(
            serial,
            "",
            &format!("{{\"version\":4,\"serial\":{serial}}}"),
        )
    };
    ann.create(&id, &without(1)).await.expect(201);
    let second = ann.create(&id, &State::new(2, "l", "a")).await.expect(201);
    assert_eq!(second.attributes()["lineage"], "l");
    ann.create(&id, &without(3)).await.expect(201);
    // The file says which lineage it is, if the request does not.
    let mut silent = State::new(4, "m", "b").inline();
    silent["data"]["attributes"]
        .as_object_mut()
        .expect("attributes")
        .remove("lineage");
    let created = ann
        .post(&format!("/api/v2/workspaces/{id}/state-versions"), &silent)
        .await
        .expect(201);
    assert_eq!(created.attributes()["lineage"], "m");
}

/// SV-34: other implementations do not compare a request with its file; a setting makes this one do
/// the same.
#[tokio::test]
async fn metadata_may_be_relaxed() {
    let conduct = upstate_server::__internal::service::Conduct {
        strict_metadata: false,
        ..Default::default()
    };
    let world = World::with(conduct).await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let mut other = State::new(5, "8094", "a");
    (other.serial, other.lineage) = (1, "741c".to_owned());
    let created = ann.create(&id, &other).await.expect(201).attributes();
    assert_eq!(
        (&created["serial"], &created["lineage"]),
        (&json!(1), &json!("741c"))
    );
    // The bytes are still what was declared, and never nothing.
    let mut wrong = State::new(2, "741c", "b").inline();
    wrong["data"]["attributes"]["md5"] = json!("0".repeat(32));
    ann.post(&format!("/api/v2/workspaces/{id}/state-versions"), &wrong)
        .await
        .refused(422, "MD5");
    ann.create(&id, &State::of(2, "741c", ""))
        .await
        .refused(422, "The state is empty");
}

/// Section 8, 5: what cannot be read is kept, and says why there is nothing to show.
#[tokio::test]
async fn what_cannot_be_read_is_kept_verbatim() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let old = State::of(
        1,
        "l",
        "{\"version\":3,\"serial\":1,\"lineage\":\"l\",\"modules\":[]}",
    );
    let created = ann.create(&id, &old).await.expect(201);
    let attributes = created.attributes();
    assert_eq!(
        (
            &attributes["resources-processed"],
            &attributes["state-version"]
        ),
        (&json!(true), &json!(3))
    );
    assert_eq!(
        (&attributes["modules"], &attributes["resources"]),
        (&json!({}), &json!([]))
    );
    assert_eq!(
        attributes["unreadable"],
        "the state has format version 3; only version 4 is read"
    );
    assert_eq!(ann.bytes(&created.id()).await, old.bytes);
    // Outputs that came beside what cannot be read are shown.
    let secret = State::of(
        2,
        "l",
        "{\"serial\":2,\"lineage\":\"l\",\"encrypted_data\":\"AAAA\",\"encryption_version\":\"v0\"}",
    );
    let mut request = secret.inline();
    let outputs = State::of(
        0,
        "",
        "{\"o\":{\"sensitive\":true,\"type\":\"string\",\"value\":\"v\"}}",
    )
    .base64();
    request["data"]["attributes"]["json-state-outputs"] = json!(outputs);
    let created = ann
        .post(&format!("/api/v2/workspaces/{id}/state-versions"), &request)
        .await
        .expect(201);
    assert_eq!(
        created.attributes()["unreadable"],
        "the state is encrypted by OpenTofu"
    );
    let listed = ann
        .json(&format!("/api/v2/state-versions/{}/outputs", created.id()))
        .await;
    assert_eq!(listed["data"][0]["attributes"]["name"], "o");
    // So they are where its bytes come later, and nobody sees them before.
    let later = State::of(
        3,
        "l",
        "{\"serial\":3,\"lineage\":\"l\",\"encrypted_data\":\"BBBB\",\"encryption_version\":\"v0\"}",
    );
    let mut request = later.request();
    request["data"]["attributes"]["json-state-outputs"] = json!(outputs);
    let path = format!("/api/v2/workspaces/{id}/state-versions");
    let waits = ann.post(&path, &request).await.expect(201);
    assert_eq!(
        waits.json()["data"]["relationships"]["outputs"]["data"],
        json!([])
    );
    ann.get(&format!("/api/v2/state-versions/{}/outputs", waits.id()))
        .await
        .refused(404, "not uploaded yet");
    ann.put(
        &text(&waits.attributes()["hosted-state-upload-url"]),
        &later.bytes,
    )
    .await
    .expect(200);
    let listed = ann
        .json(&format!(
            "/api/v2/workspaces/{id}/current-state-version-outputs"
        ))
        .await;
    assert_eq!(listed["data"][0]["attributes"]["name"], "o");
    // A state that can be read says itself which outputs it has; of one that never came nothing is
    // left.
    let readable = State::new(4, "l", "a");
    let mut request = readable.request();
    request["data"]["attributes"]["json-state-outputs"] = json!(outputs);
    let waits = ann.post(&path, &request).await.expect(201);
    ann.put(
        &text(&waits.attributes()["hosted-state-upload-url"]),
        &readable.bytes,
    )
    .await
    .expect(200);
    let listed = ann
        .json(&format!("/api/v2/state-versions/{}/outputs", waits.id()))
        .await;
    assert_eq!(
        (&listed["data"][0]["attributes"]["name"], &listed["data"][1]),
        (&json!("value"), &Value::Null)
    );
    let mut request = State::new(5, "l", "a").request();
    request["data"]["attributes"]["json-state-outputs"] = json!(outputs);
    ann.post(&path, &request).await.expect(201);
    ann.force_unlock(&id).await.expect(200);
    let (store, all) = (world.service.store(), Page { number: 1, size: 9 });
    let workspace = WorkspaceId::from_text(id.clone());
    let discarded = store
        .versions(&workspace, &[Status::Discarded], all)
        .await
        .expect("a store")
        .items
        .remove(0);
    let left = store.outputs(&discarded.id, all).await.expect("a store");
    assert_eq!(left.total, 0);
    ann.lock(&id).await.expect(200);
    // A rollback to a state that cannot be read has its outputs.
    let third = State::of(
        6,
        "l",
        "{\"version\":3,\"serial\":6,\"lineage\":\"l\",\"modules\":[]}",
    );
    let mut request = third.inline();
    request["data"]["attributes"]["json-state-outputs"] = json!(outputs);
    let old_form = ann.made(&path, &request).await;
    let back = ann.rollback(&id, &old_form).await.expect(201).id();
    let listed = ann
        .json(&format!("/api/v2/state-versions/{back}/outputs"))
        .await;
    assert_eq!(listed["data"][0]["attributes"]["name"], "o");
    // What the server cannot rewrite it does not roll back to.
    ann.rollback(&id, &created.id())
        .await
        .refused(409, "it is encrypted");
    ann.create(&id, &State::new(8, "l", "a")).await.expect(201);
    assert_eq!(ann.versions("net").await.len(), 8);
}

/// SV-43: one version waits at a time.
#[tokio::test]
async fn another_pending_version_takes_the_place_of_the_first() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let (one, other) = (State::new(1, "l", "a"), State::new(1, "l", "b"));
    let first = ann.begin(&id, &one).await.expect(201);
    assert_eq!(ann.begin(&id, &one).await.expect(201).id(), first.id());
    let second = ann.begin(&id, &other).await.expect(201);
    assert_ne!(second.id(), first.id());
    let shown = ann
        .get(&format!("/api/v2/state-versions/{}", first.id()))
        .await
        .attributes();
    assert_eq!(shown["status"], "discarded");
    ann.put(
        &text(&first.attributes()["hosted-state-upload-url"]),
        &one.bytes,
    )
    .await
    .refused(409, "was discarded");
    ann.put(
        &text(&second.attributes()["hosted-state-upload-url"]),
        &other.bytes,
    )
    .await
    .expect(200);
    assert_eq!(ann.current(&id).await.id(), second.id());
    // With its bytes at once, a version that waits gets them.
    let third = ann
        .begin(&id, &State::new(2, "l", "c"))
        .await
        .expect(201)
        .id();
    assert_eq!(
        ann.create(&id, &State::new(2, "l", "c"))
            .await
            .expect(201)
            .id(),
        third
    );
    ann.unlock(&id).await.expect(200);
}

/// SV-03: the page says 404 to organization tokens.
#[tokio::test]
async fn organization_tokens_do_not_write() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let (organization, _) = world
        .service
        .ensure_organization("test", "acme")
        .await
        .expect("an organization");
    let owner = upstate_server::__internal::service::TokenFor::Organization(organization.id);
    let token = world
        .service
        .create_token("test", owner, "", None, None)
        .await
        .expect("a token")
        .secret;
    let org = world.client(&token);
    org.create(&id, &State::new(1, "l", "a"))
        .await
        .refused(404, "Organization tokens cannot create");
    let head = ann.stored(&id, &State::new(1, "l", "a")).await;
    org.rollback(&id, &head)
        .await
        .refused(404, "Organization tokens cannot create");
    org.current(&id).await.expect(200);
    org.lock(&id).await.refused(403, "permission lock");
}
