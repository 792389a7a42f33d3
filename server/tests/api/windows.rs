//! The page where somebody decides: what failed is named, what cannot work is not offered, and no
//! page is a dead end.

use serde_json::{Value, json};
use upstate::{Registry, Resource};

use crate::page::{Page, field, sign_in, sign_in_as, submit, visit};
use crate::schemas::{filled, new, old, path, registry, stuck};
use crate::world::World;

/// The place of a string on a page.
fn place(page: &Page, text: &str) -> usize {
    page.text
        .find(text)
        .unwrap_or_else(|| panic!("no {text}: {}", page.text))
}

/// The string between two others.
fn between<'p>(page: &'p Page, from: &str, to: &str) -> &'p str {
    let rest = page
        .text
        .get(place(page, from) + from.len()..)
        .expect("text");
    rest.split(to).next().expect("text")
}

/// Makes a job of all workspaces on the page: the session of Ann, and the answer.
async fn job_of_all(world: &World) -> (String, Page) {
    let cookie = sign_in_as(world, "ann", "acme", "read-state,write-state").await;
    let plan = visit(world, "/ui/organizations/acme/plan", &cookie).await;
    let made = submit(
        world,
        "/ui/organizations/acme/jobs",
        &cookie,
        &format!("csrf={}", field(&plan, "csrf")),
    )
    .await;
    (cookie, made)
}

/// A link from a chat or an alert reaches the page that it names, also when somebody has to sign in
/// before.
#[tokio::test]
async fn a_link_survives_signing_in() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let token = world.token("ann", "acme", "read-state,write-state").await;
    let path = format!("/ui/workspaces/{net}?page=1");
    let refused = visit(&world, &path, "").await;
    assert_eq!(refused.status, 401);
    refused.has("Sign in to see this page.");
    assert_eq!(field(&refused, "next"), path);
    let form = form_urlencoded::Serializer::new(String::new())
        .append_pair("next", &path)
        .append_pair("token", "wrong")
        .finish();
    let wrong = submit(&world, "/ui/sign-in", "", &form).await;
    assert_eq!((wrong.status, field(&wrong, "next")), (401, path.clone()));
    let form = form_urlencoded::Serializer::new(String::new())
        .append_pair("next", &path)
        .append_pair("token", &token)
        .finish();
    let signed_in = submit(&world, "/ui/sign-in", "", &form).await;
    assert_eq!((signed_in.status, signed_in.location), (303, path));
    // A link of another site carries the cookie, and a form does not.
    assert!(
        signed_in.cookie.contains("SameSite=Lax"),
        "{}",
        signed_in.cookie
    );
    // No link leads elsewhere.
    for foreign in [
        "//evil.example/",
        "https://evil.example/",
        "/\\evil.example/",
        "/api/v2/ping",
        "/ui/\u{e4}",
        "/ui/\r\nx: y",
    ] {
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("next", foreign)
            .append_pair("token", &token)
            .finish();
        let signed_in = submit(&world, "/ui/sign-in", "", &form).await;
        assert_eq!(
            (signed_in.status, &*signed_in.location),
            (303, "/"),
            "{foreign}"
        );
    }
    // What was done after the token had ended leads back to where it was done.
    let late = submit(
        &world,
        &format!("/ui/workspaces/{net}/upgrade"),
        "upstate_token=gone",
        "",
    )
    .await;
    assert_eq!(
        (late.status, field(&late, "next")),
        (401, format!("/ui/workspaces/{net}"))
    );
    late.has("The token is unknown. Sign in again.");
}

#[tokio::test]
async fn a_refused_form_is_shown_on_the_page_it_belongs_to() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state,lock").await;
    let workspace = format!("/ui/workspaces/{net}");
    let proof = field(&visit(&world, &workspace, &cookie).await, "csrf");
    world.wait(std::time::Duration::from_mins(2));
    let refused = submit(
        &world,
        &format!("{workspace}/unlock"),
        &cookie,
        &format!("csrf={proof}"),
    )
    .await;
    assert_eq!(refused.status, 409);
    refused.has("already unlocked");
    refused.has("State versions");
    assert!(
        place(&refused, "<h1>net</h1>") < place(&refused, "already unlocked"),
        "{}",
        refused.text
    );
    // A page that is not there has the frame of the others, and a way on.
    for missing in [
        "/ui/workspaces/ws-none",
        "/ui/anything",
        "/ui/organizations/acme/anything",
    ] {
        let page = visit(&world, missing, &cookie).await;
        assert_eq!(page.status, 404, "{missing}");
        assert!(
            page.text.starts_with("<!DOCTYPE html>") && page.text.contains("href=\"/\""),
            "{}",
            page.text
        );
    }
    // The address of a form, reloaded or shared, is the page of the form.
    let forms = [
        (format!("{workspace}/upgrade"), workspace.clone()),
        (format!("{workspace}/downgrade"), workspace.clone()),
        (format!("{workspace}/lock"), workspace.clone()),
        (format!("{workspace}/unlock"), workspace.clone()),
        (
            "/ui/jobs/job-1/stop".to_owned(),
            "/ui/jobs/job-1".to_owned(),
        ),
        (
            "/ui/jobs/job-1/resume".to_owned(),
            "/ui/jobs/job-1".to_owned(),
        ),
        (
            "/ui/organizations/acme/tokens".to_owned(),
            "/ui/organizations/acme/members".to_owned(),
        ),
        (
            "/ui/organizations/acme/teams".to_owned(),
            "/ui/organizations/acme/members".to_owned(),
        ),
        (
            "/ui/organizations/acme/teams/team-1".to_owned(),
            "/ui/organizations/acme/members".to_owned(),
        ),
        ("/ui/sign-in".to_owned(), "/".to_owned()),
        ("/ui/sign-out".to_owned(), "/".to_owned()),
    ];
    for (form, page) in forms {
        let shown = visit(&world, &form, &cookie).await;
        assert_eq!((shown.status, shown.location), (303, page), "{form}");
    }
}

/// Times are in the zone that their reader chooses, and say which it is; without a script.
#[tokio::test]
async fn times_are_in_the_zone_of_their_reader() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let workspace = format!("/ui/workspaces/{net}");
    let page = visit(&world, &workspace, &cookie).await;
    page.has("<a href=\"/ui/times\">Times in UTC</a>");
    page.has(" UTC\">");
    let times = visit(&world, "/ui/times", &cookie).await;
    times.has("Pages show times in <strong>UTC</strong>: it is ");
    let form = format!("csrf={}&zone=UTC%2B05%3A45", field(&times, "csrf"));
    let chosen = submit(&world, "/ui/times", &cookie, &form).await;
    assert_eq!((chosen.status, &*chosen.location), (303, "/ui/times"));
    let (zone, attributes) = chosen.cookie.split_once(';').expect("attributes");
    assert!(
        zone == "upstate_zone=UTC+05:45" && attributes.contains("HttpOnly; SameSite=Lax"),
        "{}",
        chosen.cookie
    );
    let page = visit(&world, &workspace, &format!("{cookie}; {zone}")).await;
    page.has(" UTC+05:45\">");
    page.lacks(" UTC\">");
    let times = visit(&world, "/ui/times", &format!("{cookie}; {zone}")).await;
    times.has("<option value=\"UTC+05:45\" selected>UTC+05:45</option>");
    // A place is a zone, too: each moment has the difference from UTC that there is then.
    let form = format!("csrf={}&zone=Europe%2FBerlin", field(&times, "csrf"));
    let berlin = submit(&world, "/ui/times", &cookie, &form).await.cookie;
    let berlin = format!("{cookie}; {}", berlin.split(';').next().expect("a cookie"));
    let page = visit(&world, &workspace, &berlin).await;
    page.has("<a href=\"/ui/times\">Times in Europe/Berlin</a>");
    assert!(
        [" UTC+01:00\">", " UTC+02:00\">"]
            .iter()
            .any(|here| page.text.contains(here)),
        "{}",
        page.text
    );
    let chosen = visit(&world, "/ui/times", &berlin).await;
    chosen.has("<option value=\"Europe/Berlin\" selected>Europe/Berlin</option>");
    // What a page of an organization counts is of a moment, which it names.
    let page = visit(
        &world,
        "/ui/organizations/acme",
        &format!("{cookie}; {zone}"),
    )
    .await;
    let moment = between(&page, "<p class=\"soft\">As of ", "</p>");
    assert!(
        moment.starts_with("20") && moment.ends_with(" UTC+05:45"),
        "{moment}"
    );
    // A zone that there is not is none, and is not written.
    let page = visit(
        &world,
        &workspace,
        &format!("{cookie}; upstate_zone=<script>"),
    )
    .await;
    page.has("Times in UTC</a>");
    page.lacks("<script>");
    // Who is not signed in has nothing with a time.
    assert!(!visit(&world, "/", "").await.text.contains("/ui/times"));
    assert_eq!(
        submit(&world, "/ui/times", &cookie, "zone=UTC")
            .await
            .status,
        403
    );
}

/// What was done is said once, by the server: no link can say it.
#[tokio::test]
async fn a_notice_is_shown_once() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state,lock").await;
    let workspace = format!("/ui/workspaces/{net}");
    let page = visit(&world, &format!("{workspace}?done=rolled-back"), &cookie).await;
    page.lacks("Rolled back");
    let form = format!("csrf={}&reason=test", field(&page, "csrf"));
    let locked = submit(&world, &format!("{workspace}/lock"), &cookie, &form).await;
    assert_eq!((locked.status, &locked.location), (303, &workspace));
    let (notice, attributes) = locked.cookie.split_once(';').expect("attributes");
    assert!(
        attributes.contains(&format!("Path={workspace}")) && attributes.contains("HttpOnly"),
        "{attributes}"
    );
    let page = visit(&world, &workspace, &format!("{cookie}; {notice}")).await;
    page.has("Only you can change the state");
    assert!(
        page.cookie.contains("Max-Age=0") && page.cookie.contains(&format!("Path={workspace}")),
        "{}",
        page.cookie
    );
    let page = visit(&world, &workspace, &cookie).await;
    assert!(
        !page.text.contains("Only you can change the state") && page.cookie.is_empty(),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn what_a_lock_keeps_from_working_is_not_offered() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let version = ann.current(&net).await.expect(200).id();
    let bob = world.user("bob", "lock,read-state").await;
    bob.lock(&net).await.expect(200);
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state,lock").await;
    let plan = visit(
        &world,
        &format!("/ui/state-versions/{version}/plan"),
        &cookie,
    )
    .await;
    plan.has("User bob");
    plan.lacks("Upgrade net");
    plan.lacks("a Terraform of yours");
    let workspace = format!("/ui/workspaces/{net}");
    let page = visit(&world, &workspace, &cookie).await;
    page.lacks("/unlock\"");
    page.has("Only User bob can unlock it.");
    bob.unlock(&net).await.expect(200);
    // Under one's own lock both work, with a warning.
    ann.lock(&net).await.expect(200);
    let plan = visit(
        &world,
        &format!("/ui/state-versions/{version}/plan"),
        &cookie,
    )
    .await;
    plan.has("Upgrade net");
    plan.has("a Terraform of yours");
    assert!(
        visit(&world, &workspace, &cookie)
            .await
            .text
            .contains("/unlock\"")
    );
}

