//! `lint` and `fix` on a package whose models have mistakes. `UPDATE=1` writes what they print and
//! make.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A package of its own, whose only file is the one with the mistakes.
struct Package(PathBuf);

impl Package {
    fn new(name: &str, library: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("lint")
            .join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        std::fs::create_dir_all(folder.join("src")).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let upstate = root.join("upstate").canonicalize().unwrap();
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nupstate = {{ path = \"{}\" }}\n\n[workspace]\n",
            upstate.display()
        );
        std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        std::fs::write(folder.join("src/lib.rs"), library).unwrap();
        Self(folder)
    }

    fn library(&self) -> String {
        std::fs::read_to_string(self.0.join("src/lib.rs")).unwrap()
    }

    /// Exit code, standard output and standard error, as `cargo upstate` is run by cargo.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_cargo-upstate"))
            .arg("upstate")
            .args(arguments)
            .current_dir(&self.0)
            // The tests of the lock compile the same dependencies there with these settings, so
            // that they are compiled once.
            .env(
                "CARGO_TARGET_DIR",
                Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("checked"),
            )
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "0")
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(arguments)
            .current_dir(&self.0);
        let output = git.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

fn compare(file: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/lint")
        .join(file);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    assert_eq!(
        found,
        std::fs::read_to_string(&path).unwrap(),
        "UPDATE=1 writes {}",
        path.display()
    );
}

/// A message without what the compiler repeats of the source.
fn slim(message: &Value) -> Value {
    let span = |span: &Value| {
        let mut slim = serde_json::Map::new();
        let place = format!(
            "{}:{}-{}:{}",
            span["line_start"], span["column_start"], span["line_end"], span["column_end"]
        );
        slim.insert("place".to_owned(), place.into());
        for key in ["suggested_replacement", "suggestion_applicability"] {
            if !span[key].is_null() {
                slim.insert(key.to_owned(), span[key].clone());
            }
        }
        Value::Object(slim)
    };
    let spans = |of: &Value| {
        of["spans"]
            .as_array()
            .unwrap()
            .iter()
            .map(span)
            .collect::<Vec<_>>()
    };
    let child = |child: &Value| serde_json::json!({ "level": child["level"], "message": child["message"], "spans": spans(child) });
    let children = message["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(child)
        .collect::<Vec<_>>();
    let code = message.pointer("/code/code");
    serde_json::json!({ "code": code, "message": message["message"], "spans": spans(message), "children": children })
}

#[test]
fn each_mistake_is_a_message_with_what_can_be_typed() {
    let package = Package::new("mistakes", include_str!("lint/before.rs"));
    let (code, out, _) = package.run(&["lint", "--format", "json", "--", "--tests", "--offline"]);
    assert_eq!(code, 1);
    let values: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let messages = values
        .iter()
        .filter(|value| value["reason"] == "compiler-message")
        .map(|value| &value["message"]);
    let ours: Vec<Value> = messages
        .clone()
        .filter(|message| message.pointer("/code/code") != Some(&"E0308".into()))
        .map(slim)
        .collect();
    // Other errors are as they were, with the compiler's code.
    assert!(
        messages
            .clone()
            .any(|message| message.pointer("/code/code") == Some(&"E0308".into())),
        "{out}"
    );
    for message in messages {
        let text = message["message"].as_str().unwrap();
        assert!(
            !text.contains("evaluation panicked") && !text.contains("help:"),
            "{text}"
        );
    }
    compare(
        "messages.json",
        &format!("{}\n", serde_json::to_string_pretty(&ours).unwrap()),
    );

    let (code, text, _) = package.run(&["lint", "--color", "never", "--", "--offline"]);
    assert_eq!(code, 1);
    compare("messages.txt", &text);
}

#[test]
fn what_leaves_no_choice_is_mended() {
    let package = Package::new("mended", include_str!("lint/before.rs"));
    package.git(&["init", "--quiet"]);
    // Cargo leaves out of the lock what this package does not need.
    package.git(&["add", "src", "Cargo.toml"]);
    let (code, _, err) = package.run(&["fix", "--", "--offline"]);
    assert_eq!(code, 1);
    assert!(
        err.contains("these files have changes that are not committed")
            && err.contains("src/lib.rs"),
        "{err}"
    );
    assert_eq!(package.library(), include_str!("lint/before.rs"));
    // Nor from a folder of the workspace in which nothing has changed.
    let elsewhere = Package(package.0.join("docs"));
    std::fs::create_dir(&elsewhere.0).unwrap();
    let (code, _, err) = elsewhere.run(&["fix", "--", "--offline"]);
    assert_eq!(code, 1);
    assert!(
        err.contains("these files have changes that are not committed")
            && err.contains("src/lib.rs"),
        "{err}"
    );
    assert_eq!(package.library(), include_str!("lint/before.rs"));

    package.git(&["commit", "--quiet", "--message", "before"]);
    let (code, diff, err) = package.run(&["fix", "--dry-run", "--", "--offline"]);
    assert_eq!(code, 0, "{err}");
    assert!(diff.contains("+    #[resource(version = 1"), "{diff}");
    assert_eq!(package.library(), include_str!("lint/before.rs"));

    let (code, out, err) = package.run(&["fix", "--", "--offline"]);
    assert_eq!(code, 1, "errors are left: {err}");
    compare("fixed.txt", &out);
    compare("after.rs", &package.library());

    // The tree is dirty now, because the first fix is not committed; nothing more is exact.
    let (code, out, _) = package.run(&[
        "fix",
        "--allow-dirty",
        "--format",
        "json",
        "--",
        "--offline",
    ]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &report["written"], &report["fixes"]),
        (1, &false.into(), &serde_json::json!([])),
        "{out}"
    );
}

/// Runs `fix` with a cargo that says what these parts of a script say: at the first check, behind
/// the message, and at the second.
#[cfg(unix)]
fn fixed(package: &Package, first: &str, second: &str) -> (i32, String) {
    let options = ["--allow-dirty", "--allow-no-vcs"];
    fixed_with(package, &options, first, second)
}

#[cfg(unix)]
fn fixed_with(package: &Package, options: &[&str], first: &str, second: &str) -> (i32, String) {
    use std::os::unix::fs::PermissionsExt as _;
    let cargo = package.0.join("cargo.sh");
    let script = format!(
        "#!/bin/sh\nif [ $1 = locate-project ]; then echo \"$PWD/Cargo.toml\"; exit; fi\n\
         if mkdir checked 2>/dev/null; then cat first.json; {first}; else {second}; fi\nexit 101\n"
    );
    std::fs::write(&cargo, script).unwrap();
    std::fs::set_permissions(&cargo, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-upstate"));
    command
        .args(["upstate", "fix"])
        .args(options)
        .current_dir(&package.0)
        .env("CARGO", cargo);
    let output = command.output().unwrap();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
    )
}

#[cfg(unix)]
const LIBRARY: &str = "#[derive(upstate::Resource)]\n#[resource(version = \"1\")]\npub struct Server {\n    pub id: String,\n}\n";

/// The line of cargo about a mistake at these words of a file.
#[cfg(unix)]
fn error(file: &str, library: &str, at: &str, text: &str) -> String {
    let start = library.find(at).unwrap();
    let number = library.get(..start).unwrap().lines().count();
    let span = serde_json::json!({
        "is_primary": true, "file_name": file, "byte_start": start, "byte_end": start + at.len(), "line_start": number,
        "text": [{ "text": library.lines().nth(number - 1).unwrap() }],
    });
    let message = serde_json::json!({ "level": "error", "message": text, "code": null, "spans": [span], "children": [] });
    serde_json::json!({ "reason": "compiler-message", "message": message }).to_string() + "\n"
}

#[cfg(unix)]
const VERSION: &str = "`version` is a bare integer, not a string\nhelp: write `version = 1`";

#[cfg(unix)]
#[test]
fn saves_of_the_author_meanwhile_stay_and_unproved_changes_do_not() {
    let mended = LIBRARY.replace("\"1\"", "1");
    let message = |library: &str, value: &str| error("src/lib.rs", library, value, VERSION);
    let package = |name: &str| {
        let package = Package::new(name, LIBRARY);
        std::fs::write(package.0.join("first.json"), message(LIBRARY, "\"1\"")).unwrap();
        std::fs::write(package.0.join("second.json"), message(&mended, "1)")).unwrap();
        package
    };

    // While the first check runs: the places of the message are elsewhere now.
    let above = package("saved-first");
    let (code, text) = fixed(
        &above,
        "sleep 1; (echo '// above'; cat src/lib.rs) > new; mv new src/lib.rs",
        "cat second.json",
    );
    assert_ne!(code, 0, "{text}");
    assert_eq!(above.library(), format!("// above\n{LIBRARY}"));

    let below = package("saved-second");
    let (code, text) = fixed(
        &below,
        ":",
        "echo '// below' >> src/lib.rs; cat second.json",
    );
    assert!(
        code == 1 && text.contains("changed meanwhile"),
        "{code} {text}"
    );
    assert_eq!(below.library(), mended.clone() + "// below\n");

    let untouched = package("untouched");
    let (code, text) = fixed(&untouched, ":", "cat second.json");
    assert!(code == 1 && text.contains("1 error left"), "{code} {text}");
    assert_eq!(untouched.library(), LIBRARY);

    let killed = package("killed");
    let (code, text) = fixed(&killed, ":", "kill $$");
    assert!(
        code == 3 && text.contains("failed without an error about the source"),
        "{code} {text}"
    );
    assert_eq!(killed.library(), LIBRARY);
}

#[cfg(unix)]
#[test]
fn files_that_are_not_the_authors_or_not_known_to_git_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let package = |name: &str, file: &str| {
        let package = Package::new(name, LIBRARY);
        std::fs::write(
            package.0.join("first.json"),
            error(file, LIBRARY, "\"1\"", VERSION),
        )
        .unwrap();
        package
    };
    // A build script's file, and one of a package that `cargo vendor` wrote.
    for (name, folder, mark) in [
        ("generated", "target/out", "target/CACHEDIR.TAG"),
        ("mounted", "target/out", "target/.rustc_info.json"),
        (
            "vendored",
            "vendor/disks/src",
            "vendor/disks/.cargo-checksum.json",
        ),
    ] {
        let file = format!("{folder}/models.rs");
        let package = package(name, &file);
        std::fs::create_dir_all(package.0.join(folder)).unwrap();
        std::fs::write(package.0.join(&file), LIBRARY).unwrap();
        std::fs::write(package.0.join(mark), "").unwrap();
        let (code, text) = fixed(&package, ":", "exit 0");
        assert!(code == 1 && text.contains("1 error left"), "{code} {text}");
        assert_eq!(
            std::fs::read_to_string(package.0.join(&file)).unwrap(),
            LIBRARY
        );
    }

