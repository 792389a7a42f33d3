//! The releases that wrote each schema version, as far as the lock knows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use upstate_compat::Release;
use upstate_compat::lock::{FILE_NAME, Lock};

/// The default path of the lock: here; or in the package that cargo runs or a folder above it up to the workspace's root,
/// which is where the derive finds it. Where there is none, its place is in the package.
pub(crate) fn lock_file() -> PathBuf {
    let here = PathBuf::from(FILE_NAME);
    if here.exists() {
        return here;
    }
    if let Some(package) = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from) {
        return lock_of(&package).unwrap_or_else(|| package.join(FILE_NAME));
    }
    // Cargo does not run the program, and somebody may still call it in the package.
    let package = std::env::current_dir().ok().filter(|here| here.join("Cargo.toml").exists());
    package.and_then(|package| lock_of(&package)).unwrap_or(here)
}

/// The lock of a package, if it has one, where the derive looks for it.
fn lock_of(package: &Path) -> Option<PathBuf> {
    let package = std::path::absolute(package).unwrap_or_else(|_| package.to_owned());
    let folders = upstate_words::workspace::folders(&package);
    folders.iter().map(|folder| folder.join(FILE_NAME)).find(|lock| lock.symlink_metadata().is_ok())
}

/// The schema version of each type in each release, in the order of the releases.
#[derive(Debug, Default)]
pub(crate) struct Releases(Vec<(Release, BTreeMap<String, u64>)>);

impl Releases {
    /// Those of the lock; none if it is missing or unreadable: an operator need not have it.
    pub(crate) fn known() -> Self {
        let path = lock_file();
        let text = if path.is_file() { std::fs::read_to_string(path).ok() } else { None };
        text.and_then(|text| Lock::parse(&text).ok()).map_or_else(Self::default, |lock| Self::of(&lock))
    }

    fn of(lock: &Lock) -> Self {
        let versions =
            |release| lock.versions_at(release).into_iter().map(|(name, version)| (name.to_owned(), version)).collect();
        Self(lock.releases().iter().map(|release| (release.clone(), versions(release))).collect())
    }

    /// The releases that wrote a version of a type, as the subject of a sentence and its verb.
    pub(crate) fn wrote(&self, type_name: &str, version: u64) -> Option<String> {
        let wrote = |versions: &BTreeMap<String, u64>| versions.get(type_name) == Some(&version);
        let releases: Vec<_> =
            self.0.iter().filter(|(_, versions)| wrote(versions)).map(|(release, _)| release.to_string()).collect();
        match releases.as_slice() {
            [] => None,
            [one] => Some(format!("release {one} writes")),
            [first, second] => Some(format!("releases {first} and {second} write")),
            [first, .., last] => Some(format!("releases {first} to {last} write")),
        }
    }
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
        // The derive has the same cases.
        for manifest in [
            "[workspace]\nmembers = [\"crates/*\"]\n",
            "workspace = { members = [\"crates/*\", \"crates/models\"], exclude = [\"crates\"] }\n",
            " [ \"workspace\" ]\n",
            "workspace.resolver = \"3\"\n",
        ] {
            fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
            assert_eq!(lock_of(&package), Some(above.clone()), "{manifest}");
        }
        fs::write(folder.path().join("Cargo.toml"), "[workspace]\nexclude = [\"crates\"]\n").unwrap();
        assert_eq!(lock_of(&package), None, "it is excluded");
        fs::write(package.join("Cargo.toml"), "[package]\nworkspace = \"../../root/./here\"\n").unwrap();
        let root = folder.path().join("root/here");
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join(FILE_NAME), "").unwrap();
        assert_eq!(lock_of(&package), Some(root.join(FILE_NAME)));
        let own = package.join(FILE_NAME);
        fs::write(&own, "").unwrap();
        assert_eq!(lock_of(&package), Some(own));
    }
}
