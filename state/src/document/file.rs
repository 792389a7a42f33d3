//! Documents in files of their own.

use std::error::Error;
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fmt, fs, io, thread};

use upstate::__internal::Undefined;
use upstate::{AttributePath, CurrentModel, Diagnostics, Registry};

use super::format::Format;
use super::read::{Document, Rewrite, forgotten, taken_of, taken_over};
use super::syntax::Syntax;
use super::write::line_end;
use crate::atomic_file::{create_new, is_at, write_copy, write_new};
use crate::state_file::{Change, DowngradeGoals};
use crate::undefined::is_repeated_key;

/// A document in a file: read, changed, saved. Dereferences to the model.
///
/// There is no such value without a file that could be read, or was not there; so what could not be
/// read is never overwritten.
///
/// ```
/// use upstate::Resource;
/// use upstate_state::document::Format;
///
/// #[derive(Default, Resource)]
/// #[resource(type_name = "app_settings", version = 0)]
/// struct Settings { theme: Option<String> }
///
/// const SETTINGS: Format = Format::new().pretty();
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("settings.json");
/// let mut settings = SETTINGS.open_or_else(&path, Settings::default)?;
/// settings.theme = Some("dark".to_owned());
/// settings.save()?;
/// assert_eq!(SETTINGS.open::<Settings>(&path)?.theme.as_deref(), Some("dark"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DocumentFile<T> {
    path: PathBuf,
    format: Format<'static>,
    document: Opened<T>,
    /// The bytes that the file holds, if it is there.
    on_disk: Option<Vec<u8>>,
    /// The version of what the file holds, if it was saved.
    saved: Option<u64>,
    /// True if the next save must keep the old bytes of the file in a backup, because an earlier
    /// release may need them.
    keep: bool,
    /// The place of the backup that the first save made.
    backup: Option<PathBuf>,
    allows_loss: bool,
}

struct Opened<T> {
    model: T,
    stored_version: Option<u64>,
    warnings: Diagnostics,
    undefined: Undefined,
}

/// Says which file it is, not what it holds: stored values may be secrets.
impl<T> fmt::Debug for DocumentFile<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DocumentFile")
            .field("path", &self.path)
            .field("stored_version", &self.document.stored_version)
            .finish_non_exhaustive()
    }
}

impl Format<'static> {
    /// Reads the document in the file at `path`.
    ///
    /// # Errors
    /// The file can't be read, or the document in it can't be; see [`Format::from_slice`].
    pub fn open<T: CurrentModel>(
        &self,
        path: impl Into<PathBuf>,
    ) -> Result<DocumentFile<T>, DocumentFileError> {
        let path = path.into();
        match fs::read(&path) {
            Ok(json) => self.opened(path, json),
            Err(error) => Err(DocumentFileError::new(path, Problem::Io(error))),
        }
    }

    /// Reads a file, or takes this model if there is none. The file is made when it is saved.
    ///
    /// A file that exists and can't be read is an error.
    ///
    /// # Errors
    /// See [`Format::open`].
    pub fn open_or_else<T: CurrentModel>(
        &self,
        path: impl Into<PathBuf>,
        model: impl FnOnce() -> T,
    ) -> Result<DocumentFile<T>, DocumentFileError> {
        let path = path.into();
        match fs::read(&path) {
            Ok(json) => self.opened(path, json),
            // A link to nothing is not the same as nothing.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
                let (warnings, undefined) = (Diagnostics::new(), Undefined::default());
                let document = Opened {
                    model: model(),
                    stored_version: None,
                    warnings,
                    undefined,
                };
                Ok(DocumentFile {
                    path,
                    format: *self,
                    document,
                    on_disk: None,
                    saved: None,
                    keep: false,
                    backup: None,
                    allows_loss: false,
                })
            }
            Err(error) => Err(DocumentFileError::new(path, Problem::Io(error))),
        }
    }

    fn opened<T: CurrentModel>(
        &self,
        path: PathBuf,
        json: Vec<u8>,
    ) -> Result<DocumentFile<T>, DocumentFileError> {
        let document: Document<T> = match self.read(&json) {
            Ok(document) => document,
            Err(diagnostics) => {
                return Err(DocumentFileError::new(
                    path,
                    Problem::Unreadable(diagnostics),
                ));
            }
        };
        // Those who go back to the release that wrote it need it as it was.
        let keep = document.stored_version() < T::VERSION || document.is_outdated();
        let document = Opened {
            stored_version: Some(document.stored_version()),
            warnings: document.warnings().clone(),
            undefined: document.undefined_values().clone(),
            model: document.into_model(),
        };
        Ok(DocumentFile {
            path,
            format: *self,
            document,
            on_disk: Some(json),
            saved: None,
            keep,
            backup: None,
            allows_loss: false,
        })
    }
}

