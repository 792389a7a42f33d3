//! The program of `docs/src/start-settings.md`, as the page has it: the test `pages` compares the two and runs it.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use upstate::{Document, Union};
use upstate_state::document::Format;

/// Settings, as this release writes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(rename_all = "camelCase")]
#[document(type_name = "app.settings", version = 1)]
#[upgrade_from(0 => 1, rename(accent => accent_color), convert(window_width: String, empty = refuse))]
struct Settings {
    accent_color: String,
    window_width: u32,
    #[serde(default)]
    retries: u32,
    theme: Theme,
    #[serde(flatten)]
    window: Window,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Union)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Theme {
    Plain,
    Custom { accent: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(rename_all = "camelCase")]
struct Window {
    full_screen: bool,
}

/// Files without a version are from the release that used serde alone: version 0.
const SETTINGS: Format = Format::new().unversioned(0).pretty();

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut settings = SETTINGS.open::<Settings>("settings.json")?;
    println!(
        "{}, {} pixels, {:?}",
        settings.accent_color, settings.window_width, settings.theme
    );
    settings.retries += 1;
    settings.save()?;
    Ok(())
}

fn main() -> ExitCode {
    if let Err(error) = run() {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
