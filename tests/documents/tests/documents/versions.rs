//! Documents with versions: what each release wrote is read, and nothing that it held is lost.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::struct_field_names,
    reason = "tests"
)]

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::json;
use upstate::{Document, Object, Registry, Union, UpgradeRequest};
use upstate_state::document::Format;

/// Settings of an app, as an existing serde program has them, in their third version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(rename_all = "camelCase")]
#[document(type_name = "app.settings", version = 2)]
#[upgrade_from(1 => 2, rename(accentColour => accent_color), set(started = null))]
#[upgrade_from(0 => 1, convert(window_width: String, empty = refuse), drop(legacyMode: Option<bool>, "nobody used it"))]
struct Settings {
    window_width: u32,
    #[serde(default = "three")]
    retries: u32,
    accent_color: String,
    theme: Theme,
    owner: UserId,
    #[serde(flatten)]
    window: Window,
    limits: HashMap<u32, String>,
    started: Option<chrono::DateTime<chrono::Utc>>,
    plugin: serde_json::Value,
    #[serde(flatten)]
    unknown: BTreeMap<String, serde_json::Value>,
    #[serde(skip)]
    cache: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct UserId(u64);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(rename_all = "camelCase")]
struct Window {
    full_screen: bool,
    #[serde(default)]
    dpi: f32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Theme {
    Plain,
    Custom { accent: String },
    Named(Named),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Named {
    name: String,
}

fn three() -> u32 {
    3
}

fn expected() -> Settings {
    Settings {
        window_width: 800,
        retries: 3,
        accent_color: "blue".into(),
        theme: Theme::Custom {
            accent: "red".into(),
        },
        owner: UserId(7),
        window: Window {
            full_screen: true,
            dpi: 1.5,
        },
        limits: HashMap::from([(1, "a".into()), (20, "b".into())]),
        started: None,
        plugin: json!({"any": [1, {"thing": null}]}),
        unknown: BTreeMap::from([("extra".into(), json!({"kept": 1.5}))]),
        cache: 0,
    }
}

const OLDEST: &str = r#"{
    "windowWidth": "800", "legacyMode": true, "accentColour": "blue", "theme": {"kind": "custom", "accent": "red"}, "owner": 7,
    "fullScreen": true, "dpi": 1.5, "limits": {"1": "a", "20": "b"}, "plugin": {"any": [1, {"thing": null}]}, "extra": {"kept": 1.5}
}"#;

#[test]
fn the_oldest_release_s_file_is_read() {
    let (settings, notes) = upstate::upgrade_json_with_notes::<Settings>(0, OLDEST).unwrap();
    assert_eq!(settings, expected());
    assert_eq!(notes.undefined(), []);
}

#[test]
fn what_is_written_is_what_serde_writes() {
    let settings = Settings {
        started: Some("2024-02-29T10:00:00Z".parse().unwrap()),
        ..expected()
    };
    let ours = upstate::to_json(&settings).unwrap();
    let serdes = serde_json::to_string(&settings).unwrap();
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&ours).unwrap(),
        serde_json::from_str::<serde_json::Value>(&serdes).unwrap()
    );
    assert_eq!(serde_json::from_slice::<Settings>(&ours).unwrap(), settings);
    assert_eq!(upstate::from_json::<Settings>(serdes).unwrap(), settings);
    assert_eq!(
        upstate::upgrade_json::<Settings>(2, &ours).unwrap(),
        settings
    );
    // Members in the order of the fields.
    let text = String::from_utf8(ours).unwrap();
    let place = |name: &str| text.find(name).unwrap();
    assert!(
        place("windowWidth") < place("retries")
            && place("theme") < place("owner")
            && place("fullScreen") < place("limits"),
        "{text}"
    );
}

#[test]
fn a_registry_upgrades_documents() {
    let registry = Registry::new().with::<Settings>();
    let response = registry.upgrade(&UpgradeRequest::json("app.settings", 0, OLDEST.as_bytes()));
    let state = response
        .state()
        .unwrap_or_else(|| panic!("{}", response.diagnostics()));
    assert_eq!(upstate::from_json::<Settings>(state).unwrap(), expected());
}

/// Fields by their stored names, which a difference may use where the field stays.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "pane", version = 1, rename_all = "camelCase")]
#[upgrade_from(0 => 1, convert(paneWidth: String, empty = refuse), rename(oldTitle => paneTitle), only_if(has(oldTitle), warn("it had a title")), set(isOpen = true))]
struct Pane {
    pane_width: u32,
    pane_title: Option<String>,
    is_open: bool,
}

#[test]
fn a_field_goes_by_its_stored_name_too() {
    let pane = upstate::upgrade_json::<Pane>(0, r#"{"paneWidth": "80", "oldTitle": "x"}"#).unwrap();
    assert_eq!(
        pane,
        Pane {
            pane_width: 80,
            pane_title: Some("x".into()),
            is_open: true
        }
    );
}

#[test]
fn documents_are_strict() {
    let current = serde_json::to_value(expected()).unwrap();
    for (member, value, problem) in [
        (
            "windowWidth",
            json!("800"),
            "expected a number, found a string",
        ),
        ("windowWidth", json!(1.5), "expected an integer"),
        (
            "windowWidth",
            json!(5_000_000_000_u64),
            "a whole number from 0 to 4294967295",
        ),
        ("accentColor", json!(7), "expected a string, found a number"),
        (
            "theme",
            json!({"kind": "sepia"}),
            "expected one of \"plain\", \"custom\", \"named\"",
        ),
        ("theme", json!({"accent": "x"}), "lacks"),
        (
            "limits",
            json!({"one": "a"}),
            r#"the key is not an integer from 0 to 4294967295 (at limits["one"])"#,
        ),
        ("retries", json!(null), "null"),
    ] {
        let mut stored = current.clone();
        stored[member] = value;
        let error = upstate::upgrade_json::<Settings>(2, stored.to_string())
            .unwrap_err()
            .to_string();
        assert!(error.contains(problem), "{member}: {error}");
        assert!(error.contains(member), "{member}: {error}");
    }
}

/// A document without a map for what it does not know.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "note", version = 1)]
#[upgrade_from(0 => 1, rename(name => title))]
struct Note {
    title: String,
    #[attribute(default = 3)]
    stars: u8,
    tag: Option<String>,
    inner: Inner,
}

#[derive(Debug, PartialEq, Document)]
struct Inner {
    #[attribute(default = true)]
    on: bool,
}

#[test]
fn what_no_field_names_is_reported_once_and_defaults_fill_in() {
    let (note, notes) = upstate::upgrade_json_with_notes::<Note>(
        0,
        r#"{"name": "x", "colour": "red", "inner": {"odd": 1}}"#,
    )
    .unwrap();
    assert_eq!(
        note,
        Note {
            title: "x".into(),
            stars: 3,
            tag: None,
            inner: Inner { on: true }
        }
    );
    let mut undefined: Vec<String> = notes.undefined().iter().map(ToString::to_string).collect();
    undefined.sort();
    assert_eq!(undefined, ["colour", "inner.odd"]);
}

#[test]
fn a_member_that_is_there_twice_is_refused() {
    for (version, stored) in [
        (1, r#"{"title": "a", "title": "b", "inner": {}}"#),
        (0, r#"{"name": "a", "name": "b", "inner": {}}"#),
    ] {
        let error = upstate::upgrade_json::<Note>(version, stored)
            .unwrap_err()
            .to_string();
        assert!(error.contains("twice"), "{error}");
    }
}

/// Generic, recursive, and with keys of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Page<T> {
    items: Vec<T>,
    next: Option<Box<Page<T>>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Union)]
#[serde(rename_all = "kebab-case")]
enum Color {
    DarkRed,
    Green,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[document(type_name = "book")]
struct Book {
    pages: Page<u8>,
    words: Page<String>,
    colors: BTreeMap<Color, f64>,
    size: (u16, u16),
    grid: [u8; 4],
}

#[test]
fn generics_recursion_and_keys_are_read_and_written_as_serde_does() {
    let book = Book {
        pages: Page {
            items: vec![1],
            next: Some(Box::new(Page {
                items: vec![2],
                next: None,
            })),
        },
        words: Page {
            items: vec!["a".into()],
            next: None,
        },
        colors: BTreeMap::from([(Color::DarkRed, 1.0), (Color::Green, 0.1)]),
        size: (3, 4),
        grid: [1, 2, 3, 4],
    };
    let ours = String::from_utf8(upstate::to_json(&book).unwrap()).unwrap();
    assert_eq!(ours, serde_json::to_string(&book).unwrap());
    assert_eq!(upstate::from_json::<Book>(&ours).unwrap(), book);
}

/// Generic, of the elements that each version has.
#[derive(Debug, PartialEq, Document)]
struct Shelf<T, const PLACES: u8> {
    items: Vec<T>,
}

#[derive(Debug, PartialEq, Union)]
enum Place<T> {
    Hall,
    On { shelf: T },
}

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "library", version = 1)]
#[upgrade_from(0 => 1, model = LibraryV0, carry)]
struct Library {
    rooms: BTreeMap<String, Shelf<Volume, 7>>,
    shelf: Shelf<Volume, 7>,
    sizes: Shelf<i64, 7>,
    place: Place<i64>,
}

