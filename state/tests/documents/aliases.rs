//! Members and variants that are stored by an alias.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use upstate::{Document, Union};
use upstate_state::document::Format;

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "aliased", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
struct Aliased {
    name: String,
    #[attribute(alias = "paint")]
    colour: Colour,
    outside: Outside,
    #[attribute(flatten)]
    flat: Flat,
    by_key: BTreeMap<String, Outside>,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Colour {
    #[attribute(alias = "r")]
    red: u8,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Flat {
    #[attribute(alias = "old_tint")]
    tint: Colour,
    #[attribute(alias = "old_inner")]
    inner: Inner,
}

#[derive(Debug, Clone, PartialEq, Union)]
enum Outside {
    #[attribute(alias = "Old")]
    New {
        #[attribute(alias = "former")]
        inner: Inner,
    },
}

#[derive(Debug, Clone, PartialEq, Union)]
enum Inner {
    #[attribute(alias = "Before")]
    Now {
        #[attribute(alias = "s")]
        size: u8,
    },
}

const STORED: &str = r#"{
  "type": "aliased",
  "schema_version": 0,
  "title": "x",
  "paint": {"r": 1, "u1": 1},
  "outside": {"Old": {"former": {"Before": {"s": 2, "u2": 2}}, "u3": 3}},
  "old_tint": {"r": 3, "u4": 4},
  "old_inner": {"Before": {"s": 4, "u5": 5}},
  "by_key": {"a.b": {"Old": {"former": {"Before": {"s": 5, "u6": 6}}, "u7": 7}}}
}"#;

const STORED_AS_TOML: &str = r#"type = "aliased"
schema_version = 0
title = "x"
paint = { r = 1, u1 = 1 }
old_tint = { r = 3, u4 = 4 }

[outside.Old]
u3 = 3

[outside.Old.former.Before]
s = 2
u2 = 2

[old_inner.Before]
s = 4
u5 = 5

[by_key."a.b".Old]
u7 = 7
former = { Before = { s = 5, u6 = 6 } }
"#;

#[test]
fn what_no_schema_defines_stays_below_an_alias() {
    let formats = [
        (Format::new(), STORED),
        (Format::jsonc(), STORED),
        (Format::yaml(), STORED),
        (Format::toml(), STORED_AS_TOML),
    ];
    let expected = json!({
        "name": "x",
        "colour": {"red": 1, "u1": 1},
        "outside": {"New": {"inner": {"Now": {"size": 2, "u2": 2}}, "u3": 3}},
        "tint": {"red": 3, "u4": 4},
        "inner": {"Now": {"size": 4, "u5": 5}},
        "by_key": {"a.b": {"New": {"inner": {"Now": {"size": 5, "u6": 6}}, "u7": 7}}},
    });
    for (format, text) in formats {
        for version in ["0", "1"] {
            let mut text = text.replace("version\": 0", &format!("version\": {version}"));
            text = text.replace("version = 0", &format!("version = {version}"));
            if version == "1" {
                text = text.replace("title", "name");
            }
            let read = format.read::<Aliased>(text.as_bytes()).unwrap();
            assert_eq!(read.undefined().len(), 7, "{:?}", read.undefined());
            let edited = format.edit(text.as_bytes(), read.model()).unwrap();
            let attributes: Value =
                serde_json::from_slice(format.parse(&edited).unwrap().attributes()).unwrap();
            assert_eq!(
                attributes,
                expected,
                "{version}: {}",
                String::from_utf8_lossy(&edited)
            );
        }
    }
}
