//! Up to the registry's versions, or back to those of a release.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use upstate::upgrade::{DowngradeRequest, DowngradeResponse};
use upstate::{Registry, UpgradeRequest, UpgradeResponse};
use upstate_compat::Release;
use upstate_compat::lock::Lock;
use upstate_state::{DowngradeGoals, Goal, InstanceStatus, Mode, StoredType, UpgradeOptions};

use super::super::Service;
use super::Worker;
use crate::model::{Back, VersionId};
use crate::rules::Refusal;

/// The direction of a change: to the current versions, or back.
#[derive(Debug, Clone)]
pub(super) enum Direction {
    /// To the versions of the registry.
    Up,
    /// To those of a release.
    Back(Arc<DowngradeGoals>),
}

impl Direction {
    /// The version to which instances of a type go back.
    pub(super) fn goal(&self, type_name: &str) -> Goal {
        match self {
            Self::Up => Goal::Stay,
            Self::Back(goals) => goals.of(type_name),
        }
    }

    /// The version that instances of a type get; nothing if the release did not have it. `current`
    /// is the registry's.
    pub(super) fn version(&self, type_name: &str, current: Option<u64>) -> Option<u64> {
        match self {
            Self::Up => current,
            Self::Back(goals) => goals.version(type_name),
        }
    }

    /// The release, of the way back.
    pub(super) fn release(&self) -> Option<&str> {
        match self {
            Self::Up => None,
            Self::Back(goals) => goals.release(),
        }
    }

    /// True if instances of a type are brought to another version, or cannot be and the attempt
    /// says why.
    pub(super) fn concerns(&self, registry: &Registry, stored: &StoredType) -> bool {
        match self {
            Self::Up => matches!(
                stored.status(registry),
                InstanceStatus::NeedsUpgrade | InstanceStatus::CannotUpgrade
            ),
            Self::Back(goals) => {
                let is_known =
                    stored.mode == Mode::Managed && registry.get(&stored.type_name).is_some();
                is_known
                    && match goals.of(&stored.type_name) {
                        Goal::Version(version) => {
                            stored.version > version || stored.identities_back(goals) > 0
                        }
                        // Its workspace is one of those that cannot go back, and the job says so.
                        Goal::Nowhere => true,
                        Goal::Stay => false,
                    }
            }
        }
    }

    /// The goal, as in the audit log.
    pub(super) fn audited(&self) -> String {
        match self {
            Self::Up => String::new(),
            Self::Back(goals) => {
                let losses = match (goals.allows_loss(), goals.is_strict()) {
                    (true, _) => ", losses allowed",
                    (false, true) => ", strict",
                    (false, false) => "",
                };
                format!(
                    ", to release {}{losses}",
                    goals.release().unwrap_or_default()
                )
            }
        }
    }

    /// The action.
    pub(super) const fn verb(&self) -> &'static str {
        match self {
            Self::Up => "upgraded",
            Self::Back(_) => "downgraded",
        }
    }

    /// Refuses a state that cannot be brought there.
    pub(super) fn refused(&self, id: &VersionId, error: &io::Error) -> Refusal {
        let verb = self.verb();
        Refusal::conflict(format!("The state of {id} cannot be {verb}: {error}"))
    }
}

impl Worker {
    /// Brings one instance there, also through upgraders that await.
    pub(super) fn respond(
        &self,
        direction: &Direction,
        request: &UpgradeRequest<'_>,
    ) -> UpgradeResponse {
        match direction {
            Direction::Up => self.runtime.block_on(self.registry.upgrade_async(request)),
            Direction::Back(goals) => self
                .runtime
                .block_on(goals.respond_async(&self.registry, request)),
        }
    }

    /// Takes one identity back, also through upgraders that await.
    pub(super) fn respond_identity(&self, request: &DowngradeRequest<'_>) -> DowngradeResponse {
        self.runtime
            .block_on(self.registry.downgrade_identity_async(request))
    }

    /// The function that brings a state there. Where nothing awaits, the registry works on its own,
    /// which is faster: it prepares each type once.
    pub(super) fn options<'a>(
        &self,
        direction: &'a Direction,
        respond: Respond<'a>,
        goal: GoalOf<'a>,
        identity: RespondIdentity<'a>,
    ) -> UpgradeOptions<'a> {
        let options = UpgradeOptions::new();
        match direction {
            Direction::Up if !self.registry.awaits() => options,
            Direction::Up => options.upgraded_by(respond),
            Direction::Back(goals) => options
                .upgraded_by(respond)
                .back_to(goal)
                .identities_back_to(goals, identity),
        }
    }
}

/// The function for one instance.
type Respond<'a> = &'a (dyn Fn(&UpgradeRequest<'_>) -> UpgradeResponse + Sync);

/// The function for one identity.
type RespondIdentity<'a> = &'a (dyn Fn(&DowngradeRequest<'_>) -> DowngradeResponse + Sync);

/// The function that gives the version to which a type goes back.
type GoalOf<'a> = &'a (dyn Fn(&str) -> Goal + Sync);

/// A release of the lock, and which schema version each type had in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseVersions {
    /// The release.
    pub release: String,
    /// The schema versions, by type name.
    pub versions: Vec<(String, u64)>,
    /// The schema versions of identities, by the type name of their resource.
    pub identities: Vec<(String, u64)>,
}

impl Service {
    /// The releases that the lock of this server knows, the newest first.
    pub fn releases(&self) -> Vec<ReleaseVersions> {
        let lock = &self.schemas.lock;
        lock.releases()
            .iter()
            .rev()
            .map(|release| of_release(lock, release))
            .collect()
    }

    /// The goal of a downgrade, or the reason why there is no such release.
    pub(super) fn direction(&self, back: Option<&Back>) -> Result<Direction, Refusal> {
        let Some(back) = back else {
            return Ok(Direction::Up);
        };
        let refused =
            |detail: String| Refusal::unprocessable("/data/attributes/to-release", detail);
        if back.allow_loss && back.strict {
            let detail = "strict goes back only where nothing could be lost, and allow-loss also where something is: ask for one of them";
            return Err(Refusal::unprocessable("/data/attributes/strict", detail));
        }
        let lock = &self.schemas.lock;
        if lock.releases().is_empty() {
            return Err(refused(
                "The server does not know which schema versions a release had: start it with --lock upstate.lock".to_owned(),
            ));
        }
        let release: Release = back
            .release
            .parse()
            .map_err(|error| refused(format!("to-release: {error}")))?;
        if !lock.releases().contains(&release) {
            let known: Vec<String> = lock
                .releases()
                .iter()
                .rev()
                .take(5)
                .map(ToString::to_string)
                .collect();
            return Err(refused(format!(
                "The lock of this server has no release {release}; its newest are {}",
                known.join(", ")
            )));
        }
        let ReleaseVersions {
            versions,
            identities,
            ..
        } = of_release(lock, &release);
        let goals = DowngradeGoals::new(versions).identities(identities);
        Ok(Direction::Back(Arc::new(
            goals
                .of_release(release.to_string())
                .allow_loss(back.allow_loss)
                .strict(back.strict),
        )))
    }
}

fn of_release(lock: &Lock, release: &Release) -> ReleaseVersions {
    let owned = |versions: BTreeMap<&str, u64>| {
        versions
            .into_iter()
            .map(|(name, version)| (name.to_owned(), version))
            .collect()
    };
    ReleaseVersions {
        release: release.to_string(),
        versions: owned(lock.versions_at(release)),
        identities: owned(lock.identities_at(release)),
    }
}
