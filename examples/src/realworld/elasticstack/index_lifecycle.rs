//! `elasticstack_elasticsearch_index_lifecycle`: every phase and every action in it, a list of one, became an object.

use upstate::{Object, Resource};

use super::Connection;

/// What happens to an index as it grows old.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_index_lifecycle", version = 1)]
#[upgrade_from(0 => 1,
    unwrap(
        cold: Option<Vec<PhaseV0>>, delete: Option<Vec<DeletePhaseV0>>, frozen: Option<Vec<PhaseV0>>, hot: Option<Vec<PhaseV0>>,
        warm: Option<Vec<PhaseV0>>
    ),
    null_if(metadata, ""),
)]
pub struct IndexLifecycle {
    #[attribute(computed)]
    pub id: String,
    pub cold: Option<Phase>,
    pub delete: Option<DeletePhase>,
    pub elasticsearch_connection: Option<Vec<Connection>>,
    pub frozen: Option<Phase>,
    pub hot: Option<Phase>,
    pub metadata: Option<String>,
    pub name: String,
    pub warm: Option<Phase>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(
    model = PhaseV0,
    unwrap(
        allocate, downsample, forcemerge, freeze, migrate, readonly, rollover, searchable_snapshot, set_priority, shrink,
        unfollow
    )
)]
pub struct Phase {
    pub allocate: Option<Allocate>,
    pub downsample: Option<Downsample>,
    pub forcemerge: Option<Forcemerge>,
    pub freeze: Option<Switch>,
    pub migrate: Option<Switch>,
    pub min_age: Option<String>,
    pub readonly: Option<Switch>,
    pub rollover: Option<Rollover>,
    pub searchable_snapshot: Option<SearchableSnapshot>,
    pub set_priority: Option<SetPriority>,
    pub shrink: Option<Shrink>,
    pub unfollow: Option<Switch>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = DeletePhaseV0, unwrap(delete, wait_for_snapshot))]
pub struct DeletePhase {
    pub delete: Option<Delete>,
    pub min_age: Option<String>,
    pub wait_for_snapshot: Option<WaitForSnapshot>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PhaseV0 {
    pub allocate: Option<Vec<AllocateV0>>,
    pub downsample: Option<Vec<Downsample>>,
    pub forcemerge: Option<Vec<Forcemerge>>,
    pub freeze: Option<Vec<Switch>>,
    pub migrate: Option<Vec<Switch>>,
    pub min_age: Option<String>,
    pub readonly: Option<Vec<Switch>>,
    pub rollover: Option<Vec<Rollover>>,
    pub searchable_snapshot: Option<Vec<SearchableSnapshot>>,
    pub set_priority: Option<Vec<SetPriority>>,
    pub shrink: Option<Vec<Shrink>>,
    pub unfollow: Option<Vec<Switch>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct DeletePhaseV0 {
    pub delete: Option<Vec<Delete>>,
    pub min_age: Option<String>,
    pub wait_for_snapshot: Option<Vec<WaitForSnapshot>>,
}

/// Where its parts go. Empty strings of JSON became null.
#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = AllocateV0, null_if((exclude, include, require), ""))]
pub struct Allocate {
    pub exclude: Option<String>,
    pub include: Option<String>,
    pub number_of_replicas: Option<i64>,
    pub require: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct AllocateV0 {
    pub exclude: Option<String>,
    pub include: Option<String>,
    pub number_of_replicas: Option<i64>,
    pub require: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Delete {
    pub delete_searchable_snapshot: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Downsample {
    pub fixed_interval: String,
    pub wait_timeout: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Forcemerge {
    pub index_codec: Option<String>,
    pub max_num_segments: i64,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Rollover {
    pub max_age: Option<String>,
    pub max_docs: Option<i64>,
    pub max_size: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SearchableSnapshot {
    pub force_merge_index: Option<bool>,
    pub snapshot_repository: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SetPriority {
    pub priority: i64,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Shrink {
    pub max_primary_shard_size: Option<String>,
    pub number_of_shards: Option<i64>,
}

/// An action that is only done or not.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct Switch {
    pub enabled: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct WaitForSnapshot {
    pub policy: String,
}
