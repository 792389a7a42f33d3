//! TOML: what is read, what stays when it is edited, what is refused.

use std::fs;

use proptest::prelude::*;
use upstate::Registry;
use upstate_state::document::{Document, Format};

use crate::models::{self, Server, Settings, Window};

const TOML: Format<'static> = Format::toml().unversioned(0);

const STORED: &str = r#"# Settings of ada.
# Do not commit.

# which of the themes
colour = 'dark'   # or 'light'
retries = "3"
started = 1979-05-27T07:32:00Z # the first time
tags = [
    "b", # first
    # and then
    "a",
]

schema_version = 2
type = "app_settings"

[labels]
"odd key" = """two
lines"""
team = 'ui'

# The main window.
[window]
width = 0x280  # hexadecimal
zoom = 1.50 # times
height = 1_000

[[servers]] # the first
host = "a.example"

# The second.
[[servers]]
host = "b.example"
port = 80
"#;

fn read(toml: &str) -> Document<Settings> {
    TOML.read(toml.as_bytes())
        .unwrap_or_else(|error| panic!("{toml}: {error}"))
}

fn edit(toml: &str, settings: &Settings) -> String {
    String::from_utf8(TOML.edit(toml.as_bytes(), settings).unwrap()).unwrap()
}

fn refused(toml: impl AsRef<[u8]>) -> String {
    TOML.read::<Settings>(toml.as_ref())
        .unwrap_err()
        .to_string()
}

fn settings() -> Settings {
    Settings {
        theme: Some("dark".to_owned()),
        zoom: Some(1.5),
        retries: Some(3),
        started: Some("1979-05-27T07:32:00Z".to_owned()),
        tags: Some(["a", "b"].map(str::to_owned).into()),
        labels: Some(
            [("odd key", "two\nlines"), ("team", "ui")]
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
        ),
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
        token: None,
    }
}

#[test]
fn a_document_of_any_version_is_read() {
    let stored = read(STORED);
    assert_eq!(
        (
            stored.model(),
            stored.stored_version(),
            stored.is_outdated()
        ),
        (&settings(), 2, true)
    );
    assert!(stored.undefined().is_empty());
    let first = read("dark = true\n");
    assert_eq!(
        (first.theme.as_deref(), first.stored_version()),
        (Some("dark"), 0)
    );
}

#[test]
fn an_upgrade_changes_what_it_upgrades_and_nothing_else() {
    let expected = STORED
        .replace("colour = 'dark' ", "theme = 'dark' ")
        .replace("retries = \"3\"", "retries = 3")
        .replace("schema_version = 2", "schema_version = 3")
        // The zoom moves out of the window, with its comment.
        .replace("zoom = 1.50 # times\n", "")
        .replace(
            "type = \"app_settings\"\n",
            "type = \"app_settings\"\nzoom = 1.50 # times\n",
        );
    assert_eq!(edit(STORED, &settings()), expected);
    let upgraded = TOML
        .upgrade(&Registry::new().with::<Settings>(), STORED.as_bytes())
        .unwrap();
    assert_eq!(String::from_utf8(upgraded.bytes).unwrap(), expected);
    assert_eq!(
        (upgraded.from, upgraded.to, upgraded.outdated),
        (2, 3, true)
    );
    // What is current already stays to the byte, also what `toml_edit` would write otherwise.
    let odd = "type = \"app_settings\"\nschema_version = 3\nwindow . width = 1\ntheme='x'\nwindow.height = 2";
    assert_eq!(edit(odd, read(odd).model()), odd);
    let again = TOML
        .upgrade(&Registry::new().with::<Settings>(), expected.as_bytes())
        .unwrap();
    assert_eq!(
        (String::from_utf8(again.bytes).unwrap(), again.outdated),
        (expected, false)
    );
}

