//! Definitions made while the program runs: schemas and closures instead of models.

mod builder;
mod read;
mod run;
mod sdk;
mod upgrader;

pub use builder::DefinitionBuilder;
pub(super) use read::{finish_value, not_taken, read_json, value_answered};
pub(super) use run::Dynamic;
pub(super) use upgrader::MoverSource;
pub use upgrader::{ClosureMover, ClosureUpgrader, UpgradedState};
