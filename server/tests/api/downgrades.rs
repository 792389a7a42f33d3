//! The way back: states taken to what an earlier release stores, as new versions.

use serde_json::{Value, json};
use upstate::{Registry, Resource};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

use crate::page::{sign_in_as, visit};
use crate::schemas::{ends, filled, path, state};
use crate::world::{Answer, Client, World, text};

#[derive(Resource)]
#[resource(type_name = "example_note", version = 2)]
#[upgrade_from(1 => 2, set(pinned = false))]
#[upgrade_from(0 => 1, rename(name => title))]
struct Note {
    id: String,
    title: String,
    pinned: bool,
    #[attribute(sensitive)]
    code: Option<String>,
}

/// What release 1.0.0 had.
#[derive(Resource)]
#[resource(type_name = "example_note", version = 0)]
struct ReleasedNote {
    id: String,
    name: String,
    #[attribute(sensitive)]
    code: Option<String>,
}

/// Of a type that release 1.0.0 did not have.
#[derive(Resource)]
#[resource(type_name = "example_label", version = 0)]
struct Label {
    id: String,
}

fn registry() -> Registry {
    Registry::new().with::<Note>().with::<Label>()
}

fn lock() -> Lock {
    let mut lock = Lock::default();
    let first = Snapshot::of(&Registry::new().with::<ReleasedNote>());
    lock.freeze(&first, "1.0.0".parse().expect("a release"))
        .expect("a lock");
    lock.freeze(
        &Snapshot::of(&registry()),
        "2.0.0".parse().expect("a release"),
    )
    .expect("a lock");
    lock
}

pub(crate) async fn world() -> World {
    World::remembering(registry(), lock()).await
}

fn resource(type_name: &str, name: &str, version: u64, attributes: &Value) -> Value {
    json!({
        "mode": "managed", "type": type_name, "name": name, "provider": "provider[\"example.com/test/example\"]",
        "instances": [{ "schema_version": version, "attributes": attributes, "sensitive_attributes": [] }],
    })
}

pub(crate) fn note(name: &str, pinned: bool) -> Value {
    let attributes =
        json!({ "id": name, "title": format!("The {name}"), "pinned": pinned, "code": "hunter22" });
    resource("example_note", name, 2, &attributes)
}

/// A note of an earlier schema version, which an upgrade fills.
pub(crate) fn note_of(name: &str, version: u64) -> Value {
    resource(
        "example_note",
        name,
        version,
        &json!({ "id": name, "title": format!("The {name}"), "code": "hunter22" }),
    )
}

fn body(release: &str, allow_loss: bool) -> String {
    let attributes = json!({ "to-release": release, "allow-loss": allow_loss });
    json!({ "data": { "type": "upstate-downgrades", "attributes": attributes } }).to_string()
}

async fn downgrade(
    client: &Client<'_>,
    id: &str,
    headers: &[(&str, &str)],
    body: String,
) -> Answer {
    client
        .send("POST", &path(id, "/actions/downgrade"), headers, body)
        .await
}

/// The instances of a version.
async fn instances(client: &Client<'_>, version: &str) -> Vec<Value> {
    let state: Value = serde_json::from_slice(&client.bytes(version).await).expect("a state");
    let resources = state["resources"].as_array().expect("resources").clone();
    resources
        .iter()
        .map(|resource| resource["instances"][0].clone())
        .collect()
}

