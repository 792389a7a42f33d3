//! Every route, asked by everybody: no token, a wrong one, another organization's, and one with each permission.

use serde_json::{Value, json};
use upstate_server::api::{Needs, ROUTES, Route};
use upstate_server::model::{Permission, Permissions};

use crate::world::{State, World};

/// What the parameters of paths stand for: all of one workspace, ready for any request.
struct Scene {
    workspace: String,
    version: String,
    output: String,
    user: String,
    team: String,
    token: String,
    quarantine: String,
    job: String,
}

/// A world with a locked workspace that has a version, a pending version, an output, a run, a kept late upload.
async fn scene(world: &World) -> Scene {
    let ann = world.owner().await;
    let workspace = ann.locked("net").await;
    let pending = ann.begin(&workspace, &State::new(1, "l", "late")).await.expect(201);
    let url = pending.attributes()["hosted-state-upload-url"].as_str().expect("a URL").to_owned();
    ann.force_unlock(&workspace).await.expect(200);
    ann.put(&url, &State::new(1, "l", "late").bytes).await.expect(409);
    ann.lock(&workspace).await.expect(200);
    let mut request = State::new(1, "l", "a").inline();
    request["data"]["relationships"] = json!({ "run": { "data": { "type": "runs", "id": "run-1" } } });
    let created = ann.post(&format!("/api/v2/workspaces/{workspace}/state-versions"), &request).await.expect(201).json();
    let kept = ann.get(&format!("/api/v2/workspaces/{workspace}/quarantine")).await.expect(200).json();
    let team = json!({ "data": { "type": "teams", "attributes": { "name": "ops", "permissions": "lock" } } });
    let team = ann.post("/api/v2/organizations/acme/teams", &team).await.expect(201).id();
    let token = json!({ "data": { "type": "authentication-tokens", "attributes": { "team": team } } });
    let token = ann.post("/api/v2/organizations/acme/tokens", &token).await.expect(201).id();
    let job = json!({ "data": { "type": "upstate-jobs", "attributes": { "workspaces": [workspace] } } });
    let job = ann.post("/api/v2/upstate/organizations/acme/jobs", &job).await.expect(201).id();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    Scene {
        version: text(&created["data"]["id"]),
        output: text(&created["data"]["relationships"]["outputs"]["data"][0]["id"]),
        user: text(&created["data"]["relationships"]["created-by"]["data"]["id"]),
        quarantine: text(&kept["data"][0]["id"]),
        workspace,
        team,
        token,
        job,
    }
}

impl Scene {
    fn path(&self, route: &Route) -> String {
        route
            .path
            .replace("{workspace_id}", &self.workspace)
            .replace("{state_version_id}", &self.version)
            .replace("{output_id}", &self.output)
            .replace("{user_id}", &self.user)
            .replace("{team_id}", &self.team)
            .replace("{token_id}", &self.token)
            .replace("{quarantine_id}", &self.quarantine)
            .replace("{run_id}", "run-1")
            .replace("{job_id}", &self.job)
            .replace("{organization}", "acme")
            .replace("{workspace}", "net")
            .replace("{content}", "state")
    }
}

fn is_enough(needs: Needs, has: Permissions) -> bool {
    match needs {
        Needs::Nothing | Needs::Token => true,
        Needs::Signature | Needs::ReadState => has.allow(Permission::ReadState),
        Needs::Member => !has.is_empty(),
        Needs::ReadOutputs => has.allow(Permission::ReadOutputs) || has.allow(Permission::ReadState),
        Needs::WriteState => has.allow(Permission::WriteState),
        Needs::ReadAndWriteState => has.allow(Permission::ReadState) && has.allow(Permission::WriteState),
        Needs::Lock => has.allow(Permission::Lock),
        Needs::ForceUnlock => has.allow(Permission::ForceUnlock),
        Needs::Admin => has.allow(Permission::Admin),
    }
}

/// Each permission alone, and the one pair that a route needs.
fn sets() -> Vec<Permissions> {
    let alone = Permission::ALL.into_iter().map(|permission| Permissions::NONE.with(permission));
    alone.chain([Permissions::NONE.with(Permission::ReadState).with(Permission::WriteState)]).collect()
}

