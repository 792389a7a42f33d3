//! The day after a night with jobs: what happened, what came of each workspace, and the choice of
//! some of them.

use std::time::Duration;

use serde_json::{Value, json};
use upstate_compat::lock::Lock;
use upstate_server::__internal::model::Timestamp;
use upstate_server::__internal::service::Conduct;

use crate::page::{Page, field, sign_in_as, submit, visit};
use crate::schemas::{account, filled, new, old, registry, state};
use crate::world::{Client, World, text};

const JOBS: &str = "/api/v2/upstate/organizations/acme/jobs";
const PLANS: &str = "/api/v2/upstate/organizations/acme/plans";
const DAY: &str = "/api/v2/upstate/organizations/acme/day";

/// One whose upgrade fails, though its version has an upgrader.
fn broken(name: &str) -> Value {
    account(
        name,
        1,
        &json!({ "id": name, "title": "t", "password": null, "retries": "four" }),
    )
}

async fn begun(world: &World, client: &Client<'_>, path: &str, attributes: &Value) -> String {
    let kind = if path == PLANS {
        "upstate-plans"
    } else {
        "upstate-jobs"
    };
    let id = client
        .made(
            path,
            &json!({ "data": { "type": kind, "attributes": attributes } }),
        )
        .await;
    while world.service.work_on_jobs("test").await.expect("work") {}
    id
}

/// The newest outcome of each workspace, by name.
async fn outcomes(client: &Client<'_>) -> Vec<(String, Value)> {
    let listed = client
        .json("/api/v2/upstate/organizations/acme/workspaces")
        .await;
    let of = |one: &Value| {
        (
            text(&one["attributes"]["name"]),
            one["attributes"]["last-outcome"].clone(),
        )
    };
    listed["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(of)
        .collect()
}

fn between<'p>(page: &'p Page, from: &str, to: &str) -> &'p str {
    let (_, rest) = page
        .text
        .split_once(from)
        .unwrap_or_else(|| panic!("no {from}: {}", page.text));
    rest.split(to).next().expect("text")
}

#[tokio::test]
async fn each_current_version_has_what_the_newest_job_made_of_it() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "bad-a", &[broken("b")]).await;
    let worse = filled(&ann, "bad-b", &[broken("b")]).await;
    filled(&ann, "good", &[old("a")]).await;
    let untouched = filled(&ann, "plain", &[new("a")]).await;
    let cookie = sign_in_as(&world, "eve", "acme", "read-state").await;
    let fleet = async || visit(&world, "/ui/organizations/acme", &cookie).await;
    assert!(
        outcomes(&ann)
            .await
            .iter()
            .all(|(_, outcome)| outcome.is_null())
    );
    assert!(!fleet().await.text.contains("failed in the last job"));
    let plan = begun(&world, &ann, PLANS, &json!({})).await;
    let found = outcomes(&ann).await;
    assert_eq!(
        (
            &found[0].1["action"],
            &found[0].1["status"],
            &found[0].1["job"]
        ),
        (&json!("plan"), &json!("failed"), &json!(plan))
    );
    assert_eq!(
        (&found[2].1["status"], found[3].1.is_null()),
        (&json!("upgraded"), true)
    );
    world.wait(Duration::from_mins(5));
    let job = begun(&world, &ann, JOBS, &json!({ "on-failure": "continue" })).await;
    let found = outcomes(&ann).await;
    for (name, status) in [(0, "failed"), (1, "failed"), (2, "upgraded")] {
        let outcome = &found[name].1;
        assert_eq!(
            (&outcome["action"], &outcome["status"], &outcome["job"]),
            (&json!("upgrade"), &json!(status), &json!(job))
        );
    }
    assert!(text(&found[0].1["detail"]).contains("retries"), "{found:?}");
    let inventory = ann
        .attributes(&format!("/api/v2/upstate/workspaces/{worse}/inventory"))
        .await;
    assert_eq!(inventory["last-outcome"]["job"], json!(job));
    // One cause is one row, the worst of the list, and a group of its own.
    let page = fleet().await;
    page.has("<strong>2</strong> failed in the last job or plan");
    let needs = between(&page, "Needs somebody", "Every workspace");
    assert!(
        needs.matches("<tr>").count() == 1 && needs.contains("bad-a</a> <span class=\"soft\">+1"),
        "{needs}"
    );
    assert!(
        needs.contains(&format!("/ui/jobs/{job}?status=failed")),
        "{needs}"
    );
    let rows = between(&page, "aria-label=\"Workspaces\">", "</table>");
    let bad = rows
        .split("<tr>")
        .find(|row| row.contains(">bad-b</a>"))
        .expect("a row");
    assert!(
        bad.contains(&format!(
            "href=\"/ui/jobs/{job}\"><span class=\"tag bad\">failed</span>"
        )),
        "{bad}"
    );
    assert!(rows.find("bad-b") < rows.find(">good<"), "{rows}");
    let failing = visit(&world, "/ui/organizations/acme?show=failing", &cookie).await;
    let rows = between(&failing, "aria-label=\"Workspaces\">", "</table>");
    assert!(
        rows.contains(">bad-a<") && rows.contains(">bad-b<") && !rows.contains(">good<"),
        "{rows}"
    );
    let page = visit(&world, &format!("/ui/workspaces/{worse}"), &cookie).await;
    page.has("<span class=\"tag bad\">failed</span>");
    page.has("retries");
    let page = visit(&world, &format!("/ui/workspaces/{untouched}"), &cookie).await;
    page.lacks("Last job");
    // A failure is of one version: it says nothing of the next.
    ann.lock(&worse).await.expect(200);
    ann.create(&worse, &state(2, &[new("b")])).await.expect(201);
    ann.unlock(&worse).await.expect(200);
    assert!(outcomes(&ann).await[1].1.is_null());
    assert!(
        fleet()
            .await
            .text
            .contains("<strong>1</strong> failed in the last job or plan")
    );
    // A failure that is tried again has no outcome until then, so that the plan shows its own
    // again.
    ann.post(
        &format!("/api/v2/upstate/jobs/{job}/actions/resume"),
        &json!({}),
    )
    .await
    .expect(200);
    assert_eq!(outcomes(&ann).await[0].1["job"], json!(plan));
}

