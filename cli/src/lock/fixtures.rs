//! Recorded states, upgraded.

use std::path::Path;

use upstate::codec::UnknownAttributes;
use upstate::{ResourceDefinition, UpgradeRequest, Value};
use upstate_compat::{FixtureOutcome, Snapshot};

use crate::program::Program;

/// Upgrades the recorded state of every version that is supported, and says whether one failed.
pub(super) fn run(program: &Program, folder: &Path, current: &mut Snapshot) -> bool {
    let mut failed = false;
    for definition in program.registry().definitions() {
        let type_name = definition.type_name();
        let Some(resource) = current.resources.get_mut(type_name) else { continue };
        let path = |version: u64| folder.join(type_name).join(format!("{version}.json"));
        for versions in definition.supported_ranges() {
            // Versions that share an upgrader share a shape: the state of one of them is enough.
            let version = versions.clone().find(|version| path(*version).exists()).unwrap_or(*versions.end());
            let path = path(version);
            let outcome = match std::fs::read(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => FixtureOutcome::Missing,
                Err(error) => FixtureOutcome::Unreadable(format!("{}: {error}", path.display())),
                Ok(json) => {
                    let response = program.upgrade(&UpgradeRequest::json(type_name, version, &json));
                    if response.state().is_some() {
                        FixtureOutcome::Passed
                    } else {
                        let first = response.diagnostics().iter().next().map(ToString::to_string);
                        let why = format!("{}: {}", path.display(), first.unwrap_or_default());
                        if is_read(definition, version, &json) {
                            FixtureOutcome::Mismatch(why)
                        } else {
                            FixtureOutcome::Unreadable(why)
                        }
                    }
                }
            };
            failed |= !matches!(outcome, FixtureOutcome::Passed | FixtureOutcome::Missing);
            resource.fixtures.insert(version, outcome);
        }
    }
    failed
}

/// Whether a state is one of a prior schema of its version. Where the upgrader takes the stored state as it is, there is none to blame.
fn is_read(definition: &ResourceDefinition, version: u64, json: &[u8]) -> bool {
    let schemas = definition.prior_schemas_of(version);
    let reads = |ty| Value::from_json(json, &ty, UnknownAttributes::Ignore).is_ok();
    schemas.is_empty() || schemas.iter().any(|block| reads(block.implied_type()))
}
