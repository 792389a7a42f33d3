//! `import`: models from the schemas of a provider, or the definitions of custom resources, that
//! were written without upstate.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use serde_json::Value;
use upstate_compat::import::{Definition, Imported, ReleasedSchemas, custom_resources, models};
use upstate_state::atomic_file::write_public;

use crate::definitions::{self, Contents};
use crate::outcome::Outcome;
use crate::terminal::{self, Failure};

/// Write Rust models for the resources of a provider or for custom resources, from their schemas:
/// the start of a program in Rust
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  terraform providers schema -json > acme-2.0.0.json\n  {program} import 2.0.0=acme-2.0.0.json --out src/models\n  {program} import 1.4.0=old.json 2.0.0=new.json --type acme_server --out src/models\n  {program} import boats.yaml --out src/models"
)]
pub(crate) struct Import {
    /// A release and the output of `terraform providers schema -json` for it; with several, changes
    /// between them become upgraders. Or a file with definitions of custom resources, whose
    /// versions become those of the models
    #[arg(value_name = "[RELEASE=]FILE", required = true)]
    schemas: Vec<String>,
    /// The provider, if there are several in the files: its address, or the last part of it
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// Only this type, or this kind of custom resource; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// The folder to write to, with a file for each type and a `mod.rs`; files that are there
    /// already are not replaced
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

impl Import {
    pub(crate) fn run(&self) -> Outcome {
        self.import().unwrap_or_else(Failure::say)
    }

    fn import(&self) -> Result<Outcome, Failure> {
        if let Some(imported) = self.custom_resources()? {
            return self.finish(
                &imported,
                "`Program::new().with::<…>()` of upstate-kube for each spec",
            );
        }
        let releases = self
            .schemas
            .iter()
            .map(|given| self.released(given))
            .collect::<Result<Vec<_>, _>>()?;
        for (position, given) in self.schemas.iter().enumerate() {
            let release =
                |given: &str| given.split_once('=').map(|(release, _)| release.to_owned());
            if self
                .schemas
                .iter()
                .take(position)
                .any(|earlier| release(earlier) == release(given))
            {
                let release = release(given).unwrap_or_default();
                return Err(Failure::usage(format!(
                    "release {release} is given twice: each release has one file"
                )));
            }
        }
        let imported = models(&releases, |type_name| {
            self.types.is_empty() || self.types.iter().any(|wanted| wanted == type_name)
        });
        for wanted in &self.types {
            let is_written = imported
                .files
                .iter()
                .any(|file| file.text.contains(&format!("type_name = {wanted:?}")));
            if !is_written
                && !imported
                    .left_out
                    .iter()
                    .any(|(type_name, _)| type_name == wanted)
            {
                return Err(Failure::usage(format!(
                    "no resource type is named {wanted:?} in the latest of these releases"
                )));
            }
        }
        self.finish(
            &imported,
            "`lock --import` for each release, the earliest first",
        )
    }

    /// The models of custom resources, if the files are definitions.
    fn custom_resources(&self) -> Result<Option<Imported>, Failure> {
        let (released, files): (Vec<&String>, Vec<&String>) =
            self.schemas.iter().partition(|given| given.contains('='));
        let Some(first) = files.first() else {
            return Ok(None);
        };
        if let Some(release) = released.first() {
            return Err(Failure::usage(format!(
                "{release:?} is a release and {first:?} is none: give schemas of releases, or definitions of custom resources"
            )));
        }
        if self.provider.is_some() {
            return Err(Failure::usage(
                "--provider is for the schemas of a provider, such as 1.4.0=FILE",
            ));
        }
        let (mut definitions, mut left_out) = (Vec::new(), Vec::new());
        for path in files {
            let found = definitions_of(path)?;
            for definition in found {
                if !definitions::is_wanted(&definition, &self.types) {
                    continue;
                }
                let name = definition
                    .pointer("/metadata/name")
                    .and_then(Value::as_str)
                    .unwrap_or("a definition");
                let shown = name.escape_debug().to_string();
                match Definition::parse(&definition) {
                    Ok(definition) => definitions.push(definition),
                    Err(why) => left_out.push((shown, why)),
                }
            }
        }
        if let Some(twice) = definitions.iter().enumerate().find_map(|(position, one)| {
            definitions
                .iter()
                .take(position)
                .find(|other| other.name() == one.name())
        }) {
            return Err(Failure::usage(format!(
                "{} is given twice: each definition has one file",
                twice.name().escape_debug()
            )));
        }
        if definitions.is_empty() && left_out.is_empty() {
            let wanted: Vec<String> = self
                .types
                .iter()
                .map(|wanted| format!("{wanted:?}"))
                .collect();
            return Err(Failure::usage(format!(
                "no kind is named {} in these definitions",
                wanted.join(" or ")
            )));
        }
        let mut imported = custom_resources(&definitions);
        imported.left_out = left_out;
        Ok(Some(imported))
    }

