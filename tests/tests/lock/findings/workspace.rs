//! A repository with the sources of `acme`, and the lock of its last release.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::findings::released;

/// Where the compiler saw `acme`, from the root of this repository.
pub(crate) const SOURCES: &str = "tests/src/bin/acme";

pub(crate) struct Workspace(tempfile::TempDir);

impl Workspace {
    /// With sources, as the author has it.
    pub(crate) fn new() -> Self {
        let workspace = Self::without_sources();
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin/acme");
        for entry in fs::read_dir(here).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            workspace.write(
                &format!("{SOURCES}/{name}"),
                &fs::read_to_string(&path).unwrap(),
            );
        }
        workspace
    }

    /// Only the lock.
    pub(crate) fn without_sources() -> Self {
        let workspace = Self(tempfile::tempdir().unwrap());
        fs::create_dir(workspace.path().join(".git")).unwrap();
        workspace.write("upstate.lock", &released::lock().to_string());
        workspace
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.file(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }

    /// `acme` in this folder of the repository.
    pub(crate) fn command(&self, folder: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acme"));
        command.current_dir(self.file(folder));
        for variable in [
            "CARGO_PKG_VERSION",
            "CARGO_MANIFEST_DIR",
            "ACME_UNNUMBERED",
            "GITHUB_OUTPUT",
            "NO_COLOR",
            "CLICOLOR_FORCE",
        ] {
            command.env_remove(variable);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Printed {
        Printed::of(&self.command(".").args(arguments).output().unwrap())
    }

    /// As a program that knows no version of its own.
    pub(crate) fn run_unnumbered(&self, arguments: &[&str]) -> Printed {
        Printed::of(
            &self
                .command(".")
                .env("ACME_UNNUMBERED", "1")
                .args(arguments)
                .output()
                .unwrap(),
        )
    }
}

/// What a command printed, and its exit code.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Printed {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self {
            code: output.status.code().unwrap(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// Compares with what is recorded in `tests/findings`.
pub(crate) fn recorded(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("findings")
        .join(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, found).unwrap();
    }
    let expected =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(
        found == expected,
        "{name} is another; found:\n{found}\n\nrecorded:\n{expected}"
    );
}
