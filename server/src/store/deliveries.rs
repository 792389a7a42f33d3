//! The progress of receivers of the audit log.

use async_trait::async_trait;

use super::error::StoreError;
use super::session::{Database, Mode, params};
use crate::model::Timestamp;

/// The progress of receivers, each by its name.
#[async_trait]
pub trait Deliveries {
    /// Makes a process the one that delivers to a receiver until then, unless another one does at
    /// this time; the number of the last line that the receiver has, or `None`.
    async fn claim_delivery(
        &self,
        target: &str,
        holder: &str,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError>;
    /// Notes that a receiver has all lines up to a number; false if the process is not the one that
    /// delivers to it.
    async fn advance_delivery(
        &self,
        target: &str,
        holder: &str,
        to: i64,
    ) -> Result<bool, StoreError>;
    /// Lets other processes deliver to a receiver.
    async fn release_delivery(&self, target: &str, holder: &str) -> Result<(), StoreError>;
    /// The number of the last line that a receiver has; 0 before the first one.
    async fn delivered(&self, target: &str) -> Result<i64, StoreError>;
}

#[async_trait]
impl<D: Database> Deliveries for D {
    async fn claim_delivery(
        &self,
        target: &str,
        holder: &str,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let sql = "INSERT INTO delivery (target, seq, holder, until) VALUES ($1, 0, $2, $3)
            ON CONFLICT (target) DO UPDATE SET holder = excluded.holder, until = excluded.until
            WHERE delivery.holder IS NULL OR delivery.holder = excluded.holder OR delivery.until <= $4
            RETURNING seq";
        let params = params![target, holder, until, now];
        let work = self.work(Mode::Once, move |s| {
            Box::pin(async move {
                s.maybe(sql, &params)
                    .await?
                    .map(|row| row.int(0))
                    .transpose()
            })
        });
        Ok(work.await?)
    }

    async fn advance_delivery(
        &self,
        target: &str,
        holder: &str,
        to: i64,
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE delivery SET seq = $1 WHERE target = $2 AND holder = $3 AND seq <= $1";
        Ok(self.once(sql, params![to, target, holder]).await? > 0)
    }

    async fn release_delivery(&self, target: &str, holder: &str) -> Result<(), StoreError> {
        let sql =
            "UPDATE delivery SET holder = NULL, until = NULL WHERE target = $1 AND holder = $2";
        self.once(sql, params![target, holder]).await.map(drop)
    }

    async fn delivered(&self, target: &str) -> Result<i64, StoreError> {
        let found = self
            .one(
                "SELECT seq FROM delivery WHERE target = $1",
                params![target],
                |row| row.int(0),
            )
            .await?;
        Ok(found.unwrap_or_default())
    }
}
