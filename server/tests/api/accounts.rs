//! Tokens, teams, organizations, and what is about the server itself.

use std::time::Duration;

use serde_json::{Value, json};
use upstate_server::__internal::model::{AuditFilter, Permissions};
use upstate_server::__internal::service::Conduct;
use upstate_server::__internal::store::Page;

use crate::world::{State, World};

#[tokio::test]
async fn a_token_expires_and_is_revoked() {
    let world = World::new().await;
    let ann = world.owner().await;
    let body = json!({ "data": { "type": "authentication-tokens", "attributes": {
        "user": "bob", "permissions": "read-state", "expires-in-days": 2, "description": "ci",
    }}});
    let made = ann
        .post("/api/v2/organizations/acme/tokens", &body)
        .await
        .expect(201);
    let secret = made.attributes()["token"]
        .as_str()
        .expect("a token")
        .to_owned();
    let bob = world.client(&secret);
    assert_eq!(
        bob.get("/api/v2/account/details")
            .await
            .expect(200)
            .attributes()["username"],
        "bob"
    );
    // It is shown this once.
    let listed = ann
        .get("/api/v2/organizations/acme/tokens")
        .await
        .expect(200);
    assert!(!String::from_utf8_lossy(&listed.bytes).contains(&secret));
    assert_eq!(listed.json()["data"].as_array().map(Vec::len), Some(2));
    world.wait(Duration::from_hours(49));
    bob.get("/api/v2/account/details")
        .await
        .refused(401, "expired");
    ann.delete(&format!("/api/v2/tokens/{}", made.id()))
        .await
        .expect(204);
    bob.get("/api/v2/account/details")
        .await
        .refused(401, "unknown");
    ann.delete(&format!("/api/v2/tokens/{}", made.id()))
        .await
        .refused(404, "not found");
}

#[tokio::test]
async fn only_the_hash_of_a_token_is_kept() {
    let world = World::new().await;
    let secret = world.token("ann", "acme", "admin").await;
    let mut kept = Vec::new();
    for name in ["upstate.db", "upstate.db-wal"] {
        kept.extend(std::fs::read(world.folder.path().join(name)).unwrap_or_default());
    }
    assert!(
        !kept
            .windows(secret.len())
            .any(|window| window == secret.as_bytes())
    );
    assert!(secret.len() > 40, "{secret}");
}

