//! `hashicorp/google`.

mod billing_budget;
mod compute_instance_template;
mod kms_crypto_key;
mod storage_notification;

pub use billing_budget::{BillingBudget, BillingBudgetV0};
pub use compute_instance_template::{InstanceTemplate, InstanceTemplateV0, Scheduling};
pub use kms_crypto_key::{CryptoKey, CryptoKeyV0};
pub use storage_notification::{StorageNotification, StorageNotificationV0};

/// What the provider was configured with, as far as upgrades ask: give it to the registry as its client.
#[derive(Debug, Clone, Default)]
pub struct ProviderConfig {
    /// The project of everything that names none.
    pub project: Option<String>,
}

impl ProviderConfig {
    /// Takes the project from `GOOGLE_PROJECT`, as the provider does.
    pub fn from_env() -> Self {
        Self { project: std::env::var("GOOGLE_PROJECT").ok().filter(|project| !project.is_empty()) }
    }
}
