//! State files: what changes, what does not, and what is refused.

use std::fs;

use upstate::state_file::{InstanceOutcome, StateFile, UpgradeOptions, backup_path, replace, write_new};
use upstate::{Registry, Resource};

#[derive(Debug, Resource)]
#[resource(type_name = "example_box", version = 1)]
#[upgrade_from(0, model = BoxV0)]
struct Box1 {
    id: String,
    label: Option<String>,
    tags: Vec<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_box", version = 0)]
struct BoxV0 {
    id: String,
    name: Option<String>,
}

impl TryFrom<BoxV0> for Box1 {
    type Error = &'static str;

    fn try_from(prior: BoxV0) -> Result<Self, &'static str> {
        let label = prior.name.filter(|name| name != "poison");
        Ok(Box1 { tags: Vec::new(), label: Some(label.ok_or("the name is not wanted")?), id: prior.id })
    }
}

fn registry() -> Registry {
    Registry::new().with::<Box1>()
}

/// Odd on purpose: members out of order, letter case, tabs, a type nobody knows, escapes, numbers in odd forms.
const STATE: &str = r#"{
  "version": 4,
  "terraform_version": "1.15.5",
  "serial": 41,
  "lineage": "a-b",
  "outputs": {"x": {"value": 1.50, "type": "number"}},
  "resources": [
    {
      "mode": "managed",
      "type": "example_box",
      "name": "a",
      "provider": "provider[\"registry.terraform.io/example/example\"]",
      "instances": [
        {
          "index_key": "k\"1",
          "schema_version": 0,
          "attributes": {
            "id": "one",
            "name": "first",
            "unknown": [1.0, {"x": null}]
          },
          "sensitive_attributes": [],
          "private": "bnVsbA=="
        },
        {
          "schema_version": 1,
          "index_key": "k2",
          "attributes": {"id": "two", "label": "stays as 1.0 is", "odd":1.0}
        }
      ]
    },
    {
      "MODULE": "module.m[0]", "mode": "managed", "type": "example_box", "name": "b", "provider": "provider[\"registry.terraform.io/example/example\"]",
      "instances": [ { "attributes": { "id": "three", "name": "third" }, "deposed": "0badcafe" } ]
    },
	{ "mode": "managed", "type": "other_thing", "name": "c", "provider": "provider[\"registry.terraform.io/example/example\"]", "instances": [{"schema_version": 7, "attributes": {"a":   1e5}}] },
    { "mode": "data", "type": "example_box", "name": "d", "provider": "provider[\"registry.terraform.io/example/example\"]", "instances": [{"schema_version": 0, "attributes": {"id": "x"}}] }
  ],
  "check_results": null
}
"#;

fn upgraded(state: &str) -> String {
    let upgrade = StateFile::parse(state.as_bytes()).unwrap().upgrade(&registry());
    let failures: Vec<_> = upgrade.instances().filter(|(_, outcome)| matches!(outcome, InstanceOutcome::Failed { .. })).collect();
    String::from_utf8(upgrade.to_bytes().unwrap_or_else(|| panic!("{failures:?}"))).unwrap()
}

