//! Goals of a downgrade: the versions that the types of a state file get.

use std::collections::BTreeMap;

use upstate::upgrade::{DowngradeRequest, Verdict};
use upstate::{
    Diagnostic, DiagnosticCode, Registry, ResourceDefinition, UpgradeRequest, UpgradeResponse,
};

/// The schema version that a downgrade gives the instances of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// This version. Instances of this version and of earlier ones stay unchanged.
    Version(u64),
    /// None: the instances stay unchanged.
    Stay,
    /// None exists: the response to the request carries the reason.
    Nowhere,
}

/// The work on the identity of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdentityGoal {
    /// None, because the release can read the identity.
    Stay,
    /// The identity gets this version.
    Version(u64),
    /// The identity is removed, because the release has none of the type.
    Remove,
}

/// The schema versions that a downgrade gives each type.
///
/// ```
/// use upstate::{Registry, Resource, UpgradeRequest};
/// use upstate_state::{DowngradeGoals, StateFile, UpgradeOptions};
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 1)]
/// #[upgrade_from(0 => 1, rename(name => title))]
/// struct Note { title: String }
///
/// let registry = Registry::new().with::<Note>();
/// let bytes = br#"{"version":4,"serial":7,"lineage":"l","resources":[{"mode":"managed","type":"example_note","name":"n",
///     "provider":"provider[\"p\"]","instances":[{"schema_version":1,"attributes":{"title":"x"}}]}]}"#;
/// let goals = DowngradeGoals::new([("example_note".to_owned(), 0)]);
/// let (goal, respond) = (|name: &str| goals.of(name), |request: &UpgradeRequest<'_>| goals.respond(&registry, request));
/// let options = UpgradeOptions::new().back_to(&goal).upgraded_by(&respond);
/// let mut old = Vec::new();
/// StateFile::parse(bytes)?.upgrade_to(&registry, &options, &mut old, |_| Ok(()))?;
/// assert!(String::from_utf8(old)?.contains(r#""schema_version":0,"attributes":{"name":"x"}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DowngradeGoals {
    versions: BTreeMap<String, u64>,
    /// By the type of the resource.
    identities: BTreeMap<String, u64>,
    /// By type: the index of the wanted shape among those of its version.
    shapes: BTreeMap<String, usize>,
    release: Option<String>,
    allow_loss: bool,
    strict: bool,
}

