//! The settings: `upstate.toml` beside the lock, or the metadata of the package or workspace.

use std::path::{Path, PathBuf};

use toml::{Table, Value};
use upstate_compat::{Finding, Options};

use super::Failure;

/// The name of the settings' own file.
const FILE: &str = "upstate.toml";
const MANIFEST: &str = "Cargo.toml";

/// The settings.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) options: Options,
    /// The folder of recorded states, as `<type>/v<version>/<name>.json`.
    pub(super) fixtures: Option<PathBuf>,
    /// The folder of the upgrade guide's notes, as `<major>.toml`.
    pub(super) guide: Option<PathBuf>,
    home: Home,
}

/// The file of the settings.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Home {
    #[default]
    OwnFile,
    /// In `Cargo.toml`, below this table.
    Manifest(&'static str),
}

impl Settings {
    /// The settings for the lock in `folder`.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let own = table(&folder.join(FILE))?;
        let manifest = table(&folder.join(MANIFEST))?;
        let package = manifest
            .as_ref()
            .and_then(|manifest| metadata(manifest, "package"));
        let workspace = manifest
            .as_ref()
            .and_then(|manifest| metadata(manifest, "workspace"));
        let shown = |name: &str| folder.join(name).display().to_string();
        match (own, package, workspace) {
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) => Err(Failure::usage(format!(
                "both {} and the metadata of {} have settings; keep one of them",
                shown(FILE),
                shown(MANIFEST)
            ))),
            (Some(own), None, None) => {
                parse(own, Home::OwnFile).map_err(|error| at(&shown(FILE), &error))
            }
            (None, Some(package), _) => {
                let table = inherited(folder, package.clone())?;
                parse(table, Home::Manifest("package"))
                    .map_err(|error| at(&shown(MANIFEST), &error))
            }
            (None, None, Some(workspace)) => parse(workspace.clone(), Home::Manifest("workspace"))
                .map_err(|error| at(&shown(MANIFEST), &error)),
            (None, None, None) => Ok(Self::default()),
        }
    }

    /// The file to write a waiver into, and the name of the table to write.
    pub(super) fn waivers(&self, folder: &Path) -> (PathBuf, String) {
        match self.home {
            Home::OwnFile => (folder.join(FILE), "waive".to_owned()),
            Home::Manifest(table) => (
                folder.join(MANIFEST),
                format!("{table}.metadata.upstate.waive"),
            ),
        }
    }
}

fn at(file: &str, error: &str) -> Failure {
    Failure::usage(format!("{file}: {error}"))
}

/// The text that lets `finding` through, to be put into the settings' `table`.
pub(super) fn waiver(table: &str, finding: &Finding, reason: &str, until: &str) -> String {
    let quoted = |text: &str| Value::String(text.to_owned()).to_string();
    // What is about the program as a whole has no path.
    let path = if finding.resource.is_empty() {
        String::new()
    } else {
        format!("path = {}\n", quoted(&finding.place()))
    };
    format!(
        "[[{table}]]\nrule = {}\n{path}fingerprint = {}\nreason = {}\nuntil = {}\n",
        quoted(finding.rule.id()),
        quoted(&finding.fingerprint),
        quoted(reason),
        quoted(until),
    )
}

/// The text of a file; nothing if there is none.
pub(super) fn text_of(path: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::usage(format!(
            "cannot read {}: {error}",
            path.display()
        ))),
    }
}

/// A file of TOML; nothing if there is none.
fn table(path: &Path) -> Result<Option<Table>, Failure> {
    let Some(text) = text_of(path)? else {
        return Ok(None);
    };
    text.parse()
        .map(Some)
        .map_err(|error: toml::de::Error| at(&path.display().to_string(), &error.to_string()))
}

fn metadata<'t>(manifest: &'t Table, of: &str) -> Option<&'t Table> {
    manifest
        .get(of)?
        .get("metadata")?
        .get("upstate")?
        .as_table()
}

/// The package's own settings over those of its workspace, if it says `workspace = true`.
fn inherited(folder: &Path, mut own: Table) -> Result<Table, Failure> {
    match own.remove("workspace") {
        None | Some(Value::Boolean(false)) => return Ok(own),
        Some(Value::Boolean(true)) => {}
        Some(_) => {
            return Err(Failure::usage(
                "`workspace` in the metadata is true or false",
            ));
        }
    }
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    for above in folder.ancestors() {
        let Some(manifest) = table(&above.join(MANIFEST))? else {
            continue;
        };
        if !manifest.contains_key("workspace") {
            continue;
        }
        let Some(mut all) = metadata(&manifest, "workspace").cloned() else {
            let shown = above.join(MANIFEST);
            return Err(Failure::usage(format!(
                "{} has no [workspace.metadata.upstate]",
                shown.display()
            )));
        };
        // What both have as tables, such as rules, is joined; waivers of both hold.
        for (name, value) in own {
            match (all.get_mut(&name), value) {
                (Some(Value::Table(all)), Value::Table(own)) => all.extend(own),
                (Some(Value::Array(all)), Value::Array(own)) => all.extend(own),
                (_, value) => drop(all.insert(name, value)),
            }
        }
        return Ok(all);
    }
    Err(Failure::usage(
        "`workspace = true` in the metadata, and there is no workspace",
    ))
}

/// Settings and options share a table, so that each has to leave the other's names alone.
fn parse(mut table: Table, home: Home) -> Result<Settings, String> {
    let mut path = |name: &str| match table.remove(name) {
        None => Ok(None),
        Some(Value::String(path)) => Ok(Some(PathBuf::from(path))),
        Some(_) => Err(format!("`{name}` is a path")),
    };
    let (fixtures, guide) = (path("fixtures")?, path("guide")?);
    let options: Options = table
        .try_into()
        .map_err(|error: toml::de::Error| error.to_string())?;
    match options.unknown_rules().as_slice() {
        [] => Ok(Settings {
            options,
            fixtures,
            guide,
            home,
        }),
        unknown => Err(format!(
            "there is no rule {}; `rules` lists them",
            unknown.join(", ")
        )),
    }
}
