//! Data keys, and rows under them.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use deadpool_postgres::{GenericClient, Transaction};
use tokio_postgres::Row;

use super::pool::{Fault, begin, done};
use super::sql::{Done, Text, Values, all, count, maybe, optional, run, sha256, text, time};
use super::{Postgres, blobs, rows, versions};
use crate::model::ContentKind;
use crate::store::StoreError;
use crate::store::encryption::{self, DataKey, Keyring, Sealing, Share, StoredKey, Subject, Wrapped};
use crate::store::pack::{self, Kept};

/// The number of states that are encrypted in one transaction.
const STATES: i64 = 8;

/// The number of small rows in one transaction.
const ROWS: i64 = 500;

fn stored_key(row: &Row) -> Done<StoredKey> {
    let wrapped = Wrapped { by: text(row, 1)?, bytes: row.try_get(2)? };
    Ok(StoredKey { id: text(row, 0)?, wrapped, created_at: time(row, 3)? })
}

/// A secret of the server's, made if it is missing.
pub(super) async fn secret(client: &impl GenericClient, keyring: &Keyring, key: Option<&DataKey>, name: &str) -> Done<[u8; 32]> {
    let subject = Subject::Secret { name };
    let row = format!("secret/{name}");
    let new = crate::random::secret();
    let value = key.map_or_else(|| Ok(new.to_vec()), |key| key.seal(&new, &subject))?;
    let values: Values<'_> = &[&Text(&row), &value, &key.map(|key| Text(key.id()))];
    run(client, "INSERT INTO setting (name, value, data_key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", values).await?;
    let found = maybe(client, "SELECT value, data_key FROM setting WHERE name = $1", &[&Text(&row)]).await?;
    let found = found.ok_or_else(|| StoreError::new("a secret is missing"))?;
    let secret = keyring.open(optional(&found, 1)?.as_deref(), found.try_get(0)?, &subject)?;
    <[u8; 32]>::try_from(secret.as_slice()).map_err(|error| StoreError::new("a secret has 32 bytes").because(error).into())
}

/// The condition of the rows that are worked on: those that are plain, or all that another key encrypts. Rows that somebody writes just now are left for later.
fn others(column: &str, renew: bool) -> String {
    let others =
        if renew { format!("{column} IS DISTINCT FROM $1") } else { format!("{column} IS NULL AND $1::text IS NOT NULL") };
    format!("{others} LIMIT $2 FOR UPDATE SKIP LOCKED")
}

fn unvouched(column: &str, renew: bool) -> String {
    let other = if renew { format!(" OR NOT starts_with({column}, $1)") } else { " AND $1::text IS NOT NULL".to_owned() };
    format!("({column} IS NULL{other}) LIMIT $2 FOR UPDATE SKIP LOCKED")
}

async fn encrypt_outputs(t: &Transaction<'_>, keyring: &Keyring, key: &DataKey, renew: bool) -> Done<usize> {
    let sql = format!("SELECT {} FROM output WHERE {}", rows::OUTPUT, others("data_key", renew));
    let found = all(t, &sql, &[&Text(key.id()), &ROWS]).await?;
    for row in &found {
        let (output, old, workspace) = rows::output(row)?;
        let output = if old.is_none() { output } else { encryption::opened_value(output, &workspace, old.as_deref(), keyring)? };
        let value = encryption::sealed_value(&output, &workspace, Some(key))?;
        let values: Values<'_> = &[&Text(output.id.as_str()), &Text(&value), &Text(key.id())];
        run(t, "UPDATE output SET value = $2, data_key = $3 WHERE id = $1", values).await?;
    }
    Ok(found.len())
}

