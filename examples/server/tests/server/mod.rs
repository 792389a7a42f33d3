//! The demo, and requests to its API.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

#[allow(unreachable_pub, reason = "other tests share it")]
#[path = "../../../../tests/tests/real/memory.rs"]
mod memory;

/// The demo, in a process of its own. It ends when this is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    pub(crate) token: String,
    _data: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with(&[])
    }

    /// The demo with more arguments.
    pub(crate) fn with(arguments: &[&str]) -> Self {
        let data = memory::folder();
        let mut command = Command::new(env!("CARGO_BIN_EXE_realworld-server"));
        command
            .env("TMPDIR", data.path())
            .args(["--demo", "--listen", "127.0.0.1:0", "--log", "warn"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map(Result::unwrap);
        let token = lines
            .next()
            .unwrap()
            .split_whitespace()
            .last()
            .unwrap()
            .to_owned();
        let url = lines
            .next()
            .unwrap()
            .split_whitespace()
            .find(|word| word.starts_with("http://"))
            .unwrap()
            .to_owned();
        Self {
            child,
            url,
            token,
            _data: data,
        }
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: &str) -> Value {
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header("Authorization", format!("Bearer {}", self.token))
            .body(body.to_owned())
            .unwrap();
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .build()
            .into();
        let mut answer = agent.run(request).unwrap();
        let body = answer.body_mut().read_to_vec().unwrap();
        assert!(
            answer.status().is_success(),
            "{method} {path}: {}",
            String::from_utf8_lossy(&body)
        );
        serde_json::from_slice(&body).unwrap()
    }
}
