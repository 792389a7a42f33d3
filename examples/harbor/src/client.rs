//! The client that resources and upgrades share: one folder, and what may be done below it.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use tokio::fs;
use upstate::{AttributePath, Diagnostic, Diagnostics};

/// The folder below which everything is kept.
#[derive(Debug, Clone)]
pub struct Harbor {
    root: Arc<Path>,
}

impl Harbor {
    /// Opens a folder, and makes it if it is not there.
    ///
    /// # Errors
    /// It is not there and can't be made.
    pub async fn open(root: impl Into<PathBuf>) -> Result<Self, Diagnostics> {
        let root: PathBuf = root.into();
        let opened = async {
            fs::create_dir_all(&root).await?;
            fs::canonicalize(&root).await
        };
        let root = opened.await.map_err(|error| {
            let detail = format!("The folder {} can't be opened: {error}.", root.display());
            Diagnostic::error("Unable to Open Harbor", detail)
                .at(AttributePath::new().attribute("root"))
        })?;
        Ok(Self { root: root.into() })
    }

    /// Where something is on disk. Nothing leads out of the harbor.
    pub(crate) fn locate(&self, path: &str) -> Result<PathBuf, Diagnostics> {
        check_path(path)?;
        Ok(self.root.join(path))
    }

    /// What is in a file; `None` if it is not there. Calls may block, and a local file takes less time than giving it to another thread.
    #[expect(clippy::unused_async, reason = "asked as an API is")]
    pub(crate) async fn read(&self, path: &str) -> Result<Option<String>, Diagnostics> {
        absent(std::fs::read_to_string(self.locate(path)?))
            .map_err(|error| failed("read", path, &error))
    }

    /// The paths of all files below a folder, in order.
    pub(crate) async fn files(&self, below: Option<&str>) -> Result<Vec<String>, Diagnostics> {
        let top = below.map_or_else(|| Ok(self.root.to_path_buf()), |below| self.locate(below))?;
        let (mut folders, mut files) = (vec![top], Vec::new());
        while let Some(folder) = folders.pop() {
            let looked = async {
                let mut entries = fs::read_dir(&folder).await?;
                while let Some(entry) = entries.next_entry().await? {
                    match entry.file_type().await? {
                        kind if kind.is_dir() => folders.push(entry.path()),
                        kind if kind.is_file() => files.push(entry.path()),
                        _ => {}
                    }
                }
                Ok::<(), io::Error>(())
            };
            absent(looked.await)
                .map_err(|error| failed("look into", &folder.display().to_string(), &error))?;
        }
        let relative = |path: PathBuf| {
            path.strip_prefix(&self.root)
                .ok()
                .and_then(Path::to_str)
                .map(str::to_owned)
        };
        let mut paths: Vec<String> = files.into_iter().filter_map(relative).collect();
        paths.sort_unstable();
        Ok(paths)
    }

    /// Writes a whole file: who reads meanwhile sees the old content or the new one, and nothing in between.
    pub(crate) async fn write(
        &self,
        path: &str,
        content: &str,
        permissions: &str,
    ) -> Result<(), Diagnostics> {
        let target = self.locate(path)?;
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(".arriving");
        let arriving = target.with_file_name(name);
        let written = async {
            if let Some(folder) = target.parent() {
                fs::create_dir_all(folder).await?;
            }
            fs::write(&arriving, content).await?;
            set_permissions(&arriving, permissions).await?;
            fs::rename(&arriving, &target).await
        };
        written.await.map_err(|error| failed("write", path, &error))
    }

    /// Deletes a file; it may be gone already.
    pub(crate) async fn remove(&self, path: &str) -> Result<(), Diagnostics> {
        absent(fs::remove_file(self.locate(path)?).await)
            .map_err(|error| failed("delete", path, &error))?;
        Ok(())
    }

    /// The permissions of a file or directory, such as `0644`; `None` if it is not there.
    #[expect(clippy::unused_async, reason = "asked as an API is")]
    pub(crate) async fn permissions(&self, path: &str) -> Result<Option<String>, Diagnostics> {
        let metadata = absent(std::fs::metadata(self.locate(path)?))
            .map_err(|error| failed("look at", path, &error))?;
        Ok(metadata.map(|metadata| {
            use std::os::unix::fs::PermissionsExt;
            format!("{:04o}", metadata.permissions().mode() & 0o7777)
        }))
    }

    /// Makes a directory, or changes the permissions of one that is there.
    pub(crate) async fn make_directory(
        &self,
        path: &str,
        permissions: &str,
    ) -> Result<(), Diagnostics> {
        let target = self.locate(path)?;
        let made = async {
            fs::create_dir_all(&target).await?;
            set_permissions(&target, permissions).await
        };
        made.await.map_err(|error| failed("make", path, &error))
    }

    /// Deletes a directory, which has to be empty but for the file `but`; it may be gone already.
    pub(crate) async fn remove_directory(&self, path: &str, but: &str) -> Result<(), Diagnostics> {
        let target = self.locate(path)?;
        let removed = async {
            let mut entries = match fs::read_dir(&target).await {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                entries => entries?,
            };
            while let Some(entry) = entries.next_entry().await? {
                if entry.file_name() != but {
                    return Err(io::Error::other(format!(
                        "{} is still in it",
                        entry.file_name().display()
                    )));
                }
            }
            absent(fs::remove_file(target.join(but)).await)?;
            fs::remove_dir(&target).await
        };
        removed
            .await
            .map_err(|error| failed("delete", path, &error))
    }
}

/// Refuses paths that lead out of the harbor.
pub(crate) fn check_path(path: &str) -> Result<(), Diagnostics> {
    let inside = !path.is_empty()
        && Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
    if inside {
        return Ok(());
    }
    let detail = format!(
        "The path {path:?} does not stay below the provider's root: expected a relative path without `..`, such as docs/a.txt."
    );
    Err(Diagnostic::error("Invalid Path", detail)
        .at(AttributePath::new().attribute("path"))
        .into())
}

/// Refuses what is not an octal number such as `0644`.
pub(crate) fn check_permissions(permissions: &str) -> Result<u32, Diagnostics> {
    let mode = u32::from_str_radix(permissions, 8)
        .ok()
        .filter(|mode| *mode <= 0o7777);
    mode.ok_or_else(|| {
        let detail =
            format!("The permissions {permissions:?} are not an octal number such as 0644.");
        Diagnostic::error("Invalid Permissions", detail)
            .at(AttributePath::new().attribute("permissions"))
            .into()
    })
}

async fn set_permissions(path: &Path, permissions: &str) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode =
        check_permissions(permissions).map_err(|error| io::Error::other(error.to_string()))?;
    fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).await
}

/// What is not there is no error.
fn absent<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn failed(doing: &str, path: &str, error: &io::Error) -> Diagnostics {
    let detail = format!("Could not {doing} {path:?}: {error}.");
    Diagnostic::error("Harbor Not Reachable", detail)
        .at(AttributePath::new().attribute("path"))
        .into()
}
