//! Members that no schema defines, and comments, beside elements and entries that change places.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use upstate::{Document, Union};
use upstate_state::document::Format;

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "gallery", version = 0)]
struct Gallery {
    history: Vec<Theme>,
    servers: BTreeMap<String, Server>,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind")]
enum Theme {
    Plain,
    Custom {
        accent: String,
        #[attribute(default)]
        width: u8,
    },
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Server {
    address: String,
}

/// No width is stored, so that no stored element is all that the model writes.
const GALLERY: &str = r##"{
  "type": "gallery",
  "schema_version": 0,
  "history": [
    {"kind": "Plain", "glow": "P"},
    {"kind": "Custom", "accent": "#2", "glow": "C"},
    {"kind": "Custom", "accent": "#3", "glow": "D"}
  ],
  "servers": {"a": {"address": "seven", "rack": "r7"}, "b": {"address": "eight", "rack": "r8"}}
}"##;

const GALLERY_AS_TOML: &str = r##"type = "gallery"
schema_version = 0

# first
[[history]]
kind = "Plain"
glow = "P" # p

# second
[[history]]
kind = "Custom" # k
accent = "#2"
glow = "C" # c

# third
[[history]]
kind = "Custom"
accent = "#3"
glow = "D" # d

# one
[servers.a]
address = "seven" # seven
rack = "r7"

[servers.b]
address = "eight"
rack = "r8"
"##;

const FORMATS: [(Format<'static>, &str); 4] = [
    (Format::new(), GALLERY),
    (Format::jsonc(), GALLERY),
    (Format::yaml(), GALLERY),
    (Format::toml(), GALLERY_AS_TOML),
];

fn custom(accent: &str) -> Theme {
    Theme::Custom {
        accent: accent.to_owned(),
        width: 0,
    }
}

fn attributes(format: Format<'_>, document: &[u8]) -> Value {
    serde_json::from_slice(format.parse(document).unwrap().attributes()).unwrap()
}

type Change = fn(&mut Gallery);

/// The text of the edited document, and the accent and glow of each of its elements.
fn edited(format: Format<'_>, text: &str, change: Change) -> (String, Vec<(Value, Value)>) {
    let mut gallery = format
        .read::<Gallery>(text.as_bytes())
        .unwrap()
        .into_model();
    change(&mut gallery);
    let edited = format.edit(text.as_bytes(), &gallery).unwrap();
    let history = attributes(format, &edited)["history"].take();
    let elements = history.as_array().unwrap().iter();
    let found = elements
        .map(|element| (element["accent"].clone(), element["glow"].clone()))
        .collect();
    (String::from_utf8_lossy(&edited).into_owned(), found)
}

/// The known and the unknown member of each element.
type Marks = Vec<(Value, Value)>;

#[test]
fn what_no_schema_defines_goes_along_with_its_element() {
    let p = || (Value::Null, json!("P"));
    let c = || (json!("#2"), json!("C"));
    let d = || (json!("#3"), json!("D"));
    let new = || (json!("#new"), Value::Null);
    let changes: [(&str, Change, Marks); 12] = [
        ("nothing", |_| {}, vec![p(), c(), d()]),
        ("swap", |all| all.history.swap(1, 2), vec![p(), d(), c()]),
        ("first", |all| all.history.swap(0, 1), vec![c(), p(), d()]),
        ("reverse", |all| all.history.reverse(), vec![d(), c(), p()]),
        (
            "rotate",
            |all| all.history.rotate_left(1),
            vec![c(), d(), p()],
        ),
        (
            "move",
            |all| {
                let last = all.history.remove(2);
                all.history.insert(1, last);
            },
            vec![p(), d(), c()],
        ),
        (
            "remove and push",
            |all| {
                all.history.remove(1);
                all.history.push(custom("#new"));
            },
            vec![p(), d(), new()],
        ),
        ("remove", |all| drop(all.history.remove(1)), vec![p(), d()]),
        (
            "insert",
            |all| all.history.insert(0, custom("#new")),
            vec![new(), p(), c(), d()],
        ),
        (
            "edit",
            |all| all.history[1] = custom("#4"),
            vec![p(), (json!("#4"), json!("C")), d()],
        ),
        (
            "push and swap",
            |all| {
                all.history.push(custom("#new"));
                all.history.swap(1, 2);
            },
            vec![p(), d(), c(), new()],
        ),
        // The new element takes nothing, because either of the two may have been edited.
        (
            "edit and remove",
            |all| {
                all.history[1] = custom("#new");
                all.history.remove(0);
            },
            vec![new(), d()],
        ),
    ];
    for (format, text) in FORMATS {
        for (name, change, expected) in &changes {
            let (text, found) = edited(format, text, *change);
            assert_eq!(found, *expected, "{name}: {text}");
        }
    }
}

#[test]
fn comments_of_toml_go_along_with_their_element() {
    let changes: [Change; 4] = [
        |all| all.history.swap(1, 2),
        |all| all.history.reverse(),
        |all| all.history.rotate_left(1),
        |all| {
            all.history.remove(0);
            all.history.push(custom("#new"));
        },
    ];
    for change in changes {
        let (text, _) = edited(Format::toml(), GALLERY_AS_TOML, change);
        for table in [
            "# second\n[[history]]\nkind = \"Custom\" # k\naccent = \"#2\"\nglow = \"C\" # c\n",
            "# third\n[[history]]\nkind = \"Custom\"\naccent = \"#3\"\nglow = \"D\" # d\n",
        ] {
            assert!(text.contains(table), "{text}");
        }
    }
}

#[test]
fn what_no_schema_defines_goes_along_with_the_entry_that_has_another_key() {
    for (format, text) in FORMATS {
        let (text, _) = edited(format, text, |all| {
            let seven = all.servers.remove("a").unwrap();
            all.servers.insert("c".to_owned(), seven);
        });
        let servers = attributes(format, text.as_bytes())["servers"].take();
        assert_eq!(
            servers,
            json!({
                "b": {"address": "eight", "rack": "r8"},
                "c": {"address": "seven", "rack": "r7"},
            }),
            "{text}"
        );
        assert!(!text.contains("# ") || text.contains("# seven"), "{text}");
    }
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "plan", version = 1)]
#[upgrade_from(0 => 1, convert(steps: Vec<u32>, with = from_one))]
struct Plan {
    title: String,
    steps: Vec<u32>,
}

fn from_one(steps: Vec<u32>) -> Vec<u32> {
    steps.into_iter().map(|step| step + 1).collect()
}

/// The upgrade makes the first element what the second one was.
#[test]
fn comments_stay_beside_elements_that_an_upgrade_changed() {
    let stored = "type = \"plan\"\nschema_version = 0\ntitle = \"x\"\nsteps = [\n    0, # a\n    1, # b\n]\n";
    let mut plan: Plan = Format::toml().from_slice(stored.as_bytes()).unwrap();
    plan.title = "y".to_owned();
    let edited = Format::toml().edit(stored.as_bytes(), &plan).unwrap();
    assert_eq!(
        String::from_utf8(edited).unwrap(),
        "type = \"plan\"\nschema_version = 1\ntitle = \"y\"\nsteps = [\n    1, # a\n    2, # b\n]\n"
    );
}

/// Those of JSON stay where they are, but for those of an element that is gone.
#[test]
fn comments_of_json_go_with_the_element_that_is_gone() {
    let stored = "{\n  \"type\": \"plan\",\n  \"schema_version\": 1,\n  \"title\": \"x\",\n  \"steps\": [\n    1, // a\n    2, // b\n    3 // c\n  ]\n}\n";
    let mut plan: Plan = Format::jsonc().from_slice(stored.as_bytes()).unwrap();
    plan.steps = vec![3, 1];
    let edited = Format::jsonc().edit(stored.as_bytes(), &plan).unwrap();
    let text = String::from_utf8(edited).unwrap();
    for line in ["    3, // a\n", "    1 // c\n"] {
        assert!(text.contains(line), "{text}");
    }
    assert!(!text.contains("// b"), "{text}");
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "shelf", version = 0)]
struct Shelf {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Document)]
struct Part {
    id: u32,
    #[attribute(default)]
    count: u32,
}

