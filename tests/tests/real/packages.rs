//! Python packages as a source of programs: fetched once, pinned, kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// A folder below `target/`.
pub fn cache(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name(name)
}

/// What is at `place`, fetched if it is not there yet.
///
/// `fetch` works in an empty folder and says what in it is to be at `place`. It is renamed into
/// place last: what is there is whole.
///
/// # Panics
///
/// If it can't be fetched, with `what` was wanted and the `remedy`.
pub fn kept(
    place: &Path,
    what: &str,
    remedy: &str,
    fetch: impl FnOnce(&Path) -> Result<PathBuf, String>,
) -> PathBuf {
    static FETCHING: Mutex<()> = Mutex::new(());
    // A test that failed to fetch leaves the others free to try.
    let _one = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
    if !place.exists()
        && let Err(problem) = fetched(place, fetch)
    {
        panic!("{what} could not be fetched: {problem}\n\n{remedy}");
    }
    place.to_owned()
}

fn fetched(
    place: &Path,
    fetch: impl FnOnce(&Path) -> Result<PathBuf, String>,
) -> Result<(), String> {
    let folder = place.parent().ok_or("it has no folder to be kept in")?;
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let scratch = tempfile::tempdir_in(folder).map_err(|error| error.to_string())?;
    let made = fetch(scratch.path())?;
    match fs::rename(&made, place) {
        // Another process was faster.
        Err(_) if place.exists() => Ok(()),
        renamed => renamed.map_err(|error| {
            format!(
                "{} could not become {}: {error}",
                made.display(),
                place.display()
            )
        }),
    }
}

/// Unpacks one package whose programs are wanted and whose Python is not, so that it may be one for
/// another Python.
pub fn unpacked(
    name: &str,
    version: &str,
    sha256: &str,
    scratch: &Path,
) -> Result<PathBuf, String> {
    let requirements = scratch.join("requirements.txt");
    fs::write(
        &requirements,
        format!("{name}=={version} --hash=sha256:{sha256}\n"),
    )
    .map_err(|error| error.to_string())?;
    let wheels = scratch.join("wheels");
    let mut pip = pip("download");
    pip.args(["--python-version", "3.11", "--requirement"])
        .arg(&requirements)
        .arg("--dest")
        .arg(&wheels);
    run(&mut pip)?;
    let wheel = fs::read_dir(&wheels)
        .map_err(|error| error.to_string())?
        .next();
    let wheel = wheel
        .ok_or("pip fetched nothing")?
        .map_err(|error| error.to_string())?
        .path();
    let files = scratch.join("files");
    run(python()
        .args(["-m", "zipfile", "-e"])
        .arg(&wheel)
        .arg(&files))?;
    Ok(files)
}

/// Installs what a list of pinned packages names into a folder of its own.
pub fn installed(requirements: &str, scratch: &Path) -> Result<PathBuf, String> {
    let list = scratch.join("requirements.txt");
    fs::write(&list, requirements).map_err(|error| error.to_string())?;
    let files = scratch.join("files");
    run(pip("install")
        .arg("--requirement")
        .arg(&list)
        .arg("--target")
        .arg(&files))?;
    Ok(files)
}

/// Python, as it was installed: without packages of the user, without what its environment may add.
pub fn python() -> Command {
    let mut python = Command::new("python3");
    python.arg("-I");
    python
}

fn pip(what: &str) -> Command {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", what, "--quiet", "--disable-pip-version-check"]);
    pip.args(["--no-deps", "--only-binary=:all:", "--require-hashes"]);
    pip
}

pub fn run(command: &mut Command) -> Result<String, String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?} could not be run: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!(
        "{command:?} failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}