#[tokio::test]
async fn the_numbers_of_a_plan_add_up() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let foreign = serde_json::json!({
        "mode": "managed", "type": "other_thing", "name": "o", "provider": "provider.p",
        "instances": [{ "schema_version": 7, "attributes": {} }],
    });
    let data = serde_json::json!({
        "mode": "data", "type": "example_account", "name": "d", "provider": "provider.p",
        "instances": [
            { "index_key": 0, "schema_version": 0, "attributes": {} },
            { "index_key": 1, "schema_version": 0, "attributes": {} },
        ],
    });
    let net = filled(
        &ann,
        "net",
        &[old("a"), old("b"), new("c"), stuck("d"), foreign, data],
    )
    .await;
    let version = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "ann", "acme", "read-state").await;
    let plan = visit(
        &world,
        &format!("/ui/state-versions/{version}/plan"),
        &cookie,
    )
    .await;
    let sentence = "<a href=\"?outcome=changed\">2 of 7 instances would be upgraded</a>, <a href=\"?outcome=failed\">1 cannot be</a>, \
        1 is current, 1 is of an unknown type, 2 are data sources. Nothing is lost. 2 values move to another attribute.</p>";
    plan.has(sentence);
    let legend = [
        "1 cannot be upgraded",
        "2 would be upgraded",
        "1 current",
        "1 of an unknown type",
        "2 data sources",
    ];
    let bar = between(&plan, "<figure", "</figure>");
    let places: Vec<usize> = legend
        .iter()
        .map(|one| bar.find(one).unwrap_or_else(|| panic!("no {one}: {bar}")))
        .collect();
    assert!(places.is_sorted(), "{bar}");
    // Each type has a row, which leads to its instances and to the picture of its route.
    let types = between(
        &plan,
        "<summary>By type: 2 types and versions</summary>",
        "</details>",
    );
    assert_eq!(
        types
            .matches("href=\"/ui/organizations/acme/types/example_account\"")
            .count(),
        2,
        "{types}"
    );
    // What becomes of its attributes is counted where something does.
    assert_eq!(types.matches("<td>1 moved</td>").count(), 1, "{types}");
    for (query, number) in [
        ("version=0&amp;outcome=failed", 1),
        ("version=1&amp;outcome=changed", 2),
    ] {
        assert!(
            types.contains(&format!(
                "<a href=\"?type=example_account&amp;{query}\">{number}</a>"
            )),
            "{query}: {types}"
        );
    }
    let of_type = format!("/ui/state-versions/{version}/plan?type=example_account&version=0");
    let page = visit(&world, &of_type, &cookie).await;
    page.has("example_account.d");
    page.lacks("example_account.a");
    page.has(
        "1 instance of <code>example_account</code> at version 0. <a href=\"?\">All instances</a>",
    );
    let page = visit(&world, &format!("{of_type}&outcome=failed"), &cookie).await;
    page.has("1 instance of <code>example_account</code> at version 0 that would fail. <a");
    let of_type = path(
        &version,
        "/plan?filter[type]=example_account&filter[version]",
    );
    assert_eq!(
        ann.get(&format!("{of_type}=1")).await.expect(200).json()["data"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    ann.get(&format!("{of_type}=one"))
        .await
        .refused(400, "filter[version] must be a schema version");
}

/// Two that fail among a hundred others are on the first screen of the plan.
#[tokio::test]
async fn the_plan_of_a_version_begins_with_what_fails() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let mut resources: Vec<Value> = (0..100)
        .map(|number| old(&format!("fine{number}")))
        .collect();
    resources.extend([stuck("broken"), stuck("broken_too")]);
    let net = filled(&ann, "net", &resources).await;
    let version = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "ann", "acme", "read-state").await;
    let show = async |query: &str| {
        visit(
            &world,
            &format!("/ui/state-versions/{version}/plan{query}"),
            &cookie,
        )
        .await
    };
    let page = show("").await;
    let (_, list) = page.text.split_once("<h2>Instances</h2>").expect("a list");
    let first: Vec<&str> = list
        .split("<h3><code>")
        .skip(1)
        .map(|part| part.split('<').next().expect("an address"))
        .collect();
    assert_eq!(first.len(), 30, "{first:?}");
    assert_eq!(
        first[..3],
        [
            "example_account.broken",
            "example_account.broken_too",
            "example_account.fine0"
        ],
        "{first:?}"
    );
    // The others follow in their order, each once.
    let end = show("?page=4").await;
    end.has("<code>example_account.fine99</code>");
    assert!(
        !show("?page=2")
            .await
            .text
            .contains("<code>example_account.broken")
    );
    assert!(
        place(&end, "Page 4 of 4") > place(&end, "example_account.fine99"),
        "{}",
        end.text
    );
}

/// Each direction has its own page, with what it asks and nothing else.
#[tokio::test]
async fn a_plan_asks_what_its_direction_needs() {
    let world = crate::downgrades::world().await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[crate::downgrades::note("a", false)]).await;
    let version = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state").await;
    for path in [
        format!("/ui/state-versions/{version}/plan"),
        "/ui/organizations/acme/plan".to_owned(),
    ] {
        let up = visit(&world, &path, &cookie).await;
        up.lacks("name=\"losses\"");
        up.lacks("<select");
        assert_eq!(
            between(&up, "aria-current=\"page\">Upgr", "<"),
            "ade",
            "{}",
            up.text
        );
        let back = visit(&world, &format!("{path}?way=back"), &cookie).await;
        assert!(
            back.status == 200 && back.text.contains("Choose the release"),
            "{}",
            back.text
        );
        back.lacks("would be downgraded");
        back.lacks("There is nothing to change");
        assert_eq!(
            back.text.matches("type=\"radio\" name=\"losses\"").count(),
            3,
            "{}",
            back.text
        );
        back.lacks("checkbox");
        let chosen = visit(
            &world,
            &format!("{path}?way=back&to-release=1.0.0&losses=allow"),
            &cookie,
        )
        .await;
        chosen.has("value=\"allow\" checked");
        assert_eq!(
            (field(&chosen, "to-release"), hidden(&chosen, "losses")),
            ("1.0.0".to_owned(), "allow".to_owned())
        );
    }
}

/// The value of a hidden field.
fn hidden(page: &Page, name: &str) -> String {
    between(
        page,
        &format!("type=\"hidden\" name=\"{name}\" value=\""),
        "\"",
    )
    .to_owned()
}

/// The button is before the long lists, and what is normal is folded.
#[tokio::test]
async fn the_plan_of_all_can_be_decided_on_its_first_screen() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    for name in ["a", "b", "c"] {
        filled(&ann, name, &[old("x"), old("y")]).await;
    }
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state").await;
    let plan = visit(&world, "/ui/organizations/acme/plan", &cookie).await;
    let button = place(&plan, "Plan 3 workspaces");
    assert!(button < place(&plan, "<table"), "{}", plan.text);
    plan.has("6 instances of 1 type");
    // One line a workspace; its types and losses are unfolded by who wants them.
    let row = between(&plan, ">a</a></th>", "</tr>");
    assert!(
        row.contains("<details><summary>2 instances of 1 type</summary>"),
        "{row}"
    );
    // The plan that is kept answers first, and then has the button.
    let form = format!("csrf={}&names=", field(&plan, "csrf"));
    let made = submit(&world, "/ui/organizations/acme/plans", &cookie, &form).await;
    assert!(world.service.work_on_jobs("me").await.expect("a store"));
    let begun = visit(&world, &made.location, &cookie).await;
    begun.has("<strong>1 of 3</strong> workspaces are planned. ");
    begun.has("None fails so far. Nothing is lost so far. ");
    while world.service.work_on_jobs("me").await.expect("a store") {}
    let plan = visit(&world, &made.location, &cookie).await;
    plan.has(
        "<strong>3 of 3</strong> workspaces can be upgraded</a>. None fails. Nothing is lost. ",
    );
    assert!(
        place(&plan, "class=\"lead\"") < place(&plan, "Upgrade 3 workspaces"),
        "{}",
        plan.text
    );
    plan.has("<a href=\"?status=upgraded\">3 without a loss</a>");
    // When it was made and how long that took, also in the title of the tab.
    assert!(
        between(&plan, "Planned ", "</p>").contains(", took <time"),
        "{}",
        plan.text
    );
    let day = world.service.now().to_string();
    let title = format!("✓ · Plan: upgrade · acme · {} · upstate", &day[..10]);
    assert_eq!(between(&plan, "<title>", "</title>"), title);
    // Failing is the riskier default, so it stops.
    let stop = between(&plan, "name=\"stop\"", ">");
    assert!(stop.contains("checked"), "{stop}");
    // The form's job takes the plan and no more, so that one workspace is left.
    let form = format!(
        "csrf={}&plan={}&stop=true&max-failures=5&names=a",
        field(&plan, "csrf"),
        field(&plan, "plan")
    );
    let job = submit(&world, "/ui/organizations/acme/jobs", &cookie, &form).await;
    while world.service.work_on_jobs("me").await.expect("a store") {}
    let page = visit(&world, &job.location, &cookie).await;
    page.has(&format!(
        "1 of 1 workspace, <a href=\"{}?status=upgraded\">1 upgraded</a>",
        job.location
    ));
    page.has("its plan");
    let plan = visit(&world, &made.location, &cookie).await;
    plan.has("1 workspace has changed since");
    plan.has("Upgrade 2 workspaces");
}

