//! Clients of the service, each with a workspace and a connection of its own.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use ureq::{Agent, http};

use super::process::{ORGANIZATION, Process, TOKEN};
use super::states::States;
use super::{Measured, many};

pub struct Clients(Vec<Client>);

pub struct Client {
    agent: Agent,
    url: String,
    workspace: String,
    serial: AtomicU64,
}

/// As much of a document as a cycle needs: the client shares the processors with the service, and
/// the rest of a large version takes it as long to read as the service to write.
#[derive(Deserialize)]
struct Document {
    data: Resource,
}

#[derive(Deserialize)]
struct Resource {
    id: String,
    attributes: Attributes,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Attributes {
    hosted_state_upload_url: Option<String>,
    hosted_state_download_url: Option<String>,
}

impl Client {
    pub fn new(process: &Process) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(120)))
            .build();
        Self {
            agent: agent.into(),
            url: process.url().to_owned(),
            workspace: String::new(),
            serial: AtomicU64::new(0),
        }
    }

    /// Sends a request, whose answer must be this status.
    pub fn send(&self, method: &str, path: &str, body: &[u8], status: u16) -> Vec<u8> {
        let url = if path.starts_with("http") {
            path.to_owned()
        } else {
            format!("{}{path}", self.url)
        };
        let request = http::Request::builder()
            .method(method)
            .uri(url)
            .header("Authorization", format!("Bearer {TOKEN}"));
        let request = request.header("Content-Type", "application/vnd.api+json");
        let answer = match body {
            [] => self.agent.run(request.body(()).expect("a request")),
            body => self.agent.run(request.body(body).expect("a request")),
        };
        let mut answer = answer.expect("an answer");
        let bytes = answer
            .body_mut()
            .with_config()
            .limit(u64::MAX)
            .read_to_vec()
            .expect("a body");
        assert_eq!(
            answer.status(),
            status,
            "{method} {path}: {}",
            String::from_utf8_lossy(&bytes)
        );
        bytes
    }

    /// Gets something, as a program or as a browser.
    pub fn get(&self, path: &str) -> Vec<u8> {
        self.get_with(path, &[])
    }

    /// Gets a page as a browser that takes zstd: its bytes as they are sent.
    pub fn get_compressed(&self, path: &str) -> Vec<u8> {
        self.get_with(
            path,
            &[
                ("Accept-Encoding", "zstd"),
                ("Sec-Fetch-Site", "same-origin"),
                ("Sec-Fetch-Dest", "document"),
            ],
        )
    }

    fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Vec<u8> {
        let request = self.agent.get(format!("{}{path}", self.url));
        let mut request = request
            .header("Authorization", format!("Bearer {TOKEN}"))
            .header("Cookie", many::cookie());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut answer = request.call().expect("an answer");
        let bytes = answer
            .body_mut()
            .with_config()
            .limit(u64::MAX)
            .read_to_vec()
            .expect("a body");
        assert_eq!(
            answer.status(),
            200,
            "GET {path}: {}",
            String::from_utf8_lossy(&bytes)
        );
        bytes
    }

    fn document(&self, method: &str, path: &str, body: &Value, status: u16) -> Value {
        serde_json::from_slice(&self.send(method, path, body.to_string().as_bytes(), status))
            .expect("a document")
    }

    fn with_workspace(mut self, name: &str) -> Self {
        let document = json!({"data": {"type": "workspaces", "attributes": {"name": name}}});
        let made = self.document(
            "POST",
            &format!("/api/v2/organizations/{ORGANIZATION}/workspaces"),
            &document,
            201,
        );
        made["data"]["id"]
            .as_str()
            .expect("an id")
            .clone_into(&mut self.workspace);
        let lock = format!("/api/v2/workspaces/{}/actions/lock", self.workspace);
        self.document("POST", &lock, &json!({"reason": "bench"}), 200);
        self
    }

    /// Creates a version, uploads its bytes and reads them back.
    fn cycle(&self, serial: u64, state: &[u8], md5: &str) {
        let document = json!({"data": {"type": "state-versions", "attributes": {"serial": States::serial(serial), "md5": md5}}});
        let path = format!("/api/v2/workspaces/{}/state-versions", self.workspace);
        let made = self.send("POST", &path, document.to_string().as_bytes(), 201);
        let Document { data: made } = serde_json::from_slice(&made).expect("a document");
        let put = self.agent.put(
            made.attributes
                .hosted_state_upload_url
                .expect("where the bytes go"),
        );
        let answer = put
            .header("Content-Type", "application/octet-stream")
            .send(state)
            .expect("an answer");
        assert!(answer.status().is_success(), "{answer:?}");
        let version = self.send(
            "GET",
            &format!("/api/v2/state-versions/{}", made.id),
            &[],
            200,
        );
        let Document { data: version } = serde_json::from_slice(&version).expect("a document");
        let url = version
            .attributes
            .hosted_state_download_url
            .expect("where the bytes are");
        assert!(
            self.send("GET", &url, &[], 200) == state,
            "other bytes came back"
        );
    }
}

impl Clients {
    pub fn new(process: &Process, clients: usize) -> Self {
        Self(
            (0..clients)
                .map(|number| Client::new(process).with_workspace(&format!("client-{number}")))
                .collect(),
        )
    }

    /// Lets every client do so many cycles.
    pub fn run(&self, states: &States, each: usize) -> Measured {
        let begins = Barrier::new(self.0.len() + 1);
        thread::scope(|scope| {
            let threads: Vec<_> = self
                .0
                .iter()
                .map(|client| scope.spawn(|| client.run(states, each, &begins)))
                .collect();
            begins.wait();
            let began = Instant::now();
            let cycles = threads
                .into_iter()
                .flat_map(|thread| thread.join().expect("a client fails"))
                .collect();
            Measured {
                took: began.elapsed(),
                cycles,
            }
        })
    }
}

impl Client {
    fn run(&self, states: &States, each: usize, begins: &Barrier) -> Vec<Duration> {
        let first = self.serial.fetch_add(each as u64, Ordering::Relaxed);
        // What a client writes and hashes is not what is measured.
        let prepared: Vec<_> = (first..first + each as u64)
            .map(|serial| (serial, states.state(serial)))
            .collect();
        let mut cycles = Vec::with_capacity(each);
        begins.wait();
        for (serial, (state, md5)) in &prepared {
            let began = Instant::now();
            self.cycle(*serial, state, md5);
            cycles.push(began.elapsed());
        }
        cycles
    }
}