#[tokio::test]
async fn a_users_teams_grant_what_they_may() {
    let world = World::new().await;
    let ann = world.owner().await;
    let body = |attributes: Value| json!({ "data": { "type": "authentication-tokens", "attributes": attributes } });
    let token = async |attributes: Value| {
        let made = ann
            .post("/api/v2/organizations/acme/tokens", &body(attributes))
            .await
            .expect(201);
        made.attributes()["token"]
            .as_str()
            .expect("a token")
            .to_owned()
    };
    let bob = world.client(&token(json!({ "user": "bob" })).await);
    let narrow =
        world.client(&token(json!({ "user": "bob", "permissions": "read-state,admin" })).await);
    let id = ann.workspace("net").await;
    let path = format!("/api/v2/workspaces/{id}");
    bob.get(&path).await.refused(404, "not found");
    let team = |grants: &str| json!({ "data": { "type": "teams", "attributes": { "name": "ops", "grants": grants } } });
    let made = ann
        .made("/api/v2/organizations/acme/teams", &team("lock"))
        .await;
    ann.post("/api/v2/organizations/acme/teams", &team("lock"))
        .await
        .refused(422, "already been taken");
    ann.post("/api/v2/organizations/acme/teams", &team("fly"))
        .await
        .refused(422, "\"fly\" is not a permission");
    let members = format!("/api/v2/teams/{made}/relationships/users");
    let bobs = json!({ "data": [{ "type": "users", "id": "bob" }] });
    ann.post(&members, &bobs).await.expect(204);
    assert_eq!(
        ann.get(&members).await.expect(200).json()["data"][0]["attributes"]["username"],
        "bob"
    );
    bob.get(&path).await.expect(200);
    bob.lock(&id).await.expect(200);
    bob.create(&id, &State::new(1, "l", "a"))
        .await
        .refused(403, "write-state");
    // The narrow one has what both say, which is nothing yet.
    narrow.get(&path).await.refused(404, "not found");
    ann.patch(
        &format!("/api/v2/teams/{made}"),
        &team("lock,read-state,write-state"),
    )
    .await
    .expect(200);
    bob.create(&id, &State::new(1, "l", "a")).await.expect(201);
    narrow.current(&id).await.expect(200);
    narrow
        .create(&id, &State::new(2, "l", "b"))
        .await
        .refused(403, "write-state");
    narrow
        .get("/api/v2/organizations/acme/tokens")
        .await
        .refused(403, "admin");
    ann.send("DELETE", &members, &[], bobs.to_string())
        .await
        .expect(204);
    bob.get(&path).await.refused(404, "not found");
    // Nobody outside of the organization is found, whether there is such a user or not.
    world.token("zoe", "other", "admin").await;
    let add = |name: &str| json!({ "data": [{ "type": "users", "id": name }] });
    ann.post(&members, &add("nobody"))
        .await
        .refused(404, "user \"nobody\" in this organization");
    ann.post(&members, &add("zoe"))
        .await
        .refused(404, "user \"zoe\" in this organization");
    // A team that is gone grants nothing.
    ann.post(&members, &bobs).await.expect(204);
    bob.get(&path).await.expect(200);
    let of_team = world.client(&token(json!({ "team": made })).await);
    of_team.get(&path).await.expect(200);
    ann.delete(&format!("/api/v2/teams/{made}"))
        .await
        .expect(204);
    bob.get(&path).await.refused(404, "not found");
    of_team.get(&path).await.refused(401, "unknown");
    ann.delete(&format!("/api/v2/teams/{made}"))
        .await
        .refused(404, "not found");
}

/// pytfe takes `permissions` for those of the client that asks.
#[tokio::test]
async fn teams_are_shown_as_clients_read_them() {
    let world = World::new().await;
    let ann = world.owner().await;
    let team = json!({ "data": { "type": "teams", "attributes": { "name": "ops", "permissions": "lock" } } });
    let made = ann
        .post("/api/v2/organizations/acme/teams", &team)
        .await
        .expect(201);
    let listed = ann
        .get("/api/v2/organizations/acme/teams")
        .await
        .expect(200)
        .json()["data"][0]
        .clone();
    let shown = ann
        .get(&format!("/api/v2/teams/{}", made.id()))
        .await
        .expect(200)
        .json()["data"]
        .clone();
    assert_eq!((&listed, &listed), (&shown, &made.json()["data"]));
    assert_eq!(shown["attributes"]["grants"], "lock");
    assert_eq!(
        shown["attributes"]["permissions"],
        json!({ "can-destroy": true, "can-update-membership": true })
    );
}

