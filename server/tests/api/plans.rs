//! The plan of all workspaces: what a job would do.

use serde_json::{Value, json};
use upstate::{Registry, Resource};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

use crate::page::{field, sign_in_as, submit, visit};
use crate::schemas::{Account, filled, new, old, stuck};
use crate::world::{Client, World, text};

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1)]
#[upgrade_from(0 => 1, set(pinned = false), drop(owner: Option<String>, "the API no longer has it"))]
pub(crate) struct Disk {
    id: String,
    pinned: bool,
    #[attribute(sensitive)]
    key: Option<String>,
}

/// What release 1.0.0 had.
#[derive(Resource)]
#[resource(type_name = "example_disk", version = 0)]
pub(crate) struct ReleasedDisk {
    id: String,
    owner: Option<String>,
    #[attribute(sensitive)]
    key: Option<String>,
}

const PLAN: &str = "/api/v2/upstate/organizations/acme/plan";

pub(crate) async fn world() -> World {
    let mut lock = Lock::default();
    let released = Snapshot::of(&Registry::new().with::<ReleasedDisk>());
    lock.freeze(&released, "1.0.0".parse().expect("a release"))
        .expect("a lock");
    World::remembering(Registry::new().with::<Disk>().with::<Account>(), lock).await
}

pub(crate) fn disk(name: &str, version: u64, attributes: &Value) -> Value {
    let mut all = json!({ "id": name, "key": "hunter22" });
    all.as_object_mut()
        .expect("an object")
        .extend(attributes.as_object().expect("an object").clone());
    json!({
        "mode": "managed", "type": "example_disk", "name": name, "provider": "provider[\"example.com/test/example\"]",
        "instances": [{ "schema_version": version, "attributes": all, "sensitive_attributes": [] }],
    })
}

/// What is said of the workspaces of a plan, page by page.
async fn planned(client: &Client<'_>, query: &str) -> Vec<Value> {
    let (mut all, mut url) = (Vec::new(), Some(format!("{PLAN}?page[size]=2{query}")));
    while let Some(next) = url {
        let page = client.get(&next).await.expect(200);
        assert!(
            !String::from_utf8_lossy(&page.bytes).contains("hunter"),
            "{page:?}"
        );
        let page = page.json();
        all.extend(
            page["data"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|one| one["attributes"].clone()),
        );
        assert_eq!(page["meta"]["pagination"]["page-size"], 2);
        url = page["links"]["next"].as_str().map(str::to_owned);
    }
    all
}

/// Makes a job and works until it is done; what came of its workspaces, by name.
async fn worked(world: &World, client: &Client<'_>, attributes: Value) -> Vec<String> {
    let body = json!({ "data": { "type": "upstate-jobs", "attributes": attributes } });
    let id = client
        .made("/api/v2/upstate/organizations/acme/jobs", &body)
        .await;
    while world.service.work_on_jobs("test").await.expect("work") {}
    crate::schemas::ends(client, &id).await
}

fn ends(plans: &[Value]) -> Vec<String> {
    plans
        .iter()
        .map(|one| format!("{} {}", text(&one["name"]), text(&one["outcome"])))
        .collect()
}

#[tokio::test]
async fn a_plan_of_all_workspaces_is_what_a_job_does() {
    let world = world().await;
    let ann = world.owner().await;
    let owned = disk(
        "x",
        0,
        &json!({ "owner": "ann", "extra": { "deep": "hunter33" } }),
    );
    filled(
        &ann,
        "a",
        &[
            owned,
            disk("y", 0, &json!({ "owner": "bob" })),
            disk("z", 0, &json!({})),
            new("n"),
        ],
    )
    .await;
    let locked = filled(&ann, "b", &[disk("x", 0, &json!({ "owner": null }))]).await;
    filled(&ann, "c", &[old("x"), stuck("y")]).await;
    filled(
        &ann,
        "fine",
        &[new("x"), disk("y", 1, &json!({ "pinned": false }))],
    )
    .await;
    // Nothing in it can be upgraded, so a job does not begin with it.
    filled(&ann, "stuck", &[stuck("x")]).await;
    ann.workspace("empty").await;
    ann.lock(&locked).await.expect(200);
    let whole = ann.json(PLAN).await;
    assert_eq!(
        (
            &whole["meta"]["pagination"]["total-count"],
            &whole["meta"]["locked"]
        ),
        (&json!(3), &json!(1))
    );
    assert_eq!(
        whole["meta"]["types"],
        json!([
            { "type": "example_account", "from": 0, "to": 2, "instances": 1, "workspaces": 1 },
            { "type": "example_account", "from": 1, "to": 2, "instances": 1, "workspaces": 1 },
            { "type": "example_disk", "from": 0, "to": 1, "instances": 4, "workspaces": 2 },
        ])
    );
    assert_eq!(
        whole["data"][1]["relationships"]["workspace"]["data"]["id"],
        json!(locked)
    );
    let plans = planned(&ann, "").await;
    assert_eq!(
        plans[0],
        json!({
            "name": "a", "locked": false, "outcome": "upgraded", "failure": null,
            "totals": { "instances": 4, "upgraded": 3, "failed": 0, "current": 1, "unknown_type": 0, "data_sources": 0 },
            "types": [{ "type": "example_disk", "from": 0, "to": 1, "outcome": "upgraded", "instances": 3 }],
            "losses": [
                { "type": "example_disk", "from": 0, "path": "extra", "reason": "stored, but defined by no schema of its version", "instances": 1 },
                { "type": "example_disk", "from": 0, "path": "owner", "reason": "the API no longer has it", "instances": 2 },
            ],
            "losses-omitted": 0,
        })
    );
    assert_eq!(
        (&plans[1]["locked"], &plans[1]["losses"]),
        (&json!(true), &json!([]))
    );
    assert!(
        text(&plans[2]["failure"]).contains("Run release 1.9 first"),
        "{}",
        plans[2]
    );
    assert_eq!(ends(&plans), ["a upgraded", "b upgraded", "c failed"]);
    assert_eq!(ann.versions("a").await.len(), 1, "a plan writes nothing");
    ann.unlock(&locked).await.expect(200);
    assert_eq!(
        worked(&world, &ann, json!({ "on-failure": "continue" })).await,
        ends(&plans)
    );
    assert_eq!(ends(&planned(&ann, "").await), ["c failed"]);
}

