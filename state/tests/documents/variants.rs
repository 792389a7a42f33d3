//! Members that no schema defines, inside of enums.

use serde_json::Value;
use upstate::schema::Attribute;
use upstate::{Document, Registry, Resource, Union};
use upstate_state::document::Format;

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "shop", version = 1)]
#[upgrade_from(0 => 1, rename(title => name, inside.Named.title => inside.Named.name))]
struct Shop {
    name: String,
    inside: Inside,
    beside: Beside,
    outside: Outside,
    untagged: Untagged,
    list: Vec<Inside>,
    pair: (u8, Inside),
    hidden: Hidden,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Size {
    width: u32,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind")]
enum Inside {
    Named { name: String },
    Nothing,
    Sized(Size),
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind", content = "data")]
enum Beside {
    Text(String),
    Sized(Size),
    Nested { size: Size },
}

#[derive(Debug, Clone, PartialEq, Union)]
enum Outside {
    New { size: Size },
    Other,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(untagged)]
enum Untagged {
    Number(u32),
    Sized(Size),
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(tag = "kind")]
enum Hidden {
    Key(Key),
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Key {
    #[attribute(sensitive)]
    secret: String,
}

const STORED: &str = r#"{
  "type": "shop",
  "schema_version": 0,
  "title": "x",
  "inside": {"kind": "Named", "title": "y", "u1": 1},
  "beside": {"kind": "Nested", "u2": 2, "data": {"u3": 3, "size": {"width": 1, "u4": 4}}},
  "outside": {"New": {"u5": 5, "size": {"width": 2, "u6": 6}}},
  "untagged": {"u7": 7, "width": 3},
  "list": [{"kind": "Nothing", "u8": 8}, {"kind": "Sized", "width": 4, "u9": 9}],
  "pair": [1, {"u10": 10, "kind": "Sized", "width": 5}],
  "hidden": {"kind": "Key", "secret": "s"}
}"#;

#[derive(Debug, Document)]
#[document(type_name = "shelf", version = 1)]
#[upgrade_from(0 => 1, rename(left => right))]
struct Shelf {
    name: String,
    right: Size,
}

/// The first save moves members to where the current version has them, and so the second has to
/// look for them there.
#[test]
fn a_second_save_keeps_what_the_first_kept() {
    const SHOP: Format<'static> = Format::jsonc();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.json");
    std::fs::write(&path, STORED).unwrap();
    let mut shop = SHOP.open::<Shop>(&path).unwrap();
    for name in ["first", "second", "third"] {
        name.clone_into(&mut shop.name);
        shop.save().unwrap();
        let saved = std::fs::read_to_string(&path).unwrap();
        assert!(saved.contains(name), "{saved}");
        for number in 1..=10 {
            assert!(
                saved.contains(&format!("\"u{number}\"")),
                "u{number} after {name}: {saved}"
            );
        }
        assert_eq!(
            std::fs::read_to_string(folder.path().join("shop.json.v0.backup")).unwrap(),
            STORED
        );
    }
    let shelf_path = folder.path().join("shelf.json");
    std::fs::write(
        &shelf_path,
        r#"{"type":"shelf","schema_version":0,"name":"","left":{"width":1,"note":"moved"}}"#,
    )
    .unwrap();
    let mut shelf = SHOP.open::<Shelf>(&shelf_path).unwrap();
    for name in ["first", "second", "third"] {
        name.clone_into(&mut shelf.name);
        shelf.save().unwrap();
        let saved: Value = serde_json::from_slice(&std::fs::read(&shelf_path).unwrap()).unwrap();
        assert_eq!(
            (&saved["name"], &saved["right"]["note"]),
            (&name.into(), &"moved".into()),
            "{saved}"
        );
        assert_eq!(
            shelf
                .undefined()
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
            ["right.note"]
        );
    }
    let before = std::fs::read_to_string(&path).unwrap();
    shop.list.clear();
    shop.save().unwrap();
    // An element took its members along: the file before it is beside the first one.
    assert_eq!(
        std::fs::read_to_string(folder.path().join("shop.json.v0.backup")).unwrap(),
        STORED
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("shop.json.v1.backup")).unwrap(),
        before
    );
}

/// The same in TOML.
const STORED_AS_TOML: &str = r#"
type = "shop"
schema_version = 0
title = "x"
inside = { kind = "Named", title = "y", u1 = 1 }
untagged = { u7 = 7, width = 3 }
pair = [1, { u10 = 10, kind = "Sized", width = 5 }]

[hidden]
kind = "Key"
secret = "s"

[beside]
kind = "Nested"
u2 = 2
data = { u3 = 3, size = { width = 1, u4 = 4 } }

[outside.New]
u5 = 5

[outside.New.size]
width = 2
u6 = 6

[[list]]
kind = "Nothing"
u8 = 8

[[list]]
kind = "Sized"
width = 4
u9 = 9
"#;

/// The attributes of version 1, with what no schema defines.
const CURRENT: &str = r#"{
  "name": "x",
  "inside": {"kind": "Named", "name": "y", "u1": 1},
  "beside": {"kind": "Nested", "u2": 2, "data": {"u3": 3, "size": {"width": 1, "u4": 4}}},
  "outside": {"New": {"u5": 5, "size": {"width": 2, "u6": 6}}},
  "untagged": {"u7": 7, "width": 3},
  "list": [{"kind": "Nothing", "u8": 8}, {"kind": "Sized", "width": 4, "u9": 9}],
  "pair": [1, {"u10": 10, "kind": "Sized", "width": 5}],
  "hidden": {"kind": "Key", "secret": "s"}
}"#;

#[test]
fn a_member_that_no_schema_defines_is_named_and_stays() {
    let current: Value = serde_json::from_str(CURRENT).unwrap();
    let paths = [
        "inside.u1",
        "beside.u2",
        "beside.data.u3",
        "beside.data.size.u4",
        "outside.New.u5",
        "outside.New.size.u6",
        "untagged.u7",
        "list[0].u8",
        "list[1].u9",
        "pair[1].u10",
    ];
    let formats = [
        (Format::new(), STORED),
        (Format::jsonc(), STORED),
        (Format::yaml(), STORED),
        (Format::toml(), STORED_AS_TOML),
    ];
    for (format, text) in formats {
        let read = format.read::<Shop>(text.as_bytes()).unwrap();
        let mut undefined: Vec<String> = read.undefined().iter().map(ToString::to_string).collect();
        let mut expected = paths.map(str::to_owned);
        undefined.sort();
        expected.sort();
        assert_eq!(undefined, expected, "{text}");

        let rewrite = format
            .rewrite(&Registry::new().with::<Shop>(), None, text.as_bytes())
            .unwrap()
            .unwrap();
        assert_eq!(rewrite.lost, 0);
        for bytes in [
            rewrite.bytes,
            format.edit(text.as_bytes(), read.model()).unwrap(),
        ] {
            let attributes: Value =
                serde_json::from_slice(format.parse(&bytes).unwrap().attributes()).unwrap();
            assert_eq!(attributes, current, "{}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn a_wrong_value_is_named_by_its_path_in_a_variant() {
    for (from, to, path) in [
        (r#""title":"y""#, r#""title":7"#, "inside.name"),
        (r#"{"width":1"#, r#"{"width":"1""#, "beside.data.size.width"),
        (r#"{"width":2"#, r#"{"width":"2""#, "outside.New.size.width"),
        (r#""width":4"#, r#""width":"4""#, "list[1].width"),
        // Nothing below this enum is named, because a part of it is sensitive.
        (r#""secret":"s""#, r#""secret":["s"]"#, "hidden"),
    ] {
        let stored = STORED.replace(": ", ":").replace(from, to);
        assert!(stored.contains(to), "{to}");
        let errors = Format::new()
            .from_slice::<Shop>(stored.as_bytes())
            .unwrap_err();
        let found = errors
            .iter()
            .next()
            .and_then(|error| error.path())
            .map(ToString::to_string);
        assert_eq!(found.as_deref(), Some(path), "{errors}");
    }
}

/// Objects with a sensitive member where no schema has an attribute for that member.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "vault", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
struct Vault {
    name: String,
    variant: Hidden,
    pair: (u8, Key),
    lists: Vec<Vec<Key>>,
    own: Own,
    tree: Tree,
    open: (u8, Size),
}

#[derive(Debug, Clone, PartialEq, Union)]
enum Own {
    Code {
        #[attribute(sensitive)]
        code: u32,
    },
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Tree {
    #[attribute(sensitive)]
    pin: u32,
    children: Vec<Tree>,
}

#[test]
fn a_sensitive_part_is_never_shown() {
    const VAULT: &str = r#"{"type":"vault","schema_version":0,"title":"x","variant":{"kind":"Key","secret":"s0"},"pair":[1,{"secret":"s1"}],"lists":[[{"secret":"s2"}]],"own":{"Code":{"code":4}},"tree":{"pin":1,"children":[{"pin":5,"children":[]}]},"open":[1,{"width":1}]}"#;
    let attributes = Vault::DEFINITION.schema().block().attributes();
    let sensitive: Vec<&str> = attributes
        .iter()
        .filter(|attribute| attribute.is_sensitive())
        .map(Attribute::name)
        .collect();
    assert_eq!(sensitive, ["lists", "own", "pair", "variant"]);
    for (from, to, path) in [
        (r#""s0""#, r#"["hunter2"]"#, "variant"),
        (r#""s0""#, r#""s0","hunter2":1"#, "variant"),
        (r#""s1""#, "81549300", "pair"),
        (r#""s2""#, "81549300", "lists"),
        (r#""code":4"#, r#""code":"hunter2""#, "own"),
        (r#""pin":5"#, r#""pin":"hunter2""#, "tree.children"),
        (r#""width":1"#, r#""width":"shown""#, "open[1].width"),
    ] {
        for current in [false, true] {
            let stored = VAULT.replace(from, to);
            assert_ne!(stored, VAULT);
            let stored = if current {
                stored.replace(r#"0,"title""#, r#"1,"name""#)
            } else {
                stored
            };
            let (found, text) = match Format::new().read::<Vault>(stored.as_bytes()) {
                Ok(read) => (read.undefined().first().cloned(), String::new()),
                Err(errors) => (
                    errors.iter().next().and_then(|error| error.path().cloned()),
                    errors.to_string(),
                ),
            };
            assert_eq!(
                found.map(|path| path.to_string()).as_deref(),
                Some(path),
                "{text}"
            );
            assert!(
                !text.contains("hunter2") && !text.contains("81549300"),
                "{text}"
            );
        }
    }
}

/// An externally tagged variant is an object by its name, so that its members go with the name.
#[test]
fn members_of_a_renamed_variant_stay_in_it() {
    #[derive(Debug, PartialEq, Document)]
    #[document(type_name = "shelf", version = 2)]
    #[upgrade_from(1 => 2, rename(outer => outside))]
    #[upgrade_from(0 => 1,
        variants(outer, "Old" => "New"), variants(beside, "Big" => "Sized"), variants(many, "Old" => "New"), variants(by_key, "Old" => "New"))]
    struct Shelf {
        outside: Outside,
        beside: Beside,
        many: Vec<Outside>,
        by_key: std::collections::BTreeMap<String, Outside>,
    }
    const OLD: &str = r#"{"Old":{"size":{"width":1,"u1":1},"u2":2}}"#;
    const NEW: &str = r#"{"New":{"size":{"width":1,"u1":1},"u2":2}}"#;
    let stored = format!(
        r#"{{"type":"shelf","schema_version":0,"outer":{OLD},"beside":{{"kind":"Big","data":{{"width":1,"u3":3}}}},"many":["Other",{OLD}],"by_key":{{"a.b":"Other","k":{OLD},"l":{OLD}}}}}"#
    );
    let current: Value = serde_json::from_str(&format!(
        r#"{{"outside":{NEW},"beside":{{"kind":"Sized","data":{{"width":1,"u3":3}}}},"many":["Other",{NEW}],"by_key":{{"a.b":"Other","k":{NEW},"l":{NEW}}}}}"#
    ))
    .unwrap();
    let with_comments = stored.replace(r#""many""#, "// a comment\n\"many\"");
    let toml = STORED_SHELF_AS_TOML.to_owned();
    for (format, text) in [
        (Format::new(), stored.clone()),
        (Format::jsonc(), with_comments),
        (Format::yaml(), stored),
        (Format::toml(), toml),
    ] {
        let read = format.read::<Shelf>(text.as_bytes()).unwrap();
        let rewrite = format
            .rewrite(&Registry::new().with::<Shelf>(), None, text.as_bytes())
            .unwrap()
            .unwrap();
        assert_eq!(rewrite.lost, 0, "{text}");
        for bytes in [
            rewrite.bytes,
            format.edit(text.as_bytes(), read.model()).unwrap(),
        ] {
            let attributes: Value =
                serde_json::from_slice(format.parse(&bytes).unwrap().attributes()).unwrap();
            assert_eq!(attributes, current, "{}", String::from_utf8_lossy(&bytes));
        }
    }
}

const STORED_SHELF_AS_TOML: &str = r#"
type = "shelf"
schema_version = 0
beside = { kind = "Big", data = { width = 1, u3 = 3 } }
many = ["Other", { Old = { size = { width = 1, u1 = 1 }, u2 = 2 } }]

[outer.Old]
u2 = 2
size = { width = 1, u1 = 1 }

[by_key]
"a.b" = "Other"
k = { Old = { size = { width = 1, u1 = 1 }, u2 = 2 } }

[by_key.l.Old]
u2 = 2
size = { width = 1, u1 = 1 }
"#;

/// An enum whose members are next to others, so that no attribute of a schema holds them.
#[derive(Debug, Document)]
#[document(type_name = "beside", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
struct BesideOthers {
    name: String,
    nested: Nested,
    #[attribute(flatten)]
    auth: Auth,
}

#[derive(Debug, Document)]
struct Nested {
    id: u8,
    #[attribute(rest)]
    keys: std::collections::BTreeMap<String, Key>,
}

#[derive(Debug, Union)]
#[union(tag = "kind")]
enum Auth {
    Pin {
        #[attribute(sensitive)]
        pin: u32,
        tries: u8,
    },
}

#[test]
fn a_flattened_enum_or_map_never_shows_what_is_sensitive() {
    const STORED: &str = r#"{"type":"beside","schema_version":0,"title":"x","nested":{"id":1,"first":{"secret":"s"}},"kind":"Pin","pin":1,"tries":2}"#;
    Format::new()
        .read::<BesideOthers>(STORED.as_bytes())
        .unwrap();
    for (from, to) in [
        (r#""pin":1"#, r#""pin":"hunter2""#),
        (r#""pin":1"#, r#""pin":{"hunter2":1}"#),
        (r#""tries":2"#, r#""tries":"hunter2""#),
        (r#""kind":"Pin""#, r#""kind":"hunter2""#),
        (r#"{"secret":"s"}"#, r#""hunter2""#),
        (r#"{"secret":"s"}"#, r#"{"secret":["hunter2"]}"#),
        (r#"{"secret":"s"}"#, r#"{"secret":81549300}"#),
    ] {
        for current in [false, true] {
            let stored = STORED.replace(from, to);
            assert_ne!(stored, STORED);
            let stored = if current {
                stored.replace(r#"0,"title""#, r#"1,"name""#)
            } else {
                stored
            };
            let text = Format::new()
                .read::<BesideOthers>(stored.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(
                !text.contains("hunter2") && !text.contains("81549300"),
                "{text}"
            );
        }
    }
    assert!(BesideOthers::DEFINITION.schema().has_secret());
}

#[test]
fn members_of_a_variant_that_is_read_by_another_name_stay_in_it() {
    #[derive(Debug, PartialEq, Document)]
    #[document(type_name = "drawing", version = 1)]
    #[upgrade_from(0 => 1, rename(shape.Round.size => shape.Round.radius))]
    struct Drawing {
        shape: Shape,
        nested: (u8, Vec<Around>),
    }
    #[derive(Debug, PartialEq, Union)]
    enum Shape {
        #[union(alias = "circle")]
        Round {
            #[attribute(alias = "r")]
            radius: u8,
        },
    }
    #[derive(Debug, PartialEq, Union)]
    #[union(tag = "kind", content = "of")]
    enum Around {
        Shape(Shape),
    }
    let nested = |round: &str| {
        format!(r#"[1,[{{"kind":"Shape","of":{{"{round}":{{"radius":2,"u2":2}}}}}}]]"#)
    };
    let current: Value = serde_json::from_str(&format!(
        r#"{{"shape":{{"Round":{{"radius":1,"u1":1}}}},"nested":{}}}"#,
        nested("Round")
    ))
    .unwrap();
    for (version, member) in [(0, "size"), (1, "radius"), (1, "r")] {
        for round in ["Round", "circle"] {
            let shape = format!(r#"{{"{round}":{{"{member}":1,"u1":1}}}}"#);
            let stored = format!(
                r#"{{"type":"drawing","schema_version":{version},"shape":{shape},"nested":{}}}"#,
                nested(round)
            );
            for format in [Format::new(), Format::jsonc(), Format::yaml()] {
                let read = format.read::<Drawing>(stored.as_bytes()).unwrap();
                assert_eq!(read.model().shape, Shape::Round { radius: 1 });
                let undefined: Vec<String> =
                    read.undefined().iter().map(ToString::to_string).collect();
                assert_eq!(undefined.len(), 2, "{undefined:?}");
                let edited = format.edit(stored.as_bytes(), read.model()).unwrap();
                let attributes: Value =
                    serde_json::from_slice(format.parse(&edited).unwrap().attributes()).unwrap();
                assert_eq!(attributes, current, "{stored}");
                if let Some(rewrite) = format
                    .rewrite(&Registry::new().with::<Drawing>(), None, stored.as_bytes())
                    .unwrap()
                {
                    assert_eq!(rewrite.lost, 0, "{stored}");
                }
            }
        }
    }
}

#[derive(Debug, Document)]
#[document(type_name = "kiln")]
struct Kiln {
    glazes: std::collections::BTreeMap<String, Glaze>,
    #[attribute(skip_if = Option::is_none)]
    first: Option<Glaze>,
    #[attribute(default, skip_if = Vec::is_empty)]
    others: Vec<Glaze>,
    #[attribute(skip_if = Option::is_none)]
    named: Option<Coat>,
    #[attribute(skip_if = Option::is_none)]
    own: Option<Coat>,
}

#[derive(Debug, Union)]
enum Glaze {
    Red,
    #[attribute(other)]
    Plain,
}

#[derive(Debug, Union)]
#[union(tag = "kind", content = "of")]
enum Coat {
    Thin(u8),
    #[attribute(other)]
    Plain,
}

const KILN: &str = r#"{
  "type": "kiln",
  "schema_version": 0,
  "glazes": {"a": "Blue", "b": "Red"},
  "first": "Blue",
  "others": ["Red", "Blue"],
  "named": ["Blue", 1],
  "own": ["Plain", 1],
  "odd": 1
}"#;

const KILN_AS_TOML: &str = r#"
type = "kiln"
schema_version = 0
first = "Blue"
others = ["Red", "Blue"]
named = ["Blue", 1]
own = ["Plain", 1]
odd = 1

[glazes]
a = "Blue"
b = "Red"
"#;

/// Such a value is reported as undefined, but it is one of the model, which decides whether it
/// stays.
#[test]
fn a_value_of_another_variant_goes_with_the_one_that_it_was_read_as() {
    for (format, text) in [
        (Format::new(), KILN),
        (Format::jsonc(), KILN),
        (Format::yaml(), KILN),
        (Format::toml(), KILN_AS_TOML),
    ] {
        let read = format.read::<Kiln>(text.as_bytes()).unwrap();
        assert_eq!(read.undefined().len(), 6, "{:?}", read.undefined());
        let mut kiln = read.into_model();
        kiln.glazes.remove("a");
        kiln.others.clear();
        (kiln.first, kiln.named, kiln.own) = (None, None, None);
        let edited = format.edit(text.as_bytes(), &kiln).unwrap();
        let attributes: Value =
            serde_json::from_slice(format.parse(&edited).unwrap().attributes()).unwrap();
        let expected = serde_json::json!({"glazes": {"b": "Red"}, "odd": 1});
        assert_eq!(attributes, expected, "{}", String::from_utf8_lossy(&edited));
    }
}

#[test]
fn a_value_of_another_variant_is_saved_with_and_without_the_type_of_its_document() {
    for (format, text, line) in [
        (Format::new(), KILN, "  \"type\": \"kiln\",\n"),
        (Format::toml(), KILN_AS_TOML, "type = \"kiln\"\n"),
    ] {
        for text in [text.to_owned(), text.replace(line, "")] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("kiln");
            std::fs::write(&path, &text).unwrap();
            let mut kiln = format.open::<Kiln>(&path).unwrap();
            kiln.save().unwrap();
            let saved = std::fs::read(&path).unwrap();
            let attributes: Value =
                serde_json::from_slice(format.parse(&saved).unwrap().attributes()).unwrap();
            assert_eq!(attributes["first"], "Plain", "{attributes}");
            let backup = std::fs::read_to_string(kiln.backup_path()).unwrap();
            assert_eq!(backup, text);
        }
    }
}