/// Vouches for bytes: those of versions, of one kind, or those of late uploads.
async fn vouch(t: &Transaction<'_>, keyring: &Keyring, key: &DataKey, renew: bool, kind: Option<ContentKind>) -> Done<usize> {
    let (table, column, seal, name) = match kind {
        Some(kind) => ("state_version", pack::column(kind), format!("{}_seal", pack::column(kind)), kind.name()),
        None => ("quarantine", "state", "seal".to_owned(), encryption::LATE),
    };
    let sql =
        format!("SELECT id, workspace, {column}, {seal} FROM {table} WHERE {column} IS NOT NULL AND {}", unvouched(&seal, renew));
    let found = all(t, &sql, &[&Text(key.id()), &ROWS]).await?;
    for row in &found {
        let (id, workspace, old) = (text(row, 0)?, text(row, 1)?, optional(row, 3)?);
        let sha256 = sha256(row, 2)?.ok_or_else(|| StoreError::new("a reference is empty"))?;
        let subject = Subject::Reference { workspace: &workspace, owner: &id, kind: name, sha256: &sha256 };
        if old.is_some() {
            keyring.check(old.as_deref(), &subject)?;
        }
        let new = key.vouch(&subject)?;
        run(t, &format!("UPDATE {table} SET {seal} = $2 WHERE id = $1"), &[&Text(&id), &Text(&new)]).await?;
    }
    Ok(found.len())
}

async fn encrypt_secrets(t: &Transaction<'_>, keyring: &Keyring, key: &DataKey, renew: bool) -> Done<usize> {
    let sql = format!("SELECT name, value, data_key FROM {} AND {}", encryption::SECRETS, others("data_key", renew));
    let found = all(t, &sql, &[&Text(key.id()), &ROWS]).await?;
    for row in &found {
        let (name, value, old) = (text(row, 0)?, row.try_get::<_, Vec<u8>>(1)?, optional(row, 2)?);
        let subject = Subject::Secret { name: name.trim_start_matches("secret/") };
        let value = if old.is_none() { value } else { keyring.open(old.as_deref(), value, &subject)? };
        let values: Values<'_> = &[&Text(&name), &key.seal(&value, &subject)?, &Text(key.id())];
        run(t, "UPDATE setting SET value = $2, data_key = $3 WHERE name = $1", values).await?;
    }
    Ok(found.len())
}

/// Objects that an attempt wrote, and those that they replace.
#[derive(Default)]
struct Objects {
    new: Vec<String>,
    old: Vec<String>,
}

impl Postgres {
    async fn encrypt_bytes(
        &self,
        t: &Transaction<'_>,
        key: &Arc<DataKey>,
        renew: bool,
        objects: &mut Objects,
    ) -> Result<usize, StoreError> {
        let sql = format!("SELECT sha256, size, bytes, object, data_key FROM blob WHERE {}", others("data_key", renew));
        let found = all(t, &sql, &[&Text(key.id()), &STATES]).await?;
        for row in &found {
            let sha256 = sha256(row, 0)?.ok_or_else(|| StoreError::new("bytes have no SHA-256"))?;
            let versions::Blob { size, place, key: old, .. } = versions::blob_row(row, sha256)?;
            let object = match &place {
                versions::Place::Object(object) => Some(object.clone()),
                versions::Place::Row(_) => None,
            };
            let bytes = blobs::packed(place, self.bucket.as_ref()).await?;
            let kept = Kept { sha256, size, bytes: bytes.into(), key: old };
            let (with, keyring) = (Arc::clone(key), Arc::clone(&self.keyring));
            let sealed = tokio::task::spawn_blocking(move || pack::resealed(kept, &keyring, &with))
                .await
                .map_err(|error| StoreError::new("bytes were not encrypted").because(error))??;
            let id = Text(key.id());
            if let (Some(object), Some(bucket)) = (object, &self.bucket) {
                let new = bucket.put(&sha256, Bytes::from(sealed)).await?;
                objects.new.push(new.clone());
                objects.old.push(object);
                let values: Values<'_> = &[&sha256.as_slice(), &Text(&new), &id];
                run(t, "UPDATE blob SET object = $2, data_key = $3 WHERE sha256 = $1", values).await?;
            } else {
                let values: Values<'_> = &[&sha256.as_slice(), &sealed, &id];
                run(t, "UPDATE blob SET bytes = $2, data_key = $3 WHERE sha256 = $1", values).await?;
            }
        }
        Ok(found.len())
    }