#[tokio::test]
async fn a_downgrade_is_a_version_like_any_other() {
    let world = world().await;
    let ann = world.owner().await;
    let releases = ann.json("/api/v2/upstate/releases").await;
    assert_eq!(
        releases["data"],
        json!([
            { "id": "2.0.0", "type": "upstate-releases", "attributes": { "versions": { "example_label": 0, "example_note": 2 }, "identities": {} } },
            { "id": "1.0.0", "type": "upstate-releases", "attributes": { "versions": { "example_note": 0 }, "identities": {} } },
        ])
    );
    let net = filled(&ann, "net", &[note("a", false), note("b", false)]).await;
    let first = ann.current(&net).await.expect(200).id();
    let plan = ann
        .get(&path(&first, "/plan?to-release=1.0.0"))
        .await
        .expect(200);
    assert!(
        !String::from_utf8_lossy(&plan.bytes).contains("hunter"),
        "{plan:?}"
    );
    let plan = plan.json();
    assert_eq!(
        (
            &plan["meta"]["totals"]["downgraded"],
            &plan["meta"]["totals"]["failed"]
        ),
        (&json!(2), &json!(0))
    );
    assert_eq!(
        plan["meta"]["types"],
        json!([{ "type": "example_note", "from": 2, "to": 0, "outcome": "downgraded", "instances": 2 }])
    );
    assert_eq!(plan["data"][0]["attributes"]["outcome"], "downgraded");
    let matching = format!("\"{first}\"");
    downgrade(
        &ann,
        &net,
        &[("if-match", "\"sv-other\"")],
        body("1.0.0", false),
    )
    .await
    .refused(412, "is current");
    let back = downgrade(&ann, &net, &[("if-match", &matching)], body("1.0.0", false))
        .await
        .expect(201);
    let relationships = &back.json()["data"]["relationships"];
    assert_eq!(
        relationships["downgraded-from-state-version"]["data"]["id"],
        json!(first)
    );
    assert!(relationships.get("upgraded-from-state-version").is_none());
    assert_eq!(back.attributes()["serial"], 2);
    assert_eq!(
        instances(&ann, &back.id()).await[0],
        json!({
            "schema_version": 0, "attributes": { "code": "hunter22", "id": "a", "name": "The a" }, "sensitive_attributes": [],
        })
    );
    // The answer was lost and the client asks again; it asks for something else under the same
    // condition.
    assert_eq!(
        downgrade(&ann, &net, &[("if-match", &matching)], body("1.0.0", false))
            .await
            .expect(201)
            .id(),
        back.id()
    );
    ann.send(
        "POST",
        &path(&net, "/actions/upgrade"),
        &[("if-match", &matching)],
        "",
    )
    .await
    .refused(412, "is current");
    // There is nothing left to do.
    assert_eq!(
        downgrade(&ann, &net, &[], body("1.0.0", false))
            .await
            .expect(200)
            .id(),
        back.id()
    );
    let report = ann.json(&path(&back.id(), "/report")).await;
    assert_eq!(report["data"]["attributes"]["to_release"], "1.0.0");
    assert_eq!(report["data"]["attributes"]["downgraded"], 2);
    assert_eq!(
        report["data"]["relationships"]["downgraded-from"]["data"]["id"],
        json!(first)
    );
    // Up again, it is what it was.
    let up = ann.upgrade(&net).await.expect(201);
    assert_eq!(
        instances(&ann, &up.id()).await,
        instances(&ann, &first).await
    );
    let audit = ann
        .json("/api/v2/organizations/acme/audit?page[size]=100")
        .await;
    let entries = audit["data"].as_array().expect("a list");
    let entry = entries
        .iter()
        .find(|one| one["attributes"]["action"] == "state-version.downgrade")
        .expect("an entry");
    assert!(
        text(&entry["attributes"]["detail"]).contains("2 instances, to release 1.0.0"),
        "{entry}"
    );
}

#[tokio::test]
async fn what_an_older_release_cannot_hold_is_named_and_kept_unless_that_is_allowed() {
    let world = world().await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[note("a", false), note("b", true)]).await;
    let first = ann.current(&net).await.expect(200).id();
    let refused = downgrade(&ann, &net, &[], body("1.0.0", false))
        .await
        .refused(409, "1 of 2 instances that would go back");
    assert!(
        refused
            .detail()
            .contains("example_note.b: Downgrade Would Lose a Value"),
        "{}",
        refused.detail()
    );
    assert_eq!(ann.versions("net").await.len(), 1);
    let plan = ann
        .json(&path(
            &first,
            "/plan?to-release=1.0.0&filter[outcome]=failed",
        ))
        .await;
    assert_eq!(plan["data"][0]["id"], "example_note.b");
    let plan = ann
        .json(&path(&first, "/plan?to-release=1.0.0&allow-loss=true"))
        .await;
    assert_eq!(plan["meta"]["totals"]["failed"], 0);
    let back = downgrade(&ann, &net, &[], body("1.0.0", true))
        .await
        .expect(201);
    let report = ann.attributes(&path(&back.id(), "/report")).await;
    assert_eq!(report["notes"][0]["address"], "example_note.b");
    assert!(
        text(&report["notes"][0]["diagnostics"][0]["detail"])
            .contains("cannot hold the value true (at pinned)"),
        "{report}"
    );
}

