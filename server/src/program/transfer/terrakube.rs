//! States of an organization of Terrakube, by its API and the addresses of its states.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use md5::{Digest as _, Md5};
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::found::{At, Found, History, Offered};
use super::link::{Link, Login};
use super::remote::{List, ProjectAttributes, Resource};
use crate::content::hex;
use crate::model::Timestamp;

/// An organization of Terrakube.
#[derive(Debug)]
pub(super) struct Terrakube {
    link: Link,
    organization: String,
    /// False if the current states are enough.
    has_older: bool,
    /// The most bytes of a state.
    most: usize,
}

#[derive(Deserialize)]
struct OrganizationAttributes {
    name: String,
}

#[derive(Deserialize)]
struct WorkspaceAttributes {
    name: String,
    description: Option<String>,
    locked: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HistoryAttributes {
    /// The address of the state in the form of `terraform show -json`.
    output: Option<String>,
    created_date: Option<String>,
    created_by: Option<String>,
}

impl Terrakube {
    /// The API at an address, with the token of somebody who may manage states there.
    pub(super) fn new(
        address: &str,
        organization: &str,
        token: String,
        has_older: bool,
        most: usize,
    ) -> Result<Self, String> {
        Ok(Self {
            link: Link::new(address, token, Login::Bearer)?,
            organization: organization.to_owned(),
            has_older,
            most,
        })
    }

    pub(super) fn describe(&self) -> String {
        format!("organization {} of {}", self.organization, self.link.host())
    }

    /// A URL of its API or of its states, below a path that its parts are in.
    fn url(&self, root: &str, path: &str, last: &str) -> Result<Url, String> {
        let mut url = self.link.address.clone();
        url.path_segments_mut()
            .map_err(|()| "the address has no path".to_owned())?
            .clear()
            .extend([root, "v1"])
            .extend(path.split('/').filter(|part| !part.is_empty()))
            .push(last);
        Ok(url)
    }

    /// All pages of a list, without what two pages have because something was added in between.
    async fn all<A: DeserializeOwned>(
        &self,
        path: &str,
        last: &str,
        order: &str,
        of: &str,
    ) -> Result<Vec<Resource<A>>, String> {
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        for page in 1_u32.. {
            let mut url = self.url("api", path, last)?;
            url.query_pairs_mut()
                .append_pair("page[size]", "100")
                .append_pair("page[number]", &page.to_string())
                .append_pair("sort", order);
            let some: List<Resource<A>> = self.link.json(&url, None, of).await?;
            let before = all.len();
            all.extend(
                some.data
                    .into_iter()
                    .filter(|one| seen.insert(one.id.clone())),
            );
            // A page may have fewer than it could, because the token may not see the others.
            if all.len() == before {
                break;
            }
        }
        Ok(all)
    }