#[tokio::test]
async fn a_plan_back_to_a_release_names_what_it_cannot_hold() {
    let world = world().await;
    let ann = world.owner().await;
    filled(&ann, "clean", &[disk("x", 1, &json!({ "pinned": false }))]).await;
    filled(
        &ann,
        "lossy",
        &[
            disk("x", 1, &json!({ "pinned": true })),
            disk("y", 1, &json!({ "pinned": true })),
        ],
    )
    .await;
    filled(&ann, "newer", &[new("x")]).await;
    filled(&ann, "released", &[disk("x", 0, &json!({}))]).await;
    let plans = planned(&ann, "&to-release=1.0.0").await;
    assert_eq!(
        ends(&plans),
        ["clean downgraded", "lossy failed", "newer failed"]
    );
    assert_eq!(plans[0]["totals"]["downgraded"], 1);
    assert!(
        text(&plans[1]["failure"]).contains("Would Lose a Value"),
        "{}",
        plans[1]
    );
    assert!(
        text(&plans[2]["failure"]).contains("did not have example_account"),
        "{}",
        plans[2]
    );
    let whole = ann.json(&format!("{PLAN}?to-release=1.0.0")).await;
    assert_eq!(whole["meta"]["types"][0]["to"], Value::Null);
    let plans = planned(&ann, "&to-release=1.0.0&allow-loss=true").await;
    assert_eq!(
        ends(&plans),
        ["clean downgraded", "lossy downgraded", "newer failed"]
    );
    assert_eq!(
        plans[1]["losses"],
        json!([{ "type": "example_disk", "from": 1, "path": "pinned", "reason": "the release cannot hold it", "instances": 2 }])
    );
    let job = json!({ "to-release": "1.0.0", "allow-loss": true, "on-failure": "continue" });
    assert_eq!(worked(&world, &ann, job).await, ends(&plans));
    ann.get(&format!("{PLAN}?to-release=9.9.9"))
        .await
        .refused(400, "no release 9.9.9");
    ann.get(&format!("{PLAN}?allow-loss=true"))
        .await
        .refused(400, "say which with to-release");
    let zoe = world.token("zoe", "other", "read-state").await;
    world.client(&zoe).get(PLAN).await.refused(404, "not found");
}

/// What is wrong with one state, or too much, does not keep the others from their plans.
#[tokio::test]
async fn one_workspace_does_not_hide_the_others() {
    let world = world().await;
    let ann = world.owner().await;
    let many = |numbers: std::ops::Range<usize>| {
        Value::Object(
            numbers
                .map(|number| (format!("extra_{number:03}"), json!("hunter")))
                .collect(),
        )
    };
    filled(
        &ann,
        "many",
        &[disk("x", 0, &many(0..90)), disk("y", 0, &many(50..140))],
    )
    .await;
    let broken = filled(&ann, "broken", &[disk("x", 0, &json!({}))]).await;
    let database = world.database();
    // Nothing but damage of the store does that.
    let damaged = "UPDATE state_version SET backing = 'soft-deleted' WHERE workspace = ?1";
    assert_eq!(database.execute(damaged, [&broken]).expect("an update"), 1);
    let plans = planned(&ann, "").await;
    assert_eq!(ends(&plans), ["broken failed", "many upgraded"]);
    assert!(
        text(&plans[0]["failure"]).contains("is deleted"),
        "{}",
        plans[0]
    );
    assert_eq!(plans[0]["totals"], Value::Null);
    let counts: Vec<&Value> = plans[1]["losses"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|loss| &loss["instances"])
        .collect();
    assert_eq!(counts.len(), 100);
    assert_eq!(
        (counts[0], counts[60], &plans[1]["losses-omitted"]),
        (&json!(1), &json!(2), &json!(40))
    );
}

