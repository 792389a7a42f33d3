//! Members that no schema defines, inside of values that are not shown.

use std::collections::BTreeMap;

use serde_json::Value;
use upstate::{Document, Registry, Resource as _, Union};
use upstate_state::document::Format;

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "safe", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
struct Safe {
    name: String,
    #[attribute(sensitive)]
    lock: Lock,
    #[attribute(sensitive)]
    spares: BTreeMap<String, Lock>,
    pair: (u8, Coded),
    #[attribute(flatten)]
    door: Door,
    #[attribute(flatten)]
    others: BTreeMap<String, Lock>,
    tree: Tree,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Lock {
    size: u32,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Coded {
    #[attribute(sensitive)]
    code: String,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "door")]
enum Door {
    Steel { bolt: Lock },
    Wood { plank: Lock },
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Tree {
    size: u32,
    children: Vec<Tree>,
}

const STORED: &str = r#"{
  "type": "safe",
  "schema_version": 0,
  "title": "x",
  "lock": {"size": 1, "u1": 1},
  "spares": {"hunter2": {"size": 2, "u2": 2}},
  "pair": [1, {"code": "hunter2", "u3": 3}],
  "door": "Steel",
  "bolt": {"size": 3, "u4": 4},
  "other": {"size": 4, "u5": 5},
  "tree": {"size": 5, "children": [{"size": 6, "children": [{"size": 7, "u6": 6, "children": []}], "u7": 7}]}
}"#;

const STORED_AS_TOML: &str = r#"
type = "safe"
schema_version = 0
title = "x"
pair = [1, { code = "hunter2", u3 = 3 }]
door = "Steel"
lock = { size = 1, u1 = 1 }

[spares.hunter2]
size = 2
u2 = 2

[bolt]
size = 3
u4 = 4

[other]
size = 4
u5 = 5

[tree]
size = 5

[[tree.children]]
size = 6
u7 = 7

[[tree.children.children]]
size = 7
u6 = 6
children = []
"#;

fn formats() -> [(Format<'static>, &'static str); 4] {
    [
        (Format::new(), STORED),
        (Format::jsonc(), STORED),
        (Format::yaml(), STORED),
        (Format::toml(), STORED_AS_TOML),
    ]
}

#[test]
fn a_member_inside_of_a_hidden_value_stays() {
    let mut expected: Value = serde_json::from_str(STORED).unwrap();
    let members = expected.as_object_mut().unwrap();
    let name = members.remove("title").unwrap();
    members.insert("name".to_owned(), name);
    members.remove("type");
    members.remove("schema_version");
    for (format, text) in formats() {
        let read = format.read::<Safe>(text.as_bytes()).unwrap();
        assert_eq!(read.undefined().len(), 7, "{:?}", read.undefined());
        let mut changed = read.model().clone();
        changed.name = "y".to_owned();
        let rewrite = format
            .rewrite(&Registry::new().with::<Safe>(), None, text.as_bytes())
            .unwrap()
            .unwrap();
        assert_eq!(
            (rewrite.lost, rewrite.undefined.len()),
            (0, 7),
            "{}",
            String::from_utf8_lossy(&rewrite.bytes)
        );
        let edited = format.edit(text.as_bytes(), &changed).unwrap();
        // Once more, from the version that they are of now.
        let again = format.edit(&edited, &changed).unwrap();
        for (bytes, name) in [(rewrite.bytes, "x"), (edited, "y"), (again, "y")] {
            let attributes: Value =
                serde_json::from_slice(format.parse(&bytes).unwrap().attributes()).unwrap();
            expected["name"] = name.into();
            assert_eq!(attributes, expected, "{}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn nothing_shows_the_path_into_a_hidden_value() {
    for (format, text) in formats() {
        let read = format.read::<Safe>(text.as_bytes()).unwrap();
        let named: Vec<String> = read.undefined().iter().map(ToString::to_string).collect();
        for hidden in ["lock", "spares", "pair[1]"] {
            assert!(
                named
                    .iter()
                    .any(|path| path == hidden || hidden.starts_with(path)),
                "{hidden}: {named:?}"
            );
        }
        let refused = format
            .strict()
            .read::<Safe>(text.as_bytes())
            .unwrap_err()
            .to_string();
        let rewrite = format
            .rewrite(&Registry::new().with::<Safe>(), None, text.as_bytes())
            .unwrap();
        let response = Registry::new()
            .with::<Safe>()
            .upgrade(&format.parse(text.as_bytes()).unwrap().request("safe"));
        for shown in [
            named.join(" "),
            refused,
            format!("{rewrite:?} {response:?}"),
            format!("{:?}", response.undefined_values()),
        ] {
            assert!(
                !shown.contains("hunter2") && !shown.contains("u1") && !shown.contains("u2"),
                "{shown}"
            );
        }
    }
}

/// The file before it is kept only where the new one has less.
#[test]
fn a_file_is_kept_only_where_a_save_loses_a_member() {
    const SAFE: Format<'static> = Format::jsonc();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("safe.json");
    let stored = STORED
        .replace(r#""schema_version": 0"#, r#""schema_version": 1"#)
        .replace("title", "name");
    std::fs::write(&path, &stored).unwrap();
    let backup = folder.path().join("safe.json.v1.backup");
    let mut safe = SAFE.open::<Safe>(&path).unwrap();
    safe.name = "y".to_owned();
    safe.save().unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        stored.replace(r#""x""#, r#""y""#)
    );
    assert!(!backup.exists());
    safe.spares.clear();
    safe.save().unwrap();
    assert_eq!(
        std::fs::read_to_string(&backup).unwrap(),
        stored.replace(r#""x""#, r#""y""#)
    );
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "rack", version = 0)]
struct Rack {
    locks: Vec<Lock>,
    spare: Vec<Vec<Lock>>,
}

type Change = fn(&mut Rack);

const RACK: &str = r#"{
  "type": "rack",
  "schema_version": 0,
  "locks": [
    // one
    {"size": 1, "u1": 1},
    // two
    {"size": 2, "u2": {"x": 2}},
    // three
    {"size": 3}
  ],
  "spare": [[{"size": 4, "u4": 4}], [{"size": 5, "u5": 5}]]
}"#;

const RACK_AS_TOML: &str = r#"type = "rack"
schema_version = 0
spare = [[{ size = 4, u4 = 4 }], [{ size = 5, u5 = 5 }]]

# one
[[locks]]
size = 1
u1 = 1

# two
[[locks]]
size = 2
[locks.u2]
x = 2

# three
[[locks]]
size = 3
"#;

/// An element is found again although it holds more than the model, where others are added or are
/// gone.
#[test]
fn what_no_schema_defines_stays_in_its_element_when_others_come_and_go() {
    let plain = RACK
        .lines()
        .filter(|line| !line.contains("//"))
        .collect::<Vec<_>>()
        .join("\n");
    let formats = [
        (Format::new(), plain.as_str()),
        (Format::jsonc(), RACK),
        (Format::yaml(), plain.as_str()),
        (Format::toml(), RACK_AS_TOML),
    ];
    let lock = |size| Lock { size };
    let changes: [(Change, &[u32]); 4] = [
        (|rack| rack.locks.push(Lock { size: 9 }), &[1, 2, 3, 9]),
        (|rack| rack.locks.insert(0, Lock { size: 9 }), &[9, 1, 2, 3]),
        (|rack| rack.locks.retain(|lock| lock.size != 1), &[2, 3]),
        (|rack| rack.locks.insert(2, Lock { size: 9 }), &[1, 2, 9, 3]),
    ];
    for (format, text) in formats {
        for (change, sizes) in &changes {
            let mut rack = format.read::<Rack>(text.as_bytes()).unwrap().into_model();
            change(&mut rack);
            assert_eq!(
                rack.locks,
                sizes.iter().copied().map(lock).collect::<Vec<_>>()
            );
            rack.spare.push(Vec::new());
            let edited = format.edit(text.as_bytes(), &rack).unwrap();
            let text = String::from_utf8_lossy(&edited).into_owned();
            let attributes: Value =
                serde_json::from_slice(format.parse(&edited).unwrap().attributes()).unwrap();
            for (element, size) in attributes["locks"].as_array().unwrap().iter().zip(*sizes) {
                let expected = match size {
                    1 => serde_json::json!({"size": 1, "u1": 1}),
                    2 => serde_json::json!({"size": 2, "u2": {"x": 2}}),
                    size => serde_json::json!({"size": size}),
                };
                assert_eq!(*element, expected, "{text}");
            }
            let spare = serde_json::json!([[{"size": 4, "u4": 4}], [{"size": 5, "u5": 5}], []]);
            assert_eq!(attributes["spare"], spare, "{text}");
            if text.contains('#') || text.contains("//") {
                for (comment, size) in [("two", '2'), ("three", '3')] {
                    let (_, behind) = text.split_once(comment).unwrap();
                    let (_, behind) = behind.split_once("size").unwrap();
                    assert_eq!(
                        behind.chars().find(char::is_ascii_digit),
                        Some(size),
                        "{text}"
                    );
                }
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "case", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
struct Case {
    name: String,
    #[attribute(flatten, sensitive)]
    door: Door,
    #[attribute(flatten, sensitive)]
    rest: BTreeMap<String, Lock>,
}

/// The values of all members of a flattened enum or map are hidden where its field is; the names
/// are those of the document.
#[test]
fn nothing_shows_what_a_sensitive_flattened_field_holds() {
    let flattened: Vec<bool> = Case::schema()
        .flattened()
        .map(|(_, attribute)| attribute.is_sensitive())
        .collect();
    assert_eq!(flattened, [true, true]);
    let registry = Registry::new().with::<Case>();
    let whole = r#"{"type": "case", "schema_version": 0, "title": "x", "door": "Steel", "bolt": {"size": 3}, "other": {"size": 4}}"#;
    assert!(Format::new().read::<Case>(whole.as_bytes()).is_ok());
    let wrong = [
        whole.replace(": 4", r#": "hunter2""#),
        whole.replace(": 3", r#": "hunter2""#),
        whole.replace("Steel", "hunter2"),
        whole.replace(r#"{"size": 4}"#, r#"{"size": 4, "hunter2": 1}"#),
        whole.replace(r#"{"size": 4}"#, r#""hunter2""#),
    ];
    for text in wrong {
        for format in [
            Format::new(),
            Format::new().strict(),
            Format::jsonc(),
            Format::yaml(),
        ] {
            let read = format.read::<Case>(text.as_bytes());
            let read = match read {
                Ok(read) => read
                    .undefined()
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(" "),
                Err(refused) => format!("{refused} {refused:?}"),
            };
            let response = format
                .parse(text.as_bytes())
                .map(|parsed| registry.upgrade(&parsed.request("case")))
                .ok();
            let rewrite = format.rewrite(&registry, None, text.as_bytes());
            for shown in [read, format!("{response:?}"), format!("{rewrite:?}")] {
                assert!(!shown.contains("hunter2"), "{text}: {shown}");
            }
        }
    }
}
