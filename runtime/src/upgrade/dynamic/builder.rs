//! Building a definition, and what can be wrong with one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::run::{Configure, Dynamic};
use super::sdk::{Sdk, with_id};
use super::upgrader::{ClosureMover, ClosureUpgrader, Prior};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::schema::{Schema, Shared, Type, here};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::definition::ResourceDefinition;
use crate::upgrade::migrate::FlatState;

/// Builds a [`ResourceDefinition`] from schemas and closures.
///
/// Each upgrade leads straight to the current schema, as in Terraform's plugin framework, or to the
/// version that it [names](ClosureUpgrader::to). [`sdk`](Self::sdk) makes it a resource of
/// Terraform's SDK: there each leads to the next version.
///
/// ```
/// use upstate::schema::{Attribute, Block, Presence, Schema, Type};
/// use upstate::upgrade::ClosureUpgrader;
/// use upstate::{Diagnostics, ResourceDefinition, Value};
///
/// let current = Schema::new(1, Block::new([Attribute::new("title", Type::String, Presence::Required)]));
/// let definition = ResourceDefinition::builder("example_note", current)
///     .upgrader(ClosureUpgrader::new(0, |mut note: Value, _context| {
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
pub struct DefinitionBuilder {
    type_name: Shared<str>,
    schema: Schema,
    oldest: u64,
    unsupported: Vec<RangeInclusive<u64>>,
    releases: Vec<(Shared<str>, u64)>,
    upgraders: Vec<ClosureUpgrader>,
    movers: Vec<ClosureMover>,
    identity: Option<ResourceDefinition>,
    configure: Option<Arc<Configure>>,
    sdk: Option<Sdk>,
}

__debug_parts! {
    DefinitionBuilder |self| {
        type_name: self.type_name,
        schema: self.schema,
        upgraders: self.upgraders,
        movers: self.movers,
    }
}

impl ResourceDefinition {
    /// Starts a definition made at run time, with its type name and current schema.
    #[track_caller]
    pub fn builder(type_name: impl Into<Shared<str>>, schema: Schema) -> DefinitionBuilder {
        DefinitionBuilder::new(type_name.into(), schema.defined_at(here()))
    }
}

impl DefinitionBuilder {
    pub(in crate::upgrade) fn new(type_name: Shared<str>, schema: Schema) -> Self {
        Self {
            type_name,
            schema,
            oldest: 0,
            unsupported: Vec::new(),
            releases: Vec::new(),
            upgraders: Vec::new(),
            movers: Vec::new(),
            identity: None,
            configure: None,
            sdk: None,
        }
    }

    /// Adds an upgrade.
    #[must_use]
    pub fn upgrader(mut self, upgrader: ClosureUpgrader) -> Self {
        self.upgraders.push(upgrader);
        self
    }

    /// Adds a move from another type. They are tried in the order they were added.
    #[must_use]
    pub fn mover(mut self, mover: ClosureMover) -> Self {
        self.movers.push(mover);
        self
    }

    /// The resource's identity: a definition with its own schema, version and upgrades. Its type
    /// name is not used.
    #[must_use]
    pub fn identity(mut self, identity: ResourceDefinition) -> Self {
        self.identity = Some(identity);
        self
    }

    /// State stored at an earlier version than this is refused.
    #[must_use]
    pub fn oldest(mut self, version: u64) -> Self {
        self.oldest = version;
        self
    }

    /// Versions that have no upgrader on purpose, such as those that no release stored: state of
    /// them is refused. For versions before the first supported one, [`oldest`](Self::oldest) is
    /// enough.
    #[must_use]
    pub fn unsupported(mut self, versions: RangeInclusive<u64>) -> Self {
        self.unsupported.push(versions);
        self
    }

    /// The release that first stored this schema version, for people who have state that is too old
    /// or too new.
    #[must_use]
    pub fn since(mut self, release: impl Into<Shared<str>>, version: u64) -> Self {
        self.releases.push((release.into(), version));
        self
    }

