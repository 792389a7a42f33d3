//! Folders in memory: a database that has its file there does not wait for a disk at each commit,
//! which takes longer than what is committed.

use tempfile::TempDir;

/// A folder in memory, for tests that kill processes and never the machine; an ordinary one where
/// there is none with room for it.
pub fn folder() -> TempDir {
    let made = if has_room() {
        tempfile::tempdir_in(MEMORY)
    } else {
        tempfile::tempdir()
    };
    made.unwrap()
}

/// The place where Linux has files in memory.
const MEMORY: &str = "/dev/shm";

/// True if a gigabyte is free there, because a container may have 64 MiB in all.
#[cfg(unix)]
fn has_room() -> bool {
    rustix::fs::statvfs(MEMORY)
        .is_ok_and(|found| found.f_bavail.saturating_mul(found.f_frsize) >= 1 << 30)
}

#[cfg(not(unix))]
fn has_room() -> bool {
    false
}
