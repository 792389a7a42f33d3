//! State files that are worked on in place, under Terraform's lock.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::lock::{Lock, Record, is_beside, lock_record};
use super::read::{FileBytes, read_from};
use crate::atomic_file::{Pending, backup_path, is_at};

/// The greatest number of times that a file is opened, because others may replace it before it is
/// locked.
const ATTEMPTS: usize = 16;

/// A state file that is worked on in place: locked as Terraform locks it, until it is replaced or
/// this is dropped.
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
pub struct LockedFile {
    /// Without symbolic links: what is replaced is the file, not a link to it.
    path: PathBuf,
    bytes: FileBytes,
    held: Mutex<Option<Held>>,
}

/// The parts of the lock that are given back, in this order: the information beside the file before
/// the lock itself.
struct Held {
    _lock: Lock,
    file: File,
    _turn: Turn,
}

impl LockedFile {
    /// Takes the lock of the state file at `path` and reads it.
    ///
    /// # Errors
    /// The file can't be read or may not be written, it has further names (hard links), which would
    /// keep the old state, or its lock is held or cannot be taken.
    pub fn open(path: &Path) -> io::Result<Self> {
        let given = path;
        let path = fs::canonicalize(given)?;
        let metadata = fs::metadata(&path)?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !metadata.is_file() {
            let kind = io::ErrorKind::InvalidInput;
            return Err(io::Error::new(
                kind,
                "it is a pipe or a device, which cannot be replaced; pass its content through a pipe",
            ));
        }
        // Terraform looks for the lock information beside the name that it was given, so a link's
        // own name is looked at too.
        if fs::symlink_metadata(given)?.is_symlink() {
            is_beside(given)?;
        }
        // Another handle of the same file would give back its lock when it is closed.
        let turn = Turn::take(&path)?;
        for _ in 0..ATTEMPTS {
            let file = open_for_writing(&path)?;
            let record = lock_record(&file)?;
            // Somebody has replaced it since it was opened.
            if !is_at(&file, &path)? {
                continue;
            }
            has_one_name(&file)?;
            let lock = Lock::take(&path, record)?;
            let bytes = read_from(&file)?;
            return Ok(Self {
                path,
                bytes,
                held: Mutex::new(Some(Held {
                    _lock: lock,
                    file,
                    _turn: turn,
                })),
            });
        }
        Err(io::Error::new(
            io::ErrorKind::WouldBlock,
            "others keep replacing it; try again",
        ))
    }

    /// The bytes of the file when it was opened.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Begins what is to take the place of the file.
    ///
    /// # Errors
    /// The file's folder cannot be written.
    pub fn replacement(&self) -> io::Result<Replacement<'_>> {
        Ok(Replacement {
            of: self,
            new: Pending::like(&self.path)?,
        })
    }

    /// Gives the lock back before this is dropped: nothing will be replaced.
    pub fn unlock(&self) {
        drop(self.held().take());
    }

    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if the file still holds what it did when it was opened: those who don't know the lock
    /// may write.
    fn is_unchanged(&self, mut file: &File) -> io::Result<bool> {
        // Another file may have been put in its place, too.
        if !is_at(file, &self.path)? {
            return Ok(false);
        }
        file.rewind()?;
        let mut rest = &*self.bytes;
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

upstate::__debug_parts! {
    /// Says which file it is, not what it holds: stored values may be secrets.
    LockedFile |self| {
        path: self.path,
        length: self.bytes.len(),
    }
}

/// The turn of one [`LockedFile`] among those of this process: a record lock keeps other processes
/// out, not other threads.
struct Turn(PathBuf);

static TAKEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

impl Turn {
    fn take(path: &Path) -> io::Result<Self> {
        if TAKEN
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path.to_owned())
        {
            return Ok(Self(path.to_owned()));
        }
        Err(io::Error::new(
            io::ErrorKind::WouldBlock,
            "this program is working on it already; wait until it is done",
        ))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        TAKEN
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.0);
    }
}

fn open_for_writing(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .map_err(|error| {
            // Terraform could not write it either, and a lock that may only be shared keeps nobody
            // out.
            if !matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            ) {
                return error;
            }
            let help = "let it be written, or have the upgraded state written elsewhere";
            io::Error::new(
                error.kind(),
                format!("it may not be written ({error}); {help}"),
            )
        })
}

#[cfg(unix)]
fn has_one_name(file: &File) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    match file.metadata()?.nlink() {
        0 | 1 => Ok(()),
        names => Err(io::Error::other(format!(
            "it has {names} names (hard links), and the others would keep the old state; remove them or copy it first, or have the \
             upgraded state written elsewhere"
        ))),
    }
}

#[cfg(not(unix))]
fn has_one_name(_: &File) -> io::Result<()> {
    Ok(())
}

