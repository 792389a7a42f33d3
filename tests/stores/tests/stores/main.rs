//! Documents in rows: by three libraries in SQLite, and in PostgreSQL.

#![allow(clippy::unwrap_used, reason = "tests")]

mod postgres;
mod real;
mod sqlite;

use upstate::{Registry, Resource};
use upstate_state::document::Format;
use upstate_state::store::{StoredFormat, Table};

/// A note, as release 2 stores it.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "note", version = 2)]
#[upgrade_from(1 => 2, set(tags = null))]
#[upgrade_from(0 => 1, rename(name => title), convert(hits: String, empty = zero))]
pub struct Note {
    pub title: String,
    pub hits: i64,
    pub tags: Option<Vec<String>>,
}

/// Notes beside other members of an event.
#[derive(Debug, Clone, Copy)]
pub struct Events;

impl StoredFormat for Events {
    const FORMAT: Format<'static> = Format::new().attributes_member("data");
}

pub const NOTES: Table<'static> = Table::new("notes", "id", "document");
pub const FORMAT: Format<'static> = Format::new();

pub fn registry() -> Registry {
    Registry::new().with::<Note>()
}

pub fn first(title: &str) -> String {
    format!(r#"{{"type":"note","schema_version":0,"name":"{title}","hits":"7"}}"#)
}

pub fn current(title: &str) -> String {
    format!(r#"{{"type":"note","schema_version":2,"title":"{title}","hits":7,"tags":null}}"#)
}
