//! YAML: what is read, what would be lost, what is refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use proptest::prelude::*;
use serde_json::Value;
use upstate::Registry;
use upstate_state::document::{Document, Format};
use upstate_state::store::{Stored, StoredFormat};

use crate::models::{self, Settings, Window};

const YAML: Format<'static> = Format::yaml().unversioned(0);
const DISCARDS: Format<'static> = YAML.discard_comments();

fn read(yaml: &str) -> Document<Settings> {
    YAML.read(yaml.as_bytes())
        .unwrap_or_else(|error| panic!("{yaml}: {error}"))
}

fn edit(yaml: &str, settings: &Settings) -> String {
    String::from_utf8(YAML.edit(yaml.as_bytes(), settings).unwrap()).unwrap()
}

fn refused(yaml: &str) -> String {
    YAML.read::<Settings>(yaml.as_bytes())
        .unwrap_err()
        .to_string()
}

const STORED: &str = "type: app_settings\nschema_version: 2\ncolour: dark\nretries: '3'\nlabels:\n  team: ui\n  b: \"no\"\ntags: [b, a]\nother: 1\nwindow:\n  zoom: 1.50\n  height: 1000\n  width: 0x280\n";

fn settings() -> Settings {
    Settings {
        theme: Some("dark".to_owned()),
        zoom: Some(1.5),
        retries: Some(3),
        tags: Some(["a", "b"].map(str::to_owned).into()),
        labels: Some(
            [("team", "ui"), ("b", "no")]
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
        ),
        window: Some(Window {
            width: Some(640),
            height: Some(1000),
        }),
        ..Settings::default()
    }
}

#[test]
fn a_document_of_any_version_is_read_and_rewritten_in_its_order() {
    let stored = read(STORED);
    assert_eq!(
        (stored.model(), stored.undefined()[0].to_string().as_str()),
        (&settings(), "other")
    );
    let edited = edit(STORED, &settings());
    assert_eq!(
        edited,
        "type: app_settings\nschema_version: 3\ntheme: dark\nretries: 3\nlabels:\n  team: ui\n  b: \"no\"\ntags:\n- b\n- a\nother: 1\nwindow:\n  height: 1000\n  \
         width: 640\nzoom: 1.5\n"
    );
    assert_eq!(edit(&edited, &settings()), edited);
    assert_eq!(read(&edited).model(), &settings());
}

#[test]
fn a_null_that_no_schema_defines_stays() {
    let stored = STORED.replace("other: 1\n", "other:\n");
    let edited = edit(&stored, &settings());
    let expected = edit(STORED, &settings());
    assert_eq!(edited, expected.replace("other: 1\n", "other: null\n"));
    let registry = Registry::new().with::<Settings>();
    let rewrite = YAML.rewrite(&registry, None, stored.as_bytes());
    assert_eq!(rewrite.unwrap().unwrap().lost, 0);
}

#[derive(Debug, Clone, PartialEq, upstate::Document)]
#[document(type_name = "bag", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
struct Bag {
    name: Option<String>,
    pocket: Pocket,
    #[attribute(rest)]
    others: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, PartialEq, upstate::Document)]
struct Pocket {
    size: Option<u8>,
    #[attribute(rest)]
    others: BTreeMap<String, Value>,
}

#[derive(Debug)]
struct Rows;

impl StoredFormat for Rows {
    const FORMAT: Format<'static> = Format::yaml();
}

