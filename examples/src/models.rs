//! All models, prior ones included, by type name and version.

use std::error::Error;

use upstate::Resource;

use crate::realworld::{
    aiven, aws, azurerm, databricks, digitalocean, docker, elasticstack, github, google, kubernetes, launchdarkly, linode,
    newrelic, snowflake,
};

/// What a model answers: JSON, or why there is none.
pub type Outcome = Result<Vec<u8>, Box<dyn Error + Send + Sync>>;

/// One version of one resource, for tools that look it up by name.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// The resource's type name.
    pub type_name: &'static str,
    /// The schema version this model describes.
    pub version: u64,
    /// Reads JSON stored at this version and writes it again with every attribute, unset ones as null.
    pub complete: fn(&[u8]) -> Outcome,
    /// Reads JSON stored at an earlier version and writes it as this one.
    pub upgrade: fn(u64, &[u8]) -> Outcome,
}

impl Model {
    const fn of<T: Resource>() -> Self {
        Self { type_name: T::TYPE_NAME, version: T::VERSION, complete: complete::<T>, upgrade: upgrade::<T> }
    }

    /// The model of `type_name` at `version`.
    pub fn find(type_name: &str, version: u64) -> Option<&'static Self> {
        MODELS.iter().find(|model| model.type_name == type_name && model.version == version)
    }
}

fn complete<T: Resource>(json: &[u8]) -> Outcome {
    Ok(upstate::to_json(&upstate::from_json::<T>(json)?)?)
}

fn upgrade<T: Resource>(version: u64, json: &[u8]) -> Outcome {
    Ok(upstate::to_json(&upstate::upgrade_json::<T>(version, json)?)?)
}

/// Every model in this package, the current one of each resource first.
pub const MODELS: &[Model] = &[
    Model::of::<aiven::Pg>(),
    Model::of::<aiven::PgV0>(),
    Model::of::<aws::DbInstance>(),
    Model::of::<aws::DbInstanceV1>(),
    Model::of::<aws::DbInstanceV0>(),
    Model::of::<aws::ReplicationGroup>(),
    Model::of::<aws::ReplicationGroupV2>(),
    Model::of::<aws::ReplicationGroupV1>(),
    Model::of::<aws::Instance>(),
    Model::of::<aws::InstanceV1>(),
    Model::of::<aws::InstanceV0>(),
    Model::of::<aws::KeyPair>(),
    Model::of::<aws::KeyPairV0>(),
    Model::of::<aws::Record>(),
    Model::of::<aws::RecordV1>(),
    Model::of::<aws::RecordV0>(),
    Model::of::<azurerm::ApiKey>(),
    Model::of::<azurerm::ApiKeyV1>(),
    Model::of::<azurerm::ApiKeyV0>(),
    Model::of::<azurerm::CdnEndpoint>(),
    Model::of::<azurerm::CdnEndpointV0>(),
    Model::of::<azurerm::CustomHttpsConfiguration>(),
    Model::of::<azurerm::CustomHttpsConfigurationV0>(),
    Model::of::<azurerm::FirewallPolicy>(),
    Model::of::<azurerm::FirewallPolicyV0>(),
    Model::of::<azurerm::StorageAccount>(),
    Model::of::<azurerm::StorageAccountV2>(),
    Model::of::<azurerm::StorageAccountV1>(),
    Model::of::<azurerm::StorageAccountV0>(),
    Model::of::<azurerm::StorageShare>(),
    Model::of::<azurerm::StorageShareV1>(),
    Model::of::<azurerm::StorageShareV0>(),
    Model::of::<azurerm::SynapseRoleAssignment>(),
    Model::of::<azurerm::SynapseRoleAssignmentV0>(),
    Model::of::<databricks::ClusterPolicy>(),
    Model::of::<databricks::ClusterPolicyV0>(),
    Model::of::<digitalocean::Certificate>(),
    Model::of::<digitalocean::CertificateV0>(),
    Model::of::<docker::Network>(),
    Model::of::<docker::NetworkV0>(),
    Model::of::<elasticstack::IndexTemplate>(),
    Model::of::<elasticstack::IndexTemplateV0>(),
    Model::of::<elasticstack::ApiKey>(),
    Model::of::<elasticstack::ApiKeyV1>(),
    Model::of::<elasticstack::ApiKeyV0>(),
    Model::of::<elasticstack::Transform>(),
    Model::of::<elasticstack::TransformV0>(),
    Model::of::<elasticstack::AlertingRule>(),
    Model::of::<elasticstack::AlertingRuleV0>(),
    Model::of::<elasticstack::Slo>(),
    Model::of::<elasticstack::SloV1>(),
    Model::of::<elasticstack::SloV0>(),
    Model::of::<github::ActionsOrganizationSecret>(),
    Model::of::<github::ActionsOrganizationSecretV0>(),
    Model::of::<google::BillingBudget>(),
    Model::of::<google::BillingBudgetV0>(),
    Model::of::<google::InstanceTemplate>(),
    Model::of::<google::InstanceTemplateV0>(),
    Model::of::<google::CryptoKey>(),
    Model::of::<google::CryptoKeyV0>(),
    Model::of::<google::StorageNotification>(),
    Model::of::<google::StorageNotificationV0>(),
    Model::of::<kubernetes::Deployment>(),
    Model::of::<kubernetes::DeploymentV0>(),
    Model::of::<launchdarkly::Project>(),
    Model::of::<launchdarkly::ProjectV0>(),
    Model::of::<linode::NodebalancerConfig>(),
    Model::of::<linode::NodebalancerConfigV0>(),
    Model::of::<newrelic::Workflow>(),
    Model::of::<newrelic::WorkflowV0>(),
    Model::of::<snowflake::RowAccessPolicy>(),
    Model::of::<snowflake::RowAccessPolicyV0>(),
    Model::of::<snowflake::Schema>(),
    Model::of::<snowflake::SchemaV1>(),
    Model::of::<snowflake::SchemaV0>(),
    Model::of::<snowflake::ScimIntegration>(),
    Model::of::<snowflake::ScimIntegrationV1>(),
    Model::of::<snowflake::ScimIntegrationV0>(),
];
