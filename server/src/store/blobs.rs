//! Bytes: in the database, or in a bucket with their key in the database.
//!
//! An object is written before the row that names it, and deleted after that row is gone. Its key
//! is its SHA-256 and something random: a key is used by one attempt to write and never again, so
//! that an object whose row is gone can be deleted at any time, also while somebody writes equal
//! bytes. (With the SHA-256 alone a writer could find the object there, and refer to it while it is
//! deleted.)

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;

use super::bucket::Bucket;
use super::commit::Commit;
use super::encryption::{DataKey, Keyring};
use super::error::StoreError;
use super::pack::{self, Kept, Packed};
use super::session::{Dialect, Done, Row, Session, params, wrong};
use crate::content::AT_ONCE;

/// The longest time that a writer may take from writing an object to the row that names it.
/// [Garbage](crate::store::Store::collect_garbage) is collected only after much longer.
const SLOWEST_WRITER: Duration = Duration::from_mins(10);

/// Compressed bytes on their way into the store.
pub(super) struct Placed {
    pub(super) packed: Packed,
    /// The key of their object, if they are in a bucket.
    pub(super) object: Option<String>,
}

/// A commit whose bytes are compressed, and, where there is a bucket, in it.
pub(super) struct Prepared {
    pub(super) commit: Commit,
    /// The state and the JSON state of each change, in the order of the changes.
    pub(super) placed: Vec<(Option<Placed>, Option<Placed>)>,
    /// The data key for what is written.
    pub(super) key: Option<Arc<DataKey>>,
}

/// Since when objects are there to which no row refers yet.
#[derive(Clone, Copy)]
pub(super) struct Since(Instant, SystemTime);

impl Since {
    pub(super) fn now() -> Self {
        Self(Instant::now(), SystemTime::now())
    }

    /// Refuses a writer that hung: its objects may have been collected meanwhile. Two clocks,
    /// because one of them stops while a machine sleeps, and the other one may be set.
    pub(super) fn check(self) -> Result<(), StoreError> {
        let took = self.0.elapsed().max(self.1.elapsed().unwrap_or_default());
        if took < SLOWEST_WRITER {
            Ok(())
        } else {
            Err(StoreError::passing(
                "a write took so long that it was given up",
            ))
        }
    }
}

/// Compresses what a commit brings, encrypts it if there is a key, and puts it into the bucket if
/// there is one.
pub(super) async fn place(
    commit: Commit,
    key: Option<Arc<DataKey>>,
    bucket: Option<&Arc<Bucket>>,
) -> Result<Prepared, StoreError> {
    let prepared = if pack::weight(&commit) <= AT_ONCE {
        pack::prepare(commit, key)?
    } else {
        // Away from the threads that answer requests, because it takes long.
        tokio::task::spawn_blocking(move || pack::prepare(commit, key))
            .await
            .map_err(|error| StoreError::new("a commit was not prepared").because(error))??
    };
    let mut placed = Vec::new();
    for (state, json_state) in prepared.packed {
        placed.push(tokio::try_join!(
            put(state, bucket),
            put(json_state, bucket)
        )?);
    }
    Ok(Prepared {
        commit: prepared.commit,
        placed,
        key: prepared.key,
    })
}

async fn put(
    packed: Option<Packed>,
    bucket: Option<&Arc<Bucket>>,
) -> Result<Option<Placed>, StoreError> {
    let Some(mut packed) = packed else {
        return Ok(None);
    };
    let Some(bucket) = bucket else {
        return Ok(Some(Placed {
            packed,
            object: None,
        }));
    };
    let object = bucket
        .put(
            &packed.sha256,
            Bytes::from(std::mem::take(&mut packed.bytes)),
        )
        .await?;
    Ok(Some(Placed {
        packed,
        object: Some(object),
    }))
}

/// Writes the row of bytes, unless it is there; then their object, if they have one, is not used.
pub(super) async fn keep(s: &mut dyn Session, placed: &Placed) -> Done<Option<String>> {
    let Placed { packed, object } = placed;
    let Packed {
        sha256,
        size,
        bytes,
        key,
    } = packed;
    let added = match object {
        None => {
            let sql = "INSERT INTO blob (sha256, size, codec, bytes, data_key) VALUES ($1, $2, 'zstd', $3, $4) ON CONFLICT DO NOTHING";
            s.run(sql, &params![sha256, *size, bytes, key.as_deref()])
                .await?
        }
        Some(object) => {
            let sql = "INSERT INTO blob (sha256, size, codec, object, data_key) VALUES ($1, $2, 'zstd', $3, $4) ON CONFLICT DO NOTHING";
            s.run(sql, &params![sha256, *size, object, key.as_deref()])
                .await?
        }
    };
    // A change may come twice within a commit, with one object each.
    Ok(if added == 0 { object.clone() } else { None })
}

