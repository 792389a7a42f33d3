//! States that GitLab keeps for a project, where Terraform has them by `backend "http"`.

use bytes::Bytes;
use reqwest::Url;
use serde::Deserialize;
use serde_json::json;

use super::found::{At, Found, Offered};
use super::link::{Link, Login};
use crate::model::Timestamp;

/// A hundred states of a project, with the newest version of each: GitLab lists no others.
const QUERY: &str =
    "query($project: ID!, $after: String) { project(fullPath: $project) { terraformStates(first: 100, after: $after) {
    nodes { name lockedAt deletedAt latestVersion { serial downloadPath createdAt } } pageInfo { hasNextPage endCursor } } } }";

/// A project of GitLab.
#[derive(Debug)]
pub(super) struct Gitlab {
    link: Link,
    project: String,
}

#[derive(Deserialize)]
struct Answer {
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    project: Option<Project>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Project {
    terraform_states: States,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct States {
    nodes: Vec<State>,
    page_info: PageInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct State {
    name: String,
    locked_at: Option<String>,
    deleted_at: Option<String>,
    latest_version: Option<Version>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    serial: Option<i64>,
    download_path: Option<String>,
    created_at: Option<String>,
}

impl Gitlab {
    /// A project, by its path, with the token of somebody who may read its states.
    pub(super) fn new(address: &str, project: &str, token: String) -> Result<Self, String> {
        Ok(Self {
            link: Link::new(address, token, Login::PrivateToken)?,
            project: project.to_owned(),
        })
    }

    pub(super) fn describe(&self) -> String {
        format!("project {} of {}", self.project, self.link.host())
    }

    /// An address below that of GitLab, which may itself be below another one.
    fn url(&self, path: &str) -> Result<Url, String> {
        let base = self.link.address.as_str().trim_end_matches('/');
        Url::parse(&format!("{base}{path}"))
            .map_err(|_| format!("{} is not an address", self.link.host()))
    }

    pub(super) async fn workspaces(&self) -> Result<Vec<Found>, String> {
        let of = format!("states of project {}", self.project);
        let url = self.url("/api/graphql")?;
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let sent =
                json!({"query": QUERY, "variables": {"project": self.project, "after": after}})
                    .to_string();
            let answer: Answer = self.link.json(&url, Some(&sent), &of).await?;
            let unknown = || {
                format!(
                    "{} has no project {}, or the token may not see it",
                    self.link.host(),
                    self.project
                )
            };
            let states = answer
                .data
                .and_then(|data| data.project)
                .ok_or_else(unknown)?
                .terraform_states;
            for state in states.nodes {
                found.push(self.found(state)?);
            }
            match states
                .page_info
                .end_cursor
                .filter(|_| states.page_info.has_next_page)
            {
                Some(next) if after.as_ref() != Some(&next) => after = Some(next),
                Some(_) | None => break,
            }
        }
        found.sort_by(|one: &Found, other| one.name.cmp(&other.name));
        Ok(found)
    }

    fn found(&self, state: State) -> Result<Found, String> {
        let mut found = Found {
            name: state.name,
            locked: state.locked_at.is_some(),
            ..Found::default()
        };
        if state.deleted_at.is_some() {
            found.wrong = Some("GitLab is about to delete it".to_owned());
        }
        let Some(version) = state.latest_version else {
            return Ok(found);
        };
        let Some(path) = version.download_path else {
            found.wrong =
                Some("its state has no download path: the token may not read it".to_owned());
            return Ok(found);
        };
        // It has the path of GitLab itself already, because GitLab may be below another address.
        let url = if path.starts_with(self.link.address.path()) {
            self.link
                .address
                .join(&path)
                .map_err(|_| format!("{} names a path that is none", self.link.host()))?
        } else {
            self.url(&path)?
        };
        let serial = version.serial.map_or_else(
            || "its newest state".to_owned(),
            |serial| format!("serial {serial}"),
        );
        found.states.push(Offered {
            label: serial,
            // GitLab numbers what came without a serial by itself, so that its number is not always
            // that of the file.
            serial: None,
            md5: None,
            sha256: None,
            created_at: version.created_at.as_deref().and_then(Timestamp::parse),
            created_by: String::new(),
            forced: false,
            at: At::Version {
                id: String::new(),
                url,
            },
        });
        Ok(found)
    }

    /// The bytes of a state.
    pub(super) async fn state(&self, label: &str, url: &Url, most: usize) -> Result<Bytes, String> {
        self.link
            .body(url, None, most)
            .await
            .map_err(|missing| self.link.failed(label, &missing))
    }
}
