//! Names and values that want to be more than text.

use super::scene::{Scene, old_boat};

#[test]
fn names_and_values_are_only_text() {
    let scene = Scene::new();
    let browser = &scene.browser;
    let script =
        "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";
    let endless = "x".repeat(10_000);
    let resources = [
        old_boat(script, script),
        old_boat("right\u{202e}to left\u{2066}", "\u{202e}evil\u{2069}"),
        old_boat(&endless, &endless),
        old_boat("nul\u{0}and\u{1b}[31m", "javascript:alert(1)"),
    ];
    let id = scene.fill("harbour", &resources);
    let first = scene.api.current(&id).id();
    for path in [
        scene.organization(),
        format!("/ui/workspaces/{id}"),
        format!("/ui/state-versions/{first}"),
        format!("/ui/state-versions/{first}/plan"),
        format!("{}/plan", scene.organization()),
        format!(
            "{}/audit?actor=%3Cscript%3E&workspace=%E2%80%AE",
            scene.organization()
        ),
        format!("{}/search?type=ferry_boat", scene.organization()),
        format!(
            "{}/search?value=evil&address=%3Cscript%3E",
            scene.organization()
        ),
        format!(
            "{}?name=%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AE",
            scene.organization()
        ),
        format!("/ui/workspaces/{id}?done=%3Cscript%3E"),
        "/ui/organizations/%3Cscript%3E".to_owned(),
    ] {
        scene.open(&path);
        let title = browser.run("return document.title");
        assert!(
            title
                .as_str()
                .is_some_and(|title| title.ends_with("upstate") && !title.contains("owned")),
            "{path}: {title}"
        );
        // Nothing of it is an element: the page has its own script and no picture.
        assert_eq!(
            browser.run("return document.scripts.length + document.images.length"),
            1,
            "{path}"
        );
        let text = browser.text();
        assert!(
            !text.contains(['\u{202e}', '\u{2066}', '\u{1b}']),
            "{path}: {text}"
        );
        assert!(text.len() < 100_000, "{path} has {} bytes", text.len());
        scene.is_for_everybody();
    }
    // The values, too, once they are unfolded.
    scene.open(&format!("/ui/state-versions/{first}"));
    browser.run("document.querySelectorAll('details').forEach(one => one.open = true)");
    browser.says("10002 characters");
    browser.says("(sensitive value)");
    let text = browser.text();
    assert!(
        !text.contains(['\u{202e}', '\u{2066}', '\u{1b}'])
            && !text.contains("hunter")
            && text.len() < 100_000,
        "{text}"
    );
    assert_eq!(
        browser.run("return document.scripts.length + document.images.length"),
        1
    );
    scene.is_for_everybody();
    scene.open(&format!("/ui/state-versions/{first}/plan"));
    browser.says("4 of 4 instances would be upgraded");
    browser.press("Upgrade harbour");
    browser.says("Upgraded.");
    browser.follow("What changed");
    browser.says("<script>document.title='owned'</script>");
    assert!(
        !browser
            .run("return document.title")
            .as_str()
            .unwrap()
            .contains("owned")
    );
    scene.is_for_everybody();
    // The page may not be framed, and takes nothing from elsewhere.
    let blocked = browser.run(
        "const s = document.createElement('script'); s.textContent = \"document.title='owned'\"; document.body.append(s); return document.title",
    );
    assert!(!blocked.as_str().unwrap().contains("owned"));
}
