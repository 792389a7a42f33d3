//! The table in which Terraform's backend `pg` keeps states, in a database that is not one of this
//! service.

use std::fmt;

use deadpool_postgres::Pool;
use tokio_postgres::{Error, Row};

use super::{Settings, pool};
use crate::store::StoreError;
use crate::store::session::Fault;

/// A row of that table, without its state.
#[derive(Debug)]
pub(crate) struct StateRow {
    pub(crate) id: i64,
    /// The name of the workspace.
    pub(crate) name: String,
    pub(crate) is_empty: bool,
    pub(crate) is_locked: bool,
}

/// The table `states` of a schema.
pub(crate) struct StatesTable {
    pool: Pool,
    description: String,
    /// Its name in statements.
    table: String,
}

impl fmt::Debug for StatesTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatesTable")
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

fn failed(error: Error) -> StoreError {
    Fault::from(error).into()
}

impl StatesTable {
    /// Makes ready; nothing is asked of the database yet.
    pub(crate) fn new(settings: &Settings, schema: &str) -> Result<Self, StoreError> {
        let config = pool::config(settings)?;
        let description = format!("schema {schema} of {}", pool::describe(&config));
        // Doubled, because a quote would end the name otherwise.
        let table = format!("\"{}\".states", schema.replace('"', "\"\""));
        Ok(Self {
            pool: pool::pool(config, settings)?,
            description,
            table,
        })
    }

    /// The schema and its database in words, without a password.
    pub(crate) fn describe(&self) -> &str {
        &self.description
    }

    /// The rows, by name. A row is locked while a session has the advisory lock of its id, as
    /// Terraform takes it.
    pub(crate) async fn rows(&self) -> Result<Vec<StateRow>, StoreError> {
        let client = pool::client(&self.pool).await?;
        let sql = format!(
            "SELECT id::bigint, name::text, coalesce(octet_length(data), 0) = 0, EXISTS (SELECT 1 FROM pg_locks
                WHERE locktype = 'advisory' AND classid::bigint = 0 AND objid::bigint = states.id AND objsubid = 1 AND granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
            FROM {} ORDER BY name",
            self.table
        );
        let rows = client.query(sql.as_str(), &[]).await.map_err(failed)?;
        let read = |row: &Row| -> Result<StateRow, Error> {
            let (id, name) = (row.try_get(0)?, row.try_get(1)?);
            Ok(StateRow {
                id,
                name,
                is_empty: row.try_get(2)?,
                is_locked: row.try_get(3)?,
            })
        };
        rows.iter()
            .map(read)
            .collect::<Result<_, _>>()
            .map_err(failed)
    }

    /// The state of a row; `None` if it is larger than so many bytes.
    pub(crate) async fn state(&self, id: i64, most: usize) -> Result<Option<String>, StoreError> {
        let client = pool::client(&self.pool).await?;
        let sql = format!(
            "SELECT CASE WHEN octet_length(data) <= $2::bigint THEN data END FROM {} WHERE id = $1::bigint",
            self.table
        );
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let row = client
            .query_opt(sql.as_str(), &[&id, &most])
            .await
            .map_err(failed)?;
        let row = row.ok_or_else(|| {
            StoreError::new(format!("{} has the row {id} no longer", self.description))
        })?;
        row.try_get(0).map_err(failed)
    }
}
