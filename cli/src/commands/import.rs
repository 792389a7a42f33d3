//! `import`: models from the schemas of a provider that was written without upstate.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use upstate_compat::import::{Imported, ReleasedSchemas, models};
use upstate_state::atomic_file::write_public;

use crate::outcome::Outcome;
use crate::terminal;

/// Write Rust models for the resources of a provider, from its schemas: the start of a provider in Rust
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  terraform providers schema -json > acme-2.0.0.json\n  {program} import 2.0.0=acme-2.0.0.json --out src/models\n  {program} import 1.4.0=old.json 2.0.0=new.json --type acme_server --out src/models"
)]
pub(crate) struct Import {
    /// A release and the output of `terraform providers schema -json` for it; with several, changes between them become upgraders
    #[arg(value_name = "RELEASE=FILE", required = true)]
    schemas: Vec<String>,
    /// The provider, if there are several in the files: its address, or the last part of it
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// Only this type; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// The folder to write to, with a file for each type and a `mod.rs`; files that are there already are not replaced
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

impl Import {
    pub(crate) fn run(&self) -> Outcome {
        match self.import() {
            Ok(outcome) => outcome,
            Err((outcome, problem)) => {
                terminal::fail(&problem);
                outcome
            }
        }
    }

    fn import(&self) -> Result<Outcome, (Outcome, String)> {
        let releases = self.schemas.iter().map(|given| self.released(given)).collect::<Result<Vec<_>, _>>()?;
        for (position, given) in self.schemas.iter().enumerate() {
            let release = |given: &str| given.split_once('=').map(|(release, _)| release.to_owned());
            if self.schemas.iter().take(position).any(|earlier| release(earlier) == release(given)) {
                let release = release(given).unwrap_or_default();
                return Err((Outcome::Usage, format!("release {release} is given twice: each release has one file")));
            }
        }
        let imported =
            models(&releases, |type_name| self.types.is_empty() || self.types.iter().any(|wanted| wanted == type_name));
        for wanted in &self.types {
            let is_written = imported.files.iter().any(|file| file.text.contains(&format!("type_name = {wanted:?}")));
            if !is_written && !imported.left_out.iter().any(|(type_name, _)| type_name == wanted) {
                return Err((Outcome::Usage, format!("no resource type is named {wanted:?} in the latest of these releases")));
            }
        }
        let outcome = self.write(&imported)?;
        for (type_name, why) in &imported.left_out {
            terminal::fail(&format!("{type_name} was left out: {why}"));
        }
        Ok(if imported.left_out.is_empty() { outcome } else { Outcome::Refused })
    }

    fn released(&self, given: &str) -> Result<ReleasedSchemas, (Outcome, String)> {
        let Some((release, path)) = given.split_once('=') else {
            return Err((Outcome::Usage, format!("{given:?} does not say which release it is: write 1.4.0={given}")));
        };
        let release = release.parse().map_err(|error| (Outcome::Usage, format!("{error}")))?;
        let json = std::fs::read(path).map_err(|error| (Outcome::Unreadable, format!("cannot read {path}: {error}")))?;
        ReleasedSchemas::parse(release, &json, self.provider.as_deref())
            .map_err(|problem| (Outcome::Unreadable, format!("{path}: {problem}")))
    }

    /// Writes all files, or none where another file would be replaced.
    fn write(&self, Imported { files, reshaped, .. }: &Imported) -> Result<Outcome, (Outcome, String)> {
        let differs = |path: &Path, text: &str| std::fs::read(path).is_ok_and(|there| there != text.as_bytes());
        if let Some(file) = files.iter().find(|file| differs(&self.out.join(&file.name), &file.text)) {
            let path = self.out.join(&file.name);
            return Err((
                Outcome::Refused,
                format!("{} is there already and differs; nothing was written: give another --out, or remove it", path.display()),
            ));
        }
        let failed =
            |path: &Path, error: &std::io::Error| (Outcome::Unreadable, format!("cannot write {}: {error}", path.display()));
        std::fs::create_dir_all(&self.out).map_err(|error| failed(&self.out, &error))?;
        for file in files {
            let path = self.out.join(&file.name);
            write_public(&path, file.text.as_bytes()).map_err(|error| failed(&path, &error))?;
        }
        let print = || {
            let mut out = std::io::stdout().lock();
            let count = files.len().saturating_sub(1);
            writeln!(out, "wrote {count} model{} to {}", if count == 1 { "" } else { "s" }, self.out.display())?;
            let open: usize = files.iter().map(|file| file.text.matches("// check").count()).sum();
            if open > 0 {
                let are = if open == 1 { "operator is a guess" } else { "operators are guesses" };
                writeln!(out, "{open} {are}, marked `// check`")?;
            }
            let mut reshaped: Vec<&str> = reshaped.iter().map(|(type_name, _)| type_name.as_str()).collect();
            reshaped.dedup();
            if !reshaped.is_empty() {
                let are = if reshaped.len() == 1 { "type was" } else { "types were" };
                writeln!(
                    out,
                    "{} {are} stored with several shapes under one version; comments above the models say which: {}",
                    reshaped.len(),
                    reshaped.join(", ")
                )?;
            }
            writeln!(out, "next: `mod models;` in the program, and `lock --import` for each release, the earliest first")?;
            out.flush()
        };
        Ok(terminal::printed(print()))
    }
}
