//! Everything in `PostgreSQL`; or rows there, and bytes in a bucket.
//!
//! Any number of processes work on one database, and none of them is special: what they must agree on are rows and locks there.

mod accounts;
mod blobs;
mod copy;
mod deliveries;
mod encryption;
mod garbage;
mod heads;
mod history;
mod jobs;
mod migrate;
mod places;
mod pool;
mod rows;
mod sql;
mod trusts;
mod versions;
mod workspaces;
mod write;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use deadpool_postgres::{Object, Pool};
use tokio::sync::mpsc::{Receiver, Sender};

use super::bucket::{Bucket, BucketSettings};
use super::copy::{Part, Row};
use super::encryption::{Keyring, with_keys};
use super::{Beside, Commit, Committed, Garbage, Listed, Page, Store, StoreError, WorkspaceFilter};
use crate::model::{
    Activity, AuditEntry, AuditFilter, ContentKind, Organization, OrganizationId, Output, OutputId, Permissions, Principal,
    QuarantineId, Quarantined, Status, Team, TeamId, Timestamp, Token, TokenId, User, UserId, Version, VersionId, Workspace,
    WorkspaceId,
};
use crate::rules::{Expired, Expiry, Snapshot};
use pool::{Fault, begin, done, moment};
use sql::Text;

/// Which database, and how it is reached.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// `postgresql://user:password@host/database`, with `?sslmode=require` or `disable` if need be.
    pub url: String,
    /// The largest number of connections of this process.
    pub connections: usize,
    /// A file of certificate authorities, in PEM form, that are trusted besides those of the operating system.
    pub authorities: Option<PathBuf>,
    /// The bucket for bytes; without one they are in the database.
    pub bucket: Option<BucketSettings>,
}

impl Settings {
    /// The settings that most need.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), connections: 16, authorities: None, bucket: None }
    }
}

/// Without the URL, which may hold a password.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("connections", &self.connections).field("bucket", &self.bucket).finish_non_exhaustive()
    }
}

/// A store in `PostgreSQL`.
pub struct Postgres {
    description: String,
    /// Whether the last commit that could not be written is still the last one.
    failing: AtomicBool,
    pool: Pool,
    bucket: Option<Bucket>,
    keyring: Arc<Keyring>,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("description", &self.description).finish_non_exhaustive()
    }
}

/// How many bytes are tried to be written after something was not.
const TRIED: usize = 4 << 20;

/// How often a transaction is run that collides with others.
const ATTEMPTS: usize = 5;

impl Postgres {
    /// Opens the store; tables that are missing are made.
    ///
    /// # Errors
    /// If database or bucket cannot be reached or used, a newer upstate wrote the tables, or the bucket is not that of the database.
    pub async fn open(settings: &Settings) -> Result<Self, StoreError> {
        let config = pool::config(settings)?;
        let mut description = pool::describe(&config);
        let bucket = settings.bucket.as_ref().map(Bucket::new).transpose()?;
        if let Some(bucket) = &bucket {
            description = format!("{description}, bytes in {}", bucket.describe());
        }
        let store = Self {
            description,
            failing: AtomicBool::new(false),
            pool: pool::pool(config, settings)?,
            bucket,
            keyring: Arc::default(),
        };
        migrate::migrate(&store.pool).await?;
        store.check_bucket().await?;
        Ok(store)
    }

    /// The store, with keys to encrypt what is written and to read what is encrypted.
    #[must_use]
    pub fn with_keyring(mut self, keyring: Keyring) -> Self {
        self.keyring = Arc::new(keyring);
        self
    }