#[test]
fn a_document_without_version_gets_it_at_the_top() {
    let stored = "# Of ada.\n\n# Which theme.\ndark = true # at night\nkey = 'hunter2' # from the safe\n\n[other]\nodd = 1\n";
    let document = read(stored);
    assert_eq!(document.undefined()[0].to_string(), "other");
    assert_eq!(
        edit(stored, document.model()),
        "# Of ada.\n\ntype = \"app_settings\"\nschema_version = 3\ntoken = 'hunter2' # from the safe\ntheme = \"dark\"\n\n[other]\nodd = 1\n",
        "what no schema defines stays, and the value says that `key` is `token`"
    );
    assert_eq!(
        edit("# Only comments.\n", &Settings::default()),
        "# Only comments.\ntype = \"app_settings\"\nschema_version = 3\n"
    );
    assert_eq!(
        edit("# Of ada.\n\n[other]\nodd = 1\n", &Settings::default()),
        "# Of ada.\n\ntype = \"app_settings\"\nschema_version = 3\n[other]\nodd = 1\n"
    );
}

#[test]
fn changed_values_keep_what_stands_around_them() {
    let current = edit(STORED, &settings());
    let mut changed = settings();
    changed.theme = Some("li\"ght".to_owned());
    changed.started = Some("2026-01-02T03:04:05Z".to_owned());
    changed.zoom = Some(2.0);
    changed.tags = Some(["a", "b", "c"].map(str::to_owned).into());
    changed.window = Some(Window {
        width: Some(800),
        height: None,
    });
    changed.servers.as_mut().unwrap().insert(
        1,
        Server {
            host: "new".to_owned(),
            port: None,
        },
    );
    changed
        .labels
        .as_mut()
        .unwrap()
        .insert("more".to_owned(), String::new());
    changed.token = Some("x".to_owned());
    let expected = current
        .replace("theme = 'dark' ", "theme = 'li\"ght' ")
        .replace("1979-05-27T07:32:00Z #", "2026-01-02T03:04:05Z #")
        .replace(
            "zoom = 1.50 # times\n",
            "zoom = 2.0 # times\ntoken = \"x\"\n",
        )
        .replace("    \"a\",\n", "    \"a\",\n    \"c\",\n")
        .replace("0x280  #", "800  #")
        .replace("height = 1_000\n", "")
        .replace("team = 'ui'\n", "team = 'ui'\nmore = \"\"\n")
        .replace(
            "host = \"a.example\"\n",
            "host = \"a.example\"\n\n[[servers]]\nhost = \"new\"\n",
        );
    assert_eq!(edit(&current, &changed), expected);
    assert_eq!(read(&expected).model(), &changed);
    // And back, but for what was taken away.
    assert_eq!(read(&edit(&expected, &settings())).model(), &settings());
}

#[test]
fn renamed_tables_take_everything_along() {
    #[derive(Debug, upstate::Resource)]
    #[resource(type_name = "app_window", version = 1)]
    #[upgrade_from(0 => 1, rename(window => frame), rename(frame.colour: String => frame.color), rename(servers => hosts), rename(hosts.name: String => hosts.host))]
    struct Framed {
        frame: Option<Frame>,
        hosts: Option<Vec<Server>>,
    }
    #[derive(Debug, upstate::Object)]
    struct Frame {
        color: Option<String>,
        width: Option<i64>,
    }
    let edited = |stored: &str| {
        let framed = Format::toml()
            .read::<Framed>(stored.as_bytes())
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(framed.undefined().is_empty(), "{:?}", framed.undefined());
        String::from_utf8(
            Format::toml()
                .edit(stored.as_bytes(), framed.model())
                .unwrap(),
        )
        .unwrap()
    };
    let head = "type = \"app_window\"\nschema_version = 0\n";
    let now = "type = \"app_window\"\nschema_version = 1\n";
    for (stored, expected) in [
        (
            "\n# The frame.\n[window] # here\n# Red.\ncolour = 'red' # yes\nwidth = 1\n",
            "\n# The frame.\n[frame] # here\n# Red.\ncolor = 'red' # yes\nwidth = 1\n",
        ),
        (
            "window.colour = 'red' # yes\nwindow.width = 1\n",
            "frame.color = 'red' # yes\nframe.width = 1\n",
        ),
        (
            "window = { colour = 'red', width=1 } # yes\n",
            "frame = { color = 'red', width=1 } # yes\n",
        ),
        (
            "\n# One.\n[[servers]]\n# Its name.\nname = 'a'\n\n# Two.\n[[servers]]\nname = 'b'\nport = 1\n",
            "\n# One.\n[[hosts]]\n# Its name.\nhost = 'a'\n\n# Two.\n[[hosts]]\nhost = 'b'\nport = 1\n",
        ),
        (
            "servers = [\n  { name = 'a' }, # one\n  { name = 'b', port = 1 }, # two\n]\n",
            "hosts = [\n  { host = 'a' }, # one\n  { host = 'b', port = 1 }, # two\n]\n",
        ),
    ] {
        assert_eq!(
            edited(&format!("{head}{stored}")),
            format!("{now}{expected}")
        );
    }
}