/// A number in the plan of all leads to the list that has as many, and to no list that has more.
#[tokio::test]
async fn a_number_of_the_plan_of_all_leads_to_a_list_of_as_many() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "a", &[old("x"), stuck("y")]).await;
    filled(&ann, "b", &[stuck("y")]).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let plan = visit(&world, "/ui/organizations/acme/plan", &cookie).await;
    let query = "type=example_account&amp;version=1";
    let linked = format!(
        "<td><a href=\"/ui/organizations/acme/search?{query}\">1</a></td><td><a href=\"/ui/organizations/acme?{query}\">1</a></td>"
    );
    plan.has(&linked);
    // In `b`, which needs no upgrade, another one is stuck at that version.
    plan.has("<td>0 → 2</td><td>1</td><td>1</td>");
    // The page of the type says the same, although a route begins there: its author refuses the
    // upgrade.
    let page = visit(
        &world,
        "/ui/organizations/acme/types/example_account",
        &cookie,
    )
    .await;
    let rows: Vec<&str> = between(&page, "aria-label=\"Stored versions\">", "</table>")
        .split("<tr>")
        .skip(2)
        .collect();
    assert!(
        rows[0].contains("cannot be upgraded") && rows[1].contains("needs an upgrade"),
        "{rows:?}"
    );
}

/// A tab shows how far the job is, and how it ended; a row of jobs too.
#[tokio::test]
async fn a_job_says_how_it_goes_in_its_title() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    for name in ["a", "b", "c"] {
        filled(&ann, name, &[old("x")]).await;
    }
    filled(&ann, "d", &[old("x"), stuck("y")]).await;
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state").await;
    let plan = visit(&world, "/ui/organizations/acme/plan", &cookie).await;
    plan.lacks("A job is running");
    let made = submit(
        &world,
        "/ui/organizations/acme/jobs",
        &cookie,
        &format!("csrf={}", field(&plan, "csrf")),
    )
    .await;
    world.service.work_on_jobs("me").await.expect("a store");
    let title = |page: &Page| between(page, "<title>", "</title>").to_owned();
    let at = world.service.now().to_string();
    let day = &at[..10];
    let page = visit(&world, &made.location, &cookie).await;
    assert_eq!(
        title(&page),
        format!("25 % · Upgrade · acme · {day} · upstate")
    );
    // Who plans another one learns of it.
    let plan = visit(&world, "/ui/organizations/acme/plan", &cookie).await;
    plan.has("A job is running");
    plan.has("1 of 4");
    plan.has(&format!(
        "href=\"{}\">Upgrade</a> by User ann, ",
        made.location
    ));
    page.has(" in the name of User ann, 4 at a time");
    // How far it is can be seen there, on the first page, and in the list of jobs.
    let fleet = visit(&world, "/ui/organizations/acme", &cookie).await;
    for page in [&plan, &fleet] {
        let bar = between(page, "A job is running", "</figure>");
        let waiting = format!("<a href=\"{}?status=waiting\">3 waiting</a>", made.location);
        assert!(
            bar.contains("class=\"fill-faint\" x=\"250\"") && bar.contains(&waiting),
            "{bar}"
        );
    }
    let jobs = visit(&world, "/ui/organizations/acme/jobs", &cookie).await;
    let bar = "<progress max=\"4\" value=\"1\" aria-label=\"1 of 4 workspaces\"></progress>";
    jobs.has(bar);
    while world.service.work_on_jobs("me").await.expect("a store") {}
    let page = visit(&world, &made.location, &cookie).await;
    assert_eq!(
        title(&page),
        format!("✗ 1 failed · Upgrade · acme · {day} · upstate")
    );
    page.has("<strong class=\"tag bad\">done, 1 failed</strong>");
    let jobs = visit(&world, "/ui/organizations/acme/jobs", &cookie).await;
    jobs.lacks("<progress");
    let failed = format!(
        "<span class=\"tag bad\"><a href=\"{}?status=failed\">done, 1 failed</a></span>",
        made.location
    );
    jobs.has(&failed);
    // What failed is first.
    assert!(
        place(&page, ">d</a>") < place(&page, ">a</a>"),
        "{}",
        page.text
    );
}

/// A job that is not done says how many workspaces servers are working on.
#[tokio::test]
async fn a_job_counts_what_is_in_work() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    for name in ["a", "b"] {
        filled(&ann, name, &[old("x")]).await;
    }
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let body = json!({ "data": { "type": "upstate-jobs", "attributes": {} } });
    let id = ann
        .made("/api/v2/upstate/organizations/acme/jobs", &body)
        .await;
    let shown = async || visit(&world, &format!("/ui/jobs/{id}"), &cookie).await.text;
    assert!(!shown().await.contains(" in work"));
    let now = world.service.now();
    let minute = std::time::Duration::from_mins(1);
    assert!(
        world
            .service
            .store()
            .claim("other", now, now.after(minute))
            .await
            .expect("a store")
            .is_some()
    );
    let page = shown().await;
    assert!(page.contains("0 failed, 1 in work</p>"), "{page}");
    world.wait(2 * minute);
    assert!(!shown().await.contains(" in work"));
}

/// Many workspaces that fail for one cause are one thing to do.
#[tokio::test]
async fn the_failures_of_a_job_are_shown_by_cause() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    for name in ["a", "b", "c", "d"] {
        filled(&ann, name, &[old("x"), stuck("y")]).await;
    }
    let locked = filled(&ann, "e", &[old("x")]).await;
    let bob = world.user("bob", "lock,read-state").await;
    bob.lock(&locked).await.expect(200);
    filled(&ann, "fine", &[old("x")]).await;
    let (cookie, made) = job_of_all(&world).await;
    while world.service.work_on_jobs("me").await.expect("a store") {}
    let page = visit(&world, &made.location, &cookie).await;
    let causes = between(&page, "<h2>Failed ", "<h2>Workspaces</h2>");
    assert!(
        causes.starts_with("<span class=\"soft\">2 causes</span>"),
        "{causes}"
    );
    let (many, one) = causes.split_once("</details>").expect("two causes");
    assert!(
        many.contains("in 4 workspaces")
            && many.contains("Run release 1.9 first")
            && many.contains("1 more"),
        "{many}"
    );
    assert!(
        one.contains("locked by User bob")
            && one.contains("in 1 workspace<")
            && one.contains(">e</a>"),
        "{one}"
    );
    // The list of those with another outcome has no failures before it.
    let upgraded = visit(
        &world,
        &format!("{}?status=upgraded", made.location),
        &cookie,
    )
    .await;
    upgraded.lacks("<h2>Failed ");
    let id = made.location.rsplit('/').next().expect("an id");
    let report = ann.attributes(&path(id, "/report")).await;
    let failures = report["failures"].as_array().expect("a list");
    assert_eq!(
        (failures.len(), &report["failures-omitted"]),
        (2, &0.into()),
        "{report}"
    );
    assert_eq!(
        (&failures[0]["workspaces"], &failures[1]["workspaces"]),
        (&4.into(), &1.into()),
        "{report}"
    );
    assert_eq!(
        failures[0]["first-workspaces"]
            .as_array()
            .expect("a list")
            .len(),
        3,
        "{report}"
    );
    assert_eq!(failures[1]["first-workspaces"][0]["name"], "e", "{report}");
}

/// A job whose servers have all died does not look like one that runs.
#[tokio::test]
async fn a_job_that_no_server_works_on_says_so() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "a", &[old("x")]).await;
    filled(&ann, "b", &[old("x")]).await;
    let (cookie, made) = job_of_all(&world).await;
    let (id, no_server) = (
        made.location.rsplit('/').next().expect("an id"),
        "No server has worked on this job for",
    );
    let shown = async || visit(&world, &made.location, &cookie).await;
    assert!(!shown().await.text.contains(no_server));
    assert_eq!(
        ann.get(&path(id, "")).await.expect(200).attributes()["worked-on-at"],
        Value::Null
    );
    world.service.work_on_jobs("me").await.expect("a store");
    let at = ann.get(&path(id, "")).await.expect(200).attributes()["worked-on-at"].clone();
    assert!(
        at.as_str()
            .is_some_and(|at| at <= world.service.now().to_string().as_str()),
        "{at}"
    );
    assert!(!shown().await.text.contains(no_server));
    world.wait(std::time::Duration::from_mins(5));
    let page = shown().await;
    page.has("No server has worked on this job for 5 minutes");
    world.service.work_on_jobs("me").await.expect("a store");
    assert!(!shown().await.text.contains(no_server));
}

/// A plan says so, too, and how long the rest of it takes.
#[tokio::test]
async fn a_plan_that_no_server_works_on_says_so() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    for name in ["a", "b", "c", "d", "e"] {
        filled(&ann, name, &[old("x")]).await;
    }
    let cookie = sign_in_as(&world, "ann", "acme", "read-state").await;
    let plan = visit(&world, "/ui/organizations/acme/plan", &cookie).await;
    let made = submit(
        &world,
        "/ui/organizations/acme/plans",
        &cookie,
        &format!("csrf={}", field(&plan, "csrf")),
    )
    .await;
    let shown = async || visit(&world, &made.location, &cookie).await;
    let no_server = "No server has worked on this plan for";
    assert!(!shown().await.text.contains(no_server));
    world.wait(std::time::Duration::from_mins(5));
    let page = shown().await;
    page.has(&format!("{no_server} 5 minutes"));
    for _ in 0..3 {
        world.service.work_on_jobs("me").await.expect("a store");
        world.wait(std::time::Duration::from_secs(30));
    }
    let page = shown().await;
    page.lacks(no_server);
    page.has("The rest takes about ");
    while world.service.work_on_jobs("me").await.expect("a store") {}
    let page = shown().await;
    page.lacks(no_server);
    page.lacks("The rest takes about");
}

