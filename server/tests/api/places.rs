//! Projects, teams with permissions in a part of an organization, and people who leave.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use upstate_server::__internal::model::{AuditFilter, Permissions};
use upstate_server::__internal::service::{Conduct, TokenFor};
use upstate_server::__internal::store::Page;

use crate::page::{field, sign_in, sign_in_as, submit, submit_body, visit};
use crate::schemas::{filled, old, registry};
use crate::world::{Answer, Client, State, World, text};

const ORG: &str = "/api/v2/organizations/acme";

fn named(type_name: &str, attributes: &Value) -> Value {
    json!({ "data": { "type": type_name, "attributes": attributes } })
}

/// A team with nothing in the whole organization, and the client of a member.
async fn team<'w>(
    world: &'w World,
    ann: &Client<'_>,
    name: &str,
    member: &str,
) -> (String, Client<'w>) {
    let id = ann
        .made(
            &format!("{ORG}/teams"),
            &named("teams", &json!({ "name": name })),
        )
        .await;
    (id, world.client(&token(world, name, member).await))
}

/// The token of a member of such a team.
async fn token(world: &World, team: &str, member: &str) -> String {
    let (organization, _) = world
        .service
        .ensure_organization("test", "acme")
        .await
        .expect("an organization");
    let found = world
        .service
        .ensure_team("test", &organization.id, team, Permissions::NONE)
        .await
        .expect("a team");
    world
        .service
        .join("test", &found, member)
        .await
        .expect("a member");
    let owner = TokenFor::Member {
        name: member.to_owned(),
        organization: organization.id,
        within: Permissions::ALL,
    };
    world
        .service
        .create_token("test", owner, "", None, None)
        .await
        .expect("a token")
        .secret
}

fn in_project(project: &str, name: &str) -> Value {
    json!({ "data": {
        "type": "workspaces",
        "attributes": { "name": name },
        "relationships": { "project": { "data": { "type": "projects", "id": project } } },
    }})
}

fn access(of: &str, place: &str, team: &str, attributes: &Value) -> Value {
    json!({ "data": {
        "type": format!("team-{of}s"),
        "attributes": attributes,
        "relationships": {
            of: { "data": { "type": format!("{of}s"), "id": place } },
            "team": { "data": { "type": "teams", "id": team } },
        },
    }})
}

fn names(listed: &Value) -> Vec<String> {
    listed["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| text(&one["attributes"]["name"]))
        .collect()
}

#[tokio::test]
async fn projects_are_made_changed_and_deleted() {
    let world = World::new().await;
    let ann = world.owner().await;
    let projects = format!("{ORG}/projects");
    let made = ann
        .post(
            &projects,
            &named(
                "projects",
                &json!({ "name": "prod", "description": "live" }),
            ),
        )
        .await
        .expect(201);
    let (id, path) = (made.id(), format!("/api/v2/projects/{}", made.id()));
    assert_eq!(made.attributes()["is-default"], false);
    ann.post(&projects, &named("projects", &json!({ "name": "prod" })))
        .await
        .refused(422, "already been taken");
    ann.post(&projects, &named("projects", &json!({ "name": "a/b" })))
        .await
        .refused(422, "3 to 40 letters");
    let listed = ann.json(&projects).await;
    assert_eq!(names(&listed), ["Default Project", "prod"]);
    assert_eq!(
        names(
            &ann.get(&format!("{projects}?filter[names]=prod"))
                .await
                .expect(200)
                .json()
        ),
        ["prod"]
    );
    let renamed = ann
        .patch(&path, &named("projects", &json!({ "name": "live" })))
        .await
        .expect(200)
        .attributes();
    assert_eq!(
        (&renamed["name"], &renamed["description"]),
        (&json!("live"), &json!("live"))
    );
    // Workspaces are in one, and move.
    let net = ann
        .post(&format!("{ORG}/workspaces"), &in_project(&id, "net"))
        .await
        .expect(201);
    assert_eq!(
        net.json()["data"]["relationships"]["project"]["data"]["id"],
        id
    );
    let app = ann.workspace("app").await;
    let list = format!("{ORG}/workspaces?filter[project][id]={id}");
    assert_eq!(names(&ann.get(&list).await.expect(200).json()), ["net"]);
    ann.patch(
        &format!("/api/v2/workspaces/{app}"),
        &in_project(&id, "app"),
    )
    .await
    .expect(200);
    assert_eq!(
        names(&ann.get(&list).await.expect(200).json()),
        ["app", "net"]
    );
    ann.delete(&path).await.refused(409, "has workspaces");
    for workspace in [app, net.id()] {
        ann.delete(&format!("/api/v2/workspaces/{workspace}"))
            .await
            .expect(204);
    }
    ann.delete(&path).await.expect(204);
    ann.get(&path).await.refused(404, "not found");
    let first = text(&listed["data"][0]["id"]);
    ann.delete(&format!("/api/v2/projects/{first}"))
        .await
        .refused(409, "cannot be deleted");
    // Those of others are not there.
    let zoe = world.client(
        &world
            .token("zoe", "other", "read-state,write-state,admin")
            .await,
    );
    zoe.get(&format!("/api/v2/projects/{first}"))
        .await
        .refused(404, "not found");
    zoe.post(
        "/api/v2/organizations/other/workspaces",
        &in_project(&first, "x"),
    )
    .await
    .refused(422, "not found");
}

/// Terraform believes an answer without a state, and would make everything of a workspace once more
/// that it may not see.
#[tokio::test]
async fn a_name_that_is_taken_in_another_project_is_refused_and_not_free() {
    let world = World::new().await;
    let ann = world.owner().await;
    let prod = ann
        .made(
            &format!("{ORG}/projects"),
            &named("projects", &json!({ "name": "prod" })),
        )
        .await;
    let net = ann
        .made(&format!("{ORG}/workspaces"), &in_project(&prod, "net"))
        .await;
    let (ops, bob) = team(&world, &ann, "ops", "bob").await;
    let first =
        text(&ann.get(&format!("{ORG}/projects")).await.expect(200).json()["data"][0]["id"]);
    ann.post(
        "/api/v2/team-projects",
        &access("project", &first, &ops, &json!({ "access": "write" })),
    )
    .await
    .expect(201);
    bob.get("/http/acme/free").await.expect(204);
    let is_hidden = async |name: &str| {
        let path = format!("/http/acme/{name}");
        bob.get(&path)
            .await
            .refused(403, "read-state in this organization");
        for method in ["LOCK", "POST"] {
            let body = json!({ "ID": "lock-1" }).to_string();
            let answer = bob.send(method, &path, &[], body).await;
            answer.refused(403, "in this organization");
        }
        let words = format!("workspace \"{name}\" not found, or the token may not see it");
        bob.send("UNLOCK", &path, &[], String::new())
            .await
            .refused(404, &words);
    };
    is_hidden("net").await;
    bob.post(
        &format!("{ORG}/workspaces"),
        &named("workspaces", &json!({ "name": "net" })),
    )
    .await
    .refused(422, "taken");
    // Nor does it learn that the workspace has another name now, or is gone.
    ann.lock(&net).await.expect(200);
    let state = r#"{"version":4,"serial":1,"lineage":"l","resources":[{"mode":"managed","type":"t","name":"n",
        "provider":"provider[\"example.com/test/example\"]","instances":[{}]}]}"#;
    ann.stored(&net, &State::of(1, "l", state)).await;
    let path = format!("/api/v2/workspaces/{net}");
    ann.patch(&path, &named("workspaces", &json!({ "name": "lan" })))
        .await
        .expect(200);
    is_hidden("lan").await;
    is_hidden("net").await;
    bob.send(
        "POST",
        &format!("{ORG}/workspaces"),
        &[("terraform-version", "1.15.5")],
        named("workspaces", &json!({ "name": "net" })).to_string(),
    )
    .await
    .refused(422, "Name has already been taken");
    // Nor that an apply knows it by that name.
    ann.unlock(&net).await.expect(200);
    let body = json!({ "ID": "lock-1" }).to_string();
    ann.send("LOCK", "/http/acme/lan", &[], body)
        .await
        .expect(200);
    bob.post(
        &format!("{ORG}/workspaces"),
        &named("workspaces", &json!({ "name": "net" })),
    )
    .await
    .refused(422, "Name has already been taken");
    is_hidden("net").await;
    ann.delete(&path).await.expect(204);
    is_hidden("lan").await;
    is_hidden("net").await;
}

