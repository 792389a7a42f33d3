//! `backend "http"`: one URL, its lock, its state.

use axum::body::Body;
use serde_json::{Value, json};

use crate::world::{Client, State, World};

const URL: &str = "/http/acme/net";

fn info(id: &str) -> Value {
    json!({ "ID": id, "Operation": "OperationTypeApply", "Info": "", "Who": "ann@host", "Version": "1.15.5",
            "Created": "2026-11-22T00:00:00Z", "Path": "" })
}

async fn lock(client: &Client<'_>, id: &str) -> crate::world::Answer {
    client.send("LOCK", URL, &[], info(id).to_string()).await
}

async fn unlock(client: &Client<'_>, id: &str) -> crate::world::Answer {
    client.send("UNLOCK", URL, &[], info(id).to_string()).await
}

async fn write(client: &Client<'_>, query: &str, state: &State) -> crate::world::Answer {
    client
        .send(
            "POST",
            &format!("{URL}{query}"),
            &[("content-type", "application/json")],
            state.bytes.clone(),
        )
        .await
}

/// The whole sequence of an apply.
#[tokio::test]
async fn an_apply_from_nothing() {
    let world = World::new().await;
    let ann = world.owner().await;
    ann.get(URL).await.expect(204);
    lock(&ann, "lock-1").await.expect(200);
    // A lost answer: the same lock again.
    lock(&ann, "lock-1").await.expect(200);
    let held = lock(&ann, "lock-2").await.expect(423);
    assert_eq!(
        (held.json()["ID"].clone(), held.json()["Who"].clone()),
        (json!("lock-1"), json!("ann@host"))
    );
    ann.get(URL).await.expect(204);
    let state = State::new(1, "l", "a");
    write(&ann, "?ID=lock-2", &state)
        .await
        .refused(423, "locked by User ann (lock id lock-1)");
    write(&ann, "", &state).await.refused(423, "lock id lock-1");
    write(&ann, "?ID=lock-1", &state).await.expect(200);
    write(&ann, "?ID=lock-1", &state).await.expect(200);
    unlock(&ann, "lock-2")
        .await
        .refused(409, "is locked by User ann");
    unlock(&ann, "lock-1").await.expect(200);
    unlock(&ann, "lock-1").await.expect(200);
    assert_eq!(ann.get(URL).await.expect(200).bytes, state.bytes);
    assert_eq!(ann.versions("net").await.len(), 1);
    // What a snapshot of the old process brings is not written any more.
    write(&ann, "?ID=lock-1", &State::new(2, "l", "b"))
        .await
        .refused(409, "The lock lock-1 is gone");
}

#[tokio::test]
async fn both_backends_see_one_workspace() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.create(&id, &State::new(1, "l", "a")).await.expect(201);
    // One lock for both.
    let held = lock(&ann, "lock-1").await.expect(423);
    assert_eq!(
        (held.json()["Who"].clone(), held.json()["Operation"].clone()),
        (json!("ann"), json!("test"))
    );
    write(&ann, "", &State::new(2, "l", "b"))
        .await
        .refused(423, "locked by User ann");
    ann.unlock(&id).await.expect(200);
    lock(&ann, "lock-1").await.expect(200);
    ann.create(&id, &State::new(2, "l", "b"))
        .await
        .refused(409, "locked by User ann (lock id lock-1)");
    ann.unlock(&id)
        .await
        .refused(409, "is locked by User ann (lock id lock-1)");
    write(&ann, "?ID=lock-1", &State::new(2, "l", "b"))
        .await
        .expect(200);
    unlock(&ann, "lock-1").await.expect(200);
    assert_eq!(ann.current(&id).await.attributes()["serial"], 2);
}

/// Without a lock a write is allowed only while nobody has one, and only as long as the operator
/// allows it.
#[tokio::test]
async fn writes_without_a_lock() {
    let world = World::new().await;
    let ann = world.owner().await;
    write(&ann, "", &State::new(1, "l", "a")).await.expect(200);
    write(&ann, "", &State::new(1, "l", "b"))
        .await
        .refused(409, "The MD5 hash");
    write(&ann, "", &State::new(2, "m", "b"))
        .await
        .refused(409, "The lineage");
    write(&ann, "?force=true", &State::new(1, "m", "b"))
        .await
        .expect(200);
    assert_eq!(ann.versions("net").await.len(), 2);

    let conduct = upstate_server::__internal::service::Conduct {
        http_without_lock: false,
        ..Default::default()
    };
    let world = World::with(conduct).await;
    let ann = world.owner().await;
    write(&ann, "", &State::new(1, "l", "a"))
        .await
        .refused(409, "is not locked");
}