#[tokio::test]
async fn a_workspace_that_changed_since_the_plan_is_no_failure_of_its_new_version() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let plan = begun(&world, &ann, PLANS, &json!({})).await;
    let job = ann
        .made(
            JOBS,
            &json!({ "data": { "type": "upstate-jobs", "attributes": { "plan": plan } } }),
        )
        .await;
    ann.lock(&net).await.expect(200);
    ann.create(&net, &state(2, &[old("a"), old("b")]))
        .await
        .expect(201);
    ann.unlock(&net).await.expect(200);
    while world.service.work_on_jobs("test").await.expect("work") {}
    let items = ann
        .json(&format!("/api/v2/upstate/jobs/{job}/workspaces"))
        .await;
    assert_eq!(items["data"][0]["attributes"]["status"], "failed");
    assert!(outcomes(&ann).await[0].1.is_null());
}

#[tokio::test]
async fn a_day_counts_what_happened_by_half_hours() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let total = |day: &Value, event: &str| -> u64 {
        day["events"][event]
            .as_array()
            .expect("steps")
            .iter()
            .map(|number| number.as_u64().expect("a number"))
            .sum()
    };
    let events = ["applied", "upgraded", "failed", "undone", "locked"];
    let totals = async || {
        let day = ann.attributes(DAY).await;
        assert_eq!(
            (&day["since"], &day["step-seconds"]),
            (&day["complete-since"], &json!(1800))
        );
        assert!(
            events.iter().all(|event| day["events"][event]
                .as_array()
                .is_some_and(|steps| steps.len() == 48)),
            "{day}"
        );
        events.map(|event| total(&day, event))
    };
    assert_eq!(totals().await, [0; 5]);
    let cookie = sign_in_as(&world, "eve", "acme", "read-state").await;
    filled(&ann, "bad", &[broken("b")]).await;
    filled(&ann, "good", &[old("a")]).await;
    assert_eq!(totals().await, [2, 0, 0, 0, 2]);
    world.wait(Duration::from_hours(1));
    // A plan that fails does not count, because nothing was tried.
    begun(&world, &ann, PLANS, &json!({})).await;
    let job = begun(&world, &ann, JOBS, &json!({ "on-failure": "continue" })).await;
    assert_eq!(totals().await, [2, 1, 1, 0, 2]);
    ann.post(
        &format!("/api/v2/upstate/jobs/{job}/actions/undo"),
        &json!({}),
    )
    .await
    .expect(201);
    while world.service.work_on_jobs("test").await.expect("work") {}
    assert_eq!(totals().await, [2, 1, 1, 1, 2]);
    // Each is in its half hour.
    let day = ann.attributes(DAY).await;
    assert_eq!(
        (&day["events"]["applied"][45], &day["events"]["failed"][47]),
        (&json!(2), &json!(1)),
        "{day}"
    );
    let page = visit(&world, "/ui/organizations/acme", &cookie).await;
    page.has("2 versions applied, 1 upgrade, 1 failure of a job, 1 rollback, 2 locks.");
    let lane = between(
        &page,
        "aria-label=\"1 failure of a job in the last 24 hours\"",
        "</svg>",
    );
    assert!(
        lane.matches("<circle").count() == 1
            && lane.contains("<title>1 failure of a job, ")
            && lane.contains(" UTC to "),
        "{lane}"
    );
    // Who may not read states sees none of it.
    world
        .user("kim", "read-outputs")
        .await
        .get(DAY)
        .await
        .expect(403);
    let other = world.token("zoe", "other", "read-state").await;
    world.client(&other).get(DAY).await.expect(404);
    world.wait(Duration::from_hours(25));
    assert_eq!(totals().await, [0; 5]);
    let page = visit(&world, "/ui/organizations/acme", &cookie).await;
    page.has("Nothing was stored, upgraded, undone or locked.");
}

