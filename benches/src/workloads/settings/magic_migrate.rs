//! By magic_migrate.

use std::collections::HashMap;

use magic_migrate::TryMigrate;
use serde::{Deserialize, Serialize};

use crate::workloads::magic::{Failed, Json};

// The crate advises `deny_unknown_fields`, which serde does not support with `flatten`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TryMigrate)]
#[try_migrate(from = SettingsV1)]
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

#[derive(Debug, Deserialize)]
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

#[derive(Debug, Deserialize, TryMigrate)]
#[try_migrate(from = SettingsV0)]
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

#[derive(Debug, Deserialize, TryMigrate)]
#[try_migrate(from = None, error = Failed, deserializer = Json::new)]
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

pub fn open(json: &str) -> Result<Settings, String> {
    match Settings::try_from_str_migrations(json) {
        Some(Ok(settings)) => Ok(settings),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("no version fits".to_owned()),
    }
}

pub fn save(settings: &Settings) -> String {
    serde_json::to_string(settings).expect("settings are JSON")
}
