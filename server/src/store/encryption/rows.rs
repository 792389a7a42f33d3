//! Data keys, and rows under them.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use super::{
    DataKey, Keyring, LATE, SECRETS, SHARES, Sealing, Share, StoredKey, Subject, Wrapped,
    opened_value, sealed_value, with_keys,
};
use crate::model::ContentKind;
use crate::store::blobs::{self, Blob, Place, Since};
use crate::store::bucket::Bucket;
use crate::store::error::StoreError;
use crate::store::pack::{self, Kept};
use crate::store::session::{Database, Dialect, Done, Mode, Row, Session, params, wrong};
use crate::store::versions::{OUTPUT, stored_output};

/// The number of states that are encrypted in one transaction: on `SQLite` other writers wait for
/// it.
const STATES: u32 = 8;

/// The number of small rows in one transaction.
const ROWS: u32 = 500;

fn stored_key(row: &Row) -> Done<StoredKey> {
    let wrapped = Wrapped {
        by: row.text(1)?,
        bytes: row.bytes(2)?,
    };
    Ok(StoredKey {
        id: row.text(0)?,
        wrapped,
        created_at: row.time(3)?,
    })
}

/// A secret of the server's, made if it is missing.
pub(in crate::store) async fn secret(
    s: &mut dyn Session,
    keyring: &Keyring,
    key: Option<&DataKey>,
    name: &str,
) -> Done<[u8; 32]> {
    let subject = Subject::Secret { name };
    let row = format!("secret/{name}");
    let new = crate::random::secret();
    let value = key.map_or_else(|| Ok(new.to_vec()), |key| key.seal(&new, &subject))?;
    let sql =
        "INSERT INTO setting (name, value, data_key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    s.run(sql, &params![&row, value, key.map(DataKey::id)])
        .await?;
    let found = s
        .maybe(
            "SELECT value, data_key FROM setting WHERE name = $1",
            &params![&row],
        )
        .await?;
    let found = found.ok_or_else(|| StoreError::new("a secret is missing"))?;
    let secret = keyring.open(found.optional(1)?.as_deref(), found.bytes(0)?, &subject)?;
    <[u8; 32]>::try_from(secret.as_slice()).map_err(|error| {
        StoreError::new("a secret has 32 bytes")
            .because(error)
            .into()
    })
}

/// An attempt to bring some rows under a key.
struct Attempt {
    keyring: Arc<Keyring>,
    key: Arc<DataKey>,
    /// True if rows that another key encrypts are worked on, too.
    renew: bool,
    bucket: Option<Arc<Bucket>>,
}

impl Attempt {
    /// The condition of the rows that are worked on: those that are plain, or all that another key
    /// encrypts.
    fn others(&self, s: &dyn Session) -> String {
        let others = if self.renew {
            "data_key IS DISTINCT FROM $1"
        } else {
            "data_key IS NULL AND CAST($1 AS TEXT) IS NOT NULL"
        };
        format!("{others} LIMIT $2{}", s.dialect().unless_taken())
    }

    /// The number of rows of bytes, and the objects that they name no longer.
    async fn bytes(&self, s: &mut dyn Session) -> Done<(usize, Vec<String>)> {
        let sql = format!(
            "SELECT {} FROM blob WHERE {}",
            blobs::columns(s.dialect()),
            self.others(s)
        );
        let found = s.all(&sql, &params![self.key.id(), STATES]).await?;
        let (count, mut replaced) = (found.len(), Vec::new());
        for mut row in found {
            let Blob {
                sha256,
                size,
                place,
                key: old,
            } = blobs::blob(&mut row)?;
            let object = match &place {
                Place::Object(object) => Some(object.clone()),
                Place::Row(_) => None,
            };
            let bytes = blobs::packed(place, self.bucket.as_ref()).await?;
            let sealed = self
                .resealed(
                    s.dialect(),
                    Kept {
                        sha256,
                        size,
                        bytes: bytes.into(),
                        key: old,
                    },
                )
                .await?;
            if let (Some(object), Some(bucket)) = (object, &self.bucket) {
                let new = bucket.put(&sha256, Bytes::from(sealed)).await?;
                replaced.push(object);
                let sql = "UPDATE blob SET object = $2, data_key = $3 WHERE sha256 = $1";
                s.run(sql, &params![&sha256, new, self.key.id()]).await?;
            } else {
                let sql = "UPDATE blob SET bytes = $2, data_key = $3 WHERE sha256 = $1";
                s.run(sql, &params![&sha256, sealed, self.key.id()]).await?;
            }
        }
        Ok((count, replaced))
    }

