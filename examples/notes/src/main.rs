//! Rows of a database, written by three releases and read by the last: `cargo run -p notes [database]`.
//!
//! A row is rewritten when it is read, so the table is never migrated as a whole; a row that cannot be read is left as it is.
//! The program in `postgres` does the same with `PostgreSQL`.

mod models;
mod store;

use std::error::Error;

use models::STORED;
use store::Notes;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| ":memory:".to_owned());
    let notes = Notes::open(&path)?;
    if notes.documents()?.is_empty() {
        for (id, release, document) in STORED {
            println!("{id}, by {release}: {document}");
            notes.put_document(id, document)?;
        }
    }
    for (id, _) in notes.documents()? {
        match notes.get(id) {
            Ok(Some(note)) => println!("{id}: {note:?}"),
            Ok(None) => println!("{id}: gone meanwhile"),
            Err(error) => println!("{id}: {error}"),
        }
    }
    for (id, document) in notes.documents()? {
        println!("{id}, now: {document}");
    }
    Ok(())
}
