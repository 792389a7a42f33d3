//! Every route, asked by everybody: no token, a wrong one, another organization's, and one with
//! each permission.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use upstate_server::__internal::api::{Needs, ROUTES, Route};
use upstate_server::__internal::model::{
    AccessId, AuditEntry, Permission, Permissions, Place, ProjectId, TeamAccess, Token, TokenId,
    TokenKind, WorkspaceId,
};
use upstate_server::__internal::service::TokenFor;

use crate::schemas::registry;
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
    plan: String,
    project: String,
    team_project: String,
    team_workspace: String,
    trust: String,
}

/// What only those may see who may read outputs or states.
const MARKER: &str = "s3cret-marker";

/// A world with a locked workspace that has a version, a pending version, an output, a run, a kept
/// late upload.
async fn scene(world: &World) -> Scene {
    let ann = world.owner().await;
    let project = json!({ "data": { "type": "projects", "attributes": { "name": "prod" } } });
    let project = ann
        .made("/api/v2/organizations/acme/projects", &project)
        .await;
    let workspace = json!({ "data": {
        "type": "workspaces",
        "attributes": { "name": "net" },
        "relationships": { "project": { "data": { "type": "projects", "id": project } } },
    }});
    let workspace = ann
        .made("/api/v2/organizations/acme/workspaces", &workspace)
        .await;
    ann.lock(&workspace).await.expect(200);
    let pending = ann
        .begin(&workspace, &State::new(1, "l", "late"))
        .await
        .expect(201);
    let url = pending.attributes()["hosted-state-upload-url"]
        .as_str()
        .expect("a URL")
        .to_owned();
    ann.force_unlock(&workspace).await.expect(200);
    ann.put(&url, &State::new(1, "l", "late").bytes)
        .await
        .expect(409);
    ann.lock(&workspace).await.expect(200);
    let mut request = State::new(1, "l", MARKER).inline();
    request["data"]["relationships"] =
        json!({ "run": { "data": { "type": "runs", "id": "run-1" } } });
    let created = ann
        .post(
            &format!("/api/v2/workspaces/{workspace}/state-versions"),
            &request,
        )
        .await
        .expect(201)
        .json();
    let kept = ann
        .json(&format!("/api/v2/workspaces/{workspace}/quarantine"))
        .await;
    let team = json!({ "data": { "type": "teams", "attributes": { "name": "ops", "permissions": "lock" } } });
    let team = ann.made("/api/v2/organizations/acme/teams", &team).await;
    let token =
        json!({ "data": { "type": "authentication-tokens", "attributes": { "team": team } } });
    let token = ann.made("/api/v2/organizations/acme/tokens", &token).await;
    let job =
        json!({ "data": { "type": "upstate-jobs", "attributes": { "workspaces": [workspace] } } });
    let job = ann
        .made("/api/v2/upstate/organizations/acme/jobs", &job)
        .await;
    let plan =
        json!({ "data": { "type": "upstate-plans", "attributes": { "workspaces": [workspace] } } });
    let plan = ann
        .made("/api/v2/upstate/organizations/acme/plans", &plan)
        .await;
    let access = async |of: &str, id: &str| {
        let body = access(of, id, &team);
        ann.post(&format!("/api/v2/team-{of}s"), &body)
            .await
            .expect(201)
            .id()
    };
    let trust = json!({ "data": {
        "type": "upstate-trusts",
        "attributes": { "name": "main", "issuer": "https://ci.example.com", "claims": { "sub": "repo:acme/infra" }, "access": "write" },
        "relationships": { "workspace": { "data": { "type": "workspaces", "id": workspace } } },
    }});
    let trust = ann
        .made("/api/v2/upstate/organizations/acme/trusts", &trust)
        .await;
    let (team_project, team_workspace) = (
        access("project", &project).await,
        access("workspace", &workspace).await,
    );
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    Scene {
        project,
        team_project,
        team_workspace,
        trust,
        version: text(&created["data"]["id"]),
        output: text(&created["data"]["relationships"]["outputs"]["data"][0]["id"]),
        user: text(&created["data"]["relationships"]["created-by"]["data"]["id"]),
        quarantine: text(&kept["data"][0]["id"]),
        workspace,
        team,
        token,
        job,
        plan,
    }
}