    async fn resealed(&self, dialect: Dialect, kept: Kept) -> Result<Vec<u8>, StoreError> {
        match dialect {
            // `SQLite` works on a thread of its own, so this may block it.
            Dialect::Sqlite => pack::resealed(kept, &self.keyring, &self.key),
            Dialect::Postgres => {
                let (with, keyring) = (Arc::clone(&self.key), Arc::clone(&self.keyring));
                tokio::task::spawn_blocking(move || pack::resealed(kept, &keyring, &with))
                    .await
                    .map_err(|error| StoreError::new("bytes were not encrypted").because(error))?
            }
        }
    }

    async fn outputs(&self, s: &mut dyn Session) -> Done<usize> {
        let sql = format!("SELECT {OUTPUT} FROM output WHERE {}", self.others(s));
        let found = s.all(&sql, &params![self.key.id(), ROWS]).await?;
        for row in &found {
            let (output, old, workspace) = stored_output(row)?;
            let output = if old.is_none() {
                output
            } else {
                opened_value(output, &workspace, old.as_deref(), &self.keyring)?
            };
            let value = sealed_value(&output, &workspace, Some(&self.key))?;
            let sql = "UPDATE output SET value = $2, data_key = $3 WHERE id = $1";
            s.run(sql, &params![output.id.as_str(), &*value, self.key.id()])
                .await?;
        }
        Ok(found.len())
    }

    /// Vouches for bytes: those of versions, of one kind, or those of late uploads.
    async fn references(&self, s: &mut dyn Session, kind: Option<ContentKind>) -> Done<usize> {
        let (table, column, seal, name) = match kind {
            Some(kind) => (
                "state_version",
                pack::column(kind),
                format!("{}_seal", pack::column(kind)),
                kind.name(),
            ),
            None => ("quarantine", "state", "seal".to_owned(), LATE),
        };
        let other = if self.renew {
            format!(" OR {} <> 1", s.dialect().place("CAST($1 AS TEXT)", &seal))
        } else {
            " AND CAST($1 AS TEXT) IS NOT NULL".to_owned()
        };
        let sql = format!(
            "SELECT id, workspace, {column}, {seal} FROM {table} WHERE {column} IS NOT NULL AND ({seal} IS NULL{other}) LIMIT $2{}",
            s.dialect().unless_taken()
        );
        let found = s.all(&sql, &params![self.key.id(), ROWS]).await?;
        for row in &found {
            let (id, workspace, sha256, old) =
                (row.text(0)?, row.text(1)?, row.sha256(2)?, row.optional(3)?);
            let subject = Subject::Reference {
                workspace: &workspace,
                owner: &id,
                kind: name,
                sha256: &sha256,
            };
            // One that was there must be good.
            if old.is_some() {
                self.keyring.check(old.as_deref(), &subject)?;
            }
            let new = self.key.vouch(&subject)?;
            s.run(
                &format!("UPDATE {table} SET {seal} = $2 WHERE id = $1"),
                &params![&id, new],
            )
            .await?;
        }
        Ok(found.len())
    }

    async fn secrets(&self, s: &mut dyn Session) -> Done<usize> {
        let sql = format!(
            "SELECT name, value, data_key FROM {SECRETS} AND {}",
            self.others(s)
        );
        let found = s.all(&sql, &params![self.key.id(), ROWS]).await?;
        for row in &found {
            let (name, value, old) = (row.text(0)?, row.bytes(1)?, row.optional(2)?);
            let subject = Subject::Secret {
                name: name.trim_start_matches("secret/"),
            };
            let value = if old.is_none() {
                value
            } else {
                self.keyring.open(old.as_deref(), value, &subject)?
            };
            let sql = "UPDATE setting SET value = $2, data_key = $3 WHERE name = $1";
            s.run(
                sql,
                &params![&name, self.key.seal(&value, &subject)?, self.key.id()],
            )
            .await?;
        }
        Ok(found.len())
    }

