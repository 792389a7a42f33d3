//! `lint` and `fix` on a package whose models have mistakes. `UPDATE=1` writes what they print and make.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A package of its own, whose only file is the one with the mistakes.
struct Package(PathBuf);

impl Package {
    fn new(name: &str, library: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lint").join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        std::fs::create_dir_all(folder.join("src")).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let runtime = root.join("runtime").canonicalize().unwrap();
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nupstate = {{ path = \"{}\" }}\n\n[workspace]\n",
            runtime.display()
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
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("lint/target"))
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(arguments).current_dir(&self.0);
        let output = git.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn compare(file: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint").join(file);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(&path).unwrap(), "UPDATE=1 writes {}", path.display());
}

/// A message without what the compiler repeats of the source.
fn slim(message: &Value) -> Value {
    let span = |span: &Value| {
        let mut slim = serde_json::Map::new();
        let place = format!("{}:{}-{}:{}", span["line_start"], span["column_start"], span["line_end"], span["column_end"]);
        slim.insert("place".to_owned(), place.into());
        for key in ["suggested_replacement", "suggestion_applicability"] {
            if !span[key].is_null() {
                slim.insert(key.to_owned(), span[key].clone());
            }
        }
        Value::Object(slim)
    };
    let spans = |of: &Value| of["spans"].as_array().unwrap().iter().map(span).collect::<Vec<_>>();
    let child =
        |child: &Value| serde_json::json!({ "level": child["level"], "message": child["message"], "spans": spans(child) });
    let children = message["children"].as_array().unwrap().iter().map(child).collect::<Vec<_>>();
    let code = message.pointer("/code/code");
    serde_json::json!({ "code": code, "message": message["message"], "spans": spans(message), "children": children })
}

#[test]
fn each_mistake_is_a_message_with_what_can_be_typed() {
    let package = Package::new("mistakes", include_str!("lint/before.rs"));
    let (code, out, _) = package.run(&["lint", "--format", "json", "--", "--tests", "--offline"]);
    assert_eq!(code, 1);
    let values: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let messages = values.iter().filter(|value| value["reason"] == "compiler-message").map(|value| &value["message"]);
    let ours: Vec<Value> =
        messages.clone().filter(|message| message.pointer("/code/code") != Some(&"E0308".into())).map(slim).collect();
    // Other errors are as they were, with the compiler's code.
    assert!(messages.clone().any(|message| message.pointer("/code/code") == Some(&"E0308".into())), "{out}");
    for message in messages {
        let text = message["message"].as_str().unwrap();
        assert!(!text.contains("evaluation panicked") && !text.contains("help:"), "{text}");
    }
    compare("messages.json", &format!("{}\n", serde_json::to_string_pretty(&ours).unwrap()));

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
    assert!(err.contains("these files have changes that are not committed") && err.contains("src/lib.rs"), "{err}");
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
    let (code, out, _) = package.run(&["fix", "--allow-dirty", "--format", "json", "--", "--offline"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["written"], &report["fixes"]), (1, &false.into(), &serde_json::json!([])), "{out}");
}
