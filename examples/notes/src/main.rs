//! Rows of a database, written by three releases and read by the last: `cargo run -p notes [database]`.
//!
//! A row is rewritten when it is read, so the table is never migrated as a whole; a row that cannot be read is left as it is.

mod models;
mod store;

use std::error::Error;

use store::Notes;

const STORED: [(i64, &str, &str); 4] = [
    (1, "1.0", r#"{"text":"Milk\ntwo bottles"}"#),
    (2, "1.4", r#"{"type":"note","schema_version":1,"title":"Call","body":"","tags":"work, urgent"}"#),
    (3, "2.0", r#"{"type":"note","schema_version":2,"title":"Rest","body":null,"tags":["home"]}"#),
    (4, "1.0", r#"{"text":""}"#),
];

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| ":memory:".to_owned());
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