    // The author's own mark, because backups are to leave the workspace out.
    let marked = package("marked", "src/lib.rs");
    std::fs::write(marked.0.join("CACHEDIR.TAG"), "").unwrap();
    let (code, text) = fixed(&marked, ":", "exit 0");
    assert!(
        code == 0 && text.contains("1 mistake mended"),
        "{code} {text}"
    );

    let read_only = package("read-only", "src/lib.rs");
    let mode = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(read_only.0.join("src/lib.rs"), mode).unwrap();
    let (code, text) = fixed(&read_only, ":", "exit 0");
    assert!(
        code == 1 && text.contains("src/lib.rs: read-only, so nothing was written"),
        "{code} {text}"
    );
    assert_eq!(read_only.library(), LIBRARY);

    let unknown = package("not-added", "src/lib.rs");
    unknown.git(&["init", "--quiet"]);
    unknown.git(&["add", "Cargo.toml"]);
    unknown.git(&["commit", "--quiet", "--message", "before"]);
    let (code, text) = fixed_with(&unknown, &[], ":", "exit 0");
    assert!(
        code == 1 && text.contains("git does not know src/lib.rs"),
        "{code} {text}"
    );
    assert_eq!(unknown.library(), LIBRARY);

    // Its name is a pattern that a file of git has.
    let pattern = package("pattern", "src/[l]ib.rs");
    std::fs::write(pattern.0.join("src/[l]ib.rs"), LIBRARY).unwrap();
    pattern.git(&["init", "--quiet"]);
    pattern.git(&["add", "src/lib.rs"]);
    pattern.git(&["commit", "--quiet", "--message", "before"]);
    let (code, text) = fixed_with(&pattern, &[], ":", "exit 0");
    assert!(
        code == 1 && text.contains("git does not know src/[l]ib.rs"),
        "{code} {text}"
    );
}