/// Below the day are two weeks, with a bar for each day on which something happened.
#[tokio::test]
async fn the_last_days_are_bars() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let cookie = sign_in_as(&world, "eve", "acme", "read-state").await;
    let show = async || visit(&world, "/ui/organizations/acme", &cookie).await;
    filled(&ann, "a", &[old("a")]).await;
    filled(&ann, "b", &[old("b")]).await;
    world.wait(Duration::from_hours(3 * 24));
    filled(&ann, "c", &[new("c")]).await;
    begun(&world, &ann, JOBS, &json!({})).await;
    let page = show().await;
    let bars = between(
        &page,
        "aria-label=\"3 versions applied in the last 14 days, at most 2 on one\">",
        "</svg>",
    );
    let bar = |day: usize, height: usize| {
        format!(
            "x=\"{}\" y=\"{}\" width=\"10\" height=\"{height}\"><title>",
            day * 12 + 1,
            20 - height
        )
    };
    assert_eq!(bars.matches("<rect").count(), 2, "{bars}");
    assert!(
        bars.contains(&format!("{}2 versions applied, ", bar(10, 20))),
        "{bars}"
    );
    assert!(
        bars.contains(&format!("{}1 version applied, ", bar(13, 10))),
        "{bars}"
    );
    let bars = between(
        &page,
        "aria-label=\"2 upgrades in the last 14 days, at most 2 on one\">",
        "</svg>",
    );
    assert_eq!(bars.matches("<rect").count(), 1, "{bars}");
    let days = ann
        .attributes("/api/v2/upstate/organizations/acme/days")
        .await;
    assert_eq!(
        (&days["step-seconds"], &days["since"]),
        (&json!(86_400), &days["complete-since"])
    );
    assert_eq!(
        days["events"]["applied"],
        json!([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1])
    );
    // A part of the list has no past.
    let behind = visit(&world, "/ui/organizations/acme?show=behind", &cookie).await;
    behind.lacks("Last 14 days");
    behind.lacks("Last 24 hours");
    world.wait(Duration::from_hours(12 * 24));
    assert!(
        show()
            .await
            .text
            .contains("\"1 version applied in the last 14 days"),
        "those of the first day are gone"
    );
    world.wait(Duration::from_hours(3 * 24));
    assert!(!show().await.text.contains("Last 14 days"));
}

