//! Each page of the demo in Chromium: its first screen has the answer, it is for everybody, and it ends. `UPSTATE_PICTURES=1` takes the pictures of the guide.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    dead_code,
    reason = "a test may panic, and what is shared with others has more than is used here"
)]

#[allow(
    clippy::pedantic,
    unreachable_pub,
    dead_code,
    clippy::nursery,
    clippy::panic,
    clippy::expect_used,
    reason = "the tests of the workspace, which share it, have other lints"
)]
#[path = "../../../tests/tests/real/browser.rs"]
mod browser;
#[allow(
    clippy::pedantic,
    unreachable_pub,
    dead_code,
    clippy::nursery,
    clippy::panic,
    clippy::expect_used,
    reason = "the tests of the workspace, which share it, have other lints"
)]
#[path = "../../../tests/tests/real/packages.rs"]
mod packages;
mod server;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use browser::Browser;
use serde_json::{Value, json};
use server::Server;

/// The height of a screen.
const SCREEN: u32 = 900;
/// The greatest height of a page, in screens.
const SCREENS: u64 = 20;
/// The greatest weight of a page, in bytes.
const WEIGHT: i64 = 150 * 1024;

/// The sentence that answers the question of a page.
const ANSWER: &str = "main .lead, main [role=alert]";

struct Scene {
    server: Server,
    browser: Browser,
}

