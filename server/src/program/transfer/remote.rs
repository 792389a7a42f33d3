//! States of another server of the State Versions API: HCP Terraform, Terraform Enterprise, or a
//! server such as this one.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use reqwest::{StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::found::{At, Found, History, Offered};
use super::link::{Link, Login, Missing, PAGE};
use crate::model::{Project, Timestamp};

/// Another server.
#[derive(Debug)]
pub(super) struct Remote {
    link: Link,
    organization: String,
}

#[derive(Deserialize)]
struct Document<T> {
    data: T,
}

#[derive(Deserialize)]
struct List<T> {
    data: Vec<T>,
    #[serde(default)]
    meta: Meta,
}

#[derive(Deserialize, Default)]
struct Meta {
    pagination: Option<Pagination>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Pagination {
    next_page: Option<u32>,
}

#[derive(Deserialize)]
struct Resource<A> {
    id: String,
    attributes: A,
    relationships: Option<Relationships>,
}

#[derive(Deserialize)]
struct Relationships {
    project: Option<Document<Option<Reference>>>,
}

#[derive(Deserialize)]
struct Reference {
    id: String,
}

#[derive(Deserialize)]
struct ProjectAttributes {
    name: String,
}

impl<A> Resource<A> {
    /// The id of its project.
    fn project(&self) -> Option<&str> {
        let project = self.relationships.as_ref()?.project.as_ref()?;
        project.data.as_ref().map(|reference| reference.id.as_str())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct WorkspaceAttributes {
    name: String,
    description: Option<String>,
    terraform_version: Option<String>,
    locked: Option<bool>,
    tag_names: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct VersionAttributes {
    serial: Option<i64>,
    md5: Option<String>,
    status: Option<String>,
    created_at: Option<String>,
    hosted_state_download_url: Option<String>,
}

type Versions = Vec<Resource<VersionAttributes>>;

impl Remote {
    /// A server, with the token of somebody who may read states there.
    pub(super) fn new(address: &str, organization: &str, token: String) -> Result<Self, String> {
        let link = Link::new(address, token, Login::Bearer)?;
        Ok(Self {
            link,
            organization: organization.to_owned(),
        })
    }

    pub(super) fn describe(&self) -> String {
        format!("organization {} of {}", self.organization, self.link.host())
    }

    fn url(&self, segments: &[&str], query: &[(&str, &str)]) -> Result<Url, String> {
        let mut url = self.link.address.clone();
        url.path_segments_mut()
            .map_err(|()| "the address has no path".to_owned())?
            .clear()
            .extend(["api", "v2"])
            .extend(segments);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }

    /// All pages of a list, without what two pages have because something was added in between.
    async fn all<A: DeserializeOwned>(
        &self,
        segments: &[&str],
        query: &[(&str, &str)],
        of: &str,
    ) -> Result<Vec<Resource<A>>, String> {
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        let mut page = 1;
        loop {
            let number = page.to_string();
            let query = [query, &[("page[size]", "100"), ("page[number]", &number)]].concat();
            let list: List<Resource<A>> = self
                .link
                .json(&self.url(segments, &query)?, None, of)
                .await?;
            all.extend(
                list.data
                    .into_iter()
                    .filter(|one| seen.insert(one.id.clone())),
            );
            match list
                .meta
                .pagination
                .and_then(|pagination| pagination.next_page)
            {
                Some(next) if next > page => page = next,
                Some(_) | None => return Ok(all),
            }
        }
    }

    pub(super) async fn workspaces(&self) -> Result<Vec<Found>, String> {
        let of = format!("workspaces of organization {}", self.organization);
        let all: Vec<Resource<WorkspaceAttributes>> = self
            .all(
                &["organizations", &self.organization, "workspaces"],
                &[],
                &of,
            )
            .await?;
        let mut projects = HashMap::new();
        if all.iter().any(|workspace| workspace.project().is_some()) {
            projects = self.projects().await?;
        }
        let mut found: Vec<Found> = all
            .into_iter()
            .map(|workspace| {
                (
                    workspace.project().map(|id| projects.get(id).cloned()),
                    workspace,
                )
            })
            .map(|(project, Resource { id, attributes, .. })| Found {
                has_hidden_project: project == Some(None),
                project: project
                    .flatten()
                    .filter(|name| name != Project::DEFAULT_NAME),
                name: attributes.name,
                description: attributes.description.unwrap_or_default(),
                // The word for "whatever is newest" is not a version to be kept.
                terraform_version: attributes
                    .terraform_version
                    .filter(|version| version != "latest")
                    .unwrap_or_default(),
                tags: attributes
                    .tag_names
                    .unwrap_or_default()
                    .into_iter()
                    .map(|tag| (tag, None))
                    .collect(),
                locked: attributes.locked.unwrap_or_default(),
                id,
                ..Found::default()
            })
            .collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    /// The names of the projects that the token may see, by id.
    async fn projects(&self) -> Result<HashMap<String, String>, String> {
        let (route, of) = (
            ["organizations", &self.organization, "projects"],
            format!("projects of {}", self.organization),
        );
        match self.link.body(&self.url(&route, &[])?, None, PAGE).await {
            Ok(_) => {}
            // Not a mistake here, because another project may be named for all workspaces.
            Err(Missing::Status(StatusCode::NOT_FOUND)) => return Ok(HashMap::new()),
            Err(missing @ (Missing::Status(_) | Missing::Other(_))) => {
                return Err(self.link.failed(&of, &missing));
            }
        }
        let all: Vec<Resource<ProjectAttributes>> = self.all(&route, &[], &of).await?;
        Ok(all
            .into_iter()
            .map(|project| (project.id, project.attributes.name))
            .collect())
    }

    /// The id of the current version of a workspace.
    async fn current(&self, found: &Found) -> Result<Option<String>, String> {
        let url = self.url(&["workspaces", &found.id, "current-state-version"], &[])?;
        let of = format!("current state of workspace {}", found.name);
        match self.link.body(&url, None, PAGE).await {
            Ok(bytes) => {
                let document: Result<Document<Resource<VersionAttributes>>, _> =
                    serde_json::from_slice(&bytes);
                Ok(Some(
                    document
                        .map_err(|_| {
                            format!("{} answers something else for the {of}", self.link.host())
                        })?
                        .data
                        .id,
                ))
            }
            Err(Missing::Status(StatusCode::NOT_FOUND)) => Ok(None),
            Err(missing) => Err(self.link.failed(&of, &missing)),
        }
    }

    pub(super) async fn history(&self, found: &Found) -> Result<History, String> {
        let query = [
            ("filter[organization][name]", self.organization.as_str()),
            ("filter[workspace][name]", &found.name),
        ];
        let of = format!("state versions of workspace {}", found.name);
        let newest_first: Versions = self.all(&["state-versions"], &query, &of).await?;
        let Some(current) = self.current(found).await? else {
            if newest_first
                .iter()
                .any(|version| is_finalized(&version.attributes))
            {
                return Err(format!(
                    "{} has states, but no current one, or the token may not read it",
                    found.name
                ));
            }
            return Ok(History::default());
        };
        // Newer ones are left out, because they are snapshots during an apply, not finished.
        let Some(from) = newest_first
            .iter()
            .position(|version| version.id == current)
        else {
            return Err(format!(
                "its current state {current} is not in the list of its states; try again"
            ));
        };
        let mut history = History::default();
        for (position, Resource { id, attributes, .. }) in
            newest_first.into_iter().enumerate().skip(from)
        {
            if !is_finalized(&attributes) && position > from {
                let is_gone = attributes
                    .status
                    .is_some_and(|status| status.starts_with("backing_data"));
                history.gone += usize::from(is_gone);
                continue;
            }
            let url = attributes
                .hosted_state_download_url
                .as_deref()
                .and_then(|url| self.link.address.join(url).ok());
            let Some(url) = url else {
                if position == from {
                    return Err(format!(
                        "its current state {id} has no download URL: the token may not read states"
                    ));
                }
                history.gone += 1;
                continue;
            };
            history.states.push(Offered {
                serial: attributes.serial,
                md5: attributes.md5.filter(|md5| !md5.is_empty()),
                created_at: attributes.created_at.as_deref().and_then(Timestamp::parse),
                ..Offered::new(id.clone(), At::Version { id, url })
            });
        }
        history.states.reverse();
        Ok(history)
    }

    /// The bytes of a state.
    pub(super) async fn state(&self, id: &str, url: &Url, most: usize) -> Result<Bytes, String> {
        let of = format!("state {id}");
        match self.link.body(url, None, most).await {
            Ok(bytes) => Ok(bytes),
            // Download URLs work for a while only.
            Err(Missing::Status(status)) if status.is_client_error() => {
                let document: Document<Resource<VersionAttributes>> = self
                    .link
                    .json(&self.url(&["state-versions", id], &[])?, None, &of)
                    .await?;
                let url = document.data.attributes.hosted_state_download_url;
                let url = url.and_then(|url| self.link.address.join(&url).ok());
                let url = url
                    .ok_or_else(|| format!("{} has the state {id} no longer", self.link.host()))?;
                self.link
                    .body(&url, None, most)
                    .await
                    .map_err(|missing| self.link.failed(&of, &missing))
            }
            Err(missing @ (Missing::Status(_) | Missing::Other(_))) => {
                Err(self.link.failed(&of, &missing))
            }
        }
    }
}

/// True if a version has its bytes. Older servers do not say.
fn is_finalized(attributes: &VersionAttributes) -> bool {
    attributes
        .status
        .as_deref()
        .is_none_or(|status| status == "finalized")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_does_not_cross_the_network_in_the_clear() {
        let made = |address: &str| {
            Remote::new(address, "acme", "hunter22".to_owned()).map(|remote| remote.describe())
        };
        assert_eq!(
            made("app.terraform.io"),
            Ok("organization acme of app.terraform.io".to_owned())
        );
        assert_eq!(
            made("http://127.0.0.1:8080"),
            Ok("organization acme of 127.0.0.1".to_owned())
        );
        assert!(
            made("http://tfe.example.com")
                .expect_err("refused")
                .contains("https:// only")
        );
        assert!(made("ftp://tfe.example.com").is_err() && made("https://").is_err());
        let remote =
            Remote::new("app.terraform.io", "acme", "hunter22".to_owned()).expect("a server");
        assert!(!format!("{remote:?}").contains("hunter22"));
        let url = remote
            .url(
                &["organizations", "a/b?c", "workspaces"],
                &[("page[size]", "100")],
            )
            .expect("a URL");
        assert_eq!(
            url.as_str(),
            "https://app.terraform.io/api/v2/organizations/a%2Fb%3Fc/workspaces?page%5Bsize%5D=100"
        );
    }
}