/// A mended mistake uncovers one in a file that is not to be written.
#[cfg(unix)]
#[test]
fn what_was_mended_is_said_where_a_later_file_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let package = Package::new("later-refused", LIBRARY);
    let models = package.0.join("src/models.rs");
    std::fs::write(&models, LIBRARY).unwrap();
    std::fs::set_permissions(&models, std::fs::Permissions::from_mode(0o444)).unwrap();
    for (name, file) in [
        ("first.json", "src/lib.rs"),
        ("second.json", "src/models.rs"),
    ] {
        let message = error(file, LIBRARY, "\"1\"", VERSION);
        std::fs::write(package.0.join(name), message).unwrap();
    }
    let (code, text) = fixed(&package, ":", "cat second.json");
    assert!(
        code == 1
            && text.contains("src/models.rs: read-only")
            && text.contains("1 mistake mended, 1 error left"),
        "{code} {text}"
    );
    assert_eq!(package.library(), LIBRARY.replace("\"1\"", "1"));
    assert_eq!(std::fs::read_to_string(models).unwrap(), LIBRARY);
}

/// Another struct has the same mistake, and its help leaves a choice.
#[cfg(unix)]
#[test]
fn a_mended_mistake_stays_mended_beside_another_of_its_kind() {
    let other = LIBRARY
        .replace("Server", "Other")
        .replace("\"1\"", "\"one\"");
    let library = LIBRARY.to_owned() + &other;
    let mended = library.replace("\"1\"", "1");
    let choice = "`version` is a bare integer, not a string\nhelp: count the versions from 0";
    let left = |library: &str| error("src/lib.rs", library, "\"one\"", choice);
    let package = Package::new("beside-another", &library);
    let first = error("src/lib.rs", &library, "\"1\"", VERSION) + &left(&library);
    let (code, text) = fixed_between(&package, &first, &left(&mended));
    assert!(
        code == 1 && text.contains("1 mistake mended, 1 error left"),
        "{code} {text}"
    );
    assert_eq!(package.library(), mended);
}

