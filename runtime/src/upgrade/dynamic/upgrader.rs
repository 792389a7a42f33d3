//! Upgrades and moves made of closures.

use std::fmt;
use std::sync::Arc;

use crate::codec::UnknownAttributes;
use crate::diagnostics::Diagnostics;
use crate::schema::{Attribute, Block, Presence, Schema, Shared, Type};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::definition::ResourceDefinition;
use crate::upgrade::future::BoxFuture;
use crate::value::Value;

/// State as an upgrade answers it: of a definition made at run time, or by a `raw` function of a
/// model, which may answer the model instead.
///
/// ```
/// use upstate::upgrade::UpgradedState;
/// use upstate::{Diagnostics, RawState, Resource, UpgradeContext};
///
/// #[derive(Debug, PartialEq, Resource)]
/// #[resource(type_name = "example_note", version = 1)]
/// #[upgrade_from(0, raw = unwrap)]
/// struct Note { title: String, text: Option<String> }
///
/// /// Version 0 kept the note in a list of one.
/// fn unwrap(raw: RawState<'_>, _: &mut UpgradeContext<'_>) -> Result<UpgradedState, Diagnostics> {
///     let json = raw.json().ok_or("no release stored it in the flat form")?.trim_ascii();
///     let inner = json.strip_prefix(b"[").and_then(|json| json.strip_suffix(b"]")).ok_or("it is not in a list")?;
///     Ok(UpgradedState::Json(inner.to_vec()))
/// }
///
/// let note: Note = upstate::upgrade_json(0, r#"[{"title": "a"}]"#)?;
/// assert_eq!(note, Note { title: "a".into(), text: None });
/// # Ok::<(), Diagnostics>(())
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum UpgradedState {
    /// A value.
    Value(Value),
    /// A JSON document. Attributes that the schema it is for does not define are refused.
    Json(Vec<u8>),
    /// A `MessagePack` document, every attribute in it.
    Msgpack(Vec<u8>),
}

/// Says of what kind it is, not what it holds: stored values may be secrets.
impl fmt::Debug for UpgradedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => write!(f, "Value({})", value.noun()),
            Self::Json(bytes) => write!(f, "Json({} bytes)", bytes.len()),
            Self::Msgpack(bytes) => write!(f, "Msgpack({} bytes)", bytes.len()),
        }
    }
}

