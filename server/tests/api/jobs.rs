//! The upgrade of many workspaces.

use std::time::Duration;

use serde_json::{Value, json};
use upstate_server::__internal::model::{VersionId, WorkspaceId};
use upstate_server::__internal::store::{Change, Commit, Committed};

use crate::schemas::{filled, new, old, path, registry, stuck};
use crate::world::{Client, World, text};

const JOBS: &str = "/api/v2/upstate/organizations/acme/jobs";

fn job(attributes: &Value) -> Value {
    json!({ "data": { "type": "upstate-jobs", "attributes": attributes } })
}

/// Works until there is nothing to do; how many workspaces were looked at.
async fn work(world: &World, by: &str) -> usize {
    let mut looked = 0;
    while world.service.work_on_jobs(by).await.expect("a store") {
        looked += 1;
    }
    looked
}

async fn counts(client: &Client<'_>, id: &str) -> (String, [u64; 4]) {
    let attributes = client.attributes(&path(id, "")).await;
    let of = |name: &str| attributes["workspaces"][name].as_u64().expect("a count");
    (
        text(&attributes["status"]),
        ["waiting", "upgraded", "current", "failed"].map(of),
    )
}

#[tokio::test]
async fn everything_that_is_behind_is_upgraded() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    for name in ["a", "b", "c"] {
        filled(&ann, name, &[old("x")]).await;
    }
    filled(&ann, "fine", &[new("x")]).await;
    ann.workspace("empty").await;
    let id = ann.made(JOBS, &job(&json!({}))).await;
    assert_eq!(
        counts(&ann, &id).await,
        ("running".to_owned(), [3, 0, 0, 0])
    );
    assert_eq!(work(&world, "me").await, 3);
    assert_eq!(counts(&ann, &id).await, ("done".to_owned(), [0, 3, 0, 0]));
    let items = ann
        .json(&path(&id, "/workspaces?filter[status]=upgraded"))
        .await;
    for item in items["data"].as_array().expect("a list") {
        let version = text(&item["relationships"]["state-version"]["data"]["id"]);
        let shown = ann.json(&format!("/api/v2/state-versions/{version}")).await;
        assert_eq!(shown["data"]["attributes"]["serial"], 2);
    }
    // Another one finds nothing to do.
    let other = ann.post(JOBS, &job(&json!({}))).await.expect(201);
    assert_eq!(other.attributes()["status"], "done");
    assert_eq!(
        ann.get(JOBS).await.expect(200).json()["meta"]["pagination"]["total-count"],
        2
    );
}

#[tokio::test]
async fn a_job_stops_at_a_failure_and_is_resumed() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let (good, bad) = (
        filled(&ann, "good", &[old("x")]).await,
        filled(&ann, "bad", &[old("x"), stuck("y")]).await,
    );
    let fine = filled(&ann, "fine", &[new("x")]).await;
    // One at a time, those that can be upgraded after the one that cannot: workspaces are taken in
    // no order that is promised.
    let id = ann
        .made(
            JOBS,
            &job(&json!({ "workspaces": [good, bad, fine, bad], "concurrency": 1 })),
        )
        .await;
    assert!(work(&world, "me").await <= 3);
    let (status, [waiting, _, _, failed]) = counts(&ann, &id).await;
    assert_eq!(failed, 1);
    assert_eq!(status, "stopped");
    ann.post(&path(&id, "/actions/stop"), &json!({}))
        .await
        .refused(409, "does not run");
    // With the cause gone it goes on.
    ann.lock(&bad).await.expect(200);
    ann.create(&bad, &crate::schemas::state(2, &[old("x")]))
        .await
        .expect(201);
    ann.unlock(&bad).await.expect(200);
    ann.post(&path(&id, "/actions/resume"), &json!({}))
        .await
        .expect(200);
    assert_eq!(work(&world, "me").await as u64, waiting + 1);
    assert_eq!(counts(&ann, &id).await, ("done".to_owned(), [0, 2, 1, 0]));
    ann.post(&path(&id, "/actions/resume"), &json!({}))
        .await
        .refused(409, "nothing left to do");
}

