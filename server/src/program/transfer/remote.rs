//! States of another server of the State Versions API: HCP Terraform, Terraform Enterprise, or a server such as this one.

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::folder::too_large;
use super::source::{At, Found, History, Offered};
use crate::model::Timestamp;

/// The longest time between two pieces of an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The number of times that a request is sent.
const ATTEMPTS: u32 = 7;

/// The first pause between two of them; each is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(500);

/// The longest pause, also where the server names one.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// The most bytes of a page of a list.
const PAGE: usize = 64 << 20;

/// Another server.
pub(super) struct Remote {
    client: Client,
    address: Url,
    organization: String,
    token: String,
}

/// Without the token.
impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("address", &self.address.as_str()).finish_non_exhaustive()
    }
}

/// The reason for which an answer is missing.
enum Missing {
    /// The server refuses it, with this status.
    Status(StatusCode),
    Other(String),
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
        let text = if address.contains("://") { address.to_owned() } else { format!("https://{address}") };
        let address = Url::parse(&text).map_err(|_| format!("{address:?} is not the address of a server"))?;
        let host = address.host_str().unwrap_or_default();
        let is_here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        match address.scheme() {
            "https" => {}
            "http" if is_here => {}
            _ => return Err(format!("{host} is reached by https:// only, because the token and the states cross the network")),
        }
        // The client takes its cryptography from the process, where only the first choice counts, so that a second one may fail.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .https_only(address.scheme() == "https")
            .connect_timeout(PATIENCE)
            .read_timeout(PATIENCE)
            .user_agent(concat!("upstate-server/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| format!("no client can be made: {error}"))?;
        Ok(Self { client, address, organization: organization.to_owned(), token })
    }

    pub(super) fn describe(&self) -> String {
        format!("organization {} of {}", self.organization, self.host())
    }

    fn host(&self) -> &str {
        self.address.host_str().unwrap_or_default()
    }

    fn url(&self, segments: &[&str], query: &[(&str, &str)]) -> Result<Url, String> {
        let mut url = self.address.clone();
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

    /// Sends a request until it is answered.
    async fn send(&self, url: &Url) -> Result<Response, Missing> {
        let mut pause = PAUSE;
        for attempt in 1..=ATTEMPTS {
            let mut request = self.client.get(url.clone());
            // The token is for this server, not for a store of bytes to which it leads.
            if url.origin() == self.address.origin() {
                request = request.bearer_auth(&self.token).header("accept", "application/vnd.api+json, application/json");
            }
            let named = match request.send().await {
                Ok(response) if response.status() == StatusCode::OK => return Ok(response),
                Ok(response) => {
                    let status = response.status();
                    let may_pass = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
                    if !may_pass || attempt == ATTEMPTS {
                        return Err(Missing::Status(status));
                    }
                    let after = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
                    after.and_then(|text| text.parse().ok()).map(Duration::from_secs)
                }
                // Without the URL, which may be signed.
                Err(error) if attempt == ATTEMPTS => return Err(Missing::Other(error.without_url().to_string())),
                Err(_) => None,
            };
            tokio::time::sleep(named.unwrap_or(pause).min(LONGEST_PAUSE)).await;
            pause = pause.saturating_mul(2);
        }
        Err(Missing::Other("it did not answer".to_owned()))
    }

    /// The body of an answer of at most so many bytes.
    async fn body(&self, url: &Url, most: usize) -> Result<Bytes, Missing> {
        let mut pause = PAUSE;
        for attempt in 1..=ATTEMPTS {
            let mut response = self.send(url).await?;
            let mut bytes = Vec::new();
            let broken = loop {
                match response.chunk().await {
                    Ok(Some(chunk)) if bytes.len() + chunk.len() > most => return Err(Missing::Other(too_large(most))),
                    Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                    Ok(None) => return Ok(bytes.into()),
                    Err(error) => break error,
                }
            };
            if attempt == ATTEMPTS {
                return Err(Missing::Other(broken.without_url().to_string()));
            }
            tokio::time::sleep(pause).await;
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
        Err(Missing::Other("it did not answer".to_owned()))
    }

    fn failed(&self, of: &str, missing: &Missing) -> String {
        let host = self.host();
        match missing {
            Missing::Status(StatusCode::UNAUTHORIZED) => format!("{host} does not know the token ({of})"),
            Missing::Status(StatusCode::FORBIDDEN | StatusCode::NOT_FOUND) => {
                format!("{host} has no {of}, or the token may not see it")
            }
            Missing::Status(status) => format!("{host} answers {status} for the {of}"),
            Missing::Other(why) => format!("{host} does not give the {of}: {why}"),
        }
    }

    async fn json<T: DeserializeOwned>(&self, url: &Url, of: &str) -> Result<T, String> {
        let bytes = self.body(url, PAGE).await.map_err(|missing| self.failed(of, &missing))?;
        let unread = |error: serde_json::Error| {
            format!("{} answers something else for the {of} (line {}, column {})", self.host(), error.line(), error.column())
        };
        serde_json::from_slice(&bytes).map_err(unread)
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
            let list: List<Resource<A>> = self.json(&self.url(segments, &query)?, of).await?;
            all.extend(list.data.into_iter().filter(|one| seen.insert(one.id.clone())));
            match list.meta.pagination.and_then(|pagination| pagination.next_page) {
                Some(next) if next > page => page = next,
                Some(_) | None => return Ok(all),
            }
        }
    }

    pub(super) async fn workspaces(&self) -> Result<Vec<Found>, String> {
        let of = format!("workspaces of organization {}", self.organization);
        let all: Vec<Resource<WorkspaceAttributes>> =
            self.all(&["organizations", &self.organization, "workspaces"], &[], &of).await?;
        let mut found: Vec<Found> = all
            .into_iter()
            .map(|Resource { id, attributes }| Found {
                name: attributes.name,
                description: attributes.description.unwrap_or_default(),
                // The word for "whatever is newest" is not a version to be kept.
                terraform_version: attributes.terraform_version.filter(|version| version != "latest").unwrap_or_default(),
                tags: attributes.tag_names.unwrap_or_default().into_iter().map(|tag| (tag, None)).collect(),
                locked: attributes.locked.unwrap_or_default(),
                id,
                ..Found::default()
            })
            .collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    /// The id of the current version of a workspace.
    async fn current(&self, found: &Found) -> Result<Option<String>, String> {
        let url = self.url(&["workspaces", &found.id, "current-state-version"], &[])?;
        let of = format!("current state of workspace {}", found.name);
        match self.body(&url, PAGE).await {
            Ok(bytes) => {
                let document: Result<Document<Resource<VersionAttributes>>, _> = serde_json::from_slice(&bytes);
                Ok(Some(document.map_err(|_| format!("{} answers something else for the {of}", self.host()))?.data.id))
            }
            Err(Missing::Status(StatusCode::NOT_FOUND)) => Ok(None),
            Err(missing) => Err(self.failed(&of, &missing)),
        }
    }

    pub(super) async fn history(&self, found: &Found) -> Result<History, String> {
        let query = [("filter[organization][name]", self.organization.as_str()), ("filter[workspace][name]", &found.name)];
        let of = format!("state versions of workspace {}", found.name);
        let newest_first: Versions = self.all(&["state-versions"], &query, &of).await?;
        let Some(current) = self.current(found).await? else {
            if newest_first.iter().any(|version| is_finalized(&version.attributes)) {
                return Err(format!("{} has states, but no current one, or the token may not read it", found.name));
            }
            return Ok(History::default());
        };
        // What is newer than the current one is not finished there: a snapshot during an apply.
        let Some(from) = newest_first.iter().position(|version| version.id == current) else {
            return Err(format!("its current state {current} is not in the list of its states; try again"));
        };
        let mut history = History::default();
        for (position, Resource { id, attributes }) in newest_first.into_iter().enumerate().skip(from) {
            if !is_finalized(&attributes) && position > from {
                let is_gone = attributes.status.is_some_and(|status| status.starts_with("backing_data"));
                history.gone += usize::from(is_gone);
                continue;
            }
            let url = attributes.hosted_state_download_url.as_deref().and_then(|url| self.address.join(url).ok());
            let Some(url) = url else {
                if position == from {
                    return Err(format!("its current state {id} has no download URL: the token may not read states"));
                }
                history.gone += 1;
                continue;
            };
            history.states.push(Offered {
                label: id.clone(),
                serial: attributes.serial,
                md5: attributes.md5.filter(|md5| !md5.is_empty()),
                sha256: None,
                created_at: attributes.created_at.as_deref().and_then(Timestamp::parse),
                created_by: String::new(),
                forced: false,
                at: At::Version { id, url },
            });
        }
        history.states.reverse();
        Ok(history)
    }

    /// The bytes of a state.
    pub(super) async fn state(&self, id: &str, url: &Url, most: usize) -> Result<Bytes, String> {
        let of = format!("state {id}");
        match self.body(url, most).await {
            Ok(bytes) => Ok(bytes),
            // Download URLs work for a while only.
            Err(Missing::Status(status)) if status.is_client_error() => {
                let document: Document<Resource<VersionAttributes>> =
                    self.json(&self.url(&["state-versions", id], &[])?, &of).await?;
                let url = document.data.attributes.hosted_state_download_url;
                let url = url.and_then(|url| self.address.join(&url).ok());
                let url = url.ok_or_else(|| format!("{} has the state {id} no longer", self.host()))?;
                self.body(&url, most).await.map_err(|missing| self.failed(&of, &missing))
            }
            Err(missing @ (Missing::Status(_) | Missing::Other(_))) => Err(self.failed(&of, &missing)),
        }
    }
}

/// True if a version has its bytes. Older servers do not say.
fn is_finalized(attributes: &VersionAttributes) -> bool {
    attributes.status.as_deref().is_none_or(|status| status == "finalized")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_does_not_cross_the_network_in_the_clear() {
        let made = |address: &str| Remote::new(address, "acme", "hunter22".to_owned()).map(|remote| remote.describe());
        assert_eq!(made("app.terraform.io"), Ok("organization acme of app.terraform.io".to_owned()));
        assert_eq!(made("http://127.0.0.1:8080"), Ok("organization acme of 127.0.0.1".to_owned()));
        assert!(made("http://tfe.example.com").expect_err("refused").contains("https:// only"));
        assert!(made("ftp://tfe.example.com").is_err() && made("https://").is_err());
        let remote = Remote::new("app.terraform.io", "acme", "hunter22".to_owned()).expect("a server");
        assert!(!format!("{remote:?}").contains("hunter22"));
        let url = remote.url(&["organizations", "a/b?c", "workspaces"], &[("page[size]", "100")]).expect("a URL");
        assert_eq!(url.as_str(), "https://app.terraform.io/api/v2/organizations/a%2Fb%3Fc/workspaces?page%5Bsize%5D=100");
    }
}
