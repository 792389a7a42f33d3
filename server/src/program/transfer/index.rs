//! The index of an export: which file is which state.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The name of the index in the folder of an export.
pub(super) const FILE: &str = "upstate-export.json";

/// The form that this program writes and reads.
pub(super) const FORM: u32 = 1;

/// An export.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Index {
    #[serde(rename = "upstate-export")]
    pub(super) form: u32,
    pub(super) made: String,
    /// The description of the store.
    pub(super) of: String,
    pub(super) workspaces: Vec<ExportedWorkspace>,
}

/// A workspace of an export.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ExportedWorkspace {
    pub(super) organization: String,
    /// The name of its project, unless that is the first of the organization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<String>,
    pub(super) name: String,
    #[serde(default)]
    pub(super) description: String,
    #[serde(default)]
    pub(super) terraform_version: String,
    #[serde(default)]
    pub(super) tags: BTreeMap<String, Option<String>>,
    /// True if somebody had it locked, so that it may have changed since.
    #[serde(default)]
    pub(super) locked: bool,
    /// Its states, the oldest first; the last one is the current one.
    pub(super) versions: Vec<ExportedVersion>,
}

/// A state of an export.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ExportedVersion {
    pub(super) id: String,
    pub(super) serial: i64,
    pub(super) lineage: String,
    pub(super) md5: String,
    pub(super) sha256: String,
    pub(super) size: u64,
    pub(super) created_at: String,
    pub(super) created_by: String,
    /// True if its serial and lineage were not compared with those before it.
    #[serde(default)]
    pub(super) forced: bool,
    /// Its file, from the folder of the index.
    pub(super) file: String,
}
