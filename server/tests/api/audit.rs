//! The audit log, on the page and for clients.

use std::time::Duration;

use serde_json::{Value, json};
use upstate_server::__internal::service::Conduct;

use crate::page::{sign_in_as, visit};
use crate::schemas::{filled, old, registry};
use crate::world::{State, World};

/// A job writes a line for each workspace, which would hide the rest.
#[tokio::test]
async fn the_audit_log_is_filtered() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("x")]).await;
    let gone = filled(&ann, "gone", &[old("x")]).await;
    let job = json!({ "data": { "type": "upstate-jobs", "attributes": {} } });
    let job = ann
        .made("/api/v2/upstate/organizations/acme/jobs", &job)
        .await;
    while world.service.work_on_jobs("test").await.expect("work") {}
    ann.delete(&format!("/api/v2/workspaces/{gone}"))
        .await
        .expect(204);
    let bob = world.user("bob", "read-state,lock").await;
    bob.lock(&net).await.expect(200);
    let found = async |query: &str| -> Vec<String> {
        let log = ann
            .json(&format!(
                "/api/v2/organizations/acme/audit?page[size]=100&{query}"
            ))
            .await;
        log["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one["attributes"]["action"].to_string().replace('"', ""))
            .collect()
    };
    let all = found("").await;
    assert_eq!(
        all.iter()
            .filter(|action| *action == "state-version.upgrade")
            .count(),
        2,
        "{all:?}"
    );
    assert_eq!(
        found("filter[action]=&filter[actor]=&filter[workspace][id]=&filter[jobs]=").await,
        all,
        "empty ones are none"
    );
    assert_eq!(
        found(&format!("filter[actor]={job}")).await,
        ["state-version.upgrade", "state-version.upgrade"]
    );
    let without: Vec<String> = all
        .iter()
        .filter(|action| *action != "state-version.upgrade")
        .cloned()
        .collect();
    assert_eq!(found("filter[jobs]=false").await, without);
    assert_eq!(found("filter[actor]=BOB").await, ["workspace.lock"]);
    assert_eq!(found("filter[action]=job").await, ["job.create"]);
    let of_gone = [
        "workspace.delete",
        "state-version.upgrade",
        "workspace.unlock",
        "state-version.create",
        "workspace.lock",
        "workspace.create",
    ];
    assert_eq!(
        found(&format!("filter[workspace][id]={gone}")).await,
        of_gone
    );
    ann.get("/api/v2/organizations/acme/audit?filter[jobs]=no")
        .await
        .refused(400, "filter[jobs] must be true or false, found \"no\"");
    // The page takes names as well, and the id of a deleted workspace.
    let cookie = sign_in_as(&world, "eve", "acme", "admin").await;
    let shown = async |query: &str| {
        visit(
            &world,
            &format!("/ui/organizations/acme/audit?{query}"),
            &cookie,
        )
        .await
    };
    let page = shown("workspace=net&jobs=hidden").await;
    page.has("workspace.lock");
    page.lacks("state-version.upgrade");
    page.lacks("workspace.delete");
    page.has("value=\"net\"");
    assert!(
        shown(&format!("workspace={gone}&action=workspace.delete"))
            .await
            .text
            .contains("<code>workspace.delete</code>")
    );
    let page = shown("actor=%3Cscript%3E").await;
    page.has("No lines match");
    page.lacks("<script>");
}

/// Who tried what they may not do is noted, with address, and not more often than somebody can
/// read.
#[tokio::test]
async fn the_audit_log_says_who_tried() {
    let world = World::new().await;
    let ann = world.owner().await;
    let net = ann.workspace("net").await;
    let bob = world
        .user("bob", "lock")
        .await
        .at("192.0.2.7:4711".parse().expect("an address"));
    bob.current(&net).await.refused(403, "read-state");
    world
        .nobody()
        .get("/objects/state-versions/sv-x/state?token=at-1&expires=1&signature=5ec7e7")
        .await
        .expect(403);
    let log = ann
        .json("/api/v2/organizations/acme/audit?filter[action]=access")
        .await;
    assert_eq!(log["meta"]["pagination"]["total-count"], 1);
    let line = &log["data"][0]["attributes"];
    assert_eq!(
        line["subject"],
        format!("GET /api/v2/workspaces/{net}/current-state-version")
    );
    let who = line["who"].as_str().expect("a text");
    assert!(
        who.starts_with("user bob (at-") && who.ends_with(" from 192.0.2.7"),
        "{who}"
    );
    for _ in 0..30 {
        bob.current(&net).await.refused(403, "read-state");
    }
    let log = ann
        .json("/api/v2/organizations/acme/audit?filter[action]=access")
        .await;
    assert_eq!(log["meta"]["pagination"]["total-count"], 20);
    assert_eq!(
        log["data"][0]["attributes"]["detail"],
        "further ones from there within a minute are not listed"
    );
}

