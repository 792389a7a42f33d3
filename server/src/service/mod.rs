//! Every use of the service, for every client and protocol.
//!
//! Each use looks up who asks, loads the workspace, asks the [rules](crate::rules), and commits
//! what they decided. Where the workspace changed meanwhile it starts again, so rules always decide
//! on what is true when it is written.

mod access;
mod accounts;
mod delivery;
mod failure;
mod held;
mod http_state;
mod imports;
mod locks;
mod login;
mod numbers;
mod people;
mod places;
mod reading;
mod rollback;
mod schemas;
mod sign_in;
mod signing;
mod upkeep;
mod uploads;
mod versions;
mod workloads;
mod workspaces;

pub use access::{Access, WRITING, is_own};
pub use accounts::{NewToken, OWNER, OWNERS, TokenFor};
pub use delivery::Webhook;
pub use failure::Failure;
pub use http_state::{HttpLock, HttpWrite};
pub(crate) use imports::is_imported;
pub use imports::{ImportedState, Importer};
pub use locks::LockRequest;
pub use login::{CLIENT, Login};
pub use people::{Begun, People, ProviderAnswer, TeamClaim};
pub(crate) use places::check_project_name;
pub use reading::{Bearer, Readable, Shown};
pub use schemas::{
    Action, Cause, Compared, Comparison, ComparisonFilter, Counted, Day, Drift, Drifts, Effect,
    Event, Failing, Fleet, Found, Group, Held, Hit, Holding, JobFailure, JobFailures, Known, Loss,
    Named, Need, NewJob, NewPlan, OrganizationInventory, OrganizationPlan, Plan, PlanFilter,
    PlanRow, PlanSums, PlannedInstance, PlannedType, ReleaseVersions, Replaced, SearchFor, Square,
    StopAbove, StoredPlan, StoredType, Sum, Trouble, Upgraded, Warned, WorkspacePlan,
    WorkspaceSearch, WorkspaceTypes,
};
pub(crate) use schemas::{Days, Fates, ItemReport, Pace};
pub use signing::{Signed, Use};
pub use upkeep::Upkeep;
pub use versions::{CreateVersion, Writable};
pub use workloads::{Exchanged, NewTrust};
pub use workspaces::{NewWorkspace, WorkspaceChange, check_workspace_name};

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use upstate::Registry;
use upstate_compat::lock::Lock;

use crate::identity::Issuers;
use crate::model::{
    AuditEntry, OrganizationId, Permission, Principal, Timestamp, Version, VersionId, Workspace,
    WorkspaceId,
};
use crate::rules::{Policy, Refusal, RefusalKind, Snapshot};
use crate::store::{Change, Commit, Committed, Store, StoreError};
use crate::traffic::Budget;

/// The settings of an operator.
#[derive(Debug, Clone)]
pub struct Conduct {
    /// True if serial and lineage of a request must be those of the file.
    pub strict_metadata: bool,
    /// True if `backend "http"` may write while the workspace is not locked.
    pub http_without_lock: bool,
    /// After how long a version whose bytes do not come is discarded.
    pub pending_expiry: Duration,
    /// For how long a download URL works.
    pub download_expiry: Duration,
    /// For how long bytes that come through an upload URL are at least kept aside.
    pub upload_expiry: Duration,
    /// The policy for keeping versions.
    pub retention: Policy,
    /// For how long deleted workspaces can be brought back.
    pub purge_after: Duration,
    /// The largest state, in bytes.
    pub max_state: usize,
    /// The memory that reading states may take at the same time, in bytes.
    pub parsing_memory: usize,
    /// True if the audit log says who reads states and sensitive outputs.
    pub audit_reads: bool,
    /// For how long lines of the audit log are kept; `None`: for ever.
    pub audit_keep: Option<Duration>,
    /// The receiver of the audit log, if there is one.
    pub webhook: Option<Webhook>,
    /// The provider with which people sign in, if there is one.
    pub provider: Option<People>,
    /// The issuers that may be at other addresses than public ones.
    pub internal_issuers: Vec<String>,
    /// For how long a server that was killed while it upgraded a workspace, or rolled it back, is
    /// waited for.
    pub lease: Duration,
}

