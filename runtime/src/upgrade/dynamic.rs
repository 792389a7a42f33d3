//! Definitions made while the program runs: schemas and closures instead of models.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::context::UpgradeContext;
use super::decode::{nothing_stored, unreadable_flat_state, unreadable_state, warn_of_changes};
use super::definition::ResourceDefinition;
use super::raw_state::RawState;
use crate::codec::json::Reader;
use crate::codec::{DecodeError, Encoding, Undefined, Writer};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::schema::{Block, Schema, Shared, Type};
use crate::value::{ConformError, Unknown, Value};

type Run = dyn Fn(Value, &mut UpgradeContext<'_>) -> Result<Value, Diagnostics> + Send + Sync;

/// One upgrade of a definition made at run time: a closure from the prior value to a later one.
#[derive(Clone)]
pub struct DynamicUpgrader {
    from: u64,
    /// The version it ends at; the current one if not given.
    to: Option<u64>,
    prior: Option<Prior>,
    run: Arc<Run>,
}

/// The schema that state is read with, and its type.
#[derive(Clone)]
struct Prior {
    block: Block,
    ty: Type,
}

impl Prior {
    fn new(schema: &Schema) -> Self {
        Self { block: schema.block().clone(), ty: schema.implied_type() }
    }
}

impl DynamicUpgrader {
    /// An upgrade of state stored at version `from` straight to the current schema.
    ///
    /// Without a [prior schema](Self::prior_schema) the closure gets the stored JSON as it is: objects as maps, arrays as lists.
    pub fn new<E: Into<Diagnostics>>(
        from: u64,
        run: impl Fn(Value, &mut UpgradeContext<'_>) -> Result<Value, E> + Send + Sync + 'static,
    ) -> Self {
        Self { from, to: None, prior: None, run: Arc::new(move |prior, context| run(prior, context).map_err(Into::into)) }
    }

    /// The schema that state of that version is decoded with; names that it does not define are skipped.
    #[must_use]
    pub fn prior_schema(mut self, schema: &Schema) -> Self {
        self.prior = Some(Prior::new(schema));
        self
    }

    /// Ends at this version instead of the current one; the upgrade for that version goes on from there.
    #[must_use]
    pub fn to(mut self, version: u64) -> Self {
        self.to = Some(version);
        self
    }
}

impl fmt::Debug for DynamicUpgrader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicUpgrader").field("from", &self.from).field("to", &self.to).finish_non_exhaustive()
    }
}

/// Builds a [`ResourceDefinition`] from schemas and closures.
///
/// ```
/// use upstate::{Attribute, Block, Diagnostics, DynamicUpgrader, Presence, ResourceDefinition, Schema, Type, Value};
///
/// let current = Schema::new(1, Block::new([Attribute::new("title", Type::String, Presence::Required)]));
/// let definition = ResourceDefinition::builder("example_note", current)
///     .upgrader(DynamicUpgrader::new(0, |mut note: Value, _context| {
///         if let Some(note) = note.as_map_mut() {
///             let name = note.remove("name").unwrap_or_default();
///             note.insert("title".to_owned(), name);
///         }
///         Ok::<_, Diagnostics>(note)
///     }))
///     .build()?;
/// assert_eq!(definition.route(0), [0, 1]);
/// # Ok::<(), Diagnostics>(())
/// ```
#[derive(Debug)]
pub struct DefinitionBuilder {
    type_name: Shared<str>,
    schema: Schema,
    oldest: u64,
    upgraders: Vec<DynamicUpgrader>,
}

impl DefinitionBuilder {
    pub(super) fn new(type_name: Shared<str>, schema: Schema) -> Self {
        Self { type_name, schema, oldest: 0, upgraders: Vec::new() }
    }

    /// Adds an upgrade.
    #[must_use]
    pub fn upgrader(mut self, upgrader: DynamicUpgrader) -> Self {
        self.upgraders.push(upgrader);
        self
    }

    /// State stored at an earlier version than this is refused.
    #[must_use]
    pub fn oldest(mut self, version: u64) -> Self {
        self.oldest = version;
        self
    }

    /// Checks the definition.
    ///
    /// # Errors
    /// Every mistake in it: an empty type name, two upgrades for one version, an upgrade at or above the current version, one
    /// that does not lead up, one that ends where no other goes on.
    pub fn build(self) -> Result<ResourceDefinition, Diagnostics> {
        let current = self.schema.version();
        let mut problems = Vec::new();
        if self.type_name.is_empty() {
            problems.push("the type name is empty".to_owned());
        }
        if self.oldest > current {
            problems.push(format!("the oldest supported version {} is above the current version {current}", self.oldest));
        }
        let starts: Vec<u64> = self.upgraders.iter().map(|upgrader| upgrader.from).collect();
        let mut upgraders = BTreeMap::new();
        for upgrader in self.upgraders {
            let (from, to) = (upgrader.from, upgrader.to.unwrap_or(current));
            if from >= current {
                problems.push(format!("the upgrade from version {from} never runs: the current version is {current}"));
            } else if to <= from || to > current {
                problems.push(format!("the upgrade from version {from} must end above it and at most at {current}, not at {to}"));
            } else if to < current && !starts.contains(&to) {
                problems.push(format!("the upgrade from version {from} ends at version {to}, from which no upgrade goes on"));
            }
            if upgraders.insert(from, upgrader).is_some() {
                problems.push(format!("there are two upgrades from version {from}"));
            }
        }
        if problems.is_empty() {
            let dynamic = Dynamic { current: Prior::new(&self.schema), upgraders };
            return Ok(ResourceDefinition::dynamic(self.type_name, self.schema, self.oldest, dynamic));
        }
        let about =
            |problem| Diagnostic::error("Invalid Resource Definition", format!("Resource type {}: {problem}.", self.type_name));
        Err(problems.into_iter().map(about).collect())
    }
}