/// The rest of a job takes as long as its last workspaces did. A night for which it was stopped is
/// not counted.
#[tokio::test]
async fn a_job_says_when_it_ends() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
        filled(&ann, name, &[old("x")]).await;
    }
    let (cookie, made) = job_of_all(&world).await;
    let id = made.location.rsplit('/').next().expect("an id");
    let minute = std::time::Duration::from_mins(1);
    let expected =
        async || ann.get(&path(id, "")).await.expect(200).attributes()["expected-end-at"].clone();
    world.service.work_on_jobs("me").await.expect("a store");
    world.wait(minute);
    assert_eq!(expected().await, Value::Null, "one workspace says little");
    for _ in 0..2 {
        world.service.work_on_jobs("me").await.expect("a store");
        world.wait(minute);
    }
    let page = visit(&world, &made.location, &cookie).await;
    let left = between(&page, "The rest takes about ", "</p>");
    assert!(left.contains("4 minutes"), "{left}");
    let drawn = between(&page, "<p class=\"soft pace\">", "</p>");
    assert!(
        drawn.matches("<rect").count() == 3 && drawn.ends_with("1 workspace a minute on average"),
        "{drawn}"
    );
    let served = ann.attributes(&path(id, "/pace")).await;
    let sum = |name: &str| {
        served[name]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_u64)
            .sum::<u64>()
    };
    assert_eq!((sum("ended"), sum("failed")), (3, 0), "{served}");
    world
        .user("carol", "lock")
        .await
        .get(&path(id, "/pace"))
        .await
        .refused(403, "");
    let at = expected().await;
    assert!(
        at.as_str()
            .is_some_and(|at| at > world.service.now().to_string().as_str()),
        "{at}"
    );
    world.wait(600 * minute);
    world.service.work_on_jobs("me").await.expect("a store");
    assert_eq!(expected().await, Value::Null, "the others ended long ago");
    while world.service.work_on_jobs("me").await.expect("a store") {}
    assert_eq!(expected().await, Value::Null, "it has ended");
}

/// Of two jobs over the same workspaces, one has made each version.
#[tokio::test]
async fn of_two_jobs_one_claims_an_upgrade() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    for name in ["a", "b", "c"] {
        filled(&ann, name, &[old("x")]).await;
    }
    let make = async || {
        let body = serde_json::json!({ "data": { "type": "upstate-jobs", "attributes": {} } });
        ann.post("/api/v2/upstate/organizations/acme/jobs", &body)
            .await
            .expect(201)
            .id()
    };
    let (first, second) = (make().await, make().await);
    while world.service.work_on_jobs("me").await.expect("a store") {}
    let upgraded = async |id: &str| {
        ann.get(&path(id, "")).await.expect(200).attributes()["workspaces"]["upgraded"].clone()
    };
    let counts = (upgraded(&first).await, upgraded(&second).await);
    assert_eq!(
        counts.0.as_u64().expect("a count") + counts.1.as_u64().expect("a count"),
        3,
        "{counts:?}"
    );
    let version = ann.versions("a").await[0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let net = ann.versions("a").await[0]["relationships"]["workspace"]["data"]["id"]
        .as_str()
        .map(str::to_owned);
    // The version says which job made it, on its own page and in the timeline.
    let page = visit(&world, &format!("/ui/state-versions/{version}"), &cookie).await;
    page.has("/ui/jobs/job-");
    let net = net.expect("a workspace");
    let page = visit(&world, &format!("/ui/workspaces/{net}"), &cookie).await;
    page.has("/ui/jobs/job-");
}

/// Two long values that differ at their end do not look the same.
#[tokio::test]
async fn a_difference_far_inside_of_a_value_is_seen() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let key = "AAAAB3NzaC1yc2E".repeat(30);
    let with = |name: String| {
        crate::schemas::account(
            "a",
            2,
            &json!({ "id": "a", "name": name, "password": null, "retries": 3 }),
        )
    };
    let net = filled(&ann, "net", &[with(format!("{key} old"))]).await;
    ann.lock(&net).await.expect(200);
    ann.create(
        &net,
        &crate::schemas::state(2, &[with(format!("{key} new"))]),
    )
    .await
    .expect(201);
    let version = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(
        &world,
        &format!("/ui/state-versions/{version}/comparison"),
        &cookie,
    )
    .await;
    page.has(" <mark>old</mark>&quot;</code>");
    page.has(" <mark>new</mark>&quot;</code>");
    page.has("456 characters");
}

/// Inside a nested value, of which a line is cut, it is so, too.
#[tokio::test]
async fn a_difference_far_inside_of_a_nested_value_is_seen() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let key = "AAAAB3NzaC1yc2E".repeat(30);
    let with = |serial: i64, end: &str| {
        let text = json!({
            "version": 4, "terraform_version": "1.15.5", "serial": serial, "lineage": "l", "resources": [],
            "outputs": { "host": {
                "value": { "size": 1, "key": format!("{key} {end}") }, "type": ["object", { "size": "number", "key": "string" }],
            } },
        });
        crate::world::State::of(serial, "l", &text.to_string())
    };
    let net = ann.locked("net").await;
    ann.create(&net, &with(1, "old")).await.expect(201);
    ann.create(&net, &with(2, "new")).await.expect(201);
    let version = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(
        &world,
        &format!("/ui/state-versions/{version}/comparison"),
        &cookie,
    )
    .await;
    for (class, mark, end) in [("remove", "-", "old"), ("add", "+", "new")] {
        let line = between(
            &page,
            &format!("<span class=\"{class}\">{mark} "),
            "</span>",
        );
        assert!(
            line.trim_start().starts_with("key: …")
                && line.contains(&format!("<mark>{end}</mark>")),
            "{line}"
        );
    }
}

/// A comparison says how many instances are new, differ and are gone, and shows those of one change
/// or type alone.
#[tokio::test]
async fn a_comparison_counts_by_change_and_by_type() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let foreign = json!({
        "mode": "managed", "type": "other_thing", "name": "o", "provider": "provider.p",
        "instances": [{ "schema_version": 7, "attributes": {} }],
    });
    let net = ann.locked("net").await;
    ann.create(
        &net,
        &crate::schemas::state(1, &[old("a"), new("b"), new("same")]),
    )
    .await
    .expect(201);
    let added = [new("a"), new("c"), new("d"), new("same"), foreign];
    let version = ann.stored(&net, &crate::schemas::state(2, &added)).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let path = format!("/ui/state-versions/{version}/comparison");
    let show = async |query: &str| visit(&world, &format!("{path}{query}"), &cookie).await;
    let page = show("").await;
    let sentence = "<strong>3 instances were added, 1 changed, 1 removed</strong>. 2 outputs differ. \
        1 value moved to another attribute. Sensitive values are hidden.";
    page.has(sentence);
    let chips = between(&page, "aria-label=\"Differences by change\">", "</nav>");
    let chip = |change: &str, label: &str, number: u64| {
        format!("<a href=\"?change={change}\">{label} <strong>{number}</strong></a>")
    };
    let some =
        chip("added", "Added", 3) + &chip("changed", "Changed", 3) + &chip("removed", "Removed", 1);
    assert_eq!(
        chips,
        format!("<a href=\"?\" aria-current=\"true\">All <strong>7</strong></a>{some}")
    );
    let types = between(&page, "aria-label=\"Differences by type\">", "</nav>");
    let of_type = "<a href=\"?type=example_account\">example_account <strong>4</strong></a>\
        <a href=\"?type=other_thing\">other_thing <strong>1</strong></a>";
    assert_eq!(types, of_type);
    // The headings of what each query shows.
    let headings = |page: &Page| -> Vec<String> {
        let sections = page.text.split("<section><h3><code>").skip(1);
        sections
            .filter_map(|section| section.split("</code>").next())
            .map(str::to_owned)
            .collect()
    };
    let account = |name: &str| format!("example_account.{name}");
    let cases: [(&str, Vec<String>); 4] = [
        (
            "?change=added",
            vec![account("c"), account("d"), "other_thing.o".to_owned()],
        ),
        ("?change=removed", vec![account("b")]),
        (
            "?change=added&type=example_account",
            vec![account("c"), account("d")],
        ),
        ("?type=other_none", Vec::new()),
    ];
    for (query, expected) in cases {
        let page = show(query).await;
        assert_eq!(headings(&page), expected, "{query}: {}", page.text);
        assert!(
            page.text.contains("<a href=\"?\">All differences</a>"),
            "{query}: {}",
            page.text
        );
    }
    let page = show("?change=added&type=example_account").await;
    page.has("2 differences of <code>example_account</code>, added. <a");
    page.has("<input type=\"hidden\" name=\"change\" value=\"added\">");
    let chosen =
        "<a href=\"?change=added\" aria-current=\"true\">example_account <strong>2</strong></a>";
    page.has("<details open>");
    page.has(chosen);
    // The version to compare with stays, and a word that no release of the page has shows all.
    let first = ann.versions("net").await[1]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let page = show(&format!("?from={first}&change=other")).await;
    page.has(&format!("<a href=\"?from={first}&amp;change=removed\">"));
    assert_eq!(headings(&page).len(), 7, "{}", page.text);
    // Nothing differs from itself.
    let page = show(&format!("?from={version}")).await;
    page.has("No instance differs. Sensitive values are hidden.");
    page.lacks("Differences by");
}

/// Any two versions of a list are compared by two marks and a button, which needs no script.
#[tokio::test]
async fn two_marks_compare_two_versions() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = ann.locked("net").await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let workspace = format!("/ui/workspaces/{net}");
    let mut ids = Vec::new();
    for (serial, resources) in [
        (1, vec![new("a")]),
        (2, vec![new("a"), new("b")]),
        (3, vec![new("a"), new("b"), new("c")]),
    ] {
        let page = visit(&world, &workspace, &cookie).await;
        assert_eq!(
            page.text.contains("Compare the two"),
            ids.len() > 1,
            "one alone is compared with nothing: {}",
            page.text
        );
        ids.push(
            ann.create(&net, &crate::schemas::state(serial, &resources))
                .await
                .expect(201)
                .id(),
        );
    }
    let page = visit(&world, &workspace, &cookie).await;
    let form = between(&page, "<form id=\"compare\"", "</form>");
    assert!(
        form.contains(&format!("method=\"get\" action=\"{workspace}/comparison\"")),
        "{form}"
    );
    let mark = |name: &str, number: usize, checked: &str| {
        let (id, serial) = (&ids[number], number + 1);
        format!(
            "name=\"{name}\" value=\"{id}\"{checked} aria-label=\"{name} serial {serial}\">{name}</label>"
        )
    };
    // The newest and the one before are marked.
    for (from, to, number) in [("", "", 0), (" checked", "", 1), ("", " checked", 2)] {
        let marks = [mark("from", number, from), mark("to", number, to)];
        assert!(
            marks.iter().all(|mark| page.text.contains(mark)),
            "{marks:?}: {}",
            page.text
        );
    }
    let chosen = visit(
        &world,
        &format!("{workspace}/comparison?from={}&to={}", ids[0], ids[2]),
        &cookie,
    )
    .await;
    assert_eq!(
        (chosen.status, chosen.location),
        (
            303,
            format!("/ui/state-versions/{}/comparison?from={}", ids[2], ids[0])
        )
    );
    let path = format!("/ui/state-versions/{}/comparison?from={}", ids[2], ids[0]);
    let page = visit(&world, &path, &cookie).await;
    page.has("<strong>2 instances were added, 0 changed, 0 removed</strong>");
    // A mark is missing, or is none: no other place is reached.
    let escaped = "/ui/state-versions/..%2F%0D%0Ax/comparison?from=a%26b".to_owned();
    for (query, location) in [
        ("?from=sv-1", workspace.clone()),
        ("?from=a%26b&to=..%2F%0D%0Ax", escaped),
    ] {
        let chosen = visit(&world, &format!("{workspace}/comparison{query}"), &cookie).await;
        assert_eq!((chosen.status, chosen.location), (303, location), "{query}");
    }
}