fn change(parts: &mut Vec<Part>, (kind, at, to): (u8, usize, usize), number: u32) {
    if kind == 0 {
        let place = at % (parts.len() + 1);
        parts.insert(
            place,
            Part {
                id: 100 + number,
                count: 0,
            },
        );
        return;
    }
    if parts.is_empty() {
        return;
    }
    let (at, to) = (at % parts.len(), to % parts.len());
    match kind {
        1 => {
            parts.remove(at);
        }
        2 => parts.swap(at, to),
        3 => parts.rotate_left(at),
        4 => parts.reverse(),
        5 => parts[at].count = 100 + number,
        _ => parts[at].id = 200 + number,
    }
}

#[test]
fn an_edited_element_is_found_by_its_key_where_another_one_is_gone() {
    let stored = r#"{"type":"shelf","schema_version":0,"parts":[{"id":1,"mark":"a"},{"id":2,"mark":"b"},{"id":3,"mark":"c"}]}"#;
    for format in [Format::new(), Format::jsonc(), Format::yaml()] {
        let mut shelf: Shelf = format.from_slice(stored.as_bytes()).unwrap();
        shelf.parts[2].count = 7;
        shelf.parts.remove(0);
        let edited = format.edit(stored.as_bytes(), &shelf).unwrap();
        let parts = attributes(format, &edited)["parts"].take();
        let parts = parts.as_array().unwrap().iter();
        let marks: Vec<_> = parts.map(|part| (&part["id"], &part["mark"])).collect();
        let expected = [(json!(2), json!("b")), (json!(3), json!("c"))];
        let expected: Vec<_> = expected.iter().map(|(id, mark)| (id, mark)).collect();
        assert_eq!(marks, expected);
    }
}

