//! By upstate.

use std::collections::HashMap;

use upstate::{Document, Union};
use upstate_state::document;

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "app.settings", version = 2, rename_all = "camelCase")]
#[upgrade_from(1 => 2,
    rename(title => window_title, theme.Custom.accentColor => theme.Custom.accent_colour),
    convert(retries: String, empty = refuse),
    variants(theme, drop("sepia", "nobody used it", as = "plain")))]
#[upgrade_from(0 => 1, rename(lastOpen => last_opened), drop(legacy: bool, "the old layout is gone"))]
pub struct Settings {
    pub window_title: String,
    #[attribute(flatten)]
    pub geometry: Geometry,
    pub theme: Theme,
    pub ports: HashMap<u32, String>,
    pub last_opened: String,
    pub retries: u32,
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(rename_all = "camelCase")]
pub struct Geometry {
    pub window_width: u32,
    #[attribute(default)]
    pub is_maximized: bool,
}

#[derive(Debug, Clone, PartialEq, Union)]
#[union(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Theme {
    Plain,
    Custom { accent_colour: String, opacity: f64 },
    Named { name: String },
}

pub fn open(json: &str) -> Result<Settings, String> {
    document::from_str(json).map_err(|error| error.to_string())
}

pub fn save(settings: &Settings) -> String {
    document::to_string(settings).expect("settings are JSON")
}
