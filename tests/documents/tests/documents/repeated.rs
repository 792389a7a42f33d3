//! Members that come twice: an older version refuses what the current one refuses, and keeps once
//! what that keeps once.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use serde_json::Value;
use upstate::{Document, Union};

#[derive(Debug, Document)]
#[document(type_name = "app.sign", version = 1)]
#[upgrade_from(0 => 1, rename(text => label))]
struct Sign {
    label: String,
    fill: Fill,
    shape: Shape,
    mode: Mode,
    loose: Loose,
    sizes: (Size, u8),
    any: Value,
    #[attribute(flatten)]
    place: Place,
    #[attribute(rest)]
    others: BTreeMap<String, Value>,
}

#[derive(Debug, Document)]
struct Place {
    x: u8,
    border: Option<Fill>,
}

#[derive(Debug, Document)]
struct Size {
    wide: u8,
}

#[derive(Debug, Union)]
#[union(tag = "kind")]
enum Fill {
    Plain,
    Solid {
        colour: String,
        #[attribute(default)]
        plugin: Value,
    },
    Of(Size),
    Any(BTreeMap<String, Value>),
}

#[derive(Debug, Union)]
enum Shape {
    Point,
    Box(Size),
    Named(BTreeMap<String, u8>),
}

#[derive(Debug, Union)]
#[union(tag = "t", content = "c")]
enum Mode {
    Zoom(u8),
    Box(Size),
    Names(BTreeMap<String, u8>),
}

#[derive(Debug, Union)]
#[union(untagged)]
enum Loose {
    Number(u8),
    Box {
        size: Size,
        #[attribute(default)]
        any: Value,
    },
    Names(BTreeMap<String, u8>),
}

const MEMBERS: [(&str, &str); 6] = [
    ("fill", r#"{"kind":"Plain"}"#),
    ("shape", r#""Point""#),
    ("mode", r#"{"t":"Zoom","c":1}"#),
    ("loose", "1"),
    ("sizes", r#"[{"wide":1},2]"#),
    ("any", "null"),
];

/// The summaries of the warnings for a sign that has one member otherwise and others besides; the
/// message if it is refused.
fn read(version: u64, name: &str, json: &str, more: &str) -> Result<Vec<String>, String> {
    let label = if version == 0 { "text" } else { "label" };
    let members = MEMBERS.map(|(member, usual)| {
        let value = if member == name { json } else { usual };
        format!(r#""{member}":{value}"#)
    });
    let members = members.join(",");
    let text = format!(r#"{{"{label}":"a","x":1,{members}{more}}}"#);
    upstate::upgrade_json_with_notes::<Sign>(version, text)
        .map(|(_, notes)| {
            let warnings = notes.warnings().iter();
            warnings.map(|one| one.summary().to_owned()).collect()
        })
        .map_err(|error| error.to_string())
}

#[test]
fn fields_tags_and_variants_that_come_twice_are_refused_at_each_version() {
    for (name, json, more) in [
        ("fill", r#"{"kind":"Plain","kind":"Plain"}"#, ""),
        ("fill", r#"{"kind":"Of","wide":1,"kind":"Plain"}"#, ""),
        ("fill", r#"{"kind":"Solid","colour":"a","colour":"b"}"#, ""),
        ("fill", r#"{"colour":"a","colour":"a","kind":"Solid"}"#, ""),
        (
            "fill",
            r#"{"kind":"Solid","colour":"a","\u0063olour":"b"}"#,
            "",
        ),
        ("fill", r#"{"kind":"Of","wide":1,"wide":1}"#, ""),
        ("shape", r#"{"Box":{"wide":1},"Box":{"wide":2}}"#, ""),
        ("shape", r#"{"Box":{"wide":1,"wide":2}}"#, ""),
        ("mode", r#"{"t":"Zoom","t":"Zoom","c":1}"#, ""),
        ("mode", r#"{"t":"Zoom","c":1,"c":2}"#, ""),
        ("mode", r#"{"c":{"wide":1,"wide":2},"t":"Box"}"#, ""),
        ("mode", r#"["Box",{"wide":1,"wide":2}]"#, ""),
        ("loose", r#"{"size":{"wide":1},"size":{"wide":1}}"#, ""),
        ("loose", r#"{"size":{"wide":1,"wide":2}}"#, ""),
        ("sizes", r#"[{"wide":1,"wide":2},3]"#, ""),
        ("", "", r#","x":2"#),
        ("", "", r#","any":2"#),
        ("", "", r#","border":{"kind":"Plain","kind":"Plain"}"#),
    ] {
        for version in [0, 1] {
            let error = read(version, name, json, more).unwrap_err();
            assert!(
                error.contains("twice")
                    || error.contains("another number of members")
                    || error.contains("none of the variants fits"),
                "{version} {json}{more}: {error}"
            );
        }
    }
}

#[test]
fn of_keys_of_maps_the_last_one_is_kept_with_a_warning_at_each_version() {
    for (name, json, more) in [
        ("any", r#"{"a":1,"a":2}"#, ""),
        ("fill", r#"{"kind":"Any","a":1,"a":2}"#, ""),
        ("fill", r#"{"kind":"Any","a":{"kind":1,"kind":2}}"#, ""),
        (
            "fill",
            r#"{"kind":"Solid","colour":"a","plugin":{"colour":1,"colour":2}}"#,
            "",
        ),
        ("shape", r#"{"Named":{"Box":1,"Box":2}}"#, ""),
        ("mode", r#"{"t":"Names","c":{"t":1,"t":2}}"#, ""),
        ("mode", r#"["Names",{"a":1,"a":2}]"#, ""),
        ("loose", r#"{"size":{"wide":1},"any":{"a":1,"a":2}}"#, ""),
        ("", "", r#","odd":1,"odd":2"#),
        ("", "", r#","odd":{"x":1,"x":2}"#),
    ] {
        for version in [0, 1] {
            assert_eq!(
                read(version, name, json, more),
                Ok(vec!["Repeated Map Key".to_owned()]),
                "{version} {json}{more}"
            );
        }
    }
}
