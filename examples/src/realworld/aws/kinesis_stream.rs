//! `aws_kinesis_stream`: whether consumers go when the stream does, with its default.

use std::collections::{BTreeMap, BTreeSet};

use upstate::Resource;

/// A log that many read from.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_kinesis_stream", version = 1)]
#[upgrade_from(0 => 1, set(enforce_consumer_deletion = false))]
pub struct KinesisStream {
    #[attribute(computed)]
    pub id: Option<String>,
    pub arn: Option<String>,
    pub encryption_type: Option<String>,
    pub enforce_consumer_deletion: Option<bool>,
    pub kms_key_id: Option<String>,
    pub name: String,
    pub retention_period: Option<i64>,
    pub shard_count: Option<i64>,
    pub shard_level_metrics: Option<BTreeSet<String>>,
    pub tags: Option<BTreeMap<String, String>>,
}
