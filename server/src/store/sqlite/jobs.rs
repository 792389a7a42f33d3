//! Jobs and their workspaces.

use async_trait::async_trait;
use rusqlite::{OptionalExtension as _, Row, Transaction};

use super::connections::Fault;
use super::rows::{self, to_json, wrong};
use super::{Sqlite, history};
use crate::model::{
    AuditEntry, Back, ItemStatus, Job, JobCounts, JobId, JobItem, JobKind, JobStatus, LastOutcome, NewItem, OrganizationId,
    Timestamp, VersionId, WorkspaceId,
};
use crate::store::{Claim, Jobs, Listed, Page, StoreError};

type Done<T> = Result<T, Fault>;

const JOB: &str = "id, organization, requested_by, who, concurrency, stop_at_failure, status, created_at, finished_at, back, worked_on_at, undoes, max_failures, kind, applies";

fn job_row(row: &Row<'_>) -> rusqlite::Result<Job> {
    let (requested_by, status): (String, String) = (row.get(2)?, row.get(6)?);
    let kind: Option<String> = row.get(13)?;
    Ok(Job {
        id: JobId::from_text(row.get::<_, String>(0)?),
        organization: OrganizationId::from_text(row.get::<_, String>(1)?),
        requested_by: serde_json::from_str(&requested_by).map_err(|error| wrong(2, error))?,
        who: row.get(3)?,
        concurrency: row.get(4)?,
        stop_at_failure: row.get(5)?,
        status: JobStatus::named(&status).ok_or_else(|| wrong(6, format!("unknown status {status:?}")))?,
        created_at: rows::time(row, 7)?,
        finished_at: row.get::<_, Option<i64>>(8)?.map(Timestamp::from_millis),
        back: rows::json(row, 9)?,
        worked_on_at: row.get::<_, Option<i64>>(10)?.map(Timestamp::from_millis),
        undoes: row.get::<_, Option<String>>(11)?.map(JobId::from_text),
        max_failures: row.get::<_, Option<u32>>(12)?.unwrap_or_default(),
        kind: JobKind::named(kind.as_deref()).ok_or_else(|| wrong(13, format!("unknown kind {kind:?}")))?,
        applies: row.get::<_, Option<String>>(14)?.map(JobId::from_text),
    })
}

fn item_status(row: &Row<'_>, column: usize) -> rusqlite::Result<ItemStatus> {
    let name: String = row.get(column)?;
    ItemStatus::named(&name).ok_or_else(|| wrong(column, format!("unknown status {name:?}")))
}

fn job(t: &Transaction<'_>, id: &str) -> Done<Option<Job>> {
    Ok(t.prepare_cached(&format!("SELECT {JOB} FROM job WHERE id = ?1"))?.query_row([id], job_row).optional()?)
}

fn counts(t: &Transaction<'_>, id: &JobId) -> Done<JobCounts> {
    let mut statement = t.prepare_cached("SELECT status, count(*) FROM job_item WHERE job = ?1 GROUP BY status")?;
    let found = statement.query_map([id.as_str()], |row| Ok((item_status(row, 0)?, row.get(1)?)))?;
    Ok(JobCounts::of(found.collect::<Result<Vec<_>, _>>()?))
}

/// Notes that a server works on a job.
fn working(t: &Transaction<'_>, id: &str, at: Timestamp) -> Done<()> {
    t.prepare_cached("UPDATE job SET worked_on_at = ?2 WHERE id = ?1")?.execute((id, at.as_millis()))?;
    Ok(())
}

/// Ends the jobs that nothing waits for.
fn end(t: &Transaction<'_>, at: Timestamp) -> Done<()> {
    t.prepare_cached(
        "UPDATE job SET status = 'done', finished_at = ?1 WHERE status = 'running'
            AND NOT EXISTS (SELECT 1 FROM job_item i WHERE i.job = job.id AND i.status = 'waiting')",
    )?
    .execute([at.as_millis()])?;
    Ok(())
}

