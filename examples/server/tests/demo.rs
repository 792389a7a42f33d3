//! `realworld-server --demo`: prints its URL and a token, and upgrades what it holds.

#![allow(clippy::unwrap_used, reason = "the test's own helpers may panic too")]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

struct Server {
    child: Child,
    url: String,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_realworld-server"));
        command.args(["--demo", "--listen", "127.0.0.1:0", "--log", "warn"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let token = lines.next().unwrap().split_whitespace().last().unwrap().to_owned();
        let url = lines.next().unwrap().split_whitespace().find(|word| word.starts_with("http://")).unwrap().to_owned();
        Self { child, url, token }
    }

    fn send(&self, method: &str, path: &str, body: &str) -> Value {
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header("Authorization", format!("Bearer {}", self.token))
            .body(body.to_owned())
            .unwrap();
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut answer = agent.run(request).unwrap();
        let body = answer.body_mut().read_to_vec().unwrap();
        assert!(answer.status().is_success(), "{method} {path}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }
}

#[test]
fn a_stray_separator_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_realworld-server")).args(["--", "--demo"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        said,
        "realworld-server: `--` before --demo says that no flags follow. Remove it; with cargo, one is enough:\n  cargo run -q -p \
         realworld-server -- --demo\n"
    );
}

#[test]
fn the_demo_shows_what_is_behind_and_upgrades_it() {
    let server = Server::start();
    let inventory = || server.send("GET", "/api/v2/upstate/organizations/demo/inventory", "")["data"]["attributes"].clone();
    let before = inventory();
    assert!(before["workspaces"].as_u64().unwrap() > 5, "{before}");
    let behind = before["workspaces-behind"].as_u64().unwrap();
    assert!(behind > 5, "{before}");
    let job = json!({"data": {"type": "upstate-jobs", "attributes": {"on-failure": "continue"}}}).to_string();
    let job = server.send("POST", "/api/v2/upstate/organizations/demo/jobs", &job);
    let path = format!("/api/v2/upstate/jobs/{}", job["data"]["id"].as_str().unwrap());
    let began = Instant::now();
    let done = loop {
        let job = server.send("GET", &path, "")["data"]["attributes"].clone();
        if job["status"] == "done" {
            break job;
        }
        assert!(began.elapsed() < Duration::from_mins(2), "{job}");
        std::thread::sleep(Duration::from_millis(100));
    };
    let upgraded = done["workspaces"]["upgraded"].as_u64().unwrap();
    let failed = server.send("GET", &format!("{path}/workspaces?filter[status]=failed"), "");
    assert_eq!(upgraded + done["workspaces"]["failed"].as_u64().unwrap(), behind, "{done}");
    assert_eq!(inventory()["workspaces-behind"].as_u64().unwrap(), behind - upgraded, "{failed}");
    assert!(upgraded > 5, "{failed}");
}
