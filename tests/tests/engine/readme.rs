//! The first program of the README prints what the README says. `upstate-house` checks that they are one program.

use std::path::Path;
use std::process::Command;

#[test]
fn the_first_program_of_the_readme_prints_what_the_readme_says() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let (_, rest) = page.split_once("```console\n$ cargo run\n").unwrap();
    let (said, _) = rest.split_once("```").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_quick_start")).output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), said);
}
