//! By revision, whose files are binary: they hold no names, so that a member has any name.

use std::collections::HashMap;

use revision::{Error, revisioned};

#[revisioned(revision = 3, walk = false)]
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub window_title: String,
    pub geometry: Geometry,
    pub theme: Theme,
    pub ports: HashMap<u32, String>,
    pub last_opened: String,
    #[revision(end = 3, convert_fn = "parse_retries")]
    pub retries_text: String,
    #[revision(start = 3)]
    pub retries: u32,
    #[revision(end = 2, convert_fn = "drop_legacy")]
    pub legacy: bool,
}

impl Settings {
    fn parse_retries(&mut self, _revision: u16, text: String) -> Result<(), Error> {
        self.retries = text
            .parse()
            .map_err(|error| Error::Conversion(format!("retries: {error}")))?;
        Ok(())
    }

    fn drop_legacy(&mut self, _revision: u16, _legacy: bool) -> Result<(), Error> {
        Ok(())
    }
}

#[revisioned(revision = 1, walk = false)]
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    pub window_width: u32,
    pub is_maximized: bool,
}

#[revisioned(revision = 2, walk = false)]
#[derive(Debug, Clone, PartialEq)]
pub enum Theme {
    Plain,
    #[revision(end = 2, convert_fn = "drop_sepia")]
    Sepia,
    Custom {
        accent_colour: String,
        opacity: f64,
    },
    Named {
        name: String,
    },
}

impl Theme {
    fn drop_sepia(_sepia: ThemeSepiaFields, _revision: u16) -> Result<Self, Error> {
        Ok(Self::Plain)
    }
}

pub fn open(file: &[u8]) -> Result<Settings, String> {
    revision::from_slice(file).map_err(|error| error.to_string())
}

pub fn save(settings: &Settings) -> Vec<u8> {
    revision::to_vec(settings).expect("a vector takes what is written")
}
