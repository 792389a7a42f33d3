//! `backend "http"`: one URL, its lock, its state.

use std::time::Duration;

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

/// A state that has a resource.
fn with_resource(serial: i64) -> State {
    let text = json!({ "version": 4, "terraform_version": "1.15.5", "serial": serial, "lineage": "l", "outputs": {}, "resources": [{
        "mode": "managed", "type": "example_thing", "name": "it", "provider": "provider[\"example.com/test/example\"]",
        "instances": [{ "schema_version": 0, "attributes": {} }],
    }] });
    State::of(serial, "l", &text.to_string())
}

/// A workspace with a state that has a resource; its id.
async fn filled(client: &Client<'_>, name: &str) -> String {
    let id = client.locked(name).await;
    client.stored(&id, &with_resource(1)).await;
    client.unlock(&id).await.expect(200);
    id
}

/// That a name is refused in every way, with these words, and that nothing is made there.
async fn is_gone(client: &Client<'_>, says: &[&str]) {
    let state = State::new(1, "m", "a");
    let answers = [
        client.get(URL).await,
        lock(client, "lock-1").await,
        write(client, "?ID=lock-1", &state).await,
        write(client, "", &state).await,
        unlock(client, "lock-1").await,
        client.send("UNLOCK", URL, &[], Body::empty()).await,
    ];
    for answer in answers {
        let answer = answer.expect(410);
        for words in says {
            assert!(answer.detail().contains(words), "{}", answer.detail());
        }
    }
    let named = "/api/v2/organizations/acme/workspaces/net";
    client.get(named).await.expect(404);
}

/// Terraform would take the old name for a workspace without a state, and make everything once
/// more.
#[tokio::test]
async fn a_former_name_is_refused_until_a_workspace_has_it() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = filled(&ann, "net").await;
    let path = format!("/api/v2/workspaces/{id}");
    let name =
        |name: &str| json!({ "data": { "type": "workspaces", "attributes": { "name": name } } });
    ann.patch(&path, &name("lan")).await.expect(200);
    let says = [
        "Workspace net is now lan: use that name, in backend \"http\" the address /http/acme/lan. ",
        "To begin a new state of this name, make a workspace with POST /api/v2/organizations/acme/workspaces",
    ];
    is_gone(&ann, &says).await;
    ann.get("/http/acme/lan").await.expect(200);
    // `terraform init` makes the workspace that its configuration names, and asks nobody.
    let workspaces = "/api/v2/organizations/acme/workspaces";
    let version = [("terraform-version", "1.15.5")];
    let made = ann.send("POST", workspaces, &version, name("net").to_string());
    made.await.refused(410, says[0]);
    ann.get("/api/v2/organizations/acme/workspaces/net")
        .await
        .expect(404);
    // On purpose it is made; then it has the name.
    ann.post(workspaces, &name("net")).await.expect(201);
    ann.get(URL).await.expect(204);
    lock(&ann, "lock-1").await.expect(200);
    // A name that nothing had is as free as before.
    let made = ann.send("POST", workspaces, &version, name("app").to_string());
    made.await.expect(201);
}

/// An apply that began before the rename stores its state and gives its lock back at the name that
/// it knows; nobody else does anything there.
#[tokio::test]
async fn an_apply_ends_at_the_name_with_which_it_began() {
    let world = World::new().await;
    let ann = world.owner().await;
    let bob = world.user("bob", "read-state,write-state,lock").await;
    lock(&ann, "lock-1").await.expect(200);
    write(&ann, "?ID=lock-1", &State::new(1, "l", "a"))
        .await
        .expect(200);
    let rename = async |from: &str, to: &str| {
        let named = format!("/api/v2/organizations/acme/workspaces/{from}");
        let name = json!({ "data": { "type": "workspaces", "attributes": { "name": to } } });
        ann.patch(&named, &name).await.expect(200);
    };
    rename("net", "lan").await;
    let state = State::new(2, "l", "b");
    let says = "Workspace net is now lan";
    for (client, query) in [(&ann, ""), (&ann, "?ID=lock-2"), (&bob, "?ID=lock-1")] {
        write(client, query, &state).await.refused(410, says);
    }
    unlock(&bob, "lock-1").await.refused(410, says);
    unlock(&ann, "lock-2").await.refused(410, says);
    ann.send("UNLOCK", URL, &[], Body::empty())
        .await
        .refused(410, says);
    lock(&ann, "lock-2").await.refused(410, says);
    lock(&bob, "lock-1").await.refused(410, says);
    // A lost answer: the same lock again.
    lock(&ann, "lock-1").await.expect(200);
    bob.get(URL).await.refused(410, says);
    // A read names no lock, and an apply without a state reads again before it stores the first.
    ann.get(URL).await.expect(200);
    // Not under a lock of hers that the server took, as for an upgrade.
    let sql = "UPDATE workspace SET lock = json_remove(lock, '$.info')";
    let changed = world.database().execute(sql, ());
    assert_eq!(changed.expect("a lock"), 1);
    ann.get(URL).await.refused(410, says);
    write(&ann, "?ID=lock-1", &state).await.expect(200);
    unlock(&ann, "lock-1").await.expect(200);
    // A lost answer: the same unlock again.
    unlock(&ann, "lock-1").await.expect(200);
    lock(&ann, "lock-1").await.refused(410, says);
    write(&ann, "?ID=lock-1", &State::new(3, "l", "c"))
        .await
        .refused(409, "The lock lock-1 is gone");
    world.wait(Duration::from_mins(2));
    unlock(&ann, "lock-1").await.refused(410, says);
    write(&ann, "?ID=lock-1", &state).await.refused(410, says);
    ann.get(URL).await.refused(410, says);
    let kept = ann.get("/http/acme/lan").await.expect(200);
    assert_eq!(kept.bytes, state.bytes);
    assert_eq!(ann.versions("lan").await.len(), 2);
    // GitLab's style gives a lock back there, too.
    rename("lan", "net").await;
    lock(&ann, "lock-3").await.expect(200);
    rename("net", "lan").await;
    let (path, body) = (format!("{URL}/lock"), info("lock-3").to_string());
    ann.send("DELETE", &path, &[], body).await.expect(200);
    // Not at the name of a deleted workspace, whatever lock it had.
    rename("lan", "net").await;
    lock(&ann, "lock-4").await.expect(200);
    write(&ann, "?ID=lock-4", &with_resource(3))
        .await
        .expect(200);
    ann.delete("/api/v2/organizations/acme/workspaces/net")
        .await
        .expect(204);
    let says = "Workspace net was deleted at 20";
    write(&ann, "?ID=lock-4", &with_resource(4))
        .await
        .refused(410, says);
    unlock(&ann, "lock-4").await.refused(410, says);
}

