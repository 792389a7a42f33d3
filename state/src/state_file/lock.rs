//! Terraform's local lock: taken while a state file is worked on, so that Terraform stays out, and honoured if somebody holds it.
//!
//! Terraform locks the state file itself (a POSIX record lock) and says in a file beside it, `.terraform.tfstate.lock.info`, who
//! does and why. Both are done here as well.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Who holds a lock and why, as Terraform writes it.
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
        Self { id: text(), operation: text(), info: text(), who: text(), version: text(), created: text(), path: text() }
    }
}

/// The lock of a state file; given back when dropped.
#[derive(Debug)]
pub(super) struct Lock {
    info: PathBuf,
}

impl Lock {
    /// Takes the lock of the state file at `path`, which is open as `file`.
    ///
    /// The record lock goes with `file`: no other handle of the same file may be closed in this process while it is held.
    pub(super) fn take(path: &Path, file: &File) -> io::Result<Self> {
        let info_path = info_path(path);
        let free = lock_record(file)?;
        match (free, read_info(&info_path)) {
            (false, held) => return Err(held_error(&info_path, &held)),
            (true, Held::Nothing) => {}
            // A run of ours that was killed: nobody holds the lock itself any more.
            (true, Held::By(info)) if cfg!(unix) && info.operation == OPERATION => clean_up(path, &info_path)?,
            (true, held) => return Err(left_behind_error(&info_path, &held)),
        }
        let info = LockInfo {
            id: id(),
            operation: OPERATION.to_owned(),
            info: String::new(),
            who: who(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created: rfc3339(SystemTime::now()),
            path: path.display().to_string(),
        };
        let mut file = OpenOptions::new().write(true).create_new(true).open(&info_path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => held_error(&info_path, &read_info(&info_path)),
            kind => io::Error::new(kind, format!("its lock {} cannot be taken: {error}", info_path.display())),
        })?;
        let lock = Self { info: info_path };
        file.write_all(&serde_json::to_vec(&info).map_err(io::Error::from)?)?;
        Ok(lock)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // If it cannot be removed, the next one is told where it is.
        let _ = fs::remove_file(&self.info);
    }
}

/// Where Terraform says that it is working on a state file.
pub(super) fn info_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let name = name.as_encoded_bytes().strip_prefix(b".").map_or(name.to_string_lossy(), String::from_utf8_lossy);
    path.with_file_name(OsString::from(format!(".{name}.lock.info")))
}

/// What the file beside a state file says.
enum Held {
    Nothing,
    By(LockInfo),
    /// It is there and cannot be read.
    Unreadable,
}

impl Held {
    /// Who holds the lock, in parentheses, if that is known.
    fn by(&self) -> String {
        let Self::By(info) = self else { return String::new() };
        // What a file says must not steer the terminal.
        let plain = |text: &str| text.escape_debug().to_string();
        let operation = plain(info.operation.strip_prefix("OperationType").unwrap_or(&info.operation)).to_lowercase();
        format!(" ({operation} by {} since {})", plain(&info.who), plain(&info.created))
    }
}

fn read_info(path: &Path) -> Held {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_or(Held::Unreadable, Held::By),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Held::Nothing,
        Err(_) => Held::Unreadable,
    }
}

#[cold]
fn held_error(path: &Path, held: &Held) -> io::Error {
    let by = held.by();
    io::Error::new(
        io::ErrorKind::WouldBlock,
        format!("Terraform holds its lock{by}; wait until it is done. What is known of the lock is in {}", path.display()),
    )
}

#[cold]
fn left_behind_error(path: &Path, held: &Held) -> io::Error {
    let by = held.by();
    io::Error::new(
        io::ErrorKind::WouldBlock,
        format!(
            "Terraform holds its lock{by}, or left it behind; wait until it is done, or, if nobody works on it any more, \
             remove {}",
            path.display()
        ),
    )
}

/// Takes the record lock; says whether it was free.
#[cfg(unix)]
fn lock_record(file: &File) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, fcntl_lock};
    use rustix::io::Errno;
    let exclusive = fcntl_lock(file, FlockOperation::NonBlockingLockExclusive);
    let result = match exclusive {
        // Opened for reading only, because it may not be written: others may read too, but not write.
        Err(Errno::BADF) => fcntl_lock(file, FlockOperation::NonBlockingLockShared),
        result => result,
    };
    match result {
        Err(Errno::AGAIN | Errno::ACCESS) => Ok(false),
        // File systems without locks: the information beside the file is all there is.
        Ok(()) | Err(Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP | Errno::INVAL) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn lock_record(_: &File) -> io::Result<bool> {
    Ok(true)
}

/// Removes what a killed run left behind: its information, and files that it had not put in their place yet.
fn clean_up(path: &Path, info: &Path) -> io::Result<()> {
    let prefix = super::write::temporary_prefix(path);
    if let Some(folder) = path.parent() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_name().as_encoded_bytes().starts_with(prefix.as_encoded_bytes()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
    fs::remove_file(info)
}

fn who() -> String {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let user = variable("USER").or_else(|| variable("USERNAME")).unwrap_or_else(|| "unknown".to_owned());
    let host = fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|host| host.trim().to_owned());
    let host = host.or_else(|| variable("HOSTNAME")).or_else(|| variable("COMPUTERNAME"));
    format!("{user}@{}", host.unwrap_or_else(|| "localhost".to_owned()))
}

/// In the form of a UUID, as Terraform's.
fn id() -> String {
    // Every new state of the hasher has other keys.
    let random = || RandomState::new().hash_one(std::process::id());
    let (a, b) = (random(), random());
    let groups = [a >> 32, (a >> 16) & 0xFFFF, (a & 0x0FFF) | 0x4000, ((b >> 48) & 0x3FFF) | 0x8000, b & 0xFFFF_FFFF_FFFF];
    let [first, second, third, fourth, fifth] = groups;
    format!("{first:08x}-{second:04x}-{third:04x}-{fourth:04x}-{fifth:012x}")
}

/// A moment as Terraform writes it, in UTC.
fn rfc3339(moment: SystemTime) -> String {
    let seconds = moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Days of years that begin in March, so that the leap day is the last; eras of 400 years.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + year_of_era + era * 400;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", of_day / 3_600, of_day / 60 % 60, of_day % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn moments_are_written_in_utc() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (4_102_444_800, "2100-01-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn information_stands_where_terraform_looks_for_it() {
        let at = |path: &str| info_path(Path::new(path)).display().to_string();
        assert_eq!(at("a/terraform.tfstate"), "a/.terraform.tfstate.lock.info");
        assert_eq!(at("a/.hidden"), "a/.hidden.lock.info");
        let id = id();
        assert_eq!((id.len(), id.matches('-').count()), (36, 4));
    }
}
