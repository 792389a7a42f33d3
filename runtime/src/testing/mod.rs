//! Tests of upgrades, for the authors of models. Behind the feature `testing`, which belongs among
//! the dev-dependencies:
//!
//! ```toml
//! [dev-dependencies]
//! upstate = { path = "../upstate/upstate", features = ["testing"] }
//! ```
//!
//! - [`assert_upgrade!`](crate::assert_upgrade): one stored state, and what has to become of it.
//! - [`Fixtures`]: files with states as releases stored them, upgraded and compared with files that
//!   were looked at once. A supported version without one fails.
//! - [`Hostile`]: states that nobody should have stored, made from the prior schemas. Each must end
//!   in a state or in one error; none may panic or show a sensitive value.
//! - [`assert_shortcut`]: where a version has a direct way and one through later models, both lead
//!   to the same state.
//! - [`assert_history_is_pinned`]: every version that is written as a difference is in
//!   `upstate.lock`.
//! - [`assert_every_version_is_reached`]: no supported version is left without an upgrader, also of
//!   what is made while the program runs.
//!
//! Everything here fails by panicking, as tests do, and says all that is wrong at once.

#![expect(clippy::panic, reason = "a failed test panics")]

mod assert;
mod engine;
mod fixtures;
mod hostile;
mod json;
mod pinned;
mod shortcut;
mod versions;

use crate::registry::Registry;
use crate::upgrade::ResourceDefinition;

#[doc(inline)]
pub use crate::assert_upgrade;
#[doc(hidden)]
pub use assert::{upgrades_to_json, upgrades_to_model, upgrades_to_nothing};
pub use fixtures::{FixtureReport, Fixtures};
pub use hostile::{Hostile, HostileReport};
pub use pinned::assert_history_is_pinned;
pub use shortcut::assert_shortcut;
pub use versions::assert_every_version_is_reached;

/// Fails if `look` finds problems with the types of a registry or with their identities, whose
/// names it begins them with.
#[track_caller]
fn assert_no_problems(registry: &Registry, look: fn(&str, &ResourceDefinition, &mut Vec<String>)) {
    let mut problems = Vec::new();
    for definition in registry.definitions() {
        look(definition.type_name(), definition, &mut problems);
        if let Some(identity) = definition.identity() {
            look(
                &format!("the identity of {}", definition.type_name()),
                identity,
                &mut problems,
            );
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
