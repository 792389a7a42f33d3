//! By obake.

use std::collections::HashMap;

use obake::AnyVersion;
use serde::{Deserialize, Serialize};

#[obake::versioned]
#[obake(version("0.0.0"))]
#[obake(version("1.0.0"))]
#[obake(version("2.0.0"))]
#[obake(derive(Serialize, Deserialize))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    #[obake(cfg("<2.0.0"))]
    pub title: String,
    #[obake(cfg("2.0.0"))]
    pub window_title: String,
    #[serde(flatten)]
    pub geometry: Geometry,
    #[obake(cfg("<2.0.0"))]
    pub theme: ThemeV1,
    #[obake(cfg("2.0.0"))]
    pub theme: Theme,
    pub ports: HashMap<u32, String>,
    #[obake(cfg("0.0.0"))]
    pub last_open: String,
    #[obake(cfg(">=1.0.0"))]
    pub last_opened: String,
    #[obake(cfg("<2.0.0"))]
    pub retries: String,
    #[obake(cfg("2.0.0"))]
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

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

impl From<Settings!["0.0.0"]> for Settings!["1.0.0"] {
    fn from(prior: Settings!["0.0.0"]) -> Self {
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

impl From<Settings!["1.0.0"]> for Settings!["2.0.0"] {
    fn from(prior: Settings!["1.0.0"]) -> Self {
        Self {
            window_title: prior.title,
            geometry: prior.geometry,
            theme: prior.theme.into(),
            ports: prior.ports,
            last_opened: prior.last_opened,
            // A migration cannot fail.
            retries: prior.retries.parse().unwrap_or_default(),
        }
    }
}

pub fn open(json: &str) -> Result<Settings, String> {
    serde_json::from_str::<AnyVersion<Settings>>(json)
        .map(Into::into)
        .map_err(|error| error.to_string())
}

pub fn save(settings: &Settings) -> String {
    serde_json::to_string(&AnyVersion::<Settings>::from(settings.clone()))
        .expect("settings are JSON")
}