#[tokio::test]
async fn the_page_shows_the_plan_before_the_job() {
    let world = world().await;
    let ann = world.owner().await;
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state").await;
    let (organization, plan) = ("/ui/organizations/acme", "/ui/organizations/acme/plan");
    assert!(
        visit(&world, plan, &cookie)
            .await
            .text
            .contains("no workspace is behind")
    );
    let hostile = disk(
        "<script>",
        0,
        &json!({ "owner": "<script>alert(1)</script>", "\u{202e}": 1 }),
    );
    filled(&ann, "a", &[hostile]).await;
    let locked = filled(&ann, "b", &[disk("x", 0, &json!({}))]).await;
    filled(&ann, "c", &[old("x"), stuck("y")]).await;
    ann.lock(&locked).await.expect(200);
    let page = visit(&world, organization, &cookie).await;
    page.has(&format!("href=\"{plan}\""));
    let page = visit(&world, plan, &cookie).await;
    for part in [
        "3 workspaces hold what needs an upgrade",
        "1 of them locked",
        "<code>owner</code>, 1 instance: the API no longer has it",
        "Run release 1.9 first",
        "Plan 3 workspaces",
        "\\u{202e}",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    page.lacks("<script>alert");
    page.lacks("hunter");
    // One of them in full, with what is dropped and why.
    let version =
        ann.get(PLAN).await.expect(200).json()["data"][0]["relationships"]["state-version"]["data"]
            ["id"]
            .clone();
    let one = visit(
        &world,
        &format!("/ui/state-versions/{}/plan", text(&version)),
        &cookie,
    )
    .await;
    one.has("Dropped: <code>owner</code>, the API no longer has it");
    let form = format!("csrf={}&stop=true&names=nothing", field(&page, "csrf"));
    assert_eq!(
        submit(&world, "/ui/organizations/acme/jobs", &cookie, &form)
            .await
            .status,
        303
    );
    let strict = visit(
        &world,
        &format!("{plan}?to-release=1.0.0&losses=strict"),
        &cookie,
    )
    .await;
    strict.has("name=\"losses\" value=\"strict\" checked");
    strict.has("<input type=\"hidden\" name=\"losses\" value=\"strict\">");
    // Back to a release, with its losses.
    let back = visit(
        &world,
        &format!("{plan}?to-release=1.0.0&losses=allow"),
        &cookie,
    )
    .await;
    back.has("the release did not have it");
    back.has("Plan 1 workspace");
    assert_eq!(
        visit(&world, &format!("{plan}?to-release=9.9.9"), &cookie)
            .await
            .status,
        422
    );
    // Who may only read sees the plan, and not the button.
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let form = format!(
        "csrf={}",
        field(&visit(&world, plan, &cookie).await, "csrf")
    );
    let made = submit(&world, "/ui/organizations/acme/plans", &cookie, &form).await;
    let page = visit(&world, &made.location, &cookie).await;
    page.has("<strong>0 of 3</strong> workspaces are planned");
    while world.service.work_on_jobs("test").await.expect("work") {}
    let page = visit(&world, &made.location, &cookie).await;
    let fails = page.text.find("Fails").expect("failures");
    assert!(
        fails < page.text.find("Loses values").expect("losses"),
        "{}",
        page.text
    );
    for part in [
        "<a href=\"?status=upgraded\"><strong>2 of 3</strong> workspaces can be upgraded</a>. ",
        "<strong>1 of them</strong> is locked and fails until it is unlocked. ",
        "<a href=\"?status=failed\"><strong>1 fails</strong></a> (1 cause). ",
        "<a href=\"?#losses\"><strong>2 values</strong> would be dropped</a>.",
        "<h2>Fails <span class=\"soft\">1 cause, 1 workspace</span>",
        "</svg>1 without a loss</span>",
        "</svg><a href=\"?status=with-losses\">1 with losses</a></span>",
        "<h2 id=\"losses\">Loses values <span class=\"soft\">2 in 1 workspace</span>",
        "<code>owner</code>",
        "the API no longer has it",
        "Run release 1.9 first",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    page.lacks("<script>alert");
    page.lacks("hunter");
    page.has("it needs the permission");
    page.lacks("Upgrade 2 workspaces");
    // The lock of the service's own work ends, and a job waits for that.
    let database = world.database();
    database
        .execute(
            "UPDATE workspace SET lock = json_set(lock, '$.until', 1) WHERE lock IS NOT NULL",
            (),
        )
        .expect("an update");
    let page = visit(&world, &made.location, &cookie).await;
    page.lacks("is locked and fails");
    let cookie = sign_in_as(&world, "eve", "acme", "lock").await;
    assert_eq!(visit(&world, plan, &cookie).await.status, 403);
}