/// A mark goes along to the other pages of the list, so that a version of one page is compared with
/// one of another.
#[tokio::test]
async fn marks_are_kept_on_the_other_pages() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let (net, other) = (
        ann.locked("net").await,
        filled(&ann, "other", &[new("a")]).await,
    );
    let mut ids = Vec::new();
    for serial in 1..=51 {
        ids.push(
            ann.create(&net, &crate::schemas::state(serial, &[new("a")]))
                .await
                .expect(201)
                .id(),
        );
    }
    let foreign = ann.current(&other).await.expect(200).id();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let show =
        async |query: &str| visit(&world, &format!("/ui/workspaces/{net}{query}"), &cookie).await;
    let page = show("").await;
    let keep =
        format!("formaction=\"/ui/workspaces/{net}\">Keep the marks on the other pages</button>");
    assert!(
        page.text.contains(&keep)
            && !between(&page, "<form id=\"compare\"", "</form>").contains("radio"),
        "{}",
        page.text
    );
    // The one version of the second page is compared with nothing, until marks come along.
    assert!(!show("?page=2").await.text.contains("id=\"compare\""));
    let kept = |from: &str, to: &str| format!("?from={from}&to={to}&page=2");
    let page = show(&kept(&ids[49], &ids[50])).await;
    let form = between(&page, "<form id=\"compare\"", "</form>");
    for (name, number) in [("from", 49), ("to", 50)] {
        let mark = format!(
            "name=\"{name}\" value=\"{}\" checked>{name} serial {}</label>",
            ids[number],
            number + 1
        );
        assert!(form.contains(&mark), "{mark}: {form}");
    }
    page.has(&format!(
        "value=\"{}\" aria-label=\"from serial 1\"",
        ids[0]
    ));
    let back = format!(
        "rel=\"prev\" href=\"?from={}&amp;to={}&amp;page=1\"",
        ids[49], ids[50]
    );
    page.has(&back);
    // A version of another workspace or of none is not marked, so that links cannot mix them.
    for (from, to) in [(foreign.as_str(), "sv-none"), ("..%2F", "sv-none")] {
        let page = show(&kept(from, to)).await;
        assert!(
            page.status == 200 && !page.text.contains("id=\"compare\""),
            "{}",
            page.text
        );
    }
}

/// What an upgrade warned of and dropped stays on the page of its version, which is where the
/// upgrade leads.
#[tokio::test]
async fn the_report_of_an_upgrade_is_on_its_version() {
    let world = crate::plans::world().await;
    let ann = world.owner().await;
    let disk = crate::plans::disk("x", 0, &json!({ "owner": "hunter22" }));
    let net = filled(&ann, "net", &[disk, old("a"), new("b")]).await;
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state").await;
    let before = ann.current(&net).await.expect(200).id();
    let plan = visit(
        &world,
        &format!("/ui/state-versions/{before}/plan"),
        &cookie,
    )
    .await;
    let loses = "0 are data sources. <a href=\"?outcome=with-losses\"><strong>1 instance loses a value</strong></a>.";
    plan.has(loses);
    let form = format!("version={before}&csrf={}", field(&plan, "csrf"));
    let upgraded = submit(
        &world,
        &format!("/ui/workspaces/{net}/upgrade"),
        &cookie,
        &form,
    )
    .await;
    let page = visit(&world, &upgraded.location, &cookie).await;
    page.has("The upgrade changed 2 of 3 instances");
    page.has("<code>owner</code>, the API no longer has it");
    page.lacks("hunter22");
    // Right after the upgrade, the way back is in its notice, and there alone.
    let notice = upgraded.cookie.split(';').next().expect("a notice");
    let noticed = visit(&world, &upgraded.location, &format!("{cookie}; {notice}")).await;
    let undone = format!("/ui/state-versions/{before}/rollback");
    let way_back = format!("<a href=\"{undone}\">Undo the upgrade…</a>");
    let until = "Until another version follows, nothing else goes back with it.</span></p>";
    let inside = format!("This is the new state version. {way_back} <span class=\"soft\">{until}");
    noticed.has(&inside);
    assert_eq!(
        noticed.text.matches("Undo the upgrade").count(),
        1,
        "{}",
        noticed.text
    );
    // It stays there for ten minutes, and is one click away then, too, as long as nothing followed.
    let fresh = between(&page, "<p class=\"good\">Upgraded <time", "</p>");
    assert!(fresh.contains(&way_back), "{fresh}");
    assert_eq!(page.text.matches(&way_back).count(), 1, "{}", page.text);
    world.wait(std::time::Duration::from_mins(11));
    let page = visit(&world, &upgraded.location, &cookie).await;
    page.lacks("goes back with it");
    let ways = between(&page, "aria-label=\"Of this version\">", "</nav>");
    assert!(ways.contains(&way_back), "{ways}");
    let first = visit(&world, &format!("/ui/state-versions/{before}"), &cookie).await;
    first.lacks("The upgrade changed");
    first.lacks("Undo the upgrade");
    // The page of the workspace has the link, too, unless somebody may not write or another user
    // has locked it.
    let link = format!("<a href=\"/ui/state-versions/{before}/rollback\">Undo the upgrade…</a>");
    let workspace = format!("/ui/workspaces/{net}");
    let page = visit(&world, &workspace, &cookie).await;
    page.has(&link);
    let reader = sign_in_as(&world, "rob", "acme", "read-state").await;
    assert!(
        !visit(&world, &workspace, &reader)
            .await
            .text
            .contains("Undo the"),
        "{}",
        page.text
    );
    world
        .user("bob", "lock,read-state")
        .await
        .lock(&net)
        .await
        .expect(200);
    assert!(
        !visit(&world, &workspace, &cookie)
            .await
            .text
            .contains("Undo the"),
        "{}",
        page.text
    );
}

/// Before somebody rolls back, the page says what Terraform would no longer know, or that it is
/// nothing.
#[tokio::test]
async fn a_rollback_says_what_would_be_forgotten() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a"), old("b")]).await;
    let first = ann.current(&net).await.expect(200).id();
    ann.upgrade(&net).await.expect(201);
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state,lock").await;
    let rollback = format!("/ui/state-versions/{first}/rollback");
    let page = visit(&world, &rollback, &cookie).await;
    page.has("No resource is forgotten");
    page.has("2 instances get other values or another schema version");
    page.lacks("no longer knows it");
    // Something was made since.
    ann.lock(&net).await.expect(200);
    ann.create(&net, &crate::schemas::state(3, &[new("a"), new("c")]))
        .await
        .expect(201);
    ann.unlock(&net).await.expect(200);
    let page = visit(&world, &rollback, &cookie).await;
    page.has("1 instance exists now and would be forgotten");
    page.has("<code>example_account.c</code>");
    page.has("1 instance that is gone would be known again");
    page.has("<code>example_account.b</code>");
}

#[tokio::test]
async fn a_search_finds_in_any_case_and_by_attribute() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "payments", &[old("a"), new("b")]).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let found = async |query: &str| {
        visit(
            &world,
            &format!("/ui/organizations/acme/search?{query}"),
            &cookie,
        )
        .await
        .text
    };
    for query in [
        "type=example_acc",
        "type=EXAMPLE_ACCOUNT",
        "address=ACCOUNT.A",
        "value=THE+A",
        "attribute=name",
        "attribute=NAME&value=the",
    ] {
        assert!(found(query).await.contains("example_account."), "{query}");
    }
    // An attribute alone is one that has a value; a secret one has none to be found.
    assert!(
        !found("attribute=password")
            .await
            .contains("example_account."),
        "a secret"
    );
    assert!(
        !found("attribute=nothing")
            .await
            .contains("example_account.")
    );
    let hits = found("type=account").await;
    assert!(hits.contains("2 instances"), "{hits}");
    // The value that fits is shown.
    assert!(found("value=the+B").await.contains("The b"), "no value");
    for name in ["PAY", "Pay"] {
        let page = visit(
            &world,
            &format!("/ui/organizations/acme?name={name}"),
            &cookie,
        )
        .await;
        page.has(">payments</a>");
    }
}

/// A workspace in the list has the worst status of its resources, and a bar of those that are
/// current.
#[tokio::test]
async fn a_row_of_the_list_has_one_status_and_a_bar() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let foreign = json!({
        "mode": "managed", "type": "other_thing", "name": "o", "provider": "provider.p",
        "instances": [{ "schema_version": 7, "attributes": {} }],
    });
    filled(&ann, "net", &[old("a"), new("b"), foreign.clone()]).await;
    filled(&ann, "web", &[foreign]).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(&world, "/ui/organizations/acme", &cookie).await;
    let (_, list) = page.text.split_once("<h2>Workspaces</h2>").expect("a list");
    let row = |name: &str| -> String {
        let rest = list
            .split_once(&format!(">{name}</a></th>"))
            .expect("a row")
            .1;
        rest.split("</tr>").next().expect("cells").to_owned()
    };
    for (name, status, current, all) in [
        ("net", " warn\">needs an upgrade<", 1, 3),
        ("web", "\">unknown type<", 0, 1),
    ] {
        let row = row(name);
        assert!(
            row.contains(&format!("<span class=\"tag{status}"))
                && row.matches("<span class=\"tag").count() == 1,
            "{row}"
        );
        let bar = format!(
            "<progress max=\"{all}\" value=\"{current}\" aria-label=\"Current instances\"></progress>"
        );
        assert!(
            row.contains(&format!(
                "<td class=\"share\">{bar} {current} of {all}</td>"
            )),
            "{row}"
        );
    }
}

