//! Jobs, on which any number of processes work.

use async_trait::async_trait;

use super::{Listed, Page, StoreError};
use crate::model::{
    AuditEntry, ItemStatus, Job, JobCounts, JobId, JobItem, LastOutcome, NewItem, OrganizationId, Timestamp, VersionId,
    WorkspaceId,
};

/// A workspace of a job that is the work of one process until a moment; then others may take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The job.
    pub job: Job,
    /// The workspace's id.
    pub workspace: WorkspaceId,
    /// The version that has to be current still, if not any will do.
    pub expected: Option<VersionId>,
    /// What the process is called.
    pub by: String,
}

/// Jobs and their workspaces. A process that is killed holds its claims no longer than until they end.
#[async_trait]
pub trait Jobs {
    /// Adds a job over these workspaces.
    async fn add_job(&self, job: &Job, items: &[NewItem], audit: AuditEntry) -> Result<(), StoreError>;
    /// A job, and how far it is.
    async fn job(&self, id: &JobId) -> Result<Option<(Job, JobCounts)>, StoreError>;
    /// The jobs of an organization, the newest first.
    async fn jobs(&self, organization: &OrganizationId, page: Page) -> Result<Listed<(Job, JobCounts)>, StoreError>;
    /// The workspaces of a job with one of these ends, all if there are none; those that failed first, each by id.
    async fn job_items(&self, id: &JobId, statuses: &[ItemStatus], page: Page) -> Result<Listed<JobItem>, StoreError>;
    /// The newest outcome of any job or plan for each of these versions that has one.
    async fn last_outcomes(&self, versions: &[VersionId]) -> Result<Vec<LastOutcome>, StoreError>;
    /// The number of failures of an organization's jobs, plans not among them, in each of the steps of so many milliseconds since a moment.
    async fn failures_since(
        &self,
        organization: &OrganizationId,
        since: Timestamp,
        step: i64,
    ) -> Result<Vec<(i64, u64)>, StoreError>;
    /// The number of workspaces of a job that were looked at or changed, and whose current version is still the one that it notes.
    async fn unchanged_items(&self, id: &JobId) -> Result<u64, StoreError>;
    /// The sums of a plan as JSON, if they were kept.
    async fn plan_sums(&self, id: &JobId) -> Result<Option<String>, StoreError>;
    /// Keeps the sums of a plan that ended at that moment; one that ran again meanwhile keeps none.
    async fn keep_plan_sums(&self, id: &JobId, finished_at: Timestamp, sums: &str) -> Result<(), StoreError>;
    /// Takes a workspace of the oldest running job that allows one more, until `until`; of several that ask at the same time each gets
    /// another one. A job that nothing waits for is done.
    async fn claim(&self, by: &str, now: Timestamp, until: Timestamp) -> Result<Option<Claim>, StoreError>;
    /// Lets a claim end at another moment; whether it still was this process's work.
    async fn prolong(&self, claim: &Claim, now: Timestamp, until: Timestamp) -> Result<bool, StoreError>;
    /// Writes what came of a claimed workspace; whether it still was this process's work. The last one ends the job, and a failure stops
    /// it, if that was asked for.
    async fn finish(&self, claim: &Claim, item: &JobItem, at: Timestamp) -> Result<bool, StoreError>;
    /// Stops a running job; whether it was running. What is being worked on is still finished.
    async fn stop_job(&self, id: &JobId, audit: AuditEntry) -> Result<bool, StoreError>;
    /// Lets a job run again, the workspaces that failed among those that wait; whether there was any to do.
    async fn resume_job(&self, id: &JobId, audit: AuditEntry) -> Result<bool, StoreError>;
}