/// Nothing is written in the name of a user who has left.
#[tokio::test]
async fn a_job_goes_on_in_the_name_of_who_resumes_it() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let bob = world.user("bob", "read-state,write-state").await;
    let nets = [
        filled(&ann, "one", &[old("x")]).await,
        filled(&ann, "two", &[old("x")]).await,
    ];
    let id = bob.made(JOBS, &job(&json!({ "concurrency": 1 }))).await;
    assert!(world.service.work_on_jobs("me").await.expect("a store"));
    let users = "/api/v2/organizations/acme/users";
    let listed = ann.json(users).await;
    let of = |name: &str| {
        let all = listed["data"].as_array().expect("a list");
        let found = all.iter().find(|one| one["attributes"]["username"] == name);
        text(&found.expect("a user")["id"])
    };
    ann.delete(&format!("{users}/{}", of("bob")))
        .await
        .expect(204);
    assert_eq!(
        counts(&ann, &id).await,
        ("stopped".to_owned(), [1, 1, 0, 0])
    );
    let resumed = ann.post(&path(&id, "/actions/resume"), &json!({})).await;
    assert_eq!(resumed.expect(200).attributes()["requested-by"], "User ann");
    assert_eq!(work(&world, "me").await, 1);
    let mut creators = Vec::new();
    for net in &nets {
        let current = ann.current(net).await.expect(200).json();
        let creator = &current["data"]["relationships"]["created-by"]["data"]["id"];
        creators.push(text(creator));
    }
    creators.sort();
    let mut expected = [of("ann"), of("bob")];
    expected.sort();
    assert_eq!(creators, expected);
    let log = "/api/v2/organizations/acme/audit?filter[action]=state-version.upgrade";
    let lines = ann.json(log).await;
    let who = text(&lines["data"][0]["attributes"]["who"]);
    assert!(
        who.contains("ann") && who.ends_with(&format!(" by {id}")),
        "{who}"
    );
}

/// A job asks for each workspace what who requested it may still do.
#[tokio::test]
async fn a_job_stops_once_its_token_or_a_permission_is_gone() {
    let of_bob = "(SELECT id FROM user WHERE name = 'bob')";
    for (lost, why) in [
        (
            "token",
            "The token of User bob by which the job was requested was revoked",
        ),
        (
            "team_member",
            "User bob, who requested the job, has lost the permission write-state in this organization",
        ),
    ] {
        let world = World::knowing(registry()).await;
        let ann = world.owner().await;
        for name in ["one", "two", "three"] {
            filled(&ann, name, &[old("x")]).await;
        }
        let bob = world.user("bob", "read-state,write-state").await;
        let id = bob.made(JOBS, &job(&json!({ "concurrency": 1 }))).await;
        let begun = "/api/v2/organizations/acme/audit?filter[action]=job.create";
        let who = text(&ann.json(begun).await["data"][0]["attributes"]["who"]);
        assert!(who.starts_with("user bob (at-"), "{who}");
        assert!(world.service.work_on_jobs("me").await.expect("a store"));
        let sql = format!("DELETE FROM {lost} WHERE user = {of_bob}");
        assert_eq!(world.database().execute(&sql, ()).expect("a removal"), 1);
        assert_eq!(work(&world, "me").await, 1);
        assert_eq!(
            counts(&ann, &id).await,
            ("stopped".to_owned(), [1, 1, 0, 1])
        );
        let failed = path(&id, "/workspaces?filter[status]=failed");
        let detail = text(&ann.json(&failed).await["data"][0]["attributes"]["detail"]);
        assert_eq!(
            detail,
            format!("{why}. Resume the job to go on in your own name")
        );
        let log = "/api/v2/organizations/acme/audit?filter[action]=job.stop";
        let line = ann.json(log).await["data"][0]["attributes"].clone();
        assert_eq!(
            (text(&line["who"]), text(&line["detail"])),
            ("server".to_owned(), format!("requested by {who}: {detail}"))
        );
        ann.post(&path(&id, "/actions/resume"), &json!({}))
            .await
            .expect(200);
        assert_eq!(work(&world, "me").await, 2);
        assert_eq!(counts(&ann, &id).await, ("done".to_owned(), [0, 3, 0, 0]));
    }
}

