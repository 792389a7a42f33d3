//! A resource as the registry knows it: from a model, or made at run time.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock, RwLock};

use super::context::UpgradeContext;
use super::dynamic::Dynamic;
use super::fast::{FastModel, FastRoutes};
use super::future::BoxFuture;
use super::history::{History, Step, UpgraderKind, is_routed};
use super::model::Typed;
use super::moves::{ModelMoves, MoveSource};
use super::raw_state::RawState;
use super::subject::Subject;
use crate::codec::Encoding;
use crate::diagnostics::Diagnostics;
use crate::schema::table::Table;
use crate::schema::{Block, ObjectForm, Schema, Shared};

/// A schema that stored state of an earlier version is read with.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PriorSchema<'d> {
    /// The schema version.
    pub version: u64,
    /// The schema.
    pub block: &'d Block,
}

/// A resource's type name, schema and upgrades, without its Rust type.
///
/// The derive makes one for every model ([`Resource::DEFINITION`](crate::Resource::DEFINITION));
/// [`ResourceDefinition::builder`] makes one while the program runs, from schemas and closures.
#[derive(Clone)]
pub struct ResourceDefinition {
    pub(super) type_name: Shared<str>,
    pub(super) schema: Current,
    pub(super) oldest: u64,
    pub(super) identity: Option<Shared<ResourceDefinition>>,
    pub(super) source: Source,
    /// Facts that are found out once, from when it is registered.
    pub(super) known: Option<Arc<Known>>,
}

/// The current schema.
#[derive(Clone)]
pub(super) enum Current {
    /// That of a model, made when it is first asked for.
    Model(&'static Table),
    /// Made at run time.
    Owned(Arc<Schema>),
}

#[derive(Clone)]
pub(super) enum Source {
    Model {
        history: &'static History,
        routes: &'static [u16],
        typed: &'static Typed,
        /// Only if an upgrader is asynchronous.
        upgrade_async: Option<UpgradeModelAsync>,
        /// Only if there are any.
        moves: Option<ModelMoves>,
        /// Only if an upgrader is declarative.
        fast: Option<FastModel>,
        /// Its routes, from when it is registered.
        fast_routes: Option<Arc<FastRoutes>>,
    },
    Dynamic(Arc<Dynamic>),
}

type UpgradeModelAsync = for<'a, 'c> fn(
    u64,
    RawState<'a>,
    &'a mut UpgradeContext<'c>,
    Encoding,
    &'a mut Vec<u8>,
) -> BoxFuture<'a, Result<(), Diagnostics>>;

impl ResourceDefinition {
    /// Adds room for what is worked out once for many states.
    pub(crate) fn ready(mut self) -> Self {
        // A compiled plan knows Terraform's rules alone, so that documents go the way of values.
        if let Source::Model {
            fast: Some(fast),
            fast_routes: routes @ None,
            typed,
            ..
        } = &mut self.source
            && typed.model.table().document.is_none()
        {
            *routes = Some(Arc::new(FastRoutes::new(*fast)));
        }
        self.known.get_or_insert_default();
        self
    }

    /// The thing that is upgraded: state or a document.
    pub(super) fn subject(&self) -> Subject {
        match &self.source {
            Source::Model { typed, .. } if typed.model.table().document.is_some() => {
                Subject::Document
            }
            Source::Model { .. } | Source::Dynamic(_) => Subject::State,
        }
    }

    pub(super) fn known(&self) -> Option<&Known> {
        self.known.as_deref()
    }

    pub(super) fn dynamic(
        type_name: Shared<str>,
        schema: Schema,
        oldest: u64,
        dynamic: Dynamic,
        identity: Option<ResourceDefinition>,
    ) -> Self {
        let identity = identity.map(Shared::from);
        let source = Source::Dynamic(Arc::new(dynamic));
        Self {
            type_name,
            schema: Current::Owned(Arc::new(schema)),
            oldest,
            identity,
            source,
            known: None,
        }
    }

    /// True if both are made of one model.
    #[doc(hidden)]
    pub fn is_of_same_model(&self, other: &Self) -> bool {
        // There is one table, because it is a `static`; a constant's value may be there several
        // times.
        match (&self.schema, &other.schema) {
            (Current::Model(one), Current::Model(other)) => std::ptr::eq(*one, *other),
            (Current::Model(_) | Current::Owned(_), _) => false,
        }
    }

