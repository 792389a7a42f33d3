//! Writing files so that they are always either old or new, never half of either.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Replaces the file at `path`, which held `old` when it was read, and keeps that at [`backup_path`].
///
/// Both are written to a temporary file in the same folder, synced and renamed, so a crash at any moment leaves the old file or
/// the new one. A symbolic link stays one; permissions are kept.
///
/// # Errors
/// The file can't be read or its folder can't be written, or the file no longer holds `old`, because somebody else wrote it
/// meanwhile; it is as it was then.
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    if fs::read(&path)? != old {
        return Err(io::Error::other("somebody else has changed it since it was read; nothing was written, try again"));
    }
    write_new_as(&backup_path(&path), old, Some(permissions.clone()))?;
    write_new_as(&path, new, Some(permissions))
}

/// Writes a file that may or may not be there, the same way, without a backup.
///
/// # Errors
/// Its folder can't be written; nothing has changed then.
pub fn write_new(path: &Path, new: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let permissions = fs::metadata(&path).ok().map(|metadata| metadata.permissions());
    write_new_as(&path, new, permissions)
}

/// Where [`replace`] keeps what a file held: its name with `.backup` behind it.
#[must_use]
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".backup");
    name.into()
}

fn write_new_as(path: &Path, new: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = NamedTempFile::with_prefix_in(".upstate-", folder)?;
    file.write_all(new)?;
    // A temporary file can be read by its owner only. State holds secrets, so that is also right for a new file.
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync_folder(folder)
}

/// Makes the rename itself survive a power cut, where folders can be synced.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
