//! The settings file of an existing program with serde, in TOML: three releases old, with comments,
//! in an order of its own.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::{BTreeMap, HashMap};
use std::fs;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use upstate::{Document, Registry, Union};
use upstate_state::DowngradeGoals;
use upstate_state::document::Format;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(rename_all = "camelCase")]
#[document(type_name = "app.settings", version = 3)]
#[upgrade_from(2 => 3, rename(theme.Custom.colour => theme.Custom.accent), variants(theme, drop("sepia", "nobody used it", as = "plain")))]
#[upgrade_from(1 => 2, rename(accentColour => accentColor), convert(max_columns: String, empty = refuse))]
#[upgrade_from(0 => 1, rename(limitOf => limits), drop(legacyMode: Option<bool>, "nobody used it"))]
struct Settings {
    window_width: u32,
    #[serde(default = "eighty")]
    max_columns: u16,
    accent_color: String,
    theme: Theme,
    #[serde(flatten)]
    window: Window,
    limits: HashMap<u32, String>,
    started: DateTime<Utc>,
    last_seen: Option<DateTime<Utc>>,
    plugin: serde_json::Value,
    #[serde(flatten)]
    unknown: BTreeMap<String, serde_json::Value>,
}

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
}

fn eighty() -> u16 {
    80
}

const OLDEST: &str = r#"# Settings of ada. Do not commit.

fullScreen = true # F11 leaves it
windowWidth = 0x320

# As the printer needs them.
maxColumns = "72"
accentColour = 'blue'   # of links
legacyMode = true
started = 2024-02-29T10:00:00Z
team = "ui" # no release reads this

[theme]
kind = "custom"
colour = "red" # as the logo

# How many of each.
[limitOf]
20 = "b"
1 = "a"

[plugin]
any = [1, { thing = 2.50 }] # whatever it wants
"#;

/// The same with other names, and with a member that a default wrote; nothing else has changed.
const UPGRADED: &str = r#"# Settings of ada. Do not commit.

type = "app.settings"
schema_version = 3
fullScreen = true # F11 leaves it
windowWidth = 0x320

# As the printer needs them.
maxColumns = 72
accentColor = 'blue'   # of links
started = 2024-02-29T10:00:00Z
team = "ui" # no release reads this
dpi = 0.0

[theme]
kind = "custom"
accent = "red" # as the logo

# How many of each.
[limits]
20 = "b"
1 = "a"

[plugin]
any = [1, { thing = 2.50 }] # whatever it wants
"#;

fn expected() -> Settings {
    Settings {
        window_width: 800,
        max_columns: 72,
        accent_color: "blue".into(),
        theme: Theme::Custom {
            accent: "red".into(),
        },
        window: Window {
            full_screen: true,
            dpi: 0.0,
        },
        limits: HashMap::from([(1, "a".into()), (20, "b".into())]),
        started: "2024-02-29T10:00:00Z".parse().unwrap(),
        last_seen: None,
        plugin: json!({"any": [1, {"thing": 2.5}]}),
        unknown: BTreeMap::from([("team".into(), json!("ui"))]),
    }
}

#[test]
fn the_oldest_file_is_upgraded_in_place_and_a_change_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.toml");
    fs::write(&path, OLDEST).unwrap();
    let format = Format::toml().unversioned(0);

    let mut settings = format.open::<Settings>(&path).unwrap();
    assert_eq!(*settings, expected());
    assert_eq!(
        (settings.stored_version(), settings.undefined().len()),
        (Some(0), 0)
    );
    settings.save().unwrap();
    assert_eq!(
        fs::read_to_string(folder.path().join("settings.toml.v0.backup")).unwrap(),
        OLDEST
    );
    let upgraded = fs::read_to_string(&path).unwrap();
    assert_eq!(upgraded, UPGRADED);

    let mut settings = format.open::<Settings>(&path).unwrap();
    assert_eq!(
        (&*settings, settings.stored_version()),
        (&expected(), Some(3))
    );
    settings.window_width = 1024;
    settings.theme = Theme::Plain;
    settings.save().unwrap();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (was, is) = (lines(&upgraded), lines(&fs::read_to_string(&path).unwrap()));
    let gone: Vec<_> = was.iter().filter(|line| !is.contains(line)).collect();
    let new: Vec<_> = is.iter().filter(|line| !was.contains(line)).collect();
    assert_eq!(
        gone,
        [
            "windowWidth = 0x320",
            "kind = \"custom\"",
            "accent = \"red\" # as the logo"
        ]
    );
    assert_eq!(new, ["windowWidth = 1024", "kind = \"plain\""]);
}

