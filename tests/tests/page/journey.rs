//! From an apply with the old release to the new one, and back.

use super::folder::{Backend, Folder};
use super::scene::{Scene, old_boat};
use super::service::ORGANIZATION;

fn configuration(attribute: &str) -> String {
    format!(
        "terraform {{\n  required_providers {{\n    ferry = {{ source = \"example.com/upstate/ferry\" }}\n  }}\n}}\nresource \"ferry_boat\" \
         \"it\" {{\n  {attribute} = \"Anna\"\n  key = \"hunter22\"\n}}\n"
    )
}

#[test]
fn somebody_applies_sees_plans_upgrades_compares_and_goes_back() {
    let scene = Scene::new();
    let browser = &scene.browser;
    let folder = Folder::new(scene.service.url());
    folder.uses_ferry("old");
    folder.write("main.tf", &configuration("title"));
    folder.uses(Backend::Cloud, "ferry");
    folder.init();
    assert_eq!(folder.apply().changes(), (1, 0, 0));
    // What is behind is seen, and what an upgrade would change.
    scene.open("/");
    browser.says("1 workspace behind");
    scene.is_for_everybody();
    browser.follow(ORGANIZATION);
    browser.says("needs an upgrade");
    browser.follow("ferry");
    browser.says("current");
    scene.is_for_everybody();
    browser.follow("Plan an upgrade");
    browser.says("1 of 1 instance would be upgraded");
    assert!(!browser.text().contains("hunter"), "{}", browser.text());
    scene.is_for_everybody();
    browser.press("Upgrade ferry");
    browser.says("Upgraded.");
    assert_eq!(scene.api.serials("ferry"), [2, 1]);
    folder.uses_ferry("new");
    folder.write("main.tf", &configuration("name"));
    assert_eq!(
        folder.plan().changes(),
        (0, 0, 0),
        "the new release finds its own state"
    );
    browser.follow("What changed");
    browser.says("ferry_boat.it");
    browser.says("Anna");
    scene.is_for_everybody();
    // Back by a downgrade: what is true now, as the old release stores it.
    let workspace = scene.api.workspace("ferry");
    let second = scene.api.current(&workspace).id();
    scene.open(&format!(
        "/ui/state-versions/{second}/plan?to-release=1.0.0"
    ));
    browser.says("1 of 1 instance would be downgraded");
    scene.is_for_everybody();
    browser.press("Downgrade ferry");
    browser.says("Downgraded.");
    folder.uses_ferry("old");
    folder.write("main.tf", &configuration("title"));
    assert_eq!(
        folder.plan().changes(),
        (0, 0, 0),
        "the old release finds its own state after the downgrade"
    );
    // And to the upgraded one by a rollback, which asks first.
    scene.open(&format!("/ui/state-versions/{second}"));
    browser.says("ferry_boat.it");
    scene.is_for_everybody();
    browser.follow("Roll back to it…");
    browser.says("Nothing is deleted.");
    scene.is_for_everybody();
    browser.press("Roll back to serial 2");
    browser.says("Rolled back.");
    folder.uses_ferry("new");
    folder.write("main.tf", &configuration("name"));
    assert_eq!(
        folder.plan().changes(),
        (0, 0, 0),
        "the new release finds its own state after the rollback"
    );
    assert_eq!(scene.api.serials("ferry"), [4, 3, 2, 1]);
    browser.press("Sign out");
    browser.says("Sign in");
    scene.is_for_everybody();
}

