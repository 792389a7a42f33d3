//! `hashicorp/azurerm`.

mod app_configuration;
mod dev_test;
mod environment;
mod insights;
mod kusto_cluster;
mod reformatted_ids;
mod resource_ids;
mod servicebus_namespace;
mod storage_account;
mod storage_addresses;
mod storage_share;
mod synapse_role_assignment;

pub use app_configuration::{
    AppConfigurationFeature, AppConfigurationFeatureV0, AppConfigurationKey,
};
pub use dev_test::{
    DevTestLinuxVirtualMachine, DevTestPolicy, DevTestSchedule, DevTestVirtualNetwork,
    DevTestWindowsVirtualMachine,
};
pub use environment::Environment;
pub use insights::{ActionGroup, AnalyticsItem, MetricAlert, ScheduledQueryRulesAlert};
pub use kusto_cluster::{KustoCluster, LanguageExtension};
pub use reformatted_ids::{
    CassandraKeyspace, ConsumerGroup, DataFactory, RoleDefinition, SubscriptionPricing,
};
pub use resource_ids::{ApiKey, CdnEndpoint, CustomHttpsConfiguration, FirewallPolicy};
pub use servicebus_namespace::ServiceBusNamespace;
pub use storage_account::StorageAccount;
pub use storage_addresses::{
    StorageContainer, StorageContainerV0, StorageTable, StorageTableV0, StorageTableV1,
};
pub use storage_share::StorageShare;
pub use synapse_role_assignment::SynapseRoleAssignment;
