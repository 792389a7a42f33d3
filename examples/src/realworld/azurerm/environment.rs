//! The cloud that the provider is configured for. Addresses end in a name that depends on it.

use upstate::{Diagnostic, UpgradeContext};

/// What the provider's configuration says about the cloud. Add it with [`Registry::with_client`](upstate::Registry::with_client).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// Of app configuration stores, such as `azconfig.io`.
    pub app_configuration_suffix: String,
    /// Of storage accounts, such as `core.windows.net`.
    pub storage_suffix: String,
}

impl Environment {
    /// The cloud that most people use.
    pub fn public() -> Self {
        Self {
            app_configuration_suffix: "azconfig.io".to_owned(),
            storage_suffix: "core.windows.net".to_owned(),
        }
    }

    /// The configured one. Terraform may upgrade state before it configures the provider; then the public one is taken, with a warning.
    pub(super) fn of(context: &mut UpgradeContext<'_>) -> Self {
        if let Some(environment) = context.client::<Self>() {
            return environment.clone();
        }
        let detail = "The provider is not configured, so addresses are taken to be those of the public cloud.";
        context.warn(Diagnostic::warning("Public Cloud Assumed", detail));
        Self::public()
    }
}
