//! The check that the lock holds every difference to what was released.

use std::collections::BTreeSet;

use super::assert_no_problems;
use crate::registry::Registry;
use crate::upgrade::{History, ResourceDefinition};

/// Checks that `upstate.lock` holds each version that is written as a difference
/// (`#[upgrade_from(1 => 2, …)]` without `model`), of each type of the registry and of its
/// identity.
///
/// A difference says that a version stored what a later one stores, except for what its operators
/// name. When a field is added to the later version, and nobody adds an operator, the difference
/// says that the field was always there. With the version in `upstate.lock` that does not compile;
/// without it nothing remembers what was stored.
///
/// The answer is that of the build: the derive has read the lock. After the lock is written, the
/// program is compiled again.
///
/// ```should_panic
/// use upstate::testing::assert_history_is_pinned;
/// use upstate::{Registry, Resource};
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_server", version = 1)]
/// #[upgrade_from(0 => 1, rename(title => name))]
/// struct Server {
///     name: String,
/// }
///
/// // There is no lock: version 0 of `example_server` is a difference, and no `upstate.lock` has it
/// assert_history_is_pinned(&Registry::new().with::<Server>());
/// ```
///
/// # Panics
/// If a version is not; the message names all of them.
#[track_caller]
pub fn assert_history_is_pinned(registry: &Registry) {
    assert_no_problems(registry, look);
}

fn look(name: &str, definition: &ResourceDefinition, problems: &mut Vec<String>) {
    let mut versions = BTreeSet::new();
    if let Some(history) = definition.history() {
        collect(history, &mut versions);
    }
    for (first, last) in versions {
        let (noun, verb) = if first == last {
            (format!("version {first}"), "is a difference")
        } else {
            (format!("versions {first} to {last}"), "are a difference")
        };
        problems.push(format!(
            "{name}: {noun} {verb}, and no `upstate.lock` has it\nhelp: write the lock with your program's `lock` command, commit it, and compile again; \
             from then on the compiler compares"
        ));
    }
}

fn collect(history: &History, versions: &mut BTreeSet<(u64, u64)>) {
    for step in history.steps() {
        if step.is_unpinned() {
            versions.insert((step.from(), step.last()));
        }
        if let Some(prior) = step.prior() {
            collect(prior, versions);
        }
    }
}
