//! Upgrades: which way a stored version takes to the current one, and the engine that goes it.

mod context;
mod definition;
mod dynamic;
mod edge;
mod engine;
mod history;
mod message;
mod operators;
mod raw_state;

pub use context::UpgradeContext;
pub use definition::ResourceDefinition;
pub use dynamic::{DefinitionBuilder, DynamicUpgrader};
pub use edge::{Edge, With};
pub use engine::{UpgradeRequest, UpgradeResponse, upgrade_in_progress};
pub(crate) use engine::{decode_json, run, upgrade_model};
pub use history::{History, Step, check_every_version_is_reached, check_model_version, routes, steps};
pub use operators::{
    Condition, Constant, Dropped, EmptyText, Existing, Function, Letters, Literal, Many, Match, NoElement, Notice, ObjectEdge,
    Operation, Operators, Otherwise, Path, Pattern, Piece, Prior, Production, Segment, Stage, Template, check_accounting,
    check_current_name, check_prior_name, check_production, current_name, prior_name,
};
pub use raw_state::RawState;
