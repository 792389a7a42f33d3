//! `next`, run on packages whose models changed after a release: what it writes into the source, and that the result compiles.

#[path = "real/mod.rs"]
mod real;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use real::packages::cache;
use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::{Object, Registry, Resource, ResourceDefinition};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

/// What release 1.0.0 stored.
#[derive(Resource)]
#[resource(type_name = "next_server")]
struct Server {
    #[attribute(computed)]
    id: String,
    title: String,
    legacy: Option<bool>,
    size: i64,
    #[block]
    rule: Vec<Rule>,
}

#[derive(Object)]
struct Rule {
    port: u16,
}

/// A type that does not change.
#[derive(Resource)]
#[resource(type_name = "next_note", version = 3, oldest = 3)]
struct Note {
    text: String,
}

/// A package on disk with the lock of release 1.0.0.
struct Package(tempfile::TempDir);

impl Package {
    fn new(name: &str, registry: Registry) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let runtime = workspace.join("runtime");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nupstate = {{ path = {runtime:?} }}\n\n[workspace]\n"
        );
        fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        fs::copy(workspace.join("Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
        let mut lock = Lock::default();
        lock.freeze(&Snapshot::of(&registry), "1.0.0".parse().unwrap()).unwrap();
        fs::write(folder.path().join("upstate.lock"), lock.to_string()).unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn change(&self, name: &str, before: &str, after: &str) {
        let text = self.read(name);
        assert!(text.contains(before), "{before:?} is not in {text}");
        self.write(name, &text.replace(before, after));
    }

    /// Exit code, standard output and standard error of `next` with arguments.
    fn next(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_acme"))
            .arg("next")
            .args(arguments)
            .current_dir(self.0.path())
            .env("CARGO_TARGET_DIR", cache("import"))
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// What the compiler prints.
    fn check(&self) -> String {
        let output = Command::new(env!("CARGO"))
            .args(["check", "--quiet"])
            .current_dir(self.0.path())
            .env("CARGO_TARGET_DIR", cache("import"))
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap()
    }
}

const SERVER: &str = r#"//! Servers. Oddly   formatted, on purpose.

use upstate::{Object, Resource};

mod inner {
    use super::*;

	/// A server.
	#[derive( Debug, Resource )]
	#[resource(type_name = "next_server")] // no version yet
	pub struct Server   {
		#[attribute(computed)]
		pub id: String,
		pub name :String, // was `title`
		pub size: Option< i64 >,
		#[block]
		pub rule: Vec<Rule>,
		pub zone: u8,
	}
}

#[derive(Debug, Object)]
pub struct Rule { pub port: String }

pub use inner::Server;
"#;

#[test]
fn the_next_version_of_a_changed_model_is_written_into_its_source() {
    let package = Package::new("next_version", Registry::new().with::<Server>().with::<Note>());
    package.write("src/server.rs", SERVER);
    let note = "#[derive(upstate::Resource)]\n#[resource(type_name = \"next_note\", version = 3, oldest = 3)]\npub struct Note { pub text: String }\n";
    // Code that is still to follow the change does not keep the compiler from comparing.
    let uses = "pub fn name(server: &Server) -> &str { &server.title }\n";
    let library = format!("mod server;\n\npub use server::Server;\n\n{uses}{note}");
    package.write("src/lib.rs", &library);

    let (code, diff, said) = package.next(&["next_server", "--dry-run"]);
    assert_eq!((code, said.as_str()), (0, ""), "{diff}");
    assert_eq!(package.read("src/server.rs"), SERVER);
    let upgraded = SERVER.replace(
        "\")] // no version yet",
        "\", version = 1)] // no version yet
\t#[upgrade_from(0 => 1,
\t    rename(title => name),
\t    convert(rule.port: u16),
\t    carry(size: i64),
\t    set(zone = todo!()),
\t    drop(legacy: Option<bool>, \"…\"),
\t)]",
    );
    for line in
        ["--- src/server.rs", "-\t#[resource(type_name = \"next_server\")] // no version yet", "+\t    rename(title => name),"]
    {
        assert!(diff.lines().any(|shown| shown == line), "{diff}");
    }

    let (code, json, said) = package.next(&["next_server", "--dry-run", "--format", "json"]);
    assert_eq!((code, said.as_str()), (0, ""), "{json}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "format_version": "1.0",
            "command": "next",
            "written": false,
            "proposals": [{
                "type": "next_server",
                "file": "src/server.rs",
                "line": 11,
                "from": 0,
                "version": 1,
                "operators": [
                    {"operator": "rename(title => name)", "remains": "a guess: is it the same value?"},
                    {"operator": "convert(rule.port: u16)"},
                    {"operator": "carry(size: i64)"},
                    {"operator": "set(zone = …)", "remains": "write the value"},
                    {"operator": "drop(legacy: Option<bool>, \"…\")", "remains": "write the reason"},
                ],
                "left_out": 0,
            }],
            "diffs": [{"file": "src/server.rs", "diff": diff}],
            "errors": 1,
        })
    );
    assert_eq!(package.read("src/server.rs"), SERVER);

    let (code, said, problems) = package.next(&["next_server"]);
    assert_eq!((code, problems.as_str()), (0, ""), "{said}");
    assert_eq!(
        said,
        "src/server.rs: next_server has version 1 now, and an upgrader from 0
    rename(title => name)    <- a guess: is it the same value?
    convert(rule.port: u16)
    carry(size: i64)
    set(zone = …)    <- write the value
    drop(legacy: Option<bool>, \"…\")    <- write the reason
next: complete the upgrader; `cargo check` has 3 errors
"
    );
    assert_eq!(package.read("src/server.rs"), upgraded);
    // What only its author knows is missing, and the compiler says so.
    assert!(package.check().contains("evaluation panicked: the reason is missing"), "{}", package.check());
    package.change("src/server.rs", "\"…\"", "\"the API no longer has it\"");
    assert!(package.check().contains("set(zone = todo!())"), "{}", package.check());
    package.change("src/server.rs", "todo!()", "1");
    package.change("src/lib.rs", "server.title", "server.name");
    assert_eq!(package.check(), "");

    let (code, said, _) = package.next(&["next_server"]);
    assert_eq!((code, said.as_str()), (0, "next_server: the stored shape needs no new version\n"));

    // Another change before the release of version 1: its upgrader gains operators, in its own form.
    package.change("src/server.rs", "pub zone: u8,", "pub zone: u8,\n\t\tpub region: Option<String>,");
    let (code, _, problems) = package.next(&["next_server"]);
    assert_eq!((code, problems.as_str()), (0, ""));
    assert!(
        package.read("src/server.rs").contains("has it\"),\n\t    set(region = null),\n\t)]"),
        "{}",
        package.read("src/server.rs")
    );
    assert_eq!(package.check(), "");

    let (code, json, _) = package.next(&["next_server", "--format", "json"]);
    let nothing = r#"{"format_version":"1.0","command":"next","written":false,"proposals":[],"diffs":[],"errors":0}"#;
    assert_eq!((code, json.trim_end()), (0, nothing));

    // A type that did not change, and others that are not in the lock.
    assert_eq!(package.next(&["next_note"]).1, "next_note: the stored shape needs no new version\n");
    let (code, _, problems) = package.next(&["next_notes"]);
    assert_eq!(code, 1);
    assert_eq!(
        problems,
        "error: upstate.lock has no type \"next_notes\"; did you mean \"next_note\"?\nA type that no release has stored needs no next version\n"
    );
    // A mistake that keeps the compiler from comparing.
    let library = library.replace("server.title", "server.name");
    package.write("src/lib.rs", &library.replace("mod server;", "mod server;\nmod missing;"));
    let (code, _, problems) = package.next(&["next_note"]);
    assert_eq!(code, 1, "{problems}");
    assert!(
        problems.starts_with("error: the compiler has 1 error, and none about the stored shape of next_note; mend them first."),
        "{problems}"
    );
    fs::remove_file(package.path("upstate.lock")).unwrap();
    package.write("src/lib.rs", &library);
    let (code, _, problems) = package.next(&["next_note"]);
    assert_eq!((code, problems.starts_with("error: there is no upstate.lock")), (1, true), "{problems}");
    let (code, _, problems) = package.next(&["next_note", "--", "--manifest-path", "elsewhere/Cargo.toml"]);
    assert_eq!((code, problems.starts_with("error: `cargo check` failed:\nerror: manifest path")), (3, true), "{problems}");
}