/// As lines of JSON, in order, from where the client left off; nothing in them is secret.
#[tokio::test]
async fn the_audit_log_is_exported() {
    let world = World::new().await;
    let secret = world
        .token(
            "ann",
            "acme",
            "read-state,write-state,read-outputs,lock,force-unlock,admin",
        )
        .await;
    let ann = world.client(&secret);
    let net = ann.locked("net").await;
    let made = ann
        .create(&net, &State::new(1, "l", "s3cret-marker"))
        .await
        .expect(201);
    let url = made.attributes()["hosted-state-download-url"]
        .as_str()
        .expect("a URL")
        .to_owned();
    world.nobody().get(&url).await.expect(200);
    world.nobody().get(&format!("{url}0")).await.expect(403);
    world
        .client("upstate.s3cret-token")
        .get("/api/v2/account/details")
        .await
        .expect(401);
    let token =
        json!({ "data": { "type": "authentication-tokens", "attributes": { "user": "bob" } } });
    let token = ann
        .post("/api/v2/organizations/acme/tokens", &token)
        .await
        .expect(201)
        .attributes();
    let bobs = token["token"].as_str().expect("a token");
    let lines = async |query: &str| -> Vec<Value> {
        let answer = ann
            .get(&format!("/api/v2/organizations/acme/audit/lines{query}"))
            .await
            .expect(200);
        assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
        let text = String::from_utf8(answer.bytes.to_vec()).expect("text");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    };
    let all = lines("").await;
    let actions: Vec<&str> = all
        .iter()
        .map(|line| line["action"].as_str().expect("a text"))
        .collect();
    for action in [
        "organization.create",
        "workspace.lock",
        "state-version.create",
        "state.read",
        "token.create",
    ] {
        assert!(actions.contains(&action), "{actions:?}");
    }
    assert!(
        all.windows(2)
            .all(|pair| pair[0]["seq"].as_i64() < pair[1]["seq"].as_i64())
    );
    let third = all[2]["seq"].as_i64().expect("a number");
    assert_eq!(lines(&format!("?after={third}")).await, all[3..]);
    assert_eq!(
        lines(&format!("?after={}", i64::MAX)).await,
        Vec::<Value>::new()
    );
    ann.get("/api/v2/organizations/acme/audit/lines?after=x")
        .await
        .refused(400, "number of a line");
    // Of the whole server, too.
    let signature = url.split("signature=").nth(1).expect("a signature");
    for (_, entry) in world
        .service
        .store()
        .audit_after(None, 0, 1000)
        .await
        .expect("a log")
    {
        let line = entry.to_json(0).to_string();
        for part in ["s3cret", secret.as_str(), bobs, signature] {
            assert!(!line.contains(part), "{line}");
        }
    }
}

#[tokio::test]
async fn old_lines_of_the_audit_log_go() {
    let day = Duration::from_hours(24);
    let world = World::with(Conduct {
        audit_keep: Some(30 * day),
        ..Conduct::default()
    })
    .await;
    let ann = world.owner().await;
    ann.workspace("old").await;
    world.wait(20 * day);
    ann.workspace("new").await;
    let subjects = async || -> Vec<String> {
        let found = world
            .service
            .store()
            .audit_after(None, 0, 100)
            .await
            .expect("a log");
        found
            .into_iter()
            .map(|(_, entry)| format!("{} {}", entry.action, entry.subject))
            .collect()
    };
    let before = subjects().await;
    world.service.upkeep().await.expect("upkeep");
    assert_eq!(subjects().await, before);
    world.wait(11 * day);
    world.service.upkeep().await.expect("upkeep");
    assert_eq!(subjects().await, ["workspace.create new", "audit.trim "]);
}
