//! The workspaces and states of a source.

use std::path::PathBuf;

use reqwest::Url;

use crate::model::Timestamp;

/// A workspace of a source.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    /// The organization, if the source names one that is to be kept.
    pub(super) organization: Option<String>,
    /// The name of its project, unless that is the first of the organization.
    pub(super) project: Option<String>,
    /// True if it has a project, but the source does not say the name.
    pub(super) has_hidden_project: bool,
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

impl Offered {
    /// One of which no more is known.
    pub(super) fn new(label: String, at: At) -> Self {
        Self {
            label,
            serial: None,
            md5: None,
            sha256: None,
            created_at: None,
            created_by: String::new(),
            forced: false,
            at,
        }
    }
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
    /// An object of a bucket, or one of its versions.
    Object {
        key: object_store::path::Path,
        version: Option<String>,
    },
    /// A row of the table of `backend "pg"`.
    Row(i64),
}

/// The states of a workspace.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The oldest first; the last one is the current one.
    pub(super) states: Vec<Offered>,
    /// The number of older states that the source lists, but has no longer.
    pub(super) gone: usize,
}

/// The name of a workspace here; what a name cannot have becomes `-`.
pub(super) fn name_here(name: &str) -> String {
    let allowed = |letter: char| {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            letter
        } else {
            '-'
        }
    };
    name.chars().map(allowed).collect()
}

/// The reason for a state that is larger than allowed.
pub(super) fn too_large(most: usize) -> String {
    format!(
        "a state is larger than {} MiB; --max-state-mib allows more",
        most >> 20
    )
}
