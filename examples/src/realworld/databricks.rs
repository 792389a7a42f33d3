//! `databricks/databricks`.

use std::collections::BTreeSet;

use upstate::Resource;

/// Rules for the clusters a user may start. No limit is null, no longer 0.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "databricks_cluster_policy", version = 1)]
#[upgrade_from(0 => 1, null_if(max_clusters_per_user, 0))]
pub struct ClusterPolicy {
    #[attribute(computed)]
    pub id: Option<String>,
    pub max_clusters_per_user: Option<i64>,
}

/// Keys that encrypt what an account stores. Those of version 0 were for one use only.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "databricks_mws_customer_managed_keys", version = 1)]
#[upgrade_from(0 => 1, set(use_cases = BTreeSet::from(["MANAGED_SERVICES".to_owned()])))]
pub struct CustomerManagedKeys {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: Option<String>,
    pub use_cases: Option<BTreeSet<String>>,
}
