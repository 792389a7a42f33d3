//! Chromium without a screen, as Debian packages it, and a client of its driver (WebDriver).
//!
//! `apt-get` fetches the packages, checks Debian's signatures, and needs no root for it; they are
//! unpacked below `target/chromium` and kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::{Agent, http};

use super::packages;

/// The name that WebDriver has for the id of an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How long is waited for what a page does by itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// axe-core, the newest that the tests were run with, and its checksum.
const AXE: (&str, &str) = (
    "4.10.3",
    "0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292",
);

/// A running browser. It ends when this is dropped.
pub struct Browser {
    driver: Child,
    session: String,
    agent: Agent,
    _home: TempDir,
}

/// The packages, unpacked.
fn root() -> PathBuf {
    let remedy = "The tests of the page run Chromium. On Debian and Ubuntu they fetch it with apt-get, for which its lists must be there: run \
                  `apt-get update` as root. Elsewhere, run the other tests: they need no browser.";
    packages::kept(
        &packages::cache("chromium").join("root"),
        "Chromium",
        remedy,
        |scratch| {
            let named = [
                "install",
                "-y",
                "--no-install-recommends",
                "--print-uris",
                "-o",
                "Debug::NoLocking=1",
            ];
            let wanted = packages::run(
                Command::new("apt-get")
                    .args(named)
                    .args(["chromium-headless-shell", "fonts-dejavu-core"]),
            )?;
            // 'URL' NAME_VERSION_ARCHITECTURE.deb SIZE CHECKSUM
            let files = wanted
                .lines()
                .filter(|line| line.starts_with('\''))
                .filter_map(|line| line.split(' ').nth(1));
            let mut names: Vec<String> = files
                .filter_map(|file| Some(file.split_once('_')?.0.to_owned()))
                .collect();
            // The whole browser is not needed.
            names.retain(|name| name != "chromium" && name != "chromium-headless-shell");
            names.extend([
                "chromium-headless-shell".to_owned(),
                "chromium-driver".to_owned(),
            ]);
            packages::run(
                Command::new("apt-get")
                    .args(["download", "-q"])
                    .args(&names)
                    .current_dir(scratch),
            )?;
            let root = scratch.join("root");
            fs::create_dir(&root).map_err(|error| error.to_string())?;
            for entry in fs::read_dir(scratch).map_err(|error| error.to_string())? {
                let path = entry.map_err(|error| error.to_string())?.path();
                if path.extension().is_some_and(|extension| extension == "deb") {
                    packages::run(Command::new("dpkg-deb").arg("-x").arg(&path).arg(&root))?;
                }
            }
            Ok(root)
        },
    )
}

/// The script of axe-core, which looks for what people with disabilities cannot use.
fn axe() -> String {
    let (version, sha256) = AXE;
    let remedy = "npm fetches axe-core: install npm, or run the other tests.";
    let place = packages::cache("axe").join(format!("axe-{version}.js"));
    let script = packages::kept(&place, "axe-core", remedy, |scratch| {
        let named = format!("axe-core@{version}");
        packages::run(
            Command::new("npm")
                .args(["pack", "--silent", &named])
                .current_dir(scratch),
        )?;
        let archive = scratch.join(format!("axe-core-{version}.tgz"));
        let sum = packages::run(Command::new("sha256sum").arg(&archive))?;
        if !sum.starts_with(sha256) {
            return Err(format!("axe-core {version} has another checksum: {sum}"));
        }
        packages::run(
            Command::new("tar")
                .arg("xzf")
                .arg(&archive)
                .current_dir(scratch),
        )?;
        Ok(scratch.join("package/axe.min.js"))
    });
    fs::read_to_string(script).unwrap()
}

