//! Configurations of acceptance tests: a string, or the files of a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::Failure;

/// The configuration of a [`Step`](super::Step): a string, which is the file `main.tf`, or a
/// [`folder`](Self::folder).
#[derive(Debug, Clone)]
pub struct Config(Source);

#[derive(Debug, Clone)]
enum Source {
    Text(String),
    Folder(PathBuf),
}

/// The files of a configuration, by their paths in its folder.
pub(super) type Files = BTreeMap<PathBuf, Vec<u8>>;

impl Config {
    /// All files of a folder, with those of the folders in it: a configuration of several files,
    /// with modules and variables of its own. The path is relative to the folder of the package,
    /// where `cargo test` runs.
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self(Source::Folder(path.into()))
    }

    pub(super) fn files(&self) -> Result<Files, Failure> {
        let mut files = Files::new();
        match &self.0 {
            Source::Text(text) => {
                files.insert("main.tf".into(), text.clone().into_bytes());
            }
            Source::Folder(folder) => {
                read(folder, Path::new(""), &mut files)
                    .map_err(|error| Failure(format!("{}: {error}", folder.display())))?;
                if files.is_empty() {
                    return Err(Failure(format!(
                        "{}: there is no file in it",
                        folder.display()
                    )));
                }
            }
        }
        Ok(files)
    }
}

fn read(folder: &Path, inside: &Path, files: &mut Files) -> std::io::Result<()> {
    for entry in fs::read_dir(folder.join(inside))? {
        let name = entry?.file_name();
        let path = inside.join(&name);
        // Files that Terraform keeps beside a configuration are left out, because they are not a
        // part of it.
        if name.to_string_lossy().starts_with('.') || name.to_string_lossy().contains(".tfstate") {
            continue;
        }
        if folder.join(&path).is_dir() {
            read(folder, &path, files)?;
        } else {
            let bytes = fs::read(folder.join(&path))?;
            files.insert(path, bytes);
        }
    }
    Ok(())
}

/// True if a file of the root module says where providers are found.
pub(super) fn requires_providers(files: &Files) -> bool {
    let root = files.iter().filter(|(path, _)| {
        path.components().count() == 1 && path.extension().is_some_and(|end| end == "tf")
    });
    root.into_iter()
        .any(|(_, text)| String::from_utf8_lossy(text).contains("required_providers"))
}

impl From<&str> for Config {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&String> for Config {
    fn from(text: &String) -> Self {
        text.clone().into()
    }
}

impl From<String> for Config {
    fn from(text: String) -> Self {
        Self(Source::Text(text))
    }
}