    /// The resource's type name.
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    pub(crate) fn shared_type_name(&self) -> Shared<str> {
        self.type_name.clone()
    }

    /// The current schema.
    pub fn schema(&self) -> &Schema {
        match &self.schema {
            Current::Model(table) => table.schema(),
            Current::Owned(schema) => schema,
        }
    }

    /// The current schema version.
    pub fn version(&self) -> u64 {
        match &self.schema {
            Current::Model(table) => table.version,
            Current::Owned(schema) => schema.version(),
        }
    }

    /// The oldest stored version that can be upgraded.
    pub fn oldest(&self) -> u64 {
        self.oldest
    }

    /// The versions of the model and the upgraders between them; a definition made at run time has
    /// none.
    pub const fn history(&self) -> Option<&'static History> {
        match &self.source {
            Source::Model { history, .. } => Some(history),
            Source::Dynamic(_) => None,
        }
    }

    /// The definition of the identity that is stored beside the state, if the resource has one. Its
    /// type name means nothing.
    pub fn identity(&self) -> Option<&ResourceDefinition> {
        self.identity.as_deref()
    }

    /// The types whose state this one accepts, for models.
    pub fn moves(&self) -> Vec<MoveSource> {
        match &self.source {
            Source::Model {
                moves: Some(moves), ..
            } => (moves.sources)(),
            Source::Model { .. } | Source::Dynamic(_) => Vec::new(),
        }
    }

    /// True if state of some other type can become state of this one.
    pub fn takes_moves(&self) -> bool {
        match &self.source {
            Source::Model { moves, .. } => moves.is_some(),
            Source::Dynamic(dynamic) => !dynamic.movers().is_empty(),
        }
    }

