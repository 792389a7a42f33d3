//! Everything that a store holds, row by row: from one store into another, into an archive, and out
//! of it.
//!
//! All stores have the same tables, which [`TABLES`] lists; a store gives their rows in this order
//! ([`Store::export`]), all of the same moment, and takes them ([`Store::import`]) in one
//! transaction.

mod archive;
mod tables;

pub use super::value::Value;
pub use archive::{back_up, restore};
pub(in crate::store) use tables::BLOB;
pub use tables::{Kind, Row, TABLES, Table};

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::encryption::{Keyring, with_keys};
use super::pack;
use super::{Page, Store, StoreError};
use crate::model::AuditFilter;

/// The largest number of rows that wait between reader and writer: one may hold a whole state.
const WAITING: usize = 4;

/// Brings the rows of older archives to what this release knows of projects and teams; those of
/// this release are left as they are.
pub(in crate::store) const PEOPLE: &str = include_str!("../people.sql");

/// The query that says whether a store holds anything.
pub(in crate::store) const USED: &str = r#"SELECT EXISTS (SELECT 1 FROM organization) OR EXISTS (SELECT 1 FROM "user") OR EXISTS (SELECT 1 FROM audit)"#;

/// A part of an import.
#[derive(Debug)]
pub enum Part {
    /// A row.
    Row(Row),
    /// That was all: only now it may be kept.
    End,
}

/// The counts and the digest of the rows that were copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// The number of rows.
    pub rows: u64,
    /// The number of bytes of states, as clients sent them.
    pub bytes: u64,
    /// SHA-256 of all rows.
    pub sha256: [u8; 32],
}

/// Rows on their way: counted, hashed, and their bytes checked.
#[derive(Default)]
pub(super) struct Seen {
    rows: u64,
    bytes: u64,
    hash: Sha256,
}

impl Seen {
    /// Looks at a row; as a line of JSON.
    pub(super) fn look(&mut self, row: &Row) -> Result<Vec<u8>, StoreError> {
        if let Some(kept) = row.blob() {
            self.bytes += u64::try_from(kept.size).unwrap_or_default();
        }
        let line = row.to_line()?;
        self.hash.update(&line);
        self.rows += 1;
        Ok(line)
    }

    /// Looks at a line of an archive as it is there: an older release wrote fewer values than the
    /// row has now.
    pub(super) fn look_at_line(&mut self, line: &[u8]) {
        self.hash.update(line);
        self.rows += 1;
    }

    pub(super) fn end(self) -> Copied {
        Copied {
            rows: self.rows,
            bytes: self.bytes,
            sha256: self.hash.finalize().into(),
        }
    }
}

/// The tables to which [`PEOPLE`] adds rows.
const WITH_MORE: [&str; 3] = ["project", "team", "team_member"];

/// The columns that [`PEOPLE`] changes, with their tables.
const CHANGED: [(&str, &str); 2] = [("workspace", "project"), ("token", "permissions")];

/// The rows of each table, hashed, to compare an archive with the store that took it: older
/// releases had the tables in another order.
#[derive(Default)]
pub(super) struct Tables {
    bytes: u64,
    hashes: BTreeMap<&'static str, Sha256>,
    /// The rows of the tables with a column that [`PEOPLE`] changes, without it.
    unchanged: BTreeMap<&'static str, Sha256>,
}

impl Tables {
    /// Looks at a row.
    pub(super) fn look(&mut self, row: &Row) -> Result<(), StoreError> {
        if let Some(kept) = row.blob() {
            self.bytes += u64::try_from(kept.size).unwrap_or_default();
        }
        let name = row.table.name;
        self.hashes.entry(name).or_default().update(row.to_line()?);
        if let Some((_, changed)) = CHANGED.iter().find(|(table, _)| *table == name) {
            let mut row = row.clone();
            for (value, (column, _)) in row.values.iter_mut().zip(row.table.columns) {
                if column == changed {
                    *value = Value::Null;
                }
            }
            self.unchanged
                .entry(name)
                .or_default()
                .update(row.to_line()?);
        }
        Ok(())
    }

    /// The number of bytes of states, as clients sent them.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// True if they come from a release without projects: each organization has one in all later
    /// ones.
    pub(super) fn is_older(&self) -> bool {
        self.hashes.contains_key("organization") && !self.hashes.contains_key("project")
    }

    /// The digest of each table; `is_older` leaves out what [`PEOPLE`] adds and changes.
    pub(super) fn digests(self, is_older: bool) -> BTreeMap<&'static str, [u8; 32]> {
        let mut hashes = self.hashes;
        if is_older {
            hashes.retain(|name, _| !WITH_MORE.contains(name));
            hashes.extend(self.unchanged);
        }
        hashes
            .into_iter()
            .map(|(name, hash)| (name, hash.finalize().into()))
            .collect()
    }
}

