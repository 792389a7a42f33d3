//! Plans that are kept: what they count, and jobs that take what they showed.

use std::time::Duration;

use serde_json::{Value, json};
use upstate::{Diagnostic, Registry, Resource, UpgradeContext};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;
use upstate_server::__internal::model::{ItemStatus, JobId};
use upstate_server::__internal::service::StoredPlan;
use upstate_server::__internal::store::Page;

use crate::page::{field, sign_in_as, submit, visit};
use crate::plans::{Disk, ReleasedDisk, disk};
use crate::schemas::{Account, ends, filled, new, old, path, state, stuck};
use crate::world::{Client, World, text};

#[derive(Resource)]
#[resource(type_name = "example_zone", version = 1)]
#[upgrade_from(0, model = ZoneV0, with = upgrade_zone)]
struct Zone {
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "example_zone", version = 0)]
struct ZoneV0 {
    name: String,
}

#[expect(clippy::unnecessary_wraps, reason = "an upgrader may fail")]
fn upgrade_zone(zone: ZoneV0, context: &mut UpgradeContext<'_>) -> Result<Zone, Diagnostic> {
    context.warn(Diagnostic::warning(
        "Zone Upgraded",
        "`name` is written without a dot now.",
    ));
    Ok(Zone { name: zone.name })
}

fn zone(name: &str) -> Value {
    json!({
        "mode": "managed", "type": "example_zone", "name": name, "provider": "provider[\"example.com/test/example\"]",
        "instances": [{ "schema_version": 0, "attributes": { "name": "hunter22" }, "sensitive_attributes": [] }],
    })
}

async fn world() -> World {
    let mut lock = Lock::default();
    let released = Snapshot::of(&Registry::new().with::<ReleasedDisk>());
    lock.freeze(&released, "1.0.0".parse().expect("a release"))
        .expect("a lock");
    World::remembering(
        Registry::new()
            .with::<Disk>()
            .with::<Account>()
            .with::<Zone>(),
        lock,
    )
    .await
}

const PLANS: &str = "/api/v2/upstate/organizations/acme/plans";
const JOBS: &str = "/api/v2/upstate/organizations/acme/jobs";

fn body(type_name: &str, attributes: &Value) -> Value {
    json!({ "data": { "type": type_name, "attributes": attributes } })
}

async fn worked(world: &World) {
    while world.service.work_on_jobs("test").await.expect("work") {}
}

/// Makes a plan and works until it is done.
async fn planned(world: &World, client: &Client<'_>, attributes: Value) -> (String, Value) {
    let id = client
        .made(PLANS, &body("upstate-plans", &attributes))
        .await;
    worked(world).await;
    let plan = client
        .get(&format!("/api/v2/upstate/plans/{id}"))
        .await
        .expect(200);
    assert!(
        !String::from_utf8_lossy(&plan.bytes).contains("hunter"),
        "{plan:?}"
    );
    (id, plan.attributes())
}

async fn fleet(ann: &Client<'_>) {
    let owned = |name: &str| disk(name, 0, &json!({ "owner": "ann" }));
    filled(ann, "dev-a", &[owned("x"), owned("y"), new("n")]).await;
    filled(ann, "dev-b", &[old("x"), zone("z")]).await;
    filled(ann, "prod-a", &[old("x"), old("y")]).await;
    filled(ann, "prod-stuck", &[old("x"), stuck("y"), stuck("z")]).await;
    filled(ann, "prod-stuck-too", &[old("x"), stuck("y")]).await;
    filled(ann, "current", &[new("x")]).await;
}

