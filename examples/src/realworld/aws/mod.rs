//! `hashicorp/aws`.

mod acmpca_certificate_authority;
mod autoscaling_group;
mod bedrock_model_invocation_logging_configuration;
mod db_instance;
mod elastic_beanstalk_environment;
mod elasticache_replication_group;
mod fsx_ontap_storage_virtual_machine;
mod instance;
mod key_pair;
mod kinesis_firehose_delivery_stream;
mod kinesis_stream;
mod route53_record;
mod security_group;
mod security_group_rule;
mod spot_fleet_request;
mod ssm_association;

pub use acmpca_certificate_authority::CertificateAuthority;
pub use autoscaling_group::AutoscalingGroup;
pub use bedrock_model_invocation_logging_configuration::{
    CloudwatchConfig, InvocationLogging, LoggingConfig, S3Config,
};
pub use db_instance::DbInstance;
pub use elastic_beanstalk_environment::BeanstalkEnvironment;
pub use elasticache_replication_group::{ClusterMode, ReplicationGroup};
pub use fsx_ontap_storage_virtual_machine::{
    ActiveDirectoryConfiguration, SelfManagedActiveDirectory, StorageVirtualMachine,
};
pub use instance::{
    BlockDevice, CpuOptions, EbsBlockDevice, EphemeralBlockDevice, Instance, InstanceV0,
    InstanceV1, RootBlockDevice,
};
pub use key_pair::KeyPair;
pub use kinesis_firehose_delivery_stream::{DeliveryStream, DeliveryStreamV0, S3Configuration};
pub use kinesis_stream::KinesisStream;
pub use route53_record::{FailoverRoutingPolicy, Record, RecordV1, WeightedRoutingPolicy};
pub use security_group::SecurityGroup;
pub use security_group_rule::{SecurityGroupRule, SecurityGroupRuleV0};
pub use spot_fleet_request::SpotFleetRequest;
pub use ssm_association::SsmAssociation;
