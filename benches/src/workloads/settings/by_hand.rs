//! By hand, with serde's derives.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    pub window_title: String,
    #[serde(flatten)]
    pub geometry: Geometry,
    pub theme: Theme,
    pub ports: HashMap<u32, String>,
    pub last_opened: String,
    pub retries: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Geometry {
    pub window_width: u32,
    #[serde(default)]
    pub is_maximized: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Theme {
    Plain,
    Custom { accent_colour: String, opacity: f64 },
    Named { name: String },
}

#[derive(Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum ThemeV1 {
    Plain,
    Sepia,
    Custom { accent_color: String, opacity: f64 },
    Named { name: String },
}

impl From<ThemeV1> for Theme {
    fn from(prior: ThemeV1) -> Self {
        match prior {
            ThemeV1::Plain | ThemeV1::Sepia => Self::Plain,
            ThemeV1::Custom {
                accent_color,
                opacity,
            } => Self::Custom {
                accent_colour: accent_color,
                opacity,
            },
            ThemeV1::Named { name } => Self::Named { name },
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsV1 {
    pub title: String,
    #[serde(flatten)]
    pub geometry: Geometry,
    pub theme: ThemeV1,
    pub ports: HashMap<u32, String>,
    pub last_opened: String,
    pub retries: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsV0 {
    pub title: String,
    #[serde(flatten)]
    pub geometry: Geometry,
    pub theme: ThemeV1,
    pub ports: HashMap<u32, String>,
    pub last_open: String,
    pub retries: String,
}

impl From<SettingsV0> for SettingsV1 {
    fn from(prior: SettingsV0) -> Self {
        Self {
            title: prior.title,
            geometry: prior.geometry,
            theme: prior.theme,
            ports: prior.ports,
            last_opened: prior.last_open,
            retries: prior.retries,
        }
    }
}

impl TryFrom<SettingsV1> for Settings {
    type Error = String;

    fn try_from(prior: SettingsV1) -> Result<Self, String> {
        Ok(Self {
            window_title: prior.title,
            geometry: prior.geometry,
            theme: prior.theme.into(),
            ports: prior.ports,
            last_opened: prior.last_opened,
            retries: prior
                .retries
                .parse()
                .map_err(|error| format!("retries: {error}"))?,
        })
    }
}

#[derive(Deserialize)]
struct Version {
    version: u64,
}

#[derive(Serialize)]
struct Versioned<'a> {
    version: u64,
    #[serde(flatten)]
    settings: &'a Settings,
}

pub fn open(json: &str) -> Result<Settings, String> {
    let Version { version } = serde_json::from_str(json).map_err(|error| error.to_string())?;
    match version {
        0 => SettingsV1::from(
            serde_json::from_str::<SettingsV0>(json).map_err(|error| error.to_string())?,
        )
        .try_into(),
        1 => serde_json::from_str::<SettingsV1>(json)
            .map_err(|error| error.to_string())?
            .try_into(),
        2 => serde_json::from_str(json).map_err(|error| error.to_string()),
        newer => Err(format!("version {newer} is newer than this program")),
    }
}

pub fn save(settings: &Settings) -> String {
    serde_json::to_string(&Versioned {
        version: 2,
        settings,
    })
    .expect("settings are JSON")
}
