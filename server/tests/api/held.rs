//! Locks that the service takes for upgrades and rollbacks: others are kept out meanwhile, and
//! nothing leaves one behind.

use std::time::Duration;

use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use upstate::{Diagnostics, Registry, Resource, UpgradeContext};
use upstate_server::__internal::service::{Conduct, Service};

use crate::page::{field, sign_in, submit, visit};
use crate::schemas::{filled, old, path};
use crate::world::{Client, State, World, text};

/// What an upgrader waits for that takes its time: a test lets it go on.
struct Gate {
    arrived: Semaphore,
    opened: Semaphore,
}

impl Gate {
    const fn new() -> Self {
        Self {
            arrived: Semaphore::const_new(0),
            opened: Semaphore::const_new(0),
        }
    }

    async fn pass(&self) {
        self.arrived.add_permits(1);
        self.opened.acquire().await.expect("an open gate").forget();
    }

    /// Waits until an upgrader is there.
    async fn reached(&self) {
        self.arrived.acquire().await.expect("a gate").forget();
    }

    fn open(&self) {
        self.opened.add_permits(1);
    }
}

/// A type whose upgrader waits at a gate of its own.
macro_rules! slow {
    ($module:ident) => {
        mod $module {
            use super::*;

            pub(super) static GATE: Gate = Gate::new();

            #[derive(Resource)]
            #[resource(type_name = "example_slow", version = 1)]
            #[upgrade_from(0, model = SlowV0, with = slowly, async)]
            pub(super) struct Slow {
                id: String,
            }

            #[derive(Resource)]
            #[resource(type_name = "example_slow", version = 0, prior)]
            pub(super) struct SlowV0 {
                id: String,
            }

            async fn slowly(
                prior: SlowV0,
                _: &mut UpgradeContext<'_>,
            ) -> Result<Slow, Diagnostics> {
                GATE.pass().await;
                Ok(Slow { id: prior.id })
            }
        }
    };
}

fn slow_state(serial: i64) -> State {
    let state = json!({
        "version": 4, "terraform_version": "1.15.5", "serial": serial, "lineage": "l", "outputs": {},
        "resources": [{
            "mode": "managed", "type": "example_slow", "name": "it", "provider": "provider[\"example.com/test/example\"]",
            "instances": [{ "schema_version": 0, "attributes": { "id": "a" } }],
        }],
    });
    State::of(serial, "l", &state.to_string())
}

/// A workspace with such a state.
async fn slow(ann: &Client<'_>, name: &str) -> String {
    let id = ann.locked(name).await;
    ann.create(&id, &slow_state(1)).await.expect(201);
    ann.unlock(&id).await.expect(200);
    id
}

/// Upgrades a workspace beside the test.
fn upgrading(service: &Service, token: &str, workspace: &str) -> JoinHandle<Result<(), String>> {
    let (service, token, workspace) = (service.clone(), token.to_owned(), workspace.to_owned());
    tokio::spawn(async move {
        let principal = service.authenticate(&token).await.expect("a principal");
        let id = upstate_server::__internal::model::WorkspaceId::from_text(workspace);
        service
            .upgrade(&principal, &id, None)
            .await
            .map(drop)
            .map_err(|failure| failure.to_string())
    })
}

async fn is_locked(ann: &Client<'_>, id: &str) -> bool {
    ann.get(&format!("/api/v2/workspaces/{id}"))
        .await
        .expect(200)
        .attributes()["locked"]
        == true
}