/// The method to ask with, and what to add to the path.
fn question(route: &Route) -> (&'static str, &'static str) {
    match (route.method, route.path) {
        ("ANY", path) if path.ends_with("/lock") => ("POST", ""),
        ("ANY", _) => ("GET", ""),
        (method, "/api/v2/state-versions") => (method, "?filter[workspace][name]=net&filter[organization][name]=acme"),
        (method, path) if path.ends_with("/search") => (method, "?filter[type]=example_thing"),
        (method, _) => (method, ""),
    }
}

/// Who is asking is refused with 401, 403 or 404; a token that may is not, whatever else is wrong with an empty request.
#[tokio::test]
async fn every_route_is_asked_by_everybody() {
    let mut requested = 0;
    let world = World::new().await;
    let scene = scene(&world).await;
    let before = state_of(&world, &scene).await;
    let all = "read-state,write-state,read-outputs,lock,force-unlock,admin";
    let stranger = world.token("zoe", "other", all).await;
    for route in ROUTES {
        let (method, query) = question(route);
        let path = format!("{}{query}", scene.path(route));
        let nobody = world.nobody().send(method, &path, &[], "").await;
        let wrong = world.client("upstate.wrong").send(method, &path, &[], "").await;
        let other = world.client(&stranger).send(method, &path, &[], "").await;
        requested += 3;
        match (route.needs, route.method) {
            (Needs::Nothing, _) => assert!(nobody.status < 300 && wrong.status < 300 && other.status < 300, "{route:?}"),
            (Needs::Signature, "PUT") => {
                // A token does not upload: the URL does.
                assert_eq!((nobody.status, wrong.status, other.status), (403, 403, 403), "{route:?}");
                continue;
            }
            (Needs::Token, _) => assert_eq!((nobody.status, wrong.status, other.status), (401, 401, 200), "{route:?}"),
            (
                Needs::Signature
                | Needs::Member
                | Needs::ReadState
                | Needs::ReadOutputs
                | Needs::WriteState
                | Needs::ReadAndWriteState
                | Needs::Lock
                | Needs::ForceUnlock
                | Needs::Admin,
                _,
            ) => assert_eq!((nobody.status, wrong.status, other.status), (401, 401, 404), "{route:?}: {other:?}"),
        }
        for permissions in sets() {
            let may = is_enough(route.needs, permissions);
            // Those who may would change what the next ones find; they are asked below, each in a world of its own.
            if may && route.method != "GET" {
                continue;
            }
            let token = world.token("somebody", "acme", &permissions.to_string()).await;
            let answer = world.client(&token).send(method, &path, &[], "").await;
            requested += 1;
            let refused = matches!(answer.status, 401 | 403);
            assert_eq!(refused, !may, "{route:?} with {permissions:?}: {answer:?}");
            if may {
                assert!(
                    (200..300).contains(&answer.status) || answer.status == 404,
                    "{route:?} with {permissions:?}: {answer:?}"
                );
            }
        }
    }
    assert!(requested > 400, "{requested}");
    assert_eq!(state_of(&world, &scene).await, before, "somebody who may not changed something");
}

/// A token with just the permissions that a route needs is not refused.
#[tokio::test]
async fn whoever_may_is_let_through() {
    for route in ROUTES.iter().filter(|route| route.method != "GET") {
        for permissions in sets().into_iter().filter(|permissions| is_enough(route.needs, *permissions)) {
            if route.needs == Needs::Signature {
                continue;
            }
            let world = World::new().await;
            let scene = scene(&world).await;
            let token = world.token("one", "acme", &permissions.to_string()).await;
            let (method, query) = question(route);
            let answer = world.client(&token).send(method, &format!("{}{query}", scene.path(route)), &[], "").await;
            assert!(!matches!(answer.status, 401 | 403 | 404 | 405 | 500), "{route:?} with {permissions:?}: {answer:?}");
        }
    }
}

/// What anybody could have changed.
async fn state_of(world: &World, scene: &Scene) -> Vec<Value> {
    let ann = world.owner().await;
    let mut workspace = ann.get(&format!("/api/v2/workspaces/{}", scene.workspace)).await.expect(200).json();
    workspace["data"]["attributes"]["permissions"] = Value::Null;
    let versions = ann.versions("net").await.iter().map(|version| version["id"].clone()).collect();
    let teams = ann.get("/api/v2/organizations/acme/teams").await.expect(200).json();
    vec![workspace, Value::Array(versions), teams]
}