/// Creates a version whose body comes after something else has happened.
async fn create_after(
    client: &Client<'_>,
    workspace: &str,
    happens: impl Future<Output = Answer>,
) -> Answer {
    let (sender, body) = oneshot::channel::<Bytes>();
    let path = format!("/api/v2/workspaces/{workspace}/state-versions");
    let meanwhile = async {
        happens.await.expect(200);
        sender
            .send(State::new(1, "l", "a").inline().to_string().into())
            .expect("the body is read");
    };
    tokio::join!(
        client.send("POST", &path, &[], Body::from_stream(stream::once(body))),
        meanwhile
    )
    .0
}

#[tokio::test]
async fn what_changes_while_a_body_comes_is_looked_at() {
    let world = World::new().await;
    let ann = world.owner().await;
    let (ops, bob) = team(&world, &ann, "ops", "bob").await;
    let first =
        text(&ann.get(&format!("{ORG}/projects")).await.expect(200).json()["data"][0]["id"]);
    ann.post(
        "/api/v2/team-projects",
        &access("project", &first, &ops, &json!({ "access": "write" })),
    )
    .await
    .expect(201);
    let prod = ann
        .made(
            &format!("{ORG}/projects"),
            &named("projects", &json!({ "name": "prod" })),
        )
        .await;
    let net = bob.locked("net").await;
    create_after(&bob, &net, ann.force_unlock(&net))
        .await
        .refused(409, "This workspace is not locked");
    bob.lock(&net).await.expect(200);
    let moved = format!("/api/v2/workspaces/{net}");
    create_after(&bob, &net, ann.patch(&moved, &in_project(&prod, "net")))
        .await
        .refused(404, "may not see it");
    assert!(ann.versions("net").await.is_empty());
}

/// A part of a resource that a request does not name is another request's to change, also between
/// what this one reads and what it writes.
#[tokio::test]
async fn a_part_that_another_request_changes_meanwhile_stays_changed() {
    for (of, sent, theirs, both) in [
        (
            "team-workspaces",
            json!({ "state-versions": "write" }),
            "UPDATE team_access SET permissions = permissions || ',lock'",
            ("grants", "read-state,write-state,read-outputs,lock"),
        ),
        (
            "projects",
            json!({ "name": "live" }),
            "UPDATE project SET description = 'theirs'",
            ("description", "theirs"),
        ),
        (
            "projects",
            json!({ "description": "ours" }),
            "UPDATE project SET name = 'live' WHERE name = 'prod'",
            ("name", "live"),
        ),
    ] {
        // At each moment at which the server looks at the clock, up to when it is too late.
        for looks in 0.. {
            let world = World::new().await;
            let ann = world.owner().await;
            let (name, ours) = sent
                .as_object()
                .and_then(|sent| sent.iter().next())
                .expect("an attribute");
            let id = if of == "projects" {
                let prod = named(of, &json!({ "name": "prod" }));
                ann.post(&format!("{ORG}/projects"), &prod).await
            } else {
                let net = ann.workspace("net").await;
                let (ops, _) = team(&world, &ann, "ops", "bob").await;
                let read = access("workspace", &net, &ops, &json!({ "access": "read" }));
                ann.post("/api/v2/team-workspaces", &read).await
            }
            .expect(201)
            .id();
            let database = world.database();
            let is_changed = Arc::new(AtomicBool::new(false));
            let changed = Arc::clone(&is_changed);
            world.meanwhile(looks, move || {
                database.execute(theirs, ()).expect("an update");
                changed.store(true, Ordering::Relaxed);
            });
            let path = format!("/api/v2/{of}/{id}");
            ann.patch(&path, &named(of, &sent)).await.expect(200);
            if !is_changed.load(Ordering::Relaxed) {
                assert!(looks > 0, "a change of {of} never looks at the clock");
                break;
            }
            let left = ann.get(&path).await.expect(200).attributes();
            assert_eq!(
                (&left[name], &left[both.0]),
                (ours, &json!(both.1)),
                "{of} after {looks} looks"
            );
        }
    }
}

