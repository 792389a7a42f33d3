//! The releases that wrote each schema version, as far as the lock knows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use upstate::Registry;
use upstate_compat::Release;
use upstate_compat::lock::{FILE_NAME, Lock};

use crate::outcome::Outcome;
use crate::terminal;

/// The default path of the lock: here; or in the package that cargo runs or a folder above it up to
/// the workspace's root, which is where the derive finds it. Where there is none, its place is in
/// the package.
pub(crate) fn lock_file() -> PathBuf {
    let here = PathBuf::from(FILE_NAME);
    if here.exists() {
        return here;
    }
    if let Some(package) = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from) {
        return lock_of(&package).unwrap_or_else(|| package.join(FILE_NAME));
    }
    // Cargo does not run the program, and somebody may still call it in the package.
    let package = std::env::current_dir()
        .ok()
        .filter(|here| here.join("Cargo.toml").exists());
    package
        .and_then(|package| lock_of(&package))
        .unwrap_or(here)
}

/// The lock of a package, if it has one, where the derive looks for it.
fn lock_of(package: &Path) -> Option<PathBuf> {
    let package = std::path::absolute(package).unwrap_or_else(|_| package.to_owned());
    let folders = upstate_words::workspace::folders(&package);
    folders
        .iter()
        .map(|folder| folder.join(FILE_NAME))
        .find(|lock| lock.symlink_metadata().is_ok())
}

/// The schema version of each type in each release, in the order of the releases.
#[derive(Debug, Default)]
pub(crate) struct Releases(Vec<(Release, BTreeMap<String, u64>)>);

impl Releases {
    /// Those of the lock; none if it is missing or unreadable: an operator need not have it.
    pub(crate) fn known(embedded: Option<&str>) -> Self {
        let text = embedded
            .map(str::to_owned)
            .or_else(|| regular(&lock_file()).ok());
        text.and_then(|text| Lock::parse(&text).ok())
            .map_or_else(Self::default, |lock| Self::of(&lock))
    }

    fn of(lock: &Lock) -> Self {
        let versions = |release| {
            lock.versions_at(release)
                .into_iter()
                .map(|(name, version)| (name.to_owned(), version))
                .collect()
        };
        Self(
            lock.releases()
                .iter()
                .map(|release| (release.clone(), versions(release)))
                .collect(),
        )
    }

    /// The releases, the oldest first.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0
            .iter()
            .map(|(release, _)| release.to_string())
            .collect()
    }

    /// The releases that wrote a version of a type, as the subject of a sentence and its verb.
    pub(crate) fn wrote(&self, type_name: &str, version: u64) -> Option<String> {
        let wrote = |versions: &BTreeMap<String, u64>| versions.get(type_name) == Some(&version);
        let releases: Vec<_> = self
            .0
            .iter()
            .filter(|(_, versions)| wrote(versions))
            .map(|(release, _)| release.to_string())
            .collect();
        match releases.as_slice() {
            [] => None,
            [one] => Some(format!("release {one} writes")),
            [first, second] => Some(format!("releases {first} and {second} write")),
            [first, .., last] => Some(format!("releases {first} to {last} write")),
        }
    }
}

/// The schema versions of a release, by type name.
pub(crate) struct AtRelease {
    pub(crate) versions: BTreeMap<String, u64>,
    /// Identities by the type name of their resource.
    pub(crate) identities: BTreeMap<String, u64>,
    /// The place of the release's shape, for types whose version was stored in several shapes, all
    /// of which their models have.
    pub(crate) shapes: BTreeMap<String, usize>,
}

impl AtRelease {
    /// The versions of a release by the lock: the file that is named, else the lock in the program,
    /// else the file where the derive finds it.
    pub(crate) fn find(
        registry: &Registry,
        file: Option<&Path>,
        embedded: Option<&str>,
        release: &str,
    ) -> Result<Self, Outcome> {
        let release: Release = release
            .parse()
            .map_err(|error| failed(Outcome::Usage, &format!("{error}")))?;
        let path = match (file, embedded) {
            (Some(file), _) => Some(file.to_owned()),
            (None, Some(_)) => None,
            (None, None) => Some(lock_file()),
        };
        let shown = path.as_deref().map_or_else(
            || "the lock in this program".to_owned(),
            |path| path.display().to_string(),
        );
        let unreadable = |problem: String| failed(Outcome::Unreadable, &problem);
        let text = match &path {
            None => embedded.unwrap_or_default().to_owned(),
            Some(path) => regular(path).map_err(|error| {
                unreadable(match error.kind() {
                    std::io::ErrorKind::NotFound => format!(
                        "cannot find {shown}, which says which schema versions each release had; name it with --lock FILE"
                    ),
                    _ => format!("cannot read {shown}: {error}"),
                })
            })?,
        };
        let lock = Lock::parse(&text).map_err(|error| unreadable(format!("{shown}: {error}")))?;
        if !lock.releases().contains(&release) {
            let mut known: Vec<String> = lock
                .releases()
                .iter()
                .rev()
                .map(ToString::to_string)
                .collect();
            if known.len() > 5 {
                known.truncate(5);
                known.push("…".to_owned());
            }
            let known = if known.is_empty() {
                "it has none yet".to_owned()
            } else {
                format!("it has {}", known.join(", "))
            };
            return Err(failed(
                Outcome::Usage,
                &format!("{shown} has no release {release}; {known}"),
            ));
        }
        let owned = |versions: BTreeMap<&str, u64>| {
            versions
                .into_iter()
                .map(|(name, version)| (name.to_owned(), version))
                .collect()
        };
        Ok(Self {
            versions: owned(lock.versions_at(&release)),
            identities: owned(lock.identities_at(&release)),
            shapes: lock.shapes_at(registry, &release),
        })
    }
}

fn failed(outcome: Outcome, problem: &str) -> Outcome {
    terminal::fail(problem);
    outcome
}

/// The text of a file that is known by its name: what is a pipe would be waited for.
pub(crate) fn regular(path: &Path) -> std::io::Result<String> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_file() || metadata.is_dir() {
        return std::fs::read_to_string(path);
    }
    Err(std::io::Error::new(
        std::io::ErrorKind::InvalidInput,
        "it is not a regular file",
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_lock_is_where_the_derive_finds_it() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("crates/models");
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("Cargo.toml"), "[package]\n").unwrap();
        let above = folder.path().join(FILE_NAME);
        fs::write(&above, "").unwrap();
        assert_eq!(lock_of(&package), None, "it is not in a workspace");
        // The derive calls the same `folders`, so what holds for these cases holds for it, too.
        for manifest in [
            "[workspace]\nmembers = [\"crates/*\"]\n",
            "workspace = { members = [\"crates/*\", \"crates/models\"], exclude = [\"crates\"] }\n",
            " [ \"workspace\" ]\n",
            "workspace.resolver = \"3\"\n",
        ] {
            fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
            assert_eq!(lock_of(&package), Some(above.clone()), "{manifest}");
        }
        fs::write(
            folder.path().join("Cargo.toml"),
            "[workspace]\nexclude = [\"crates\"]\n",
        )
        .unwrap();
        assert_eq!(lock_of(&package), None, "it is excluded");
        fs::write(
            package.join("Cargo.toml"),
            "[package]\nworkspace = \"../../root/./here\"\n",
        )
        .unwrap();
        let root = folder.path().join("root/here");
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join(FILE_NAME), "").unwrap();
        assert_eq!(lock_of(&package), Some(root.join(FILE_NAME)));
        let own = package.join(FILE_NAME);
        fs::write(&own, "").unwrap();
        assert_eq!(lock_of(&package), Some(own));
    }
}