#[tokio::test]
async fn a_release_that_cannot_be_gone_back_to_is_refused() {
    let world = world().await;
    let ann = world.owner().await;
    let net = filled(
        &ann,
        "net",
        &[
            note("a", false),
            resource("example_label", "l", 0, &json!({ "id": "l" })),
        ],
    )
    .await;
    let version = ann.current(&net).await.expect(200).id();
    downgrade(&ann, &net, &[], body("1.0.0", true))
        .await
        .refused(409, "Release 1.0.0 did not have example_label.");
    downgrade(&ann, &net, &[], body("1.5.0", false))
        .await
        .refused(422, "no release 1.5.0; its newest are 2.0.0, 1.0.0");
    downgrade(&ann, &net, &[], body("new", false))
        .await
        .refused(422, "to-release");
    downgrade(&ann, &net, &[], String::new())
        .await
        .refused(422, "no data of type");
    let empty = json!({ "data": { "type": "upstate-downgrades", "attributes": {} } }).to_string();
    downgrade(&ann, &net, &[], empty)
        .await
        .refused(422, "to-release is missing");
    ann.get(&path(&version, "/plan?to-release=1.5.0"))
        .await
        .refused(400, "no release 1.5.0");
    ann.get(&path(&version, "/plan?allow-loss=true"))
        .await
        .refused(400, "say which with to-release");
    ann.get(&path(&version, "/plan?to-release=1.0.0&allow-loss=yes"))
        .await
        .refused(400, "found \"yes\"");
    // Somebody else's lock; a state of a version in between.
    let bob = world.user("bob", "read-state,write-state,lock").await;
    bob.lock(&net).await.expect(200);
    downgrade(&ann, &net, &[], body("1.0.0", false))
        .await
        .refused(409, "locked by User bob");
    let between = resource(
        "example_note",
        "m",
        1,
        &json!({ "id": "m", "title": "t", "code": null }),
    );
    let between = filled(&ann, "between", &[between]).await;
    downgrade(&ann, &between, &[], body("1.0.0", false))
        .await
        .refused(409, "Upgrade it first");
    // A server without a lock.
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[note("a", false)]).await;
    downgrade(&ann, &net, &[], body("1.0.0", false))
        .await
        .refused(422, "start it with --lock upstate.lock");
    assert_eq!(
        ann.get("/api/v2/upstate/releases").await.expect(200).json()["data"],
        json!([])
    );
}

/// Makes a job, and works until it is done; its attributes, and what came of each workspace by
/// name.
async fn job(world: &World, client: &Client<'_>, attributes: &Value) -> (Value, Vec<String>) {
    let body = json!({ "data": { "type": "upstate-jobs", "attributes": attributes } });
    let id = client
        .made("/api/v2/upstate/organizations/acme/jobs", &body)
        .await;
    while world.service.work_on_jobs("test").await.expect("work") {}
    let job = client.attributes(&path(&id, "")).await;
    (job, ends(client, &id).await)
}

