//! Tokens, teams, organizations, and what is about the server itself.

use std::time::Duration;

use serde_json::{Value, json};
use upstate_server::model::Permissions;
use upstate_server::service::TokenFor;

use crate::world::{State, World};

#[tokio::test]
async fn a_token_expires_and_is_revoked() {
    let world = World::new().await;
    let ann = world.owner().await;
    let body = json!({ "data": { "type": "authentication-tokens", "attributes": {
        "user": "bob", "permissions": "read-state", "expires-in-days": 2, "description": "ci",
    }}});
    let made = ann.post("/api/v2/organizations/acme/tokens", &body).await.expect(201);
    let secret = made.attributes()["token"].as_str().expect("a token").to_owned();
    let bob = world.client(&secret);
    assert_eq!(bob.get("/api/v2/account/details").await.expect(200).attributes()["username"], "bob");
    // It is shown this once.
    let listed = ann.get("/api/v2/organizations/acme/tokens").await.expect(200);
    assert!(!String::from_utf8_lossy(&listed.bytes).contains(&secret));
    assert_eq!(listed.json()["data"].as_array().map(Vec::len), Some(2));
    world.wait(Duration::from_hours(49));
    bob.get("/api/v2/account/details").await.refused(401, "expired");
    ann.delete(&format!("/api/v2/tokens/{}", made.id())).await.expect(204);
    bob.get("/api/v2/account/details").await.refused(401, "unknown");
    ann.delete(&format!("/api/v2/tokens/{}", made.id())).await.refused(404, "not found");
}

#[tokio::test]
async fn only_the_hash_of_a_token_is_kept() {
    let world = World::new().await;
    let secret = world.token("ann", "acme", "admin").await;
    let mut kept = Vec::new();
    for name in ["upstate.db", "upstate.db-wal"] {
        kept.extend(std::fs::read(world.folder.path().join(name)).unwrap_or_default());
    }
    assert!(!kept.windows(secret.len()).any(|window| window == secret.as_bytes()));
    assert!(secret.len() > 40, "{secret}");
}

#[tokio::test]
async fn a_users_teams_grant_what_they_may() {
    let world = World::new().await;
    let ann = world.owner().await;
    let owner = TokenFor::User { name: "bob".to_owned(), scope: None };
    let secret = world.service.create_token("test", owner, "", None, None).await.expect("a token").secret;
    let bob = world.client(&secret);
    let id = ann.workspace("net").await;
    let path = format!("/api/v2/workspaces/{id}");
    bob.get(&path).await.refused(404, "not found");
    let team =
        |permissions: &str| json!({ "data": { "type": "teams", "attributes": { "name": "ops", "permissions": permissions } } });
    let made = ann.post("/api/v2/organizations/acme/teams", &team("lock")).await.expect(201).id();
    ann.post("/api/v2/organizations/acme/teams", &team("lock")).await.refused(422, "already been taken");
    ann.post("/api/v2/organizations/acme/teams", &team("fly")).await.refused(422, "\"fly\" is not a permission");
    let members = format!("/api/v2/teams/{made}/relationships/users");
    ann.post(&members, &json!({ "data": [{ "type": "users", "id": "bob" }] })).await.expect(204);
    bob.get(&path).await.expect(200);
    bob.lock(&id).await.expect(200);
    bob.create(&id, &State::new(1, "l", "a")).await.refused(403, "write-state");
    ann.patch(&format!("/api/v2/teams/{made}"), &team("lock,write-state")).await.expect(200);
    bob.create(&id, &State::new(1, "l", "a")).await.expect(201);
    ann.send("DELETE", &members, &[], json!({ "data": [{ "type": "users", "id": "bob" }] }).to_string()).await.expect(204);
    bob.get(&path).await.refused(404, "not found");
    ann.post(&members, &json!({ "data": [{ "type": "users", "id": "nobody" }] })).await.refused(404, "user \"nobody\"");
}

