//! `google_container_cluster`: a list whose order never mattered became a set.

use std::collections::BTreeSet;

use upstate::Resource;

/// A Kubernetes cluster.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_container_cluster", version = 1)]
#[upgrade_from(0 => 1, convert(additional_zones: Option<Vec<String>>))]
pub struct Cluster {
    #[attribute(computed)]
    pub id: Option<String>,
    pub additional_zones: Option<BTreeSet<String>>,
    pub name: Option<String>,
}
