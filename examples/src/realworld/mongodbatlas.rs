//! `mongodb/mongodbatlas`.

use std::collections::BTreeMap;

use upstate::{Object, Resource};

/// A database cluster.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "mongodbatlas_cluster", version = 1)]
#[upgrade_from(0 => 1,
    set(advanced_configuration = []),
    drop(advanced_configuration: Option<BTreeMap<String, String>>, "the provider reads it again, each setting in its own type"),
)]
pub struct Cluster {
    #[attribute(computed)]
    pub id: Option<String>,
    pub advanced_configuration: Option<Vec<AdvancedConfiguration>>,
    pub name: String,
    pub project_id: String,
    pub provider_instance_size_name: Option<String>,
    pub provider_name: Option<String>,
    pub replication_specs: Option<Vec<ReplicationSpec>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct AdvancedConfiguration {
    pub fail_index_key_too_long: Option<bool>,
    pub javascript_enabled: Option<bool>,
    pub minimum_enabled_tls_protocol: Option<String>,
    pub no_table_scan: Option<bool>,
    pub oplog_size_mb: Option<i64>,
    pub sample_refresh_interval_bi_connector: Option<i64>,
    pub sample_size_bi_connector: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ReplicationSpec {
    pub num_shards: i64,
}
