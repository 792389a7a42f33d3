//! Declarative upgraders among the others, and between nested objects.

use std::any::Any;

use super::blame::blame_stored;
use super::context::UpgradeContext;
use super::decode::{decode_document, decode_json, flat_to_json, nothing_stored, unreadable_state, warn_of_changes};
use super::downgrade::Station;
use super::engine::{blame_upgraded, upgrade_to_value, upgrade_to_value_async};
use super::fast::route_of;
use super::future::BoxFuture;
use super::history::{History, Via};
use super::model::{Model as AnyModel, ModelPlace, Typed};
use super::operators::{FusedUpgrader, Operators, downgrade_state, upgrade_state};
use super::prior_shape::PriorShape;
use super::raw_state::RawState;
use crate::codec::json::Reader;
use crate::codec::{DecodeError, Encoding, Object, UnknownAttributes, encode_object};
use crate::diagnostics::Diagnostics;
use crate::path::AttributePath;
use crate::resource::Resource;
use crate::schema::table::Table;
use crate::schema::{Members, ObjectUpgrader, Schema};
use crate::value::{Unknown, Value};

/// What a declarative upgrader starts from: not a Rust type, but what is to be known of one.
#[derive(Debug, Clone, Copy)]
pub struct Prior {
    table: &'static Table,
    behind: Behind,
}

/// What describes the prior version.
#[derive(Debug, Clone, Copy)]
enum Behind {
    /// A struct that derives `Resource`.
    Model(Model),
    /// A difference to a later version.
    Shape(&'static PriorShape),
    /// A struct that derives `Object`, which has no version.
    Object,
}

/// How state gets to the version of a prior model, as a value of its schema.
#[derive(Debug, Clone, Copy)]
struct Model {
    via: Via,
    /// What the engine knows of it.
    known: fn() -> &'static AnyModel,
    /// Whether state of the model's own version can be read by its schema alone.
    strict: bool,
    /// Only if an upgrader on the way may await.
    value_async: Option<ValueAsync>,
}

type ValueAsync = for<'a> fn(u64, RawState<'a>, &'a mut UpgradeContext<'_>) -> BoxFuture<'a, Result<Value, Diagnostics>>;

impl Prior {
    /// The prior model `P`.
    #[must_use]
    pub const fn model<P: Resource>() -> Self {
        let value_async: Option<ValueAsync> = if P::HISTORY.awaits() { Some(upgrade_to_value_async::<P>) } else { None };
        let model = Model { via: Via::of::<P>(), known: AnyModel::of::<P>, strict: !P::TABLE.reads_leniently(), value_async };
        Self { table: P::TABLE, behind: Behind::Model(model) }
    }

    /// A prior version without a struct.
    #[must_use]
    pub const fn shape(shape: &'static PriorShape) -> Self {
        Self { table: shape.table(), behind: Behind::Shape(shape) }
    }

    /// A prior nested object without a struct.
    #[must_use]
    pub const fn object_shape(table: &'static Table) -> Self {
        Self { table, behind: Behind::Object }
    }

    /// The prior nested object `P`.
    #[must_use]
    pub const fn object<P: Object>() -> Self {
        Self { table: P::TABLE, behind: Behind::Object }
    }

