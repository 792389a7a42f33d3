//! Nobody else writes meanwhile, and whatever happens the file is whole.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Folder, code, committed_state, realworld, stderr, text};

const INFO: &str = r#"{"ID":"0","Operation":"OperationTypeApply","Info":"","Who":"ada@engine","Version":"1.9.0","Created":"2026-01-02T03:04:05Z","Path":"terraform.tfstate"}"#;

#[test]
fn a_lock_of_terraform_is_honoured() {
    let folder = Folder::new();
    let before = committed_state();
    let state = folder.file("terraform.tfstate", &before);
    let lock = folder.file(".terraform.tfstate.lock.info", INFO);
    let output = realworld(&["upgrade", text(&state)]);
    assert_eq!(code(&output), 3);
    assert_eq!(
        stderr(&output),
        format!(
            "error: {} is locked: Terraform holds its lock (apply by ada@engine since 2026-01-02T03:04:05Z), or left it behind; \
             wait until it is done, or, if no process uses it any more, remove {}\n",
            state.display(),
            lock.canonicalize().unwrap().display()
        )
    );
    assert!(fs::read(&state).unwrap() == before);
    assert_eq!(fs::read_to_string(&lock).unwrap(), INFO);
    // Reading needs no lock.
    assert_eq!(code(&realworld(&["plan", text(&state)])), 0);
    let elsewhere = folder.0.path().join("new");
    assert_eq!(
        code(&realworld(&[
            "upgrade",
            text(&state),
            "-o",
            text(&elsewhere)
        ])),
        0
    );
    fs::remove_file(&lock).unwrap();
    assert_eq!(code(&realworld(&["upgrade", text(&state)])), 0);
    assert!(!lock.exists(), "the lock was not given back");
}

/// A state large enough that an upgrade takes many times as long as a kill: a megabyte.
fn large_state() -> String {
    let state = String::from_utf8(committed_state()).unwrap();
    let (head, rest) = state.split_once("\"resources\": [").unwrap();
    let (resources, tail) = rest.rsplit_once("\n  ],").unwrap();
    let copies: Vec<String> = (0..8)
        .map(|copy| {
            // Every copy in a module of its own.
            let module = format!("      \"module\": \"module.copy[{copy}]");
            resources
                .replace("      \"module\": \"", &format!("{module}."))
                .replace(
                    "    {\n      \"mode\":",
                    &format!("    {{\n{module}\",\n      \"mode\":"),
                )
        })
        .collect();
    format!("{head}\"resources\": [{}\n  ],{tail}", copies.join(","))
}

#[cfg(unix)]
#[test]
fn killed_at_any_moment_the_file_is_the_old_or_the_new_one() {
    let folder = Folder::new();
    let before = large_state();
    let state = folder.file("terraform.tfstate", &before);
    let elsewhere = folder.0.path().join("new");
    let start = Instant::now();
    let output = realworld(&["upgrade", text(&state), "--output", text(&elsewhere)]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let whole = start.elapsed();
    let after = fs::read_to_string(&elsewhere).unwrap();
    fs::remove_file(&elsewhere).unwrap();
    let backup = folder.0.path().join("terraform.tfstate.backup");
    let (mut old, mut new, mut locked) = (0, 0, 0);
    let lock = folder.0.path().join(".terraform.tfstate.lock.info");
    let rounds = std::env::var("UPSTATE_KILLS").map_or(20, |kills| kills.parse::<u32>().unwrap());
    for round in 0..rounds {
        fs::write(&state, &before).unwrap();
        let _ = fs::remove_file(&backup);
        let mut child = Command::new(env!("CARGO_BIN_EXE_realworld"))
            .args(["upgrade", text(&state)])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Spread over the whole run, most of them where it ends and files change places.
        let share = 1.0 - f64::from(round % 10) / 10.0 * if round < 10 { 1.0 } else { 0.3 };
        std::thread::sleep(whole.mul_f64(share).min(Duration::from_secs(20)));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = fs::read_to_string(&state).unwrap();
        match () {
            () if found == before => old += 1,
            () if found == after => new += 1,
            () => panic!(
                "round {round}: the file is neither the old nor the new one, {} bytes",
                found.len()
            ),
        }
        assert!(
            !backup.exists() || fs::read_to_string(&backup).unwrap() == before,
            "round {round}: the backup is not whole"
        );
        assert!(
            found == before || backup.exists(),
            "round {round}: there is no backup of the old one"
        );
        locked += u32::from(lock.exists());
    }
    println!("{old} old, {new} new, {locked} locks left behind");
    assert!(old > 0, "the kill never came in time");
    // A run that was killed does not stand in the way, and leaves nothing behind in the end.
    fs::write(&state, &before).unwrap();
    let output = realworld(&["upgrade", text(&state)]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(fs::read_to_string(&state).unwrap() == after);
    assert_eq!(
        folder.names(),
        ["terraform.tfstate", "terraform.tfstate.backup"]
    );
}

#[cfg(unix)]
#[test]
fn symbolic_links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::new();
    let state = folder.file("real.tfstate", committed_state());
    fs::set_permissions(&state, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.0.path().join("terraform.tfstate");
    symlink(&state, &link).unwrap();
    assert_eq!(code(&realworld(&["upgrade", text(&link)])), 0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        fs::metadata(&state).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert!(
        fs::read_to_string(&state)
            .unwrap()
            .contains("\"serial\": 1188")
    );
    assert_eq!(
        folder.names(),
        ["real.tfstate", "real.tfstate.backup", "terraform.tfstate"]
    );
}