impl Default for Conduct {
    fn default() -> Self {
        Self {
            strict_metadata: true,
            http_without_lock: true,
            pending_expiry: Duration::from_hours(1),
            download_expiry: Duration::from_mins(15),
            upload_expiry: Duration::from_hours(24),
            retention: Policy {
                keep_last: 100,
                keep_days: None,
            },
            purge_after: Duration::from_hours(30 * 24),
            max_state: 64 << 20,
            parsing_memory: 512 << 20,
            audit_reads: true,
            audit_keep: None,
            webhook: None,
            provider: None,
            internal_issuers: Vec::new(),
            lease: Duration::from_mins(1),
        }
    }
}

impl Conduct {
    /// The issuers that the operator named.
    fn reachable_issuers(&self) -> Vec<String> {
        self.internal_issuers
            .iter()
            .cloned()
            .chain(self.provider.iter().map(|people| people.issuer.clone()))
            .collect()
    }
}

/// The clock; tests have their own.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The service on a store.
#[derive(Clone)]
pub struct Service {
    store: Arc<dyn Store>,
    conduct: Arc<Conduct>,
    clock: Clock,
    key: [u8; 32],
    schemas: schemas::Schemas,
    failures: Arc<sign_in::Failures>,
    /// Requests that were refused for what their principals may not do.
    refusals: Arc<sign_in::Failures>,
    /// Providers of ID tokens.
    issuers: Arc<Issuers>,
    /// Memory for states that are read.
    parsing: Arc<Budget>,
    /// The turns to load something before its memory is charged.
    loads: Arc<Semaphore>,
    /// Notified whenever a job begins to wait.
    work_there_is: Arc<Notify>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("store", &self.store)
            .field("conduct", &self.conduct)
            .finish_non_exhaustive()
    }
}

/// The time for a line of the audit log that is written before a read.
const NOTING: Duration = Duration::from_secs(5);

/// The number of outputs, JSON states and sources of rollbacks that are loaded at the same time. Only
/// then their length is known, and their memory is charged: requests that each load some, all at
/// once, would fill it.
const LOADS: usize = 8;

/// The number of times that a use starts again because the workspace changed.
const ATTEMPTS: usize = 32;

impl Service {
    /// The service on a store, by the clock of this machine.
    ///
    /// # Errors
    /// If the store cannot be written: the key that signs URLs is kept there.
    pub async fn new(store: Arc<dyn Store>, conduct: Conduct) -> Result<Self, StoreError> {
        Self::with_clock(store, conduct, Arc::new(Timestamp::now)).await
    }