/// go-tfe reads the members of a team out of the team, and asks for teams by page, name and a part
/// of it.
#[tokio::test]
async fn teams_come_with_their_members_in_pages() {
    let world = World::new().await;
    let ann = world.owner().await;
    let path = "/api/v2/organizations/acme/teams";
    let team = |attributes: Value| json!({ "data": { "type": "teams", "attributes": attributes } });
    let ops = ann
        .post(path, &team(json!({ "name": "ops" })))
        .await
        .expect(201);
    assert_eq!(ops.attributes()["users-count"], 0);
    let ops = format!("/api/v2/teams/{}", ops.id());
    let anns = json!({ "data": [{ "type": "users", "id": "ann" }] });
    ann.post(&format!("{ops}/relationships/users"), &anns)
        .await
        .expect(204);
    let shown = ann.json(&format!("{ops}?include=users")).await;
    assert_eq!(shown["included"].as_array().map(Vec::len), Some(1));
    assert_eq!(shown["included"][0]["attributes"]["username"], "ann");
    assert_eq!(
        shown["data"]["relationships"]["users"]["data"][0]["id"],
        shown["included"][0]["id"]
    );
    assert_eq!(shown["data"]["attributes"]["users-count"], 1);
    ann.get(&format!("{ops}?include=runs"))
        .await
        .refused(400, "Invalid include parameter");
    // Once, because Ann is in two teams.
    let listed = ann.json(&format!("{path}?include=users")).await;
    assert_eq!(listed["included"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        listed["meta"]["pagination"]["total-count"].as_u64(),
        listed["data"]
            .as_array()
            .and_then(|all| u64::try_from(all.len()).ok())
    );
    for (query, name) in [
        ("filter[names]=ops", "ops"),
        ("q=EVERY", "zz-everybody"),
        ("page[number]=1&page[size]=1", "ops"),
    ] {
        let listed = ann.json(&format!("{path}?{query}")).await;
        assert_eq!(listed["data"].as_array().map(Vec::len), Some(1), "{query}");
        assert_eq!(listed["data"][0]["attributes"]["name"], name, "{query}");
    }
    let none = ann.get("/api/v2/organizations?q=other").await.expect(200);
    assert_eq!(none.json()["data"], json!([]));
    // Otherwise it would be dropped, and nobody would know.
    ann.patch(&ops, &team(json!({ "name": "operations" })))
        .await
        .refused(422, "cannot be changed");
    let access = json!({ "name": "devs", "organization-access": { "read-workspaces": false, "manage-workspaces": true } });
    ann.post(path, &team(access))
        .await
        .refused(422, "cannot grant manage-workspaces here");
    let access = json!({ "name": "ops", "organization-access": { "manage-workspaces": false } });
    ann.patch(&ops, &team(access)).await.expect(200);
    // Otherwise it would take back what another request lets the members do at the same time.
    let filter = AuditFilter {
        action: Some("team.update".to_owned()),
        ..AuditFilter::default()
    };
    let log = world
        .service
        .store()
        .audit(&filter, Page { number: 1, size: 9 })
        .await
        .expect("a log");
    assert_eq!(log.total, 0);
}

/// go-tfe sends no type, and a time at which the token expires.
#[tokio::test]
async fn a_token_of_a_team_is_made_shown_and_revoked() {
    let world = World::new().await;
    let ann = world.owner().await;
    let org = "/api/v2/organizations/acme";
    let ops = json!({ "data": { "type": "teams", "attributes": { "name": "ops", "grants": "read-state" } } });
    let ops = ann.post(&format!("{org}/teams"), &ops).await.expect(201);
    let path = format!("/api/v2/teams/{}/authentication-tokens", ops.id());
    let body = |attributes: Value| json!({ "data": { "type": "", "attributes": attributes } });
    let attributes = json!({ "description": "ci", "expired-at": "2100-01-01T00:00:00Z" });
    let made = ann.post(&path, &body(attributes)).await.expect(201);
    let attributes = made.attributes();
    let expired_at = attributes["expired-at"].as_str().expect("a time");
    assert!(expired_at.starts_with("2100-01-01T00:00:0"), "{expired_at}");
    let secret = attributes["token"].as_str().expect("a token");
    let of_team = world.client(secret);
    let workspaces = format!("{org}/workspaces");
    of_team.get(&workspaces).await.expect(200);
    let token = format!("/api/v2/authentication-tokens/{}", made.id());
    let shown = ann.json(&token).await;
    assert_eq!(shown["data"]["attributes"]["description"], "ci");
    assert_eq!(shown["data"]["attributes"]["token"], Value::Null);
    assert_eq!(
        shown["data"]["relationships"]["team"]["data"]["id"],
        ops.id()
    );
    for (part, count) in [("OPS", 1), ("none", 0)] {
        let listed = ann.get(&format!("{org}/team-tokens?q={part}")).await;
        let listed = listed.expect(200).json();
        assert_eq!(listed["meta"]["pagination"]["total-count"], count, "{part}");
    }
    ann.post(
        &path,
        &body(json!({ "expired-at": "2001-01-01T00:00:00Z" })),
    )
    .await
    .refused(422, "expired-at must be a time after now");
    ann.delete(&token).await.expect(204);
    of_team.get(&workspaces).await.refused(401, "unknown");
    ann.get(&token).await.refused(404, "not found");
}

/// Ids of runs are made by clients, and users have their names in all organizations: neither tells
/// about another organization, nor hides one's own.
#[tokio::test]
async fn runs_and_users_are_those_of_an_organization() {
    let world = World::new().await;
    let ann = world.owner().await;
    let zoe = world.client(
        &world
            .token("zoe", "other", "read-state,write-state,lock")
            .await,
    );
    let state = |client: &str| {
        let mut request = State::new(1, client, "a").inline();
        request["data"]["relationships"] =
            json!({ "run": { "data": { "type": "runs", "id": "run-7" } } });
        request
    };
    let own = ann.locked("net").await;
    ann.post(
        &format!("/api/v2/workspaces/{own}/state-versions"),
        &state("ann"),
    )
    .await
    .expect(201);
    let creator = ann
        .get("/api/v2/runs/run-7/created-by")
        .await
        .expect(200)
        .id();
    let workspace = json!({ "data": { "type": "workspaces", "attributes": { "name": "net" } } });
    let other = zoe
        .made("/api/v2/organizations/other/workspaces", &workspace)
        .await;
    zoe.get("/api/v2/runs/run-7").await.refused(404, "run-7");
    zoe.lock(&other).await.expect(200);
    zoe.post(
        &format!("/api/v2/workspaces/{other}/state-versions"),
        &state("zoe"),
    )
    .await
    .expect(201);
    assert_eq!(
        ann.get("/api/v2/runs/run-7/created-by")
            .await
            .expect(200)
            .attributes()["username"],
        "ann"
    );
    assert_eq!(
        zoe.get("/api/v2/runs/run-7/created-by")
            .await
            .expect(200)
            .attributes()["username"],
        "zoe"
    );
    ann.get(&format!("/api/v2/users/{creator}"))
        .await
        .expect(200);
    zoe.get(&format!("/api/v2/users/{creator}"))
        .await
        .refused(404, "not found");
}

#[tokio::test]
async fn failed_sign_ins_are_counted_noted_and_slowed() {
    let world = World::new().await;
    let ann = world.owner().await;
    ann.get("/metrics").await.expect(200);
    let from = "192.0.2.7:4711".parse().expect("an address");
    for _ in 0..20 {
        world
            .client("upstate.wrong")
            .at(from)
            .get("/api/v2/account/details")
            .await
            .refused(401, "unknown");
    }
    let late = world
        .client("upstate.wrong")
        .at(from)
        .get("/api/v2/account/details")
        .await
        .refused(429, "wait one");
    assert_eq!(late.header("retry-after"), Some("60"));
    assert!(
        late.headers
            .keys()
            .all(|name| !name.as_str().contains("ratelimit"))
    );
    // Who has a good token, or another address, is not kept out.
    ann.at(from)
        .get("/api/v2/account/details")
        .await
        .expect(200);
    let elsewhere = "192.0.2.8:4711".parse().expect("an address");
    world
        .client("upstate.wrong")
        .at(elsewhere)
        .get("/api/v2/account/details")
        .await
        .refused(401, "unknown");
    world.wait(Duration::from_mins(1));
    world
        .client("upstate.wrong")
        .at(from)
        .get("/api/v2/account/details")
        .await
        .refused(401, "unknown");
    let filter = AuditFilter {
        action: Some("sign-in".to_owned()),
        ..AuditFilter::default()
    };
    let log = world
        .service
        .store()
        .audit(
            &filter,
            Page {
                number: 1,
                size: 100,
            },
        )
        .await
        .expect("a log");
    assert_eq!(log.total, 22);
    assert!(
        log.items
            .iter()
            .all(|entry| entry.who.starts_with("nobody from 192.0.2.")),
        "{log:?}"
    );
    let numbers =
        String::from_utf8(ann.get("/metrics").await.expect(200).bytes.to_vec()).expect("text");
    assert!(
        numbers.contains("upstate_sign_in_failures_total"),
        "{numbers}"
    );
    world
        .nobody()
        .get("/metrics")
        .await
        .refused(401, "no token");
}

#[tokio::test]
async fn times_are_histograms() {
    let world = World::new().await;
    let ann = world.owner().await;
    ann.get("/metrics").await.expect(200);
    let id = ann.locked("net").await;
    ann.create(&id, &State::new(1, "l", "a")).await.expect(201);
    let numbers =
        String::from_utf8(ann.get("/metrics").await.expect(200).bytes.to_vec()).expect("text");
    for part in [
        "# TYPE upstate_http_request_seconds histogram",
        "# TYPE upstate_commit_seconds histogram",
        "upstate_commit_seconds_bucket{outcome=\"done\",le=\"60\"}",
        "upstate_commit_seconds_count{outcome=\"done\"}",
    ] {
        assert!(numbers.contains(part), "{part} is not in {numbers}");
    }
    assert!(!numbers.contains("quantile="), "{numbers}");
}

#[tokio::test]
async fn the_audit_log_says_who_reads() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let mut state = State::new(1, "l", "a");
    state.bytes = String::from_utf8(state.bytes)
        .expect("text")
        .replace("\"type\"", "\"sensitive\": true, \"type\"")
        .into_bytes();
    let made = ann.create(&id, &state).await.expect(201).json();
    let url = made["data"]["attributes"]["hosted-state-download-url"]
        .as_str()
        .expect("a URL")
        .to_owned();
    let output = made["data"]["relationships"]["outputs"]["data"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let from = "192.0.2.7:4711".parse().expect("an address");
    // By its URL, by a token, by `backend "http"`, and a sensitive output.
    world.nobody().at(from).get(&url).await.expect(200);
    ann.at(from)
        .bytes(made["data"]["id"].as_str().expect("an id"))
        .await;
    ann.at(from).get("/http/acme/net").await.expect(200);
    ann.at(from)
        .get(&format!("/api/v2/state-version-outputs/{output}"))
        .await
        .expect(200);
    let log = ann
        .json("/api/v2/organizations/acme/audit?page[size]=4")
        .await;
    for (entry, action) in log["data"].as_array().expect("a list").iter().zip([
        "output.read",
        "state.read",
        "state.read",
        "state.read",
    ]) {
        let attributes = &entry["attributes"];
        assert_eq!(
            (&attributes["action"], &attributes["workspace"]),
            (&json!(action), &json!(id))
        );
        let who = attributes["who"].as_str().expect("a text");
        assert!(
            who.starts_with("user ann (at-") && who.ends_with(") from 192.0.2.7"),
            "{who}"
        );
    }
    let reads = ann
        .json("/api/v2/organizations/acme/audit?filter[action]=state.read")
        .await;
    assert_eq!(reads["meta"]["pagination"]["total-count"], 3);
    // It can be left out.
    let quiet = World::with(Conduct {
        audit_reads: false,
        ..Conduct::default()
    })
    .await;
    let ann = quiet.owner().await;
    let id = ann.locked("net").await;
    let made = ann.stored(&id, &State::new(1, "l", "a")).await;
    ann.bytes(&made).await;
    let reads = ann
        .json("/api/v2/organizations/acme/audit?filter[action]=state.read")
        .await;
    assert_eq!(reads["meta"]["pagination"]["total-count"], 0);
}

#[tokio::test]
async fn organizations_are_seen_by_their_own() {
    let world = World::new().await;
    let ann = world.owner().await;
    world.token("zoe", "other", "admin").await;
    let listed = ann.json("/api/v2/organizations").await;
    assert_eq!(
        (
            listed["data"].as_array().map(Vec::len),
            &listed["data"][0]["id"]
        ),
        (Some(1), &json!("acme"))
    );
    ann.get("/api/v2/organizations/other")
        .await
        .refused(404, "organization \"other\"");
    ann.get("/api/v2/organizations/other/entitlement-set")
        .await
        .refused(404, "organization \"other\"");
    let set = ann.json("/api/v2/organizations/acme/entitlement-set").await;
    assert_eq!(
        (
            &set["data"]["type"],
            &set["data"]["attributes"]["operations"]
        ),
        (&json!("entitlement-sets"), &json!(false))
    );
    assert_eq!(set["data"]["attributes"]["state-storage"], true);
    let projects = ann
        .json("/api/v2/organizations/acme/projects?filter[names]=Default%20Project")
        .await;
    assert_eq!(projects["data"].as_array().map(Vec::len), Some(1));
    let projects = ann
        .json("/api/v2/organizations/acme/projects?filter[names]=x")
        .await;
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
    // terrasnek reads it before anything else.
    assert_eq!(discovery.json()["modules.v1"], "/api/registry/v1/modules/");
    nobody.get("/healthz").await.expect(200);
    nobody.get("/readyz").await.expect(200);
    nobody
        .get("/nonsense")
        .await
        .refused(404, "There is nothing at /nonsense");
    nobody
        .get("/api/v2/nonsense")
        .await
        .refused(404, "There is nothing at /api/v2/nonsense");
    nobody
        .send("PUT", "/api/v2/ping", &[], "")
        .await
        .refused(405, "does not take PUT");
}

#[tokio::test]
async fn every_answer_names_its_request() {
    let world = World::new().await;
    let nobody = world.nobody();
    let given = nobody
        .send("GET", "/healthz", &[("x-request-id", "abc-1")], "")
        .await;
    assert_eq!(given.header("x-request-id"), Some("abc-1"));
    for bad in ["a b", "", &"x".repeat(65)] {
        let own = nobody
            .send("GET", "/healthz", &[("x-request-id", bad)], "")
            .await;
        assert_eq!(own.header("x-request-id").map(str::len), Some(24));
    }
}

#[tokio::test]
async fn the_audit_log_says_who_did_what() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.create(&id, &State::new(1, "l", "s3cret"))
        .await
        .expect(201);
    let log = ann
        .get("/api/v2/organizations/acme/audit")
        .await
        .expect(200);
    assert!(!String::from_utf8_lossy(&log.bytes).contains("s3cret"));
    let actions: Vec<Value> = log.json()["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["attributes"]["action"].clone())
        .collect();
    assert_eq!(
        actions,
        [
            "state-version.create",
            "workspace.lock",
            "workspace.create",
            "token.create",
            "team.add-member",
            "team.create",
            "organization.create"
        ]
    );
    assert!(
        log.json()["data"][0]["attributes"]["who"]
            .as_str()
            .expect("a text")
            .starts_with("user ann (at-")
    );
    assert_eq!(
        Permissions::ALL.to_string(),
        "read-state,write-state,read-outputs,lock,force-unlock,admin"
    );
}

/// `GET /users/:id`, to which the link of `created-by` leads.
#[tokio::test]
async fn a_user_is_found_by_the_link_of_a_version() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let version = ann
        .create(&id, &State::new(1, "l", "a"))
        .await
        .expect(201)
        .json();
    let link = version["data"]["relationships"]["created-by"]["links"]["related"]
        .as_str()
        .expect("a link")
        .to_owned();
    let user = ann.get(&link).await.expect(200);
    assert_eq!(
        (
            user.attributes()["username"].clone(),
            user.json()["data"]["type"].clone()
        ),
        (json!("ann"), json!("users"))
    );
    world.nobody().get(&link).await.refused(401, "no token");
    ann.get("/api/v2/users/user-none")
        .await
        .refused(404, "user user-none not found");
}