impl<T: CurrentModel> DocumentFile<T> {
    /// Writes the model to the file, if that changes it: the file is the old one or the new one at
    /// any moment.
    ///
    /// The order of what was read stays, and so do members that no schema defines. The first save
    /// after an upgrade keeps what was read beside it, under the file's name and the version that
    /// it was stored with: `settings.json.v0.backup`. Any save does so if it loses a member that no
    /// schema defines, in an element that the program has removed, or all but the last of the
    /// values that a key of a map had. A backup that is there stays, and the next one has a number:
    /// `settings.json.v0.backup.2`.
    ///
    /// Programs that save the same file at the same time take turns, in so far as the file system
    /// has locks (`flock`).
    ///
    /// # Errors
    /// The file was changed by somebody else since it was read, or it or its folder can't be
    /// written, or the model can't be, or another program takes longer than ten seconds to save it,
    /// or its upgrade would lose values that no schema defines, or the model would read them as its
    /// own, or they have more than 10,000 names, unless [`DocumentFile::allow_loss`] was called.
    /// Nothing has changed then.
    pub fn save(&mut self) -> Result<(), DocumentFileError> {
        let failed = |problem| DocumentFileError::new(self.path.clone(), problem);
        let (new, undefined) = self
            .written()
            .map_err(|error| failed(Problem::Unwritable(error)))?;
        // Nobody else comes between the look at the file and the new one in its place.
        let _turn = Turn::take(&self.path).map_err(|error| failed(Problem::Io(error)))?;
        let now = match fs::read(&self.path) {
            Ok(now) => Some(now),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(Problem::Io(error))),
        };
        if now != self.on_disk {
            return Err(failed(Problem::Changed));
        }
        if now.as_ref() == Some(&new) {
            return Ok(());
        }
        // One may be in an element that is gone.
        let all = (&self.document.undefined, &undefined);
        let lacks = match &now {
            Some(old) if !all.0.is_empty() => {
                let missing = self.format.missing(T::DEFINITION, old, all);
                missing.map_err(|error| failed(Problem::Unwritable(error)))? > 0
            }
            Some(_) | None => false,
        };
        if let Some(old) = now
            .as_ref()
            .filter(|_| lacks && self.keep && !self.allows_loss)
        {
            self.check_loss(old)
                .map_err(|error| failed(Problem::Unwritable(error)))?;
        }
        // Because the first save writes the last one of each.
        let merges = self.saved.is_none() && self.document.warnings.iter().any(is_repeated_key);
        let loses = |old: &Vec<u8>| self.keep || lacks || merges || self.format.syntax.loses(old);
        if let Some(old) = now.as_ref().filter(|old| loses(old)) {
            let version = self.saved.or(self.document.stored_version).unwrap_or(0);
            let backup =
                kept(&self.path, version, old).map_err(|error| failed(Problem::Io(error)))?;
            if self.saved.is_none() {
                self.backup = Some(backup);
            }
        }
        let written = if now.is_some() {
            write_new(&self.path, &new)
        } else {
            create_new(&self.path, &new)
        };
        written.map_err(|error| {
            failed(if error.kind() == io::ErrorKind::AlreadyExists {
                Problem::Changed
            } else {
                Problem::Io(error)
            })
        })?;
        self.on_disk = Some(new);
        self.saved = Some(T::VERSION);
        // The next save finds them where they are now.
        self.document.undefined = undefined;
        self.keep = false;
        Ok(())
    }
}