#[async_trait]
impl Jobs for Sqlite {
    async fn add_job(&self, job: &Job, items: &[NewItem], audit: AuditEntry) -> Result<(), StoreError> {
        let (job, items) = (job.clone(), items.to_vec());
        self.write(move |t| {
            let sql = format!("INSERT INTO job ({JOB}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)");
            t.prepare_cached(&sql)?.execute((
                job.id.as_str(),
                job.organization.as_str(),
                to_json(&job.requested_by)?,
                &job.who,
                job.concurrency,
                job.stop_at_failure,
                job.status.name(),
                job.created_at.as_millis(),
                job.finished_at.map(Timestamp::as_millis),
                job.back.as_ref().map(to_json).transpose()?,
                job.worked_on_at.map(Timestamp::as_millis),
                job.undoes.as_ref().map(JobId::as_str),
                job.max_failures,
                job.kind.name(),
                job.applies.as_ref().map(JobId::as_str),
            ))?;
            let mut item = t.prepare_cached(
                "INSERT INTO job_item (job, workspace, status, detail, claimed_by, claimed_until, expected) VALUES (?1, ?2, 'waiting', '', '', 0, ?3)",
            )?;
            for NewItem { workspace, expected } in &items {
                item.execute((job.id.as_str(), workspace.as_str(), expected.as_ref().map(VersionId::as_str)))?;
            }
            history::record(t, &audit)
        })
        .await
    }

    async fn job(&self, id: &JobId) -> Result<Option<(Job, JobCounts)>, StoreError> {
        let id = id.clone();
        self.read(move |t| job(t, id.as_str())?.map(|job| Ok((job, counts(t, &id)?))).transpose()).await
    }

    async fn jobs(&self, organization: &OrganizationId, page: Page) -> Result<Listed<(Job, JobCounts)>, StoreError> {
        let organization = organization.clone();
        self.read(move |t| {
            let total = t
                .prepare_cached("SELECT count(*) FROM job WHERE organization = ?1")?
                .query_row([organization.as_str()], |row| row.get(0))?;
            let sql = format!("SELECT {JOB} FROM job WHERE organization = ?1 ORDER BY created_at DESC, id LIMIT ?2 OFFSET ?3");
            let mut statement = t.prepare_cached(&sql)?;
            let offset = i64::try_from(page.offset()).unwrap_or(i64::MAX);
            let found = statement.query_map((organization.as_str(), page.size, offset), job_row)?;
            let jobs: Vec<Job> = found.collect::<Result<_, _>>()?;
            let items =
                jobs.into_iter().map(|job| Ok((counts(t, &job.id)?, job))).map(|one: Done<_>| one.map(|(c, job)| (job, c)));
            Ok(Listed { items: items.collect::<Done<_>>()?, total })
        })
        .await
    }

    async fn job_items(&self, id: &JobId, statuses: &[ItemStatus], page: Page) -> Result<Listed<JobItem>, StoreError> {
        let (id, statuses) = (id.clone(), statuses.to_vec());
        self.read(move |t| {
            let mut which = "FROM job_item WHERE job = ?1".to_owned();
            if !statuses.is_empty() {
                let names: Vec<String> = statuses.iter().map(|status| format!("'{}'", status.name())).collect();
                which = format!("{which} AND status IN ({})", names.join(", "));
            }
            let total = t.prepare_cached(&format!("SELECT count(*) {which}"))?.query_row([id.as_str()], |row| row.get(0))?;
            let sql = format!(
                "SELECT workspace, status, version, detail, planned, tried {which} ORDER BY status <> 'failed', workspace LIMIT ?2 OFFSET ?3"
            );
            let mut statement = t.prepare_cached(&sql)?;
            let offset = i64::try_from(page.offset()).unwrap_or(i64::MAX);
            let found = statement.query_map((id.as_str(), page.size, offset), |row| {
                Ok(JobItem {
                    workspace: WorkspaceId::from_text(row.get::<_, String>(0)?),
                    status: item_status(row, 1)?,
                    version: row.get::<_, Option<String>>(2)?.map(VersionId::from_text),
                    detail: row.get(3)?,
                    planned: row.get(4)?,
                    tried: row.get::<_, Option<String>>(5)?.map(VersionId::from_text),
                })
            })?;
            Ok(Listed { items: found.collect::<Result<_, _>>()?, total })
        })
        .await
    }

