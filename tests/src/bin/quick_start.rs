//! The first program of the README, as it is written there: `upstate-house` compares the two, and
//! the test `readme` runs it.

use upstate::Resource;

/// A note, as this release stores it.
#[derive(Debug, Resource)]
#[resource(type_name = "note", version = 1)]
#[upgrade_from(0 => 1, rename(name => title))]
struct Note {
    title: String,
    body: Option<String>,
}

fn main() -> Result<(), upstate::Diagnostics> {
    // Release 1.0 stored this, as version 0.
    let note: Note = upstate::upgrade_json(0, r#"{"name": "shopping", "body": "milk"}"#)?;
    println!("{} {:?}", note.title, note.body);
    Ok(())
}
