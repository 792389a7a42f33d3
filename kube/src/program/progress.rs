//! The progress of a migration in a file, so that one that was killed goes on where it was.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The progress of a migration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Saved {
    /// The definition that it is about, as it was: another storage version is another migration.
    pub(super) definition: Definition,
    /// The token of the next page.
    pub(super) next: Option<String>,
    /// True once every page was read.
    pub(super) is_listed: bool,
    pub(super) rewritten: u64,
    pub(super) gone: u64,
    pub(super) forgotten: u64,
    pub(super) retried: u64,
    /// Objects that were not rewritten: the namespace, which is empty for an object of the cluster,
    /// and the name.
    pub(super) failed: BTreeSet<(String, String)>,
}

/// The definition of a migration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Definition {
    pub(super) uid: String,
    pub(super) generation: i64,
    pub(super) storage: String,
    /// The versions whose managed fields end.
    pub(super) forget: Vec<String>,
}

impl Saved {
    /// The contents of the file, if it is about that definition.
    pub(super) fn read(
        file: Option<&PathBuf>,
        definition: &Definition,
    ) -> io::Result<Option<Self>> {
        let Some(file) = file else { return Ok(None) };
        match std::fs::read(file) {
            Ok(json) => Ok(serde_json::from_slice::<Self>(&json)
                .ok()
                .filter(|saved| saved.definition == *definition)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes the file, which is the old or the new one whenever the program ends.
    pub(super) fn write(&self, file: Option<&PathBuf>) -> io::Result<()> {
        let Some(file) = file else { return Ok(()) };
        let json = serde_json::to_vec(self)?;
        let new = beside(file);
        std::fs::write(&new, json)?;
        std::fs::File::open(&new)?.sync_all()?;
        std::fs::rename(new, file)
    }
}

fn beside(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    file.with_file_name(name)
}