#[test]
fn locks_jobs_and_administration() {
    let scene = Scene::new();
    let browser = &scene.browser;
    scene.open(&scene.organization());
    browser.says("There is no workspace yet.");
    scene.is_for_everybody();
    for number in 0..30 {
        scene.fill(
            &format!("boat-{number:02}"),
            &[old_boat("it", &format!("Boat {number}"))],
        );
    }
    let id = scene.fill(
        "harbour",
        &[old_boat("anna", "Anna"), old_boat("bertha", "Bertha")],
    );
    scene.open(&format!("/ui/workspaces/{id}"));
    browser.run("document.querySelector('details').open = true");
    browser.type_into("#reason", "Maintenance until noon");
    browser.press("Lock");
    browser.says("Maintenance until noon");
    scene.is_for_everybody();
    // What needs somebody comes first.
    scene.open(&scene.organization());
    browser.says("locked");
    assert_eq!(
        browser.run("return document.querySelector('table:not(.day) tbody th').innerText"),
        "harbour"
    );
    browser.follow("harbour");
    browser.follow("Force-unlock…");
    browser.says("errored.tfstate");
    scene.is_for_everybody();
    browser.press("Force-unlock harbour");
    browser.says("Unlocked.");
    // A job whose progress is seen without loading the page again.
    scene.open(&scene.organization());
    browser.follow("Plan the upgrade of all that are behind");
    browser.says("31 workspaces hold what needs an upgrade");
    scene.is_for_everybody();
    scene.stays_where_it_is();
    browser.press("Plan 31 workspaces");
    browser.says("31 of 31 workspaces can be upgraded");
    browser.says("Upgrade 31 workspaces");
    scene.is_for_everybody();
    scene.stays_where_it_is();
    browser.press("Upgrade 31 workspaces");
    browser.says("31 of 31 workspaces");
    browser.says("31 upgraded");
    assert_eq!(
        browser.run("return document.querySelectorAll('[data-live]').length"),
        0,
        "it is no longer looked at"
    );
    scene.is_for_everybody();
    scene.open(&format!("/ui/workspaces/{id}"));
    let version = scene.api.current(&id).id();
    scene.open(&format!("/ui/state-versions/{version}"));
    scene.open(&format!("/ui/state-versions/{version}/comparison"));
    // What else there is.
    for (section, says) in [
        ("/jobs", "31 of 31"),
        ("/changes", "It changes nothing"),
        ("/search?value=Anna", "ferry_boat.anna"),
        ("/members", "A new token"),
        ("/audit", "workspace.force-unlock"),
        ("/audit?jobs=hidden&action=job", "job.create"),
        ("/plan?to-release=1.0.0", "Plan 31 workspaces"),
    ] {
        scene.open(&format!("{}{section}", scene.organization()));
        browser.says(says);
        scene.is_for_everybody();
        scene.stays_where_it_is();
    }
    browser.follow("Tokens and members");
    let attributes =
        serde_json::json!({ "user": "eve", "description": "pipelines", "permissions": "lock" });
    let document = serde_json::json!({ "data": { "type": "authentication-tokens", "attributes": attributes } });
    scene
        .api
        .post(
            &format!("/api/v2/organizations/{ORGANIZATION}/tokens"),
            &document,
        )
        .is(201);
    scene.open(&format!("{}/members", scene.organization()));
    browser.follow("Revoke…");
    browser.says("Revoke the token of eve");
    scene.is_for_everybody();
    browser.press("Revoke it");
    browser.says("A new token");
    assert!(!browser.text().contains("pipelines"), "{}", browser.text());
}

/// Somebody without a mouse, from the list of organizations to an upgraded workspace.
#[test]
fn the_keyboard_is_enough() {
    let scene = Scene::new();
    let browser = &scene.browser;
    scene.fill("harbour", &[old_boat("anna", "Anna")]);
    scene.open("/");
    assert_eq!(browser.run("return document.activeElement.tagName"), "BODY");
    scene.key("Tab", 9);
    assert_eq!(
        browser.run("return document.activeElement.textContent"),
        "Skip to the content"
    );
    // What has the focus is to be seen.
    assert_ne!(
        browser.run("return getComputedStyle(document.activeElement).outlineStyle"),
        "none"
    );
    for (target, then) in [
        (ORGANIZATION, "needs an upgrade"),
        ("harbour", "State versions"),
        ("Plan an upgrade", "1 of 1 instance would be upgraded"),
        ("Upgrade harbour", "Upgraded."),
        ("Undo the upgrade…", "No resource is forgotten"),
        ("Roll back to serial 1", "Rolled back."),
    ] {
        scene.tab_to(target);
        scene.key("Enter", 13);
        browser.says(then);
    }
    assert_eq!(scene.api.serials("harbour"), [3, 2, 1]);
}

/// What is loaded again and again takes nobody's focus away, and tells screen readers what is new.
#[test]
fn progress_is_told_and_leaves_the_focus() {
    let scene = Scene::new();
    let browser = &scene.browser;
    let id = scene.fill("harbour", &[old_boat("anna", "Anna")]);
    let job = serde_json::json!({ "data": { "type": "upstate-jobs", "attributes": { "workspaces": [id] } } });
    let job = scene
        .api
        .post(
            &format!("/api/v2/upstate/organizations/{ORGANIZATION}/jobs"),
            &job,
        )
        .is(201)
        .id();
    scene.open(&format!("/ui/jobs/{job}"));
    browser.says("1 of 1 workspace,");
    // As if it still ran: the server's answer has another number, and then it is finished.
    scene.open(&format!("/ui/jobs/{job}"));
    browser.run(
        "const live = document.getElementById('live'), page = document.documentElement.outerHTML;
         const running = page.replace('id=\"live\"', 'id=\"live\" data-live').replace('1 of 1', '7 of 9');
         window.fetch = async () => { if (window.away) throw new Error('away'); return new Response(window.finished ? page.replace('1 of 1', '9 of 9') : running); };
         live.setAttribute('data-live', ''); window.kept = live.querySelector('[role=status]');
         live.querySelector('a').focus(); window.link = document.activeElement.href; refresh();",
    );
    // A server that is away does not look like a job that runs.
    browser.run("window.away = true");
    browser.says("No answer from the server since");
    browser.run("window.away = false");
    for (finished, says) in [(false, "7 of 9 workspace,"), (true, "9 of 9 workspace,")] {
        browser.run(&format!("window.finished = {finished}"));
        browser.says(says);
        assert_eq!(
            browser.run("return document.querySelector('[role=status]') === window.kept"),
            true,
            "{says}"
        );
        assert_eq!(
            browser.run("return document.activeElement.href === window.link"),
            true,
            "{says}"
        );
    }
    assert_eq!(
        browser.run("return document.querySelectorAll('[data-live], #away').length"),
        0
    );
    scene.is_for_everybody();
}
