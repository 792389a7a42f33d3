//! SV-85 to SV-87: locks, as both SDKs take them.

use axum::body::Body;
use serde_json::json;

use crate::world::{State, World};

#[tokio::test]
async fn reasons_come_in_either_form() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.workspace("net").await;
    let path = format!("/api/v2/workspaces/{id}/actions/lock");
    for (body, reason) in [
        (json!({ "reason": "pytfe" }).to_string(), "pytfe"),
        (
            json!({ "data": { "type": "", "attributes": { "reason": "go-tfe" } } }).to_string(),
            "go-tfe",
        ),
        (
            json!({ "data": { "type": "workspaces", "attributes": {} } }).to_string(),
            "",
        ),
        ("{}".to_owned(), ""),
        (String::new(), ""),
    ] {
        let locked = ann.send("POST", &path, &[], body).await.expect(200);
        assert_eq!(locked.attributes()["locked-reason"], reason);
        assert_eq!(locked.attributes()["locked"], true);
        assert_eq!(
            locked.json()["data"]["relationships"]["locked-by"]["data"]["type"],
            "users"
        );
        let unlocked = ann.unlock(&id).await.expect(200).attributes();
        assert_eq!(unlocked["locked"], false);
    }
    ann.send("POST", &path, &[], "{")
        .await
        .refused(400, "not a JSON:API document");
    ann.post(&path, &json!({ "reason": 7 }))
        .await
        .refused(400, "not a JSON:API document");
    ann.send(
        "POST",
        &format!("/api/v2/workspaces/{id}/actions/explode"),
        &[],
        Body::empty(),
    )
    .await
    .expect(404);
}

#[tokio::test]
async fn force_unlock_needs_its_permission_and_discards_what_waits() {
    let world = World::new().await;
    let (ann, bob) = (
        world.owner().await,
        world.user("bob", "read-state,write-state,lock").await,
    );
    let id = bob.locked("net").await;
    let pending = bob
        .begin(&id, &State::new(1, "l", "a"))
        .await
        .expect(201)
        .id();
    bob.force_unlock(&id).await.refused(403, "force-unlock");
    ann.unlock(&id).await.refused(409, "is locked by User bob");
    ann.force_unlock(&id).await.expect(200);
    assert_eq!(
        ann.get(&format!("/api/v2/state-versions/{pending}"))
            .await
            .attributes()["status"],
        "discarded"
    );
    bob.unlock(&id).await.refused(409, "already unlocked");
    // What could not be written then is written now.
    bob.lock(&id).await.expect(200);
    bob.create(&id, &State::new(1, "l", "a")).await.expect(201);
}

/// Recovery after a failed upload: the lock is taken away, and the next push is one serial further
/// on.
#[tokio::test]
async fn a_failed_upload_is_recovered() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.create(&id, &State::new(1, "l", "a")).await.expect(201);
    ann.begin(&id, &State::new(2, "l", "b")).await.expect(201);
    ann.lock(&id).await.refused(409, "is locked by User ann");
    ann.force_unlock(&id).await.expect(200);
    ann.lock(&id).await.expect(200);
    ann.create(&id, &State::new(3, "l", "b")).await.expect(201);
    ann.unlock(&id).await.expect(200);
}

#[tokio::test]
async fn a_teams_token_locks_and_writes_as_the_team() {
    let world = World::new().await;
    let ann = world.owner().await;
    let body = json!({ "data": { "type": "teams", "attributes": { "name": "ops", "permissions": "read-state,write-state,lock" } } });
    let team = ann.made("/api/v2/organizations/acme/teams", &body).await;
    let body =
        json!({ "data": { "type": "authentication-tokens", "attributes": { "team": team } } });
    let token = ann
        .post("/api/v2/organizations/acme/tokens", &body)
        .await
        .expect(201)
        .attributes()["token"]
        .clone();
    let ops = world.client(token.as_str().expect("a token"));
    let id = ops.workspace("net").await;
    ops.lock(&id).await.expect(200);
    ann.unlock(&id).await.refused(409, "is locked by Team ops");
    let created = ops.create(&id, &State::new(1, "l", "a")).await.expect(201);
    assert_eq!(
        created.json()["data"]["relationships"]["created-by"]["data"],
        json!(null)
    );
    ops.unlock(&id).await.expect(200);
}
