//! Jobs and their workspaces.

use async_trait::async_trait;
use deadpool_postgres::{GenericClient, Transaction};
use tokio_postgres::Row;

use super::pool::{begin, done, moment};
use super::sql::{Done, Text, Values, all, count, int, json, maybe, optional, run, size, text, time, to_json, wrong};
use super::{Postgres, history};
use crate::model::{
    AuditEntry, Back, ItemStatus, Job, JobCounts, JobId, JobItem, JobKind, JobStatus, LastOutcome, NewItem, OrganizationId,
    Timestamp, VersionId, WorkspaceId,
};
use crate::store::{Claim, Jobs, Listed, Page, StoreError};

const JOB: &str = "id, organization, requested_by, who, concurrency, stop_at_failure, status, created_at, finished_at, back, worked_on_at, undoes, max_failures, kind, applies";

fn job_row(row: &Row) -> Done<Job> {
    let (status, kind) = (text(row, 6)?, optional(row, 13)?);
    Ok(Job {
        id: JobId::from_text(text(row, 0)?),
        organization: OrganizationId::from_text(text(row, 1)?),
        requested_by: json(row, 2)?.ok_or_else(|| wrong(2, "a job of nobody"))?,
        who: text(row, 3)?,
        concurrency: u32::try_from(row.try_get::<_, i64>(4)?).map_err(|error| wrong(4, error))?,
        stop_at_failure: row.try_get(5)?,
        status: JobStatus::named(&status).ok_or_else(|| wrong(6, format!("unknown status {status:?}")))?,
        created_at: time(row, 7)?,
        finished_at: row.try_get::<_, Option<i64>>(8)?.map(Timestamp::from_millis),
        back: json(row, 9)?,
        worked_on_at: row.try_get::<_, Option<i64>>(10)?.map(Timestamp::from_millis),
        undoes: optional(row, 11)?.map(JobId::from_text),
        kind: JobKind::named(kind.as_deref()).ok_or_else(|| wrong(13, format!("unknown kind {kind:?}")))?,
        applies: optional(row, 14)?.map(JobId::from_text),
        max_failures: u32::try_from(row.try_get::<_, Option<i64>>(12)?.unwrap_or_default()).map_err(|error| wrong(12, error))?,
    })
}

fn item_status(row: &Row, column: usize) -> Done<ItemStatus> {
    let name = text(row, column)?;
    ItemStatus::named(&name).ok_or_else(|| wrong(column, format!("unknown status {name:?}")))
}

async fn job(client: &impl GenericClient, id: &str) -> Done<Option<Job>> {
    let sql = format!("SELECT {JOB} FROM job WHERE id = $1");
    maybe(client, &sql, &[&Text(id)]).await?.as_ref().map(job_row).transpose()
}

async fn counts(client: &impl GenericClient, id: &JobId) -> Done<JobCounts> {
    let sql = "SELECT status, count(*) FROM job_item WHERE job = $1 GROUP BY status";
    let found = all(client, sql, &[&Text(id.as_str())]).await?;
    let counted: Vec<(ItemStatus, u64)> =
        found.iter().map(|row| Ok((item_status(row, 0)?, size(row, 1)?))).collect::<Done<_>>()?;
    Ok(JobCounts::of(counted))
}

/// Notes that a server works on a job.
async fn working(client: &impl GenericClient, id: &str, at: Timestamp) -> Done<()> {
    run(client, "UPDATE job SET worked_on_at = $2 WHERE id = $1", &[&Text(id), &at.as_millis()]).await.map(drop)
}

/// Ends the jobs that nothing waits for.
async fn end(t: &Transaction<'_>, at: Timestamp) -> Done<()> {
    let sql = "UPDATE job SET status = 'done', finished_at = $1 WHERE status = 'running'
        AND NOT EXISTS (SELECT 1 FROM job_item i WHERE i.job = job.id AND i.status = 'waiting')";
    run(t, sql, &[&at.as_millis()]).await.map(drop)
}

