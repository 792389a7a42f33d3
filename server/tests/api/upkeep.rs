//! SV-44: what goes by itself, and what never does.

use std::time::Duration;

use serde_json::{Value, json};
use upstate_compat::lock::Lock;
use upstate_server::__internal::rules::Policy;
use upstate_server::__internal::service::Conduct;

use crate::schemas::{filled, old, path, registry};
use crate::world::{State, World};

const DAY: Duration = Duration::from_hours(24);

#[tokio::test]
async fn old_versions_go_and_what_is_needed_stays() {
    let policy = Policy {
        keep_last: 2,
        keep_days: Some(10),
    };
    let world = World::with(Conduct {
        retention: policy,
        ..Conduct::default()
    })
    .await;
    let ann = world.owner().await;
    let quiet = ann.locked("quiet").await;
    let only = ann.stored(&quiet, &State::new(1, "q", "a")).await;
    let id = ann.locked("net").await;
    let source = ann.stored(&id, &State::new(1, "l", "a")).await;
    let old = ann.stored(&id, &State::new(2, "l", "b")).await;
    world.wait(9 * DAY);
    let back = ann.rollback(&id, &source).await.expect(201).id();
    ann.create(&id, &State::new(4, "l", "c")).await.expect(201);
    ann.create(&id, &State::new(5, "l", "d")).await.expect(201);
    assert!(
        world
            .service
            .expired(&policy)
            .await
            .expect("a list")
            .is_empty()
    );
    world.wait(2 * DAY);
    // A look changes nothing.
    let going = world.service.expired(&policy).await.expect("a list");
    assert_eq!(
        going
            .iter()
            .map(|expired| expired.id.to_string())
            .collect::<Vec<_>>(),
        std::slice::from_ref(&old)
    );
    assert_eq!(ann.versions("net").await.len(), 5);
    let done = world.service.upkeep().await.expect("upkeep");
    assert_eq!(done.deleted.len(), 1);
    ann.get(&format!("/api/v2/state-versions/{old}"))
        .await
        .expect(404);
    // The current one of each workspace stays however old it is, and so does what a rollback went
    // back to.
    ann.bytes(&only).await;
    ann.bytes(&source).await;
    let shown = ann.json(&format!("/api/v2/state-versions/{back}")).await;
    assert_eq!(
        shown["data"]["relationships"]["previous-state-version"]["data"]["id"],
        source
    );
    world.wait(30 * DAY);
    world.service.upkeep().await.expect("upkeep");
    let serials: Vec<_> = ann
        .versions("net")
        .await
        .iter()
        .map(|one| one["attributes"]["serial"].clone())
        .collect();
    assert_eq!(serials, [json!(5), json!(4)]);
    ann.bytes(&only).await;
    // A rollback still gets a serial that never was.
    let four = ann.versions("net").await[1]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    assert_eq!(
        ann.rollback(&id, &four).await.expect(201).attributes()["serial"],
        6
    );
}

/// A version that a job upgraded was current for long, and comes back all the same.
#[tokio::test]
async fn what_an_upgrade_was_made_from_stays_with_it() {
    let policy = Policy {
        keep_last: 0,
        keep_days: Some(10),
    };
    let conduct = Conduct {
        retention: policy,
        ..Conduct::default()
    };
    let world = World::made(conduct, registry(), Lock::default()).await;
    let ann = world.owner().await;
    filled(&ann, "net", &[old("x")]).await;
    world.wait(30 * DAY);
    let job = json!({ "data": { "type": "upstate-jobs", "attributes": {} } });
    let job = ann
        .made("/api/v2/upstate/organizations/acme/jobs", &job)
        .await;
    while world.service.work_on_jobs("me").await.expect("a store") {}
    assert_eq!(ann.versions("net").await.len(), 2);
    assert!(
        world
            .service
            .upkeep()
            .await
            .expect("upkeep")
            .deleted
            .is_empty()
    );
    let undone = ann.made(&path(&job, "/actions/undo"), &json!({})).await;
    while world.service.work_on_jobs("me").await.expect("a store") {}
    assert_eq!(
        ann.get(&path(&undone, "")).await.expect(200).attributes()["workspaces"]["rolled-back"],
        1
    );
    // Later on, what the undo went back to stays, and the upgrade goes.
    world.wait(30 * DAY);
    assert_eq!(
        world.service.upkeep().await.expect("upkeep").deleted.len(),
        1
    );
    let serials: Vec<_> = ann
        .versions("net")
        .await
        .iter()
        .map(|one| one["attributes"]["serial"].clone())
        .collect();
    assert_eq!(serials, [json!(3), json!(1)]);
}

