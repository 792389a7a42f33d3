//! Recorded states, upgraded.

use std::path::{Path, PathBuf};
use std::{fs, io};

use upstate::codec::UnknownAttributes;
use upstate::{Registry, ResourceDefinition, UpgradeRequest, UpgradeResponse, Value};

use super::snapshot::{FixtureOutcome, Snapshot};

/// The ends of the names of files that say what has to become of a state, as
/// `upstate::testing::Fixtures` records them.
const UPGRADED: &str = ".upgraded.json";
const DIAGNOSTICS: &str = ".diagnostics.txt";

impl Snapshot {
    /// Upgrades the states that releases stored, in `folder` as `<type>/v<version>/<name>.json`,
    /// notes the outcome of each version of this snapshot's types, and says whether one failed.
    ///
    /// `<name>.upgraded.json` beside a state is what has to become of it; `<name>.diagnostics.txt`
    /// alone says that it has to be refused. It is the layout of `upstate::testing::Fixtures`,
    /// which records them.
    pub fn upgrade_fixtures(
        &mut self,
        registry: &Registry,
        folder: &Path,
        upgrade: impl Fn(&UpgradeRequest<'_>) -> UpgradeResponse,
    ) -> bool {
        let mut failed = false;
        for definition in registry.definitions() {
            let Some(resource) = self.resources.get_mut(definition.type_name()) else {
                continue;
            };
            for versions in definition.supported_ranges() {
                let last = *versions.end();
                // A state of one of the versions is enough, because versions that share an upgrader
                // share a shape.
                let mut outcome = (last, FixtureOutcome::Missing);
                for version in versions {
                    let folder = folder
                        .join(definition.type_name())
                        .join(format!("v{version}"));
                    match of_version(definition, version, &folder, &upgrade) {
                        FixtureOutcome::Missing => {}
                        FixtureOutcome::Passed => outcome = (version, FixtureOutcome::Passed),
                        wrong @ (FixtureOutcome::Unreadable(_) | FixtureOutcome::Mismatch(_)) => {
                            failed = true;
                            outcome = (version, wrong);
                            break;
                        }
                    }
                }
                resource.fixtures.insert(outcome.0, outcome.1);
            }
        }
        failed
    }
}

/// The outcome of all states of one version: the first that is wrong, or that all passed. A
/// recorded refusal does not count as one that passed.
fn of_version(
    definition: &ResourceDefinition,
    version: u64,
    folder: &Path,
    upgrade: &impl Fn(&UpgradeRequest<'_>) -> UpgradeResponse,
) -> FixtureOutcome {
    let states = match states(folder) {
        Ok(states) => states,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return FixtureOutcome::Missing,
        Err(error) => return FixtureOutcome::Unreadable(format!("{}: {error}", folder.display())),
    };
    let mut of_all = FixtureOutcome::Missing;
    for state in states {
        match of_state(definition, version, &state, upgrade) {
            Ok(true) => of_all = FixtureOutcome::Passed,
            Ok(false) => {}
            Err(wrong) => return wrong,
        }
    }
    of_all
}

/// True if one state was upgraded: not, if it has to be refused.
fn of_state(
    definition: &ResourceDefinition,
    version: u64,
    path: &Path,
    upgrade: &impl Fn(&UpgradeRequest<'_>) -> UpgradeResponse,
) -> Result<bool, FixtureOutcome> {
    let named = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let (expected, refusal) = (
        path.with_file_name(format!("{stem}{UPGRADED}")),
        path.with_file_name(format!("{stem}{DIAGNOSTICS}")),
    );
    let read = |path: &Path| match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FixtureOutcome::Unreadable(format!(
            "{}: {error}",
            path.display()
        ))),
    };
    let json = fs::read(path).map_err(|error| FixtureOutcome::Unreadable(named(&error)))?;
    let expected = read(&expected)?;
    let has_to_be_refused = expected.is_none() && refusal.exists();
    let response = upgrade(&UpgradeRequest::json(
        definition.type_name(),
        version,
        &json,
    ));
    match (response.state(), expected) {
        (Some(_), None) if has_to_be_refused => Err(FixtureOutcome::Mismatch(named(
            &"it is upgraded now, and was recorded as refused",
        ))),
        (Some(state), Some(expected)) if !is_same(definition, state, &expected) => {
            Err(FixtureOutcome::Mismatch(named(&format_args!(
                "it does not become what {stem}{UPGRADED} says"
            ))))
        }
        (Some(_), _) => Ok(true),
        (None, _) if has_to_be_refused => Ok(false),
        (None, _) => {
            let why = named(
                &response
                    .diagnostics()
                    .iter()
                    .next()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            );
            Err(if is_read(definition, version, &json) {
                FixtureOutcome::Mismatch(why)
            } else {
                FixtureOutcome::Unreadable(why)
            })
        }
    }
}

/// The stored states in a folder, in order.
fn states(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut states = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    let is_state = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".json") && !name.ends_with(UPGRADED)
    };
    states.retain(is_state);
    states.sort();
    Ok(states)
}

/// True if two states are the same values, however they are written.
fn is_same(definition: &ResourceDefinition, one: &[u8], other: &[u8]) -> bool {
    let ty = definition.schema().block().implied_type();
    let read = |json| Value::from_json(json, &ty, UnknownAttributes::Deny).ok();
    read(one)
        .zip(read(other))
        .is_some_and(|(one, other)| one == other)
}

/// True if a state is one of a prior schema of its version. Where the upgrader takes the stored
/// state as it is, there is none to blame.
fn is_read(definition: &ResourceDefinition, version: u64, json: &[u8]) -> bool {
    let schemas = definition.prior_schemas_of(version);
    let reads = |ty| Value::from_json(json, &ty, UnknownAttributes::Ignore).is_ok();
    schemas.is_empty() || schemas.iter().any(|block| reads(block.implied_type()))
}
