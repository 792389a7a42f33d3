//! The command `package`: what a release of a provider consists of, as registries and mirrors of
//! Terraform want it.

mod archive;
mod mirror;
mod program;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use semver::Version;
use serde_json::json;

use self::archive::{Archive, sha256};
use self::mirror::Mirror;
use self::program::Program;
use crate::beside::Beside;
use crate::provider::Parts;

pub(crate) const USAGE: &str = "`package --version 1.4.0 [--out FOLDER] [--mirror FOLDER] [PROGRAM]…` packs the programs, or this one if none is named";

/// The options of the command line.
struct Options {
    version: Version,
    out: PathBuf,
    mirror: Option<PathBuf>,
    programs: Vec<PathBuf>,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let (mut version, mut out, mut mirror, mut programs) = (None, None, None, Vec::new());
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let (name, value) = argument
                .split_once('=')
                .map_or((argument.as_str(), None), |(name, value)| {
                    (name, Some(value))
                });
            let option = match name {
                "--version" => &mut version,
                "--out" => &mut out,
                "--mirror" => &mut mirror,
                name if name.starts_with('-') => {
                    return Err(format!("`package` has no option {name:?}. {USAGE}."));
                }
                _ => {
                    programs.push(PathBuf::from(argument));
                    continue;
                }
            };
            let value = value.or_else(|| arguments.next().map(String::as_str));
            let value = value
                .filter(|value| !value.is_empty())
                .ok_or_else(|| format!("{name} needs a value. {USAGE}."))?;
            if option.replace(value.to_owned()).is_some() {
                return Err(format!("{name} is given twice. {USAGE}."));
            }
        }
        let version = version
            .ok_or_else(|| format!("`package` needs the version of the release. {USAGE}."))?;
        let version = Version::parse(&version).map_err(|error| {
            format!("{version:?} is not a version: {error}. Write three numbers, such as 1.4.0 or 1.4.0-beta1, without a \"v\".")
        })?;
        if !version.build.is_empty() {
            return Err(format!(
                "{version} names a build, which registries do not take. Leave out \"+{}\".",
                version.build
            ));
        }
        let out = out.map_or_else(|| PathBuf::from("dist"), PathBuf::from);
        Ok(Self {
            version,
            out,
            mirror: mirror.map(PathBuf::from),
            programs,
        })
    }
}

/// The release of one provider, and the names of what belongs to it.
struct Release<'a> {
    host: &'a str,
    namespace: &'a str,
    name: &'a str,
    version: &'a Version,
}

impl<'a> Release<'a> {
    fn new(address: &'a str, version: &'a Version) -> Result<Self, String> {
        let is_plain = |part: &&str| {
            !part.is_empty() && !part.contains(['\\', ':']) && *part != "." && *part != ".."
        };
        let parts: Vec<&str> = address.split('/').filter(is_plain).collect();
        let [host, namespace, name] = parts[..] else {
            return Err(format!(
                "{address:?} is not the address of a provider. `Provider::new` needs a host, a namespace and a name, such as \
                 \"registry.terraform.io/acme/harbor\"."
            ));
        };
        Ok(Self {
            host,
            namespace,
            name,
            version,
        })
    }

    /// The name of a file of the release.
    fn file(&self, what: &str) -> String {
        format!("terraform-provider-{}_{}_{what}", self.name, self.version)
    }

    /// The name of the program in an archive.
    fn program(&self, program: &Program) -> String {
        format!(
            "terraform-provider-{}_v{}{}",
            self.name,
            self.version,
            program.suffix()
        )
    }
}