/// A writer of a workspace names the project that it is in, which needs no more permission, and
/// would bring it back.
#[tokio::test]
async fn a_workspace_that_is_moved_meanwhile_is_not_moved_back() {
    for (follows, status, why) in [
        (true, 409, "changed while it was looked at"),
        (false, 404, "may not see it"),
    ] {
        let world = World::new().await;
        let ann = world.owner().await;
        let (ops, bob) = team(&world, &ann, "ops", "bob").await;
        let first =
            text(&ann.get(&format!("{ORG}/projects")).await.expect(200).json()["data"][0]["id"]);
        let prod = ann
            .post(
                &format!("{ORG}/projects"),
                &named("projects", &json!({ "name": "prod" })),
            )
            .await
            .expect(201)
            .id();
        let places = [Some(&first), follows.then_some(&prod)];
        for place in places.into_iter().flatten() {
            let write = access("project", place, &ops, &json!({ "access": "write" }));
            ann.post("/api/v2/team-projects", &write).await.expect(201);
        }
        let net = ann.workspace("net").await;
        let database = world.database();
        let to = prod.clone();
        world.meanwhile(0, move || {
            let sql = "UPDATE workspace SET project = ?1, revision = revision + 1";
            database.execute(sql, [&to]).expect("an update");
        });
        let path = format!("/api/v2/workspaces/{net}");
        let mut same = in_project(&first, "net");
        same["data"]["attributes"] = json!({ "description": "d" });
        bob.patch(&path, &same).await.refused(status, why);
        let left = ann.get(&path).await.expect(200).json();
        assert_eq!(left["data"]["relationships"]["project"]["data"]["id"], prod);
        assert_eq!(left["data"]["attributes"]["description"], "");
    }
}

/// Its new project has administrators of its own.
#[tokio::test]
async fn a_workspace_that_is_moved_meanwhile_is_shared_with_nobody() {
    let world = World::new().await;
    let ann = world.owner().await;
    let (ops, bob) = team(&world, &ann, "ops", "bob").await;
    let projects = format!("{ORG}/projects");
    let first = text(&ann.json(&projects).await["data"][0]["id"]);
    let admin = access("project", &first, &ops, &json!({ "access": "admin" }));
    ann.made("/api/v2/team-projects", &admin).await;
    let prod = named("projects", &json!({ "name": "prod" }));
    let to = ann.made(&projects, &prod).await;
    let (net, app) = (ann.workspace("net").await, ann.workspace("app").await);
    let path = format!("/api/v2/workspaces/{net}/relationships/remote-state-consumers");
    let body = json!({ "data": [{ "type": "workspaces", "id": app }] });
    let database = world.database();
    world.meanwhile(0, move || {
        let sql = "UPDATE workspace SET project = ?1, revision = revision + 1 WHERE name = 'net'";
        database.execute(sql, [&to]).expect("an update");
    });
    bob.post(&path, &body).await.refused(404, "may not see it");
    assert_eq!(ann.json(&path).await["data"], json!([]));
    ann.post(&path, &body).await.expect(204);
    assert_eq!(ann.json(&path).await["data"][0]["id"], app);
}

/// Nor do those who administrate another project decide on its teams.
#[tokio::test]
async fn the_teams_of_a_workspace_that_is_moved_meanwhile_stay() {
    for what in ["POST", "PATCH", "DELETE"] {
        let world = World::new().await;
        let ann = world.owner().await;
        let (ops, bob) = team(&world, &ann, "ops", "bob").await;
        let (readers, _) = team(&world, &ann, "readers", "rita").await;
        let projects = format!("{ORG}/projects");
        let first = text(&ann.json(&projects).await["data"][0]["id"]);
        let admin = access("project", &first, &ops, &json!({ "access": "admin" }));
        ann.made("/api/v2/team-projects", &admin).await;
        let prod = named("projects", &json!({ "name": "prod" }));
        let to = ann.made(&projects, &prod).await;
        let net = ann.workspace("net").await;
        let read = access("workspace", &net, &readers, &json!({ "access": "read" }));
        let all = "/api/v2/team-workspaces";
        let mut path = all.to_owned();
        if what != "POST" {
            path = format!("{all}/{}", ann.made(all, &read).await);
        }
        let of_net = format!("{all}?filter[workspace][id]={net}");
        let before = ann.json(&of_net).await;
        let database = rusqlite::Connection::open(world.folder.path().join("upstate.db"))
            .expect("the database");
        world.meanwhile(0, move || {
            let sql = "UPDATE workspace SET project = ?1, revision = revision + 1";
            database.execute(sql, [&to]).expect("an update");
        });
        let body = match what {
            "POST" => read.to_string(),
            "PATCH" => named("team-workspaces", &json!({ "access": "write" })).to_string(),
            _ => String::new(),
        };
        let answer = bob.send(what, &path, &[], body).await;
        answer.refused(404, "may not see it");
        assert_eq!(ann.json(&of_net).await, before, "{what}");
    }
}

/// A team or a project is looked up first, and may be removed before the request is obeyed.
#[tokio::test]
async fn what_is_removed_meanwhile_gets_no_members_and_holds_nothing() {
    let (of_team, of_project) = (
        "DELETE FROM team WHERE name = 'ops'",
        "DELETE FROM project WHERE name = 'prod'",
    );
    for (what, removal, status) in [
        ("member", of_team, 404),
        ("token", of_team, 404),
        ("access of a team", of_team, 422),
        ("access to a project", of_project, 422),
        ("trust", of_project, 422),
        ("workspace", of_project, 422),
        ("move", of_project, 422),
    ] {
        // At each moment at which the server looks at the clock, up to when it is too late.
        for looks in 0.. {
            let world = World::new().await;
            let ann = world.owner().await;
            let (ops, _) = team(&world, &ann, "ops", "bob").await;
            let net = ann.workspace("net").await;
            let prod = named("projects", &json!({ "name": "prod" }));
            let prod = ann.made(&format!("{ORG}/projects"), &prod).await;
            let database = world.database();
            let is_removed = Arc::new(AtomicBool::new(false));
            let removed = Arc::clone(&is_removed);
            world.meanwhile(looks, move || {
                removed.store(database.execute(removal, ()).is_ok(), Ordering::Relaxed);
            });
            let read = json!({ "access": "read" });
            let answer = match what {
                "member" => {
                    let body = json!({ "data": [{ "type": "users", "id": "ann" }] });
                    let path = format!("/api/v2/teams/{ops}/relationships/users");
                    ann.post(&path, &body).await
                }
                "token" => {
                    let path = format!("/api/v2/teams/{ops}/authentication-tokens");
                    ann.post(&path, &named("", &json!({}))).await
                }
                "access of a team" => {
                    let body = access("workspace", &net, &ops, &read);
                    ann.post("/api/v2/team-workspaces", &body).await
                }
                "access to a project" => {
                    let body = access("project", &prod, &ops, &read);
                    ann.post("/api/v2/team-projects", &body).await
                }
                "trust" => {
                    let body = json!({ "data": {
                        "type": "upstate-trusts",
                        "attributes": {
                            "name": "main", "issuer": "https://ci.example.com", "audience": "upstate",
                            "claims": { "sub": "main" }, "access": "write",
                        },
                        "relationships": { "project": { "data": { "type": "projects", "id": prod } } },
                    }});
                    let path = "/api/v2/upstate/organizations/acme/trusts";
                    ann.post(path, &body).await
                }
                "workspace" => {
                    let path = format!("{ORG}/workspaces");
                    ann.post(&path, &in_project(&prod, "app")).await
                }
                _ => {
                    let path = format!("/api/v2/workspaces/{net}");
                    ann.patch(&path, &in_project(&prod, "net")).await
                }
            };
            if !is_removed.load(Ordering::Relaxed) {
                assert!(looks > 0, "{what} never looks at the clock");
                assert!((200..300).contains(&answer.status), "{what}: {answer:?}");
                break;
            }
            assert_eq!(answer.status, status, "{what} after {looks}: {answer:?}");
        }
    }
}