#[test]
fn a_null_among_the_remaining_members_stays() {
    let nothing = || BTreeMap::from([("odd".to_owned(), Value::Null)]);
    let bag = Bag {
        name: None,
        pocket: Pocket {
            size: None,
            others: nothing(),
        },
        others: nothing(),
    };
    for format in [YAML, YAML.attributes_member("data")] {
        let again = |text: &str| format.from_slice::<Bag>(text.as_bytes()).unwrap();
        let edit = |text: &str, bag: &Bag| {
            let edited = format.edit(text.as_bytes(), bag).unwrap();
            String::from_utf8(edited).unwrap()
        };
        let written = format.to_string(&bag).unwrap();
        assert_eq!(written.matches("odd: null\n").count(), 2, "{written}");
        // Of a field, nothing there means the same.
        assert!(!written.contains("name") && !written.contains("size"));
        assert_eq!(again(&written), bag);
        let stored = written.replace("odd: null", "odd:");
        assert_eq!(edit(&stored, &bag), stored);
        let mut other = bag.clone();
        other.name = Some("x".to_owned());
        let edited = edit(&stored, &other);
        assert_eq!(edited.matches("odd: null\n").count(), 2, "{edited}");
        assert_eq!(again(&edited), other);
        // One that comes or goes is all that is another.
        other = bag.clone();
        other.others.insert("more".to_owned(), Value::Null);
        assert_eq!(again(&edit(&stored, &other)), other);
        other = bag.clone();
        other.pocket.others.clear();
        let edited = edit(&stored, &other);
        assert_eq!(edited.matches("odd").count(), 1, "{edited}");
        assert_eq!(again(&edited), other);
    }
    let stored = "type: bag\nschema_version: 0\ntitle: x\npocket:\n  odd:\nodd:\n";
    let mut row = Stored::<Bag, Rows>::parse(stored).unwrap();
    let upgraded = row.rewrite().unwrap().unwrap();
    assert_eq!(upgraded.lost, 0);
    row.name = Some("y".to_owned());
    for text in [
        String::from_utf8(upgraded.bytes).unwrap(),
        row.to_text().unwrap(),
    ] {
        assert_eq!(text.matches("odd: null\n").count(), 2, "{text}");
    }
}

#[derive(Debug, Clone, PartialEq, upstate::Document)]
#[document(type_name = "lamp")]
struct Lamp {
    #[attribute(name = "the shade")]
    shade: Pocket,
    #[attribute(flatten)]
    light: Light,
    #[attribute(flatten)]
    source: Option<Power>,
}

#[derive(Debug, upstate::Document)]
#[document(type_name = "lantern", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
#[allow(dead_code, reason = "only its schema is used")]
struct Lantern {
    name: String,
    #[attribute(flatten)]
    light: Light,
}

#[derive(Debug, Clone, PartialEq, upstate::Union)]
enum Light {
    Dark,
    Dim { level: u8 },
}

#[derive(Debug, Clone, PartialEq, upstate::Union)]
#[union(tag = "power")]
enum Power {
    Mains,
    Battery { left: Option<u8> },
}

#[test]
fn a_null_that_is_a_variant_stays() {
    let lamp = Lamp {
        shade: Pocket {
            size: None,
            others: BTreeMap::from([("odd".to_owned(), Value::Null)]),
        },
        light: Light::Dark,
        source: Some(Power::Battery { left: None }),
    };
    let again = |text: &str| YAML.from_slice::<Lamp>(text.as_bytes()).unwrap();
    let edit = |text: &str, lamp: &Lamp| {
        let edited = YAML.edit(text.as_bytes(), lamp).unwrap();
        String::from_utf8(edited).unwrap()
    };
    let written = YAML.to_string(&lamp).unwrap();
    assert!(
        written.contains("Dark: null\n") && written.contains("odd: null\n"),
        "{written}"
    );
    // Of a field of a variant, nothing there means the same.
    assert!(
        !written.contains("left") && !written.contains("size"),
        "{written}"
    );
    assert_eq!(again(&written), lamp);
    let stored = format!("# Ours.\n{written}");
    assert_eq!(edit(&stored, &lamp), stored);
    for (light, source) in [
        (Light::Dim { level: 2 }, Some(Power::Mains)),
        (Light::Dark, Some(Power::Battery { left: Some(3) })),
        (Light::Dark, None),
    ] {
        let other = Lamp {
            light,
            source,
            ..lamp.clone()
        };
        assert_eq!(again(&edit(&written, &other)), other);
    }
    let stored = "type: lantern\nschema_version: 0\ntitle: x\nDark:\n";
    let registry = Registry::new().with::<Lantern>();
    let upgraded = YAML.rewrite(&registry, None, stored.as_bytes());
    assert_eq!(
        String::from_utf8(upgraded.unwrap().unwrap().bytes).unwrap(),
        "type: lantern\nschema_version: 1\nname: x\nDark: null\n"
    );
}