/// What `fix` says of a package of which the compiler first says `first`, and then `second`.
#[cfg(unix)]
fn fixed_between(package: &Package, first: &str, second: &str) -> (i32, String) {
    std::fs::write(package.0.join("first.json"), first).unwrap();
    std::fs::write(package.0.join("second.json"), second).unwrap();
    fixed(package, ":", "cat second.json")
}

/// An error of syntax stops the compiler before the derives, so that their mistakes are not in what
/// it says.
#[cfg(unix)]
#[test]
fn a_change_that_makes_another_error_is_taken_back() {
    let mended = LIBRARY.replace("\"1\"", "1");
    let foreign = |at: &str, code: &str| {
        let line = error("src/lib.rs", &mended, at, "expected `,`");
        line.replace("\"code\":null", &format!("\"code\":{code}"))
    };
    let coded = "{\"code\":\"E0425\",\"explanation\":null}";
    let first = error("src/lib.rs", LIBRARY, "\"1\"", VERSION);
    // An error with a code elsewhere may be one that the mistake had hidden.
    for (name, second, stays) in [
        ("syntax-below", foreign("pub id", "null"), false),
        ("syntax-here", foreign("1)", "null"), false),
        ("name-here", foreign("1)", coded), false),
        ("name-below", foreign("pub id", coded), true),
    ] {
        let package = Package::new(name, LIBRARY);
        let (code, text) = fixed_between(&package, &first, &second);
        let (library, shown) = if stays {
            (mended.as_str(), "1 mistake mended, 1 error left")
        } else {
            (
                LIBRARY,
                "src/lib.rs:2: `version` is a bare integer, not a string: the change was taken back, because there is another error with it: expected `,`",
            )
        };
        assert!(code == 1 && text.contains(shown), "{name}: {code} {text}");
        assert_eq!(package.library(), library, "{name}");
    }

    // The error was there before.
    let package = Package::new("syntax-before", LIBRARY);
    let before = error("src/lib.rs", LIBRARY, "pub id", "expected `,`");
    let (code, text) = fixed_between(&package, &(first + &before), &foreign("pub id", "null"));
    assert!(
        code == 1 && text.contains("1 mistake mended, 1 error left"),
        "{code} {text}"
    );
    assert_eq!(package.library(), mended);
}