/// Bob of a team that may write in the first project.
async fn writer<'w>(world: &'w World, ann: &Client<'_>) -> Client<'w> {
    let (ops, bob) = team(world, ann, "ops", "bob").await;
    let projects = ann.json(&format!("{ORG}/projects")).await;
    let first = text(&projects["data"][0]["id"]);
    let write = access("project", &first, &ops, &json!({ "access": "write" }));
    ann.made("/api/v2/team-projects", &write).await;
    bob
}

/// The form that confirms a rollback on its page.
fn confirmation(page: &crate::page::Page) -> String {
    let (proof, current) = (field(page, "csrf"), field(page, "current"));
    format!("csrf={proof}&current={current}")
}

#[tokio::test]
async fn a_workspace_that_is_moved_out_of_reach_meanwhile_is_left_alone() {
    for what in ["lock", "upgrade", "roll back"] {
        let world = World::knowing(registry()).await;
        let ann = world.owner().await;
        let bob = writer(&world, &ann).await;
        let prod = named("projects", &json!({ "name": "prod" }));
        let to = ann.made(&format!("{ORG}/projects"), &prod).await;
        let net = filled(&ann, "net", &[old("a")]).await;
        let version = ann.current(&net).await.expect(200).id();
        let rollback = format!("/ui/state-versions/{version}/rollback");
        let cookie = sign_in(&world, &token(&world, "ops", "bob").await).await;
        let mut form = String::new();
        if what == "roll back" {
            ann.upgrade(&net).await.expect(201);
            form = confirmation(&visit(&world, &rollback, &cookie).await);
        }
        let versions = ann.versions("net").await.len();
        let database = world.database();
        world.meanwhile(0, move || {
            let sql = "UPDATE workspace SET project = ?1, revision = revision + 1";
            database.execute(sql, [&to]).expect("an update");
        });
        let unseen = "may not see it";
        let status = match what {
            "lock" => bob.lock(&net).await.refused(404, unseen).status,
            "upgrade" => bob.upgrade(&net).await.refused(404, unseen).status,
            _ => submit(&world, &rollback, &cookie, &form).await.status,
        };
        assert_eq!(status, 404, "{what}");
        let left = ann.attributes(&format!("/api/v2/workspaces/{net}")).await;
        assert_eq!(left["locked"], false, "{what}");
        assert_eq!(ann.versions("net").await.len(), versions, "{what}");
    }
}

/// A state is upgraded, or read and rewritten, before anything is written.
#[tokio::test]
async fn who_loses_a_permission_while_a_state_is_changed_writes_nothing() {
    for what in ["upgrade", "roll back"] {
        let world = World::knowing(registry()).await;
        let ann = world.owner().await;
        let bob = writer(&world, &ann).await;
        let net = filled(&ann, "net", &[old("a")]).await;
        let version = ann.current(&net).await.expect(200).id();
        let rollback = format!("/ui/state-versions/{version}/rollback");
        let cookie = sign_in(&world, &token(&world, "ops", "bob").await).await;
        let mut form = String::new();
        if what == "roll back" {
            ann.upgrade(&net).await.expect(201);
            form = confirmation(&visit(&world, &rollback, &cookie).await);
        }
        let versions = ann.versions("net").await.len();
        let database = world.database();
        // While the lock is taken.
        let looks = usize::from(what == "roll back");
        world.meanwhile(looks, move || {
            database
                .execute("DELETE FROM team_access", ())
                .expect("a removal");
        });
        let status = match what {
            "upgrade" => bob.upgrade(&net).await.status,
            _ => submit(&world, &rollback, &cookie, &form).await.status,
        };
        assert_eq!(status, 503, "{what}");
        let left = ann.attributes(&format!("/api/v2/workspaces/{net}")).await;
        assert_eq!(left["locked"], false, "{what}");
        assert_eq!(ann.versions("net").await.len(), versions, "{what}");
    }
}

/// A state is read and checked between the moment at which a permission is looked up and the write.
#[tokio::test]
async fn nothing_is_written_to_a_workspace_that_is_moved_out_of_reach_meanwhile() {
    // The number of looks at the clock until the write: a URL is verified at the first one.
    for (what, looks) in [
        ("roll back under a lock", 0),
        ("write by HTTP", 0),
        ("upload", 1),
        ("upload of a JSON state", 1),
    ] {
        let world = World::new().await;
        let ann = world.owner().await;
        let bob = writer(&world, &ann).await;
        let prod = named("projects", &json!({ "name": "prod" }));
        let to = ann.made(&format!("{ORG}/projects"), &prod).await;
        let net = bob.locked("net").await;
        let source = bob.stored(&net, &State::new(1, "l", "a")).await;
        bob.stored(&net, &State::new(2, "l", "b")).await;
        let third = State::new(3, "l", "c");
        let mut url = String::new();
        match what {
            "upload" | "upload of a JSON state" => {
                let kind = if what == "upload" {
                    "hosted-state-upload-url"
                } else {
                    "hosted-json-state-upload-url"
                };
                url = text(&bob.begin(&net, &third).await.expect(201).attributes()[kind]);
            }
            "write by HTTP" => drop(bob.unlock(&net).await.expect(200)),
            _ => {}
        }
        let versions = ann.versions("net").await;
        let database = world.database();
        world.meanwhile(looks, move || {
            let sql = "UPDATE workspace SET project = ?1, revision = revision + 1";
            database.execute(sql, [&to]).expect("an update");
        });
        let answer = match what {
            "upload" => bob.put(&url, &third.bytes).await,
            "upload of a JSON state" => bob.put(&url, b"{}").await,
            "write by HTTP" => {
                bob.send("POST", "/http/acme/net", &[], third.bytes.clone())
                    .await
            }
            _ => bob.rollback(&net, &source).await,
        };
        answer.refused(404, "may not see it");
        let shape = |versions: &[Value]| -> Vec<Value> {
            let shown = versions.iter().map(|version| &version["attributes"]);
            shown
                .map(|of| json!([of["serial"], of["status"]]))
                .collect()
        };
        let left = ann.versions("net").await;
        assert_eq!(shape(&left), shape(&versions), "{what}");
    }
}