/// The rows that a sweep removed, and their objects.
#[derive(Default)]
pub(super) struct Swept {
    /// The number of rows.
    pub(super) rows: u64,
    /// The objects they named.
    pub(super) objects: Vec<String>,
}

/// Removes those of these bytes to which nothing refers. Bytes to which another transaction is
/// about to refer are left alone.
pub(super) async fn sweep(s: &mut dyn Session, mut which: Vec<[u8; 32]>) -> Done<Swept> {
    if which.is_empty() {
        return Ok(Swept::default());
    }
    let among = s.dialect().among_hashes("sha256", 1);
    let object = match s.dialect() {
        Dialect::Sqlite => "NULL",
        Dialect::Postgres => {
            let sql = format!(
                "SELECT sha256 FROM blob WHERE {among} ORDER BY sha256{}",
                s.dialect().unless_taken()
            );
            let found = s.all(&sql, &params![which]).await?;
            which = found.iter().map(|row| row.sha256(0)).collect::<Done<_>>()?;
            "object"
        }
    };
    // A statement of its own: it sees what was committed before the rows were locked.
    let sql = format!("DELETE FROM blob WHERE {among} AND {UNREFERENCED} RETURNING {object}");
    let removed = s.all(&sql, &params![which]).await?;
    let mut objects = Vec::new();
    for row in &removed {
        objects.extend(row.optional(0)?);
    }
    Ok(Swept {
        rows: u64::try_from(removed.len()).unwrap_or(u64::MAX),
        objects,
    })
}

/// That nothing refers to a row of `blob`.
pub(super) const UNREFERENCED: &str =
    "NOT EXISTS (SELECT 1 FROM state_version WHERE state = blob.sha256)
    AND NOT EXISTS (SELECT 1 FROM state_version WHERE json_state = blob.sha256)
    AND NOT EXISTS (SELECT 1 FROM quarantine WHERE state = blob.sha256)";

/// The place where bytes are kept, compressed.
pub(super) enum Place {
    /// In the row.
    Row(Vec<u8>),
    /// In the object of this key.
    Object(String),
}

/// Bytes as they are kept.
pub(super) struct Blob {
    pub(super) sha256: [u8; 32],
    pub(super) size: i64,
    pub(super) place: Place,
    /// The data key that encrypts them.
    pub(super) key: Option<String>,
}

/// The columns of [`blob`], which come first.
pub(super) const fn columns(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "blob.sha256, blob.size, blob.bytes, NULL, blob.data_key",
        Dialect::Postgres => "blob.sha256, blob.size, blob.bytes, blob.object, blob.data_key",
    }
}

pub(super) fn blob(row: &mut Row) -> Done<Blob> {
    let place = match (row.take_bytes(2)?, row.optional(3)?) {
        (Some(bytes), None) => Place::Row(bytes),
        (None, Some(key)) => Place::Object(key),
        (Some(_), Some(_)) | (None, None) => {
            return Err(wrong(2, "bytes are in two places, or in none"));
        }
    };
    Ok(Blob {
        sha256: row.sha256(0)?,
        size: row.int(1)?,
        place,
        key: row.optional(4)?,
    })
}

/// The bytes themselves, as they came.
pub(super) async fn bytes(
    blob: Blob,
    bucket: Option<&Arc<Bucket>>,
    keyring: &Arc<Keyring>,
) -> Result<Bytes, StoreError> {
    let Blob {
        sha256,
        size,
        place,
        key,
    } = blob;
    let kept = Kept {
        sha256,
        size,
        bytes: packed(place, bucket).await?.into(),
        key,
    };
    if usize::try_from(size).is_ok_and(|size| size <= AT_ONCE) {
        return pack::read(kept, keyring);
    }
    let keyring = Arc::clone(keyring);
    tokio::task::spawn_blocking(move || pack::read(kept, &keyring))
        .await
        .map_err(|error| StoreError::new("stored bytes were not unpacked").because(error))?
}

/// The bytes as they are kept.
pub(super) async fn packed(
    place: Place,
    bucket: Option<&Arc<Bucket>>,
) -> Result<Bytes, StoreError> {
    match (place, bucket) {
        (Place::Row(bytes), _) => Ok(bytes.into()),
        (Place::Object(key), Some(bucket)) => bucket.get(&key).await,
        (Place::Object(_), None) => Err(StoreError::new(
            "bytes are in a bucket, and the server was started without --bucket-url",
        )),
    }
}
