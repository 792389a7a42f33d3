//! Models of custom resources, imported from their definitions.

pub mod gateway;
pub mod git_repository;
pub mod helm_release;
pub mod ip_address_claim;
pub mod machine_drain_rule;
pub mod machine_health_check;
pub mod reference_grant;

use upstate::Registry;

/// All of them.
#[must_use]
pub fn registry() -> Registry {
    Registry::new()
        .with::<gateway::GatewaySpec>()
        .with::<git_repository::GitRepositorySpec>()
        .with::<helm_release::HelmReleaseSpec>()
        .with::<ip_address_claim::IPAddressClaimSpec>()
        .with::<machine_drain_rule::MachineDrainRuleSpec>()
        .with::<machine_health_check::MachineHealthCheckSpec>()
        .with::<reference_grant::ReferenceGrantSpec>()
}
