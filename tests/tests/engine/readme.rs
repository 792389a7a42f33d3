//! The programs of the README print what the README says. `upstate-house` checks that they are the
//! ones there.

use std::path::Path;
use std::process::Command;

#[test]
fn the_programs_of_the_readme_print_what_the_readme_says() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md"))
        .unwrap();
    let printed: Vec<&str> = page
        .split("```console\n$ cargo run\n")
        .skip(1)
        .map(|rest| rest.split_once("```").unwrap().0)
        .collect();
    let programs = [
        env!("CARGO_BIN_EXE_quick_start"),
        env!("CARGO_BIN_EXE_quick_start_document"),
    ];
    assert_eq!(printed.len(), programs.len());
    for (program, printed) in programs.iter().zip(printed) {
        let output = Command::new(program).output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), printed);
    }
}