#[tokio::test]
async fn many_workspaces_go_back_by_a_job() {
    let world = world().await;
    let ann = world.owner().await;
    for (name, resources) in [
        ("clean", vec![note("a", false)]),
        ("lossy", vec![note("b", true)]),
        (
            "newer",
            vec![resource("example_label", "l", 0, &json!({ "id": "l" }))],
        ),
        ("other", vec![]),
    ] {
        filled(&ann, name, &resources).await;
    }
    let locked = ann.locked("locked").await;
    ann.create(&locked, &state(1, &[note("c", false)]))
        .await
        .expect(201);
    let wrong =
        json!({ "data": { "type": "upstate-jobs", "attributes": { "to-release": "9.9.9" } } });
    ann.post("/api/v2/upstate/organizations/acme/jobs", &wrong)
        .await
        .refused(422, "no release 9.9.9");
    let wrong = json!({ "data": { "type": "upstate-jobs", "attributes": { "allow-loss": true } } });
    ann.post("/api/v2/upstate/organizations/acme/jobs", &wrong)
        .await
        .refused(422, "say which with to-release");
    let (done, ends) = job(
        &world,
        &ann,
        &json!({ "to-release": "1.0.0", "on-failure": "continue" }),
    )
    .await;
    assert_eq!(
        (&done["action"], &done["to-release"], &done["allow-loss"]),
        (&json!("downgrade"), &json!("1.0.0"), &json!(false))
    );
    // A job respects every lock: Terraform may hold it in the name of the user who made the job.
    assert_eq!(
        ends,
        [
            "clean downgraded",
            "locked failed",
            "lossy failed",
            "newer failed"
        ]
    );
    assert_eq!(
        done["workspaces"],
        json!({ "total": 4, "waiting": 0, "downgraded": 1, "current": 0, "failed": 3 })
    );
    ann.unlock(&locked).await.expect(200);
    let (_, ends) = job(
        &world,
        &ann,
        &json!({ "to-release": "1.0.0", "allow-loss": true, "on-failure": "continue" }),
    )
    .await;
    assert_eq!(
        ends,
        ["locked downgraded", "lossy downgraded", "newer failed"]
    );
    let (done, ends) = job(&world, &ann, &json!({})).await;
    assert_eq!(
        ends,
        ["clean upgraded", "locked upgraded", "lossy upgraded"]
    );
    assert_eq!(
        (&done["action"], &done["to-release"]),
        (&json!("upgrade"), &Value::Null)
    );
}

/// A type with an identity, whose way back is lossless.
#[derive(Resource)]
#[resource(type_name = "example_boat", version = 1, identity = BoatIdentity)]
#[upgrade_from(0 => 1, rename(name => title))]
struct Boat {
    id: String,
    title: String,
}

#[derive(Resource)]
#[resource(type_name = "example_boat_identity", version = 1)]
#[upgrade_from(0 => 1, rename(id => number), set(port = "home"))]
struct BoatIdentity {
    number: String,
    port: Option<String>,
}

/// What release 1.0.0 had.
#[derive(Resource)]
#[resource(type_name = "example_boat", version = 0, identity = ReleasedIdentity)]
struct ReleasedBoat {
    id: String,
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "example_boat_identity", version = 0)]
struct ReleasedIdentity {
    id: String,
}

/// A server of boats and notes, which knows both releases.
async fn with_boats() -> World {
    let now = || Registry::new().with::<Note>().with::<Boat>();
    let mut lock = Lock::default();
    let first = Snapshot::of(
        &Registry::new()
            .with::<ReleasedNote>()
            .with::<ReleasedBoat>(),
    );
    lock.freeze(&first, "1.0.0".parse().expect("a release"))
        .expect("a lock");
    lock.freeze(&Snapshot::of(&now()), "2.0.0".parse().expect("a release"))
        .expect("a lock");
    World::remembering(now(), lock).await
}

fn boat(name: &str, version: u64, port: &str) -> Value {
    let attributes = if version == 0 {
        json!({ "id": name, "name": name })
    } else {
        json!({ "id": name, "title": name })
    };
    let mut resource = resource("example_boat", name, version, &attributes);
    resource["instances"][0]["identity_schema_version"] = json!(1);
    resource["instances"][0]["identity"] = json!({ "number": name, "port": port });
    resource
}

