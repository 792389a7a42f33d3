//! One file that programs of several releases read and write in turn, with serde and as a document:
//! what each of them cannot hold is not taken for something else, and not lost unseen.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use upstate::upgrade::DowngradeRequest;
use upstate::{Document, Registry, Union};
use upstate_state::document::Format;

/// A ferry, whose release 0 is a program of serde that knows no versions.
#[derive(Debug, Document)]
#[document(type_name = "app.ferry", version = 1)]
#[upgrade_from(0 => 1, rename(title: String => name))]
struct Ferry {
    name: String,
}

const FERRY: Format<'static> = Format::new().unversioned(0);

#[derive(Debug, Serialize, Deserialize)]
struct Plain {
    title: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    title: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Keeping {
    #[serde(default)]
    title: String,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[test]
fn every_program_of_serde_reads_what_goes_back_to_it() {
    let registry = Registry::new().with::<Ferry>();
    let request = DowngradeRequest::json("app.ferry", 1, 0, br#"{"name":"Ann"}"#);
    let response = registry.downgrade(&request);
    let older = response.state().unwrap();
    let attributes: Value = serde_json::from_slice(older).unwrap();
    assert_eq!(attributes, json!({"title": "Ann"}));
    let plain: Plain = serde_json::from_slice(older).unwrap();
    let strict: Strict = serde_json::from_slice(older).unwrap();
    let keeping: Keeping = serde_json::from_slice(older).unwrap();
    assert_eq!(
        [plain.title, strict.title, keeping.title],
        ["Ann", "Ann", "Ann"]
    );
    assert!(keeping.rest.is_empty());
}

#[test]
fn an_envelope_that_serde_loses_or_refuses_makes_no_other_value() {
    // With an envelope, because an earlier release that knew of versions wrote it.
    let written = r#"{"type":"app.ferry","schema_version":0,"title":"Ann"}"#;
    serde_json::from_str::<Strict>(written).unwrap_err();
    let plain: Plain = serde_json::from_str(written).unwrap();
    let bare = serde_json::to_string(&plain).unwrap();
    assert_eq!(bare, r#"{"title":"Ann"}"#);
    for text in [written, &bare] {
        let ferry = FERRY.read::<Ferry>(text.as_bytes()).unwrap();
        assert_eq!((&*ferry.name, ferry.stored_version()), ("Ann", 0));
    }
}

#[test]
fn an_envelope_that_serde_kept_is_not_believed_of_older_members() {
    let written = FERRY
        .to_string(&Ferry {
            name: "Ann".to_owned(),
        })
        .unwrap();
    let mut keeping: Keeping = serde_json::from_str(&written).unwrap();
    keeping.title = "Eva".to_owned();
    let stale = serde_json::to_string(&keeping).unwrap();
    assert!(stale.contains(r#""schema_version":1"#), "{stale}");
    let ferry = FERRY.read::<Ferry>(stale.as_bytes()).unwrap();
    let undefined: Vec<String> = ferry.undefined().iter().map(ToString::to_string).collect();
    assert_eq!((&*ferry.name, undefined), ("Ann", vec!["title".to_owned()]));

    keeping.rest.remove("name");
    let stale = serde_json::to_string(&keeping).unwrap();
    let refused = FERRY
        .read::<Ferry>(stale.as_bytes())
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("it lacks this member, which must be there (at name)"),
        "{refused}"
    );
}

/// A lamp, as an older release knows it.
#[derive(Debug, Document)]
#[document(type_name = "app.lamp")]
struct Lamp {
    glow: Glow,
    level: u8,
}

#[derive(Debug, PartialEq, Union)]
enum Glow {
    On,
    #[attribute(other)]
    Unknown,
}

#[test]
fn a_variant_of_a_later_release_is_reported_and_stays_in_the_backup() {
    let text = r#"{"type":"app.lamp","schema_version":0,"glow":"Pulsing","level":1}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lamp.json");
    std::fs::write(&path, text).unwrap();
    let mut lamp = Format::new().open::<Lamp>(&path).unwrap();
    assert_eq!(lamp.glow, Glow::Unknown);
    let undefined: Vec<String> = lamp.undefined().iter().map(ToString::to_string).collect();
    assert_eq!(undefined, ["glow"]);
    lamp.level = 2;
    lamp.save().unwrap();
    let saved = std::fs::read_to_string(&path).unwrap();
    assert!(saved.contains("Unknown"), "{saved}");
    let backup = std::fs::read_to_string(lamp.backup_path()).unwrap();
    assert_eq!(backup, text);
}

/// Collections that hold less in their later form.
#[derive(Debug, Document)]
#[document(type_name = "app.bag", version = 1)]
#[upgrade_from(0 => 1, rekey(links: Vec<Link>, key = name, value = url), convert(tags: Vec<String>))]
struct Bag {
    links: BTreeMap<String, String>,
    tags: BTreeSet<String>,
}

#[derive(Debug, Document)]
struct Link {
    name: String,
    url: String,
}

#[test]
fn a_set_keeps_an_element_once_and_says_so_and_pairs_with_one_key_are_refused() {
    let bag = |links: Value| {
        let stored = json!({"links": links, "tags": ["b", "a", "b"]}).to_string();
        upstate::upgrade_json_with_notes::<Bag>(0, stored).map_err(|errors| errors.to_string())
    };
    let (read, notes) = bag(json!([{"name": "x", "url": "1"}, {"name": "w", "url": "2"}])).unwrap();
    let warnings: Vec<String> = notes.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("tags holds an element more than once"),
        "{warnings:?}"
    );
    let written: Value = serde_json::from_slice(&upstate::to_json(&read).unwrap()).unwrap();
    let expected = json!({"links": {"w": "2", "x": "1"}, "tags": ["a", "b"]});
    assert_eq!(written, expected);
    let refused = bag(json!([{"name": "x", "url": "1"}, {"name": "x", "url": "2"}])).unwrap_err();
    assert!(refused.contains("two elements have"), "{refused}");
}
