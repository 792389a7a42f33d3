use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

/// Settings of an editor.
#[derive(Debug, Clone, PartialEq, upstate::Document)]
#[document(type_name = "app.settings")]
#[document(rename_all = "camelCase")]
pub struct Settings {
    pub window_width: u32,
    #[attribute(default = three(), skip_if = is_three)]
    pub retries: u32,
    #[attribute(name = "accent", alias = "colour")]
    pub accent_color: Option<String>, // as CSS has it
    pub theme: Theme,
    pub owner: UserId,
    pub limits: HashMap<u32, String>,
    #[attribute(flatten)]
    pub window: Window,
    pub plugin: serde_json::Value,
    #[attribute(skip)]
    pub cache: u64,
    #[attribute(flatten)]
    pub rest: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Clone, PartialEq, upstate::Union)]
#[union(tag = "kind", rename_all = "kebab-case")]
pub enum Theme {
    Plain,
    #[attribute(name = "own", rename_all = "camelCase")]
    Custom {
        accent_color: String,
    },
}

#[derive(Debug, Clone, PartialEq, upstate::Document)]
pub struct UserId(pub u64);

#[derive(Debug, Clone, PartialEq, upstate::Document)]
#[document(default)]
pub struct Window {
    full_screen: bool,
    #[serde(with = "as_percent")]
    zoom: f64,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            full_screen: false,
            zoom: 1.0,
        }
    }
}

fn three() -> u32 {
    3
}

fn is_three(number: &u32) -> bool {
    *number == 3
}

mod as_percent {
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(zoom: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{} %", zoom * 100.0))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.trim_end_matches(" %")
            .parse::<f64>()
            .map(|percent| percent / 100.0)
            .map_err(serde::de::Error::custom)
    }
}