impl<T: CurrentModel> DocumentFile<T> {
    /// Refuses a stored document whose upgrade loses values that no schema defines, whatever became
    /// of the model.
    fn check_loss(&self, stored: &[u8]) -> Result<(), Diagnostics> {
        // One of the current version that only lacks its type is not upgraded, so that it is saved
        // as one with a type is.
        if self.document.stored_version == Some(T::VERSION)
            && self.format.parse(stored)?.is_in(&self.format)
        {
            return Ok(());
        }
        let registry = Registry::new().with::<T>();
        match self.format.rewrite(&registry, Some(T::TYPE_NAME), stored)? {
            Some(rewrite) if rewrite.lost > 0 => Err(rewrite
                .loss("call `DocumentFile::allow_loss` in the program, which keeps a backup")
                .into()),
            Some(_) | None => Ok(()),
        }
    }

    /// The file as it is to be, and the members in it that no schema defines.
    fn written(&self) -> Result<(Vec<u8>, Undefined), Diagnostics> {
        const ALLOWS: &str = "call `DocumentFile::allow_loss` in the program, which leaves them out and keeps a backup";
        let stored = &self.document.undefined;
        if stored.forgotten().is_some() && !self.allows_loss {
            return Err(forgotten(stored, Some(ALLOWS)).into());
        }
        let (new, again, is_held) = self.attempt(&self.document.undefined)?;
        if is_held {
            return Ok((new, again.undefined_values().clone()));
        }
        self.format
            .check_nulls(&self.document.model, again.model())?;
        // The model may have read the others as its own: it keeps what no field names, and the one
        // of the stored version did not.
        let (taken, kept) = taken_of(&self.document.undefined, again.undefined());
        if !taken.is_empty() && !self.allows_loss {
            let versions = (self.document.stored_version, T::VERSION);
            return Err(taken_over(&taken, versions, Some(ALLOWS)).into());
        }
        if !taken.is_empty() {
            let (new, again, is_held) = self.attempt(&kept)?;
            if is_held {
                return Ok((new, again.undefined_values().clone()));
            }
        }
        Err(self.format.not_held(&self.document.model)?)
    }

    /// The file as it would be with these of the members that no schema defines, the document that
    /// is read in it, and true if that is the model.
    fn attempt(&self, undefined: &Undefined) -> Result<(Vec<u8>, Document<T>, bool), Diagnostics> {
        let (format, model) = (self.format, &self.document.model);
        let (mut new, again) = match &self.on_disk {
            Some(stored) => format.edited_again(stored, undefined, model)?,
            None => (format.to_vec(model)?, None),
        };
        // In other syntaxes nothing changes where the model did not.
        if self.on_disk.is_none() || format.syntax == Syntax::Json {
            end_line(format, &mut new);
        }
        if let Some(again) = again {
            return Ok((new, again, true));
        }
        // Read back, because what is lost in a file is lost for good.
        let again = format.read::<T>(&new)?;
        let is_held = format.holds(&format.json(model)?, &*again)?;
        Ok((new, again, is_held))
    }
}

/// Ends a file in lines as editors do.
fn end_line(format: Format<'_>, new: &mut Vec<u8>) {
    if format.pretty && format.syntax.facts().is_json && !new.ends_with(b"\n") {
        let end = line_end(new);
        new.extend_from_slice(end.as_bytes());
    }
}

/// The place of the old file beside a new one.
fn backup_path(path: &Path, version: u64) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".v{version}.backup"));
    name.into()
}

/// Keeps the old bytes of a file beside it, and gives the place. What is there with other bytes, or
/// cannot be read, stays, and so does a link, which may lead to the file itself.
fn kept(path: &Path, version: u64, old: &[u8]) -> io::Result<PathBuf> {
    let first = backup_path(path, version);
    let (mut backup, mut number) = (first.clone(), 1_u64);
    loop {
        match fs::symlink_metadata(&backup) {
            Ok(there) if there.is_file() && fs::read(&backup).is_ok_and(|kept| kept == old) => {
                return Ok(backup);
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                match write_copy(path, &backup, old) {
                    // Because another program has made it since.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    written => return written.map(|()| backup),
                }
            }
            Err(error) => return Err(error),
        }
        number += 1;
        let mut name = OsString::from(&first);
        name.push(format!(".{number}"));
        backup = name.into();
    }
}

/// An upgrade of the document in a file, by the type that it carries, or a downgrade.
#[derive(Debug)]
pub struct FileUpgrade {
    path: PathBuf,
    rewrite: Rewrite,
    backup: PathBuf,
}

impl FileUpgrade {
    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The document that the file is to hold.
    pub fn rewrite(&self) -> &Rewrite {
        &self.rewrite
    }

