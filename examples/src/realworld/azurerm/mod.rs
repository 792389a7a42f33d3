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
#[cfg(test)]
mod tests;

pub use app_configuration::{
    AppConfigurationFeature, AppConfigurationFeatureV0, AppConfigurationKey, AppConfigurationKeyV0, AppConfigurationKeyV1,
};
pub use dev_test::{
    DevTestLinuxVirtualMachine, DevTestLinuxVirtualMachineV0, DevTestPolicy, DevTestPolicyV0, DevTestSchedule, DevTestScheduleV0,
    DevTestVirtualNetwork, DevTestVirtualNetworkV0, DevTestWindowsVirtualMachine, DevTestWindowsVirtualMachineV0,
};
pub use environment::Environment;
pub use insights::{
    ActionGroup, ActionGroupV0, AnalyticsItem, AnalyticsItemV0, MetricAlert, MetricAlertV0, ScheduledQueryRulesAlert,
    ScheduledQueryRulesAlertV0,
};
pub use kusto_cluster::{KustoCluster, KustoClusterV1, LanguageExtension};
pub use reformatted_ids::{
    CassandraKeyspace, CassandraKeyspaceV0, ConsumerGroup, ConsumerGroupV0, DataFactory, DataFactoryV1, RoleDefinition,
    RoleDefinitionV0, SubscriptionPricing, SubscriptionPricingV0,
};
pub use resource_ids::{
    ApiKey, ApiKeyV0, ApiKeyV1, CdnEndpoint, CdnEndpointV0, CustomHttpsConfiguration, CustomHttpsConfigurationV0, FirewallPolicy,
    FirewallPolicyV0,
};
pub use servicebus_namespace::{ServiceBusNamespace, ServiceBusNamespaceV0};
pub use storage_account::{StorageAccount, StorageAccountV0, StorageAccountV1, StorageAccountV2};
pub use storage_addresses::{StorageContainer, StorageContainerV0, StorageTable, StorageTableV0, StorageTableV1};
pub use storage_share::{StorageShare, StorageShareV0, StorageShareV1};
pub use synapse_role_assignment::{SynapseRoleAssignment, SynapseRoleAssignmentV0};
