//! Jobs, on which any number of processes work.

use async_trait::async_trait;

use super::accounts::{permissions_of, principal, still_may};
use super::audit::{Recorded as _, changed, record};
use super::error::StoreError;
use super::page::{Listed, Page, with_status};
use super::session::{
    Database, Dialect, Done, Lock, Mode, Param, Row, Session, params, to_json, wrong,
};
use crate::model::{
    AuditEntry, Back, Holder, HolderKind, ItemStatus, Job, JobCounts, JobId, JobItem, JobKind,
    JobStatus, LastOutcome, NewItem, OrganizationId, Permissions, Principal, Selection, Timestamp,
    TokenId, VersionId, WorkspaceId,
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
    /// The name of the process.
    pub by: String,
}

/// Jobs and their workspaces. A process that is killed holds its claims no longer than until they
/// end.
#[async_trait]
pub trait Jobs {
    /// Adds a job over these workspaces, a plan with the selection that was asked for, unless the
    /// principal `by` whom it is requested has lost something; whether it was added.
    async fn add_job(
        &self,
        by: Option<&Principal>,
        job: &Job,
        selection: Option<&Selection>,
        items: &[NewItem],
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;
    /// The permissions in its organization that who requested a job has now; none at all if their
    /// token was removed.
    async fn requester_permissions(&self, job: &Job) -> Result<Option<Permissions>, StoreError>;
    /// A job, and how far it is.
    async fn job(&self, id: &JobId) -> Result<Option<(Job, JobCounts)>, StoreError>;
    /// The jobs of an organization, the newest first.
    async fn jobs(
        &self,
        organization: &OrganizationId,
        page: Page,
    ) -> Result<Listed<(Job, JobCounts)>, StoreError>;
    /// The workspaces of a job with one of these ends, all if there are none; those that failed
    /// first, each by id.
    async fn job_items(
        &self,
        id: &JobId,
        statuses: &[ItemStatus],
        page: Page,
    ) -> Result<Listed<JobItem>, StoreError>;
    /// The workspaces that a job changed, by id: those that are recorded so, and those whose
    /// current version it made, because a process that is killed may have written that before it
    /// could record it.
    async fn changed_workspaces(&self, id: &JobId) -> Result<Vec<WorkspaceId>, StoreError>;
    /// The number of workspaces of a job that are the work of a process at a moment.
    async fn claimed_items(&self, id: &JobId, now: Timestamp) -> Result<u64, StoreError>;
    /// The number of workspaces of a job that ended since a moment, and when the first of them did.
    async fn ended_since(
        &self,
        id: &JobId,
        since: Timestamp,
    ) -> Result<(u64, Option<Timestamp>), StoreError>;
    /// The number of workspaces of a job that ended in each of the steps of so many milliseconds
    /// since a moment, and the number of those among these that failed.
    async fn ended_by_step(
        &self,
        id: &JobId,
        since: Timestamp,
        step: i64,
    ) -> Result<Vec<(i64, u64, u64)>, StoreError>;
    /// The number of workspaces of a job that a process took over from one that did not go on, in
    /// each of the steps of so many milliseconds since a moment.
    async fn taken_over_by_step(
        &self,
        id: &JobId,
        since: Timestamp,
        step: i64,
    ) -> Result<Vec<(i64, u64)>, StoreError>;
    /// The newest outcome of any job or plan for each of these versions that has one.
    async fn last_outcomes(&self, versions: &[VersionId]) -> Result<Vec<LastOutcome>, StoreError>;
    /// The number of failures of an organization's jobs, plans not among them, in each of the steps
    /// of so many milliseconds since a moment.
    async fn failures_since(
        &self,
        organization: &OrganizationId,
        since: Timestamp,
        step: i64,
    ) -> Result<Vec<(i64, u64)>, StoreError>;
    /// The number of workspaces of a job that were looked at or changed, and whose current version
    /// is still the one that it notes; and the number of those among these that a user has locked.
    async fn unchanged_items(&self, id: &JobId) -> Result<(u64, u64), StoreError>;
    /// The workspaces that a plan was asked for; nothing of a job that is not a plan, or that was
    /// made before this was kept.
    async fn plan_selection(&self, id: &JobId) -> Result<Option<Selection>, StoreError>;
    /// The sums of a plan as JSON, if they were kept.
    async fn plan_sums(&self, id: &JobId) -> Result<Option<String>, StoreError>;
    /// Keeps the sums of a plan that ended at that moment; one that ran again meanwhile keeps none.
    async fn keep_plan_sums(
        &self,
        id: &JobId,
        finished_at: Timestamp,
        sums: &str,
    ) -> Result<(), StoreError>;
    /// Takes a workspace of the oldest running job that allows one more, until `until`; of several
    /// that ask at the same time each gets another one. A job that nothing waits for is done.
    async fn claim(
        &self,
        by: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<Claim>, StoreError>;
    /// Lets a claim end at another moment; whether it still was this process's work.
    async fn prolong(
        &self,
        claim: &Claim,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, StoreError>;
    /// Lets a claim go at another moment, when any process may take the workspace again; whether it
    /// still was this process's work.
    async fn put_off(
        &self,
        claim: &Claim,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, StoreError>;
    /// Writes what came of a claimed workspace; whether it still was this process's work. The last
    /// one ends the job, also one that was stopped, unless a workspace has failed that could be
    /// tried again; and a failure stops it, if that was asked for.
    async fn finish(
        &self,
        claim: &Claim,
        item: &JobItem,
        at: Timestamp,
    ) -> Result<bool, StoreError>;
    /// Stops a running job; whether it was running. What is being worked on is still finished.
    async fn stop_job(&self, id: &JobId, audit: AuditEntry) -> Result<bool, StoreError>;
    /// Stops a job as [`stop_job`](Self::stop_job) does, unless somebody else has resumed it since it
    /// was looked up; false if they have.
    async fn stop_job_of_requester(&self, job: &Job, audit: AuditEntry)
    -> Result<bool, StoreError>;
    /// Lets a job that does not run do so again, in the name of somebody else and by their token,
    /// the workspaces that failed among those that wait; true if there was any to do. One that runs
    /// is left as it is.
    async fn resume_job(
        &self,
        id: &JobId,
        by: &Holder,
        token: Option<&TokenId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// The columns of a job but for its selection, which may be thousands of ids.
const JOB: &str = "id, organization, requested_by, who, concurrency, stop_at_failure, status, created_at, finished_at, back, \
    worked_on_at, undoes, max_failures, kind, applies, token";

fn kind(row: &Row, column: usize) -> Done<JobKind> {
    let name = row.optional(column)?;
    JobKind::named(name.as_deref()).ok_or_else(|| wrong(column, format!("unknown kind {name:?}")))
}

fn job_row(row: &Row) -> Done<Job> {
    let status = row.text(6)?;
    Ok(Job {
        id: JobId::from_text(row.text(0)?),
        organization: OrganizationId::from_text(row.text(1)?),
        requested_by: row.json(2)?.ok_or_else(|| wrong(2, "a job of nobody"))?,
        who: row.text(3)?,
        concurrency: row.small(4)?,
        stop_at_failure: row.bool(5)?,
        status: JobStatus::named(&status)
            .ok_or_else(|| wrong(6, format!("unknown status {status:?}")))?,
        created_at: row.time(7)?,
        finished_at: row.optional_time(8)?,
        back: row.json(9)?,
        worked_on_at: row.optional_time(10)?,
        undoes: row.optional(11)?.map(JobId::from_text),
        max_failures: row.small(12)?,
        kind: kind(row, 13)?,
        applies: row.optional(14)?.map(JobId::from_text),
        token: row.optional(15)?.map(TokenId::from_text),
    })
}

fn item_status(row: &Row, column: usize) -> Done<ItemStatus> {
    let name = row.text(column)?;
    ItemStatus::named(&name).ok_or_else(|| wrong(column, format!("unknown status {name:?}")))
}

fn item_row(row: &Row) -> Done<JobItem> {
    Ok(JobItem {
        workspace: WorkspaceId::from_text(row.text(0)?),
        status: item_status(row, 1)?,
        version: row.optional(2)?.map(VersionId::from_text),
        detail: row.text(3)?,
        planned: row.optional(4)?,
        tried: row.optional(5)?.map(VersionId::from_text),
    })
}

async fn job(s: &mut dyn Session, id: &str) -> Done<Option<Job>> {
    let sql = format!("SELECT {JOB} FROM job WHERE id = $1");
    s.maybe(&sql, &params![id])
        .await?
        .as_ref()
        .map(job_row)
        .transpose()
}

async fn counts(s: &mut dyn Session, id: &JobId) -> Done<JobCounts> {
    let sql = "SELECT status, count(*) FROM job_item WHERE job = $1 GROUP BY status";
    let found = s.all(sql, &params![id.as_str()]).await?;
    let counted: Vec<(ItemStatus, u64)> = found
        .iter()
        .map(|row| Ok((item_status(row, 0)?, row.size(1)?)))
        .collect::<Done<_>>()?;
    Ok(JobCounts::of(counted))
}

/// Notes that a server works on a job.
async fn working(s: &mut dyn Session, id: &str, at: Timestamp) -> Done<()> {
    s.run(
        "UPDATE job SET worked_on_at = $2 WHERE id = $1",
        &params![id, at],
    )
    .await
    .map(drop)
}

/// Ends the jobs that nothing waits for.
async fn end(s: &mut dyn Session, at: Timestamp) -> Done<()> {
    let sql = "UPDATE job SET status = 'done', finished_at = $1 WHERE status = 'running'
        AND NOT EXISTS (SELECT 1 FROM job_item i WHERE i.job = job.id AND i.status = 'waiting')";
    s.run(sql, &params![at]).await.map(drop)
}

/// Stops the running jobs that a user or a team requested in an organization, or in all, as if
/// somebody had stopped them; `audit` is about what ends them.
pub(super) async fn stop_jobs_of(
    s: &mut dyn Session,
    (kind, id): (HolderKind, &str),
    of: Option<&OrganizationId>,
    audit: &AuditEntry,
) -> Done<()> {
    let running = "SELECT id, organization, requested_by, who FROM job
        WHERE status = 'running' AND (CAST($1 AS TEXT) IS NULL OR organization = $1)";
    // Not one that somebody else resumed since these were found.
    let stop =
        "UPDATE job SET status = 'stopped' WHERE id = $1 AND status = 'running' AND who = $2";
    let running = s
        .all(running, &params![of.map(OrganizationId::as_str)])
        .await?;
    for row in running {
        let requested_by: Option<Holder> = row.json(2)?;
        // Not by the text, in which a name may be the id of another one.
        let is_theirs = requested_by.is_some_and(|by| by.kind == kind && by.id == id);
        if !is_theirs {
            continue;
        }
        let (job, who) = (row.text(0)?, row.text(3)?);
        let stopped = AuditEntry {
            action: "job.stop".into(),
            organization: Some(OrganizationId::from_text(row.text(1)?)),
            subject: job.clone(),
            detail: format!("requested by {who}"),
            ..audit.clone()
        };
        changed(s, stop, &params![job, who], &stopped).await?;
    }
    Ok(())
}

/// One process at a time looks for work, or ends some: who counts what others do must not be
/// overtaken by them.
async fn alone(s: &mut dyn Session) -> Done<()> {
    match s.dialect() {
        // The transaction took the lock of the writer when it began.
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => s
            .maybe(
                "SELECT pg_advisory_xact_lock($1)",
                &params![Lock::Work.key()],
            )
            .await
            .map(drop),
    }
}

/// The number of workspaces that one statement adds. Those that are left over are added one by one,
/// because databases keep each statement that they have seen.
const MANY: usize = 100;

async fn add_items(s: &mut dyn Session, job: &JobId, items: &[NewItem]) -> Done<()> {
    let mut params = vec![Param::from(job.as_str())];
    let mut rows = Vec::new();
    for NewItem {
        workspace,
        expected,
    } in items
    {
        params.extend(params![
            workspace.as_str(),
            expected.as_ref().map(VersionId::as_str)
        ]);
        rows.push(format!(
            "($1, ${}, 'waiting', '', '', 0, ${})",
            params.len() - 1,
            params.len()
        ));
    }
    let rows = rows.join(", ");
    let sql = format!(
        "INSERT INTO job_item (job, workspace, status, detail, claimed_by, claimed_until, expected) VALUES {rows}"
    );
    s.run(&sql, &params).await.map(drop)
}

async fn add(
    s: &mut dyn Session,
    job: &Job,
    selection: Option<&Selection>,
    items: &[NewItem],
) -> Done<()> {
    let sql = format!(
        "INSERT INTO job ({JOB}, selection) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
    );
    let params = params![
        job.id.as_str(),
        job.organization.as_str(),
        to_json(&job.requested_by)?,
        &job.who,
        job.concurrency,
        job.stop_at_failure,
        job.status.name(),
        job.created_at,
        job.finished_at,
        job.back.as_ref().map(to_json).transpose()?,
        job.worked_on_at,
        job.undoes.as_ref().map(JobId::as_str),
        job.max_failures,
        job.kind.name(),
        job.applies.as_ref().map(JobId::as_str),
        job.token.as_ref().map(TokenId::as_str),
        selection.map(to_json).transpose()?,
    ];
    s.run(&sql, &params).await?;
    let (chunks, rest) = items.as_chunks::<MANY>();
    for chunk in chunks {
        add_items(s, &job.id, chunk).await?;
    }
    for item in rest {
        add_items(s, &job.id, std::slice::from_ref(item)).await?;
    }
    Ok(())
}

async fn take(
    s: &mut dyn Session,
    by: &str,
    now: Timestamp,
    until: Timestamp,
) -> Done<Option<Claim>> {
    alone(s).await?;
    let sql = "SELECT j.id, i.workspace, i.expected FROM job j JOIN job_item i ON i.job = j.id
        WHERE j.status = 'running' AND i.status = 'waiting' AND i.claimed_until <= $1 AND j.concurrency >
            (SELECT count(*) FROM job_item a WHERE a.job = j.id AND a.status = 'waiting' AND a.claimed_until > $1)
        ORDER BY j.created_at, j.id LIMIT 1";
    let Some(row) = s.maybe(sql, &params![now]).await? else {
        end(s, now).await?;
        return Ok(None);
    };
    let (id, workspace, expected) = (
        row.text(0)?,
        row.text(1)?,
        row.optional(2)?.map(VersionId::from_text),
    );
    // A claim that ended although its process held it was not let go. One of an earlier release has
    // another end than the one that is held, so that nothing is known of it.
    let sql = "UPDATE job_item SET claimed_by = $3, claimed_until = $4, held_until = $4,
            taken_over_at = CASE WHEN claimed_by <> $3 AND held_until = claimed_until THEN $5 ELSE taken_over_at END
        WHERE job = $1 AND workspace = $2";
    let params = params![&id, &workspace, by, until, now];
    s.run(sql, &params).await?;
    working(s, &id, now).await?;
    let job = job(s, &id)
        .await?
        .ok_or_else(|| StoreError::new("the job of a workspace is missing"))?;
    Ok(Some(Claim {
        job,
        workspace: WorkspaceId::from_text(workspace),
        expected,
        by: by.to_owned(),
    }))
}

/// Lets a claim end at another moment, until which its process holds it, if it does; whether it
/// still was its work.
async fn end_claim(
    s: &mut dyn Session,
    claim: &Claim,
    now: Timestamp,
    (until, held_until): (Timestamp, Option<Timestamp>),
) -> Done<bool> {
    let id = claim.job.id.as_str();
    let sql = "UPDATE job_item SET claimed_until = $4, held_until = $5
        WHERE job = $1 AND workspace = $2 AND claimed_by = $3 AND status = 'waiting'";
    let params = params![id, claim.workspace.as_str(), &claim.by, until, held_until];
    let is_ours = s.run(sql, &params).await? > 0;
    if is_ours {
        working(s, id, now).await?;
    }
    Ok(is_ours)
}

async fn finish(s: &mut dyn Session, claim: &Claim, item: &JobItem, at: Timestamp) -> Done<bool> {
    alone(s).await?;
    let id = claim.job.id.as_str();
    let sql = "UPDATE job_item SET status = $4, version = $5, detail = $6, planned = $7, tried = $8, finished_at = $9, claimed_until = 0
        WHERE job = $1 AND workspace = $2 AND claimed_by = $3 AND status = 'waiting'";
    let params = params![
        id,
        claim.workspace.as_str(),
        &claim.by,
        item.status.name(),
        item.version.as_ref().map(VersionId::as_str),
        &item.detail,
        item.planned.as_deref(),
        item.tried.as_ref().map(VersionId::as_str),
        at,
    ];
    let written = s.run(sql, &params).await? > 0;
    if claim.job.stop_at_failure && item.status == ItemStatus::Failed {
        let sql = "UPDATE job SET status = 'stopped' WHERE id = $1 AND status = 'running'
            AND (SELECT count(*) FROM job_item i WHERE i.job = $1 AND i.status = 'failed') > coalesce(max_failures, 0)";
        s.run(sql, &params![id]).await?;
    }
    // One that was stopped during its last workspaces has nothing left that it could be resumed
    // for.
    let sql = "UPDATE job SET status = 'done', finished_at = $2 WHERE id = $1 AND status = 'stopped'
        AND NOT EXISTS (SELECT 1 FROM job_item i WHERE i.job = $1 AND i.status IN ('waiting', 'failed'))";
    s.run(sql, &params![id, at]).await?;
    working(s, id, at).await?;
    end(s, at).await?;
    Ok(written)
}

#[async_trait]
impl<D: Database> Jobs for D {
    async fn add_job(
        &self,
        by: Option<&Principal>,
        job: &Job,
        selection: Option<&Selection>,
        items: &[NewItem],
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let (by, job) = (by.cloned(), job.clone());
        let (selection, items) = (selection.cloned(), items.to_vec());
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                if let Some(by) = &by
                    && !still_may(s, by).await?
                {
                    return Ok(false);
                }
                add(s, &job, selection.as_ref(), &items).await?;
                record(s, &audit).await?;
                Ok(true)
            })
        });
        Ok(work.await?)
    }

    async fn requester_permissions(&self, job: &Job) -> Result<Option<Permissions>, StoreError> {
        let (token, by) = (job.token.clone(), job.requested_by.clone());
        let organization = job.organization.clone();
        let work = self.work(Mode::Rows, move |s| {
            Box::pin(async move {
                let Some(token) = token else {
                    return permissions_of(s, &by, &organization).await.map(Some);
                };
                let now = principal(s, "id", Param::from(token.as_str())).await?;
                Ok(now.map(|now| now.permissions(&organization)))
            })
        });
        Ok(work.await?)
    }

    async fn job(&self, id: &JobId) -> Result<Option<(Job, JobCounts)>, StoreError> {
        let id = id.clone();
        let work = self.work(Mode::Read, move |s| {
            Box::pin(async move {
                match job(s, id.as_str()).await? {
                    Some(job) => Ok(Some((job, counts(s, &id).await?))),
                    None => Ok(None),
                }
            })
        });
        Ok(work.await?)
    }

    async fn jobs(
        &self,
        organization: &OrganizationId,
        page: Page,
    ) -> Result<Listed<(Job, JobCounts)>, StoreError> {
        let of = vec![Param::from(organization.as_str())];
        let work = self.work(Mode::Read, move |s| {
            Box::pin(async move {
                let which = "FROM job WHERE organization = $1";
                let Listed { items: jobs, total } = s
                    .listed(JOB, which, "created_at DESC, id", of, page, job_row)
                    .await?;
                let mut items = Vec::new();
                for job in jobs {
                    let counts = counts(s, &job.id).await?;
                    items.push((job, counts));
                }
                Ok(Listed { items, total })
            })
        });
        Ok(work.await?)
    }

    async fn job_items(
        &self,
        id: &JobId,
        statuses: &[ItemStatus],
        page: Page,
    ) -> Result<Listed<JobItem>, StoreError> {
        let statuses: Vec<&str> = statuses.iter().map(|status| status.name()).collect();
        let which = with_status("FROM job_item WHERE job = $1", &statuses);
        let of = vec![Param::from(id.as_str())];
        let work = self.work(Mode::Read, move |s| {
            Box::pin(async move {
                let columns = "workspace, status, version, detail, planned, tried";
                s.listed(
                    columns,
                    &which,
                    "status <> 'failed', workspace",
                    of,
                    page,
                    item_row,
                )
                .await
            })
        });
        Ok(work.await?)
    }

    async fn changed_workspaces(&self, id: &JobId) -> Result<Vec<WorkspaceId>, StoreError> {
        let sql = "SELECT i.workspace FROM job_item i WHERE i.job = $1 AND (i.status = 'upgraded' OR EXISTS
            (SELECT 1 FROM workspace w JOIN state_version v ON v.id = w.head WHERE w.id = i.workspace AND v.job = $1))
            ORDER BY i.workspace";
        self.every(sql, params![id.as_str()], |row| {
            row.text(0).map(WorkspaceId::from_text)
        })
        .await
    }

    async fn claimed_items(&self, id: &JobId, now: Timestamp) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM job_item WHERE job = $1 AND status = 'waiting' AND claimed_until > $2";
        Ok(self
            .one(sql, params![id.as_str(), now], |row| row.size(0))
            .await?
            .unwrap_or_default())
    }

