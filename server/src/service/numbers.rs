//! Metrics that are measured, not counted.

use super::{Failure, Service};
use crate::model::Timestamp;
use crate::store::PoolUse;

/// The seconds since a time, at least one: 0 says that there was none.
fn age(now: Timestamp, at: Timestamp) -> u64 {
    u64::try_from(now.as_seconds().saturating_sub(at.as_seconds()))
        .unwrap_or_default()
        .max(1)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a number that large is read in its first digits"
)]
fn gauge(name: &'static str, value: u64) {
    metrics::gauge!(name).set(value as f64);
}

fn counted(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

impl Service {
    /// Measures locks, connections, the size of the store, and the age of its newest backup.
    pub(crate) async fn measure(&self) -> Result<(), Failure> {
        // First, because it needs no connection: where all of them are in use, the rest cannot be
        // measured.
        let PoolUse {
            most,
            used,
            waiting,
        } = self.store.pool_use();
        gauge("upstate_pool_connections", counted(most));
        gauge("upstate_pool_connections_used", counted(used));
        gauge("upstate_pool_waiting", counted(waiting));
        let since = self.store.locked_since().await?;
        let (size, backup) = (self.store.size().await?, self.store.last_backup().await?);
        let now = self.now();
        gauge("upstate_store_bytes", size);
        gauge(
            "upstate_backup_age_seconds",
            backup.map_or(0, |at| age(now, at)),
        );
        gauge(
            "upstate_oldest_lock_seconds",
            since.iter().min().map_or(0, |at| age(now, *at)),
        );
        gauge("upstate_locks", counted(since.len()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;
    use crate::service::Conduct;
    use crate::store::sqlite::{FILE_NAME, Sqlite};

    #[test]
    fn connections_are_measured_where_the_store_answers_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let service = runtime.block_on(async {
            let store = Sqlite::open(folder.path()).await.expect("a store");
            Service::new(Arc::new(store), Conduct::default())
                .await
                .expect("a service")
        });
        let database =
            rusqlite::Connection::open(folder.path().join(FILE_NAME)).expect("a database");
        database
            .execute_batch("ALTER TABLE workspace RENAME TO gone")
            .expect("a change");
        let recorder = PrometheusBuilder::new().build_recorder();
        let measured =
            metrics::with_local_recorder(&recorder, || runtime.block_on(service.measure()));
        assert!(measured.is_err(), "the store has no table of workspaces");
        let numbers = recorder.handle().render();
        let connections = numbers.lines().find_map(|line| {
            line.strip_prefix("upstate_pool_connections ")?
                .parse::<f64>()
                .ok()
        });
        assert!(connections.is_some_and(|count| count >= 1.0), "{numbers}");
    }
}
