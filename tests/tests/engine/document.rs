//! Documents: JSON that carries its type and schema version.

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use upstate::{
    Diagnostic, DiagnosticCode, Diagnostics, Number, Registry, Resource, UpgradeContext,
};
use upstate_state::document::{self, Document, DocumentFile, Format, Versioned};

#[derive(Debug, Clone, PartialEq, Default, Resource)]
#[resource(type_name = "app_settings", version = 2)]
#[upgrade_from(0, model = SettingsV0)]
#[upgrade_from(1, model = SettingsV1, with = sized)]
struct Settings {
    limit: Option<Number>,
    theme: String,
    #[attribute(sensitive)]
    token: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "app_settings", version = 1, prior)]
struct SettingsV1 {
    theme: String,
    #[attribute(sensitive)]
    token: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "app_settings", version = 0)]
struct SettingsV0 {
    dark: bool,
}

impl From<SettingsV0> for Settings {
    fn from(prior: SettingsV0) -> Self {
        let theme = if prior.dark { "dark" } else { "light" };
        Settings {
            theme: theme.to_owned(),
            ..Settings::default()
        }
    }
}

fn sized(prior: SettingsV1, context: &mut UpgradeContext<'_>) -> Result<Settings, String> {
    context.warn(Diagnostic::warning("No Limit", "Version 1 had no limit."));
    let limit = context
        .client::<u32>()
        .map(|limit| Number::from(i64::from(*limit)));
    match prior.theme.as_str() {
        "panics" => panic!("met {:?}", prior.token),
        "fails" => Err("the theme is not wanted".to_owned()),
        _ => Ok(Settings {
            limit,
            theme: prior.theme,
            token: prior.token,
        }),
    }
}

fn dark() -> Settings {
    Settings {
        theme: "dark".to_owned(),
        ..Settings::default()
    }
}

const LEGACY: Format = Format::new().unversioned(0);
const NESTED: Format = Format::new().attributes_member("settings").unversioned(0);

fn read(format: Format, json: &str) -> Document<Settings> {
    format
        .read(json.as_bytes())
        .unwrap_or_else(|error| panic!("{json}: {error}"))
}

fn refused(format: Format, json: impl AsRef<[u8]>) -> String {
    format
        .read::<Settings>(json.as_ref())
        .unwrap_err()
        .to_string()
}

