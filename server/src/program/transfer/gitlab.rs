//! States that GitLab keeps for a project, where Terraform has them by `backend "http"`.

use bytes::Bytes;
use md5::{Digest as _, Md5};
use reqwest::{StatusCode, Url};
use serde::Deserialize;
use serde_json::json;

use super::found::{At, Found, History, Offered};
use super::link::{Link, Login, Missing};
use crate::content::hex;
use crate::model::Timestamp;

/// A hundred states of a project, with the newest version of each: GitLab lists no others.
const QUERY: &str =
    "query($project: ID!, $after: String) { project(fullPath: $project) { terraformStates(first: 100, after: $after) {
    nodes { name lockedAt deletedAt latestVersion { serial downloadPath createdAt } } pageInfo { hasNextPage endCursor } } } }";

/// The most older states of a workspace that are asked for, which takes hours.
const MOST_OLDER: u64 = 100_000;

/// A project of GitLab.
#[derive(Debug)]
pub(super) struct Gitlab {
    link: Link,
    project: String,
    /// False if the current states are enough.
    has_older: bool,
    /// The most bytes of a state.
    most: usize,
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
    pub(super) fn new(
        address: &str,
        project: &str,
        token: String,
        has_older: bool,
        most: usize,
    ) -> Result<Self, String> {
        Ok(Self {
            link: Link::new(address, token, Login::PrivateToken)?,
            project: project.to_owned(),
            has_older,
            most,
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
        let at = At::Version {
            id: String::new(),
            url,
        };
        // Without a serial, because GitLab numbers what came without one by itself, so that its
        // number is not always that of the file.
        found.states.push(Offered {
            created_at: version.created_at.as_deref().and_then(Timestamp::parse),
            ..Offered::new(serial, at)
        });
        Ok(found)
    }

    /// The states of a workspace. GitLab lists none but the newest, so that it is asked for each
    /// number before that one.
    pub(super) async fn history(&self, found: &Found) -> Result<History, String> {
        let mut history = History::default();
        if self.has_older
            && let [newest] = found.states.as_slice()
            && let At::Version { url, .. } = &newest.at
        {
            // Otherwise the newest state would be taken for the whole history.
            let number = number(url).ok_or(
                "the address of its newest state does not end with a number, so that the older ones cannot be found; --current-only imports the \
                 newest state alone",
            )?;
            if number > MOST_OLDER {
                return Err(format!(
                    "GitLab would be asked for {number} older states; --current-only imports the newest state alone"
                ));
            }
            for older in 0..number {
                let label = format!("serial {older}");
                let url = numbered(url, older)?;
                match self.link.body(&url, None, self.most).await {
                    Ok(bytes) => history.states.push(Offered {
                        label,
                        md5: Some(hex(&Md5::digest(&bytes))),
                        at: At::Version {
                            id: String::new(),
                            url,
                        },
                        ..newest.clone()
                    }),
                    // Not a mistake, because Terraform leaves numbers out, and users delete versions.
                    Err(Missing::Status(StatusCode::NOT_FOUND)) => {}
                    Err(missing @ (Missing::Status(_) | Missing::Other(_))) => {
                        return Err(self.link.failed(&label, &missing));
                    }
                }
            }
        }
        history.states.extend_from_slice(&found.states);
        Ok(history)
    }

    /// The bytes of a state.
    pub(super) async fn state(&self, label: &str, url: &Url, most: usize) -> Result<Bytes, String> {
        self.link
            .body(url, None, most)
            .await
            .map_err(|missing| self.link.failed(label, &missing))
    }
}

/// The number of a state, which its address ends with.
fn number(url: &Url) -> Option<u64> {
    url.path_segments()?.next_back()?.parse().ok()
}

/// The address of the state of another number.
fn numbered(url: &Url, number: u64) -> Result<Url, String> {
    let mut url = url.clone();
    url.path_segments_mut()
        .map_err(|()| "the address has no path".to_owned())?
        .pop()
        .push(&number.to_string());
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_state_ends_with_its_number() {
        let below = "https://gitlab.com/api/v4/projects/7/terraform/state/a%2Fb/versions";
        let url = Url::parse(&format!("{below}/12")).expect("a URL");
        assert_eq!(number(&url), Some(12));
        let other = numbered(&url, 3).map(String::from);
        assert_eq!(other, Ok(format!("{below}/3")));
        assert_eq!(number(&Url::parse(below).expect("a URL")), None);
    }
}
