//! The notes of a release: its section of the changelog, if nothing is left that belongs there. The
//! licenses of its parts.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The notes that `.ci/release-notes` prints of version 0.1.0, or its error, in a folder with a
/// changelog and fragments.
fn notes(name: &str, changelog: &str, fragments: &[&str]) -> Result<String, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    for below in [".ci", "changelog.d"] {
        fs::create_dir_all(folder.join(below)).unwrap();
    }
    fs::write(folder.join("CHANGELOG.md"), changelog).unwrap();
    for fragment in fragments {
        fs::write(folder.join("changelog.d").join(fragment), "A change.\n").unwrap();
    }
    let script = folder.join(".ci/release-notes");
    fs::copy(super::root().join(".ci/release-notes"), &script).unwrap();
    let output = Command::new("bash")
        .arg(&script)
        .arg("0.1.0")
        .output()
        .unwrap();
    let [out, error] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    if output.status.success() {
        Ok(out)
    } else {
        Err(error)
    }
}

#[test]
fn a_release_has_notes_and_leaves_no_fragment() {
    const DATED: &str =
        "# Changelog\n\n## 0.1.0 (2027-01-01)\n\nThe first.\n\n## 0.0.9 (2026-12-01)\n\nNone.\n";
    assert_eq!(
        notes("dated", DATED, &["README.md"]).as_deref(),
        Ok("\nThe first.\n")
    );
    let undated = notes(
        "undated",
        "# Changelog\n\n## Unreleased: 0.1.0\n\nThe first.\n",
        &["README.md"],
    );
    assert_eq!(
        undated,
        Err("CHANGELOG.md has no section `## 0.1.0 (DATE)`\n".to_owned())
    );
    let left = notes("left", DATED, &["README.md", "+a.fixed.md"]).unwrap_err();
    assert!(
        left.contains("changelog.d still has fragments")
            && left.ends_with("\nchangelog.d/+a.fixed.md\n"),
        "{left}"
    );
}

/// The strings of a list in a file, in their order.
fn quoted(file: &str, from: &str, to: &str) -> Vec<String> {
    let text = fs::read_to_string(super::root().join(file)).unwrap();
    let list = text.split_once(from).unwrap().1.split_once(to).unwrap().0;
    list.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn both_lists_of_licenses_are_one() {
    let licenses = quoted("deny.toml", "\nallow = [", "]");
    assert_eq!(licenses, quoted(".ci/licenses", "ALLOWED = {", "}"));
    assert!(licenses.len() > 10, "{licenses:?}");
}