impl DowngradeGoals {
    /// Downgrades these types to these versions; others stay unchanged.
    #[must_use]
    pub fn new(versions: impl IntoIterator<Item = (String, u64)>) -> Self {
        Self {
            versions: versions.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Downgrades the identities of these resource types to these versions; others stay unchanged.
    /// If the goals are those of a [release](Self::of_release), `versions` must be all that it had.
    #[must_use]
    pub fn identities(mut self, versions: impl IntoIterator<Item = (String, u64)>) -> Self {
        self.identities = versions.into_iter().collect();
        self
    }

    /// Gives the states of these types these shapes, if several were stored under the version that
    /// they get: [`DowngradeRequest::shape`].
    #[must_use]
    pub fn shapes(mut self, shapes: impl IntoIterator<Item = (String, usize)>) -> Self {
        self.shapes = shapes.into_iter().collect();
        self
    }

    /// Declares that the versions are all that a release had, so that instances of other types
    /// cannot be downgraded.
    #[must_use]
    pub fn of_release(mut self, release: impl Into<String>) -> Self {
        self.release = Some(release.into());
        self
    }

    /// Downgrades instances even if the older version cannot hold all of their values; each lost
    /// value is a warning.
    #[must_use]
    pub fn allow_loss(mut self, allow: bool) -> Self {
        self.allow_loss = allow;
        self
    }

    /// Downgrades instances only if, by the verdicts of all upgraders of the path, no state of
    /// their type can lose a value.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// The goal of a type.
    pub fn of(&self, type_name: &str) -> Goal {
        match (self.versions.get(type_name), &self.release) {
            (Some(version), _) => Goal::Version(*version),
            (None, None) => Goal::Stay,
            (None, Some(_)) => Goal::Nowhere,
        }
    }

    /// These goals, of which those of the type `then` are those of the type `today`, because it had
    /// that name.
    pub(crate) fn called_today(&self, then: &str, today: &str) -> Self {
        let mut goals = self.clone();
        if let Some(version) = goals.versions.remove(then) {
            goals.versions.insert(today.to_owned(), version);
        }
        if let Some(shape) = goals.shapes.remove(then) {
            goals.shapes.insert(today.to_owned(), shape);
        }
        goals
    }

    /// True if identities of a type that are stored at this version are downgraded or removed.
    pub fn concerns_identity(&self, type_name: &str, stored: u64) -> bool {
        self.identity(type_name, stored) != IdentityGoal::Stay
    }

    /// The goal of an identity of a type that is stored at this version.
    pub(super) fn identity(&self, type_name: &str, stored: u64) -> IdentityGoal {
        match (self.identities.get(type_name), &self.release) {
            (Some(to), _) if stored > *to => IdentityGoal::Version(*to),
            // One of version 0 can stay, because Terraform ignores it if the release has none.
            (None, Some(_)) if stored > 0 && self.versions.contains_key(type_name) => {
                IdentityGoal::Remove
            }
            (Some(_) | None, _) => IdentityGoal::Stay,
        }
    }

    /// Refuses the downgrade of an identity if the goals are strict and the verdicts are not
    /// lossless.
    pub(super) fn permits_identity(
        &self,
        registry: &Registry,
        type_name: &str,
        to: u64,
    ) -> Result<(), Diagnostic> {
        let identity = registry
            .get(type_name)
            .and_then(ResourceDefinition::identity);
        self.permits(identity, to).map_err(|detail| {
            Diagnostic::error("Unable to Downgrade Resource Identity", detail)
                .coded(DiagnosticCode::WouldLose)
        })
    }

    /// Fails if the goals are strict and a verdict of the downgrade path to `to` is not lossless.
    fn permits(&self, definition: Option<&ResourceDefinition>, to: u64) -> Result<(), String> {
        let history = definition
            .and_then(ResourceDefinition::history)
            .filter(|_| self.strict);
        for (later, upgrader) in history
            .into_iter()
            .flat_map(|history| history.upgraders_from(to))
        {
            let back = later.verdicts(upgrader).down;
            if back.verdict() != Verdict::Lossless {
                return Err(format!(
                    "The downgrade from version {} to {} may lose something, and that is refused whatever the state holds. It is {back}.",
                    later.version(),
                    upgrader.from()
                ));
            }
        }
        Ok(())
    }

    /// The release that had these versions, if they are those of one.
    pub fn release(&self) -> Option<&str> {
        self.release.as_deref()
    }

    /// True if values that the older versions cannot hold are dropped.
    pub fn allows_loss(&self) -> bool {
        self.allow_loss
    }

    /// True if every verdict must be lossless.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// The version that a type gets, if it is downgraded.
    pub fn version(&self, type_name: &str) -> Option<u64> {
        self.versions.get(type_name).copied()
    }

    /// The place of the wanted shape of a type.
    pub(crate) fn shape(&self, type_name: &str) -> Option<usize> {
        self.shapes.get(type_name).copied()
    }

    /// Downgrades the state of an upgrade request. Made for
    /// [`UpgradeOptions::upgraded_by`](crate::UpgradeOptions::upgraded_by).
    pub fn respond(&self, registry: &Registry, request: &UpgradeRequest<'_>) -> UpgradeResponse {
        match self.downgrade_request(registry, request) {
            Ok(request) => registry.downgrade(&request).into(),
            Err(refused) => UpgradeResponse::failed(refused),
        }
    }

    /// Downgrades the state of an upgrade request, even if the upgrade that checks the result
    /// awaits.
    pub async fn respond_async(
        &self,
        registry: &Registry,
        request: &UpgradeRequest<'_>,
    ) -> UpgradeResponse {
        match self.downgrade_request(registry, request) {
            Ok(request) => registry.downgrade_async(&request).await.into(),
            Err(refused) => UpgradeResponse::failed(refused),
        }
    }

    /// True if the state of an upgrade request cannot be downgraded, whatever it holds: the goals
    /// have no version for its type, or they are strict and the verdicts are not lossless.
    pub fn refuses(&self, registry: &Registry, request: &UpgradeRequest<'_>) -> bool {
        self.downgrade_request(registry, request).is_err()
    }

    /// The downgrade that takes the place of an upgrade.
    fn downgrade_request<'a>(
        &self,
        registry: &Registry,
        request: &UpgradeRequest<'a>,
    ) -> Result<DowngradeRequest<'a>, Diagnostic> {
        let type_name = request.type_name();
        let definition = registry.get(type_name);
        let is_document = definition.is_some_and(|definition| definition.schema().is_document());
        let summary = if is_document {
            "Unable to Downgrade Document"
        } else {
            "Unable to Downgrade Resource State"
        };
        let refused = |detail: String| Diagnostic::error(summary, detail);
        let Some(to) = self.versions.get(type_name) else {
            let release = self.release.as_deref().unwrap_or_default();
            return Err(refused(format!("Release {release} did not have {type_name}."))
                .coded(DiagnosticCode::UnknownType)
                .with_remedy(
                    "Remove its instances from the state before that release reads it; on the command line, --exclude leaves \
                     them unchanged.",
                ));
        };
        let Some(json) = request.raw_state().and_then(|raw| raw.json()) else {
            return Err(refused(
                "The state is flat, as Terraform 0.11 and before stored it.".to_owned(),
            )
            .coded(DiagnosticCode::NoUpgrade)
            .with_remedy("Upgrade it first."));
        };
        self.permits(definition, *to)
            .map_err(|detail| refused(detail).coded(DiagnosticCode::WouldLose))?;
        let downgrade = DowngradeRequest::json(type_name, request.version(), *to, json)
            .allow_loss(self.allow_loss);
        Ok(self
            .shape(type_name)
            .map_or(downgrade, |shape| downgrade.shape(shape)))
    }
}
