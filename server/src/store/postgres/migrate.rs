//! The tables, brought to what this program knows.

use std::time::Duration;

use deadpool_postgres::Pool;

use super::pool::{begin, client, done};
use crate::store::StoreError;
use crate::store::session::{Done, Fault, Lock, migrations};

/// The statements that make the tables.
const MIGRATIONS: [&str; 22] = migrations!();

/// The longest time that a process waits for another one that brings the tables up.
const PATIENCE: Duration = Duration::from_mins(10);

/// Applies what is missing, in one transaction.
pub(super) async fn migrate(pool: &Pool) -> Result<(), StoreError> {
    let mut client = client(pool).await?;
    let t = begin(&mut client).await?;
    check_server(&t).await?;
    let version = apply(&t).await?;
    let known = i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX);
    if version > known {
        let text = format!(
            "the store has tables of version {version}, newer than {known}: a newer upstate-server wrote it"
        );
        return Err(StoreError::new(text));
    }
    done(t).await
}

async fn apply(t: &deadpool_postgres::Transaction<'_>) -> Done<i32> {
    t.batch_execute(&format!(
        "SET LOCAL lock_timeout = '{}s'; SELECT pg_advisory_xact_lock({})",
        PATIENCE.as_secs(),
        Lock::Migrate.key()
    ))
    .await?;
    t.batch_execute(
        "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL DEFAULT now())",
    )
    .await?;
    // By its text alone: the table may be new.
    let row = t
        .query_one("SELECT coalesce(max(version), 0) FROM schema_version", &[])
        .await?;
    let version: i32 = row.try_get(0)?;
    for (number, sql) in (1..).zip(MIGRATIONS) {
        if number > version {
            t.batch_execute(sql).await?;
            t.execute(
                "INSERT INTO schema_version (version) VALUES ($1)",
                &[&number],
            )
            .await?;
        }
    }
    Ok(version)
}

/// Refuses a database that cannot hold every text, and warns of one that may lose what it
/// acknowledged.
async fn check_server(t: &deadpool_postgres::Transaction<'_>) -> Result<(), StoreError> {
    let sql = "SELECT current_setting('server_encoding'), current_setting('fsync'), current_setting('full_page_writes')";
    let row = t.query_one(sql, &[]).await.map_err(Fault::from)?;
    let setting = |column| row.try_get::<_, String>(column).map_err(Fault::from);
    let encoding = setting(0)?;
    if encoding != "UTF8" {
        return Err(StoreError::new(format!(
            "the database has encoding {encoding}; make one with ENCODING 'UTF8'"
        )));
    }
    for (column, name) in [(1, "fsync"), (2, "full_page_writes")] {
        if setting(column)? == "off" {
            tracing::warn!(
                "PostgreSQL runs with {name} = off: if its machine crashes, states that were acknowledged may be lost"
            );
        }
    }
    Ok(())
}
