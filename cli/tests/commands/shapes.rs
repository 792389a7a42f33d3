//! Downgrades to a version that was stored in several shapes, on the command line.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use upstate::{Registry, Resource};
use upstate_compat::lock::Lock;

/// Release 0.10 stored `zone`, release 0.11 `location`, under one version.
#[derive(Resource)]
#[resource(type_name = "example_site", version = 1)]
#[upgrade_from(0 => 1, when = has("zone"), rename(zone => area))]
#[upgrade_from(0 => 1, when = has("location"), rename(location => area))]
struct Site {
    area: Option<String>,
}

const STATE: &str = r#"{"version":4,"serial":7,"lineage":"l","resources":[{"mode":"managed","type":"example_site","name":"n","provider":"provider[\"p\"]","instances":[{"schema_version":1,"attributes":{"area":"eu"}}]}]}"#;

/// The arguments of the run, one a line: this test runs itself as the program, with an exit code of
/// its own.
const ARGUMENTS: &str = "UPSTATE_TEST_ARGUMENTS";

struct Folder(PathBuf);

impl Folder {
    /// A folder with a state, and a lock of two releases that stored another shape each.
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("shapes")
            .join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("terraform.tfstate"), STATE).unwrap();
        let mut lock = Lock::default();
        for (release, attribute) in [("0.10.0", "zone"), ("0.11.0", "location")] {
            let document = format!(
                r#"{{"provider_schemas":{{"p":{{"resource_schemas":{{"example_site":{{"version":0,"block":{{"attributes":{{"{attribute}":{{"type":"string","optional":true}}}}}}}}}}}}}}}}"#
            );
            lock.import(document.as_bytes(), None, release.parse().unwrap())
                .unwrap();
        }
        fs::write(folder.join("upstate.lock"), lock.to_string()).unwrap();
        Self(folder)
    }

    /// Everything that a downgrade prints, and the debug form of its exit code.
    fn downgrade(&self, arguments: &[&str]) -> String {
        let all = [
            &[
                "program",
                "downgrade",
                "terraform.tfstate",
                "--output",
                "old.tfstate",
            ],
            arguments,
        ]
        .concat();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "shapes::the_program", "--nocapture", "--quiet"])
            .current_dir(&self.0)
            .env(ARGUMENTS, all.join("\n"))
            .output()
            .unwrap();
        assert!(output.status.success());
        format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    }

    /// The attributes of the instance after a downgrade that has to succeed.
    fn downgraded(&self, arguments: &[&str]) -> String {
        let printed = self.downgrade(arguments);
        assert!(
            printed.contains(&format!("{:?}", ExitCode::SUCCESS)),
            "{printed}"
        );
        self.old_attributes()
    }

    /// The message of a downgrade that has to be refused.
    fn refused(&self, arguments: &[&str], code: u8) -> String {
        let printed = self.downgrade(arguments);
        assert!(
            printed.contains(&format!("{:?}", ExitCode::from(code))),
            "{printed}"
        );
        assert!(!self.0.join("old.tfstate").exists(), "{printed}");
        printed
    }

    fn old_attributes(&self) -> String {
        let text = fs::read_to_string(self.0.join("old.tfstate")).unwrap();
        let (_, attributes) = text.split_once("\"attributes\":").unwrap();
        attributes.split_inclusive('}').next().unwrap().to_owned()
    }
}

#[test]
fn the_program() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else {
        return;
    };
    println!(
        "{:?}",
        upstate_cli::run(Registry::new().with::<Site>(), arguments.split('\n'))
    );
}

#[test]
fn the_lock_tells_which_shape_a_release_stored() {
    let folder = Folder::new("release");
    assert_eq!(
        folder.downgraded(&["--to-release", "0.10.0"]),
        r#"{"zone":"eu"}"#
    );
    assert_eq!(
        folder.downgraded(&["--to-release", "0.11.0"]),
        r#"{"location":"eu"}"#
    );
    // An option on the command line counts more than the lock.
    assert_eq!(
        folder.downgraded(&["--to-release", "0.11.0", "--shape", "example_site=zone"]),
        r#"{"zone":"eu"}"#
    );
}

#[test]
fn a_lock_without_the_releases_of_shapes_leaves_the_choice_to_the_operator() {
    let folder = Folder::new("old_lock");
    let lock = fs::read_to_string(folder.0.join("upstate.lock")).unwrap();
    let old: String = lock
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("@stored_by"))
        .collect();
    assert_ne!(lock, old);
    fs::write(folder.0.join("upstate.lock"), old).unwrap();
    let printed = folder.refused(&["--to-release", "0.10.0"], 1);
    assert!(
        printed.contains("Say which is meant: `--shape example_site=ATTRIBUTE`"),
        "{printed}"
    );
    assert_eq!(
        folder.downgraded(&[
            "--to-release",
            "0.10.0",
            "--shape",
            "example_site=!location"
        ]),
        r#"{"zone":"eu"}"#
    );
}

#[test]
fn a_shape_is_named_by_an_attribute_that_it_has_or_lacks() {
    let folder = Folder::new("shape");
    let to = ["--to", "example_site=0", "--shape"];
    assert_eq!(
        folder.downgraded(&[&to[..], &["example_site=zone"]].concat()),
        r#"{"zone":"eu"}"#
    );
    assert_eq!(
        folder.downgraded(&[&to[..], &["example_site=location"]].concat()),
        r#"{"location":"eu"}"#
    );
    assert_eq!(
        folder.downgraded(&[&to[..], &["example_site=!zone"]].concat()),
        r#"{"location":"eu"}"#
    );
}

#[test]
fn a_shape_that_is_not_one_is_a_mistake() {
    let folder = Folder::new("mistakes");
    let to = ["--to", "example_site=0", "--shape"];
    for (shape, expected) in [
        (
            "example_site",
            r#"--shape "example_site" is not a type and an attribute; write --shape example_thing=zone"#,
        ),
        (
            "other_site=zone",
            r#"--shape "other_site=zone" names a type that does not go back"#,
        ),
        (
            "example_site=none",
            r#"--shape "example_site=none" fits 0 of the 2 shapes that were stored under version 0 of example_site"#,
        ),
        (
            "example_site=!none",
            r#"--shape "example_site=!none" fits 2 of the 2 shapes"#,
        ),
    ] {
        let printed = folder.refused(&[&to[..], &[shape]].concat(), 2);
        assert!(printed.contains(expected), "{printed}");
    }
    let printed = folder.refused(&["--shape", "example_site=zone"], 2);
    assert!(
        printed.contains("nothing says how far back")
            || printed.contains("--shape is for state that goes back"),
        "{printed}"
    );
    let printed = folder.refused(&["--to", "example_site=0"], 1);
    assert!(
        printed.contains(
            "Version 0 stored several shapes, and more than one of them can hold this state"
        ),
        "{printed}"
    );
}
