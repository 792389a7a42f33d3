//! Garbage, to which nothing refers: rows of bytes, and objects whose row was never written or is
//! gone.

use futures_util::StreamExt as _;

use super::Postgres;
use crate::model::Timestamp;
use crate::store::blobs::{self, UNREFERENCED};
use crate::store::bucket::Bucket;
use crate::store::session::{Database as _, Dialect, Lock, Mode, params};
use crate::store::{Garbage, StoreError};

/// Keeps objects from being deleted until the connection ends.
pub(super) const KEEP_OBJECTS: &str = "SELECT pg_advisory_lock_shared($1)";

/// Keeps objects until the transaction ends.
pub(super) const KEEP_OBJECTS_FOR_NOW: &str = "SELECT pg_advisory_xact_lock_shared($1)";

/// The largest number of rows that are swept in one transaction.
const MANY: i64 = 1000;

impl Postgres {
    /// True if the store is being copied just now. Rows that are gone by now are in no copy that
    /// begins later.
    async fn is_copied(&self) -> Result<bool, StoreError> {
        let is_free = self
            .one(
                "SELECT pg_try_advisory_xact_lock($1)",
                params![Lock::Copy.key()],
                |row| row.bool(0),
            )
            .await?;
        Ok(is_free != Some(true))
    }

    /// Deletes objects whose rows are gone. What is left, because a copy runs or the bucket cannot
    /// be reached, is garbage.
    pub(super) async fn delete(&self, keys: &[String]) {
        let Some(bucket) = &self.bucket else { return };
        if keys.is_empty() {
            return;
        }
        let deleted = match self.is_copied().await {
            Ok(true) => return,
            Ok(false) => bucket.delete(keys).await,
            Err(error) => Err(error),
        };
        if let Err(error) = deleted {
            tracing::warn!(%error, objects = keys.len(), "objects that nothing refers to stay until garbage is collected");
        }
    }

    pub(super) async fn collect(
        &self,
        older_than: Timestamp,
        dry_run: bool,
    ) -> Result<Garbage, StoreError> {
        let mut garbage = Garbage::default();
        let mut from = Vec::new();
        loop {
            let which = format!(
                "SELECT sha256, size FROM blob WHERE sha256 > $1 AND {UNREFERENCED} ORDER BY sha256 LIMIT $2"
            );
            let found = self
                .every(which, params![from, MANY], |row| {
                    Ok((row.sha256(0)?, row.size(1)?))
                })
                .await?;
            garbage.bytes += found.iter().map(|(_, size)| size).sum::<u64>();
            let some: Vec<[u8; 32]> = found.into_iter().map(|(sha256, _)| sha256).collect();
            let Some(last) = some.last() else { break };
            from = last.to_vec();
            if dry_run {
                garbage.rows += u64::try_from(some.len()).unwrap_or(u64::MAX);
                continue;
            }
            // Each is looked at again, now that it is locked.
            let swept = self
                .work(Mode::Write, move |s| {
                    Box::pin(async move { blobs::sweep(s, some).await })
                })
                .await?;
            garbage.rows += swept.rows;
            self.delete(&swept.objects).await;
        }
        if let Some(bucket) = &self.bucket {
            self.collect_objects(bucket, older_than, dry_run, &mut garbage)
                .await?;
        }
        Ok(garbage)
    }

    async fn collect_objects(
        &self,
        bucket: &Bucket,
        older_than: Timestamp,
        dry_run: bool,
        garbage: &mut Garbage,
    ) -> Result<(), StoreError> {
        if !dry_run && self.is_copied().await? {
            return Err(StoreError::passing(
                "the store is being copied; collect garbage when that is done",
            ));
        }
        let mut listed = bucket.written_before(older_than);
        while let Some(some) = listed.next().await {
            let orphans = self.without_a_row(some?).await?;
            garbage.objects += u64::try_from(orphans.len()).unwrap_or(u64::MAX);
            garbage.bytes += orphans.iter().map(|(_, size)| size).sum::<u64>();
            let keys: Vec<String> = orphans.into_iter().map(|(key, _)| key).collect();
            // A copy that began meanwhile needs none of these: they had no row before it began.
            if !dry_run {
                bucket.delete(&keys).await?;
            }
        }
        Ok(())
    }

    async fn without_a_row(
        &self,
        mut objects: Vec<(String, u64)>,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let keys: Vec<String> = objects.iter().map(|(key, _)| key.clone()).collect();
        let sql = format!(
            "SELECT object FROM blob WHERE {}",
            Dialect::Postgres.among("object", 1)
        );
        let named: std::collections::HashSet<String> = self
            .every(sql, params![keys], |row| row.text(0))
            .await?
            .into_iter()
            .collect();
        objects.retain(|(key, _)| !named.contains(key));
        Ok(objects)
    }
}
