//! Recorded states, upgraded.

use std::path::Path;

use upstate::{Registry, UpgradeRequest};
use upstate_compat::{FixtureOutcome, Snapshot};

/// Upgrades the recorded state of every version that is supported, and says whether one failed.
pub(super) fn run(registry: &Registry, folder: &Path, current: &mut Snapshot) -> bool {
    let mut failed = false;
    for (type_name, resource) in &mut current.resources {
        for upgrader in &resource.upgraders {
            let path = folder.join(type_name).join(format!("{}.json", upgrader.from));
            let outcome = match std::fs::read(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => FixtureOutcome::Missing,
                Err(error) => FixtureOutcome::Unreadable(format!("{}: {error}", path.display())),
                Ok(json) => {
                    let response = registry.upgrade(&UpgradeRequest::json(type_name, upgrader.from, &json));
                    if response.state().is_some() {
                        FixtureOutcome::Passed
                    } else {
                        let first = response.diagnostics().iter().next().map(ToString::to_string);
                        FixtureOutcome::Mismatch(format!("{}: {}", path.display(), first.unwrap_or_default()))
                    }
                }
            };
            failed |= !matches!(outcome, FixtureOutcome::Passed | FixtureOutcome::Missing);
            resource.fixtures.insert(upgrader.from, outcome);
        }
    }
    failed
}
