//! Everything in one `SQLite` file: rows, and bytes compressed with zstd.
//!
//! One connection writes, on a thread of its own; others read. A commit is on disk before it is acknowledged (WAL with
//! `synchronous = FULL`). Commands may work on the file while a server runs.

mod accounts;
mod connections;
mod copy;
mod deliveries;
mod encryption;
mod heads;
mod history;
mod jobs;
mod places;
mod rows;
mod space;
mod trusts;
mod versions;
mod workspaces;
mod write;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use rusqlite::{Transaction, TransactionBehavior};
use tokio::sync::mpsc::{Receiver, Sender};

use super::copy::{Part, Row};
use super::encryption::{Keyring, with_keys};
use super::pack;
use super::{Beside, Commit, Committed, Garbage, Listed, Page, Store, StoreError, WorkspaceFilter};
use crate::model::{
    Activity, AuditEntry, AuditFilter, ContentKind, Organization, OrganizationId, Output, OutputId, Permissions, Principal,
    QuarantineId, Quarantined, Status, Team, TeamId, Timestamp, Token, TokenId, User, UserId, Version, VersionId, Workspace,
    WorkspaceId,
};
use crate::rules::{Expired, Expiry, Snapshot};
use connections::{Connections, Fault};

/// The name of the file in the data folder.
pub const FILE_NAME: &str = "upstate.db";

/// A store in one `SQLite` file.
pub struct Sqlite {
    path: PathBuf,
    /// Whether the last transaction that had something to write could not be written.
    failing: Arc<AtomicBool>,
    connections: Connections,
    keyring: Arc<Keyring>,
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Sqlite {
    /// Opens the store in a folder; what is missing is made.
    ///
    /// # Errors
    /// If the folder or the file cannot be made or opened, or a newer upstate wrote it.
    pub async fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(FILE_NAME);
        let folder = folder.to_owned();
        let file = path.clone();
        let connections = tokio::task::spawn_blocking(move || Connections::open(&folder, &file))
            .await
            .map_err(|error| StoreError::new("the store was not opened").because(error))??;
        Ok(Self { path, failing: Arc::default(), connections, keyring: Arc::default() })
    }

    /// The store, with keys to encrypt what is written and to read what is encrypted.
    #[must_use]
    pub fn with_keyring(mut self, keyring: Keyring) -> Self {
        self.keyring = Arc::new(keyring);
        self
    }

    /// Runs a transaction that writes; it is rolled back if `work` fails.
    async fn write<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<R, Fault> + Send + 'static,
    ) -> Result<R, StoreError> {
        let written = self
            .connections
            .write(move |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let result = work(&transaction)?;
                transaction.commit()?;
                Ok(result)
            })
            .await;
        self.remember(&written);
        written
    }

    /// Remembers that something could not be written, until it can be again: see [`ready`](Store::ready).
    fn remember<R>(&self, written: &Result<R, StoreError>) {
        if written.as_ref().is_err_and(StoreError::is_passing) {
            self.failing.store(true, Ordering::Relaxed);
        }
    }

    /// Runs a transaction that reads: all of it sees the same moment.
    async fn read<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<R, Fault> + Send + 'static,
    ) -> Result<R, StoreError> {
        self.connections
            .read(move |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
                work(&transaction)
            })
            .await
    }
}

#[async_trait]
impl Store for Sqlite {
    fn describe(&self) -> String {
        format!("SQLite in {}", self.path.display())
    }

