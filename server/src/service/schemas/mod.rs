//! Uses that need the registry of a provider: the meaning of stored states, the changes by their
//! upgrade, and what their way back to an earlier release.

mod comparison;
mod contents;
mod day;
mod direction;
mod drift;
mod failures;
mod fates;
mod fleet;
mod inventory;
mod job_report;
mod jobs;
mod known;
mod pace;
mod plan;
mod plans;
mod search;
mod stored_plan;
mod upgrade;
mod waves;

pub use comparison::{Action, Compared, Comparison, ComparisonFilter, Replaced};
pub use contents::Held;
pub(crate) use day::Days;
pub use day::{Day, Event};
pub use direction::ReleaseVersions;
pub use drift::{Drift, Drifts, Holding};
pub use failures::{JobFailure, JobFailures};
pub(crate) use fates::Fates;
pub use fleet::{Fleet, Named, Need, Square, Trouble};
pub use inventory::{Counted, Group, OrganizationInventory, WorkspaceSearch, WorkspaceTypes};
pub(crate) use job_report::ItemReport;
pub use jobs::{NewJob, NewPlan, StopAbove};
pub use known::Known;
pub(crate) use pace::Pace;
pub use plan::{Effect, Plan, PlanFilter, PlanRow, PlannedInstance};
pub use plans::{Cause, Loss, OrganizationPlan, PlannedType, Warned, WorkspacePlan};
pub use search::{Found, Hit, SearchFor};
pub use stored_plan::{Failing, PlanSums, StoredPlan, StoredType, Sum};
pub use upgrade::Upgraded;

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use upstate::{Registry, ResourceDefinition};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

use super::{Failure, Service};
use crate::model::{Permission, Principal, Version, VersionId};
use crate::rules::Refusal;
use crate::service::reading::has_bytes;
use crate::store::StoreError;
use known::Remembered;

/// A registry, what was released before it, and how many states are worked on at the same time.
#[derive(Clone)]
pub(super) struct Schemas {
    pub(super) registry: Arc<Registry>,
    pub(super) lock: Arc<Lock>,
    /// The registry's shapes, made when they are first asked for.
    shapes: Arc<OnceLock<Snapshot>>,
    /// Cached facts of versions.
    known: Arc<Remembered>,
    /// Cached fates of attributes.
    fates: Arc<fates::Found>,
    /// States that are loaded wait for a core with one of these.
    permits: Arc<Semaphore>,
}

impl Schemas {
    pub(super) fn new(registry: Registry, lock: Lock) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, NonZeroUsize::get);
        Self {
            registry: Arc::new(registry),
            lock: Arc::new(lock),
            shapes: Arc::default(),
            known: Arc::default(),
            fates: Arc::default(),
            permits: Arc::new(Semaphore::new(cores.max(2))),
        }
    }
}

impl Service {
    /// The registry whose types the service knows.
    pub fn registry(&self) -> &Registry {
        &self.schemas.registry
    }

    /// A type of the registry.
    pub fn known_type(&self, type_name: &str) -> Result<&ResourceDefinition, Failure> {
        Ok(self
            .registry()
            .get(type_name)
            .ok_or_else(|| Refusal::not_found(format!("resource type {type_name}")))?)
    }

    /// Works on the states of versions, away from the threads that answer requests. At most as many
    /// are loaded at the same time as there are cores, and the memory of reading them is charged
    /// before they are read.
    async fn work<const N: usize, R: Send + 'static>(
        &self,
        versions: [&Version; N],
        work: impl FnOnce(&Worker, [Bytes; N]) -> R + Send + 'static,
    ) -> Result<R, Failure> {
        let permit = Arc::clone(&self.schemas.permits).acquire_owned().await;
        let permit =
            permit.map_err(|error| StoreError::passing("the server is ending").because(error))?;
        let mut states = [const { Bytes::new() }; N];
        for (state, version) in states.iter_mut().zip(versions) {
            *state = self.state_of(version).await?;
        }
        let room = self.room_to_read(&states).await?;
        let worker = Worker {
            registry: Arc::clone(&self.schemas.registry),
            runtime: Handle::current(),
        };
        let done = tokio::task::spawn_blocking(move || {
            let _held = (permit, room);
            work(&worker, states)
        });
        Ok(done
            .await
            .map_err(|error| StoreError::new("work on a state was not finished").because(error))?)
    }

    /// A version whose state the principal may read.
    async fn readable(&self, principal: &Principal, id: &VersionId) -> Result<Version, Failure> {
        let (access, _, version) = self.visible_version(principal, id).await?;
        access.require(Permission::ReadState)?;
        has_bytes(&version)?;
        Ok(version)
    }
}

/// Work on states: on a thread that may wait.
struct Worker {
    registry: Arc<Registry>,
    runtime: Handle,
}

/// Says why a state cannot be worked on. The text of the problem holds no value of the state.
fn unreadable(id: &VersionId, error: &upstate_state::StateFileError) -> Refusal {
    let why = error
        .problems()
        .first()
        .map(ToString::to_string)
        .unwrap_or_default();
    Refusal::conflict(format!("The state of {id} cannot be read: {why}"))
}