    /// The shape of the prior version, which the compiler's checks ask about.
    #[must_use]
    pub const fn table(&self) -> &'static Table {
        self.table
    }

    /// The schema version of the prior model; 0 for a nested object, which has none.
    #[must_use]
    pub const fn version(&self) -> u64 {
        match self.behind {
            Behind::Model(Model { via, .. }) => via.version(),
            Behind::Shape(_) => self.table.version,
            Behind::Object => 0,
        }
    }

    /// Its attributes and blocks.
    pub(super) fn members(&self) -> Members<'static> {
        self.table.schema().block().members()
    }

    /// What is wrong at these paths with the prior model, to which state stored at `version` was brought.
    #[cold]
    pub(super) fn blame(
        &self,
        version: u64,
        raw: RawState<'_>,
        suspects: &[AttributePath],
        context: &mut UpgradeContext<'_>,
    ) -> Option<Diagnostics> {
        match self.behind {
            Behind::Model(Model { known, .. }) => {
                let model = known();
                if version != model.version() {
                    return blame_upgraded(model, version, raw, suspects, context);
                }
                blame_stored(raw, model.schema(), self.members(), model.judge, suspects, context)
            }
            Behind::Shape(_) if version == self.table.version => {
                blame_stored(raw, self.table.schema(), self.members(), None, suspects, context)
            }
            Behind::Shape(shape) => shape.blame(version, raw, suspects, context),
            Behind::Object => None,
        }
    }

    /// The model, if it is one.
    pub(super) const fn via(&self) -> Option<Via> {
        match self.behind {
            Behind::Model(Model { via, .. }) => Some(via),
            Behind::Shape(shape) => Some(Via::of_shape(shape)),
            Behind::Object => None,
        }
    }

    /// The history of the model.
    pub(super) fn history(&self) -> Option<&'static History> {
        self.via().map(|via| via.history())
    }

    /// Whether an upgrader that leads to the model may await.
    pub(super) const fn awaits(&self) -> bool {
        match self.via() {
            Some(via) => via.awaits(),
            None => false,
        }
    }

    /// Whether state of the model's own version can be read by its schema alone.
    const fn is_strict(&self) -> bool {
        match self.behind {
            Behind::Model(Model { strict, .. }) => strict,
            Behind::Shape(_) => !self.table.reads_leniently(),
            Behind::Object => false,
        }
    }

    /// Brings state stored at `version` to a value of the schema.
    fn value(&self, version: u64, raw: RawState<'_>, context: &mut UpgradeContext<'_>) -> Result<Value, Diagnostics> {
        match self.behind {
            Behind::Model(Model { known, .. }) => upgrade_to_value(known(), version, raw, context),
            Behind::Shape(shape) => shape.value(version, raw, context),
            Behind::Object => Ok(Value::Null),
        }
    }
}

impl ObjectUpgrader {
    /// From the struct that `prior` tells of.
    #[must_use]
    pub const fn new(prior: &'static Prior, operators: fn() -> &'static (dyn Any + Send + Sync)) -> Self {
        Self { other_name: prior.table.rust_name, operators }
    }

    /// From a shape without a struct to the one that `later` tells of.
    #[must_use]
    pub const fn onward(later: &'static Table, operators: fn() -> &'static (dyn Any + Send + Sync)) -> Self {
        Self { other_name: later.rust_name, operators }
    }
}

/// A declarative upgrader: the table, and the model it starts from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared {
    pub(super) operators: &'static Operators,
    pub(super) prior: &'static Prior,
    /// Whether a function among the operators is an `async fn`. Those of nested objects have a table of their own.
    pub(super) awaits: bool,
}

impl Declared {
    /// What describes the prior version; nothing for a nested object.
    pub(super) fn prior_station(&self) -> Option<Station> {
        match self.prior.behind {
            Behind::Model(Model { known, .. }) => Some(Station::Model(known())),
            Behind::Shape(shape) => Some(Station::Shape(shape)),
            Behind::Object => None,
        }
    }

    /// The prior value that a current one comes from, as far as the operators tell.
    pub(super) fn undo(
        &self,
        current: Value,
        to: &'static Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        downgrade_state(self.operators, current, self.prior.members(), to.block().members(), context)
    }

    /// Whether state of this version has the prior model's shape, and can be read by its schema.
    pub(super) fn starts_at(&self, version: u64) -> bool {
        !self.awaits && self.prior.is_strict() && self.prior.version() == version
    }

    /// The upgraders from state stored at a version before the prior model's to that model.
    pub(super) fn route_before(&self, version: u64) -> Option<Vec<FusedUpgrader>> {
        if self.awaits || !self.prior.is_strict() || self.prior.version() == version {
            return None;
        }
        match self.prior.behind {
            Behind::Model(Model { known, .. }) => route_of(known(), version, None),
            Behind::Shape(shape) => shape.route(version),
            Behind::Object => None,
        }
    }

