//! By native_model, whose files have a header of eight bytes. It asks for every conversion in both
//! directions.

use std::collections::HashMap;

use native_model::native_model;
use serde::{Deserialize, Serialize};

use crate::workloads::native::Json;

#[native_model(id = 1, version = 2, with = Json, try_from = (SettingsV1, std::io::Error))]
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

#[derive(Debug, Serialize, Deserialize)]
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

impl From<Theme> for ThemeV1 {
    fn from(current: Theme) -> Self {
        match current {
            Theme::Plain => Self::Plain,
            Theme::Custom {
                accent_colour,
                opacity,
            } => Self::Custom {
                accent_color: accent_colour,
                opacity,
            },
            Theme::Named { name } => Self::Named { name },
        }
    }
}

#[native_model(id = 1, version = 1, with = Json, from = SettingsV0)]
#[derive(Debug, Serialize, Deserialize)]
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

#[native_model(id = 1, version = 0, with = Json)]
#[derive(Debug, Serialize, Deserialize)]
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

impl From<SettingsV1> for SettingsV0 {
    fn from(next: SettingsV1) -> Self {
        Self {
            title: next.title,
            geometry: next.geometry,
            theme: next.theme,
            ports: next.ports,
            last_open: next.last_opened,
            retries: next.retries,
        }
    }
}

impl TryFrom<SettingsV1> for Settings {
    type Error = std::io::Error;

    fn try_from(prior: SettingsV1) -> Result<Self, std::io::Error> {
        Ok(Self {
            window_title: prior.title,
            geometry: prior.geometry,
            theme: prior.theme.into(),
            ports: prior.ports,
            last_opened: prior.last_opened,
            retries: prior
                .retries
                .parse()
                .map_err(|error| std::io::Error::other(format!("retries: {error}")))?,
        })
    }
}

impl TryFrom<Settings> for SettingsV1 {
    type Error = std::io::Error;

    fn try_from(current: Settings) -> Result<Self, std::io::Error> {
        Ok(Self {
            title: current.window_title,
            geometry: current.geometry,
            theme: current.theme.into(),
            ports: current.ports,
            last_opened: current.last_opened,
            retries: current.retries.to_string(),
        })
    }
}

pub fn open(file: &[u8]) -> Result<Settings, String> {
    native_model::decode(file.to_vec())
        .map(|(settings, _)| settings)
        .map_err(|error| error.to_string())
}

pub fn save(settings: &Settings) -> Vec<u8> {
    native_model::encode(settings).expect("settings are JSON")
}
