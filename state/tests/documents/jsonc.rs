//! JSON with comments: what is read, what stays when it is edited, what is refused.

use proptest::prelude::*;
use upstate_state::document::{Document, Format};

use crate::models::{self, Server, Settings, Window};

const JSONC: Format<'static> = Format::jsonc().unversioned(0);

const STORED: &str = r#"// Settings of ada.
{
  "$schema": "https://example.com/settings.json", // for editors
  "type": "app_settings",
  "schema_version": 2,
  /* which of
     the themes */
  "colour": "dark", // or "light"
  "retries": "3",
  "tags": ["b", /* and */ "a",],
  "window": {
    "width": 6.4e2,
    "zoom": 1.50, // times
    "height": 1000,
  },
  "servers": [
    { "host": "a.example" }, // the first
    // The second.
    { "host": "b.example", "port": 80 },
  ],
}
"#;

fn read(jsonc: &str) -> Document<Settings> {
    JSONC
        .read(jsonc.as_bytes())
        .unwrap_or_else(|error| panic!("{jsonc}: {error}"))
}

fn edit(jsonc: &str, settings: &Settings) -> String {
    String::from_utf8(JSONC.edit(jsonc.as_bytes(), settings).unwrap()).unwrap()
}

fn refused(jsonc: &str) -> String {
    JSONC
        .read::<Settings>(jsonc.as_bytes())
        .unwrap_err()
        .to_string()
}

fn settings() -> Settings {
    Settings {
        theme: Some("dark".to_owned()),
        zoom: Some(1.5),
        retries: Some(3),
        tags: Some(["a", "b"].map(str::to_owned).into()),
        window: Some(Window {
            width: Some(640),
            height: Some(1000),
        }),
        servers: Some(vec![
            Server {
                host: "a.example".to_owned(),
                port: None,
            },
            Server {
                host: "b.example".to_owned(),
                port: Some(80),
            },
        ]),
        ..Settings::default()
    }
}

#[test]
fn an_upgrade_changes_what_it_upgrades_and_nothing_else() {
    let stored = read(STORED);
    assert_eq!(
        (stored.model(), stored.undefined()[0].to_string().as_str()),
        (&settings(), "$schema")
    );
    let expected = STORED
        .replace("\"schema_version\": 2", "\"schema_version\": 3")
        .replace("\"colour\"", "\"theme\"")
        .replace("\"retries\": \"3\"", "\"retries\": 3")
        .replace("    \"zoom\": 1.50, // times\n", "")
        .replace("  ],\n}\n", "  ],\n  // times\n  \"zoom\": 1.50,\n}\n");
    let edited = edit(STORED, &settings());
    assert_eq!(edited, expected);
    assert_eq!(edit(&edited, &settings()), edited);
}

#[test]
fn changed_values_keep_what_stands_around_them() {
    let current = edit(STORED, &settings());
    let mut changed = settings();
    changed.theme = Some("li\"ght".to_owned());
    changed.tags = Some(["a", "b", "c"].map(str::to_owned).into());
    changed.window = Some(Window {
        width: Some(800),
        height: None,
    });
    changed.servers.as_mut().unwrap().remove(0);
    let edited = edit(&current, &changed);
    for line in [
        "\"theme\": \"li\\\"ght\", // or \"light\"",
        "\"width\": 800,",
        "// The second.",
        "// Settings of ada.",
        "/* which of",
    ] {
        assert!(edited.contains(line), "{line} in {edited}");
    }
    assert!(!edited.contains("a.example"), "{edited}");
    assert_eq!(read(&edited).model(), &changed);
}

/// Its frame was an object, and its tags were a list.
#[derive(Debug, upstate::Document)]
#[document(type_name = "picture", version = 1)]
#[upgrade_from(0, model = PictureV0)]
struct Picture {
    frame: String,
    tags: String,
}

#[derive(Debug, upstate::Document)]
#[document(type_name = "picture", version = 0, prior)]
struct PictureV0 {
    frame: Moulding,
    tags: Vec<String>,
}

#[derive(Debug, upstate::Document)]
struct Moulding {
    colour: String,
    width: u8,
}

