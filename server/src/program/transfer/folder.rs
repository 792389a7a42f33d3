//! States in a folder: an export, or files `NAME.tfstate`.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;

use super::found::{At, Found, Offered, too_large};
use super::index::{self, ExportedVersion, ExportedWorkspace, Index};

use crate::model::Timestamp;

/// A folder.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
}

impl Folder {
    pub(super) fn workspaces(&self) -> Result<Vec<Found>, String> {
        let path = self.path.join(index::FILE);
        match std::fs::read(&path) {
            Ok(text) => {
                let wrong = |why: String| {
                    format!("{} is not the index of an export: {why}", path.display())
                };
                let index: Index =
                    serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
                if index.form != index::FORM {
                    return Err(wrong(format!(
                        "it has form {}, expected {}",
                        index.form,
                        index::FORM
                    )));
                }
                Ok(index
                    .workspaces
                    .into_iter()
                    .map(|one| self.exported(one))
                    .collect())
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => self.plain(),
            Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
        }
    }

    fn exported(&self, workspace: ExportedWorkspace) -> Found {
        let mut found = Found {
            organization: Some(workspace.organization),
            project: workspace.project,
            name: workspace.name,
            description: workspace.description,
            terraform_version: workspace.terraform_version,
            tags: workspace.tags.into_iter().collect(),
            locked: workspace.locked,
            ..Found::default()
        };
        for version in workspace.versions {
            match self.version(version) {
                Ok(offered) => found.states.push(offered),
                Err(why) => found.wrong = Some(why),
            }
        }
        found
    }

    fn version(&self, version: ExportedVersion) -> Result<Offered, String> {
        let file = Path::new(&version.file);
        // An index from elsewhere must not lead to other files of this machine.
        if !file
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
        {
            return Err(format!(
                "the index names the file {:?}, which is not in its folder",
                version.file
            ));
        }
        Ok(Offered {
            label: version.id,
            serial: Some(version.serial),
            md5: Some(version.md5),
            sha256: Some(version.sha256),
            created_at: Timestamp::parse(&version.created_at),
            created_by: version.created_by,
            forced: version.forced,
            at: At::File(self.path.join(file)),
        })
    }

    /// Files `NAME.tfstate`, and folders `NAME` with a file `terraform.tfstate`, as Terraform keeps
    /// local workspaces.
    fn plain(&self) -> Result<Vec<Found>, String> {
        let failed =
            |error: std::io::Error| format!("{} cannot be read: {error}", self.path.display());
        let mut files: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for entry in std::fs::read_dir(&self.path).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let inside = path.join("terraform.tfstate");
            let (name, file) = if inside.is_file() {
                (path.file_name(), inside)
            } else if path.is_file()
                && path
                    .extension()
                    .is_some_and(|extension| extension == "tfstate")
            {
                (path.file_stem(), path.clone())
            } else {
                continue;
            };
            files
                .entry(name.unwrap_or_default().to_string_lossy().into_owned())
                .or_default()
                .push(file);
        }
        if files.is_empty() {
            return Err(format!(
                "{} holds neither the index of an export, {}, nor a file NAME.tfstate",
                self.path.display(),
                index::FILE
            ));
        }
        let found = files.into_iter().map(|(name, mut paths)| {
            paths.sort();
            let wrong = (paths.len() > 1).then(|| {
                let names: Vec<String> = paths
                    .iter()
                    .map(|path| path.display().to_string())
                    .collect();
                format!("there are two files of this name, {}", names.join(" and "))
            });
            Found {
                name,
                states: paths.into_iter().map(plain_state).collect(),
                wrong,
                ..Found::default()
            }
        });
        Ok(found.collect())
    }
}

fn plain_state(path: PathBuf) -> Offered {
    let label = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Offered::new(label, At::File(path))
}

/// Reads a file of at most so many bytes.
pub(super) fn bytes(path: &Path, most: usize) -> Result<Bytes, String> {
    let failed = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    file.take(limit).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > most {
        return Err(too_large(most));
    }
    Ok(bytes.into())
}