    pub(super) async fn workspaces(&self) -> Result<Vec<Found>, String> {
        let organizations: Vec<Resource<OrganizationAttributes>> = self
            .all("", "organization", "name", "organizations")
            .await?;
        let organization = organizations
            .into_iter()
            .find(|one| one.attributes.name == self.organization)
            .ok_or_else(|| {
                format!(
                    "{} has no organization {}, or the token may not see it",
                    self.link.host(),
                    self.organization
                )
            })?;
        let path = format!("organization/{}", organization.id);
        let of = format!("workspaces of organization {}", self.organization);
        let all: Vec<Resource<WorkspaceAttributes>> =
            self.all(&path, "workspace", "name", &of).await?;
        let mut projects = HashMap::new();
        if all.iter().any(|workspace| workspace.project().is_some()) {
            let of = format!("projects of organization {}", self.organization);
            let listed: Vec<Resource<ProjectAttributes>> =
                self.all(&path, "project", "name", &of).await?;
            projects.extend(
                listed
                    .into_iter()
                    .map(|project| (project.id, project.attributes.name)),
            );
        }
        let mut found: Vec<Found> = all
            .into_iter()
            .map(|workspace| {
                let project = workspace.project().map(|id| projects.get(id).cloned());
                Found {
                    has_hidden_project: project == Some(None),
                    project: project.flatten(),
                    id: format!("{path}/workspace/{}", workspace.id),
                    name: workspace.attributes.name,
                    description: workspace.attributes.description.unwrap_or_default(),
                    locked: workspace.attributes.locked.unwrap_or_default(),
                    ..Found::default()
                }
            })
            .collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    pub(super) async fn history(&self, found: &Found) -> Result<History, String> {
        let place = format!("{}/state", found.id);
        let of = format!("states of workspace {}", found.name);
        let mut history = History::default();
        let mut newest = Bytes::new();
        if self.has_older {
            let listed: Vec<Resource<HistoryAttributes>> =
                self.all(&found.id, "history", "createdDate", &of).await?;
            for Resource { id, attributes, .. } in listed {
                // A run names the file as it likes, and a client of the remote backend by the id.
                let file = attributes
                    .output
                    .as_deref()
                    .and_then(|output| output.rsplit('/').next()?.strip_suffix(".json"))
                    .unwrap_or(&id);
                let url = self.url("tfstate", &place, &format!("{file}.raw.json"))?;
                let bytes = self.state(&of, &url, self.most).await?;
                // Terrakube answers so where it has no file, such as that of an old release.
                if bytes.is_empty() {
                    history.gone += 1;
                    continue;
                }
                history.states.push(Offered {
                    label: format!("state {id}"),
                    serial: None,
                    md5: Some(hex(&Md5::digest(&bytes))),
                    sha256: None,
                    created_at: attributes.created_date.as_deref().and_then(created_at),
                    created_by: attributes.created_by.unwrap_or_default(),
                    forced: false,
                    at: At::Version { id, url },
                });
                newest = bytes;
            }
        }
        // Read last, because a run may end meanwhile.
        let url = self.url("tfstate", &place, "terraform.tfstate")?;
        let current = self.state(&of, &url, self.most).await?;
        if current.is_empty() {
            if history.states.is_empty() && history.gone == 0 {
                return Ok(history);
            }
            return Err(format!(
                "{} has older states, but no current one",
                found.name
            ));
        }
        // Not by the bytes, because a run writes the same state twice, in other letters.
        if !is_same(&current, &newest) {
            history.states.push(Offered {
                label: format!("current state of workspace {}", found.name),
                serial: None,
                md5: Some(hex(&Md5::digest(&current))),
                sha256: None,
                created_at: None,
                created_by: String::new(),
                forced: false,
                at: At::Version {
                    id: found.name.clone(),
                    url,
                },
            });
        }
        Ok(history)
    }

    /// The bytes of a state; none if there is no such state.
    pub(super) async fn state(&self, of: &str, url: &Url, most: usize) -> Result<Bytes, String> {
        let bytes = self.link.body(url, None, most).await;
        bytes.map_err(|missing| self.link.failed(of, &missing))
    }
}

/// True if two states differ in spaces and the order of keys at most.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let read = |bytes: &[u8]| serde_json::from_slice::<Json>(bytes).ok();
    one == other || read(one).is_some_and(|one| Some(one) == read(other))
}

/// A time, which Terrakube writes without seconds.
fn created_at(text: &str) -> Option<Timestamp> {
    let with_seconds = || Some(format!("{}:00Z", text.strip_suffix('Z')?));
    Timestamp::parse(text).or_else(|| Timestamp::parse(&with_seconds()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_without_seconds_is_read() {
        let expected = Timestamp::parse("2024-05-01T10:30:00Z");
        assert!(expected.is_some());
        assert_eq!(created_at("2024-05-01T10:30Z"), expected);
        assert_eq!(created_at("2024-05-01T10:30:00.000Z"), expected);
        assert_eq!(created_at("yesterday"), None);
    }

    #[test]
    fn states_are_compared_by_what_is_in_them() {
        assert!(is_same(br#"{"a": 1, "b": [2]}"#, br#"{"b":[2],"a":1}"#));
        assert!(is_same(b"sealed", b"sealed"));
        for other in ["", "sealed", r#"{"a": 2}"#] {
            assert!(!is_same(br#"{"a": 1}"#, other.as_bytes()), "{other}");
        }
    }
}
