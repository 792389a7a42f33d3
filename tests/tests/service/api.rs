//! The API as these tests call it themselves.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use md5::{Digest, Md5};
use serde_json::{Value, json};
use ureq::{Agent, http};

use super::service::ORGANIZATION;

/// A client with one token.
#[derive(Clone)]
pub struct Api {
    agent: Agent,
    root: String,
    token: String,
}

/// What the service answered.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
    what: String,
}

impl Answer {
    /// The body, as the document it must be.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{self}: {error}"))
    }

    /// Fails the test unless the status is this.
    #[track_caller]
    pub fn is(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// Fails the test unless this is an error of that status whose text contains `text`.
    #[track_caller]
    pub fn refuses(&self, status: u16, text: &str) -> &Self {
        self.is(status);
        let errors = self.json()["errors"].clone();
        assert_eq!(errors[0]["status"], status.to_string(), "{self}");
        assert!(errors[0]["title"].is_string(), "{self}");
        assert!(
            errors[0]["detail"]
                .as_str()
                .is_some_and(|detail| detail.contains(text)),
            "{self} does not say {text:?}"
        );
        self
    }

    /// The id of the document.
    #[track_caller]
    pub fn id(&self) -> String {
        self.json()["data"]["id"]
            .as_str()
            .unwrap_or_else(|| panic!("{self} has no id"))
            .to_owned()
    }

    /// An attribute of the document.
    #[track_caller]
    pub fn attribute(&self, name: &str) -> Value {
        self.json()["data"]["attributes"][name].clone()
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let body = String::from_utf8_lossy(&self.body[..self.body.len().min(2000)]);
        write!(f, "{} answered {}: {body}", self.what, self.status)
    }
}

impl Api {
    pub fn new(root: &str, token: &str) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_idle_age(Duration::from_secs(5))
            .timeout_global(Some(Duration::from_secs(60)))
            .build()
            .into();
        Self {
            agent,
            root: root.to_owned(),
            token: token.to_owned(),
        }
    }

    /// That client with connections of its own.
    pub fn again(&self) -> Self {
        Self::new(&self.root, &self.token)
    }

    /// This service with another token; an empty one is not sent.
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: token.to_owned(),
            ..self.clone()
        }
    }

    /// Sends a request. `path` may be a whole address.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Answer, ureq::Error> {
        let url = if path.starts_with("http") {
            path.to_owned()
        } else {
            format!("{}{path}", self.root)
        };
        let mut request = http::Request::builder().method(method).uri(&url);
        if !self.token.is_empty() {
            request = request.header("Authorization", format!("Bearer {}", self.token));
        }
        for &(name, value) in headers {
            request = request.header(name, value);
        }
        let sent = match body {
            [] => self.agent.run(request.body(()).unwrap()),
            body => self.agent.run(request.body(body).unwrap()),
        };
        let (head, mut body) = sent?.into_parts();
        let body = body.with_config().limit(u64::MAX).read_to_vec()?;
        Ok(Answer {
            status: head.status.as_u16(),
            body,
            what: format!("{method} {path}"),
        })
    }

    #[track_caller]
    fn sent(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.send(method, path, headers, body)
            .unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    pub fn try_get(&self, path: &str) -> Result<Answer, ureq::Error> {
        self.send("GET", path, &[], &[])
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.sent("GET", path, &[], &[])
    }

    #[track_caller]
    pub fn post(&self, path: &str, document: &Value) -> Answer {
        self.sent(
            "POST",
            path,
            &[("Content-Type", "application/vnd.api+json")],
            document.to_string().as_bytes(),
        )
    }

    #[track_caller]
    pub fn patch(&self, path: &str, document: &Value) -> Answer {
        self.sent(
            "PATCH",
            path,
            &[("Content-Type", "application/vnd.api+json")],
            document.to_string().as_bytes(),
        )
    }

    /// Puts bytes where the service said they go.
    #[track_caller]
    pub fn put(&self, url: &str, bytes: &[u8]) -> Answer {
        self.sent(
            "PUT",
            url,
            &[("Content-Type", "application/octet-stream")],
            bytes,
        )
    }

    /// Makes a workspace and gives its id.
    #[track_caller]
    pub fn create_workspace(&self, name: &str) -> String {
        let document = json!({"data": {"type": "workspaces", "attributes": {"name": name}}});
        self.post(
            &format!("/api/v2/organizations/{ORGANIZATION}/workspaces"),
            &document,
        )
        .is(201)
        .id()
    }

    /// The id of a workspace.
    #[track_caller]
    pub fn workspace(&self, name: &str) -> String {
        self.get(&format!(
            "/api/v2/organizations/{ORGANIZATION}/workspaces/{name}"
        ))
        .is(200)
        .id()
    }

    #[track_caller]
    pub fn lock(&self, workspace: &str) -> Answer {
        self.post(
            &format!("/api/v2/workspaces/{workspace}/actions/lock"),
            &json!({"reason": "a test"}),
        )
    }

    #[track_caller]
    pub fn unlock(&self, workspace: &str) -> Answer {
        self.sent(
            "POST",
            &format!("/api/v2/workspaces/{workspace}/actions/unlock"),
            &[],
            &[],
        )
    }

    #[track_caller]
    pub fn force_unlock(&self, workspace: &str) -> Answer {
        self.sent(
            "POST",
            &format!("/api/v2/workspaces/{workspace}/actions/force-unlock"),
            &[],
            &[],
        )
    }

    /// Creates a version whose bytes are in the request.
    #[track_caller]
    pub fn create(&self, workspace: &str, state: &[u8]) -> Answer {
        self.post(&versions_of(workspace), &creation(state, true))
    }

    /// Creates a version whose bytes will follow.
    #[track_caller]
    pub fn announce(&self, workspace: &str, state: &[u8]) -> Answer {
        self.post(&versions_of(workspace), &creation(state, false))
    }

    /// Rolls a workspace back.
    #[track_caller]
    pub fn rollback(&self, workspace: &str, to: &str) -> Answer {
        let to = json!({"data": {"type": "state-versions", "id": to}});
        let document = json!({"data": {"type": "state-versions", "relationships": {"rollback-state-version": to}}});
        self.patch(&versions_of(workspace), &document)
    }

    /// The current version.
    #[track_caller]
    pub fn current(&self, workspace: &str) -> Answer {
        self.get(&format!(
            "/api/v2/workspaces/{workspace}/current-state-version"
        ))
    }

    /// The bytes of a version that a document describes.
    #[track_caller]
    pub fn download(&self, version: &Value) -> Vec<u8> {
        let url = version["attributes"]["hosted-state-download-url"].as_str();
        let url = url.unwrap_or_else(|| panic!("no address for the bytes of {version}"));
        self.get(url).is(200).body.clone()
    }

    /// The bytes of the current version.
    #[track_caller]
    pub fn download_current(&self, workspace: &str) -> Vec<u8> {
        let current = self.current(workspace).is(200).json();
        self.download(&current["data"])
    }

    /// All versions of a workspace, the newest first.
    #[track_caller]
    pub fn versions(&self, name: &str) -> Vec<Value> {
        let mut versions = Vec::new();
        for page in 1.. {
            let path = format!(
                "/api/v2/state-versions?filter%5Borganization%5D%5Bname%5D={ORGANIZATION}&filter%5Bworkspace%5D%5Bname%5D={name}\
                 &page%5Bnumber%5D={page}&page%5Bsize%5D=100"
            );
            let answer = self.get(&path).is(200).json();
            versions.extend(answer["data"].as_array().unwrap().iter().cloned());
            if answer["meta"]["pagination"]["next-page"].is_null() {
                break;
            }
        }
        versions
    }

    /// The serials of all versions of a workspace, the newest first.
    #[track_caller]
    pub fn serials(&self, name: &str) -> Vec<u64> {
        self.versions(name)
            .iter()
            .map(|version| version["attributes"]["serial"].as_u64().unwrap())
            .collect()
    }
}