    /// The routes that go straight over the bytes.
    pub(super) fn fast_routes(&self) -> Option<&FastRoutes> {
        match &self.source {
            Source::Model { fast_routes, .. } => fast_routes.as_deref(),
            Source::Dynamic(_) => None,
        }
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    /// The versions that state goes through from `stored`, both ends included; empty if there is no
    /// route.
    pub fn route(&self, stored: u64) -> Vec<u64> {
        let reachable = stored >= self.oldest && stored <= self.version();
        match &self.source {
            _ if !reachable => Vec::new(),
            Source::Model { history, .. } => model_route(history, stored),
            Source::Dynamic(dynamic) => dynamic.route(stored, self.version()),
        }
    }

    /// True if state stored at this version is current or has a route.
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

    /// True if state in the flat form of Terraform 0.11, stored at this version, has a route: some
    /// is migrated that is older than the versions that JSON is upgraded from.
    pub fn reaches_flat(&self, stored: u64) -> bool {
        match &self.source {
            Source::Dynamic(dynamic) => {
                (self.oldest..=self.version()).contains(&stored)
                    && dynamic.reaches_flat(stored, self.version())
            }
            Source::Model { history, .. } => self.reaches(stored) || history.migrates(stored),
        }
    }

    /// True if this state, stored at that version, has a way up.
    #[inline]
    pub(super) fn takes(&self, stored: u64, raw: RawState<'_>) -> bool {
        match raw {
            RawState::Flatmap(_) => self.reaches_flat(stored),
            RawState::Json(_) | RawState::Empty => self.reaches(stored),
        }
    }

    /// The versions below the current one that have a route.
    pub fn supported_versions(&self) -> Vec<u64> {
        match &self.source {
            Source::Model { history, .. } => (self.oldest..self.version())
                .filter(|version| !model_route(history, *version).is_empty())
                .collect(),
            Source::Dynamic(dynamic) => dynamic
                .versions()
                .filter(|version| !self.route(*version).is_empty())
                .collect(),
        }
    }

    /// The supported versions; consecutive versions that share one upgrader are one range, as their
    /// author wrote them.
    ///
    /// ```
    /// use upstate::Resource;
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note", version = 500)]
    /// #[upgrade_from(0, model = NoteV0, rename(name => title))]
    /// #[upgrade_from(1..=499 => 500, carry)]
    /// struct Note { title: String }
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note")]
    /// struct NoteV0 { name: String }
    ///
    /// assert_eq!(Note::DEFINITION.supported_ranges(), [0..=0, 1..=499]);
    /// ```
    pub fn supported_ranges(&self) -> Vec<RangeInclusive<u64>> {
        let Source::Model { history, .. } = &self.source else {
            return self
                .supported_versions()
                .into_iter()
                .map(|version| version..=version)
                .collect();
        };
        let mut ranges: Vec<(RangeInclusive<u64>, Option<&Step>, Vec<u64>)> = Vec::new();
        for version in self.oldest..self.version() {
            let mut route = model_route(history, version);
            if route.is_empty() {
                continue;
            }
            // Only the first version of the route differs within a range.
            route.remove(0);
            let own = own_step(history, version);
            match ranges.last_mut() {
                Some((range, step, way))
                    if *range.end() + 1 == version
                        && *way == route
                        && own.zip(*step).is_some_and(|(a, b)| std::ptr::eq(a, b)) =>
                {
                    *range = *range.start()..=version;
                }
                _ => ranges.push((version..=version, own, route)),
            }
        }
        ranges.into_iter().map(|(range, ..)| range).collect()
    }

    /// The release that first stored state of this version, if the author said so.
    pub(super) fn release_of(&self, version: u64) -> Option<&str> {
        match &self.source {
            Source::Model { history, .. } => history
                .releases()
                .iter()
                .find(|(_, first)| *first == version)
                .map(|(release, _)| *release),
            Source::Dynamic(dynamic) => dynamic.release_of(version),
        }
    }

    /// The schemas that state of each supported prior version is read with, the oldest version
    /// first. A version is there more than once if it had several shapes, and not at all if its
    /// upgrade takes the stored state as it is.
    ///
    /// ```
    /// use upstate::Resource;
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note", version = 1)]
    /// #[upgrade_from(0, model = NoteV0)]
    /// struct Note { title: String }
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note", version = 0)]
    /// struct NoteV0 { name: String }
    ///
    /// impl From<NoteV0> for Note {
    ///     fn from(prior: NoteV0) -> Self {
    ///         Note { title: prior.name }
    ///     }
    /// }
    ///
    /// let prior = Note::DEFINITION.prior_schemas();
    /// assert_eq!((prior.len(), prior[0].version), (1, 0));
    /// assert_eq!(prior[0].block.attributes()[0].name(), "name");
    /// ```
    pub fn prior_schemas(&self) -> Vec<PriorSchema<'_>> {
        let of = |version| {
            self.prior_schemas_of(version)
                .into_iter()
                .map(move |block| PriorSchema { version, block })
        };
        self.supported_versions().into_iter().flat_map(of).collect()
    }

    /// The schemas that state of this prior version is read with: none if the version is not
    /// supported or its upgrade takes the stored state as it is, several schemas if the version had
    /// several shapes.
    pub fn prior_schemas_of(&self, version: u64) -> Vec<&Block> {
        match &self.source {
            _ if version >= self.version() || version < self.oldest => Vec::new(),
            Source::Model { history, .. } => {
                model_schemas(history, version).map(Schema::block).collect()
            }
            Source::Dynamic(dynamic) => dynamic.prior_block(version).into_iter().collect(),
        }
    }

    /// True if state of a version may hold members of any name in its outermost object: it has a
    /// flattened map or enum there, or no schema.
    #[doc(hidden)]
    pub fn stores_any_name(&self, version: u64) -> bool {
        let takes = |schema: &Schema| schema.flattened().any(|(path, _)| path.is_empty());
        if version == self.version() {
            return takes(self.schema());
        }
        match &self.source {
            Source::Model { history, .. } => {
                let mut schemas = model_schemas(history, version).peekable();
                schemas.peek().is_none() || schemas.any(takes)
            }
            Source::Dynamic(_) => true,
        }
    }

    /// The forms of the objects of a version, current or prior, as
    /// [`ResourceDefinition::prior_schemas_of`] counts them; none of a definition that no struct is
    /// behind.
    #[doc(hidden)]
    pub fn forms_of(&self, version: u64) -> Vec<ObjectForm> {
        match &self.source {
            _ if version > self.version() || version < self.oldest => Vec::new(),
            Source::Model { history, .. } => models_of(history, version)
                .map(|history| ObjectForm::of(history.table()))
                .collect(),
            Source::Dynamic(_) => Vec::new(),
        }
    }

