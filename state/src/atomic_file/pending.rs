//! Files while they are written: beside their final place, synced and renamed when they are
//! complete.
//!
//! A killed run leaves such a file behind. So a writer holds the file's lock, and the next run in
//! the same folder removes the files whose lock is free.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;

/// The age above which a temporary file is taken for one that is no longer written, in a file
/// system without locks.
const OLD: Duration = Duration::from_hours(24);
/// The greatest number of times that a file is begun, because others may take it away before it is
/// locked.
const ATTEMPTS: usize = 16;
/// The number of characters that tell the files of one name apart.
const RANDOM: usize = 6;

/// A file while it is written.
#[derive(Debug)]
pub(crate) struct Pending {
    file: BufWriter<NamedTempFile>,
    /// The file whose owner and permissions the new one gets.
    like: Option<PathBuf>,
}

/// A file that is written and on disk, and not in its place yet.
pub(crate) struct Finished(NamedTempFile);

impl Pending {
    /// A new file in the folder of `path`. It can be read by its owner only: state holds secrets.
    pub(crate) fn beside(path: &Path) -> io::Result<Self> {
        Self::beside_with(path, 0o600)
    }

    /// A new file for what holds no secrets: the umask decides who may read it.
    pub(crate) fn beside_for_all(path: &Path) -> io::Result<Self> {
        Self::beside_with(path, 0o666)
    }

    fn beside_with(path: &Path, mode: u32) -> io::Result<Self> {
        let (folder, prefix) = (folder_of(path), temporary_prefix(path));
        sweep(folder, &prefix);
        for _ in 0..ATTEMPTS {
            let file = temporary_in(folder, &prefix, mode)?;
            if is_claimed(file.as_file())? {
                return Ok(Self {
                    file: BufWriter::with_capacity(256 << 10, file),
                    like: None,
                });
            }
        }
        Err(io::Error::new(
            io::ErrorKind::WouldBlock,
            "others keep taking away its temporary files; try again",
        ))
    }

    /// A file that is to take the place of the one at `path`.
    pub(crate) fn like(path: &Path) -> io::Result<Self> {
        Self::copy_of(path, path)
    }

    /// A new file in the folder of `path`, with the owner and the permissions of the one at
    /// `original`.
    pub(crate) fn copy_of(original: &Path, path: &Path) -> io::Result<Self> {
        Ok(Self {
            like: Some(original.to_owned()),
            ..Self::beside(path)?
        })
    }