/// Days whose lines of the audit log are deleted must not look like days on which nothing happened.
#[tokio::test]
async fn days_that_the_audit_log_does_not_keep_are_not_complete() {
    let week = Duration::from_hours(7 * 24);
    let conduct = Conduct {
        audit_keep: Some(week),
        ..Conduct::default()
    };
    let world = World::made(conduct, registry(), Lock::default()).await;
    let ann = world.owner().await;
    filled(&ann, "a", &[old("a")]).await;
    let days = ann
        .attributes("/api/v2/upstate/organizations/acme/days")
        .await;
    let moment = |name: &str| Timestamp::parse(&text(&days[name])).expect("a time");
    assert_eq!(
        moment("complete-since"),
        moment("since").after(week),
        "{days}"
    );
    let cookie = sign_in_as(&world, "eve", "acme", "read-state").await;
    let page = visit(&world, "/ui/organizations/acme", &cookie).await;
    let days = between(&page, "<h2>Last 14 days</h2>", "<table");
    assert!(days.contains("not all is kept and counted"), "{days}");
    // The last day is complete, because its lines are kept.
    let day = ann.attributes(DAY).await;
    assert_eq!(day["complete-since"], day["since"]);
}

#[tokio::test]
async fn some_workspaces_are_ticked_for_a_plan_and_for_its_job() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let mut ids = Vec::new();
    for name in ["a", "b", "c"] {
        ids.push(filled(&ann, name, &[old("x")]).await);
    }
    let elsewhere = world
        .token("zoe", "other", "read-state,write-state,lock")
        .await;
    let zoe = world.client(&elsewhere);
    let body = json!({ "data": { "type": "workspaces", "attributes": { "name": "far" } } });
    let far = zoe
        .made("/api/v2/organizations/other/workspaces", &body)
        .await;
    let cookie = sign_in_as(&world, "eve", "acme", "read-state,write-state").await;
    for path in ["/ui/organizations/acme", "/ui/organizations/acme/plan"] {
        let page = visit(&world, path, &cookie).await;
        let boxed = format!(
            "<input type=\"checkbox\" form=\"ticked\" name=\"workspace\" value=\"{}\" aria-label=\"Tick b\">",
            ids[1]
        );
        page.has("<form id=\"ticked\" method=\"post\" action=\"/ui/organizations/acme/plans\">");
        assert!(page.text.contains(&boxed), "{path}: {}", page.text);
    }
    let page = visit(&world, "/ui/organizations/acme", &cookie).await;
    let proof = field(&page, "csrf");
    let form = |more: &str| format!("csrf={proof}&ticked=only{more}");
    let none = submit(&world, "/ui/organizations/acme/plans", &cookie, &form("")).await;
    assert!(
        none.status == 422 && none.text.contains("No workspace is ticked"),
        "{}",
        none.text
    );
    let foreign = submit(
        &world,
        "/ui/organizations/acme/plans",
        &cookie,
        &form(&format!("&workspace={far}")),
    )
    .await;
    assert_eq!(foreign.status, 422, "{}", foreign.text);
    let ticked = form(&format!("&workspace={}&workspace={}", ids[0], ids[1]));
    let made = submit(&world, "/ui/organizations/acme/plans", &cookie, &ticked).await;
    assert_eq!(made.status, 303, "{}", made.text);
    while world.service.work_on_jobs("test").await.expect("work") {}
    let plan = visit(&world, &made.location, &cookie).await;
    plan.has("<strong>2 of 2</strong> workspaces can be upgraded");
    // Some that can be upgraded, because the job needs work.
    let rows = visit(
        &world,
        &format!("{}?status=upgraded", made.location),
        &cookie,
    )
    .await;
    rows.has(&format!(
        "form=\"begin\" name=\"workspace\" value=\"{}\"",
        ids[1]
    ));
    rows.has(" id=\"begin\" ");
    let begin = format!(
        "csrf={proof}&plan={}&workspace={}&stop=true&max-failures=0",
        field(&rows, "plan"),
        ids[1]
    );
    let job = submit(&world, "/ui/organizations/acme/jobs", &cookie, &begin).await;
    while world.service.work_on_jobs("test").await.expect("work") {}
    assert!(
        visit(&world, &job.location, &cookie)
            .await
            .text
            .contains("1 of 1 workspace"),
        "{}",
        job.text
    );
    assert_eq!(
        (
            ann.versions("a").await.len(),
            ann.versions("b").await.len(),
            ann.versions("c").await.len()
        ),
        (1, 2, 1)
    );
}
