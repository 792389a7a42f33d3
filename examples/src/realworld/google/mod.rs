//! `hashicorp/google`.

mod billing_budget;
mod cloudbuild_trigger;
mod compute_firewall;
mod compute_instance;
mod compute_instance_template;
mod container_cluster;
mod container_node_pool;
mod kms_crypto_key;
mod project;
mod storage_notification;

pub use billing_budget::BillingBudget;
pub use cloudbuild_trigger::Trigger;
pub use compute_firewall::{Allow, Firewall};
pub use compute_instance::{
    AttachedDisk, BootDisk, BootDiskV5, Disk, InitializeParams, Instance, InstanceV3, InstanceV5,
    MachineApi, Machines, ScratchDisk, ServiceAccount,
};
pub use compute_instance_template::{InstanceTemplate, Scheduling};
pub use container_cluster::Cluster;
pub use container_node_pool::NodePool;
pub use kms_crypto_key::CryptoKey;
pub use project::{Policies, PolicyApi, Project};
pub use storage_notification::StorageNotification;

/// What the provider was configured with, as far as upgrades ask: give it to the registry as its client.
#[derive(Debug, Clone, Default)]
pub struct ProviderConfig {
    /// The project of everything that names none.
    pub project: Option<String>,
}

impl ProviderConfig {
    /// Takes the project from `GOOGLE_PROJECT`, as the provider does.
    pub fn from_env() -> Self {
        Self {
            project: std::env::var("GOOGLE_PROJECT")
                .ok()
                .filter(|project| !project.is_empty()),
        }
    }
}
