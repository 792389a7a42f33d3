//! Everything in one `SQLite` file: rows, and bytes compressed with zstd.
//!
//! One connection writes, on a thread of its own; others read. A commit is on disk before it is
//! acknowledged (WAL with `synchronous = FULL`). Commands may work on the file while a server runs.

mod connections;
mod copy;
mod session;
mod space;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use tokio::sync::mpsc::{Receiver, Sender};

use super::blobs::UNREFERENCED;
use super::copy::{Part, Row};
use super::encryption::Keyring;
use super::session::{Database as _, Mode, params};
use super::{Garbage, Store, StoreError};
use crate::model::Timestamp;
use connections::Connections;

/// The name of the file in the data folder.
pub const FILE_NAME: &str = "upstate.db";

/// A store in one `SQLite` file.
pub struct Sqlite {
    path: PathBuf,
    /// True after a transaction failed for a reason that may pass, until `ready` has written again.
    failing: Arc<AtomicBool>,
    connections: Connections,
    keyring: Arc<Keyring>,
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite")
            .field("path", &self.path)
            .finish_non_exhaustive()
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
        Ok(Self {
            path,
            failing: Arc::default(),
            connections,
            keyring: Arc::default(),
        })
    }

    /// The store, with keys to encrypt what is written and to read what is encrypted.
    #[must_use]
    pub fn with_keyring(mut self, keyring: Keyring) -> Self {
        self.keyring = Arc::new(keyring);
        self
    }
}

#[async_trait]
impl Store for Sqlite {
    fn describe(&self) -> String {
        format!("SQLite in {}", self.path.display())
    }

    async fn ready(&self) -> Result<(), StoreError> {
        space::left_beside(&self.path)?;
        // One row fits into pages that are there. After a failure, so much is tried as a state may
        // have.
        let size = if self.failing.load(Ordering::Relaxed) {
            space::TRIED
        } else {
            1
        };
        let sql = "INSERT OR REPLACE INTO setting (name, value) VALUES ('ready', zeroblob($1))";
        self.once(sql, params![size]).await?;
        if size > 1 {
            self.once(sql, params![1_i64]).await?;
            self.failing.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Sweeps, or counts what a sweep would remove. Every change sweeps for itself, so there is
    /// nothing unless somebody edited the file.
    async fn collect_garbage(
        &self,
        _older_than: Timestamp,
        dry_run: bool,
    ) -> Result<Garbage, StoreError> {
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                let sql = format!(
                    "SELECT count(*), coalesce(sum(size), 0) FROM blob WHERE {UNREFERENCED}"
                );
                let row = s
                    .maybe(&sql, &[])
                    .await?
                    .ok_or_else(|| StoreError::new("no count"))?;
                if !dry_run {
                    s.run(&format!("DELETE FROM blob WHERE {UNREFERENCED}"), &[])
                        .await?;
                }
                Ok(Garbage {
                    rows: row.size(0)?,
                    objects: 0,
                    bytes: row.size(1)?,
                })
            })
        });
        Ok(work.await?)
    }

    async fn export(&self, rows: Sender<Row>) -> Result<(), StoreError> {
        Ok(self
            .connections
            .read(move |connection| copy::export(connection, &rows))
            .await?)
    }

    async fn import(&self, mut parts: Receiver<Part>) -> Result<(), StoreError> {
        let name = self.describe();
        let imported = self
            .connections
            .write(move |connection| copy::import(connection, &name, &mut parts))
            .await;
        self.keyring.forget().await;
        Ok(imported?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::AuditEntry;
    use crate::store::AuditLog as _;

    /// The file has no room for more pages, as on a full disk: one row still fits.
    #[tokio::test]
    async fn a_full_disk_is_not_ready() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Sqlite::open(folder.path()).await.expect("a store");
        store.ready().await.expect("ready");
        let room = async |pages: &'static str| {
            let set = move |c: &mut rusqlite::Connection| {
                let now: i64 = c.pragma_query_value(None, "page_count", |row| row.get(0))?;
                let most = if pages == "none" {
                    now
                } else {
                    i64::from(u32::MAX) - 1
                };
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