    /// The values that it adds, removes or changes, by their places in the attributes, as far as they
    /// may be shown.
    pub fn changes(&self) -> &[Change] {
        &self.rewrite.changes
    }

    /// The place where [`Format::upgrade_file`] and [`Format::downgrade_file`] keep the old file. If
    /// a backup is there already, a number behind its name makes another place, which a plan does
    /// not know.
    pub fn backup_path(&self) -> PathBuf {
        self.backup.clone()
    }
}

impl Format<'_> {
    /// The upgrade of the document in a file, which is only read; nothing if it is current.
    /// `type_name` is that of documents that carry none.
    ///
    /// # Errors
    /// The file can't be read, or the document in it can't be upgraded; see [`Format::rewrite`].
    pub fn plan_file(
        &self,
        registry: &Registry,
        type_name: Option<&str>,
        path: impl Into<PathBuf>,
    ) -> Result<Option<FileUpgrade>, DocumentFileError> {
        planned(path.into(), |stored| {
            self.upgrade_of_file(registry, type_name, stored)
        })
    }

    /// Upgrades the document in a file, by the type that it carries; nothing happens if it is
    /// current. The old file is kept beside it, under its name and the version that it was stored
    /// with. Programs that write the file at the same time take turns, as in
    /// [`DocumentFile::save`].
    ///
    /// # Errors
    /// See [`Format::plan_file`]; also if the file can't be written, would lose values that no
    /// schema defines, or was changed by another program meanwhile. Nothing has changed then.
    pub fn upgrade_file(
        &self,
        registry: &Registry,
        type_name: Option<&str>,
        path: impl Into<PathBuf>,
    ) -> Result<Option<FileUpgrade>, DocumentFileError> {
        let rewrite = |stored: &[u8]| self.upgrade_of_file(registry, type_name, stored);
        replaced(&path.into(), rewrite, false)
    }

    /// Upgrades the document in a file as [`Format::upgrade_file`] does, though values that no
    /// schema defines are lost: [`Rewrite::lost`] counts them, and the backup keeps them.
    ///
    /// # Errors
    /// See [`Format::plan_file`]; also if the file can't be written or was changed by another
    /// program meanwhile. Nothing has changed then.
    pub fn upgrade_file_with_loss(
        &self,
        registry: &Registry,
        type_name: Option<&str>,
        path: impl Into<PathBuf>,
    ) -> Result<Option<FileUpgrade>, DocumentFileError> {
        let rewrite = |stored: &[u8]| self.upgrade_of_file(registry, type_name, stored);
        replaced(&path.into(), rewrite, true)
    }

    fn upgrade_of_file(
        &self,
        registry: &Registry,
        type_name: Option<&str>,
        stored: &[u8],
    ) -> Result<Option<Rewrite>, Problem> {
        self.rewrite_with_changes(registry, type_name, stored)
            .map_err(Problem::Unreadable)
    }

    /// The downgrade of the document in a file, which is only read, to the version that is the goal
    /// of its type; nothing if it is of that version or an earlier one, or if its type has no goal.
    /// Values that no schema defines stay, and the order and the comments, as in an upgrade.
    /// `type_name` is that of documents that carry none.
    ///
    /// # Errors
    /// The file can't be read, or the document in it is not of the current version, or the earlier
    /// version cannot hold it, unless the goals [allow that](DowngradeGoals::allow_loss).
    pub fn plan_downgrade(
        &self,
        registry: &Registry,
        type_name: Option<&str>,
        goals: &DowngradeGoals,
        path: impl Into<PathBuf>,
    ) -> Result<Option<FileUpgrade>, DocumentFileError> {
        planned(path.into(), |stored| {
            self.downgrade_of_file(registry, type_name, goals, stored)
        })
    }

    /// Takes the document in a file back to the version that is the goal of its type, as safely as
    /// [`Format::upgrade_file`]; nothing happens if it is of that version or an earlier one.
    ///
    /// ```
    /// use upstate::{Document, Registry};
    /// use upstate_state::DowngradeGoals;
    /// use upstate_state::document::Format;
    ///
    /// #[derive(Document)]
    /// #[document(type_name = "app.settings", version = 1)]
    /// #[upgrade_from(0 => 1, rename(colour => theme))]
    /// struct Settings { theme: String }
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("settings.json");
    /// # std::fs::write(&path, r#"{"type":"app.settings","schema_version":1,"theme":"dark"}"#)?;
    /// let registry = Registry::new().with::<Settings>();
    /// let goals = DowngradeGoals::new([("app.settings".to_owned(), 0)]);
    /// Format::new().downgrade_file(&registry, None, &goals, &path)?;
    /// assert_eq!(
    ///     std::fs::read_to_string(&path)?,
    ///     r#"{"type":"app.settings","schema_version":0,"colour":"dark"}"#,
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`Format::plan_downgrade`]; also if the file can't be written or was changed by another
    /// program meanwhile. Nothing has changed then.
    pub fn downgrade_file(
        &self,
        registry: &Registry,
        type_name: Option<&str>,
        goals: &DowngradeGoals,
        path: impl Into<PathBuf>,
    ) -> Result<Option<FileUpgrade>, DocumentFileError> {
        let rewrite = |stored: &[u8]| self.downgrade_of_file(registry, type_name, goals, stored);
        // Because it has refused what the goals do not allow.
        replaced(&path.into(), rewrite, true)
    }

    fn downgrade_of_file(
        &self,
        registry: &Registry,
        type_name: Option<&str>,
        goals: &DowngradeGoals,
        stored: &[u8],
    ) -> Result<Option<Rewrite>, Problem> {
        self.rewrite_back(registry, type_name, goals, stored)
            .map_err(Problem::Stays)
    }
}

