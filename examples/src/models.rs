//! All versions of all resources, by type name and version.

use std::error::Error;

use upstate::upgrade::{Step, UpgraderKind};
use upstate::{Registry, Resource, ResourceDefinition, UpgradeRequest};

use crate::realworld::{
    aiven, aws, azuread, azurerm, cloudflare, consul, databricks, digitalocean, docker,
    elasticstack, github, google, grafana, kubernetes, launchdarkly, linode, mongodbatlas,
    newrelic, rancher2, scaleway, scalr, snowflake, tfe, vault,
};

/// One version of one resource that has a struct.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// The resource's type name.
    pub type_name: &'static str,
    /// The schema version this model describes.
    pub version: u64,
    /// What it is and how earlier versions become it.
    pub definition: &'static ResourceDefinition,
}

impl Model {
    const fn of<T: Resource>() -> Self {
        Self {
            type_name: T::TYPE_NAME,
            version: T::VERSION,
            definition: T::DEFINITION,
        }
    }
}

/// What `type_name` is at `version`, with the upgraders up to it: a model, a difference to a later one, or a later one that it is carried to.
pub fn find(type_name: &str, version: u64) -> Option<ResourceDefinition> {
    let models = || MODELS.iter().filter(|model| model.type_name == type_name);
    let model = models()
        .find(|model| model.version == version)
        .map(|model| model.definition.clone());
    model
        .or_else(|| models().find_map(|model| model.definition.prior(version)))
        .or_else(|| {
            // Where nothing was different, the later version is what it was.
            let carries = |step: &Step| {
                (step.from()..=step.last()).contains(&version)
                    && step.condition().is_none()
                    && matches!(step.written_as(), UpgraderKind::Unchanged)
            };
            models()
                .find(|model| {
                    model
                        .definition
                        .history()
                        .is_some_and(|history| history.steps().iter().any(carries))
                })
                .map(|model| model.definition.clone())
        })
}

/// JSON stored at a definition's version with every attribute, unset ones as null.
///
/// # Errors
/// What is wrong with it.
pub fn complete(
    definition: ResourceDefinition,
    json: &[u8],
) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>> {
    let (type_name, version) = (definition.type_name().to_owned(), definition.version());
    let mut registry = Registry::new();
    registry.insert(definition);
    let response = registry.upgrade(&UpgradeRequest::json(&type_name, version, json));
    response
        .state()
        .map(<[u8]>::to_vec)
        .ok_or_else(|| response.diagnostics().to_string().into())
}

