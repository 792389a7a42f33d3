//! The progress of receivers of the audit log.

use async_trait::async_trait;
use rusqlite::OptionalExtension as _;

use super::Sqlite;
use crate::model::Timestamp;
use crate::store::StoreError;
use crate::store::deliveries::{Deliveries, sql};

#[async_trait]
impl Deliveries for Sqlite {
    async fn claim_delivery(
        &self,
        target: &str,
        holder: &str,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let values = (target.to_owned(), holder.to_owned(), until.as_millis(), now.as_millis());
        self.write(move |t| Ok(t.prepare_cached(sql::CLAIM)?.query_row(values, |row| row.get(0)).optional()?)).await
    }

    async fn advance_delivery(&self, target: &str, holder: &str, to: i64) -> Result<bool, StoreError> {
        let values = (to, target.to_owned(), holder.to_owned());
        self.write(move |t| Ok(t.prepare_cached(sql::ADVANCE)?.execute(values)? > 0)).await
    }

    async fn release_delivery(&self, target: &str, holder: &str) -> Result<(), StoreError> {
        let values = (target.to_owned(), holder.to_owned());
        self.write(move |t| Ok(t.prepare_cached(sql::RELEASE)?.execute(values).map(drop)?)).await
    }

    async fn delivered(&self, target: &str) -> Result<i64, StoreError> {
        let target = target.to_owned();
        self.read(move |t| {
            let found: Option<i64> = t.prepare_cached(sql::DELIVERED)?.query_row([target], |row| row.get(0)).optional()?;
            Ok(found.unwrap_or_default())
        })
        .await
    }
}