async fn actions(ann: &Client<'_>, id: &str) -> Vec<String> {
    let audit = ann
        .json(&format!(
            "/api/v2/organizations/acme/audit?filter[workspace][id]={id}"
        ))
        .await;
    audit["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| text(&one["attributes"]["action"]))
        .collect()
}

const ALL: &str = "read-state,write-state,read-outputs,lock,force-unlock,admin";

slow!(others);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_keeps_others_out() {
    let world = World::knowing(Registry::new().with::<others::Slow>()).await;
    let token = world.token("ann", "acme", ALL).await;
    let ann = world.client(&token);
    let net = slow(&ann, "net").await;
    let upgrade = upgrading(&world.service, &token, &net);
    others::GATE.reached().await;
    // A Terraform that comes now waits, in whoever's name it runs.
    ann.lock(&net).await.refused(409, "reason: Upgrading");
    ann.create(&net, &slow_state(2))
        .await
        .refused(409, "is locked by User ann");
    let http = "/http/acme/net";
    assert_eq!(
        ann.send("POST", http, &[], slow_state(2).bytes)
            .await
            .status,
        423
    );
    ann.unlock(&net)
        .await
        .refused(409, "only its holder unlocks it");
    // Another upgrade may be asked for again in a moment.
    ann.upgrade(&net).await.refused(503, "(Upgrading)");
    others::GATE.open();
    upgrade.await.expect("an end").expect("upgraded");
    assert!(!is_locked(&ann, &net).await);
    assert_eq!(ann.versions("net").await.len(), 2);
    let creator = &ann.versions("net").await[0]["relationships"]["created-by"]["data"]["id"];
    assert!(text(creator).starts_with("user-"));
    // The lock of the test, and the upgrade.
    assert_eq!(
        actions(&ann, &net).await[..2],
        ["state-version.upgrade", "workspace.unlock"]
    );
    // Where there is nothing to do, nothing is locked.
    let id = upstate_server::__internal::model::WorkspaceId::from_text(net.clone());
    let revision = async || {
        world
            .service
            .store()
            .snapshot(&id)
            .await
            .expect("a store")
            .expect("a workspace")
            .workspace
            .revision
    };
    let before = revision().await;
    ann.upgrade(&net).await.expect(200);
    assert_eq!(revision().await, before);
    // Under a lock of one's own, it stays.
    ann.lock(&net).await.expect(200);
    ann.create(&net, &slow_state(3)).await.expect(201);
    others::GATE.open();
    ann.upgrade(&net).await.expect(201);
    assert!(is_locked(&ann, &net).await);
}

slow!(taken);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_whose_lock_is_taken_away_writes_nothing() {
    let world = World::knowing(Registry::new().with::<taken::Slow>()).await;
    let token = world.token("ann", "acme", ALL).await;
    let ann = world.client(&token);
    let net = slow(&ann, "net").await;
    let upgrade = upgrading(&world.service, &token, &net);
    taken::GATE.reached().await;
    ann.force_unlock(&net).await.expect(200);
    ann.lock(&net).await.expect(200);
    taken::GATE.open();
    let described = upgrade.await.expect("an end").expect_err("refused");
    assert!(
        described
            .starts_with("The lock of workspace net was taken away while it was being upgraded"),
        "{described}"
    );
    assert_eq!(ann.versions("net").await.len(), 1);
    assert!(
        is_locked(&ann, &net).await,
        "the lock of the other one stays"
    );
}

slow!(gone);

/// An upgrade that takes longer than the lease keeps its lock, also when no request waits for its
/// answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_goes_on_without_its_client() {
    let conduct = Conduct {
        lease: Duration::from_millis(60),
        ..Conduct::default()
    };
    let world = World::made(
        conduct,
        Registry::new().with::<gone::Slow>(),
        upstate_compat::lock::Lock::default(),
    )
    .await;
    let token = world.token("ann", "acme", ALL).await;
    let ann = world.client(&token);
    let net = slow(&ann, "net").await;
    let id = upstate_server::__internal::model::WorkspaceId::from_text(net.clone());
    let ends = async || {
        world
            .service
            .store()
            .snapshot(&id)
            .await
            .expect("a store")
            .expect("a workspace")
            .workspace
            .lock
            .expect("a lock")
            .until
    };
    let upgrade = upgrading(&world.service, &token, &net);
    gone::GATE.reached().await;
    let first = ends().await.expect("an end");
    upgrade.abort();
    // The clock of this world moves only when it is read.
    while ends().await.expect("an end") <= first.after(Duration::from_millis(60)) {
        world.wait(Duration::from_millis(10));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(is_locked(&ann, &net).await);
    gone::GATE.open();
    while is_locked(&ann, &net).await {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(ann.versions("net").await.len(), 2);
}

slow!(killed);

/// Ends all that a process does, as a kill would.
fn kill(process: tokio::runtime::Runtime) {
    process.shutdown_background();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lock_that_a_killed_server_left_ends_by_itself() {
    let world = World::knowing(Registry::new().with::<killed::Slow>()).await;
    let token = world.token("ann", "acme", ALL).await;
    let ann = world.client(&token);
    let (net, job_net) = (slow(&ann, "net").await, slow(&ann, "job-net").await);
    // One was killed while somebody waited for an upgrade, one while it worked on a job.
    let process = tokio::runtime::Runtime::new().expect("a runtime");
    {
        let _inside = process.enter();
        drop(upgrading(&world.service, &token, &net));
    }
    killed::GATE.reached().await;
    let body =
        json!({ "data": { "type": "upstate-jobs", "attributes": { "workspaces": [job_net] } } });
    let job = ann
        .made("/api/v2/upstate/organizations/acme/jobs", &body)
        .await;
    let service = world.service.clone();
    process.spawn(async move { service.work_on_jobs("killed").await });
    killed::GATE.reached().await;
    kill(process);
    assert!(is_locked(&ann, &net).await && is_locked(&ann, &job_net).await);
    // It is waited for.
    assert!(!world.service.work_on_jobs("other").await.expect("a store"));
    ann.lock(&net).await.refused(409, "reason: Upgrading");
    assert_eq!(world.service.upkeep().await.expect("upkeep").unlocked, []);
    world.wait(Duration::from_secs(61));
    assert!(
        !is_locked(&ann, &net).await,
        "it is none any more, for whoever asks"
    );
    ann.lock(&net).await.expect(200);
    ann.create(&net, &slow_state(2)).await.expect(201);
    let unlocked = world.service.upkeep().await.expect("upkeep").unlocked;
    assert!(
        matches!(&unlocked[..], [one] if one.as_str() == job_net),
        "{unlocked:?}"
    );
    assert_eq!(actions(&ann, &job_net).await[0], "workspace.lock-ended");
    // Those of the processes that were killed may come to an end; they write nothing.
    killed::GATE.opened.add_permits(8);
    assert!(world.service.work_on_jobs("other").await.expect("a store"));
    let done = ann.attributes(&path(&job, "")).await;
    assert_eq!(
        (&done["status"], &done["workspaces"]["upgraded"]),
        (&json!("done"), &json!(1))
    );
    assert_eq!(
        (
            ann.versions("net").await.len(),
            ann.versions("job-net").await.len()
        ),
        (2, 2)
    );
    assert!(is_locked(&ann, &net).await && !is_locked(&ann, &job_net).await);
}

slow!(busy);

/// A job waits for another upgrade instead of failing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_waits_for_another_upgrade() {
    let world = World::knowing(Registry::new().with::<busy::Slow>()).await;
    let token = world.token("ann", "acme", ALL).await;
    let ann = world.client(&token);
    let net = slow(&ann, "net").await;
    let body = json!({ "data": { "type": "upstate-jobs", "attributes": {} } });
    let job = ann
        .made("/api/v2/upstate/organizations/acme/jobs", &body)
        .await;
    let upgrade = upgrading(&world.service, &token, &net);
    busy::GATE.reached().await;
    assert!(world.service.work_on_jobs("me").await.expect("a store"));
    assert_eq!(
        ann.get(&path(&job, "")).await.expect(200).attributes()["workspaces"]["waiting"],
        1
    );
    assert!(
        !world.service.work_on_jobs("me").await.expect("a store"),
        "not at once"
    );
    busy::GATE.open();
    upgrade.await.expect("an end").expect("upgraded");
    world.wait(Duration::from_secs(3));
    assert!(world.service.work_on_jobs("me").await.expect("a store"));
    assert_eq!(
        ann.get(&path(&job, "")).await.expect(200).attributes()["status"],
        "done"
    );
    assert_eq!(ann.versions("net").await.len(), 2);
}

slow!(planned);

/// A plan that takes longer than the lease keeps its workspace, so that it comes to an end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_keeps_the_workspace_that_it_looks_at() {
    let conduct = Conduct {
        lease: Duration::from_millis(60),
        ..Conduct::default()
    };
    let world = World::made(
        conduct,
        Registry::new().with::<planned::Slow>(),
        upstate_compat::lock::Lock::default(),
    )
    .await;
    let token = world.token("ann", "acme", ALL).await;
    let ann = world.client(&token);
    slow(&ann, "net").await;
    let body = json!({ "data": { "type": "upstate-plans", "attributes": {} } });
    let plan = ann
        .made("/api/v2/upstate/organizations/acme/plans", &body)
        .await;
    let service = world.service.clone();
    let work = tokio::spawn(async move { service.work_on_jobs("a").await.expect("a store") });
    planned::GATE.reached().await;
    // The clock of this world moves only when it is read.
    let later = world.service.now().after(Duration::from_secs(1));
    let (store, id) = (
        world.service.store(),
        upstate_server::__internal::model::JobId::from_text(&plan),
    );
    for _ in 0..500 {
        if store.claimed_items(&id, later).await.expect("a store") > 0 {
            break;
        }
        world.wait(Duration::from_millis(10));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let claimed = store
        .claim("b", later, later.after(Duration::from_mins(1)))
        .await
        .expect("a store");
    // Before the test may fail, because the runtime waits for the plan.
    planned::GATE.open();
    assert!(work.await.expect("an end"));
    assert_eq!(claimed, None, "it is still the work of the first one");
    let done = ann.attributes(&path(&plan, "")).await;
    assert_eq!(
        (&done["status"], &done["workspaces"]["upgraded"]),
        (&json!("done"), &json!(1))
    );
}

/// The store fails in the middle: when the new version is written, or its source read.
#[tokio::test]
async fn a_rollback_and_an_upgrade_give_their_lock_back_whatever_goes_wrong() {
    let world = World::knowing(crate::schemas::registry()).await;
    let token = world.token("ann", "acme", ALL).await;
    let ann = world.client(&token);
    let net = filled(&ann, "net", &[old("a")]).await;
    let first = ann.current(&net).await.expect(200).id();
    ann.lock(&net).await.expect(200);
    ann.create(&net, &crate::schemas::state(2, &[old("b")]))
        .await
        .expect(201);
    ann.unlock(&net).await.expect(200);
    let database = world.database();
    let cookie = sign_in(&world, &token).await;
    let page = format!("/ui/state-versions/{first}/rollback");
    let fails = async || {
        let requested = visit(&world, &page, &cookie).await;
        let form = format!(
            "csrf={}&current={}",
            field(&requested, "csrf"),
            field(&requested, "current")
        );
        let rollback = submit(&world, &page, &cookie, &form).await;
        assert!(rollback.status >= 500, "{}", rollback.text);
        let upgrade = ann.upgrade(&net).await;
        assert!(upgrade.status >= 500, "{upgrade:?}");
        assert!(!is_locked(&ann, &net).await);
        assert_eq!(ann.versions("net").await.len(), 2);
    };
    let full = "CREATE TRIGGER full BEFORE INSERT ON state_version BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
    database.execute_batch(full).expect("a trigger");
    fails().await;
    database
        .execute_batch("DROP TRIGGER full")
        .expect("no trigger");
    database
        .pragma_update(None, "foreign_keys", false)
        .expect("a setting");
    database.execute("DELETE FROM blob", ()).expect("no bytes");
    fails().await;
}