    /// Adds a function that runs before an upgrade, and may refuse it: the reference configures the
    /// resource there. It does not run for state that is of the current version already, nor before
    /// moves.
    #[must_use]
    pub fn configure<E: Into<Diagnostics>>(
        mut self,
        configure: impl Fn(&mut UpgradeContext<'_>) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        self.configure = Some(Arc::new(move |context| {
            configure(context).map_err(Into::into)
        }));
        self
    }

    /// Makes it a resource of Terraform's SDK.
    ///
    /// Each upgrade then leads to the next version, and together they must form a chain up to the
    /// current one. They work on JSON without types; what comes out of the last one is converted to
    /// the current schema, and names that this does not define are dropped. Prior schemas are used
    /// for flat state, which is taken up at the first upgrade if it is older than that. Every
    /// schema has an `id`.
    #[must_use]
    pub fn sdk(mut self) -> Self {
        self.sdk.get_or_insert_default();
        self
    }

    /// Adds the function that the SDK calls `MigrateState`: it brings flat state that is older than
    /// the first upgrader to the version of that one. It gets the version that the state was stored
    /// at.
    #[must_use]
    pub fn migrate_state<E: Into<Diagnostics>>(
        mut self,
        migrate: impl Fn(
            u64,
            BTreeMap<String, String>,
            &mut UpgradeContext<'_>,
        ) -> Result<BTreeMap<String, String>, E>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let migrate = move |version: u64, state: FlatState, context: &mut UpgradeContext<'_>| {
            migrate(version, state, context).map_err(Into::into)
        };
        self.sdk.get_or_insert_default().migrate = Some(Arc::new(migrate));
        self
    }

    /// Checks the definition.
    ///
    /// # Errors
    /// Every mistake in it: an empty type name, versions from the oldest one on that no upgrader
    /// takes, two upgraders for one version, an upgrader at or above the current version, one that
    /// does not lead up, one that ends where no other goes on, a prior type that is not an object,
    /// a constraint or id format that names unknown attributes.
    pub fn build(mut self) -> Result<ResourceDefinition, Diagnostics> {
        if self.sdk.is_some() {
            self.add_ids();
        }
        let problems = self.problems();
        if problems.is_empty() {
            let dynamic = Dynamic {
                current: Prior::new(&self.schema),
                upgraders: self
                    .upgraders
                    .into_iter()
                    .map(|upgrader| (upgrader.from, upgrader))
                    .collect(),
                movers: self.movers,
                releases: self.releases,
                configure: self.configure,
                sdk: self.sdk,
            };
            return Ok(ResourceDefinition::dynamic(
                self.type_name,
                self.schema,
                self.oldest,
                dynamic,
                self.identity,
            ));
        }
        let about = |problem| {
            Diagnostic::error(
                "Invalid Resource Definition",
                format!("Resource type {}: {problem}.", self.type_name),
            )
        };
        Err(problems.into_iter().map(about).collect())
    }

    fn add_ids(&mut self) {
        self.schema = self.schema.with_block(with_id(self.schema.block()));
        for prior in self
            .upgraders
            .iter_mut()
            .filter_map(|upgrader| upgrader.prior.as_mut())
        {
            if matches!(prior.ty, Type::Object(_)) {
                *prior = Prior::of(with_id(&prior.block));
            }
        }
    }

    /// The supported versions that no upgrader takes. The SDK takes state up at the first upgrader,
    /// and each upgrader there must reach the next.
    fn gaps(&self) -> Option<String> {
        if self.sdk.is_some() {
            return None;
        }
        let (current, first) = (self.schema.version(), self.oldest);
        let starts = self.upgraders.iter().map(|upgrader| upgrader.from);
        let taken = starts
            .map(|start| start..=start)
            .chain(self.unsupported.iter().cloned());
        let mut taken: Vec<_> = taken.filter(|range| !range.is_empty()).collect();
        taken.sort_unstable_by_key(|range| *range.start());
        let (mut gaps, mut next) = (Vec::new(), first);
        for range in taken.into_iter().chain([current..=current]) {
            let end = (*range.start()).min(current);
            match end.checked_sub(next) {
                None | Some(0) => {}
                Some(1) => gaps.push(next.to_string()),
                Some(_) => gaps.push(format!("{next} to {}", end - 1)),
            }
            next = next.max(range.end().saturating_add(1));
        }
        if gaps.is_empty() {
            return None;
        }
        Some(format!(
            "there is no upgrade from version {}; where that is on purpose, `oldest` or `unsupported` says so",
            gaps.join(", ")
        ))
    }

    fn problems(&self) -> Vec<String> {
        let current = self.schema.version();
        let mut problems = Vec::new();
        if self.type_name.is_empty() {
            problems.push("the type name is empty".to_owned());
        }
        if self.oldest > current {
            problems.push(format!(
                "the oldest supported version {} is above the current version {current}",
                self.oldest
            ));
        }
        problems.extend(self.gaps());
        let starts: BTreeSet<u64> = self
            .upgraders
            .iter()
            .map(|upgrader| upgrader.from)
            .collect();
        let mut seen = BTreeSet::new();
        for upgrader in &self.upgraders {
            let from = upgrader.from;
            let next = from.saturating_add(1);
            let to = upgrader
                .to
                .unwrap_or(if self.sdk.is_some() { next } else { current });
            if from >= current {
                problems.push(format!(
                    "the upgrade from version {from} never runs: the current version is {current}"
                ));
            } else if to <= from || to > current {
                problems.push(format!("the upgrade from version {from} must end above it and at most at {current}, not at {to}"));
            } else if self.sdk.is_some() && to != next {
                problems.push(format!(
                    "the upgrade from version {from} must end at version {next}, not at {to}: the SDK takes one step at a time"
                ));
            } else if to < current && !starts.contains(&to) {
                problems.push(format!("the upgrade from version {from} ends at version {to}, from which no upgrade goes on"));
            }
            if let Some(prior) = upgrader
                .prior
                .as_ref()
                .filter(|prior| !matches!(prior.ty, Type::Object(_)))
            {
                problems.push(format!(
                    "the type of version {from} must be an object, not {}",
                    prior.ty.noun()
                ));
            }
            if !seen.insert(from) {
                problems.push(format!("there are two upgrades from version {from}"));
            }
        }
        problems.extend(self.schema.mistaken_facts());
        let mut released = BTreeSet::new();
        for (release, version) in &self.releases {
            if *version > current {
                problems
                    .push(format!("release {release} stores version {version}, which is above the current version {current}"));
            }
            if !released.insert(version) {
                problems.push(format!(
                    "two releases claim to have stored version {version} first"
                ));
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use crate::schema::{Attribute, Block, Presence, Schema, Type};
    use crate::upgrade::{ClosureUpgrader, DefinitionBuilder, ResourceDefinition};
    use crate::{Diagnostics, Value};

    fn builder(version: u64, upgraders: &[u64]) -> DefinitionBuilder {
        let schema = Schema::new(
            version,
            Block::new([Attribute::new("title", Type::String, Presence::Optional)]),
        );
        let carry =
            |from: &u64| ClosureUpgrader::new(*from, |value: Value, _| Ok::<_, Diagnostics>(value));
        upgraders.iter().map(carry).fold(
            ResourceDefinition::builder("example_note", schema),
            DefinitionBuilder::upgrader,
        )
    }

    #[test]
    fn versions_without_an_upgrader_are_reported() {
        let problem = |builder: DefinitionBuilder| {
            builder
                .build()
                .err()
                .map(|errors| errors.to_string())
                .unwrap_or_default()
        };
        let nothing = problem(builder(3, &[]));
        assert!(
            nothing.contains("there is no upgrade from version 0 to 2; where that is"),
            "{nothing}"
        );
        let gaps = problem(builder(6, &[1, 3]));
        assert!(
            gaps.contains("there is no upgrade from version 0, 2, 4 to 5;"),
            "{gaps}"
        );
        let later = problem(builder(6, &[3, 4]).oldest(3));
        assert!(
            later.contains("there is no upgrade from version 5;"),
            "{later}"
        );
        assert_eq!(
            problem(builder(6, &[3, 4]).unsupported(0..=2).unsupported(5..=5)),
            ""
        );
        assert_eq!(problem(builder(6, &[3, 4, 5]).oldest(3)), "");
        assert_eq!(problem(builder(0, &[])), "");
        // No upgrader from version 0 is missing here, because the SDK takes state up at the first
        // upgrader.
        assert_eq!(problem(builder(4, &[1, 2, 3]).sdk()), "");
        assert!(
            problem(builder(4, &[1, 3]).sdk())
                .contains("ends at version 2, from which no upgrade goes on")
        );
    }
}
