//! Upgrades: the route of a stored version to the current one, and the engine that runs it.

mod aliased;
mod called;
mod choose;
mod context;
mod declared;
mod decode;
mod definition;
mod downgrade;
mod dynamic;
mod encode;
mod engine;
mod fast;
mod fates;
mod found;
mod functions;
mod future;
mod history;
mod job;
mod lanes;
mod limits;
mod losses;
mod migrate;
mod model;
mod movers;
mod moves;
mod of_model;
mod operators;
mod panics;
mod prepared;
mod prior_definition;
mod prior_shape;
mod raw_state;
mod reach;
mod refusal;
mod renames;
mod request;
pub(crate) mod resource;
mod shapes;
mod subject;
mod typed;
mod undefined;
mod unread;
mod upgrader;
mod values;
mod verdict;
mod when;

#[doc(hidden)]
pub use aliased::aliases;
pub use context::UpgradeContext;
#[doc(hidden)]
pub use context::{MutableContext, SharedContext, ValueFunction};
#[doc(hidden)]
pub use declared::Prior;
pub(crate) use decode::decode_json;
#[doc(hidden)]
pub use decode::{REPEATED_ELEMENT, problem_in};
pub use definition::{PriorSchema, ResourceDefinition};
#[doc(hidden)]
pub use downgrade::{DowngradeFunction, DowngradeWith, take_back};
pub use downgrade::{DowngradeRequest, DowngradeResponse, Loss};
pub(crate) use downgrade::{
    run as run_down, run_async as run_down_async, run_identity as run_down_identity,
    run_identity_async as run_down_identity_async,
};
pub use dynamic::{ClosureMover, ClosureUpgrader, DefinitionBuilder, UpgradedState};
#[doc(hidden)]
pub use engine::{ReadDocument, read_document};
pub(crate) use engine::{
    run, run_async, run_identity, run_identity_async, run_move, run_move_async, upgrade_stored,
};
#[doc(hidden)]
pub use found::FoundMembers;
#[doc(hidden)]
pub use functions::{
    AsyncModelFunction, ModelAnswer, ModelFunction, Raw, RawAnswer, RawAsync, RawFunction, With,
    WithAsync,
};
#[doc(hidden)]
pub use future::AsyncAnswer;
pub use future::{BoxFuture, boxed};
pub use history::{History, SeenLock, Step, UpgraderKind};
#[doc(hidden)]
pub use history::{
    check_every_document_is_reached, check_every_version_is_reached, check_model_version, routes,
};
pub use lanes::{Fate, Lane, LaneUpgrader, Lanes};
pub use limits::CancellationToken;
#[doc(hidden)]
pub use losses::Losses;
#[doc(hidden)]
pub use migrate::{MigrateAnswer, MigrateFunction, MigrateState};
#[doc(hidden)]
pub use model::{Upgrader, steps};
#[doc(hidden)]
pub use moves::Move;
pub use moves::MoveSource;
pub use operators::{ANY_KEY, Operators, WholeUpgrader};
#[doc(hidden)]
pub use operators::{
    Accounts, Answer, Apart, AsyncFunction, BackFunction, Blamed, Called, Condition, Constant,
    ContextFunction, Conversion, Declassified, Dropped, EmptyText, Existing, FieldFunction,
    Function, Gives, Infallible, Letters, Literal, Makes, Many, Match, MemberChange, NoElement,
    Notice, Operation, OptionalPart, Otherwise, Path, Pattern, Piece, Production, Refusal, Segment,
    Stage, StoredField, Structure, Template, UrlPart, VariantChange, check_accounting,
    check_accounting_to, check_back, check_condition, check_constrained, check_constrained_name,
    check_current_name, check_current_name_in, check_object_accounting, check_prior_name,
    check_production, check_production_to, check_summed, constrained_name, current_name,
    find_in_accounting, find_in_accounting_to, find_in_condition, find_in_object_accounting,
    find_operand, find_operand_to, key_left_over, left_over, name_in, prior_name, refuse_carried,
    refuse_operand,
};
pub use panics::upgrade_in_progress;
pub use prepared::{PreparedUpgrade, UpgradeNotes};
#[doc(hidden)]
pub use prior_shape::{NoModel, PriorShape};
pub use raw_state::RawState;
#[doc(hidden)]
pub use renames::{
    declassified, dropped, joined, renamed_contents, renamed_contents_back, renames, renames_back,
};
pub use request::{DroppedValue, MoveRequest, UpgradeRequest, UpgradeResponse};
#[doc(hidden)]
pub use shapes::{check_move_when, check_when};
#[cfg(feature = "testing")]
pub(crate) use subject::Subject;
#[doc(hidden)]
pub use undefined::Undefined;
pub use verdict::{Direction, Remark, Verdict, Verdicts, Weight};
#[doc(hidden)]
pub use when::StateTest;
pub use when::When;

pub use resource::UpgradeFrom;
// They have a hidden name here for the compiler's messages, as `codec::FieldType` has.
#[doc(hidden)]
pub use resource::{DocumentValues, HasTerraformTypes, IsIdentity, IsModel, TerraformValues};
