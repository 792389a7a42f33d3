//! Generated crates on disk, and what compiling them costs.

use std::fs;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use crate::count;
use crate::generate::{Derive, Size, file, library, lock};

/// What cargo is asked to do.
#[derive(Debug, Clone, Copy)]
pub enum Command {
    Check,
    Build,
}

impl Command {
    pub fn name(self) -> &'static str {
        match self {
            Self::Check => "cargo check",
            Self::Build => "cargo build",
        }
    }

    fn argument(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Build => "build",
        }
    }
}

/// A generated crate.
#[derive(Debug)]
pub struct Crate {
    folder: PathBuf,
    /// What the crates depend on is compiled once for all sizes.
    target: PathBuf,
    library: String,
}

impl Crate {
    /// Writes the crate, a workspace of its own below `target/build-cost`.
    pub fn create(derive: Derive, size: Size) -> Result<Self> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("benches/ is in the workspace");
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| workspace.join("target"), PathBuf::from);
        let folder = std::path::absolute(target)?.join("build-cost");
        let target = folder.join("target").join(if derive == Derive::Serde {
            "serde"
        } else {
            "upstate"
        });
        let folder = folder.join(format!(
            "{}-{}x{}x{}",
            derive.name(),
            size.models,
            size.versions,
            size.fields
        ));
        let sources = folder.join("src");
        if sources.exists() {
            fs::remove_dir_all(&sources)?;
        }
        fs::create_dir_all(&sources)?;
        let dependencies = derive.dependencies(&workspace.join("upstate"));
        let manifest = format!(
            "[package]\nname = \"{}-models\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n[workspace]\n",
            derive.name(),
        );
        fs::write(folder.join("Cargo.toml"), manifest)?;
        // Versions as in the workspace, which are on this machine already.
        fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        if derive.is_locked() {
            fs::write(folder.join("upstate.lock"), lock(size))?;
        }
        for model in 0..size.models {
            fs::write(
                sources.join(format!("model_{model}.rs")),
                file(derive, model, size),
            )?;
        }
        Ok(Self {
            folder,
            target,
            library: library(derive, size),
        })
    }

    /// Compiles what the crate depends on.
    pub fn prepare(&self) -> Result<()> {
        self.write_library("")?;
        self.cargo(Command::Check)?;
        self.cargo(Command::Build)
    }

    /// The seconds of processor time that compiling the crate takes, the crates it depends on being
    /// there.
    pub fn compile(&self, command: Command, round: usize) -> Result<f64> {
        // Another text each time, for cargo to see.
        self.write_library(&format!(
            "// Compiled for the {}th time by {}.\n{}",
            round + 1,
            command.name(),
            self.library
        ))?;
        let before = spent_by_children()?;
        self.cargo(command)?;
        Ok(spent_by_children()? - before)
    }

    /// That of an incremental check after one field of one model got another type, in all versions.
    pub fn check_again(&self, round: usize) -> Result<f64> {
        self.write_library(&format!(
            "// Checked incrementally for the {}th time.\n{}",
            round + 1,
            self.library
        ))?;
        let file = self.folder.join("src/model_0.rs");
        let text = fs::read_to_string(&file)?;
        let check = || {
            self.run(
                Command::Check,
                self.command(Command::Check).env("CARGO_INCREMENTAL", "1"),
            )
        };
        check()?;
        fs::write(&file, text.replace(": i64,", ": u32,"))?;
        let before = spent_by_children()?;
        let checked = check();
        let spent = spent_by_children()? - before;
        fs::write(&file, text)?;
        checked.map(|()| spent)
    }

    fn write_library(&self, text: &str) -> Result<()> {
        fs::write(self.folder.join("src/lib.rs"), text)
    }

    /// The millions of instructions that the compiler takes for the crate.
    pub fn count(&self, command: Command) -> Result<f64> {
        self.write_library(&format!(
            "// Counted by {}.\n{}",
            command.name(),
            self.library
        ))?;
        let log = self.folder.join("count");
        let mut cargo = self.command(command);
        count::arrange(&mut cargo, &log)?;
        self.run(command, &mut cargo)?;
        count::read(&log)
    }

    fn cargo(&self, command: Command) -> Result<()> {
        self.run(command, &mut self.command(command))
    }

    fn command(&self, command: Command) -> std::process::Command {
        let mut cargo = std::process::Command::new(env!("CARGO"));
        cargo
            .args([command.argument(), "--quiet", "--offline"])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_INCREMENTAL", "0");
        cargo
    }

    fn run(&self, command: Command, cargo: &mut std::process::Command) -> Result<()> {
        let output = cargo.output()?;
        if output.status.success() {
            return Ok(());
        }
        let folder = self.folder.display();
        Err(Error::other(format!(
            "{} failed in {folder}:\n{}",
            command.name(),
            String::from_utf8_lossy(&output.stderr)
        )))
    }
}

/// The processor time, in seconds, of all processes that this one waited for, and of those that
/// they waited for.
fn spent_by_children() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}
