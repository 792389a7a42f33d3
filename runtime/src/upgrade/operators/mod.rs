//! Declarative upgraders: tables that the derive writes, checked in const evaluation and run over
//! [`Value`](crate::Value)s.

mod check;
mod condition;
mod conversion;
mod convert;
mod document;
mod dropped;
mod elements;
mod faults;
mod form;
mod function;
mod fused;
mod going;
mod inverse;
mod known;
mod left_behind;
mod lines;
mod misfits;
mod notation;
mod place;
mod provenance;
mod row;
mod run;
mod saved;
mod scalar;
mod show;
mod stage;
mod structure;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod transit;
mod url;
mod whole;

pub(super) use check::same;
pub use check::{
    Accounts, Blamed, check_accounting, check_accounting_to, check_back, check_condition,
    check_constrained, check_constrained_name, check_current_name, check_current_name_in,
    check_object_accounting, check_prior_name, check_production, check_production_to, check_summed,
    constrained_name, current_name, find_in_accounting, find_in_accounting_to, find_in_condition,
    find_in_object_accounting, find_operand, find_operand_to, key_left_over, left_over, name_in,
    prior_name, refuse_carried, refuse_operand,
};
pub(super) use document::{DocumentWork, MemberOutcome};
pub(super) use faults::{faults, has_own_types, is_needed, scalar_taken};
pub use function::{
    Answer, AsyncFunction, BackFunction, ContextFunction, FieldFunction, Function, Gives,
    Infallible, Makes, Refusal, StoredField,
};
pub(super) use fused::{Fused, Pass, Upgrader as FusedUpgrader, compile, fuse, fuse_laid_out};
pub(super) use inverse::{downgrade_state, verdicts};
pub(super) use lines::{Line, lines};
pub(super) use misfits::{Misfit, misfits};
pub(super) use place::{shown, shown_number};
pub use provenance::ANY_KEY;
pub(super) use provenance::{
    Pairs, attribute_name, declassified, ends, pairs, sources_of, variant_pairs,
};
pub(super) use run::{Refused, upgrade_state};
pub use table::{
    Apart, Called, Condition, Constant, Conversion, Declassified, Dropped, EmptyText, Existing,
    Letters, Literal, Many, Match, MemberChange, NoElement, Notice, Operation, Operators,
    OptionalPart, Otherwise, Path, Pattern, Piece, Production, Segment, Stage, Structure, Template,
    UrlPart, VariantChange,
};
pub use whole::WholeUpgrader;