#[test]
fn what_every_release_wrote_is_read_in_one_call() {
    for (json, version, outdated) in [
        (r#"{"dark":true}"#, 0, true),
        (
            r#"{"type":"app_settings","schema_version":0,"dark":true}"#,
            0,
            true,
        ),
        (
            r#"{"schema_version":1,"theme":"dark","type":"app_settings"}"#,
            1,
            true,
        ),
        (
            r#"{"type":"app_settings","schema_version":2,"limit":null,"theme":"dark","token":null}"#,
            2,
            false,
        ),
        (r#"{"schema_version":2,"theme":"dark"}"#, 2, true),
        (
            "{ \"theme\" : \"dark\" ,\n\t\"schema_version\" : \"2\" , \"type\" : \"app_settings\" }\n",
            2,
            false,
        ),
    ] {
        let settings = read(LEGACY, json);
        assert_eq!(
            (
                settings.model(),
                settings.stored_version(),
                settings.is_outdated()
            ),
            (&dark(), version, outdated),
            "{json}"
        );
        assert!(settings.undefined().is_empty(), "{json}");
        assert_eq!(settings.warnings().len(), usize::from(version == 1));
    }
    let written =
        r#"{"type":"app_settings","schema_version":2,"limit":null,"theme":"dark","token":null}"#;
    assert_eq!(document::to_string(&dark()).unwrap(), written);
    assert_eq!(document::from_str::<Settings>(written).unwrap(), dark());
    assert_eq!(
        Format::new().pretty().to_string(&dark()).unwrap(),
        "{\n  \"type\": \"app_settings\",\n  \"schema_version\": 2,\n  \"limit\": null,\n  \"theme\": \"dark\",\n  \"token\": null\n}"
    );
}

#[test]
fn attributes_may_have_a_member_of_their_own() {
    let written = r#"{"type":"app_settings","schema_version":2,"settings":{"limit":null,"theme":"dark","token":null}}"#;
    assert_eq!(NESTED.to_string(&dark()).unwrap(), written);
    assert!(!read(NESTED, written).is_outdated());
    let settings = read(
        NESTED,
        r#"{"settings":{"dark":true,"type":3},"by":["x"],"schema_version":0,"type":"app_settings"}"#,
    );
    let dropped: Vec<String> = settings
        .undefined()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        (settings.model(), dropped),
        (&dark(), vec!["by".to_owned(), "settings.type".to_owned()])
    );
    // Before there were versions, the attributes were the document.
    assert_eq!(read(NESTED, r#"{"dark":true}"#).into_model(), dark());
}

#[test]
fn earlier_formats_and_names_are_read() {
    const FIRST: Format = Format::new()
        .without_type()
        .version_member("v")
        .unversioned(0);
    const SECOND: Format = Format::new().attributes_member("body").formerly(&FIRST);
    const NOW: Format = Format::new()
        .former_types(&[("settings", "app_settings")])
        .formerly(&SECOND);
    for (json, outdated) in [
        (r#"{"dark":true}"#, true),
        (r#"{"dark":true,"v":0}"#, true),
        (r#"{"v":0,"dark":true,"type":["not", "ours"]}"#, true),
        (
            r#"{"schema_version":0,"type":"settings","dark":true}"#,
            true,
        ),
        (
            r#"{"schema_version":2,"type":"settings","theme":"dark"}"#,
            true,
        ),
        (
            r#"{"schema_version":2,"type":"app_settings","theme":"dark"}"#,
            false,
        ),
    ] {
        let settings = read(NOW, json);
        assert_eq!(
            (settings.model(), settings.is_outdated()),
            (&dark(), outdated),
            "{json}"
        );
    }
    // A version says that it is this format, attributes or not.
    assert!(
        refused(SECOND, r#"{"schema_version":2,"v":2,"theme":"dark"}"#)
            .contains("no member \"body\"")
    );
}

#[test]
fn what_cannot_be_read_is_refused_with_the_reason_and_the_remedy() {
    let about = "\n\nResource type app_settings, stored at schema version";
    for (json, text) in [
        ("", "error: Unable to Read Document\nThe document can't be read: not valid JSON: expected a value (byte 0).".to_owned()),
        ("null", "error: Unable to Read Document\nThe document can't be read: expected an object, found null (byte 0).".to_owned()),
        ("[1]", "error: Unable to Read Document\nThe document can't be read: expected an object, found an array (byte 0).".to_owned()),
        (r#"{"theme":"dark""#, "error: Unable to Read Document\nThe document can't be read: not valid JSON: expected `,` or `}` (byte 15).".to_owned()),
        (r#"{"theme":"dark"} {}"#, "error: Unable to Read Document\nThe document can't be read: not valid JSON: expected the end of the document (byte 17).".to_owned()),
        (r#"{"theme":"dark"}"#, "error: Document Without Version\nThe document has no member \"schema_version\" with its schema version. \
          If an early release wrote documents without one, say which version those are: `--unversioned 0` on the command line, `Format::unversioned(0)` in a program.".to_owned()),
        (r#"{"schema_version":null}"#, "error: Unable to Read Document\nThe document can't be read: its member \"schema_version\" must be a whole number from 0 up, \
          the schema version it was stored with (byte 18).".to_owned()),
        (r#"{"schema_version":2,"type":2}"#, "error: Unable to Read Document\nThe document can't be read: its member \"type\" must be a string, the name of its type (byte 27).".to_owned()),
        (r#"{"schema_version":2,"type":"app_window"}"#, "error: Document of Another Type\nThe document is of the type \"app_window\" and is read as \"app_settings\". \
          Read it as \"app_window\"; if an earlier release called \"app_settings\" so, the program must name it (`Format::former_types`).".to_owned()),
        (r#"{"schema_version":2,"theme":"dark","schema_version":1}"#, "error: Unable to Read Document\nThe document can't be read: it has the member \"schema_version\" more than once.".to_owned()),
        (r#"{"schema_version":2,"type":"app_settings","theme":"dark","schema_version":1}"#, "error: Unable to Read Document\nThe document can't be read: it has the member \"schema_version\" more than once.".to_owned()),
        (r#"{"schema_version":1,"type":"app_settings","theme":"dark","type":"x"}"#, "error: Unable to Read Document\nThe document can't be read: it has the member \"type\" more than once.".to_owned()),
        (r#"{"schema_version":3,"theme":"dark"}"#, format!("error: Resource State Is Newer\nA later release stored this state of app_settings, at schema version 3; this release reads versions up to 2. \
          Use the release that stored it, or a later one.{about} 3, current version 2.")),
        (r#"{"schema_version":2,"theme":["dark"]}"#, format!("error: Unable to Read Previously Saved State (at theme)\n\
          The stored state does not fit schema version 2: expected a string, found an array (at theme).{about} 2, current version 2.")),
        (r#"{"theme":["dark"],"schema_version":1}"#, format!("error: Unable to Read Previously Saved State (at theme)\n\
          The stored state does not fit schema version 1: expected a string, found an array (at theme).{about} 1, current version 2.")),
        (r#"{"theme":"fails","schema_version":1}"#, format!("warning: No Limit\nVersion 1 had no limit.{about} 1, current version 2.\n\n\
          error: Unable to Upgrade Resource State\nThe upgrade from schema version 1 refused this state: the theme is not wanted.{about} 1, current version 2.")),
    ] {
        assert_eq!(refused(Format::new(), json), text, "{json}");
    }
    assert!(refused(Format::new(), b"{\"type\":\"\xff\"}").contains("not valid UTF-8 (byte 9)"));
    assert_eq!(
        refused(Format::new(), "\u{feff}{\"schema_version\":2}"),
        "error: Unable to Read Document\nThe document can't be read: not valid JSON: it begins with a byte order mark (BOM), which \
         JSON must not have; save it as UTF-8 without one (byte 0)."
    );
    assert_eq!(
        refused(Format::new(), b"\xff\xfe{\0}\0"),
        "error: Unable to Read Document\nThe document can't be read: not UTF-8 but UTF-16, by its byte order mark; save it as UTF-8 \
         without that mark (byte 0)."
    );
    assert!(
        refused(NESTED, r#"{"type":"app_settings","schema_version":2}"#)
            .contains("it has no member \"settings\"")
    );
    assert!(
        refused(NESTED, r#"{"schema_version":2,"settings":[]}"#)
            .contains("expected an object, found an array (at byte 31)")
    );
    assert!(
        refused(
            NESTED,
            r#"{"schema_version":2,"settings":{},"settings":{}}"#
        )
        .contains("more than once")
    );
    for version in [
        "-1",
        "1.5",
        "\"two\"",
        "\"\"",
        "true",
        "[2]",
        "99999999999999999999",
        "1e1",
    ] {
        let json = format!(r#"{{"schema_version":{version},"theme":"dark"}}"#);
        assert!(
            refused(Format::new(), &json).contains("must be a whole number"),
            "{json}"
        );
    }
    for malformed in [
        r#"{"schema_version":2,}"#,
        r#"{"schema_version":2,"type":"app_settings",}"#,
        r#"{"schema_version":2 "theme":"dark"}"#,
        "{,}",
    ] {
        assert!(
            refused(Format::new(), malformed).contains("not valid JSON"),
            "{malformed}"
        );
    }
    let deep = format!(
        r#"{{"x":{}1{},"schema_version":2}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert!(refused(Format::new(), deep).contains("more than 256 values inside one another"));
}

#[test]
fn programs_read_the_code_and_the_remedy_of_a_refusal() {
    for (json, code, remedy) in [
        ("", "syntax", None),
        ("[1]", "wrong-kind", None),
        (
            r#"{"theme":"dark"}"#,
            "null",
            Some(
                "If an early release wrote documents without one, say which version those are: `--unversioned 0`",
            ),
        ),
        (r#"{"schema_version":null}"#, "wrong-kind", None),
        (
            r#"{"schema_version":2,"type":"app_window"}"#,
            "unknown-type",
            Some("Read it as \"app_window\"; if an earlier release"),
        ),
        (
            r#"{"schema_version":2,"theme":"dark","schema_version":1}"#,
            "repeated",
            None,
        ),
    ] {
        let refused = Format::new().read::<Settings>(json.as_bytes()).unwrap_err();
        let read = serde_json::to_value(&refused).unwrap();
        assert_eq!(read[0]["code"], code, "{json}");
        assert_eq!(
            read[0]["remedy"]
                .as_str()
                .map(|found| remedy.is_some_and(|begin| found.starts_with(begin))),
            remedy.map(|_| true)
        );
    }
}

#[test]
fn no_secret_and_no_panic_gets_out() {
    const SECRET: &str = "hunter2-7316";
    std::panic::set_hook(Box::new(|_| {}));
    for json in [
        format!(r#"{{"schema_version":2,"theme":"dark","token":["{SECRET}"]}}"#),
        format!(r#"{{"schema_version":2,"theme":7,"token":"{SECRET}"#),
        format!(r#"{{"token":"{SECRET}","schema_version":2,"theme":{{}}}}"#),
        format!(r#"{{"schema_version":1,"theme":"panics","token":"{SECRET}"}}"#),
    ] {
        let text = refused(Format::new(), &json);
        assert!(!text.contains(SECRET), "{text}");
        assert!(!format!("{:?}", Format::new().parse(json.as_bytes())).contains(SECRET));
    }
    assert!(
        refused(Format::new(), r#"{"schema_version":1,"theme":"panics"}"#)
            .contains("error: Upgrade Panicked")
    );
}

#[derive(Debug, Resource)]
#[resource(type_name = "app_font", version = 1)]
#[upgrade_from(0, model = FontV0)]
struct Font {
    kind: String,
}

/// Version 0 had a version of its own.
#[derive(Debug, Resource)]
#[resource(type_name = "app_font", version = 0)]
struct FontV0 {
    schema_version: String,
    r#type: String,
}

impl From<FontV0> for Font {
    fn from(prior: FontV0) -> Self {
        Font {
            kind: prior.r#type + &prior.schema_version,
        }
    }
}

#[test]
fn a_format_that_a_model_contradicts_is_refused_whatever_is_stored() {
    let stored = br#"{"schema_version":"1","type":"app_font"}"#;
    let refused = LEGACY.read::<Font>(stored).unwrap_err();
    assert_eq!(
        refused.iter().next().and_then(Diagnostic::code),
        Some(DiagnosticCode::Ambiguous)
    );
    assert_eq!(
        refused.to_string(),
        "error: Ambiguous Document Format\nThe document format has a member \"schema_version\", and so has a model of app_font. \
         This is a mistake in the program: it must give the format another name for that member."
    );
    let other = LEGACY.version_member("v").type_member("t");
    assert_eq!(other.read::<Font>(stored).unwrap().kind, "app_font1");
    assert!(
        LEGACY
            .version_member("v")
            .type_member("kind")
            .to_vec(&Font {
                kind: String::new()
            })
            .is_err()
    );
    let nested = LEGACY
        .attributes_member("schema_version")
        .version_member("v")
        .type_member("t");
    assert!(nested.read::<Font>(stored).is_err());
}

#[test]
fn documents_of_many_types_are_upgraded_by_the_type_they_carry() {
    let registry = Registry::new()
        .with::<Settings>()
        .with::<Font>()
        .with_client(7_u32);
    let format = Format::new().version_member("v").type_member("t");
    let font = format
        .upgrade(
            &registry,
            br#"{"t":"app_font","v":0,"type":"x","schema_version":"2","old":1}"#,
        )
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&font.bytes),
        r#"{"t":"app_font","v":1,"kind":"x2"}"#
    );
    assert_eq!(
        (font.from, font.to, font.outdated, font.undefined.len()),
        (0, 1, true, 1)
    );
    let settings = format
        .upgrade(&registry, br#"{"t":"app_settings","v":1,"theme":"dark"}"#)
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&settings.bytes),
        r#"{"t":"app_settings","v":2,"limit":7,"theme":"dark","token":null}"#
    );
    assert_eq!(settings.warnings.len(), 1);
    let again = format.upgrade(&registry, &settings.bytes).unwrap();
    assert_eq!((again.outdated, &again.bytes), (false, &settings.bytes));
    for (json, text) in [
        (r#"{"v":1}"#, "no member \"t\" with its type"),
        (
            r#"{"t":"app_none","v":1}"#,
            "error: Resource Type Not Found",
        ),
        (
            r#"{"t":"app_font","v":2}"#,
            "error: Resource State Is Newer",
        ),
    ] {
        assert!(
            format
                .upgrade(&registry, json.as_bytes())
                .unwrap_err()
                .to_string()
                .contains(text),
            "{json}"
        );
    }
    let limited: Document<Settings> = format
        .read_with(&registry, br#"{"v":1,"theme":"dark"}"#)
        .unwrap();
    assert_eq!(limited.limit, Some(7_i64.into()));
    // Nothing in it waits, so it is ready at once.
    let mut awaited =
        std::pin::pin!(format.read_with_async::<Settings>(&registry, br#"{"v":1,"theme":"dark"}"#));
    match awaited
        .as_mut()
        .poll(&mut std::task::Context::from_waker(std::task::Waker::noop()))
    {
        std::task::Poll::Ready(document) => assert_eq!(document.unwrap(), limited),
        std::task::Poll::Pending => panic!("it waits"),
    }
}

#[test]
fn a_former_name_is_that_of_one_type_only() {
    const FORMAT: Format = Format::new()
        .version_member("v")
        .type_member("t")
        .former_types(&[("settings", "app_settings"), ("font", "app_font")]);
    let registry = Registry::new().with::<Settings>().with::<Font>();
    let stored = br#"{"t":"font","v":1,"kind":"x"}"#;
    let font = FORMAT.upgrade(&registry, stored).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&font.bytes),
        r#"{"t":"app_font","v":1,"kind":"x"}"#
    );
    assert_eq!(
        (font.type_name.as_str(), font.outdated),
        ("app_font", true),
        "the name is reason enough to write it anew"
    );
    assert_eq!(FORMAT.read::<Font>(stored).unwrap().kind, "x");
    // What was a font is never read as settings, though both have a former name.
    let refused = FORMAT
        .read::<Settings>(br#"{"t":"font","v":2,"theme":"dark"}"#)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("of the type \"font\" and is read as \"app_settings\""),
        "{refused}"
    );
    // A type that has the name today is what is meant.
    let reused = FORMAT
        .former_types(&[("app_font", "app_settings")])
        .upgrade(&registry, br#"{"t":"app_font","v":1,"kind":"x"}"#);
    assert_eq!(reused.unwrap().type_name, "app_font");
}

#[test]
fn formats_of_earlier_releases_are_held_to_the_models_too() {
    const FLAT: Format = Format::new();
    let format = Format::new()
        .version_member("v")
        .attributes_member("font")
        .formerly(&FLAT);
    let stored = br#"{"v":0,"type":"app_font","font":{"type":"x","schema_version":"1"}}"#;
    let read = format.read::<Font>(stored).unwrap_err();
    assert!(
        read.to_string()
            .starts_with("error: Ambiguous Document Format"),
        "{read}"
    );
    assert_eq!(
        format
            .upgrade(&Registry::new().with::<Font>(), stored)
            .unwrap_err(),
        read
    );
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Profile {
    user: String,
    #[serde(with = "upstate_state::document")]
    settings: Settings,
}

#[derive(Debug, Deserialize)]
struct Buffered {
    #[serde(flatten)]
    inner: BTreeMap<String, Versioned<Settings>>,
}

mod in_my_format {
    use super::{LEGACY, Settings};

    pub(crate) fn deserialize<'de, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Settings, D::Error> {
        LEGACY.deserialize(deserializer)
    }
}

#[derive(Debug, Deserialize)]
struct Legacy {
    #[serde(deserialize_with = "in_my_format::deserialize")]
    settings: Settings,
}

#[test]
fn documents_inside_types_of_serde_keep_every_digit_or_are_refused() {
    let number = "123456789012345678901234567890.125";
    let profile = format!(
        r#"{{"user":"ada","settings":{{"schema_version":2,"theme":"dark","limit":{number},"type":"app_settings"}}}}"#
    );
    let read: Profile = serde_json::from_str(&profile).unwrap();
    assert_eq!(read.settings.limit, Some(number.parse().unwrap()));
    let refused = serde_json::to_string(&read).unwrap_err().to_string();
    assert!(
        refused
            .contains("more digits than serde's formats carry; write the document as JSON with `"),
        "{refused}"
    );

    for limit in ["7", "-7", "18446744073709551615", "0.1", "9007199254740993"] {
        let settings = Settings {
            limit: Some(limit.parse().unwrap()),
            ..dark()
        };
        let profile = Profile {
            user: "ada".to_owned(),
            settings,
        };
        let json = serde_json::to_string(&profile).unwrap();
        assert!(json.contains(&format!(r#""limit":{limit},"#)), "{json}");
        assert_eq!(serde_json::from_str::<Profile>(&json).unwrap(), profile);
        assert_eq!(
            serde_json::from_value::<Profile>(serde_json::to_value(&profile).unwrap()).unwrap(),
            profile
        );
    }

    // Where serde keeps values for later, big numbers have been floats.
    let json = |limit: &str| {
        format!(
            r#"{{"a":{{"schema_version":2,"theme":"dark","limit":{limit},"token":"\u00e9\""}}}}"#
        )
    };
    let Buffered { inner } = serde_json::from_str(&json("1.5")).unwrap();
    assert_eq!(
        (&inner["a"].0.limit, inner["a"].0.token.as_deref()),
        (&Some("1.5".parse().unwrap()), Some("é\""))
    );
    let refused = serde_json::from_str::<Buffered>(&json(number))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("a number beyond 2^53 as a float"),
        "{refused}"
    );

    let error = serde_json::from_str::<Profile>(r#"{"user":"a","settings":{"schema_version":9}}"#)
        .unwrap_err()
        .to_string();
    assert!(error.contains("Resource State Is Newer"), "{error}");
    let Legacy { settings } = serde_json::from_str(r#"{"settings":{"dark":true}}"#).unwrap();
    assert_eq!(settings, dark());
    // Formats that are not JSON hand over values one by one.
    let values: serde::de::value::MapDeserializer<'_, _, serde::de::value::Error> =
        serde::de::value::MapDeserializer::new(
            [("schema_version", "1"), ("theme", "dark")].into_iter(),
        );
    assert_eq!(
        Versioned::<Settings>::deserialize(values).unwrap().0,
        dark()
    );
}

#[test]
fn a_file_that_cannot_be_read_is_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    for bad in [
        "",
        "{",
        r#"{"schema_version":3}"#,
        r#"{"theme":"dark"}"#,
        r#"{"schema_version":2,"theme":[]}"#,
    ] {
        fs::write(&path, bad).unwrap();
        let error = Format::new()
            .open_or_else(&path, Settings::default)
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("settings.json can't be read; the file is unchanged.\n\nerror: "),
            "{error}"
        );
        assert!(error.diagnostics().is_some_and(Diagnostics::has_errors));
        assert_eq!(fs::read_to_string(&path).unwrap(), bad);
    }
    fs::remove_file(&path).unwrap();
    assert!(Format::new().open::<Settings>(&path).is_err());
    let names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(names.is_empty(), "{names:?}");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", &path).unwrap();
        assert!(
            Format::new()
                .open_or_else(&path, Settings::default)
                .is_err()
        );
    }
}

#[test]
fn a_file_is_saved_whole_and_what_an_earlier_release_wrote_is_kept_beside() {
    const FORMAT: Format = LEGACY.pretty();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    let open =
        || -> DocumentFile<Settings> { FORMAT.open_or_else(&path, Settings::default).unwrap() };
    let files = || fs::read_dir(folder.path()).unwrap().count();

    let mut new = open();
    assert_eq!(new.stored_version(), None);
    new.theme = "light".to_owned();
    assert_eq!(files(), 0);
    new.save().unwrap();
    assert_eq!(files(), 1);
    assert_eq!(open().theme, "light");

    fs::write(&path, r#"{"dark":true}"#).unwrap();
    let mut old = open();
    assert_eq!(
        (old.stored_version(), old.theme.as_str()),
        (Some(0), "dark")
    );
    let mut other = open();
    old.theme = "blue".to_owned();
    old.save().unwrap();
    assert_eq!(
        fs::read_to_string(folder.path().join("settings.json.v0.backup")).unwrap(),
        r#"{"dark":true}"#
    );
    let saved = fs::read_to_string(&path).unwrap();
    assert!(
        saved.starts_with("{\n  \"type\": \"app_settings\",\n  \"schema_version\": 2,")
            && saved.ends_with("}\n"),
        "{saved}"
    );
    // The second save has nothing to keep; one without changes does nothing.
    old.theme = "green".to_owned();
    old.save().unwrap();
    old.save().unwrap();
    assert_eq!(files(), 2);

    other.theme = "red".to_owned();
    let error = other.save().unwrap_err();
    assert!(
        error.is_changed_meanwhile()
            && error.to_string().contains("another program has changed it"),
        "{error}"
    );
    assert_eq!(open().theme, "green");

    fs::write(
        &path,
        r#"{"schema_version":2,"type":"app_settings","theme":"dark","colour":"red"}"#,
    )
    .unwrap();
    let mut coloured = open();
    assert_eq!(coloured.undefined()[0].to_string(), "colour");
    coloured.theme = "blue".to_owned();
    coloured.save().unwrap();
    // Another release's member stays, in its place.
    let saved = fs::read_to_string(&path).unwrap();
    let members: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&saved).unwrap();
    assert_eq!(
        (members["theme"].as_str(), members["colour"].as_str()),
        (Some("blue"), Some("red")),
        "{saved}"
    );
    assert!(
        saved.find("schema_version") < saved.find("\"type\""),
        "{saved}"
    );
    assert!(!coloured.backup_path().exists());
    let mut gone = open();
    fs::remove_file(&path).unwrap();
    assert!(gone.save().unwrap_err().is_changed_meanwhile());
}

/// Not a test of its own: one of the processes of [`what_several_programs_save_is_all_there`].
#[test]
#[ignore = "run by the test of several writers, in a process of its own"]
fn save_often() {
    let Some(path) = std::env::var_os("UPSTATE_TEST_DOCUMENT").map(std::path::PathBuf::from) else {
        return;
    };
    for _ in 0..SAVES {
        loop {
            let mut settings = LEGACY.open_or_else(&path, Settings::default).unwrap();
            let count = settings.theme.parse().unwrap_or(0) + 1;
            settings.theme = u32::to_string(&count);
            match settings.save() {
                Ok(()) => break,
                Err(error) => assert!(error.is_changed_meanwhile(), "{error}"),
            }
        }
    }
}

const WRITERS: u32 = 3;
const SAVES: u32 = 500;

#[cfg(unix)]
#[test]
fn what_several_programs_save_is_all_there() {
    let folder = crate::memory::folder();
    let path = folder.path().join("settings.json");
    let start = |_| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "document::save_often", "--ignored"])
            .env("UPSTATE_TEST_DOCUMENT", &path);
        command.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let writers: Vec<_> = (0..WRITERS).map(start).collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    assert_eq!(
        LEGACY.open::<Settings>(&path).unwrap().theme,
        (WRITERS * SAVES).to_string()
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn of_two_who_make_a_file_one_is_told_that_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        LEGACY
            .open_or_else(folder.path().join("settings.json"), Settings::default)
            .unwrap()
    };
    let (mut first, mut second) = (open(), open());
    first.theme = "first".to_owned();
    second.theme = "second".to_owned();
    first.save().unwrap();
    assert!(second.save().unwrap_err().is_changed_meanwhile());
    assert_eq!(open().theme, "first");
}

/// A document with the path of its own file.
#[derive(Debug, Resource)]
#[resource(type_name = "app_shared", version = 1)]
#[upgrade_from(0 => 1, convert(path: String, with = saved_by_another))]
struct Shared {
    path: String,
}

const OF_ANOTHER: &str =
    r#"{"type":"app_shared","schema_version":0,"path":"","note":"of another program"}"#;

/// Another program that saves the file while it is upgraded.
fn saved_by_another(path: String) -> Result<String, String> {
    fs::write(&path, OF_ANOTHER).map_err(|error| error.to_string())?;
    Ok(path)
}

#[test]
fn a_file_that_another_program_saves_during_its_upgrade_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared.json");
    let stored = serde_json::json!({"type": "app_shared", "schema_version": 0, "path": path.to_str().unwrap()});
    fs::write(&path, stored.to_string()).unwrap();
    let error = Format::new()
        .upgrade_file(&Registry::new().with::<Shared>(), None, &path)
        .unwrap_err();
    assert!(error.is_changed_meanwhile(), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), OF_ANOTHER);
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nor is there a backup"
    );
}

/// Members in any order, with blanks between, of which some are the format's.
fn members() -> impl Strategy<Value = Vec<(String, String)>> {
    let value = prop_oneof![
        Just("1".to_owned()),
        Just("null".to_owned()),
        Just(r#"" , \" {""#.to_owned()),
        Just(r#"{"type":"x","schema_version":[1,2]}"#.to_owned()),
        Just("[ ]".to_owned()),
    ];
    let attributes = proptest::collection::btree_map("[a-z]{1,3}", value, 0..6);
    (attributes, any::<bool>()).prop_flat_map(|(attributes, typed)| {
        let mut members: Vec<(String, String)> = attributes.into_iter().collect();
        members.push(("schema_version".to_owned(), "2".to_owned()));
        if typed {
            members.push(("type".to_owned(), r#""app_settings""#.to_owned()));
        }
        Just(members).prop_shuffle()
    })
}

proptest! {
    #[test]
    fn a_flat_document_without_type_and_version_is_its_attributes(members in members(), blank in "[ \n\t]{0,2}") {
        let text: Vec<String> =
            members.iter().map(|(name, value)| format!("{blank}{name:?}{blank}:{blank}{value}{blank}")).collect();
        let json = format!("{blank}{{{}}}{blank}", text.join(","));
        let stored = Format::new().parse(json.as_bytes()).unwrap();
        let mut expected: serde_json::Value = serde_json::from_str(&json).unwrap();
        expected.as_object_mut().unwrap().retain(|name, _| name != "type" && name != "schema_version");
        prop_assert_eq!(serde_json::from_slice::<serde_json::Value>(stored.attributes()).unwrap(), expected);
        prop_assert_eq!(stored.attributes().len(), json.len());
        prop_assert_eq!(stored.version(), 2);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..60), cut in 0_usize..80) {
        for format in [Format::new(), LEGACY, NESTED, NESTED.formerly(&LEGACY)] {
            let _ = format.read::<Settings>(&bytes);
            let whole = format.to_vec(&dark()).unwrap();
            let _ = format.read::<Settings>(&whole[..cut.min(whole.len() - 1)]).unwrap_err();
        }
    }
}