#[tokio::test]
async fn permissions_are_inherited_downwards_and_no_further() {
    let world = World::new().await;
    let ann = world.owner().await;
    let prod = ann
        .made(
            &format!("{ORG}/projects"),
            &named("projects", &json!({ "name": "prod" })),
        )
        .await;
    let net = ann
        .made(&format!("{ORG}/workspaces"), &in_project(&prod, "net"))
        .await;
    let other = ann
        .made(&format!("{ORG}/workspaces"), &in_project(&prod, "other"))
        .await;
    let app = ann.workspace("app").await;
    for id in [&net, &app] {
        ann.lock(id).await.expect(200);
        ann.create(id, &State::new(1, "l", "a")).await.expect(201);
        ann.unlock(id).await.expect(200);
    }
    let (ops, bob) = team(&world, &ann, "ops", "bob").await;
    bob.get(ORG).await.refused(404, "not found");
    let made = ann
        .post(
            "/api/v2/team-workspaces",
            &access("workspace", &net, &ops, &json!({ "access": "read" })),
        )
        .await;
    let made = made.expect(201);
    assert_eq!(made.attributes()["grants"], "read-state,read-outputs");
    assert_eq!(made.attributes()["state-versions"], "read");
    ann.post(
        "/api/v2/team-workspaces",
        &access("workspace", &net, &ops, &json!({ "access": "read" })),
    )
    .await
    .refused(422, "has its access to this workspace already");
    // The workspace, and nothing beside it.
    bob.current(&net).await.expect(200);
    bob.lock(&net).await.refused(403, "lock in this workspace");
    bob.lock(&net)
        .await
        .refused(403, " of user bob does not have the permission lock");
    bob.current(&app)
        .await
        .refused(404, " of user bob may not see it");
    for name in ["app", "none"] {
        let unlocked = bob
            .send("UNLOCK", &format!("/http/acme/{name}"), &[], String::new())
            .await;
        unlocked.refused(
            404,
            &format!("workspace \"{name}\" not found, or the token may not see it"),
        );
    }
    bob.get(&format!("/api/v2/workspaces/{other}"))
        .await
        .refused(404, "not found");
    bob.get(&format!("/api/v2/projects/{prod}"))
        .await
        .refused(404, "not found");
    assert_eq!(
        names(
            &bob.get(&format!("{ORG}/workspaces"))
                .await
                .expect(200)
                .json()
        ),
        ["net"]
    );
    assert_eq!(
        names(&bob.get(&format!("{ORG}/projects")).await.expect(200).json()),
        Vec::<String>::new()
    );
    bob.get(ORG).await.expect(200);
    let refused = bob.get(&format!("/api/v2/teams/{ops}")).await;
    refused.refused(
        403,
        " of user bob does not have the permission admin in this organization",
    );
    bob.get("/api/v2/upstate/organizations/acme/inventory")
        .await
        .refused(403, "in this organization");
    let listed = "/api/v2/state-versions?filter[organization][name]=acme&filter[workspace][name]=";
    bob.get(&format!("{listed}net")).await.expect(200);
    bob.get(&format!("{listed}app"))
        .await
        .refused(404, "not found");
    bob.get("/http/acme/net").await.expect(200);
    bob.get("/http/acme/app").await.refused(403, "read-state");
    bob.post(&format!("{ORG}/workspaces"), &in_project(&prod, "new"))
        .await
        .refused(403, "write-state");
    // The project gives its workspaces more, also those that come later.
    let wider = ann
        .post(
            "/api/v2/team-projects",
            &access("project", &prod, &ops, &json!({ "access": "write" })),
        )
        .await
        .expect(201);
    bob.lock(&net).await.expect(200);
    bob.create(&net, &State::new(2, "l", "b")).await.expect(201);
    bob.unlock(&net).await.expect(200);
    bob.post(&format!("{ORG}/workspaces"), &in_project(&prod, "new"))
        .await
        .expect(201);
    bob.post(
        &format!("{ORG}/workspaces"),
        &named("workspaces", &json!({ "name": "stray" })),
    )
    .await
    .refused(403, "write-state");
    assert_eq!(
        names(
            &bob.get(&format!("{ORG}/workspaces"))
                .await
                .expect(200)
                .json()
        ),
        ["net", "new", "other"]
    );
    assert_eq!(
        names(&bob.get(&format!("{ORG}/projects")).await.expect(200).json()),
        ["prod"]
    );
    let to_app = in_project(&prod, "app");
    bob.patch(&format!("/api/v2/workspaces/{app}"), &to_app)
        .await
        .refused(404, "not found");
    bob.get(&format!("/api/v2/team-projects?filter[project][id]={prod}"))
        .await
        .refused(403, "admin in this project");
    // An administrator of a project gives and takes there; nothing leaves it.
    let path = format!("/api/v2/team-projects/{}", wider.id());
    let level = |word: &str| named("team-projects", &json!({ "access": word }));
    ann.patch(&path, &level("fly"))
        .await
        .refused(422, "access must be");
    assert_eq!(
        ann.patch(&path, &level("admin"))
            .await
            .expect(200)
            .attributes()["access"],
        "admin"
    );
    ann.get(&format!("/api/v2/team-workspaces/{}", wider.id()))
        .await
        .refused(404, "not found");
    let listed = bob
        .json(&format!("/api/v2/team-projects?filter[project][id]={prod}"))
        .await;
    assert_eq!(
        listed["data"][0]["relationships"]["team"]["data"]["id"],
        ops
    );
    let (viewers, eve) = team(&world, &ann, "viewers", "eve").await;
    let custom =
        json!({ "access": "custom", "state-versions": "read-outputs", "workspace-locking": true });
    bob.post(
        "/api/v2/team-workspaces",
        &access("workspace", &net, &viewers, &custom),
    )
    .await
    .expect(201);
    bob.post(
        "/api/v2/team-workspaces",
        &access("workspace", &app, &viewers, &custom),
    )
    .await
    .refused(404, "not found");
    eve.get(&format!(
        "/api/v2/workspaces/{net}/current-state-version-outputs"
    ))
    .await
    .expect(200);
    eve.current(&net).await.refused(403, "read-state");
    eve.lock(&net).await.expect(200);
    eve.unlock(&net).await.expect(200);
    bob.delete(&format!("/api/v2/projects/{prod}"))
        .await
        .refused(403, "admin in this organization");
    bob.patch(
        &format!("/api/v2/workspaces/{net}"),
        &in_project("prj-none", "net"),
    )
    .await
    .refused(422, "not found");
    ann.delete(&path).await.expect(204);
    ann.delete(&path).await.refused(404, "not found");
    bob.lock(&net).await.refused(403, "lock");
    // A URL that was signed before goes with the permission.
    let url = text(&bob.current(&net).await.expect(200).attributes()["hosted-state-download-url"]);
    world.nobody().get(&url).await.expect(200);
    ann.delete(&format!("/api/v2/team-workspaces/{}", made.id()))
        .await
        .expect(204);
    world
        .nobody()
        .get(&url)
        .await
        .refused(403, "no longer has the permission");
    bob.get(ORG).await.refused(404, "not found");
}

