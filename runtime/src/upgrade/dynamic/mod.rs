//! Definitions made while the program runs: schemas and closures instead of models.

mod builder;
mod moves;
mod read;
mod run;
mod sdk;
mod upgrader;

pub use builder::DefinitionBuilder;
pub(super) use moves::run_movers;
pub(super) use read::{finish_value, not_taken, value_answered};
pub(super) use run::Dynamic;
pub use upgrader::{ClosureMover, ClosureUpgrader, UpgradedState};