    async fn ready(&self) -> Result<(), StoreError> {
        space::left_beside(&self.path)?;
        // One row fits into pages that are there. After a failure, so much is tried as a state may have.
        let size = if self.failing.load(Ordering::Relaxed) { space::TRIED } else { 1 };
        let sql = "INSERT OR REPLACE INTO setting (name, value) VALUES ('ready', zeroblob(?1))";
        self.write(move |t| Ok(t.execute(sql, [size])?)).await?;
        if size > 1 {
            self.write(move |t| Ok(t.execute(sql, [1])?)).await?;
            self.failing.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn secret(&self, name: &str) -> Result<[u8; 32], StoreError> {
        let key = self.keyring.current(self).await?;
        with_keys!(self, {
            let (name, key, keyring) = (name.to_owned(), key.clone(), Arc::clone(&self.keyring));
            self.write(move |t| encryption::secret(t, &keyring, key.as_deref(), &name)).await
        })
    }

    async fn add_organization(&self, organization: &Organization, audit: AuditEntry) -> Result<bool, StoreError> {
        let organization = organization.clone();
        self.write(move |t| accounts::add_organization(t, &organization, &audit)).await
    }

    async fn organizations(&self) -> Result<Vec<Organization>, StoreError> {
        self.read(accounts::organizations).await
    }

    async fn organization(&self, name: &str) -> Result<Option<Organization>, StoreError> {
        let name = name.to_owned();
        self.read(move |t| accounts::organization(t, "name", &name)).await
    }

    async fn organization_by_id(&self, id: &OrganizationId) -> Result<Option<Organization>, StoreError> {
        let id = id.clone();
        self.read(move |t| accounts::organization(t, "id", id.as_str())).await
    }

    async fn add_user(&self, user: &User, audit: AuditEntry) -> Result<bool, StoreError> {
        let user = user.clone();
        self.write(move |t| accounts::add_user(t, &user, &audit)).await
    }

    async fn user(&self, name: &str) -> Result<Option<User>, StoreError> {
        let name = name.to_owned();
        self.read(move |t| accounts::user(t, "name", &name)).await
    }

    async fn user_by_id(&self, id: &UserId) -> Result<Option<User>, StoreError> {
        let id = id.clone();
        self.read(move |t| accounts::user(t, "id", id.as_str())).await
    }

    async fn add_team(&self, team: &Team, audit: AuditEntry) -> Result<bool, StoreError> {
        let team = team.clone();
        self.write(move |t| accounts::add_team(t, &team, &audit)).await
    }

    async fn team_by_id(&self, id: &TeamId) -> Result<Option<Team>, StoreError> {
        let id = id.clone();
        self.read(move |t| accounts::team_by_id(t, &id)).await
    }

    async fn teams(&self, organization: &OrganizationId) -> Result<Vec<Team>, StoreError> {
        let organization = organization.clone();
        self.read(move |t| accounts::teams(t, &organization)).await
    }

    async fn set_team_permissions(&self, team: &TeamId, to: Permissions, audit: AuditEntry) -> Result<(), StoreError> {
        let team = team.clone();
        self.write(move |t| accounts::set_team_permissions(t, &team, to, &audit)).await
    }

    async fn remove_team(&self, team: &TeamId, audit: AuditEntry) -> Result<bool, StoreError> {
        let team = team.clone();
        self.write(move |t| accounts::remove_team(t, &team, &audit)).await
    }

    async fn is_user_of(&self, user: &UserId, organization: &OrganizationId) -> Result<bool, StoreError> {
        let (user, organization) = (user.clone(), organization.clone());
        self.read(move |t| accounts::is_user_of(t, &user, &organization)).await
    }

    async fn members(&self, team: &TeamId) -> Result<Vec<User>, StoreError> {
        let team = team.clone();
        self.read(move |t| accounts::members(t, &team)).await
    }

    async fn set_member(&self, team: &TeamId, user: &UserId, member: bool, audit: AuditEntry) -> Result<(), StoreError> {
        let (team, user) = (team.clone(), user.clone());
        self.write(move |t| accounts::set_member(t, &team, &user, member, &audit)).await
    }

    async fn add_token(&self, token: &Token, audit: AuditEntry) -> Result<bool, StoreError> {
        let token = token.clone();
        self.write(move |t| accounts::add_token(t, &token, &audit)).await
    }

    async fn add_first_token(&self, token: &Token, audit: AuditEntry) -> Result<bool, StoreError> {
        let token = token.clone();
        self.write(move |t| accounts::add_first_token(t, &token, &audit)).await
    }

    async fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.read(accounts::tokens).await
    }

    async fn remove_token(&self, id: &TokenId, audit: AuditEntry) -> Result<bool, StoreError> {
        let id = id.clone();
        self.write(move |t| accounts::remove_token(t, &id, &audit)).await
    }

    async fn principal(&self, hash: &[u8; 32]) -> Result<Option<Principal>, StoreError> {
        let hash = *hash;
        self.read(move |t| accounts::principal(t, "hash", hash)).await
    }

    async fn principal_of(&self, token: &TokenId) -> Result<Option<Principal>, StoreError> {
        let id = token.to_string();
        self.read(move |t| accounts::principal(t, "id", id)).await
    }

    async fn add_workspace(&self, workspace: &Workspace, audit: AuditEntry) -> Result<bool, StoreError> {
        let workspace = workspace.clone();
        self.write(move |t| workspaces::add(t, &workspace, &audit)).await
    }

    async fn workspace(&self, organization: &OrganizationId, name: &str) -> Result<Option<Workspace>, StoreError> {
        let (organization, name) = (organization.clone(), name.to_owned());
        self.read(move |t| workspaces::named(t, &organization, &name)).await
    }

    async fn workspaces(
        &self,
        organization: &OrganizationId,
        filter: &WorkspaceFilter,
        page: Page,
    ) -> Result<Listed<Workspace>, StoreError> {
        let (organization, filter) = (organization.clone(), filter.clone());
        self.read(move |t| workspaces::list(t, &organization, &filter, page)).await
    }

    async fn snapshot(&self, workspace: &WorkspaceId) -> Result<Option<Snapshot>, StoreError> {
        let workspace = workspace.clone();
        self.read(move |t| {
            let Some(workspace) = workspaces::by_id(t, &workspace)? else { return Ok(None) };
            let version = |id: &Option<VersionId>| id.as_ref().map_or(Ok(None), |id| versions::existing(t, id).map(Some));
            let (head, pending) = (version(&workspace.head)?, version(&workspace.pending)?);
            Ok(Some(Snapshot { workspace, head, pending }))
        })
        .await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let key = self.keyring.current(self).await?;
        // Compressing takes longer than writing, and other writers need not wait for it.
        let prepared = tokio::task::spawn_blocking(move || pack::prepare(commit, key))
            .await
            .map_err(|error| StoreError::new("a commit was not prepared").because(error))??;
        let written = self
            .connections
            .write(move |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let committed = write::commit(&transaction, &prepared)?;
                match committed {
                    Committed::Done => transaction.commit()?,
                    Committed::Stale | Committed::NameTaken | Committed::Gone => transaction.rollback()?,
                }
                Ok(committed)
            })
            .await;
        self.remember(&written);
        written
    }

