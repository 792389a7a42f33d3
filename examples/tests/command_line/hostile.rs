//! What files, pipes and systems can do to a command that means well.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::{
    Folder, REFUSED, code, committed_state, realworld, realworld_reading, stderr, stdout, text,
};

/// Runs it with nobody reading its standard output.
fn unread(arguments: &[&str], input: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_realworld"));
    let mut child = command
        .args(arguments)
        .stdin(File::open(input).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
}

#[test]
fn a_report_that_nobody_reads_does_not_stop_the_upgrade_and_is_told() {
    for format in ["text", "json"] {
        let folder = Folder::new();
        let state = folder.file("t", committed_state());
        let output = unread(&["plan", text(&state), "--format", format], &state);
        assert_eq!(
            (code(&output), stderr(&output).as_str()),
            (0, ""),
            "{format}"
        );
        let output = unread(&["upgrade", text(&state), "--format", format], &state);
        assert_eq!(code(&output), 0, "{format}");
        let told = format!(
            "warning: the report on standard output has no reader; wrote {}, serial 1187 → 1188; the old one is {}.backup\n",
            state.display(),
            state.canonicalize().unwrap().display()
        );
        assert_eq!(stderr(&output), told);
        assert!(
            fs::read_to_string(&state)
                .unwrap()
                .contains("\"serial\": 1188"),
            "{format}"
        );
        let refused = folder.file("refused", REFUSED);
        let output = unread(&["upgrade", text(&refused), "--format", format], &state);
        assert_eq!(code(&output), 1);
        assert!(
            stderr(&output).contains("refused: nothing was written"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn state_that_nobody_reads_is_lost_and_that_is_told() {
    let folder = Folder::new();
    let state = folder.file("t", committed_state());
    let lines = folder.file(
        "lines",
        "{\"type_name\":\"x\",\"attributes\":{}}\n".repeat(10_000),
    );
    for (arguments, input) in [
        (&["upgrade", "-"][..], &state),
        (&["upgrade", "--ndjson"], &lines),
    ] {
        let output = unread(arguments, input);
        assert_eq!(code(&output), 3, "{arguments:?}");
        assert!(
            stderr(&output).contains("error: the reader of standard output closed it early; the rest of the output is lost"),
            "{}",
            stderr(&output)
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_is_told_with_what_became_of_the_file() {
    for format in ["text", "json"] {
        let folder = Folder::new();
        let state = folder.file("t", committed_state());
        let full = |command: &str| {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let arguments = [command, text(&state), "--format", format];
            Command::new(env!("CARGO_BIN_EXE_realworld"))
                .args(arguments)
                .stdout(full)
                .stderr(Stdio::piped())
                .output()
                .unwrap()
        };
        let output = full("plan");
        assert_eq!(code(&output), 3);
        let why = "error: the report cannot be written to standard output: No space left on device (os error 28); ";
        assert!(
            stderr(&output).contains(&format!("{why}nothing was to be written")),
            "{}",
            stderr(&output)
        );
        let output = full("upgrade");
        assert_eq!(code(&output), 3);
        assert!(
            stderr(&output).contains(&format!("{why}wrote {}", state.display())),
            "{}",
            stderr(&output)
        );
        assert!(
            fs::read_to_string(&state)
                .unwrap()
                .contains("\"serial\": 1188"),
            "{format}"
        );
    }
}

/// Where no thread can be had: the limit of processes is reached.
#[cfg(target_os = "linux")]
#[test]
fn work_goes_on_without_threads() {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    use std::os::unix::process::CommandExt as _;
    let folder = Folder::new();
    let binary = folder.0.path().join("realworld");
    // By another program where no link can be made, because a process that a test beside this one
    // starts inherits a file that is open for writing, and what is open for writing cannot be run.
    if fs::hard_link(env!("CARGO_BIN_EXE_realworld"), &binary).is_err() {
        let copied = Command::new("cp")
            .arg(env!("CARGO_BIN_EXE_realworld"))
            .arg(&binary)
            .status()
            .unwrap();
        assert!(copied.success());
    }
    let work = folder.0.path().join("work");
    fs::create_dir(&work).unwrap();
    // Large enough to be read by several threads.
    let resource = |index: usize| {
        format!(
            "\n    {{\n      \"mode\": \"managed\",\n      \"type\": \"docker_network\",\n      \"name\": \"n{index}\",\n      \"provider\": \"provider.p\",\n      \"instances\": [{{\"attributes\": {{\"name\": \"{}\"}}}}]\n    }}",
            "x".repeat(9_000)
        )
    };
    let state = |resources: usize| {
        let resources: Vec<String> = (0..resources).map(resource).collect();
        format!(
            "{{\n  \"version\": 4,\n  \"resources\": [{}\n  ]\n}}\n",
            resources.join(",")
        )
    };
    fs::write(work.join("large"), state(4_000)).unwrap();
    assert!(fs::metadata(work.join("large")).unwrap().len() > 33 << 20);
    fs::write(work.join("t"), state(100)).unwrap();
    fs::write(
        work.join("lines"),
        "{\"type_name\":\"docker_network\",\"attributes\":{\"name\":\"a\"}}\n".repeat(5_000),
    )
    .unwrap();
    fs::set_permissions(folder.0.path(), fs::Permissions::from_mode(0o755)).unwrap();
    for path in [
        work.clone(),
        work.join("large"),
        work.join("t"),
        work.join("lines"),
    ] {
        // The superuser has no limit, so then it is somebody else's.
        let _ = chown(path, Some(65_534), Some(65_534));
    }
    let is_root =
        fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0);
    let run = |arguments: &[&str]| {
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                "ulimit -u 1 2>/dev/null || ulimit -p 1; exec \"$0\" \"$@\"",
            ])
            .arg(&binary)
            .args(arguments);
        if is_root {
            command.uid(65_534).gid(65_534);
        }
        command.current_dir(&work).output().unwrap()
    };
    for arguments in [
        &["inspect", "large"][..],
        &["plan", "t"],
        &["upgrade", "t", "--threads", "4"],
        &["upgrade", "--ndjson", "lines", "-o", "new"],
    ] {
        let output = run(arguments);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}{}",
            stdout(&output),
            stderr(&output)
        );
    }
    assert_eq!(
        fs::read_to_string(work.join("new"))
            .unwrap()
            .matches("\"schema_version\":1")
            .count(),
        5_000
    );
}

/// A state with one network, its key and a name as given.
fn network(key: &str, name: &str) -> String {
    let state = json!({"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": name, "resources": [{
        "mode": "managed", "type": "docker_network", "name": "n", "provider": "provider.p",
        "instances": [{"index_key": key, "schema_version": 0, "attributes": {"name": name, "labels": {name: name}}}],
    }, {
        "mode": "managed", "type": format!("other_{name}"), "name": "n", "provider": "provider.p", "instances": [{}],
    }]});
    state.to_string()
}

#[test]
fn no_character_that_is_not_seen_reaches_the_terminal() {
    let odd = "a\u{202e}b\u{2066}c\u{feff}d\u{200b}e\u{9b}f\u{e0041}g\u{1b}h";
    let state = network(odd, odd);
    for command in [
        &["plan", "-"][..],
        &["plan", "-", "--format", "json"],
        &["inspect", "-"],
        &["inspect", "-", "--format", "json"],
    ] {
        let output = realworld_reading(state.as_bytes(), command);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let printed = stdout(&output);
        for one in odd.chars().filter(|one| !one.is_ascii_alphabetic()) {
            assert!(
                !printed.contains(one),
                "{command:?} shows {one:?}:\n{printed}"
            );
        }
        if command.contains(&"json") {
            // They mean the same.
            let json: Value = serde_json::from_str(&printed).unwrap();
            assert!(command[0] == "plan" || json["lineage"] == odd, "{json}");
        }
    }
    let problem = state
        .replace("\"lineage\":", "\"lineage\":[],\"LINEAGE\":")
        .replacen("\"serial\":1", "\"serial\":-1", 1);
    let said = stderr(&realworld_reading(problem.as_bytes(), &["plan", "-"]));
    assert!(
        !said.is_empty()
            && !odd
                .chars()
                .any(|one| !one.is_ascii_alphabetic() && said.contains(one)),
        "{said}"
    );
}

#[test]
fn nothing_is_quoted_without_a_limit() {
    let long = "x".repeat(1 << 20);
    let wrong = |name: &str| format!("{{\"version\":4,\"{name}\":\"{long}!\",\"resources\":[]}}");
    let resource = |member: &str| {
        format!(
            "{{\"version\":4,\"resources\":[{{\"mode\":\"managed\",\"type\":\"t\",\"name\":\"n\",\"provider\":\"provider.p\",\"instances\":[{{}}],{member}}}]}}"
        )
    };
    for state in [
        wrong("terraform_version"),
        resource(&format!("\"module\":\"{long}!\"")),
        resource(&format!("\"mode\":\"{long}\"")),
        resource(&format!("\"provider\":\"{long}!\"")),
        resource(&format!(
            "\"instances\":[{{\"status\":\"{long}\",\"deposed\":\"{long}\",\"dependencies\":[\"{long}!\"]}}]"
        )),
        resource(&format!("\"name\":\"{long}\",\"instances\":[{{}},{{}}]")),
        format!("{{\"version\":3,\"terraform_version\":\"{long}\"}}"),
    ] {
        let output = realworld_reading(state.as_bytes(), &["plan", "-"]);
        assert_eq!(code(&output), 3);
        assert!(
            stderr(&output).len() < 4_000,
            "{}…",
            stderr(&output).chars().take(300).collect::<String>()
        );
    }
    for command in ["inspect", "plan"] {
        let output = realworld_reading(network(&long, &long).as_bytes(), &[command, "-"]);
        assert_eq!(code(&output), 0);
        assert!(
            output.stdout.len() < 12_000,
            "{command}: {}",
            output.stdout.len()
        );
    }
}

#[test]
fn a_long_pattern_and_a_long_address_do_not_multiply() {
    let key = "ab".repeat(1_500_000);
    let pattern = format!("*{}c", "ab".repeat(1_500));
    let output = realworld_reading(
        network(&key, "x").as_bytes(),
        &["plan", "-", "--only", &pattern],
    );
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("matches no instance"));
    let found = realworld_reading(
        network(&key, "x").as_bytes(),
        &["plan", "-", "--only", &format!("*{}*", "ab".repeat(1_500))],
    );
    assert_eq!(code(&found), 0);
}

#[test]
fn what_differs_in_long_values_is_seen_and_all_of_it_if_wanted() {
    let (front, back) = ("x".repeat(200), "y".repeat(200));
    let state = json!({"version": 4, "serial": 1, "resources": [{
        "mode": "managed", "type": "aws_route53_record", "name": "n", "provider": "provider.p",
        "instances": [{"schema_version": 0, "attributes": {"name": format!("{front}.{back}."), "zone_id": "z", "type": "A", "fqdn": "f"}}],
    }]});
    let plan = |more: &[&str]| {
        let output = realworld_reading(
            state.to_string().as_bytes(),
            &[&["plan", "-"], more].concat(),
        );
        assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
        stdout(&output)
    };
    let short = plan(&["--diff"]);
    assert!(
        short.contains("y.\" → …")
            && short.contains("y\"\n")
            && short.contains("(--full shows values whole)"),
        "{short}"
    );
    let full = plan(&["--full"]);
    assert!(
        full.contains(&format!("\"{front}.{back}.\" → \"{front}.{back}\""))
            && !full.contains("--full"),
        "{full}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_in_place_of_files_are_not_waited_for() {
    let folder = Folder::new();
    let pipe = folder.0.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let output = realworld(&["upgrade", text(&pipe)]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("it is a pipe or a device"),
        "{}",
        stderr(&output)
    );
    let output = realworld(&["check", "--lock", text(&pipe)]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("it is not a regular file"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn folders_that_are_missing_are_called_that() {
    let folder = Folder::new();
    let state = folder.file("t", committed_state());
    let output = realworld(&[
        "upgrade",
        text(&state),
        "--output",
        text(&folder.0.path().join("no/x")),
    ]);
    assert!(
        stderr(&output).contains("No such file or directory"),
        "{}",
        stderr(&output)
    );
    let output = Command::new(env!("CARGO_BIN_EXE_realworld"))
        .args(["upgrade", "-"])
        .stdin(File::open(&state).unwrap())
        .env("TMPDIR", "/no/such/folder")
        .output()
        .unwrap();
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("no temporary file can be made in /no/such/folder"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_lock_on_the_file_that_is_written_elsewhere_is_honoured() {
    let folder = Folder::new();
    let (state, there) = (
        folder.file("t", committed_state()),
        folder.file("there", "old"),
    );
    let info = folder.file(
        ".there.lock.info",
        r#"{"ID":"1","Operation":"OperationTypeApply","Who":"ada@here","Created":"now"}"#,
    );
    let output = realworld(&["upgrade", text(&state), "--output", text(&there)]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output)
            .contains("there is locked: Terraform holds its lock (apply by ada@here since now)"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_to_string(&there).unwrap(), "old");
    fs::remove_file(info).unwrap();
    assert_eq!(
        code(&realworld(&[
            "upgrade",
            text(&state),
            "--output",
            text(&there)
        ])),
        0
    );
    assert_eq!(folder.names(), ["t", "there"]);
}