    /// Brings state stored at `version` to a value of the schema with these members.
    pub(super) fn upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        let prior = self.prior.value(version, raw, context)?;
        context.check()?;
        self.upgrade_value(prior, (version, raw), to, context)
    }

    /// Upgrades a value, awaiting where an upgrader on the way does.
    pub(super) async fn upgrade_async(
        &self,
        version: u64,
        raw: RawState<'_>,
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        let prior = match self.prior.behind {
            Behind::Model(Model { value_async: Some(value), .. }) => value(version, raw, context).await?,
            Behind::Shape(shape) if self.prior.awaits() => shape.value_async(version, raw, context).await?,
            Behind::Model(_) | Behind::Shape(_) | Behind::Object => self.prior.value(version, raw, context)?,
        };
        context.check()?;
        let noted = context.noted();
        context.keep_questions();
        loop {
            let value = self.upgrade_value(prior.clone(), (version, raw), to, context);
            // An error asks nothing. Without one, a value may still be missing until its question is answered.
            if value.is_err() || !context.await_answers().await? {
                context.forget_questions();
                return value;
            }
            context.forget(noted);
        }
    }

    /// Brings a value of the prior schema to the current one.
    pub(super) fn upgrade_value(
        &self,
        prior: Value,
        stored: (u64, RawState<'_>),
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        let mut value = match upgrade_state(self.operators, prior, self.prior.members(), to.block().members(), context) {
            Ok(value) => value,
            Err(refused) => return Err(self.blame_refusals(refused, stored, to, context)),
        };
        if context.has_questions() {
            return Ok(value);
        }
        to.block().settle(&mut value);
        match value.conform(&to.implied_type(), Unknown::Refuse) {
            Ok(()) => Ok(value),
            Err(error) => Err(self.not_conform(&error, &value, stored, to, context)),
        }
    }
}

/// Reads state stored at the version of `schema` as a value.
pub(super) fn read_value(raw: RawState<'_>, schema: &Schema, context: &mut UpgradeContext<'_>) -> Result<Value, Diagnostics> {
    read_by(raw, schema, context, &|reader| Value::read(reader, &schema.implied_type(), UnknownAttributes::Ignore))
}

/// Reads state stored at the version of a shape without a struct.
pub(super) fn read_shape(
    raw: RawState<'_>,
    table: &'static Table,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    if !table.reads_leniently() {
        return read_value(raw, table.schema(), context);
    }
    read_by(raw, table.schema(), context, &|reader| Value::read_shape(reader, table, UnknownAttributes::Ignore))
}

fn read_by(
    raw: RawState<'_>,
    schema: &Schema,
    context: &mut UpgradeContext<'_>,
    read: &dyn Fn(&mut Reader<'_>) -> Result<Value, DecodeError>,
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
        let value = read(&mut reader)?;
        Ok((reader, value))
    };
    match read() {
        Ok((reader, value)) => {
            warn_of_changes(&reader, context, members);
            Ok(value)
        }
        Err(error) => {
            let error: DecodeError = error;
            Err(unreadable_state(&error.redacted(members), schema.version(), context.subject()).into())
        }
    }
}

/// The model that a value of its schema is.
pub(super) fn model_of<T: Resource>(value: &Value) -> Result<T, DecodeError> {
    let mut json = Vec::new();
    value.write(&T::schema().implied_type(), &mut crate::codec::Writer::new(&mut json, Encoding::Json));
    decode_json(&json, UnknownAttributes::Ignore)
}

/// Puts the model that a value of its schema is into `place`.
pub(super) fn put_value(typed: &Typed, value: &Value, place: &mut ModelPlace) -> Result<(), DecodeError> {
    let mut json = Vec::new();
    value.write(&typed.model.schema().implied_type(), &mut crate::codec::Writer::new(&mut json, Encoding::Json));
    decode_document(typed, &json, UnknownAttributes::Ignore, place)
}

/// The value that a model is.
pub(super) fn value_of<P: Resource>(model: &P, context: &UpgradeContext<'_>) -> Result<Value, Diagnostics> {
    let mut json = Vec::new();
    encode_object(model, Encoding::Json, &mut json).map_err(crate::upgrade::definition::not_encodable)?;
    value_of_json(&json, P::schema(), context)
}

/// The value that a model of this schema is, which wrote the JSON.
pub(super) fn value_of_json(json: &[u8], schema: &Schema, context: &UpgradeContext<'_>) -> Result<Value, Diagnostics> {
    Value::from_json(json, &schema.implied_type(), UnknownAttributes::Deny)
        .map_err(|error| unreadable_state(&error.redacted(schema.block().members()), schema.version(), context.subject()).into())
}
