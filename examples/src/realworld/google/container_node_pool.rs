//! `google_container_node_pool`: a name that is not unique became an id that is.

use upstate::Resource;

/// Machines of a Kubernetes cluster.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_container_node_pool", version = 1)]
#[upgrade_from(0 => 1, reformat(id = "{zone}/{cluster}/{name}"), drop(id, "it was the name"))]
pub struct NodePool {
    #[attribute(computed)]
    pub id: String,
    pub cluster: String,
    #[attribute(optional, computed)]
    pub name: String,
    pub zone: String,
}