/// The rewrite of a document in a file, which is only read.
fn planned(
    path: PathBuf,
    rewrite: impl FnOnce(&[u8]) -> Result<Option<Rewrite>, Problem>,
) -> Result<Option<FileUpgrade>, DocumentFileError> {
    match fs::read(&path) {
        Ok(stored) => upgrade_of(path, rewrite(&stored)),
        Err(error) => Err(DocumentFileError::new(path, Problem::Io(error))),
    }
}

fn upgrade_of(
    path: PathBuf,
    rewrite: Result<Option<Rewrite>, Problem>,
) -> Result<Option<FileUpgrade>, DocumentFileError> {
    match rewrite {
        Ok(rewrite) => Ok(rewrite.map(|rewrite| FileUpgrade {
            backup: backup_path(&path, rewrite.from),
            path,
            rewrite,
        })),
        Err(problem) => Err(DocumentFileError::new(path, problem)),
    }
}

/// Rewrites a document in its file, and keeps the old file.
fn replaced(
    path: &Path,
    rewrite: impl FnOnce(&[u8]) -> Result<Option<Rewrite>, Problem>,
    allows_loss: bool,
) -> Result<Option<FileUpgrade>, DocumentFileError> {
    let failed = |problem| DocumentFileError::new(path.to_owned(), problem);
    let _turn = Turn::take(path).map_err(|error| failed(Problem::Io(error)))?;
    let stored = fs::read(path).map_err(|error| failed(Problem::Io(error)))?;
    let Some(mut upgrade) = upgrade_of(path.to_owned(), rewrite(&stored))? else {
        return Ok(None);
    };
    if upgrade.rewrite.lost > 0 && !allows_loss {
        let loss = upgrade.rewrite.loss(
            "upgrade the file with `--allow-loss` or `Format::upgrade_file_with_loss`, which keeps a backup",
        );
        return Err(failed(Problem::Unwritable(loss.into())));
    }
    // Editors and other programs that take no turns may have saved it while the rewrite was made.
    if fs::read(path).map_err(|error| failed(Problem::Io(error)))? != stored {
        return Err(failed(Problem::Changed));
    }
    upgrade.backup =
        kept(path, upgrade.rewrite.from, &stored).map_err(|error| failed(Problem::Io(error)))?;
    write_new(path, &upgrade.rewrite.bytes).map_err(|error| failed(Problem::Io(error)))?;
    Ok(Some(upgrade))
}

/// The turn to save a file; the next one's when it is dropped.
struct Turn {
    _locked: Option<File>,
}

/// The longest wait for a turn. Saving takes a moment; a program that takes longer has been
/// stopped.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(1);

