//! Bytes as stores keep them: compressed, encrypted where there is a key, and known by their
//! SHA-256.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use zstd::bulk::{Compressor, Decompressor};

use super::commit::{Change, Commit};
use super::encryption::{DataKey, Keyring, Subject};
use super::error::StoreError;
use crate::content::AT_ONCE;
use crate::model::ContentKind;

/// The column that says which bytes of this kind a version has.
pub(super) const fn column(kind: ContentKind) -> &'static str {
    match kind {
        ContentKind::State => "state",
        ContentKind::JsonState => "json_state",
    }
}

/// Small states compress to a tenth within a millisecond; higher levels cost more than they save.
const LEVEL: i32 = 3;

/// Bytes on their way into the store.
pub(super) struct Packed {
    pub(super) sha256: [u8; 32],
    /// The number of bytes before they are packed.
    pub(super) size: usize,
    pub(super) bytes: Vec<u8>,
    /// The data key that encrypts them.
    pub(super) key: Option<String>,
}

/// Bytes as a row has them.
pub(super) struct Kept {
    pub(super) sha256: [u8; 32],
    /// The number of bytes before they are packed.
    pub(super) size: i64,
    pub(super) bytes: Vec<u8>,
    /// The data key that encrypts them.
    pub(super) key: Option<String>,
}

/// A commit whose bytes are compressed.
pub(super) struct Prepared {
    pub(super) commit: Commit,
    /// The state and the JSON state of each change, in the order of the changes.
    pub(super) packed: Vec<(Option<Packed>, Option<Packed>)>,
    /// The data key for what is written.
    pub(super) key: Option<Arc<DataKey>>,
}

thread_local! {
    /// The tables with which this thread packs and unpacks what is small: to make and clear them
    /// each time takes longer than the work itself. Those for what is large would keep megabytes.
    static SMALL: RefCell<Small> = const { RefCell::new(Small(None, None)) };
}

struct Small(Option<Compressor<'static>>, Option<Decompressor<'static>>);

/// The value that `slot` keeps, made if it is missing.
fn made<T>(slot: &mut Option<T>, make: impl FnOnce() -> io::Result<T>) -> io::Result<&mut T> {
    Ok(match slot.take() {
        Some(kept) => slot.insert(kept),
        None => slot.insert(make()?),
    })
}

fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    if bytes.len() > AT_ONCE {
        return zstd::bulk::compress(bytes, LEVEL);
    }
    SMALL.with_borrow_mut(|small| made(&mut small.0, || Compressor::new(LEVEL))?.compress(bytes))
}

fn decompressed(packed: &[u8], size: usize) -> io::Result<Vec<u8>> {
    if size > AT_ONCE {
        return zstd::bulk::decompress(packed, size);
    }
    SMALL.with_borrow_mut(|small| made(&mut small.1, Decompressor::new)?.decompress(packed, size))
}

/// Compresses bytes as they are kept.
pub(crate) fn compress(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    compressed(bytes).map_err(|error| StoreError::new("bytes were not compressed").because(error))
}

/// Compresses what a change brings, as far as that was not done already.
fn packed(brought: &Brought<'_>) -> Result<Packed, StoreError> {
    let Brought {
        bytes,
        sha256,
        compressed,
    } = brought;
    let sha256 = sha256.unwrap_or_else(|| Sha256::digest(bytes).into());
    debug_assert_eq!(
        sha256,
        <[u8; 32]>::from(Sha256::digest(bytes)),
        "bytes are kept under another SHA-256 than theirs"
    );
    let packed = match compressed {
        Some(compressed) => compressed.to_vec(),
        None => compress(bytes)?,
    };
    Ok(Packed {
        sha256,
        size: bytes.len(),
        bytes: packed,
        key: None,
    })
}

/// Encrypts packed bytes, if there is a key.
fn sealed(packed: Packed, key: Option<&DataKey>) -> Result<Packed, StoreError> {
    let Some(key) = key else { return Ok(packed) };
    let size = i64::try_from(packed.size)
        .map_err(|error| StoreError::new("bytes are too many").because(error))?;
    let bytes = key.seal(
        &packed.bytes,
        &Subject::Bytes {
            sha256: &packed.sha256,
            size,
        },
    )?;
    Ok(Packed {
        bytes,
        key: Some(key.id().to_owned()),
        ..packed
    })
}

/// Bytes as a row has them, under another key.
pub(super) fn resealed(
    kept: Kept,
    keyring: &Keyring,
    key: &DataKey,
) -> Result<Vec<u8>, StoreError> {
    let subject = Subject::Bytes {
        sha256: &kept.sha256,
        size: kept.size,
    };
    // Plain bytes pass also with --encrypted-only, because they are about to be encrypted.
    let plain = if kept.key.is_none() {
        kept.bytes
    } else {
        keyring.open(kept.key.as_deref(), kept.bytes, &subject)?
    };
    unpack(&plain, kept.size, &kept.sha256)?;
    key.seal(&plain, &subject)
}

