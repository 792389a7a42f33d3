//! What is wrong is said where it is, with what to do, and changes nothing.

use std::fs;

use super::{
    Folder, REFUSED, code, committed_state, realworld, realworld_reading, stderr, stdout, text,
};

#[test]
fn unreadable_input_is_told_with_its_position_and_left_alone() {
    let folder = Folder::new();
    let whole = committed_state();
    let deep = "[".repeat(1_000_000);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", Vec::new(), "the file is empty"),
        (
            "text",
            b"hello".to_vec(),
            "error: the file cannot be read: not valid JSON: expected a value",
        ),
        ("cut", whole[..whole.len() / 2].to_vec(), "not valid JSON"),
        (
            "version3",
            br#"{"version": 3, "modules": []}"#.to_vec(),
            "error: this state file has format version 3",
        ),
        (
            "version5",
            br#"{"version": 5}"#.to_vec(),
            "error: this state file has format version 5",
        ),
        (
            "untyped",
            br#"{"version": 4, "resources": [{"mode": "managed", "name": "x"}]}"#.to_vec(),
            ":1:30\n",
        ),
        (
            "array",
            REFUSED
                .replace("\"attributes\": {", "\"attributes\": [], \"x\": {")
                .into_bytes(),
            ":14:25\n",
        ),
        (
            "deep",
            format!("{{\"x\": {deep}").into_bytes(),
            "more than 256 values inside one another",
        ),
        (
            "latin1",
            b"{\"version\": 4, \"lineage\": \"\xe9\"}".to_vec(),
            ":1:28\n",
        ),
    ];
    for (name, content, message) in cases {
        let state = folder.file(name, &content);
        for command in ["plan", "upgrade"] {
            let output = realworld(&[command, text(&state)]);
            assert_eq!(code(&output), 3, "{name}");
            assert!(
                stderr(&output).contains(message),
                "{name}: {}",
                stderr(&output)
            );
            assert_eq!(stdout(&output), "");
        }
        assert_eq!(fs::read(&state).unwrap(), content);
    }
    let missing = folder.0.path().join("missing");
    let output = realworld(&["upgrade", text(&missing)]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("cannot read"),
        "{}",
        stderr(&output)
    );
    let state = folder.file("good", &whole);
    let output = realworld(&[
        "upgrade",
        text(&state),
        "--output",
        text(&folder.0.path().join("no/such/folder")),
    ]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("cannot write"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn wrong_usage_exits_with_2_and_help_with_0() {
    for arguments in [
        &["upgrade"][..],
        &["frobnicate"],
        &["schema", "no_such_type"],
        &["plan", "x", "--format", "yaml"],
        &[],
    ] {
        let output = realworld(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(!stderr(&output).is_empty());
    }
    let known = stderr(&realworld(&["schema", "aws_instanec"]));
    assert!(known.contains("did you mean \"aws_instance\"?"), "{known}");
    for arguments in [&["--help"][..], &["upgrade", "--help"], &["--version"]] {
        let output = realworld(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}");
        assert!(!stdout(&output).is_empty());
    }
    let help = stdout(&realworld(&["--help"]));
    assert!(help.contains("Exit codes: 0 done"), "{help}");
    for heading in [
        "\nStored state:\n  plan  ",
        "\nReleases:\n  lock  ",
        "\nSource:\n  next  ",
        "\nThis program:\n  completions  ",
    ] {
        assert!(help.contains(heading), "{heading:?} is not in\n{help}");
    }
}

#[test]
fn problems_are_drawn_on_the_file_and_secrets_are_not() {
    let state = r#"{
  "version": 4,
  "serial": -1,
  "resources": [
    {"mode": "managed", "type": "t", "name": "n", "provider": "provider.x", "instances": [
      {"index_key": true, "attributes": {"password": "hunter2"}, "private": "hunter3"}
    ]}
  ]
}
"#;
    let output = realworld_reading(state.as_bytes(), &["plan", "-"]);
    assert_eq!(code(&output), 3);
    assert_eq!(
        stderr(&output),
        r#"error: `serial` must be a whole number of at most 64 bits, found -1
 --> standard input:3:13
  |
3 |   "serial": -1,
  |             ^^

error: `index_key` must be a number or a string, found a bool
 --> standard input:6:21
  |
6 |       {"index_key": ••••, "attributes": {"password": "•••••••"}, "privat…
  |                     ^^^^

error: `private` must be base64 with its padding, and is not
 --> standard input:6:77
  |
6 | …ttributes": {"password": "•••••••"}, "private": "•••••••"}
  |                                                  ^^^^^^^^^

"#
    );
    // Text that is broken is drawn without what it holds, too.
    for broken in [
        r#"{"version": 4, "x": {"password": "hunter2" "y": 1}}"#,
        r#"{"version": 4, "x": {"password": hunter2"}}"#,
    ] {
        let output = realworld_reading(broken.as_bytes(), &["plan", "-"]);
        assert_eq!(code(&output), 3);
        assert!(
            stderr(&output).contains("--> standard input:1:")
                && !stderr(&output).contains("hunter"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn a_line_without_end_is_drawn_by_its_punctuation() {
    let secret = "hunter2".repeat(400_000);
    let state = format!(
        "{{\"version\":4,\"lineage\":\"{secret}\",\"serial\":-1,\"x\":{{\"password\":\"{secret}\"}}}}"
    );
    let said = stderr(&realworld_reading(state.as_bytes(), &["plan", "-"]));
    assert!(
        said.contains("found -1\n --> standard input:1:2800036\n")
            && said.contains("\"serial\":-1,\"x\":{\"password\":\""),
        "{said}"
    );
    assert!(!said.contains("hunter2") && said.len() < 1_000, "{said}");
    let brackets = "[".repeat(8 << 20);
    let said = stderr(&realworld_reading(brackets.as_bytes(), &["plan", "-"]));
    assert!(
        said.contains("more than 256 values inside one another") && said.len() < 1_000,
        "{said}"
    );
}

#[test]
fn only_the_first_problems_are_drawn() {
    let resource =
        r#"{"mode": "odd", "type": "t", "name": "n", "provider": "provider.x", "instances": []}"#;
    let state = format!(
        "{{\"version\": 4, \"resources\": [{}]}}",
        vec![resource; 30].join(",\n")
    );
    let said = stderr(&realworld_reading(state.as_bytes(), &["plan", "-"]));
    assert_eq!(
        said.matches("`mode` is `managed` or `data`").count(),
        20,
        "{said}"
    );
    assert!(
        said.ends_with("error: standard input: 10 problems more\n"),
        "{said}"
    );
}

#[test]
fn completions_and_manual_pages_name_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = realworld(&["completions", shell]);
        assert_eq!(code(&output), 0);
        assert!(
            stdout(&output).contains("realworld") && stdout(&output).contains("UPSTATE_COMPLETE"),
            "{shell}"
        );
    }
    let page = stdout(&realworld(&["man"]));
    assert!(
        page.contains(".TH realworld 1") && page.contains("upgrade"),
        "{page}"
    );
    assert!(
        page.contains(".SH EXAMPLES\n")
            && page.contains(".SH \"EXIT STATUS\"\n0 done, 1 ")
            && !page.contains("EXTRA"),
        "{page}"
    );
    let folder = Folder::new();
    assert_eq!(
        code(&realworld(&["man", "--output-dir", text(folder.0.path())])),
        0
    );
    assert!(
        folder.names().contains(&"realworld-upgrade.1".to_owned()),
        "{:?}",
        folder.names()
    );
    // The synopsis is the line that the help begins with, and lists no option without its value.
    let page = fs::read_to_string(folder.0.path().join("realworld-downgrade.1")).unwrap();
    assert!(
        page.contains(".SH SYNOPSIS\n.nf\nrealworld downgrade [OPTIONS] "),
        "{page}"
    );
}

/// The words that bash offers behind a line, by the script of `completions bash` and the program itself.
fn offered(folder: &Folder, words: &[&str]) -> Vec<String> {
    let bin = folder.0.path().join("bin");
    let program = bin.join("realworld");
    if !program.exists() {
        fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_realworld"), &program).unwrap();
    }
    let typed: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "eval \"$(realworld completions bash)\"\nCOMP_WORDS=(realworld {})\nCOMP_CWORD={}\nCOMP_TYPE=9\n\
         complete -p realworld | grep -o -- '-F [^ ]*' | cut -c4- > function\n\"$(cat function)\" realworld '{}' ''\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
        typed.join(" "),
        words.len(),
        words.last().unwrap(),
    );
    let path = std::env::join_paths(
        std::iter::once(bin).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .env("PATH", path)
        .current_dir(folder.0.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| line.trim().to_owned())
        .collect()
}

#[test]
fn a_shell_knows_types_rules_releases_and_the_addresses_of_the_state() {
    let folder = Folder::new();
    fs::write(folder.0.path().join("some.tfstate"), committed_state()).unwrap();
    let explained = offered(&folder, &["explain", "aws_inst"]);
    assert_eq!(explained, ["aws_instance"]);
    assert_eq!(
        offered(&folder, &["explain", "attribute-remov"]),
        ["attribute-removed"]
    );
    assert!(
        offered(&folder, &["schema", "attribute-remov"]).is_empty(),
        "a rule has no schema"
    );
    assert_eq!(
        offered(
            &folder,
            &["downgrade", "some.tfstate", "--to-release", "0."]
        ),
        ["0.1.0"]
    );
    let addresses = offered(
        &folder,
        &["plan", "some.tfstate", "--only", "aws_instance."],
    );
    assert!(
        !addresses.is_empty()
            && addresses
                .iter()
                .all(|one| one.starts_with("aws_instance.") && !one.contains('[')),
        "{addresses:?}"
    );
    // Without a state, there are the types.
    assert_eq!(
        offered(&folder, &["plan", "none.tfstate", "--only", "aws_inst"]),
        ["aws_instance"]
    );
    assert!(offered(&folder, &["upgr"]).contains(&"upgrade".to_owned()));
}