impl Turn {
    fn take(path: &Path) -> io::Result<Self> {
        let begun = Instant::now();
        loop {
            let file = match File::open(path) {
                Ok(file) if cfg!(unix) => file,
                // Its turn is found out when it is made. Elsewhere a lock would keep this process,
                // too, from reading the file.
                Ok(_) => return Ok(Self { _locked: None }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Self { _locked: None });
                }
                Err(error) => return Err(error),
            };
            match file.try_lock() {
                Ok(()) if is_at(&file, path)? => {
                    return Ok(Self {
                        _locked: Some(file),
                    });
                }
                // The lock is of an old file, because the program that held it has put another one
                // at the path. The next round locks that.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    let kind = io::ErrorKind::WouldBlock;
                    return Err(io::Error::new(
                        kind,
                        "another program has been saving it for ten seconds; nothing was written, try again",
                    ));
                }
                // A file system without locks.
                Err(TryLockError::Error(_)) => return Ok(Self { _locked: None }),
            }
        }
    }
}

impl<T> DocumentFile<T> {
    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path at which the first save has kept what was read, or will, if it has to and nothing
    /// is there; see [`DocumentFile::save`].
    pub fn backup_path(&self) -> PathBuf {
        let version = self.document.stored_version.unwrap_or(0);
        match &self.backup {
            Some(backup) => backup.clone(),
            None => backup_path(&self.path, version),
        }
    }

    /// The schema version that the document was stored with when it was opened, if it was there.
    pub fn stored_version(&self) -> Option<u64> {
        self.document.stored_version
    }

    /// The warnings of the upgrade.
    pub fn warnings(&self) -> &Diagnostics {
        &self.document.warnings
    }

    /// Lets the file be saved though its upgrade loses values that no schema defines. The backup
    /// keeps them.
    pub fn allow_loss(&mut self) {
        self.allows_loss = true;
    }

    /// The paths of values in the document that are not part of the model; see
    /// [`Document::undefined`].
    pub fn undefined(&self) -> &[AttributePath] {
        self.document.undefined.shown()
    }

    /// The model, without the file.
    pub fn into_model(self) -> T {
        self.document.model
    }
}

impl<T> Deref for DocumentFile<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.document.model
    }
}

impl<T> DerefMut for DocumentFile<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.document.model
    }
}

/// The reason that the document in a file could not be read or written. The file is as it was.
pub struct DocumentFileError {
    path: PathBuf,
    problem: Box<Problem>,
}

#[derive(Debug)]
enum Problem {
    Io(io::Error),
    Unreadable(Diagnostics),
    Unwritable(Diagnostics),
    /// It was to be downgraded.
    Stays(Diagnostics),
    Changed,
}

impl DocumentFileError {
    fn new(path: PathBuf, problem: Problem) -> Self {
        Self {
            path,
            problem: Box::new(problem),
        }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The problems of the document itself, if there are any.
    pub fn diagnostics(&self) -> Option<&Diagnostics> {
        match &*self.problem {
            Problem::Unreadable(diagnostics)
            | Problem::Unwritable(diagnostics)
            | Problem::Stays(diagnostics) => Some(diagnostics),
            Problem::Io(_) | Problem::Changed => None,
        }
    }

    /// True if another program wrote the file since it was read. Open it again and repeat the
    /// changes.
    pub fn is_changed_meanwhile(&self) -> bool {
        matches!(*self.problem, Problem::Changed)
    }
}

impl fmt::Display for DocumentFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &*self.problem {
            Problem::Io(error) => write!(f, "{path}: {error}"),
            Problem::Unreadable(diagnostics) => write!(
                f,
                "{path} can't be read; the file is unchanged.\n\n{diagnostics}"
            ),
            Problem::Unwritable(diagnostics) => write!(
                f,
                "{path} can't be written; the file is unchanged.\n\n{diagnostics}"
            ),
            Problem::Stays(diagnostics) => write!(
                f,
                "{path} can't be downgraded; the file is unchanged.\n\n{diagnostics}"
            ),
            Problem::Changed => {
                write!(
                    f,
                    "{path}: another program has changed it since it was read; nothing was written. Open it again."
                )
            }
        }
    }
}

/// Writes the sentences, because a program whose `main` returns the error shows it in this form.
impl fmt::Debug for DocumentFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for DocumentFileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &*self.problem {
            Problem::Io(error) => Some(error),
            Problem::Unreadable(_)
            | Problem::Unwritable(_)
            | Problem::Stays(_)
            | Problem::Changed => None,
        }
    }
}
