//! The traits that `#[derive(Resource)]` implements.

use super::context::UpgradeContext;
use super::definition::ResourceDefinition;
use super::history::History;
use super::model::Upgrader;
use super::moves::Move;
use crate::codec::Object;
use crate::diagnostics::Diagnostics;
use crate::plan::PlanOf;
use crate::schema::Schema;

/// A model: the shape of a resource at one schema version, and the way up from earlier ones.
///
/// This trait is sealed: only the derive implements it, and its hidden
/// items change without notice. An error about a prior model calls it `IsModel`.
#[doc(alias = "IsModel")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model with a schema version [U0007]",
    label = "not a model",
    note = "add `#[derive(upstate::Resource)]` and `#[resource(version = …)]` to a struct of yours without type parameters; for a document, `#[derive(upstate::Document)]` and `#[document(type_name = \"…\")]`"
)]
pub trait Resource: Object + 'static {
    /// The resource's type name, such as `example_thing`.
    const TYPE_NAME: &'static str;
    /// The schema version that this model describes.
    const VERSION: u64;
    /// The version as a signed integer, which is what columns of most databases hold.
    const VERSION_I64: i64 = signed(Self::VERSION);
    /// True if the model is never stored, as that of a data source: it has no versions, and the
    /// lock does not pin it.
    const STATELESS: bool = false;
    /// The schema at that version, made on first use.
    #[must_use]
    fn schema() -> &'static Schema {
        Self::TABLE.schema()
    }

    /// The upgrades declared on this model.
    #[doc(hidden)]
    const UPGRADERS: &'static [Upgrader<Self>];
    /// The versions that this model can be reached from, itself included.
    const HISTORY: &'static History;
    /// For each version from the oldest supported one, the index of the upgrader to take.
    #[doc(hidden)]
    const ROUTES: &'static [u16];
    /// The types whose state this model accepts.
    #[doc(hidden)]
    const MOVES: &'static [Move<Self>] = &[];
    /// The identity that is stored beside the state, if the resource has one.
    const IDENTITY: Option<&'static ResourceDefinition> = None;
    /// The model as the registry knows it.
    const DEFINITION: &'static ResourceDefinition = &ResourceDefinition::of::<Self>();
}

/// A prior model, as generated code names one: the compiler does not list other models below an
/// error about it, since one implementation is for all.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model with a schema version [U0007]",
    label = "not a model",
    note = "add `#[derive(upstate::Resource)]` and `#[resource(version = …)]` to a struct of yours without type parameters; for a document, `#[derive(upstate::Document)]` and `#[document(type_name = \"…\")]`"
)]
pub trait IsModel {
    /// Its version.
    const NUMBER: u64;
}

#[diagnostic::do_not_recommend]
impl<P: Resource> IsModel for P {
    const NUMBER: u64 = P::VERSION;
}

/// A version that Terraform takes, and databases.
#[expect(clippy::cast_possible_wrap, reason = "it is compared first")]
const fn signed(version: u64) -> i64 {
    assert!(
        version <= i64::MAX as u64,
        "a schema version is at most 9223372036854775807"
    );
    version as i64
}

/// A model of the current version of its type: every stored version that is still supported reaches
/// it, which the derive proves.
///
/// A prior model says `#[resource(…, prior)]`. It is a shape that other models are upgraded from,
/// and nothing leads up to it, so no registry and no document takes it.
///
/// This trait is sealed: the derive implements it together with [`Resource`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the current model of a resource type [U0007]",
    label = "a prior model, or not a model at all",
    note = "a prior model (`#[resource(…, prior)]`) is a shape that other models are upgraded from: name the current model of its type here, or remove `prior` if `{Self}` is the current one",
    note = "a type that is not a model needs `#[derive(upstate::Resource)]`"
)]
pub trait CurrentModel: Resource {
    /// The plan of a resource that is created or updated: `ThingPlan` for a `Thing` that says
    /// `plan`, otherwise the model itself.
    type Plan: PlanOf<Self>;
    /// The values that its fields may hold: those that Terraform has types for, or those of a
    /// document.
    #[doc(hidden)]
    type Values;
}

/// A current model, as generated code names one that is the identity of another: the compiler does
/// not list other models below an error about it, since one implementation is for all.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the current model of a resource type [U0007]",
    label = "a prior model, or not a model at all",
    note = "a prior model (`#[resource(…, prior)]`) is a shape that other models are upgraded from: name the current model of its type here, or remove `prior` if `{Self}` is the current one",
    note = "a type that is not a model needs `#[derive(upstate::Resource)]`"
)]
pub trait IsIdentity {
    /// The model as the registry knows it.
    const AS_IDENTITY: &'static ResourceDefinition;
}

#[diagnostic::do_not_recommend]
impl<M: CurrentModel> IsIdentity for M {
    const AS_IDENTITY: &'static ResourceDefinition = M::DEFINITION;
}

/// Values that Terraform has types for.
#[diagnostic::on_unimplemented(
    message = "the model is a document, for which Terraform has no types",
    label = "derives `Document`",
    note = "derive `Resource` in place of `Document`"
)]
pub trait HasTerraformTypes {}

/// The values of a model that derives `Resource`.
#[derive(Debug)]
pub struct TerraformValues;

// Otherwise the compiler would show this line below each error about a document.
#[diagnostic::do_not_recommend]
impl HasTerraformTypes for TerraformValues {}

/// The values of a document.
#[derive(Debug)]
pub struct DocumentValues;

/// A model that can be made from the prior model `P`.
///
/// Implemented for every `TryFrom<P>` (and so every `From<P>`) whose error converts into
/// [`Diagnostics`].
#[diagnostic::on_unimplemented(
    message = "there is no upgrade from `{P}` to `{Self}` [U0005]",
    label = "no way from this prior model",
    note = "write `impl From<{P}> for {Self}`, or `impl TryFrom<{P}> for {Self}` whose `Error` is a `String` or converts into `upstate::Diagnostics`",
    note = "or write `carry` behind the model if nothing changes, operators such as `rename(old => new)`, or `with = path` for a function"
)]
pub trait UpgradeFrom<P>: Sized {
    /// Makes the later model.
    ///
    /// # Errors
    /// What the author's upgrade refuses.
    fn upgrade_from(prior: P, context: &mut UpgradeContext<'_>) -> Result<Self, Diagnostics>;
}

#[diagnostic::do_not_recommend]
impl<P, T> UpgradeFrom<P> for T
where
    T: TryFrom<P>,
    T::Error: Into<Diagnostics>,
{
    fn upgrade_from(prior: P, _context: &mut UpgradeContext<'_>) -> Result<Self, Diagnostics> {
        T::try_from(prior).map_err(Into::into)
    }
}