#[test]
fn a_new_document_begins_with_type_and_version() {
    let toml = String::from_utf8(TOML.to_vec(&settings()).unwrap()).unwrap();
    assert_eq!(
        toml,
        "type = \"app_settings\"\nschema_version = 3\nretries = 3\nstarted = \"1979-05-27T07:32:00Z\"\ntags = [\"a\", \"b\"]\ntheme = \"dark\"\n\
         zoom = 1.5\n\n[labels]\n\"odd key\" = \"\"\"\ntwo\nlines\"\"\"\nteam = \"ui\"\n\n[[servers]]\nhost = \"a.example\"\n\n[[servers]]\n\
         host = \"b.example\"\nport = 80\n\n[window]\nheight = 1000\nwidth = 640\n"
    );
    assert_eq!(read(&toml).model(), &settings());
    let nested = Format::toml().attributes_member("settings").without_type();
    let toml = String::from_utf8(
        nested
            .to_vec(&Settings {
                retries: Some(1),
                ..Settings::default()
            })
            .unwrap(),
    )
    .unwrap();
    assert_eq!(toml, "schema_version = 3\n\n[settings]\nretries = 1\n");
    assert_eq!(
        nested
            .from_slice::<Settings>(toml.as_bytes())
            .unwrap()
            .retries,
        Some(1)
    );
}