impl From<Value> for UpgradedState {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

pub(super) type Answer = Result<UpgradedState, Diagnostics>;
type Run = dyn Fn(Value, &mut UpgradeContext<'_>) -> Answer + Send + Sync;
type RunAsync = dyn for<'a, 'c> Fn(Value, &'a mut UpgradeContext<'c>) -> BoxFuture<'a, Result<Value, Diagnostics>>
    + Send
    + Sync;

#[derive(Clone)]
pub(super) enum Closure {
    Now(Arc<Run>),
    Async(Arc<RunAsync>),
}

/// One upgrade of a definition made at run time: a closure from the prior value to a later one.
#[derive(Clone)]
pub struct ClosureUpgrader {
    pub(super) from: u64,
    /// The version it ends at; the current one if not given, in the SDK's flow the next one.
    pub(super) to: Option<u64>,
    pub(super) prior: Option<Prior>,
    pub(super) run: Closure,
}

/// The schema that state is read with, and its type.
#[derive(Clone)]
pub(in crate::upgrade) struct Prior {
    pub(super) block: Block,
    pub(super) ty: Type,
}

impl Prior {
    pub(super) fn new(schema: &Schema) -> Self {
        Self::of(schema.block().clone())
    }

    pub(super) fn of(block: Block) -> Self {
        let ty = block.implied_type();
        Self { block, ty }
    }
}

impl ClosureUpgrader {
    /// An upgrade of state stored at version `from` straight to the current schema.
    ///
    /// Without a [prior schema](Self::prior_schema) the closure gets the stored state unchanged:
    /// objects as maps, arrays as lists, flat state as a map of strings, and null if nothing is
    /// stored. [`UpgradeContext::raw_state`] has the bytes.
    pub fn new<A: Into<UpgradedState>, E: Into<Diagnostics>>(
        from: u64,
        run: impl Fn(Value, &mut UpgradeContext<'_>) -> Result<A, E> + Send + Sync + 'static,
    ) -> Self {
        let run = move |prior: Value, context: &mut UpgradeContext<'_>| {
            run(prior, context).map(Into::into).map_err(Into::into)
        };
        Self {
            from,
            to: None,
            prior: None,
            run: Closure::Now(Arc::new(run)),
        }
    }

    /// An upgrade by an asynchronous function, [boxed](crate::upgrade::boxed).
    pub fn new_async(
        from: u64,
        run: impl for<'a, 'c> Fn(
            Value,
            &'a mut UpgradeContext<'c>,
        ) -> BoxFuture<'a, Result<Value, Diagnostics>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            from,
            to: None,
            prior: None,
            run: Closure::Async(Arc::new(run)),
        }
    }

    /// The schema that state of that version is decoded with; names that it does not define are
    /// skipped. In the SDK's flow it is used for flat state only.
    #[must_use]
    pub fn prior_schema(mut self, schema: &Schema) -> Self {
        self.prior = Some(Prior::new(schema));
        self
    }

    /// The type of that version's state, where its schema is not known. It must be an object.
    #[must_use]
    pub fn prior_type(mut self, ty: Type) -> Self {
        let block = if let Type::Object(fields) = &ty {
            Block::new(fields.iter().map(|field| {
                Attribute::new(
                    Shared::from(field.name()),
                    field.ty().clone(),
                    Presence::Optional,
                )
            }))
        } else {
            // It is refused when the definition is built, because it must be an object.
            Block::new([])
        };
        self.prior = Some(Prior { block, ty });
        self
    }

    /// Ends at this version instead of the current one; the upgrade for that version goes on from
    /// there.
    #[must_use]
    pub fn to(mut self, version: u64) -> Self {
        self.to = Some(version);
        self
    }
}

__debug_parts! {
    ClosureUpgrader |self| {
        from: self.from,
        to: self.to,
    }
}

pub(in crate::upgrade) type RunMove = dyn Fn(Option<Value>, &mut UpgradeContext<'_>) -> Result<Option<UpgradedState>, Diagnostics>
    + Send
    + Sync;

/// One move of a definition made at run time: a closure that makes state of another type into state
/// of this one, or passes.
#[derive(Clone)]
pub struct ClosureMover {
    pub(in crate::upgrade) type_name: Option<Shared<str>>,
    pub(in crate::upgrade) provider: Option<Shared<str>>,
    pub(in crate::upgrade) source: MoverSource,
    pub(in crate::upgrade) run: Arc<RunMove>,
}

/// Says how a mover gets at the source state.
#[derive(Clone)]
pub(in crate::upgrade) enum MoverSource {
    Raw,
    Schema(Prior),
    Definition(ResourceDefinition),
}

impl ClosureMover {
    /// A move by a closure. It gets the source state if a schema of it is given and fits, else
    /// nothing: [`UpgradeContext::raw_state`] and [`UpgradeContext::moved`] have the rest. `None`
    /// and null pass on to the next mover.
    pub fn new<A: Into<UpgradedState>, E: Into<Diagnostics>>(
        run: impl Fn(Option<Value>, &mut UpgradeContext<'_>) -> Result<Option<A>, E>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let run = move |source: Option<Value>, context: &mut UpgradeContext<'_>| {
            run(source, context)
                .map(|state| state.map(Into::into))
                .map_err(Into::into)
        };
        Self {
            type_name: None,
            provider: None,
            source: MoverSource::Raw,
            run: Arc::new(run),
        }
    }

    /// Only for state of this type.
    #[must_use]
    pub fn from_type(mut self, type_name: impl Into<Shared<str>>) -> Self {
        self.type_name = Some(type_name.into());
        self
    }

    /// Only for state that this provider stored: its address, or the end of it.
    #[must_use]
    pub fn from_provider(mut self, provider: impl Into<Shared<str>>) -> Self {
        self.provider = Some(provider.into());
        self
    }

    /// The schema that the source state is decoded with. Names that it does not define are skipped;
    /// if it does not fit, the closure is called without source state, as in the reference.
    #[must_use]
    pub fn source_schema(mut self, schema: &Schema) -> Self {
        self.source = MoverSource::Schema(Prior::new(schema));
        self
    }

    /// The definition of the source type: its state is upgraded to the current version of that type
    /// first, and the closure gets it so. If it cannot be, the move fails.
    #[must_use]
    pub fn source_definition(mut self, definition: ResourceDefinition) -> Self {
        self.source = MoverSource::Definition(definition);
        self
    }
}

__debug_parts! {
    ClosureMover |self| {
        type_name: self.type_name,
        provider: self.provider,
    }
}

/// Low-level answers as values, strictly by the schema they are for.
pub(super) fn structured(state: UpgradedState, ty: Option<&Type>) -> Result<Value, Problem> {
    match (state, ty) {
        (UpgradedState::Value(value), _) => Ok(value),
        (UpgradedState::Json(json), Some(ty)) => {
            Value::from_json(&json, ty, UnknownAttributes::Deny).map_err(|error| Problem {
                path: error.path().cloned(),
                text: error.problem(),
            })
        }
        (UpgradedState::Json(json), None) => {
            Value::from_untyped_json(&json).map_err(|error| Problem {
                path: error.path().cloned(),
                text: error.problem(),
            })
        }
        (UpgradedState::Msgpack(bytes), Some(ty)) => {
            Value::from_msgpack(&bytes, ty).map_err(|error| Problem {
                path: Some(error.path().clone()),
                text: error.problem().to_owned(),
            })
        }
        (UpgradedState::Msgpack(_), None) => Err(Problem {
            path: None,
            text: "MessagePack can't be read without a schema".to_owned(),
        }),
    }
}

/// The reason that an answer does not fit, and the path of the misfit.
pub(super) struct Problem {
    pub(super) path: Option<crate::path::AttributePath>,
    pub(super) text: String,
}

impl ClosureMover {
    pub(super) fn schema(&self) -> Option<&Prior> {
        match &self.source {
            MoverSource::Schema(prior) => Some(prior),
            MoverSource::Raw | MoverSource::Definition(_) => None,
        }
    }

    pub(super) fn definition(&self) -> Option<&ResourceDefinition> {
        match &self.source {
            MoverSource::Definition(definition) => Some(definition),
            MoverSource::Raw | MoverSource::Schema(_) => None,
        }
    }
}
