//! Writing files so that they are always either old or new, never half of either.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read as _, Seek as _, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::lock::Lock;
use super::read::read_from;

/// A state file that is worked on in place: locked as Terraform locks it, until this is dropped.
///
/// ```no_run
/// use upstate::Registry;
/// use upstate_state::{LockedFile, StateFile, UpgradeOptions};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new(); // .with::<Thing>()
/// let file = LockedFile::open("terraform.tfstate".as_ref())?;
/// let state = StateFile::parse(file.bytes())?;
/// let mut new = file.replacement()?;
/// let totals = state.upgrade_to(&registry, &UpgradeOptions::new(), &mut new, |_| Ok(()))?;
/// if totals.may_be_written() {
///     let backup = new.put_in_place()?;
///     println!("the old state is {}", backup.display());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct LockedFile {
    /// Without symbolic links: what is replaced is the file, not a link to it.
    path: PathBuf,
    bytes: Vec<u8>,
    // Given back in this order: the information beside the file before the lock itself.
    _lock: Lock,
    file: File,
}

impl LockedFile {
    /// Takes the lock of the state file at `path` and reads it.
    ///
    /// # Errors
    /// The file can't be read, its lock is held or cannot be taken.
    pub fn open(path: &Path) -> io::Result<Self> {
        let given = path;
        let path = fs::canonicalize(given)?;
        if fs::metadata(&path)?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // Terraform looks beside the name that it was given.
        let beside = super::lock::info_path(given);
        let file = match OpenOptions::new().read(true).write(true).open(&path) {
            Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
                File::open(&path)?
            }
            result => result?,
        };
        let is_link = fs::symlink_metadata(given)?.is_symlink();
        if is_link && fs::exists(&beside)? {
            return Err(io::Error::new(
                io::ErrorKind::WouldBlock,
                format!(
                    "Terraform holds its lock, or left it behind; wait until it is done, or, if nobody works on it any more, \
                     remove {}",
                    beside.display()
                ),
            ));
        }
        let lock = Lock::take(&path, &file)?;
        let bytes = read_from(&file)?;
        Ok(Self { path, bytes, _lock: lock, file })
    }

    /// What the file held when it was opened.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Begins what is to take the place of the file.
    ///
    /// # Errors
    /// The file's folder cannot be written.
    pub fn replacement(&self) -> io::Result<Replacement<'_>> {
        Ok(Replacement { of: self, new: Pending::like(&self.path)? })
    }

    /// Whether the file still holds what it did when it was opened: those who don't know the lock may write.
    fn is_unchanged(&self) -> io::Result<bool> {
        // Another file may have been put in its place, too.
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let (held, there) = (self.file.metadata()?, fs::metadata(&self.path)?);
            if (held.dev(), held.ino()) != (there.dev(), there.ino()) {
                return Ok(false);
            }
        }
        let mut file = &self.file;
        file.rewind()?;
        let mut rest = self.bytes.as_slice();
        let mut buffer = vec![0; 256 << 10];
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                return Ok(rest.is_empty());
            }
            match (buffer.get(..read), rest.split_at_checked(read)) {
                (Some(there), Some((held, after))) if there == held => rest = after,
                _ => return Ok(false),
            }
        }
    }
}

/// The new content of a [`LockedFile`], while it is written; thrown away unless [put in place](Self::put_in_place).
#[derive(Debug)]
pub struct Replacement<'a> {
    of: &'a LockedFile,
    new: Pending,
}

impl Replacement<'_> {
    /// Puts what was written in the place of the file, and keeps what it held beside it; gives the path of that backup.
    ///
    /// Both are written to temporary files in the same folder, synced and renamed, so a crash at any moment leaves the old file
    /// or the new one. A symbolic link stays one; owner and permissions are kept.
    ///
    /// # Errors
    /// Something cannot be written, or somebody else has changed the file meanwhile; it is as it was then.
    pub fn put_in_place(self) -> io::Result<PathBuf> {
        let Self { of, new } = self;
        // Both are whole before anything changes.
        let new = new.finish()?;
        let mut backup = Pending::like(&of.path)?;
        backup.write_all(&of.bytes)?;
        let backup = backup.finish()?;
        if !of.is_unchanged()? {
            return Err(io::Error::other("somebody else has changed it since it was read; nothing was written, try again"));
        }
        let backup_path = backup_path(&of.path);
        backup.put_at(&backup_path)?;
        new.put_at(&of.path)?;
        Ok(backup_path)
    }
}

impl Write for Replacement<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.new.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.new.flush()
    }
}

/// A file that is written elsewhere and takes its place when it is whole; thrown away unless [put in place](Self::put_in_place).
///
/// What is no regular file, such as a pipe or a device, cannot be replaced: it is written to as it is, when everything is known.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    new: Pending,
    /// Whether a pipe or a device stands there.
    special: bool,
}