    async fn encrypt_once(&self, key: &Arc<DataKey>, renew: bool, objects: &mut Objects) -> Result<usize, StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let since = blobs::Since::now();
        let mut count = self.encrypt_bytes(&t, key, renew, objects).await?;
        count += encrypt_outputs(&t, &self.keyring, key, renew).await?;
        for kind in [Some(ContentKind::State), Some(ContentKind::JsonState), None] {
            count += vouch(&t, &self.keyring, key, renew, kind).await?;
        }
        count += encrypt_secrets(&t, &self.keyring, key, renew).await?;
        since.check()?;
        done(t).await?;
        Ok(count)
    }
}

#[async_trait]
impl Sealing for Postgres {
    fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    async fn data_keys(&self) -> Result<Vec<StoredKey>, StoreError> {
        let sql = "SELECT id, wrapped_by, wrapped, created_at FROM data_key ORDER BY created_at DESC, id";
        let found = all(&self.client().await?, sql, &[]).await?;
        Ok(found.iter().map(stored_key).collect::<Done<_>>()?)
    }

    async fn data_key(&self, id: &str) -> Result<Option<StoredKey>, StoreError> {
        let sql = "SELECT id, wrapped_by, wrapped, created_at FROM data_key WHERE id = $1";
        let found = maybe(&self.client().await?, sql, &[&Text(id)]).await?;
        Ok(found.as_ref().map(stored_key).transpose()?)
    }

    async fn add_data_key(&self, key: &StoredKey) -> Result<(), StoreError> {
        let StoredKey { id, wrapped: Wrapped { by, bytes }, created_at } = key;
        let values: Values<'_> = &[&Text(id), &Text(by), bytes, &created_at.as_millis()];
        let sql = "INSERT INTO data_key (id, wrapped_by, wrapped, created_at) VALUES ($1, $2, $3, $4)";
        run(&self.client().await?, sql, values).await?;
        Ok(())
    }

    async fn rewrap_data_key(&self, key: &StoredKey, to: &Wrapped) -> Result<bool, StoreError> {
        let values: Values<'_> = &[&Text(&key.id), &Text(&to.by), &to.bytes, &key.wrapped.bytes];
        let sql = "UPDATE data_key SET wrapped_by = $2, wrapped = $3 WHERE id = $1 AND wrapped = $4";
        Ok(run(&self.client().await?, sql, values).await? == 1)
    }

    async fn shares(&self) -> Result<Vec<Share>, StoreError> {
        let client = self.client().await?;
        let mut shares = Vec::new();
        for (what, from, column) in encryption::SHARES {
            let encrypted = count(&client, &format!("SELECT count({column}) FROM {from}"), &[]).await?;
            let plain = count(&client, &format!("SELECT count(*) - count({column}) FROM {from}"), &[]).await?;
            shares.push(Share { what, encrypted, plain });
        }
        Ok(shares)
    }

    async fn encrypt_some(&self, key: &Arc<DataKey>, renew: bool) -> Result<u64, StoreError> {
        let mut objects = Objects::default();
        let done = self.encrypt_once(key, renew, &mut objects).await;
        // They can go, since no row refers to the one or the other.
        self.delete_objects(if done.is_ok() { &objects.old } else { &objects.new }).await;
        Ok(u64::try_from(done?).unwrap_or(u64::MAX))
    }

    async fn wipe(&self) -> Result<Option<String>, StoreError> {
        let client = self.client().await?;
        // Each on its own: several in one message would be one transaction, in which it cannot run.
        for table in ["blob", "output", "setting"] {
            client.batch_execute(&format!("VACUUM {table}")).await.map_err(Fault::from)?;
        }
        Ok(Some(
            "PostgreSQL's files, its log of writes and older backups may hold what was plain: run VACUUM FULL when nobody waits for it, and let \
             backups expire"
                .to_owned(),
        ))
    }
}