/// A large state takes long, so that this is asked once more before it is written.
#[tokio::test]
async fn a_workspace_of_a_job_is_left_whose_token_is_revoked_meanwhile() {
    for undoes in [false, true] {
        let world = World::knowing(registry()).await;
        let ann = world.owner().await;
        let net = filled(&ann, "net", &[old("x")]).await;
        let bob = world.user("bob", "read-state,write-state").await;
        let id = if undoes {
            let first = ann.made(JOBS, &job(&json!({}))).await;
            assert_eq!(work(&world, "me").await, 1);
            bob.made(&path(&first, "/actions/undo"), &json!({})).await
        } else {
            bob.made(JOBS, &job(&json!({}))).await
        };
        let before = ann.versions("net").await.len();
        let database = world.database();
        // The first look at the clock is for the claim.
        world.meanwhile(1, move || {
            let sql = "DELETE FROM token WHERE user = (SELECT id FROM user WHERE name = 'bob')";
            assert_eq!(database.execute(sql, ()).expect("a removal"), 1);
        });
        assert!(world.service.work_on_jobs("me").await.expect("a store"));
        let items = ann.json(&path(&id, "/workspaces")).await;
        let outcome = &items["data"][0]["attributes"];
        assert_eq!(outcome["status"], "failed");
        let detail = text(&outcome["detail"]);
        assert!(detail.contains("was revoked. Resume the job"), "{detail}");
        assert_eq!(ann.versions("net").await.len(), before);
        let shown = ann.get(&format!("/api/v2/workspaces/{net}")).await;
        assert_eq!(shown.expect(200).attributes()["locked"], false);
    }
}

/// Its last workspaces may be worked on yet when somebody resumes it.
#[tokio::test]
async fn a_job_that_is_resumed_meanwhile_does_not_fail_for_who_had_it() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "net", &[old("x")]).await;
    let bob = world.user("bob", "read-state,write-state").await;
    let id = bob.made(JOBS, &job(&json!({}))).await;
    let database = world.database();
    // The first look at the clock is for the claim.
    world.meanwhile(1, move || {
        let resumed = "DELETE FROM token WHERE user = (SELECT id FROM user WHERE name = 'bob');
            UPDATE job SET token = (SELECT t.id FROM token t JOIN user u ON u.id = t.user WHERE u.name = 'ann'),
                requested_by = (SELECT json_object('kind', 'user', 'id', id, 'name', name, 'lock_id', NULL) FROM user WHERE name = 'ann')";
        database.execute_batch(resumed).expect("it is resumed");
    });
    assert!(world.service.work_on_jobs("me").await.expect("a store"));
    assert_eq!(
        counts(&ann, &id).await,
        ("running".to_owned(), [1, 0, 0, 0])
    );
    world.wait(Duration::from_secs(3));
    assert_eq!(work(&world, "me").await, 1);
    assert_eq!(counts(&ann, &id).await, ("done".to_owned(), [0, 1, 0, 0]));
}

