//! `elasticstack_elasticsearch_transform`: blocks of one became single objects, two of them with another inside.

use upstate::{Diagnostic, Object, Resource};

use super::Connection;
use crate::realworld::blocks::{exactly_one, unwrapped};

/// A continuous query from indices into an index.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_transform", version = 1)]
#[upgrade_from(0, model = TransformV0)]
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

/// The transform while every block was a list.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "elasticstack_elasticsearch_transform", version = 0)]
pub struct TransformV0 {
    #[attribute(computed)]
    pub id: String,
    pub destination: Option<Vec<Destination>>,
    pub elasticsearch_connection: Option<Vec<Connection>>,
    pub name: String,
    pub retention_policy: Option<Vec<RetentionPolicyV0>>,
    pub source: Option<Vec<Source>>,
    pub sync: Option<Vec<SyncV0>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SyncV0 {
    pub time: Option<Vec<SyncTime>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct RetentionPolicyV0 {
    pub time: Option<Vec<RetentionTime>>,
}

impl TryFrom<TransformV0> for Transform {
    type Error = Diagnostic;

    fn try_from(prior: TransformV0) -> Result<Self, Self::Error> {
        Ok(Self {
            id: prior.id,
            destination: exactly_one("destination", prior.destination)?,
            elasticsearch_connection: prior.elasticsearch_connection,
            name: prior.name,
            retention_policy: unwrapped("retention_policy", prior.retention_policy)?,
            source: exactly_one("source", prior.source)?,
            sync: unwrapped("sync", prior.sync)?,
        })
    }
}

impl TryFrom<SyncV0> for Sync {
    type Error = Diagnostic;

    fn try_from(prior: SyncV0) -> Result<Self, Self::Error> {
        Ok(Self { time: exactly_one("time", prior.time)? })
    }
}

impl TryFrom<RetentionPolicyV0> for RetentionPolicy {
    type Error = Diagnostic;

    fn try_from(prior: RetentionPolicyV0) -> Result<Self, Self::Error> {
        Ok(Self { time: exactly_one("time", prior.time)? })
    }
}
