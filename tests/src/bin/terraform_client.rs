//! A `terraform` command out of the shared library that a Python package of Terraform has in it.
//!
//! The library holds a Go runtime, which owns signals and reads the environment of the process it
//! is loaded into: one command, one process.

#![expect(
    unsafe_code,
    reason = "a C function of a library that is loaded at run time"
)]

use std::env;
use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, exit};

type RunCli = unsafe extern "C" fn(c_int, *const *const c_char, c_int, c_int) -> c_int;

/// Says how often the Go runtime collects garbage. By itself it does so for an eighth of the
/// processor time of a plan, of memory that is given back a moment later, when the command ends.
const COLLECTING: &str = "GOGC";

fn main() {
    if env::var_os(COLLECTING).is_none() {
        // The runtime reads what the process was started with, so that it is too late to set it
        // here.
        let error = Command::new(env::current_exe().unwrap_or_default())
            .args(env::args_os().skip(1))
            .env(COLLECTING, "400")
            .exec();
        fail(&format!(
            "the client of Terraform cannot be started again: {error}"
        ));
    }
    let mut arguments = env::args_os().skip(1);
    let library = arguments.next().unwrap_or_default();
    let arguments: Vec<CString> = arguments
        .filter_map(|argument| CString::new(argument.into_vec()).ok())
        .collect();
    let mut pointers: Vec<*const c_char> =
        arguments.iter().map(|argument| argument.as_ptr()).collect();
    let count = c_int::try_from(pointers.len()).unwrap_or(c_int::MAX);
    pointers.push(std::ptr::null());
    // SAFETY: the library is Terraform's, and `RunCli` has this signature there. The arguments
    // outlive the call, which is the only one.
    let result = unsafe {
        libloading::Library::new(&library).and_then(|library| {
            let run = *library.get::<RunCli>(b"RunCli")?;
            // A Go runtime can't be unloaded.
            std::mem::forget(library);
            Ok(run(count, pointers.as_ptr(), 1, 2))
        })
    };
    match result {
        Ok(code) => exit(code),
        Err(error) => fail(&format!(
            "{} is no library of Terraform: {error}",
            library.display()
        )),
    }
}

#[expect(clippy::print_stderr, reason = "the test shows it")]
fn fail(why: &str) -> ! {
    eprintln!("{why}");
    exit(127)
}
