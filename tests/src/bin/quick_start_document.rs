//! The second program of the README, as `quick_start` is the first.

use upstate::{Document, Union};

/// The settings of an app, stored as serde stores them.
#[derive(Debug, Document)]
#[document(type_name = "app.settings", version = 1, rename_all = "camelCase")]
#[upgrade_from(0 => 1, convert(windowWidth: String, empty = refuse), rename(theme.Custom.colour => theme.Custom.accent))]
struct Settings {
    window_width: u32,
    theme: Theme,
}

#[derive(Debug, Union)]
#[union(tag = "kind", rename_all = "camelCase")]
enum Theme {
    Plain,
    Custom { accent: String },
}

fn main() -> Result<(), upstate::Diagnostics> {
    // Release 1.0 wrote this by serde.
    let settings: Settings = upstate::upgrade_json(
        0,
        r#"{"windowWidth": "800", "theme": {"kind": "custom", "colour": "red"}}"#,
    )?;
    println!("{settings:?}");
    Ok(())
}
