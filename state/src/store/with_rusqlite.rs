//! [`Stored`] in rusqlite.

use std::error::Error;
use std::fmt::Display;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, params_from_iter};
use upstate::{CurrentModel, Diagnostics};

use super::migration::{Migration, Progress, Row};
use super::stored::{Stored, StoredFormat, WriteBack};
use super::table::Table;

impl<T: CurrentModel, F: StoredFormat> FromSql for Stored<T, F> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Stored::parse(value.as_str()?).map_err(FromSqlError::other)
    }
}

impl<T: CurrentModel, F: StoredFormat> ToSql for Stored<T, F> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = self.to_text().map_err(failed)?;
        Ok(ToSqlOutput::Owned(Value::Text(text)))
    }
}

/// The writes of a row, which differ in what they put there.
macro_rules! writes {
    ($($(#[$doc:meta])+ $name:ident: $new:ident;)+) => {
        impl<T: CurrentModel, F: StoredFormat> Stored<T, F> {$(
            $(#[$doc])+
            pub fn $name(
                &mut self,
                connection: &Connection,
                table: &Table<'_>,
                key: impl Display,
            ) -> rusqlite::Result<WriteBack> {
                let new = match self.$new().map_err(failed)? {
                    Ok(new) => new,
                    Err(outcome) => return Ok(outcome),
                };
                let Some(old) = self.stored() else {
                    return Ok(WriteBack::ChangedMeanwhile);
                };
                let written = connection.prepare(&table.in_sqlite().update())?.execute((
                    &new,
                    key.to_string(),
                    old,
                ))?;
                if written == 0 {
                    return Ok(WriteBack::ChangedMeanwhile);
                }
                self.is_stored_as(new);
                Ok(WriteBack::Written)
            }
        )+}
    };
}

writes! {
    /// Writes a document of an earlier version back to its row, upgraded, unless another program
    /// has written the row since it was read.
    ///
    /// # Errors
    /// `SQLite` refuses the statement, or the document cannot be upgraded.
    write_back_rusqlite: to_write_back;

    /// Writes the model to its row, unless another program has written the row since it was read.
    ///
    /// # Errors
    /// `SQLite` refuses the statement, or the model cannot be written.
    save_rusqlite: to_save;
}

impl Migration<'_> {
    /// Migrates a table in `SQLite`.
    ///
    /// # Errors
    /// `SQLite` refuses a statement, or the keys are not of the type that the table says. Batches
    /// before it are written; another run goes on.
    pub fn run_rusqlite(mut self, connection: &Connection) -> rusqlite::Result<Progress> {
        self.table = self.table.in_sqlite();
        while let Some((sql, parameters)) = self.reads() {
            let rows = rows(connection, &sql, &parameters)?;
            if let Some((sql, values)) = self.has_read(rows).map_err(failed)? {
                let mut statement = connection.prepare(&sql)?;
                let written = statement
                    .query_map(params_from_iter(values), |row| row.get(0))?
                    .collect::<Result<_, _>>()?;
                self.has_written(written);
            }
        }
        Ok(self.progress)
    }
}

fn rows(connection: &Connection, sql: &str, parameters: &[String]) -> rusqlite::Result<Vec<Row>> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map(params_from_iter(parameters), |row| {
        Ok(Row {
            key: row.get(0)?,
            document: row.get(1)?,
        })
    })?;
    rows.collect()
}

fn failed(diagnostics: Diagnostics) -> rusqlite::Error {
    let error: Box<dyn Error + Send + Sync> = Box::new(diagnostics);
    rusqlite::Error::ToSqlConversionFailure(error)
}
