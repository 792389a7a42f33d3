//! Two tabs at the same time, and a token that ends while a page is open.

use serde_json::json;

use super::scene::{Scene, old_boat};
use super::service::ORGANIZATION;

#[test]
fn two_tabs_do_it_once() {
    let scene = Scene::new();
    let browser = &scene.browser;
    let id = scene.fill("harbour", &[old_boat("anna", "Anna")]);
    let first = scene.api.current(&id).id();
    let plan = format!("/ui/state-versions/{first}/plan");
    let one = browser.tab();
    scene.open(&plan);
    let other = browser.new_tab();
    browser.go_to_tab(&other);
    scene.open(&plan);
    browser.press("Upgrade harbour");
    browser.says("Upgraded.");
    browser.go_to_tab(&one);
    browser.press("Upgrade harbour");
    browser.says("Upgraded.");
    assert_eq!(
        scene.api.serials("harbour"),
        [2, 1],
        "the second tab asked for what was done already"
    );
    // Both roll back; the second was made for a version that is no longer current.
    let rollback = format!("/ui/state-versions/{first}/rollback");
    scene.open(&rollback);
    browser.go_to_tab(&other);
    scene.open(&rollback);
    browser.press("Roll back to serial 1");
    browser.says("Rolled back.");
    browser.go_to_tab(&one);
    browser.press("Roll back to serial 1");
    browser.says("Another state version has become current");
    scene.is_for_everybody();
    assert_eq!(scene.api.serials("harbour"), [3, 2, 1]);
}

#[test]
fn a_token_that_ends_leads_to_the_page_to_sign_in() {
    let scene = Scene::new();
    let browser = &scene.browser;
    let id = scene.fill("harbour", &[old_boat("anna", "Anna")]);
    let attributes =
        json!({ "user": "owner", "permissions": "read-state,write-state", "expires-in-days": 1 });
    let document = json!({ "data": { "type": "authentication-tokens", "attributes": attributes } });
    let made = scene.api.post(
        &format!("/api/v2/organizations/{ORGANIZATION}/tokens"),
        &document,
    );
    let token = made.is(201).attribute("token");
    browser.press("Sign out");
    scene.sign_in(token.as_str().unwrap());
    scene.open(&format!(
        "/ui/state-versions/{}/plan",
        scene.api.current(&id).id()
    ));
    browser.says("Upgrade harbour");
    scene
        .api
        .send("DELETE", &format!("/api/v2/tokens/{}", made.id()), &[], &[])
        .unwrap()
        .is(204);
    browser.press("Upgrade harbour");
    browser.says("Sign in again.");
    assert_eq!(scene.api.serials("harbour"), [1]);
    scene.is_for_everybody();
}
