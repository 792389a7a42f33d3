//! The audit log.

use std::borrow::Cow;
use std::fmt::Write as _;

use async_trait::async_trait;

use super::error::StoreError;
use super::page::{Listed, Page};
use super::session::{Database, Done, Mode, Param, Row, Session, params, wrong};
use crate::model::{Activity, AuditEntry, AuditFilter, OrganizationId, Timestamp, WorkspaceId};

/// The lines that say who did what.
#[async_trait]
pub trait AuditLog {
    /// Lines of the audit log, the newest first.
    async fn audit(
        &self,
        filter: &AuditFilter,
        page: Page,
    ) -> Result<Listed<AuditEntry>, StoreError>;
    /// Lines of the audit log with their numbers, those above `after`, the oldest first. No line
    /// comes later below one that was given.
    async fn audit_after(
        &self,
        organization: Option<&OrganizationId>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<(i64, AuditEntry)>, StoreError>;
    /// The newest lines of an organization, at most `most`, counted by action and step of so many
    /// milliseconds since a moment.
    async fn activity(
        &self,
        organization: &OrganizationId,
        since: Timestamp,
        step: i64,
        most: u32,
    ) -> Result<Activity, StoreError>;
    /// Removes lines of the audit log from before `than`, none above the number `up_to`, and writes
    /// this one if there were any; their number.
    async fn trim_audit(
        &self,
        than: Timestamp,
        up_to: Option<i64>,
        audit: AuditEntry,
    ) -> Result<u64, StoreError>;
    /// Adds a line to the audit log that belongs to no change. It outlives the process at once, and
    /// a power failure soon after: readers need not wait for the disk.
    async fn record(&self, audit: AuditEntry) -> Result<(), StoreError>;
}

const LINE: &str = "at, who, action, organization, workspace, subject, detail";

fn line(row: &Row) -> Done<AuditEntry> {
    Ok(AuditEntry {
        at: row.time(0)?,
        who: row.text(1)?,
        action: Cow::Owned(row.text(2)?),
        organization: row.optional(3)?.map(OrganizationId::from_text),
        workspace: row.optional(4)?.map(WorkspaceId::from_text),
        subject: row.text(5)?,
        detail: row.text(6)?,
    })
}

/// Writes a line; its number.
pub(super) async fn record(s: &mut dyn Session, entry: &AuditEntry) -> Done<i64> {
    let sql =
        format!("INSERT INTO audit ({LINE}) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING seq");
    let params = params![
        entry.at,
        &entry.who,
        &*entry.action,
        entry.organization.as_ref().map(OrganizationId::as_str),
        entry.workspace.as_ref().map(WorkspaceId::as_str),
        &entry.subject,
        &entry.detail,
    ];
    s.maybe(&sql, &params)
        .await?
        .ok_or_else(|| wrong(0, "a line of the audit log has no number"))?
        .int(0)
}

/// Runs a statement, and writes a line if it changed something; whether it did.
pub(super) async fn changed(
    s: &mut dyn Session,
    sql: &str,
    params: &[Param],
    audit: &AuditEntry,
) -> Done<bool> {
    let changed = s.run(sql, params).await? > 0;
    if changed {
        record(s, audit).await?;
    }
    Ok(changed)
}

/// Statements with their line in the audit log.
pub(super) trait Recorded: Database {
    /// Runs a statement, and writes a line if it changed something; whether it did.
    fn changed<const N: usize>(
        &self,
        sql: &'static str,
        params: [Param; N],
        audit: AuditEntry,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send {
        async move {
            let work = self.work(Mode::Write, move |s| {
                Box::pin(async move { changed(s, sql, &params, &audit).await })
            });
            Ok(work.await?)
        }
    }

    /// Runs a statement, and writes a line.
    fn recorded<const N: usize>(
        &self,
        sql: &'static str,
        params: [Param; N],
        audit: AuditEntry,
    ) -> impl Future<Output = Result<(), StoreError>> + Send {
        async move {
            let work = self.work(Mode::Write, move |s| {
                Box::pin(async move {
                    s.run(sql, &params).await?;
                    record(s, &audit).await.map(drop)
                })
            });
            Ok(work.await?)
        }
    }
}

impl<D: Database> Recorded for D {}

#[async_trait]
impl<D: Database> AuditLog for D {
    async fn audit(
        &self,
        filter: &AuditFilter,
        page: Page,
    ) -> Result<Listed<AuditEntry>, StoreError> {
        // Only what is asked for is in the statement: else no index fits it.
        let (mut which, mut params) = ("FROM audit WHERE true".to_owned(), Vec::new());
        let mut next = |text: &str| {
            params.push(Param::from(text));
            format!("${}", params.len())
        };
        if let Some(organization) = &filter.organization {
            let _ = write!(which, " AND organization = {}", next(organization.as_str()));
        }
        if let Some(workspace) = &filter.workspace {
            let _ = write!(which, " AND workspace = {}", next(workspace.as_str()));
        }
        if let Some(action) = &filter.action {
            let action = next(action);
            let begins = D::DIALECT.place(&format!("CAST({action} AS TEXT) || '.'"), "action");
            let _ = write!(which, " AND (action = {action} OR {begins} = 1)");
        }
        if let Some(actor) = &filter.actor {
            let (actor, who) = (D::DIALECT.lower(&next(actor)), D::DIALECT.lower("who"));
            let _ = write!(which, " AND {} > 0", D::DIALECT.place(&actor, &who));
        }
        if filter.without_jobs {
            let _ = write!(
                which,
                " AND {} = 0",
                D::DIALECT.place(&next(AuditEntry::BY_A_JOB), "who")
            );
        }
        Ok(self
            .work(Mode::Read, move |s| {
                Box::pin(
                    async move { s.listed(LINE, &which, "seq DESC", params, page, line).await },
                )
            })
            .await?)
    }