#[tokio::test]
async fn a_plan_is_kept_with_its_sums() {
    let world = world().await;
    let ann = world.owner().await;
    fleet(&ann).await;
    let begun = ann
        .post(PLANS, &body("upstate-plans", &json!({})))
        .await
        .expect(201);
    assert_eq!(
        (
            &begun.attributes()["status"],
            &begun.attributes()["workspaces"]["waiting"]
        ),
        (&json!("running"), &json!(5))
    );
    assert_eq!(begun.attributes()["waves"], json!([]));
    let refused = ann
        .post(JOBS, &body("upstate-jobs", &json!({ "plan": begun.id() })))
        .await;
    refused.refused(422, "has not looked at 5 of its workspaces yet");
    worked(&world).await;
    let (id, plan) = planned(&world, &ann, json!({})).await;
    assert_eq!(plan["status"], "done");
    let counts = json!({
        "total": 5, "waiting": 0, "upgraded": 3, "current": 0, "failed": 2,
        "with-losses": 1, "with-warnings": 1, "with-neither": 1, "unchanged-since": 3, "locked": 0,
    });
    assert_eq!(plan["workspaces"], counts);
    assert_eq!(plan["values"], json!({ "moved": 3, "converted": 0 }));
    assert_eq!(
        plan["types"],
        json!([
            { "type": "example_account", "from": 1, "to": 2, "instances": 3, "workspaces": 2 },
            { "type": "example_disk", "from": 0, "to": 1, "instances": 2, "workspaces": 1 },
            { "type": "example_zone", "from": 0, "to": 1, "instances": 1, "workspaces": 1 },
        ])
    );
    let loss = json!({
        "type": "example_disk", "from": 0, "path": "owner", "reason": "the API no longer has it", "instances": 2, "workspaces": 1,
    });
    assert_eq!(plan["losses"], json!([loss]));
    assert_eq!(
        (
            &plan["warnings"][0]["type"],
            &plan["warnings"][0]["instances"]
        ),
        (&json!("example_zone"), &json!(1))
    );
    assert_eq!(
        plan["warnings"][0]["message"],
        "`name` is written without a dot now."
    );
    // Two workspaces with three instances have one cause.
    let cause = &plan["causes"][0];
    assert_eq!(
        plan["causes"].as_array().map(Vec::len),
        Some(1),
        "{}",
        plan["causes"]
    );
    assert_eq!(
        (&cause["type"], &cause["from"], &cause["to"]),
        (&json!("example_account"), &json!(0), &json!(2))
    );
    assert_eq!(
        (&cause["instances"], &cause["workspaces"]),
        (&json!(3), &json!(2))
    );
    let names: Vec<String> = cause["first-workspaces"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| text(&one["name"]))
        .collect();
    assert!(
        names.contains(&"prod-stuck".to_owned()) && names.len() == 2,
        "{names:?}"
    );
    // It changed nothing, and is not a job that could be undone.
    for name in ["dev-a", "prod-a"] {
        assert_eq!(ann.versions(name).await.len(), 1, "{name}");
    }
    ann.post(&path(&id, "/actions/undo"), &json!({}))
        .await
        .refused(409, "is a plan, which changed nothing");
    let item = ann
        .json(&path(&id, "/workspaces?filter[status]=failed"))
        .await;
    assert_eq!(
        item["data"][0]["attributes"]["planned"]["causes"][0]["type"],
        "example_account"
    );
    assert_eq!(
        ann.get(&path(&id, "")).await.expect(200).attributes()["action"],
        "plan"
    );
    // Who may read states may plan, and may not begin the job.
    let bob = world.user("bob", "read-state").await;
    let (bobs, _) = planned(&world, &bob, json!({ "names": "dev-*" })).await;
    bob.post(JOBS, &body("upstate-jobs", &json!({ "plan": bobs })))
        .await
        .refused(403, "");
    world
        .user("carol", "lock")
        .await
        .post(PLANS, &body("upstate-plans", &json!({})))
        .await
        .refused(403, "");
}

