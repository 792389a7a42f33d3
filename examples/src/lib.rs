//! Worked examples: resources of public providers, upgraded from every shape their releases stored.
//!
//! Start with the `thing` binary of this package, then [`realworld`].

mod models;
pub mod realworld;

pub use models::{MODELS, Model, Outcome};

use realworld::{
    aiven, aws, azurerm, databricks, digitalocean, docker, elasticstack, github, google, kubernetes, launchdarkly, linode,
    newrelic, snowflake,
};
use upstate::Registry;

/// Every resource of this package, ready to be upgraded by type name.
///
/// One of them, `google_kms_crypto_key`, may need a [`google::ProviderConfig`]; add it with [`Registry::with_client`].
pub fn registry() -> Registry {
    Registry::new()
        .with::<aiven::Pg>()
        .with::<aws::DbInstance>()
        .with::<aws::Instance>()
        .with::<aws::KeyPair>()
        .with::<aws::Record>()
        .with::<aws::ReplicationGroup>()
        .with::<azurerm::ApiKey>()
        .with::<azurerm::CdnEndpoint>()
        .with::<azurerm::CustomHttpsConfiguration>()
        .with::<azurerm::FirewallPolicy>()
        .with::<azurerm::StorageAccount>()
        .with::<azurerm::StorageShare>()
        .with::<azurerm::SynapseRoleAssignment>()
        .with::<databricks::ClusterPolicy>()
        .with::<digitalocean::Certificate>()
        .with::<docker::Network>()
        .with::<elasticstack::AlertingRule>()
        .with::<elasticstack::ApiKey>()
        .with::<elasticstack::IndexTemplate>()
        .with::<elasticstack::Slo>()
        .with::<elasticstack::Transform>()
        .with::<github::ActionsOrganizationSecret>()
        .with::<google::BillingBudget>()
        .with::<google::CryptoKey>()
        .with::<google::InstanceTemplate>()
        .with::<google::StorageNotification>()
        .with::<kubernetes::Deployment>()
        .with::<launchdarkly::Project>()
        .with::<linode::NodebalancerConfig>()
        .with::<newrelic::Workflow>()
        .with::<snowflake::RowAccessPolicy>()
        .with::<snowflake::Schema>()
        .with::<snowflake::ScimIntegration>()
}
