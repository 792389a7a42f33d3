//! Members whose names have dots, beside members of objects that would have the path.

use serde_json::{Value, json};
use upstate::Document;
use upstate_state::document::Format;

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "dotted", version = 1)]
#[upgrade_from(0 => 1,
    rename(a.b: String => c),
    drop(a.secret: String, "it is in the keyring"),
)]
struct Dotted {
    a: Inner,
    c: String,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Inner {
    x: u8,
    #[attribute(default)]
    list: Vec<Element>,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Element {
    y: u8,
}

const STORED: &str = r#"{
  "type": "dotted",
  "schema_version": 0,
  "a.b": "kept 1",
  "a": {"x": 1, "b": "moved", "secret": "hunter2", "list": [{"y": 2, "a.b": "kept 2"}]},
  "a.secret": "kept 3",
  "a.list.y": "kept 4"
}"#;

const STORED_AS_TOML: &str = r#"type = "dotted"
schema_version = 0
"a.b" = "kept 1"
"a.secret" = "kept 3"
"a.list.y" = "kept 4"

[a]
x = 1
b = "moved" # goes along
secret = "hunter2"
list = [{ y = 2, "a.b" = "kept 2" }]
"#;

#[test]
fn a_name_with_a_dot_is_not_a_path() {
    let formats = [
        (Format::new(), STORED),
        (Format::jsonc(), STORED),
        (Format::yaml(), STORED),
        (Format::toml(), STORED_AS_TOML),
    ];
    for (format, text) in formats {
        let read = format.read::<Dotted>(text.as_bytes()).unwrap();
        assert_eq!(read.undefined().len(), 4, "{:?}", read.undefined());
        let edited = format.edit(text.as_bytes(), read.model()).unwrap();
        let attributes: Value =
            serde_json::from_slice(format.parse(&edited).unwrap().attributes()).unwrap();
        let expected = json!({
            "a.b": "kept 1",
            "a": {"x": 1, "list": [{"y": 2, "a.b": "kept 2"}]},
            "a.secret": "kept 3",
            "a.list.y": "kept 4",
            "c": "moved",
        });
        let edited = String::from_utf8(edited).unwrap();
        assert_eq!(attributes, expected, "{edited}");
        assert!(!edited.contains("hunter2"), "{edited}");
        assert_eq!(
            text.contains('#'),
            edited.contains("\"moved\" # goes along"),
            "{edited}"
        );
    }
}
