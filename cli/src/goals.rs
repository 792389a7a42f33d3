//! How far back state goes, of a downgrade.

use std::collections::BTreeMap;

use upstate::upgrade::DowngradeRequest;
use upstate::{Diagnostic, Registry, UpgradeRequest, UpgradeResponse};
use upstate_state::Goal;

/// The versions that types are taken back to.
#[derive(Debug)]
pub(crate) struct Goals {
    pub(crate) versions: BTreeMap<String, u64>,
    /// The release that they are of: types that it did not have cannot go back.
    pub(crate) release: Option<String>,
    pub(crate) allow_loss: bool,
}

impl Goals {
    /// How far back instances of a type go.
    pub(crate) fn of(&self, type_name: &str) -> Goal {
        match (self.versions.get(type_name), &self.release) {
            (Some(version), _) => Goal::Version(*version),
            (None, None) => Goal::Stay,
            (None, Some(_)) => Goal::Nowhere,
        }
    }

    /// Takes back the state that an upgrade is asked for.
    pub(crate) fn downgrade(&self, registry: &Registry, request: &UpgradeRequest<'_>) -> UpgradeResponse {
        let type_name = request.type_name();
        let refused = |detail: String| UpgradeResponse::failed(Diagnostic::error("Unable to Downgrade Resource State", detail));
        let Some(to) = self.versions.get(type_name) else {
            let release = self.release.as_deref().unwrap_or_default();
            return refused(format!(
                "Release {release} did not have {type_name}. Leave its instances out with --exclude, or remove them from the state before \
                 that release reads it."
            ));
        };
        let Some(json) = request.raw_state().and_then(|raw| raw.json()) else {
            return refused("The state is flat, as Terraform 0.11 and before stored it. Upgrade it first.".to_owned());
        };
        let request = DowngradeRequest::json(type_name, request.version(), *to, json).allow_loss(self.allow_loss);
        registry.downgrade(&request).into()
    }

    /// The version that a report names.
    pub(crate) fn version(&self, type_name: &str) -> Option<u64> {
        self.versions.get(type_name).copied()
    }
}