#[tokio::test]
async fn organizations_are_seen_by_their_own() {
    let world = World::new().await;
    let ann = world.owner().await;
    world.token("zoe", "other", "admin").await;
    let listed = ann.get("/api/v2/organizations").await.expect(200).json();
    assert_eq!((listed["data"].as_array().map(Vec::len), &listed["data"][0]["id"]), (Some(1), &json!("acme")));
    ann.get("/api/v2/organizations/other").await.refused(404, "organization \"other\"");
    ann.get("/api/v2/organizations/other/entitlement-set").await.refused(404, "organization \"other\"");
    let set = ann.get("/api/v2/organizations/acme/entitlement-set").await.expect(200).json();
    assert_eq!((&set["data"]["type"], &set["data"]["attributes"]["operations"]), (&json!("entitlement-sets"), &json!(false)));
    assert_eq!(set["data"]["attributes"]["state-storage"], true);
    let projects = ann.get("/api/v2/organizations/acme/projects?filter[names]=Default%20Project").await.expect(200).json();
    assert_eq!(projects["data"].as_array().map(Vec::len), Some(1));
    let projects = ann.get("/api/v2/organizations/acme/projects?filter[names]=x").await.expect(200).json();
    assert_eq!(projects["meta"]["pagination"]["total-count"], 0);
}

#[tokio::test]
async fn the_server_says_what_it_is() {
    let world = World::new().await;
    let nobody = world.nobody();
    let ping = nobody.get("/api/v2/ping").await.expect(204);
    assert_eq!(ping.header("tfp-api-version"), Some("2.6"));
    let discovery = nobody.get("/.well-known/terraform.json").await.expect(200);
    assert_eq!(discovery.header("content-type"), Some("application/json"));
    for service in ["tfe.v2", "tfe.v2.1", "tfe.v2.2", "state.v2"] {
        assert_eq!(discovery.json()[service], "/api/v2/");
    }
    nobody.get("/healthz").await.expect(200);
    nobody.get("/readyz").await.expect(200);
    nobody.get("/nonsense").await.refused(404, "There is nothing at /nonsense");
    nobody.get("/api/v2/nonsense").await.refused(404, "There is nothing at /api/v2/nonsense");
    nobody.send("PUT", "/api/v2/ping", &[], "").await.refused(405, "does not take PUT");
}

#[tokio::test]
async fn every_answer_names_its_request() {
    let world = World::new().await;
    let nobody = world.nobody();
    let given = nobody.send("GET", "/healthz", &[("x-request-id", "abc-1")], "").await;
    assert_eq!(given.header("x-request-id"), Some("abc-1"));
    for bad in ["a b", "", &"x".repeat(65)] {
        let own = nobody.send("GET", "/healthz", &[("x-request-id", bad)], "").await;
        assert_eq!(own.header("x-request-id").map(str::len), Some(24));
    }
}

#[tokio::test]
async fn the_audit_log_says_who_did_what() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.create(&id, &State::new(1, "l", "s3cret")).await.expect(201);
    let log = ann.get("/api/v2/organizations/acme/audit").await.expect(200);
    assert!(!String::from_utf8_lossy(&log.bytes).contains("s3cret"));
    let actions: Vec<Value> =
        log.json()["data"].as_array().expect("a list").iter().map(|one| one["attributes"]["action"].clone()).collect();
    assert_eq!(actions, ["state-version.create", "workspace.lock", "workspace.create", "token.create", "organization.create"]);
    assert!(log.json()["data"][0]["attributes"]["who"].as_str().expect("a text").starts_with("user ann (at-"));
    assert_eq!(Permissions::ALL.to_string(), "read-state,write-state,read-outputs,lock,force-unlock,admin");
}

/// `GET /users/:id`, to which the link of `created-by` leads.
#[tokio::test]
async fn a_user_is_found_by_the_link_of_a_version() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let version = ann.create(&id, &State::new(1, "l", "a")).await.expect(201).json();
    let link = version["data"]["relationships"]["created-by"]["links"]["related"].as_str().expect("a link").to_owned();
    let user = ann.get(&link).await.expect(200);
    assert_eq!((user.attributes()["username"].clone(), user.json()["data"]["type"].clone()), (json!("ann"), json!("users")));
    world.nobody().get(&link).await.refused(401, "no token");
    ann.get("/api/v2/users/user-none").await.refused(404, "user user-none not found");
}