/// Each number leads to what it counts.
#[tokio::test]
async fn numbers_are_links() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "behind", &[old("a")]).await;
    filled(&ann, "fine", &[new("b")]).await;
    filled(&ann, "stuck", &[stuck("c")]).await;
    ann.workspace("empty").await;
    let locked = filled(&ann, "locked", &[new("d")]).await;
    let bob = world.user("bob", "lock,read-state").await;
    bob.lock(&locked).await.expect(200);
    let cookie = sign_in_as(&world, "eve", "acme", "read-state,admin").await;
    let page = visit(&world, "/ui/organizations/acme", &cookie).await;
    for (show, only) in [
        ("behind", "behind"),
        ("stuck", "stuck"),
        ("empty", "empty"),
        ("locked", "locked"),
        ("current", "fine"),
    ] {
        assert!(
            page.text.contains(&format!("href=\"?show={show}\"")),
            "{show}: {}",
            page.text
        );
        let shown = visit(
            &world,
            &format!("/ui/organizations/acme?show={show}"),
            &cookie,
        )
        .await;
        for name in ["behind", "fine", "stuck", "empty", "locked"] {
            let (_, list) = shown
                .text
                .split_once("<h2>Workspaces</h2>")
                .expect("a list");
            let is_shown = list.contains(&format!(">{name}</a></th>"));
            let wanted = name == only || (show == "current" && name == "locked");
            assert_eq!(is_shown, wanted, "{show} {name}: {}", shown.text);
        }
    }
    page.has("/ui/organizations/acme/types/example_account\"");
    // The sentence says each number and leads to its list.
    let sentence = between(&page, "<p class=\"lead\">", "</p>");
    for (show, words) in [
        ("behind", "1</strong> needs an upgrade"),
        ("stuck", "1</strong> cannot be"),
        ("locked", "1</strong> is locked"),
    ] {
        assert!(
            sentence.contains(&format!("<a href=\"?show={show}\"><strong>{words}")),
            "{show}: {sentence}"
        );
    }
    // The instances and the workspaces of a type at a version.
    let types = visit(&world, "/ui/organizations/acme/types", &cookie).await;
    let query = "type=example_account&amp;version=1";
    for link in [
        format!("/search?{query}\">1</a>"),
        format!("acme?{query}\">1</a>"),
    ] {
        assert!(types.text.contains(&link), "{link}: {}", types.text);
    }
    let query = query.replace("&amp;", "&");
    let found = visit(
        &world,
        &format!("/ui/organizations/acme/search?{query}"),
        &cookie,
    )
    .await;
    found.has(">behind</a>");
    found.lacks(">fine</a>");
    let holding = visit(&world, &format!("/ui/organizations/acme?{query}"), &cookie).await;
    let (_, list) = holding
        .text
        .split_once("<h2>Workspaces</h2>")
        .expect("a list");
    assert!(
        list.contains("1 workspace with instances of ") && list.contains(" at version 1. "),
        "{list}"
    );
    assert!(
        list.contains(">behind</a></th>") && !list.contains(">fine</a></th>"),
        "{list}"
    );
    let wrong = visit(&world, "/ui/organizations/acme/search?version=new", &cookie).await;
    assert!(
        wrong.status == 400
            && wrong
                .text
                .contains("version must be a whole number, found &quot;new&quot;"),
        "{}",
        wrong.text
    );
    // A row says what there is, since when, by whom, and who holds the lock.
    let row = between(&page, ">locked</a></th>", "</tr>");
    for part in ["User bob", "User ann", "1 of 1", "serial 1"] {
        assert!(row.contains(part), "{part}: {row}");
    }
    // The status of a workspace leads to its plan, if there is one.
    let id = ann
        .get("/api/v2/organizations/acme/workspaces/behind")
        .await
        .expect(200)
        .id();
    let head = ann.current(&id).await.expect(200).id();
    let page = visit(&world, &format!("/ui/workspaces/{id}"), &cookie).await;
    let status = format!(
        "<a href=\"/ui/state-versions/{head}/plan\"><strong>Needs an upgrade</strong></a>, at serial 1"
    );
    page.has(&status);
    // A line of the audit log leads to its version.
    let version = ann.current(&locked).await.expect(200).id();
    let audit = visit(&world, "/ui/organizations/acme/audit", &cookie).await;
    audit.has(&format!("href=\"/ui/state-versions/{version}\""));
}

/// The keys of the page lead to the lists of the organization that the page is of, by links at its
/// end.
#[tokio::test]
async fn keys_lead_to_the_lists_of_an_organization() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(&world, &format!("/ui/workspaces/{net}"), &cookie).await;
    let end = between(&page, "<footer", "</footer>");
    for (key, list) in [("w", ""), ("j", "/jobs"), ("t", "/types")] {
        let path = format!("/ui/organizations/acme{list}");
        let link = format!("<kbd>g {key}</kbd> leads to <a href=\"{path}\" data-go=\"{key}\">");
        assert!(end.contains(&link), "{end}");
        assert_eq!(visit(&world, &path, &cookie).await.status, 200);
    }
    let all = visit(&world, "/", &cookie).await;
    all.lacks("data-go");
}

/// The address of a link of a page, if it is one of another page of the server.
fn target(path: &str, link: &str) -> Option<String> {
    let link = link
        .split(['"', '#'])
        .next()
        .expect("a link")
        .replace("&amp;", "&");
    match link.strip_prefix('?') {
        Some(query) => Some(format!(
            "{}?{query}",
            path.split('?').next().expect("a path")
        )),
        None => Some(link).filter(|link| link.starts_with('/') && !link.starts_with("/ui/static/")),
    }
}

/// Somebody who follows every link meets no page that is not there, and none without a sentence
/// that answers its question.
#[tokio::test]
async fn no_link_is_dead() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let foreign = json!({
        "mode": "managed", "type": "other_thing", "name": "o", "provider": "provider.p",
        "instances": [{ "schema_version": 7, "attributes": {} }],
    });
    let net = filled(&ann, "net", &[old("a"), new("b"), foreign]).await;
    for name in ["bad-0", "bad-1", "bad-2", "bad-3"] {
        filled(&ann, name, &[old("x"), stuck("y")]).await;
    }
    ann.workspace("empty").await;
    let tags = json!({ "data": [{ "type": "tag-bindings", "attributes": { "key": "env", "value": "c&d" } }] });
    ann.patch(&format!("/api/v2/workspaces/{net}/tag-bindings"), &tags)
        .await
        .expect(200);
    for (kind, attributes) in [
        ("plans", json!({})),
        ("jobs", json!({ "on-failure": "continue" })),
    ] {
        let body =
            json!({ "data": { "type": format!("upstate-{kind}"), "attributes": attributes } });
        ann.post(&format!("/api/v2/upstate/organizations/acme/{kind}"), &body)
            .await
            .expect(201);
        while world.service.work_on_jobs("me").await.expect("a store") {}
    }
    let cookie = sign_in(
        &world,
        &world
            .token(
                "eve",
                "acme",
                "read-state,write-state,lock,force-unlock,admin",
            )
            .await,
    )
    .await;
    let (mut ahead, mut met) = (
        vec![("/".to_owned(), "/".to_owned())],
        std::collections::BTreeSet::new(),
    );
    while let Some((path, from)) = ahead.pop() {
        if !met.insert(path.clone()) {
            continue;
        }
        let page = visit(&world, &path, &cookie).await;
        assert_eq!(
            page.status, 200,
            "{path}, which {from} leads to: {}",
            page.text
        );
        let is_page = page.file.0.starts_with("text/html");
        assert!(
            !is_page || page.text.contains("<p class=\"lead\""),
            "{path}: {}",
            page.text
        );
        ahead.extend(
            page.text
                .split(" href=\"")
                .skip(1)
                .filter_map(|link| Some((target(&path, link)?, path.clone()))),
        );
    }
    for part in [
        "/report.csv",
        "&version=1",
        "tag=",
        "/types/example_account",
        "/undo",
        "outcome=failed",
    ] {
        assert!(
            met.iter().any(|path| path.contains(part)),
            "{part}: {met:#?}"
        );
    }
}

