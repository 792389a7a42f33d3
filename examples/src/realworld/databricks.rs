//! `databricks/databricks`.

use upstate::Resource;

/// Rules for the clusters a user may start. No limit is null, no longer 0.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "databricks_cluster_policy", version = 1)]
#[upgrade_from(0, model = ClusterPolicyV0, null_if(max_clusters_per_user, 0))]
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
