//! `pytfe` 1.5.0, HashiCorp's client for Python.

use std::path::PathBuf;
use std::process::Command;

use super::packages::{cache, installed, kept, python, run};

const PACKAGES: &str = include_str!("pytfe.txt");

/// A Python that has `pytfe`, to be given a script and its arguments.
pub fn command() -> Command {
    let mut command = python();
    // Isolated, Python reads no PYTHONPATH.
    let found = "import runpy, sys; sys.path.insert(0, sys.argv[1]); sys.argv = sys.argv[2:]; runpy.run_path(sys.argv[0], run_name='__main__')";
    command
        .args(["-c", found])
        .arg(packages())
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

fn packages() -> PathBuf {
    // One of the packages holds compiled code for one release of Python.
    let release = run(python().args(["-c", "import sys; print(sys.implementation.cache_tag)"]))
        .unwrap_or_else(|problem| {
            panic!("These tests run a client that is written in Python, 3.11 or later: {problem}")
        });
    let place = cache("pytfe").join("1.5.0").join(release.trim());
    let remedy = format!(
        "These tests need `pytfe`. Either let `python3 -m pip` reach its package index, or install what tests/tests/real/pytfe.txt names: \
         python3 -m pip install --no-deps --require-hashes -r tests/tests/real/pytfe.txt --target {}.",
        place.display()
    );
    kept(&place, "pytfe 1.5.0", &remedy, |scratch| {
        installed(PACKAGES, scratch)
    })
}
