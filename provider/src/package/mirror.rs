//! A folder that `terraform init` installs providers from: from the disk as it is, and over HTTPS
//! where a web server serves it.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::Release;
use super::archive::Archive;

/// The files that a release adds to a mirror, or changes there.
pub(super) struct Mirror {
    pub(super) folder: PathBuf,
    pub(super) files: BTreeMap<String, Vec<u8>>,
    versions: Map<String, Value>,
    archives: Map<String, Value>,
    version: String,
}

impl Mirror {
    /// The parts of the provider that a mirror already has: other versions, other systems.
    pub(super) fn read(folder: &Path, release: &Release<'_>) -> Result<Self, String> {
        let folder = folder
            .join(release.host)
            .join(release.namespace)
            .join(release.name);
        let versions = members(&folder.join("index.json"), "versions")?;
        let archives = members(
            &folder.join(format!("{}.json", release.version)),
            "archives",
        )?;
        Ok(Self {
            folder,
            files: BTreeMap::new(),
            versions,
            archives,
            version: release.version.to_string(),
        })
    }

    pub(super) fn with(mut self, archives: &BTreeMap<String, Archive>) -> Result<Self, String> {
        for (platform, archive) in archives {
            let hashes = json!([archive.h1, archive.zh()]);
            let known = self
                .archives
                .get(platform)
                .and_then(|there| there.get("hashes"));
            if known.is_some_and(|known| *known != hashes) {
                return Err(format!(
                    "the mirror has version {} for {platform} already, with another program. Terraform refuses this one where the other is in a \
                     dependency lock file: give the release another version, or remove {platform} from {}.",
                    self.version,
                    self.folder.join(format!("{}.json", self.version)).display()
                ));
            }
            self.archives.insert(
                platform.clone(),
                json!({"url": archive.name, "hashes": hashes}),
            );
            self.files
                .insert(archive.name.clone(), archive.bytes.clone());
        }
        self.versions.insert(self.version.clone(), json!({}));
        self.files.insert(
            format!("{}.json", self.version),
            text(&json!({"archives": self.archives})),
        );
        self.files.insert(
            "index.json".to_owned(),
            text(&json!({"versions": self.versions})),
        );
        Ok(self)
    }
}

fn text(value: &Value) -> Vec<u8> {
    format!("{value:#}\n").into_bytes()
}

/// The object under `name` in a file of a mirror; empty if the file does not exist.
fn members(path: &Path, name: &str) -> Result<Map<String, Value>, String> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Map::new()),
        read => read.map_err(|error| format!("{} can't be read: {error}", path.display()))?,
    };
    match serde_json::from_str::<Value>(&text)
        .ok()
        .as_mut()
        .and_then(|file| file.get_mut(name))
        .map(Value::take)
    {
        Some(Value::Object(members)) => Ok(members),
        _ => Err(format!(
            "{} is not a file of a mirror: expected a JSON object with an object {name:?}.",
            path.display()
        )),
    }
}

/// The settings that make Terraform use a mirror.
pub(super) fn instructions(folder: &Path, release: &Release<'_>) -> String {
    let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let include = format!("{}/{}/*", release.host, release.namespace);
    format!(
        "`terraform init` installs it from the mirror if the CLI configuration (~/.terraformrc) says:\n\n\
         provider_installation {{\n  filesystem_mirror {{\n    path    = {:?}\n    include = [{include:?}]\n  }}\n  direct {{\n    \
         exclude = [{include:?}]\n  }}\n}}",
        path.display().to_string()
    )
}