/// Those that lose values, those with warnings and those with neither are lists of their own in the
/// plan of a version.
#[tokio::test]
async fn instances_are_chosen_by_what_comes_with_their_upgrade() {
    let world = world().await;
    let ann = world.owner().await;
    let lossy = disk("lossy", 0, &json!({ "owner": "ann" }));
    let net = filled(
        &ann,
        "net",
        &[
            lossy,
            zone("warned"),
            old("fine"),
            stuck("broken"),
            new("current"),
        ],
    )
    .await;
    let version = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "eve", "acme", "read-state").await;
    let show = async |query: &str| {
        let page = visit(
            &world,
            &format!("/ui/state-versions/{version}/plan{query}"),
            &cookie,
        )
        .await;
        page.text
    };
    // What somebody should look at comes before what is fine, whatever its place in the state is.
    let mixed = [
        old("fine"),
        zone("warned"),
        disk("lossy", 0, &json!({ "owner": "ann" })),
        stuck("broken"),
    ];
    let mixed = filled(&ann, "mixed", &mixed).await;
    let mixed = ann.current(&mixed).await.expect(200).id();
    let list = ann.json(&path(&mixed, "/plan")).await;
    let ids: Vec<&Value> = list["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| &one["id"])
        .collect();
    assert_eq!(
        ids,
        [
            "example_account.broken",
            "example_disk.lossy",
            "example_zone.warned",
            "example_account.fine"
        ]
    );
    let page = show("").await;
    let chip = |query: &str, label: &str, number: usize| {
        format!("<a href=\"?{query}\">{label} <strong>{number}</strong></a>")
    };
    let chips = [
        "<a href=\"?\" aria-current=\"true\">All <strong>4</strong></a>".to_owned(),
        chip("outcome=failed", "Fail", 1),
        chip("outcome=changed", "Would change", 3),
        chip("outcome=with-losses", "Loses values", 1),
        chip("outcome=with-warnings", "To do", 1),
        chip("outcome=with-neither", "Fine", 1),
    ];
    assert!(page.contains(&chips.concat()), "{page}");
    assert!(
        page.contains("<a href=\"?outcome=with-warnings\">1 instance has a warning</a>."),
        "{page}"
    );
    let effects = [
        ("with-losses", "example_disk.lossy"),
        ("with-warnings", "example_zone.warned"),
        ("with-neither", "example_account.fine"),
    ];
    for (effect, only) in effects {
        let page = show(&format!("?outcome={effect}")).await;
        for (_, address) in effects {
            assert_eq!(
                page.contains(&format!("<code>{address}</code>")),
                address == only,
                "{effect}, {address}: {page}"
            );
        }
        assert!(!page.contains("example_account.broken"), "{page}");
        let list = ann
            .json(&path(&version, &format!("/plan?filter[outcome]={effect}")))
            .await;
        let ids: Vec<&Value> = list["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| &one["id"])
            .collect();
        assert_eq!(
            (ids, &list["meta"][effect]),
            (vec![&json!(only)], &json!(1)),
            "{effect}"
        );
    }
    // In words, because the page has one type here.
    let page = show("?type=example_disk&outcome=with-losses").await;
    assert!(
        page.contains("1 instance of <code>example_disk</code> that would lose values. <a"),
        "{page}"
    );
}

/// So are the workspaces of a plan of many, each in the list to which its number leads.
#[tokio::test]
async fn workspaces_are_chosen_by_what_comes_with_their_upgrade() {
    let world = world().await;
    let ann = world.owner().await;
    fleet(&ann).await;
    let (id, _) = planned(&world, &ann, json!({})).await;
    let cookie = sign_in_as(&world, "eve", "acme", "read-state").await;
    let show = async |query: &str| {
        visit(&world, &format!("/ui/jobs/{id}{query}"), &cookie)
            .await
            .text
    };
    let page = show("").await;
    let chip = |name: &str, label: &str, number: usize| {
        format!("<a href=\"?status={name}\">{label} <strong>{number}</strong></a>")
    };
    let chips = [
        "<a href=\"?\" aria-current=\"true\">All <strong>5</strong></a>".to_owned(),
        chip("failed", "Fail", 2),
        chip("upgraded", "Would change", 3),
        chip("with-losses", "Loses values", 1),
        chip("with-warnings", "To do", 1),
        chip("with-neither", "Fine", 1),
    ];
    assert!(page.contains(&chips.concat()), "{page}");
    assert!(
        page.contains(". 3 values move to another attribute. "),
        "{page}"
    );
    let effects = [
        ("with-losses", "dev-a"),
        ("with-warnings", "dev-b"),
        ("with-neither", "prod-a"),
    ];
    for (effect, only) in effects {
        let page = show(&format!("?status={effect}")).await;
        for (_, name) in effects {
            assert_eq!(
                page.contains(&format!(">{name}</a>")),
                name == only,
                "{effect}, {name}: {page}"
            );
        }
        let file = format!("/ui/jobs/{id}/report.csv?status={effect}");
        assert!(page.contains(&format!("href=\"{file}\"")), "{page}");
        let file = visit(&world, &file, &cookie).await.text;
        assert!(
            file.lines().count() == 2 && file.contains(&format!("\"{only}\",")),
            "{file}"
        );
        let list = ann
            .json(&path(&id, &format!("/workspaces?filter[outcome]={effect}")))
            .await;
        assert_eq!(list["meta"]["pagination"]["total-count"], 1, "{effect}");
        assert_eq!(
            list["data"][0]["attributes"]["planned"]["name"], only,
            "{effect}"
        );
    }
    let second = ann
        .json(&path(
            &id,
            "/workspaces?filter[outcome]=with-losses&page[number]=2",
        ))
        .await;
    assert_eq!(
        (
            &second["data"],
            &second["meta"]["pagination"]["total-count"]
        ),
        (&json!([]), &json!(1))
    );
    let both = ann
        .get(&path(
            &id,
            "/workspaces?filter[outcome]=with-losses&filter[status]=failed",
        ))
        .await;
    both.refused(400, "leave filter[status] out");
    world
        .user("carol", "lock")
        .await
        .get(&path(&id, "/workspaces?filter[outcome]=with-losses"))
        .await
        .refused(403, "");
    // Sums that cannot be read are found again, and so are the numbers that an earlier release did
    // not keep.
    let database = world.database();
    for sums in ["'{}'", "json_remove(sums, '$.counted')"] {
        let update = format!("UPDATE job SET sums = {sums} WHERE id = ?1");
        assert_eq!(database.execute(&update, [&id]).expect("an update"), 1);
        assert_eq!(show("").await, page, "{sums}");
    }
}

/// The button says how many workspaces its job would take, also of a part of the plan: the server
/// counts them, so that no script is needed.
#[tokio::test]
async fn the_button_of_a_plan_has_the_number_of_those_that_are_chosen() {
    let world = world().await;
    let ann = world.owner().await;
    fleet(&ann).await;
    let (id, _) = planned(&world, &ann, json!({})).await;
    let lossy = ann
        .get(&path(&id, "/workspaces?filter[outcome]=with-losses"))
        .await
        .expect(200)
        .json()["data"][0]["id"]
        .clone();
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state").await;
    let whole = visit(&world, &format!("/ui/jobs/{id}"), &cookie).await;
    whole.has(">Upgrade 3 workspaces</button>");
    // Parts of the names lead to the number that they have.
    let waves = "<a href=\"?names=*-a\">*-a <strong>2</strong></a><a href=\"?names=dev-*\">dev-* <strong>2</strong></a>";
    whole.has(waves);
    let plan = ann.attributes(&format!("/api/v2/upstate/plans/{id}")).await;
    assert_eq!(
        plan["waves"],
        json!([{ "names": "*-a", "workspaces": 2 }, { "names": "dev-*", "workspaces": 2 }])
    );
    let wave = visit(&world, &format!("/ui/jobs/{id}?names=*-a"), &cookie)
        .await
        .text;
    assert!(
        wave.contains(">Upgrade 2 workspaces</button>")
            && wave.contains("names=*-a\" aria-current=\"true\""),
        "{wave}"
    );
    // The Enter key takes the first button of a form, which begins nothing.
    let place = |text: &str| {
        whole
            .text
            .find(text)
            .unwrap_or_else(|| panic!("no {text}: {}", whole.text))
    };
    assert!(
        place("name=\"count\"") < place(">Upgrade 3"),
        "{}",
        whole.text
    );
    let form = format!(
        "csrf={}&plan={id}&stop=true&max-failures=5",
        field(&whole, "csrf")
    );
    let choose = async |fields: &str| {
        let to = submit(
            &world,
            "/ui/organizations/acme/jobs",
            &cookie,
            &format!("{form}&count=true{fields}"),
        )
        .await;
        assert!(
            to.status == 303 && !to.location.contains("csrf"),
            "{}",
            to.location
        );
        (visit(&world, &to.location, &cookie).await.text, to.location)
    };
    let (page, address) = choose("&names=dev-*&tag=").await;
    assert_eq!(address, format!("/ui/jobs/{id}?names=dev-*&max-failures=5"));
    for part in [
        ">Upgrade 2 workspaces</button>",
        "<strong>2 of 3</strong> workspaces are chosen. ",
        "value=\"dev-*\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let (page, _) = choose(&format!("&names=&tag=&workspace={}", text(&lossy))).await;
    let hidden = format!(
        "<input type=\"hidden\" name=\"workspace\" value=\"{}\">",
        text(&lossy)
    );
    assert!(
        page.contains(">Upgrade 1 workspace</button>") && page.contains(&hidden),
        "{page}"
    );
    let (page, _) = choose("&names=none-*").await;
    assert!(
        page.contains("No workspace of the plan is chosen by this. ")
            && !page.contains(">Upgrade "),
        "{page}"
    );
    // One that is ticked may be deleted by now: the plan is shown all the same.
    // The page counts them, not the request that leads there, which would be refused.
    let (page, _) = choose("&number=3&names=&tag=&workspace=ws-none").await;
    let why = "This choice cannot be counted: workspace ws-none not found in this organization. <a href=\"?\">Choose all</a>";
    assert!(page.contains(why) && !page.contains(">Upgrade "), "{page}");
    // The rest of the form stays, because counting changes nothing.
    let fields = format!(
        "csrf={}&plan={id}&max-failures=12&count=true&names=dev-*",
        field(&whole, "csrf")
    );
    let to = submit(&world, "/ui/organizations/acme/jobs", &cookie, &fields)
        .await
        .location;
    assert_eq!(
        to,
        format!("/ui/jobs/{id}?names=dev-*&max-failures=12&stop=never")
    );
    let page = visit(&world, &to, &cookie).await.text;
    assert!(
        page.contains("name=\"stop\" value=\"true\">")
            && page.contains("name=\"max-failures\" value=\"12\""),
        "{page}"
    );
    let fields = format!(
        "csrf={}&plan={id}&stop=true&max-failures=&count=true&names=dev-*",
        field(&whole, "csrf")
    );
    let to = submit(&world, "/ui/organizations/acme/jobs", &cookie, &fields)
        .await
        .location;
    assert_eq!(
        to,
        format!("/ui/jobs/{id}?names=dev-*&max-failures=0"),
        "an empty field lets no failure pass"
    );
    assert_eq!(
        ann.get(JOBS).await.expect(200).json()["meta"]["pagination"]["total-count"],
        1,
        "counting begins nothing"
    );
    // A button that says less than its job would take leads to the page with the number.
    let fields = format!("{form}&number=2&names=*");
    let to = submit(&world, "/ui/organizations/acme/jobs", &cookie, &fields)
        .await
        .location;
    assert_eq!(to, format!("/ui/jobs/{id}?names=*&max-failures=5"));
    assert!(
        visit(&world, &to, &cookie)
            .await
            .text
            .contains(">Upgrade 3 workspaces</button>"),
        "{to}"
    );
    let fields = format!("{form}&number=2&names=dev-*");
    let job = submit(&world, "/ui/organizations/acme/jobs", &cookie, &fields).await;
    worked(&world).await;
    let job = job.location.rsplit('/').next().expect("an id").to_owned();
    assert_eq!(ends(&ann, &job).await, ["dev-a upgraded", "dev-b upgraded"]);
    // What has changed since is not counted.
    let plan = ann.attributes(&format!("/api/v2/upstate/plans/{id}")).await;
    assert_eq!(
        (&plan["workspaces"]["unchanged-since"], &plan["waves"]),
        (&json!(1), &json!([]))
    );
    let (page, _) = choose("&names=dev-*").await;
    assert!(
        page.contains("No workspace of the plan is chosen by this. "),
        "{page}"
    );
    let other = sign_in_as(&world, "zoe", "other", "read-state,write-state").await;
    assert_eq!(
        visit(&world, &format!("/ui/jobs/{id}?names=dev-*"), &other)
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn a_job_takes_what_the_plan_showed_and_nothing_else() {
    let world = world().await;
    let ann = world.owner().await;
    fleet(&ann).await;
    let (id, _) = planned(&world, &ann, json!({})).await;
    // One changes after the plan, and one is new: neither was in it as it is now.
    let changed = text(
        &ann.get("/api/v2/organizations/acme/workspaces/prod-a")
            .await
            .expect(200)
            .json()["data"]["id"],
    );
    ann.lock(&changed).await.expect(200);
    ann.create(&changed, &state(2, &[old("x")]))
        .await
        .expect(201);
    ann.unlock(&changed).await.expect(200);
    filled(&ann, "later", &[old("x")]).await;
    // A job could not change a locked one, and fails there.
    let held = text(
        &ann.get("/api/v2/organizations/acme/workspaces/dev-a")
            .await
            .expect(200)
            .json()["data"]["id"],
    );
    ann.lock(&held).await.expect(200);
    let plan = ann.attributes(&format!("/api/v2/upstate/plans/{id}")).await;
    assert_eq!(
        (
            &plan["workspaces"]["unchanged-since"],
            &plan["workspaces"]["locked"]
        ),
        (&json!(2), &json!(1))
    );
    ann.unlock(&held).await.expect(200);
    let wave = |names: &str| body("upstate-jobs", &json!({ "plan": id, "names": names }));
    let first = ann.post(JOBS, &wave("DEV-*")).await.expect(201);
    assert_eq!(first.attributes()["plan"], json!(id));
    worked(&world).await;
    assert_eq!(
        ends(&ann, &first.id()).await,
        ["dev-a upgraded", "dev-b upgraded"]
    );
    // The next wave leaves what the first one did, and what changed.
    let second = ann.made(JOBS, &wave("*")).await;
    worked(&world).await;
    assert_eq!(ends(&ann, &second).await, Vec::<String>::new());
    assert_eq!(ann.versions("later").await.len(), 1);
    ann.post(JOBS, &body("upstate-jobs", &json!({ "plan": "job-none" })))
        .await
        .refused(422, "job-none not found");
    ann.post(JOBS, &body("upstate-jobs", &json!({ "plan": first.id() })))
        .await
        .refused(422, "plan ");
    let both = json!({ "plan": id, "to-release": "1.0.0" });
    ann.post(JOBS, &body("upstate-jobs", &both))
        .await
        .refused(422, "leave to-release out");
}

#[tokio::test]
async fn what_changes_while_a_job_runs_is_left() {
    let world = world().await;
    let ann = world.owner().await;
    let (a, b) = (
        filled(&ann, "a", &[old("x")]).await,
        filled(&ann, "b", &[old("x")]).await,
    );
    let (id, _) = planned(&world, &ann, json!({})).await;
    let attributes = json!({ "plan": id, "on-failure": "continue" });
    let job = ann.made(JOBS, &body("upstate-jobs", &attributes)).await;
    let twin = ann.made(JOBS, &body("upstate-jobs", &attributes)).await;
    ann.lock(&a).await.expect(200);
    ann.create(&a, &state(2, &[old("x"), old("y")]))
        .await
        .expect(201);
    ann.unlock(&a).await.expect(200);
    worked(&world).await;
    assert_eq!(ends(&ann, &job).await, ["a failed", "b upgraded"]);
    assert_eq!(
        ends(&ann, &twin).await,
        ["a failed", "b current"],
        "one of two jobs counts the upgrade"
    );
    let items = ann
        .json(&path(&job, "/workspaces?filter[status]=failed"))
        .await;
    assert_eq!(
        text(&items["data"][0]["attributes"]["detail"]),
        "It has changed since the plan, so the job did not change it; plan again"
    );
    assert_eq!(ann.versions("b").await.len(), 2, "{b}");
    // It is tried again as it is now: the plan still is about another version.
    ann.post(&path(&job, "/actions/resume"), &json!({}))
        .await
        .expect(200);
    worked(&world).await;
    assert_eq!(ends(&ann, &job).await, ["a failed", "b upgraded"]);
}

#[tokio::test]
async fn a_plan_goes_back_and_selects_by_name_and_tag() {
    let world = world().await;
    let ann = world.owner().await;
    let tagged = filled(&ann, "tagged", &[disk("x", 1, &json!({ "pinned": true }))]).await;
    let bare = filled(&ann, "plain", &[disk("x", 1, &json!({ "pinned": false }))]).await;
    let tags = json!({ "data": [{ "type": "tags", "attributes": { "name": "early" } }] });
    ann.post(
        &format!("/api/v2/workspaces/{tagged}/relationships/tags"),
        &tags,
    )
    .await;
    let back = json!({ "to-release": "1.0.0", "tags": ["early"] });
    let (_, plan) = planned(&world, &ann, back).await;
    assert_eq!(
        (&plan["action"], &plan["workspaces"]["failed"]),
        (&json!("downgrade"), &json!(1)),
        "{plan}"
    );
    assert_eq!(
        plan["selection"],
        json!({ "workspaces": null, "names": null, "tags": ["early"] })
    );
    let (id, plan) = planned(
        &world,
        &ann,
        json!({ "to-release": "1.0.0", "allow-loss": true }),
    )
    .await;
    assert_eq!(
        (
            &plan["workspaces"]["downgraded"],
            &plan["workspaces"]["with-losses"]
        ),
        (&json!(2), &json!(1))
    );
    assert_eq!(plan["losses"][0]["reason"], "the release cannot hold it");
    // So are the jobs of a plan.
    let jobs = [
        (
            json!({ "plan": id, "tags": ["early"], "names": "pl*" }),
            None,
        ),
        (json!({ "plan": id, "tags": ["early", "late"] }), None),
        // Looked up once.
        (
            json!({ "plan": id, "tags": vec!["early"; 20_000] }),
            Some("tagged downgraded"),
        ),
        (
            json!({ "plan": id, "workspaces": [bare] }),
            Some("plain downgraded"),
        ),
    ];
    for (selection, end) in jobs {
        let job = ann
            .post(JOBS, &body("upstate-jobs", &selection))
            .await
            .expect(201);
        assert_eq!(job.attributes()["to-release"], "1.0.0");
        worked(&world).await;
        let found = ends(&ann, &job.id()).await;
        assert_eq!(found, end.into_iter().collect::<Vec<&str>>(), "{selection}");
    }
}

/// Its failures wait again, in the middle of a look at it.
#[tokio::test]
async fn a_plan_that_is_resumed_meanwhile_is_shown() {
    let world = world().await;
    let ann = world.owner().await;
    fleet(&ann).await;
    let (id, _) = planned(&world, &ann, json!({})).await;
    let database = world.database();
    // The items alone, because the look at the plan came before it was resumed.
    let waits = "UPDATE job_item SET status = 'waiting' WHERE job = ?1 AND status = 'failed'";
    assert_eq!(database.execute(waits, [&id]).expect("an update"), 2);
    let plan = ann.attributes(&format!("/api/v2/upstate/plans/{id}")).await;
    assert_eq!(
        (
            &plan["status"],
            &plan["workspaces"]["waiting"],
            &plan["waves"]
        ),
        (&json!("done"), &json!(2), &json!([]))
    );
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state").await;
    let page = visit(&world, &format!("/ui/jobs/{id}"), &cookie).await;
    assert!(
        page.status == 200
            && page
                .text
                .contains("<strong>3 of 5</strong> workspaces are planned"),
        "{}",
        page.text
    );
}

/// A plan keeps which workspaces it was asked for, so that the same part can be planned after a
/// job.
#[tokio::test]
async fn the_same_part_is_planned_again() {
    let world = world().await;
    let ann = world.owner().await;
    fleet(&ann).await;
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state").await;
    let show = async |id: &str| visit(&world, &format!("/ui/jobs/{id}"), &cookie).await;
    let (whole, plan) = planned(&world, &ann, json!({})).await;
    assert_eq!(
        plan["selection"],
        json!({ "workspaces": null, "names": null, "tags": [] })
    );
    let page = show(&whole).await;
    page.has("Plan all workspaces again");
    page.lacks("Plan the same part");
    let csrf = field(&page, "csrf");
    let again = async |id: &str| {
        let form = format!("csrf={csrf}&again={id}");
        let to = submit(&world, "/ui/organizations/acme/plans", &cookie, &form).await;
        worked(&world).await;
        to.location.rsplit('/').next().expect("an id").to_owned()
    };
    let (named, _) = planned(&world, &ann, json!({ "names": "dev-*" })).await;
    let page = show(&named).await.text;
    let about = "It is about workspaces, named <code>dev-*</code>. Nothing was written.";
    assert!(
        page.contains(about) && page.contains("Plan the same part again"),
        "{page}"
    );
    assert_eq!(
        ends(&ann, &again(&named).await).await,
        ["dev-a upgraded", "dev-b upgraded"]
    );
    // Those that were chosen, without one that is gone since.
    let mut ids = Vec::new();
    for name in ["dev-a", "dev-b"] {
        let found = ann
            .json(&format!("/api/v2/organizations/acme/workspaces/{name}"))
            .await;
        ids.push(text(&found["data"]["id"]));
    }
    let (ticked, _) = planned(&world, &ann, json!({ "workspaces": ids })).await;
    assert!(
        show(&ticked)
            .await
            .text
            .contains("It is about 2 workspaces that were chosen one by one. ")
    );
    ann.delete(&format!("/api/v2/workspaces/{}", ids[1]))
        .await
        .expect(204);
    assert_eq!(ends(&ann, &again(&ticked).await).await, ["dev-a upgraded"]);
    ann.delete(&format!("/api/v2/workspaces/{}", ids[0]))
        .await
        .expect(204);
    let (empty, _) = planned(&world, &ann, json!({ "workspaces": [] })).await;
    let whys = [
        (&ticked, "The workspaces of the plan are gone"),
        (&empty, "The plan was asked for no workspace"),
    ];
    for (plan, why) in whys {
        let form = format!("csrf={csrf}&again={plan}");
        let refused = submit(&world, "/ui/organizations/acme/plans", &cookie, &form).await;
        assert!(
            refused.status == 409
                && refused
                    .text
                    .contains(&format!("{why}; plan all workspaces")),
            "{}",
            refused.text
        );
    }
    // A release before this one kept no part.
    let database = world.database();
    assert_eq!(
        database
            .execute("UPDATE job SET selection = NULL WHERE id = ?1", [&named])
            .expect("an update"),
        1
    );
    let page = show(&named).await.text;
    assert!(
        page.contains("Plan all workspaces again") && !page.contains("It is about"),
        "{page}"
    );
    let plan = ann
        .attributes(&format!("/api/v2/upstate/plans/{named}"))
        .await;
    assert_eq!(plan["selection"], Value::Null);
}

/// A server that is busy says nothing about a workspace.
#[tokio::test]
async fn a_plan_waits_for_memory() {
    let world = world().await;
    let ann = world.owner().await;
    filled(&ann, "a", &[old("x")]).await;
    let id = ann.made(PLANS, &body("upstate-plans", &json!({}))).await;
    let counts = async || {
        let workspaces =
            ann.get(&path(&id, "")).await.expect(200).attributes()["workspaces"].clone();
        ["waiting", "upgraded", "failed"].map(|name| workspaces[name].as_u64().expect("a count"))
    };
    let all = world
        .service
        .parsing()
        .room(world.service.conduct().parsing_memory)
        .expect("room");
    assert!(world.service.work_on_jobs("test").await.expect("work"));
    assert_eq!(counts().await, [1, 0, 0]);
    assert!(
        !world.service.work_on_jobs("test").await.expect("work"),
        "not at once"
    );
    drop(all);
    world.wait(Duration::from_secs(3));
    worked(&world).await;
    assert_eq!(counts().await, [0, 1, 0]);
}

/// The sums that every view of an ended plan shows are found once, and are those of its workspaces.
#[tokio::test]
async fn the_sums_of_a_plan_are_kept_and_are_those_of_its_items() {
    let world = world().await;
    let ann = world.owner().await;
    fleet(&ann).await;
    filled(&ann, "stuck", &[stuck("s")]).await;
    let id = ann.made(PLANS, &body("upstate-plans", &json!({}))).await;
    let job = JobId::from_text(id.clone());
    let store = world.service.store();
    let show = async || {
        ann.get(&format!("/api/v2/upstate/plans/{id}"))
            .await
            .expect(200)
            .attributes()
    };
    show().await;
    assert_eq!(
        store.plan_sums(&job).await.expect("a store"),
        None,
        "a plan that runs has other sums soon"
    );
    worked(&world).await;
    let first = show().await;
    let kept = store.plan_sums(&job).await.expect("a store").expect("sums");
    assert!(!kept.contains("hunter"), "{kept}");
    assert_eq!(show().await, first);
    // The other way to the same numbers.
    let page = Page {
        number: 1,
        size: 100,
    };
    let (mut instances, mut losses, mut causes) = (0, 0, 0);
    for item in store
        .job_items(&job, &[], page)
        .await
        .expect("a store")
        .items
    {
        let plan = StoredPlan::read(&item).expect("a plan");
        if item.status == ItemStatus::Upgraded {
            instances += plan.types.iter().map(|one| one.instances).sum::<usize>();
            losses += plan
                .losses
                .iter()
                .map(|(_, instances)| instances)
                .sum::<usize>();
        } else {
            causes += plan
                .causes
                .iter()
                .map(|(_, instances)| instances)
                .sum::<usize>();
        }
    }
    let sum = |list: &str| {
        first[list]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one["instances"].as_u64().expect("a number"))
            .sum::<u64>()
    };
    let found = [("types", instances), ("losses", losses), ("causes", causes)];
    for (list, number) in found {
        assert_eq!(sum(list), number as u64, "{list}: {first:#}");
        assert!(number > 0, "{list}: {first:#}");
    }
    // One that is done again has other sums.
    assert_eq!(
        store
            .job_items(&job, &[ItemStatus::Failed], page)
            .await
            .expect("a store")
            .total,
        2
    );
    ann.post(&path(&id, "/actions/resume"), &json!({}))
        .await
        .expect(200);
    assert_eq!(store.plan_sums(&job).await.expect("a store"), None);
}

/// A job is summed up as its plan was, and the sums are kept once it has ended.
#[tokio::test]
async fn the_report_of_a_job_has_the_sums_of_its_plan() {
    let world = world().await;
    let ann = world.owner().await;
    fleet(&ann).await;
    filled(&ann, "zones", &[zone("a"), zone("b")]).await;
    let (plan, planned) = planned(&world, &ann, json!({})).await;
    let job = ann
        .made(JOBS, &body("upstate-jobs", &json!({ "plan": plan })))
        .await;
    worked(&world).await;
    let report = ann.get(&path(&job, "/report")).await.expect(200);
    assert!(
        !String::from_utf8_lossy(&report.bytes).contains("hunter"),
        "{report:?}"
    );
    let sums = report.attributes();
    for name in ["types", "losses", "warnings", "omitted"] {
        assert_eq!(sums[name], planned[name], "{name}");
    }
    assert!(
        sums["losses"].as_array().is_some_and(|all| !all.is_empty())
            && sums["warnings"]
                .as_array()
                .is_some_and(|all| !all.is_empty()),
        "{sums}"
    );
    for effect in ["with-losses", "with-warnings", "with-neither"] {
        assert_eq!(
            sums["workspaces"][effect], planned["workspaces"][effect],
            "{effect}"
        );
    }
    assert!(
        sums["workspaces"]["with-warnings"]
            .as_u64()
            .is_some_and(|number| number > 0),
        "{sums}"
    );
    assert_eq!(
        ann.get(&path(&job, "/report"))
            .await
            .expect(200)
            .attributes(),
        sums,
        "it is kept"
    );
    let cookie = sign_in_as(&world, "eve", "acme", "read-state").await;
    let page = visit(&world, &format!("/ui/jobs/{job}"), &cookie).await;
    for part in [
        "<h2>Report</h2>",
        "instances were upgraded in",
        "dropped</strong>",
        "Values lost",
        "To do",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    // An undoing has no sums, because it plans nothing.
    let undone = ann.made(&path(&job, "/actions/undo"), &json!({})).await;
    worked(&world).await;
    assert_eq!(
        ann.get(&path(&undone, "/report"))
            .await
            .expect(200)
            .attributes()["types"],
        json!([])
    );
    // What an earlier release counted stays, although the reports are deleted with their versions.
    let database = world.database();
    let update = "UPDATE job SET sums = json_remove(sums, '$.counted') WHERE id = ?1";
    assert_eq!(database.execute(update, [&job]).expect("an update"), 1);
    database
        .execute("UPDATE state_version SET report = NULL", ())
        .expect("an update");
    let later = ann.attributes(&path(&job, "/report")).await;
    for name in ["types", "losses", "warnings", "omitted"] {
        assert_eq!(later[name], sums[name], "{name}");
    }
    assert_eq!(
        later["workspaces"]["with-losses"],
        sums["workspaces"]["with-losses"]
    );
    // It did not count these.
    assert_eq!(
        (
            &later["workspaces"]["with-warnings"],
            &later["workspaces"]["with-neither"]
        ),
        (&Value::Null, &Value::Null)
    );
}

/// Of each workspace its line: for a spreadsheet, and for a program with the report of its version.
#[tokio::test]
async fn the_report_of_a_job_is_a_file_too() {
    let world = world().await;
    let ann = world.owner().await;
    fleet(&ann).await;
    let cookie = sign_in_as(&world, "eve", "acme", "read-state").await;
    let get = async |path: &str| {
        let page = visit(&world, path, &cookie).await;
        page.lacks("hunter");
        page
    };
    let (plan, _) = planned(&world, &ann, json!({})).await;
    let page = get(&format!("/ui/jobs/{plan}")).await;
    page.has(&format!("href=\"/ui/jobs/{plan}/report.csv\" download"));
    // Its types lead to the pictures of their routes: where values are lost, where something fails,
    // and of all.
    let to_type =
        "href=\"/ui/organizations/acme/types/example_disk\"><code>example_disk</code></a>";
    assert_eq!(page.text.matches(to_type).count(), 2, "{}", page.text);
    page.has("The versions of <a href=\"/ui/organizations/acme/types/example_account\">");
    // Its numbers lead to no list of what is stored, which also has what fails: 5 instances of
    // `example_account` at version 1, not 3.
    let numbers = "<td>1 → 2</td><td>3</td><td>2</td><td>1 moved</td>";
    page.has(numbers);
    page.lacks("version=1");
    let file = get(&format!("/ui/jobs/{plan}/report.csv")).await;
    let named = (
        "text/csv; charset=utf-8".to_owned(),
        format!("attachment; filename=\"{plan}.csv\""),
    );
    assert_eq!(
        (file.status, &*file.kept, file.file),
        (200, "no-store", named)
    );
    let lines: Vec<&str> = file.text.split_terminator("\r\n").collect();
    assert_eq!(
        lines[0],
        "workspace,workspace id,outcome,state version,instances,values dropped,warnings,without details,why"
    );
    assert_eq!(lines.len(), 6, "{lines:#?}");
    let of = |name: &str| {
        *lines
            .iter()
            .find(|line| line.starts_with(&format!("\"{name}\",")))
            .expect("a line")
    };
    assert!(
        of("dev-a").contains("\"would change\",") && of("dev-a").ends_with(",2,2,0,0,\"\""),
        "{}",
        of("dev-a")
    );
    assert!(of("dev-b").ends_with(",2,0,1,0,\"\""), "{}", of("dev-b"));
    // As in the sums of the plan, nothing counts where something fails.
    let fails = of("prod-stuck");
    assert!(
        fails.contains("\"would fail\",") && fails.contains(",0,0,0,0,\""),
        "{fails}"
    );
    // What is listed is what the file has.
    let failing = get(&format!("/ui/jobs/{plan}/report.csv?status=failed")).await;
    assert_eq!(
        failing
            .text
            .lines()
            .filter(|line| line.contains("would fail"))
            .count(),
        2,
        "{}",
        failing.text
    );
    assert_eq!(failing.text.lines().count(), 3, "{}", failing.text);
    let job = ann
        .made(JOBS, &body("upstate-jobs", &json!({ "plan": plan })))
        .await;
    let lines_of_job = format!("/ui/jobs/{job}/report.jsonl");
    let early = get(&lines_of_job).await;
    assert!(
        early.status == 409 && early.text.contains("when it has ended"),
        "{}",
        early.text
    );
    assert!(
        !get(&format!("/ui/jobs/{job}"))
            .await
            .text
            .contains("report.csv")
    );
    worked(&world).await;
    assert!(
        get(&format!("/ui/jobs/{job}"))
            .await
            .text
            .contains(&lines_of_job)
    );
    let file = get(&lines_of_job).await;
    let named = (
        "application/jsonl".to_owned(),
        format!("attachment; filename=\"{job}.jsonl\""),
    );
    assert_eq!((file.status, file.file), (200, named));
    let lines: Vec<Value> = file
        .text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 3, "{lines:#?}");
    let line = lines
        .iter()
        .find(|line| line["workspace"] == "dev-a")
        .expect("a line");
    assert_eq!(
        (
            &line["outcome"],
            &line["instances"],
            &line["values-dropped"]
        ),
        (&json!("upgraded"), &json!(2), &json!(2))
    );
    let version = text(&line["state-version"]);
    let kept = ann.attributes(&path(&version, "/report")).await;
    assert_eq!(line["report"], kept, "the report of the version");
    // With its workspace the version is gone, and its report with it; the job's numbers stay.
    ann.delete(&format!(
        "/api/v2/workspaces/{}",
        text(&line["workspace-id"])
    ))
    .await
    .expect(204);
    ann.get(&path(&version, "/report")).await.expect(404);
    let file = get(&lines_of_job).await;
    let lines: Vec<Value> = file
        .text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let line = lines
        .iter()
        .find(|line| line["workspace"].is_null())
        .expect("a line");
    assert_eq!(
        (&line["instances"], &line["report"]),
        (&json!(2), &Value::Null)
    );
    // Nobody else's.
    let zoe = sign_in_as(&world, "zoe", "other", "read-state").await;
    assert_eq!(visit(&world, &lines_of_job, &zoe).await.status, 404);
    let carol = sign_in_as(&world, "carol", "acme", "lock").await;
    assert_eq!(visit(&world, &lines_of_job, &carol).await.status, 403);
}
