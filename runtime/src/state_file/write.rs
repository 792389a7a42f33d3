//! Writing files so that they are always either old or new, never half of either.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Replaces the file at `path`, which held `old` when it was read, and keeps that beside it; gives the path of that backup.
///
/// Both are written to a temporary file in the same folder, synced and renamed, so a crash at any moment leaves the old file or
/// the new one. A symbolic link stays one; owner and permissions are kept.
///
/// # Errors
/// The file can't be read or its folder can't be written, its owner can't be kept, Terraform holds its lock, or it no longer
/// holds `old`, because somebody else wrote it meanwhile; it is as it was then.
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> io::Result<PathBuf> {
    let path = fs::canonicalize(path)?;
    let backup = backup_path(&path);
    let like = Like::of(&path)?;
    let lock = lock_path(&path);
    if fs::exists(&lock)? {
        return Err(io::Error::other(format!(
            "Terraform holds its lock ({}); wait until it is done, or remove that file if it was left behind",
            lock.display()
        )));
    }
    if fs::read(&path)? != old {
        return Err(io::Error::other("somebody else has changed it since it was read; nothing was written, try again"));
    }
    write_like(&backup, old, Some(&like))?;
    write_like(&path, new, Some(&like))?;
    Ok(backup)
}

/// Writes a file that may or may not be there, the same way, without a backup. What is no file, such as a pipe or a device, is
/// written to as it is.
///
/// # Errors
/// Its folder can't be written, or it is a symbolic link to nothing; nothing has changed then.
pub fn write_new(path: &Path, new: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            let path = fs::canonicalize(path)?;
            write_like(&path, new, Some(&Like::of(&path)?))
        }
        Ok(metadata) if metadata.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(_) => fs::OpenOptions::new().write(true).open(path)?.write_all(new),
        Err(_) if path.is_symlink() => Err(io::Error::other("it is a symbolic link to nothing")),
        Err(_) => write_like(path, new, None),
    }
}

/// Where Terraform says that it is working on a state file.
fn lock_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".lock.info");
    path.with_file_name(name)
}

/// Who may do what with a file, to be kept when another takes its place.
struct Like {
    permissions: fs::Permissions,
    #[cfg(unix)]
    owner: (u32, u32),
}

impl Like {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        Ok(Self {
            permissions: metadata.permissions(),
            #[cfg(unix)]
            owner: {
                use std::os::unix::fs::MetadataExt as _;
                (metadata.uid(), metadata.gid())
            },
        })
    }

    fn put_on(&self, file: &File) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let is = file.metadata()?;
            if (is.uid(), is.gid()) != self.owner {
                std::os::unix::fs::fchown(file, Some(self.owner.0), Some(self.owner.1))
                    .map_err(|error| io::Error::new(error.kind(), format!("its owner and group cannot be kept: {error}")))?;
            }
        }
        file.set_permissions(self.permissions.clone())
    }
}

/// Where [`replace`] keeps what a file held: its name with `.backup` behind it.
#[must_use]
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".backup");
    name.into()
}

fn write_like(path: &Path, new: &[u8], like: Option<&Like>) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Opened before anything changes, for the sync at the end.
    let folder_handle = File::open(folder).ok();
    // The name of the temporary file would only puzzle.
    let mut file = NamedTempFile::with_prefix_in(".upstate-", folder).map_err(|error| io::Error::from(error.kind()))?;
    file.write_all(new)?;
    // A temporary file can be read by its owner only. State holds secrets, so that is also right for a new file.
    if let Some(like) = like {
        like.put_on(file.as_file())?;
    }
    file.as_file().sync_all()?;
    file.persist(path)?;
    // The new file is in its place now. Making the rename survive a power cut as well is tried where folders can be synced; that
    // it can't be is no reason to call the write a failure.
    if cfg!(unix)
        && let Some(folder) = folder_handle
    {
        let _ = folder.sync_all();
    }
    Ok(())
}
