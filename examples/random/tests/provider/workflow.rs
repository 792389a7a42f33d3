//! The workflow that releases the provider: its YAML, its scripts, and the systems that it builds for.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const WORKFLOW: &str = include_str!("../../.github/workflows/release.yml");

fn workflow() -> Value {
    serde_saphyr::from_str(WORKFLOW).unwrap()
}

fn steps() -> Vec<Value> {
    workflow()["jobs"]["release"]["steps"]
        .as_array()
        .unwrap()
        .clone()
}

fn script(name: &str) -> String {
    let steps = steps();
    let step = steps
        .iter()
        .find(|step| step["name"] == name)
        .unwrap_or_else(|| panic!("there is no step {name}"));
    step["run"].as_str().unwrap().to_owned()
}

/// Runs a script as the workflow does, with its own variables.
fn run(script: &str, folder: &Path, path: &str) -> Output {
    let workflow = workflow();
    let own = workflow["env"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()));
    let mut bash = Command::new("bash");
    bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
        .current_dir(folder)
        .envs(own)
        .env("GITHUB_REF_NAME", "v1.2.3");
    bash.env("PATH", path).output().unwrap()
}

/// A program that writes down its arguments.
fn stub(path: &Path, log: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(
        path,
        format!(
            "#!/bin/sh\necho \"$(basename $0) $@\" >> {}\n",
            log.display()
        ),
    )
    .unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn each_step_is_an_action_or_a_script_that_bash_reads() {
    assert_eq!(workflow()["on"]["push"]["tags"][0], "v*");
    for step in steps() {
        let Some(script) = step["run"].as_str() else {
            assert!(
                step["uses"]
                    .as_str()
                    .is_some_and(|action| action.starts_with("actions/")),
                "{step}"
            );
            continue;
        };
        let checked = Command::new("bash")
            .args(["-n", "-c", script])
            .output()
            .unwrap();
        assert!(
            checked.status.success(),
            "{step}: {}",
            String::from_utf8_lossy(&checked.stderr)
        );
    }
}

#[test]
fn the_targets_are_those_of_the_guide() {
    let workflow = workflow();
    let built: BTreeSet<&str> = workflow["env"]["TARGETS"]
        .as_str()
        .unwrap()
        .split_whitespace()
        .collect();
    let guide = include_str!("../../../../docs/src/provider-shipping.md");
    let (_, rest) = guide.split_once("`cargo zigbuild` links for ").unwrap();
    let (targets, _) = rest.split_once(';').unwrap();
    let named: BTreeSet<&str> = targets.split('`').skip(1).step_by(2).collect();
    assert_eq!(built, named);
}

/// The scripts of the steps run in the order in which the workflow has them, with programs that write down how they are called.
#[test]
fn all_targets_are_built_and_packed_into_one_release() {
    let folder = tempfile::tempdir().unwrap();
    let (log, bin) = (folder.path().join("log"), folder.path().join("bin"));
    for tool in ["cargo", "rustup", "pip"] {
        stub(&bin.join(tool), &log);
    }
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let workflow = workflow();
    let (program, targets) = (
        workflow["env"]["PROGRAM"].as_str().unwrap(),
        workflow["env"]["TARGETS"].as_str().unwrap(),
    );
    assert_eq!(program, env!("CARGO_PKG_NAME"));
    for target in targets.split_whitespace() {
        let ending = if target.contains("windows") {
            ".exe"
        } else {
            ""
        };
        stub(
            &folder
                .path()
                .join(format!("target/{target}/release/{program}{ending}")),
            &log,
        );
    }
    stub(&folder.path().join("target/release").join(program), &log);
    for step in ["tools", "build", "pack"] {
        let ran = run(&script(step), folder.path(), &path);
        assert!(
            ran.status.success(),
            "{step}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
    let log = fs::read_to_string(log).unwrap();
    for target in targets.split_whitespace() {
        assert!(
            log.contains(&format!(
                "cargo zigbuild --locked --release --target {target}\n"
            )),
            "{log}"
        );
    }
    // Without it, pip refuses to install beside the packages of Ubuntu 24.04.
    assert!(
        log.contains("pip install --break-system-packages cargo-zigbuild=="),
        "{log}"
    );
    let lines: Vec<&str> = log.lines().collect();
    let [.., check, package] = &lines[..] else {
        panic!("{log}")
    };
    assert_eq!(*check, format!("{program} docs --check"));
    let packed: BTreeSet<&str> = package
        .strip_prefix(&format!("{program} package --version 1.2.3 "))
        .unwrap()
        .split(' ')
        .collect();
    let expected: BTreeSet<String> = targets
        .split_whitespace()
        .map(|target| {
            format!(
                "target/{target}/release/{program}{}",
                if target.contains("windows") {
                    ".exe"
                } else {
                    ""
                }
            )
        })
        .collect();
    assert_eq!(packed, expected.iter().map(String::as_str).collect());
}

#[test]
fn a_tag_with_a_hyphen_is_a_pre_release() {
    let folder = tempfile::tempdir().unwrap();
    let (log, bin) = (folder.path().join("log"), folder.path().join("bin"));
    stub(&bin.join("gh"), &log);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    for (tag, stage) in [
        ("v1.0.0", "--prerelease=false"),
        ("v1.0.0-rc1", "--prerelease"),
        ("v1.0.0+linux-5", "--prerelease=false"),
        ("v1.0.0-rc1+5", "--prerelease"),
    ] {
        let script = format!("GITHUB_REF_NAME={tag}\n{}", script("publish"));
        let ran = run(&script, folder.path(), &path);
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let called = fs::read_to_string(&log).unwrap();
        let expected = format!("gh release create {tag} {stage} --verify-tag --title {tag} ");
        assert!(
            called
                .lines()
                .last()
                .is_some_and(|line| line.starts_with(&expected)),
            "{called}"
        );
    }
}

/// The signature is that of the key, and the passphrase is in no argument.
#[test]
fn the_sums_are_signed_with_the_key_of_the_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let gpg = |home: &str, arguments: &[&str]| {
        let home = folder.path().join(home);
        fs::create_dir_all(&home).unwrap();
        fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
        let mut gpg = Command::new("gpg");
        let ran = gpg
            .args([
                "--batch",
                "--pinentry-mode",
                "loopback",
                "--passphrase",
                "sesame",
            ])
            .args(arguments)
            .env("GNUPGHOME", home)
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        String::from_utf8(ran.stdout).unwrap()
    };
    gpg(
        "author",
        &[
            "--quick-generate-key",
            "author@example.com",
            "ed25519",
            "sign",
            "never",
        ],
    );
    let key = gpg("author", &["--armor", "--export-secret-keys"]);
    let sums = folder
        .path()
        .join("dist/terraform-provider-random_1.2.3_SHA256SUMS");
    fs::create_dir_all(sums.parent().unwrap()).unwrap();
    fs::write(&sums, "sums").unwrap();
    gpg("runner", &["--list-keys"]);
    let script = format!(
        "export GNUPGHOME={:?}\n{}",
        folder.path().join("runner"),
        script("sign")
    );
    let with_secrets = format!("GPG_PRIVATE_KEY='{key}'\nGPG_PASSPHRASE='sesame'\n{script}");
    let ran = run(
        &with_secrets,
        folder.path(),
        &std::env::var("PATH").unwrap(),
    );
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    gpg(
        "author",
        &[
            "--verify",
            &format!("{}.sig", sums.display()),
            sums.to_str().unwrap(),
        ],
    );
}
