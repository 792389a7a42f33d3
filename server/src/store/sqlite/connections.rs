//! One connection that writes, and some that read.
//!
//! To hand a read to another thread and to take its rows back takes several times as long as to
//! find a row by its key. So one connection finds rows on the threads that answer requests. It is
//! one, so that of these threads one at most waits for a disk.

use std::path::Path;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tokio::sync::{Semaphore, oneshot};

use crate::store::session::{Done, migrations};
use crate::store::{PoolUse, StoreError};

/// The largest number of connections that read at the same time.
const READERS: usize = 8;

/// The longest time that a connection waits for another process.
const BUSY: Duration = Duration::from_secs(10);

/// The statements that make the tables.
const MIGRATIONS: [&str; 22] = migrations!();

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// The connections to one file.
pub(super) struct Connections {
    /// The connection of threads that answer requests. It never waits for another process.
    near: Mutex<Connection>,
    writer: mpsc::Sender<Job>,
    readers: Arc<Readers>,
    permits: Arc<Semaphore>,
}

struct Readers {
    file: std::path::PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Connections {
    /// Opens the file in its folder; both are made if they are missing.
    pub(super) fn open(folder: &Path, file: &Path) -> Result<Self, StoreError> {
        make_private_folder(folder)?;
        let connection = open_for_writing(file)?;
        let near = open_for_reading(file, Duration::ZERO)?;
        let (writer, jobs) = mpsc::channel::<Job>();
        thread::Builder::new()
            .name("upstate-writer".to_owned())
            .spawn(move || write_until_closed(connection, &jobs))
            .map_err(|error| {
                StoreError::new("the thread that writes cannot be started").because(error)
            })?;
        let readers = Arc::new(Readers {
            file: file.to_owned(),
            idle: Mutex::new(Vec::new()),
        });
        Ok(Self {
            near: Mutex::new(near),
            writer,
            readers,
            permits: Arc::new(Semaphore::new(READERS)),
        })
    }

    /// The use of those that read.
    pub(super) fn in_use(&self) -> PoolUse {
        PoolUse {
            most: READERS,
            used: READERS.saturating_sub(self.permits.available_permits()),
            waiting: 0,
        }
    }

    /// Runs `work` on the connection that writes.
    pub(super) async fn write<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Done<R> + Send + 'static,
    ) -> Done<R> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // The caller may have gone; the work is done all the same.
            let _ = answer.send(work(connection));
        });
        self.writer
            .send(job)
            .map_err(|_| StoreError::passing("the thread that writes has ended"))?;
        answered
            .await
            .map_err(|error| StoreError::passing("a transaction was not finished").because(error))?
    }

    /// The connection for short reads on this thread, unless another one uses it.
    pub(super) fn near(&self) -> Option<MutexGuard<'_, Connection>> {
        match self.near.try_lock() {
            Ok(near) => Some(near),
            // The transaction was rolled back when it was dropped.
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Runs `work` on a connection that reads.
    pub(super) async fn read<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Done<R> + Send + 'static,
    ) -> Done<R> {
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .map_err(|error| StoreError::passing("the store is closed").because(error))?;
        let readers = Arc::clone(&self.readers);
        let result = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let idle = readers
                .idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop();
            let mut connection = match idle {
                Some(connection) => connection,
                None => open_for_reading(&readers.file, BUSY)?,
            };
            let result = work(&mut connection);
            readers
                .idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(connection);
            result
        });
        result
            .await
            .map_err(|error| StoreError::new("a read was not finished").because(error))?
    }
}

/// Works until the store is dropped. A panic in one job must not end the others.
fn write_until_closed(mut connection: Connection, jobs: &mpsc::Receiver<Job>) {
    while let Ok(job) = jobs.recv() {
        let caught =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(&mut connection)));
        // The transaction was rolled back when it was dropped.
        if caught.is_err() {
            tracing::error!("a transaction panicked and was rolled back");
        }
    }
    if let Err((_, error)) = connection.close() {
        tracing::warn!(%error, "the SQLite file was not closed cleanly");
    }
}

fn open_for_writing(file: &Path) -> Result<Connection, StoreError> {
    let failed = |error: rusqlite::Error| {
        StoreError::new(format!("{} cannot be opened", file.display())).because(error)
    };
    make_private_file(file)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
    let failed = |fault| {
        StoreError::new(format!("{} cannot be opened", file.display()))
            .because(StoreError::from(fault))
    };
    prepare(&mut connection).map_err(failed)?;
    Ok(connection)
}

/// Sets the connection up, and brings the tables to what this program knows.
fn prepare(connection: &mut Connection) -> Done<()> {
    let mode = use_wal(connection)?;
    if mode != "wal" {
        return Err(StoreError::new(format!(
            "SQLite keeps journal mode {mode:?}; this file system does not allow WAL"
        ))
        .into());
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    keep_statements(connection)?;
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if version > known {
        let text = format!(
            "the store has tables of version {version}, newer than {known}: a newer upstate-server wrote it"
        );
        return Err(StoreError::new(text).into());
    }
    for (number, sql) in (1..).zip(MIGRATIONS) {
        if number > version {
            transaction.execute_batch(sql)?;
        }
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}

/// Keeps changes in a log; gives the mode that the file has now.
fn use_wal(connection: &Connection) -> Done<String> {
    let start = Instant::now();
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0)) {
            // SQLite does not wait here, because each of two that open a new file holds what the
            // other one needs.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < BUSY =>
            {
                thread::sleep(Duration::from_millis(10));
            }
            mode => return Ok(mode?),
        }
    }
}

fn open_for_reading(file: &Path, busy: Duration) -> Done<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(busy)?;
    keep_statements(&connection)?;
    Ok(connection)
}

/// Lets each statement be planned once. Otherwise many are planned again whenever they run, since a
/// parameter may make another plan better.
fn keep_statements(connection: &Connection) -> Done<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(())
}

/// States hold secrets: nobody else on the machine reads them.
fn make_private_folder(folder: &Path) -> Result<(), StoreError> {
    let failed = |error| {
        StoreError::new(format!("the folder {} cannot be made", folder.display())).because(error)
    };
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(failed)
}

fn make_private_file(file: &Path) -> Result<(), StoreError> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let failed = |error| {
        StoreError::new(format!("the file {} cannot be made", file.display())).because(error)
    };
    options.open(file).map(drop).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_that_another_process_begins_is_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("upstate.db");
        let other = Connection::open(&file).expect("a file");
        other
            .execute_batch("BEGIN IMMEDIATE; CREATE TABLE other (id INTEGER)")
            .expect("a transaction");
        let mut connection = Connection::open(&file).expect("a file");
        connection.busy_timeout(BUSY).expect("a time");
        thread::scope(|scope| {
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(200));
                other.execute_batch("COMMIT").expect("it is written");
            });
            let prepared = prepare(&mut connection);
            assert!(prepared.is_ok(), "{prepared:?}");
        });
    }
}
