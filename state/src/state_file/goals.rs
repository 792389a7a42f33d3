//! To which versions the types of a state file go back.

use std::collections::BTreeMap;

use upstate::upgrade::{DowngradeRequest, Verdict};
use upstate::{Diagnostic, Registry, ResourceDefinition, UpgradeRequest, UpgradeResponse};

use super::identity::Task;
use super::upgrade::Goal;

/// The schema versions that a downgrade takes types back to.
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
    /// By type: the place of the wanted shape among those of its version.
    shapes: BTreeMap<String, usize>,
    release: Option<String>,
    allow_loss: bool,
    strict: bool,
}

impl DowngradeGoals {
    /// These types go back to these versions; others stay as they are.
    #[must_use]
    pub fn new(versions: impl IntoIterator<Item = (String, u64)>) -> Self {
        Self { versions: versions.into_iter().collect(), ..Self::default() }
    }

    /// The identities of these types of resources go back to these versions; others stay as they are. Of a [release](Self::of_release), they are all that
    /// it had.
    #[must_use]
    pub fn identities(mut self, versions: impl IntoIterator<Item = (String, u64)>) -> Self {
        self.identities = versions.into_iter().collect();
        self
    }

    /// The states of these types get these shapes, where several were stored under the version that they go back to:
    /// [`DowngradeRequest::shape`].
    #[must_use]
    pub fn shapes(mut self, shapes: impl IntoIterator<Item = (String, usize)>) -> Self {
        self.shapes = shapes.into_iter().collect();
        self
    }

    /// The versions are all that a release had: instances of other types cannot go back to it.
    #[must_use]
    pub fn of_release(mut self, release: impl Into<String>) -> Self {
        self.release = Some(release.into());
        self
    }

    /// Whether instances go back although the older version cannot hold all of them; each lost value is a warning.
    #[must_use]
    pub fn allow_loss(mut self, allow: bool) -> Self {
        self.allow_loss = allow;
        self
    }

    /// Whether instances go back only where the verdicts of all upgraders on the way say that no state of the type could lose anything, whatever this
    /// one holds.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// How far back instances of a type go.
    pub fn of(&self, type_name: &str) -> Goal {
        match (self.versions.get(type_name), &self.release) {
            (Some(version), _) => Goal::Version(*version),
            (None, None) => Goal::Stay,
            (None, Some(_)) => Goal::Nowhere,
        }
    }

    /// Whether identities of a type that are stored at this version go back.
    pub fn concerns_identity(&self, type_name: &str, stored: u64) -> bool {
        self.identity_task(type_name, stored) != Task::Stay
    }

    pub(super) fn identity_task(&self, type_name: &str, stored: u64) -> Task {
        match (self.identities.get(type_name), &self.release) {
            (Some(to), _) if stored > *to => Task::Back(*to),
            // Terraform ignores one of version 0 where the release has none.
            (None, Some(_)) if stored > 0 && self.versions.contains_key(type_name) => Task::Remove,
            (Some(_) | None, _) => Task::Stay,
        }
    }

    /// Refuses an identity that goes back in a way that is not strict enough.
    pub(super) fn permits_identity(&self, registry: &Registry, type_name: &str, to: u64) -> Result<(), Diagnostic> {
        let identity = registry.get(type_name).and_then(ResourceDefinition::identity);
        self.permits(identity, to).map_err(|detail| Diagnostic::error("Unable to Downgrade Resource Identity", detail))
    }

    /// Why the verdicts refuse the way back to a version, whatever is stored.
    fn permits(&self, definition: Option<&ResourceDefinition>, to: u64) -> Result<(), String> {
        let history = definition.and_then(ResourceDefinition::history).filter(|_| self.strict);
        for (later, upgrader) in history.into_iter().flat_map(|history| history.upgraders_from(to)) {
            let back = later.verdicts(upgrader).down;
            if back.verdict() != Verdict::Lossless {
                return Err(format!(
                    "The way back from version {} to {} may lose something, and that is refused whatever the state holds. It is {back}.",
                    later.version(),
                    upgrader.from()
                ));
            }
        }
        Ok(())
    }

    /// The release whose versions these are, if they are of one.
    pub fn release(&self) -> Option<&str> {
        self.release.as_deref()
    }

    /// Whether values are dropped that the older versions cannot hold.
    pub fn allows_loss(&self) -> bool {
        self.allow_loss
    }

    /// Whether only lossless verdicts are enough.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// The version that a type goes back to, if there is one.
    pub fn version(&self, type_name: &str) -> Option<u64> {
        self.versions.get(type_name).copied()
    }

    /// Takes back the state that an upgrade is asked for: the answer for [`UpgradeOptions::upgraded_by`](crate::UpgradeOptions::upgraded_by).
    pub fn respond(&self, registry: &Registry, request: &UpgradeRequest<'_>) -> UpgradeResponse {
        match self.asked(registry, request) {
            Ok(request) => registry.downgrade(&request).into(),
            Err(refused) => UpgradeResponse::failed(refused),
        }
    }

    /// Takes back the state that an upgrade is asked for, also where the upgrade that checks the result awaits.
    pub async fn respond_async(&self, registry: &Registry, request: &UpgradeRequest<'_>) -> UpgradeResponse {
        match self.asked(registry, request) {
            Ok(request) => registry.downgrade_async(&request).await.into(),
            Err(refused) => UpgradeResponse::failed(refused),
        }
    }

    /// Whether the state that an upgrade is asked for stays, whatever it holds: its type does not go back, or only in a way that is not strict enough.
    pub fn refuses(&self, registry: &Registry, request: &UpgradeRequest<'_>) -> bool {
        self.asked(registry, request).is_err()
    }

    /// The downgrade of the state that an upgrade is asked for.
    fn asked<'a>(&self, registry: &Registry, request: &UpgradeRequest<'a>) -> Result<DowngradeRequest<'a>, Diagnostic> {
        let type_name = request.type_name();
        let refused = |detail: String| Diagnostic::error("Unable to Downgrade Resource State", detail);
        let Some(to) = self.versions.get(type_name) else {
            let release = self.release.as_deref().unwrap_or_default();
            return Err(refused(format!(
                "Release {release} did not have {type_name}. Remove its instances from the state before that release reads it; on the \
                 command line, --exclude leaves them as they are."
            )));
        };
        let Some(json) = request.raw_state().and_then(|raw| raw.json()) else {
            return Err(refused("The state is flat, as Terraform 0.11 and before stored it. Upgrade it first.".to_owned()));
        };
        self.permits(registry.get(type_name), *to).map_err(refused)?;
        let asked = DowngradeRequest::json(type_name, request.version(), *to, json).allow_loss(self.allow_loss);
        Ok(self.shapes.get(type_name).map_or(asked, |shape| asked.shape(*shape)))
    }
}