/// An error of the compiler has room for some operators only.
#[test]
fn a_large_change_is_written_whole() {
    let fields = (0..30).map(|number| Attribute::new(format!("former_attribute_{number}"), Type::String, Presence::Required));
    let wide = ResourceDefinition::builder("next_wide", Schema::new(4, Block::new(fields))).build().unwrap();
    let mut registry = Registry::new();
    registry.insert(wide);
    let package = Package::new("next_wide", registry);
    let fields: String = (0..30).map(|number| format!("    pub later_attribute_{number}: Option<bool>,\n")).collect();
    let text = format!(
        "#[derive(upstate::Resource)]\n#[resource(type_name = \"next_wide\", version = 4, oldest = 4)]\npub struct Wide {{\n    pub added: bool,\n{fields}}}\n"
    );
    package.write("src/lib.rs", &text);
    let (code, said, problems) = package.next(&["next_wide", "--dry-run"]);
    assert_eq!((code, problems.as_str()), (0, ""), "{said}");
    assert!(said.ends_with(" more operators that the compiler has no room for in one error\n"), "{said}");
    let (code, said, problems) = package.next(&["next_wide"]);
    assert_eq!((code, problems.as_str()), (0, ""), "{said}");
    let written = package.read("src/lib.rs");
    assert!(
        written.contains("version = 5, oldest = 4)]\n#[upgrade_from(4 => 5,\n    set(added = todo!()),\n    set("),
        "{written}"
    );
    for number in 0..30 {
        let dropped = format!("    drop(former_attribute_{number}: Option<String>, \"…\"),\n");
        let set = format!("    set(later_attribute_{number} = null),\n");
        assert_eq!([&dropped, &set].map(|operator| written.matches(operator.as_str()).count()), [1, 1], "{written}");
    }
    package.change("src/lib.rs", "todo!()", "false");
    package.change("src/lib.rs", "\"…\"", "\"the API no longer has it\"");
    assert_eq!(package.check(), "");
}
