//! Members that no schema defines, and comments, beside elements and entries that change places.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use upstate::{Document, Registry, Union};
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

/// The mark beside each part, by its id and its count.
fn marks(format: Format<'_>, document: &[u8]) -> BTreeSet<(u64, u64, String)> {
    let parts = attributes(format, document)["parts"].take();
    let parts = parts.as_array().unwrap().iter();
    let number = |part: &Value, name: &str| part[name].as_u64().unwrap();
    parts
        .map(|part| {
            let mark = part["mark"].as_str().unwrap_or_default();
            (number(part, "id"), number(part, "count"), mark.to_owned())
        })
        .collect()
}

/// Parts with a member that syntaxes without null leave out.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "case", version = 0)]
struct Tools {
    parts: BTreeSet<Tool>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Document)]
struct Tool {
    id: u32,
    count: u32,
    note: Option<String>,
}

#[test]
fn an_edited_element_of_a_set_is_found_by_its_key_where_a_null_is_absent() {
    let stored =
        "type = \"case\"\nschema_version = 0\n[[parts]]\nid = 1\ncount = 1\nmark = \"a\"\n";
    let mut tools: Tools = Format::toml().from_slice(stored.as_bytes()).unwrap();
    let mut tool = tools.parts.pop_first().unwrap();
    tool.count = 7;
    tools.parts.insert(tool);
    let edited = Format::toml().edit(stored.as_bytes(), &tools).unwrap();
    assert_eq!(
        String::from_utf8(edited).unwrap(),
        stored.replace("count = 1", "count = 7")
    );
}

#[test]
fn an_edited_element_of_a_set_is_found_by_its_key() {
    let stored = r#"{"type":"box","schema_version":0,"parts":[{"id":1,"count":1,"mark":"a"},{"id":2,"count":2,"mark":"b"},{"id":2,"count":3,"mark":"c"}]}"#;
    let as_toml = "type = \"box\"\nschema_version = 0\n[[parts]]\nid = 1\ncount = 1\nmark = \"a\"\n# two\n[[parts]]\nid = 2\ncount = 2\nmark = \"b\"\n[[parts]]\nid = 2\ncount = 3\nmark = \"c\"\n";
    for (format, stored) in [
        (Format::new(), stored),
        (Format::jsonc(), stored),
        (Format::yaml(), stored),
        (Format::toml(), as_toml),
    ] {
        let read: Parts = format.from_slice(stored.as_bytes()).unwrap();
        let part = |id, count| Part { id, count };
        // By its own id, and by one that another element has too.
        for (was, now, expected) in [
            (
                part(1, 1),
                part(1, 9),
                [(1, 9, "a"), (2, 2, "b"), (2, 3, "c")],
            ),
            (
                part(2, 2),
                part(2, 9),
                [(1, 1, "a"), (2, 3, "c"), (2, 9, "b")],
            ),
            (
                part(2, 2),
                part(7, 2),
                [(1, 1, "a"), (2, 3, "c"), (7, 2, "")],
            ),
        ] {
            let mut parts = read.clone();
            assert!(parts.parts.remove(&was));
            parts.parts.insert(now);
            let edited = format.edit(stored.as_bytes(), &parts).unwrap();
            let expected = expected.map(|(id, count, mark)| (id, count, mark.to_owned()));
            let text = String::from_utf8_lossy(&edited);
            assert_eq!(marks(format, &edited), BTreeSet::from(expected), "{text}");
        }
    }
}