/// Tags are on the page of their workspace, and each leads to the list of all that have it; a plan
/// takes one, too.
#[tokio::test]
async fn workspaces_are_chosen_by_tag() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let (shop, web) = (
        filled(&ann, "shop", &[old("a")]).await,
        filled(&ann, "web", &[old("b")]).await,
    );
    let keyed = filled(&ann, "plain", &[old("c")]).await;
    let key = |key: &str| json!({ "type": "tag-bindings", "attributes": { "key": key } });
    let tag = |key: &str, value: &str| json!({ "type": "tag-bindings", "attributes": { "key": key, "value": value } });
    let bound = [
        (&shop, vec![tag("env", "a&b"), tag("team", "x")]),
        (&web, vec![tag("team", "x")]),
        (&keyed, vec![key("team"), key("a=b")]),
    ];
    for (id, tags) in bound {
        ann.patch(
            &format!("/api/v2/workspaces/{id}/tag-bindings"),
            &json!({ "data": tags }),
        )
        .await
        .expect(200);
    }
    let cookie = sign_in_as(&world, "eve", "acme", "read-state,write-state").await;
    let page = visit(&world, &format!("/ui/workspaces/{shop}"), &cookie).await;
    let link = "<a href=\"/ui/organizations/acme?tag=env%3Da%26b\"><code>env=a&amp;b</code></a>";
    page.has(link);
    let page = visit(&world, "/ui/organizations/acme", &cookie).await;
    let chips = between(&page, "aria-label=\"Workspaces by tag\">", "</nav>");
    let chip = |query: &str, text: &str, number: usize| {
        format!(
            "<a href=\"/ui/organizations/acme?tag={query}\">{text} <strong>{number}</strong></a>"
        )
    };
    // A key alone leads to all that have it.
    let of_team = chip("team", "team", 3) + &chip("team%3Dx", "team=x", 2);
    assert_eq!(
        chips,
        of_team + &chip("a%3Db", "a=b", 1) + &chip("env%3Da%26b", "env=a&amp;b", 1)
    );
    // The squares of all are grouped by a tag, too; a workspace without a value of it is one of the
    // others.
    let page = visit(&world, "/ui/organizations/acme?by=team", &cookie).await;
    let choices = "<a href=\"?by=team\" aria-current=\"true\">team <strong>2</strong></a>\
        <a href=\"?by=env\">env <strong>1</strong></a>";
    assert!(
        between(&page, "aria-label=\"Squares by\">", "</nav>").ends_with(choices),
        "{}",
        page.text
    );
    let squares = between(&page, "<div class=\"fleet\">", "<h2>");
    for part in [
        "?tag=team%3Dx\">x</a>",
        "\"2 workspaces by status\"",
        "<span>others</span>",
        "\"1 workspace by status\"",
    ] {
        assert!(squares.contains(part), "{part}: {squares}");
    }
    let cases: [(&str, &[&str]); 5] = [
        ("team%3Dx", &["shop", "web"]),
        ("team", &["shop", "web", "plain"]),
        ("env%3Da%26b", &["shop"]),
        ("team%3Dy", &[]),
        ("a%3Db", &["plain"]),
    ];
    for (query, names) in cases {
        let page = visit(
            &world,
            &format!("/ui/organizations/acme?tag={query}"),
            &cookie,
        )
        .await;
        let (_, list) = page.text.split_once("<h2>Workspaces</h2>").expect("a list");
        for name in ["shop", "web", "plain"] {
            assert_eq!(
                list.contains(&format!(">{name}</a></th>")),
                names.contains(&name),
                "{query} {name}: {list}"
            );
        }
        let with = if names.len() == 1 {
            "1 workspace with the tag "
        } else {
            "workspaces with the tag "
        };
        assert!(
            list.contains(with) && list.contains("<a href=\"?\">All workspaces</a>"),
            "{list}"
        );
    }
    // The form keeps the group and the part of the name, so that the number is of those that fit
    // all.
    let page = visit(
        &world,
        "/ui/organizations/acme?tag=team&show=stuck&name=We",
        &cookie,
    )
    .await;
    let sentence = "0 workspaces with the tag <code>team</code> with “We” in the name, of those that cannot be upgraded. <a";
    page.has(sentence);
    page.has("There is none.");
    // Of those with a tag alone, a plan is made, and its job begun.
    let plan = visit(&world, "/ui/organizations/acme/plan", &cookie).await;
    let form = format!("csrf={}&names=&tag=a%3Db", field(&plan, "csrf"));
    let made = submit(&world, "/ui/organizations/acme/plans", &cookie, &form).await;
    while world.service.work_on_jobs("me").await.expect("a store") {}
    let of_key = visit(&world, &made.location, &cookie).await;
    of_key.has("<strong>1 of 1</strong> workspaces can be upgraded");
    let form = format!("csrf={}&names=&tag=team%3Dx", field(&plan, "csrf"));
    let made = submit(&world, "/ui/organizations/acme/plans", &cookie, &form).await;
    while world.service.work_on_jobs("me").await.expect("a store") {}
    let plan = visit(&world, &made.location, &cookie).await;
    plan.has("<strong>2 of 2</strong> workspaces can be upgraded");
    let form = format!(
        "csrf={}&plan={}&names=&tag=env",
        field(&plan, "csrf"),
        field(&plan, "plan")
    );
    let job = submit(&world, "/ui/organizations/acme/jobs", &cookie, &form).await;
    while world.service.work_on_jobs("me").await.expect("a store") {}
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
            ann.versions("shop").await.len(),
            ann.versions("web").await.len()
        ),
        (2, 1)
    );
}

/// A hundred findings are a row for each type, unfolded by who wants them.
#[tokio::test]
async fn changes_of_the_release_are_grouped_by_type() {
    let world = crate::drift::world().await;
    let ann = world.owner().await;
    filled(&ann, "a", &[crate::drift::stored("x")]).await;
    filled(&ann, "b", &[crate::drift::stored("y")]).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(&world, "/ui/organizations/acme/changes", &cookie).await;
    let group = between(&page, "<details><summary>", "</details>");
    let (summary, findings) = group.split_once("</summary>").expect("findings");
    for part in [crate::drift::TYPE, "2 instances in 2 workspaces", "finding"] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    let rows = findings.split_once("<tbody>").expect("rows").1;
    assert!(!rows.contains(crate::drift::TYPE), "{rows}");
    page.has("1 type");
}

/// Of many findings, those of one level, and those where a value is stored that may be lost.
#[tokio::test]
async fn changes_of_the_release_are_chosen_by_level_and_by_stored_values() {
    let world = crate::drift::world().await;
    let ann = world.owner().await;
    filled(&ann, "a", &[crate::drift::stored("x")]).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let show = async |query: &str| {
        visit(
            &world,
            &format!("/ui/organizations/acme/changes{query}"),
            &cookie,
        )
        .await
    };
    let page = show("").await;
    page.has("None is about an attribute with stored values.");
    page.lacks("?show=values");
    let mut owned = crate::drift::stored("y");
    owned["instances"][0]["attributes"]["owner"] = json!("ann");
    filled(&ann, "b", &[owned]).await;
    let page = show("").await;
    let drift = ann.json("/api/v2/upstate/organizations/acme/drift").await;
    let rows = drift["data"].as_array().expect("a list");
    page.has(&format!("All <strong>{}</strong>", rows.len()));
    let row = rows
        .iter()
        .find(|row| row["attributes"]["path"] == "owner")
        .expect("a row");
    let level = row["attributes"]["level"].as_str().expect("a level");
    let of_level = rows
        .iter()
        .filter(|row| row["attributes"]["level"] == level)
        .count();
    let with_values = rows
        .iter()
        .filter(|row| row["attributes"]["instances-with-value"].as_u64() > Some(0))
        .count();
    let sentence = format!("<a href=\"?show=values\"><strong>{with_values}</strong>");
    assert!(page.text.contains(&sentence), "{sentence}: {}", page.text);
    for (query, number) in [("values", with_values), (level, of_level)] {
        let page = show(&format!("?show={query}")).await;
        let chosen = between(
            &page,
            &format!("<a href=\"?show={query}\" aria-current=\"true\">"),
            "</a>",
        );
        assert!(
            chosen.ends_with(&format!("<strong>{number}</strong>")),
            "{query}: {chosen}"
        );
        page.has(&format!(
            "<p class=\"lead\">{number} of {} finding",
            rows.len()
        ));
        let listed = between(&page, "aria-label=\"Findings of ", "</table>");
        assert_eq!(listed.matches("<tr><td>").count(), number, "{listed}");
        assert!(listed.contains("<code>owner</code>"), "{listed}");
    }
    // A word that no release of the page has shows all.
    assert!(show("?show=nothing").await.text.contains("All <strong>"));
}

/// The page of a type has the numbers at each version, and what the release changes for them.
#[tokio::test]
async fn the_page_of_a_type_has_its_drift() {
    let world = crate::drift::world().await;
    let ann = world.owner().await;
    let mut owned = crate::drift::stored("x");
    owned["instances"][0]["attributes"] = json!({ "id": "x", "owner": "ann", "size": 3 });
    filled(&ann, "a", &[owned, crate::drift::stored("y")]).await;
    filled(&ann, "b", &[crate::drift::stored("x")]).await;
    let mut current = crate::drift::stored("z");
    current["instances"][0]["schema_version"] = json!(1);
    let c = filled(&ann, "c", std::slice::from_ref(&current)).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(&world, "/ui/organizations/acme/types/example_disk", &cookie).await;
    let sentence = "4 instances: 3 in 2 workspaces at version 0, 1 in 1 workspace at version 1, the current one.</p>";
    page.has(sentence);
    let rows: Vec<&str> = between(&page, "aria-label=\"Stored versions\">", "</table>")
        .split("<tr>")
        .skip(2)
        .collect();
    let at = |version: u64, instances: usize, workspaces: usize| {
        let query = format!("type=example_disk&amp;version={version}");
        format!(
            "<th scope=\"row\">{version}</th><td><a href=\"/ui/organizations/acme/search?{query}\">{instances}</a></td>\
             <td><a href=\"/ui/organizations/acme?{query}\">{workspaces}</a></td>"
        )
    };
    assert!(
        rows[0].starts_with(&at(0, 3, 2)) && rows[0].contains("needs an upgrade"),
        "{rows:?}"
    );
    assert!(
        rows[1].starts_with(&at(1, 1, 1)) && rows[1].contains(">current<"),
        "{rows:?}"
    );
    let findings = between(
        &page,
        "What this release changes for the stored instances",
        "</details>",
    );
    assert!(
        findings.contains("<code>owner</code>") && findings.contains("<details open>"),
        "{findings}"
    );
    // One of them shows what the upgrade changes.
    let example = between(&page, "<h3>An example: an instance in ", "</section>");
    assert!(
        example.contains(">a</a></h3>") && example.contains("<code>example_disk.x</code>"),
        "{example}"
    );
    assert!(
        example.contains("Dropped: <code>owner</code>, the API no longer has it"),
        "{example}"
    );
    // Where all is current, the release changes nothing.
    for name in ["a", "b"] {
        let id = ann
            .get(&format!("/api/v2/organizations/acme/workspaces/{name}"))
            .await
            .expect(200)
            .id();
        ann.lock(&id).await.expect(200);
        ann.create(
            &id,
            &crate::schemas::state(2, std::slice::from_ref(&current)),
        )
        .await
        .expect(201);
    }
    let page = visit(&world, "/ui/organizations/acme/types/example_disk", &cookie).await;
    assert!(
        page.text
            .contains("3 instances in 3 workspaces: all are at version 1, the current one."),
        "{c}: {}",
        page.text
    );
    page.lacks("What this release changes");
    page.lacks("An example");
}

