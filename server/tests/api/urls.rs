//! The URLs in answers: nobody gets one that opens more than the token that asked.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use upstate_server::__internal::api::{ROUTES, Route};
use upstate_server::__internal::model::{Permission, Permissions};

use crate::downgrades::{note_of, world};
use crate::schemas::state;
use crate::world::{BASE, Client, State, World, text};

const ALL: &str = "read-state,write-state,read-outputs,lock,force-unlock,admin";

/// What the parameters of paths stand for, all of one user who holds the lock.
struct Scene {
    name: String,
    ids: Vec<(&'static str, String)>,
    first: String,
    next: i64,
}

async fn scene(world: &World, user: &str) -> Scene {
    let full = world.user(user, ALL).await;
    let workspace = full.locked(user).await;
    let late = full
        .begin(&workspace, &State::new(1, "l", "late"))
        .await
        .expect(201);
    let url = text(&late.attributes()["hosted-state-upload-url"]);
    full.force_unlock(&workspace).await.expect(200);
    full.put(&url, &State::new(1, "l", "late").bytes)
        .await
        .expect(409);
    full.lock(&workspace).await.expect(200);
    let mut request = state(1, &[note_of("a", 1)]).inline();
    request["data"]["attributes"]["json-state"] = json!("e30=");
    request["data"]["relationships"] =
        json!({ "run": { "data": { "type": "runs", "id": format!("run-{user}") } } });
    let path = format!("/api/v2/workspaces/{workspace}/state-versions");
    let first = full.post(&path, &request).await.expect(201).json();
    let second = full.stored(&workspace, &state(2, &[note_of("a", 1)])).await;
    let kept = full
        .json(&format!("/api/v2/workspaces/{workspace}/quarantine"))
        .await;
    let team = json!({ "data": { "type": "teams", "attributes": { "name": user, "permissions": "lock" } } });
    let team = full.made("/api/v2/organizations/acme/teams", &team).await;
    let token =
        json!({ "data": { "type": "authentication-tokens", "attributes": { "team": team } } });
    let token = full.made("/api/v2/organizations/acme/tokens", &token).await;
    let job =
        json!({ "data": { "type": "upstate-jobs", "attributes": { "workspaces": [workspace] } } });
    let job = full
        .made("/api/v2/upstate/organizations/acme/jobs", &job)
        .await;
    let first_id = text(&first["data"]["id"]);
    let ids = vec![
        ("{workspace_id}", workspace),
        ("{state_version_id}", second),
        (
            "{output_id}",
            text(&first["data"]["relationships"]["outputs"]["data"][0]["id"]),
        ),
        (
            "{user_id}",
            text(&first["data"]["relationships"]["created-by"]["data"]["id"]),
        ),
        ("{team_id}", team),
        ("{token_id}", token),
        ("{quarantine_id}", text(&kept["data"][0]["id"])),
        ("{run_id}", format!("run-{user}")),
        ("{job_id}", job),
        ("{type_name}", "example_note".to_owned()),
        ("{organization}", "acme".to_owned()),
        ("{workspace}", user.to_owned()),
        ("{content}", "state".to_owned()),
    ];
    Scene {
        name: user.to_owned(),
        ids,
        first: first_id,
        next: 3,
    }
}

impl Scene {
    fn path(&self, route: &Route) -> String {
        let path = self
            .ids
            .iter()
            .fold(route.path.to_owned(), |path, (name, id)| {
                path.replace(name, id)
            });
        match route.path {
            "/api/v2/state-versions" => {
                format!(
                    "{path}?filter[workspace][name]={}&filter[organization][name]=acme&include=outputs,created_by",
                    self.name
                )
            }
            _ if path.ends_with("/search") => format!("{path}?filter[type]=example_note"),
            _ => path,
        }
    }