#[tokio::test]
async fn without_a_policy_nothing_ever_goes() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    for serial in 1..=3 {
        ann.create(&id, &State::new(serial, "l", "a"))
            .await
            .expect(201);
    }
    world.wait(4000 * DAY);
    assert!(
        world
            .service
            .upkeep()
            .await
            .expect("upkeep")
            .deleted
            .is_empty()
    );
    // A workspace's own policy goes before the server's.
    let path = format!("/api/v2/workspaces/{id}/relationships/data-retention-policy");
    let policy = |name: &str, attributes: Value| json!({ "data": { "type": format!("data-retention-policy-{name}"), "attributes": attributes } });
    ann.post(
        &path,
        &policy("delete-olders", json!({ "delete-older-than-n-days": 5 })),
    )
    .await
    .expect(200);
    let all_may_go = Policy {
        keep_last: 0,
        keep_days: None,
    };
    assert_eq!(
        world
            .service
            .expired(&all_may_go)
            .await
            .expect("a list")
            .len(),
        2
    );
    ann.post(&path, &policy("dont-deletes", json!({})))
        .await
        .expect(200);
    let soon = Policy {
        keep_last: 0,
        keep_days: Some(1),
    };
    assert!(
        world
            .service
            .expired(&soon)
            .await
            .expect("a list")
            .is_empty()
    );
}

/// Old versions are listed hundreds at a time, and deleted one by one.
#[tokio::test]
async fn a_policy_that_changes_meanwhile_keeps_what_it_says() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    for serial in 1..=3 {
        ann.stored(&id, &State::new(serial, "l", "a")).await;
    }
    world.wait(9 * DAY);
    let policy = Policy {
        keep_last: 0,
        keep_days: Some(5),
    };
    // The first look at the clock is for the policy, the second for the first version to go.
    for (days, kept) in [("-1", 3), ("10", 3), ("8", 1)] {
        let database = world.database();
        world.meanwhile(1, move || {
            let sql =
                format!("UPDATE workspace SET retention_days = {days}, revision = revision + 1");
            assert_eq!(database.execute(&sql, ()).expect("a policy"), 1);
        });
        let sql = "UPDATE workspace SET retention_days = NULL";
        assert_eq!(world.database().execute(sql, ()).expect("none"), 1);
        world.service.retain(&policy).await.expect("a store");
        assert_eq!(ann.versions("net").await.len(), kept, "{days}");
    }
}

#[tokio::test]
async fn deleted_workspaces_are_purged_after_a_while() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.create(&id, &State::new(1, "l", "a")).await.expect(201);
    ann.delete(&format!("/api/v2/workspaces/{id}"))
        .await
        .expect(204);
    world.wait(29 * DAY);
    assert_eq!(world.service.upkeep().await.expect("upkeep").purged, 0);
    world.wait(2 * DAY);
    assert_eq!(world.service.upkeep().await.expect("upkeep").purged, 1);
}

/// What was written last is current and listed first, whatever its time says.
#[tokio::test]
async fn a_clock_that_is_set_loses_nothing() {
    let policy = Policy {
        keep_last: 0,
        keep_days: Some(5),
    };
    let world = World::with(Conduct {
        retention: policy,
        ..Conduct::default()
    })
    .await;
    let ann = world.owner().await;
    world.wait(30 * DAY);
    let id = ann.locked("net").await;
    let first = ann.stored(&id, &State::new(1, "l", "a")).await;
    world.set_back(20 * DAY);
    let second = ann.stored(&id, &State::new(2, "l", "b")).await;
    let listed: Vec<_> = ann
        .versions("net")
        .await
        .iter()
        .map(|one| one["id"].clone())
        .collect();
    assert_eq!(listed, [json!(second), json!(first)]);
    assert_eq!(ann.current(&id).await.id(), second);
    // Nothing is older than the policy, not even what seems to be made later.
    assert!(
        world
            .service
            .upkeep()
            .await
            .expect("upkeep")
            .deleted
            .is_empty()
    );
    ann.bytes(&first).await;
    // A version that waits for its bytes does not expire before its time.
    let waits = ann.begin(&id, &State::new(3, "l", "c")).await.expect(201);
    world.set_back(DAY);
    assert!(
        world
            .service
            .upkeep()
            .await
            .expect("upkeep")
            .discarded
            .is_empty()
    );
    let url = crate::world::text(&waits.attributes()["hosted-state-upload-url"]);
    ann.put(&url, &State::new(3, "l", "c").bytes)
        .await
        .expect(200);
    ann.unlock(&id).await.expect(200);
    ann.unlock(&id).await.expect(200);
    ann.lock(&id).await.expect(200);
    assert_eq!(
        ann.rollback(&id, &first).await.expect(201).attributes()["serial"],
        4
    );
    // Far in the future, whatever is not current is old.
    world.wait(400 * DAY);
    world.service.upkeep().await.expect("upkeep");
    let serials: Vec<_> = ann
        .versions("net")
        .await
        .iter()
        .map(|one| one["attributes"]["serial"].clone())
        .collect();
    // What the current one went back to stays with it.
    assert_eq!(serials, [json!(4), json!(1)]);
}