/// `terraform force-unlock` sends no id.
#[tokio::test]
async fn an_empty_unlock_is_a_force_unlock() {
    let world = World::new().await;
    let (ann, bob) = (
        world.owner().await,
        world.user("bob", "read-state,write-state,lock").await,
    );
    lock(&bob, "lock-1").await.expect(200);
    bob.send("UNLOCK", URL, &[], Body::empty())
        .await
        .refused(403, "force-unlock");
    ann.send("UNLOCK", URL, &[], Body::empty())
        .await
        .expect(200);
    let audit = ann.json("/api/v2/organizations/acme/audit").await;
    assert_eq!(
        audit["data"][0]["attributes"]["action"],
        "workspace.force-unlock"
    );
}

#[tokio::test]
async fn methods_of_gitlab_and_a_password() {
    let world = World::new().await;
    let token = world
        .token("ann", "acme", "read-state,write-state,lock")
        .await;
    let basic = {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(format!("whoever:{token}"))
    };
    let authorization = format!("Basic {basic}");
    let headers = [("authorization", authorization.as_str())];
    let nobody = world.nobody();
    let lock = format!("{URL}/lock");
    nobody
        .send("POST", &lock, &headers, info("lock-1").to_string())
        .await
        .expect(200);
    nobody
        .send("POST", &lock, &headers, info("lock-2").to_string())
        .await
        .expect(423);
    nobody
        .send("DELETE", &lock, &headers, info("lock-1").to_string())
        .await
        .expect(200);
    nobody
        .send("POST", URL, &[], "{}")
        .await
        .refused(401, "no token");
    nobody
        .send("GET", URL, &[("authorization", "Basic !!!")], Body::empty())
        .await
        .expect(401);
    // Nothing would be left to go back to.
    nobody
        .send("DELETE", URL, &headers, Body::empty())
        .await
        .refused(400, "DELETE is not supported here");
    nobody
        .send("GET", &lock, &headers, Body::empty())
        .await
        .refused(400, "GET is not supported here");
}

#[tokio::test]
async fn bad_bodies_change_nothing() {
    let world = World::new().await;
    let ann = world.owner().await;
    ann.send("LOCK", URL, &[], "{}")
        .await
        .refused(400, "a JSON object with an ID");
    ann.send("LOCK", URL, &[], json!({ "ID": "" }).to_string())
        .await
        .refused(400, "1 to 128 letters");
    for (text, says) in [
        ("", "empty"),
        ("nonsense", "not a JSON object"),
        ("{\"version\":4,\"serial\":\"1\"}", "must be a number"),
    ] {
        ann.send("POST", URL, &[], text).await.refused(422, says);
    }
    let state = State::new(1, "l", "a");
    ann.send(
        "POST",
        URL,
        &[("content-md5", "AAAAAAAAAAAAAAAAAAAAAA==")],
        state.bytes.clone(),
    )
    .await
    .refused(422, "Content-MD5 says");
    ann.send("POST", URL, &[("content-md5", "no")], state.bytes.clone())
        .await
        .refused(400, "16 bytes in base64");
    ann.get(URL).await.expect(204);
    ann.get("/http/acme/..%2Fnet").await.expect(204);
    ann.send("LOCK", "/http/acme/..%2Fnet", &[], info("x").to_string())
        .await
        .refused(422, "letters, digits");
    ann.send("LOCK", "/http/nobody/net", &[], info("x").to_string())
        .await
        .refused(404, "organization \"nobody\"");
    let reader = world.user("rita", "read-state").await;
    reader
        .send("POST", "/http/acme/new", &[], state.bytes.clone())
        .await
        .refused(403, "write-state");
    reader
        .send("POST", URL, &[], state.bytes)
        .await
        .refused(403, "write-state");
}