fn versions_of(workspace: &str) -> String {
    format!("/api/v2/workspaces/{workspace}/state-versions")
}

/// The document that creates a version with these bytes, or one that they follow.
pub fn creation(state: &[u8], inline: bool) -> Value {
    #[derive(serde::Deserialize)]
    struct Head {
        serial: u64,
        lineage: String,
    }
    let Head { serial, lineage } = serde_json::from_slice(state).unwrap();
    let mut attributes = json!({"serial": serial, "lineage": lineage, "md5": md5_of(state)});
    if inline {
        attributes["state"] = json!(BASE64_STANDARD.encode(state));
    }
    json!({"data": {"type": "state-versions", "attributes": attributes}})
}

/// The digest that the API asks for, in hexadecimal digits.
pub fn md5_of(bytes: &[u8]) -> String {
    Md5::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A state file with one output and one resource, written as no serializer writes it: what comes
/// back is compared byte for byte.
pub fn state(lineage: &str, serial: u64, content: &str) -> Vec<u8> {
    format!(
        "{{\n  \"version\": 4, \"terraform_version\": \"1.15.5\",\n  \"serial\": {serial},\n\n  \"lineage\": \"{lineage}\",\n  \
         \"outputs\": {{\"content\": {{\"value\": {content}, \"type\": \"string\"}}, \"secret\": {{\"value\": \"s3cret\", \"type\": \
         \"string\", \"sensitive\": true}}}},\n  \"resources\": [{{\"mode\": \"managed\", \"type\": \"terraform_data\", \"name\": \"it\", \
         \"provider\": \"provider[\\\"terraform.io/builtin/terraform\\\"]\", \"instances\": [{{\"schema_version\": 0, \"attributes\": \
         {{\"id\": \"3f0f\", \"input\": {{\"value\": {content}, \"type\": \"string\"}}, \"output\": {{\"value\": {content}, \"type\": \
         \"string\"}}, \"triggers_replace\": null}}, \"sensitive_attributes\": []}}]}}],\n  \"check_results\": null\n}}\n",
        content = Value::from(content)
    )
    .into_bytes()
}