/// go-tfe changes one part, with the word `custom` or without.
#[tokio::test]
async fn a_part_of_an_access_changes_alone() {
    let world = World::new().await;
    let ann = world.owner().await;
    let net = ann.workspace("net").await;
    let (ops, _) = team(&world, &ann, "ops", "bob").await;
    let project = ann.json(&format!("{ORG}/projects")).await;
    let project = text(&project["data"][0]["id"]);
    for (of, place) in [("workspace", &net), ("project", &project)] {
        let states = |states: &str| {
            let changed = json!({ "state-versions": states });
            match of {
                "workspace" => changed,
                _ => json!({ "workspace-access": changed }),
            }
        };
        let write = access(of, place, &ops, &json!({ "access": "write" }));
        let made = ann
            .post(&format!("/api/v2/team-{of}s"), &write)
            .await
            .expect(201);
        let path = format!("/api/v2/team-{of}s/{}", made.id());
        let change = async |attributes: Value| {
            ann.patch(&path, &named(&format!("team-{of}s"), &attributes))
                .await
        };
        let changed = change(states("read")).await.expect(200).attributes();
        assert_eq!(changed["grants"], "read-state,read-outputs,lock", "{of}");
        let mut custom = states("none");
        custom["access"] = json!("custom");
        let changed = change(custom).await.expect(200).attributes();
        assert_eq!(changed["grants"], "lock", "{of}");
        let changed = change(json!({})).await.expect(200).attributes();
        assert_eq!(changed["grants"], "lock", "{of}");
        // Otherwise the change of a part would take the rest away.
        change(json!({ "access": "admin" })).await.expect(200);
        change(states("read"))
            .await
            .refused(422, "access is missing");
        let shown = ann.attributes(&path).await;
        assert_eq!(shown["access"], "admin", "{of}");
        if of == "project" {
            assert_eq!(shown["project-access"]["settings"], "delete");
            assert_eq!(shown["workspace-access"]["create"], true);
        }
    }
}

/// Of what a person's teams allow a token keeps a part, never more, wherever that is.
#[tokio::test]
async fn a_scope_only_narrows() {
    let world = World::new().await;
    let ann = world.owner().await;
    let net = ann.workspace("net").await;
    let (ops, _) = team(&world, &ann, "ops", "bob").await;
    ann.post(
        "/api/v2/team-workspaces",
        &access("workspace", &net, &ops, &json!({ "access": "write" })),
    )
    .await
    .expect(201);
    let body = named(
        "authentication-tokens",
        &json!({ "user": "bob", "permissions": "lock,admin" }),
    );
    let made = ann.post(&format!("{ORG}/tokens"), &body).await.expect(201);
    let narrow = world.client(&text(&made.attributes()["token"]));
    narrow.lock(&net).await.expect(200);
    narrow
        .create(&net, &State::new(1, "l", "a"))
        .await
        .refused(403, "write-state");
    narrow
        .delete(&format!("/api/v2/workspaces/{net}"))
        .await
        .refused(403, "admin");
    narrow
        .get(&format!("{ORG}/tokens"))
        .await
        .refused(403, "admin");
}

#[tokio::test]
async fn consumers_are_listed_changed_and_of_one_organization() {
    let world = World::new().await;
    let ann = world.owner().await;
    let (net, app, db) = (
        ann.workspace("net").await,
        ann.workspace("app").await,
        ann.workspace("db").await,
    );
    let path = format!("/api/v2/workspaces/{net}/relationships/remote-state-consumers");
    let these = |ids: &[&str]| json!({ "data": ids.iter().map(|id| json!({ "type": "workspaces", "id": id })).collect::<Vec<_>>() });
    let shown = ann.attributes(&format!("/api/v2/workspaces/{net}")).await;
    assert_eq!(shown["global-remote-state"], false);
    ann.post(&path, &these(&[&app, &db])).await.expect(204);
    assert_eq!(
        names(&ann.get(&path).await.expect(200).json()),
        ["app", "db"]
    );
    ann.patch(&path, &these(&[&db])).await.expect(204);
    assert_eq!(names(&ann.get(&path).await.expect(200).json()), ["db"]);
    ann.send("DELETE", &path, &[], these(&[&db]).to_string())
        .await
        .expect(204);
    assert_eq!(
        names(&ann.get(&path).await.expect(200).json()),
        Vec::<String>::new()
    );
    let zoe = world.client(&world.token("zoe", "other", "write-state").await);
    let foreign = zoe
        .post(
            "/api/v2/organizations/other/workspaces",
            &named("workspaces", &json!({ "name": "x" })),
        )
        .await;
    let foreign = foreign.expect(201).id();
    ann.post(&path, &these(&[&foreign]))
        .await
        .refused(422, "not found");
    let body = named("authentication-tokens", &json!({ "workspace": foreign }));
    ann.post(&format!("{ORG}/tokens"), &body)
        .await
        .refused(404, "not found");
    let writer = world.user("wim", "read-state,write-state").await;
    writer
        .post(&path, &these(&[&app]))
        .await
        .refused(403, "admin");
    writer
        .patch(
            &format!("/api/v2/workspaces/{net}"),
            &named("workspaces", &json!({ "global-remote-state": true })),
        )
        .await
        .refused(403, "admin");
    // Outputs alone, for those who may not read the state.
    ann.lock(&net).await.expect(200);
    ann.create(&net, &State::new(1, "l", "a")).await.expect(201);
    let outputs = world.user("olga", "read-outputs").await;
    let found = outputs
        .json(&format!(
            "/api/v2/workspaces/{net}/current-state-version-outputs"
        ))
        .await;
    assert_eq!(found["data"][0]["attributes"]["value"], "a");
    outputs.current(&net).await.refused(403, "read-state");
    outputs
        .get("/http/acme/net")
        .await
        .refused(403, "read-state");
}