#[test]
fn a_document_in_json_becomes_one_in_toml() {
    const JSON: Format<'static> = Format::new().unversioned(0);
    const NOW: Format<'static> = Format::toml().formerly(&JSON);
    let read = NOW.read::<Settings>(br#"{"dark":true}"#).unwrap();
    assert_eq!(
        (read.theme.as_deref(), read.is_outdated()),
        (Some("dark"), true)
    );
    let toml = NOW.edit(br#"{"dark":true}"#, read.model()).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&toml),
        "type = \"app_settings\"\nschema_version = 3\ntheme = \"dark\"\n"
    );
}

#[test]
fn line_ends_and_a_byte_order_mark_stay() {
    let stored = format!("\u{feff}{}", STORED.replace('\n', "\r\n"));
    let mut windows = settings();
    windows
        .labels
        .as_mut()
        .unwrap()
        .insert("odd key".to_owned(), "two\r\nlines".to_owned());
    assert_eq!(
        read(&stored).model(),
        &windows,
        "a string has the line ends of the file"
    );
    let expected = format!(
        "\u{feff}{}",
        edit(STORED, &settings()).replace('\n', "\r\n")
    );
    assert_eq!(edit(&stored, &windows), expected);
    // A new string has its own.
    let expected = expected.replace("\"\"\"two\r\nlines\"\"\"", "\"two\\nlines\"");
    assert_eq!(edit(&stored, &settings()), expected);
    assert_eq!(read(&expected).model(), &settings());
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    for (toml, text) in [
        (
            "a = [1",
            "error: Unable to Read Document\nThe document can't be read: not valid TOML: ",
        ),
        ("token = \"hunter2\ntheme = 1", "(line 1, column"),
        (
            "theme = 'a'\ntheme = 'b'\n",
            "duplicate key (line 2, column 1)",
        ),
        (
            "schema_version = 3\nzoom = nan\n",
            "expected a finite number, found `nan` or `inf` (line 2, column 8)",
        ),
        (
            "schema_version = 'x'\n",
            "its member \"schema_version\" must be a whole number from 0 up, the schema version it was stored with.",
        ),
        (
            "type = 3\n",
            "its member \"type\" must be a string, the name of its type.",
        ),
        ("schema_version = 4\n", "error: Resource State Is Newer"),
        ("schema_version = 3\nretries = 300\n", "(at retries)"),
        (
            "schema_version = 3\nwindow = 3\n",
            "expected an object, found a number (at window)",
        ),
        (
            "schema_version = 3\ntype = \"other\"\n",
            "error: Document of Another Type",
        ),
    ] {
        let message = refused(toml);
        assert!(
            message.contains(text) && !message.contains("hunter2") && !message.contains("byte"),
            "{toml}: {message}"
        );
    }
    assert!(refused(b"a = '\xff'").contains("not valid UTF-8 (byte 5)"));
    assert!(refused(b"\xff\xfea\0").contains("not UTF-8 but UTF-16"));
    let deep = format!(
        "schema_version = 3\nx = {}1{}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert!(
        refused(deep).contains("not valid TOML"),
        "not a stack overflow"
    );
    assert!(
        Format::toml()
            .read::<Settings>(b"theme = 'x'")
            .unwrap_err()
            .to_string()
            .contains("no member \"schema_version\"")
    );
    let nested = Format::toml().attributes_member("data");
    let flat = nested
        .read::<Settings>(b"schema_version = 3\ndata = 7\n")
        .unwrap_err()
        .to_string();
    assert!(
        flat.contains("its member \"data\", where its attributes should be, is not an object")
            && !flat.contains("byte"),
        "{flat}"
    );
}

#[test]
fn what_toml_does_not_have_is_refused() {
    #[derive(Debug, upstate::Resource)]
    #[resource(type_name = "odd")]
    struct Odd {
        big: Option<upstate::Number>,
        list: Option<Vec<Option<String>>>,
        map: Option<std::collections::BTreeMap<String, Option<i64>>>,
    }
    let odd = Odd {
        big: None,
        list: None,
        map: None,
    };
    assert_eq!(
        String::from_utf8(TOML.to_vec(&odd).unwrap()).unwrap(),
        "type = \"odd\"\nschema_version = 0\n"
    );
    for (odd, at) in [
        (
            Odd {
                big: Some("18446744073709551616".parse().unwrap()),
                list: None,
                map: None,
            },
            "(at big)\nThe document holds a number with more digits",
        ),
        (
            Odd {
                big: Some("0.1000000000000000000001".parse().unwrap()),
                list: None,
                map: None,
            },
            "(at big)\nThe document holds a number with more digits",
        ),
        (
            Odd {
                big: None,
                list: Some(vec![Some("a".to_owned()), None]),
                map: None,
            },
            "(at list[1])\nThe document holds null in a list",
        ),
        (
            Odd {
                big: None,
                list: None,
                map: Some([("a".to_owned(), None)].into()),
            },
            "map",
        ),
    ] {
        let error = TOML.to_vec(&odd).unwrap_err().to_string();
        assert!(
            error.starts_with("error: Unable to Write Document (at ") && error.contains(at),
            "{error}"
        );
    }
    // A float beyond 2^53 is what it is, not its shortest digits.
    for digits in [
        "12961881854642141000.0",
        "1.2961881854642141e19",
        "9007199254740994.0",
        "1e300",
        "36893488147419103000.0",
    ] {
        let stored = format!("type = \"app_settings\"\nschema_version = 3\nzoom = {digits}\n");
        let read = read(&stored).into_model();
        assert_eq!(read.zoom, digits.parse().ok());
        assert_eq!(edit(&stored, &read), stored);
        assert_eq!(
            TOML.from_slice::<Settings>(&TOML.to_vec(&read).unwrap())
                .unwrap(),
            read
        );
    }
    // Digits that TOML can hold are read to the last.
    let digits = TOML
        .read::<Odd>(b"schema_version = 0\nbig = 0.1000000000000000000001\n")
        .unwrap();
    assert_eq!(
        digits.big,
        Some("0.1000000000000000000001".parse().unwrap())
    );
    for digits in [
        "9007199254740993.0",
        "9007199254740993.5",
        "12961881854642141001.0",
        "-9_007_199_254_740_993.25",
    ] {
        let stored = format!("type = \"odd\"\nschema_version = 0\nbig = {digits}\n");
        let read = TOML.from_slice::<Odd>(stored.as_bytes()).unwrap();
        assert_eq!(read.big, Some(digits.replace('_', "").parse().unwrap()));
        assert_eq!(
            String::from_utf8(TOML.edit(stored.as_bytes(), &read).unwrap()).unwrap(),
            stored
        );
    }
    let kept = TOML
        .edit(
            b"schema_version = 0\nbig = 0.10000000000000000000_01\n",
            digits.model(),
        )
        .unwrap();
    assert_eq!(
        String::from_utf8(kept).unwrap(),
        "type = \"odd\"\nschema_version = 0\nbig = 0.10000000000000000000_01\n"
    );
}

#[test]
fn a_file_is_saved_in_place_and_what_it_was_is_kept_beside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.toml");
    let files = || fs::read_dir(folder.path()).unwrap().count();
    fs::write(&path, STORED).unwrap();
    let mut file = TOML.open::<Settings>(&path).unwrap();
    let mut other = TOML.open::<Settings>(&path).unwrap();
    file.save().unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        edit(STORED, &settings())
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("settings.toml.v2.backup")).unwrap(),
        STORED
    );
    file.theme = Some("light".to_owned());
    file.save().unwrap();
    file.save().unwrap();
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .contains("theme = \"light\"   # or 'light'\n")
    );
    assert_eq!(files(), 2);
    other.theme = None;
    assert!(other.save().unwrap_err().is_changed_meanwhile());
    for bad in [
        "a = ",
        "schema_version = 9\n",
        "schema_version = 3\nretries = 'x'\n",
    ] {
        fs::write(&path, bad).unwrap();
        let error = TOML.open_or_else(&path, Settings::default).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("settings.toml can't be read; the file is unchanged."),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), bad);
    }
    fs::remove_file(&path).unwrap();
    let mut new = TOML.open_or_else(&path, Settings::default).unwrap();
    new.save().unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "type = \"app_settings\"\nschema_version = 3\n"
    );
}