    /// The number of rows, and the objects that they name no longer.
    async fn all(&self, s: &mut dyn Session) -> Done<(usize, Vec<String>)> {
        let since = Since::now();
        match s.dialect() {
            // Freed pages are overwritten, since they hold what was plain.
            Dialect::Sqlite => s
                .maybe("PRAGMA secure_delete = true", &[])
                .await
                .map(drop)?,
            Dialect::Postgres => {}
        }
        let (mut count, replaced) = self.bytes(s).await?;
        count += self.outputs(s).await?;
        for kind in [Some(ContentKind::State), Some(ContentKind::JsonState), None] {
            count += self.references(s, kind).await?;
        }
        count += self.secrets(s).await?;
        since.check()?;
        Ok((count, replaced))
    }
}

#[async_trait]
impl<D: Database> Sealing for D {
    fn keyring(&self) -> &Keyring {
        self.keys()
    }

    async fn secret(&self, name: &str) -> Result<[u8; 32], StoreError> {
        let key = self.keys().current(self).await?;
        with_keys!(self, {
            let (name, key, keyring) = (name.to_owned(), key.clone(), Arc::clone(self.keys()));
            let work = self.work(Mode::Write, move |s| {
                Box::pin(async move { secret(s, &keyring, key.as_deref(), &name).await })
            });
            Ok(work.await?)
        })
    }

    async fn data_keys(&self) -> Result<Vec<StoredKey>, StoreError> {
        let sql =
            "SELECT id, wrapped_by, wrapped, created_at FROM data_key ORDER BY created_at DESC, id";
        self.every(sql, [], stored_key).await
    }

    async fn data_key(&self, id: &str) -> Result<Option<StoredKey>, StoreError> {
        self.one(
            "SELECT id, wrapped_by, wrapped, created_at FROM data_key WHERE id = $1",
            params![id],
            stored_key,
        )
        .await
    }

    async fn add_data_key(&self, key: &StoredKey) -> Result<(), StoreError> {
        let StoredKey {
            id,
            wrapped: Wrapped { by, bytes },
            created_at,
        } = key;
        let sql =
            "INSERT INTO data_key (id, wrapped_by, wrapped, created_at) VALUES ($1, $2, $3, $4)";
        self.once(sql, params![id, by, bytes, *created_at])
            .await
            .map(drop)
    }

    async fn rewrap_data_key(&self, key: &StoredKey, to: &Wrapped) -> Result<bool, StoreError> {
        let sql =
            "UPDATE data_key SET wrapped_by = $2, wrapped = $3 WHERE id = $1 AND wrapped = $4";
        Ok(self
            .once(sql, params![&key.id, &to.by, &to.bytes, &key.wrapped.bytes])
            .await?
            == 1)
    }

    async fn shares(&self) -> Result<Vec<Share>, StoreError> {
        let work = self.work(Mode::Read, |s| {
            Box::pin(async move {
                let mut shares = Vec::new();
                for (what, from, column) in SHARES {
                    let sql =
                        format!("SELECT count({column}), count(*) - count({column}) FROM {from}");
                    let row = s
                        .maybe(&sql, &[])
                        .await?
                        .ok_or_else(|| wrong(0, "no count"))?;
                    shares.push(Share {
                        what,
                        encrypted: row.size(0)?,
                        plain: row.size(1)?,
                    });
                }
                Ok(shares)
            })
        });
        Ok(work.await?)
    }

    async fn encrypt_some(&self, key: &Arc<DataKey>, renew: bool) -> Result<u64, StoreError> {
        let attempt = Attempt {
            keyring: Arc::clone(self.keys()),
            key: Arc::clone(key),
            renew,
            bucket: self.bucket().cloned(),
        };
        // If this fails, no object goes: its COMMIT may have arrived although the answer was lost.
        // What no row names is garbage.
        let (count, replaced) = self
            .work(Mode::Write, move |s| {
                Box::pin(async move { attempt.all(s).await })
            })
            .await?;
        self.delete_objects(&replaced).await;
        Ok(u64::try_from(count).unwrap_or(u64::MAX))
    }

    async fn wipe(&self) -> Result<Option<String>, StoreError> {
        self.vacuum().await
    }
}