/// The upgrade sorts its sailors, and changes each.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "crew", version = 1)]
#[upgrade_from(0, model = CrewV0)]
struct Crew {
    ship: String,
    sailors: Vec<Sailor>,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Sailor {
    name: String,
    rank: u32,
}

#[derive(Debug, Document)]
#[document(type_name = "crew", version = 0, prior)]
struct CrewV0 {
    ship: String,
    sailors: Vec<SailorV0>,
}

#[derive(Debug, Document)]
struct SailorV0 {
    name: String,
    rank: String,
}

impl From<CrewV0> for Crew {
    fn from(prior: CrewV0) -> Self {
        let sailor = |SailorV0 { name, rank }: SailorV0| Sailor {
            name,
            rank: u32::try_from(rank.len()).unwrap_or(u32::MAX),
        };
        let mut sailors: Vec<Sailor> = prior.sailors.into_iter().map(sailor).collect();
        sailors.sort_by(|one, other| one.name.cmp(&other.name));
        Self {
            ship: prior.ship,
            sailors,
        }
    }
}

#[test]
fn elements_that_an_upgrade_sorts_and_changes_are_found_by_their_names() {
    let stored = r#"{"type":"crew","schema_version":0,"ship":"x","sailors":[{"name":"c","rank":"mate","mark":"C"},{"name":"a","rank":"cook","mark":"A"},{"name":"b","rank":"ab","mark":"B"}]}"#;
    let as_toml = "type = \"crew\"\nschema_version = 0\nship = \"x\"\n[[sailors]]\nname = \"c\"\nrank = \"mate\"\nmark = \"C\"\n[[sailors]]\nname = \"a\" # ann\nrank = \"cook\"\nmark = \"A\"\n[[sailors]]\nname = \"b\"\nrank = \"ab\"\nmark = \"B\"\n";
    for (format, stored) in [
        (Format::new(), stored),
        (Format::jsonc(), stored),
        (Format::yaml(), stored),
        (Format::toml(), as_toml),
    ] {
        let registry = Registry::new().with::<Crew>();
        let rewrite = format.rewrite(&registry, None, stored.as_bytes()).unwrap();
        let mut crew: Crew = format.from_slice(stored.as_bytes()).unwrap();
        crew.ship = "y".to_owned();
        let edited = format.edit(stored.as_bytes(), &crew).unwrap();
        for document in [rewrite.unwrap().bytes, edited] {
            let sailors = attributes(format, &document)["sailors"].take();
            assert_eq!(
                sailors,
                json!([
                    {"name": "a", "rank": 4, "mark": "A"},
                    {"name": "b", "rank": 2, "mark": "B"},
                    {"name": "c", "rank": 4, "mark": "C"},
                ])
            );
            let text = String::from_utf8(document).unwrap();
            assert!(
                !text.contains('#') || text.contains("name = \"a\" # ann\n"),
                "{text}"
            );
        }
    }
}

/// A crew of the earlier version, with a mark beside each sailor.
fn stored_crew(names: &[String], in_toml: bool) -> String {
    let sailors = names.iter().map(|name| {
        if in_toml {
            format!("[[sailors]]\nname = \"{name}\"\nrank = \"ab\"\nmark = \"{name}\"\n")
        } else {
            format!(r#"{{"name":"{name}","rank":"ab","mark":"{name}"}}"#)
        }
    });
    let sailors: Vec<String> = sailors.collect();
    if in_toml {
        let sailors = sailors.concat();
        format!("type = \"crew\"\nschema_version = 0\nship = \"x\"\n{sailors}")
    } else {
        let sailors = sailors.join(",");
        format!(r#"{{"type":"crew","schema_version":0,"ship":"x","sailors":[{sailors}]}}"#)
    }
}

/// The name of each sailor, and its mark.
fn marked(format: Format<'_>, document: &[u8]) -> Vec<[String; 2]> {
    let sailors = attributes(format, document)["sailors"].take();
    let sailors = sailors.as_array().unwrap().iter();
    let text = |sailor: &Value, name: &str| sailor[name].as_str().unwrap_or_default().to_owned();
    sailors
        .map(|sailor| [text(sailor, "name"), text(sailor, "mark")])
        .collect()
}

#[test]
fn each_of_many_elements_that_an_upgrade_sorts_is_found_by_its_name() {
    let registry = Registry::new().with::<Crew>();
    let mut names: Vec<String> = (0..1_000).map(|index| format!("s{index:03}")).collect();
    let expected: Vec<[String; 2]> = names
        .iter()
        .map(|name| [name.clone(), name.clone()])
        .collect();
    names.reverse();
    for (format, in_toml) in [
        (Format::new(), false),
        (Format::jsonc(), false),
        (Format::toml(), true),
    ] {
        let stored = stored_crew(&names, in_toml);
        let rewrite = format.rewrite(&registry, None, stored.as_bytes()).unwrap();
        let rewrite = rewrite.unwrap();
        assert_eq!(rewrite.lost, 0);
        assert!(marked(format, &rewrite.bytes) == expected);
    }
}

#[test]
fn elements_that_an_upgrade_sorts_are_found_though_others_come_or_go() {
    let names = ["c", "a", "b"].map(str::to_owned);
    let sailor = |name: &str| Sailor {
        name: name.to_owned(),
        rank: 9,
    };
    for (format, in_toml) in [
        (Format::new(), false),
        (Format::jsonc(), false),
        (Format::yaml(), false),
        (Format::toml(), true),
    ] {
        let stored = stored_crew(&names, in_toml);
        let edited = |change: &dyn Fn(&mut Vec<Sailor>)| {
            let mut crew: Crew = format.from_slice(stored.as_bytes()).unwrap();
            change(&mut crew.sailors);
            let edited = format.edit(stored.as_bytes(), &crew).unwrap();
            marked(format, &edited)
        };
        let fewer = edited(&|sailors| drop(sailors.remove(0)));
        assert_eq!(fewer, [["b", "b"], ["c", "c"]]);
        let more = edited(&|sailors| sailors.insert(1, sailor("aa")));
        assert_eq!(more, [["a", "a"], ["aa", ""], ["b", "b"], ["c", "c"]]);
    }
}

/// The upgrade numbers its tracks again, in their order.
#[derive(Debug, Document)]
#[document(type_name = "album", version = 1)]
#[upgrade_from(0, model = AlbumV0)]
struct Album {
    tracks: Vec<Track>,
}

#[derive(Debug, Document)]
struct Track {
    id: u32,
    title: String,
}

#[derive(Debug, Document)]
#[document(type_name = "album", version = 0, prior)]
struct AlbumV0 {
    tracks: Vec<Track>,
}

impl From<AlbumV0> for Album {
    fn from(prior: AlbumV0) -> Self {
        let numbered = (1..).zip(prior.tracks);
        Self {
            tracks: numbered
                .map(|(id, Track { title, .. })| Track { id, title })
                .collect(),
        }
    }
}

#[test]
fn elements_that_an_upgrade_numbers_again_are_not_found_by_number_though_others_go() {
    let stored = r#"{"type":"album","schema_version":0,"tracks":[{"id":3,"title":"c","mark":"C"},{"id":1,"title":"a","mark":"A"},{"id":2,"title":"b","mark":"B"}]}"#;
    let as_toml = "type = \"album\"\nschema_version = 0\n[[tracks]]\nid = 3\ntitle = \"c\"\nmark = \"C\"\n[[tracks]]\nid = 1\ntitle = \"a\"\nmark = \"A\"\n[[tracks]]\nid = 2\ntitle = \"b\"\nmark = \"B\"\n";
    for (format, stored) in [
        (Format::new(), stored),
        (Format::jsonc(), stored),
        (Format::yaml(), stored),
        (Format::toml(), as_toml),
    ] {
        let mut album: Album = format.from_slice(stored.as_bytes()).unwrap();
        album.tracks.remove(0);
        let edited = format.edit(stored.as_bytes(), &album).unwrap();
        assert_eq!(
            attributes(format, &edited)["tracks"],
            json!([
                {"id": 2, "title": "a", "mark": "A"},
                {"id": 3, "title": "b", "mark": "B"},
            ])
        );
    }
}

/// The upgrade numbers its songs again, in their order, and changes each title.
#[derive(Debug, Document)]
#[document(type_name = "queue", version = 1)]
#[upgrade_from(0, model = QueueV0)]
struct Queue {
    songs: Vec<Track>,
}

#[derive(Debug, Document)]
#[document(type_name = "queue", version = 0, prior)]
struct QueueV0 {
    songs: Vec<Track>,
}

impl From<QueueV0> for Queue {
    fn from(prior: QueueV0) -> Self {
        let song = |(id, song): (u32, Track)| Track {
            id,
            title: song.title.to_uppercase(),
        };
        Self {
            songs: (1..).zip(prior.songs).map(song).collect(),
        }
    }
}

#[test]
fn what_may_be_beside_another_element_by_now_is_lost_and_not_moved() {
    let registry = Registry::new().with::<Queue>();
    let json = |ids: [u8; 3]| {
        let songs = ids.map(|id| format!(r#"{{"id":{id},"title":"t{id}","mark":{id}}}"#));
        let songs = songs.join(",");
        format!(r#"{{"type":"queue","schema_version":0,"songs":[{songs}]}}"#)
    };
    let toml = |ids: [u8; 3]| {
        let song = |id| format!("[[songs]]\nid = {id}\ntitle = \"t{id}\"\nmark = {id}\n");
        let songs = ids.map(song).concat();
        format!("type = \"queue\"\nschema_version = 0\n{songs}")
    };
    for format in [
        Format::new(),
        Format::jsonc(),
        Format::yaml(),
        Format::toml(),
    ] {
        let is_toml = format == Format::toml();
        for (ids, lost, expected) in [
            // Either of 1 and 3 may be the first one now.
            ([3, 2, 1], 2, [None, Some(2), None]),
            ([1, 2, 3], 0, [Some(1), Some(2), Some(3)]),
        ] {
            let stored = if is_toml { toml(ids) } else { json(ids) };
            let rewrite = format.rewrite(&registry, None, stored.as_bytes());
            let rewrite = rewrite.unwrap().unwrap();
            assert_eq!(rewrite.lost, lost, "{stored}");
            let songs = attributes(format, &rewrite.bytes)["songs"].take();
            let marks: Vec<Option<u64>> = songs
                .as_array()
                .unwrap()
                .iter()
                .map(|song| song["mark"].as_u64())
                .collect();
            assert_eq!(marks, expected, "{stored}");
        }
    }
}

#[test]
fn comments_of_elements_that_may_be_others_by_now_are_named() {
    let registry = Registry::new().with::<Queue>();
    let toml = "type = \"queue\"\nschema_version = 0\n[[songs]] # s3\nid = 3\ntitle = \"t3\"\n[[songs]] # s2\nid = 2\ntitle = \"t2\"\n[[songs]] # s1\nid = 1\ntitle = \"t1\"\n";
    let jsonc = "{\n  \"type\": \"queue\",\n  \"schema_version\": 0,\n  \"songs\": [\n    { // s3\n      \"id\": 3, \"title\": \"// s3\" },\n    { // s2\n      \"id\": 2, \"title\": \"t2\" },\n    { // s1\n      \"id\": 1, \"title\": \"t1\" }\n  ]\n}\n";
    for (format, stored, named) in [
        (
            Format::toml(),
            toml,
            "about: `songs[0]` (line 3), `songs[2]` (line 9).",
        ),
        (
            Format::jsonc(),
            jsonc,
            "about: `songs[0].id` (line 5), `songs[2].id` (line 9).",
        ),
    ] {
        let rewrite = format.rewrite(&registry, None, stored.as_bytes());
        let rewrite = rewrite.unwrap().unwrap();
        let text = String::from_utf8(rewrite.bytes).unwrap();
        assert!(text.contains(" s2\n") && !text.contains(" s1\n"), "{text}");
        let warnings = rewrite.warnings.to_string();
        assert!(
            warnings.starts_with("warning: Comment Lost") && warnings.contains(named),
            "{warnings}"
        );
    }
}

#[derive(Debug, Document)]
#[document(type_name = "trunk", version = 1)]
#[upgrade_from(0 => 1, nest(root => parts))]
struct Trunk {
    parts: Branches,
}

#[derive(Debug, Document)]
struct Branches {
    root: Root,
}

#[derive(Debug, Document)]
struct Root {
    age: u8,
}

#[test]
fn what_no_schema_defines_goes_along_into_another_object() {
    let stored = r#"{"type":"trunk","schema_version":0,"root":{"age":1,"odd":{"x":2}}}"#;
    for format in [Format::new(), Format::jsonc(), Format::yaml()] {
        let registry = Registry::new().with::<Trunk>();
        let rewrite = format.rewrite(&registry, None, stored.as_bytes()).unwrap();
        let rewrite = rewrite.unwrap();
        let expected = json!({"parts": {"root": {"age": 1, "odd": {"x": 2}}}});
        assert_eq!(attributes(format, &rewrite.bytes), expected);
        assert_eq!(rewrite.lost, 0);
        let trunk: Trunk = format.from_slice(stored.as_bytes()).unwrap();
        assert_eq!(trunk.parts.root.age, 1);
        let edited = format.edit(stored.as_bytes(), &trunk).unwrap();
        assert_eq!(attributes(format, &edited), expected);
    }
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "route", version = 1)]
#[upgrade_from(0 => 1, convert(stops: Vec<String>, with = sorted))]
struct Route {
    stops: Vec<String>,
}

fn sorted(mut stops: Vec<String>) -> Vec<String> {
    stops.sort();
    stops
}

#[test]
fn comments_go_along_with_elements_that_an_upgrade_sorts() {
    let stored =
        "type = \"route\"\nschema_version = 0\nstops = [\n    \"b\", # two\n    \"a\", # one\n]\n";
    let registry = Registry::new().with::<Route>();
    let rewrite = Format::toml().rewrite(&registry, None, stored.as_bytes());
    assert_eq!(
        String::from_utf8(rewrite.unwrap().unwrap().bytes).unwrap(),
        "type = \"route\"\nschema_version = 1\nstops = [\n    \"a\", # one\n    \"b\", # two\n]\n"
    );
    // However many they are.
    let mut lines: Vec<String> = (0..300)
        .map(|stop| format!("    \"s{stop:03}\", # {stop}\n"))
        .collect();
    let document = |version: u8, lines: &[String]| {
        let lines = lines.concat();
        format!("type = \"route\"\nschema_version = {version}\nstops = [\n{lines}]\n")
    };
    let sorted = document(1, &lines);
    lines.reverse();
    let stored = document(0, &lines);
    let rewrite = Format::toml().rewrite(&registry, None, stored.as_bytes());
    assert_eq!(
        String::from_utf8(rewrite.unwrap().unwrap().bytes).unwrap(),
        sorted
    );
}

#[test]
fn the_comments_of_another_syntax_are_named() {
    const OLD: Format<'static> = Format::jsonc();
    const YAML: Format<'static> = Format::yaml();
    let stored = "// ours\n{\n  \"type\": \"route\", \"schema_version\": 0,\n  // in order\n  \"stops\": [\"b\", \"a\"]\n}\n/* end */\n";
    let registry = Registry::new().with::<Route>();
    let format = Format::toml().formerly(&OLD);
    let rewrite = format.rewrite(&registry, None, stored.as_bytes());
    let rewrite = rewrite.unwrap().unwrap();
    assert_eq!(
        attributes(format, &rewrite.bytes)["stops"],
        json!(["a", "b"])
    );
    let warnings = rewrite.warnings.to_string();
    assert!(
        warnings.contains("because it is in another syntax: line 1, `stops` (line 4), line 7."),
        "{warnings}"
    );
    let stored = "# ours\ntype: route\nschema_version: 0\nstops: [b, a] # in order\n";
    let discards = Format::yaml().discard_comments();
    for (format, expected) in [
        (
            Format::toml().formerly(&YAML),
            "another syntax: line 1, line 4.",
        ),
        (
            Format::new().formerly(&YAML),
            "another syntax: line 1, line 4.",
        ),
        (discards, ""),
    ] {
        let rewrite = format.rewrite(&registry, None, stored.as_bytes());
        let warnings = rewrite.unwrap().unwrap().warnings;
        assert!(warnings.to_string().contains(expected), "{warnings}");
        assert_eq!(warnings.is_empty(), expected.is_empty(), "{warnings}");
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
