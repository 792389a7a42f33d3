//! Instructions instead of seconds: the same on a busy machine.
//!
//! cargo calls this program in place of the compiler (`RUSTC_WORKSPACE_WRAPPER`) for the generated
//! crate alone, and it calls the compiler under valgrind. So what is counted is that one compiler,
//! with the very arguments and variables that cargo gives it.

use std::fs;
use std::io::{Error, Result};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Where the count is to be written: set for those calls that are made in place of the compiler.
const LOG: &str = "UPSTATE_BUILD_COST_LOG";

/// Whether valgrind is there to count with.
pub fn is_possible() -> bool {
    Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Makes cargo count.
pub fn arrange(cargo: &mut Command, log: &Path) -> Result<()> {
    cargo
        .env("RUSTC_WORKSPACE_WRAPPER", std::env::current_exe()?)
        .env(LOG, log);
    Ok(())
}

/// What cargo asked of the compiler, if this program was called in its place.
pub fn in_place_of_compiler() -> Option<ExitCode> {
    let log = std::env::var_os(LOG)?;
    let mut arguments = std::env::args_os().skip(1);
    let compiler = arguments.next()?;
    let arguments: Vec<_> = arguments.collect();
    let counted = arguments.iter().any(|argument| {
        argument
            .to_str()
            .is_some_and(|argument| argument.ends_with("_models"))
    });
    let status = if counted {
        under_valgrind(&log, &arguments)
    } else {
        Command::new(compiler).args(&arguments).status()
    };
    Some(match status {
        Ok(status) => ExitCode::from(
            status
                .code()
                .and_then(|code| u8::try_from(code).ok())
                .unwrap_or(1),
        ),
        Err(error) => {
            eprintln!("build_cost: the compiler did not run: {error}");
            ExitCode::FAILURE
        }
    })
}

fn under_valgrind(
    log: &std::ffi::OsStr,
    arguments: &[std::ffi::OsString],
) -> Result<std::process::ExitStatus> {
    // What `rustc` names may be the program that chooses one of several compilers.
    let root = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()?
        .stdout;
    let root = String::from_utf8(root).map_err(Error::other)?;
    let root = Path::new(root.trim_end());
    let mut log_file = std::ffi::OsString::from("--log-file=");
    log_file.push(log);
    Command::new("valgrind")
        .args([
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ])
        .arg(log_file)
        .arg(root.join("bin/rustc"))
        .args(arguments)
        .env("LD_LIBRARY_PATH", root.join("lib"))
        .status()
}

/// Millions of instructions, from what valgrind wrote.
pub fn read(log: &Path) -> Result<f64> {
    let text = fs::read_to_string(log)?;
    let line = text
        .lines()
        .find_map(|line| line.split_once("I refs:"))
        .or_else(|| text.lines().find_map(|line| line.split_once("refs:")));
    let digits: String = line
        .map(|(_, number)| number.chars().filter(char::is_ascii_digit).collect())
        .unwrap_or_default();
    let count: f64 = digits
        .parse()
        .map_err(|_| Error::other(format!("valgrind wrote no count:\n{text}")))?;
    Ok(count / 1e6)
}