#[derive(Document)]
#[document(type_name = "library", version = 0, prior)]
struct LibraryV0 {
    rooms: BTreeMap<String, Shelf<VolumeV0, 7>>,
    shelf: Shelf<VolumeV0, 7>,
    sizes: Shelf<u8, 5>,
    place: Place<u8>,
}

#[derive(Debug, PartialEq, Object)]
#[upgrade_from(model = VolumeV0, rename(title => name))]
struct Volume {
    name: Option<String>,
}

#[derive(Object)]
struct VolumeV0 {
    title: Option<String>,
}

#[test]
fn what_a_generic_struct_holds_is_upgraded() {
    const OLDEST: &str = r#"{
        "place": {"On": {"shelf": 3}}, "rooms": {"a": {"items": [{"title": "x"}]}}, "shelf": {"items": [{"title": "y"}, {}]},
        "sizes": {"items": [1]}
    }"#;
    let volumes = |names: &[Option<&str>]| Shelf {
        items: names
            .iter()
            .map(|name| Volume {
                name: name.map(str::to_owned),
            })
            .collect(),
    };
    let (library, notes) = upstate::upgrade_json_with_notes::<Library>(0, OLDEST).unwrap();
    let rooms = BTreeMap::from([("a".to_owned(), volumes(&[Some("x")]))]);
    let shelf = volumes(&[Some("y"), None]);
    assert_eq!(
        library,
        Library {
            rooms,
            shelf,
            sizes: Shelf { items: vec![1] },
            place: Place::On { shelf: 3 }
        }
    );
    assert_eq!(notes.undefined(), []);
    let response = Registry::new()
        .with::<Library>()
        .upgrade(&UpgradeRequest::json("library", 0, OLDEST.as_bytes()));
    let state = response
        .state()
        .unwrap_or_else(|| panic!("{}", response.diagnostics()));
    assert_eq!(upstate::from_json::<Library>(state).unwrap(), library);
}

#[test]
fn a_file_keeps_its_version_and_what_it_holds() {
    let format = Format::new().unversioned(0).pretty();
    let read = format.read::<Settings>(OLDEST.as_bytes()).unwrap();
    assert_eq!(
        (read.model(), read.stored_version(), read.undefined().len()),
        (&expected(), 0, 0)
    );
    let text = format.to_string(read.model()).unwrap();
    assert!(
        text.starts_with(
            "{\n  \"type\": \"app.settings\",\n  \"schema_version\": 2,\n  \"windowWidth\": 800,"
        ),
        "{text}"
    );
    // Neither member of the file is taken for one of the document's.
    let again = format.read::<Settings>(text.as_bytes()).unwrap();
    assert_eq!((again.model(), again.is_outdated()), (&expected(), false));
    assert_eq!(format.to_string(again.model()).unwrap(), text);
}

/// A document that keeps what it does not know, and whose first version had another name for a
/// field.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "profile", version = 1)]
#[serde(rename_all = "camelCase")]
#[upgrade_from(0 => 1, rename(nick => nick_name), convert(zoom: String, empty = refuse))]
struct Profile {
    nick_name: String,
    zoom: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default = "three")]
    retries: u32,
    theme: Theme,
    window: Window,
    big: u64,
    #[serde(flatten)]
    unknown: BTreeMap<String, serde_json::Value>,
}

#[test]
fn a_document_goes_back_and_nothing_is_lost() {
    let older = json!({
        "nick": "ann", "zoom": "12", "theme": {"kind": "custom", "accent": "red"}, "retries": 3,
        "window": {"fullScreen": true, "dpi": 1.5}, "big": u64::MAX, "extra": {"kept": [1.5, null, {"a": 1}]}
    });
    let newer = upstate::upgrade_json::<Profile>(0, older.to_string()).unwrap();
    assert_eq!(newer.unknown.len(), 1);
    let stored = upstate::to_json(&newer).unwrap();
    let registry = Registry::new().with::<Profile>();
    let response = registry.downgrade(&upstate::upgrade::DowngradeRequest::json(
        "profile", 1, 0, &stored,
    ));
    let state = response
        .state()
        .unwrap_or_else(|| panic!("{}", response.diagnostics()));
    let back: serde_json::Value = serde_json::from_slice(state).unwrap();
    assert_eq!(back, older);
    assert_eq!(upstate::upgrade_json::<Profile>(0, state).unwrap(), newer);
}

/// A document whose first version had more, and types that take less.
#[derive(Debug, Document)]
#[document(type_name = "badge", version = 1)]
#[upgrade_from(0, model = BadgeV0, rename(title => name))]
struct Badge {
    name: String,
    size: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Document)]
#[document(type_name = "badge", version = 0, prior)]
struct BadgeV0 {
    title: String,
    size: u8,
    note: String,
}

/// The same without a struct of the first version.
#[derive(Debug, Document)]
#[document(type_name = "route", version = 1)]
#[upgrade_from(0 => 1, drop(port: String, "it is in the name"), convert(size: u8))]
struct Route {
    name: String,
    size: String,
}

#[test]
fn a_document_goes_back_only_if_the_earlier_release_reads_it() {
    let registry = Registry::new().with::<Badge>().with::<Route>();
    for (name, current, problem) in [
        ("badge", r#"{"name":"a","size":255,"note":"b"}"#, None),
        (
            "badge",
            r#"{"name":"a","size":256,"note":"b"}"#,
            Some(
                "expected a whole number from 0 to 255, found another number (at size of version 0)",
            ),
        ),
        (
            "badge",
            r#"{"name":"a","size":1}"#,
            Some("`note` of version 0 always has a value, and nothing tells which."),
        ),
        (
            "route",
            r#"{"name":"a","size":"1"}"#,
            Some(
                "`port` of version 0 always has a value, and nothing tells which. The upgrade drops it.",
            ),
        ),
        (
            "route",
            r#"{"name":"a","size":"256"}"#,
            Some("(at size of version 0)"),
        ),
    ] {
        let request = upstate::upgrade::DowngradeRequest::json(name, 1, 0, current.as_bytes());
        let response = registry.downgrade(&request);
        assert_eq!(response.state().is_some(), problem.is_none(), "{current}");
        let refused = response.diagnostics().to_string();
        assert!(refused.contains(problem.unwrap_or_default()), "{refused}");
    }
}

/// Types that took less in the first version, which has no struct.
#[derive(Debug, Document)]
#[document(type_name = "plot", version = 1)]
#[upgrade_from(0 => 1,
    carry(at: (u8, i8)),
    carry(mark: Mark0),
    carry(gap: Gap0),
    carry(by: BTreeMap<u8, u8>),
    carry(host: std::net::Ipv4Addr),
    carry(hosts: BTreeMap<std::net::Ipv4Addr, u8>),
    carry(sizes: BTreeMap<usize, u8>),
    carry(sides: BTreeMap<bool, u8>),
    carry(day: chrono::NaiveDate),
    carry(ids: BTreeMap<i128, u8>),
    carry(count: std::num::NonZeroU8),
    carry(depth: usize),
    carry(note: String)
)]
struct Plot {
    at: (u32, i64),
    mark: Mark,
    gap: Gap,
    by: BTreeMap<u32, u32>,
    host: String,
    hosts: BTreeMap<String, u32>,
    sizes: BTreeMap<String, u32>,
    sides: BTreeMap<String, u32>,
    day: String,
    ids: BTreeMap<String, u32>,
    count: u16,
    depth: i128,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Union)]
enum Mark {
    Plain,
    Dot(u32, u32),
    Round { width: u32 },
    Star,
}

#[derive(Debug, Union)]
enum Mark0 {
    Plain,
    Dot(u8, u8),
    Round { width: u8 },
}

#[derive(Debug, Union)]
#[union(untagged)]
enum Gap {
    Number(u32),
    Text(String),
}

#[derive(Debug, Union)]
#[union(untagged)]
enum Gap0 {
    Number(u8),
    Text(String),
}