    async fn last_outcomes(&self, versions: &[VersionId]) -> Result<Vec<LastOutcome>, StoreError> {
        let versions = versions.to_vec();
        self.read(move |t| {
            let mut statement = t.prepare_cached(
                "SELECT i.job, j.kind, j.back, j.undoes IS NOT NULL, i.status, i.detail, coalesce(i.finished_at, j.created_at)
                    FROM job_item i JOIN job j ON j.id = i.job WHERE i.tried = ?1 ORDER BY i.finished_at DESC, j.created_at DESC LIMIT 1",
            )?;
            let mut found = Vec::new();
            for version in versions {
                let id = version.as_str().to_owned();
                let outcome = statement.query_row([id], |row| {
                    let kind: Option<String> = row.get(1)?;
                    let back: Option<Back> = rows::json(row, 2)?;
                    Ok(LastOutcome {
                        version,
                        job: JobId::from_text(row.get::<_, String>(0)?),
                        kind: JobKind::named(kind.as_deref()).ok_or_else(|| wrong(1, format!("unknown kind {kind:?}")))?,
                        release: back.map(|back| back.release),
                        undoes: row.get(3)?,
                        status: item_status(row, 4)?,
                        detail: row.get(5)?,
                        at: rows::time(row, 6)?,
                    })
                });
                found.extend(outcome.optional()?);
            }
            Ok(found)
        })
        .await
    }