#[derive(Debug, Clone, PartialEq, upstate::Document)]
#[document(type_name = "brochure")]
struct Brochure {
    title: String,
    #[attribute(flatten)]
    fold: Option<Fold>,
}

/// Its members alone say which one it is.
#[derive(Debug, Clone, PartialEq, upstate::Union)]
#[union(untagged)]
enum Fold {
    Wide { sheets: u8, weight: Option<u8> },
    Flat { gloss: Option<u8> },
}

#[test]
fn a_null_stays_where_nothing_else_tells_of_an_enum() {
    let stored = "# Ours.\ntype: brochure\nschema_version: 0\ntitle: a\nsheets: 1\n";
    let brochure: Brochure = YAML.from_slice(stored.as_bytes()).unwrap();
    let edited = YAML.edit(stored.as_bytes(), &brochure).unwrap();
    assert_eq!(String::from_utf8(edited).unwrap(), stored);
    let wide = Fold::Wide {
        sheets: 1,
        weight: None,
    };
    for (fold, is_there) in [
        (Some(wide), false),
        (Some(Fold::Flat { gloss: None }), true),
        (None, false),
    ] {
        let brochure = Brochure {
            fold,
            ..brochure.clone()
        };
        let written = YAML.to_string(&brochure).unwrap();
        assert_eq!(written.contains("null"), is_there, "{written}");
        let again: Brochure = YAML.from_slice(written.as_bytes()).unwrap();
        assert_eq!(again, brochure);
    }
}

#[test]
fn a_document_in_an_earlier_format_that_discarded_comments_is_edited() {
    const OLD: Format<'static> = Format::yaml().version_member("v").discard_comments();
    let format = Format::yaml().formerly(&OLD);
    let stored = "type: lamp\nodd: 1\nv: 0\nthe shade: {}\nDim:\n  level: 2\n";
    let lamp = format.from_slice::<Lamp>(stored.as_bytes()).unwrap();
    let edited = format.edit(stored.as_bytes(), &lamp).unwrap();
    let edited = String::from_utf8(edited).unwrap();
    assert!(
        edited.starts_with("type: lamp\nodd: 1\nschema_version: 0\n"),
        "{edited}"
    );
    let stored = format!("# Ours.\n{stored}");
    let refused = format.edit(stored.as_bytes(), &lamp).unwrap_err();
    assert!(refused.to_string().contains("comments"), "{refused}");
}

#[test]
fn line_ends_and_the_marks_of_the_beginning_stay() {
    let stored = format!("\u{feff}{}", STORED.replace('\n', "\r\n"));
    assert_eq!(read(&stored).model(), &settings());
    assert_eq!(
        edit(&stored, &settings()),
        format!(
            "\u{feff}{}",
            edit(STORED, &settings()).replace('\n', "\r\n")
        )
    );
    let stored = format!("---\n{STORED}");
    assert_eq!(
        edit(&stored, &settings()),
        format!("---\n{}", edit(STORED, &settings()))
    );
}

