//! Valgrind, as it is installed or as Debian packages it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A Valgrind that can be run.
pub struct Valgrind {
    program: PathBuf,
    /// Where its tools are, if it was not installed.
    library: Option<PathBuf>,
}

/// The one that is installed; otherwise Debian's package, unpacked below `target/`.
pub fn find() -> Result<Valgrind, String> {
    let installed = Valgrind {
        program: "valgrind".into(),
        library: None,
    };
    if installed.version().is_ok() {
        return Ok(installed);
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    // The program is in target/release.
    let target = program
        .ancestors()
        .nth(2)
        .ok_or("this program is in no folder")?;
    let root = target.join("tools/valgrind");
    let unpacked = Valgrind {
        program: root.join("usr/bin/valgrind"),
        library: Some(root.join("usr/libexec/valgrind")),
    };
    if unpacked.version().is_err() {
        fetch(&root).map_err(|problem| {
            format!("there is no Valgrind, and Debian's package could not be fetched ({problem}). Install it: apt-get install valgrind")
        })?;
    }
    unpacked.version().map(|_| unpacked)
}

/// Unpacks Debian's package there. `apt-get` checks that it is Debian's.
fn fetch(root: &Path) -> Result<(), String> {
    let _ = fs::remove_dir_all(root);
    fs::create_dir_all(root).map_err(|error| format!("{}: {error}", root.display()))?;
    run(Command::new("apt-get")
        .args(["download", "-q", "valgrind"])
        .current_dir(root))
    .or_else(|_| {
        run(Command::new("apt-get").args(["update", "-q"]))?;
        run(Command::new("apt-get")
            .args(["download", "-q", "valgrind"])
            .current_dir(root))
    })?;
    let packages = fs::read_dir(root).map_err(|error| error.to_string())?;
    let package = packages
        .filter_map(Result::ok)
        .find(|entry| entry.path().extension().is_some_and(|end| end == "deb"));
    let package = package.ok_or("apt-get fetched nothing")?.path();
    run(Command::new("dpkg-deb").arg("-x").arg(package).arg(root))
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}

impl Valgrind {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(library) = &self.library {
            command.env("VALGRIND_LIB", library);
        }
        command
    }

    /// What it calls itself.
    pub fn version(&self) -> Result<String, String> {
        let output = self
            .command()
            .arg("--version")
            .output()
            .map_err(|error| format!("valgrind: {error}"))?;
        if !output.status.success() {
            return Err("valgrind --version fails".to_owned());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Runs this program again and counts the instructions of each call of
    /// [`Case::counted`](upstate_benches::case::Case::counted), of which there are so many.
    pub fn count(&self, calls: usize) -> Result<Vec<f64>, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let folder = program.with_file_name(format!("counts-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let out = folder.join("out");
        let mut command = self.command();
        command.args([
            "--tool=callgrind",
            "--quiet",
            "--dump-before=*Case*counted*",
        ]);
        command
            .arg(format!("--callgrind-out-file={}", out.display()))
            .arg(program)
            .arg("--run");
        // What a linker or an allocator does otherwise because of the environment is not counted.
        command
            .env_remove("LD_PRELOAD")
            .env_remove("GLIBC_TUNABLES")
            .env_remove("MALLOC_ARENA_MAX");
        // What comes before a call is one profile, the call itself the next.
        let total_of = |call: usize| total(&folder.join(format!("out.{}", 2 * call)));
        let counted = run(&mut command).and_then(|()| (1..=calls).map(total_of).collect());
        let _ = fs::remove_dir_all(&folder);
        counted
    }
}

/// The instructions that a profile counts in all.
fn total(profile: &Path) -> Result<f64, String> {
    let text =
        fs::read_to_string(profile).map_err(|error| format!("{}: {error}", profile.display()))?;
    let line = text.lines().find_map(|line| {
        line.strip_prefix("totals:")
            .or_else(|| line.strip_prefix("summary:"))
    });
    line.and_then(|line| line.trim().parse().ok())
        .ok_or_else(|| format!("{} has no total", profile.display()))
}