/// One process at a time looks for work, or ends some: who counts what others do must not be overtaken.
async fn alone(t: &Transaction<'_>) -> Done<()> {
    maybe(t, "SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await.map(drop)
}

/// The key of the lock that [`alone`] takes.
const LOCK: i64 = 0x7570_7374_6174_6501;

#[async_trait]
impl Jobs for Postgres {
    async fn add_job(&self, job: &Job, items: &[NewItem], audit: AuditEntry) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let sql = format!("INSERT INTO job ({JOB}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)");
        let requested_by = to_json(&job.requested_by)?;
        let back = job.back.as_ref().map(to_json).transpose()?;
        let values: Values<'_> = &[
            &Text(job.id.as_str()),
            &Text(job.organization.as_str()),
            &Text(&requested_by),
            &Text(&job.who),
            &i64::from(job.concurrency),
            &job.stop_at_failure,
            &Text(job.status.name()),
            &job.created_at.as_millis(),
            &job.finished_at.map(Timestamp::as_millis),
            &back.as_deref().map(Text),
            &job.worked_on_at.map(Timestamp::as_millis),
            &job.undoes.as_ref().map(|id| Text(id.as_str())),
            &i64::from(job.max_failures),
            &job.kind.name().map(Text),
            &job.applies.as_ref().map(|id| Text(id.as_str())),
        ];
        run(&t, &sql, values).await?;
        let ids: Vec<&str> = items.iter().map(|item| item.workspace.as_str()).collect();
        let expected: Vec<Option<&str>> = items.iter().map(|item| item.expected.as_ref().map(VersionId::as_str)).collect();
        let sql = "INSERT INTO job_item (job, workspace, status, detail, claimed_by, claimed_until, expected)
            SELECT $1, id, 'waiting', '', '', 0, expected FROM unnest($2::text[], $3::text[]) AS one (id, expected)";
        run(&t, sql, &[&Text(job.id.as_str()), &ids, &expected]).await?;
        history::record(&t, &audit).await?;
        done(t).await
    }

    async fn job(&self, id: &JobId) -> Result<Option<(Job, JobCounts)>, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        match job(&t, id.as_str()).await? {
            Some(job) => Ok(Some((job, counts(&t, id).await?))),
            None => Ok(None),
        }
    }

    async fn jobs(&self, organization: &OrganizationId, page: Page) -> Result<Listed<(Job, JobCounts)>, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        let organization = Text(organization.as_str());
        let total = count(&t, "SELECT count(*) FROM job WHERE organization = $1", &[&organization]).await?;
        let sql = format!("SELECT {JOB} FROM job WHERE organization = $1 ORDER BY created_at DESC, id LIMIT $2 OFFSET $3");
        let mut items = Vec::new();
        for row in all(&t, &sql, &[&organization, &int(page.size), &int(page.offset())]).await? {
            let job = job_row(&row)?;
            let counts = counts(&t, &job.id).await?;
            items.push((job, counts));
        }
        Ok(Listed { items, total })
    }

    async fn job_items(&self, id: &JobId, statuses: &[ItemStatus], page: Page) -> Result<Listed<JobItem>, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        let mut which = "FROM job_item WHERE job = $1".to_owned();
        if !statuses.is_empty() {
            let names: Vec<String> = statuses.iter().map(|status| format!("'{}'", status.name())).collect();
            which = format!("{which} AND status IN ({})", names.join(", "));
        }
        let id = Text(id.as_str());
        let total = count(&t, &format!("SELECT count(*) {which}"), &[&id]).await?;
        let sql = format!(
            "SELECT workspace, status, version, detail, planned, tried {which} ORDER BY status <> 'failed', workspace LIMIT $2 OFFSET $3"
        );
        let found = all(&t, &sql, &[&id, &int(page.size), &int(page.offset())]).await?;
        let items = found.iter().map(|row| {
            Ok(JobItem {
                workspace: WorkspaceId::from_text(text(row, 0)?),
                status: item_status(row, 1)?,
                version: optional(row, 2)?.map(VersionId::from_text),
                detail: text(row, 3)?,
                planned: optional(row, 4)?,
                tried: optional(row, 5)?.map(VersionId::from_text),
            })
        });
        Ok(Listed { items: items.collect::<Done<_>>()?, total })
    }

    async fn last_outcomes(&self, versions: &[VersionId]) -> Result<Vec<LastOutcome>, StoreError> {
        let ids: Vec<&str> = versions.iter().map(VersionId::as_str).collect();
        let sql = "SELECT DISTINCT ON (i.tried) i.job, j.kind, j.back, j.undoes IS NOT NULL, i.status, i.detail,
                coalesce(i.finished_at, j.created_at), i.tried
            FROM job_item i JOIN job j ON j.id = i.job WHERE i.tried = ANY ($1::text[])
            ORDER BY i.tried, i.finished_at DESC NULLS LAST, j.created_at DESC";
        let found = all(&self.client().await?, sql, &[&ids]).await?;
        let outcomes = found.iter().map(|row| {
            let kind = optional(row, 1)?;
            let back: Option<Back> = json(row, 2)?;
            Ok(LastOutcome {
                version: VersionId::from_text(text(row, 7)?),
                job: JobId::from_text(text(row, 0)?),
                kind: JobKind::named(kind.as_deref()).ok_or_else(|| wrong(1, format!("unknown kind {kind:?}")))?,
                release: back.map(|back| back.release),
                undoes: row.try_get(3)?,
                status: item_status(row, 4)?,
                detail: text(row, 5)?,
                at: time(row, 6)?,
            })
        });
        Ok(outcomes.collect::<Done<_>>()?)
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
        let values: Values<'_> = &[&Text(organization.as_str()), &since.as_millis(), &step];
        let found = all(&self.client().await?, sql, values).await?;
        let counts = found.iter().map(|row| Ok((row.try_get(0)?, size(row, 1)?)));
        Ok(counts.collect::<Done<_>>()?)
    }

    async fn unchanged_items(&self, id: &JobId) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM job_item i JOIN workspace w ON w.id = i.workspace
            WHERE i.job = $1 AND i.status = 'upgraded' AND i.version = w.head AND w.deleted_at IS NULL";
        let client = self.client().await?;
        Ok(count(&client, sql, &[&Text(id.as_str())]).await?)
    }

    async fn plan_sums(&self, id: &JobId) -> Result<Option<String>, StoreError> {
        let client = self.client().await?;
        let row = maybe(&client, "SELECT sums FROM job WHERE id = $1", &[&Text(id.as_str())]).await?;
        Ok(row.map(|row| optional(&row, 0)).transpose()?.flatten())
    }

    async fn keep_plan_sums(&self, id: &JobId, finished_at: Timestamp, sums: &str) -> Result<(), StoreError> {
        let client = self.client().await?;
        let sql = "UPDATE job SET sums = $2 WHERE id = $1 AND status = 'done' AND finished_at = $3";
        run(&client, sql, &[&Text(id.as_str()), &Text(sums), &finished_at.as_millis()]).await?;
        Ok(())
    }

    async fn claim(&self, by: &str, now: Timestamp, until: Timestamp) -> Result<Option<Claim>, StoreError> {
        let mut client = self.client().await?;
        // Mostly there is nothing to do, and then nothing is locked.
        if maybe(&client, "SELECT 1 FROM job WHERE status = 'running' LIMIT 1", &[]).await?.is_none() {
            return Ok(None);
        }
        let t = begin(&mut client).await?;
        alone(&t).await?;
        let sql = "SELECT j.id, i.workspace, i.expected FROM job j JOIN job_item i ON i.job = j.id
            WHERE j.status = 'running' AND i.status = 'waiting' AND i.claimed_until <= $1 AND j.concurrency >
                (SELECT count(*) FROM job_item a WHERE a.job = j.id AND a.status = 'waiting' AND a.claimed_until > $1)
            ORDER BY j.created_at, j.id LIMIT 1";
        let Some(row) = maybe(&t, sql, &[&now.as_millis()]).await? else {
            end(&t, now).await?;
            done(t).await?;
            return Ok(None);
        };
        let (id, workspace, expected) = (text(&row, 0)?, text(&row, 1)?, optional(&row, 2)?.map(VersionId::from_text));
        let sql = "UPDATE job_item SET claimed_by = $3, claimed_until = $4 WHERE job = $1 AND workspace = $2";
        run(&t, sql, &[&Text(&id), &Text(&workspace), &Text(by), &until.as_millis()]).await?;
        working(&t, &id, now).await?;
        let job = job(&t, &id).await?.ok_or_else(|| StoreError::new("the job of a workspace is missing"))?;
        done(t).await?;
        Ok(Some(Claim { job, workspace: WorkspaceId::from_text(workspace), expected, by: by.to_owned() }))
    }

    async fn prolong(&self, claim: &Claim, now: Timestamp, until: Timestamp) -> Result<bool, StoreError> {
        let sql = "UPDATE job_item SET claimed_until = $4
            WHERE job = $1 AND workspace = $2 AND claimed_by = $3 AND status = 'waiting'";
        let values: Values<'_> =
            &[&Text(claim.job.id.as_str()), &Text(claim.workspace.as_str()), &Text(&claim.by), &until.as_millis()];
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let is_ours = run(&t, sql, values).await? > 0;
        if is_ours {
            working(&t, claim.job.id.as_str(), now).await?;
        }
        done(t).await?;
        Ok(is_ours)
    }

    async fn finish(&self, claim: &Claim, item: &JobItem, at: Timestamp) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        alone(&t).await?;
        let id = Text(claim.job.id.as_str());
        let sql = "UPDATE job_item SET status = $4, version = $5, detail = $6, planned = $7, tried = $8, finished_at = $9, claimed_until = 0
            WHERE job = $1 AND workspace = $2 AND claimed_by = $3 AND status = 'waiting'";
        let version = item.version.as_ref().map(|version| Text(version.as_str()));
        let planned = item.planned.as_deref().map(Text);
        let tried = item.tried.as_ref().map(|version| Text(version.as_str()));
        let values: Values<'_> = &[
            &id,
            &Text(claim.workspace.as_str()),
            &Text(&claim.by),
            &Text(item.status.name()),
            &version,
            &Text(&item.detail),
            &planned,
            &tried,
            &at.as_millis(),
        ];
        let written = run(&t, sql, values).await? > 0;
        if claim.job.stop_at_failure && item.status == ItemStatus::Failed {
            let sql = "UPDATE job SET status = 'stopped' WHERE id = $1 AND status = 'running'
                AND (SELECT count(*) FROM job_item i WHERE i.job = $1 AND i.status = 'failed') > coalesce(max_failures, 0)";
            run(&t, sql, &[&id]).await?;
        }
        working(&t, claim.job.id.as_str(), at).await?;
        end(&t, at).await?;
        done(t).await?;
        Ok(written)
    }

    async fn stop_job(&self, id: &JobId, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let sql = "UPDATE job SET status = 'stopped' WHERE id = $1 AND status = 'running'";
        let stopped = run(&t, sql, &[&Text(id.as_str())]).await? > 0;
        if stopped {
            history::record(&t, &audit).await?;
        }
        done(t).await?;
        Ok(stopped)
    }

    async fn resume_job(&self, id: &JobId, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let id = Text(id.as_str());
        let failed = "UPDATE job_item SET status = 'waiting', detail = '', tried = NULL, finished_at = NULL, claimed_until = 0 WHERE job = $1 AND status = 'failed'";
        run(&t, failed, &[&id]).await?;
        let sql = "UPDATE job SET status = 'running', finished_at = NULL, sums = NULL WHERE id = $1 AND status <> 'running'
            AND EXISTS (SELECT 1 FROM job_item i WHERE i.job = job.id AND i.status = 'waiting')";
        let resumed = run(&t, sql, &[&id]).await? > 0;
        if resumed {
            history::record(&t, &audit).await?;
        }
        done(t).await?;
        Ok(resumed)
    }
}