/// The text that is left in a file that has been replaced. Terraform may have it open already, and
/// wait for its lock (`-lock-timeout`): what it writes there would be lost, so it must not take it
/// for state. Of a format that it does not know it tells the writer, if that is a version.
const REPLACED: &str = r#"{"version":18446744073709551615,"terraform_version":"0.0.0-upstate-has-replaced-this-file-while-Terraform-waited-for-its-lock.nothing-was-changed.run-the-command-again"}"#;

/// Makes a file unreadable whose place another has taken.
#[cfg(unix)]
fn retire(old: &File) -> io::Result<()> {
    use std::os::unix::fs::{FileExt as _, MetadataExt as _};
    if old.metadata()?.nlink() > 0 {
        return Ok(());
    }
    // First the text, then the length: at no moment is it state, nor empty, which Terraform takes
    // for the absence of state.
    old.write_all_at(REPLACED.as_bytes(), 0)?;
    old.set_len(REPLACED.len() as u64)
}

#[cfg(not(unix))]
fn retire(_: &File) -> io::Result<()> {
    Ok(())
}

/// The new content of a [`LockedFile`], while it is written; thrown away unless
/// [put in place](Self::put_in_place).
#[derive(Debug)]
pub struct Replacement<'a> {
    of: &'a LockedFile,
    new: Pending,
}

impl Replacement<'_> {
    /// Replaces the file with the written one, keeps the old one as a backup and returns the path
    /// of the backup. The lock is released.
    ///
    /// Both are written to temporary files in the same folder, synced and renamed, so a crash at
    /// any moment leaves the old file or the new one. A symbolic link stays one; owner and
    /// permissions are kept. A Terraform that waits for the lock meanwhile fails and asks to be run
    /// again.
    ///
    /// # Errors
    /// Something cannot be written, another program has changed the file meanwhile, or its lock was
    /// released; the file is as it was then.
    pub fn put_in_place(self) -> io::Result<PathBuf> {
        let path = backup_path(&self.of.path);
        self.put(Some(&path))?;
        Ok(path)
    }

    /// Replaces the file with the written one, without a backup.
    ///
    /// # Errors
    /// Those of [`put_in_place`](Self::put_in_place).
    pub fn put_without_backup(self) -> io::Result<()> {
        self.put(None)
    }

    /// Puts `other` in the place of the file, not what was written, without a backup.
    ///
    /// # Errors
    /// Those of [`put_in_place`](Self::put_in_place).
    pub fn put_instead(self, other: &[u8]) -> io::Result<()> {
        let mut replacement = self.of.replacement()?;
        replacement.write_all(other)?;
        replacement.put(None)
    }

    /// Throws away what was written, and gives back the lock.
    pub fn give_up(self) {
        self.of.unlock();
    }

    fn put(self, backup_path: Option<&Path>) -> io::Result<()> {
        let Self { of, new } = self;
        let mut held = of.held();
        let Some(now) = held.as_ref() else {
            return Err(io::Error::other(
                "its lock was given back; nothing was written",
            ));
        };
        // Both are whole before anything changes.
        let new = new.finish()?;
        let mut backup = None;
        if let Some(path) = backup_path {
            let mut pending = Pending::like(&of.path)?;
            pending.write_all(&of.bytes)?;
            backup = Some((pending.finish()?, path));
        }
        if !of.is_unchanged(&now.file)? {
            return Err(changed());
        }
        if let Some((backup, path)) = backup {
            backup.put_at(path)?;
        }
        // A program that opens the new file from now on waits until all is done here.
        if lock_new(new.file())? == Record::Held {
            return Err(changed());
        }
        let new = new.put_at(&of.path)?;
        // The upgrade is done; a Terraform that may be waiting does not make it a failure.
        let _ = retire(&now.file);
        *held = None;
        drop(new);
        Ok(())
    }
}

/// Asks for the record lock of a temporary file.
fn lock_new(file: &File) -> io::Result<Record> {
    let record = lock_record(file)?;
    if record != Record::Held {
        return Ok(record);
    }
    // On NFS the lock that claims the file is a record lock, too, of another owner.
    file.unlock()?;
    lock_record(file)
}

#[cold]
fn changed() -> io::Error {
    io::Error::other(
        "another program has changed it since it was read; nothing was written, try again",
    )
}

impl Write for Replacement<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.new.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.new.flush()
    }
}

/// Replaces the file at `path`, which held `old` when it was read, and keeps that beside it; gives
/// the path of that backup.
///
/// [`LockedFile`] does the same with the file locked from the reading on.
///
/// # Errors
/// The file can't be read or its folder can't be written, its owner can't be kept, Terraform holds
/// its lock, or it no longer holds `old`, because somebody else wrote it meanwhile; it is as it was
/// then.
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> io::Result<PathBuf> {
    let file = LockedFile::open(path)?;
    if file.bytes() != old {
        return Err(changed());
    }
    let mut replacement = file.replacement()?;
    replacement.write_all(new)?;
    replacement.put_in_place()
}
