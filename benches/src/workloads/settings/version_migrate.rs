//! By version-migrate.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use version_migrate::{IntoDomain, MigratesTo, Migrator, Versioned, migrator};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Versioned)]
#[versioned(version = "2.0.0")]
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

#[derive(Debug, Serialize, Deserialize, Versioned)]
#[versioned(version = "1.0.0")]
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

#[derive(Debug, Serialize, Deserialize, Versioned)]
#[versioned(version = "0.0.0")]
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

impl MigratesTo<SettingsV1> for SettingsV0 {
    fn migrate(self) -> SettingsV1 {
        SettingsV1 {
            title: self.title,
            geometry: self.geometry,
            theme: self.theme,
            ports: self.ports,
            last_opened: self.last_open,
            retries: self.retries,
        }
    }
}

impl MigratesTo<Settings> for SettingsV1 {
    fn migrate(self) -> Settings {
        Settings {
            window_title: self.title,
            geometry: self.geometry,
            theme: self.theme.into(),
            ports: self.ports,
            last_opened: self.last_opened,
            // A migration cannot fail.
            retries: self.retries.parse().unwrap_or_default(),
        }
    }
}

impl IntoDomain<Settings> for Settings {
    fn into_domain(self) -> Settings {
        self
    }
}

static MIGRATOR: LazyLock<Migrator> = LazyLock::new(|| {
    migrator!("settings" => [SettingsV0, SettingsV1, Settings, Settings])
        .expect("the path is sound")
});

pub fn open(json: &str) -> Result<Settings, String> {
    // `load_forward` would keep what a later release added, but `save_forward` would give an
    // upgraded file the version that it had.
    MIGRATOR
        .load("settings", json)
        .map_err(|error| error.to_string())
}

pub fn save(settings: &Settings) -> String {
    MIGRATOR.save(settings.clone()).expect("settings are JSON")
}
