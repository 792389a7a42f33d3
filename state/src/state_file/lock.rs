//! Terraform's local lock: taken while a state file is worked on, so that Terraform stays out, and
//! honoured if somebody holds it.
//!
//! Terraform locks the state file itself (a POSIX record lock) and says in a file beside it,
//! `.terraform.tfstate.lock.info`, who does and why. Both are done here as well.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

use super::names::Short;

/// The information about a lock, as Terraform writes it: its holder and the reason.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct LockInfo {
    #[serde(rename = "ID")]
    id: String,
    operation: String,
    info: String,
    who: String,
    version: String,
    created: String,
    path: String,
}

/// By this an information of ours is known.
const OPERATION: &str = "OperationTypeUpstateUpgrade";

impl Default for LockInfo {
    fn default() -> Self {
        let text = String::new;
        Self {
            id: text(),
            operation: text(),
            info: text(),
            who: text(),
            version: text(),
            created: text(),
            path: text(),
        }
    }
}

/// The file that Terraform looks for beside a state file while its lock is held; taken away when
/// dropped.
pub(super) struct Lock {
    info: PathBuf,
    id: String,
}

/// The result of a request for the record lock of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record {
    /// It is ours, until any handle of the file is closed in this process.
    Taken,
    /// Another process has it.
    Held,
    /// The file system has no such locks: the information beside the file is all there is.
    Unsupported,
}

impl Lock {
    /// Takes the lock of the state file at `path`, whose record lock was asked for.
    pub(super) fn take(path: &Path, record: Record) -> io::Result<Self> {
        let info_path = info_path(path);
        match (record, read_info(&info_path)?) {
            (Record::Held, held) => return Err(held_error(&info_path, &held)),
            (_, Held::Nothing) => {}
            // A run of ours that was killed: nobody holds the lock itself any more. It may have
            // been killed before it said who it is.
            (Record::Taken, Held::Empty) => fs::remove_file(&info_path)?,
            (Record::Taken, Held::By(info)) if info.is_ours() => fs::remove_file(&info_path)?,
            (Record::Taken | Record::Unsupported, held) => {
                return Err(left_behind_error(&info_path, &held));
            }
        }
        let info = LockInfo {
            id: Uuid::new_v4().to_string(),
            operation: OPERATION.to_owned(),
            info: String::new(),
            who: who(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created: now(),
            path: path.display().to_string(),
        };
        let text = serde_json::to_vec(&info).map_err(io::Error::from)?;
        let mut file = match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&info_path)
        {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(held_error(&info_path, &read_info(&info_path)?));
            }
            Err(error) => return Err(cannot_be_taken(&info_path, &error)),
        };
        let written = file.write_all(&text);
        let lock = Self {
            info: info_path,
            id: info.id,
        };
        if let Err(error) = written {
            let _ = fs::remove_file(&lock.info);
            return Err(cannot_be_taken(&lock.info, &error));
        }
        Ok(lock)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // If it cannot be removed, the next program reports where it is. One that is not ours
        // belongs to another program.
        if matches!(read_info(&self.info), Ok(Held::By(info)) if info.id == self.id) {
            let _ = fs::remove_file(&self.info);
        }
    }
}

/// Refuses a file beside which somebody says that it is worked on.
pub(super) fn is_beside(path: &Path) -> io::Result<()> {
    let info_path = info_path(path);
    match read_info(&info_path)? {
        Held::Nothing => Ok(()),
        held @ (Held::Empty | Held::By(_) | Held::Unreadable) => {
            Err(left_behind_error(&info_path, &held))
        }
    }
}

/// The path at which Terraform says that it is working on a state file.
fn info_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let name = name
        .as_encoded_bytes()
        .strip_prefix(b".")
        .map_or(name.to_string_lossy(), String::from_utf8_lossy);
    path.with_file_name(OsString::from(format!(".{name}.lock.info")))
}

/// The contents of the lock information beside a state file.
enum Held {
    Nothing,
    /// Nothing yet, or nothing more: its maker has not written it.
    Empty,
    By(LockInfo),
    /// It is there and cannot be read.
    Unreadable,
}

impl LockInfo {
    fn is_ours(&self) -> bool {
        self.operation == OPERATION
    }
}

impl Held {
    /// Names the holder of the lock, as far as that is known.
    fn holder(&self) -> String {
        let Self::By(info) = self else {
            return "Terraform holds its lock".to_owned();
        };
        // The text of a file must not steer the terminal.
        let plain = |text: &str| Short(text).to_string();
        let (who, since) = (plain(&info.who), plain(&info.created));
        if info.is_ours() {
            return format!("another upgrade holds its lock (by {who} since {since})");
        }
        let operation = plain(
            info.operation
                .strip_prefix("OperationType")
                .unwrap_or(&info.operation),
        )
        .to_lowercase();
        format!("Terraform holds its lock ({operation} by {who} since {since})")
    }
}

/// A longer file is not information about a lock.
const LONGEST: u64 = 64 << 10;

