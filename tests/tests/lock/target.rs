//! Folders that cargo compiles the packages of tests into.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};

use crate::real::packages::{cache, run};

/// A folder with all that a package needs which depends on `upstate`, for one test at a time: cargo
/// lets one build into a folder, and the others would wait for it beside an idle processor.
pub(crate) struct Target(PathBuf);

static FREE: LazyLock<Mutex<Vec<PathBuf>>> = LazyLock::new(|| Mutex::new(made()));
static GIVEN_BACK: Condvar = Condvar::new();

fn free() -> MutexGuard<'static, Vec<PathBuf>> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Target {
    /// One that no other test uses. There are few, so that a test that has one takes no second one.
    pub(crate) fn new() -> Self {
        let mut free = free();
        loop {
            if let Some(place) = free.pop() {
                return Self(place);
            }
            free = GIVEN_BACK
                .wait(free)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets a command that is cargo, or runs it, compile here.
    pub(crate) fn set<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        settings(command).env("CARGO_TARGET_DIR", &self.0)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        free().push(self.0.clone());
        GIVEN_BACK.notify_one();
    }
}

/// Those of `.cargo/config.toml`, which packages elsewhere do not find, so that what the tests of
/// `lint` compiled is taken; and nothing is kept for a next build of packages that have none.
fn settings(command: &mut Command) -> &mut Command {
    command
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0")
}

/// Compiles the dependencies once, into the folder that the tests of `lint` use, too, and copies
/// them for each processor.
fn made() -> Vec<PathBuf> {
    // Until this process ends, because another run at the same time would remove the folders in
    // which this one compiles.
    let lock = fs::File::create(cache("checked.lock")).unwrap();
    lock.lock().unwrap();
    std::mem::forget(lock);
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let package = tempfile::tempdir().unwrap();
    let upstate = workspace.join("upstate");
    let manifest = format!(
        "[package]\nname = \"dependent\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nupstate = {{ path = {upstate:?} }}\n\n[workspace]\n"
    );
    fs::write(package.path().join("Cargo.toml"), manifest).unwrap();
    fs::copy(
        workspace.join("Cargo.lock"),
        package.path().join("Cargo.lock"),
    )
    .unwrap();
    fs::create_dir(package.path().join("src")).unwrap();
    fs::write(package.path().join("src/lib.rs"), "").unwrap();
    let compiled = cache("checked");
    let mut check = Command::new(env!("CARGO"));
    check
        .args(["check", "--quiet"])
        .current_dir(package.path())
        .env("CARGO_TARGET_DIR", &compiled);
    run(settings(&mut check)).unwrap();

    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let copied = |number: usize| {
        let place = cache(&format!("checked-{number}"));
        // What an earlier run left there is of packages that are gone.
        if place.exists() {
            fs::remove_dir_all(&place).unwrap();
        }
        // With the times of the files, by which cargo sees that they are still right.
        run(Command::new("cp").arg("-a").arg(&compiled).arg(&place)).unwrap();
        place
    };
    (1..=processors.min(4)).map(copied).collect()
}
