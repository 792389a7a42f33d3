//! Bytes as stores keep them: compressed, and known by their SHA-256.

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::{Change, Commit, StoreError};

/// Small states compress to a tenth within a millisecond; higher levels cost more than they save.
const LEVEL: i32 = 3;

/// Bytes on their way into the store.
pub(in crate::store) struct Packed {
    pub(in crate::store) sha256: [u8; 32],
    /// How many bytes there are before they are packed.
    pub(in crate::store) size: usize,
    pub(in crate::store) bytes: Vec<u8>,
}

/// A commit whose bytes are compressed.
pub(in crate::store) struct Prepared {
    pub(in crate::store) commit: Commit,
    /// Of each change, in their order: the state and the JSON state.
    pub(in crate::store) packed: Vec<(Option<Packed>, Option<Packed>)>,
}

/// Compresses bytes, whose SHA-256 was taken already.
fn pack_known(bytes: &Bytes, sha256: [u8; 32]) -> Result<Packed, StoreError> {
    debug_assert_eq!(sha256, <[u8; 32]>::from(Sha256::digest(bytes)), "bytes are kept under another SHA-256 than theirs");
    let packed =
        zstd::bulk::compress(bytes, LEVEL).map_err(|error| StoreError::new("bytes were not compressed").because(error))?;
    Ok(Packed { sha256, size: bytes.len(), bytes: packed })
}

/// Compresses bytes.
fn pack(bytes: &Bytes) -> Result<Packed, StoreError> {
    pack_known(bytes, Sha256::digest(bytes).into())
}

/// What was packed, checked: bytes out are bytes in, or an error.
pub(in crate::store) fn unpack(packed: &[u8], size: usize, sha256: &[u8; 32]) -> Result<Bytes, StoreError> {
    let bytes =
        zstd::bulk::decompress(packed, size).map_err(|error| StoreError::new("stored bytes are damaged").because(error))?;
    let found: [u8; 32] = Sha256::digest(&bytes).into();
    if found == *sha256 { Ok(bytes.into()) } else { Err(StoreError::new("stored bytes are damaged: their SHA-256 differs")) }
}

/// Compresses what a commit brings.
pub(in crate::store) fn prepare(commit: Commit) -> Result<Prepared, StoreError> {
    let packed = commit.changes.iter().map(|change| match change {
        Change::Finalize { content, .. } => {
            let state = pack_known(&content.state, content.finalized.sha256)?;
            Ok((Some(state), content.json_state.as_ref().map(pack).transpose()?))
        }
        Change::JsonState { bytes, .. } => Ok((None, Some(pack(bytes)?))),
        Change::Quarantine(quarantined) => Ok((Some(pack(&quarantined.bytes)?), None)),
        Change::Lock(_)
        | Change::Unlock(_)
        | Change::Insert(_)
        | Change::Discard(_)
        | Change::Outputs { .. }
        | Change::Backing { .. }
        | Change::Delete(_)
        | Change::Details(_)
        | Change::Remove => Ok((None, None)),
    });
    let packed = packed.collect::<Result<_, StoreError>>()?;
    Ok(Prepared { commit, packed })
}