    pub(crate) fn finish(self) -> io::Result<Finished> {
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        if let Some(like) = self.like {
            // As they are now, not as they were when the work began.
            Like::of(&like)?.put_on(file.as_file())?;
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
    pub(crate) fn file(&self) -> &File {
        self.0.as_file()
    }

    /// Puts it in the place of what is at `path`; gives the file, still open.
    pub(crate) fn put_at(self, path: &Path) -> io::Result<File> {
        let folder = Folder::of(path);
        let file = self.0.persist(path)?;
        folder.sync();
        Ok(file)
    }

    /// Puts it at `path`, where nothing may be.
    pub(crate) fn put_new_at(self, path: &Path) -> io::Result<()> {
        let folder = Folder::of(path);
        self.0.persist_noclobber(path)?;
        folder.sync();
        Ok(())
    }
}

/// A folder, opened before anything in it changes, for the sync at the end.
struct Folder(Option<File>);

impl Folder {
    fn of(path: &Path) -> Self {
        Self(if cfg!(unix) {
            File::open(folder_of(path)).ok()
        } else {
            None
        })
    }

    /// The new file is in its place now. This tries to make the rename survive a power cut, where
    /// folders can be synced; if it can't, the write is not a failure.
    fn sync(self) {
        if let Some(folder) = self.0 {
            let _ = folder.sync_all();
        }
    }
}

/// The owner and the permissions of a file, to be kept when another takes its place.
struct Like {
    permissions: fs::Permissions,
    #[cfg(unix)]
    owner: (u32, u32),
    /// The list of further users and groups, if there is one.
    #[cfg(target_os = "linux")]
    access_list: Option<Vec<u8>>,
    #[cfg(target_os = "linux")]
    user_attributes: Vec<(OsString, Vec<u8>)>,
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
            #[cfg(target_os = "linux")]
            access_list: attribute(|list| rustix::fs::getxattr(path, ACCESS_LIST, list)),
            #[cfg(target_os = "linux")]
            user_attributes: user_attributes(path),
        })
    }

    fn put_on(&self, file: &File) -> io::Result<()> {
        // First, because it takes the right to write the file.
        #[cfg(target_os = "linux")]
        self.put_user_attributes_on(file).map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("its extended attributes cannot be kept: {error}"),
            )
        })?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let is = file.metadata()?;
            if (is.uid(), is.gid()) != self.owner {
                std::os::unix::fs::fchown(file, Some(self.owner.0), Some(self.owner.1)).map_err(
                    |error| {
                        io::Error::new(
                            error.kind(),
                            format!("its owner and group cannot be kept: {error}"),
                        )
                    },
                )?;
            }
        }
        // With a list, the permissions of the group are the most that the list gives, so they say
        // nothing without it.
        #[cfg(target_os = "linux")]
        self.put_access_list_on(file).map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("its access control list cannot be kept: {error}"),
            )
        })?;
        file.set_permissions(self.permissions.clone())
    }

    #[cfg(target_os = "linux")]
    fn put_user_attributes_on(&self, file: &File) -> io::Result<()> {
        use rustix::fs::{XattrFlags, fsetxattr};
        for (name, value) in &self.user_attributes {
            fsetxattr(file, name.as_os_str(), value, XattrFlags::empty())?;
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn put_access_list_on(&self, file: &File) -> io::Result<()> {
        use rustix::fs::{XattrFlags, fgetxattr, fremovexattr, fsetxattr};
        // A new file has that of its folder for new files.
        let inherited = attribute(|list| fgetxattr(file, ACCESS_LIST, list));
        match &self.access_list {
            list if *list == inherited => Ok(()),
            Some(list) => Ok(fsetxattr(file, ACCESS_LIST, list, XattrFlags::empty())?),
            None => Ok(fremovexattr(file, ACCESS_LIST)?),
        }
    }
}

/// The name under which Linux keeps the access control list of a file.
#[cfg(target_os = "linux")]
const ACCESS_LIST: &str = "system.posix_acl_access";
/// The length above which Linux keeps no extended attribute, and no list of their names.
#[cfg(target_os = "linux")]
const LONGEST_ATTRIBUTE: usize = 64 << 10;

#[cfg(target_os = "linux")]
fn attribute(read: impl FnOnce(&mut [u8]) -> rustix::io::Result<usize>) -> Option<Vec<u8>> {
    let mut value = vec![0; LONGEST_ATTRIBUTE];
    // File systems without attributes answer with errors of several kinds.
    let length = read(&mut value).ok()?;
    value.truncate(length);
    // Because a file may have thousands of them.
    value.shrink_to_fit();
    Some(value)
}

/// The extended attributes of a file that users have set, as far as Linux tells them apart. The
/// others are of the system, which gives the new file its own: labels, capabilities and signatures
/// of what was in the old one.
#[cfg(target_os = "linux")]
fn user_attributes(path: &Path) -> Vec<(OsString, Vec<u8>)> {
    use std::os::unix::ffi::OsStrExt as _;
    let names = attribute(|names| rustix::fs::listxattr(path, names)).unwrap_or_default();
    names
        .split(|byte| *byte == 0)
        .filter(|name| name.starts_with(b"user."))
        .filter_map(|name| {
            let name = OsStr::from_bytes(name);
            let value = attribute(|value| rustix::fs::getxattr(path, name, value))?;
            Some((name.to_owned(), value))
        })
        .collect()
}

/// A new file with a name that begins so; its error is the system's, without that name, which would
/// only puzzle.
fn temporary_in(folder: &Path, prefix: &OsStr, mode: u32) -> io::Result<NamedTempFile> {
    let mut why = None;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let temporary = tempfile::Builder::new()
        .prefix(prefix)
        .suffix(SUFFIX)
        .rand_bytes(RANDOM)
        .make_in(folder, |path| {
            options
                .open(path)
                .inspect_err(|error| why = error.raw_os_error())
        });
    temporary
        .map(|made| {
            let (file, path) = made.into_parts();
            NamedTempFile::from_parts(file, path)
        })
        .map_err(|error| why.map_or_else(|| error.kind().into(), io::Error::from_raw_os_error))
}

/// Locks a file that was just made. False if somebody took it for one that a killed run left
/// behind.
fn is_claimed(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        // File systems without locks.
        Err(TryLockError::Error(_)) => Ok(true),
        Ok(()) => is_linked(file),
    }
}

#[cfg(unix)]
fn is_linked(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(file.metadata()?.nlink() > 0)
}

#[cfg(not(unix))]
fn is_linked(_: &File) -> io::Result<bool> {
    Ok(true)
}

/// Removes the files that killed runs left in a folder. If one cannot be removed, the work goes on.
fn sweep(folder: &Path, prefix: &OsStr) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if is_temporary(&name) {
            let ours = name
                .as_encoded_bytes()
                .starts_with(prefix.as_encoded_bytes());
            // Those of other users stay: they cannot be opened.
            let _ = sweep_one(&entry.path(), ours);
        }
    }
}

fn sweep_one(path: &Path, ours: bool) -> io::Result<()> {
    // A link or a pipe stays, because this program makes only regular files here.
    if !fs::symlink_metadata(path)?.is_file() {
        return Ok(());
    }
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let left_behind = match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => {
            ours && file
                .metadata()?
                .modified()?
                .elapsed()
                .is_ok_and(|age| age > OLD)
        }
    };
    // Removed while it is locked, so that a program that has just made it finds it locked or
    // removed, and makes another.
    if left_behind {
        fs::remove_file(path)
    } else {
        Ok(())
    }
}

