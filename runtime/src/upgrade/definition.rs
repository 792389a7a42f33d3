//! A resource as the registry knows it, whatever it was made from.

use std::fmt;
use std::sync::Arc;

use super::context::UpgradeContext;
use super::dynamic::{DefinitionBuilder, Dynamic};
use super::engine::{upgrade_model, upgrade_model_async};
use super::future::BoxFuture;
use super::history::{History, is_routed};
use super::raw_state::RawState;
use crate::codec::{EncodeError, Encoding, encode_object};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::resource::Resource;
use crate::schema::{Schema, Shared};

/// A resource's type name, schema and upgrades, without its Rust type.
///
/// The derive makes one for every model ([`Resource::DEFINITION`]); [`ResourceDefinition::builder`] makes one while the program
/// runs, from schemas and closures.
#[derive(Clone)]
pub struct ResourceDefinition {
    type_name: Shared<str>,
    schema: Shared<Schema>,
    oldest: u64,
    source: Source,
}

#[derive(Clone)]
enum Source {
    Model {
        history: &'static History,
        routes: &'static [u16],
        upgrade: UpgradeModel,
        /// Only if an edge is asynchronous.
        upgrade_async: Option<UpgradeModelAsync>,
    },
    Dynamic(Arc<Dynamic>),
}

type UpgradeModel = fn(u64, RawState<'_>, &mut UpgradeContext<'_>, Encoding, &mut Vec<u8>) -> Result<(), Diagnostics>;
type UpgradeModelAsync = for<'a, 'c> fn(
    u64,
    RawState<'a>,
    &'a mut UpgradeContext<'c>,
    Encoding,
    &'a mut Vec<u8>,
) -> BoxFuture<'a, Result<(), Diagnostics>>;

impl ResourceDefinition {
    /// The definition of the model `T`.
    #[must_use]
    pub const fn of<T: Resource>() -> Self {
        Self {
            type_name: Shared::Static(T::TYPE_NAME),
            schema: Shared::Static(T::SCHEMA),
            oldest: T::HISTORY.oldest(),
            source: Source::Model {
                history: T::HISTORY,
                routes: T::ROUTES,
                upgrade: upgrade_and_encode::<T>,
                upgrade_async: if T::HISTORY.awaits() { Some(upgrade_and_encode_async::<T>) } else { None },
            },
        }
    }

    /// Starts a definition made while the program runs: type name and current schema.
    pub fn builder(type_name: impl Into<Shared<str>>, schema: Schema) -> DefinitionBuilder {
        DefinitionBuilder::new(type_name.into(), schema)
    }

    pub(super) fn dynamic(type_name: Shared<str>, schema: Schema, oldest: u64, dynamic: Dynamic) -> Self {
        Self { type_name, schema: schema.into(), oldest, source: Source::Dynamic(Arc::new(dynamic)) }
    }

    /// The resource's type name.
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    /// The current schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The current schema version.
    pub fn version(&self) -> u64 {
        self.schema.version()
    }

    /// The oldest stored version that can be upgraded.
    pub fn oldest(&self) -> u64 {
        self.oldest
    }

