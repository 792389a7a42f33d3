//! Sources of states: a folder, another server, or GitLab.

use std::path::PathBuf;

use bytes::Bytes;
use reqwest::Url;

use super::folder::Folder;
use super::gitlab::Gitlab;
use super::remote::Remote;
use crate::model::Timestamp;

/// The states are read from here.
#[derive(Debug)]
pub(super) enum Source {
    Folder(Folder),
    Remote(Remote),
    Gitlab(Gitlab),
}

/// A workspace of a source.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    /// The organization, if the source names one that is to be kept.
    pub(super) organization: Option<String>,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) terraform_version: String,
    pub(super) tags: Vec<(String, Option<String>)>,
    /// True if somebody has it locked there.
    pub(super) locked: bool,
    /// Its id at a server.
    pub(super) id: String,
    /// Its states, where the list of workspaces has them.
    pub(super) states: Vec<Offered>,
    /// The reason why it is not to be imported.
    pub(super) wrong: Option<String>,
}

/// A state of a source, as far as is known before it is read.
#[derive(Debug, Clone)]
pub(super) struct Offered {
    /// Its name for people.
    pub(super) label: String,
    pub(super) serial: Option<i64>,
    pub(super) md5: Option<String>,
    pub(super) sha256: Option<String>,
    pub(super) created_at: Option<Timestamp>,
    pub(super) created_by: String,
    pub(super) forced: bool,
    pub(super) at: At,
}

/// The place of a state.
#[derive(Debug, Clone)]
pub(super) enum At {
    File(PathBuf),
    /// A version of a server, and its signed URL, which others must not see.
    Version {
        id: String,
        url: Url,
    },
}

/// The states of a workspace.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The oldest first; the last one is the current one.
    pub(super) states: Vec<Offered>,
    /// The number of older states that the source lists, but has no longer.
    pub(super) gone: usize,
}

impl Source {
    /// Its name for people.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Folder(folder) => folder.path.display().to_string(),
            Self::Remote(remote) => remote.describe(),
            Self::Gitlab(gitlab) => gitlab.describe(),
        }
    }

    /// Its workspaces, by name.
    pub(super) async fn workspaces(&self) -> Result<Vec<Found>, String> {
        match self {
            Self::Folder(folder) => folder.workspaces(),
            Self::Remote(remote) => remote.workspaces().await,
            Self::Gitlab(gitlab) => gitlab.workspaces().await,
        }
    }

    /// The states of a workspace.
    pub(super) async fn history(&self, found: &Found) -> Result<History, String> {
        match self {
            Self::Folder(_) | Self::Gitlab(_) => Ok(History { states: found.states.clone(), gone: 0 }),
            Self::Remote(remote) => remote.history(found).await,
        }
    }

    /// The bytes of a state, at most so many.
    pub(super) async fn bytes(&self, state: &Offered, most: usize) -> Result<Bytes, String> {
        match (self, &state.at) {
            (_, At::File(path)) => super::folder::bytes(path, most),
            (Self::Remote(remote), At::Version { id, url }) => remote.state(id, url, most).await,
            (Self::Gitlab(gitlab), At::Version { url, .. }) => gitlab.state(&state.label, url, most).await,
            (Self::Folder(_), At::Version { id, .. }) => Err(format!("{id} is not in a folder")),
        }
    }
}