    async fn ended_since(
        &self,
        id: &JobId,
        since: Timestamp,
    ) -> Result<(u64, Option<Timestamp>), StoreError> {
        let sql =
            "SELECT count(*), min(finished_at) FROM job_item WHERE job = $1 AND finished_at >= $2";
        let found = self
            .one(sql, params![id.as_str(), since], |row| {
                Ok((row.size(0)?, row.optional_time(1)?))
            })
            .await?;
        Ok(found.unwrap_or_default())
    }

    async fn ended_by_step(
        &self,
        id: &JobId,
        since: Timestamp,
        step: i64,
    ) -> Result<Vec<(i64, u64, u64)>, StoreError> {
        let sql = "SELECT (finished_at - $2) / $3 AS slot, count(*), count(CASE WHEN status = 'failed' THEN 1 END) FROM job_item
            WHERE job = $1 AND finished_at >= $2 GROUP BY slot ORDER BY slot";
        self.every(sql, params![id.as_str(), since, step], |row| {
            Ok((row.int(0)?, row.size(1)?, row.size(2)?))
        })
        .await
    }

    async fn taken_over_by_step(
        &self,
        id: &JobId,
        since: Timestamp,
        step: i64,
    ) -> Result<Vec<(i64, u64)>, StoreError> {
        let sql = "SELECT (taken_over_at - $2) / $3 AS slot, count(*) FROM job_item
            WHERE job = $1 AND taken_over_at >= $2 GROUP BY slot ORDER BY slot";
        self.every(sql, params![id.as_str(), since, step], |row| {
            Ok((row.int(0)?, row.size(1)?))
        })
        .await
    }

