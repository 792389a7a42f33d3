//! A custom resource of Kubernetes as data: its names, and its versions with the document's version
//! of each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use upstate::__internal::custom_resource::Maturity;

/// The names and versions of a custom resource.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CustomResourceSnapshot {
    /// The API group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The name in URLs.
    pub plural: String,
    /// `Namespaced` or `Cluster`.
    pub scope: String,
    /// The subresources: `scale`, `status`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subresources: Vec<String>,
    /// The versions, by name.
    pub versions: BTreeMap<String, ApiVersionSnapshot>,
}

/// A version of a custom resource.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ApiVersionSnapshot {
    /// The version of the document.
    pub number: u64,
    /// True if clients may ask for it.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub served: bool,
    /// True if objects are stored in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub storage: bool,
    /// The warning for clients if it is deprecated; empty if the server is to write one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// The release that deprecated it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

impl CustomResourceSnapshot {
    /// The version that objects are stored in.
    pub(crate) fn storage(&self) -> Option<(&str, &ApiVersionSnapshot)> {
        self.versions
            .iter()
            .find(|(_, version)| version.storage)
            .map(|(name, version)| (name.as_str(), version))
    }

    /// The stability of the version that has this version of the document, if clients may ask for
    /// it.
    pub(crate) fn maturity_of(&self, number: u64) -> Option<Maturity> {
        let served = self
            .versions
            .iter()
            .find(|(_, version)| version.served && version.number == number);
        served.map(|(name, _)| maturity(name))
    }
}

/// The stability of a version. One that is named in another way makes no promise.
pub(crate) fn maturity(name: &str) -> Maturity {
    Maturity::of(name).map_or(Maturity::Alpha, |(maturity, ..)| maturity)
}

fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_true(flag: &bool) -> bool {
    *flag
}