#[test]
fn elements_that_are_numbered_again_are_found_by_their_keys() {
    let stored = r#"{"type":"shelf","schema_version":0,"parts":[{"id":7,"count":0,"mark":"a"},{"id":5,"count":1,"mark":"b"},{"id":9,"count":2,"mark":"c"}]}"#;
    for format in [Format::new(), Format::jsonc(), Format::yaml()] {
        for (is_removed, expected) in [(true, vec!["b", "c"]), (false, vec!["b", "c", "a"])] {
            let mut shelf: Shelf = format.from_slice(stored.as_bytes()).unwrap();
            shelf.parts.rotate_left(1);
            if is_removed {
                shelf.parts.pop();
            }
            for (count, part) in (0..).zip(&mut shelf.parts) {
                part.count = count;
            }
            let edited = format.edit(stored.as_bytes(), &shelf).unwrap();
            let parts = attributes(format, &edited)["parts"].take();
            let parts = parts.as_array().unwrap().iter();
            let marks: Vec<&str> = parts.filter_map(|part| part["mark"].as_str()).collect();
            assert_eq!(marks, expected, "{}", String::from_utf8_lossy(&edited));
        }
    }
}

#[test]
fn an_added_element_takes_nothing_of_the_one_before_it() {
    let stored = r#"{"type":"shelf","schema_version":0,"parts":[{"id":1,"mark":"a"},{"id":2,"mark":"b"},{"id":3,"mark":"c"}]}"#;
    let as_toml = "type = \"shelf\"\nschema_version = 0\n[[parts]]\nid = 1\nmark = \"a\"\n# two\n[[parts]]\nid = 2 # 2\nmark = \"b\"\n[[parts]]\nid = 3\nmark = \"c\"\n";
    for (format, stored) in [
        (Format::new(), stored),
        (Format::jsonc(), stored),
        (Format::yaml(), stored),
        (Format::toml(), as_toml),
    ] {
        let mut shelf: Shelf = format.from_slice(stored.as_bytes()).unwrap();
        shelf.parts[1] = Part { id: 9, count: 0 };
        let edited = format.edit(stored.as_bytes(), &shelf).unwrap();
        let parts = attributes(format, &edited)["parts"].take();
        let parts = parts.as_array().unwrap().iter();
        let marks: Vec<Value> = parts.map(|part| part["mark"].clone()).collect();
        let text = String::from_utf8(edited).unwrap();
        assert_eq!(marks, [json!("a"), Value::Null, json!("c")], "{text}");
        assert!(!text.contains("# two") && !text.contains("# 2"), "{text}");
    }
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "box", version = 0)]
struct Parts {
    parts: BTreeSet<Part>,
}

