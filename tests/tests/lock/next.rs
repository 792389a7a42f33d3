//! `next`, run on packages whose models changed after a release: what it writes into the source,
//! and that the result compiles.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::target::Target;
use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::{Document, Object, Registry, Resource, ResourceDefinition, StringEnum};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

/// State of release 1.0.0.
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
struct Package {
    folder: tempfile::TempDir,
    target: Target,
}

impl Package {
    fn new(name: &str, registry: Registry) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let upstate = workspace.join("upstate");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nupstate = {{ path = {upstate:?} }}\n\n[workspace]\n"
        );
        fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        fs::copy(
            workspace.join("Cargo.lock"),
            folder.path().join("Cargo.lock"),
        )
        .unwrap();
        let mut lock = Lock::default();
        lock.freeze(&Snapshot::of(&registry), "1.0.0".parse().unwrap())
            .unwrap();
        fs::write(folder.path().join("upstate.lock"), lock.to_string()).unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        Self {
            folder,
            target: Target::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
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
        let mut next = Command::new(env!("CARGO_BIN_EXE_acme"));
        let output = self
            .target
            .set(
                next.arg("next")
                    .args(arguments)
                    .current_dir(self.folder.path()),
            )
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// What the compiler prints.
    fn check(&self) -> String {
        let mut check = Command::new(env!("CARGO"));
        let output = self
            .target
            .set(
                check
                    .args(["check", "--quiet"])
                    .current_dir(self.folder.path()),
            )
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
    let package = Package::new(
        "next_version",
        Registry::new().with::<Server>().with::<Note>(),
    );
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
    for line in [
        "--- src/server.rs",
        "-\t#[resource(type_name = \"next_server\")] // no version yet",
        "+\t    rename(title => name),",
    ] {
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
                "line": 14,
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
    assert!(
        package
            .check()
            .contains("evaluation panicked: the reason is missing"),
        "{}",
        package.check()
    );
    package.change("src/server.rs", "\"…\"", "\"the API no longer has it\"");
    assert!(
        package.check().contains("set(zone = todo!())"),
        "{}",
        package.check()
    );
    package.change("src/server.rs", "todo!()", "1");
    package.change("src/lib.rs", "server.title", "server.name");
    assert_eq!(package.check(), "");

    let (code, said, _) = package.next(&["next_server"]);
    assert_eq!(
        (code, said.as_str()),
        (0, "next_server: the stored shape needs no new version\n")
    );

    // Another change before the release of version 1: its upgrader gains operators, in its own
    // form.
    package.change(
        "src/server.rs",
        "pub zone: u8,",
        "pub zone: u8,\n\t\tpub region: Option<String>,",
    );
    let (code, _, problems) = package.next(&["next_server"]);
    assert_eq!((code, problems.as_str()), (0, ""));
    assert!(
        package
            .read("src/server.rs")
            .contains("has it\"),\n\t    set(region = null),\n\t)]"),
        "{}",
        package.read("src/server.rs")
    );
    assert_eq!(package.check(), "");

    let (code, json, _) = package.next(&["next_server", "--format", "json"]);
    let nothing = r#"{"format_version":"1.0","command":"next","written":false,"proposals":[],"diffs":[],"errors":0}"#;
    assert_eq!((code, json.trim_end()), (0, nothing));

    // A type that did not change, and others that are not in the lock.
    assert_eq!(
        package.next(&["next_note"]).1,
        "next_note: the stored shape needs no new version\n"
    );
    let (code, _, problems) = package.next(&["next_notes"]);
    assert_eq!(code, 1);
    assert_eq!(
        problems,
        "error: upstate.lock has no type \"next_notes\"; did you mean \"next_note\"?\nA type that no release has stored needs no next version\n"
    );
    // A mistake that keeps the compiler from comparing.
    let library = library.replace("server.title", "server.name");
    package.write(
        "src/lib.rs",
        &library.replace("mod server;", "mod server;\nmod missing;"),
    );
    let (code, _, problems) = package.next(&["next_note"]);
    assert_eq!(code, 1, "{problems}");
    assert!(
        problems.starts_with("error: the compiler has 1 error, and none about the stored shape of next_note; mend them first."),
        "{problems}"
    );
    fs::remove_file(package.path("upstate.lock")).unwrap();
    package.write("src/lib.rs", &library);
    let (code, _, problems) = package.next(&["next_note"]);
    assert_eq!(
        (
            code,
            problems.starts_with("error: there is no upstate.lock")
        ),
        (1, true),
        "{problems}"
    );
    let (code, _, problems) =
        package.next(&["next_note", "--", "--manifest-path", "elsewhere/Cargo.toml"]);
    assert_eq!(
        (
            code,
            problems.starts_with("error: `cargo check` failed:\nerror: manifest path")
        ),
        (3, true),
        "{problems}"
    );
}

/// Settings of release 1.0.0.
#[derive(Document)]
#[document(type_name = "next.settings")]
#[allow(dead_code, reason = "only its schema is used")]
struct Settings {
    colour: String,
    legacy: bool,
}

const SETTINGS: &str = r#"use upstate::Document;

/// Settings.
#[derive(Debug, Document)]
#[document(type_name = "next.settings")] // no version yet
pub struct Settings {
    pub colour: String,
    pub zone: u8,
}
"#;

#[test]
fn the_next_version_of_a_document_is_written_above_its_struct() {
    let package = Package::new("next_document", Registry::new().with::<Settings>());
    package.write("src/lib.rs", SETTINGS);
    let (code, said, problems) = package.next(&["next.settings"]);
    assert_eq!((code, problems.as_str()), (0, ""), "{said}");
    let upgraded = SETTINGS.replace(
        "\")] // no version yet",
        "\", version = 1)] // no version yet
#[upgrade_from(0 => 1, set(zone = todo!()), drop(legacy: bool, \"…\"))]",
    );
    assert_eq!(package.read("src/lib.rs"), upgraded);
    package.change("src/lib.rs", "todo!()", "1");
    package.change("src/lib.rs", "\"…\"", "\"it is gone\"");
    assert_eq!(package.check(), "");
}

/// An error of the compiler has room for some operators only.
#[test]
fn a_large_change_is_written_whole() {
    let fields = (0..30).map(|number| {
        Attribute::new(
            format!("former_attribute_{number}"),
            Type::String,
            Presence::Required,
        )
    });
    let wide = ResourceDefinition::builder("next_wide", Schema::new(4, Block::new(fields)))
        .unsupported(0..=u64::MAX)
        .build()
        .unwrap();
    let mut registry = Registry::new();
    registry.insert(wide);
    let package = Package::new("next_wide", registry);
    let fields: String = (0..30)
        .map(|number| format!("    pub later_attribute_{number}: Option<bool>,\n"))
        .collect();
    let text = format!(
        "#[derive(upstate::Resource)]\n#[resource(type_name = \"next_wide\", version = 4, oldest = 4)]\npub struct Wide {{\n    pub added: bool,\n{fields}}}\n"
    );
    package.write("src/lib.rs", &text);
    let (code, said, problems) = package.next(&["next_wide", "--dry-run"]);
    assert_eq!((code, problems.as_str()), (0, ""), "{said}");
    assert!(
        said.ends_with(" more operators that the compiler has no room for in one error\n"),
        "{said}"
    );
    let (code, said, problems) = package.next(&["next_wide"]);
    assert_eq!((code, problems.as_str()), (0, ""), "{said}");
    let written = package.read("src/lib.rs");
    assert!(
        written.contains(
            "version = 5, oldest = 4)]\n#[upgrade_from(4 => 5,\n    set(added = todo!()),\n    set("
        ),
        "{written}"
    );
    for number in 0..30 {
        let dropped = format!("    drop(former_attribute_{number}: Option<String>, \"…\"),\n");
        let set = format!("    set(later_attribute_{number} = null),\n");
        assert_eq!(
            [&dropped, &set].map(|operator| written.matches(operator.as_str()).count()),
            [1, 1],
            "{written}"
        );
    }
    package.change("src/lib.rs", "todo!()", "false");
    package.change("src/lib.rs", "\"…\"", "\"the API no longer has it\"");
    assert_eq!(package.check(), "");
}

/// A change of a model: what was released is a struct here, what it is today is source of the
/// package.
struct Change {
    type_name: &'static str,
    register: fn(Registry) -> Registry,
    now: &'static str,
    /// What `next` proposes.
    operators: &'static [&'static str],
    /// What its author writes in place of what is marked.
    completed: &'static [(&'static str, &'static str)],
}

macro_rules! changes {
    ($($name:ident, $type_name:literal: { $($was:tt)* } => $now:literal, [$($operator:literal),*], [$($completed:expr),*];)+) => {
        $(mod $name {
            #[allow(unused_imports)]
            use super::*;
            #[derive(Resource)]
            #[resource(type_name = $type_name)]
            pub(super) struct Released { $($was)* }
        })+
        const CHANGES: &[Change] = &[$(Change {
            type_name: $type_name,
            register: Registry::with::<$name::Released>,
            now: $now,
            operators: &[$($operator),*],
            completed: &[$($completed),*],
        }),+];
    };
}

#[derive(Object)]
struct Part {
    a: i64,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Object)]
