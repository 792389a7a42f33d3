//! Advice for the authors of a provider, which operators cannot follow: it is folded, apart from
//! what they can do.

use serde_json::json;
use upstate::{Registry, Resource};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

use crate::page::{sign_in_as, visit};
use crate::schemas::filled;
use crate::world::{World, text};

#[derive(Resource)]
#[resource(type_name = "example_mast", version = 1)]
#[upgrade_from(0 => 1, drop(wood: String, "masts are of steel"))]
struct Mast {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "example_mast", version = 0)]
struct ReleasedMast {
    id: String,
    wood: String,
}

const ADVICE: &str = "For the authors: `drop(…, back = value)` says what a downgrade puts there.";

#[tokio::test]
async fn operators_read_what_they_can_do_and_authors_the_rest() {
    let mut lock = Lock::default();
    let first = Snapshot::of(&Registry::new().with::<ReleasedMast>());
    lock.freeze(&first, "1.0.0".parse().expect("a release"))
        .expect("a lock");
    let registry = Registry::new().with::<Mast>();
    lock.freeze(
        &Snapshot::of(&registry),
        "2.0.0".parse().expect("a release"),
    )
    .expect("a lock");
    let world = World::remembering(registry, lock).await;
    let ann = world.owner().await;
    let mast = |version: u64, attributes| {
        json!({
            "mode": "managed", "type": "example_mast", "name": "main", "provider": "provider[\"example.com/test/example\"]",
            "instances": [{ "schema_version": version, "attributes": attributes, "sensitive_attributes": [] }],
        })
    };
    let net = filled(&ann, "net", &[mast(0, json!({ "id": "m", "wood": "oak" }))]).await;
    let upgraded = ann.upgrade(&net).await.expect(201).id();
    // The API has both, each as a member of its own.
    let plan = ann
        .json(&format!(
            "/api/v2/upstate/state-versions/{upgraded}/plan?to-release=1.0.0"
        ))
        .await;
    let refused = &plan["data"][0]["attributes"]["diagnostics"][0];
    assert_eq!(refused["authors"], ADVICE, "{refused}");
    assert!(
        text(&refused["remedy"]).starts_with("Restore a copy from before the upgrade"),
        "{refused}"
    );
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state").await;
    let page = visit(
        &world,
        &format!("/ui/state-versions/{upgraded}/plan?to-release=1.0.0"),
        &cookie,
    )
    .await;
    let (before, folded) = page
        .text
        .split_once("<summary class=\"soft\">For the authors of the provider</summary>")
        .expect("a fold");
    assert!(
        before.contains("Restore a copy from before the upgrade")
            && !before.contains("back = value"),
        "{before}"
    );
    assert!(folded.contains("`drop(…, back = value)` says"), "{folded}");
    // The way that an operator has is a link.
    page.has("/rollback\">Roll back to it…</a>");
    // Sums of a plan are for operators alone.
    let wanted =
        json!({ "data": { "type": "upstate-plans", "attributes": { "to-release": "1.0.0" } } });
    let plan = ann
        .made("/api/v2/upstate/organizations/acme/plans", &wanted)
        .await;
    while world.service.work_on_jobs("a test").await.expect("work") {}
    let sums = ann
        .attributes(&format!("/api/v2/upstate/plans/{plan}"))
        .await;
    let message = text(&sums["causes"][0]["message"]);
    assert!(
        message.contains("Restore a copy") && !message.contains("back = value"),
        "{message}"
    );
}
