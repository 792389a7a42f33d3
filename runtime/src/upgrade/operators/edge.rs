//! Declarative edges among the others, and between nested objects.

use super::check::reads_leniently;
use super::form::Objects;
use super::fused::Edge;
use super::run::{Place, run};
use super::table::Operators;
use crate::codec::json::Reader;
use crate::codec::{Encoding, Object, Undefined, encode_object, read_object};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::path::AttributePath;
use crate::resource::Resource;
use crate::schema::{Members, Origin, Schema};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::decode::{flat_to_json, nothing_stored, unreadable_state, warn_of_changes};
use crate::upgrade::engine::{upgrade_to_value, upgrade_to_value_async};
use crate::upgrade::fast::route_of;
use crate::upgrade::future::BoxFuture;
use crate::upgrade::history::History;
use crate::upgrade::raw_state::RawState;
use crate::value::{Unknown, Value};

/// What a declarative edge starts from: not a Rust type, but what is to be known of one.
#[derive(Debug, Clone, Copy)]
pub struct Prior {
    pub(super) rust_name: &'static str,
    pub(super) members: Members<'static>,
    /// What all members carry.
    pub(super) carry: u64,
    model: Option<Model>,
}

/// How state gets to the version of a prior model, as a value of its schema.
#[derive(Debug, Clone, Copy)]
struct Model {
    history: &'static History,
    value: fn(u64, RawState<'_>, &mut UpgradeContext<'_>) -> Result<Value, Diagnostics>,
    /// The same way straight over the bytes, if there is one.
    route: fn(u64, Option<usize>) -> Option<Vec<Edge>>,
    /// Whether state of the model's own version can be read by its schema alone.
    strict: bool,
    /// Only if an edge on the way may await.
    value_async: Option<ValueAsync>,
}

type ValueAsync = for<'a> fn(u64, RawState<'a>, &'a mut UpgradeContext<'_>) -> BoxFuture<'a, Result<Value, Diagnostics>>;

impl Prior {
    /// The prior model `P`.
    #[must_use]
    pub const fn model<P: Resource>() -> Self {
        let value_async: Option<ValueAsync> = if P::HISTORY.awaits() { Some(upgrade_to_value_async::<P>) } else { None };
        let model = Model {
            history: P::HISTORY,
            value: upgrade_to_value::<P>,
            route: route_of::<P>,
            strict: !reads_leniently(Members::of::<P>()),
            value_async,
        };
        Self { rust_name: P::RUST_NAME, members: Members::of::<P>(), carry: P::CARRY, model: Some(model) }
    }

    /// The prior nested object `P`.
    #[must_use]
    pub const fn object<P: Object>() -> Self {
        Self { rust_name: P::RUST_NAME, members: Members::of::<P>(), carry: P::CARRY, model: None }
    }

    /// The schema version of the prior model; 0 for a nested object, which has none.
    #[must_use]
    pub const fn version(&self) -> u64 {
        match &self.model {
            Some(model) => model.history.version(),
            None => 0,
        }
    }

    /// Its attributes and blocks.
    pub(super) const fn members(&self) -> Members<'static> {
        self.members
    }

    /// The history of the model; of an object a stub.
    pub(in crate::upgrade) const fn history(&self) -> &'static History {
        const NONE: &History = &History::stub();
        match self.model {
            Some(model) => model.history,
            None => NONE,
        }
    }
}

/// How a nested object comes from what it was before.
#[derive(Debug, Clone, Copy)]
pub struct ObjectEdge {
    prior: &'static Prior,
    operators: &'static Operators,
}

impl ObjectEdge {
    /// From the struct that `prior` tells of.
    #[must_use]
    pub const fn new(prior: &'static Prior, operators: &'static Operators) -> Self {
        Self { prior, operators }
    }

    pub(in crate::upgrade) const fn prior_name(&self) -> &'static str {
        self.prior.rust_name
    }

    pub(in crate::upgrade) const fn operators(&self) -> &'static Operators {
        self.operators
    }
}

/// A declarative edge: the table, and the model it starts from.
#[derive(Debug, Clone, Copy)]
pub(in crate::upgrade) struct Declared {
    pub(in crate::upgrade) operators: &'static Operators,
    pub(in crate::upgrade) prior: &'static Prior,
}

impl Declared {
    /// Whether state of this version has the prior model's shape, and can be read by its schema.
    pub(in crate::upgrade) fn starts_at(&self, version: u64) -> bool {
        self.prior.model.is_some_and(|model| model.strict && model.history.version() == version)
    }