    /// Refuses to start without the bucket where bytes are, or with another one: what is not found there would seem lost.
    async fn check_bucket(&self) -> Result<(), StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM blob WHERE object IS NOT NULL)";
        let row = sql::maybe(&self.client().await?, sql, &[]).await?;
        let has_objects = row.map(|row| row.try_get(0)).transpose().map_err(Fault::from)?.unwrap_or(false);
        match &self.bucket {
            None if has_objects => Err(StoreError::new(
                "bytes of this database are in a bucket; name it with --bucket-url, UPSTATE_BUCKET_URL, or bucket-url",
            )),
            None => Ok(()),
            Some(bucket) => {
                let id = self.bucket_id().await?;
                if has_objects && !bucket.is_of(&id).await? {
                    let text = format!(
                        "the bucket {} does not hold the bytes of this database; name the one that does",
                        bucket.describe()
                    );
                    return Err(StoreError::new(text));
                }
                bucket.claim(&id).await
            }
        }
    }

    async fn client(&self) -> Result<Object, StoreError> {
        pool::client(&self.pool).await
    }

    /// True if an object was not to be had, whose row names another one once it is encrypted.
    fn may_have_moved(&self, error: &StoreError) -> bool {
        self.bucket.is_some() && error.needs_key().is_none()
    }

    async fn bytes_once(&self, version: &VersionId, kind: ContentKind) -> Result<Option<Bytes>, StoreError> {
        // The connection is given back before the bucket is asked.
        let blob = versions::blob(&self.client().await?, &self.keyring, version, kind).await?;
        match blob {
            None => Ok(None),
            Some(blob) => blobs::bytes(blob, self.bucket.as_ref(), &self.keyring).await.map(Some),
        }
    }

    async fn late_once(&self, id: &QuarantineId) -> Result<Option<Quarantined>, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        let found = history::quarantined_blob(&t, &self.keyring, id).await?;
        done(t).await?;
        drop(client);
        let Some((quarantined, blob)) = found else { return Ok(None) };
        let bytes = blobs::bytes(blob, self.bucket.as_ref(), &self.keyring).await?;
        Ok(Some(Quarantined { bytes, ..quarantined }))
    }

    async fn bucket_id(&self) -> Result<[u8; 32], StoreError> {
        Ok(encryption::secret(&self.client().await?, &Keyring::default(), None, "bucket").await?)
    }

    /// Runs a commit once.
    async fn attempt(&self, prepared: &write::Prepared, since: blobs::Since) -> Result<(Committed, Vec<String>), Fault> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let mut written = write::Written::default();
        let committed = write::commit(&t, prepared, &mut written).await?;
        match committed {
            Committed::Done => {
                since.check()?;
                t.commit().await?;
            }
            Committed::Stale | Committed::NameTaken | Committed::Gone => {
                t.rollback().await?;
                // Nothing refers to what this commit brought, and nothing ever will.
                let objects = prepared.placed.iter().flat_map(|(state, json_state)| [state, json_state]);
                written.unused = objects.flatten().filter_map(|placed| placed.object.clone()).collect();
            }
        }
        Ok((committed, written.unused))
    }
}

#[async_trait]
impl Store for Postgres {
    fn describe(&self) -> String {
        self.description.clone()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        let sql =
            "INSERT INTO setting (name, value) VALUES ('ready', $1) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value";
        let client = self.client().await?;
        // One row fits where others were. After a failure, so much is tried as a state may have.
        if self.failing.load(Ordering::Relaxed) {
            // Random, so that the database does not make it small.
            let tried: Vec<u8> = (0..TRIED / 32).flat_map(|_| crate::random::secret()).collect();
            sql::run(&client, sql, &[&tried]).await?;
            self.failing.store(false, Ordering::Relaxed);
        }
        sql::run(&client, sql, &[&vec![0_u8]]).await?;
        drop(client);
        if let Some(bucket) = &self.bucket
            && !bucket.is_of(&self.bucket_id().await?).await?
        {
            return Err(StoreError::new(format!("the bucket {} is not that of this database", bucket.describe())));
        }
        Ok(())
    }

    async fn secret(&self, name: &str) -> Result<[u8; 32], StoreError> {
        let key = self.keyring.current(self).await?;
        with_keys!(self, {
            let client = self.client().await?;
            Ok(encryption::secret(&client, &self.keyring, key.as_deref(), name).await?)
        })
    }

    async fn add_organization(&self, organization: &Organization, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let added = accounts::add_organization(&t, organization, &audit).await?;
        done(t).await?;
        Ok(added)
    }

    async fn organizations(&self) -> Result<Vec<Organization>, StoreError> {
        Ok(accounts::organizations(&self.client().await?).await?)
    }

    async fn organization(&self, name: &str) -> Result<Option<Organization>, StoreError> {
        Ok(accounts::organization(&self.client().await?, "name", name).await?)
    }

    async fn organization_by_id(&self, id: &OrganizationId) -> Result<Option<Organization>, StoreError> {
        Ok(accounts::organization(&self.client().await?, "id", id.as_str()).await?)
    }

    async fn add_user(&self, user: &User, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let added = accounts::add_user(&t, user, &audit).await?;
        done(t).await?;
        Ok(added)
    }

    async fn user(&self, name: &str) -> Result<Option<User>, StoreError> {
        Ok(accounts::user(&self.client().await?, "name", name).await?)
    }

    async fn user_by_id(&self, id: &UserId) -> Result<Option<User>, StoreError> {
        Ok(accounts::user(&self.client().await?, "id", id.as_str()).await?)
    }

    async fn add_team(&self, team: &Team, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let added = accounts::add_team(&t, team, &audit).await?;
        done(t).await?;
        Ok(added)
    }

