//! Packages on disk and the lock that the compiler finds for them: what it believes, where it
//! looks, and what it is held to.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::real::packages;
use crate::target::Target;
use upstate::{Registry, Resource};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;
use upstate_ui_arguments::arguments;

/// State of release 1.0.0.
#[derive(Resource)]
#[resource(type_name = "pinned_gate")]
struct Gate {
    #[attribute(computed)]
    id: String,
    size: i64,
}

const SOURCE: &str = "#[derive(upstate::Resource)]\n#[resource(type_name = \"pinned_gate\")]\npub struct Gate {\n    \
    #[attribute(computed)]\n    pub id: String,\n    pub size: i64,\n}\n";

fn lock() -> String {
    let mut lock = Lock::default();
    lock.freeze(
        &Snapshot::of(&Registry::new().with::<Gate>()),
        "1.0.0".parse().unwrap(),
    )
    .unwrap();
    lock.to_string()
}

/// Packages in one folder.
pub(crate) struct Folder {
    place: tempfile::TempDir,
    target: Target,
}

impl Folder {
    fn new() -> Self {
        Self {
            place: tempfile::tempdir().unwrap(),
            target: Target::new(),
        }
    }

    /// One with the package `a`, whose lock has this text.
    pub(crate) fn locked(lock: &str) -> Self {
        let folder = Self::new();
        folder.package("a", "[workspace]\n");
        dependencies(&folder, "a");
        folder.write("a/upstate.lock", lock);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    /// A package with the model as it was released; `more` are lines of its manifest.
    fn package(&self, folder: &str, more: &str) {
        let upstate = workspace().join("upstate");
        // Packages of one name would take one another for themselves in the folder that they are
        // built in.
        let name = format!(
            "pinned_{}",
            self.place
                .path()
                .file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .trim_start_matches('.')
                .to_lowercase()
        );
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n{more}\n[dependencies]\nupstate = {{ path = {upstate:?} }}\n"
        );
        self.write(&format!("{folder}/Cargo.toml"), &manifest);
        self.write(&format!("{folder}/src/lib.rs"), SOURCE);
    }

    /// What the compiler prints about a package.
    pub(crate) fn check(&self, folder: &str) -> String {
        let mut check = Command::new(env!("CARGO"));
        let check = self.target.set(
            check
                .args(["check", "--quiet", "--offline"])
                .current_dir(self.path(folder)),
        );
        String::from_utf8(check.output().unwrap().stderr).unwrap()
    }