struct Keyed {
    k: String,
    a: i64,
}

#[derive(Object)]
struct Secret {
    #[attribute(sensitive)]
    k: String,
    a: i64,
}

#[derive(Object)]
struct Numbered {
    nr: u16,
    a: i64,
}

#[derive(Object)]
struct Berth {
    depth: Option<String>,
    legacy: Option<bool>,
    note: Option<String>,
    number: u16,
}

#[derive(Object)]
struct Deep {
    y: Option<String>,
}

#[derive(StringEnum)]
enum Tier {
    Basic,
    Gold,
}

changes! {
    text_to_number, "next_of_text_to_number": { x: Option<String> } => "pub x: Option<i64>", ["convert(x: Option<String>, empty = …)"], [("empty = todo!()", "empty = null")];
    text_to_bool, "next_of_text_to_bool": { x: String } => "pub x: bool", ["convert(x: String, empty = …)"], [("empty = todo!()", "empty = refuse")];
    number_to_text, "next_of_number_to_text": { x: i64 } => "pub x: String", ["convert(x: i64)"], [];
    null_and_number, "next_of_null_and_number": { x: Option<i64> } => "pub x: String", ["convert(x: Option<i64>)", "default(x = …)"], [("todo!()", "\"none\"")];
    null_alone, "next_of_null_alone": { x: Option<i64> } => "pub x: i64", ["default(x = …)"], [("todo!()", "1")];
    null_and_text, "next_of_null_and_text": { x: Option<String> } => "pub x: i64", ["convert(x: Option<String>, empty = …)", "default(x = …)"], [("empty = todo!()", "empty = zero"), ("x = todo!()", "x = 1")];
    narrower, "next_of_narrower": { x: u64 } => "pub x: u8", ["convert(x: u64)"], [];
    null_and_narrower, "next_of_null_and_narrower": { x: Option<u64> } => "pub x: u8", ["convert(x: Option<u64>)", "default(x = …)"], [("todo!()", "1")];
    number_to_enum, "next_of_number_to_enum": { x: i64 } => "pub x: Tier", ["values(x: i64, … => …)"], [("todo!() => todo!()", "1 => \"basic\"")];
    text_to_enum, "next_of_text_to_enum": { x: String } => "pub x: Tier", ["convert(x: String)"], [];
    enum_to_number, "next_of_enum_to_number": { x: Tier } => "pub x: i64", ["convert(x: String, empty = …)"], [("todo!()", "refuse")];
    one_to_list, "next_of_one_to_list": { x: String } => "pub x: Vec<String>", ["wrap(x: String)"], [];
    null_to_list, "next_of_null_to_list": { x: Option<String> } => "pub x: Vec<String>", ["wrap(x: Option<String>)"], [];
    list_to_one, "next_of_list_to_one": { x: Vec<String> } => "pub x: Option<String>", ["unwrap(x: Vec<String>)"], [];
    list_to_one_always, "next_of_list_to_one_always": { x: Vec<String> } => "pub x: String", ["unwrap(x: Vec<String>)", "default(x = …)"], [("todo!()", "\"none\"")];
    elements, "next_of_elements": { x: Vec<i64> } => "pub x: Vec<String>", ["each(convert(x: Vec<i64>))"], [];
    texts_to_numbers, "next_of_texts_to_numbers": { x: Vec<String> } => "pub x: Vec<i64>", ["each(convert(x: Vec<String>, empty = …))"], [("todo!()", "refuse")];
    entries, "next_of_entries": { x: BTreeMap<String, i64> } => "pub x: BTreeMap<String, String>", ["each(convert(x: std::collections::BTreeMap<String, i64>))"], [];
    text_to_map, "next_of_text_to_map": { x: String } => "pub x: BTreeMap<String, String>", ["convert(x: String, with = …)"], [("todo!()", "crate::map")];
    text_to_object, "next_of_text_to_object": { x: String } => "pub x: Part", ["convert(x: String, with = …)"], [("todo!()", "crate::part")];
    object_to_text, "next_of_object_to_text": { x: Part } => "pub x: String", ["convert(x: { a: i64 }, with = …)"], [("todo!()", "crate::text")];
    blocks_to_one, "next_of_blocks_to_one": { #[block] x: Vec<Part> } => "#[block] pub x: Option<Part>", ["unwrap(#[block] x: Vec<{ a: i64 }>)"], [];
    one_to_objects, "next_of_one_to_objects": { x: Option<Part> } => "pub x: Vec<Part>", ["wrap(x: Option<{ a: i64 }>)"], [];
    objects_to_map, "next_of_objects_to_map": { x: Vec<Keyed> } => "pub x: BTreeMap<String, Part>", ["rekey(x, by = k)"], [];
    objects_to_map_by_number, "next_of_objects_to_map_by_number": { x: Vec<Numbered> } => "pub x: BTreeMap<String, Part>", ["rekey(x, by = nr: u16)"], [];
    objects_to_map_of_many, "next_of_objects_to_map_of_many": { x: Option<Vec<Berth>> } => "pub x: Option<BTreeMap<String, BerthToday>>", ["rekey(x, by = number: u16)", "convert(x.depth: Option<String>, empty = …)", "set(x.label = null)", "drop(x.legacy: Option<bool>, \"…\")", "drop(x.note: Option<String>, \"…\")"], [("empty = todo!()", "empty = null"), ("legacy: Option<bool>, \"…\"", "legacy: Option<bool>, \"gone\""), ("note: Option<String>, \"…\"", "note: Option<String>, \"gone\"")];
    objects_to_map_that_keeps, "next_of_objects_to_map_that_keeps": { x: Vec<Keyed> } => "pub x: BTreeMap<String, KeyedToday>", ["rekey(x, by = …)", "convert(x.a: i64)"], [("todo!()", "k")];
    blocks_to_blocks_by_key, "next_of_blocks_to_blocks_by_key": { #[block] x: Vec<Berth> } => "#[block] pub x: BTreeMap<String, BerthToday>", ["rekey(x, by = number: u16)", "convert(x.depth: Option<String>, empty = …)", "set(x.label = null)", "drop(x.legacy: Option<bool>, \"…\")", "drop(x.note: Option<String>, \"…\")"], [("empty = todo!()", "empty = null"), ("legacy: Option<bool>, \"…\"", "legacy: Option<bool>, \"gone\""), ("note: Option<String>, \"…\"", "note: Option<String>, \"gone\"")];
    blocks_to_map, "next_of_blocks_to_map": { #[block] x: Vec<Keyed> } => "pub x: BTreeMap<String, Part>", ["rekey(#[block] x: Vec<{ a: i64, k: String }>, by = k)"], [];
    blocks_to_map_of_others, "next_of_blocks_to_map_of_others": { #[block] x: Vec<Keyed> } => "pub x: BTreeMap<String, TextPart>", ["convert(#[block] x: Vec<{ a: i64, k: String }>, with = …)"], [("todo!()", "crate::text_parts")];
    set_to_map, "next_of_set_to_map": { #[attribute(set)] x: Vec<Keyed> } => "pub x: BTreeMap<String, Part>", ["rekey(#[attribute(set)] x: Vec<{ a: i64, k: String }>, by = k)"], [];
    null_and_objects_to_map, "next_of_null_and_objects_to_map": { x: Option<Vec<Keyed>> } => "pub x: BTreeMap<String, Part>", ["rekey(x: Option<Vec<{ a: i64, k: String }>>, by = k)", "default(x = …)"], [("todo!()", "{}")];
    secret_key, "next_of_secret_key": { x: Vec<Secret> } => "pub x: BTreeMap<String, Part>", ["rekey(x: Vec<{ a: i64, #[attribute(sensitive)] k: String }>, by = k, declassified = \"…\")"], [("\"…\"", "\"never secret\"")];
    map_to_objects, "next_of_map_to_objects": { x: BTreeMap<String, Deep> } => "pub x: Vec<NamedToday>", ["rekey(x, by = name)", "convert(x.y: Option<String>, empty = …)"], [("todo!()", "null")];
    map_to_set, "next_of_map_to_set": { x: BTreeMap<String, Deep> } => "#[attribute(set)] pub x: Vec<NamedToday>", ["rekey(x, by = name)", "convert(x.y: Option<String>, empty = …)"], [("todo!()", "null")];
    objects_to_blocks, "next_of_objects_to_blocks": { x: Vec<Part> } => "#[block] pub x: Vec<Part>", ["convert(#[attribute(required)] x: Vec<{ a: i64 }>)"], [];
    list_to_set, "next_of_list_to_set": { x: Vec<String> } => "#[attribute(set)] pub x: Vec<String>", ["convert(#[attribute(required)] x: Vec<String>)"], [];
    set_to_list, "next_of_set_to_list": { #[attribute(set)] x: Vec<String> } => "pub x: Vec<String>", ["carry(#[attribute(set)] x: Vec<String>)"], [];
    no_longer_sensitive, "next_of_no_longer_sensitive": { #[attribute(sensitive)] x: String, old: bool } => "pub x: String", ["carry(#[attribute(sensitive)] x: String, declassified = \"…\")", "drop(old: bool, \"…\")"], [("\"…\"", "\"gone\"")];
    sensitive_and_null, "next_of_sensitive_and_null": { #[attribute(sensitive)] x: Option<String> } => "pub x: String", ["default(#[attribute(sensitive)] x: Option<String> = …, declassified = \"…\")"], [("todo!()", "\"none\""), ("\"…\"", "\"never secret\"")];
    renamed_secret, "next_of_renamed_secret": { #[attribute(sensitive)] a_name: String } => "pub b_name: String", ["set(b_name = …)", "drop(#[attribute(sensitive)] a_name: String, \"…\")"], [("todo!()", "\"none\""), ("\"…\"", "\"gone\"")];
    renamed_narrower, "next_of_renamed_narrower": { a_size: u64 } => "pub b_size: u8", ["rename(a_size: u64 => b_size)", "convert(b_size)"], [];
    renamed_keyword, "next_of_renamed_keyword": { r#type: String } => "pub kind: String", ["rename(r#type => kind)"], [];
    dropped_keyword, "next_of_dropped_keyword": { id: String, r#type: bool } => "pub id: String", ["drop(r#type: bool, \"…\")"], [("\"…\"", "\"gone\"")];
    retyped_keyword, "next_of_retyped_keyword": { r#type: i64 } => "pub r#type: String", ["convert(r#type: i64)"], [];
    new_keyword, "next_of_new_keyword": { id: String, old: bool } => "pub id: String, pub r#move: Option<bool>", ["set(r#move = null)", "drop(old: bool, \"…\")"], [("\"…\"", "\"gone\"")];
    new_block, "next_of_new_block": { id: String, old: bool } => "pub id: String, #[block] pub x: Option<Part>", ["set(x = null)", "drop(old: bool, \"…\")"], [("\"…\"", "\"gone\"")];
    new_blocks, "next_of_new_blocks": { id: String, old: bool } => "pub id: String, #[block] pub x: Vec<Part>", ["set(x = [])", "drop(old: bool, \"…\")"], [("\"…\"", "\"gone\"")];
    new_map, "next_of_new_map": { id: String, old: bool } => "pub id: String, pub x: BTreeMap<String, String>", ["set(x = {})", "drop(old: bool, \"…\")"], [("\"…\"", "\"gone\"")];
    new_object, "next_of_new_object": { id: String, old: bool } => "pub id: String, pub x: Option<Part>", ["set(x = null)", "drop(old: bool, \"…\")"], [("\"…\"", "\"gone\"")];
    inside, "next_of_inside": { x: Vec<Deep> } => "pub x: Vec<DeepToday>", ["convert(x.y: Option<String>, empty = …)", "default(x.y = …)"], [("empty = todo!()", "empty = zero"), ("x.y = todo!()", "x.y = 1")];
    fraction, "next_of_fraction": { x: f64 } => "pub x: i64", ["convert(x: upstate::Number)"], [];
}

const PARTS: &str = r#"use std::collections::BTreeMap;
#[derive(upstate::Object)]
pub struct Part { pub a: i64 }
#[derive(upstate::Object)]
pub struct DeepToday { pub y: i64 }
#[derive(upstate::Object)]
pub struct BerthToday { pub depth: Option<f64>, pub label: Option<i64> }
#[derive(upstate::Object)]
pub struct KeyedToday { pub k: String, pub a: String }
#[derive(upstate::Object)]
pub struct TextPart { pub a: String }
#[derive(upstate::Object)]
pub struct KeyedBefore { pub k: String, pub a: i64 }
#[derive(PartialEq, Eq, PartialOrd, Ord, upstate::Object)]
pub struct NamedToday { pub name: String, pub y: Option<i64> }
#[derive(upstate::StringEnum)]
pub enum Tier { Basic, Gold }
pub fn map(text: String) -> Result<BTreeMap<String, String>, String> { Ok(BTreeMap::from([(text.clone(), text)])) }
pub fn text_parts(parts: Vec<KeyedBefore>) -> Result<BTreeMap<String, TextPart>, String> {
    Ok(parts.into_iter().map(|part| (part.k, TextPart { a: part.a.to_string() })).collect())
}
pub fn part(text: String) -> Result<Part, String> { Ok(Part { a: text.len() as i64 }) }
pub fn text(part: Part) -> Result<String, String> { Ok(part.a.to_string()) }
"#;

/// Whatever changed, the upgrader that `next` writes compiles, or has a mark where its author
/// decides.
#[test]
fn what_is_written_compiles_or_is_marked() {
    let package = Package::new(
        "next_of",
        CHANGES.iter().fold(Registry::new(), |registry, change| {
            (change.register)(registry)
        }),
    );
    let module = |change: &Change| {
        let name = change.type_name.trim_start_matches("next_of_");
        let model = format!(
            "#[derive(upstate::Resource)]\n#[resource(type_name = \"{}\")]\npub struct Today {{ {} }}",
            change.type_name, change.now
        );
        format!("pub mod {name} {{\n#[allow(unused_imports)]\nuse super::*;\n{model}\n}}\n")
    };
    let sources = PARTS.to_owned() + &CHANGES.iter().map(module).collect::<String>();
    package.write("src/lib.rs", &sources);
    let types: Vec<&str> = CHANGES.iter().map(|change| change.type_name).collect();

    let (code, json, said) =
        package.next(&[&types[..], &["--dry-run", "--format", "json"]].concat());
    assert_eq!((code, said.as_str()), (0, ""), "{json}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let mut wrong = Vec::new();
    for Change {
        type_name,
        operators,
        ..
    } in CHANGES
    {
        let proposal = json["proposals"]
            .as_array()
            .unwrap()
            .iter()
            .find(|proposal| proposal["type"] == *type_name);
        let proposed = proposal.map_or(&serde_json::Value::Null, |proposal| &proposal["operators"]);
        let written: Vec<&str> = proposed
            .as_array()
            .into_iter()
            .flatten()
            .map(|operator| operator["operator"].as_str().unwrap())
            .collect();
        if written != *operators {
            wrong.push(format!("{type_name}: {written:?}"));
        }
        for operator in proposed.as_array().into_iter().flatten() {
            let is_marked = operator["operator"].as_str().unwrap().contains('…');
            if is_marked && operator["remains"].is_null() {
                wrong.push(format!("{type_name}: nothing is said of {operator}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    let (code, said, problems) = package.next(&types);
    assert_eq!((code, problems.as_str()), (0, ""), "{said}");
    // The compiler asks for what is marked.
    let asked = package.check();
    for question in [
        "`empty` cannot be `todo! ()`\n",
        "`with` takes the path of a function\n",
        "this is not a literal\n",
        "the reason is missing",
    ] {
        assert!(asked.contains(question), "{question}: {asked}");
    }
    let mut text = package.read("src/lib.rs");
    for Change {
        type_name,
        completed,
        ..
    } in CHANGES
    {
        let start = text.find(&format!("\"{type_name}\"")).unwrap();
        let end = start + text[start..].find("pub struct").unwrap();
        let mut upgrader = text[start..end].to_owned();
        for (mark, by) in *completed {
            assert!(upgrader.contains(mark), "{upgrader}");
            upgrader = upgrader.replace(mark, by);
        }
        text.replace_range(start..end, &upgrader);
    }
    package.write("src/lib.rs", &text);
    assert_eq!(package.check(), "");
}