    fn finish(&self, imported: &Imported, next: &str) -> Result<Outcome, Failure> {
        // Otherwise a registry of nothing would be left.
        let outcome = if imported.files.len() > 1 {
            self.write(imported, next)?
        } else {
            Outcome::Refused
        };
        for (type_name, why) in &imported.left_out {
            terminal::fail(&format!("{type_name} was left out: {why}"));
        }
        Ok(if imported.left_out.is_empty() {
            outcome
        } else {
            Outcome::Refused
        })
    }

    fn released(&self, given: &str) -> Result<ReleasedSchemas, Failure> {
        let Some((release, path)) = given.split_once('=') else {
            return Err(Failure::usage(format!(
                "{given:?} does not say which release it is: write 1.4.0={given}"
            )));
        };
        let release = release
            .parse()
            .map_err(|error| Failure::usage(format!("{error}")))?;
        let json = std::fs::read(path)
            .map_err(|error| Failure::unreadable(format!("cannot read {path}: {error}")))?;
        ReleasedSchemas::parse(release, &json, self.provider.as_deref())
            .map_err(|problem| Failure::unreadable(format!("{path}: {problem}")))
    }

    /// Writes all files, or none where another file would be replaced.
    fn write(
        &self,
        Imported {
            files, reshaped, ..
        }: &Imported,
        next: &str,
    ) -> Result<Outcome, Failure> {
        let differs = |path: &Path, text: &str| match std::fs::read(path) {
            Ok(there) => there != text.as_bytes(),
            // A file that cannot be read, a folder, a link to nothing.
            Err(_) => path.symlink_metadata().is_ok(),
        };
        if let Some(file) = files
            .iter()
            .find(|file| differs(&self.out.join(&file.name), &file.text))
        {
            let path = self.out.join(&file.name);
            return Err(Failure::refused(format!(
                "{} is there already and differs; nothing was written: give another --out, or remove it",
                path.display()
            )));
        }
        let failed = |path: &Path, error: &std::io::Error| {
            Failure::unreadable(format!("cannot write {}: {error}", path.display()))
        };
        std::fs::create_dir_all(&self.out).map_err(|error| failed(&self.out, &error))?;
        for file in files {
            let path = self.out.join(&file.name);
            write_public(&path, file.text.as_bytes()).map_err(|error| failed(&path, &error))?;
        }
        let print = || {
            let mut out = std::io::stdout().lock();
            let count = files.len().saturating_sub(1);
            writeln!(
                out,
                "wrote {count} model{} to {}",
                if count == 1 { "" } else { "s" },
                self.out.display()
            )?;
            let open: usize = files
                .iter()
                .map(|file| file.text.matches("// check").count())
                .sum();
            if open > 0 {
                let are = if open == 1 {
                    "operator is a guess"
                } else {
                    "operators are guesses"
                };
                writeln!(out, "{open} {are}, marked `// check`")?;
            }
            let mut reshaped: Vec<&str> = reshaped
                .iter()
                .map(|(type_name, _)| type_name.as_str())
                .collect();
            reshaped.dedup();
            if !reshaped.is_empty() {
                let are = if reshaped.len() == 1 {
                    "type was"
                } else {
                    "types were"
                };
                writeln!(
                    out,
                    "{} {are} stored with several shapes under one version; comments above the models say which: {}",
                    reshaped.len(),
                    reshaped.join(", ")
                )?;
            }
            writeln!(out, "next: `mod models;` in the program, and {next}")?;
            out.flush()
        };
        Ok(terminal::printed(print()))
    }
}

/// The definitions in a file.
fn definitions_of(path: &str) -> Result<Vec<Value>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::unreadable(format!("cannot read {path}: {error}")))?;
    match definitions::read(path, &text).map_err(Failure::unreadable)? {
        Contents::Definitions(found) => Ok(found),
        Contents::ProviderSchemas => Err(Failure::usage(format!(
            "{path:?} does not say which release it is: write 1.4.0={path}"
        ))),
        Contents::Others => {
            let help = "a file without a release has definitions of custom resources, the schemas of a provider are written 1.4.0=FILE";
            Err(Failure::usage(format!(
                "{path} has no CustomResourceDefinition: {help}"
            )))
        }
    }
}