impl NewFile {
    /// Begins a file that may or may not be there.
    ///
    /// # Errors
    /// Its folder can't be written, it is a folder, or it is a symbolic link to nothing.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::create_as(path, Pending::beside)
    }

    fn create_as(path: &Path, beside: impl FnOnce(&Path) -> io::Result<Pending>) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => {
                let path = fs::canonicalize(path)?;
                Ok(Self { new: Pending::like(&path)?, path, special: false })
            }
            Ok(metadata) if metadata.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(_) => {
                let temporary = NamedTempFile::with_prefix(".upstate-")?;
                Ok(Self { new: Pending::of(temporary), path: path.to_owned(), special: true })
            }
            Err(_) if path.is_symlink() => Err(io::Error::other("it is a symbolic link to nothing")),
            Err(_) => Ok(Self { new: beside(path)?, path: path.to_owned(), special: false }),
        }
    }

    /// Puts what was written in its place.
    ///
    /// # Errors
    /// It cannot be written; nothing has changed then.
    pub fn put_in_place(self) -> io::Result<()> {
        let new = self.new.finish()?;
        if !self.special {
            return new.put_at(&self.path);
        }
        let mut written = new.0.into_file();
        written.rewind()?;
        let mut target = OpenOptions::new().write(true).open(&self.path)?;
        io::copy(&mut written, &mut target)?;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.new.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.new.flush()
    }
}

/// Replaces the file at `path`, which held `old` when it was read, and keeps that beside it; gives the path of that backup.
///
/// [`LockedFile`] does the same with the file locked from the reading on.
///
/// # Errors
/// The file can't be read or its folder can't be written, its owner can't be kept, Terraform holds its lock, or it no longer
/// holds `old`, because somebody else wrote it meanwhile; it is as it was then.
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> io::Result<PathBuf> {
    let file = LockedFile::open(path)?;
    if file.bytes() != old {
        return Err(io::Error::other("somebody else has changed it since it was read; nothing was written, try again"));
    }
    let mut replacement = file.replacement()?;
    replacement.write_all(new)?;
    replacement.put_in_place()
}

/// Writes a file that may or may not be there, the same way, without a lock and a backup. What is no file, such as a pipe or a
/// device, is written to as it is.
///
/// # Errors
/// Its folder can't be written, or it is a symbolic link to nothing; nothing has changed then.
pub fn write_new(path: &Path, new: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create(path)?;
    file.write_all(new)?;
    file.put_in_place()
}

/// The same for a file that holds no secrets, such as `upstate.lock`: a new one may be read by whom the umask lets.
///
/// # Errors
/// As [`write_new`].
pub fn write_public(path: &Path, new: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create_as(path, Pending::beside_for_all)?;
    file.write_all(new)?;
    file.put_in_place()
}

/// Where a replaced file is kept: its name with `.backup` behind it.
#[must_use]
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".backup");
    name.into()
}

/// Who may do what with a file, to be kept when another takes its place.
#[derive(Debug)]
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

/// What the names of temporary files for `path` begin with.
pub(super) fn temporary_prefix(path: &Path) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(path.file_name().unwrap_or_else(|| OsStr::new("state")));
    prefix.push(".upstate-");
    prefix
}

/// A file while it is written.
#[derive(Debug)]
struct Pending {
    file: BufWriter<NamedTempFile>,
    like: Option<Like>,
}

/// A file that is written and on disk, and not in its place yet.
struct Finished(NamedTempFile);

impl Pending {
    fn of(file: NamedTempFile) -> Self {
        Self { file: BufWriter::with_capacity(256 << 10, file), like: None }
    }

    /// A new file in the folder of `path`. It can be read by its owner only: state holds secrets.
    fn beside(path: &Path) -> io::Result<Self> {
        // The name of the temporary file would only puzzle.
        let file = NamedTempFile::with_prefix_in(temporary_prefix(path), folder_of(path));
        file.map(Self::of).map_err(|error| io::Error::from(error.kind()))
    }

    /// The same, with the permissions of any new file.
    fn beside_for_all(path: &Path) -> io::Result<Self> {
        let prefix = temporary_prefix(path);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder_of(path));
        file.map(Self::of).map_err(|error| io::Error::from(error.kind()))
    }

    /// A file that is to take the place of the one at `path`.
    fn like(path: &Path) -> io::Result<Self> {
        Ok(Self { like: Some(Like::of(path)?), ..Self::beside(path)? })
    }

    fn finish(self) -> io::Result<Finished> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(like) = self.like {
            like.put_on(file.as_file())?;
        }
        file.as_file().sync_all()?;
        Ok(Finished(file))
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Finished {
    fn put_at(self, path: &Path) -> io::Result<()> {
        // Opened before anything changes, for the sync at the end.
        let folder = File::open(folder_of(path)).ok();
        self.0.persist(path)?;
        // The new file is in its place now. Making the rename survive a power cut as well is tried where folders can be synced;
        // that it can't be is no reason to call the write a failure.
        if cfg!(unix)
            && let Some(folder) = folder
        {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