    /// The versions of the model and the edges between them; a definition made at run time has none.
    pub const fn history(&self) -> Option<&'static History> {
        match &self.source {
            Source::Model { history, .. } => Some(history),
            Source::Dynamic(_) => None,
        }
    }

    /// The versions that state goes through on its way from `stored`, both ends included; empty if there is no way.
    pub fn route(&self, stored: u64) -> Vec<u64> {
        let reachable = stored >= self.oldest && stored <= self.version();
        match &self.source {
            _ if !reachable => Vec::new(),
            Source::Model { history, .. } => model_route(history, stored),
            Source::Dynamic(dynamic) => dynamic.route(stored, self.version()),
        }
    }

    /// Whether state stored at this version is current or has a way up.
    #[inline]
    pub fn reaches(&self, stored: u64) -> bool {
        let current = self.version();
        stored == current && stored >= self.oldest
            || (self.oldest..current).contains(&stored)
                && match &self.source {
                    Source::Model { routes, .. } => is_routed(routes, self.oldest, stored),
                    Source::Dynamic(dynamic) => !dynamic.route(stored, current).is_empty(),
                }
    }

    /// The versions below the current one that have a way up.
    pub fn supported_versions(&self) -> Vec<u64> {
        match &self.source {
            // Every version in between is reached, or the model would not have compiled; or it has no edge at all.
            Source::Model { history, .. } if history.steps().is_empty() => Vec::new(),
            Source::Model { history, .. } => {
                (self.oldest..self.version()).filter(|version| !model_route(history, *version).is_empty()).collect()
            }
            Source::Dynamic(dynamic) => dynamic.versions().filter(|version| !self.route(*version).is_empty()).collect(),
        }
    }

    /// The release that first stored state of this version, if the author said so.
    pub(super) fn release_of(&self, version: u64) -> Option<&str> {
        match &self.source {
            Source::Model { history, .. } => {
                history.releases().iter().find(|(_, first)| *first == version).map(|(release, _)| *release)
            }
            Source::Dynamic(_) => None,
        }
    }

    /// Whether any schema, current or prior, has a sensitive attribute.
    pub(super) fn has_sensitive(&self) -> bool {
        match &self.source {
            Source::Model { history, .. } => history.has_sensitive(),
            Source::Dynamic(dynamic) => self.schema.has_sensitive() || dynamic.has_sensitive(),
        }
    }

    /// Whether the attribute `name` of any schema, current or prior, is sensitive.
    pub(super) fn hides(&self, name: &str) -> bool {
        self.schema.block().members().hides_below(name)
            || match &self.source {
                Source::Model { history, .. } => history.hides(name),
                Source::Dynamic(dynamic) => dynamic.hides(name),
            }
    }

    /// Brings `raw`, stored at `version`, to the current schema and appends it to `out`.
    pub(super) fn upgrade(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        match &self.source {
            Source::Model { upgrade, .. } => upgrade(version, raw, context, encoding, out),
            Source::Dynamic(dynamic) => dynamic.upgrade(&self.schema, version, raw, context, encoding, out),
        }
    }

    /// The same, awaiting where an edge on the way does; `None` if there is nothing to await.
    pub(super) fn upgrade_async<'a>(
        &'a self,
        version: u64,
        raw: RawState<'a>,
        context: &'a mut UpgradeContext<'_>,
        encoding: Encoding,
        out: &'a mut Vec<u8>,
    ) -> Option<BoxFuture<'a, Result<(), Diagnostics>>> {
        match &self.source {
            Source::Model { upgrade_async, .. } => upgrade_async.map(|upgrade| upgrade(version, raw, context, encoding, out)),
            Source::Dynamic(_) => None,
        }
    }
}

fn model_route(history: &History, stored: u64) -> Vec<u64> {
    if stored == history.version() {
        return vec![stored];
    }
    let Some(step) = history.route(stored).and_then(|edge| history.steps().get(edge)) else { return Vec::new() };
    let mut versions = match step.via() {
        // Of several shapes of one version some may still have a way.
        _ if step.unsupported().is_some() && step.condition().is_none() => Vec::new(),
        Some(via) if !step.contains(stored) => model_route(via, stored),
        _ => vec![stored],
    };
    if !versions.is_empty() {
        versions.push(history.version());
    }
    versions
}

fn upgrade_and_encode<T: Resource>(
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
    encoding: Encoding,
    out: &mut Vec<u8>,
) -> Result<(), Diagnostics> {
    let model = upgrade_model::<T>(version, raw, context)?;
    encode_object(&model, encoding, out).map_err(not_encodable)
}

fn upgrade_and_encode_async<'a, T: Resource>(
    version: u64,
    raw: RawState<'a>,
    context: &'a mut UpgradeContext<'_>,
    encoding: Encoding,
    out: &'a mut Vec<u8>,
) -> BoxFuture<'a, Result<(), Diagnostics>> {
    Box::pin(async move {
        let model = upgrade_model_async::<T>(version, raw, context).await?;
        encode_object(&model, encoding, out).map_err(not_encodable)
    })
}

#[cold]
pub(super) fn not_encodable(error: EncodeError) -> Diagnostics {
    let detail = "The upgraded state holds a number that is not finite (NaN or infinity), which cannot be stored. \
                  This is a mistake in the upgrade; the stored state is left as it was.";
    Diagnostic::error("Unable to Convert State", detail).at(error.path).into()
}

impl fmt::Debug for ResourceDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceDefinition")
            .field("type_name", &self.type_name)
            .field("version", &self.version())
            .field("oldest", &self.oldest)
            .finish_non_exhaustive()
    }
}
