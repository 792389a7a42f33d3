//! Sessions of a `SQLite` connection.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use rusqlite::types::{ToSqlOutput, Value as Sql, ValueRef};
use rusqlite::{Connection, ErrorCode, ToSql, ffi};

use super::Sqlite;
use super::connections::Connections;
use crate::content::hex;
use crate::store::bucket::Bucket;
use crate::store::encryption::Keyring;
use crate::store::session::{
    Answer, Cell, Database, Dialect, Done, Fault, Mode, Param, Row, Session, wrong,
};
use crate::store::value::Value;
use crate::store::{PoolUse, StoreError};

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        let extended = error.sqlite_error().map(|error| error.extended_code);
        let is_duplicate = extended.is_some_and(|code| {
            [
                ffi::SQLITE_CONSTRAINT_UNIQUE,
                ffi::SQLITE_CONSTRAINT_PRIMARYKEY,
            ]
            .contains(&code)
        });
        let is_passing = matches!(
            code,
            Some(
                ErrorCode::DatabaseBusy
                    | ErrorCode::DatabaseLocked
                    | ErrorCode::DiskFull
                    | ErrorCode::SystemIoFailure
                    // Too many open files, or no memory for one more.
                    | ErrorCode::CannotOpen
                    | ErrorCode::OutOfMemory
            )
        );
        let what = "SQLite refused";
        let error = if is_passing {
            StoreError::passing(what)
        } else if extended == Some(ffi::SQLITE_CONSTRAINT_FOREIGNKEY) {
            StoreError::broken_reference(what)
        } else {
            StoreError::new(what)
        }
        .because(error);
        // It does not name the index.
        if is_duplicate {
            Self::duplicate(error, None)
        } else {
            error.into()
        }
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Sql::Null),
            Self::Int(number) => ToSqlOutput::from(*number),
            Self::Bool(is) => ToSqlOutput::from(*is),
            Self::Text(text) => ToSqlOutput::from(text.as_str()),
            Self::Bytes(bytes) => ToSqlOutput::from(bytes.as_slice()),
        })
    }
}

impl ToSql for Param {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let json = |texts: serde_json::Result<String>| {
            texts
                .map(ToSqlOutput::from)
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
        };
        match self {
            Self::One(value) => value.to_sql(),
            Self::Texts(texts) => json(serde_json::to_string(texts)),
            Self::Hashes(hashes) => json(serde_json::to_string(
                &hashes.iter().map(|hash| hex(hash)).collect::<Vec<_>>(),
            )),
        }
    }
}

/// A value as the file has it.
pub(super) fn value(column: usize, found: ValueRef<'_>) -> Done<Value> {
    Ok(match found {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Text(text) => Value::Text(
            std::str::from_utf8(text)
                .map_err(|error| wrong(column, error))?
                .to_owned(),
        ),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_owned()),
        ValueRef::Real(_) => return Err(wrong(column, "it is a fraction")),
    })
}

/// A connection whose commits do not wait for the disk. Those after it do again, also where the work
/// panicked: they are acknowledged.
struct OnDiskSoon<'c>(&'c mut Connection);

impl<'c> OnDiskSoon<'c> {
    fn of(connection: &'c mut Connection) -> Done<Self> {
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(Self(connection))
    }
}

impl Drop for OnDiskSoon<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.pragma_update(None, "synchronous", "FULL") {
            tracing::error!(%error, "SQLite does not wait for the disk any more");
        }
    }
}

/// A connection, in a transaction or on its own. A transaction that nobody ended is rolled back.
struct OnConnection<'c>(&'c mut Connection);

impl Drop for OnConnection<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit()
            && let Err(error) = self.0.execute_batch("ROLLBACK")
        {
            tracing::warn!(%error, "a transaction was not rolled back");
        }
    }
}