impl Release<'_> {
    /// The program that is to lie beside a provider's own, and its name there.
    fn beside(
        &self,
        beside: &Beside,
        own: &Path,
        platform: &str,
    ) -> Result<(String, Program), String> {
        let name = beside.name()?;
        let started = format!("terraform-provider-{}", self.name);
        if name
            .strip_prefix(&started)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '.']))
        {
            return Err(format!(
                "Terraform would start {name} in place of this provider. Give it another name, such as {started}-go."
            ));
        }
        let path = beside.file_for(own, platform.starts_with("windows"));
        let program = Program::read(&path)
            .map_err(|error| format!("The program beside {}: {error}", own.display()))?;
        if program.platform() == platform {
            Ok((
                path.file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                program,
            ))
        } else {
            Err(format!(
                "{} is for {}, and the program that it is to be packed with for {platform}.",
                path.display(),
                program.platform()
            ))
        }
    }
}

impl Parts {
    /// Packs a release, and says what was written; writes nothing if anything is wrong.
    pub(crate) fn package(&self, arguments: &[String]) -> Result<String, String> {
        let options = Options::read(arguments)?;
        let release = Release::new(&self.address, &options.version)?;
        let problems = self.problems();
        if !problems.is_empty() {
            return Err(format!(
                "Terraform would not use this provider:\n{problems}"
            ));
        }
        let mut summary = String::new();
        let mut files = BTreeMap::new();
        let mut archives: BTreeMap<String, Archive> = BTreeMap::new();
        for path in options.programs()? {
            let program = Program::read(&path)?;
            let platform = program.platform();
            let beside = self
                .beside
                .as_ref()
                .map(|it| release.beside(it, &path, &platform))
                .transpose()?;
            let archive = Archive::pack(
                release.file(&format!("{platform}.zip")),
                &release.program(&program),
                &program,
                beside.as_ref(),
            )
            .map_err(|error| format!("{} can't be packed: {error}", path.display()))?;
            let _ = writeln!(summary, "{platform}: {}", program.needs());
            if let Some(ballast) = program.ballast() {
                let _ = writeln!(summary, "{platform}: warning: {ballast}");
            }
            if archives.insert(platform.clone(), archive).is_some() {
                return Err(format!(
                    "two of the programs are for {platform}, the second is {}. Name one for each system.",
                    path.display()
                ));
            }
        }
        for archive in archives.values() {
            files.insert(archive.name.clone(), archive.bytes.clone());
        }
        // Protocol 6 alone: a Terraform that knows 5 only is older than 1.0, and nobody tried the
        // provider with it.
        let manifest = json!({"version": 1, "metadata": {"protocol_versions": ["6.0"]}});
        files.insert(
            release.file("manifest.json"),
            format!("{manifest:#}\n").into_bytes(),
        );
        let mut sums = String::new();
        for (name, bytes) in &files {
            let _ = writeln!(sums, "{}  {name}", sha256(bytes));
        }
        files.insert(release.file("SHA256SUMS"), sums.into_bytes());
        let mirrored = match &options.mirror {
            Some(folder) => Some((folder, Mirror::read(folder, &release)?.with(&archives)?)),
            None => None,
        };

        write(&options.out, &files)?;
        let _ = write!(
            summary,
            "Wrote version {} of {} into {}.",
            release.version,
            self.address,
            options.out.display()
        );
        if let Some((folder, mirror)) = mirrored {
            write(&mirror.folder, &mirror.files)?;
            let _ = write!(summary, "\n\n{}", mirror::instructions(folder, &release));
        }
        Ok(summary)
    }
}

impl Options {
    fn programs(&self) -> Result<Vec<PathBuf>, String> {
        if !self.programs.is_empty() {
            return Ok(self.programs.clone());
        }
        std::env::current_exe()
            .map(|it| vec![it])
            .map_err(|error| format!("this program can't find its own file: {error}. {USAGE}."))
    }
}

/// Writes files, each of which is there whole or not at all.
fn write(folder: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<(), String> {
    let failed = |what: &Path, error: &dyn std::fmt::Display| {
        format!("{} can't be written: {error}", what.display())
    };
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    for (name, bytes) in files {
        let path = folder.join(name);
        let begun = folder.join(format!("{name}.part"));
        fs::write(&begun, bytes)
            .and_then(|()| fs::rename(&begun, &path))
            .map_err(|error| failed(&path, &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
