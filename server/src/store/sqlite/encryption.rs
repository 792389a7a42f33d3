//! Data keys, and rows under them.

use std::sync::Arc;

use async_trait::async_trait;
use rusqlite::{OptionalExtension as _, Row, Transaction};

use super::connections::Fault;
use super::{Sqlite, rows};
use crate::model::ContentKind;
use crate::store::StoreError;
use crate::store::encryption::{self, DataKey, Keyring, Sealing, Share, StoredKey, Subject, Wrapped};
use crate::store::pack::{self, Kept};

type Done<T> = Result<T, Fault>;

/// The number of states that are encrypted in one transaction: other writers wait for it.
const STATES: u32 = 8;

/// The number of small rows in one transaction.
const ROWS: u32 = 500;

fn stored_key(row: &Row<'_>) -> rusqlite::Result<StoredKey> {
    let wrapped = Wrapped { by: row.get(1)?, bytes: row.get(2)? };
    Ok(StoredKey { id: row.get(0)?, wrapped, created_at: rows::time(row, 3)? })
}

/// A secret of the server's, made if it is missing.
pub(super) fn secret(t: &Transaction<'_>, keyring: &Keyring, key: Option<&DataKey>, name: &str) -> Done<[u8; 32]> {
    let subject = Subject::Secret { name };
    let row = format!("secret/{name}");
    let new = crate::random::secret();
    let value = key.map_or_else(|| Ok(new.to_vec()), |key| key.seal(&new, &subject))?;
    t.execute("INSERT OR IGNORE INTO setting (name, value, data_key) VALUES (?1, ?2, ?3)", (&row, value, key.map(DataKey::id)))?;
    let (value, sealed_with): (Vec<u8>, Option<String>) =
        t.query_row("SELECT value, data_key FROM setting WHERE name = ?1", [&row], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let secret = keyring.open(sealed_with.as_deref(), value, &subject)?;
    <[u8; 32]>::try_from(secret.as_slice()).map_err(|error| StoreError::new("a secret has 32 bytes").because(error).into())
}

/// The condition of the rows that are worked on: those that are plain, or all that another key encrypts.
fn others(column: &str, renew: bool) -> String {
    if renew { format!("{column} IS NOT ?1") } else { format!("{column} IS NULL AND ?1 IS NOT NULL") }
}

fn encrypt_bytes(t: &Transaction<'_>, keyring: &Keyring, key: &DataKey, renew: bool) -> Done<usize> {
    let sql = format!("SELECT sha256, size, bytes, data_key FROM blob WHERE {} LIMIT ?2", others("data_key", renew));
    let mut statement = t.prepare_cached(&sql)?;
    let found = statement.query_map((key.id(), STATES), |row| {
        Ok(Kept { sha256: row.get(0)?, size: row.get(1)?, bytes: row.get(2)?, key: row.get(3)? })
    })?;
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let count = found.len();
    for kept in found {
        let sha256 = kept.sha256;
        let bytes = pack::resealed(kept, keyring, key)?;
        t.prepare_cached("UPDATE blob SET bytes = ?2, data_key = ?3 WHERE sha256 = ?1")?.execute((sha256, bytes, key.id()))?;
    }
    Ok(count)
}

fn encrypt_outputs(t: &Transaction<'_>, keyring: &Keyring, key: &DataKey, renew: bool) -> Done<usize> {
    let sql = format!("SELECT {} FROM output WHERE {} LIMIT ?2", rows::OUTPUT, others("data_key", renew));
    let mut statement = t.prepare_cached(&sql)?;
    let found = statement.query_map((key.id(), ROWS), rows::output)?.collect::<Result<Vec<_>, _>>()?;
    let count = found.len();
    for (output, old, workspace) in found {
        let subject_key = old.as_deref();
        let output =
            if subject_key.is_none() { output } else { encryption::opened_value(output, &workspace, subject_key, keyring)? };
        let value = encryption::sealed_value(&output, &workspace, Some(key))?;
        t.prepare_cached("UPDATE output SET value = ?2, data_key = ?3 WHERE id = ?1")?.execute((
            output.id.as_str(),
            value,
            key.id(),
        ))?;
    }
    Ok(count)
}

/// Vouches for the bytes of versions, of one kind.
fn vouch_versions(t: &Transaction<'_>, keyring: &Keyring, key: &DataKey, renew: bool, kind: ContentKind) -> Done<usize> {
    let column = pack::column(kind);
    let sql = format!(
        "SELECT id, workspace, {column}, {column}_seal FROM state_version WHERE {column} IS NOT NULL AND {} LIMIT ?2",
        unvouched(&format!("{column}_seal"), renew)
    );
    let mut statement = t.prepare_cached(&sql)?;
    let found = statement.query_map((key.id(), ROWS), reference)?.collect::<Result<Vec<_>, _>>()?;
    for (id, workspace, sha256, seal) in &found {
        let subject = Subject::Reference { workspace, owner: id, kind: kind.name(), sha256 };
        let seal = vouched(keyring, key, seal.as_deref(), &subject)?;
        t.prepare_cached(&format!("UPDATE state_version SET {column}_seal = ?2 WHERE id = ?1"))?.execute((id, seal))?;
    }
    Ok(found.len())
}

fn vouch_late(t: &Transaction<'_>, keyring: &Keyring, key: &DataKey, renew: bool) -> Done<usize> {
    let sql = format!("SELECT id, workspace, state, seal FROM quarantine WHERE {} LIMIT ?2", unvouched("seal", renew));
    let mut statement = t.prepare_cached(&sql)?;
    let found = statement.query_map((key.id(), ROWS), reference)?.collect::<Result<Vec<_>, _>>()?;
    for (id, workspace, sha256, seal) in &found {
        let seal =
            vouched(keyring, key, seal.as_deref(), &Subject::Reference { workspace, owner: id, kind: encryption::LATE, sha256 })?;
        t.prepare_cached("UPDATE quarantine SET seal = ?2 WHERE id = ?1")?.execute((id, seal))?;
    }
    Ok(found.len())
}

type Reference = (String, String, [u8; 32], Option<String>);

fn reference(row: &Row<'_>) -> rusqlite::Result<Reference> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
}

fn unvouched(column: &str, renew: bool) -> String {
    let other = if renew { format!(" OR substr({column}, 1, length(?1)) <> ?1") } else { " AND ?1 IS NOT NULL".to_owned() };
    format!("({column} IS NULL{other})")
}

/// A new seal. One that was there must be good.
fn vouched(keyring: &Keyring, key: &DataKey, seal: Option<&str>, subject: &Subject<'_>) -> Result<String, StoreError> {
    if seal.is_some() {
        keyring.check(seal, subject)?;
    }
    key.vouch(subject)
}

fn encrypt_secrets(t: &Transaction<'_>, keyring: &Keyring, key: &DataKey, renew: bool) -> Done<usize> {
    let sql = format!("SELECT name, value, data_key FROM {} AND {} LIMIT ?2", encryption::SECRETS, others("data_key", renew));
    let mut statement = t.prepare_cached(&sql)?;
    let found = statement.query_map((key.id(), ROWS), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let found = found.collect::<Result<Vec<(String, Vec<u8>, Option<String>)>, _>>()?;
    for (row, value, old) in &found {
        let subject = Subject::Secret { name: row.trim_start_matches("secret/") };
        let value = if old.is_none() { value.clone() } else { keyring.open(old.as_deref(), value.clone(), &subject)? };
        let value = key.seal(&value, &subject)?;
        t.prepare_cached("UPDATE setting SET value = ?2, data_key = ?3 WHERE name = ?1")?.execute((row, value, key.id()))?;
    }
    Ok(found.len())
}

#[async_trait]
impl Sealing for Sqlite {
    fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    async fn data_keys(&self) -> Result<Vec<StoredKey>, StoreError> {
        self.read(|t| {
            let mut statement =
                t.prepare_cached("SELECT id, wrapped_by, wrapped, created_at FROM data_key ORDER BY created_at DESC, id")?;
            Ok(statement.query_map((), stored_key)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn data_key(&self, id: &str) -> Result<Option<StoredKey>, StoreError> {
        let id = id.to_owned();
        self.read(move |t| {
            let mut statement = t.prepare_cached("SELECT id, wrapped_by, wrapped, created_at FROM data_key WHERE id = ?1")?;
            Ok(statement.query_row([id], stored_key).optional()?)
        })
        .await
    }

    async fn add_data_key(&self, key: &StoredKey) -> Result<(), StoreError> {
        let StoredKey { id, wrapped: Wrapped { by, bytes }, created_at } = key.clone();
        self.write(move |t| {
            t.execute(
                "INSERT INTO data_key (id, wrapped_by, wrapped, created_at) VALUES (?1, ?2, ?3, ?4)",
                (id, by, bytes, created_at.as_millis()),
            )?;
            Ok(())
        })
        .await
    }

    async fn rewrap_data_key(&self, key: &StoredKey, to: &Wrapped) -> Result<bool, StoreError> {
        let (key, to) = (key.clone(), to.clone());
        self.write(move |t| {
            let sql = "UPDATE data_key SET wrapped_by = ?2, wrapped = ?3 WHERE id = ?1 AND wrapped = ?4";
            Ok(t.execute(sql, (key.id, to.by, to.bytes, key.wrapped.bytes))? == 1)
        })
        .await
    }

    async fn shares(&self) -> Result<Vec<Share>, StoreError> {
        self.read(|t| {
            encryption::SHARES
                .iter()
                .map(|(what, from, column)| {
                    let sql = format!("SELECT count({column}), count(*) - count({column}) FROM {from}");
                    Ok(t.query_row(&sql, (), |row| Ok(Share { what, encrypted: row.get(0)?, plain: row.get(1)? }))?)
                })
                .collect()
        })
        .await
    }

    async fn encrypt_some(&self, key: &Arc<DataKey>, renew: bool) -> Result<u64, StoreError> {
        let (key, keyring) = (Arc::clone(key), Arc::clone(&self.keyring));
        self.connections
            .write(move |connection| {
                // Freed pages are overwritten, since they hold what was plain.
                connection.pragma_update(None, "secure_delete", true)?;
                let t = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
                let done = encrypt_bytes(&t, &keyring, &key, renew)?
                    + encrypt_outputs(&t, &keyring, &key, renew)?
                    + vouch_versions(&t, &keyring, &key, renew, ContentKind::State)?
                    + vouch_versions(&t, &keyring, &key, renew, ContentKind::JsonState)?
                    + vouch_late(&t, &keyring, &key, renew)?
                    + encrypt_secrets(&t, &keyring, &key, renew)?;
                t.commit()?;
                Ok(u64::try_from(done).unwrap_or(u64::MAX))
            })
            .await
    }

    async fn wipe(&self) -> Result<Option<String>, StoreError> {
        self.connections
            .write(|connection| {
                // Pages that were freed before may still hold what was plain, and so may the log of writes.
                connection.execute_batch("VACUUM")?;
                let busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0))?;
                Ok(busy.then(|| {
                    "the file upstate.db-wal is in use by a server; what was plain leaves it when the server ends".to_owned()
                }))
            })
            .await
    }
}