/// Unpacks what was kept, checked: bytes out are bytes in, or an error.
pub(super) fn read(kept: Kept, keyring: &Keyring) -> Result<Bytes, StoreError> {
    let Kept {
        sha256,
        size,
        bytes,
        key,
    } = kept;
    let packed = keyring.open(
        key.as_deref(),
        bytes,
        &Subject::Bytes {
            sha256: &sha256,
            size,
        },
    )?;
    unpack(&packed, size, &sha256)
}

fn unpack(packed: &[u8], size: i64, sha256: &[u8; 32]) -> Result<Bytes, StoreError> {
    let size = usize::try_from(size)
        .map_err(|error| StoreError::new("stored bytes are too many").because(error))?;
    let bytes = decompressed(packed, size)
        .map_err(|error| StoreError::new("stored bytes are damaged").because(error))?;
    let found: [u8; 32] = Sha256::digest(&bytes).into();
    if found == *sha256 {
        Ok(bytes.into())
    } else {
        Err(StoreError::new(
            "stored bytes are damaged: their SHA-256 differs",
        ))
    }
}

/// Bytes that a change brings, with their SHA-256, and compressed, as far as that was done already.
struct Brought<'c> {
    bytes: &'c Bytes,
    sha256: Option<[u8; 32]>,
    compressed: Option<&'c Bytes>,
}

impl<'c> Brought<'c> {
    const fn of(bytes: &'c Bytes) -> Self {
        Self {
            bytes,
            sha256: None,
            compressed: None,
        }
    }
}

/// The state and the JSON state of a change.
fn brought(change: &Change) -> (Option<Brought<'_>>, Option<Brought<'_>>) {
    match change {
        Change::Finalize { content, .. } => (
            Some(Brought {
                bytes: &content.state,
                sha256: Some(content.finalized.sha256),
                compressed: content.compressed.as_ref(),
            }),
            content.json_state.as_ref().map(Brought::of),
        ),
        Change::JsonState { bytes, .. } => (None, Some(Brought::of(bytes))),
        Change::Quarantine(quarantined) => (Some(Brought::of(&quarantined.bytes)), None),
        Change::Lock(_)
        | Change::Unlock(_)
        | Change::Insert(_)
        | Change::Discard(_)
        | Change::Outputs { .. }
        | Change::Backing { .. }
        | Change::Delete(_)
        | Change::Details(_)
        | Change::Remove => (None, None),
    }
}

/// The number of bytes that there are to work on in a commit.
pub(super) fn weight(commit: &Commit) -> usize {
    let all = commit.changes.iter().flat_map(|change| {
        let (state, json_state) = brought(change);
        [state, json_state].into_iter().flatten()
    });
    all.map(|brought| brought.compressed.unwrap_or(brought.bytes).len())
        .fold(0, usize::saturating_add)
}

/// Compresses what a commit brings, and encrypts it if there is a key.
pub(super) fn prepare(commit: Commit, key: Option<Arc<DataKey>>) -> Result<Prepared, StoreError> {
    let pack = |brought: Option<Brought<'_>>| {
        brought
            .map(|brought| sealed(packed(&brought)?, key.as_deref()))
            .transpose()
    };
    let packed = commit.changes.iter().map(|change| {
        let (state, json_state) = brought(change);
        Ok((pack(state)?, pack(json_state)?))
    });
    let packed = packed.collect::<Result<_, StoreError>>()?;
    Ok(Prepared {
        commit,
        packed,
        key,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread packs and unpacks one after the other with the same tables, also after a mistake.
    #[test]
    fn bytes_out_are_bytes_in_after_any_others() {
        let all = [
            b"small".to_vec(),
            b"0123456789".repeat(AT_ONCE / 10),
            vec![7; AT_ONCE],
            vec![7; AT_ONCE + 1],
            b"small again".to_vec(),
        ];
        for bytes in &all {
            let packed = compress(bytes).expect("it is packed");
            assert_eq!(
                packed,
                zstd::bulk::compress(bytes, LEVEL).expect("it is packed")
            );
            let size = i64::try_from(bytes.len()).expect("a size");
            let sha256 = Sha256::digest(bytes).into();
            for damaged in [&packed[..packed.len() - 1], b"damaged"] {
                let error = unpack(damaged, size, &sha256).expect_err("damaged");
                assert!(error.to_string().contains("damaged"), "{error}");
            }
            assert!(unpack(&packed, size, &[0; 32]).is_err());
            assert_eq!(unpack(&packed, size, &sha256).expect("whole"), bytes);
        }
    }
}
