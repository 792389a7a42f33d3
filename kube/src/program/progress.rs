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
    ///
    /// # Errors
    /// The file cannot be read, or holds something else, which would be replaced and removed.
    pub(super) fn read(
        file: Option<&PathBuf>,
        definition: &Definition,
    ) -> io::Result<Option<Self>> {
        let Some(file) = file else { return Ok(None) };
        let json = match std::fs::read(file) {
            Ok(json) => json,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        // As `mktemp` makes one.
        if json.is_empty() {
            return Ok(None);
        }
        // The error is left out, because it could quote what is in the file.
        let saved: Self = serde_json::from_slice(&json).map_err(|_| {
            let name = file.display();
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{name} holds something else than the progress of a migration"),
            )
        })?;
        Ok(Some(saved).filter(|saved| saved.definition == *definition))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_something_else_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state");
        let definition = Definition {
            uid: "1".to_owned(),
            ..Definition::default()
        };
        let read = || Saved::read(Some(&file), &definition);
        assert_eq!(read().unwrap(), None);
        std::fs::write(&file, "").unwrap();
        assert_eq!(read().unwrap(), None);
        for other in [
            "apiVersion: v1\nkind: Config\n",
            "{\"token\":\"s3cret\"}",
            " ",
        ] {
            std::fs::write(&file, other).unwrap();
            let error = read().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            assert_eq!(
                error.to_string(),
                format!(
                    "{} holds something else than the progress of a migration",
                    file.display()
                )
            );
        }
        let saved = Saved {
            definition: definition.clone(),
            rewritten: 3,
            ..Saved::default()
        };
        saved.write(Some(&file)).unwrap();
        assert_eq!(read().unwrap(), Some(saved.clone()));
        // That of another definition is of no use any more.
        let of_another = Saved {
            definition: Definition::default(),
            ..saved
        };
        of_another.write(Some(&file)).unwrap();
        assert_eq!(read().unwrap(), None);
    }
}