    async fn last_outcomes(&self, versions: &[VersionId]) -> Result<Vec<LastOutcome>, StoreError> {
        let ids: Vec<String> = versions.iter().map(ToString::to_string).collect();
        let sql = format!(
            "SELECT job, kind, back, undoes, status, detail, at, tried FROM (
                SELECT i.job, j.kind, j.back, j.undoes IS NOT NULL AS undoes, i.status, i.detail, coalesce(i.finished_at, j.created_at) AS at,
                    i.tried, row_number() OVER (PARTITION BY i.tried ORDER BY i.finished_at DESC NULLS LAST, j.created_at DESC) AS newest
                FROM job_item i JOIN job j ON j.id = i.job WHERE {}) AS outcome WHERE newest = 1",
            D::DIALECT.among("i.tried", 1)
        );
        let outcome = |row: &Row| {
            Ok(LastOutcome {
                version: VersionId::from_text(row.text(7)?),
                job: JobId::from_text(row.text(0)?),
                kind: kind(row, 1)?,
                release: row.json(2)?.map(|back: Back| back.release),
                undoes: row.bool(3)?,
                status: item_status(row, 4)?,
                detail: row.text(5)?,
                at: row.time(6)?,
            })
        };
        self.every(sql, params![ids], outcome).await
    }

    async fn failures_since(
        &self,
        organization: &OrganizationId,
        since: Timestamp,
        step: i64,
    ) -> Result<Vec<(i64, u64)>, StoreError> {
        let sql = "SELECT (i.finished_at - $2) / $3 AS slot, count(*) FROM job j JOIN job_item i ON i.job = j.id
            WHERE j.organization = $1 AND j.kind IS NULL AND j.worked_on_at >= $2 AND i.status = 'failed' AND i.finished_at >= $2
            GROUP BY slot ORDER BY slot";
        let params = params![organization.as_str(), since, step];
        self.every(sql, params, |row| Ok((row.int(0)?, row.size(1)?)))
            .await
    }

    async fn unchanged_items(&self, id: &JobId) -> Result<(u64, u64), StoreError> {
        // A lock of the service's own work has an end, because a job waits for that and does not
        // fail.
        let sql = "SELECT count(*), count(CASE WHEN w.lock NOT LIKE '%\"until\":%' THEN 1 END) FROM job_item i JOIN workspace w ON w.id = i.workspace
            WHERE i.job = $1 AND i.status = 'upgraded' AND i.version = w.head AND w.deleted_at IS NULL";
        let found = self
            .every(sql, params![id.as_str()], |row| {
                Ok((row.size(0)?, row.size(1)?))
            })
            .await?;
        Ok(found.into_iter().next().unwrap_or_default())
    }

    async fn plan_selection(&self, id: &JobId) -> Result<Option<Selection>, StoreError> {
        Ok(self
            .one(
                "SELECT selection FROM job WHERE id = $1",
                params![id.as_str()],
                |row| row.json(0),
            )
            .await?
            .flatten())
    }

    async fn plan_sums(&self, id: &JobId) -> Result<Option<String>, StoreError> {
        Ok(self
            .one(
                "SELECT sums FROM job WHERE id = $1",
                params![id.as_str()],
                |row| row.optional(0),
            )
            .await?
            .flatten())
    }

    async fn keep_plan_sums(
        &self,
        id: &JobId,
        finished_at: Timestamp,
        sums: &str,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE job SET sums = $2 WHERE id = $1 AND status = 'done' AND finished_at = $3";
        self.once(sql, params![id.as_str(), sums, finished_at])
            .await
            .map(drop)
    }

    async fn claim(
        &self,
        by: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<Claim>, StoreError> {
        // This look comes first and locks nothing, because mostly no job runs.
        if self
            .one(
                "SELECT 1 FROM job WHERE status = 'running' LIMIT 1",
                [],
                |_| Ok(()),
            )
            .await?
            .is_none()
        {
            return Ok(None);
        }
        let by = by.to_owned();
        Ok(self
            .work(Mode::Write, move |s| {
                Box::pin(async move { take(s, &by, now, until).await })
            })
            .await?)
    }

    async fn prolong(
        &self,
        claim: &Claim,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, StoreError> {
        let claim = claim.clone();
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move { end_claim(s, &claim, now, (until, Some(until))).await })
        });
        Ok(work.await?)
    }

    async fn put_off(
        &self,
        claim: &Claim,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, StoreError> {
        let claim = claim.clone();
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move { end_claim(s, &claim, now, (until, None)).await })
        });
        Ok(work.await?)
    }

    async fn finish(
        &self,
        claim: &Claim,
        item: &JobItem,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let (claim, item) = (claim.clone(), item.clone());
        Ok(self
            .work(Mode::Write, move |s| {
                Box::pin(async move { finish(s, &claim, &item, at).await })
            })
            .await?)
    }

    async fn stop_job(&self, id: &JobId, audit: AuditEntry) -> Result<bool, StoreError> {
        let sql = "UPDATE job SET status = 'stopped' WHERE id = $1 AND status = 'running'";
        self.changed(sql, params![id.as_str()], audit).await
    }

    async fn stop_job_of_requester(
        &self,
        job: &Job,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let before = job.clone();
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                let sql = "UPDATE job SET status = 'stopped'
                    WHERE id = $1 AND status = 'running' AND who = $2 AND token IS NOT DISTINCT FROM $3";
                let token = before.token.as_ref().map(TokenId::as_str);
                let theirs = params![before.id.as_str(), &before.who, token];
                if changed(s, sql, &theirs, &audit).await? {
                    return Ok(true);
                }
                // Another process may have stopped it for them.
                let now = self::job(s, before.id.as_str()).await?;
                Ok(now.is_none_or(|now| now.who == before.who && now.token == before.token))
            })
        });
        Ok(work.await?)
    }

    async fn resume_job(
        &self,
        id: &JobId,
        by: &Holder,
        token: Option<&TokenId>,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let token = token.map(TokenId::as_str);
        let resumed = params![id.as_str(), to_json(by)?, &audit.who, token];
        let id = params![id.as_str()];
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                let sql =
                    "UPDATE job SET status = 'running', finished_at = NULL, sums = NULL, requested_by = $2, who = $3, token = $4
                    WHERE id = $1 AND status <> 'running' AND EXISTS (SELECT 1 FROM job_item i WHERE i.job = job.id AND i.status IN ('waiting', 'failed'))";
                let is_resumed = changed(s, sql, &resumed, &audit).await?;
                // A job that runs keeps its failures, because it stops above a number of them.
                if is_resumed {
                    let failed =
                        "UPDATE job_item SET status = 'waiting', detail = '', tried = NULL, finished_at = NULL, claimed_until = 0
                        WHERE job = $1 AND status = 'failed'";
                    s.run(failed, &id).await?;
                }
                Ok(is_resumed)
            })
        });
        Ok(work.await?)
    }
}