#[test]
fn comments_are_not_lost_unless_the_program_says_so() {
    let stored = format!("# Of ada.\n{STORED}started: &now never # yet\ntoken: *now\n");
    let model = read(&stored).into_model();
    assert_eq!(
        (model.started.as_deref(), model.token.as_deref()),
        (Some("never"), Some("never"))
    );
    let error = YAML
        .edit(stored.as_bytes(), &model)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "error: More Than Values Would Change\nThe document has comments, anchors, comments, aliases (lines 1, 15, 16), which would be lost: YAML is not edited in place. \
         Nothing was written. Change the document by hand, keep it in TOML, or let the program discard them (`Format::discard_comments`)."
    );
    let discarded = YAML
        .discard_comments()
        .edit(stored.as_bytes(), &model)
        .unwrap();
    assert_eq!(
        read(&String::from_utf8(discarded).unwrap()).into_model(),
        model
    );
    // Without a change there is nothing to lose.
    let current = "# Of ada.\ntype: app_settings\nschema_version: 3\ntheme: dark\n";
    assert_eq!(edit(current, read(current).model()), current);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.yaml");
    fs::write(&path, &stored).unwrap();
    let error = YAML.open::<Settings>(&path).unwrap().save().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("settings.yaml can't be written; the file is unchanged.\n\nerror: More Than Values Would Change"),
        "{error}"
    );
    assert_eq!(
        (
            fs::read_to_string(&path).unwrap(),
            fs::read_dir(folder.path()).unwrap().count()
        ),
        (stored.clone(), 1)
    );
    let mut file = DISCARDS.open::<Settings>(&path).unwrap();
    file.save().unwrap();
    assert_eq!(fs::read_to_string(file.backup_path()).unwrap(), stored);
    fs::write(
        &path,
        format!("# Of ada.\n{}", fs::read_to_string(&path).unwrap()),
    )
    .unwrap();
    // Comments are kept beside of a current document, too.
    let mut file = DISCARDS.open::<Settings>(&path).unwrap();
    file.theme = None;
    file.save().unwrap();
    assert!(
        fs::read_to_string(folder.path().join("settings.yaml.v3.backup"))
            .unwrap()
            .starts_with("# Of ada.")
    );
}

#[test]
fn names_that_are_not_strings_do_not_become_strings_unseen() {
    for name in ["80", "-1", "1.5", "0x50", "true", "Null", "~", ".inf"] {
        let stored =
            format!("type: app_settings\nschema_version: 3\nlabels:\n  {name}: web\n  other: b\n");
        let model = read(&stored).into_model();
        assert_eq!(model.labels.as_ref().unwrap()[name], "web");
        assert_eq!(edit(&stored, &model), stored);
        let changed = Settings {
            theme: Some("dark".to_owned()),
            ..model
        };
        let error = YAML
            .edit(stored.as_bytes(), &changed)
            .unwrap_err()
            .to_string();
        let names = "The document has names that are not strings (line 4), which would become strings: YAML is not";
        assert!(error.contains(names), "{error}");
        let error = YAML
            .edit(format!("# Of ada.\n{stored}").as_bytes(), &changed)
            .unwrap_err()
            .to_string();
        let both = "comments (line 1), which would be lost, and names that are not strings (line 5), which would become strings:";
        assert!(error.contains(both), "{error}");
        let discarded =
            String::from_utf8(DISCARDS.edit(stored.as_bytes(), &changed).unwrap()).unwrap();
        assert!(
            discarded.contains(&format!("  \"{name}\": web\n")),
            "{discarded}"
        );
        // In quotes it is a string, so that it stays.
        let again = edit(
            &discarded,
            &Settings {
                theme: None,
                ..changed
            },
        );
        assert!(
            again.contains(&format!("  \"{name}\": web\n")) && !again.contains("theme"),
            "{again}"
        );
    }
    let strings =
        "type: app_settings\nschema_version: 3\nlabels:\n  080: web\n  no: b\n  1_000: c\n";
    let changed = Settings {
        theme: Some("dark".to_owned()),
        ..read(strings).into_model()
    };
    assert_eq!(read(&edit(strings, &changed)).model(), &changed);
}