/// The last moment for that is between the look at the token and the end of the job.
#[tokio::test]
async fn a_job_that_is_resumed_just_before_it_is_stopped_runs_on() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "net", &[old("x")]).await;
    let bob = world.user("bob", "read-state,write-state").await;
    let id = bob.made(JOBS, &job(&json!({}))).await;
    let database = world.database();
    let sql = "DELETE FROM token WHERE user = (SELECT id FROM user WHERE name = 'bob')";
    assert_eq!(database.execute(sql, ()).expect("a removal"), 1);
    // The first look at the clock is for the claim, the second for the line of the audit log.
    world.meanwhile(1, move || {
        let resumed = "UPDATE job SET who = 'user ann', token = (SELECT t.id FROM token t JOIN user u ON u.id = t.user WHERE u.name = 'ann'),
                requested_by = (SELECT json_object('kind', 'user', 'id', id, 'name', name, 'lock_id', NULL) FROM user WHERE name = 'ann')";
        database.execute(resumed, ()).expect("it is resumed");
    });
    assert!(world.service.work_on_jobs("me").await.expect("a store"));
    assert_eq!(
        counts(&ann, &id).await,
        ("running".to_owned(), [1, 0, 0, 0])
    );
    world.wait(Duration::from_secs(3));
    assert_eq!(work(&world, "me").await, 1);
    assert_eq!(counts(&ann, &id).await, ("done".to_owned(), [0, 1, 0, 0]));
}

/// A token that has expired was good when the job was requested.
#[tokio::test]
async fn a_job_outlasts_its_token() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "net", &[old("x")]).await;
    let bob = world.user("bob", "read-state,write-state").await;
    let id = bob.made(JOBS, &job(&json!({}))).await;
    let sql =
        "UPDATE token SET expires_at = 1 WHERE user = (SELECT id FROM user WHERE name = 'bob')";
    assert_eq!(world.database().execute(sql, ()).expect("an end"), 1);
    bob.get(&path(&id, "")).await.expect(401);
    assert_eq!(work(&world, "me").await, 1);
    assert_eq!(counts(&ann, &id).await, ("done".to_owned(), [0, 1, 0, 0]));
}

/// The workspaces are looked up first, and the jobs of a user who is removed are stopped once.
#[tokio::test]
async fn who_is_removed_while_a_job_is_made_has_none() {
    for what in ["job", "plan", "undo"] {
        let world = World::knowing(registry()).await;
        let ann = world.owner().await;
        filled(&ann, "net", &[old("x")]).await;
        let first = ann.made(JOBS, &job(&json!({}))).await;
        assert_eq!(work(&world, "me").await, 1);
        let bob = world.user("bob", "read-state,write-state,lock").await;
        let database = world.database();
        world.meanwhile(0, move || {
            let sql = "DELETE FROM token WHERE user = (SELECT id FROM user WHERE name = 'bob')";
            database.execute(sql, ()).expect("a removal");
        });
        let answer = match what {
            "job" => bob.post(JOBS, &job(&json!({}))).await,
            "plan" => {
                let body = json!({ "data": { "type": "upstate-plans", "attributes": {} } });
                bob.post("/api/v2/upstate/organizations/acme/plans", &body)
                    .await
            }
            _ => bob.post(&path(&first, "/actions/undo"), &json!({})).await,
        };
        answer.refused(401, "revoked meanwhile");
        let jobs = ann.json(JOBS).await;
        assert_eq!(jobs["meta"]["pagination"]["total-count"], 1, "{what}");
    }
}

#[tokio::test]
async fn who_is_removed_while_a_job_is_resumed_lets_none_go_on() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "net", &[old("x")]).await;
    let id = ann.made(JOBS, &job(&json!({}))).await;
    ann.post(&path(&id, "/actions/stop"), &json!({}))
        .await
        .expect(200);
    let bob = world.user("bob", "read-state,write-state,lock").await;
    let database = world.database();
    world.meanwhile(0, move || {
        let sql = "DELETE FROM token WHERE user = (SELECT id FROM user WHERE name = 'bob')";
        database.execute(sql, ()).expect("a removal");
    });
    bob.post(&path(&id, "/actions/resume"), &json!({}))
        .await
        .refused(401, "revoked meanwhile");
    assert_eq!(
        counts(&ann, &id).await,
        ("stopped".to_owned(), [1, 0, 0, 0])
    );
}

