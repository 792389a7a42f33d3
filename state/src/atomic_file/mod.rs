//! Writing files so that they are always either old or new, never half of either.
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("settings.json");
//! upstate_state::atomic_file::write_new(&path, b"{}")?;
//! assert_eq!(std::fs::read(&path)?, b"{}");
//! # Ok::<(), std::io::Error>(())
//! ```

mod pending;

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};

pub(crate) use pending::Pending;

/// A file that is written elsewhere and takes its place when it is whole; thrown away unless
/// [put in place](Self::put_in_place).
///
/// A pipe or a device cannot be replaced: it is written to as it is, when everything is known.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    new: Waiting,
}

/// The file in which the written bytes wait.
#[derive(Debug)]
enum Waiting {
    /// Beside its place.
    Beside(Pending),
    /// In a file without a name, because its place is a pipe or a device.
    Nameless(BufWriter<File>),
}

impl NewFile {
    /// Begins a file that may or may not be there.
    ///
    /// # Errors
    /// Its folder can't be written, it is a folder, or it is a symbolic link to nothing.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::create_as(path, Pending::beside)
    }

    fn create_as(
        path: &Path,
        beside: impl FnOnce(&Path) -> io::Result<Pending>,
    ) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => {
                let path = fs::canonicalize(path)?;
                Ok(Self {
                    new: Waiting::Beside(Pending::like(&path)?),
                    path,
                })
            }
            Ok(metadata) if metadata.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(_) => Ok(Self {
                new: Waiting::Nameless(BufWriter::new(nameless()?)),
                path: path.to_owned(),
            }),
            Err(_) if path.is_symlink() => {
                Err(io::Error::other("it is a symbolic link to nothing"))
            }
            Err(_) => Ok(Self {
                new: Waiting::Beside(beside(path)?),
                path: path.to_owned(),
            }),
        }
    }

    /// Puts what was written in its place.
    ///
    /// # Errors
    /// It cannot be written; nothing has changed then.
    pub fn put_in_place(self) -> io::Result<()> {
        match self.new {
            Waiting::Beside(pending) => pending.finish()?.put_at(&self.path).map(drop),
            Waiting::Nameless(written) => {
                let mut written = written
                    .into_inner()
                    .map_err(io::IntoInnerError::into_error)?;
                written.rewind()?;
                let mut target = OpenOptions::new().write(true).open(&self.path)?;
                io::copy(&mut written, &mut target).map(drop)
            }
        }
    }
}

/// A file without a name, for what must wait until everything is known.
///
/// # Errors
/// The system's folder for temporary files can't be written.
pub fn nameless() -> io::Result<File> {
    let folder = std::env::temp_dir();
    tempfile::tempfile_in(&folder).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!(
                "no temporary file can be made in {} ({})",
                folder.display(),
                error.kind()
            ),
        )
    })
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.new {
            Waiting::Beside(pending) => pending.write(bytes),
            Waiting::Nameless(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.new {
            Waiting::Beside(pending) => pending.flush(),
            Waiting::Nameless(file) => file.flush(),
        }
    }
}

/// Writes a file that may or may not be there, without a lock and a backup. A pipe or a device is
/// written to as it is.
///
/// # Errors
/// Its folder can't be written, or it is a symbolic link to nothing; nothing has changed then.
pub fn write_new(path: &Path, new: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create(path)?;
    file.write_all(new)?;
    file.put_in_place()
}

/// Writes a file that holds no secrets, such as `upstate.lock`: the umask decides who may read a
/// new one.
///
/// # Errors
/// As [`write_new`].
pub fn write_public(path: &Path, new: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create_as(path, Pending::beside_for_all)?;
    file.write_all(new)?;
    file.put_in_place()
}

/// Writes what a file held into another one, which gets its owner and its permissions, so that the
/// same programs can read it. Fails where one is.
pub(crate) fn write_copy(original: &Path, path: &Path, old: &[u8]) -> io::Result<()> {
    let mut file = Pending::copy_of(original, path)?;
    file.write_all(old)?;
    file.finish()?.put_new_at(path)
}

/// Writes a file that is not there yet; fails where one is.
pub(crate) fn create_new(path: &Path, new: &[u8]) -> io::Result<()> {
    let mut file = Pending::beside(path)?;
    file.write_all(new)?;
    file.finish()?.put_new_at(path)
}

/// The path at which a replaced file is kept: its name with `.backup` behind it.
#[must_use]
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".backup");
    name.into()
}

/// True if this is the file at `path`.
#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let held = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((held.dev(), held.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
pub(crate) fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    fs::exists(path)
}