/// The upgrades of a definition made at run time.
pub(super) struct Dynamic {
    current: Prior,
    upgraders: BTreeMap<u64, DynamicUpgrader>,
}

impl Dynamic {
    pub(super) fn has_sensitive(&self) -> bool {
        self.upgraders.values().any(|upgrader| upgrader.prior.as_ref().is_some_and(|prior| prior.block.has_sensitive()))
    }

    pub(super) fn hides(&self, name: &str) -> bool {
        self.upgraders
            .values()
            .filter_map(|upgrader| upgrader.prior.as_ref())
            .any(|prior| prior.block.members().hides_below(name))
    }

    pub(super) fn versions(&self) -> impl Iterator<Item = u64> {
        self.upgraders.keys().copied()
    }

    pub(super) fn route(&self, stored: u64, current: u64) -> Vec<u64> {
        let mut versions = vec![stored];
        let mut at = stored;
        // Every upgrade leads up, so this ends.
        while at < current {
            let Some(upgrader) = self.upgraders.get(&at) else { return Vec::new() };
            at = upgrader.to.unwrap_or(current);
            versions.push(at);
        }
        versions
    }

    pub(super) fn upgrade(
        &self,
        schema: &Schema,
        stored: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        let current = schema.version();
        let mut at = stored;
        let prior =
            if at == current { Some(&self.current) } else { self.upgraders.get(&at).and_then(|first| first.prior.as_ref()) };
        let mut value = read(raw, prior, at, context)?;
        while at < current {
            let Some(upgrader) = self.upgraders.get(&at) else {
                return Err(Diagnostic::error(
                    "Unable to Upgrade Resource State",
                    format!("There is no upgrade from version {at}."),
                )
                .into());
            };
            if let Some(prior) = upgrader.prior.as_ref().filter(|_| at != stored) {
                value.conform(&prior.ty, Unknown::Refuse).map_err(|error| unfit(&error, at, prior))?;
            }
            value = (upgrader.run)(value, context)?;
            at = upgrader.to.unwrap_or(current);
        }
        if !matches!(value, Value::Map(_)) {
            return Err(Diagnostic::error(
                "Missing Upgraded Resource State",
                format!("The upgrade ended with {} instead of an object. The stored state is left as it was.", value.noun()),
            )
            .into());
        }
        schema.block().settle(&mut value);
        value.conform(&self.current.ty, Unknown::Refuse).map_err(|error| unfit(&error, current, &self.current))?;
        value.write(&self.current.ty, &mut Writer::new(out, encoding));
        Ok(())
    }
}

/// Reads stored state, by a type if there is one, and warns of sets that had an element more than once.
fn read(raw: RawState<'_>, prior: Option<&Prior>, version: u64, context: &mut UpgradeContext<'_>) -> Result<Value, Diagnostics> {
    match (raw, prior) {
        (RawState::Json(json), None) => {
            Value::from_untyped_json(json).map_err(|error| unreadable_state(&error, version, context.subject()).into())
        }
        (RawState::Json(json), Some(ty)) => {
            read_typed(json, ty, context).map_err(|error| unreadable_state(&error, version, context.subject()).into())
        }
        (RawState::Empty, _) => Err(nothing_stored(context.subject())),
        (RawState::Flatmap(map), None) => Ok(map.iter().map(|(key, text)| (key.clone(), Value::from(text.as_str()))).collect()),
        (RawState::Flatmap(map), Some(prior)) => Value::from_flatmap(map, &prior.ty)
            .map_err(|error| unreadable_flat_state(&error.redacted(prior.block.members()), version, context.subject()).into()),
    }
}

fn read_typed(json: &[u8], prior: &Prior, context: &mut UpgradeContext<'_>) -> Result<Value, DecodeError> {
    let members = prior.block.members();
    let mut reader = Reader::from_bytes(json)?;
    let value = Value::read(&mut reader, &prior.ty, Undefined::Skip).map_err(|error| error.redacted(members))?;
    warn_of_changes(&reader, context, members);
    Ok(value)
}

fn unfit(error: &ConformError, version: u64, schema: &Prior) -> Diagnostics {
    let path = error.path().clone();
    let visible = schema.block.members().visible(path.steps()).len;
    let path = path.truncated(visible);
    let detail = format!("The upgraded state does not fit schema version {version}: {} (at {path}).", error.problem());
    Diagnostic::error("Unable to Upgrade Resource State", detail).at(path).into()
}