/// The document with tables in lines, arrays over several lines and comments, as people write them.
fn restyled(toml: &str, style: u8) -> String {
    let mut document: toml_edit::DocumentMut = toml.parse().unwrap();
    let names: Vec<String> = document.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        if style & 1 != 0
            && let Some(item) = document.get_mut(&name)
            && name != "servers"
        {
            item.make_value();
        }
        if style & 2 != 0
            && let Some(array) = document
                .get_mut(&name)
                .and_then(toml_edit::Item::as_array_mut)
        {
            for element in array.iter_mut() {
                element.decor_mut().set_prefix(" # above\n  ");
            }
            array.set_trailing_comma(style & 4 != 0);
            array.set_trailing(" # last\n");
        }
        if style & 8 != 0
            && let Some(item) = document.get_mut(&name)
            && let Some(value) = item.as_value_mut()
            && !value.is_inline_table()
        {
            value.decor_mut().set_suffix(" # behind");
        }
        if style & 16 != 0
            && let Some(mut key) = document.key_mut(&name)
        {
            key.leaf_decor_mut().set_prefix("# above\n\n");
        }
    }
    if style & 32 != 0 {
        document.to_string().replace('\n', "\r\n")
    } else {
        document.to_string()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_document_becomes_any_other(old in models::settings(), new in models::settings(), style in any::<u8>()) {
        let written = String::from_utf8(TOML.to_vec(&old).unwrap()).unwrap();
        prop_assert_eq!(read(&written).into_model(), old);
        let stored = restyled(&written, style);
        let read_back = read(&stored).into_model();
        // What stays the same stays to the byte.
        prop_assert_eq!(&edit(&stored, &read_back), &stored);
        let edited = edit(&stored, &new);
        prop_assert_eq!(&read(&edited).into_model(), &new, "{} became {}", stored, edited);
        prop_assert_eq!(&edit(&edited, &new), &edited);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..60), text in "[a-z=\\[\\].\"'# \n0-9{},]{0,60}") {
        let _ = TOML.read::<Settings>(&bytes);
        if let Ok(document) = TOML.read::<Settings>(text.as_bytes()) {
            let edited = edit(&text, document.model());
            prop_assert_eq!(&read(&edited).into_model(), document.model());
        }
    }
}