    /// True if any schema, current or prior, has a secret attribute.
    pub(super) fn has_secret(&self) -> bool {
        let moved = |source: &MoveSource| source.step().prior().is_some_and(History::has_secret);
        match &self.source {
            Source::Model { history, .. } => history.has_secret() || self.moves().iter().any(moved),
            Source::Dynamic(dynamic) => self.schema().has_secret() || dynamic.has_secret(),
        }
    }

    /// True if the attribute `name` of any schema, current or prior, is secret.
    pub(super) fn hides(&self, name: &str) -> bool {
        let moved =
            |source: &MoveSource| source.step().prior().is_some_and(|prior| prior.hides(name));
        self.schema().block().members().hides_below(name)
            || match &self.source {
                Source::Model { history, .. } => {
                    history.hides(name) || self.moves().iter().any(moved)
                }
                Source::Dynamic(dynamic) => dynamic.hides(name),
            }
    }

    /// True if an upgrader may have to be awaited.
    pub(crate) fn awaits(&self) -> bool {
        match &self.source {
            Source::Model { upgrade_async, .. } => upgrade_async.is_some(),
            Source::Dynamic(dynamic) => dynamic.awaits(),
        }
    }
}

/// The upgrader that is for that version itself, on the model or on one that it is upgraded from.
fn own_step(mut history: &'static History, stored: u64) -> Option<&'static Step> {
    // Each model is of an earlier version than the one before, so this ends.
    loop {
        let step = history.steps().get(history.route(stored)?)?;
        if step.contains(stored) {
            return Some(step);
        }
        history = step.prior()?;
    }
}

fn model_route(history: &History, stored: u64) -> Vec<u64> {
    if stored == history.version() {
        return vec![stored];
    }
    let Some(step) = history
        .route(stored)
        .and_then(|upgrader| history.steps().get(upgrader))
    else {
        return Vec::new();
    };
    let mut versions = match step.prior() {
        // If a version has several shapes, some may still be upgraded.
        _ if step.is_refused() && step.condition().is_none() => Vec::new(),
        Some(prior) if !step.contains(stored) => model_route(prior, stored),
        _ => vec![stored],
    };
    if !versions.is_empty() {
        versions.push(history.version());
    }
    versions
}

/// The schemas that state stored at `stored` is read with on its way through `history`.
fn model_schemas(history: &'static History, stored: u64) -> impl Iterator<Item = &'static Schema> {
    models_of(history, stored).map(History::schema)
}

/// The models and shapes that state of that version is read with.
fn models_of(mut history: &'static History, stored: u64) -> impl Iterator<Item = &'static History> {
    // The model whose own upgrader takes that version; each is of an earlier version than the one
    // before, so this ends.
    while let Some(step) = history
        .route(stored)
        .and_then(|upgrader| history.steps().get(upgrader))
        && !step.contains(stored)
        && let Some(prior) = step.prior()
    {
        history = prior;
    }
    let current = (stored == history.version()).then_some(history);
    let shape = move |step: &'static Step| match step.written_as() {
        UpgraderKind::Unchanged => Some(history),
        UpgraderKind::Conversion
        | UpgraderKind::Function
        | UpgraderKind::Raw
        | UpgraderKind::Operators(_)
        | UpgraderKind::Unsupported
        | UpgraderKind::NeverReleased => step.prior(),
    };
    let shapes = history
        .steps()
        .iter()
        .filter(move |step| step.contains(stored))
        .filter_map(shape);
    current.into_iter().chain(shapes)
}

__debug_parts! {
    ResourceDefinition |self| {
        type_name: self.type_name,
        version: self.version(),
        oldest: self.oldest,
    }
}

/// Facts that are found out once for many states of one type.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) writes_only: OnceLock<bool>,
    pub(super) ended: ByVersion,
    pub(super) secret: ByVersion,
}

/// Attributes of the state of each stored version.
pub(super) type ByVersion = RwLock<BTreeMap<u64, Arc<BTreeSet<Path>>>>;

/// The names of an attribute and the objects around it, from the outside in.
pub(super) type Path = Vec<String>;
