//! `hashicorp/azurerm`.

mod resource_ids;
mod storage_account;
mod storage_share;
mod synapse_role_assignment;

pub use resource_ids::{
    ApiKey, ApiKeyV0, ApiKeyV1, CdnEndpoint, CdnEndpointV0, CustomHttpsConfiguration, CustomHttpsConfigurationV0, FirewallPolicy,
    FirewallPolicyV0,
};
pub use storage_account::{StorageAccount, StorageAccountV0, StorageAccountV1, StorageAccountV2};
pub use storage_share::{StorageShare, StorageShareV0, StorageShareV1};
pub use synapse_role_assignment::{SynapseRoleAssignment, SynapseRoleAssignmentV0};