/// The address of a page, and words of its answer.
type Page = (String, &'static str);

impl Scene {
    fn new() -> Self {
        Self::of(Server::start())
    }

    fn of(server: Server) -> Self {
        let scene = Self {
            server,
            browser: Browser::start(),
        };
        scene.open("/");
        scene.browser.type_into("#token", &scene.server.token);
        scene.browser.press("Sign in");
        scene.browser.says("Signed in as");
        scene
    }

    fn open(&self, path: &str) {
        self.browser.open(&format!("{}{path}", self.server.url));
    }

    fn get(&self, path: &str) -> Value {
        self.server.send("GET", path, "")["data"].clone()
    }

    /// Makes a job or a plan, and waits until it has ended; its id.
    fn ended(&self, kind: &str, attributes: &Value) -> String {
        let body =
            json!({ "data": { "type": format!("upstate-{kind}"), "attributes": attributes } })
                .to_string();
        let made = self.server.send(
            "POST",
            &format!("/api/v2/upstate/organizations/demo/{kind}"),
            &body,
        );
        let id = made["data"]["id"].as_str().unwrap().to_owned();
        let began = Instant::now();
        while self.get(&format!("/api/v2/upstate/jobs/{id}"))["attributes"]["status"] == "running" {
            assert!(began.elapsed() < Duration::from_mins(10), "{made}");
            std::thread::sleep(Duration::from_millis(100));
        }
        id
    }

    /// The id of a workspace, and of its current version.
    fn workspace(&self, name: &str) -> (String, String) {
        let found = self.get(&format!("/api/v2/organizations/demo/workspaces/{name}"));
        let id = found["id"].as_str().unwrap().to_owned();
        let version = self.get(&format!("/api/v2/workspaces/{id}/current-state-version"));
        (id, version["id"].as_str().unwrap().to_owned())
    }

    /// The plan of the night, and its job.
    fn night(&self) -> (String, String) {
        let outcome_of = |name: &str| {
            let (workspace, _) = self.workspace(name);
            let inventory = self.get(&format!("/api/v2/upstate/workspaces/{workspace}/inventory"));
            inventory["attributes"]["last-outcome"]["job"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        (
            outcome_of("shop-dev-01"),
            outcome_of("payments-prod-legacy"),
        )
    }

    /// Each kind of page, with words that its first sentence must have.
    fn pages(&self) -> Vec<Page> {
        let (failing, _) = self.workspace("payments-prod-legacy");
        let (undone, taken_back) = self.workspace("data-prod-02");
        let (_, upgraded) = self.workspace("shop-prod-01");
        let (unreadable, _) = self.workspace("billing-prod-archive");
        let (_, whole) = self.workspace("everything");
        let (plan, night) = self.night();
        let back = self.ended("plans", &json!({ "to-release": "0.0.9" }));
        let organization = |path: &str| format!("/ui/organizations/demo{path}");
        vec![
            ("/".to_owned(), "need an upgrade"),
            ("/ui/tokens".to_owned(), "allows what you may do"),
            ("/ui/times".to_owned(), "Pages show times in UTC"),
            ("/ui/anything".to_owned(), "There is no such page."),
            (organization(""), "workspaces are current"),
            (
                organization("?show=failing"),
                "failed in the last job or plan",
            ),
            (organization("?name=prod"), "workspaces are current"),
            (organization("?tag=env%3Dprod"), "workspaces are current"),
            (organization("?by=env"), "workspaces are current"),
            (
                organization("?type=aws_instance&version=1"),
                "workspaces are current",
            ),
            (organization("/types"), "not at the current version"),
            (
                organization("/types?status=behind"),
                "not at the current version",
            ),
            (organization("/types/aws_instance"), "at version"),
            (organization("/changes"), "the worst first"),
            (organization("/changes?page=2"), "the worst first"),
            (
                organization("/changes?show=values"),
                "about attributes with stored values",
            ),
            (organization("/plan"), "what needs an upgrade"),
            (organization("/plan?way=back"), "Choose the release"),
            (organization("/plan?to-release=0.0.9"), "does not read"),
            (organization("/jobs"), "No job is running. The last one,"),
            (organization("/search"), "without sensitive values"),
            (organization("/search?type=aws_instance"), "instances"),
            (organization("/search?find=aws"), "types and"),
            (organization("/members"), "this organization"),
            (organization("/trusts"), "There is no trust yet."),
            (organization("/audit"), "lines, the newest of"),
            (format!("/ui/jobs/{night}"), "upgraded"),
            (format!("/ui/jobs/{night}?status=failed"), "failed"),
            (format!("/ui/jobs/{night}/undo"), "becomes current again"),
            (format!("/ui/jobs/{plan}"), "workspaces can be upgraded"),
            (
                format!("/ui/jobs/{plan}?status=upgraded"),
                "workspaces can be upgraded",
            ),
            (format!("/ui/jobs/{back}"), "workspaces can be downgraded"),
            (
                format!("/ui/workspaces/{failing}"),
                "Needs an upgrade, at serial",
            ),
            (format!("/ui/workspaces/{undone}"), "Not locked."),
            (
                format!("/ui/workspaces/{unreadable}"),
                "cannot be read: the state has format version 3",
            ),
            (
                format!("/ui/workspaces/{undone}/force-unlock"),
                "It is not locked.",
            ),
            (format!("/ui/state-versions/{whole}"), "Current. "),
            (
                format!("/ui/state-versions/{whole}/plan"),
                "instances would be upgraded",
            ),
            (
                format!("/ui/state-versions/{upgraded}/comparison"),
                "instances were added",
            ),
            (
                format!("/ui/state-versions/{taken_back}/plan?to-release=0.0.9"),
                "would be downgraded",
            ),
            (
                format!("/ui/state-versions/{upgraded}/plan?to-release=0.0.9&outcome=failed"),
                "would be downgraded",
            ),
        ]
    }

    fn look(&self, width: u32, scheme: &str, scale: u32) {
        let size = json!({ "width": width, "height": SCREEN, "deviceScaleFactor": scale, "mobile": width < 500 });
        self.browser
            .tell("Emulation.setDeviceMetricsOverride", &size);
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.browser.tell("Emulation.setEmulatedMedia", &features);
    }

    /// The faults of a page, on a screen and on a phone, in light and in dark.
    fn faults(&self, (path, answer): &Page) -> Vec<String> {
        self.open(path);
        let mut faults = Vec::new();
        let number = |script: &str| {
            self.browser
                .run(&format!("return (async () => Math.round({script}))()"))
                .as_i64()
                .unwrap_or_default()
        };
        let weight = number("(await (await fetch(location.href)).arrayBuffer()).byteLength");
        if weight > WEIGHT || weight == 0 {
            faults.push(format!("{path}: {weight} bytes"));
        }
        // The first of several, as in a page without a sentence of its own below a refusal.
        let said = self.browser.run(&format!(
            "return document.querySelector('{ANSWER}')?.innerText ?? ''"
        ));
        if !said.as_str().is_some_and(|said| said.contains(answer)) {
            faults.push(format!("{path}: does not say {answer:?} but {said}"));
        }
        for (width, scheme) in [
            (1440, "dark"),
            (390, "dark"),
            (390, "light"),
            (1440, "light"),
        ] {
            self.look(width, scheme, 1);
            let here = format!("{path} ({width} wide, {scheme})");
            faults.extend(
                self.browser
                    .barriers()
                    .into_iter()
                    .map(|barrier| format!("{here}: {barrier}")),
            );
            let wider = number(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth",
            );
            if wider > 0 {
                faults.push(format!("{here}: {wider} wider than the screen"));
            }
            let height = u64::try_from(number("document.documentElement.scrollHeight")).unwrap();
            if height > SCREENS * u64::from(SCREEN) {
                faults.push(format!(
                    "{here}: {} screens high",
                    height / u64::from(SCREEN)
                ));
            }
            let place = number(&format!(
                "document.querySelector('{ANSWER}')?.getBoundingClientRect().bottom ?? 1e6"
            ));
            // A phone has the head of the page above it, in several rows.
            let last = i64::from(if width == 1440 { SCREEN / 2 } else { SCREEN });
            if place > last {
                faults.push(format!("{here}: the answer ends at {place}"));
            }
        }
        faults
    }

    /// The place of a button, from the top of the page.
    fn place_of(&self, button: &str) -> i64 {
        let script = "return Math.round([...document.querySelectorAll('button')].find(one => one.innerText.startsWith('NAME')).getBoundingClientRect().bottom)";
        self.browser
            .run(&script.replace("NAME", button))
            .as_i64()
            .unwrap()
    }

    /// Waits until the page is drawn: a browser drops keys before.
    fn is_drawn(&self) {
        self.browser.run("return new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(1))))");
    }

    /// Takes a picture of the part of a page that begins at the top, at twice the density, light and dark.
    fn picture(&self, path: &str, name: &str, height: u32) {
        let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/images");
        self.browser
            .tell("Emulation.setScrollbarsHidden", &json!({ "hidden": true }));
        self.open(path);
        for (scheme, end) in [("light", ""), ("dark", "-dark")] {
            self.look(1000, scheme, 2);
            let size =
                json!({ "width": 1000, "height": height, "deviceScaleFactor": 2, "mobile": false });
            self.browser
                .tell("Emulation.setDeviceMetricsOverride", &size);
            self.browser
                .picture(&images.join(format!("service-{name}{end}.png")));
        }
    }
}

#[test]
fn every_page_of_the_demo_is_for_everybody() {
    let scene = Scene::new();
    let faults: Vec<String> = scene
        .pages()
        .iter()
        .flat_map(|page| scene.faults(page))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The pictures of the guide, if somebody wants them.
#[test]
fn the_guide_shows_the_demo() {
    if std::env::var_os("UPSTATE_PICTURES").is_none() {
        return;
    }
    let scene = Scene::new();
    let (undone, _) = scene.workspace("data-prod-02");
    let (_, upgraded) = scene.workspace("shop-prod-01");
    let plan = scene.ended("plans", &json!({}));
    scene.picture("/ui/organizations/demo", "workspaces", 760);
    scene.picture(&format!("/ui/jobs/{plan}"), "plan", 760);
    scene.picture(&format!("/ui/workspaces/{undone}"), "versions", 640);
    scene.picture(
        &format!("/ui/state-versions/{upgraded}/comparison"),
        "comparison",
        640,
    );
}

/// A fleet as large as those that the pages are made for, with every type of the examples in it.
#[test]
fn a_thousand_workspaces_have_their_answers_on_the_first_screen() {
    let scene = Scene::of(Server::with(&["--fleet", "1000"]));
    let (_, night) = scene.night();
    let inventory = scene.get("/api/v2/upstate/organizations/demo/inventory")["attributes"].clone();
    let types: BTreeSet<&str> = inventory["types"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect();
    assert!(
        inventory["workspaces"].as_u64().unwrap() >= 1000 && types.len() >= 122,
        "{} types",
        types.len()
    );
    let faults: Vec<String> = scene
        .pages()
        .iter()
        .flat_map(|page| scene.faults(page))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // The button of a plan is beside its answer, and what fails comes before what does not.
    let plan = scene.ended("plans", &json!({}));
    scene.open(&format!("/ui/jobs/{plan}"));
    assert!(
        scene.place_of("Upgrade ") < i64::from(SCREEN),
        "{}",
        scene.place_of("Upgrade ")
    );
    let headings = scene
        .browser
        .run("return [...document.querySelectorAll('h2')].map(one => one.innerText.split(' ')[0])");
    assert_eq!(
        headings.as_array().unwrap()[..2],
        ["Fails", "Loses"],
        "{headings}"
    );
    scene.open(&format!("/ui/jobs/{night}"));
    let first = "document.querySelector('main tbody .tag')";
    assert_eq!(
        scene.browser.run(&format!("return {first}.innerText")),
        "failed"
    );
    let place = scene.browser.run(&format!(
        "return Math.round({first}.getBoundingClientRect().bottom)"
    ));
    assert!(place.as_u64().unwrap() < u64::from(SCREEN), "{place}");
}

/// Without a mouse: the field by its key, and a disclosure by the Tab key and Enter.
#[test]
fn the_head_of_a_page_works_by_keys() {
    let scene = Scene::new();
    scene.open("/ui/organizations/demo/jobs");
    scene.is_drawn();
    let press = |key: &str| {
        let event = |kind: &str| json!({ "type": kind, "key": key, "text": key });
        scene
            .browser
            .tell("Input.dispatchKeyEvent", &event("keyDown"));
        scene.browser.tell(
            "Input.dispatchKeyEvent",
            &json!({ "type": "keyUp", "key": key }),
        );
    };
    press("/");
    assert_eq!(
        scene.browser.run("return document.activeElement.id"),
        "find"
    );
    assert_eq!(scene.browser.run("return document.activeElement.value"), "");
    // In a field, the key is a letter.
    press("/");
    assert_eq!(
        scene.browser.run("return document.activeElement.value"),
        "/"
    );
    let stops = scene.browser.run(
        "return [...document.querySelectorAll('.scroll')].every(one => (one.tabIndex === 0) === (one.scrollWidth > one.clientWidth))",
    );
    assert_eq!(stops, true);
    let times = scene
        .browser
        .run("return [...document.querySelectorAll('time')].map(one => one.title)");
    let times = times.as_array().unwrap();
    assert!(
        !times.is_empty()
            && times
                .iter()
                .all(|title| title.as_str().unwrap().contains(" UTC, here ")),
        "{times:?}"
    );
}

/// `j` and `k` go from row to row, and Enter follows the link there.
#[test]
fn lists_work_by_keys() {
    let scene = Scene::new();
    let press = |key: &str| {
        let text = if key == "Enter" { "\r" } else { key };
        let down = json!({ "type": "keyDown", "key": key, "text": text, "windowsVirtualKeyCode": if key == "Enter" { 13 } else { 0 } });
        scene.browser.tell("Input.dispatchKeyEvent", &down);
        scene.browser.tell(
            "Input.dispatchKeyEvent",
            &json!({ "type": "keyUp", "key": key }),
        );
    };
    scene.open("/ui/organizations/demo/types");
    scene.browser.says("go through a list");
    scene.is_drawn();
    let rows = "[...document.querySelectorAll('main tbody tr')]";
    let here = || {
        scene.browser.run(&format!(
            "return {rows}.findIndex(row => row.contains(document.activeElement))"
        ))
    };
    for (key, row) in [("j", 0), ("j", 1), ("j", 2), ("k", 1)] {
        press(key);
        assert_eq!(here(), row, "{key}");
    }
    let name = scene.browser.run("return document.activeElement.innerText");
    press("Enter");
    scene.browser.says("The attributes through the versions");
    assert_eq!(
        scene
            .browser
            .run("return document.querySelector('main h2').innerText"),
        name
    );
    // The instances of a plan, which are not links.
    let (_, whole) = scene.workspace("everything");
    scene.open(&format!("/ui/state-versions/{whole}/plan"));
    scene.is_drawn();
    press("j");
    press("j");
    let second = scene.browser.run(
        "return document.querySelectorAll('main section')[1].contains(document.activeElement)",
    );
    assert_eq!(second, true);
}

/// The tree of a plan is beside its instances where there is room, and leads to each.
#[test]
fn a_plan_has_a_tree_beside_its_instances() {
    let scene = Scene::new();
    let (_, whole) = scene.workspace("everything");
    scene.look(1440, "light", 1);
    scene.open(&format!("/ui/state-versions/{whole}/plan"));
    let box_of = "const box = (one) => document.querySelector(one).getBoundingClientRect();";
    let is_beside =
        format!("{box_of} return box('.beside > nav').right <= box('.beside section').left");
    assert_eq!(scene.browser.run(&is_beside), true);
    scene
        .browser
        .click(".beside > nav > ul:last-child > li:last-child > a");
    let is_seen = format!(
        "{box_of} return box(location.hash).top > -2 && box(location.hash).top < innerHeight"
    );
    assert_eq!(scene.browser.run(&is_seen), true, "{}", scene.browser.url());
    scene.look(390, "light", 1);
    assert_eq!(
        scene
            .browser
            .run("return document.querySelector('.beside > nav').checkVisibility()"),
        false
    );
}

/// A new token comes by a page that can be loaded again, and is copied by a click, or selected where there is no script.
#[test]
fn a_new_token_is_shown_once_and_copied() {
    let scene = Scene::new();
    scene.open("/ui/organizations/demo/members");
    let tokens = "return document.querySelectorAll('[aria-label=Tokens] tbody tr').length";
    let before = scene.browser.run(tokens).as_u64().unwrap();
    scene.browser.type_into("#user", "marta");
    scene.browser.press("Make a token");
    scene.browser.says("shown this once");
    let secret = scene
        .browser
        .run("return document.querySelector('.copied code').innerText");
    assert!(secret.as_str().unwrap().starts_with("upstate."), "{secret}");
    assert_eq!(
        scene
            .browser
            .run("return getComputedStyle(document.querySelector('.copied code')).userSelect"),
        "all"
    );
    scene.browser.press("Copy");
    scene.browser.says("Copied");
    assert_eq!(
        scene.browser.run("return getSelection().toString()"),
        secret
    );
    // It is at the address of the list, and there is no second token.
    assert!(
        scene
            .browser
            .url()
            .ends_with("/ui/organizations/demo/members"),
        "{}",
        scene.browser.url()
    );
    scene.open("/ui/organizations/demo/members");
    assert!(!scene.browser.text().contains("shown this once"));
    assert_eq!(scene.browser.run(tokens), before + 1);
    assert_eq!(scene.browser.run("return document.cookie"), "");
}

/// The timeline names the version that each one restored, and the job that wrote it.
#[test]
fn a_workspace_has_its_versions_as_a_picture() {
    let scene = Scene::new();
    let (undone, _) = scene.workspace("data-prod-02");
    scene.open(&format!("/ui/workspaces/{undone}"));
    // The newest of three, whose serials go on from that of the example's state.
    let serials =
        scene.browser.run("return document.querySelector('.versions .arc title').textContent.match(/\\d+/g).map(Number)");
    let (newest, restored) = (serials[0].as_i64().unwrap(), serials[1].as_i64().unwrap());
    assert_eq!(newest, restored + 2, "{serials}");
    let titles =
        scene.browser.run("return [...document.querySelectorAll('.versions a')].map(one => one.getAttribute('aria-label'))");
    let titles: Vec<&str> = titles
        .as_array()
        .unwrap()
        .iter()
        .map(|title| title.as_str().unwrap())
        .collect();
    assert!(
        titles
            .iter()
            .any(|title| title.starts_with(&format!("Serial {newest}, rollback, current"))),
        "{titles:?}"
    );
    scene.browser.click(".versions a[href^='/ui/jobs/']");
    scene.browser.says("Begun ");
    assert!(
        scene.browser.url().contains("/ui/jobs/"),
        "{}",
        scene.browser.url()
    );
}
