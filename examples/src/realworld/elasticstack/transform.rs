//! `elasticstack_elasticsearch_transform`: blocks of one became single objects, two of them with another inside.

use upstate::{Object, Resource};

use super::Connection;

/// A continuous query from indices into an index.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_transform", version = 1)]
#[upgrade_from(0 => 1,
    unwrap(retention_policy, sync),
    unwrap(destination: Option<Vec<Destination>>, source: Option<Vec<Source>>, empty = refuse),
    unwrap(retention_policy.time: Option<Vec<RetentionTime>>, sync.time: Option<Vec<SyncTime>>, empty = refuse),
)]
pub struct Transform {
    #[attribute(computed)]
    pub id: String,
    pub destination: Destination,
    pub elasticsearch_connection: Option<Vec<Connection>>,
    pub name: String,
    pub retention_policy: Option<RetentionPolicy>,
    pub source: Source,
    pub sync: Option<Sync>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Source {
    pub indices: Vec<String>,
    pub query: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Destination {
    pub aliases: Option<Vec<DestinationAlias>>,
    pub index: String,
    pub pipeline: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct DestinationAlias {
    pub alias: String,
    pub move_on_creation: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Sync {
    pub time: SyncTime,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SyncTime {
    pub delay: Option<String>,
    pub field: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct RetentionPolicy {
    pub time: RetentionTime,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct RetentionTime {
    pub field: String,
    pub max_age: String,
}