/// The example of a type's page comes from a small state, and the page is there without one, too.
#[tokio::test]
async fn the_page_of_a_type_needs_no_example() {
    let world = crate::drift::world().await;
    let ann = world.owner().await;
    let mut disk = crate::drift::stored("x");
    disk["instances"][0]["attributes"] = json!({ "id": "x", "owner": "ann", "size": 3 });
    let a = filled(&ann, "a", std::slice::from_ref(&disk)).await;
    filled(&ann, "b", &[disk]).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let show = async || visit(&world, "/ui/organizations/acme/types/example_disk", &cookie).await;
    let head = "<h3>An example: an instance in ";
    assert!(between(&show().await, head, "</h3>").ends_with(">a</a>"));
    let database = world.database();
    let large = "UPDATE state_version SET size = 5000000 WHERE workspace = ?1";
    assert_eq!(database.execute(large, [&a]).expect("an update"), 1);
    assert!(
        between(&show().await, head, "</h3>").ends_with(">b</a>"),
        "a large one is not read"
    );
    database
        .pragma_update(None, "foreign_keys", false)
        .expect("a setting");
    database.execute("DELETE FROM blob", ()).expect("no bytes");
    let page = show().await;
    assert_eq!(page.status, 200, "{}", page.text);
    page.has("What this release changes");
    page.lacks("An example");
}

/// An instance of which nothing but the schema version changes is folded, in the plan and in the
/// comparison afterwards.
#[tokio::test]
async fn what_changes_in_its_version_alone_is_folded() {
    let world = crate::drift::world().await;
    let ann = world.owner().await;
    let disk = |name: &str| {
        let mut disk = crate::drift::stored(name);
        disk["instances"][0]["attributes"]["size"] = json!(3);
        disk
    };
    let mut owned = disk("y");
    owned["instances"][0]["attributes"]["owner"] = json!("ann");
    let net = filled(&ann, "net", &[disk("x"), owned]).await;
    let before = ann.current(&net).await.expect(200).id();
    ann.upgrade(&net).await.expect(201);
    let after = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let pages = [
        (
            format!("/ui/state-versions/{before}/plan"),
            "Only the schema version changes.",
        ),
        (
            format!("/ui/state-versions/{after}/comparison"),
            "No attribute differs.",
        ),
    ];
    for (url, text) in pages {
        let page = visit(&world, &url, &cookie).await;
        let folded = format!(
            "<section><details><summary><code>example_disk.x</code> <span class=\"soft\">0 → 1</span></summary>\
             <p class=\"soft\">{text}</p></details></section>"
        );
        assert!(page.text.contains(&folded), "{url}: {}", page.text);
        assert!(
            page.text
                .contains("<section><h3><code>example_disk.y</code>"),
            "{url}: {}",
            page.text
        );
    }
}

/// A renamed attribute is one row, not one that is gone and one that is new.
#[tokio::test]
async fn what_moves_is_one_row() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let version = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let plan = visit(
        &world,
        &format!("/ui/state-versions/{version}/plan"),
        &cookie,
    )
    .await;
    let row = between(&plan, "<tr class=\"change\">", "</tr>");
    assert!(
        row.contains("moved")
            && row.contains("<code>title</code> → <code>name</code>")
            && row.contains("The a"),
        "{row}"
    );
    plan.lacks("class=\"add\"");
    plan.lacks("class=\"remove\"");
}

#[derive(Resource)]
#[resource(type_name = "example_crane", version = 1)]
#[upgrade_from(0 => 1, split(place: String, "{region}-{zone}"))]
struct Crane {
    region: String,
    zone: String,
}

/// A value that goes to another attribute and becomes another one is one row with both values, in a
/// plan and in a comparison.
#[tokio::test]
async fn what_moves_and_changes_is_one_row() {
    let world = World::knowing(Registry::new().with::<Crane>()).await;
    let ann = world.owner().await;
    let crane = |name: &str, version: u64, attributes: Value| {
        json!({
            "mode": "managed", "type": "example_crane", "name": name, "provider": "provider[\"example.com/test/example\"]",
            "instances": [{ "schema_version": version, "attributes": attributes, "sensitive_attributes": [] }],
        })
    };
    let early = |name: &str| crane(name, 0, json!({ "place": "eu-a" }));
    let net = filled(&ann, "net", &[early("a")]).await;
    let before = ann.current(&net).await.expect(200).id();
    ann.upgrade(&net).await.expect(201);
    let after = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let row = "<td>moved and changed</td><th scope=\"row\"><code>place</code> → <code>region</code></th>\
               <td><code>&quot;eu<mark>-a</mark>&quot;</code></td><td><code>&quot;eu&quot;</code></td>";
    let mut page = visit(
        &world,
        &format!("/ui/state-versions/{before}/plan"),
        &cookie,
    )
    .await;
    for _ in 0..2 {
        assert_eq!(between(&page, "<tr class=\"change\">", "</tr>"), row);
        page.lacks("class=\"remove\"");
        page.has("<code>zone</code>");
        page = visit(
            &world,
            &format!("/ui/state-versions/{after}/comparison"),
            &cookie,
        )
        .await;
    }
    let sums =
        " 1 value moved to another attribute. 1 value was converted. Sensitive values are hidden.";
    page.has(sums);
    let values = async |version: &str, query: &str| {
        let compared = ann
            .json(&path(version, &format!("/comparison{query}")))
            .await;
        compared["meta"]["values"].clone()
    };
    let both = json!({ "moved": 1, "converted": 1, "dropped": 0, "dropped-omitted": 0 });
    assert_eq!(values(&after, "").await, both);
    // The other way round, no upgrade made the later one.
    let back = json!({ "moved": 1, "converted": 1, "dropped": null, "dropped-omitted": 0 });
    assert_eq!(values(&before, &format!("?from={after}")).await, back);
    // Of a schema version at which some instances stay, nobody knows whose values moved.
    let part = ann.locked("part").await;
    ann.create(&part, &crate::schemas::state(1, &[early("a"), early("b")]))
        .await
        .expect(201);
    let late = crane("a", 1, json!({ "region": "eu", "zone": "a" }));
    let version = ann
        .stored(&part, &crate::schemas::state(2, &[late, early("b")]))
        .await;
    assert_eq!(
        values(&version, "").await,
        json!({ "moved": 0, "converted": 0, "dropped": null, "dropped-omitted": 0 })
    );
}

/// The comparison of an upgrade says how many values it dropped, those that are hidden among them.
#[tokio::test]
async fn a_comparison_counts_what_an_upgrade_dropped() {
    let world = crate::plans::world().await;
    let ann = world.owner().await;
    let disk = |name: &str, owner: &str| crate::plans::disk(name, 0, &json!({ "owner": owner }));
    let mut hidden = disk("y", "hunter33");
    hidden["instances"][0]["sensitive_attributes"] =
        json!([[{ "type": "get_attr", "value": "owner" }]]);
    let net = filled(&ann, "net", &[disk("x", "rob"), hidden]).await;
    ann.upgrade(&net).await.expect(201);
    let after = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let comparison = format!("/ui/state-versions/{after}/comparison");
    let page = visit(&world, &comparison, &cookie).await;
    let sums = between(&page, "<p class=\"lead\">", "</p>");
    assert!(
        sums.ends_with("<strong>2 values were dropped</strong>. Sensitive values are hidden."),
        "{sums}"
    );
    page.lacks("hunter");
    let compared = ann.get(&path(&after, "/comparison")).await.expect(200);
    let values = json!({ "moved": 0, "converted": 0, "dropped": 2, "dropped-omitted": 0 });
    assert_eq!(compared.json()["meta"]["values"], values);
}

/// Of many instances on a page, a tree of modules leads to each and says which fail; of few there
/// is none.
#[tokio::test]
async fn a_tree_leads_to_the_instances_of_a_page() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let inner = |name: &str| {
        let mut account = old(name);
        account["module"] = json!("module.net[\"a.b\"]");
        account
    };
    let all = ["a", "b", "c", "d"]
        .map(old)
        .into_iter()
        .chain(["e", "f", "g", "h"].map(inner));
    let all: Vec<Value> = all.chain([stuck("x")]).collect();
    let few = filled(&ann, "few", &all[..8]).await;
    let many = filled(&ann, "many", &all).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let few = ann.current(&few).await.expect(200).id();
    let many = ann.current(&many).await.expect(200).id();
    for kind in ["plan", "comparison"] {
        let page = visit(
            &world,
            &format!("/ui/state-versions/{many}/{kind}"),
            &cookie,
        )
        .await;
        let tree = between(
            &page,
            "<nav aria-label=\"Instances on this page\">",
            "</nav>",
        );
        assert!(
            tree.contains("<p><code>module.net[&quot;a.b&quot;]</code>, 4 instances</p>"),
            "{kind}: {tree}"
        );
        assert!(
            kind == "comparison"
                || tree.contains(">example_account.x</a> <span class=\"soft\">fails</span>"),
            "{tree}"
        );
        for link in tree.split("<a href=\"#").skip(1) {
            let id = link.split('"').next().expect("an id");
            assert!(
                page.text.contains(&format!("<div id=\"{id}\"><section>")),
                "{kind}: {id}: {}",
                page.text
            );
        }
    }
    let page = visit(&world, &format!("/ui/state-versions/{few}/plan"), &cookie).await;
    page.lacks("Instances on this page");
}

/// Somebody who looks for workspaces that an earlier Terraform writes finds its version in their
/// list.
#[tokio::test]
async fn the_list_of_workspaces_names_the_terraform_of_each() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "net", &[old("a")]).await;
    ann.locked("empty").await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(&world, "/ui/organizations/acme", &cookie).await;
    page.has(">serial 1</a>, Terraform 1.15.5<div class=\"soft\">");
    assert_eq!(
        page.text.matches(", Terraform ").count(),
        1,
        "{}",
        page.text
    );
    // A row names who stored the last version and who locked it, so that nobody has to open it.
    let lock = "locked</span><div class=\"soft\">by User ann for ";
    page.has(" ago by User ann</div>");
    assert_eq!(page.text.matches(lock).count(), 1, "{}", page.text);
}

/// The ids of a workspace and a version are copied by a click, for a command or a chat.
#[tokio::test]
async fn ids_are_copied_by_a_click() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let version = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    for (kind, id) in [("workspaces", net), ("state-versions", version)] {
        let page = visit(&world, &format!("/ui/{kind}/{id}"), &cookie).await;
        let copied = format!(
            "Id <code>{id}</code> <button class=\"quiet\" type=\"button\" data-copy hidden>Copy</button>"
        );
        page.has(&copied);
    }
}
