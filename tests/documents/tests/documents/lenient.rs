//! Documents that are read by Terraform's rules, as those of programs whose writers were not
//! strict.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use std::collections::BTreeMap;

use serde_json::json;
use upstate::upgrade::{DowngradeRequest, UpgradeRequest};
use upstate::{Document, Registry, Union};

#[derive(Debug, Clone, PartialEq, Document)]
#[document(
    type_name = "app.settings",
    version = 1,
    rename_all = "camelCase",
    lenient
)]
#[upgrade_from(0 => 1, rename(oldName => newName), drop(gone: Option<u8>, "nobody used it"))]
struct Settings {
    new_name: String,
    max_width: u16,
    ratio: Option<f64>,
    is_open: bool,
    tags: Vec<String>,
    window: Window,
    limits: BTreeMap<String, u8>,
    #[attribute(default = 3)]
    retries: u8,
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase", lenient)]
struct Window {
    full_screen: bool,
}

/// The same, read as serde reads.
#[derive(Debug, PartialEq, Document)]
#[document(type_name = "app.settings", version = 0, rename_all = "camelCase")]
struct Strict {
    max_width: u16,
}

fn stored(name: &str) -> serde_json::Value {
    json!({
        name: 7, "maxWidth": "80", "ratio": "1.5", "isOpen": "true", "tags": ["a", 1], "window": {"fullScreen": "false"},
        "limits": {"a": "1"}, "retries": 2, "gone": "9"
    })
}

fn expected() -> Settings {
    Settings {
        new_name: "7".into(),
        max_width: 80,
        ratio: Some(1.5),
        is_open: true,
        tags: vec!["a".into(), "1".into()],
        window: Window { full_screen: false },
        limits: BTreeMap::from([("a".into(), 1)]),
        retries: 2,
    }
}

#[test]
fn text_of_a_number_is_a_number_at_each_version() {
    let (settings, notes) =
        upstate::upgrade_json_with_notes::<Settings>(1, stored("newName").to_string()).unwrap();
    assert_eq!((settings, notes.undefined().len()), (expected(), 1));
    let (settings, notes) =
        upstate::upgrade_json_with_notes::<Settings>(0, stored("oldName").to_string()).unwrap();
    assert_eq!((settings, notes.undefined().len()), (expected(), 0));
    let error = upstate::upgrade_json::<Strict>(0, r#"{"maxWidth": "80"}"#)
        .unwrap_err()
        .to_string();
    assert!(error.contains("maxWidth"), "{error}");
}

/// The settings that these members make at either version, or the message.
fn read(version: u64, change: impl Fn(&mut serde_json::Value)) -> Result<Settings, String> {
    let mut stored = stored(if version == 0 { "oldName" } else { "newName" });
    change(&mut stored);
    upstate::upgrade_json(version, stored.to_string()).map_err(|error| error.to_string())
}

#[test]
fn what_is_no_number_is_none_at_each_version() {
    for version in [0, 1] {
        for (member, value, problem) in [
            ("maxWidth", json!("wide"), "not a decimal number"),
            ("maxWidth", json!(null), "null"),
            ("isOpen", json!("perhaps"), "bool"),
            ("window", json!("open"), "an object"),
            ("limits", json!({"a": "300"}), "from 0 to 255"),
        ] {
            let error = read(version, |stored| stored[member] = value.clone()).unwrap_err();
            assert!(
                error.contains(problem) && error.contains(member),
                "{version}, {member}: {error}"
            );
        }
        let without = read(version, |stored| stored["ratio"] = json!(null)).unwrap();
        assert_eq!(
            without,
            Settings {
                ratio: None,
                ..expected()
            }
        );
    }
}

#[test]
fn one_mistake_is_one_error_at_each_version() {
    let registry = Registry::new().with::<Settings>();
    for version in [0, 1] {
        let mut stored = stored(if version == 0 { "oldName" } else { "newName" });
        stored.as_object_mut().unwrap().remove("retries");
        stored["window"] = json!([true]);
        stored["maxWidth"] = json!("wide");
        let json = stored.to_string();
        let response = registry.upgrade(&UpgradeRequest::json(
            "app.settings",
            version,
            json.as_bytes(),
        ));
        assert_eq!(
            response.diagnostics().iter().count(),
            1,
            "{version}: {}",
            response.diagnostics()
        );
    }
}

#[test]
fn a_member_that_is_there_twice_is_refused_at_each_version() {
    for (version, name) in [(0, "oldName"), (1, "newName")] {
        let twice = stored(name)
            .to_string()
            .replacen('{', &format!(r#"{{"{name}": "first", "#), 1);
        let error = upstate::upgrade_json::<Settings>(version, twice)
            .unwrap_err()
            .to_string();
        assert!(error.contains("twice"), "{version}: {error}");
    }
}

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "app.theme", version = 1, lenient)]
#[upgrade_from(0 => 1, rename(old => shape))]
struct Theme {
    shape: Shape,
}

#[derive(Debug, PartialEq, Union)]
#[union(tag = "kind")]
enum Shape {
    Round { width: u8 },
    Flat,
}

#[test]
fn a_member_of_an_enum_that_is_there_twice_is_refused_at_each_version() {
    for (version, name) in [(0, "old"), (1, "shape")] {
        let read = |shape: &str| {
            upstate::upgrade_json::<Theme>(version, format!(r#"{{"{name}": {shape}}}"#))
                .map(|theme| theme.shape)
                .map_err(|error| error.to_string())
        };
        assert_eq!(
            read(r#"{"kind": "Round", "width": 7}"#),
            Ok(Shape::Round { width: 7 }),
            "{version}"
        );
        for twice in [
            r#"{"kind": "Round", "width": 1, "width": 2}"#,
            r#"{"kind": "Round", "width": 1, "kind": "Flat"}"#,
        ] {
            let error = read(twice).unwrap_err();
            assert!(error.contains("twice"), "{version}: {error}");
        }
    }
}

#[test]
fn what_is_written_is_typed_and_goes_back() {
    let json = upstate::to_json(&expected()).unwrap();
    let written: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(
        (
            &written["maxWidth"],
            &written["newName"],
            &written["isOpen"]
        ),
        (&json!(80), &json!("7"), &json!(true))
    );
    let registry = Registry::new().with::<Settings>();
    // A file that nobody has rewritten yet is as loose as before.
    let mut loose = stored("newName");
    loose.as_object_mut().unwrap().remove("gone");
    for current in [json, loose.to_string().into_bytes()] {
        let response = registry.downgrade(&DowngradeRequest::json("app.settings", 1, 0, &current));
        let older = response
            .state()
            .unwrap_or_else(|| panic!("{}", response.diagnostics()));
        assert_eq!(
            upstate::upgrade_json::<Settings>(0, older).unwrap(),
            expected()
        );
    }
}