fn problem(state: impl AsRef<[u8]>) -> String {
    StateFile::parse(state.as_ref()).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn only_versions_attributes_and_serial_change() {
    let expected = STATE
        .replace(r#""serial": 41"#, r#""serial": 42"#)
        .replace(
            r#""schema_version": 0,
          "attributes": {
            "id": "one",
            "name": "first",
            "unknown": [1.0, {"x": null}]
          }"#,
            r#""schema_version": 1,
          "attributes": {
            "id": "one",
            "label": "first",
            "tags": []
          }"#,
        )
        .replace(
            r#"{ "attributes": { "id": "three", "name": "third" }, "#,
            r#"{ "schema_version": 1, "attributes": {"id":"three","label":"third","tags":[]}, "#,
        );
    assert_eq!(upgraded(STATE), expected);
    // And then there is nothing left to do, so not a byte changes.
    assert_eq!(upgraded(&expected), expected);
}

#[test]
fn instances_have_addresses_and_outcomes() {
    let upgrade = StateFile::parse(STATE.as_bytes()).unwrap().upgrade(&registry());
    let all: Vec<String> = upgrade
        .instances()
        .map(|(instance, outcome)| {
            let outcome = match outcome {
                InstanceOutcome::Upgraded { to, .. } => format!("to {to}"),
                other => format!("{other:?}"),
            };
            format!("{} {outcome}", instance.address())
        })
        .collect();
    assert_eq!(
        all,
        [
            r#"example_box.a["k\"1"] to 1"#,
            r#"example_box.a["k2"] Current"#,
            "module.m[0].example_box.b (deposed 0badcafe) to 1",
            "other_thing.c UnknownType",
            "data.example_box.d Data",
        ]
    );
}

#[test]
fn a_missing_serial_is_added_when_something_changes() {
    let state = r#"{"resources":[{"mode":"managed","type":"example_box","name":"a","provider":"provider.example","instances":[{"schema_version":0,"attributes":{"id":"1","name":"x"}}]}],"version":4}"#;
    let expected = r#"{"resources":[{"mode":"managed","type":"example_box","name":"a","provider":"provider.example","instances":[{"schema_version":1,"attributes":{"id":"1","label":"x","tags":[]}}]}],"version":4, "serial": 1}"#;
    assert_eq!(upgraded(state), expected);
}

#[test]
fn one_failed_instance_fails_the_file() {
    let state = STATE.replace("third", "poison");
    let upgrade = StateFile::parse(state.as_bytes()).unwrap().upgrade(&registry());
    assert!(upgrade.has_failures());
    assert_eq!(upgrade.to_bytes(), None);
    let failed = upgrade.instances().find_map(|(instance, outcome)| match outcome {
        InstanceOutcome::Failed { to, diagnostics } => Some(format!("{} to {to}: {diagnostics}", instance.address())),
        _ => None,
    });
    assert_eq!(
        failed.unwrap(),
        "module.m[0].example_box.b (deposed 0badcafe) to 1: error: Unable to Upgrade Resource State\nthe name is not wanted\n\n\
         Resource type example_box, stored at schema version 0, current version 1, id \"three\"."
    );
}

#[test]
fn what_is_no_state_file_is_refused_with_its_position() {
    let instance = |text: &str| {
        format!(
            "{{\"version\": 4, \"resources\": [\n{{\"mode\": \"managed\", \"type\": \"t\", \"name\": \"n\", \"provider\": \"provider.example\", \"instances\": [\n{text}]}}]}}"
        )
    };
    for (state, message) in [
        (String::new(), "the file is empty; there is no state to upgrade"),
        (" \n\t".to_owned(), "the file is empty; there is no state to upgrade"),
        ("tfstate\u{1}".to_owned(), "this is a state file in the binary format of Terraform before 0.3"),
        ("hello".to_owned(), "line 1, column 1: the file cannot be read: not valid JSON: expected a value"),
        ("[]".to_owned(), "line 1, column 1: a state file must be an object, found an array"),
        ("{}".to_owned(), "line 1, column 1: there is no format `version`, so this is probably not a state file"),
        ("{\"version\": 4".to_owned(), "line 1, column 14: the file cannot be read: not valid JSON: expected `,` or `}`"),
        (
            "{\"version\": 4} x".to_owned(),
            "line 1, column 16: the file cannot be read: not valid JSON: expected the end of the document",
        ),
        ("{\"version\": \"4\"}".to_owned(), "line 1, column 13: the format `version` must be a number, found a string"),
        (
            "{\"version\": 3, \"terraform_version\": \"0.11.14\", \"modules\": []}".to_owned(),
            "line 1, column 13: this state file has format version 3, written by Terraform 0.11.14; only version 4 is upgraded. \
             Run `terraform state pull` or any apply with Terraform 0.12 or later first, which rewrites it",
        ),
        ("{\"version\": 5}".to_owned(), "line 1, column 13: this state file has format version 5, which is newer than version 4"),
        ("{\"version\": 0}".to_owned(), "line 1, column 13: format version 0 is no state file"),
        (
            "{\"version\": 4, \"serial\": -1}".to_owned(),
            "line 1, column 26: `serial` must be a whole number of at most 64 bits, found -1",
        ),
        ("{\"version\": 4, \"serial\": \"7\"}".to_owned(), "line 1, column 26: `serial` must be a number, found a string"),
        ("{\"version\": 4, \"resources\": {}}".to_owned(), "line 1, column 29: `resources` must be an array, found an object"),
        ("{\"version\": 4, \"resources\": [7]}".to_owned(), "line 1, column 30: a resource must be an object, found a number"),
        (
            "{\"version\": 4, \"resources\": [{\"mode\": \"managed\", \"name\": \"n\", \"provider\": \"provider.example\", \"instances\": []}]}".to_owned(),
            "line 1, column 30: this resource has no `type`, so its instances cannot be told apart",
        ),
        (
            "{\"version\": 4, \"resources\": [{\"mode\": \"weird\", \"type\": \"t\", \"name\": \"n\", \"provider\": \"provider.x\"}]}".to_owned(),
            "line 1, column 39: `mode` is `managed` or `data`, not \"weird\"",
        ),
        (instance("{\"attributes\": [1]}"), "line 3, column 16: `attributes` must be an object, found an array"),
        (
            instance("{\"schema_version\": 1.5}"),
            "line 3, column 20: `schema_version` must be a whole number of at most 64 bits, found 1.5",
        ),
        (instance("{\"index_key\": true}"), "line 3, column 15: `index_key` must be a number or a string, found a bool"),
        (instance("{\"status\": \"odd\"}"), "line 3, column 12: `status` is `tainted` or not there, not \"odd\""),
        (instance("{\"index_key\": 0},\n{\"index_key\": 0}"), "line 4, column 1: there is a second object for t.n[0]"),
    ] {
        let problem = problem(&state);
        assert!(problem.starts_with(message), "{state}\n  gives {problem}\n  not   {message}");
    }
    assert_eq!(
        problem(b"{\"version\": 4,\n \"lineage\": \"\xff\"}"),
        "line 2, column 14: the file is not UTF-8 text, so it is not a state file"
    );
    // Problems that don't keep the rest from being read come together.
    let two = instance("{\"index_key\": true, \"attributes\": []}, {\"status\": \"x\"}");
    assert_eq!(problem(two).lines().count(), 4);
}

#[test]
fn a_file_cut_anywhere_is_an_error_and_never_a_panic() {
    let end = STATE.trim_end().len();
    for cut in 0..end {
        assert!(StateFile::parse(&STATE.as_bytes()[..cut]).is_err(), "cut at {cut}");
    }
    assert!(StateFile::parse(&STATE.as_bytes()[..end]).is_ok());
}

#[test]
fn a_flipped_byte_never_panics() {
    for position in 0..STATE.len() {
        for bit in [0x01, 0x20, 0x80] {
            let mut bytes = STATE.as_bytes().to_vec();
            bytes[position] ^= bit;
            if let Ok(state) = StateFile::parse(&bytes) {
                // Whatever comes out is a state file again.
                if let Some(upgraded) = state.upgrade(&registry()).to_bytes() {
                    StateFile::parse(&upgraded).unwrap_or_else(|error| panic!("byte {position} ^ {bit:#x}: {error}"));
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_read_fails_the_instance() {
    for (attributes, text) in [
        (r#""attributes": null"#, "the stored value is null"),
        (r#""attributes_flat": {"id": "x", "name": "poison"}"#, "the name is not wanted"),
        (r#""private": """#, "the stored state has no such attribute"),
    ] {
        let state = format!(
            r#"{{"version":4,"resources":[{{"mode":"managed","type":"example_box","name":"a","provider":"provider.example","instances":[{{"schema_version":0,{attributes}}}]}}]}}"#
        );
        let upgrade = StateFile::parse(state.as_bytes()).unwrap().upgrade(&registry());
        let [outcome] = upgrade.instances().map(|(_, outcome)| format!("{outcome:?}")).collect::<Vec<_>>().try_into().unwrap();
        assert!(outcome.starts_with("Failed") && outcome.contains(text), "{outcome}");
    }
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_lid", version = 1)]
#[upgrade_from(0, model = LidV0)]
struct Lid {
    label: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_lid", version = 0)]
struct LidV0 {
    name: Option<String>,
}

impl From<LidV0> for Lid {
    fn from(prior: LidV0) -> Self {
        Lid { label: prior.name }
    }
}

#[test]
fn an_instance_without_attributes_is_an_empty_object() {
    let registry = Registry::new().with::<Lid>();
    let file = |instance: &str, serial: &str| {
        format!(
            r#"{{"version":4,"serial":{serial},"resources":[{{"mode":"managed","type":"example_lid","name":"a","provider":"provider.example","instances":[{instance}]}}]}}"#
        )
    };
    for (before, after) in [
        ("{}", r#"{"attributes": {"label":null}, "schema_version": 1}"#),
        (r#"{"schema_version":0}"#, r#"{"attributes": {"label":null}, "schema_version":1}"#),
        (r#"{"schema_version":null,"attributes":{}}"#, r#"{"schema_version":1,"attributes":{"label":null}}"#),
        (r#"{"index_key":"k"}"#, r#"{"attributes": {"label":null}, "schema_version": 1, "index_key":"k"}"#),
        (r#"{ "attributes_flat": {"name":"x"} }"#, r#"{ "schema_version": 1, "attributes": {"label":"x"} }"#),
    ] {
        let (before, after) = (file(before, "1"), file(after, "2"));
        let upgraded = StateFile::parse(before.as_bytes()).unwrap().upgrade(&registry).to_bytes().unwrap();
        assert_eq!(String::from_utf8(upgraded).unwrap(), after);
        assert!(!StateFile::parse(after.as_bytes()).unwrap().upgrade(&registry).has_changes());
    }
}

/// Long one-line files used to take time with the square of their length.
#[test]
fn a_large_compact_file_is_upgraded_in_one_go() {
    let instance = |index: usize| format!(r#"{{"index_key":{index},"schema_version":0,"attributes":{{"name":"{index}"}}}}"#);
    let instances: Vec<String> = (0..20_000).map(instance).collect();
    let file = format!(
        r#"{{"version":4,"serial":1,"resources":[{{"mode":"managed","type":"example_lid","name":"a","provider":"provider.example","instances":[{}]}}]}}"#,
        instances.join(",")
    );
    let upgrade = StateFile::parse(file.as_bytes()).unwrap().upgrade(&Registry::new().with::<Lid>());
    assert!(!upgrade.has_failures());
    let upgraded = upgrade.to_bytes().unwrap();
    let last = r#"{"index_key":19999,"schema_version":1,"attributes":{"label":"19999"}}]}]}"#;
    assert!(upgraded.ends_with(last.as_bytes()));
    // And what comes out does not depend on how many threads there are.
    let registry = Registry::new().with::<Lid>();
    let state = StateFile::parse(file.as_bytes()).unwrap();
    for threads in [1, 2, 3, 16] {
        let mut out = Vec::new();
        let options = UpgradeOptions::new().threads(threads.try_into().unwrap());
        let mut order = Vec::new();
        let each = |upgrade: upstate::state_file::InstanceUpgrade<'_, '_>| {
            let upstate::state_file::InstanceKey::Int(index) = upgrade.instance().address().key() else { panic!("an index") };
            order.push(*index);
            Ok(())
        };
        let totals = state.upgrade_to(&registry, &options, &mut out, each).unwrap();
        assert_eq!((totals.upgraded(), totals.may_be_written()), (20_000, true));
        assert!(out == upgraded && order.is_sorted(), "{threads} threads");
    }
}

#[test]
fn names_cannot_steer_the_terminal() {
    let file = r#"{"version":4,"resources":[{"mode":"managed","type":"t","name":"x\u001b[31m","provider":"provider.x","instances":[{"index_key":"\u0007"}]}]}"#;
    let state = StateFile::parse(file.as_bytes()).unwrap();
    assert_eq!(state.instances()[0].address().to_string(), r#"t.x\u{1b}[31m["\u0007"]"#);
}

#[test]
fn flat_attributes_become_json() {
    let before = STATE.replace(
        r#""attributes": { "id": "three", "name": "third" }"#,
        r#""attributes_flat": { "id": "three", "name": "third", "other.#": "1" }"#,
    );
    let expected = upgraded(STATE);
    assert_ne!(before, STATE);
    assert_eq!(upgraded(&before), expected);
}

#[test]
fn replacing_keeps_a_backup_permissions_and_symbolic_links() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    fs::write(&path, "old").unwrap();
    replace(&path, b"old", b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::read(backup_path(&path)).unwrap(), b"old");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        replace(&link, b"new", b"newer").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        for file in [path.clone(), backup_path(&path)] {
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        }
        let fresh = folder.path().join("fresh");
        write_new(&fresh, b"secret").unwrap();
        assert_eq!(fs::metadata(&fresh).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // Nothing temporary stays behind.
    let names: Vec<String> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
    assert!(replace(&folder.path().join("missing"), b"", b"x").is_err());
    // Terraform's lock is honoured.
    let lock = folder.path().join(".terraform.tfstate.lock.info");
    fs::write(&lock, "{}").unwrap();
    let held = fs::read(&path).unwrap();
    assert!(replace(&path, &held, b"x").unwrap_err().to_string().contains("Terraform holds its lock"));
    assert_eq!(fs::read(&path).unwrap(), held);
    fs::remove_file(&lock).unwrap();
    // What is no regular file keeps its place.
    #[cfg(unix)]
    {
        let dangling = folder.path().join("dangling");
        std::os::unix::fs::symlink(folder.path().join("nothing"), &dangling).unwrap();
        assert!(write_new(&dangling, b"x").is_err());
        assert!(fs::symlink_metadata(&dangling).unwrap().is_symlink());
        write_new(std::path::Path::new("/dev/null"), b"x").unwrap();
    }
    assert!(write_new(folder.path(), b"x").is_err());
    // What somebody else wrote meanwhile is not lost.
    let before = fs::read(&path).unwrap();
    let error = replace(&path, b"what was read", b"x").unwrap_err();
    assert!(error.to_string().contains("somebody else has changed it"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn lines_end_and_indent_as_they_did() {
    let file = |text: &str| {
        format!(
            r#"{{"version":4,"serial":1,"resources":[{{"mode":"managed","type":"example_lid","name":"a","provider":"provider.x","instances":[
\t\t{{
\t\t\t"schema_version": 0,
\t\t\t"attributes": {text}
\t\t}}
]}}]}}"#
        )
        .replace("\\t", "\t")
    };
    let upgraded = |text: &str| {
        let upgrade = StateFile::parse(text.as_bytes()).unwrap().upgrade(&Registry::new().with::<Lid>());
        String::from_utf8(upgrade.to_bytes().unwrap()).unwrap()
    };
    let before = file("{\n\\t\\t\\t\\t\"name\": \"x\"\n\\t\\t\\t}");
    let after = before.replace("\"name\": \"x\"", "\"label\": \"x\"").replace("\"schema_version\": 0", "\"schema_version\": 1");
    let after = after.replace("\"serial\":1", "\"serial\":2");
    assert_eq!(upgraded(&before), after);
    let windows = |text: &str| text.replace('\n', "\r\n");
    assert_eq!(upgraded(&windows(&before)), windows(&after));
    let four = |text: &str| text.replace('\t', "    ");
    assert_eq!(upgraded(&four(&before)), four(&after));
}

#[test]
fn an_index_is_a_whole_number_however_it_is_written() {
    let instance = |keys: &str| {
        format!(
            r#"{{"version": 4, "resources": [{{"mode": "managed", "type": "t", "name": "n", "provider": "provider.x", "instances": [{keys}]}}]}}"#
        )
    };
    let twice = instance(r#"{"index_key": 1}, {"index_key": 1.0}"#);
    assert_eq!(problem(twice), "line 1, column 134: there is a second object for t.n[1]");
    for (key, text) in [("1e2", "t.n[100]"), ("2.7", "t.n[2]"), ("\"1\"", "t.n[\"1\"]"), ("null", "t.n"), ("-1", "t.n[-1]")] {
        let file = instance(&format!("{{\"index_key\": {key}}}"));
        let state = StateFile::parse(file.as_bytes()).unwrap();
        assert_eq!(state.instances()[0].address().to_string(), text);
    }
    assert!(problem(instance(r#"{"index_key": 1e300}"#)).contains("`index_key` is a number too large for an index"));
}

#[test]
fn a_serial_that_cannot_grow_keeps_the_file_from_being_upgraded() {
    let state = STATE.replace("\"serial\": 41", "\"serial\": 18446744073709551615");
    let parsed = StateFile::parse(state.as_bytes()).unwrap();
    let mut out = Vec::new();
    let error = parsed.upgrade_to(&registry(), &UpgradeOptions::new(), &mut out, |_| Ok(())).unwrap_err();
    assert!(error.to_string().starts_with("the serial is 18446744073709551615, the largest there can be"), "{error}");
    let upgrade = parsed.upgrade(&registry());
    assert!(upgrade.has_failures() && upgrade.to_bytes().is_none());
    // If nothing is to be upgraded, nothing has to grow.
    let nothing = StateFile::parse(state.as_bytes()).unwrap().upgrade(&Registry::new());
    assert_eq!(nothing.to_bytes().unwrap(), state.as_bytes());
}

#[test]
fn every_member_of_an_instance_is_checked() {
    let instance = |text: &str| {
        format!(
            "{{\"version\": 4, \"resources\": [\n{{\"mode\": \"managed\", \"type\": \"t\", \"name\": \"n\", \"provider\": \"provider.x\", \"instances\": [\n{{{text}}}]}}]}}"
        )
    };
    for (member, message) in [
        (r#""deposed": "short""#, "`deposed` must be a key of eight characters, found \"short\""),
        (r#""private": "a""#, "`private` must be base64 with its padding, and is not"),
        (r#""private": 7"#, "`private` must be a string, found a number"),
        (
            r#""dependencies": ["t.n[0]"]"#,
            "`dependencies` must hold addresses of resources without instance keys, found \"t.n[0]\"",
        ),
        (r#""dependencies": {}"#, "`dependencies` must be an array, found an object"),
        (r#""create_before_destroy": "yes""#, "`create_before_destroy` must be a bool, found a string"),
        (r#""identity_schema_version": -1"#, "`identity_schema_version` must be a whole number of at most 64 bits, found -1"),
        (r#""sensitive_attributes": [{}]"#, "a path of `sensitive_attributes` must be an array, found an object"),
        (
            r#""sensitive_attributes": [[{"type": "splat"}]]"#,
            "a step of `sensitive_attributes` is `get_attr` or `index`, not \"splat\"",
        ),
        (
            r#""sensitive_attributes": [[{"type": "get_attr", "value": 7}]]"#,
            "this step of `sensitive_attributes` does not say which attribute, element or key is meant",
        ),
        (r#""attributes_flat": {"a": 1}"#, "a value of `attributes_flat` must be a string, found a number"),
    ] {
        let got = problem(instance(member));
        assert!(got.starts_with("line 3, column ") && got.ends_with(message), "{member}: {got}");
    }
    // All of an instance's problems come together, and those of the others.
    let all = instance(r#""deposed": "x", "status": "y", "private": "z"}, {"index_key": []"#);
    assert_eq!(problem(all).lines().count(), 4);
}

#[test]
fn every_member_of_the_file_is_checked() {
    for (member, message) in [
        (r#""terraform_version": "one""#, "`terraform_version` must be a version such as 1.9.0, found \"one\""),
        (r#""lineage": 7"#, "`lineage` must be a string, found a number"),
        (
            r#""outputs": {"a": {"value": "x", "type": "number"}}"#,
            "the value of output \"a\" is not of its type \"number\": error parsing number: expected a number, found a string that is not a decimal number",
        ),
        (r#""outputs": {"a": {"value": "x", "type": "txt"}}"#, "the `type` of output \"a\" is no type that Terraform knows"),
        (
            r#""check_results": [{"object_kind": "resource", "config_addr": "t.n[0]", "status": "pass", "objects": null}]"#,
            "`config_addr` must be the address of a resource without keys, found \"t.n[0]\"",
        ),
        (
            r#""resources": [{"mode": "managed", "type": "t", "name": "n"}]"#,
            "this resource has no `provider`, so nobody knows whose state it is",
        ),
        (
            r#""resources": [{"module": "mod", "mode": "managed", "type": "t", "name": "n", "provider": "provider.x"}]"#,
            "`module` must be the path of a module such as module.a[0], found \"mod\"",
        ),
    ] {
        let got = problem(format!("{{\"version\": 4, {member}}}"));
        assert!(got.contains(message), "{member}: {got}");
    }
    // Kinds of checks from the future are passed over.
    assert!(StateFile::parse(br#"{"version": 4, "check_results": [{"object_kind": "later", "config_addr": "?"}]}"#).is_ok());
}

/// Not a test of its own: holds the lock that another process of [`a_lock_of_another_process_is_honoured`] asks for.
#[cfg(unix)]
#[test]
#[ignore = "run by the test of locks, in a process of its own"]
fn hold_a_lock() {
    let Some(path) = std::env::var_os("UPSTATE_TEST_LOCK") else { return };
    let file = fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    println!("locked");
    // Until the other process closes the pipe.
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
}

#[cfg(unix)]
#[test]
fn a_lock_of_another_process_is_honoured() {
    use std::io::{BufRead as _, Read as _};
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    fs::write(&path, "old").unwrap();
    // As Terraform does it: a record lock on the state itself.
    let mut holder = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "hold_a_lock", "--ignored", "--nocapture"])
        .env("UPSTATE_TEST_LOCK", &path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = std::io::BufReader::new(holder.stdout.take().unwrap());
    assert!(said.by_ref().lines().map_while(Result::ok).any(|line| line.ends_with("locked")));
    let error = replace(&path, b"old", b"new").unwrap_err();
    assert!(error.to_string().starts_with("Terraform holds its lock; wait until it is done."), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    drop(holder.stdin.take());
    holder.wait().unwrap();
    replace(&path, b"old", b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[cfg(unix)]
#[test]
fn the_lock_is_held_while_a_file_is_worked_on() {
    use upstate::state_file::LockedFile;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terraform.tfstate");
    fs::write(&path, "old").unwrap();
    let info = folder.path().join(".terraform.tfstate.lock.info");
    let file = LockedFile::open(&path).unwrap();
    assert_eq!(file.bytes(), b"old");
    let said: serde_json::Value = serde_json::from_slice(&fs::read(&info).unwrap()).unwrap();
    for name in ["ID", "Operation", "Info", "Who", "Version", "Created", "Path"] {
        assert!(said[name].is_string(), "{name}: {said}");
    }
    // Somebody who does not know of locks writes nevertheless.
    let replacement = file.replacement().unwrap();
    fs::write(&path, "theirs").unwrap();
    assert!(replacement.put_in_place().unwrap_err().to_string().contains("somebody else has changed it"));
    drop(file);
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["terraform.tfstate"]);
}