#[tokio::test]
async fn identities_go_back_with_their_resources() {
    let world = with_boats().await;
    let ann = world.owner().await;
    let releases = ann.json("/api/v2/upstate/releases").await;
    assert_eq!(
        releases["data"][0]["attributes"]["identities"],
        json!({ "example_boat": 1 })
    );
    assert_eq!(
        releases["data"][1]["attributes"]["identities"],
        json!({ "example_boat": 0 })
    );
    let net = filled(&ann, "net", &[boat("a", 1, "home")]).await;
    let back = downgrade(&ann, &net, &[], body("1.0.0", false))
        .await
        .expect(201);
    let stored = json!({
        "schema_version": 0, "attributes": { "id": "a", "name": "a" }, "sensitive_attributes": [],
        "identity_schema_version": 0, "identity": { "id": "a" },
    });
    assert_eq!(instances(&ann, &back.id()).await, [stored]);
    // One whose attributes the release reads already, with a later identity: it is found all the
    // same, and only that changes.
    let half = filled(&ann, "half", &[boat("b", 0, "home"), boat("c", 0, "home")]).await;
    let version = ann.current(&half).await.expect(200).id();
    let plan = ann.json(&path(&version, "/plan?to-release=1.0.0")).await;
    let identity = &plan["data"][0]["attributes"]["identity"];
    assert_eq!((&identity["from"], &identity["to"]), (&json!(1), &json!(0)));
    assert_eq!(
        identity["changes"][0],
        json!({ "path": "id", "action": "add", "after": "b" })
    );
    let whole = ann
        .json("/api/v2/upstate/organizations/acme/plan?to-release=1.0.0")
        .await;
    let expected =
        json!([{ "type": "example_boat", "from": 0, "to": 0, "instances": 2, "workspaces": 1 }]);
    assert_eq!(whole["meta"]["types"], expected);
    let back = downgrade(&ann, &half, &[], body("1.0.0", false))
        .await
        .expect(201);
    assert_eq!(
        instances(&ann, &back.id()).await[1]["identity"],
        json!({ "id": "c" })
    );
    assert_eq!(
        downgrade(&ann, &half, &[], body("1.0.0", false))
            .await
            .expect(200)
            .id(),
        back.id()
    );
    // What the older identity cannot hold is named.
    let lossy = filled(&ann, "lossy", &[boat("d", 0, "away")]).await;
    downgrade(&ann, &lossy, &[], body("1.0.0", false))
        .await
        .refused(409, "cannot hold the value \"away\" (at port)");
    let planned = ann
        .json("/api/v2/upstate/organizations/acme/plan?to-release=1.0.0&allow-loss=true")
        .await;
    assert_eq!(
        planned["data"][0]["attributes"]["losses"][0]["path"],
        "(identity)"
    );
    let back = downgrade(&ann, &lossy, &[], body("1.0.0", true))
        .await
        .expect(201);
    let report = ann.attributes(&path(&back.id(), "/report")).await;
    let reported = &report["notes"][0]["identity"]["diagnostics"][0];
    assert!(
        text(&reported["detail"]).contains("cannot hold the value \"away\""),
        "{report}"
    );
}

/// A value that an identity loses is one of the sums of a job, as it was one of its plan.
#[tokio::test]
async fn the_report_of_a_job_counts_what_identities_lost() {
    let world = with_boats().await;
    let ann = world.owner().await;
    filled(&ann, "net", &[boat("a", 0, "away"), boat("b", 1, "home")]).await;
    let begin = async |kind: &str| {
        let attributes = json!({ "to-release": "1.0.0", "allow-loss": true });
        let body =
            json!({ "data": { "type": format!("upstate-{kind}"), "attributes": attributes } });
        let id = ann
            .made(&format!("/api/v2/upstate/organizations/acme/{kind}"), &body)
            .await;
        while world.service.work_on_jobs("test").await.expect("work") {}
        id
    };
    let plan = begin("plans").await;
    let planned = ann
        .attributes(&format!("/api/v2/upstate/plans/{plan}"))
        .await;
    let job = begin("jobs").await;
    let report = ann.attributes(&path(&job, "/report")).await;
    let lost = json!([{
        "type": "example_boat", "from": 0, "path": "(identity)", "reason": "the release cannot hold it",
        "instances": 1, "workspaces": 1,
    }]);
    assert_eq!(
        (&planned["losses"], &report["losses"]),
        (&lost, &lost),
        "{report}"
    );
    let workspaces =
        json!({ "without-losses": 0, "with-losses": 1, "with-warnings": 0, "with-neither": 0 });
    assert_eq!(report["workspaces"], workspaces);
}