/// Reads the bytes of a row, if it has some: they must be what their SHA-256 says. Encrypted ones
/// are left alone without the operator's key.
pub(super) fn check(row: &Row, keyring: &Keyring) -> Result<(), StoreError> {
    match row.blob() {
        Some(kept) if kept.key.is_none() || keyring.service().is_some() => {
            pack::read(kept, keyring).map(drop)
        }
        Some(_) | None => Ok(()),
    }
}

fn broke_off() -> StoreError {
    StoreError::new("the copy broke off")
}

/// Takes a row where it is wanted.
async fn send<T>(to: &Sender<T>, what: T) -> Result<(), StoreError> {
    to.send(what).await.map_err(|_| broke_off())
}

/// Reads all of a store; what is read goes to `to`, if anywhere.
async fn read(from: &dyn Store, to: Option<&Sender<Part>>) -> Result<Copied, StoreError> {
    let mut seen = Seen::default();
    each(from, to, |row| seen.look(row).map(drop)).await?;
    Ok(seen.end())
}

/// Looks at each row of a store; what is read goes to `to`, if anywhere.
async fn each(
    from: &dyn Store,
    to: Option<&Sender<Part>>,
    mut look: impl FnMut(&Row) -> Result<(), StoreError> + Send,
) -> Result<(), StoreError> {
    let (sender, mut rows) = mpsc::channel(WAITING);
    let looking = async {
        while let Some(row) = rows.recv().await {
            look(&row)?;
            with_keys!(from, check(&row, from.keyring()))?;
            if let Some(to) = to {
                send(to, Part::Row(row)).await?;
            }
        }
        // This makes the block own `rows`, so that an export that still sends fails instead of
        // waiting if a look fails.
        drop(rows);
        Ok::<_, StoreError>(())
    };
    let (exported, looked) = tokio::join!(from.export(sender), looking);
    // Where looking failed, the export broke off for that reason.
    looked?;
    exported
}

/// Copies everything into an empty store, reads it back from there, and compares.
///
/// # Errors
/// If a store fails, the other one is not empty, bytes do not have the SHA-256 under which they are
/// kept, or the first store was written to meanwhile. But for the last, the second store is left
/// empty.
pub async fn copy(from: &dyn Store, to: &dyn Store) -> Result<Copied, StoreError> {
    let before = lines_of_audit(from).await?;
    let (sender, parts) = mpsc::channel(WAITING);
    let reading = async {
        let copied = read(from, Some(&sender)).await?;
        send(&sender, Part::End).await?;
        drop(sender);
        Ok::<_, StoreError>(copied)
    };
    let copied = joined(reading, to.import(parts)).await?;
    let found = read(to, None).await?;
    if found != copied {
        return Err(StoreError::new(format!(
            "the copy differs from its source: {} rows of {}. Use the source, and report this",
            found.rows, copied.rows
        )));
    }
    let written = lines_of_audit(from).await?.saturating_sub(before);
    if written > 0 {
        return Err(StoreError::new(format!(
            "{} was written to while it was copied, {written} times by its audit log, and the copy lacks that. End every server on it, and \
             copy it again into another empty store",
            from.describe()
        )));
    }
    Ok(copied)
}

/// Runs who reads and who writes. Where writing failed, reading broke off for that reason.
async fn joined<T>(
    reading: impl Future<Output = Result<T, StoreError>>,
    writing: impl Future<Output = Result<(), StoreError>>,
) -> Result<T, StoreError> {
    let (read, written) = tokio::join!(reading, writing);
    match (read, written) {
        (Ok(copied), Ok(())) => Ok(copied),
        (Err(error), Err(other)) => Err(if other.to_string() == broke_off().to_string() {
            error
        } else {
            other
        }),
        (Err(error), Ok(())) | (Ok(_), Err(error)) => Err(error),
    }
}

/// Every change writes to the audit log.
async fn lines_of_audit(store: &dyn Store) -> Result<u64, StoreError> {
    Ok(store
        .audit(&AuditFilter::default(), Page::first(1))
        .await?
        .total)
}

/// The error of a store that has to be empty and is not.
pub(super) fn not_empty(store: &str) -> StoreError {
    StoreError::new(format!(
        "{store} is not empty; name a folder or a database that holds nothing yet"
    ))
}

/// The next part; an error if it never comes.
pub(super) fn received(part: Option<Part>) -> Result<Part, StoreError> {
    part.ok_or_else(broke_off)
}

/// Rows of an import, for a thread that may wait.
pub(super) fn next(parts: &mut Receiver<Part>) -> Result<Part, StoreError> {
    received(parts.blocking_recv())
}

/// A row of an export, from a thread that may wait.
pub(super) fn give(rows: &Sender<Row>, row: Row) -> Result<(), StoreError> {
    rows.blocking_send(row).map_err(|_| broke_off())
}

/// A row of an export.
pub(super) async fn hand_over(rows: &Sender<Row>, row: Row) -> Result<(), StoreError> {
    send(rows, row).await
}