#[tokio::test]
async fn who_leaves_loses_everything_at_once() {
    let world = World::new().await;
    let ann = world.owner().await;
    let net = ann.locked("net").await;
    ann.create(&net, &State::new(1, "l", "a")).await.expect(201);
    let (ops, bob) = team(&world, &ann, "ops", "bob").await;
    ann.post(
        "/api/v2/team-workspaces",
        &access("workspace", &net, &ops, &json!({ "access": "read" })),
    )
    .await
    .expect(201);
    let url = text(&bob.current(&net).await.expect(200).attributes()["hosted-state-download-url"]);
    let users = ann.json(&format!("{ORG}/users")).await;
    let of = |name: &str| {
        let found = users["data"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|one| one["attributes"]["username"] == name);
        text(&found.expect("a user")["id"])
    };
    bob.get(&format!("{ORG}/users")).await.refused(403, "admin");
    bob.delete(&format!("{ORG}/users/{}", of("ann")))
        .await
        .refused(403, "admin");
    ann.delete(&format!("{ORG}/users/{}", of("bob")))
        .await
        .expect(204);
    ann.delete(&format!("{ORG}/users/{}", of("bob")))
        .await
        .refused(404, "not found");
    bob.current(&net).await.refused(401, "unknown");
    world.nobody().get(&url).await.refused(403, "revoked");
    let members = ann
        .json(&format!("/api/v2/teams/{ops}/relationships/users"))
        .await;
    assert_eq!(members["data"], json!([]));
    // A user who comes back begins with nothing, because teams are gone too.
    let again = named("authentication-tokens", &json!({ "user": "bob" }));
    let again = world.client(&text(
        &ann.post(&format!("{ORG}/tokens"), &again)
            .await
            .expect(201)
            .attributes()["token"],
    ));
    again.current(&net).await.refused(404, "not found");
    let filter = AuditFilter {
        action: Some("user.remove".to_owned()),
        ..AuditFilter::default()
    };
    let log = world
        .service
        .store()
        .audit(&filter, Page { number: 1, size: 9 })
        .await
        .expect("a log");
    assert_eq!((log.total, log.items[0].subject.as_str()), (1, "bob"));
    // Another organization does not reach them.
    let zoe = world.client(&world.token("zoe", "other", "admin").await);
    zoe.delete(&format!("/api/v2/organizations/other/users/{}", of("ann")))
        .await
        .refused(404, "not found");
    ann.get(ORG).await.expect(200);
}

/// The path of a user of the organization.
async fn user(ann: &Client<'_>, name: &str) -> String {
    let users = ann.json(&format!("{ORG}/users")).await;
    let users = users["data"].as_array().expect("a list");
    let found = users
        .iter()
        .find(|one| one["attributes"]["username"] == name);
    format!("{ORG}/users/{}", text(&found.expect("a user")["id"]))
}

/// Otherwise somebody who is about to leave could begin requests, and end them afterwards.
#[tokio::test]
async fn who_leaves_while_a_body_comes_changes_nothing() {
    for (leaves, status, why) in [
        (true, 401, "The token was revoked meanwhile"),
        (false, 503, "The permissions of the token changed meanwhile"),
    ] {
        for what in ["version", "upload", "token of a team"] {
            let world = World::new().await;
            let ann = world.owner().await;
            let net = ann.workspace("net").await;
            let (ops, bob) = team(&world, &ann, "ops", "bob").await;
            let (own, grants) = (format!("/api/v2/teams/{ops}"), json!({ "grants": "admin" }));
            let all = json!({ "grants": "read-state,write-state,lock,admin" });
            ann.patch(&own, &named("teams", &all)).await.expect(200);
            bob.lock(&net).await.expect(200);
            let state = State::new(1, "l", "a");
            let (method, path, body) = match what {
                "version" => {
                    let path = format!("/api/v2/workspaces/{net}/state-versions");
                    ("POST", path, state.inline().to_string())
                }
                "upload" => {
                    let begun = bob.begin(&net, &state).await.expect(201).attributes();
                    let url = text(&begun["hosted-state-upload-url"]);
                    let text = String::from_utf8(state.bytes.clone()).expect("text");
                    ("PUT", url, text)
                }
                _ => {
                    let path = format!("{own}/authentication-tokens");
                    ("POST", path, named("", &json!({})).to_string())
                }
            };
            let user = user(&ann, "bob").await;
            let (sender, comes) = oneshot::channel::<Bytes>();
            let meanwhile = async {
                if leaves {
                    ann.delete(&user).await.expect(204);
                } else {
                    ann.patch(&own, &named("teams", &grants)).await.expect(200);
                }
                tokio::time::sleep(Duration::from_millis(150)).await;
                sender.send(body.into()).expect("the body is read");
            };
            let slow = Body::from_stream(stream::once(comes));
            let (answer, ()) = tokio::join!(bob.send(method, &path, &[], slow), meanwhile);
            answer.refused(status, why);
            ann.current(&net).await.refused(404, "has no state");
            let tokens = ann.json(&format!("{ORG}/team-tokens")).await;
            assert_eq!(tokens["data"], json!([]), "{what}");
        }
    }
}