/// A request for what a team may do at a place.
fn access(of: &str, id: &str, team: &str) -> Value {
    json!({ "data": {
        "type": format!("team-{of}s"),
        "attributes": { "access": "read" },
        "relationships": {
            of: { "data": { "type": format!("{of}s"), "id": id } },
            "team": { "data": { "type": "teams", "id": team } },
        },
    }})
}

impl Scene {
    /// What to send where the place is in the body.
    fn body(&self, route: &Route) -> String {
        match (route.method, route.path) {
            ("POST", "/api/v2/team-projects") => {
                access("project", &self.project, &self.team).to_string()
            }
            ("POST", "/api/v2/team-workspaces") => {
                access("workspace", &self.workspace, &self.team).to_string()
            }
            _ => String::new(),
        }
    }

    fn path(&self, route: &Route) -> String {
        route
            .path
            .replace("{workspace_id}", &self.workspace)
            .replace("{state_version_id}", &self.version)
            .replace("{output_id}", &self.output)
            .replace("{user_id}", &self.user)
            .replace("{team_id}", &self.team)
            .replace("{type_name}", "example_account")
            .replace("{token_id}", &self.token)
            .replace("{quarantine_id}", &self.quarantine)
            .replace("{run_id}", "run-1")
            .replace("{job_id}", &self.job)
            .replace("{plan_id}", &self.plan)
            .replace("{project_id}", &self.project)
            .replace("{trust_id}", &self.trust)
            .replace("{team_project_id}", &self.team_project)
            .replace("{team_workspace_id}", &self.team_workspace)
            .replace("{organization}", "acme")
            .replace("{workspace}", "net")
            .replace("{content}", "state")
    }
}

fn is_enough(needs: Needs, has: Permissions) -> bool {
    match needs {
        Needs::Nothing | Needs::Grant | Needs::Token => true,
        Needs::Signature | Needs::ReadState => has.allow(Permission::ReadState),
        Needs::Member => !has.is_empty(),
        Needs::ReadOutputs => {
            has.allow(Permission::ReadOutputs) || has.allow(Permission::ReadState)
        }
        Needs::WriteState => has.allow(Permission::WriteState),
        Needs::ReadAndWriteState => {
            has.allow(Permission::ReadState) && has.allow(Permission::WriteState)
        }
        Needs::Lock => has.allow(Permission::Lock),
        Needs::ForceUnlock => has.allow(Permission::ForceUnlock),
        Needs::Admin => has.allow(Permission::Admin),
        Needs::AdminAndReadState => {
            has.allow(Permission::Admin) && has.allow(Permission::ReadState)
        }
    }
}

/// Each permission alone, and the pairs that routes need.
fn sets() -> Vec<Permissions> {
    let alone = Permission::ALL
        .into_iter()
        .map(|permission| Permissions::NONE.with(permission));
    let read = Permissions::NONE.with(Permission::ReadState);
    alone
        .chain([
            read.with(Permission::WriteState),
            read.with(Permission::Admin),
        ])
        .collect()
}

/// The method to ask with, and what to add to the path.
fn question(route: &Route, scene: &Scene) -> (&'static str, String) {
    let (method, query) = fixed_question(route);
    match (route.method, route.path) {
        ("GET", "/api/v2/team-projects") => {
            (method, format!("?filter[project][id]={}", scene.project))
        }
        ("GET", "/api/v2/team-workspaces") => (
            method,
            format!("?filter[workspace][id]={}", scene.workspace),
        ),
        _ => (method, query.to_owned()),
    }
}

fn fixed_question(route: &Route) -> (&'static str, &'static str) {
    match (route.method, route.path) {
        ("ANY", path) if path.ends_with("/lock") => ("POST", ""),
        ("ANY", _) => ("GET", ""),
        (method, "/api/v2/state-versions") => (
            method,
            "?filter[workspace][name]=net&filter[organization][name]=acme",
        ),
        (method, path) if path.ends_with("/search") => (method, "?filter[type]=example_thing"),
        (method, _) => (method, ""),
    }
}