impl From<PictureV0> for Picture {
    fn from(prior: PictureV0) -> Self {
        let Moulding { colour, width } = prior.frame;
        Self {
            frame: format!("{colour} {width}"),
            tags: prior.tags.join(" "),
        }
    }
}

#[test]
fn the_comments_in_an_object_or_a_list_stay_above_the_value_that_it_becomes() {
    let stored = "{\n  \"type\": \"picture\",\n  \"schema_version\": 0,\n  // The frame.\n  \"frame\": {\n    \"colour\": \"red\", // yes\n    // Wide.\n    \"width\": 1\n  },\n  \"tags\": [\n    \"a\", // one\n    \"b\"\n  ]\n}\n";
    let registry = upstate::Registry::new().with::<Picture>();
    let rewrite = Format::jsonc().rewrite(&registry, None, stored.as_bytes());
    let text = String::from_utf8(rewrite.unwrap().unwrap().bytes).unwrap();
    for comment in ["// The frame.\n", "// yes\n", "// Wide.\n", "// one\n"] {
        assert_eq!(text.matches(comment).count(), 1, "{comment} in {text}");
    }
    let picture: Picture = Format::jsonc().from_slice(text.as_bytes()).unwrap();
    assert_eq!((&*picture.frame, &*picture.tags), ("red 1", "a b"));
}

#[test]
fn a_new_document_has_one_member_per_line() {
    let new = JSONC
        .to_string(&Settings {
            retries: Some(1),
            ..Settings::default()
        })
        .unwrap();
    assert!(
        new.starts_with("{\n  \"type\": \"app_settings\",\n  \"schema_version\": 3,\n"),
        "{new}"
    );
    assert_eq!(read(&new).retries, Some(1));
    assert_eq!(
        edit(
            "\u{feff}{\r\n  // Night.\r\n  \"dark\": true\r\n}",
            &Settings {
                theme: Some("dark".to_owned()),
                ..Settings::default()
            }
        )
        .as_str(),
        "\u{feff}{\r\n  \"type\": \"app_settings\",\r\n  \"schema_version\": 3,\r\n  // Night.\r\n  \"theme\": \"dark\"\r\n}"
    );
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    for (jsonc, text) in [
        ("", "not valid JSON: expected a value (byte 0)"),
        ("{ // }", "not valid JSON: expected `,` or `}`"),
        ("{} /* x", "a comment without its end (line 1, column 4)"),
        ("{\"schema_version\": 3,,}", "not valid JSON"),
        ("{,}", "not valid JSON"),
        ("{\"schema_version\": 3, \"tags\": [,]}", "not valid JSON"),
        (
            "{\"schema_version\": 3, \"tags\": [\"a\",,]}",
            "not valid JSON",
        ),
        ("{\"schema_version\": 3, 'theme': \"a\"}", "not valid JSON"),
        (
            "{\"schema_version\": /* three */ \"x\"}",
            "must be a whole number from 0 up, the schema version it was stored with (byte 31)",
        ),
        (
            "{\"schema_version\": 3, \"retries\": 300, // too many\n}",
            "(at retries)",
        ),
        ("{\"schema_version\": 9}", "Resource State Is Newer"),
    ] {
        let message = refused(jsonc);
        assert!(message.contains(text), "{jsonc}: {message}");
    }
    assert_eq!(
        read("{\"schema_version\": 3, \"theme\": \"// no, /* comment */ ,]\"}")
            .theme
            .as_deref(),
        Some("// no, /* comment */ ,]")
    );
    let deep = format!(
        "{{\"schema_version\": 3, \"x\": {}1{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert!(refused(&deep).contains("more than 256 values inside one another"));
}

/// The document with comments and trailing commas.
fn commented(json: &str, style: u8) -> String {
    let mut lines: Vec<String> = json.lines().map(str::to_owned).collect();
    for (index, line) in lines.iter_mut().enumerate() {
        // Strings have no line ends, so that each line ends outside of one.
        if style & 1 != 0 && index % 2 == 0 {
            line.push_str(" // \"}],");
        }
        if style & 2 != 0 && index % 3 == 0 {
            line.insert_str(0, "/* [{ \" */ ");
        }
    }
    lines.join(if style & 4 != 0 { "\r\n" } else { "\n" })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_document_becomes_any_other(old in models::settings(), new in models::settings(), style in any::<u8>()) {
        let written = JSONC.to_string(&old).unwrap();
        prop_assert_eq!(&read(&written).into_model(), &old);
        let stored = commented(&written, style);
        prop_assert_eq!(&read(&stored).into_model(), &old);
        prop_assert_eq!(&edit(&stored, &old), &stored);
        let edited = edit(&stored, &new);
        prop_assert_eq!(&read(&edited).into_model(), &new, "{} became {}", stored, edited);
        prop_assert_eq!(&edit(&edited, &new), &edited);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-z=\\[\\]\"/*# \\n0-9{},:]{0,60}") {
        let text = format!("{{\"schema_version\":3,{text}");
        if let Ok(document) = JSONC.read::<Settings>(text.as_bytes()) {
            let edited = edit(&text, document.model());
            prop_assert_eq!(&read(&edited).into_model(), document.model());
        }
    }
}

#[test]
fn comments_go_along_to_where_a_member_is_now() {
    let stored = r#"{
  // How it was called.
  "title": "y",
  "name": "x", // short
  "lat": 1.5, // north
  "lng": /* east */ 2.5,
  // The log.
  "log": [
    {
      // All of it.
      "level": "debug"
    }
  ],
  "peers": {
    "host": "a" // by ada
  },
  "labels": {
    "a": "b" // first
  },
  // Tags.
  "tags": {
    "c": "d" // second
  }
}
"#;
    let registry = upstate::Registry::new().with::<models::Moved>();
    let format = Format::jsonc().without_type().unversioned(0);
    let rewrite = format
        .rewrite(&registry, Some("moved"), stored.as_bytes())
        .unwrap()
        .unwrap();
    let expected = r#"{
  "schema_version": 1,
  // How it was called.
  "name": "x", // short
  // The log.
  "log": {
    // All of it.
    "level": "debug"
  },
  "peers": [
    {
      // by ada
      "host": "a"
    }
  ],
  // Tags.
  "labels": {
    "a": "b", // first
    // second
    "c": "d"
  },
  "place": {
    // north
    "lat": 1.5,
    /* east */
    "lng": 2.5
  }
}
"#;
    assert!(rewrite.warnings.is_empty(), "{}", rewrite.warnings);
    assert_eq!(String::from_utf8(rewrite.bytes).unwrap(), expected);
}