#[async_trait]
impl Session for OnConnection<'_> {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    async fn all(&mut self, sql: &str, params: &[Param]) -> Done<Vec<Row>> {
        let mut statement = self.0.prepare_cached(sql)?;
        bind(&mut statement, params)?;
        let columns = statement.column_count();
        let mut rows = statement.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let cells =
                (0..columns).map(|column| value(column, row.get_ref(column)?).map(Cell::One));
            found.push(Row(cells.collect::<Done<_>>()?));
        }
        Ok(found)
    }

    async fn run(&mut self, sql: &str, params: &[Param]) -> Done<u64> {
        let mut statement = self.0.prepare_cached(sql)?;
        bind(&mut statement, params)?;
        Ok(u64::try_from(statement.raw_execute()?).unwrap_or(u64::MAX))
    }
}

/// Gives a statement its parameters by their names, because `SQLite` numbers `$2` by where it first
/// comes.
fn bind(statement: &mut rusqlite::Statement<'_>, params: &[Param]) -> rusqlite::Result<()> {
    for (number, param) in (1..).zip(params) {
        statement.raw_bind_parameter(format!("${number}").as_str(), param)?;
    }
    Ok(())
}

/// The end of work on this connection, which never waits for anything else.
fn finished<R>(mut work: Answer<'_, R>) -> Done<R> {
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => Err(StoreError::new(
            "a transaction waited for something else than its statements",
        )
        .into()),
    }
}

/// Runs work in a transaction that begins with this statement.
fn in_transaction<R>(
    connection: &mut Connection,
    begin: &str,
    work: impl for<'s> FnOnce(&'s mut dyn Session) -> Answer<'s, R>,
) -> Done<R> {
    connection.prepare_cached(begin)?.execute(())?;
    in_begun(OnConnection(connection), work)
}

/// Runs work in a transaction that has begun.
fn in_begun<R>(
    session: OnConnection<'_>,
    work: impl for<'s> FnOnce(&'s mut dyn Session) -> Answer<'s, R>,
) -> Done<R> {
    let mut session = session;
    let done = finished(work(&mut session))?;
    session.0.prepare_cached("COMMIT")?.execute(())?;
    Ok(done)
}

/// Runs short work on this thread. The work comes back where it would wait: for another thread, or
/// for another process.
fn at_once<R, F>(connections: &Connections, work: F) -> Result<Done<R>, F>
where
    F: for<'s> FnOnce(&'s mut dyn Session) -> Answer<'s, R>,
{
    let Some(mut near) = connections.near() else {
        return Err(work);
    };
    let session = OnConnection(&mut near);
    // The first row that is looked for decides which moment is read, and whether the file can be;
    // the others never wait.
    let begun = ["BEGIN", "SELECT 1 FROM setting LIMIT 1"]
        .into_iter()
        .try_for_each(|sql| {
            let mut statement = session.0.prepare_cached(sql)?;
            statement.query(())?.next().map(drop)
        });
    if begun.is_err() {
        Err(work)
    } else {
        Ok(in_begun(session, work))
    }
}

/// Takes the lock of the writer when it begins, so that it never has to be run again.
const WRITE: &str = "BEGIN IMMEDIATE";

impl Database for Sqlite {
    const DIALECT: Dialect = Dialect::Sqlite;

    fn keys(&self) -> &Arc<Keyring> {
        &self.keyring
    }

    fn bucket(&self) -> Option<&Arc<Bucket>> {
        None
    }

    fn connections(&self) -> PoolUse {
        self.connections.in_use()
    }

    async fn delete_objects(&self, _: &[String]) {}