    async fn version(&self, id: &VersionId) -> Result<Option<Version>, StoreError> {
        let id = id.clone();
        self.read(move |t| versions::visible(t, &id)).await
    }

    async fn version_of_run(&self, run: &str, organizations: &[OrganizationId]) -> Result<Option<Version>, StoreError> {
        let (run, organizations) = (run.to_owned(), organizations.to_vec());
        self.read(move |t| versions::of_run(t, &run, &organizations)).await
    }

    async fn versions(&self, workspace: &WorkspaceId, statuses: &[Status], page: Page) -> Result<Listed<Version>, StoreError> {
        let (workspace, statuses) = (workspace.clone(), statuses.to_vec());
        self.read(move |t| versions::list(t, &workspace, &statuses, page)).await
    }

    async fn beside(&self, versions: &[Version]) -> Result<Vec<Beside>, StoreError> {
        let versions = versions.to_vec();
        self.read(move |t| versions.iter().map(|version| versions::beside(t, version)).collect()).await
    }

    async fn bytes(&self, version: &VersionId, kind: ContentKind) -> Result<Option<Bytes>, StoreError> {
        with_keys!(self, {
            let (version, keyring) = (version.clone(), Arc::clone(&self.keyring));
            self.read(move |t| versions::bytes(t, &keyring, &version, kind)).await
        })
    }

    async fn outputs(&self, version: &VersionId, page: Page) -> Result<Listed<Output>, StoreError> {
        with_keys!(self, {
            let (version, keyring) = (version.clone(), Arc::clone(&self.keyring));
            self.read(move |t| versions::outputs(t, &keyring, &version, page)).await
        })
    }

    async fn output(&self, id: &OutputId) -> Result<Option<Output>, StoreError> {
        with_keys!(self, {
            let (id, keyring) = (id.clone(), Arc::clone(&self.keyring));
            self.read(move |t| versions::output(t, &keyring, &id)).await
        })
    }

    async fn pending_before(&self, than: Timestamp) -> Result<Vec<(WorkspaceId, VersionId)>, StoreError> {
        self.read(move |t| history::pending_before(t, than)).await
    }

    async fn ended_locks(&self, now: Timestamp) -> Result<Vec<WorkspaceId>, StoreError> {
        self.read(move |t| workspaces::ended_locks(t, now)).await
    }

    async fn expired(&self, expiry: Expiry, after: Option<&Expired>, limit: u32) -> Result<Vec<Expired>, StoreError> {
        let after = after.cloned();
        self.read(move |t| history::expired(t, expiry, after.as_ref(), limit)).await
    }

    async fn deleted_workspaces(&self) -> Result<Vec<(Workspace, Timestamp)>, StoreError> {
        self.read(workspaces::deleted).await
    }