#[tokio::test]
async fn a_job_goes_on_after_failures_if_it_is_told_to() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "good", &[old("x")]).await;
    filled(&ann, "bad", &[old("x"), stuck("y")]).await;
    let locked = filled(&ann, "locked", &[old("x")]).await;
    let bob = world.user("bob", "lock,read-state").await;
    bob.lock(&locked).await.expect(200);
    let id = ann
        .made(JOBS, &job(&json!({ "on-failure": "continue" })))
        .await;
    assert_eq!(work(&world, "me").await, 3);
    assert_eq!(counts(&ann, &id).await, ("done".to_owned(), [0, 1, 0, 2]));
    let items = ann
        .json(&path(&id, "/workspaces?filter[status]=failed"))
        .await;
    let details: Vec<String> = items["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|item| text(&item["attributes"]["detail"]))
        .collect();
    assert!(
        details
            .iter()
            .any(|detail| detail.contains("locked by User bob")),
        "{details:?}"
    );
    assert!(
        details
            .iter()
            .any(|detail| detail.contains("Run release 1.9 first")),
        "{details:?}"
    );
}

/// A request that comes twice, as after an answer that was lost, does not let more workspaces fail
/// than were allowed.
#[tokio::test]
async fn a_job_that_runs_keeps_its_failures() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    for number in 0..3 {
        filled(&ann, &format!("bad-{number}"), &[old("x"), stuck("y")]).await;
    }
    let id = ann
        .made(JOBS, &job(&json!({ "max-failures": 1, "concurrency": 1 })))
        .await;
    assert!(world.service.work_on_jobs("me").await.expect("a store"));
    ann.post(&path(&id, "/actions/resume"), &json!({}))
        .await
        .refused(409, "runs already");
    assert_eq!(
        counts(&ann, &id).await,
        ("running".to_owned(), [2, 0, 0, 1])
    );
    work(&world, "me").await;
    assert_eq!(
        counts(&ann, &id).await,
        ("stopped".to_owned(), [1, 0, 0, 2])
    );
}

/// Upgrades a workspace as a process of a job would that is killed before it records it.
async fn upgraded_unrecorded(world: &World, ann: &Client<'_>, workspace: &WorkspaceId, job: &str) {
    ann.upgrade(workspace.as_str()).await.expect(201);
    let database = world.database();
    let made =
        "UPDATE state_version SET job = ?1 WHERE upgraded_from IS NOT NULL AND workspace = ?2";
    assert_eq!(
        database
            .execute(made, [job, workspace.as_str()])
            .expect("an update"),
        1
    );
}

/// A process that is killed holds its workspaces for a while, and then others go on: no workspace
/// is upgraded twice, none stays locked.
#[tokio::test]
async fn what_a_killed_process_left_is_finished_by_others() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let first = filled(&ann, "a", &[old("x")]).await;
    let second = filled(&ann, "b", &[old("x")]).await;
    let id = ann.made(JOBS, &job(&json!({ "concurrency": 2 }))).await;
    let store = world.service.store();
    // One was killed before it upgraded its workspace, one after.
    let now = world.service.now();
    let claimed = store
        .claim("killed", now, now.after(Duration::from_mins(2)))
        .await
        .expect("a store")
        .expect("a claim");
    store
        .claim("killed", now, now.after(Duration::from_mins(2)))
        .await
        .expect("a store")
        .expect("a claim");
    upgraded_unrecorded(&world, &ann, &claimed.workspace, &id).await;
    assert_eq!(work(&world, "other").await, 0, "others wait for a while");
    assert_eq!(
        counts(&ann, &id).await,
        ("running".to_owned(), [2, 0, 0, 0])
    );
    world.wait(Duration::from_mins(3));
    assert_eq!(work(&world, "other").await, 2);
    assert_eq!(counts(&ann, &id).await, ("done".to_owned(), [0, 2, 0, 0]));
    for (name, workspace) in [("a", &first), ("b", &second)] {
        assert_eq!(ann.versions(name).await.len(), 2, "{name} is upgraded once");
        let shown = ann
            .get(&format!("/api/v2/workspaces/{workspace}"))
            .await
            .expect(200);
        assert_eq!(shown.attributes()["locked"], false);
    }
    // The page of the job says so.
    let token = world.token("rob", "acme", "read-state").await;
    let cookie = crate::page::sign_in(&world, &token).await;
    let page = crate::page::visit(&world, &format!("/ui/jobs/{id}"), &cookie).await;
    let words = "2 workspaces were taken over from a server that did not go on";
    page.has(words);
}