#[test]
fn plain_scalars_are_read_by_the_core_schema() {
    for (yaml, theme) in [
        ("no", Some("no")),
        ("010", Some("010")),
        ("1.10", Some("1.10")),
        ("\"true\"", Some("true")),
        ("true", Some("true")),
        ("~", None),
        ("", None),
        ("null", None),
        ("'null'", Some("null")),
        ("!!str 1", Some("1")),
        ("2024-01-02", Some("2024-01-02")),
        ("1_000", Some("1_000")),
        ("- ", None),
        ("|\n  two\n  lines\n", Some("two\nlines\n")),
        (">\n  one\n  line\n", Some("one line\n")),
    ] {
        let yaml = format!("schema_version: 3\ntheme: {yaml}\n");
        match YAML.read::<Settings>(yaml.as_bytes()) {
            Ok(read) => {
                assert_eq!(read.theme.as_deref(), theme, "{yaml}");
                // A string that looks like something else is quoted.
                assert_eq!(
                    self::read(&YAML.to_string(read.model()).unwrap()).model(),
                    read.model(),
                    "{yaml}"
                );
            }
            Err(_) => assert!(yaml.contains("- "), "{yaml}"),
        }
    }
    for (yaml, zoom) in [
        ("+1", 1.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1e3", -1000.0),
        ("0o17", 15.0),
        ("0xff", 255.0),
        ("!!float 1", 1.0),
    ] {
        assert_eq!(
            read(&format!("schema_version: 3\nzoom: {yaml}\n")).zoom,
            Some(zoom),
            "{yaml}"
        );
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    for (yaml, text) in [
        ("", "expected an object, found null."),
        ("- 1", "expected an object, found an array"),
        ("a: [1", "not valid YAML: "),
        ("token: \"hunter2\n", "not valid YAML: "),
        (
            "schema_version: 3\ntheme: a\ntheme: b\n",
            "a member is there twice (line 3, column 1)",
        ),
        (
            "schema_version: 3\nzoom: .nan\n",
            "expected a finite number, found `.inf` or `.nan` (line 2, column 7)",
        ),
        (
            "schema_version: 3\ntheme: !mine a\n",
            "a tag that is not YAML's own (line 2, column",
        ),
        (
            "schema_version: 3\nzoom: !!int a\n",
            "a value that is not what its tag says",
        ),
        (
            "a: &a {theme: b}\n<<: *a\nschema_version: 3\n",
            "a merge key (`<<`) is not part of YAML 1.2; write out its members (line 2, column 1)",
        ),
        (
            "schema_version: 3\n---\nschema_version: 3\n",
            "expected one document, found another one",
        ),
        (
            "schema_version: 3\n? [a]\n: b\n",
            "expected a name, found a collection or an alias",
        ),
        (
            "schema_version: 3\nx: &x [*x]\n",
            "expected a value, found an alias for the value that contains it",
        ),
        ("schema_version: 4\n", "Resource State Is Newer"),
        ("schema_version: 3\nretries: 300\n", "(at retries)"),
    ] {
        let message = refused(yaml);
        assert!(
            message.contains(text) && !message.contains("hunter2") && !message.contains("byte"),
            "{yaml}: {message}"
        );
    }
    let mut laughs = "schema_version: 3\na0: &a0 [lol]\n".to_owned();
    for n in 1..40 {
        writeln!(
            laughs,
            "a{n}: &a{n} [*a{before}, *a{before}]",
            before = n - 1
        )
        .unwrap();
    }
    let message = refused(&laughs);
    assert!(
        message.contains("the aliases make it too long"),
        "{message}"
    );
    let deep = format!(
        "schema_version: 3\nx: {}1{}\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert!(refused(&deep).contains("Unable to Read Document"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_document_becomes_any_other(old in models::settings(), new in models::settings()) {
        let written = YAML.to_string(&old).unwrap();
        prop_assert_eq!(&read(&written).into_model(), &old, "{}", written);
        let edited = edit(&written, &new);
        prop_assert_eq!(&read(&edited).into_model(), &new, "{} became {}", written, edited);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-c!&*\\[\\]\"'# \\n0-9{},:|>?-]{0,60}") {
        let text = format!("schema_version: 3\n{text}");
        if let Ok(document) = YAML.read::<Settings>(text.as_bytes()) {
            let edited = YAML.discard_comments().edit(text.as_bytes(), document.model()).unwrap();
            prop_assert_eq!(&read(&String::from_utf8(edited).unwrap()).into_model(), document.model());
        }
    }
}
