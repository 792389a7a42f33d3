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
    assert_eq!(folder.plan().changes(), (0, 0, 0), "the new release finds its own state");
    browser.follow("What changed");
    browser.says("ferry_boat.it");
    browser.says("Anna");
    scene.is_for_everybody();
    // Back by a downgrade: what is true now, as the old release stores it.
    let workspace = scene.api.workspace("ferry");
    let second = scene.api.current(&workspace).id();
    scene.open(&format!("/ui/state-versions/{second}/plan?to-release=1.0.0"));
    browser.says("1 of 1 instance would be downgraded");
    scene.is_for_everybody();
    browser.press("Downgrade ferry");
    browser.says("Downgraded.");
    folder.uses_ferry("old");
    folder.write("main.tf", &configuration("title"));
    assert_eq!(folder.plan().changes(), (0, 0, 0), "the old release finds its own state after the downgrade");
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
    assert_eq!(folder.plan().changes(), (0, 0, 0), "the new release finds its own state after the rollback");
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
        scene.fill(&format!("boat-{number:02}"), &[old_boat("it", &format!("Boat {number}"))]);
    }
    let id = scene.fill("harbour", &[old_boat("anna", "Anna"), old_boat("bertha", "Bertha")]);
    scene.open(&format!("/ui/workspaces/{id}"));
    browser.run("document.querySelector('details').open = true");
    browser.type_into("#reason", "Maintenance until noon");
    browser.press("Lock");
    browser.says("Maintenance until noon");
    scene.is_for_everybody();
    browser.follow("Force-unlock…");
    browser.says("errored.tfstate");
    scene.is_for_everybody();
    browser.press("Force-unlock harbour");
    browser.says("Unlocked.");
    // A job whose progress is seen without loading the page again.
    scene.open(&scene.organization());
    browser.press("Upgrade all that are behind");
    browser.says("31 of 31 workspaces");
    browser.says("31 upgraded");
    assert_eq!(browser.run("return document.querySelectorAll('[data-live]').length"), 0, "it is no longer looked at");
    scene.is_for_everybody();
    scene.picture("job");
    scene.open(&format!("/ui/workspaces/{id}"));
    scene.picture("versions");
    let version = scene.api.current(&id).id();
    scene.open(&format!("/ui/state-versions/{version}/comparison"));
    scene.picture("comparison");
    // What else there is.
    for (section, says) in [
        ("/jobs", "31 of 31"),
        ("/changes", "It changes nothing"),
        ("/search?value=Anna", "ferry_boat.anna"),
        ("/members", "A new token"),
        ("/audit", "workspace.force-unlock"),
    ] {
        scene.open(&format!("{}{section}", scene.organization()));
        browser.says(says);
        scene.is_for_everybody();
    }
    // By keyboard alone: the first stop skips to the content.
    scene.open(&scene.organization());
    let element = browser.run("return document.activeElement.tagName");
    assert_eq!(element, "BODY");
    browser.tell(
        "Input.dispatchKeyEvent",
        &serde_json::json!({ "type": "keyDown", "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9 }),
    );
    assert_eq!(browser.run("return document.activeElement.textContent"), "Skip to the content");
}
