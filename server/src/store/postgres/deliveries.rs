//! The progress of receivers of the audit log.

use async_trait::async_trait;

use super::Postgres;
use super::pool::Fault;
use super::sql::{Text, maybe, run};
use crate::model::Timestamp;
use crate::store::StoreError;
use crate::store::deliveries::{Deliveries, sql};

#[async_trait]
impl Deliveries for Postgres {
    async fn claim_delivery(
        &self,
        target: &str,
        holder: &str,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let values: super::sql::Values<'_> = &[&Text(target), &Text(holder), &until.as_millis(), &now.as_millis()];
        let row = maybe(&self.client().await?, sql::CLAIM, values).await?;
        Ok(row.map(|row| row.try_get(0)).transpose().map_err(Fault::from)?)
    }

    async fn advance_delivery(&self, target: &str, holder: &str, to: i64) -> Result<bool, StoreError> {
        Ok(run(&self.client().await?, sql::ADVANCE, &[&to, &Text(target), &Text(holder)]).await? > 0)
    }

    async fn release_delivery(&self, target: &str, holder: &str) -> Result<(), StoreError> {
        run(&self.client().await?, sql::RELEASE, &[&Text(target), &Text(holder)]).await?;
        Ok(())
    }

    async fn delivered(&self, target: &str) -> Result<i64, StoreError> {
        let row = maybe(&self.client().await?, sql::DELIVERED, &[&Text(target)]).await?;
        Ok(row.map(|row| row.try_get(0)).transpose().map_err(Fault::from)?.unwrap_or_default())
    }
}