#[test]
fn a_version_without_a_struct_gets_no_value_that_its_types_refuse() {
    let registry = Registry::new().with::<Plot>();
    let down = |current: &serde_json::Value| {
        let current = current.to_string();
        let request = upstate::upgrade::DowngradeRequest::json("plot", 1, 0, current.as_bytes());
        let response = registry.downgrade(&request);
        match response.state() {
            Some(state) => Ok(serde_json::from_slice::<serde_json::Value>(state).unwrap()),
            None => Err(response.diagnostics().to_string()),
        }
    };
    let current = json!({
        "at": [255, -128], "mark": {"Dot": [1, 2]}, "gap": 255, "by": {"255": 1},
        "host": "10.0.0.1", "hosts": {"10.0.0.2": 1}, "sizes": {"7": 1}, "sides": {"true": 1}, "day": "2026-11-30",
        "ids": {"-7": 1}, "count": 255, "depth": 7, "note": "a"
    });
    assert_eq!(down(&current), Ok(current.clone()));
    for (name, value, problem) in [
        ("mark", json!("Plain"), None),
        ("gap", json!("256"), None),
        ("at", json!([256, 0]), Some("at[0] of version 0")),
        ("at", json!([0, 128]), Some("at[1] of version 0")),
        ("mark", json!({"Dot": [1, 256]}), Some("[1] of version 0")),
        (
            "mark",
            json!({"Round": {"width": 256}}),
            Some("(at mark.Round.width of version 0)"),
        ),
        (
            "mark",
            json!("Star"),
            Some(r#"expected one of "Dot", "Plain", "Round", found another name (at mark"#),
        ),
        ("gap", json!(256), Some("none of the variants fits")),
        (
            "by",
            json!({"256": 1}),
            Some(r#"the key is not an integer from 0 to 255 (at by["256"] of version 0)"#),
        ),
        ("host", json!("here"), Some("(at host of version 0)")),
        ("hosts", json!({"here": 1}), Some("a string of its form")),
        (
            "sizes",
            json!({"a": 1}),
            Some("the key is not an integer from 0"),
        ),
        (
            "sides",
            json!({"left": 1}),
            Some(r#"the key is not one of "false", "true" (at sides["left"] of version 0)"#),
        ),
        ("day", json!("soon"), Some("(at day of version 0)")),
        (
            "ids",
            json!({"+7": 1}),
            Some("the key is not an integer of 128 bits (at ids"),
        ),
        ("count", json!(0), Some("(at count of version 0)")),
        ("count", json!(256), Some("(at count of version 0)")),
        ("depth", json!(-1), Some("(at depth of version 0)")),
        (
            "note",
            json!(null),
            Some("`note` of version 0 always has a value"),
        ),
    ] {
        let mut current = current.clone();
        current[name] = value;
        match (down(&current), problem) {
            (Ok(older), None) => assert_eq!(older, current),
            (Err(refused), Some(problem)) => assert!(refused.contains(problem), "{refused}"),
            (found, _) => panic!("{current}: {found:?}"),
        }
    }
}

/// Enums of which one reads any name, and the other has a variant without a tag.
#[derive(Debug, Document)]
#[document(type_name = "signal", version = 1)]
#[upgrade_from(0 => 1, carry(sign: Sign0), carry(light: Light0))]
struct Signal {
    sign: Sign,
    light: Light,
}

#[derive(Debug, Union)]
enum Sign {
    Stop,
    Yield,
    #[attribute(other)]
    Unknown,
}

#[derive(Debug, Union)]
enum Sign0 {
    Stop,
    #[attribute(other)]
    Unknown,
}

#[derive(Debug, Union)]
enum Light {
    On,
    #[attribute(untagged)]
    Level(u32),
}

#[derive(Debug, Union)]
enum Light0 {
    On,
    #[attribute(untagged)]
    Level(u8),
}

#[test]
fn a_new_variant_goes_back_to_an_enum_that_reads_any_name() {
    let registry = Registry::new().with::<Signal>();
    for (current, problem) in [
        (json!({"sign": "Yield", "light": 255}), None),
        (json!({"sign": "Stop", "light": "On"}), None),
        (
            json!({"sign": "Stop", "light": 256}),
            Some("none of the variants fits"),
        ),
    ] {
        let json = current.to_string();
        let request = upstate::upgrade::DowngradeRequest::json("signal", 1, 0, json.as_bytes());
        let response = registry.downgrade(&request);
        let refused = response.diagnostics().to_string();
        match (response.state(), problem) {
            (Some(older), None) => assert_eq!(
                serde_json::from_slice::<serde_json::Value>(older).unwrap(),
                current
            ),
            (None, Some(problem)) => assert!(refused.contains(problem), "{refused}"),
            (_, _) => panic!("{current}: {refused}"),
        }
    }
}

/// Variants with a member that the first version did not have.
#[derive(Debug, Document)]
#[document(type_name = "tile", version = 1)]
#[upgrade_from(0 => 1, carry(face: Face0), carry(backs: Vec<Back0>))]
struct Tile {
    face: Face,
    backs: Vec<Back>,
}

#[derive(Debug, Union)]
enum Face {
    Blank,
    Round { width: u8, note: Option<String> },
}

#[derive(Debug, Union)]
enum Face0 {
    Blank,
    Round { width: u8 },
}

#[derive(Debug, Union)]
#[union(tag = "kind")]
enum Back {
    Plain { size: u8, note: Option<String> },
}

#[derive(Debug, Union)]
#[union(tag = "kind")]
enum Back0 {
    Plain { size: u8 },
}

#[test]
fn a_member_that_a_variant_did_not_have_is_lost_by_name() {
    let registry = Registry::new().with::<Tile>();
    let current = |note: serde_json::Value| {
        json!({
            "face": {"Round": {"width": 1, "note": note}},
            "backs": [{"kind": "Plain", "size": 2, "note": note}]
        })
    };
    let older = json!({
        "face": {"Round": {"width": 1}},
        "backs": [{"kind": "Plain", "size": 2}]
    });
    for (note, losses) in [
        (json!(null), vec![]),
        (
            json!("x"),
            vec![r#"backs[0].note: "x""#, r#"face.Round.note: "x""#],
        ),
    ] {
        let current = current(note).to_string();
        let request = upstate::upgrade::DowngradeRequest::json("tile", 1, 0, current.as_bytes());
        let response = registry.downgrade(&request.allow_loss(true));
        let lost: Vec<String> = response.losses().iter().map(ToString::to_string).collect();
        assert_eq!(lost, losses);
        let state = response
            .state()
            .unwrap_or_else(|| panic!("{}", response.diagnostics()));
        assert_eq!(
            serde_json::from_slice::<serde_json::Value>(state).unwrap(),
            older
        );
    }
}

/// Members that could be null or absent, and numbers of other types.
#[derive(Debug, Document)]
#[document(type_name = "fader", version = 1)]
#[upgrade_from(0 => 1,
    default(level = 3),
    default(name = "none"),
    convert(count: f64),
    convert(share: u64)
)]
struct Fader {
    level: u8,
    name: String,
    count: u64,
    share: f64,
}

#[test]
fn a_default_of_a_version_replaces_null_and_absence() {
    for (stored, level, name) in [
        (json!({"count": 1, "share": 2}), 3, "none"),
        (
            json!({"level": null, "name": null, "count": 1, "share": 2}),
            3,
            "none",
        ),
        (
            json!({"level": 7, "name": "a", "count": 1, "share": 2}),
            7,
            "a",
        ),
    ] {
        let fader = upstate::upgrade_json::<Fader>(0, stored.to_string()).unwrap();
        assert_eq!((fader.level, &*fader.name), (level, name), "{stored}");
        assert_eq!((fader.count, fader.share.to_bits()), (1, 2_f64.to_bits()));
    }
}

#[test]
fn a_number_of_another_type_is_kept_or_named() {
    let read = |count: &str, share: &str| {
        let stored = format!(r#"{{"count": {count}, "share": {share}}}"#);
        upstate::upgrade_json_with_notes::<Fader>(0, stored)
    };
    let error = read("1.5", "2").unwrap_err().to_string();
    assert!(error.contains("count"), "{error}");
    let error = read("-1", "2").unwrap_err().to_string();
    assert!(error.contains("count"), "{error}");
    // No float is this number: it is refused, or reported where it is rounded.
    match read("1", "9007199254740993") {
        Ok((_, notes)) => assert_eq!(notes.loss_count(), 1),
        Err(error) => assert!(error.to_string().contains("share"), "{error}"),
    }
}

/// A document of many values of a type that took less.
#[derive(Debug, Document)]
#[document(type_name = "scale", version = 1)]
#[upgrade_from(0, model = ScaleV0, rename(steps => levels))]
struct Scale {
    levels: Vec<u32>,
}

#[derive(Debug, Document)]
#[document(type_name = "scale", version = 0, prior)]
struct ScaleV0 {
    steps: Vec<u8>,
}

#[test]
fn of_many_values_that_an_earlier_release_does_not_read_the_first_are_named() {
    let registry = Registry::new().with::<Scale>();
    let current = format!(r#"{{"levels":[{}]}}"#, ["300"; 60].join(","));
    let request = upstate::upgrade::DowngradeRequest::json("scale", 1, 0, current.as_bytes());
    let response = registry.downgrade(&request);
    assert!(response.state().is_none());
    let refused = response.diagnostics();
    assert_eq!(refused.iter().count(), 51);
    let refused = refused.to_string();
    assert!(refused.contains("(at steps[49] of version 0)"), "{refused}");
    assert!(refused.contains("10 more values do not fit."), "{refused}");
}

/// Any JSON and enums with data, in a version that is upgraded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[document(type_name = "any", version = 1)]
#[upgrade_from(0 => 1, rename(old => name))]
struct Any {
    name: String,
    plugin: serde_json::Value,
    shapes: Vec<Shape>,
    by_name: BTreeMap<String, Shape>,
    ratio: f64,
    one: Option<Shape>,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
enum Shape {
    Point,
    Circle(f64),
    Rect(f64, f64),
    Text {
        at: f64,
        text: Option<String>,
        more: serde_json::Value,
    },
}

#[test]
fn an_upgrade_keeps_values_as_serde_reads_them() {
    let plugin = r#"{"whole": 1.0, "big": 18446744073709551615, "least": -9223372036854775808, "tiny": 5e-324, "zero": -0.0, "e": 1e3, "text": "\ud83d\ude00\u0000", "null": null, "list": [1.0, [], {}]}"#;
    let shapes = r#"["Point", {"Circle": 1.0}, {"Rect": [1, 2.50]}, {"Text": {"at": 1e2, "text": null, "more": 1.0}}, {"Text": {"at": 0.1, "more": {"x": 2.0}}}]"#;
    let stored = |name: &str| {
        format!(
            r#"{{"{name}": "n", "plugin": {plugin}, "shapes": {shapes}, "by_name": {{"b": "Point", "a": {{"Circle": 3.0}}}}, "ratio": 7, "extra": 1.0, "more": {plugin}}}"#
        )
    };
    let by_serde: Any = serde_json::from_str(&stored("name")).unwrap();
    assert_eq!(
        upstate::upgrade_json::<Any>(0, stored("old")).unwrap(),
        by_serde
    );
    assert_eq!(
        upstate::upgrade_json::<Any>(1, stored("name")).unwrap(),
        by_serde
    );
    let written: Any = serde_json::from_slice(&upstate::to_json(&by_serde).unwrap()).unwrap();
    assert_eq!(written, by_serde);
}

/// Text of JSON that became any value, and any value that became text of JSON.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "chart", version = 1)]
#[upgrade_from(0 => 1, convert(depths: String, json), convert(note: serde_json::Value, json))]
struct Chart {
    depths: serde_json::Value,
    note: Option<String>,
}

#[test]
fn text_of_json_keeps_its_floats() {
    let older = json!({"depths": r#"[1.0,2,"7",-0.0]"#, "note": {"bow": 1.0, "stern": [2, 1.5]}});
    let newer = upstate::upgrade_json::<Chart>(0, older.to_string()).unwrap();
    // As text, because negative zero equals zero.
    assert_eq!(newer.depths.to_string(), r#"[1.0,2,"7",-0.0]"#);
    assert_eq!(
        newer.note.as_deref(),
        Some(r#"{"bow":1.0,"stern":[2,1.5]}"#)
    );
    let stored = upstate::to_json(&newer).unwrap();
    let registry = Registry::new().with::<Chart>();
    let response = registry.downgrade(&upstate::upgrade::DowngradeRequest::json(
        "chart", 1, 0, &stored,
    ));
    let state = response
        .state()
        .unwrap_or_else(|| panic!("{}", response.diagnostics()));
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(state).unwrap(),
        older
    );
}

/// A set that became text of JSON.
#[derive(Debug, Document)]
#[document(type_name = "tags", version = 1)]
#[upgrade_from(0 => 1, convert(tags: BTreeSet<String>, json))]
struct Tags {
    tags: String,
}

#[test]
fn text_of_a_set_has_each_element_once_in_order() {
    assert_eq!(
        upstate::upgrade_json::<Tags>(0, r#"{"tags": ["b", "a", "b"]}"#)
            .unwrap()
            .tags,
        r#"["a","b"]"#
    );
}

/// Members that are not null where they are absent.
#[derive(Debug, Clone, PartialEq, Document)]
struct Limits {
    #[attribute(default = 3)]
    retries: u32,
    #[attribute(default = Some(7))]
    depth: Option<u8>,
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "pump", version = 1)]
#[upgrade_from(0 => 1, convert(limits: Limits, with = doubled), convert(spare: String, json), convert(text: Limits, json))]
struct Pump {
    limits: Limits,
    spare: Limits,
    text: String,
}

fn doubled(mut limits: Limits) -> Limits {
    limits.retries *= 2;
    limits
}

#[test]
fn what_is_absent_is_not_null_where_it_is_converted() {
    let pump =
        upstate::upgrade_json::<Pump>(0, r#"{"limits": {}, "spare": "{}", "text": {}}"#).unwrap();
    let limits = |retries| Limits {
        retries,
        depth: Some(7),
    };
    assert_eq!(
        pump,
        Pump {
            limits: limits(6),
            spare: limits(3),
            text: "{}".to_owned()
        }
    );
    // A number in a string is one by Terraform's rules, by which a document is read where its own
    // do not fit.
    let older = r#"{"limits": {}, "spare": "{\"retries\":\"7\"}", "text": {}}"#;
    assert_eq!(
        upstate::upgrade_json::<Pump>(0, older).unwrap().spare,
        limits(7)
    );
    let older =
        r#"{"limits": {"depth": null}, "spare": "{\"depth\":null}", "text": {"depth": null}}"#;
    let pump = upstate::upgrade_json::<Pump>(0, older).unwrap();
    let limits = |retries| Limits {
        retries,
        depth: None,
    };
    assert_eq!(
        pump,
        Pump {
            limits: limits(6),
            spare: limits(3),
            text: r#"{"depth":null}"#.to_owned()
        }
    );
}

#[derive(Debug, Document)]
#[document(type_name = "tank", version = 1)]
#[upgrade_from(0 => 1, convert(marks: String, json))]
struct Tank {
    marks: BTreeMap<String, u8>,
}

#[test]
fn a_key_that_is_there_twice_in_a_string_of_json_is_reported() {
    for (marks, count) in [
        (r#"{"a": 1, "b": 3, "a": 2}"#, 1),
        (r#"{"b": 3, "a": 2}"#, 0),
    ] {
        let stored = json!({ "marks": marks }).to_string();
        let (tank, notes) = upstate::upgrade_json_with_notes::<Tank>(0, &stored).unwrap();
        let expected = BTreeMap::from([("a".to_owned(), 2), ("b".to_owned(), 3)]);
        assert_eq!(tank.marks, expected);
        assert_eq!(notes.loss_count(), count);
        let warning = "Repeated Map Key (at marks)";
        assert_eq!(notes.warnings().to_string().contains(warning), count == 1);
        let stored = stored.replacen('{', r#"{"type": "tank", "schema_version": 0, "#, 1);
        let read = Format::new().strict().read::<Tank>(stored.as_bytes());
        assert_eq!(read.is_err(), count == 1);
    }
}

#[derive(Debug, Document)]
#[document(type_name = "tanks", version = 1)]
#[upgrade_from(0 => 1, convert(tanks.marks: String, json))]
struct Tanks {
    tanks: Vec<Marked>,
}

#[derive(Debug, Document)]
struct Marked {
    marks: BTreeMap<String, u8>,
}

#[test]
fn of_many_strings_of_json_with_a_repeated_key_the_first_are_named() {
    let tank = json!({ "marks": r#"{"a": 1, "a": 2}"# });
    let stored = json!({ "tanks": vec![tank; 13] }).to_string();
    let (tanks, notes) = upstate::upgrade_json_with_notes::<Tanks>(0, stored).unwrap();
    assert!(tanks.tanks.iter().all(|tank| tank.marks["a"] == 2));
    assert_eq!((tanks.tanks.len(), notes.loss_count()), (13, 13));
    let warnings = notes.warnings().to_string();
    assert_eq!(warnings.matches("Repeated Map Key (at tanks[").count(), 10);
    assert_eq!(warnings.matches("more stored strings").count(), 1);
}

/// Objects inside of lists, maps and options, changed by path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[document(type_name = "deep", version = 2)]
#[serde(rename_all = "camelCase")]
#[upgrade_from(1 => 2, rename(by_port.oldName => by_port.host_name), drop(legacy: serde_json::Value, "nobody read it"))]
#[upgrade_from(0 => 1, rename(servers.oldName => servers.host_name), convert(servers.port_number: String, empty = refuse))]
struct Deep {
    servers: Vec<Host>,
    by_port: HashMap<u16, Host>,
    first_one: Option<Host>,
    limits: BTreeMap<i8, f32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(rename_all = "camelCase")]
struct Host {
    host_name: String,
    port_number: u16,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

#[test]
fn objects_inside_of_collections_are_upgraded_by_path() {
    let host = |name: &str, port: serde_json::Value| json!({name: "a", "portNumber": port, "odd": [1.0, {"x": null}]});
    let stored = json!({
        "servers": [host("oldName", json!("80")), host("oldName", json!("81"))],
        "byPort": {"80": host("oldName", json!(80)), "7": host("oldName", json!(7))},
        "firstOne": host("hostName", json!(1)), "limits": {"-3": 0.1, "100": 2}, "legacy": {"any": "thing"}
    });
    let new = |port: u16| host("hostName", json!(port));
    let expected = json!({
        "servers": [new(80), new(81)], "byPort": {"80": new(80), "7": new(7)}, "firstOne": new(1), "limits": {"-3": 0.1, "100": 2}
    });
    let expected: Deep = serde_json::from_value(expected).unwrap();
    let (upgraded, notes) =
        upstate::upgrade_json_with_notes::<Deep>(0, stored.to_string()).unwrap();
    assert_eq!(upgraded, expected);
    assert_eq!(notes.undefined(), []);
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Screen {
    dpi: u16,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct View {
    #[serde(default)]
    zoom: u8,
    #[serde(flatten)]
    screen: Screen,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[document(type_name = "editor")]
struct Editor {
    name: String,
    #[serde(flatten)]
    view: Option<View>,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

#[test]
fn a_part_of_a_part_tells_that_an_option_is_there() {
    for stored in [
        r#"{"name": "x", "dpi": 96, "odd": 1}"#,
        r#"{"name": "x", "odd": 1}"#,
        r#"{"name": "x", "zoom": 2, "dpi": 96}"#,
    ] {
        let by_serde: Editor = serde_json::from_str(stored).unwrap();
        let ours = upstate::from_json::<Editor>(stored).unwrap();
        // With serde, the map has the members of parts of parts as well.
        assert_eq!((&ours.name, &ours.view), (&by_serde.name, &by_serde.view));
        assert_eq!(
            ours.rest.keys().collect::<Vec<_>>(),
            if stored.contains("odd") {
                vec!["odd"]
            } else {
                vec![]
            }
        );
        assert_eq!(
            upstate::from_json::<Editor>(upstate::to_json(&ours).unwrap()).unwrap(),
            ours
        );
    }
    let error = upstate::from_json::<Editor>(r#"{"name": "x", "zoom": 2}"#)
        .unwrap_err()
        .to_string();
    assert!(error.contains("dpi"), "{error}");
}

#[test]
fn odd_input_is_an_error_that_says_where() {
    let deep = format!("{}{}", r#"{"title": "#, "[".repeat(100_000));
    let long = format!(
        r#"{{"title": "{}", "stars": 300, "inner": {{}}}}"#,
        "x".repeat(1 << 20)
    );
    for stored in [
        "",
        " ",
        "null",
        "[]",
        "7",
        "\"x\"",
        "{",
        r#"{"title""#,
        r#"{"title": "a"#,
        r#"{"title": "a","inner":{}"#,
        r#"{"title": null, "inner": {}}"#,
        r#"{"title": "a", "inner": null}"#,
        r#"{"title": "a", "inner": {}} x"#,
        "\u{feff}{}",
        &deep,
        &long,
        r#"{"title": "\ud800", "inner": {}}"#,
        "{\"title\": \"a\nb\", \"inner\": {}}",
    ] {
        for version in [0, 1, 2] {
            let error = upstate::upgrade_json::<Note>(version, stored)
                .unwrap_err()
                .to_string();
            assert!(error.len() < 2000, "{error}");
            // A member with a default may be absent, so it is never the fault.
            assert!(
                !error.contains("stars") || stored.contains("stars"),
                "{error}"
            );
            let says_what = [
                "not valid JSON",
                "found",
                "null",
                "lacks",
                "no document",
                "A later release",
                "range",
                "byte",
                "inside one another",
            ];
            assert!(
                says_what.iter().any(|words| error.contains(words)),
                "{error}"
            );
        }
    }
}

#[test]
fn messages_speak_of_documents() {
    let refused = |version, json: &str| {
        upstate::upgrade_json::<Note>(version, json)
            .unwrap_err()
            .to_string()
    };
    let texts = [
        refused(9, "{}"),
        refused(2, r#"{"title": 4}"#),
        refused(1, "[]"),
        upstate_state::document::from_str::<Note>(r#"{"type": "note", "schema_version": 9}"#)
            .unwrap_err()
            .to_string(),
    ];
    for text in texts {
        for word in ["Resource", "resource", "state ", "attribute"] {
            assert!(!text.contains(word), "`{word}`: {text}");
        }
        assert!(text.to_lowercase().contains("document"), "{text}");
    }
}

#[test]
fn a_main_that_returns_the_error_of_a_file_shows_its_sentences() {
    let folder = std::env::temp_dir().join(format!("upstate-debug-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("note.json");
    std::fs::write(&path, r#"{"type": "note", "schema_version": 9}"#).unwrap();
    let error = Format::new().open::<Note>(&path).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Lists of which one has to be there, two versions ago.
#[derive(Debug, Document)]
#[document(type_name = "app.crew", version = 2)]
#[upgrade_from(1 => 2, merge(first: Option<Vec<String>>, others: Vec<String> => all))]
#[upgrade_from(0 => 1, rename(z => y))]
struct Crew {
    all: Vec<String>,
    y: Option<bool>,
}

#[test]
fn a_merge_of_nothing_names_the_list_that_is_missing() {
    for version in [0, 1] {
        for stored in ["{}", r#"{"first": null}"#] {
            let error = upstate::upgrade_json::<Crew>(version, stored)
                .unwrap_err()
                .to_string();
            let why = format!(
                "error: Unable to Read Document (at others)\nThe stored document does not fit schema version {version}: it lacks this \
                 member, which must be there (at others)."
            );
            assert!(error.starts_with(&why), "{error}");
        }
        let crew: Crew = upstate::upgrade_json(version, r#"{"others": []}"#).unwrap();
        assert_eq!(crew.all, [""; 0]);
    }
}

/// Maps that operators take along to fields that take more keys.
#[derive(Debug, Document)]
#[document(type_name = "app.rack", version = 1)]
#[upgrade_from(
    0 => 1,
    merge(first: BTreeMap<u8, u8>, others: BTreeMap<u16, u8> => all),
    each(convert(levels: BTreeMap<u8, u8>)),
    rename(labels: BTreeMap<u8, u8> => tags)
)]
struct Rack {
    all: BTreeMap<u16, u8>,
    levels: BTreeMap<u16, String>,
    tags: BTreeMap<String, u8>,
}

#[test]
fn operators_take_a_map_to_one_with_more_keys() {
    let stored =
        r#"{"first": {"1": 2}, "others": {"300": 4}, "levels": {"5": 6}, "labels": {"7": 8}}"#;
    let rack: Rack = upstate::upgrade_json(0, stored).unwrap();
    assert_eq!(rack.all, BTreeMap::from([(1, 2), (300, 4)]));
    assert_eq!(rack.levels, BTreeMap::from([(5, "6".to_owned())]));
    assert_eq!(rack.tags, BTreeMap::from([("7".to_owned(), 8)]));
}

/// Maps whose keys are integers.
#[derive(Debug, Document)]
#[document(type_name = "app.vault")]
struct Vault {
    #[attribute(sensitive)]
    codes: BTreeMap<u8, String>,
    doors: BTreeMap<u8, Door>,
    #[attribute(flatten)]
    rest: BTreeMap<u16, u8>,
}

#[derive(Debug, Document)]
struct Door {
    locks: u8,
}

#[test]
fn a_key_that_is_none_is_named_unless_it_is_sensitive() {
    for (stored, problem) in [
        (
            r#"{"codes": {"hush": "a"}, "doors": {}}"#,
            "the key is not an integer from 0 to 255 (at codes).",
        ),
        (
            r#"{"codes": {}, "doors": {"256": {"locks": 1}}}"#,
            r#"the key is not an integer from 0 to 255 (at doors["256"])."#,
        ),
        (
            r#"{"codes": {}, "doors": {}, "x": 70}"#,
            "the key is not an integer from 0 to 65535 (at x).",
        ),
    ] {
        let error = upstate::upgrade_json::<Vault>(0, stored)
            .unwrap_err()
            .to_string();
        assert!(error.contains(problem), "{error}");
        assert!(!error.contains("hush"), "{error}");
    }
}

/// A map by address that becomes a list.
#[derive(Debug, Document)]
#[document(type_name = "app.loads", version = 1)]
#[upgrade_from(0 => 1, rekey(hosts: BTreeMap<std::net::Ipv4Addr, u8>, key = address, value = load))]
struct Loads {
    hosts: Vec<LoadOfHost>,
}

#[derive(Debug, PartialEq, Document)]
struct LoadOfHost {
    address: std::net::Ipv4Addr,
    load: u8,
}

#[test]
fn keys_become_members_that_take_them() {
    let loads: Loads = upstate::upgrade_json(0, r#"{"hosts": {"10.0.0.1": 3}}"#).unwrap();
    let address = std::net::Ipv4Addr::new(10, 0, 0, 1);
    assert_eq!(loads.hosts, [LoadOfHost { address, load: 3 }]);
}

/// An object and any JSON that functions take as maps of keys of their own.
#[derive(Debug, Document)]
#[document(type_name = "app.scales", version = 1)]
#[upgrade_from(0 => 1, model = ScalesV0, convert(load, with = together), convert(marks, with = heaviest))]
struct Scales {
    load: u64,
    marks: Option<u16>,
}

#[derive(Debug, Document)]
#[document(type_name = "app.scales", version = 0, prior)]
struct ScalesV0 {
    load: Sides,
    marks: serde_json::Value,
}

#[derive(Debug, Document)]
struct Sides {
    a: u8,
    b: u8,
}

fn together(load: BTreeMap<char, u8>) -> u64 {
    load.into_values().map(u64::from).sum()
}

fn heaviest(marks: BTreeMap<u16, String>) -> Option<u16> {
    marks.into_keys().next_back()
}

#[test]
fn a_function_takes_members_by_their_names_as_keys() {
    let stored = r#"{"load": {"a": 200, "b": 100}, "marks": {"7": "x", "70": "y"}}"#;
    let scales: Scales = upstate::upgrade_json(0, stored).unwrap();
    assert_eq!((scales.load, scales.marks), (300, Some(70)));
}

/// A function takes one of the two sides that there were.
#[derive(Debug, Document)]
#[document(type_name = "app.gauge", version = 1)]
#[upgrade_from(0, model = GaugeV0, convert(load, with = one_side))]
struct Gauge {
    load: u8,
}

#[derive(Debug, Document)]
#[document(type_name = "app.gauge", version = 0, prior)]
struct GaugeV0 {
    load: Sides,
}

#[derive(Debug, Document)]
struct OneSide {
    a: u8,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "operators give functions what is stored"
)]
fn one_side(load: OneSide) -> u8 {
    load.a
}

#[test]
fn a_member_that_a_function_leaves_out_is_defined_all_the_same() {
    for (more, undefined) in [("", 0), (r#", "odd": 1"#, 1)] {
        let stored = format!(r#"{{"load": {{"a": 2, "b": 3{more}}}}}"#);
        let (gauge, notes) = upstate::upgrade_json_with_notes::<Gauge>(0, stored).unwrap();
        assert_eq!((gauge.load, notes.undefined().len()), (2, undefined));
    }
}

/// A function makes a number that cannot be stored of 0.
#[derive(Debug, Document)]
#[document(type_name = "app.inverse", version = 1)]
#[upgrade_from(0 => 1, convert(share: f64, with = inverse))]
struct Inverse {
    share: f64,
}

fn inverse(share: f64) -> f64 {
    1.0 / share
}

#[test]
fn a_number_that_is_not_finite_is_not_taken_of_a_function() {
    let read = |stored: &str| upstate::upgrade_json_with_notes::<Inverse>(0, stored);
    let (found, _) = read(r#"{"share": 2.0}"#).unwrap();
    assert!((found.share - 0.5).abs() < f64::EPSILON);
    let refused = read(r#"{"share": 0.0}"#).unwrap_err().to_string();
    let reason = "the function made what cannot be stored: a number that is not finite";
    assert!(refused.contains(reason), "{refused}");
}

/// A flattened map that takes more keys than the version before.
#[derive(Debug, Document)]
#[document(type_name = "app.pile", version = 1)]
#[upgrade_from(0 => 1, model = PileV0, carry)]
struct Pile {
    #[attribute(flatten)]
    sizes: BTreeMap<u16, u8>,
}

#[derive(Debug, Document)]
#[document(type_name = "app.pile", version = 0, prior)]
struct PileV0 {
    #[attribute(flatten)]
    sizes: BTreeMap<u8, u8>,
}

#[test]
fn a_verdict_names_members_of_a_flattened_map_that_do_not_go_back() {
    let history = <Pile as upstate::Resource>::HISTORY;
    let step = history.steps().first().unwrap();
    assert_eq!(
        history.verdicts(step).down.to_string(),
        "lossless; refuses members of a flattened map that the older type does not take"
    );
    let registry = Registry::new().with::<Pile>();
    for (current, goes_back) in [(r#"{"255": 1}"#, true), (r#"{"256": 1}"#, false)] {
        let request =
            upstate::upgrade::DowngradeRequest::json("app.pile", 1, 0, current.as_bytes());
        let response = registry.downgrade(&request);
        assert_eq!(response.state().is_some(), goes_back, "{current}");
    }
}

/// A mast whose middle version is narrower, and has a function for the way back.
#[derive(Debug, Document)]
#[document(type_name = "app.mast", version = 2)]
#[upgrade_from(1 => 2, model = MastV1, carry)]
struct Mast {
    height: u16,
}

#[derive(Debug, Document)]
#[document(type_name = "app.mast", version = 1, prior)]
#[upgrade_from(0, model = MastV0, with = of_tall, downgrade = to_tall)]
struct MastV1 {
    height: u8,
}

#[derive(Debug, Document)]
#[document(type_name = "app.mast", version = 0, prior)]
struct MastV0 {
    tall: u8,
}

fn of_tall(MastV0 { tall }: MastV0, _: &mut upstate::UpgradeContext<'_>) -> MastV1 {
    MastV1 { height: tall }
}

fn to_tall(MastV1 { height }: MastV1) -> MastV0 {
    MastV0 { tall: height }
}

#[test]
fn a_function_for_the_way_back_that_cannot_read_a_value_says_which() {
    let registry = Registry::new().with::<Mast>();
    for (current, expected) in [
        (r#"{"height":255}"#, r#"{"tall":255}"#),
        (
            r#"{"height":300}"#,
            "The function that takes the document back from version 1 cannot read it: \
             expected a whole number from 0 to 255, found 300 (at height of version 1).",
        ),
    ] {
        let request =
            upstate::upgrade::DowngradeRequest::json("app.mast", 2, 0, current.as_bytes());
        let response = registry.downgrade(&request);
        let refused = response.diagnostics().to_string();
        let answer = response
            .state()
            .map_or(refused, |older| String::from_utf8_lossy(older).into_owned());
        assert!(answer.contains(expected), "{answer}");
    }
}

/// What a document can have wrong in several places at once.
mod mistakes {
    use super::*;

    #[derive(Debug, Document)]
    #[document(type_name = "app.wall", version = 2, rename_all = "camelCase")]
    #[upgrade_from(1 => 2, rename(gateList => gates), convert(height: String, empty = refuse))]
    #[upgrade_from(0 => 1, rename(tall => height))]
    struct Wall {
        height: u8,
        gates: Vec<Gate>,
        ratio: f64,
        towers: HashMap<String, bool>,
        #[attribute(default)]
        flag: Option<String>,
        #[attribute(sensitive)]
        pass: String,
        #[attribute(json)]
        plugin: serde_json::Value,
    }

    #[derive(Debug, Document)]
    #[document(deny_unknown_fields, rename_all = "camelCase")]
    struct Gate {
        name: String,
        lock_count: u8,
    }

    fn errors(version: u64, json: &str) -> Vec<String> {
        let registry = Registry::new().with::<Wall>();
        let response =
            registry.upgrade(&UpgradeRequest::json("app.wall", version, json.as_bytes()));
        assert!(response.state().is_none());
        let prefix = format!("The stored document does not fit schema version {version}: ");
        let first = |detail: &str| {
            detail
                .split(". If nobody")
                .next()
                .unwrap_or_default()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        response
            .diagnostics()
            .iter()
            .map(|one| first(one.detail()).trim_start_matches(&prefix).to_owned())
            .collect()
    }

    #[test]
    fn all_of_them_are_reported_in_the_order_of_the_document() {
        let json = r#"{"height": 300, "gates": [{"name": null, "lockCount": 1}, 7, {"lockCount": -1, "lookCount": 2}],
            "ratio": 0.12345678901234567890, "towers": {"a": true, "b": "yes"}, "flag": 3, "pass": ["secret"], "plugin": null}"#;
        let found = errors(2, json);
        assert_eq!(
            found,
            [
                "expected a whole number from 0 to 255, found 300 (at height).",
                "the stored value is null, but must not be (at gates[0].name)",
                "expected an object, found a number (at gates[1]).",
                "it lacks this member, which must be there (at gates[2].name)",
                "expected a whole number from 0 to 255, found -1 (at gates[2].lockCount).",
                "no field takes the member \"lookCount\" (at gates[2].lookCount).",
                "expected a bool, found a string: \"yes\" (at towers[\"b\"]).",
                "expected a string, found a number: 3 (at flag).",
                "expected a string, found an array (at pass).",
            ]
        );
        assert!(!found.concat().contains("secret"));
    }

    #[derive(Debug, Document)]
    #[document(type_name = "app.roof", version = 0)]
    struct Roof {
        is_flat: bool,
        theme: Theme,
        #[attribute(flatten)]
        owner: Named,
        colour: Option<Theme>,
    }

    #[test]
    fn members_with_types_of_their_own_that_are_absent_are_reported() {
        let response = Registry::new()
            .with::<Roof>()
            .upgrade(&UpgradeRequest::json("app.roof", 0, b"{}"));
        let paths: Vec<String> = response
            .diagnostics()
            .iter()
            .filter_map(|one| Some(one.path()?.to_string()))
            .collect();
        assert_eq!(paths, ["is_flat", "theme"]);
    }

    #[test]
    fn those_of_older_versions_are_reported_too() {
        let json = r#"{"height": 3, "gateList": [{"name": 1, "lockCount": "1"}], "ratio": "0.5", "towers": {"a": 1}, "pass": "x"}"#;
        assert_eq!(
            errors(1, json),
            [
                "expected a string, found a number: 3 (at height).",
                "expected a string, found a number: 1 (at gateList[0].name).",
                "expected a number, found a string: \"1\" (at gateList[0].lockCount).",
                "expected a number, found a string: \"0.5\" (at ratio).",
                "expected a bool, found a number: 1 (at towers[\"a\"]).",
            ]
        );
        // Right of its kind, and wrong for the types of the struct.
        let json = r#"{"tall": "300", "gateList": [{"name": "a", "lockCount": 256}], "ratio": 0.5, "towers": {}}"#;
        let height = "300 does not fit schema version 2: expected a whole number from 0 to 255 (at height). That is in the upgrade from \
                      schema version 1 to 2; height is made from `tall` of version 0.";
        assert_eq!(
            errors(0, json),
            [
                "expected a whole number from 0 to 255, found 256 (at gateList[0].lockCount).",
                "it lacks this member, which must be there (at pass)",
                "it lacks this member, which must be there (at plugin)",
                height,
            ]
        );
    }

    #[test]
    fn beyond_a_bound_they_are_counted() {
        let towers: Vec<String> = (0..53).map(|index| format!("\"{index}\": 1")).collect();
        let json = format!(
            r#"{{"height": 1, "gates": [], "ratio": 1, "towers": {{{}}}, "pass": "x", "plugin": 1}}"#,
            towers.join(",")
        );
        let found = errors(2, &json);
        assert_eq!(found.len(), 51);
        assert_eq!(
            found.last().unwrap(),
            "In the stored document, 3 more values do not fit schema version 2."
        );
        // The search ends where the text is not JSON, and the mistakes before that stay.
        let found = errors(2, &json.replace("\"plugin\": 1", "\"plugin\": nul"));
        assert_eq!(found.len(), 51, "{found:?}");
    }
}

/// Otherwise the table of the one would need that of the other, and the compiler would find a
/// cycle.
mod parameters_that_are_only_named {
    use std::marker::PhantomData;

    use upstate::Document;

    #[derive(Document)]
    #[serde(transparent)]
    struct Id<T> {
        id: String,
        #[serde(skip)]
        of: PhantomData<T>,
    }

    #[derive(Document)]
    struct Link<T> {
        id: Id<T>,
        label: Option<String>,
    }

    #[derive(Document)]
    #[document(type_name = "team", version = 0)]
    struct Team {
        lead: Link<User>,
    }

    #[derive(Document)]
    struct User {
        team: Link<Team>,
    }

    #[test]
    fn need_no_table() {
        let team: Team = upstate::from_json(br#"{"lead":{"id":"u","label":null}}"#).unwrap();
        assert_eq!((&*team.lead.id.id, team.lead.label), ("u", None));
        let user = User {
            team: Link {
                id: Id {
                    id: "t".to_owned(),
                    of: PhantomData,
                },
                label: None,
            },
        };
        assert_eq!(user.team.id.id, "t");
    }
}

/// Keys that are written in another form than they were stored in.
mod keys {
    use std::collections::BTreeMap;
    use std::net::IpAddr;

    use upstate::document::{self, NoteKind};
    use upstate::{AttributeType, Document};

    /// The value as it is written again, and the kinds and offsets of the notes.
    fn read<T: AttributeType>(json: &str) -> (String, Vec<(NoteKind, usize)>) {
        let read = document::read::<T>(json.as_bytes()).unwrap();
        let notes = read
            .notes()
            .iter()
            .map(|note| (note.kind, note.offset))
            .collect();
        (
            String::from_utf8(document::write(read.value()).unwrap()).unwrap(),
            notes,
        )
    }

    #[test]
    fn addresses_are_read_as_serde_does() {
        let (written, notes) = read::<BTreeMap<IpAddr, u8>>(r#"{"FE80::1":1,"0:0:0:0:0:0:0:1":2}"#);
        assert_eq!((&*written, notes), (r#"{"::1":2,"fe80::1":1}"#, vec![]));
        let (written, notes) = read::<BTreeMap<IpAddr, u8>>(r#"{"0:0:0:0:0:0:0:1":2,"::1":3}"#);
        assert_eq!(
            (&*written, notes),
            (r#"{"::1":3}"#, vec![(NoteKind::RepeatedKey, 0)])
        );
        document::read::<BTreeMap<IpAddr, u8>>(br#"{"127.0.0.01":1}"#).unwrap_err();
    }

    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Document)]
    struct At(jiff::Timestamp);

    #[derive(Debug, Document)]
    struct Times {
        #[serde(flatten)]
        all: BTreeMap<At, u8>,
    }

    #[test]
    fn an_offset_that_a_timestamp_does_not_keep_is_noted() {
        let (kept, whole) = (
            r#"{"2024-02-29T10:00:00Z":1}"#,
            r#"{ "2024-02-29T12:00:00+02:00":1}"#,
        );
        assert_eq!(
            read::<BTreeMap<jiff::Timestamp, u8>>(kept),
            (kept.to_owned(), vec![])
        );
        assert_eq!(
            read::<BTreeMap<jiff::Timestamp, u8>>(whole),
            (kept.to_owned(), vec![(NoteKind::Rounded, 30)])
        );
        assert_eq!(
            read::<BTreeMap<At, u8>>(whole),
            (kept.to_owned(), vec![(NoteKind::Rounded, 30)])
        );
        assert_eq!(
            read::<Times>(whole),
            (kept.to_owned(), vec![(NoteKind::Rounded, 30)])
        );
        let (written, notes) =
            read::<BTreeMap<jiff::civil::Date, u8>>(r#"{"2024-02-29T12:00:00":1}"#);
        assert_eq!(
            (&*written, notes),
            (r#"{"2024-02-29":1}"#, vec![(NoteKind::Rounded, 23)])
        );
        let (written, notes) = read::<BTreeMap<jiff::civil::Date, u8>>(
            r#"{"2024-02-29[Europe/Berlin]":1,"20240301":2}"#,
        );
        assert_eq!(
            (&*written, notes),
            (
                r#"{"2024-02-29":1,"2024-03-01":2}"#,
                vec![(NoteKind::Rounded, 29)]
            )
        );
    }
}

/// A condition leaves out what is read again, and nothing else.
mod conditions {
    use serde::{Deserialize, Serialize};
    use upstate::{Document, Union};

    #[derive(Debug, Clone, PartialEq, Document)]
    #[document(type_name = "retries")]
    struct Retries {
        #[serde(default = "three", skip_serializing_if = "is_zero")]
        other: u32,
        #[serde(default = "three", skip_serializing_if = "is_three")]
        same: u32,
        #[attribute(default = Some(3), skip_if = Option::is_none)]
        none: Option<u32>,
        #[serde(skip_serializing_if = "is_empty")]
        text: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        #[serde(with = "by_serde", skip_serializing_if = "Option::is_none")]
        lacks: Option<u32>,
        #[serde(default, with = "by_serde", skip_serializing_if = "Option::is_none")]
        fills: Option<u32>,
        #[attribute(as_string, default = 3u32, skip_if = is_zero)]
        string: u32,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        list: Vec<u32>,
        #[serde(default = "not_a_number", skip_serializing_if = "is_not_finite")]
        ratio: f64,
        kind: Kind,
    }

    #[derive(Debug, Clone, PartialEq, Union)]
    #[serde(tag = "kind")]
    enum Kind {
        Often {
            #[serde(default = "three", skip_serializing_if = "is_zero")]
            times: u32,
            #[serde(default = "three", skip_serializing_if = "is_three")]
            days: u32,
        },
    }

    /// The struct's own default fills its fields in.
    #[derive(Debug, Clone, PartialEq, Document)]
    #[serde(default)]
    struct Whole {
        #[serde(skip_serializing_if = "Option::is_none")]
        limit: Option<u32>,
        #[serde(skip_serializing_if = "is_zero")]
        used: u32,
    }

    impl Default for Whole {
        fn default() -> Self {
            Self {
                limit: Some(3),
                used: 0,
            }
        }
    }

    mod by_serde {
        use super::{Deserialize, Serialize};

        #[expect(
            clippy::ref_option,
            clippy::trivially_copy_pass_by_ref,
            reason = "serde asks for a reference"
        )]
        pub(super) fn serialize<S: serde::Serializer>(
            value: &Option<u32>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            value.serialize(serializer)
        }

        pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<u32>, D::Error> {
            Option::deserialize(deserializer)
        }
    }

    fn three() -> u32 {
        3
    }

    fn not_a_number() -> f64 {
        f64::NAN
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "conditions get references"
    )]
    fn is_zero(value: &u32) -> bool {
        *value == 0
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "conditions get references"
    )]
    fn is_three(value: &u32) -> bool {
        *value == 3
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "conditions get references"
    )]
    fn is_not_finite(value: &f64) -> bool {
        !value.is_finite()
    }

    #[expect(clippy::ref_option, reason = "conditions get references")]
    fn is_empty(value: &Option<String>) -> bool {
        value.as_ref().is_none_or(String::is_empty)
    }

    fn retries() -> Retries {
        Retries {
            other: 3,
            same: 3,
            none: Some(3),
            text: None,
            note: None,
            lacks: Some(1),
            fills: None,
            string: 3,
            list: Vec::new(),
            ratio: f64::NAN,
            kind: Kind::Often { times: 3, days: 3 },
        }
    }

    fn written(retries: &Retries) -> String {
        String::from_utf8(upstate::to_json(retries).unwrap()).unwrap()
    }

    #[test]
    fn leave_out_what_is_filled_in() {
        let json =
            r#"{"other":3,"none":3,"lacks":1,"string":"3","kind":{"kind":"Often","times":3}}"#;
        assert_eq!(written(&retries()), json);
        let again: Retries = upstate::from_json(json).unwrap();
        assert!(again.ratio.is_nan());
        assert_eq!(
            Retries {
                ratio: 1.0,
                ..again
            },
            Retries {
                ratio: 1.0,
                ..retries()
            }
        );
    }

    #[test]
    fn keep_what_would_be_read_as_another_value() {
        let changed = Retries {
            other: 0,
            none: None,
            text: Some(String::new()),
            lacks: None,
            string: 0,
            ratio: 1.0,
            kind: Kind::Often { times: 0, days: 3 },
            ..retries()
        };
        let json = concat!(
            r#"{"other":0,"none":null,"text":"","lacks":null,"string":"0","ratio":1.0,"#,
            r#""kind":{"kind":"Often","times":0}}"#
        );
        assert_eq!(written(&changed), json);
        assert_eq!(upstate::from_json::<Retries>(json).unwrap(), changed);
        let whole = Whole {
            limit: None,
            used: 0,
        };
        assert_eq!(
            String::from_utf8(upstate::to_json(&whole).unwrap()).unwrap(),
            r#"{"limit":null}"#
        );
        assert_eq!(
            upstate::from_json::<Whole>(r#"{"limit":null}"#).unwrap(),
            whole
        );
    }
}

/// Fields without names are stored in other forms than those of their types, as fields with names
/// are.
mod positions {
    use std::collections::BTreeMap;
    use std::net::IpAddr;
    use std::time::Duration;

    use serde::de::DeserializeOwned;
    use serde::{Deserialize, Serialize};
    use upstate::schema::Type;
    use upstate::{AttributeType, Document, StoredForm, Union, With, document};

    #[derive(Debug, PartialEq, Serialize, Deserialize, Document)]
    struct Byte(
        #[serde(
            serialize_with = "hex::serialize",
            deserialize_with = "hex::deserialize"
        )]
        u8,
    );

    #[derive(Debug, PartialEq, Serialize, Deserialize, Document)]
    struct Named(
        String,
        #[serde(
            serialize_with = "hex::serialize",
            deserialize_with = "hex::deserialize"
        )]
        u8,
    );

    #[derive(Debug, PartialEq, Serialize, Deserialize, Union)]
    enum Color {
        Grey(
            #[serde(
                serialize_with = "hex::serialize",
                deserialize_with = "hex::deserialize"
            )]
            u8,
        ),
        Mixed(
            u8,
            #[serde(
                serialize_with = "hex::serialize",
                deserialize_with = "hex::deserialize"
            )]
            u8,
        ),
    }

    mod hex {
        use serde::Deserialize;

        #[expect(
            clippy::trivially_copy_pass_by_ref,
            reason = "serde asks for a reference"
        )]
        pub(super) fn serialize<S: serde::Serializer>(
            value: &u8,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(&format!("{value:x}"))
        }

        pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> Result<u8, D::Error> {
            u8::from_str_radix(&String::deserialize(deserializer)?, 16)
                .map_err(serde::de::Error::custom)
        }
    }

    #[derive(Debug, PartialEq, Document)]
    struct Port(#[attribute(as_string)] u16);

    #[derive(Debug, PartialEq, Document)]
    struct OptionalPort(#[attribute(as_string)] Option<u16>);

    #[derive(Debug, PartialEq, Document)]
    #[serde(transparent)]
    struct Host {
        #[attribute(as_string)]
        address: IpAddr,
    }

    #[derive(Debug, PartialEq, Document)]
    struct Wait(#[attribute(json)] Foreign);

    #[derive(Debug, PartialEq, Document)]
    struct OptionalWait(#[attribute(json)] Option<Foreign>);

    /// A type of serde alone.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Foreign {
        seconds: u8,
    }

    #[derive(Debug, PartialEq, Document)]
    struct Optional {
        port: OptionalPort,
        wait: OptionalWait,
    }

    #[derive(Debug, PartialEq, Union)]
    #[union(untagged)]
    enum Loose {
        Port(#[attribute(as_string)] Option<u16>),
        Open(bool),
    }

    #[derive(Debug, PartialEq, Document)]
    struct Folder(Option<BTreeMap<String, Folder>>);

    #[derive(Debug, PartialEq, Union)]
    enum Target {
        Port(#[attribute(as_string)] u16),
        Wait(#[attribute(json)] Foreign),
        Both(#[attribute(as_string)] u16, String),
    }

    /// Whole seconds; absent or null where there are none.
    enum Seconds {}

    impl StoredForm<Duration> for Seconds {
        type Stored = Option<u64>;

        fn read(stored: Option<u64>) -> Result<Duration, String> {
            Ok(Duration::from_secs(stored.unwrap_or(0)))
        }

        fn write(pause: &Duration) -> Option<u64> {
            Some(pause.as_secs()).filter(|seconds| *seconds > 0)
        }
    }

    #[derive(Debug, PartialEq, Document)]
    struct Pauses {
        all: Vec<With<Duration, Seconds>>,
        last: With<Duration, Seconds>,
    }

    #[derive(Debug, PartialEq, Union)]
    enum Pace {
        Every(With<Duration, Seconds>),
        Between(With<Duration, Seconds>, u8),
    }

    fn is_stored_as<T: AttributeType + std::fmt::Debug + PartialEq>(value: &T, json: &str) {
        let read = document::read::<T>(json.as_bytes()).unwrap();
        assert_eq!(read.value(), value);
        assert!(read.notes().is_empty(), "{json}");
        assert_eq!(
            String::from_utf8(document::write(value).unwrap()).unwrap(),
            json
        );
    }

    fn is_stored_as_by_serde<T>(value: &T, json: &str)
    where
        T: AttributeType + Serialize + DeserializeOwned + std::fmt::Debug + PartialEq,
    {
        is_stored_as(value, json);
        assert_eq!(serde_json::from_str::<T>(json).unwrap(), *value);
        assert_eq!(serde_json::to_string(value).unwrap(), json);
    }

    #[test]
    fn by_functions_of_serde() {
        is_stored_as_by_serde(&Byte(255), r#""ff""#);
        is_stored_as_by_serde(&Named("a".to_owned(), 16), r#"["a","10"]"#);
        is_stored_as_by_serde(&Color::Grey(128), r#"{"Grey":"80"}"#);
        is_stored_as_by_serde(&Color::Mixed(1, 255), r#"{"Mixed":[1,"ff"]}"#);
        assert!(document::read::<Byte>(br#""fff""#).is_err());
    }

    #[test]
    fn as_strings_and_as_serde_has_them() {
        is_stored_as(&Port(80), r#""80""#);
        is_stored_as(&OptionalPort(Some(80)), r#""80""#);
        is_stored_as(&OptionalPort(None), "null");
        is_stored_as(
            &Host {
                address: IpAddr::from([10, 0, 0, 1]),
            },
            r#""10.0.0.1""#,
        );
        is_stored_as(&Wait(Foreign { seconds: 3 }), r#"{"seconds":3}"#);
        is_stored_as(
            &Optional {
                port: OptionalPort(None),
                wait: OptionalWait(None),
            },
            r#"{"port":null,"wait":null}"#,
        );
        assert!(
            OptionalPort::INFO.is_nullable()
                && OptionalWait::INFO.is_nullable()
                && !Wait::INFO.is_nullable()
        );
        is_stored_as(&Loose::Port(None), "null");
        is_stored_as(&Folder(None), "null");
        assert!(Loose::INFO.is_nullable() && Folder::INFO.is_nullable());
        is_stored_as(&Target::Port(80), r#"{"Port":"80"}"#);
        is_stored_as(
            &Target::Wait(Foreign { seconds: 3 }),
            r#"{"Wait":{"seconds":3}}"#,
        );
        is_stored_as(&Target::Both(80, "a".to_owned()), r#"{"Both":["80","a"]}"#);
        assert!(
            document::read::<Port>(b"80").is_err() && document::read::<Port>(br#""x""#).is_err()
        );
        assert_eq!(
            (Type::of::<Port>(), Type::of::<Host>()),
            (Type::String, Type::String)
        );
    }

    #[test]
    fn in_a_form_of_their_author() {
        let pause = |seconds| With::from(Duration::from_secs(seconds));
        let pauses = Pauses {
            all: vec![pause(5), pause(0)],
            last: pause(0),
        };
        is_stored_as(&pauses, r#"{"all":[5,null],"last":null}"#);
        let absent = document::read::<Pauses>(br#"{"all":[5,null]}"#).unwrap();
        assert!(absent.notes().is_empty());
        assert_eq!(absent.value(), &pauses);
        is_stored_as(&Pace::Every(pause(60)), r#"{"Every":60}"#);
        is_stored_as(&Pace::Between(pause(60), 2), r#"{"Between":[60,2]}"#);
        assert!(document::read::<Pace>(br#"{"Every":"60"}"#).is_err());
    }
}

/// A name that the rule for names makes, and one that an earlier release stored without the rule.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "app.user", version = 2, rename_all = "camelCase")]
#[upgrade_from(1 => 2, rename(userName => display_name))]
#[upgrade_from(0 => 1, rename(r#user_name => userName), drop(r#last_seen: Option<u64>, "nobody read it"))]
struct User {
    display_name: Option<String>,
}

#[test]
fn a_field_that_is_gone_is_named_as_it_was_stored() {
    for (version, stored) in [
        (0, json!({"user_name": "Ann", "last_seen": 7})),
        (1, json!({"userName": "Ann"})),
        (2, json!({"displayName": "Ann"})),
    ] {
        let user: User = upstate::upgrade_json(version, stored.to_string()).unwrap();
        assert_eq!(user.display_name.as_deref(), Some("Ann"));
    }
}

/// Its defaults are made by functions of any type: the type of the field tells which one it is.
#[derive(Debug, PartialEq, Deserialize, Document)]
#[document(type_name = "app.filled")]
struct Filled {
    #[serde(default = "Vec::new")]
    list: Vec<u8>,
    #[serde(default = "Default::default")]
    text: String,
    #[serde(skip, default = "Default::default")]
    cache: u8,
}

#[test]
fn functions_of_defaults_may_be_of_any_type() {
    let by_serde: Filled = serde_json::from_str("{}").unwrap();
    let read = upstate::document::read::<Filled>(b"{}").unwrap();
    assert_eq!(read.value(), &by_serde);
}
