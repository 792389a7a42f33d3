//! Worked examples: resources of public providers, upgraded from every shape their releases stored.
//!
//! Start with the `thing` binary of this package, then [`realworld`].

mod models;
pub mod realworld;

pub use models::{MODELS, Model, Outcome};

use realworld::{
    aiven, aws, azuread, azurerm, cloudflare, consul, databricks, digitalocean, docker, elasticstack, github, google, grafana,
    kubernetes, launchdarkly, linode, mongodbatlas, newrelic, rancher2, scaleway, scalr, snowflake, tfe, vault,
};
use upstate::Registry;

/// Every resource of this package, ready to be upgraded by type name.
///
/// One of them, `google_kms_crypto_key`, may need a [`google::ProviderConfig`]; add it with [`Registry::with_client`].
pub fn registry() -> Registry {
    Registry::new()
        .with::<aiven::Pg>()
        .with::<aiven::TypeUpgrader>()
        .with::<aws::AutoscalingGroup>()
        .with::<aws::BeanstalkEnvironment>()
        .with::<aws::CertificateAuthority>()
        .with::<aws::DbInstance>()
        .with::<aws::DeliveryStream>()
        .with::<aws::Instance>()
        .with::<aws::InvocationLogging>()
        .with::<aws::KeyPair>()
        .with::<aws::KinesisStream>()
        .with::<aws::Record>()
        .with::<aws::ReplicationGroup>()
        .with::<aws::SecurityGroup>()
        .with::<aws::SecurityGroupRule>()
        .with::<aws::SpotFleetRequest>()
        .with::<aws::SsmAssociation>()
        .with::<aws::StorageVirtualMachine>()
        .with::<azuread::Group>()
        .with::<azurerm::ApiKey>()
        .with::<azurerm::CdnEndpoint>()
        .with::<azurerm::CustomHttpsConfiguration>()
        .with::<azurerm::FirewallPolicy>()
        .with::<azurerm::StorageAccount>()
        .with::<azurerm::StorageShare>()
        .with::<azurerm::SynapseRoleAssignment>()
        .with::<consul::Keys>()
        .with::<databricks::ClusterPolicy>()
        .with::<databricks::CustomerManagedKeys>()
        .with::<digitalocean::Certificate>()
        .with::<docker::Network>()
        .with::<elasticstack::AlertingRule>()
        .with::<elasticstack::ApiKey>()
        .with::<elasticstack::Dashboard>()
        .with::<elasticstack::DetectionRule>()
        .with::<elasticstack::IndexLifecycle>()
        .with::<elasticstack::IndexTemplate>()
        .with::<elasticstack::SecurityRole>()
        .with::<elasticstack::Slo>()
        .with::<elasticstack::Transform>()
        .with::<github::ActionsOrganizationSecret>()
        .with::<github::ActionsSecret>()
        .with::<github::BranchDefault>()
        .with::<github::EmuGroupMapping>()
        .with::<github::Release>()
        .with::<github::Repository>()
        .with::<github::RepositoryCollaborators>()
        .with::<github::RepositoryCustomProperty>()
        .with::<github::RepositoryFile>()
        .with::<google::BillingBudget>()
        .with::<google::Cluster>()
        .with::<google::CryptoKey>()
        .with::<google::Firewall>()
        .with::<google::Instance>()
        .with::<google::InstanceTemplate>()
        .with::<google::NodePool>()
        .with::<google::Project>()
        .with::<google::StorageNotification>()
        .with::<google::Trigger>()
        .with::<grafana::K6LoadTest>()
        .with::<kubernetes::Deployment>()
        .with::<launchdarkly::Metric>()
        .with::<launchdarkly::Project>()
        .with::<linode::NodebalancerConfig>()
        .with::<mongodbatlas::Cluster>()
        .with::<newrelic::Workflow>()
        .with::<rancher2::ClusterV2>()
        .with::<scaleway::RdbPrivilege>()
        .with::<scalr::Role>()
        .with::<scalr::VcsProvider>()
        .with::<snowflake::RowAccessPolicy>()
        .with::<snowflake::Schema>()
        .with::<snowflake::ScimIntegration>()
        .with::<tfe::Workspace>()
        .with::<vault::AuthBackend>()
        .with::<vault::IdentityGroup>()
        .with::<vault::SshSecretBackendCa>()
}
