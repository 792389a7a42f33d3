//! Writing in the place of a file: backups, links, permissions, locks.

use std::fs;

#[cfg(unix)]
use upstate_state::LockedFile;
use upstate_state::atomic_file::{backup_path, write_new, write_public};
use upstate_state::replace;

#[test]
fn replacing_keeps_a_backup_permissions_and_symbolic_links() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    fs::write(&path, "old").unwrap();
    replace(&path, b"old", b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::read(backup_path(&path)).unwrap(), b"old");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        replace(&link, b"new", b"newer").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        for file in [path.clone(), backup_path(&path)] {
            assert_eq!(
                fs::metadata(&file).unwrap().permissions().mode() & 0o777,
                0o640
            );
        }
        let fresh = folder.path().join("fresh");
        write_new(&fresh, b"secret").unwrap();
        assert_eq!(
            fs::metadata(&fresh).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let (usual, public) = (folder.path().join("usual"), folder.path().join("public"));
        fs::write(&usual, "").unwrap();
        write_public(&public, b"no secret").unwrap();
        assert_eq!(
            fs::metadata(&public).unwrap().permissions(),
            fs::metadata(&usual).unwrap().permissions()
        );
    }
    // Nothing temporary stays behind.
    let names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
    assert!(replace(&folder.path().join("missing"), b"", b"x").is_err());
    // Terraform's lock is honoured.
    let lock = folder.path().join(".terraform.tfstate.lock.info");
    fs::write(&lock, "{}").unwrap();
    let held = fs::read(&path).unwrap();
    assert!(
        replace(&path, &held, b"x")
            .unwrap_err()
            .to_string()
            .contains("Terraform holds its lock")
    );
    assert_eq!(fs::read(&path).unwrap(), held);
    fs::remove_file(&lock).unwrap();
    // What is not a regular file keeps its place.
    #[cfg(unix)]
    {
        let dangling = folder.path().join("dangling");
        std::os::unix::fs::symlink(folder.path().join("nothing"), &dangling).unwrap();
        assert!(write_new(&dangling, b"x").is_err());
        assert!(fs::symlink_metadata(&dangling).unwrap().is_symlink());
        write_new(std::path::Path::new("/dev/null"), b"x").unwrap();
    }
    assert!(write_new(folder.path(), b"x").is_err());
    // What somebody else wrote meanwhile is not lost.
    let before = fs::read(&path).unwrap();
    let error = replace(&path, b"what was read", b"x").unwrap_err();
    assert!(
        error.to_string().contains("another program has changed it"),
        "{error}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// Not a test of its own: holds the lock that another process of
/// [`a_lock_of_another_process_is_honoured`] asks for.
#[cfg(unix)]
#[test]
#[ignore = "run by the test of locks, in a process of its own"]
fn hold_a_lock() {
    let Some(path) = std::env::var_os("UPSTATE_TEST_LOCK") else {
        return;
    };
    let file = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap();
    rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    println!("locked");
    // Until the other process closes the pipe.
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
}

#[cfg(unix)]
#[test]
fn a_lock_of_another_process_is_honoured() {
    use std::io::{BufRead as _, Read as _};
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    fs::write(&path, "old").unwrap();
    // As Terraform does it: a record lock on the state itself.
    let mut holder = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "state_file::in_place::hold_a_lock",
            "--ignored",
            "--nocapture",
        ])
        .env("UPSTATE_TEST_LOCK", &path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = std::io::BufReader::new(holder.stdout.take().unwrap());
    assert!(
        said.by_ref()
            .lines()
            .map_while(Result::ok)
            .any(|line| line.ends_with("locked"))
    );
    let error = replace(&path, b"old", b"new").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("Terraform holds its lock; wait until it is done."),
        "{error}"
    );
    assert_eq!(fs::read(&path).unwrap(), b"old");
    drop(holder.stdin.take());
    holder.wait().unwrap();
    replace(&path, b"old", b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[cfg(unix)]
#[test]
fn the_lock_is_held_while_a_file_is_worked_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    fs::write(&path, "old").unwrap();
    let info = folder.path().join(".terraform.tfstate.lock.info");
    let file = LockedFile::open(&path).unwrap();
    assert_eq!(file.bytes(), b"old");
    let said: serde_json::Value = serde_json::from_slice(&fs::read(&info).unwrap()).unwrap();
    for name in [
        "ID",
        "Operation",
        "Info",
        "Who",
        "Version",
        "Created",
        "Path",
    ] {
        assert!(said[name].is_string(), "{name}: {said}");
    }
    // Somebody who does not know of locks writes nevertheless.
    let replacement = file.replacement().unwrap();
    fs::write(&path, "theirs").unwrap();
    assert!(
        replacement
            .put_in_place()
            .unwrap_err()
            .to_string()
            .contains("another program has changed it")
    );
    drop(file);
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
    let names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["terraform.tfstate"]);
}

/// What the file beside a state says of this operation.
#[cfg(unix)]
fn info(operation: &str) -> String {
    format!(
        r#"{{"ID":"1","Operation":"{operation}","Info":"","Who":"ada@here","Version":"1","Created":"2026-01-02T03:04:05Z","Path":"x"}}"#
    )
}