    /// The edges from state stored at a version before the prior model's to that model.
    pub(in crate::upgrade) fn route_before(&self, version: u64) -> Option<Vec<Edge>> {
        let model = self.prior.model.filter(|model| model.strict && model.history.version() != version)?;
        (model.route)(version, None)
    }

    /// Brings state stored at `version` to a value of the schema with these members.
    pub(in crate::upgrade) fn upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        let Some(model) = self.prior.model else { return Ok(Value::Null) };
        let prior = (model.value)(version, raw, context)?;
        context.check()?;
        self.upgrade_value(prior, to, context)
    }

    /// The same, awaiting where an edge on the way does.
    pub(in crate::upgrade) async fn upgrade_async(
        &self,
        version: u64,
        raw: RawState<'_>,
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        let Some(model) = self.prior.model else { return Ok(Value::Null) };
        let prior = match model.value_async {
            Some(value) => value(version, raw, context).await?,
            None => (model.value)(version, raw, context)?,
        };
        context.check()?;
        self.upgrade_value(prior, to, context)
    }

    /// Brings a value of the prior schema to the current one.
    pub(in crate::upgrade) fn upgrade_value(
        &self,
        prior: Value,
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        let from = Objects::new(self.prior.members, Origin::NONE);
        let current = Objects::new(to.block().members(), Origin::NONE);
        let mut value = run(self.operators, prior, from, current, &Place::default(), context)?;
        to.block().settle(&mut value);
        value.conform(&to.implied_type(), Unknown::Refuse).map_err(|error| {
            let members = to.block().members();
            let path = error.path().clone();
            let visible = members.visible(path.steps()).len;
            unfit(error.problem(), path.truncated(visible), to.version(), self.prior.history().version(), context)
        })?;
        Ok(value)
    }
}

fn unfit(problem: &str, path: AttributePath, version: u64, from: u64, context: &UpgradeContext<'_>) -> Diagnostics {
    let detail = format!(
        "What the operators of the upgrade from schema version {from} make does not fit version {version}: {problem} (at {path})."
    );
    Diagnostic::error(context.subject().cannot_upgrade(), detail).at(path).into()
}

/// Reads state stored at the version of `schema` as a value.
pub(in crate::upgrade) fn read_value(
    raw: RawState<'_>,
    schema: &Schema,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    let flat;
    let json = match raw {
        RawState::Json(json) => json,
        RawState::Flatmap(map) => {
            flat = flat_to_json(map, schema, context)?;
            &flat
        }
        RawState::Empty => return Err(nothing_stored(context.subject())),
    };
    let members = schema.block().members();
    let read = || {
        let mut reader = Reader::from_bytes(json)?;
        let value = Value::read(&mut reader, &schema.implied_type(), Undefined::Skip)?;
        Ok((reader, value))
    };
    match read() {
        Ok((reader, value)) => {
            warn_of_changes(&reader, context, members);
            Ok(value)
        }
        Err(error) => {
            let error: crate::codec::DecodeError = error;
            Err(unreadable_state(&error.redacted(members), schema.version(), context.subject()).into())
        }
    }
}

/// The model that a value of its schema is.
pub(in crate::upgrade) fn model_of<T: Resource>(
    value: &Value,
    from: u64,
    context: &UpgradeContext<'_>,
) -> Result<T, Diagnostics> {
    let mut json = Vec::new();
    value.write(&T::SCHEMA.implied_type(), &mut crate::codec::Writer::new(&mut json, Encoding::Json));
    let unfit = |problem: &str, path| unfit(problem, path, T::VERSION, from, context);
    let mut reader = Reader::from_bytes(&json).map_err(|error| unfit(&error.problem(), AttributePath::new()))?;
    read_object(&mut reader).map_err(|error| {
        let members = Members::of::<T>();
        let error = error.located_in(reader.text(), &|steps| members.container_at(steps)).redacted(members);
        unfit(&error.problem(), error.path().cloned().unwrap_or_default())
    })
}

/// The value that a model is.
pub(in crate::upgrade) fn value_of<P: Resource>(model: &P, context: &UpgradeContext<'_>) -> Result<Value, Diagnostics> {
    let mut json = Vec::new();
    encode_object(model, Encoding::Json, &mut json).map_err(crate::upgrade::definition::not_encodable)?;
    Value::from_json(&json, &P::SCHEMA.implied_type(), Undefined::Refuse)
        .map_err(|error| unreadable_state(&error.redacted(Members::of::<P>()), P::VERSION, context.subject()).into())
}
