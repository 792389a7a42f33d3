//! SV-60 to SV-64: going back.

use serde_json::json;

use crate::world::{State, World};

#[tokio::test]
async fn a_rollback_is_a_version_like_any_other() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let mut with_json = State::new(1, "l", "a").inline();
    with_json["data"]["attributes"]["json-state"] = json!("eyJhIjoxfQ==");
    let path = format!("/api/v2/workspaces/{id}/state-versions");
    let first = ann.made(&path, &with_json).await;
    let second = ann.stored(&id, &State::new(2, "l", "b")).await;
    let back = ann.rollback(&id, &first).await.expect(201);
    assert_eq!(ann.current(&id).await.id(), back.id());
    let json = ann
        .get(&format!("/objects/state-versions/{}/json-state", back.id()))
        .await
        .expect(200);
    assert_eq!(&json.bytes[..], b"{\"a\":1}");
    // Back again, and on from there.
    let forth = ann.rollback(&id, &second).await.expect(201).attributes();
    assert_eq!(forth["serial"], 4);
    ann.create(&id, &State::new(5, "l", "c")).await.expect(201);
    ann.create(&id, &State::new(4, "l", "d"))
        .await
        .refused(409, "not greater");
    assert_eq!(ann.versions("net").await.len(), 5);
}

#[tokio::test]
async fn a_source_must_be_of_the_workspace_and_have_bytes() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let other = ann.locked("other").await;
    let foreign = ann.stored(&other, &State::new(1, "m", "a")).await;
    ann.create(&id, &State::new(1, "l", "a")).await.expect(201);
    ann.rollback(&id, &foreign)
        .await
        .refused(404, "in this workspace not found");
    ann.rollback(&id, "sv-none")
        .await
        .refused(404, "state version sv-none not found");
    let pending = ann
        .begin(&id, &State::new(2, "l", "b"))
        .await
        .expect(201)
        .id();
    ann.rollback(&id, &pending)
        .await
        .refused(409, "is pending and has no state to roll back to");
    let head = ann.current(&id).await.id();
    ann.rollback(&id, &head)
        .await
        .refused(409, &format!("State version {pending} is still pending"));
    assert_eq!(ann.versions("net").await.len(), 2);
}

#[tokio::test]
async fn the_body_names_the_source() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let path = format!("/api/v2/workspaces/{id}/state-versions");
    let of = |data: serde_json::Value| json!({ "data": { "type": "state-versions", "relationships": { "rollback-state-version": { "data": data } } } });
    ann.patch(&path, &json!({}))
        .await
        .refused(422, "no data of type");
    ann.patch(&path, &json!({ "data": { "type": "state-versions" } }))
        .await
        .refused(422, "rollback-state-version.data is missing");
    ann.patch(&path, &of(json!({ "type": "state-versions" })))
        .await
        .refused(422, "must have a type and an id");
    ann.patch(&path, &of(json!({ "type": "runs", "id": "sv-1" })))
        .await
        .refused(422, "its type must be \"state-versions\"");
    ann.patch(&path, &of(json!([])))
        .await
        .refused(422, "must have a type and an id");
    ann.send("PATCH", &path, &[], "{")
        .await
        .refused(400, "not a JSON:API document");
}

/// Section 8, 7: the lineage goes along, and the audit log says so.
#[tokio::test]
async fn another_lineage_may_come_back() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let first = ann.stored(&id, &State::new(8, "old", "a")).await;
    ann.post(
        &format!("/api/v2/workspaces/{id}/state-versions"),
        &State::new(1, "new", "b").forced(),
    )
    .await
    .expect(201);
    let back = ann.rollback(&id, &first).await.expect(201).attributes();
    assert_eq!(
        (&back["serial"], &back["lineage"]),
        (&json!(9), &json!("old"))
    );
    let audit = ann
        .json(&format!(
            "/api/v2/organizations/acme/audit?filter[workspace][id]={id}"
        ))
        .await;
    let newest = &audit["data"][0]["attributes"];
    assert_eq!(newest["action"], "state-version.rollback");
    assert!(
        newest["detail"]
            .as_str()
            .expect("a text")
            .ends_with("serial 9, lineage old instead of new"),
        "{newest}"
    );
    assert!(
        audit["data"][1]["attributes"]["detail"]
            .as_str()
            .expect("a text")
            .contains("forced"),
        "{audit}"
    );
}

#[tokio::test]
async fn the_highest_serial_that_ever_was_counts() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let first = ann.stored(&id, &State::new(1, "l", "a")).await;
    ann.create(&id, &State::new(50, "l", "b")).await.expect(201);
    ann.post(
        &format!("/api/v2/workspaces/{id}/state-versions"),
        &State::new(2, "l", "c").forced(),
    )
    .await
    .expect(201);
    assert_eq!(
        ann.rollback(&id, &first).await.expect(201).attributes()["serial"],
        51
    );
    let highest = State::of(
        i64::MAX,
        "l",
        &format!(
            "{{\"version\":4,\"serial\":{},\"lineage\":\"l\"}}",
            i64::MAX
        ),
    );
    ann.create(&id, &highest).await.expect(201);
    ann.rollback(&id, &first)
        .await
        .refused(409, "highest serial there is");
}