/// The tree beside a plan says of the instances that lose a value what the numbers above it say.
#[tokio::test]
async fn the_tree_of_a_plan_names_losses() {
    let world = world().await;
    let ann = world.owner().await;
    let notes = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map(|name| note(name, name == "b"));
    let net = filled(&ann, "net", &notes).await;
    let version = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "eve", "acme", "read-state").await;
    let plan = format!("/ui/state-versions/{version}/plan?to-release=1.0.0&losses=allow");
    let page = visit(&world, &plan, &cookie).await;
    page.has("1 instance loses a value");
    let named = ">example_note.b</a> <span class=\"soft\">loses values</span>";
    assert!(
        page.text.contains(named) && page.text.matches(">loses values<").count() == 1,
        "{}",
        page.text
    );
}

#[tokio::test]
async fn a_strict_downgrade_goes_by_the_verdicts() {
    let world = world().await;
    let ann = world.owner().await;
    // Nothing of this state would be lost, and of others something could be.
    let net = filled(&ann, "net", &[note("a", false)]).await;
    let version = ann.current(&net).await.expect(200).id();
    let strictly = |more: &Value| {
        let mut attributes = json!({ "to-release": "1.0.0", "strict": true });
        more.as_object()
            .expect("an object")
            .iter()
            .for_each(|(name, value)| attributes[name] = value.clone());
        json!({ "data": { "type": "upstate-downgrades", "attributes": attributes } }).to_string()
    };
    let why = "It is lossy: pinned (any value but the constant).";
    downgrade(&ann, &net, &[], strictly(&json!({})))
        .await
        .refused(409, why);
    let plan = ann
        .json(&path(&version, "/plan?to-release=1.0.0&strict=true"))
        .await;
    assert_eq!(
        (
            &plan["meta"]["totals"]["failed"],
            &plan["meta"]["totals"]["downgraded"]
        ),
        (&json!(1), &json!(0))
    );
    assert!(
        text(&plan["data"][0]["attributes"]["diagnostics"][0]["detail"]).contains(why),
        "{plan}"
    );
    let planned = ann
        .json("/api/v2/upstate/organizations/acme/plan?to-release=1.0.0&strict=true")
        .await;
    assert!(
        text(&planned["data"][0]["attributes"]["failure"]).contains(why),
        "{planned}"
    );
    // It is a mistake to ask for both, or without a release.
    downgrade(&ann, &net, &[], strictly(&json!({ "allow-loss": true })))
        .await
        .refused(422, "ask for one of them");
    downgrade(&ann, &net, &[], strictly(&json!({ "strict": "yes" })))
        .await
        .refused(422, "true or false");
    ann.get(&path(
        &version,
        "/plan?to-release=1.0.0&strict=true&allow-loss=true",
    ))
    .await
    .refused(400, "ask for one of them");
    ann.get(&path(&version, "/plan?strict=true"))
        .await
        .refused(400, "strict is for a plan of going back to a release");
    let wrong = json!({ "data": { "type": "upstate-jobs", "attributes": { "strict": true } } });
    ann.post("/api/v2/upstate/organizations/acme/jobs", &wrong)
        .await
        .refused(422, "say which with to-release");
    let (done, ends) = job(
        &world,
        &ann,
        &json!({ "to-release": "1.0.0", "strict": true, "on-failure": "continue" }),
    )
    .await;
    assert_eq!(
        (&done["strict"], &done["allow-loss"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(ends, ["net failed"]);
    assert_eq!(ann.versions("net").await.len(), 1);
    // Where the verdicts are lossless, it goes, and the audit log says how.
    let world = with_boats().await;
    let ann = world.owner().await;
    let mut early = boat("a", 1, "home");
    early["instances"][0]["identity_schema_version"] = json!(0);
    early["instances"][0]["identity"] = json!({ "id": "a" });
    let net = filled(&ann, "net", &[early]).await;
    downgrade(&ann, &net, &[], strictly(&json!({})))
        .await
        .expect(201);
    let audit = ann
        .json("/api/v2/organizations/acme/audit?page[size]=100")
        .await;
    let entry = audit["data"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["attributes"]["action"] == "state-version.downgrade");
    let entry = entry.expect("an entry");
    assert!(
        text(&entry["attributes"]["detail"]).contains("to release 1.0.0, strict"),
        "{entry}"
    );
    // The identity has verdicts of its own.
    let later = filled(&ann, "later", &[boat("b", 1, "home")]).await;
    downgrade(&ann, &later, &[], strictly(&json!({})))
        .await
        .refused(409, "It is lossy: port");
}