/// Every model in this package, the current one of each resource first. A version that is written as a difference has none.
pub const MODELS: &[Model] = &[
    Model::of::<aiven::Pg>(),
    Model::of::<aiven::TypeUpgrader>(),
    Model::of::<aws::AutoscalingGroup>(),
    Model::of::<aws::BeanstalkEnvironment>(),
    Model::of::<aws::CertificateAuthority>(),
    Model::of::<aws::DbInstance>(),
    Model::of::<aws::DeliveryStream>(),
    Model::of::<aws::DeliveryStreamV0>(),
    Model::of::<aws::Instance>(),
    Model::of::<aws::InstanceV1>(),
    Model::of::<aws::InstanceV0>(),
    Model::of::<aws::InvocationLogging>(),
    Model::of::<aws::KeyPair>(),
    Model::of::<aws::KinesisStream>(),
    Model::of::<aws::Record>(),
    Model::of::<aws::RecordV1>(),
    Model::of::<aws::ReplicationGroup>(),
    Model::of::<aws::SecurityGroup>(),
    Model::of::<aws::SecurityGroupRule>(),
    Model::of::<aws::SecurityGroupRuleV0>(),
    Model::of::<aws::SpotFleetRequest>(),
    Model::of::<aws::SsmAssociation>(),
    Model::of::<aws::StorageVirtualMachine>(),
    Model::of::<azuread::Group>(),
    Model::of::<azurerm::ActionGroup>(),
    Model::of::<azurerm::AnalyticsItem>(),
    Model::of::<azurerm::ApiKey>(),
    Model::of::<azurerm::AppConfigurationFeature>(),
    Model::of::<azurerm::AppConfigurationFeatureV0>(),
    Model::of::<azurerm::AppConfigurationKey>(),
    Model::of::<azurerm::CassandraKeyspace>(),
    Model::of::<azurerm::CdnEndpoint>(),
    Model::of::<azurerm::ConsumerGroup>(),
    Model::of::<azurerm::CustomHttpsConfiguration>(),
    Model::of::<azurerm::DataFactory>(),
    Model::of::<azurerm::DevTestLinuxVirtualMachine>(),
    Model::of::<azurerm::DevTestPolicy>(),
    Model::of::<azurerm::DevTestSchedule>(),
    Model::of::<azurerm::DevTestVirtualNetwork>(),
    Model::of::<azurerm::DevTestWindowsVirtualMachine>(),
    Model::of::<azurerm::FirewallPolicy>(),
    Model::of::<azurerm::KustoCluster>(),
    Model::of::<azurerm::MetricAlert>(),
    Model::of::<azurerm::RoleDefinition>(),
    Model::of::<azurerm::ScheduledQueryRulesAlert>(),
    Model::of::<azurerm::ServiceBusNamespace>(),
    Model::of::<azurerm::StorageAccount>(),
    Model::of::<azurerm::StorageContainer>(),
    Model::of::<azurerm::StorageContainerV0>(),
    Model::of::<azurerm::StorageShare>(),
    Model::of::<azurerm::StorageTable>(),
    Model::of::<azurerm::StorageTableV1>(),
    Model::of::<azurerm::StorageTableV0>(),
    Model::of::<azurerm::SubscriptionPricing>(),
    Model::of::<azurerm::SynapseRoleAssignment>(),
    Model::of::<cloudflare::AccessApplication>(),
    Model::of::<cloudflare::AccessApplicationV0>(),
    Model::of::<cloudflare::AccessGroup>(),
    Model::of::<cloudflare::AccessRule>(),
    Model::of::<cloudflare::ApiShieldOperation>(),
    Model::of::<cloudflare::ApiToken>(),
    Model::of::<cloudflare::ApiTokenV0>(),
    Model::of::<cloudflare::ArgoSmartRouting>(),
    Model::of::<cloudflare::BlockSender>(),
    Model::of::<cloudflare::BotManagement>(),
    Model::of::<cloudflare::CustomPages>(),
    Model::of::<cloudflare::DeviceCustomProfile>(),
    Model::of::<cloudflare::DeviceProfileV0>(),
    Model::of::<cloudflare::DexTest>(),
    Model::of::<cloudflare::DispatchNamespace>(),
    Model::of::<cloudflare::GatewayCertificate>(),
    Model::of::<cloudflare::List>(),
    Model::of::<cloudflare::LoadBalancer>(),
    Model::of::<cloudflare::Monitor>(),
    Model::of::<cloudflare::Organization>(),
    Model::of::<cloudflare::OwnershipChallenge>(),
    Model::of::<cloudflare::PageRule>(),
    Model::of::<cloudflare::Pool>(),
    Model::of::<cloudflare::PostureIntegration>(),
    Model::of::<cloudflare::PostureRule>(),
    Model::of::<cloudflare::ServiceToken>(),
    Model::of::<cloudflare::Snippet>(),
    Model::of::<cloudflare::SpectrumApplication>(),
    Model::of::<cloudflare::TieredCache>(),
    Model::of::<cloudflare::TurnstileWidget>(),
    Model::of::<cloudflare::VirtualNetwork>(),
    Model::of::<cloudflare::WorkersKv>(),
    Model::of::<cloudflare::WorkersRoute>(),
    Model::of::<cloudflare::WorkersScript>(),
    Model::of::<cloudflare::Zone>(),
    Model::of::<cloudflare::ZoneV0>(),
    Model::of::<consul::Keys>(),
    Model::of::<databricks::ClusterPolicy>(),
    Model::of::<databricks::CustomerManagedKeys>(),
    Model::of::<digitalocean::Certificate>(),
    Model::of::<docker::Network>(),
    Model::of::<elasticstack::AlertingRule>(),
    Model::of::<elasticstack::ApiKey>(),
    Model::of::<elasticstack::Dashboard>(),
    Model::of::<elasticstack::DetectionRule>(),
    Model::of::<elasticstack::DetectionRuleV1>(),
    Model::of::<elasticstack::IndexLifecycle>(),
    Model::of::<elasticstack::IndexTemplate>(),
    Model::of::<elasticstack::SecurityRole>(),
    Model::of::<elasticstack::Slo>(),
    Model::of::<elasticstack::Transform>(),
    Model::of::<github::ActionsOrganizationSecret>(),
    Model::of::<github::ActionsSecret>(),
    Model::of::<github::BranchDefault>(),
    Model::of::<github::EmuGroupMapping>(),
    Model::of::<github::Release>(),
    Model::of::<github::Repository>(),
    Model::of::<github::RepositoryCollaborators>(),
    Model::of::<github::RepositoryCollaboratorsV1>(),
    Model::of::<github::RepositoryCustomProperty>(),
    Model::of::<github::RepositoryFile>(),
    Model::of::<github::RepositoryFileV0>(),
    Model::of::<google::BillingBudget>(),
    Model::of::<google::Cluster>(),
    Model::of::<google::CryptoKey>(),
    Model::of::<google::Firewall>(),
    Model::of::<google::Instance>(),
    Model::of::<google::InstanceV5>(),
    Model::of::<google::InstanceV3>(),
    Model::of::<google::InstanceTemplate>(),
    Model::of::<google::NodePool>(),
    Model::of::<google::Project>(),
    Model::of::<google::StorageNotification>(),
    Model::of::<google::Trigger>(),
    Model::of::<grafana::K6LoadTest>(),
    Model::of::<kubernetes::Deployment>(),
    Model::of::<launchdarkly::Metric>(),
    Model::of::<launchdarkly::Project>(),
    Model::of::<linode::NodebalancerConfig>(),
    Model::of::<linode::NodebalancerConfigV0>(),
    Model::of::<mongodbatlas::Cluster>(),
    Model::of::<newrelic::Workflow>(),
    Model::of::<rancher2::ClusterV2>(),
    Model::of::<scaleway::RdbPrivilege>(),
    Model::of::<scalr::Role>(),
    Model::of::<scalr::VcsProvider>(),
    Model::of::<snowflake::RowAccessPolicy>(),
    Model::of::<snowflake::RowAccessPolicyV0>(),
    Model::of::<snowflake::Schema>(),
    Model::of::<snowflake::ScimIntegration>(),
    Model::of::<tfe::Workspace>(),
    Model::of::<vault::AuthBackend>(),
    Model::of::<vault::IdentityGroup>(),
    Model::of::<vault::SshSecretBackendCa>(),
];