impl Browser {
    /// Starts one.
    pub fn start() -> Self {
        let root = root();
        let home = tempfile::tempdir().unwrap();
        let libraries = root.join("usr/lib/x86_64-linux-gnu");
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let driver = Command::new(root.join("usr/bin/chromedriver"))
            .arg(format!("--port={port}"))
            .env(
                "LD_LIBRARY_PATH",
                std::env::join_paths([libraries.join("pulseaudio"), libraries.clone()]).unwrap(),
            )
            .env("HOME", home.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(120)))
            .build()
            .into();
        let mut browser = Self {
            driver,
            session: format!("http://127.0.0.1:{port}"),
            agent,
            _home: home,
        };
        browser.begin(&root);
        browser
    }

    fn begin(&mut self, root: &Path) {
        let began = Instant::now();
        while !self
            .try_call("GET", "/status", None)
            .is_ok_and(|answer| answer["ready"] == true)
        {
            assert!(
                began.elapsed() < PATIENCE,
                "the driver of the browser does not answer"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1280,900",
            "--lang=en-US",
        ];
        let options = json!({ "binary": root.join("usr/lib/chromium/chromium-headless-shell"), "args": arguments });
        let capabilities = json!({ "alwaysMatch": { "browserName": "chrome-headless-shell", "goog:chromeOptions": options } });
        let made = self.call(
            "POST",
            "/session",
            Some(&json!({ "capabilities": capabilities })),
        );
        let id = made["sessionId"]
            .as_str()
            .unwrap_or_else(|| panic!("no session: {made}"));
        self.session = format!("{}/session/{id}", self.session);
    }

    fn try_call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let request = http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.session));
        let sent = match body {
            Some(body) => self.agent.run(
                request
                    .header("Content-Type", "application/json")
                    .body(body.to_string())
                    .unwrap(),
            ),
            None => self.agent.run(request.body(()).unwrap()),
        };
        let (head, mut body) = sent.map_err(|error| error.to_string())?.into_parts();
        let bytes = body
            .with_config()
            .limit(u64::MAX)
            .read_to_vec()
            .map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        if head.status.is_success() {
            Ok(answer["value"].clone())
        } else {
            Err(answer["value"].to_string())
        }
    }

    #[track_caller]
    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let shown = |error: String| {
            panic!(
                "{method} {path}: {}",
                error.chars().take(600).collect::<String>()
            )
        };
        self.try_call(method, path, body).unwrap_or_else(shown)
    }

    /// Goes to an address.
    #[track_caller]
    pub fn open(&self, url: &str) {
        self.call("POST", "/url", Some(&json!({ "url": url })));
    }

    /// Where it is.
    #[track_caller]
    pub fn url(&self) -> String {
        self.call("GET", "/url", None).as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn find(&self, using: &str, value: &str) -> String {
        let began = Instant::now();
        loop {
            match self.try_call(
                "POST",
                "/element",
                Some(&json!({ "using": using, "value": value })),
            ) {
                Ok(found) => return found[ELEMENT].as_str().unwrap().to_owned(),
                Err(error) => {
                    assert!(
                        began.elapsed() < PATIENCE / 4,
                        "{value} is not on {}: {error}\n{}",
                        self.url(),
                        self.text()
                    )
                }
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Follows the link with this text.
    #[track_caller]
    pub fn follow(&self, text: &str) {
        let element = self.find("link text", text);
        self.call(
            "POST",
            &format!("/element/{element}/click"),
            Some(&json!({})),
        );
    }

    /// Clicks on what a CSS selector names.
    #[track_caller]
    pub fn click(&self, css: &str) {
        let element = self.find("css selector", css);
        self.call(
            "POST",
            &format!("/element/{element}/click"),
            Some(&json!({})),
        );
    }

    /// Clicks on the button with this text.
    #[track_caller]
    pub fn press(&self, text: &str) {
        let element = self.find("xpath", &format!("//button[normalize-space()='{text}']"));
        self.call(
            "POST",
            &format!("/element/{element}/click"),
            Some(&json!({})),
        );
    }

    /// Types into a field.
    #[track_caller]
    pub fn type_into(&self, css: &str, text: &str) {
        let element = self.find("css selector", css);
        self.call(
            "POST",
            &format!("/element/{element}/value"),
            Some(&json!({ "text": text })),
        );
    }

    /// What can be read on the page.
    #[track_caller]
    pub fn text(&self) -> String {
        self.run("return document.body.innerText")
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Waits until this can be read on the page.
    #[track_caller]
    pub fn says(&self, text: &str) {
        let began = Instant::now();
        while !self.text().contains(text) {
            assert!(
                began.elapsed() < PATIENCE,
                "{} does not say {text:?}:\n{}",
                self.url(),
                self.text()
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// What a script returns.
    #[track_caller]
    pub fn run(&self, script: &str) -> Value {
        self.call(
            "POST",
            "/execute/sync",
            Some(&json!({ "script": script, "args": [] })),
        )
    }

    /// Asks the browser itself: a method of its DevTools.
    #[track_caller]
    pub fn tell(&self, method: &str, parameters: &Value) -> Value {
        self.call(
            "POST",
            "/goog/cdp/execute",
            Some(&json!({ "cmd": method, "params": parameters })),
        )
    }

    /// Opens another tab; its name.
    #[track_caller]
    pub fn new_tab(&self) -> String {
        self.call("POST", "/window/new", Some(&json!({ "type": "tab" })))["handle"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// The name of this tab.
    #[track_caller]
    pub fn tab(&self) -> String {
        self.call("GET", "/window", None)
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Goes to a tab.
    #[track_caller]
    pub fn go_to_tab(&self, tab: &str) {
        self.call("POST", "/window", Some(&json!({ "handle": tab })));
    }

    /// A picture of what is seen, as a PNG file.
    #[track_caller]
    pub fn picture(&self, file: &Path) {
        let picture = self.call("GET", "/screenshot", None);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(
            file,
            BASE64_STANDARD.decode(picture.as_str().unwrap()).unwrap(),
        )
        .unwrap();
    }

    /// The findings of axe-core on the page, one line each.
    #[track_caller]
    pub fn barriers(&self) -> Vec<String> {
        let script = format!(
            "{};\nconst done = arguments[arguments.length - 1];\naxe.run(document).then(r => done(r.violations.map(v => [v.impact, v.id, \
             v.nodes.map(n => n.html.slice(0, 200) + ' ' + (n.any[0]?.message ?? '')).join('; ')])), e => done([['serious', 'axe', String(e)]]))",
            axe()
        );
        let found = self.call(
            "POST",
            "/execute/async",
            Some(&json!({ "script": script, "args": [] })),
        );
        found
            .as_array()
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.try_call("DELETE", "", None);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
