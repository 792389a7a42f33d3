//! Notes in a table, each a document.

use std::error::Error;

use rusqlite::{Connection, OptionalExtension as _, params};

use upstate_state::store::{Stored, Table};

use crate::models::{Note, NotesFormat};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const NOTES: Table<'static> = Table::new("notes", "id", "document");

/// The notes in a database.
pub(crate) struct Notes {
    database: Connection,
}

impl Notes {
    pub(crate) fn open(path: &str) -> Result<Self> {
        let database = Connection::open(path)?;
        database.execute_batch("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, document TEXT NOT NULL) STRICT")?;
        Ok(Self { database })
    }

    /// The note with this number, if there is one. A row that an earlier release wrote is rewritten.
    pub(crate) fn get(&self, id: i64) -> Result<Option<Note>> {
        let row = self
            .database
            .query_row("SELECT document FROM notes WHERE id = ?1", [id], |row| {
                row.get(0)
            })
            .optional()?;
        let Some(mut note): Option<Stored<Note, NotesFormat>> = row else {
            return Ok(None);
        };
        // Only if nobody has written it since, because their row counts then, not ours.
        note.write_back_rusqlite(&self.database, &NOTES, id)?;
        Ok(Some(note.into_model()))
    }

    /// Stores a document as it is, as an earlier release would have.
    pub(crate) fn put_document(&self, id: i64, document: &str) -> Result<()> {
        self.database.execute(
            "INSERT OR REPLACE INTO notes (id, document) VALUES (?1, ?2)",
            params![id, document],
        )?;
        Ok(())
    }

    /// Every row as it is stored.
    pub(crate) fn documents(&self) -> Result<Vec<(i64, String)>> {
        let mut rows = self
            .database
            .prepare("SELECT id, document FROM notes ORDER BY id")?;
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