    async fn restore_workspace(&self, id: &WorkspaceId, name: &str, audit: AuditEntry) -> Result<Committed, StoreError> {
        let (id, name) = (id.clone(), name.to_owned());
        self.write(move |t| workspaces::restore(t, &id, &name, &audit)).await
    }

    async fn purge_workspaces(&self, than: Timestamp, audit: AuditEntry) -> Result<u64, StoreError> {
        self.write(move |t| history::purge_workspaces(t, than, &audit)).await
    }

    async fn collect_garbage(&self, _older_than: Timestamp, dry_run: bool) -> Result<Garbage, StoreError> {
        self.write(move |t| history::garbage(t, dry_run)).await
    }

    async fn export(&self, rows: Sender<Row>) -> Result<(), StoreError> {
        self.read(move |t| copy::export(t, &rows)).await
    }

    async fn import(&self, mut parts: Receiver<Part>) -> Result<(), StoreError> {
        let name = self.describe();
        let imported = self.write(move |t| copy::import(t, &name, &mut parts)).await;
        self.keyring.forget().await;
        imported
    }

    async fn quarantined(&self, workspace: &WorkspaceId) -> Result<Vec<Quarantined>, StoreError> {
        let workspace = workspace.clone();
        self.read(move |t| history::quarantined(t, &workspace)).await
    }

    async fn quarantined_bytes(&self, id: &QuarantineId) -> Result<Option<Quarantined>, StoreError> {
        with_keys!(self, {
            let (id, keyring) = (id.clone(), Arc::clone(&self.keyring));
            self.read(move |t| history::quarantined_bytes(t, &keyring, &id)).await
        })
    }

    async fn audit(&self, filter: &AuditFilter, page: Page) -> Result<Listed<AuditEntry>, StoreError> {
        let filter = filter.clone();
        self.read(move |t| history::audit(t, &filter, page)).await
    }

    async fn audit_after(
        &self,
        organization: Option<&OrganizationId>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<(i64, AuditEntry)>, StoreError> {
        let organization = organization.cloned();
        self.read(move |t| history::audit_after(t, organization.as_ref(), after, limit)).await
    }

    async fn activity(
        &self,
        organization: &OrganizationId,
        since: Timestamp,
        step: i64,
        most: u32,
    ) -> Result<Activity, StoreError> {
        let organization = organization.clone();
        self.read(move |t| history::activity(t, &organization, since, step, most)).await
    }

    async fn trim_audit(&self, than: Timestamp, up_to: Option<i64>, audit: AuditEntry) -> Result<u64, StoreError> {
        self.write(move |t| history::trim_audit(t, than, up_to, &audit)).await
    }

    async fn record(&self, audit: AuditEntry) -> Result<(), StoreError> {
        let written = self
            .connections
            .write(move |connection| {
                connection.pragma_update(None, "synchronous", "NORMAL")?;
                let recorded =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(Fault::from).and_then(|t| {
                        history::record(&t, &audit)?;
                        Ok(t.commit()?)
                    });
                // What is acknowledged after this is on disk again.
                connection.pragma_update(None, "synchronous", "FULL")?;
                recorded
            })
            .await;
        self.remember(&written);
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file has no room for more pages, as on a full disk: one row still fits.
    #[tokio::test]
    async fn a_full_disk_is_not_ready() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Sqlite::open(folder.path()).await.expect("a store");
        store.ready().await.expect("ready");
        let room = async |pages: &'static str| {
            let set = move |c: &mut rusqlite::Connection| {
                let now: i64 = c.pragma_query_value(None, "page_count", |row| row.get(0))?;
                let most = if pages == "none" { now } else { i64::from(u32::MAX) - 1 };
                Ok(c.pragma_update_and_check(None, "max_page_count", most, |_| Ok(()))?)
            };
            store.connections.write(set).await.expect("a setting");
        };
        let record = async || {
            let entry = AuditEntry {
                at: Timestamp::now(),
                who: "x".repeat(100_000),
                action: "test".into(),
                organization: None,
                workspace: None,
                subject: String::new(),
                detail: String::new(),
            };
            store.record(entry).await
        };
        room("none").await;
        assert!(record().await.expect_err("full").is_passing());
        for _ in 0..2 {
            let error = store.ready().await.expect_err("not ready");
            assert!(error.to_string().contains("full"), "{error}");
        }
        room("all").await;
        store.ready().await.expect("ready again");
        record().await.expect("room");
    }
}
