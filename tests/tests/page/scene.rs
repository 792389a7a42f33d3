//! A service with states, and somebody who has signed in to it.

use std::path::Path;

use serde_json::{Value, json};
use upstate::{Registry, Resource};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

use super::api::Api;
use super::real::browser::Browser;
use super::service::{Kept, ORGANIZATION, Service, Store, TOKEN};

/// A boat, as release 1 of the provider has it.
#[derive(Resource)]
#[resource(type_name = "ferry_boat", version = 0)]
struct Released {
    #[attribute(computed)]
    id: Option<String>,
    title: String,
    #[attribute(sensitive)]
    key: Option<String>,
}

pub struct Scene {
    pub service: Service,
    pub api: Api,
    pub browser: Browser,
}

impl Scene {
    /// A service that knows release 1, and a browser in which its owner has signed in.
    pub fn new() -> Self {
        let kept = Kept::new(Store::Sqlite);
        let lock = kept.folder().join("upstate.lock");
        write_lock(&lock);
        let service = Service::of(kept, None, &["--lock", lock.to_str().unwrap()]);
        let scene = Self {
            api: service.direct(),
            browser: Browser::start(),
            service,
        };
        scene.sign_in(TOKEN);
        scene
    }

    pub fn sign_in(&self, token: &str) {
        self.open("/");
        self.browser.type_into("#token", token);
        self.browser.press("Sign in");
        self.browser.says("Signed in as");
    }

    pub fn open(&self, path: &str) {
        self.browser.open(&format!("{}{path}", self.service.url()));
    }

    /// The page of the organization.
    pub fn organization(&self) -> String {
        format!("/ui/organizations/{ORGANIZATION}")
    }

    /// Makes a workspace with a state; its id.
    pub fn fill(&self, name: &str, resources: &[Value]) -> String {
        let id = self.api.create_workspace(name);
        self.api.lock(&id).is(200);
        let state = json!({
            "version": 4, "terraform_version": "1.15.5", "serial": 1, "lineage": format!("lineage of {name}"), "resources": resources,
            "outputs": { "harbour": { "value": "Hamburg", "type": "string" }, "secret": { "value": "hunter22", "type": "string", "sensitive": true } },
        });
        self.api
            .create(&id, &serde_json::to_vec_pretty(&state).unwrap())
            .is(201);
        self.api.unlock(&id).is(200);
        id
    }

    /// Looks at the page as it is on a screen and on a phone, in light and in dark: nothing keeps
    /// anybody out, and nothing is wider than the screen.
    #[track_caller]
    pub fn is_for_everybody(&self) {
        for (width, scheme) in [
            (1280, "dark"),
            (390, "dark"),
            (390, "light"),
            (1280, "light"),
        ] {
            let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500 });
            self.browser
                .tell("Emulation.setDeviceMetricsOverride", &size);
            let features =
                json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
            self.browser.tell("Emulation.setEmulatedMedia", &features);
            let barriers = self.browser.barriers();
            assert!(
                barriers.is_empty(),
                "{} ({width} wide, {scheme}):\n{}",
                self.browser.url(),
                barriers.join("\n")
            );
            let wider = self.browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assert_eq!(
                wider,
                0,
                "{} is wider than a screen of {width}",
                self.browser.url()
            );
        }
    }

    /// Looks for layout that jumps while the page is loaded.
    #[track_caller]
    pub fn stays_where_it_is(&self) {
        self.browser.open(&self.browser.url());
        self.browser.run(
            "window.shifted = 0; new PerformanceObserver(list => list.getEntries().forEach(one => window.shifted += one.value))
             .observe({ type: 'layout-shift', buffered: true })",
        );
        std::thread::sleep(std::time::Duration::from_millis(300));
        let shifted = self.browser.run("return window.shifted");
        // From 0.1 on, people notice.
        assert!(
            shifted.as_f64().is_some_and(|shifted| shifted < 0.1),
            "{}: {shifted}",
            self.browser.url()
        );
    }

    /// Presses a key.
    pub fn key(&self, name: &str, code: u32) {
        let text = if name == "Enter" { "\r" } else { "" };
        let event = |kind: &str| json!({ "type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code, "text": text });
        self.browser
            .tell("Input.dispatchKeyEvent", &event("keyDown"));
        self.browser.tell(
            "Input.dispatchKeyEvent",
            &json!({ "type": "keyUp", "key": name, "code": name, "windowsVirtualKeyCode": code }),
        );
    }

    /// Goes from stop to stop until one with this text has the focus.
    #[track_caller]
    pub fn tab_to(&self, text: &str) {
        for _ in 0..60 {
            if self
                .browser
                .run("return document.activeElement.textContent.trim()")
                == text
            {
                return;
            }
            self.key("Tab", 9);
        }
        panic!(
            "no stop has the text {text:?} at {}:\n{}",
            self.browser.url(),
            self.browser.text()
        );
    }
}

/// The lock of a provider that made release 1.
fn write_lock(file: &Path) {
    let mut lock = Lock::default();
    lock.freeze(
        &Snapshot::of(&Registry::new().with::<Released>()),
        "1.0.0".parse().unwrap(),
    )
    .unwrap();
    std::fs::write(file, lock.to_string()).unwrap();
}

/// A boat of release 1.
pub fn old_boat(name: &str, title: &str) -> Value {
    json!({
        "mode": "managed", "type": "ferry_boat", "name": name, "provider": "provider[\"example.com/upstate/ferry\"]",
        "instances": [{ "schema_version": 0, "attributes": { "id": "b", "title": title, "key": "hunter22" } }],
    })
}
