//! A table that holds documents, and its SQL: one text for `SQLite` and `PostgreSQL`.

use std::fmt::Write as _;

use upstate::Diagnostic;

/// A table with a column of documents.
///
/// Its SQL is that of `SQLite` (from 3.35) and `PostgreSQL`. The names are put in quotes; a name
/// with a dot is that of a schema and a table. In `PostgreSQL` the column of the documents must have
/// a deterministic collation, as it has unless one was made for it: by another, two documents may be
/// one.
///
/// ```
/// use upstate_state::store::Table;
///
/// const NOTES: Table = Table::new("notes", "id", "document");
/// /// Keys that are UUIDs, documents in a column of `jsonb`: as they are cast in SQL.
/// const EVENTS: Table = Table::new("audit.events", "event_id", "payload").key_type("uuid").document_type("jsonb");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Table<'n> {
    name: &'n str,
    key: &'n str,
    document: &'n str,
    key_type: &'n str,
    document_type: &'n str,
}

impl<'n> Table<'n> {
    /// A table with a key of whole numbers and a column of text.
    pub const fn new(name: &'n str, key: &'n str, document: &'n str) -> Self {
        Self {
            name,
            key,
            document,
            key_type: "BIGINT",
            document_type: "TEXT",
        }
    }

    /// The SQL type of the key, which must be unique and in order: `TEXT`, `uuid`. In `SQLite` a
    /// `uuid` is text; with diesel, which does not name the database, the type must say so.
    pub const fn key_type(mut self, sql: &'n str) -> Self {
        self.key_type = sql;
        self
    }

    /// The SQL type of the documents in `PostgreSQL`: `json`, `jsonb`. In `SQLite` they are text,
    /// also in a column that was declared as `JSON`; with diesel, which does not name the database,
    /// the type must be left out there, else no row is written.
    pub const fn document_type(mut self, sql: &'n str) -> Self {
        self.document_type = sql;
        self
    }

    /// The table in `SQLite`, where documents and UUIDs are text: it takes a type that it does not
    /// know for a number.
    #[cfg(any(feature = "rusqlite", feature = "sqlx"))]
    pub(super) fn in_sqlite(self) -> Self {
        let key_type = if self.key_type.eq_ignore_ascii_case("uuid") {
            "TEXT"
        } else {
            self.key_type
        };
        self.key_type(key_type).document_type("TEXT")
    }

    /// The condition that the cast to the type of the documents keeps them, because `SQLite` takes
    /// a type that it does not know for a number and makes 0 of every document.
    fn keeps(&self, new: &str) -> String {
        if self.document_type.eq_ignore_ascii_case("TEXT") {
            return String::new();
        }
        format!(
            " AND CAST(CAST({new} AS {document_type}) AS TEXT) NOT IN ('0', '0.0')",
            document_type = self.document_type
        )
    }

    /// Writes one row, if it holds the document that was read. Parameters: new document, key, old
    /// document; all of them text.
    pub fn update(&self) -> String {
        format!(
            "UPDATE {table} SET {document} = CAST($1 AS {document_type}) WHERE {key} = CAST($2 AS {key_type}) \
             AND {holds}{keeps}",
            holds = holds(&quoted(self.document), "$3"),
            keeps = self.keeps("$1"),
            table = quoted(self.name),
            document = quoted(self.document),
            key = quoted(self.key),
            document_type = self.document_type,
            key_type = self.key_type
        )
    }

    /// [`Table::update`], which answers the document as the row holds it now: `jsonb` has blanks
    /// and an order of its own.
    #[cfg(any(feature = "diesel", feature = "sqlx"))]
    pub(super) fn update_returning(&self) -> String {
        let document = quoted(self.document);
        format!(
            "{update} RETURNING '' AS upstate_key, CAST({document} AS TEXT) AS upstate_document",
            update = self.update()
        )
    }

    /// Reads the next rows, as two columns of text. Parameter: the key of the last row before them,
    /// if `after`.
    pub(super) fn select(&self, after: bool, limit: usize) -> String {
        let (key, document) = (quoted(self.key), quoted(self.document));
        let mut sql = self.columns();
        let _ = write!(sql, " WHERE {document} IS NOT NULL");
        if after {
            // Next to a number as such, `SQLite` compares text in the order of numbers, and sorts it
            // as text: rows would be left out. Next to the value of a function it does not.
            let _ = write!(
                sql,
                " AND {key} > COALESCE(CAST($1 AS {}), NULL)",
                self.key_type
            );
        }
        let _ = write!(sql, " ORDER BY {key} LIMIT {limit}");
        sql
    }

    /// True if rows come in the order of their keys as whole numbers.
    fn has_integer_keys(&self) -> bool {
        ["BIGINT", "INT", "INT8", "INTEGER"]
            .iter()
            .any(|integer| self.key_type.eq_ignore_ascii_case(integer))
    }

