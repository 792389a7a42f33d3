//! Four releases of a real provider, the first three written with Go's SDK and the last with the
//! framework: imported, locked, compiled and upgraded. `tests/random` says where its schemas and
//! states are from.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use upstate_compat::import::{ReleasedSchemas, models};
use upstate_compat::lock::Lock;

use crate::pinned::Folder;

const RELEASES: [(&str, &str); 4] = [
    ("2.3.1", include_str!("../../random/2.3.1.json")),
    ("3.2.0", include_str!("../../random/3.2.0.json")),
    ("3.3.2", include_str!("../../random/3.3.2.json")),
    ("3.9.0", include_str!("../../random/3.9.0.json")),
];

/// What an author has to write: no schema says what the provider's upgraders do. By file, what is
/// proposed and what is written in its place.
const WRITTEN: [(&str, &str, &str); 4] = [
    (
        "random_password.rs",
        "    set(numeric = null),\n",
        "    copy(number => numeric),\n",
    ),
    (
        "random_password.rs",
        "#[upgrade_from(2 => 3, carry)]\n",
        // What was imported by a release before 3.3.2 has nothing but its result.
        "#[upgrade_from(2 => 3,\n    default(lower = true), default(number = true), default(numeric = true), default(special = true), \
         default(upper = true),\n    default(min_lower = 0), default(min_numeric = 0), default(min_special = 0), default(min_upper = 0),\n    \
         only_if(lacks(length), copy(result => length, declassified = \"the length is public\"), convert(length, length), default(length = 0)),\n)]\n",
    ),
    (
        "random_string.rs",
        "    set(numeric = null),\n",
        "    fill(number => numeric, with = numeric),\n    default(lower = true), default(number = true), default(special = true), \
         default(upper = true),\n    default(min_lower = 0), default(min_numeric = 0), default(min_special = 0), default(min_upper = 0),\n    \
         only_if(lacks(length), copy(result => length), convert(length, length), default(length = 0)),\n",
    ),
    (
        "random_string.rs",
        "#[derive(",
        "fn numeric(number: Option<bool>) -> Result<bool, String> {\n    Ok(number.unwrap_or(true))\n}\n\n#[derive(",
    ),
];

/// Upgrades each line of its input, a type name, a version and a state, into the state of today and
/// the paths that no schema defines.
const PROGRAM: &str = r#"mod models;

fn main() {
    let registry = models::registry();
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let [type_name, version, state] = line.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        let response = registry.upgrade(&upstate::UpgradeRequest::json(type_name, version.parse().unwrap(), state.as_bytes()));
        match response.state() {
            Some(state) => println!("{} {:?}", String::from_utf8_lossy(state), response.undefined().iter().map(ToString::to_string).collect::<Vec<_>>()),
            None => println!("{}", response.diagnostics().to_string().replace('\n', " ")),
        }
    }
}
"#;

#[test]
fn four_releases_are_imported_locked_compiled_and_upgraded() {
    let parsed = RELEASES.map(|(release, json)| {
        ReleasedSchemas::parse(release.parse().unwrap(), json.as_bytes(), None).unwrap()
    });
    let imported = models(&parsed, |_| true);
    assert_eq!(imported.left_out, []);
    let reshaped = [(
        "random_id".to_owned(),
        "Before release 3.2.0, version 0 was stored with another shape: `b64` is gone, which was \"string\".".to_owned(),
    )];
    assert_eq!(imported.reshaped, reshaped);
    let mut files: BTreeMap<String, String> = imported
        .files
        .into_iter()
        .map(|file| (file.name, file.text))
        .collect();
    assert_eq!(files.len(), 11, "{:?}", files.keys());
    let password = &files["random_password.rs"];
    assert!(
        password.contains("since(\"2.3.1\" => 0, \"3.2.0\" => 1, \"3.3.2\" => 2, \"3.9.0\" => 3)"),
        "{password}"
    );

    let mut lock = Lock::default();
    for (release, json) in RELEASES {
        lock.import(json.as_bytes(), None, release.parse().unwrap())
            .unwrap();
    }
    let lock = Lock::parse(&lock.to_string()).unwrap();
    assert_eq!(
        lock.releases(),
        RELEASES.map(|(release, _)| release.parse().unwrap())
    );
    let stored =
        RELEASES.map(|(release, _)| lock.versions_at(&release.parse().unwrap())["random_password"]);
    assert_eq!(stored, [0, 1, 2, 3]);
    assert_eq!(
        lock.get("random_id", 0)
            .unwrap()
            .resource()
            .alternatives
            .len(),
        1
    );

    // What is proposed compiles before an author has written anything.
    let folder = Folder::locked(&lock.to_string());
    folder.write("a/src/lib.rs", "");
    folder.write("a/src/main.rs", PROGRAM);
    let write = |files: &BTreeMap<String, String>| {
        for (name, text) in files {
            folder.write(&format!("a/src/models/{name}"), text);
        }
    };
    write(&files);
    assert_eq!(folder.check("a"), "");

    for (file, proposed, written) in WRITTEN {
        let text = files.get_mut(file).unwrap();
        assert_eq!(text.matches(proposed).count(), 1, "{proposed:?} in {text}");
        *text = text.replace(proposed, written);
    }
    write(&files);
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../random/states.json")).unwrap();
    // What a release stored becomes what 3.9.0 stores, which is read as it is.
    let mut upgrades: Vec<(&Value, String, &Value, &Value, Value)> = Vec::new();
    for case in &cases {
        let [type_name, upgraded] = [&case["type"], &case["upgraded"]];
        let today = lock.versions_at(&"3.9.0".parse().unwrap())[type_name.as_str().unwrap()];
        upgrades.push((
            type_name,
            case["version"].to_string(),
            &case["state"],
            upgraded,
            case["left_out"].clone(),
        ));
        upgrades.push((type_name, today.to_string(), upgraded, upgraded, json!([])));
    }
    let input = upgrades.iter().map(|(type_name, version, state, ..)| {
        format!("{} {version} {state}\n", type_name.as_str().unwrap())
    });
    let printed = folder.run("a", &input.collect::<String>());
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), upgrades.len(), "{printed}");
    for ((type_name, version, state, upgraded, left_out), line) in upgrades.into_iter().zip(lines) {
        let mut values = serde_json::Deserializer::from_str(line).into_iter::<Value>();
        let found = [values.next(), values.next()].map(|value| value.and_then(Result::ok));
        assert_eq!(
            found,
            [Some(upgraded.clone()), Some(left_out)],
            "{type_name} {version} {state}: {line}"
        );
    }
}
