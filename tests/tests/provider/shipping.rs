//! A release that `package` made, installed by `terraform init`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::real::ran::Ran;
use super::workspace::Workspace;

/// The provider as its author builds it, or the one that `UPSTATE_SHIPPED` names, without what a
/// debugger wants: that would take long to pack.
fn built(folder: &Path) -> PathBuf {
    let program = folder.join("terraform-provider-harbor");
    let built = shipped().unwrap_or_else(|| env!("CARGO_BIN_EXE_provider_under_test").into());
    let stripped = Command::new("strip")
        .arg("-o")
        .arg(&program)
        .arg(&built)
        .status();
    if !stripped.is_ok_and(|status| status.success()) {
        super::real::program::put(built.to_str().unwrap(), &program);
    }
    program
}

/// One that was built for a musl target.
fn shipped() -> Option<PathBuf> {
    std::env::var_os("UPSTATE_SHIPPED").map(|program| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(program)
    })
}

#[test]
fn terraform_installs_a_release_from_a_mirror_and_then_the_next() {
    let workspace = Workspace::mirrored("harbor");
    let (program, mirror) = (built(&workspace.path("")), workspace.path("mirror"));
    let package = |version: &str| {
        let mut package = Command::new(&program);
        package
            .args(["package", "--version", version, "--mirror"])
            .arg(&mirror)
            .current_dir(workspace.path(""));
        let ran = Ran::of(&mut package, &["package", version]);
        ran.succeeds();
        let needs = if shipped().is_some() {
            "runs on every Linux"
        } else {
            "needs glibc 2."
        };
        assert!(
            ran.err.contains(&format!("linux_amd64: {needs}")),
            "{}",
            ran.err
        );
        let hashes =
            fs::read_to_string(mirror.join(format!("example.com/upstate/harbor/{version}.json")))
                .unwrap();
        let hashes: Value = serde_json::from_str(&hashes).unwrap();
        hashes["archives"]["linux_amd64"]["hashes"][0]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let locked = |version: &str, h1: &str| {
        let lock = workspace.read(".terraform.lock.hcl");
        assert!(
            lock.contains(&format!("version = {version:?}")) && lock.contains(&format!("{h1:?}")),
            "{lock}"
        );
    };
    workspace.write(
        "main.tf",
        "resource \"harbor_file\" \"it\" {\n path = \"a.txt\"\n content = \"hello\"\n}\n",
    );

    let first = package("1.2.0");
    workspace
        .run(&["init", "-no-color", "-input=false"])
        .succeeds();
    locked("1.2.0", &first);
    assert_eq!(workspace.apply().changes(), (1, 0, 0));

    let second = package("1.3.0");
    assert_ne!(first, second);
    workspace
        .run(&["init", "-no-color", "-input=false", "-upgrade"])
        .succeeds();
    locked("1.3.0", &second);
    assert_eq!(workspace.apply().changes(), (0, 0, 0));

    // What was packed is what `sha256sum` checks.
    let sums = Ran::of(
        Command::new("sha256sum")
            .args([
                "--check",
                "--strict",
                "terraform-provider-harbor_1.3.0_SHA256SUMS",
            ])
            .current_dir(workspace.path("dist")),
        &["sha256sum"],
    );
    sums.succeeds();
    assert_eq!(sums.out.lines().count(), 2);
}