    async fn vacuum(&self) -> Result<Option<String>, StoreError> {
        let emptied = self.connections.write(|connection| {
            // Pages that were freed before may still hold what was plain, and so may the log of
            // writes.
            connection.execute_batch("VACUUM")?;
            let busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0))?;
            Ok(busy
                .then(|| "the file upstate.db-wal is in use by a server; it holds plain data until the server ends".to_owned()))
        });
        Ok(emptied.await?)
    }

    async fn work<R, F>(&self, mode: Mode, work: F) -> Done<R>
    where
        R: Send + 'static,
        F: for<'s> FnOnce(&'s mut dyn Session) -> Answer<'s, R> + Send + 'static,
    {
        let writes = match mode {
            Mode::Row | Mode::Rows => match at_once(&self.connections, work) {
                Ok(done) => return done,
                Err(work) => {
                    return self
                        .connections
                        .read(|connection| in_transaction(connection, "BEGIN", work))
                        .await;
                }
            },
            Mode::Look | Mode::Read | Mode::ReadAudit => {
                return self
                    .connections
                    .read(|connection| in_transaction(connection, "BEGIN", work))
                    .await;
            }
            Mode::Once | Mode::Write => {
                self.connections
                    .write(|connection| in_transaction(connection, WRITE, work))
                    .await
            }
            Mode::Soon => {
                let soon = |connection: &mut Connection| {
                    let soon = OnDiskSoon::of(connection)?;
                    in_transaction(soon.0, WRITE, work)
                };
                self.connections.write(soon).await
            }
        };
        // Until it can be written again: see `ready`.
        if writes.as_ref().is_err_and(Fault::is_passing) {
            self.failing.store(true, Ordering::Relaxed);
        }
        writes
    }
}

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;
    use std::sync::atomic::AtomicBool;

    use futures_util::FutureExt as _;
    use rusqlite::StatementStatus;

    use super::*;

    /// Rows are found on the thread that asks, and on another one while that would wait.
    #[tokio::test]
    async fn rows_are_found_whoever_uses_the_connection_at_hand() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Sqlite::open(folder.path()).await.expect("a store");
        let here = std::thread::current().id();
        let found_here = async || {
            let work = store.work(Mode::Row, move |s| {
                Box::pin(async move {
                    s.all("SELECT 1 FROM workspace", &[]).await?;
                    Ok(std::thread::current().id() == here)
                })
            });
            work.await
                .map_err(StoreError::from)
                .expect("a store that is read")
        };
        assert!(found_here().await);
        let is_used = Arc::new(AtomicBool::new(false));
        std::thread::scope(|scope| {
            let (store, used) = (&store, Arc::clone(&is_used));
            let holder = scope.spawn(move || {
                let near = store.connections.near().expect("the connection");
                used.store(true, Ordering::Release);
                std::thread::park();
                drop(near);
            });
            while !is_used.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            assert!(
                !found_here().now_or_never().unwrap_or_default(),
                "two used one connection"
            );
            holder.thread().unpark();
        });
        let fails = store.work::<(), _>(Mode::Row, |_| Box::pin(async { panic!("on purpose") }));
        assert!(AssertUnwindSafe(fails).catch_unwind().await.is_err());
        assert!(found_here().await, "it is not usable any more");
    }

    #[tokio::test]
    async fn commits_wait_for_the_disk_after_one_that_did_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Sqlite::open(folder.path()).await.expect("a store");
        let waits = async |mode| {
            let level = store.work(mode, |s| {
                Box::pin(async move {
                    let found = s.all("PRAGMA synchronous", &[]).await?;
                    found.first().map(|row| row.int(0)).transpose()
                })
            });
            level.await.map_err(StoreError::from).expect("a level")
        };
        let (once, soon) = (waits(Mode::Once).await, waits(Mode::Soon).await);
        assert_ne!(once, soon);
        assert_eq!(waits(Mode::Once).await, once);
        let fails = store.work::<(), _>(Mode::Soon, |_| Box::pin(async { panic!("on purpose") }));
        assert!(fails.await.is_err());
        assert_eq!(waits(Mode::Once).await, once);
    }

    /// Otherwise a parameter that may make another plan better has a statement planned again each
    /// time.
    #[tokio::test]
    async fn statements_are_planned_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Sqlite::open(folder.path()).await.expect("a store");
        let sql = "SELECT id FROM state_version WHERE id = $1
            AND EXISTS (SELECT 1 FROM workspace WHERE workspace.id = state_version.workspace AND workspace.deleted_at IS NULL)";
        for id in ["sv-1", "sv-2", "sv-3"] {
            let find = store.work(Mode::Row, move |s| {
                Box::pin(async move { s.all(sql, &[id.into()]).await })
            });
            assert!(
                find.await
                    .map_err(StoreError::from)
                    .expect("a store that is read")
                    .is_empty()
            );
        }
        let near = store.connections.near().expect("the connection");
        let statement = near.prepare_cached(sql).expect("a statement");
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }
}