#[test]
fn comments_go_along_to_where_a_member_is_now() {
    let stored = "\
# How it was called.
title = 'y'
# A name.
name = 'x' # short
# North.
lat = 1.5 # degrees
lng = 2.5 # east

# The log.
[[log]]
# All of it.
level = 'debug' # for now

# The peer.
[peers]
host = 'a' # by ada

# Labels.
[labels]
a = 'b' # first

# Tags.
[tags]
c = 'd' # second
";
    let registry = Registry::new().with::<models::Moved>();
    let format = Format::toml().without_type().unversioned(0);
    let rewrite = format
        .rewrite(&registry, Some("moved"), stored.as_bytes())
        .unwrap()
        .unwrap();
    let expected = "\
schema_version = 1
# How it was called.
# A name.
name = 'x' # short

# The log.
[log]
# All of it.
level = 'debug' # for now

# The peer.
[[peers]]
host = 'a' # by ada

# Tags.
# Labels.
[labels]
a = 'b' # first
c = 'd' # second

[place]
# North.
lat = 1.5 # degrees
lng = 2.5 # east
";
    assert!(rewrite.warnings.is_empty(), "{}", rewrite.warnings);
    assert_eq!(String::from_utf8(rewrite.bytes).unwrap(), expected);
}

#[test]
fn a_comment_does_not_end_up_in_the_line_of_an_inline_table() {
    #[derive(Debug, upstate::Document)]
    #[document(type_name = "inline", version = 1)]
    #[upgrade_from(0 => 1, rename(title => window.title))]
    struct Inline {
        window: Window,
    }
    #[derive(Debug, upstate::Document)]
    struct Window {
        title: String,
        width: u8,
    }
    let registry = Registry::new().with::<Inline>();
    let format = Format::toml().without_type().unversioned(0);
    let stored = "# The title.\ntitle = 'x' # short\nwindow = { width = 1 } # small\n";
    let rewrite = format
        .rewrite(&registry, Some("inline"), stored.as_bytes())
        .unwrap()
        .unwrap();
    let expected =
        "schema_version = 1\n# The title.\n# short\nwindow = { width = 1, title = 'x' } # small\n";
    assert_eq!(String::from_utf8(rewrite.bytes).unwrap(), expected);
}

/// Its frame was a table.
#[derive(Debug, PartialEq, upstate::Document)]
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
fn the_comments_in_a_table_or_an_array_stay_above_the_value_that_it_becomes() {
    let stored = "type = \"picture\"\nschema_version = 0\n# The tags.\ntags = [ # all\n    'a', # one\n    'b',\n    # last\n] # end\n\n# The frame.\n[frame] # here\n# Red.\ncolour = 'red' # yes\nwidth = 1\n";
    let registry = Registry::new().with::<Picture>();
    let rewrite = Format::toml().rewrite(&registry, None, stored.as_bytes());
    let text = String::from_utf8(rewrite.unwrap().unwrap().bytes).unwrap();
    assert!(
        text.contains("\n\n# The frame.\n# here\n# Red.\n# yes\nframe = "),
        "{text}"
    );
    for comment in ["# The tags.", "# all", "# one", "# last", "# end"] {
        assert_eq!(text.matches(comment).count(), 1, "{comment} in {text}");
    }
    let picture: Picture = Format::toml().from_slice(text.as_bytes()).unwrap();
    assert_eq!((&*picture.frame, &*picture.tags), ("red 1", "a b"));
}