#[test]
fn an_element_of_a_set_takes_nothing_of_another_one() {
    let stored = r#"{"type":"box","schema_version":0,"parts":[{"id":1,"count":1,"mark":"a"},{"id":2,"count":2,"mark":"b"}]}"#;
    for format in [Format::new(), Format::jsonc(), Format::yaml()] {
        let mut parts: Parts = format.from_slice(stored.as_bytes()).unwrap();
        parts.parts.pop_last();
        parts.parts.insert(Part { id: 9, count: 9 });
        let edited = format.edit(stored.as_bytes(), &parts).unwrap();
        let parts = attributes(format, &edited)["parts"].take();
        let parts = parts.as_array().unwrap().iter();
        let marks: Vec<Value> = parts.map(|part| part["mark"].clone()).collect();
        assert_eq!(marks, [json!("a"), Value::Null]);
    }
}

proptest! {
    /// Each element that is still as it was read has its own member beside it, whatever became of
    /// the others, one that was edited never has that of another, and a new one has none.
    #[test]
    fn no_element_takes_what_another_has(
        length in 0_u32..7,
        changes in proptest::collection::vec((0_u8..7, any::<usize>(), any::<usize>()), 0..6),
    ) {
        let stored: Vec<Value> = (0..length)
            .map(|id| match id % 3 {
                0 => json!({"id": id, "mark": id}),
                _ => json!({"id": id, "count": id, "mark": id}),
            })
            .collect();
        let stored = json!({"type": "shelf", "schema_version": 0, "parts": stored}).to_string();
        let mut shelf: Shelf = Format::new().from_slice(stored.as_bytes()).unwrap();
        let read: BTreeSet<Part> = shelf.parts.iter().cloned().collect();
        let as_toml = {
            let mut text = "type = \"shelf\"\nschema_version = 0\n".to_owned();
            for part in &shelf.parts {
                let count = match part.count {
                    0 => String::new(),
                    count => format!("count = {count}\n"),
                };
                let id = part.id;
                text.extend(["[[parts]]\nid = ", &id.to_string(), "\n", &count]);
                text.extend(["mark = ", &id.to_string(), "\n"]);
            }
            if shelf.parts.is_empty() { text + "parts = []\n" } else { text }
        };
        for (number, one) in (0..).zip(changes) {
            change(&mut shelf.parts, one, number);
        }
        for (format, text) in [
            (Format::new(), &stored),
            (Format::jsonc(), &stored),
            (Format::yaml(), &stored),
            (Format::toml(), &as_toml),
        ] {
            let edited = format.edit(text.as_bytes(), &shelf).unwrap();
            let now = attributes(format, &edited)["parts"].take();
            let now = now.as_array().unwrap();
            prop_assert_eq!(now.len(), shelf.parts.len());
            for (part, element) in shelf.parts.iter().zip(now) {
                let id = Some(u64::from(part.id));
                prop_assert_eq!(element["id"].as_u64(), id);
                let (mark, edited) = (element["mark"].as_u64(), String::from_utf8_lossy(&edited));
                if read.contains(part) {
                    prop_assert_eq!(mark, id, "{}", edited);
                } else {
                    prop_assert!(mark.is_none() || part.id < 100 && mark == id, "{}", edited);
                }
            }
        }
    }
}
