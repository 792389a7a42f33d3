//! Sources of states: a folder, another server, GitLab, addresses of `backend "http"`, a bucket, or
//! the database of `backend "pg"`.

use bytes::Bytes;

use super::bucket::Bucket;
use super::folder::Folder;
use super::found::{At, Found, History, Offered};
use super::gitlab::Gitlab;
use super::http::HttpBackend;
use super::pg_backend::PgBackend;
use super::remote::Remote;

/// The states are read from here.
#[derive(Debug)]
pub(super) enum Source {
    Folder(Folder),
    Remote(Remote),
    Gitlab(Gitlab),
    Http(HttpBackend),
    Bucket(Bucket),
    Pg(PgBackend),
}

impl Source {
    /// Its name for people.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Folder(folder) => folder.path.display().to_string(),
            Self::Remote(remote) => remote.describe(),
            Self::Gitlab(gitlab) => gitlab.describe(),
            Self::Http(http) => http.describe(),
            Self::Bucket(bucket) => bucket.describe(),
            Self::Pg(database) => database.describe(),
        }
    }

    /// Its workspaces, by name.
    pub(super) async fn workspaces(&self) -> Result<Vec<Found>, String> {
        match self {
            Self::Folder(folder) => folder.workspaces(),
            Self::Remote(remote) => remote.workspaces().await,
            Self::Gitlab(gitlab) => gitlab.workspaces().await,
            Self::Http(http) => http.workspaces(),
            Self::Bucket(bucket) => bucket.workspaces().await,
            Self::Pg(database) => database.workspaces().await,
        }
    }

    /// The states of a workspace.
    pub(super) async fn history(&self, found: &Found) -> Result<History, String> {
        match self {
            Self::Folder(_) | Self::Http(_) | Self::Pg(_) => Ok(History {
                states: found.states.clone(),
                gone: 0,
            }),
            Self::Remote(remote) => remote.history(found).await,
            Self::Gitlab(gitlab) => gitlab.history(found).await,
            Self::Bucket(bucket) => bucket.history(found).await,
        }
    }

    /// True if it refuses a state that does not follow the one before it, unless it is forced. A
    /// bucket and GitLab keep what is put there.
    pub(super) fn compares(&self) -> bool {
        match self {
            Self::Folder(_) | Self::Remote(_) | Self::Http(_) | Self::Pg(_) => true,
            Self::Gitlab(_) | Self::Bucket(_) => false,
        }
    }

    /// The bytes of a state, at most so many.
    pub(super) async fn bytes(&self, state: &Offered, most: usize) -> Result<Bytes, String> {
        match (self, &state.at) {
            (_, At::File(path)) => super::folder::bytes(path, most),
            (Self::Remote(remote), At::Version { id, url }) => remote.state(id, url, most).await,
            (Self::Gitlab(gitlab), At::Version { url, .. }) => {
                gitlab.state(&state.label, url, most).await
            }
            (Self::Http(http), At::Version { url, .. }) => http.state(url, most).await,
            (Self::Bucket(bucket), At::Object { key, version }) => {
                bucket.state(key, version.as_deref(), most).await
            }
            (Self::Pg(database), At::Row(id)) => database.state(*id, most).await,
            (Self::Folder(_) | Self::Bucket(_) | Self::Pg(_), At::Version { .. })
            | (
                Self::Folder(_) | Self::Remote(_) | Self::Gitlab(_) | Self::Http(_) | Self::Pg(_),
                At::Object { .. },
            )
            | (
                Self::Folder(_)
                | Self::Remote(_)
                | Self::Gitlab(_)
                | Self::Http(_)
                | Self::Bucket(_),
                At::Row(_),
            ) => Err(format!("{} is not of {}", state.label, self.describe())),
        }
    }
}
