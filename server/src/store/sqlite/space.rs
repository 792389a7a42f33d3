//! The room that is left beside the file.

use std::path::Path;

use crate::store::StoreError;

/// The number of bytes that `ready` tries to write after a write failed.
pub(super) const TRIED: i64 = 4 << 20;

/// The number of bytes that must be free, so that a state of a usual size and the journal fit.
#[cfg(unix)]
const LEAST: u64 = 32 << 20;

/// Refuses a file system that is as good as full.
#[cfg(unix)]
pub(super) fn left_beside(file: &Path) -> Result<(), StoreError> {
    let found = rustix::fs::statvfs(file)
        .map_err(|error| StoreError::passing("the free space is not known").because(error))?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    if free >= LEAST {
        return Ok(());
    }
    let text = format!(
        "{} MiB are free where {} is; {} are the least",
        free >> 20,
        file.display(),
        LEAST >> 20
    );
    Err(StoreError::passing(text))
}

/// Refuses nothing, because the free space is not looked up here; a write that fails is noticed all
/// the same.
#[cfg(not(unix))]
pub(super) fn left_beside(_: &Path) -> Result<(), StoreError> {
    Ok(())
}
