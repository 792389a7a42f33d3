//! `hashicorp/aws`.

mod db_instance;
mod elasticache_replication_group;
mod instance;
mod key_pair;
mod route53_record;

pub use db_instance::{DbInstance, DbInstanceV0, DbInstanceV1};
pub use elasticache_replication_group::{ClusterMode, ReplicationGroup, ReplicationGroupV1, ReplicationGroupV2};
pub use instance::{
    BlockDevice, CpuOptions, EbsBlockDevice, EphemeralBlockDevice, Instance, InstanceV0, InstanceV1, RootBlockDevice,
};
pub use key_pair::{KeyPair, KeyPairV0};
pub use route53_record::{FailoverRoutingPolicy, Record, RecordV0, RecordV1, WeightedRoutingPolicy};
