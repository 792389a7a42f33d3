//! Which releases wrote which schema version, as far as the lock knows.

use std::collections::BTreeMap;
use std::path::PathBuf;

use upstate_compat::Release;
use upstate_compat::lock::{FILE_NAME, Lock};

/// Where the lock is, unless an option says so: here, or in the package that cargo runs.
pub(crate) fn lock_file() -> PathBuf {
    let here = PathBuf::from(FILE_NAME);
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(|folder| PathBuf::from(folder).join(FILE_NAME));
    if here.exists() { here } else { package.unwrap_or(here) }
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
