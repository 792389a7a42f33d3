//! A program of this workspace where a test wants it.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Puts the program there, under the name that the test gives it.
pub fn put(built: &str, place: &Path) {
    // By another program where no link can be made, because a process that a test beside this one
    // starts inherits a file that is open for writing, and what is open for writing cannot be run.
    if fs::hard_link(built, place).is_err() {
        let copied = Command::new("cp").arg(built).arg(place).status().unwrap();
        assert!(copied.success(), "{built} is not copied");
    }
}
