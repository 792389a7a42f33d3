//! Metrics that are measured, not counted.

use super::{Failure, Service};
use crate::model::Timestamp;
use crate::store::PoolUse;

/// The seconds since a time, at least one: 0 says that there was none.
fn age(now: Timestamp, at: Timestamp) -> u64 {
    u64::try_from(now.as_seconds().saturating_sub(at.as_seconds())).unwrap_or_default().max(1)
}

#[expect(clippy::cast_precision_loss, reason = "a number that large is read in its first digits")]
fn gauge(name: &'static str, value: u64) {
    metrics::gauge!(name).set(value as f64);
}

fn counted(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

impl Service {
    /// Measures locks, connections, the size of the store, and the age of its newest backup.
    pub(crate) async fn measure(&self) -> Result<(), Failure> {
        let since = self.store.locked_since().await?;
        let (size, backup) = (self.store.size().await?, self.store.last_backup().await?);
        let PoolUse { most, used, waiting } = self.store.pool_use();
        let now = self.now();
        gauge("upstate_store_bytes", size);
        gauge("upstate_backup_age_seconds", backup.map_or(0, |at| age(now, at)));
        gauge("upstate_pool_connections", counted(most));
        gauge("upstate_pool_connections_used", counted(used));
        gauge("upstate_pool_waiting", counted(waiting));
        gauge("upstate_oldest_lock_seconds", since.iter().min().map_or(0, |at| age(now, *at)));
        gauge("upstate_locks", counted(since.len()));
        Ok(())
    }
}