#[test]
fn the_comment_of_a_removed_element_is_not_put_above_another() {
    #[derive(Debug, upstate::Document)]
    #[document(type_name = "roster", version = 1)]
    #[upgrade_from(0 => 1, filter(names, ""))]
    struct Roster {
        names: Vec<String>,
        #[attribute(default)]
        peers: Vec<models::Peer>,
    }
    let registry = upstate::Registry::new().with::<Roster>();
    let format = Format::jsonc().without_type().unversioned(0);
    let stored = "{\n  \"names\": [\n    // nobody\n    \"\",\n    // somebody\n    \"x\"\n  ],\n  \"peers\": [\n    // first\n    { \"host\": \"a\" },\n    // second\n    { \"host\": \"b\" }\n  ]\n}\n";
    let rewrite = format
        .rewrite(&registry, Some("roster"), stored.as_bytes())
        .unwrap()
        .unwrap();
    let text = String::from_utf8(rewrite.bytes).unwrap();
    assert!(
        !text.contains("// nobody\n    \"x\"") && text.contains("// somebody\n    \"x\""),
        "{text}"
    );
    let mut roster: Roster = format.from_slice(text.as_bytes()).unwrap();
    roster.peers.remove(0);
    let text = String::from_utf8(format.edit(text.as_bytes(), &roster).unwrap()).unwrap();
    assert!(
        !text.contains("// first\n    { \"host\": \"b\"")
            && text.contains("// second\n    { \"host\": \"b\""),
        "{text}"
    );
}

/// The members of its cover are beside its title.
#[derive(Debug, upstate::Document)]
#[document(type_name = "booklet")]
struct Booklet {
    title: String,
    #[attribute(flatten)]
    cover: Cover,
}

