//! A settings file of 1.1 KB with eight tables, in TOML and in JSON, and the same work without
//! upstate.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml_edit::{DocumentMut, Item};
use upstate::{Object, Registry, Resource};
use upstate_state::document::Format;

use crate::case::Case;

/// Settings, as version 2 stores them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Resource)]
#[resource(type_name = "app_settings", version = 2)]
#[upgrade_from(1 => 2, rename(colour => theme))]
#[upgrade_from(0 => 1, convert(retries: String, empty = null))]
pub struct Settings {
    pub theme: String,
    pub retries: Option<i64>,
    pub started: Option<String>,
    pub window: Window,
    pub servers: Vec<Server>,
    pub tags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Window {
    pub width: i64,
    pub height: i64,
    pub title: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Server {
    pub host: String,
    pub port: u16,
    pub options: std::collections::BTreeMap<String, String>,
}

/// The settings of one release in TOML, with the comments of a person.
fn toml(version: u64) -> Vec<u8> {
    let colour = if version < 2 { "colour" } else { "theme" };
    let retries = if version < 1 { "\"3\"" } else { "3" };
    let mut text = format!(
        "# Settings of the app.\n\ntype = \"app_settings\"\nschema_version = {version}\n\n# Not too bright.\n{colour} = \"dark\" # or light\n\
         retries = {retries}\nstarted = 1979-05-27T07:32:00Z\ntags = [\n  \"a\", # first\n  \"b\",\n]\n\n[window]\nwidth = 0x280\nheight = 1_000 # pixels\n"
    );
    for server in 0..8 {
        text += &format!(
            "\n# Server {server}.\n[[servers]]\nhost = 'server-{server}.example.com'\nport = {}\n\n[servers.options]\nregion = \"eu\"\ntier = 'gold'\n",
            8000 + server
        );
    }
    text.into_bytes()
}

fn value_of(toml: &[u8]) -> Value {
    let document = Format::toml().read::<Settings>(toml).expect("it is read");
    assert!(
        String::from_utf8_lossy(toml).contains("# Not too bright."),
        "comments stay"
    );
    serde_json::to_value(document.model()).expect("a model is JSON")
}

/// The upgrade by hand, with the library alone.
fn by_hand(toml: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(toml).expect("it is text");
    let mut document: DocumentMut = text.parse().expect("it is TOML");
    if let Some(version) = document.get_mut("schema_version") {
        *version = toml_edit::value(2);
    }
    let retries = document
        .get("retries")
        .and_then(Item::as_str)
        .and_then(|retries| retries.parse::<i64>().ok());
    if let Some(retries) = retries {
        document["retries"] = toml_edit::value(retries);
    }
    if let Some((key, colour)) = document.remove_entry("colour") {
        let key = toml_edit::Key::new("theme").with_leaf_decor(key.leaf_decor().clone());
        document.insert_formatted(&key, colour);
    }
    document.to_string().into_bytes()
}

fn json(version: u64) -> Vec<u8> {
    let settings = Format::toml()
        .read::<Settings>(&toml(2))
        .expect("it is read")
        .into_model();
    let mut value = serde_json::to_value(&settings).expect("a model is JSON");
    let members = value.as_object_mut().expect("it is an object");
    members.insert("type".to_owned(), "app_settings".into());
    members.insert("schema_version".to_owned(), version.into());
    if version < 2 {
        let theme = members.remove("theme").unwrap_or_default();
        members.insert("colour".to_owned(), theme);
    }
    if version < 1 {
        members.insert("retries".to_owned(), "3".into());
    }
    serde_json::to_vec(&value).expect("a value is JSON")
}

/// Reads version 0 as a program without upstate does.
fn by_serde(json: &[u8]) -> Vec<u8> {
    #[derive(Serialize, Deserialize)]
    struct First {
        colour: String,
        retries: String,
        started: Option<String>,
        window: Window,
        servers: Vec<Server>,
        tags: Vec<String>,
    }
    let First {
        colour,
        retries,
        started,
        window,
        servers,
        tags,
    } = serde_json::from_slice(json).expect("it is JSON");
    let settings = Settings {
        theme: colour,
        retries: retries.parse().ok(),
        started,
        window,
        servers,
        tags,
    };
    serde_json::to_vec(&settings).expect("a model is JSON")
}

/// Version 2 as upstate writes it: type and version come first.
fn written() -> Vec<u8> {
    let settings = Format::toml()
        .read::<Settings>(&toml(2))
        .expect("it is read")
        .into_model();
    Format::new()
        .to_string(&settings)
        .expect("it is written")
        .into_bytes()
}

/// The answer of every case.
#[must_use]
pub fn expected() -> Value {
    value_of(&toml(2))
}

/// Each case behind the one that it is compared with.
#[must_use]
pub fn cases() -> Vec<Case> {
    let registry = Registry::new().with::<Settings>();
    let registry_of_toml = registry.clone();
    vec![
        Case::text("in TOML: by toml_edit", vec![toml(0)], by_hand, value_of),
        Case::text(
            "in TOML: upgraded",
            vec![toml(0)],
            move |stored| {
                Format::toml()
                    .upgrade(&registry_of_toml, stored)
                    .expect("it is upgraded")
                    .bytes
            },
            value_of,
        ),
        Case::model("by serde_json", vec![json(2)], |json| {
            serde_json::from_slice::<Settings>(json).expect("it is read")
        }),
        Case::model("read", vec![json(2)], |json| {
            Format::new()
                .from_slice::<Settings>(json)
                .expect("it is read")
        }),
        Case::model("version first: by serde_json", vec![written()], |json| {
            serde_json::from_slice::<Settings>(json).expect("it is read")
        }),
        Case::model("version first: read", vec![written()], |json| {
            Format::new()
                .from_slice::<Settings>(json)
                .expect("it is read")
        }),
        Case::text("by hand", vec![json(0)], by_serde, |json| {
            serde_json::from_slice(json).expect("it is JSON")
        }),
        Case::text(
            "upgraded",
            vec![json(0)],
            move |stored| {
                Format::new()
                    .upgrade(&registry, stored)
                    .expect("it is upgraded")
                    .bytes
            },
            |json| {
                let mut value: Value = serde_json::from_slice(json).expect("it is JSON");
                if let Some(members) = value.as_object_mut() {
                    members.remove("type");
                    members.remove("schema_version");
                }
                value
            },
        ),
    ]
}