    async fn team_by_id(&self, id: &TeamId) -> Result<Option<Team>, StoreError> {
        Ok(accounts::team_by_id(&self.client().await?, id).await?)
    }

    async fn teams(&self, organization: &OrganizationId) -> Result<Vec<Team>, StoreError> {
        Ok(accounts::teams(&self.client().await?, organization).await?)
    }

    async fn set_team_permissions(&self, team: &TeamId, to: Permissions, audit: AuditEntry) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        accounts::set_team_permissions(&t, team, to, &audit).await?;
        done(t).await
    }

    async fn remove_team(&self, team: &TeamId, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let removed = accounts::remove_team(&t, team, &audit).await?;
        done(t).await?;
        Ok(removed)
    }

    async fn is_user_of(&self, user: &UserId, organization: &OrganizationId) -> Result<bool, StoreError> {
        Ok(accounts::is_user_of(&self.client().await?, user, organization).await?)
    }

    async fn members(&self, team: &TeamId) -> Result<Vec<User>, StoreError> {
        Ok(accounts::members(&self.client().await?, team).await?)
    }

    async fn set_member(&self, team: &TeamId, user: &UserId, member: bool, audit: AuditEntry) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        accounts::set_member(&t, team, user, member, &audit).await?;
        done(t).await
    }

    async fn add_token(&self, token: &Token, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let added = accounts::add_token(&t, token, &audit).await?;
        done(t).await?;
        Ok(added)
    }

    async fn add_first_token(&self, token: &Token, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let added = accounts::add_first_token(&t, token, &audit).await?;
        done(t).await?;
        Ok(added)
    }

    async fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        Ok(accounts::tokens(&self.client().await?).await?)
    }

    async fn remove_token(&self, id: &TokenId, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let removed = accounts::remove_token(&t, id, &audit).await?;
        done(t).await?;
        Ok(removed)
    }

    async fn principal(&self, hash: &[u8; 32]) -> Result<Option<Principal>, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        Ok(accounts::principal(&t, "hash", &hash.as_slice()).await?)
    }

    async fn principal_of(&self, token: &TokenId) -> Result<Option<Principal>, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        Ok(accounts::principal(&t, "id", &Text(token.as_str())).await?)
    }

    async fn add_workspace(&self, workspace: &Workspace, audit: AuditEntry) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let added = workspaces::add(&t, workspace, &audit).await?;
        done(t).await?;
        Ok(added)
    }

    async fn workspace(&self, organization: &OrganizationId, name: &str) -> Result<Option<Workspace>, StoreError> {
        Ok(workspaces::named(&self.client().await?, organization, name).await?)
    }

    async fn workspaces(
        &self,
        organization: &OrganizationId,
        filter: &WorkspaceFilter,
        page: Page,
    ) -> Result<Listed<Workspace>, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        Ok(workspaces::list(&t, organization, filter, page).await?)
    }

    async fn snapshot(&self, workspace: &WorkspaceId) -> Result<Option<Snapshot>, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        let Some(workspace) = workspaces::by_id(&t, workspace).await? else { return Ok(None) };
        let mut snapshot = Snapshot { workspace, head: None, pending: None };
        if let Some(id) = &snapshot.workspace.head {
            snapshot.head = Some(versions::existing(&t, id).await?);
        }
        if let Some(id) = &snapshot.workspace.pending {
            snapshot.pending = Some(versions::existing(&t, id).await?);
        }
        Ok(Some(snapshot))
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let since = blobs::Since::now();
        let key = self.keyring.current(self).await?;
        let prepared = blobs::place(commit, key, self.bucket.as_ref()).await?;
        let mut attempt = 1;
        let (committed, unused) = loop {
            match self.attempt(&prepared, since).await {
                Err(fault) if fault.is_collision() && attempt < ATTEMPTS => attempt += 1,
                Err(fault) => {
                    self.failing.store(true, Ordering::Relaxed);
                    return Err(fault.into());
                }
                Ok(done) => break done,
            }
        };
        self.delete_objects(&unused).await;
        Ok(committed)
    }

    async fn version(&self, id: &VersionId) -> Result<Option<Version>, StoreError> {
        Ok(versions::visible(&self.client().await?, id).await?)
    }

    async fn version_of_run(&self, run: &str, organizations: &[OrganizationId]) -> Result<Option<Version>, StoreError> {
        Ok(versions::of_run(&self.client().await?, run, organizations).await?)
    }

    async fn versions(&self, workspace: &WorkspaceId, statuses: &[Status], page: Page) -> Result<Listed<Version>, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        Ok(versions::list(&t, workspace, statuses, page).await?)
    }

    async fn beside(&self, versions: &[Version]) -> Result<Vec<Beside>, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        let mut beside = Vec::new();
        for version in versions {
            beside.push(versions::beside(&t, version).await?);
        }
        Ok(beside)
    }

    async fn bytes(&self, version: &VersionId, kind: ContentKind) -> Result<Option<Bytes>, StoreError> {
        with_keys!(self, {
            match self.bytes_once(version, kind).await {
                Err(error) if self.may_have_moved(&error) => self.bytes_once(version, kind).await,
                found => found,
            }
        })
    }

    async fn outputs(&self, version: &VersionId, page: Page) -> Result<Listed<Output>, StoreError> {
        with_keys!(self, {
            let mut client = self.client().await?;
            let t = moment(&mut client).await?;
            Ok(versions::outputs(&t, &self.keyring, version, page).await?)
        })
    }

    async fn output(&self, id: &OutputId) -> Result<Option<Output>, StoreError> {
        with_keys!(self, Ok(versions::output(&self.client().await?, &self.keyring, id).await?))
    }

    async fn pending_before(&self, than: Timestamp) -> Result<Vec<(WorkspaceId, VersionId)>, StoreError> {
        Ok(history::pending_before(&self.client().await?, than).await?)
    }

    async fn ended_locks(&self, now: Timestamp) -> Result<Vec<WorkspaceId>, StoreError> {
        Ok(workspaces::ended_locks(&self.client().await?, now).await?)
    }

    async fn expired(&self, expiry: Expiry, after: Option<&Expired>, limit: u32) -> Result<Vec<Expired>, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        Ok(history::expired(&t, expiry, after, limit).await?)
    }

    async fn deleted_workspaces(&self) -> Result<Vec<(Workspace, Timestamp)>, StoreError> {
        Ok(workspaces::deleted(&self.client().await?).await?)
    }

    async fn restore_workspace(&self, id: &WorkspaceId, name: &str, audit: AuditEntry) -> Result<Committed, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let restored = workspaces::restore(&t, id, name, &audit).await?;
        if restored == Committed::Done {
            done(t).await?;
        }
        Ok(restored)
    }

    async fn purge_workspaces(&self, than: Timestamp, audit: AuditEntry) -> Result<u64, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let (purged, unused) = history::purge_workspaces(&t, than, &audit).await?;
        done(t).await?;
        drop(client);
        self.delete_objects(&unused).await;
        Ok(purged)
    }

    async fn collect_garbage(&self, older_than: Timestamp, dry_run: bool) -> Result<Garbage, StoreError> {
        self.collect(older_than, dry_run).await
    }

    async fn export(&self, rows: Sender<Row>) -> Result<(), StoreError> {
        self.give_rows(&rows).await
    }

    async fn import(&self, parts: Receiver<Part>) -> Result<(), StoreError> {
        let taken = self.take_rows(parts).await;
        self.keyring.forget().await;
        taken
    }

    async fn quarantined(&self, workspace: &WorkspaceId) -> Result<Vec<Quarantined>, StoreError> {
        Ok(history::quarantined(&self.client().await?, workspace).await?)
    }

    async fn quarantined_bytes(&self, id: &QuarantineId) -> Result<Option<Quarantined>, StoreError> {
        with_keys!(self, {
            match self.late_once(id).await {
                Err(error) if self.may_have_moved(&error) => self.late_once(id).await,
                found => found,
            }
        })
    }

    async fn audit(&self, filter: &AuditFilter, page: Page) -> Result<Listed<AuditEntry>, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        Ok(history::audit(&t, filter, page).await?)
    }

    async fn audit_after(
        &self,
        organization: Option<&OrganizationId>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<(i64, AuditEntry)>, StoreError> {
        let mut client = self.client().await?;
        let t = client.transaction().await.map_err(Fault::from)?;
        let found = history::audit_after(&t, organization, after, limit).await?;
        done(t).await?;
        Ok(found)
    }

    async fn activity(
        &self,
        organization: &OrganizationId,
        since: Timestamp,
        step: i64,
        most: u32,
    ) -> Result<Activity, StoreError> {
        let mut client = self.client().await?;
        let t = moment(&mut client).await?;
        Ok(history::activity(&t, organization, since, step, most).await?)
    }

    async fn trim_audit(&self, than: Timestamp, up_to: Option<i64>, audit: AuditEntry) -> Result<u64, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let removed = history::trim_audit(&t, than, up_to, &audit).await?;
        done(t).await?;
        Ok(removed)
    }

    async fn record(&self, audit: AuditEntry) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        t.batch_execute("SET LOCAL synchronous_commit TO off").await.map_err(Fault::from)?;
        history::record(&t, &audit).await?;
        done(t).await
    }
}
