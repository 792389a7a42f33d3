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

use std::path::Path;
use std::time::{Duration, Instant};

use browser::Browser;
use serde_json::{Value, json};
use server::Server;

/// The height of a screen.
const SCREEN: u32 = 900;
/// The greatest height of a page, in screens.
const SCREENS: u64 = 20;

struct Scene {
    server: Server,
    browser: Browser,
}

impl Scene {
    fn new() -> Self {
        let scene = Self { server: Server::start(), browser: Browser::start() };
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
        let body = json!({ "data": { "type": format!("upstate-{kind}"), "attributes": attributes } }).to_string();
        let made = self.server.send("POST", &format!("/api/v2/upstate/organizations/demo/{kind}"), &body);
        let id = made["data"]["id"].as_str().unwrap().to_owned();
        let began = Instant::now();
        while self.get(&format!("/api/v2/upstate/jobs/{id}"))["attributes"]["status"] == "running" {
            assert!(began.elapsed() < Duration::from_mins(2), "{made}");
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

    fn look(&self, width: u32, scheme: &str, scale: u32) {
        let size = json!({ "width": width, "height": SCREEN, "deviceScaleFactor": scale, "mobile": width < 500 });
        self.browser.tell("Emulation.setDeviceMetricsOverride", &size);
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.browser.tell("Emulation.setEmulatedMedia", &features);
    }

    /// The faults of a page, on a screen and on a phone, in light and in dark.
    fn faults(&self, path: &str) -> Vec<String> {
        self.open(path);
        let mut faults = Vec::new();
        for (width, scheme) in [(1440, "dark"), (390, "dark"), (390, "light"), (1440, "light")] {
            self.look(width, scheme, 1);
            let here = format!("{path} ({width} wide, {scheme})");
            faults.extend(self.browser.barriers().into_iter().map(|barrier| format!("{here}: {barrier}")));
            let number = |script: &str| self.browser.run(&format!("return Math.round({script})")).as_i64().unwrap_or_default();
            let wider = number("document.documentElement.scrollWidth - document.documentElement.clientWidth");
            if wider > 0 {
                faults.push(format!("{here}: {wider} wider than the screen"));
            }
            let height = u64::try_from(number("document.documentElement.scrollHeight")).unwrap();
            if height > SCREENS * u64::from(SCREEN) {
                faults.push(format!("{here}: {} screens high", height / u64::from(SCREEN)));
            }
            if width == 1440 && self.browser.run("return document.querySelector('.lead') !== null") == true {
                let place = number("document.querySelector('.lead').getBoundingClientRect().bottom");
                if place > i64::from(SCREEN) / 2 {
                    faults.push(format!("{here}: the answer ends at {place}"));
                }
            }
        }
        faults
    }

    /// Takes a picture of the part of a page that begins at the top, at twice the density, light and dark.
    fn picture(&self, path: &str, name: &str, height: u32) {
        if std::env::var_os("UPSTATE_PICTURES").is_none() {
            return;
        }
        let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/images");
        self.browser.tell("Emulation.setScrollbarsHidden", &json!({ "hidden": true }));
        self.open(path);
        for (scheme, end) in [("light", ""), ("dark", "-dark")] {
            self.look(1000, scheme, 2);
            let size = json!({ "width": 1000, "height": height, "deviceScaleFactor": 2, "mobile": false });
            self.browser.tell("Emulation.setDeviceMetricsOverride", &size);
            self.browser.picture(&images.join(format!("service-{name}{end}.png")));
        }
    }
}

#[test]
fn every_page_of_the_demo_is_for_everybody() {
    let scene = Scene::new();
    let (failing, _) = scene.workspace("payments-prod-legacy");
    let (undone, taken_back) = scene.workspace("data-prod-02");
    let (_, upgraded) = scene.workspace("shop-prod-01");
    let (_, whole) = scene.workspace("everything");
    let night = scene.get("/api/v2/upstate/organizations/demo/jobs")[0]["id"].as_str().unwrap().to_owned();
    let plan = scene.ended("plans", &json!({}));
    let back = scene.ended("plans", &json!({ "to-release": "0.0.9" }));
    let organization = |path: &str| format!("/ui/organizations/demo{path}");
    let pages = [
        "/".to_owned(),
        "/ui/tokens".to_owned(),
        "/ui/anything".to_owned(),
        organization(""),
        organization("?show=failing"),
        organization("/types"),
        organization("/types/aws_instance"),
        organization("/changes"),
        organization("/plan"),
        organization("/plan?way=back"),
        organization("/jobs"),
        organization("/search?type=aws_instance"),
        organization("/search?find=aws"),
        organization("/members"),
        organization("/trusts"),
        organization("/audit"),
        format!("/ui/jobs/{night}"),
        format!("/ui/jobs/{night}?status=failed"),
        format!("/ui/jobs/{night}/undo"),
        format!("/ui/jobs/{plan}"),
        format!("/ui/jobs/{plan}?status=upgraded"),
        format!("/ui/jobs/{back}"),
        format!("/ui/workspaces/{failing}"),
        format!("/ui/workspaces/{undone}"),
        format!("/ui/workspaces/{undone}/force-unlock"),
        format!("/ui/state-versions/{whole}"),
        format!("/ui/state-versions/{whole}/plan"),
        format!("/ui/state-versions/{upgraded}/comparison"),
        format!("/ui/state-versions/{taken_back}/plan?to-release=0.0.9"),
    ];
    let faults: Vec<String> = pages.iter().flat_map(|path| scene.faults(path)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // The answers themselves.
    scene.open(&organization(""));
    let lead = scene.browser.run("return document.querySelector('.lead').innerText");
    let lead = lead.as_str().unwrap();
    assert!(lead.contains("workspaces are current") && lead.contains("failed in the last job or plan"), "{lead}");
    scene.open(&format!("/ui/jobs/{plan}"));
    scene.browser.says("workspaces can be upgraded");
    scene.picture(&organization(""), "workspaces", 760);
    scene.picture(&format!("/ui/jobs/{plan}"), "plan", 760);
    scene.picture(&format!("/ui/workspaces/{undone}"), "versions", 560);
    scene.picture(&format!("/ui/state-versions/{upgraded}/comparison"), "comparison", 640);
}

/// Without a mouse: the field by its key, and a disclosure by the Tab key and Enter.
#[test]
fn the_head_of_a_page_works_by_keys() {
    let scene = Scene::new();
    scene.open("/ui/organizations/demo/jobs");
    let press = |key: &str| {
        let event = |kind: &str| json!({ "type": kind, "key": key, "text": key });
        scene.browser.tell("Input.dispatchKeyEvent", &event("keyDown"));
        scene.browser.tell("Input.dispatchKeyEvent", &json!({ "type": "keyUp", "key": key }));
    };
    press("/");
    assert_eq!(scene.browser.run("return document.activeElement.id"), "find");
    assert_eq!(scene.browser.run("return document.activeElement.value"), "");
    // In a field, the key is a letter.
    press("/");
    assert_eq!(scene.browser.run("return document.activeElement.value"), "/");
    let stops = scene.browser.run(
        "return [...document.querySelectorAll('.scroll')].every(one => (one.tabIndex === 0) === (one.scrollWidth > one.clientWidth))",
    );
    assert_eq!(stops, true);
    let times = scene.browser.run("return [...document.querySelectorAll('time')].map(one => one.title)");
    let times = times.as_array().unwrap();
    assert!(!times.is_empty() && times.iter().all(|title| title.as_str().unwrap().contains(" UTC, here ")), "{times:?}");
}
