//! Numbers about a store, for those who watch it.

use async_trait::async_trait;

use super::error::StoreError;
use super::pool_use::PoolUse;
use super::session::{Database, Mode, params};
use super::settings;
use crate::model::{Lock, Timestamp};

/// The beginning of the setting that notes a backup; its time is behind it.
const BACKUP: &str = "backup/";

/// Counts and measures of a store.
#[async_trait]
pub trait Numbers {
    /// The use of its connections; of those that read, where another one writes.
    fn pool_use(&self) -> PoolUse;
    /// The time of each lock of a workspace.
    async fn locked_since(&self) -> Result<Vec<Timestamp>, StoreError>;
    /// The bytes of the database, and of what its bucket holds, before compression.
    async fn size(&self) -> Result<u64, StoreError>;
    /// Notes that a backup was made.
    async fn note_backup(&self, at: Timestamp) -> Result<(), StoreError>;
    /// The time of the newest backup, if one was made.
    async fn last_backup(&self) -> Result<Option<Timestamp>, StoreError>;
}

#[async_trait]
impl<D: Database> Numbers for D {
    fn pool_use(&self) -> PoolUse {
        self.connections()
    }

    async fn locked_since(&self) -> Result<Vec<Timestamp>, StoreError> {
        let sql = "SELECT lock FROM workspace WHERE lock IS NOT NULL AND deleted_at IS NULL";
        let locks = self.every(sql, [], |row| row.json::<Lock>(0)).await?;
        Ok(locks.into_iter().flatten().map(|lock| lock.at).collect())
    }

    async fn size(&self) -> Result<u64, StoreError> {
        Ok(self
            .one(D::DIALECT.size(), [], |row| row.size(0))
            .await?
            .unwrap_or_default())
    }

    async fn note_backup(&self, at: Timestamp) -> Result<(), StoreError> {
        let name = format!("{BACKUP}{:015}", at.as_millis().max(0));
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                settings::set(s, &name).await?;
                let older = "DELETE FROM setting WHERE name LIKE 'backup/%' AND name < $1";
                s.run(older, &params![name]).await.map(drop)
            })
        });
        Ok(work.await?)
    }

    async fn last_backup(&self) -> Result<Option<Timestamp>, StoreError> {
        let sql = "SELECT max(name) FROM setting WHERE name LIKE 'backup/%'";
        let name = self.one(sql, [], |row| row.optional(0)).await?.flatten();
        Ok(name
            .and_then(|name| name.strip_prefix(BACKUP)?.parse::<i64>().ok())
            .map(Timestamp::from_millis))
    }
}