/// True if a file is named as temporary files are: `.NAME.upstate-a1b2c3.tmp`.
fn is_temporary(name: &OsStr) -> bool {
    let Some(name) = name.as_encoded_bytes().strip_suffix(SUFFIX.as_bytes()) else {
        return false;
    };
    let Some((front, random)) = name.split_at_checked(name.len().saturating_sub(RANDOM)) else {
        return false;
    };
    front.starts_with(b".")
        && front.ends_with(MARK.as_bytes())
        && random.iter().all(u8::is_ascii_alphanumeric)
}

const MARK: &str = ".upstate-";
/// The end of the names, so that a copy which a person names `.NAME.upstate-backup` is not taken
/// for a temporary file.
const SUFFIX: &str = ".tmp";

/// The prefix of the names of temporary files for `path`.
fn temporary_prefix(path: &Path) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(path.file_name().unwrap_or_else(|| OsStr::new("state")));
    prefix.push(MARK);
    prefix
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_killed_runs_left_is_swept_up_and_what_is_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let path = at("state");
        for name in [
            ".state.upstate-a1b2c3.tmp",
            ".other.upstate-000000.tmp",
            ".state.upstate-toolong.tmp",
            ".state.upstate-a.b2c3.tmp",
            ".state.upstate-backup",
            "x.upstate-a1b2c3.tmp",
        ] {
            fs::write(at(name), "half").unwrap();
        }
        let mut written = Pending::beside(&path).unwrap();
        written.write_all(b"whole").unwrap();
        // Another one begins meanwhile, which must not remove the file that is still written,
        // because its lock is held.
        let other = Pending::beside(&at("other")).unwrap();
        written.finish().unwrap().put_at(&path).unwrap();
        drop(other);
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        let kept = [
            ".state.upstate-a.b2c3.tmp",
            ".state.upstate-backup",
            ".state.upstate-toolong.tmp",
            "state",
            "x.upstate-a1b2c3.tmp",
        ];
        assert_eq!(names, kept);
        assert_eq!(fs::read(path).unwrap(), b"whole");
    }

    #[test]
    fn an_error_is_the_systems_own() {
        let folder = tempfile::tempdir().unwrap();
        let error = Pending::beside(&folder.path().join("missing/state")).unwrap_err();
        assert!(
            error.to_string().starts_with("No such file or directory"),
            "{error}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_at_the_end() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        fs::write(&path, "old").unwrap();
        let new = Pending::like(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        new.finish().unwrap().put_at(&path).unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn attributes_that_users_have_set_stay() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        fs::write(&path, "old").unwrap();
        let put = |name: &str, value: &[u8]| {
            rustix::fs::setxattr(path.as_path(), name, value, rustix::fs::XattrFlags::empty())
        };
        if put("user.origin", b"ada").is_err() {
            // A file system without them.
            return;
        }
        put("user.empty", b"").unwrap();
        // A file that nobody may write is replaced, too.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        Pending::like(&path)
            .unwrap()
            .finish()
            .unwrap()
            .put_at(&path)
            .unwrap();
        let mut kept = user_attributes(&path);
        kept.sort();
        assert_eq!(
            kept,
            [
                (OsString::from("user.empty"), Vec::new()),
                (OsString::from("user.origin"), b"ada".to_vec())
            ]
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn access_lists_are_those_at_the_end() {
        use std::os::unix::fs::PermissionsExt as _;
        let entry = |tag: u16, rights: u16, id: u32| {
            [
                tag.to_le_bytes().as_slice(),
                rights.to_le_bytes().as_slice(),
                id.to_le_bytes().as_slice(),
            ]
            .concat()
        };
        // The owner, user 1, the group, the most that both get, and others.
        let entries = [
            (0x01, 6, u32::MAX),
            (0x02, 4, 1),
            (0x04, 0, u32::MAX),
            (0x10, 4, u32::MAX),
            (0x20, 0, u32::MAX),
        ];
        let entries: Vec<u8> = entries
            .into_iter()
            .flat_map(|(tag, rights, id)| entry(tag, rights, id))
            .collect();
        let list = [2_u32.to_le_bytes().as_slice(), &entries].concat();
        let put = |path: &Path, name: &str| {
            rustix::fs::setxattr(path, name, &list, rustix::fs::XattrFlags::empty())
        };
        let rights = |path: &Path| {
            let now = Like::of(path).unwrap();
            (now.access_list, now.permissions.mode() & 0o777)
        };
        let folder = tempfile::tempdir().unwrap();
        let (listed, plain) = (folder.path().join("listed"), folder.path().join("plain"));
        for path in [&listed, &plain] {
            fs::write(path, "old").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o640)).unwrap();
        }
        if put(&listed, ACCESS_LIST).is_err() {
            // A file system without lists.
            return;
        }
        put(folder.path(), "system.posix_acl_default").unwrap();
        for path in [&listed, &plain] {
            Pending::like(path)
                .unwrap()
                .finish()
                .unwrap()
                .put_at(path)
                .unwrap();
        }
        assert_eq!(rights(&listed), (Some(list.clone()), 0o640));
        assert_eq!(rights(&plain), (None, 0o640));
    }
}