/// Its rail was an inline table, and its lamps were tables.
#[derive(Debug, upstate::Document)]
#[document(type_name = "porch", version = 1)]
#[upgrade_from(0, model = PorchV0)]
struct Porch {
    rail: String,
    lamps: Vec<String>,
}

#[derive(Debug, upstate::Document)]
#[document(type_name = "porch", version = 0, prior)]
struct PorchV0 {
    rail: Rail,
    lamps: Vec<Moulding>,
}

#[derive(Debug, upstate::Document)]
struct Rail {
    colours: Vec<String>,
}

impl From<PorchV0> for Porch {
    fn from(prior: PorchV0) -> Self {
        let lamp = |Moulding { colour, width }| format!("{colour} {width}");
        Self {
            rail: prior.rail.colours.join(" "),
            lamps: prior.lamps.into_iter().map(lamp).collect(),
        }
    }
}

#[test]
fn the_comments_in_an_inline_table_or_a_later_table_stay_above_what_it_becomes() {
    let stored = "type = \"porch\"\nschema_version = 0\n# The rail.\nrail = { colours = [\n    'red', # one\n    'blue',\n] } # end\n\n# The lamps.\n[[lamps]] # first\ncolour = 'a' # yes\nwidth = 1\n\n# The other.\n[[lamps]]\n# Blue.\ncolour = 'b'\nwidth = 2\n";
    let registry = Registry::new().with::<Porch>();
    let rewrite = Format::toml().rewrite(&registry, None, stored.as_bytes());
    let text = String::from_utf8(rewrite.unwrap().unwrap().bytes).unwrap();
    for part in [
        "# The rail.\n",
        "# one\n",
        " # end\n",
        "# The lamps.\n# first\n# yes\n# The other.\n# Blue.\nlamps = ",
    ] {
        assert_eq!(text.matches(part).count(), 1, "{part} in {text}");
    }
    let porch: Porch = Format::toml().from_slice(text.as_bytes()).unwrap();
    assert_eq!(porch.rail, "red blue");
    assert_eq!(porch.lamps, ["a 1", "b 2"]);
}

#[test]
fn an_undefined_member_stays_in_an_object_that_is_elsewhere_now() {
    #[derive(Debug, upstate::Document)]
    #[document(type_name = "trunk", version = 2)]
    #[upgrade_from(1 => 2, nest(root => parts))]
    #[upgrade_from(0 => 1, rename(tree => root))]
    struct Trunk {
        parts: Parts,
    }
    #[derive(Debug, upstate::Document)]
    struct Parts {
        root: Root,
    }
    #[derive(Debug, upstate::Document)]
    struct Root {
        age: u8,
    }
    let registry = Registry::new().with::<Trunk>();
    for (format, stored, expected) in [
        (
            Format::toml(),
            "[tree]\nage = 1\nodd = 2\n",
            "schema_version = 2\n[parts.root]\nage = 1\nodd = 2\n",
        ),
        (
            Format::new(),
            r#"{"tree":{"age":1,"odd":2}}"#,
            r#"{"schema_version":2,"parts":{"root":{"age":1,"odd":2}}}"#,
        ),
    ] {
        let rewrite = format
            .without_type()
            .unversioned(0)
            .rewrite(&registry, Some("trunk"), stored.as_bytes())
            .unwrap()
            .unwrap();
        assert_eq!(
            (
                String::from_utf8(rewrite.bytes).unwrap().as_str(),
                rewrite.lost
            ),
            (expected, 0)
        );
    }
}
