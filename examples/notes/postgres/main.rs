//! Keeps notes in PostgreSQL: `cargo run --manifest-path tests/stores/Cargo.toml postgres://user@host/database`.
//!
//! The table is `notes`, made if there is none. The models are those of the program with `SQLite`.

#[path = "../src/models.rs"]
mod models;

use std::error::Error;

use models::{Note, NotesFormat, STORED};
use sqlx::postgres::PgPool;
use upstate_state::store::{Stored, Table};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const NOTES: Table<'static> = Table::new("notes", "id", "document").document_type("jsonb");

/// The notes in a database.
struct Notes {
    database: PgPool,
}

impl Notes {
    async fn open(address: &str) -> Result<Self> {
        let database = PgPool::connect(address).await?;
        let table =
            "CREATE TABLE IF NOT EXISTS notes (id bigint PRIMARY KEY, document jsonb NOT NULL)";
        sqlx::query(table).execute(&database).await?;
        Ok(Self { database })
    }

    /// The note with this number, if there is one. A row that an earlier release wrote is rewritten.
    async fn get(&self, id: i64) -> Result<Option<Note>> {
        // Documents are read as text, because a column of `jsonb` is sent in a form of its own.
        let row = sqlx::query_scalar::<_, Stored<Note, NotesFormat>>(
            "SELECT CAST(document AS TEXT) FROM notes WHERE id = $1",
        );
        let Some(mut note) = row.bind(id).fetch_optional(&self.database).await? else {
            return Ok(None);
        };
        // Only if nobody has written it since, because their row counts then, not ours.
        note.write_back_sqlx(&self.database, &NOTES, id).await?;
        Ok(Some(note.into_model()))
    }

    /// Stores a document as it is, as an earlier release would have.
    async fn put_document(&self, id: i64, document: &str) -> Result<()> {
        let insert = sqlx::query("INSERT INTO notes (id, document) VALUES ($1, CAST($2 AS jsonb))");
        insert
            .bind(id)
            .bind(document)
            .execute(&self.database)
            .await?;
        Ok(())
    }

    /// Every row as it is stored.
    async fn documents(&self) -> Result<Vec<(i64, String)>> {
        Ok(
            sqlx::query_as("SELECT id, CAST(document AS TEXT) FROM notes ORDER BY id")
                .fetch_all(&self.database)
                .await?,
        )
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let address = std::env::args()
        .nth(1)
        .ok_or("the address of a database is missing, such as postgres://user@host/database")?;
    let notes = Notes::open(&address).await?;
    if notes.documents().await?.is_empty() {
        for (id, release, document) in STORED {
            println!("{id}, by {release}: {document}");
            notes.put_document(id, document).await?;
        }
    }
    for (id, _) in notes.documents().await? {
        match notes.get(id).await {
            Ok(Some(note)) => println!("{id}: {note:?}"),
            Ok(None) => println!("{id}: gone meanwhile"),
            Err(error) => println!("{id}: {error}"),
        }
    }
    for (id, document) in notes.documents().await? {
        println!("{id}, now: {document}");
    }
    Ok(())
}