    /// What a package's program prints, given its input.
    pub(crate) fn run(&self, folder: &str, input: &str) -> String {
        let program = self.path(&format!("{folder}/program"));
        let mut compiler = Command::new("rustc");
        compiler
            .args(["--edition=2024", "--crate-name=program"])
            .arg(self.path(&format!("{folder}/src/main.rs")));
        // With the libraries of this test, because cargo would compile the runtime once more for
        // this program.
        let arguments: &[&str] = &arguments!();
        for pair in arguments.windows(2) {
            if pair[0] == "-L" || pair[0] == "--extern" && pair[1].starts_with("upstate=") {
                compiler.args(pair);
            }
        }
        // As cargo would, so that the derives find the lock.
        compiler
            .env("CARGO_MANIFEST_DIR", self.path(folder))
            .arg("-o")
            .arg(&program);
        packages::run(&mut compiler).unwrap();
        self.write(&format!("{folder}/input"), input);
        let input = fs::File::open(self.path(&format!("{folder}/input"))).unwrap();
        packages::run(Command::new(program).stdin(input)).unwrap()
    }
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The versions of dependencies that this workspace has, for the package or workspace in a folder.
fn dependencies(folder: &Folder, root: &str) {
    fs::copy(
        workspace().join("Cargo.lock"),
        folder.path(root).join("Cargo.lock"),
    )
    .unwrap();
}

#[test]
fn a_lock_that_was_edited_does_not_compile() {
    let folder = Folder::locked(&lock());
    assert_eq!(folder.check("a"), "");

    // The lock and the model say the same, and no release did.
    let edited = lock().replace(
        "size = \"number\" {\"required\":true,\"validators\":{\"stored integer\":\"i64\"}}",
        "size = \"string\" {\"required\":true}",
    );
    assert_ne!(edited, lock());
    folder.write("a/upstate.lock", &edited);
    folder.write("a/src/lib.rs", &SOURCE.replace("i64", "String"));
    let printed = folder.check("a");
    assert!(
        printed.contains(
            "error: upstate.lock, line 5: the lines of `[pinned_gate 0]` give the fingerprint "
        ),
        "{printed}"
    );
    assert!(
        printed.contains(": they were edited; put them back"),
        "{printed}"
    );

    let header = lock().lines().nth(4).unwrap().to_owned();
    let broken: [(&str, String, &str); 4] = [
        (
            "a line twice",
            lock() + "size = \"number\"\n",
            "`[pinned_gate 0]` has `size` twice",
        ),
        (
            "a header",
            lock().replace(
                &header,
                &header.replace("[pinned_gate 0]", "{pinned_gate@0}"),
            ),
            "line 5: expected an entry such as",
        ),
        (
            "a line",
            lock().replace("id = ", "id: "),
            ": expected `path = stored form`, found `id: ",
        ),
        (
            "a range",
            lock().replace("[pinned_gate 0]", "[pinned_gate 5..=0]"),
            "line 5: there is no version from 5 to 0",
        ),
    ];
    for (what, text, expected) in broken {
        folder.write("a/upstate.lock", &text);
        let printed = folder.check("a");
        assert!(printed.contains(expected), "{what}: {printed}");
        // The commands refuse it, too.
        assert!(Lock::parse(&text).is_err(), "{what}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_no_lock_and_is_not_waited_for() {
    let folder = Folder::new();
    folder.package("a", "[workspace]\n");
    dependencies(&folder, "a");
    std::os::unix::fs::symlink("/nowhere/upstate.lock", folder.path("a/upstate.lock")).unwrap();
    let printed = folder.check("a");
    assert!(
        printed.contains("upstate.lock cannot be read: it is a link to a file that is not there"),
        "{printed}"
    );

    fs::remove_file(folder.path("a/upstate.lock")).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(folder.path("a/upstate.lock"))
            .status()
            .unwrap()
            .success()
    );
    let printed = folder.check("a");
    assert!(
        printed.contains("upstate.lock cannot be read: it is not a regular file"),
        "{printed}"
    );
}

#[test]
fn the_lock_of_the_workspace_is_found_in_every_spelling_of_its_manifest() {
    for manifest in [
        "[workspace]\nmembers = [\"m\"]\nresolver = \"3\"\n",
        "workspace.members = [\"m\"]\nworkspace.resolver = \"3\"\n",
        "workspace = { members = [\"m\"], resolver = \"3\" }\n",
        " [ \"workspace\" ]\nmembers = [\"m\"]\nresolver = \"3\"\n",
    ] {
        let folder = Folder::new();
        folder.package("m", "");
        folder.write("Cargo.toml", manifest);
        dependencies(&folder, "");
        folder.write("upstate.lock", &lock());
        folder.write("m/src/lib.rs", &SOURCE.replace("i64", "String"));
        let printed = folder.check("m");
        assert!(
            printed.contains("[U0017]: `size` is `String` now"),
            "{manifest}: {printed}"
        );
    }
}

#[test]
fn a_member_beside_the_root_has_its_lock_and_an_excluded_package_has_not() {
    let folder = Folder::new();
    folder.package("beside", "workspace = \"../root\"\n");
    folder.write(
        "root/Cargo.toml",
        "[workspace]\nmembers = [\"../beside\"]\nexclude = [\"apart\"]\nresolver = \"3\"\n",
    );
    dependencies(&folder, "root");
    folder.write("root/upstate.lock", &lock());
    folder.write("beside/src/lib.rs", &SOURCE.replace("i64", "String"));
    let printed = folder.check("beside");
    assert!(
        printed.contains("[U0017]: `size` is `String` now"),
        "{printed}"
    );

    folder.package("root/apart", "");
    dependencies(&folder, "root/apart");
    folder.write("root/apart/src/lib.rs", &SOURCE.replace("i64", "String"));
    assert_eq!(folder.check("root/apart"), "");
}

/// Four releases of a provider, as `terraform providers schema -json` prints them: what SDKv2
/// writes for computed collections of objects, which the framework wrote as nested attributes
/// later; attributes that went without a new version; a group; names that are keywords.
fn released() -> [(&'static str, String); 4] {
    let document = |version: u64, attributes: &str, blocks: &str| {
        format!(
            r#"{{"format_version": "1.0", "provider_schemas": {{"example.com/test/acme": {{
                "provider": {{"version": 0, "block": {{"attributes": {{"endpoint": {{"type": "string", "optional": true}}}}}}}},
                "data_source_schemas": {{"acme_zone": {{"version": 0, "block": {{"attributes": {{"id": {{"type": "string", "computed": true}}}}}}}}}},
                "resource_schemas": {{"acme_wide": {{"version": {version}, "block": {{
                    "attributes": {{"id": {{"type": "string", "computed": true}}, {attributes}}}, "block_types": {{{blocks}}}}}}}}}}}}}}}"#
        )
    };
    let object =
        r#"["object", {"gateway": "string", "ports": ["list", ["object", {"open": "bool"}]]}]"#;
    let objects = format!(
        r#""one": {{"type": {object}, "computed": true}}, "many": {{"type": ["list", {object}], "computed": true}},
        "each": {{"type": ["set", {object}], "optional": true, "computed": true}}, "named": {{"type": ["map", {object}], "optional": true}},
        "deep": {{"type": ["list", ["list", ["object", {{"a": "number"}}]]], "computed": true}},
        "empty": {{"type": ["object", {{}}], "computed": true}}, "labels": {{"type": ["map", "string"], "optional": true}}"#
    );
    let member = r#"{"attributes": {"gateway": {"type": "string", "optional": true}, "ports": {"nested_type": {"attributes": {
        "open": {"type": "bool", "optional": true}}, "nesting_mode": "list"}, "optional": true}}, "nesting_mode": "MODE"}"#;
    let nested = |mode: &str| member.replace("MODE", mode);
    let framework = format!(
        r#""one": {{"nested_type": {}, "computed": true}}, "many": {{"nested_type": {}, "computed": true}},
        "each": {{"nested_type": {}, "optional": true, "computed": true}}, "named": {{"nested_type": {}, "optional": true}},
        "deep": {{"type": ["list", ["list", ["object", {{"a": "number"}}]]], "computed": true}},
        "empty": {{"type": ["object", {{}}], "computed": true}}, "labels": {{"type": ["map", "string"], "optional": true}}"#,
        nested("single"),
        nested("list"),
        nested("set"),
        nested("map"),
    );
    let crated = r#""crate": {"type": "string", "optional": true}, "self": {"type": ["map", "string"], "optional": true}"#;
    let group = r#""limits": {"nesting_mode": "group", "block": {"attributes": {"most": {"type": "number", "optional": true}}}}"#;
    [
        ("1.0.0", document(0, &format!("{objects}, {crated}"), "")),
        (
            "1.1.0",
            document(
                1,
                &format!(r#"{objects}, "legacy": {{"type": "string", "optional": true}}"#),
                group,
            ),
        ),
        // The SDK skips what the schema lacks, so `legacy` went without a new version.
        (
            "1.2.0",
            document(
                1,
                &format!(r#"{objects}, "zone": {{"type": "string", "optional": true}}"#),
                group,
            ),
        ),
        (
            "2.0.0",
            document(
                1,
                &format!(r#"{framework}, "zone": {{"type": "string", "optional": true}}"#),
                group,
            ),
        ),
    ]
}

#[test]
fn what_is_imported_compiles_against_what_is_locked() {
    use upstate_compat::import::{ReleasedSchemas, models};
    use upstate_compat::{Options, compare};

    let released = released();
    let parsed = released.each_ref().map(|(release, json)| {
        ReleasedSchemas::parse(release.parse().unwrap(), json.as_bytes(), None).unwrap()
    });
    let imported = models(&parsed, |_| true);
    assert_eq!(imported.left_out, []);
    let [(type_name, shape)] = &imported.reshaped[..] else {
        panic!("{:?}", imported.reshaped)
    };
    let sentence = "Before release 1.2.0, version 1 was stored with another shape: `legacy` is gone, which was \"string\".";
    assert_eq!(
        (type_name.as_str(), shape.as_str()),
        ("acme_wide", sentence)
    );
    let text = &imported.files[0].text;
    assert!(text.contains(&format!("// {sentence}\n")), "{text}");
    assert!(
        text.contains("pub labels: Option<BTreeMap<String, Option<String>>>,"),
        "{text}"
    );
    assert!(text.contains("drop(crate: Option<String>, "), "{text}");

    let mut lock = Lock::default();
    let mut changes = Vec::new();
    for (release, json) in &released {
        changes.push(
            lock.import(json.as_bytes(), None, release.parse().unwrap())
                .unwrap(),
        );
    }
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
    let of_wide = |changes: &[upstate_compat::lock::Change]| {
        let of_wide = changes
            .iter()
            .filter(|change| change.type_name == "acme_wide");
        of_wide
            .map(|change| (change.what, change.differences.join("; ")))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of_wide(&changes[2]),
        [(
            "reshaped",
            "`legacy` is gone, which was \"string\" null?".to_owned()
        )]
    );
    assert_eq!(of_wide(&changes[3]), [("grown", String::new())]);
    assert_eq!(
        lock.get("acme_wide", 1)
            .unwrap()
            .resource()
            .alternatives
            .len(),
        1
    );

    let folder = Folder::locked(&lock.to_string());
    for file in &imported.files {
        folder.write(&format!("a/src/models/{}", file.name), &file.text);
    }
    folder.write("a/src/lib.rs", "pub mod models;\n");
    assert_eq!(folder.check("a"), "");
    // What is not one stored form is still found.
    let changed = text.replacen("pub open: Option<bool>,", "pub open: Option<String>,", 1);
    folder.write("a/src/models/acme_wide.rs", &changed);
    let printed = folder.check("a");
    assert!(
        printed.contains("[U0017]")
            && printed.contains(".ports.open` is `Option<String>` now, and was `Option<bool>`"),
        "{printed}"
    );

    // The registry has resources alone, which does not fail on the first day.
    let baseline = lock.baseline();
    let mut current = baseline.clone();
    current.resources.retain(|name, _| name == "acme_wide");
    let report = compare(
        &baseline,
        &current.at("2.0.1".parse().unwrap()),
        &Options::default(),
    );
    assert!(report.ok, "{:#?}", report.findings);
}