#[derive(Debug, upstate::Union)]
#[union(tag = "kind")]
enum Cover {
    Hard { weight: Option<u8> },
    Soft { weight: Option<u8>, cloth: u8 },
}

#[test]
fn a_missing_member_of_a_flattened_enum_is_not_added_as_null() {
    for cover in [
        "\"kind\": \"Hard\"",
        "\"kind\": \"Soft\", \"cloth\": 1",
        "\"weight\": null, \"kind\": \"Hard\"",
        "\"weight\": 2, \"kind\": \"Hard\"",
    ] {
        let stored = format!(
            "{{\n  \"type\": \"booklet\",\n  \"schema_version\": 0,\n  \"title\": \"a\", // ours\n  {cover}\n}}\n"
        );
        let mut booklet: Booklet = Format::jsonc().from_slice(stored.as_bytes()).unwrap();
        booklet.title = "b".to_owned();
        let edited = Format::jsonc().edit(stored.as_bytes(), &booklet).unwrap();
        assert_eq!(
            String::from_utf8(edited).unwrap(),
            stored.replace("\"a\"", "\"b\"")
        );
    }
}

/// A document with enums in members of their own.
#[derive(Debug, upstate::Document)]
#[document(type_name = "placard")]
struct Placard {
    title: String,
    shape: Shape,
    board: Board,
}

#[derive(Debug, upstate::Union)]
#[union(tag = "kind")]
enum Shape {
    Round { width: Option<u8>, size: u8 },
}

#[derive(Debug, upstate::Union)]
enum Board {
    Wood { grain: Option<u8>, post: Post },
}

#[derive(Debug, upstate::Document)]
struct Post {
    height: Option<u8>,
}

#[test]
fn a_missing_member_of_an_enum_is_not_added_as_null() {
    for (shape, board) in [
        ("\"size\": 1", "\"post\": {}"),
        (
            "\"width\": null, \"size\": 1",
            "\"grain\": null, \"post\": { \"height\": null }",
        ),
        ("\"width\": 2, \"size\": 1", "\"post\": { \"height\": 3 }"),
    ] {
        let stored = format!(
            "{{\n  \"type\": \"placard\",\n  \"schema_version\": 0,\n  \"title\": \"a\", // ours\n  \"shape\": {{ \"kind\": \"Round\", {shape} }},\n  \"board\": {{ \"Wood\": {{ {board} }} }}\n}}\n"
        );
        let mut placard: Placard = Format::jsonc().from_slice(stored.as_bytes()).unwrap();
        placard.title = "b".to_owned();
        let edited = Format::jsonc().edit(stored.as_bytes(), &placard).unwrap();
        assert_eq!(
            String::from_utf8(edited).unwrap(),
            stored.replace("\"a\"", "\"b\"")
        );
    }
}

/// Its fold has no tag, so that its members say which one it is.
#[derive(Debug, PartialEq, upstate::Document)]
#[document(type_name = "leaflet")]
struct Leaflet {
    title: String,
    #[attribute(flatten)]
    fold: Fold,
}

#[derive(Debug, PartialEq, upstate::Union)]
#[union(untagged)]
enum Fold {
    Wide { sheets: u8, weight: Option<u8> },
    Flat { gloss: Option<u8> },
}

#[test]
fn a_null_of_a_flattened_enum_without_a_tag_is_added() {
    let stored = "{\n  \"type\": \"leaflet\",\n  \"schema_version\": 0,\n  \"title\": \"a\", // ours\n  \"sheets\": 1\n}\n";
    let mut leaflet: Leaflet = Format::jsonc().from_slice(stored.as_bytes()).unwrap();
    leaflet.fold = Fold::Flat { gloss: None };
    let edited = Format::jsonc().edit(stored.as_bytes(), &leaflet).unwrap();
    let text = String::from_utf8(edited).unwrap();
    assert!(text.contains("\"gloss\""), "{text}");
    let read: Leaflet = Format::jsonc().from_slice(text.as_bytes()).unwrap();
    assert_eq!(read, leaflet);
}