#[cfg(unix)]
#[test]
fn what_a_killed_run_left_behind_is_cleaned_up_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (path, beside) = (at("terraform.tfstate"), at(".terraform.tfstate.lock.info"));
    let (ours, theirs) = (
        at(".terraform.tfstate.upstate-a1b2c3.tmp"),
        at(".other.tfstate.upstate-a1b2c3.tmp"),
    );
    for (file, text) in [
        (&path, "old"),
        (&ours, "half a st"),
        (&theirs, "half of another"),
    ] {
        fs::write(file, text).unwrap();
    }
    // Of Terraform nobody can tell whether it still works on it.
    fs::write(&beside, info("OperationTypeApply")).unwrap();
    let error = replace(&path, b"old", b"new").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "Terraform holds its lock (apply by ada@here since 2026-01-02T03:04:05Z), or left it behind; wait until it is done, or, if \
             no process uses it any more, remove {}",
            beside.canonicalize().unwrap().display()
        )
    );
    assert!(ours.exists() && beside.exists());
    // Of another file, while it is written.
    let written = fs::OpenOptions::new().read(true).open(&theirs).unwrap();
    written.lock().unwrap();
    // The second was killed before it said who it is.
    for (old, left) in [
        ("old", info("OperationTypeUpstateUpgrade")),
        ("new", String::new()),
    ] {
        fs::write(&beside, left).unwrap();
        replace(&path, old.as_bytes(), b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(!ours.exists() && !beside.exists());
    }
    assert_eq!(fs::read(&theirs).unwrap(), b"half of another");
    // Terraform has taken away the information of a run of ours, but not its file; and of what went
    // elsewhere there never was any.
    for target in ["terraform.tfstate", "new.tfstate"] {
        drop(fs::write(&ours, "half"));
        write_new(&at(target), b"new").unwrap();
        assert!(!ours.exists());
    }
    drop(written);
    write_new(&path, b"new").unwrap();
    assert!(!theirs.exists());
}

#[cfg(unix)]
#[test]
fn what_may_not_be_written_or_has_further_names_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a"), "old").unwrap();
    fs::hard_link(at("a"), at("b")).unwrap();
    let error = LockedFile::open(&at("a")).unwrap_err().to_string();
    assert!(error.starts_with("it has 2 names (hard links)"), "{error}");
    fs::remove_file(at("b")).unwrap();
    drop(LockedFile::open(&at("a")).unwrap());
    fs::set_permissions(at("a"), fs::Permissions::from_mode(0o400)).unwrap();
    // The superuser may write it all the same.
    if fs::OpenOptions::new().write(true).open(at("a")).is_err() {
        let error = LockedFile::open(&at("a")).unwrap_err().to_string();
        assert!(error.starts_with("it may not be written"), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn pipes_are_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let pipe = |name: &str| mknodat(CWD, at(name), FileType::Fifo, Mode::RWXU, 0).unwrap();
    pipe("pipe");
    let error = LockedFile::open(&at("pipe")).unwrap_err().to_string();
    assert!(error.starts_with("it is a pipe or a device"), "{error}");
    fs::write(at("terraform.tfstate"), "old").unwrap();
    pipe(".terraform.tfstate.lock.info");
    let error = LockedFile::open(&at("terraform.tfstate"))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("Terraform holds its lock, or left it behind"),
        "{error}"
    );
}

#[test]
fn a_name_too_long_for_its_lock_is_called_that() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x".repeat(245));
    fs::write(&path, "old").unwrap();
    let error = LockedFile::open(&path).unwrap_err();
    assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock);
    assert!(error.to_string().contains("File name too long"), "{error}");
}

#[test]
fn two_threads_of_one_program_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    fs::write(&path, "old").unwrap();
    let file = LockedFile::open(&path).unwrap();
    let error = LockedFile::open(&path).unwrap_err();
    assert!(
        error.to_string().contains("is working on it already"),
        "{error}"
    );
    let replacement = file.replacement().unwrap();
    file.unlock();
    assert!(
        replacement
            .put_in_place()
            .unwrap_err()
            .to_string()
            .contains("its lock was given back")
    );
    drop(LockedFile::open(&path).unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn what_is_locked_does_not_show_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    fs::write(&path, "hunter2").unwrap();
    let file = LockedFile::open(&path).unwrap();
    let shown = format!("{file:?} {:?}", file.replacement().unwrap());
    assert!(shown.contains("terraform.tfstate"), "{shown}");
    let bytes = format!("{:?}", b"hunter2");
    assert!(
        !shown.contains("hunter2") && !shown.contains(bytes.trim_matches(['[', ']'])),
        "{shown}"
    );
}

#[cfg(unix)]
#[test]
fn a_lock_beside_a_link_is_honoured() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (
        folder.path().join("real.tfstate"),
        folder.path().join("linked.tfstate"),
    );
    fs::write(&path, "old").unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let beside = folder.path().join(".linked.tfstate.lock.info");
    fs::write(&beside, info("OperationTypeApply")).unwrap();
    let error = replace(&link, b"old", b"new").unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with(&format!("remove {}", beside.display())),
        "{error}"
    );
    assert_eq!(fs::read(&path).unwrap(), b"old");
    fs::remove_file(&beside).unwrap();
    replace(&link, b"old", b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[cfg(unix)]
#[test]
fn another_file_in_its_place_is_noticed_even_if_it_holds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (
        folder.path().join("terraform.tfstate"),
        folder.path().join("other"),
    );
    fs::write(&path, "old").unwrap();
    let file = LockedFile::open(&path).unwrap();
    let replacement = file.replacement().unwrap();
    // Its lock is not held here.
    fs::write(&other, "old").unwrap();
    fs::rename(&other, &path).unwrap();
    assert!(
        replacement
            .put_in_place()
            .unwrap_err()
            .to_string()
            .contains("another program has changed it")
    );
    assert!(!backup_path(&path).exists());
}