#[tokio::test]
async fn a_wrong_member_of_a_job_is_named() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let zoe = world
        .token(
            "zoe",
            "other",
            "read-state,write-state,read-outputs,lock,force-unlock,admin",
        )
        .await;
    let foreign = json!({ "data": { "type": "workspaces", "attributes": { "name": "theirs" } } });
    let foreign = world
        .client(&zoe)
        .post("/api/v2/organizations/other/workspaces", &foreign)
        .await
        .expect(201)
        .id();
    ann.post(JOBS, &job(&json!({ "concurrency": 0 })))
        .await
        .refused(422, "concurrency must be from 1 to 32");
    ann.post(JOBS, &job(&json!({ "on-failure": "panic" })))
        .await
        .refused(422, "found \"panic\"");
    ann.post(JOBS, &job(&json!({ "workspaces": "all" })))
        .await
        .refused(422, "workspaces must be a list of workspace ids");
    ann.post(JOBS, &job(&json!({ "workspaces": [foreign] })))
        .await
        .refused(422, "not found in this organization");
    ann.post(JOBS, &json!({}))
        .await
        .refused(422, "no data of type");
    assert_eq!(
        ann.get(JOBS).await.expect(200).json()["meta"]["pagination"]["total-count"],
        0
    );
    let id = ann.made(JOBS, &job(&json!({}))).await;
    world
        .client(&zoe)
        .get(&path(&id, ""))
        .await
        .refused(404, "not found");
    ann.get(&path(&id, "/workspaces?filter[status]=lost"))
        .await
        .refused(400, "found \"lost\"");
}

/// A job over many workspaces is undone by another one, where nothing followed.
#[tokio::test]
async fn a_job_is_undone_where_its_version_is_still_current() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let mut ids = Vec::new();
    for name in ["a", "b", "c", "d"] {
        ids.push(filled(&ann, name, &[old("x")]).await);
    }
    let before = ann
        .bytes(&ann.current(&ids[0]).await.expect(200).id())
        .await;
    let id = ann.made(JOBS, &job(&json!({}))).await;
    let undo = path(&id, "/actions/undo");
    ann.post(&undo, &json!({}))
        .await
        .refused(409, "stop it, then undo it");
    work(&world, "me").await;
    // Meanwhile something was applied to one of them, and another one is locked.
    ann.lock(&ids[1]).await.expect(200);
    ann.create(&ids[1], &crate::schemas::state(9, &[new("x"), new("y")]))
        .await
        .expect(201);
    ann.unlock(&ids[1]).await.expect(200);
    ann.lock(&ids[2]).await.expect(200);
    let rob = world.user("rob", "read-state").await;
    rob.post(&undo, &json!({}))
        .await
        .refused(403, "write-state");
    let zoe = world.token("zoe", "other", "read-state,write-state").await;
    world
        .client(&zoe)
        .post(&undo, &json!({}))
        .await
        .refused(404, "not found");
    let undone = ann.post(&undo, &json!({})).await.expect(201);
    let attributes = undone.attributes();
    assert_eq!(
        (&attributes["action"], &attributes["undoes"]),
        (&json!("undo"), &json!(id))
    );
    work(&world, "me").await;
    let of = async || {
        let attributes = ann.attributes(&path(&undone.id(), "")).await;
        ["rolled-back", "current", "failed"]
            .map(|name| attributes["workspaces"][name].as_u64().expect("a count"))
    };
    assert_eq!(of().await, [2, 1, 1]);
    let items = ann.json(&path(&undone.id(), "/workspaces")).await;
    let details: Vec<String> = items["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|item| text(&item["attributes"]["detail"]))
        .collect();
    assert!(
        details
            .iter()
            .any(|detail| detail.contains("Unchanged: serial 9 is current")),
        "{details:?}"
    );
    assert!(
        details
            .iter()
            .any(|detail| detail.contains("is locked by User ann")),
        "{details:?}"
    );
    // What was there is there again, but for the serial, and nothing is locked.
    let now = ann.current(&ids[0]).await.expect(200).id();
    let text_of = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    let after = text_of(&ann.bytes(&now).await);
    assert_eq!(
        after.replace("\"serial\": 3", "\"serial\": 1"),
        text_of(&before)
    );
    assert_eq!(ann.versions("a").await.len(), 3);
    assert_eq!(ann.versions("b").await.len(), 3);
    assert_eq!(
        ann.get(&format!("/api/v2/workspaces/{}", ids[0]))
            .await
            .expect(200)
            .attributes()["locked"],
        false
    );
    // The locked one is tried again; what an undo did is not undone by a job.
    ann.unlock(&ids[2]).await.expect(200);
    ann.post(&path(&undone.id(), "/actions/resume"), &json!({}))
        .await
        .expect(200);
    work(&world, "me").await;
    assert_eq!(of().await, [3, 1, 0]);
    ann.post(&path(&undone.id(), "/actions/undo"), &json!({}))
        .await
        .refused(409, "cannot be undone by a job");
    // On the page, it asks first.
    let cookie = crate::page::sign_in_as(&world, "ann", "acme", "read-state,write-state").await;
    let page = crate::page::visit(&world, &format!("/ui/jobs/{id}/undo"), &cookie).await;
    page.has("Undo it in 4 workspaces");
    let form = format!("csrf={}", crate::page::field(&page, "csrf"));
    let made = crate::page::submit(&world, &format!("/ui/jobs/{id}/undo"), &cookie, &form).await;
    assert_eq!(made.status, 303, "{}", made.text);
    work(&world, "me").await;
    let page = crate::page::visit(&world, &made.location, &cookie).await;
    page.has("4 with nothing to change");
    page.has("It undoes");
}