/// Who is asking is refused with 401, 403 or 404; a token that may is not, whatever else is wrong
/// with an empty request.
#[tokio::test]
async fn every_route_is_asked_by_everybody() {
    let mut requested = 0;
    let world = World::knowing(registry()).await;
    let scene = scene(&world).await;
    // A member of the team of everybody before it is looked at, because teams show their members.
    world.token("somebody", "acme", "lock").await;
    let before = state_of(&world, &scene).await;
    let all = "read-state,write-state,read-outputs,lock,force-unlock,admin";
    let stranger = world.token("zoe", "other", all).await;
    for route in ROUTES {
        let (method, query) = question(route, &scene);
        let path = format!("{}{query}", scene.path(route));
        let nobody = world
            .nobody()
            .send(method, &path, &[], scene.body(route))
            .await;
        let wrong = world
            .client("upstate.wrong")
            .send(method, &path, &[], scene.body(route))
            .await;
        let other = world
            .client(&stranger)
            .send(method, &path, &[], scene.body(route))
            .await;
        requested += 3;
        match (route.needs, route.method) {
            (Needs::Nothing, _) => assert!(
                nobody.status < 300 && wrong.status < 300 && other.status < 300,
                "{route:?}"
            ),
            (Needs::Signature, "PUT") => {
                // A token does not upload: the URL does.
                assert_eq!(
                    (nobody.status, wrong.status, other.status),
                    (403, 403, 403),
                    "{route:?}"
                );
                continue;
            }
            // A token is not a grant.
            (Needs::Grant, _) => assert_eq!(
                (nobody.status, wrong.status, other.status),
                (400, 400, 400),
                "{route:?}"
            ),
            (Needs::Token, _) => assert_eq!(
                (nobody.status, wrong.status, other.status),
                (401, 401, 200),
                "{route:?}"
            ),
            (
                Needs::Signature
                | Needs::Member
                | Needs::ReadState
                | Needs::ReadOutputs
                | Needs::WriteState
                | Needs::ReadAndWriteState
                | Needs::Lock
                | Needs::ForceUnlock
                | Needs::Admin
                | Needs::AdminAndReadState,
                _,
            ) => {
                // This backend would take 404 for "no state".
                let reads_state = route.path.starts_with("/http/") && method == "GET";
                assert_eq!(
                    (nobody.status, wrong.status, other.status),
                    (401, 401, if reads_state { 403 } else { 404 }),
                    "{route:?}: {other:?}"
                );
            }
        }
        for permissions in sets() {
            let may = is_enough(route.needs, permissions);
            // Those who may would change what the next ones find; they are asked below, in another
            // world after each change.
            if may && route.method != "GET" {
                continue;
            }
            let token = world
                .token("somebody", "acme", &permissions.to_string())
                .await;
            let answer = world
                .client(&token)
                .send(method, &path, &[], scene.body(route))
                .await;
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
    assert_eq!(
        state_of(&world, &scene).await,
        before,
        "somebody who may not changed something"
    );
}

/// A token with just the permissions that a route needs is not refused.
#[tokio::test]
async fn whoever_may_is_let_through() {
    let mut unchanged = None;
    for route in ROUTES.iter().filter(|route| route.method != "GET") {
        for permissions in sets()
            .into_iter()
            .filter(|permissions| is_enough(route.needs, *permissions))
        {
            if route.needs == Needs::Signature {
                continue;
            }
            let (world, scene) = if let Some(before) = unchanged.take() {
                before
            } else {
                let world = World::knowing(registry()).await;
                let scene = scene(&world).await;
                (world, scene)
            };
            let token = world.token("one", "acme", &permissions.to_string()).await;
            let (method, query) = question(route, &scene);
            let path = format!("{}{query}", scene.path(route));
            let answer = world
                .client(&token)
                .send(method, &path, &[], scene.body(route))
                .await;
            assert!(
                !matches!(answer.status, 401 | 403 | 404 | 405 | 500),
                "{route:?} with {permissions:?}: {answer:?}"
            );
            // Most bodies are empty and refused, which changes nothing; to make another world takes
            // longer than the request.
            if answer.status >= 400 {
                unchanged = Some((world, scene));
            }
        }
    }
}

/// The part of the organization whose permissions a route asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Organization,
    Project,
    Workspace,
    /// Another workspace of another project.
    Elsewhere,
}

fn level(route: &Route) -> Level {
    let of_workspace = [
        "{workspace",
        "{state_version_id}",
        "{output_id}",
        "{quarantine_id}",
        "{run_id}",
        "{team_workspace_id}",
    ];
    let path = route.path;
    if of_workspace.iter().any(|part| path.contains(part))
        || ["/api/v2/state-versions", "/api/v2/team-workspaces"].contains(&path)
    {
        Level::Workspace
    } else if path.contains("{project_id}")
        || path.contains("{team_project_id}")
        || path == "/api/v2/team-projects"
    {
        Level::Project
    } else {
        Level::Organization
    }
}

/// What those get at a route who have some permissions at one level and no others.
fn expected(route: &Route, at: Level, has: Permissions) -> (Permissions, Option<u16>) {
    let of = level(route);
    // In which project a workspace is made is in the body, which is not read here.
    let makes =
        (route.method, route.path) == ("POST", "/api/v2/organizations/{organization}/workspaces");
    let reaches = match at {
        Level::Organization => true,
        Level::Project => of == Level::Project || of == Level::Workspace || makes,
        Level::Workspace => of == Level::Workspace,
        Level::Elsewhere => false,
    };
    let here = if reaches { has } else { Permissions::NONE };
    let removes_project = (route.method, route.path) == ("DELETE", "/api/v2/projects/{project_id}");
    let status = match route.needs {
        Needs::Nothing | Needs::Grant | Needs::Token => None,
        // The organization is seen by everybody who has something inside.
        Needs::Member if of == Level::Organization => None,
        Needs::Admin if removes_project && at == Level::Project => Some(403),
        needs if is_enough(needs, here) => None,
        _ if here.is_empty() && of != Level::Organization && !route.path.starts_with("/http/") => {
            Some(404)
        }
        _ => Some(403),
    };
    (here, status)
}

/// Permissions in the organization, a project or a workspace, by every kind of token, asked on
/// every route: who may not is refused, who may is not, and no answer carries what its receiver may
/// not read.
#[tokio::test]
async fn every_route_is_asked_at_every_level() {
    let world = World::knowing(registry()).await;
    let scene = scene(&world).await;
    let before = state_of(&world, &scene).await;
    let service = &world.service;
    let store = service.store();
    let (acme, _) = service
        .ensure_organization("test", "acme")
        .await
        .expect("an organization");
    let elsewhere = world.owner().await.workspace("elsewhere").await;
    let note = || AuditEntry {
        at: service.now(),
        who: "test".to_owned(),
        action: "test".into(),
        organization: None,
        workspace: None,
        subject: String::new(),
        detail: String::new(),
    };
    let team = service
        .ensure_team("test", &acme.id, "matrix", Permissions::NONE)
        .await
        .expect("a team");
    let mia = service.join("test", &team, "mia").await.expect("a user");
    let member = || TokenFor::Member {
        name: "mia".to_owned(),
        organization: acme.id.clone(),
        within: Permissions::ALL,
    };
    let of_member = service
        .create_token("test", member(), "", None, None)
        .await
        .expect("a token")
        .secret;
    let of_team = service
        .create_token("test", TokenFor::Team(team.id.clone()), "", None, None)
        .await
        .expect("a token")
        .secret;
    // One that is of no organization alone.
    let everywhere = Token {
        id: TokenId::new(),
        hash: Sha256::digest(b"everywhere").into(),
        kind: TokenKind::User(mia.id),
        description: String::new(),
        created_at: service.now(),
        expires_at: None,
    };
    assert!(store.add_token(&everywhere, note()).await.expect("a store"));
    let mut asked = 0;
    for at in [
        Level::Organization,
        Level::Project,
        Level::Workspace,
        Level::Elsewhere,
    ] {
        for permissions in sets() {
            let place = match at {
                Level::Organization => None,
                Level::Project => {
                    Some(Place::Project(ProjectId::from_text(scene.project.as_str())))
                }
                Level::Workspace => Some(Place::Workspace(WorkspaceId::from_text(
                    scene.workspace.as_str(),
                ))),
                Level::Elsewhere => {
                    Some(Place::Workspace(WorkspaceId::from_text(elsewhere.as_str())))
                }
            };
            let granted = place.map(|place| TeamAccess {
                id: AccessId::new(),
                team: team.id.clone(),
                place,
                permissions,
            });
            let everywhere = if granted.is_none() {
                permissions
            } else {
                Permissions::NONE
            };
            store
                .set_team_permissions(&team.id, everywhere, note())
                .await
                .expect("a store");
            if let Some(granted) = &granted {
                assert!(
                    store
                        .add_team_access(granted, None, note())
                        .await
                        .expect("a store")
                );
            }
            for route in ROUTES {
                if route.needs == Needs::Signature && route.method == "PUT" {
                    continue;
                }
                let (here, status) = expected(route, at, permissions);
                // Those who may would change what the next ones find.
                if status.is_none() && route.method != "GET" && route.method != "ANY" {
                    continue;
                }
                let (method, query) = question(route, &scene);
                if status.is_none() && method != "GET" {
                    continue;
                }
                let path = format!("{}{query}", scene.path(route));
                let tokens = [of_member.as_str(), of_team.as_str(), "everywhere"];
                // The third one differs in what it is not bound to, which is the organization.
                for token in tokens
                    .into_iter()
                    .take(if at == Level::Organization { 3 } else { 2 })
                {
                    let answer = world
                        .client(token)
                        .send(method, &path, &[], scene.body(route))
                        .await;
                    asked += 1;
                    let context =
                        || format!("{route:?} at {at:?} with {permissions:?}: {answer:?}");
                    match status {
                        Some(status) => assert_eq!(answer.status, status, "{}", context()),
                        None => assert!(
                            (200..300).contains(&answer.status) || answer.status == 404,
                            "{}",
                            context()
                        ),
                    }
                    let body = String::from_utf8_lossy(&answer.bytes);
                    let reads = here.allow(Permission::ReadState);
                    assert!(
                        reads || !body.contains("signature="),
                        "a URL: {}",
                        context()
                    );
                    assert!(
                        reads || here.allow(Permission::ReadOutputs) || !body.contains(MARKER),
                        "a value: {}",
                        context()
                    );
                    assert!(
                        reads || route.needs == Needs::Nothing || !body.contains("\"lineage\""),
                        "a state: {}",
                        context()
                    );
                }
            }
            if let Some(granted) = &granted {
                assert!(
                    store
                        .remove_team_access(granted, None, note())
                        .await
                        .expect("a store")
                );
            }
        }
    }
    assert!(asked > 3500, "{asked}");
    store.remove_team(&team.id, note()).await.expect("a store");
    assert_eq!(
        state_of(&world, &scene).await,
        before,
        "somebody who may not changed something"
    );
}

/// The token of a workspace reads another one's state only where that is shared with it, and never
/// changes it.
#[tokio::test]
async fn a_workspace_reads_what_is_shared_with_it() {
    let world = World::knowing(registry()).await;
    let scene = scene(&world).await;
    let ann = world.owner().await;
    let app = ann.workspace("app").await;
    let body =
        json!({ "data": { "type": "authentication-tokens", "attributes": { "workspace": app } } });
    let made = ann
        .post("/api/v2/organizations/acme/tokens", &body)
        .await
        .expect(201);
    let token = made.attributes()["token"]
        .as_str()
        .expect("a token")
        .to_owned();
    let before = state_of(&world, &scene).await;
    let path = format!("/api/v2/workspaces/{}", scene.workspace);
    let consumers = format!("{path}/relationships/remote-state-consumers");
    let listed = json!({ "data": [{ "type": "workspaces", "id": app }] });
    let share = |all: bool| json!({ "data": { "type": "workspaces", "attributes": { "global-remote-state": all } } });
    for sharing in ["none", "list", "all"] {
        match sharing {
            "list" => drop(ann.post(&consumers, &listed).await.expect(204)),
            "all" => {
                ann.send("DELETE", &consumers, &[], listed.to_string())
                    .await
                    .expect(204);
                ann.patch(&path, &share(true)).await.expect(200);
            }
            _ => {}
        }
        let (at, has) = if sharing == "none" {
            (Level::Elsewhere, Permissions::READ)
        } else {
            (Level::Workspace, Permissions::READ)
        };
        for route in ROUTES
            .iter()
            .filter(|route| !matches!(route.needs, Needs::Signature | Needs::Grant))
        {
            let (here, status) = expected(route, at, has);
            let (method, query) = question(route, &scene);
            let path = format!("{}{query}", scene.path(route));
            let answer = world
                .client(&token)
                .send(method, &path, &[], scene.body(route))
                .await;
            let context = || format!("{route:?} with {sharing}: {answer:?}");
            match status {
                Some(status) => assert_eq!(answer.status, status, "{}", context()),
                None => assert!(
                    (200..300).contains(&answer.status) || answer.status == 404,
                    "{}",
                    context()
                ),
            }
            let body = String::from_utf8_lossy(&answer.bytes);
            assert!(
                here.allow(Permission::ReadState)
                    || !(body.contains(MARKER) || body.contains("signature=")),
                "{}",
                context()
            );
        }
    }
    ann.patch(&path, &share(false)).await.expect(200);
    assert_eq!(state_of(&world, &scene).await[1..], before[1..]);
    // Its own it reads, writes and locks, until it is deleted.
    let own = world.client(&token);
    own.lock(&app).await.expect(200);
    let version = own.create(&app, &State::new(1, "l", "a")).await.expect(201);
    assert_eq!(
        version.json()["data"]["relationships"]["created-by"]["data"],
        Value::Null
    );
    own.unlock(&app).await.expect(200);
    own.delete(&format!("/api/v2/workspaces/{app}"))
        .await
        .refused(403, "admin in this workspace");
    ann.delete(&format!("/api/v2/workspaces/{app}"))
        .await
        .expect(204);
    own.current(&app).await.refused(404, "not found");
    own.get("/api/v2/organizations/acme")
        .await
        .refused(404, "not found");
}

/// The token of a whole organization reads, and does nothing else.
#[tokio::test]
async fn the_token_of_an_organization_only_reads() {
    let world = World::knowing(registry()).await;
    let scene = scene(&world).await;
    let before = state_of(&world, &scene).await;
    let (acme, _) = world
        .service
        .ensure_organization("test", "acme")
        .await
        .expect("an organization");
    let token = world
        .service
        .create_token("test", TokenFor::Organization(acme.id), "", None, None)
        .await
        .expect("a token")
        .secret;
    for route in ROUTES
        .iter()
        .filter(|route| !matches!(route.needs, Needs::Signature | Needs::Grant))
    {
        let (method, query) = question(route, &scene);
        let path = format!("{}{query}", scene.path(route));
        let answer = world
            .client(&token)
            .send(method, &path, &[], scene.body(route))
            .await;
        let may = method == "GET" && is_enough(route.needs, Permissions::READ);
        let refused =
            matches!(answer.status, 401 | 403) || (method != "GET" && answer.status == 404);
        assert_eq!(refused, !may, "{route:?}: {answer:?}");
    }
    assert_eq!(state_of(&world, &scene).await, before);
}

/// What anybody could have changed.
async fn state_of(world: &World, scene: &Scene) -> Vec<Value> {
    let ann = world.owner().await;
    let mut workspace = ann
        .json(&format!("/api/v2/workspaces/{}", scene.workspace))
        .await;
    workspace["data"]["attributes"]["permissions"] = Value::Null;
    let versions = ann
        .versions("net")
        .await
        .iter()
        .map(|version| version["id"].clone())
        .collect();
    let teams = ann.json("/api/v2/organizations/acme/teams").await;
    vec![workspace, Value::Array(versions), teams]
}
