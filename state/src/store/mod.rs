//! Documents in the rows of a database: upgraded when they are read, written back if nobody else
//! wrote them meanwhile, or migrated a whole table at a time.
//!
//! - [`Stored`] is a column: with the features `rusqlite`, `sqlx` and `diesel` it implements their
//!   traits.
//! - [`Table`] names a table and its columns; [`Stored`] writes a row back by it.
//! - [`Migration`] rewrites all rows of earlier versions, in batches, beside programs that write.
//!
//! A row is rewritten only where the stored document is still the one that was read, so that no
//! write of another program is lost. Members that no schema defines stay, such as an envelope's.

// Without any of these features nothing reads or writes a row, because the program does.
#![cfg_attr(
    not(any(feature = "diesel", feature = "rusqlite", feature = "sqlx")),
    allow(dead_code)
)]

mod migration;
mod stored;
mod table;
#[cfg(feature = "diesel")]
mod with_diesel;
#[cfg(feature = "rusqlite")]
mod with_rusqlite;
#[cfg(feature = "sqlx")]
mod with_sqlx;

pub use migration::{Migration, Progress};
pub use stored::{Stored, StoredFormat, Usual, WriteBack};
pub use table::Table;
