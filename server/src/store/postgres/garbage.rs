//! What nothing refers to: rows of bytes, and objects whose row never came or is gone.

use futures_util::StreamExt as _;

use super::blobs::{self, UNREFERENCED};
use super::pool::{begin, done};
use super::sql::{self, Text, optional, sha256, size};
use super::{Fault, Postgres};
use crate::model::Timestamp;
use crate::store::bucket::Bucket;
use crate::store::{Garbage, StoreError};

/// Held, shared, by everybody who copies the store or fills it: what is copied is as it was when the copy began, objects included, and
/// objects of a long import have no rows before it ends.
pub(super) const COPYING: i64 = 0x7570_7374_6174_6501;

/// Keeps objects from being deleted until the connection ends.
pub(super) const KEEP_OBJECTS: &str = "SELECT pg_advisory_lock_shared($1)";

/// Keeps objects until the transaction ends.
pub(super) const KEEP_OBJECTS_FOR_NOW: &str = "SELECT pg_advisory_xact_lock_shared($1)";

/// How many rows are swept in one transaction.
const MANY: i64 = 1000;

impl Postgres {
    /// Whether somebody copies the store just now. Rows that are gone by now are in no copy that begins later.
    async fn is_copied(&self) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let row = sql::maybe(&t, "SELECT pg_try_advisory_xact_lock($1)", &[&COPYING]).await?;
        let is_free: Option<bool> = row.map(|row| row.try_get(0)).transpose().map_err(Fault::from)?;
        done(t).await?;
        Ok(is_free != Some(true))
    }

    /// Deletes objects whose rows are gone. What is left, because a copy runs or the bucket cannot be reached, is garbage.
    pub(super) async fn delete_objects(&self, keys: &[String]) {
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

    pub(super) async fn collect(&self, older_than: Timestamp, dry_run: bool) -> Result<Garbage, StoreError> {
        let mut garbage = Garbage::default();
        let mut from = Vec::new();
        loop {
            let mut client = self.client().await?;
            let t = begin(&mut client).await?;
            let which = format!("SELECT sha256, size FROM blob WHERE sha256 > $1 AND {UNREFERENCED} ORDER BY sha256 LIMIT $2");
            let mut some = Vec::new();
            for row in sql::all(&t, &which, &[&from, &MANY]).await? {
                garbage.bytes += size(&row, 1)?;
                some.extend(sha256(&row, 0)?);
            }
            let Some(last) = some.last() else { break };
            from = last.to_vec();
            if dry_run {
                garbage.rows += u64::try_from(some.len()).unwrap_or(u64::MAX);
                continue;
            }
            let swept = blobs::sweep(&t, &some).await?;
            done(t).await?;
            drop(client);
            garbage.rows += swept.rows;
            self.delete_objects(&swept.objects).await;
        }
        if let Some(bucket) = &self.bucket {
            self.collect_objects(bucket, older_than, dry_run, &mut garbage).await?;
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
            return Err(StoreError::passing("the store is being copied; collect garbage when that is done"));
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

    async fn without_a_row(&self, mut objects: Vec<(String, u64)>) -> Result<Vec<(String, u64)>, StoreError> {
        let keys: Vec<Text<'_>> = objects.iter().map(|(key, _)| Text(key)).collect();
        let rows = sql::all(&self.client().await?, "SELECT object FROM blob WHERE object = ANY($1)", &[&keys]).await?;
        let mut named = std::collections::HashSet::new();
        for row in &rows {
            named.extend(optional(row, 0)?);
        }
        objects.retain(|(key, _)| !named.contains(key));
        Ok(objects)
    }
}
