//! The check that every supported version can be upgraded to the current one.

use std::ops::RangeInclusive;

use super::assert_no_problems;
use crate::registry::Registry;
use crate::upgrade::ResourceDefinition;

/// Checks that each type of the registry, and its identity, is upgraded from every version that it
/// supports: from the oldest one, 0 unless said, up.
///
/// The compiler proves that for models. This is for what is made while the program runs:
/// definitions of [`ResourceDefinition::builder`], and prior models that were inserted by their
/// definition.
///
/// ```should_panic
/// use upstate::testing::assert_every_version_is_reached;
/// use upstate::schema::{Block, Schema};
/// use upstate::upgrade::ClosureUpgrader;
/// use upstate::{Registry, ResourceDefinition};
///
/// let upgrader = ClosureUpgrader::new(0, |state, _| Ok::<_, upstate::Diagnostics>(state));
/// let definition = ResourceDefinition::builder("example_thing", Schema::new(2, Block::new([]))).upgrader(upgrader).build()?;
/// let mut registry = Registry::new();
/// registry.insert(definition);
/// assert_every_version_is_reached(&registry); // example_thing: no upgrader leads from version 1 to version 2
/// # Ok::<(), upstate::Diagnostics>(())
/// ```
///
/// # Panics
/// If a version is not; the message names all of them.
#[track_caller]
pub fn assert_every_version_is_reached(registry: &Registry) {
    assert_no_problems(registry, look);
}

fn look(name: &str, definition: &ResourceDefinition, problems: &mut Vec<String>) {
    let current = definition.version();
    for gap in gaps(definition) {
        let (first, last) = (gap.start(), gap.end());
        let from = if first == last {
            format!("version {first}")
        } else {
            format!("versions {first} to {last}")
        };
        let help = match definition.history() {
            Some(history) if history.is_prior() => {
                format!("`{}` is a prior model: register the current model of its type", history.rust_name())
            }
            _ if *first == definition.oldest() => {
                format!("add an upgrader, or say that version {} is the oldest supported one", last + 1)
            }
            _ => "add an upgrader; one for a version that is no longer supported may answer with an error that says what to do"
                .to_owned(),
        };
        problems.push(format!(
            "{name}: no upgrader leads from {from} to version {current}\nhelp: {help}"
        ));
    }
}

/// The supported versions that do not lead up. Versions that a model refuses by name have their
/// answer.
fn gaps(definition: &ResourceDefinition) -> Vec<RangeInclusive<u64>> {
    let reached = match definition.history() {
        Some(_) => (definition.oldest()..definition.version())
            .filter(|version| definition.reaches(*version))
            .collect(),
        // There may be very many versions, but not that many upgraders.
        None => definition.supported_versions(),
    };
    let mut gaps = Vec::new();
    let mut next = definition.oldest();
    for version in reached.into_iter().chain([definition.version()]) {
        if let Some(last) = version.checked_sub(1).filter(|last| *last >= next) {
            gaps.push(next..=last);
        }
        next = version.saturating_add(1);
    }
    gaps
}