/// A list takes long, and its end may come after who sent it was removed.
#[tokio::test]
async fn who_leaves_while_a_list_is_worked_on_adds_no_more() {
    let world = World::new().await;
    let ann = world.owner().await;
    let (net, other) = (ann.workspace("net").await, ann.workspace("other").await);
    let (ops, _) = team(&world, &ann, "ops", "carol").await;
    world.user("dan", "read-state").await;
    let members = format!("/api/v2/teams/{ops}/relationships/users");
    let consumers = format!("/api/v2/workspaces/{net}/relationships/remote-state-consumers");
    let lists = [
        (
            &members,
            json!({ "data": [{ "type": "users", "id": "dan" }, { "type": "users", "id": "bob" }] }),
            "after 1 of the list were changed",
        ),
        (
            &consumers,
            json!({ "data": [{ "type": "workspaces", "id": other }] }),
            "The token was revoked meanwhile",
        ),
    ];
    for (path, list, why) in lists {
        let bob = world.user("bob", "read-state,admin").await;
        let database = world.database();
        // The first look at the clock is for the audit log.
        world.meanwhile(0, move || {
            let sql = "DELETE FROM token WHERE user = (SELECT id FROM user WHERE name = 'bob')";
            assert_eq!(database.execute(sql, ()).expect("a removal"), 1);
            std::thread::sleep(Duration::from_millis(150));
        });
        bob.post(path, &list).await.refused(401, why);
    }
    let found = ann.json(&members).await;
    let mut names: Vec<String> = found["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| text(&one["attributes"]["username"]))
        .collect();
    names.sort();
    assert_eq!(names, ["carol", "dan"]);
    assert_eq!(ann.json(&consumers).await["data"], json!([]));
}

/// A state waits for memory before it is read.
#[tokio::test]
async fn who_leaves_while_a_state_waits_writes_nothing() {
    for what in ["version", "upload", "write by HTTP"] {
        let world = World::with(Conduct {
            parsing_memory: 1 << 20,
            ..Conduct::default()
        })
        .await;
        let ann = world.owner().await;
        let net = ann.workspace("net").await;
        let bob = world.user("bob", "read-state,write-state,lock").await;
        let state = State::new(1, "l", "a");
        let mut url = String::new();
        if what != "write by HTTP" {
            bob.lock(&net).await.expect(200);
        }
        if what == "upload" {
            let begun = bob.begin(&net, &state).await.expect(201).attributes();
            url = text(&begun["hosted-state-upload-url"]);
        }
        let leaver = user(&ann, "bob").await;
        let taken = world.service.parsing().room(1 << 20);
        let taken = taken.expect("all of the memory");
        let write = async {
            match what {
                "version" => bob.create(&net, &state).await,
                "upload" => bob.put(&url, &state.bytes).await,
                _ => {
                    let bytes = state.bytes.clone();
                    bob.send("POST", "/http/acme/net", &[], bytes).await
                }
            }
        };
        let meanwhile = async {
            // Until the write waits.
            tokio::time::sleep(Duration::from_millis(150)).await;
            ann.delete(&leaver).await.expect(204);
            drop(taken);
        };
        let (answer, ()) = tokio::join!(write, meanwhile);
        answer.refused(401, "revoked meanwhile");
        ann.current(&net).await.refused(404, "has no state");
    }
}

/// A form is the body of a request, too.
#[tokio::test]
async fn who_leaves_while_a_form_comes_changes_nothing() {
    let world = World::new().await;
    let ann = world.owner().await;
    let token = world.token("bob", "acme", "read-state,admin").await;
    let cookie = sign_in(&world, &token).await;
    let members = visit(&world, "/ui/organizations/acme/members", &cookie).await;
    let form = format!("csrf={}&name=ops&can=lock", field(&members, "csrf"));
    let tokens = ann.json(&format!("{ORG}/tokens")).await;
    let tokens = tokens["data"].as_array().expect("a list");
    let of_bob = tokens
        .iter()
        .find(|one| one["attributes"]["permissions"] == "read-state,admin");
    let path = format!(
        "/api/v2/authentication-tokens/{}",
        text(&of_bob.expect("a token")["id"])
    );
    let (sender, comes) = oneshot::channel::<Bytes>();
    let meanwhile = async {
        ann.delete(&path).await.expect(204);
        tokio::time::sleep(Duration::from_millis(150)).await;
        sender.send(form.into()).expect("the form is read");
    };
    let slow = Body::from_stream(stream::once(comes));
    let teams = "/ui/organizations/acme/teams";
    let (page, ()) = tokio::join!(submit_body(&world, teams, &cookie, slow), meanwhile);
    assert_eq!(page.status, 401, "{}", page.text);
    let teams = ann.json(&format!("{ORG}/teams")).await;
    assert_eq!(names(&teams), ["zz-everybody"]);
}

/// Users who may read one workspace see its tags and types, without links to pages of the
/// organization, which would be refused.
#[tokio::test]
async fn pages_of_one_workspace_lead_to_no_page_that_is_refused() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let version = ann.current(&net).await.expect(200).id();
    let tags = json!({ "data": [{ "type": "tag-bindings", "attributes": { "key": "env", "value": "prod" } }] });
    ann.patch(&format!("/api/v2/workspaces/{net}/tag-bindings"), &tags)
        .await
        .expect(200);
    let (ops, _) = team(&world, &ann, "ops", "bob").await;
    let read = access("workspace", &net, &ops, &json!({ "access": "read" }));
    ann.post("/api/v2/team-workspaces", &read).await.expect(201);
    let of_one = sign_in(&world, &token(&world, "ops", "bob").await).await;
    let of_all = sign_in_as(&world, "eve", "acme", "read-state").await;
    assert_eq!(
        visit(&world, "/ui/organizations/acme?tag=env", &of_one)
            .await
            .status,
        403
    );
    let pages = [
        (
            format!("/ui/workspaces/{net}"),
            "<code>env=prod</code>",
            "?tag=env",
        ),
        (
            format!("/ui/state-versions/{version}/plan"),
            "<code>example_account</code>",
            "/types/example_account",
        ),
    ];
    for (path, shown, link) in pages {
        for (cookie, is_linked) in [(&of_all, true), (&of_one, false)] {
            let page = visit(&world, &path, cookie).await;
            assert!(
                page.status == 200 && page.text.contains(shown),
                "{path}: {}",
                page.text
            );
            assert_eq!(page.text.contains(link), is_linked, "{path}: {}", page.text);
        }
    }
}