    /// What to send, so that the route does its work.
    fn bodies(&mut self, route: &Route) -> Vec<String> {
        let named = |type_name: &str, attributes: Value| json!({ "data": { "type": type_name, "attributes": attributes } });
        match (route.method, route.path) {
            ("POST", "/api/v2/workspaces/{workspace_id}/state-versions") => {
                let mut next = || {
                    self.next += 20;
                    state(self.next, &[note_of("a", 1)])
                };
                let (inline, pending) = (next(), next());
                vec![
                    inline.inline().to_string(),
                    pending.request().to_string(),
                    pending.request().to_string(),
                    next().forced().to_string(),
                ]
            }
            ("PATCH", "/api/v2/workspaces/{workspace_id}/state-versions") => {
                let source = json!({ "data": { "type": "state-versions", "id": self.first } });
                let data = json!({ "type": "state-versions", "relationships": { "rollback-state-version": source } });
                vec![json!({ "data": data }).to_string()]
            }
            // The second time, there is nothing to upgrade.
            ("POST", path) if path.ends_with("/actions/upgrade") => {
                vec![String::new(), String::new()]
            }
            ("POST", path) if path.ends_with("/actions/downgrade") => {
                let body = named(
                    "upstate-downgrades",
                    json!({ "to-release": "1.0.0", "allow-loss": true }),
                )
                .to_string();
                vec![body.clone(), body]
            }
            ("POST", path) if path.ends_with("/jobs") => {
                vec![named("upstate-jobs", json!({})).to_string()]
            }
            ("PATCH", "/api/v2/workspaces/{workspace_id}") => {
                vec![named("workspaces", json!({ "description": "x" })).to_string()]
            }
            ("POST", path) if path.ends_with("/workspaces") => {
                vec![
                    named(
                        "workspaces",
                        json!({ "name": format!("{}-new", self.name) }),
                    )
                    .to_string(),
                ]
            }
            ("ANY", "/http/{organization}/{workspace}") => {
                self.next += 20;
                vec![String::from_utf8(state(self.next, &[]).bytes).expect("text")]
            }
            _ => vec![String::new()],
        }
    }
}

/// The URLs of this server in an answer, wherever they are.
fn urls(answer: &str) -> BTreeSet<String> {
    let begins = answer
        .match_indices(BASE)
        .map(|(start, _)| &answer[start..]);
    begins
        .map(|rest| {
            rest.split(['"', '\\', ' ', '<'])
                .next()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

/// How many URLs of an answer opened something without a token: downloads, and uploads.
async fn try_urls(
    world: &World,
    can: Permissions,
    of: &str,
    answer: &str,
    seen: &mut BTreeSet<String>,
) -> (usize, usize) {
    let (mut downloads, mut uploads) = (0, 0);
    for url in urls(answer) {
        if !seen.insert(
            url.split('?').next().unwrap_or_default().to_owned()
                + if url.contains("signature") { "?" } else { "" },
        ) {
            continue;
        }
        let got = world.nobody().get(&url).await;
        if got.status == 200 {
            downloads += 1;
            assert!(
                can.allow(Permission::ReadState),
                "{of} gave [{can}] {url}, which opens {} bytes",
                got.bytes.len()
            );
        }
        if url.contains("/objects/") && world.nobody().put(&url, b"x").await.status != 403 {
            uploads += 1;
            assert!(
                can.allow(Permission::WriteState),
                "{of} gave [{can}] {url}, which takes uploads"
            );
        }
    }
    (downloads, uploads)
}

/// Every set of permissions, every route with what it works on, the whole answer.
#[tokio::test]
async fn no_answer_holds_a_url_for_who_may_not_use_it() {
    let world = world().await;
    let (mut requested, mut downloads, mut uploads) = (0, 0, 0);
    let mut routes: Vec<&Route> = ROUTES.iter().collect();
    // What takes things away comes last.
    routes.sort_by_key(|route| {
        let takes_away = route.method == "DELETE"
            || route.path.contains("delete")
            || route.path.contains("unlock");
        (takes_away, route.method == "GET" || route.method == "ANY")
    });
    for bits in 0..64_u32 {
        let has = Permission::ALL
            .into_iter()
            .enumerate()
            .filter(|(place, _)| bits & (1 << place) != 0);
        let can = has.fold(Permissions::NONE, |all, (_, permission)| {
            all.with(permission)
        });
        let user = format!("set-{bits}");
        let mut scene = scene(&world, &user).await;
        let client: Client<'_> = world.user(&user, &can.to_string()).await;
        let mut seen = BTreeSet::new();
        for route in &routes {
            for body in scene.bodies(route) {
                let methods: &[&str] = if route.method == "ANY" {
                    &["GET", "POST", "LOCK"]
                } else {
                    &[route.method]
                };
                for method in methods {
                    let body = if *method == "GET" {
                        String::new()
                    } else {
                        body.clone()
                    };
                    let answer = client.send(method, &scene.path(route), &[], body).await;
                    requested += 1;
                    let of = format!("{method} {}", route.path);
                    let answer = String::from_utf8_lossy(&answer.bytes).into_owned();
                    let (more_downloads, more_uploads) =
                        try_urls(&world, can, &of, &answer, &mut seen).await;
                    downloads += more_downloads;
                    uploads += more_uploads;
                }
            }
        }
    }
    assert!(
        requested > 4000 && downloads > 100 && uploads > 30,
        "{requested} {downloads} {uploads}"
    );
}

/// The routes that make a version show it, so they need reading and writing, as the reference says.
#[tokio::test]
async fn writing_a_version_needs_reading_it() {
    let world = world().await;
    for can in ["write-state,lock", "read-state,lock"] {
        let mut scene = scene(
            &world,
            if can.starts_with("write") {
                "writer"
            } else {
                "reader"
            },
        )
        .await;
        let client = world.user(&scene.name, can).await;
        let versions = world.owner().await.versions(&scene.name).await.len();
        for route in ROUTES {
            let makes = route.path == "/api/v2/workspaces/{workspace_id}/state-versions"
                || route.path.ends_with("grade");
            for body in if makes && route.method != "GET" {
                scene.bodies(route)
            } else {
                Vec::new()
            } {
                let missing = if can.starts_with("write") {
                    "read-state"
                } else {
                    "write-state"
                };
                client
                    .send(route.method, &scene.path(route), &[], body)
                    .await
                    .refused(403, missing);
            }
        }
        assert_eq!(
            world.owner().await.versions(&scene.name).await.len(),
            versions
        );
    }
}

/// A URL is no longer good than the token for which it was made.
#[tokio::test]
async fn a_signed_url_ends_with_its_token() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let team = json!({ "data": { "type": "teams", "attributes": { "name": "ops", "permissions": "read-state,write-state,lock" } } });
    let team = ann.made("/api/v2/organizations/acme/teams", &team).await;
    let body = json!({ "data": { "type": "authentication-tokens", "attributes": { "team": team, "expires-in-days": 1 } } });
    let made = ann
        .post("/api/v2/organizations/acme/tokens", &body)
        .await
        .expect(201);
    let ops = world.client(&text(&made.attributes()["token"]));
    ann.unlock(&id).await.expect(200);
    ops.lock(&id).await.expect(200);
    ops.create(&id, &State::new(1, "l", "a")).await.expect(201);
    let download =
        text(&ops.current(&id).await.expect(200).attributes()["hosted-state-download-url"]);
    let pending = State::new(2, "l", "b");
    let upload =
        text(&ops.begin(&id, &pending).await.expect(201).attributes()["hosted-state-upload-url"]);
    world.nobody().get(&download).await.expect(200);
    // What the token may no longer do, its URLs do not, either.
    let change = |permissions: &str| json!({ "data": { "type": "teams", "attributes": { "permissions": permissions } } });
    ann.patch(&format!("/api/v2/teams/{team}"), &change("write-state"))
        .await
        .expect(200);
    world
        .nobody()
        .get(&download)
        .await
        .refused(403, "read-state");
    ann.patch(&format!("/api/v2/teams/{team}"), &change("read-state,lock"))
        .await
        .expect(200);
    world.nobody().get(&download).await.expect(200);
    ann.put(&upload, &pending.bytes)
        .await
        .refused(403, "write-state");
    ann.patch(
        &format!("/api/v2/teams/{team}"),
        &change("read-state,write-state,lock"),
    )
    .await
    .expect(200);
    // A URL that names another token is not signed for it.
    let other = download.replace(&made.id(), "at-0123456789abcdef");
    assert_ne!(other, download);
    world.nobody().get(&other).await.refused(403, "signature");
    ann.delete(&format!("/api/v2/tokens/{}", made.id()))
        .await
        .expect(204);
    world.nobody().get(&download).await.refused(403, "revoked");
    ann.put(&upload, &pending.bytes)
        .await
        .refused(403, "revoked");
    // An expired one counts as a revoked one.
    let made = ann
        .post("/api/v2/organizations/acme/tokens", &body)
        .await
        .expect(201);
    let ops = world.client(&text(&made.attributes()["token"]));
    world.wait(Duration::from_mins(24 * 60 - 1));
    let download =
        text(&ops.current(&id).await.expect(200).attributes()["hosted-state-download-url"]);
    world.nobody().get(&download).await.expect(200);
    world.wait(Duration::from_mins(2));
    world.nobody().get(&download).await.refused(403, "expired");
}