    /// The service by another clock.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub async fn with_clock(
        store: Arc<dyn Store>,
        conduct: Conduct,
        clock: Clock,
    ) -> Result<Self, StoreError> {
        let key = store.secret("url-key").await?;
        let schemas = schemas::Schemas::new(Registry::new(), Lock::default());
        Ok(Self {
            store,
            parsing: Arc::new(Budget::parsing(conduct.parsing_memory)),
            loads: Arc::new(Semaphore::new(LOADS)),
            issuers: Arc::new(Issuers::new(conduct.reachable_issuers())),
            conduct: Arc::new(conduct),
            clock,
            key,
            schemas,
            failures: Arc::default(),
            refusals: Arc::default(),
            work_there_is: Arc::default(),
        })
    }

    /// The service with the types of a registry, and the lock that says which schema versions its
    /// releases had. Without releases in the lock, nothing goes back to one.
    #[must_use]
    pub fn knowing(self, registry: Registry, lock: Lock) -> Self {
        Self {
            schemas: schemas::Schemas::new(registry, lock),
            ..self
        }
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The operator's settings.
    pub fn conduct(&self) -> &Conduct {
        &self.conduct
    }

    /// The memory for states that are read.
    pub fn parsing(&self) -> &Budget {
        &self.parsing
    }

    /// The clock.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// A turn to load something whose length is not known, until it is dropped.
    async fn turn(&self) -> Result<OwnedSemaphorePermit, Failure> {
        let turn = Arc::clone(&self.loads).acquire_owned().await;
        Ok(turn.map_err(|error| StoreError::passing("the server is ending").because(error))?)
    }

    /// Writes a line to the audit log before something is given away, or refused. A store that
    /// cannot be written keeps nobody from reading; then the log of the server has the line.
    async fn note(&self, entry: AuditEntry) {
        let line = entry.clone();
        let why = match tokio::time::timeout(NOTING, self.store.record(entry)).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the store takes too long".to_owned(),
        };
        let AuditEntry {
            who,
            action,
            workspace,
            subject,
            ..
        } = line;
        let workspace = workspace.map(|id| id.to_string()).unwrap_or_default();
        tracing::warn!(%who, %action, %workspace, %subject, %why, "a line is missing in the audit log");
    }

    /// Notes that somebody reads what may be secret.
    pub async fn note_read(
        &self,
        principal: &Principal,
        workspace: &Workspace,
        action: &'static str,
        subject: impl fmt::Display,
    ) {
        if self.conduct.audit_reads {
            let organization = Some(workspace.organization.clone());
            let entry = self.audit_now(who(principal), action, organization, subject);
            self.note(AuditEntry {
                workspace: Some(workspace.id.clone()),
                ..entry
            })
            .await;
        }
    }

    /// A line for the audit log about what is done now, and not to a workspace.
    fn audit_now(
        &self,
        who: String,
        action: &'static str,
        organization: Option<OrganizationId>,
        subject: impl fmt::Display,
    ) -> AuditEntry {
        audit_elsewhere(who, self.now(), action, organization, subject)
    }

    /// A workspace at this moment.
    async fn snapshot(&self, id: &WorkspaceId) -> Result<Snapshot, Failure> {
        let found = self.found(id).await?;
        Ok(found.ok_or_else(|| Refusal::not_found(format!("workspace {id}")))?)
    }

    /// A workspace at this moment, if there is one. A lock that has ended by itself is none.
    async fn found(&self, id: &WorkspaceId) -> Result<Option<Snapshot>, Failure> {
        let mut found = self.store.snapshot(id).await?;
        if let Some(snapshot) = &mut found {
            self.drop_ended_lock(&mut snapshot.workspace);
        }
        Ok(found)
    }

    /// A version and its workspace, if there are such.
    async fn found_with(
        &self,
        version: &VersionId,
    ) -> Result<Option<(Version, Workspace)>, Failure> {
        let mut found = self.store.version_in(version).await?;
        if let Some((_, workspace)) = &mut found {
            self.drop_ended_lock(workspace);
        }
        Ok(found)
    }

    fn drop_ended_lock(&self, workspace: &mut Workspace) {
        // The clock is read only where it matters.
        workspace
            .lock
            .take_if(|lock| lock.until.is_some() && lock.has_ended(self.now()));
    }

    /// Lets `decide` say what is to change, and writes that; again with a new snapshot where the
    /// workspace changed meanwhile.
    async fn change<R>(
        &self,
        workspace: &WorkspaceId,
        decide: impl FnMut(&Snapshot, Timestamp) -> Result<Decided<R>, Failure>,
    ) -> Result<R, Failure> {
        self.change_after(workspace, None, decide).await
    }

    /// As [`change`](Self::change), for a workspace of which there is a snapshot already.
    async fn change_from<R>(
        &self,
        snapshot: Snapshot,
        decide: impl FnMut(&Snapshot, Timestamp) -> Result<Decided<R>, Failure>,
    ) -> Result<R, Failure> {
        let workspace = snapshot.workspace.id.clone();
        self.change_after(&workspace, Some(snapshot), decide).await
    }

    /// As [`change`](Self::change), while a principal has a permission in the workspace.
    async fn change_allowed<R>(
        &self,
        principal: &Principal,
        workspace: &WorkspaceId,
        needs: Permission,
        mut decide: impl FnMut(&Snapshot, Timestamp) -> Result<Decided<R>, Failure>,
    ) -> Result<R, Failure> {
        let snapshot = self.allowed(principal, workspace, needs).await?;
        self.change_from(snapshot, |snapshot, at| {
            // It may have been moved out of reach meanwhile.
            access::on(principal, &snapshot.workspace)?.require(needs)?;
            decide(snapshot, at)
        })
        .await
    }

    async fn change_after<R>(
        &self,
        workspace: &WorkspaceId,
        mut earlier: Option<Snapshot>,
        mut decide: impl FnMut(&Snapshot, Timestamp) -> Result<Decided<R>, Failure>,
    ) -> Result<R, Failure> {
        for _ in 0..ATTEMPTS {
            let is_earlier = earlier.is_some();
            let snapshot = match earlier.take() {
                Some(snapshot) => snapshot,
                None => self.snapshot(workspace).await?,
            };
            let at = self.now();
            let (changes, audit, result) = match decide(&snapshot, at) {
                Ok(Decided::Write {
                    changes,
                    audit,
                    result,
                }) => (changes, audit, result),
                // Decided again, because only a commit shows that an earlier snapshot still holds.
                Ok(Decided::Nothing(_)) | Err(_) if is_earlier => continue,
                Ok(Decided::Nothing(result)) => return Ok(result),
                Err(failure) => return Err(failure),
            };
            let commit = Commit {
                workspace: workspace.clone(),
                expected: snapshot.workspace.revision,
                at,
                changes,
                audit,
            };
            let started = Instant::now();
            let committed = self.store.commit(commit).await;
            let outcome = match &committed {
                Ok(Committed::Done) => "done",
                Ok(Committed::Stale) => "stale",
                Ok(Committed::Gone | Committed::ProjectGone | Committed::NameTaken) => "refused",
                Err(_) => "failed",
            };
            metrics::histogram!("upstate_commit_seconds", "outcome" => outcome)
                .record(started.elapsed().as_secs_f64());
            match committed? {
                Committed::Done => return Ok(result),
                Committed::Stale => {}
                Committed::Gone => return Err(Refusal::not_found("state version").into()),
                Committed::ProjectGone => {
                    return Err(failure::gone("/data/relationships/project").into());
                }
                Committed::NameTaken => {
                    return Err(Refusal::unprocessable(
                        "/data/attributes/name",
                        "Name has already been taken",
                    )
                    .into());
                }
            }
        }
        Err(changes_too_quickly("workspace").into())
    }
}

