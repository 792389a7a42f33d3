//! What the registry's release changes for what is stored.

use serde_json::{Value, json};
use upstate::{Registry, Resource};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

use crate::schemas::filled;
use crate::world::{World, text};

/// What the next release has: no `owner`.
#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1)]
#[upgrade_from(0 => 1, drop(owner: Option<String>, "the API no longer has it"))]
struct Disk {
    id: String,
    size: i64,
}

/// What the last one had.
#[derive(Resource)]
#[resource(type_name = "example_disk", version = 0)]
struct ReleasedDisk {
    id: String,
    owner: Option<String>,
    size: i64,
}

/// Of a type that the next release no longer has.
#[derive(Resource)]
#[resource(type_name = "example_tape", version = 0)]
struct ReleasedTape {
    id: String,
}

fn resource(type_name: &str, name: &str, version: u64) -> Value {
    json!({
        "mode": "managed", "type": type_name, "name": name, "provider": "provider[\"example.com/test/example\"]",
        "instances": [{ "schema_version": version, "attributes": { "id": name }, "sensitive_attributes": [] }],
    })
}

/// A type of which the release changes something, and an instance of it.
pub(crate) const TYPE: &str = "example_disk";

pub(crate) async fn world() -> World {
    World::knowing(Registry::new().with::<Disk>()).await
}

pub(crate) fn stored(name: &str) -> Value {
    resource(TYPE, name, 0)
}

const DRIFT: &str = "/api/v2/upstate/organizations/acme/drift";

#[tokio::test]
async fn a_release_says_what_it_changes_and_in_how_many_workspaces() {
    let mut lock = Lock::default();
    let released = Snapshot::of(
        &Registry::new()
            .with::<ReleasedDisk>()
            .with::<ReleasedTape>(),
    );
    lock.freeze(&released, "1.0.0".parse().expect("a release"))
        .expect("a lock");
    let world = World::remembering(Registry::new().with::<Disk>(), lock).await;
    let ann = world.owner().await;
    assert_eq!(ann.get(DRIFT).await.expect(200).json()["data"], json!([]));
    filled(
        &ann,
        "a",
        &[
            resource("example_disk", "x", 0),
            resource("example_disk", "y", 0),
        ],
    )
    .await;
    filled(
        &ann,
        "b",
        &[
            resource("example_disk", "x", 0),
            resource("example_disk", "z", 1),
        ],
    )
    .await;
    filled(&ann, "c", &[resource("example_tape", "t", 0)]).await;
    filled(
        &ann,
        "d",
        &[
            resource("example_disk", "new", 1),
            resource("other_thing", "o", 3),
        ],
    )
    .await;
    let drift = ann.json(DRIFT).await;
    let reported: Vec<String> = drift["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| described(&one["attributes"]))
        .collect();
    assert!(
        reported.contains(
            &"attribute-removed example_disk 0 owner: 3 instances in 2 workspaces".to_owned()
        ),
        "{reported:?}"
    );
    assert!(
        reported
            .contains(&"resource-removed example_tape 0 : 1 instances in 1 workspaces".to_owned()),
        "{reported:?}"
    );
    let note = drift["data"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["attributes"]["path"] == "owner")
        .expect("a row");
    assert!(
        text(&note["attributes"]["note"]).contains("the API no longer has it"),
        "{note}"
    );
    assert_eq!(drift["meta"]["undescribed"][0]["type"], "other_thing");
    // Page by page; and nobody else's.
    let page = ann
        .json(&format!("{DRIFT}?page[size]=1&page[number]=2"))
        .await;
    assert_eq!(page["data"][0], drift["data"][1]);
    let zoe = world.token("zoe", "other", "read-state").await;
    world
        .client(&zoe)
        .get(DRIFT)
        .await
        .refused(404, "not found");
}

/// How many have a value there, and in how many workspaces.
fn with_value(drift: &Value, path: &str) -> (Value, Value) {
    let row = drift["data"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["attributes"]["path"] == path)
        .expect("a row");
    (
        row["attributes"]["instances-with-value"].clone(),
        row["attributes"]["workspaces-with-value"].clone(),
    )
}

/// A release that drops an attribute matters where the attribute has a value.
#[tokio::test]
async fn values_are_counted_where_they_get_lost() {
    let world = World::knowing(Registry::new().with::<Disk>()).await;
    let ann = world.owner().await;
    let owned = |name: &str, owner: &Value| {
        let mut disk = resource("example_disk", name, 0);
        disk["instances"][0]["attributes"]["owner"] = owner.clone();
        disk["instances"][0]["attributes"]["size"] = json!(3);
        disk
    };
    filled(
        &ann,
        "a",
        &[
            owned("x", &json!("ann")),
            owned("y", &json!("bob")),
            owned("z", &json!(null)),
        ],
    )
    .await;
    filled(
        &ann,
        "b",
        &[owned("x", &json!("ann")), owned("y", &json!(""))],
    )
    .await;
    let c = filled(&ann, "c", &[owned("x", &json!(null))]).await;
    let drift = ann.json(DRIFT).await;
    assert_eq!(with_value(&drift, "owner"), (json!(3), json!(2)));
    let row = drift["data"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["attributes"]["path"] == "owner")
        .expect("a row");
    assert_eq!(
        (
            &row["attributes"]["instances"],
            &row["attributes"]["workspaces"]
        ),
        (&json!(6), &json!(3))
    );
    // What is upgraded has nothing left to lose.
    ann.upgrade(&c).await.expect(201);
    let drift = ann.json(DRIFT).await;
    assert_eq!(with_value(&drift, "owner"), (json!(3), json!(2)));
    assert!(
        described(&drift["data"][0]["attributes"]).ends_with("5 instances in 2 workspaces"),
        "{drift}"
    );
    let cookie = crate::page::sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = crate::page::visit(&world, "/ui/organizations/acme/changes", &cookie).await;
    page.has("3 instances have a value there, in 2 workspaces, of 5 in 2");
    // What an earlier release of the server stored was not counted.
    let database = world.database();
    let old = "UPDATE state_version SET types = replace(types, '\"values\"', '\"other\"')";
    assert!(database.execute(old, ()).expect("an update") > 0);
    assert_eq!(
        with_value(&ann.get(DRIFT).await.expect(200).json(), "owner"),
        (json!(null), json!(null))
    );
}

fn described(row: &Value) -> String {
    format!(
        "{} {} {} {}: {} instances in {} workspaces",
        text(&row["rule"]),
        text(&row["type"]),
        row["from"],
        text(&row["path"]),
        row["instances"],
        row["workspaces"]
    )
}

/// Without a lock, the registry's own history describes what is stored.
#[tokio::test]
async fn a_server_without_a_lock_knows_the_history_of_its_types() {
    let world = World::knowing(Registry::new().with::<Disk>()).await;
    let ann = world.owner().await;
    filled(&ann, "a", &[resource("example_disk", "x", 0)]).await;
    let drift = ann.json(DRIFT).await;
    let reported: Vec<String> = drift["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| described(&one["attributes"]))
        .collect();
    assert!(
        reported.contains(
            &"attribute-removed example_disk 0 owner: 1 instances in 1 workspaces".to_owned()
        ),
        "{reported:?}"
    );
}