    async fn failures_since(
        &self,
        organization: &OrganizationId,
        since: Timestamp,
        step: i64,
    ) -> Result<Vec<(i64, u64)>, StoreError> {
        let organization = organization.clone();
        self.read(move |t| {
            let mut statement = t.prepare_cached(
                "SELECT (i.finished_at - ?2) / ?3 AS slot, count(*) FROM job j JOIN job_item i ON i.job = j.id
                    WHERE j.organization = ?1 AND j.kind IS NULL AND j.worked_on_at >= ?2 AND i.status = 'failed' AND i.finished_at >= ?2
                    GROUP BY slot ORDER BY slot",
            )?;
            let found = statement.query_map((organization.as_str(), since.as_millis(), step), |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn unchanged_items(&self, id: &JobId) -> Result<u64, StoreError> {
        let id = id.clone();
        self.read(move |t| {
            let sql = "SELECT count(*) FROM job_item i JOIN workspace w ON w.id = i.workspace
                WHERE i.job = ?1 AND i.status = 'upgraded' AND i.version = w.head AND w.deleted_at IS NULL";
            Ok(t.prepare_cached(sql)?.query_row([id.as_str()], |row| row.get(0))?)
        })
        .await
    }

    async fn plan_sums(&self, id: &JobId) -> Result<Option<String>, StoreError> {
        let id = id.clone();
        self.read(move |t| {
            let mut statement = t.prepare_cached("SELECT sums FROM job WHERE id = ?1")?;
            Ok(statement.query_row([id.as_str()], |row| row.get::<_, Option<String>>(0)).optional()?.flatten())
        })
        .await
    }

    async fn keep_plan_sums(&self, id: &JobId, finished_at: Timestamp, sums: &str) -> Result<(), StoreError> {
        let (id, sums) = (id.clone(), sums.to_owned());
        self.write(move |t| {
            t.prepare_cached("UPDATE job SET sums = ?2 WHERE id = ?1 AND status = 'done' AND finished_at = ?3")?.execute((
                id.as_str(),
                sums,
                finished_at.as_millis(),
            ))?;
            Ok(())
        })
        .await
    }

    async fn claim(&self, by: &str, now: Timestamp, until: Timestamp) -> Result<Option<Claim>, StoreError> {
        // Mostly there is nothing to do, and then nothing is written.
        let idle = self.read(|t| {
            Ok(!t.query_row("SELECT EXISTS (SELECT 1 FROM job WHERE status = 'running')", (), |row| row.get::<_, bool>(0))?)
        });
        if idle.await? {
            return Ok(None);
        }
        let by = by.to_owned();
        self.write(move |t| {
            let found: Option<(String, String, Option<String>)> = t
                .prepare_cached(
                    "SELECT j.id, i.workspace, i.expected FROM job j JOIN job_item i ON i.job = j.id
                        WHERE j.status = 'running' AND i.status = 'waiting' AND i.claimed_until <= ?1 AND j.concurrency >
                            (SELECT count(*) FROM job_item a WHERE a.job = j.id AND a.status = 'waiting' AND a.claimed_until > ?1)
                        ORDER BY j.created_at, j.id LIMIT 1",
                )?
                .query_row([now.as_millis()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            let Some((id, workspace, expected)) = found else {
                end(t, now)?;
                return Ok(None);
            };
            t.prepare_cached("UPDATE job_item SET claimed_by = ?3, claimed_until = ?4 WHERE job = ?1 AND workspace = ?2")?
                .execute((&id, &workspace, &by, until.as_millis()))?;
            working(t, &id, now)?;
            let job = job(t, &id)?.ok_or_else(|| StoreError::new("the job of a workspace is missing"))?;
            let (workspace, expected) = (WorkspaceId::from_text(workspace), expected.map(VersionId::from_text));
            Ok(Some(Claim { job, workspace, expected, by }))
        })
        .await
    }

    async fn prolong(&self, claim: &Claim, now: Timestamp, until: Timestamp) -> Result<bool, StoreError> {
        let claim = claim.clone();
        self.write(move |t| {
            let mut statement = t.prepare_cached(
                "UPDATE job_item SET claimed_until = ?4 WHERE job = ?1 AND workspace = ?2 AND claimed_by = ?3 AND status = 'waiting'",
            )?;
            let is_ours = statement.execute((claim.job.id.as_str(), claim.workspace.as_str(), &claim.by, until.as_millis()))? > 0;
            if is_ours {
                working(t, claim.job.id.as_str(), now)?;
            }
            Ok(is_ours)
        })
        .await
    }

    async fn finish(&self, claim: &Claim, item: &JobItem, at: Timestamp) -> Result<bool, StoreError> {
        let (claim, item) = (claim.clone(), item.clone());
        self.write(move |t| {
            let id = claim.job.id.as_str();
            let written = t
                .prepare_cached(
                    "UPDATE job_item SET status = ?4, version = ?5, detail = ?6, planned = ?7, tried = ?8, finished_at = ?9, claimed_until = 0
                        WHERE job = ?1 AND workspace = ?2 AND claimed_by = ?3 AND status = 'waiting'",
                )?
                .execute((
                    id,
                    claim.workspace.as_str(),
                    &claim.by,
                    item.status.name(),
                    item.version.as_ref().map(VersionId::as_str),
                    &item.detail,
                    &item.planned,
                    item.tried.as_ref().map(VersionId::as_str),
                    at.as_millis(),
                ))?;
            if claim.job.stop_at_failure && item.status == ItemStatus::Failed {
                t.prepare_cached(
                    "UPDATE job SET status = 'stopped' WHERE id = ?1 AND status = 'running'
                        AND (SELECT count(*) FROM job_item i WHERE i.job = ?1 AND i.status = 'failed') > coalesce(max_failures, 0)",
                )?
                .execute([id])?;
            }
            working(t, id, at)?;
            end(t, at)?;
            Ok(written > 0)
        })
        .await
    }

    async fn stop_job(&self, id: &JobId, audit: AuditEntry) -> Result<bool, StoreError> {
        let id = id.clone();
        self.write(move |t| {
            let stopped = t.execute("UPDATE job SET status = 'stopped' WHERE id = ?1 AND status = 'running'", [id.as_str()])? > 0;
            if stopped {
                history::record(t, &audit)?;
            }
            Ok(stopped)
        })
        .await
    }

    async fn resume_job(&self, id: &JobId, audit: AuditEntry) -> Result<bool, StoreError> {
        let id = id.clone();
        self.write(move |t| {
            let failed =
                "UPDATE job_item SET status = 'waiting', detail = '', tried = NULL, finished_at = NULL, claimed_until = 0 WHERE job = ?1 AND status = 'failed'";
            t.execute(failed, [id.as_str()])?;
            let resumed = t.execute(
                "UPDATE job SET status = 'running', finished_at = NULL, sums = NULL WHERE id = ?1 AND status <> 'running'
                    AND EXISTS (SELECT 1 FROM job_item i WHERE i.job = job.id AND i.status = 'waiting')",
                [id.as_str()],
            )? > 0;
            if resumed {
                history::record(t, &audit)?;
            }
            Ok(resumed)
        })
        .await
    }
}