    /// Refuses keys that do not follow the one `before` them, and each other, by their type: `SQLite`
    /// sorts numbers in a column of text as text, and finds any text greater than a number. By a type
    /// that it does not know, the rows of the batch before come again, the `first` of them first.
    pub(super) fn check_order<'k>(
        &self,
        first: Option<&str>,
        before: Option<&'k str>,
        keys: impl Iterator<Item = &'k str>,
    ) -> Result<(), Diagnostic> {
        let are_integers = self.has_integer_keys();
        let mut last = before;
        for key in keys {
            // `SQLite` reads text that is greater than the number that it makes of the last key, and
            // 007 is not greater than 6 then.
            if are_integers && !is_integer(key) {
                let detail = format!(
                    "The key {key:?} of {name:?} is not a whole number in the form of {key_type}, the type of the keys. Rows would be left out, or \
                     read again and again. Batches before this one are written.",
                    name = self.name,
                    key_type = self.key_type
                );
                return Err(wrong_keys(detail));
            }
            let before = last.replace(key);
            let follows = match (before, are_integers) {
                (None, _) => true,
                (Some(before), false) => before != key && first != Some(key),
                (Some(before), true) => {
                    matches!((before.parse::<i64>(), key.parse::<i64>()), (Ok(before), Ok(key)) if before < key)
                }
            };
            if let (Some(before), false) = (before, follows) {
                let detail = format!(
                    "The rows of {name:?} do not come in the order of {key_type}, the type of their keys: {key:?} is behind {before:?}. Rows \
                     would be left out, or read again and again. Batches before this one are written.",
                    name = self.name,
                    key_type = self.key_type
                );
                return Err(wrong_keys(detail));
            }
        }
        Ok(())
    }

    /// Reads rows by their keys. Parameters: the keys.
    pub(super) fn select_again(&self, keys: usize) -> String {
        let values: Vec<String> = (1..=keys).map(|index| format!("(${index})")).collect();
        format!(
            "{columns} WHERE {document} IS NOT NULL AND {key} IN (SELECT CAST(column1 AS {key_type}) FROM (VALUES {values}) AS upstate_keys)",
            columns = self.columns(),
            document = quoted(self.document),
            key = quoted(self.key),
            key_type = self.key_type,
            values = values.join(", ")
        )
    }

    fn columns(&self) -> String {
        let (key, document) = (quoted(self.key), quoted(self.document));
        format!(
            "SELECT CAST({key} AS TEXT) AS upstate_key, CAST({document} AS TEXT) AS upstate_document FROM {table}",
            table = quoted(self.name)
        )
    }

    /// Writes rows that hold the documents that were read; answers their keys. Parameters, for each
    /// row: key, old document, new document.
    pub(super) fn update_all(&self, rows: usize) -> String {
        let values: Vec<String> = (0..rows)
            .map(|row| format!("(${}, ${}, ${})", row * 3 + 1, row * 3 + 2, row * 3 + 3))
            .collect();
        format!(
            "UPDATE {table} AS upstate_target SET {document} = CAST(upstate_new.column3 AS {document_type}) \
             FROM (VALUES {values}) AS upstate_new WHERE upstate_target.{key} = CAST(upstate_new.column1 AS {key_type}) \
             AND {holds}{keeps} \
             RETURNING CAST({key} AS TEXT) AS upstate_key",
            holds = holds(
                &format!("upstate_target.{}", quoted(self.document)),
                "upstate_new.column2"
            ),
            keeps = self.keeps("upstate_new.column3"),
            table = quoted(self.name),
            document = quoted(self.document),
            key = quoted(self.key),
            document_type = self.document_type,
            key_type = self.key_type,
            values = values.join(", ")
        )
    }
}

/// True if a key is a whole number as the databases write one.
fn is_integer(key: &str) -> bool {
    key.parse::<i64>()
        .is_ok_and(|number| number.to_string() == key)
}

fn wrong_keys(detail: String) -> Diagnostic {
    let remedy =
        "This is a mistake in the program: it must name the type of the keys (`Table::key_type`).";
    Diagnostic::error("Unable to Migrate Table", detail).with_remedy(remedy)
}

/// The condition that a column holds a document to the letter. A cast keeps the collation of the
/// column, by which `SQLite` may take two documents for one; a string that is made has none.
fn holds(column: &str, document: &str) -> String {
    format!("CAST({column} AS TEXT) || '' = {document}")
}

/// A name in quotes, each part of it.
fn quoted(name: &str) -> String {
    let parts: Vec<String> = name
        .split('.')
        .map(|part| format!("\"{}\"", part.replace('"', "\"\"")))
        .collect();
    parts.join(".")
}
