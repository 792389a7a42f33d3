//! The program `upstate`, which knows no models.

use std::path::Path;
use std::process::Command;

#[test]
fn state_needs_a_program_with_models() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plain");
    std::fs::create_dir_all(&folder).unwrap();
    let state = folder.join("terraform.tfstate");
    std::fs::write(&state, r#"{"version":4,"serial":1,"resources":[]}"#).unwrap();
    for command in ["plan", "upgrade", "downgrade"] {
        let mut upstate = Command::new(env!("CARGO_BIN_EXE_upstate"));
        upstate.arg(command).arg(&state);
        if command == "downgrade" {
            upstate.args(["--to-release", "1.0.0"]);
        }
        let output = upstate.output().unwrap();
        let summary = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {summary}");
        assert!(
            summary.contains("this program has no models"),
            "{command}: {summary}"
        );
    }
}