fn read_info(path: &Path) -> io::Result<Held> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Held::Nothing),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Ok(Held::Unreadable);
        }
        Err(error) => return Err(cannot_be_taken(path, &error)),
    };
    // Not even opened: opening a pipe would wait.
    if !metadata.is_file() {
        return Ok(Held::Unreadable);
    }
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut bytes)) {
        Ok(0) => Ok(Held::Empty),
        Ok(_) => Ok(serde_json::from_slice(&bytes).map_or(Held::Unreadable, Held::By)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Held::Nothing),
        Err(_) => Ok(Held::Unreadable),
    }
}

#[cold]
fn cannot_be_taken(info: &Path, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("its lock {} cannot be taken: {error}", info.display()),
    )
}

#[cold]
fn held_error(path: &Path, held: &Held) -> io::Error {
    let holder = held.holder();
    io::Error::new(
        io::ErrorKind::WouldBlock,
        format!(
            "{holder}; wait until it is done. The details of its lock are in {}",
            path.display()
        ),
    )
}

#[cold]
fn left_behind_error(path: &Path, held: &Held) -> io::Error {
    let holder = held.holder();
    io::Error::new(
        io::ErrorKind::WouldBlock,
        format!(
            "{holder}, or left it behind; wait until it is done, or, if no process uses it any more, remove {}",
            path.display()
        ),
    )
}

/// Asks for the record lock of a file that is open for reading and writing.
#[cfg(unix)]
pub(super) fn lock_record(file: &File) -> io::Result<Record> {
    use rustix::fs::{FlockOperation, fcntl_lock};
    use rustix::io::Errno;
    #[cfg(test)]
    if tests::WITHOUT_LOCKS.get() {
        return Ok(Record::Unsupported);
    }
    #[cfg(test)]
    if tests::is_claimed_as_on_nfs(file) {
        return Ok(Record::Held);
    }
    match fcntl_lock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Record::Taken),
        Err(Errno::AGAIN | Errno::ACCESS) => Ok(Record::Held),
        Err(Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP | Errno::INVAL) => {
            Ok(Record::Unsupported)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
pub(super) fn lock_record(_: &File) -> io::Result<Record> {
    Ok(Record::Unsupported)
}

fn who() -> String {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let user = variable("USER")
        .or_else(|| variable("USERNAME"))
        .unwrap_or_else(|| "unknown".to_owned());
    let host = fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .map(|host| host.trim().to_owned());
    let host = host
        .or_else(|| variable("HOSTNAME"))
        .or_else(|| variable("COMPUTERNAME"));
    format!("{user}@{}", host.unwrap_or_else(|| "localhost".to_owned()))
}

/// This moment as Terraform writes it, in UTC.
fn now() -> String {
    OffsetDateTime::now_utc()
        .truncate_to_second()
        .format(&Rfc3339)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    use super::super::{LockedFile, replace};

    thread_local! {
        /// As on a file system without record locks.
        pub(super) static WITHOUT_LOCKS: Cell<bool> = const { Cell::new(false) };
        /// As on NFS, where a lock of any kind is a record lock.
        static AS_ON_NFS: Cell<bool> = const { Cell::new(false) };
    }

    /// True if a lock of another kind hinders the record lock.
    #[cfg(unix)]
    pub(super) fn is_claimed_as_on_nfs(file: &File) -> bool {
        use std::os::fd::AsRawFd as _;
        if !AS_ON_NFS.get() {
            return false;
        }
        let other = File::open(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap();
        matches!(other.try_lock(), Err(fs::TryLockError::WouldBlock))
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_claim_of_a_temporary_file_hinders_no_lock() {
        AS_ON_NFS.set(true);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terraform.tfstate");
        fs::write(&path, "old").unwrap();
        let backup = replace(&path, b"old", b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read(backup).unwrap(), b"old");
    }

    #[cfg(unix)]
    #[test]
    fn without_record_locks_no_process_is_taken_for_a_killed_run() {
        WITHOUT_LOCKS.set(true);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terraform.tfstate");
        fs::write(&path, "old").unwrap();
        let file = LockedFile::open(&path).unwrap();
        let mut new = file.replacement().unwrap();
        new.write_all(b"new").unwrap();
        // As another process sees it.
        let error = Lock::take(&path.canonicalize().unwrap(), Record::Unsupported)
            .err()
            .unwrap();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert!(
            error
                .to_string()
                .starts_with("another upgrade holds its lock (by "),
            "{error}"
        );
        assert!(error.to_string().contains("or left it behind"), "{error}");
        new.put_in_place().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        // Given back as soon as the work is done.
        replace(&path, b"new", b"newer").unwrap();
    }

    #[test]
    fn information_is_where_terraform_looks_for_it() {
        let at = |path: &str| info_path(Path::new(path)).display().to_string();
        assert_eq!(at("a/terraform.tfstate"), "a/.terraform.tfstate.lock.info");
        assert_eq!(at("a/.hidden"), "a/.hidden.lock.info");
        let (id, moment) = (Uuid::new_v4().to_string(), now());
        assert_eq!((id.len(), id.matches('-').count()), (36, 4));
        assert!(
            moment.len() == 20 && moment.ends_with('Z') && !moment.contains('.'),
            "{moment}"
        );
    }
}