/// Otherwise an apply that began before the rename could not store its state.
#[tokio::test]
async fn no_workspace_gets_a_name_by_which_an_apply_knows_another() {
    let world = World::new().await;
    let ann = world.owner().await;
    let gone = ann.workspace("gone").await;
    let other = ann.workspace("other").await;
    ann.delete(&format!("/api/v2/workspaces/{gone}"))
        .await
        .expect(204);
    let gone = upstate_server::__internal::model::WorkspaceId::from_text(&gone);
    let restored = async || {
        let restored = world.service.restore_workspace("test", &gone, Some("net"));
        restored.await.map_err(|failure| failure.to_string())
    };
    let workspaces = "/api/v2/organizations/acme/workspaces";
    let name =
        |name: &str| json!({ "data": { "type": "workspaces", "attributes": { "name": name } } });
    let other = format!("/api/v2/workspaces/{other}");
    lock(&ann, "lock-1").await.expect(200);
    let path = format!("{workspaces}/net");
    ann.patch(&path, &name("lan")).await.expect(200);
    let says = "Workspace lan, net before, is locked by User ann (lock id lock-1) since 20";
    let asks = "its state may still come to the name net. Try again once it is unlocked; \
        force-unlock takes away a lock that was left behind";
    for answer in [
        ann.post(workspaces, &name("net")).await,
        ann.patch(&other, &name("net")).await,
    ] {
        let detail = answer.refused(422, says).detail();
        assert!(detail.contains(asks), "{detail}");
    }
    let refused = restored().await.expect_err("it is in use");
    assert!(refused.contains(says), "{refused}");
    assert!(
        refused.ends_with("behind, or name another one with --name"),
        "{refused}"
    );
    write(&ann, "?ID=lock-1", &State::new(1, "l", "a"))
        .await
        .expect(200);
    unlock(&ann, "lock-1").await.expect(200);
    // A lock by the API is of who knows the workspace by its id.
    let lan = ann.json(&format!("{workspaces}/lan")).await;
    let lan = lan["data"]["id"].as_str().expect("an id").to_owned();
    ann.lock(&lan).await.expect(200);
    ann.patch(&other, &name("net")).await.expect(200);
    ann.patch(&other, &name("other")).await.expect(200);
    assert_eq!(restored().await, Ok("net".to_owned()));
}

/// The resources of a deleted workspace exist, and would be made once more.
#[tokio::test]
async fn the_name_of_a_deleted_workspace_with_resources_is_refused() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = filled(&ann, "net").await;
    ann.delete(&format!("/api/v2/workspaces/{id}"))
        .await
        .expect(204);
    let restore = format!("`upstate-server workspace restore {id}` brings it back");
    let says = [
        "Workspace net was deleted at 20",
        "with resources in its state, or with a state that cannot be read",
        restore.as_str(),
        "make a workspace with POST /api/v2/organizations/acme/workspaces",
    ];
    is_gone(&ann, &says).await;
    let workspace = upstate_server::__internal::model::WorkspaceId::from_text(&id);
    world
        .service
        .restore_workspace("test", &workspace, None)
        .await
        .expect("it is restored");
    ann.get(URL).await.expect(200);
    // Renamed and then deleted, it is missed at both names.
    let name = json!({ "data": { "type": "workspaces", "attributes": { "name": "lan" } } });
    let path = format!("/api/v2/workspaces/{id}");
    ann.patch(&path, &name).await.expect(200);
    ann.delete(&path).await.expect(204);
    is_gone(&ann, &["Workspace lan, net before, was deleted at 20"]).await;
    ann.get("/http/acme/lan")
        .await
        .refused(410, "Workspace lan was deleted at 20");
    // A workspace of the name is made on purpose, and of one that had no resources nothing is
    // missed.
    let second = ann.workspace("net").await;
    lock(&ann, "lock-1").await.expect(200);
    write(&ann, "?ID=lock-1", &State::new(1, "l", "a"))
        .await
        .expect(200);
    unlock(&ann, "lock-1").await.expect(200);
    ann.delete(&format!("/api/v2/workspaces/{second}"))
        .await
        .expect(204);
    ann.get(URL).await.expect(204);
    lock(&ann, "lock-2").await.expect(200);
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