/// A job that was just stopped is still worked on, and a killed process may have upgraded a
/// workspace without recording it.
#[tokio::test]
async fn a_stopped_job_is_undone_in_all_workspaces_that_it_changed() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let ids = [
        filled(&ann, "a", &[old("x")]).await,
        filled(&ann, "b", &[old("x")]).await,
    ];
    let id = ann.made(JOBS, &job(&json!({ "concurrency": 2 }))).await;
    let undo = path(&id, "/actions/undo");
    let now = world.service.now();
    let claim = world
        .service
        .store()
        .claim("killed", now, now.after(Duration::from_mins(1)))
        .await
        .expect("a store");
    let claimed = claim.expect("a claim").workspace;
    assert!(world.service.work_on_jobs("me").await.expect("a store"));
    ann.post(&path(&id, "/actions/stop"), &json!({}))
        .await
        .expect(200);
    ann.post(&undo, &json!({}))
        .await
        .refused(409, "Servers still work on 1 of the workspaces");
    upgraded_unrecorded(&world, &ann, &claimed, &id).await;
    world.wait(Duration::from_mins(2));
    assert_eq!(
        counts(&ann, &id).await,
        ("stopped".to_owned(), [1, 1, 0, 0])
    );
    let undone = ann.made(&undo, &json!({})).await;
    work(&world, "me").await;
    let attributes = ann.attributes(&path(&undone, "")).await;
    assert_eq!(attributes["workspaces"]["rolled-back"], 2);
    for workspace in ids {
        let head = ann.current(&workspace).await.expect(200).json();
        assert_eq!(head["data"]["attributes"]["serial"], 3);
    }
}

