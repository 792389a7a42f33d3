//! `aws_elasticache_replication_group`: a block was removed, its name came back for a string, and a default went the same way.

use upstate::{Object, Resource};

/// A group of cache nodes. Nothing before version 1 is known.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(
    type_name = "aws_elasticache_replication_group",
    version = 3,
    oldest = 1
)]
#[upgrade_from(2 => 3,
    set(cluster_mode = null),
    only_if(lacks(auth_token), set(auth_token_update_strategy = null)),
    drop(auth_token_update_strategy, "without a token there is nothing to update"),
)]
#[upgrade_from(1 => 2,
    set(auth_token_update_strategy = "ROTATE"),
    drop(cluster_mode: Option<Vec<ClusterMode>>, "num_node_groups and replicas_per_node_group are attributes of their own"),
)]
pub struct ReplicationGroup {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(sensitive)]
    pub auth_token: Option<String>,
    pub auth_token_update_strategy: Option<String>,
    #[attribute(optional, computed)]
    pub cluster_mode: Option<String>,
    pub engine: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ClusterMode {
    pub num_node_groups: Option<i64>,
    pub replicas_per_node_group: Option<i64>,
}
