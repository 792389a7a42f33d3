//! `databricks/databricks`.

use upstate::Resource;

/// Rules for the clusters a user may start. No limit is null, no longer 0.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "databricks_cluster_policy", version = 1)]
#[upgrade_from(0, model = ClusterPolicyV0)]
pub struct ClusterPolicy {
    #[attribute(computed)]
    pub id: Option<String>,
    pub max_clusters_per_user: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "databricks_cluster_policy", version = 0)]
pub struct ClusterPolicyV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub max_clusters_per_user: Option<i64>,
}

impl From<ClusterPolicyV0> for ClusterPolicy {
    fn from(prior: ClusterPolicyV0) -> Self {
        Self { id: prior.id, max_clusters_per_user: prior.max_clusters_per_user.filter(|&limit| limit != 0) }
    }
}