/// A workspace whose version before is gone stays upgraded, which is a failure.
#[tokio::test]
async fn an_undo_without_the_version_before_fails() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let workspace = filled(&ann, "a", &[old("x")]).await;
    let first = ann.current(&workspace).await.expect(200).id();
    let id = ann.made(JOBS, &job(&json!({}))).await;
    work(&world, "me").await;
    let store = world.service.store();
    let snapshot = store
        .snapshot(&WorkspaceId::from_text(&workspace))
        .await
        .expect("a store")
        .expect("a workspace");
    let commit = Commit {
        workspace: snapshot.workspace.id,
        expected: snapshot.workspace.revision,
        at: world.service.now(),
        changes: vec![Change::Delete(VersionId::from_text(first))],
        audit: Vec::new(),
    };
    assert_eq!(
        store.commit(commit).await.expect("a store"),
        Committed::Done
    );
    let undone = ann.made(&path(&id, "/actions/undo"), &json!({})).await;
    work(&world, "me").await;
    let items = ann.json(&path(&undone, "/workspaces")).await;
    let outcome = &items["data"][0]["attributes"];
    assert_eq!(outcome["status"], "failed");
    assert!(
        text(&outcome["detail"]).ends_with("is deleted, so it cannot become current again"),
        "{outcome}"
    );
}

/// Before a job has changed anything there is nothing to undo, whatever waits.
#[tokio::test]
async fn a_job_that_changed_nothing_is_not_undone() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "a", &[old("x")]).await;
    let id = ann.made(JOBS, &job(&json!({}))).await;
    ann.post(&path(&id, "/actions/stop"), &json!({}))
        .await
        .expect(200);
    ann.post(&path(&id, "/actions/undo"), &json!({}))
        .await
        .refused(409, "has made no version");
}

/// Some failures may be let pass: a number, or a share of the workspaces.
#[tokio::test]
async fn a_job_stops_above_a_share_of_failures() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    for number in 0..4 {
        filled(&ann, &format!("bad-{number}"), &[old("x"), stuck("y")]).await;
    }
    for (given, allowed) in [
        (json!(1), 1),
        (json!("50%"), 2),
        (json!("74 %"), 2),
        (json!("0%"), 0),
        (json!(null), 0),
    ] {
        let id = ann
            .made(
                JOBS,
                &job(&json!({ "max-failures": given, "concurrency": 1 })),
            )
            .await;
        assert_eq!(
            ann.get(&path(&id, "")).await.expect(200).attributes()["max-failures"],
            json!(allowed),
            "{given}"
        );
        work(&world, "me").await;
        assert_eq!(
            counts(&ann, &id).await,
            ("stopped".to_owned(), [3 - allowed, 0, 0, allowed + 1]),
            "{given}"
        );
    }
    // All of them may fail.
    let id = ann
        .made(JOBS, &job(&json!({ "max-failures": "100%" })))
        .await;
    work(&world, "me").await;
    assert_eq!(counts(&ann, &id).await, ("done".to_owned(), [0, 0, 0, 4]));
    for wrong in [
        json!("5"),
        json!("101%"),
        json!("-1%"),
        json!(-1),
        json!([]),
    ] {
        ann.post(JOBS, &job(&json!({ "max-failures": wrong })))
            .await
            .refused(422, "max-failures must be a number of workspaces");
    }
    // On the page it is a share, and ticked.
    let cookie = crate::page::sign_in_as(&world, "ann", "acme", "read-state,write-state").await;
    filled(&ann, "good", &[old("x")]).await;
    let plan = crate::page::visit(&world, "/ui/organizations/acme/plan", &cookie).await;
    let form = format!("csrf={}", crate::page::field(&plan, "csrf"));
    let made = crate::page::submit(&world, "/ui/organizations/acme/plans", &cookie, &form).await;
    work(&world, "me").await;
    let plan = crate::page::visit(&world, &made.location, &cookie).await;
    let form = format!(
        "csrf={}&stop=true&max-failures={}",
        crate::page::field(&plan, "csrf"),
        crate::page::field(&plan, "max-failures")
    );
    let made = crate::page::submit(&world, "/ui/organizations/acme/jobs", &cookie, &form).await;
    let id = made.location.rsplit('/').next().expect("an id").to_owned();
    assert_eq!(
        ann.get(&path(&id, "")).await.expect(200).attributes()["max-failures"],
        json!(0),
        "5 % of 1 is none"
    );
}