#[cfg(unix)]
#[test]
fn a_change_after_which_the_file_is_not_rust_is_not_written() {
    let mended = LIBRARY.replace("\"1\"", "1");
    let option = "`#[attribute]` has no option `id` [U0010]\nhelp: did you mean `id id`?";
    let left = |library: &str| error("src/lib.rs", library, "id", option);
    let package = Package::new("not-rust", LIBRARY);
    let first = error("src/lib.rs", LIBRARY, "\"1\"", VERSION) + &left(LIBRARY);
    let (code, text) = fixed_between(&package, &first, &left(&mended));
    assert!(
        code == 1
            && text.contains(
                "src/lib.rs:4: `#[attribute]` has no option `id`: the change was left out"
            )
            && text.matches("was left out").count() == 1
            && text.contains("1 mistake mended, 1 error left"),
        "{code} {text}"
    );
    assert_eq!(package.library(), mended);
}

/// A module that two packages have by its path.
#[cfg(unix)]
#[test]
fn a_file_with_two_names_gets_the_changes_of_both() {
    let library = LIBRARY.replace("    pub id", "    #[attribute(compute)]\n    pub id");
    let package = Package::new("two-names", &library);
    let option = "`#[attribute]` has no option `compute` [U0010]\nhelp: did you mean `computed`?";
    let messages = error("src/lib.rs", &library, "\"1\"", VERSION)
        + &error("src/../src/lib.rs", &library, "compute", option);
    std::fs::write(package.0.join("first.json"), messages).unwrap();
    let (code, text) = fixed(&package, ":", "exit 0");
    assert!(
        code == 0 && text.contains("2 mistakes mended; the models compile"),
        "{code} {text}"
    );
    let mended = library.replace("\"1\"", "1");
    let mended = mended.replace("compute", "computed");
    assert_eq!(package.library(), mended);
}

/// An error's line is another struct's in a file that its author has saved since.
#[cfg(unix)]
#[test]
fn a_model_is_not_raised_in_the_place_of_another() {
    use std::os::unix::fs::PermissionsExt as _;
    let model = |name: &str| {
        let attributes =
            format!("#[derive(upstate::Resource)]\n#[resource(type_name = \"{name}\")]\n");
        attributes + "pub struct Model {\n    pub id: String,\n}\n"
    };
    let saved = format!("pub mod other {{\n{}}}\n{}", model("a_c"), model("a_b"));
    let package = Package::new("next-meanwhile", &saved);
    let text = "evaluation panicked: the stored shape of `a_b` changed, and version 0 was released [U0017]: `x` is gone\n\
                help: put it back as it was\n\
                help: or make this version 1, and add here: `#[upgrade_from(0 => 1, drop(x: i64, \"…\"))]` (`upstate next a_b` writes both)";
    let message = |line: usize| {
        let span = serde_json::json!({
            "is_primary": true, "file_name": "src/lib.rs", "line_start": line, "column_start": 1,
            "text": [{ "text": "#[resource(type_name = \"a_b\")]" }],
        });
        let message = serde_json::json!({ "level": "error", "message": text, "rendered": null, "spans": [span] });
        let manifest = package.0.join("Cargo.toml");
        serde_json::json!({ "reason": "compiler-message", "manifest_path": manifest, "message": message }).to_string()
    };
    let cargo = package.0.join("cargo.sh");
    std::fs::write(&cargo, "#!/bin/sh\ncat message.json\nexit 101\n").unwrap();
    std::fs::set_permissions(&cargo, std::fs::Permissions::from_mode(0o755)).unwrap();
    let next = |line: usize| {
        std::fs::write(package.0.join("message.json"), message(line)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-upstate"));
        command
            .args(["upstate", "next", "a_b", "--dry-run"])
            .current_dir(&package.0)
            .env("CARGO", &cargo);
        let output = command.output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, text) = next(3);
    assert!(
        code == Some(1) && text.contains("src/lib.rs was changed while the compiler read it"),
        "{code:?} {text}"
    );
    let (code, text) = next(9);
    assert!(
        code == Some(0) && text.contains("+#[resource(type_name = \"a_b\", version = 1)]\n"),
        "{code:?} {text}"
    );
    assert_eq!(package.library(), saved);
}

/// An error that its proposal does not mend comes again, with the line as it is then.
#[cfg(unix)]
#[test]
fn a_proposal_that_mends_nothing_is_written_once() {
    use std::os::unix::fs::PermissionsExt as _;
    let model = "#[derive(upstate::Resource)]\n#[resource(type_name = \"a_b\", version = 1)]\n#[upgrade_from(0 => 1, rename(a => b))]\n\
                 pub struct Model {\n    pub b: String,\n}\n";
    let package = Package::new("next-again", model);
    let text = "evaluation panicked: version 0 of `a_b` was released with another shape [U0018]: `d` is new\nhelp: add `set(d = null)`";
    let span = serde_json::json!({
        "is_primary": true, "file_name": "src/lib.rs", "line_start": 3, "column_start": 1, "text": [{ "text": "THE-LINE" }],
    });
    let message =
        serde_json::json!({ "level": "error", "message": text, "rendered": null, "spans": [span] });
    let manifest = package.0.join("Cargo.toml");
    let message = serde_json::json!({ "reason": "compiler-message", "manifest_path": manifest, "message": message });
    std::fs::write(package.0.join("message.json"), message.to_string()).unwrap();
    let cargo = package.0.join("cargo.sh");
    std::fs::write(
        &cargo,
        "#!/bin/sh\nsed \"s/THE-LINE/$(sed -n 3p src/lib.rs)/\" message.json\nexit 101\n",
    )
    .unwrap();
    std::fs::set_permissions(&cargo, std::fs::Permissions::from_mode(0o755)).unwrap();
    let next = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-upstate"));
        command
            .args(["upstate", "next", "a_b"])
            .current_dir(&package.0)
            .env("CARGO", &cargo);
        let output = command.output().unwrap();
        (output.status, String::from_utf8(output.stderr).unwrap())
    };
    let set_mode = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(package.0.join("src/lib.rs"), mode).unwrap();
    };
    set_mode(0o444);
    let (status, err) = next();
    assert!(
        status.code() == Some(1) && err.contains("src/lib.rs: read-only, so nothing was written"),
        "{err}"
    );
    assert_eq!(package.library(), model);
    set_mode(0o644);
    let (status, err) = next();
    assert_eq!(
        package.library(),
        model.replace("rename(a => b)", "rename(a => b), set(d = null)"),
        "{err}"
    );
    assert_eq!(status.code(), Some(1), "{err}");
    assert!(
        err.contains("the compiler still finds a difference between a_b and"),
        "{err}"
    );
}