    async fn audit_after(
        &self,
        organization: Option<&OrganizationId>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<(i64, AuditEntry)>, StoreError> {
        let of = if organization.is_some() {
            "organization = $3 AND"
        } else {
            ""
        };
        let sql =
            format!("SELECT {LINE}, seq FROM audit WHERE {of} seq > $1 ORDER BY seq LIMIT $2");
        let mut params = params![after, limit].to_vec();
        params.extend(organization.map(|organization| Param::from(organization.as_str())));
        let work = self.work(Mode::ReadAudit, move |s| {
            Box::pin(async move {
                s.all(&sql, &params)
                    .await?
                    .iter()
                    .map(|row| Ok((row.int(7)?, line(row)?)))
                    .collect()
            })
        });
        Ok(work.await?)
    }

    async fn activity(
        &self,
        organization: &OrganizationId,
        since: Timestamp,
        step: i64,
        most: u32,
    ) -> Result<Activity, StoreError> {
        let organization = organization.clone();
        let work = self.work(Mode::Read, move |s| {
            Box::pin(async move {
                let newest = "(SELECT action, at FROM audit WHERE organization = $1 ORDER BY seq DESC LIMIT $2) AS newest";
                let row = s
                    .maybe(&format!("SELECT count(*), min(at) FROM {newest}"), &params![organization.as_str(), most])
                    .await?
                    .ok_or_else(|| wrong(0, "no count"))?;
                let is_cut = row.size(0)? == u64::from(most);
                let complete_since = row.optional_time(1)?.filter(|first| is_cut && *first > since);
                let sql = format!(
                    "SELECT action, (at - $3) / $4 AS slot, count(*) FROM {newest} WHERE at >= $3 GROUP BY action, slot ORDER BY action, slot"
                );
                let found = s.all(&sql, &params![organization.as_str(), most, since, step]).await?;
                let counts = found.iter().map(|row| Ok((row.text(0)?, row.int(1)?, row.size(2)?)));
                Ok(Activity { complete_since, counts: counts.collect::<Done<_>>()? })
            })
        });
        Ok(work.await?)
    }

    async fn trim_audit(
        &self,
        than: Timestamp,
        up_to: Option<i64>,
        audit: AuditEntry,
    ) -> Result<u64, StoreError> {
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                let up_to = up_to.unwrap_or(i64::MAX);
                let old = s
                    .count(
                        "SELECT count(*) FROM audit WHERE at < $1 AND seq <= $2",
                        &params![than, up_to],
                    )
                    .await?;
                if old > 0 {
                    // Before the others go, because SQLite numbers a table without rows from 1
                    // again.
                    let written = record(
                        s,
                        &AuditEntry {
                            detail: format!("{old} lines from before {than}"),
                            ..audit
                        },
                    )
                    .await?;
                    let sql = "DELETE FROM audit WHERE at < $1 AND seq <= $2 AND seq <> $3";
                    s.run(sql, &params![than, up_to, written]).await?;
                }
                Ok(old)
            })
        });
        Ok(work.await?)
    }

    async fn record(&self, audit: AuditEntry) -> Result<(), StoreError> {
        let work = self.work(Mode::Soon, move |s| {
            Box::pin(async move { record(s, &audit).await.map(drop) })
        });
        Ok(work.await?)
    }
}