fn changes_too_quickly(what: &str) -> Refusal {
    Refusal::new(
        RefusalKind::Unavailable,
        format!("The {what} changes too quickly just now; try again"),
    )
}

/// The decision of a use.
enum Decided<R> {
    /// There is nothing to write.
    Nothing(R),
    /// This is to be written.
    Write {
        changes: Vec<Change>,
        audit: Vec<AuditEntry>,
        result: R,
    },
}

/// A line for the audit log, about a workspace.
fn audit(
    principal: &Principal,
    snapshot: &Snapshot,
    at: Timestamp,
    action: &'static str,
    subject: impl fmt::Display,
    detail: String,
) -> AuditEntry {
    audit_as(&who(principal), snapshot, at, action, subject, detail)
}

/// A line for the audit log, about a workspace, by somebody who was looked up before.
fn audit_as(
    who: &str,
    snapshot: &Snapshot,
    at: Timestamp,
    action: &'static str,
    subject: impl fmt::Display,
    detail: String,
) -> AuditEntry {
    let workspace = &snapshot.workspace;
    AuditEntry {
        at,
        who: who.to_owned(),
        action: Cow::Borrowed(action),
        organization: Some(workspace.organization.clone()),
        workspace: Some(workspace.id.clone()),
        subject: subject.to_string(),
        detail,
    }
}

/// A line for the audit log, about something else than a workspace.
fn audit_elsewhere(
    who: String,
    at: Timestamp,
    action: &'static str,
    organization: Option<OrganizationId>,
    subject: impl fmt::Display,
) -> AuditEntry {
    let subject = subject.to_string();
    AuditEntry {
        at,
        who,
        action: Cow::Borrowed(action),
        organization,
        workspace: None,
        subject,
        detail: String::new(),
    }
}

/// The principal and its address, for the audit log.
pub fn who(principal: &Principal) -> String {
    match principal.from {
        Some(from) => format!("{principal} from {from}"),
        None => principal.to_string(),
    }
}