/// The repository of a member inside of the workspace's own, and without one around it.
#[cfg(unix)]
#[test]
fn uncommitted_changes_of_a_member_that_is_a_repository_are_seen() {
    use std::os::unix::fs::PermissionsExt as _;
    let package = Package::new("nested-repository", "");
    package.git(&["init", "--quiet"]);
    package.git(&["add", "src", "Cargo.toml"]);
    package.git(&["commit", "--quiet", "--message", "workspace"]);
    let member = Package(package.0.join("member"));
    std::fs::create_dir_all(member.0.join("src")).unwrap();
    std::fs::write(member.0.join("src/lib.rs"), "// Not committed.\n").unwrap();
    member.git(&["init", "--quiet"]);
    member.git(&["add", "src"]);

    let cargo = package.0.join("cargo.sh");
    std::fs::write(
        &cargo,
        "#!/bin/sh\n[ $1 != locate-project ] || echo \"$PWD/../Cargo.toml\"\n",
    )
    .unwrap();
    std::fs::set_permissions(&cargo, std::fs::Permissions::from_mode(0o755)).unwrap();
    let fix = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-upstate"));
        command
            .args(["upstate", "fix"])
            .current_dir(&member.0)
            .env("CARGO", &cargo);
        // The folder of the tests is in a repository, too.
        let output = command
            .env("GIT_CEILING_DIRECTORIES", package.0.parent().unwrap())
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, text) = fix();
    assert!(
        code == Some(1)
            && text.contains("changes that are not committed")
            && text.contains("src/lib.rs"),
        "{code:?} {text}"
    );

    member.git(&["commit", "--quiet", "--message", "member"]);
    std::fs::remove_dir_all(package.0.join(".git")).unwrap();
    let (code, text) = fix();
    assert!(
        code == Some(0) && text.contains("there is nothing to mend"),
        "{code:?} {text}"
    );

    std::fs::remove_dir_all(member.0.join(".git")).unwrap();
    let (code, text) = fix();
    assert!(
        code == Some(1) && text.contains("git does not know this folder"),
        "{code:?} {text}"
    );
}