#[test]
fn a_current_file_goes_back_to_the_oldest_version_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.toml");
    fs::write(&path, UPGRADED).unwrap();
    let registry = Registry::new().with::<Settings>();
    let goals = DowngradeGoals::new([("app.settings".to_owned(), 0)]);
    let done = Format::toml()
        .downgrade_file(&registry, None, &goals, &path)
        .unwrap()
        .unwrap();
    assert!(done.rewrite().warnings.is_empty(), "{:?}", done.rewrite());
    let earlier = UPGRADED
        .replace("schema_version = 3", "schema_version = 0")
        .replace("maxColumns = 72", "maxColumns = \"72\"")
        .replace("accentColor ", "accentColour ")
        .replace("accent = ", "colour = ")
        .replace("[limits]", "[limitOf]");
    assert_eq!(fs::read_to_string(&path).unwrap(), earlier);
    assert_eq!(
        fs::read_to_string(folder.path().join("settings.toml.v3.backup")).unwrap(),
        UPGRADED
    );
    let settings = Format::toml().open::<Settings>(&path).unwrap();
    assert_eq!(
        (&*settings, settings.stored_version()),
        (&expected(), Some(0))
    );
}

#[test]
fn the_same_in_json_is_the_same_settings() {
    let oldest = json!({
        "fullScreen": true,
        "windowWidth": 800,
        "maxColumns": "72",
        "accentColour": "blue",
        "legacyMode": true,
        "started": "2024-02-29T10:00:00Z",
        "team": "ui",
        "theme": {"kind": "custom", "colour": "red"},
        "limitOf": {"20": "b", "1": "a"},
        "plugin": {"any": [1, {"thing": 2.5}]},
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    fs::write(&path, oldest.to_string()).unwrap();
    let format = Format::new().unversioned(0);
    let mut settings = format.open::<Settings>(&path).unwrap();
    assert_eq!(
        (
            &*settings,
            settings.stored_version(),
            settings.undefined().len()
        ),
        (&expected(), Some(0), 0)
    );
    settings.save().unwrap();
    let settings = format.open::<Settings>(&path).unwrap();
    assert_eq!(
        (&*settings, settings.stored_version()),
        (&expected(), Some(3))
    );
}

/// An entry whose number became an integer.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "log", version = 1)]
#[upgrade_from(0 => 1, convert(metres: f64, with = whole))]
struct Log {
    metres: u8,
    at: DateTime<Utc>,
    any: serde_json::Value,
}

fn whole(metres: f64) -> Result<u8, String> {
    metres
        .to_string()
        .parse()
        .map_err(|_| format!("{metres} is no depth"))
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "log")]
struct LogOfText {
    metres: u8,
    at: String,
    any: serde_json::Value,
}

#[test]
fn a_date_that_was_not_changed_keeps_its_offset() {
    for (format, stored, metres) in [
        (
            Format::toml(),
            "type = \"log\"\nschema_version = 1\nmetres = 5\nat = 2024-02-29T23:59:59+02:00 # here\nany = 1\n",
            "metres = ",
        ),
        (
            Format::new(),
            r#"{"type":"log","schema_version":1,"metres":5,"at":"2024-02-29T23:59:59+02:00","any":1}"#,
            r#""metres":"#,
        ),
    ] {
        let mut log: Log = format.from_slice(stored.as_bytes()).unwrap();
        let edit = |log: &Log| String::from_utf8(format.edit(stored.as_bytes(), log).unwrap());
        log.metres = 6;
        assert_eq!(
            edit(&log).unwrap(),
            stored.replace(&format!("{metres}5"), &format!("{metres}6"))
        );
        log.at = "2024-03-01T01:00:00Z".parse().unwrap();
        let changed = edit(&log).unwrap();
        assert!(changed.contains("2024-03-01T01:00:00Z"), "{changed}");
    }
}

/// TOML has half a second with one digit, chrono with three.
#[test]
fn a_date_stays_one_beside_a_number_that_is_written_anew() {
    let stored = "type = \"log\"\nschema_version = 0\nmetres = 5.0\nat = 2021-05-05T10:00:00.500Z # then\nany = 1\n";
    let rewrite = Format::toml()
        .rewrite(&Registry::new().with::<Log>(), None, stored.as_bytes())
        .unwrap()
        .unwrap();
    let upgraded = stored.replace(
        "schema_version = 0\nmetres = 5.0",
        "schema_version = 1\nmetres = 5",
    );
    assert_eq!(String::from_utf8(rewrite.bytes).unwrap(), upgraded);
    let mut log: Log = Format::toml().from_slice(upgraded.as_bytes()).unwrap();
    log.any = json!(1.0);
    let edited = Format::toml().edit(upgraded.as_bytes(), &log).unwrap();
    assert_eq!(
        String::from_utf8(edited).unwrap(),
        upgraded.replace("any = 1\n", "any = 1.0\n")
    );
    // A string that TOML would write in another way is one in quotes, also beside such a number.
    let stored = upgraded.replace("schema_version = 1", "schema_version = 0");
    let log = LogOfText {
        metres: 5,
        at: "2021-05-05 10:00:00".into(),
        any: json!(1.0),
    };
    let edited = Format::toml().edit(stored.as_bytes(), &log).unwrap();
    assert_eq!(
        String::from_utf8(edited).unwrap(),
        stored
            .replace("2021-05-05T10:00:00.500Z", "\"2021-05-05 10:00:00\"")
            .replace("any = 1\n", "any = 1.0\n")
    );
}
