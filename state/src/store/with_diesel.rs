//! [`Stored`] in diesel, as a field of text.

use std::fmt::Display;

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql};
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::query_dsl::methods::LoadQuery;
use diesel::result::Error;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{HasSqlType, Text};
use diesel::{Connection, QueryResult, QueryableByName, RunQueryDsl as _, sql_query};
use upstate::{CurrentModel, Diagnostics};

use super::migration::{Migration, Progress, Row};
use super::stored::{Stored, StoredFormat, WriteBack};
use super::table::Table;

impl<DB: Backend, T: CurrentModel, F: StoredFormat> FromSql<Text, DB> for Stored<T, F>
where
    String: FromSql<Text, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self::parse(String::from_sql(bytes)?)?)
    }
}

impl<DB: Backend, T: CurrentModel, F: StoredFormat> ToSql<Text, DB> for Stored<T, F>
where
    str: ToSql<Text, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        self.as_text()?.to_sql(out)
    }
}

/// A row as diesel reads it.
#[derive(Debug, QueryableByName)]
#[allow(
    unnameable_types,
    reason = "a bound of methods, which no program names"
)]
pub struct DocumentRow {
    #[diesel(sql_type = Text)]
    upstate_key: String,
    #[diesel(sql_type = Text)]
    upstate_document: String,
}

/// A key as diesel reads it.
#[derive(Debug, QueryableByName)]
#[allow(
    unnameable_types,
    reason = "a bound of methods, which no program names"
)]
pub struct KeyRow {
    #[diesel(sql_type = Text)]
    upstate_key: String,
}

/// A statement with parameters.
type Statement<'f, DB> = BoxedSqlQuery<'f, DB, SqlQuery>;

/// The writes of a row, which differ in what they put there.
macro_rules! writes {
    ($($(#[$doc:meta])+ $name:ident: $new:ident;)+) => {
        impl<T: CurrentModel, F: StoredFormat> Stored<T, F> {$(
            $(#[$doc])+
            pub fn $name<C>(
                &mut self,
                connection: &mut C,
                table: &Table<'_>,
                key: impl Display,
            ) -> QueryResult<WriteBack>
            where
                C: Connection,
                C::Backend: HasSqlType<Text>,
                String: ToSql<Text, C::Backend>,
                for<'q> Statement<'static, C::Backend>: LoadQuery<'q, C, DocumentRow>,
            {
                let new = match self.$new().map_err(failed)? {
                    Ok(new) => new,
                    Err(outcome) => return Ok(outcome),
                };
                let Some(old) = self.stored().map(str::to_owned) else {
                    return Ok(WriteBack::ChangedMeanwhile);
                };
                let values = vec![new, key.to_string(), old];
                let written: Vec<DocumentRow> =
                    with(table.update_returning(), values).load(connection)?;
                let Some(row) = written.into_iter().next() else {
                    return Ok(WriteBack::ChangedMeanwhile);
                };
                self.is_stored_as(row.upstate_document);
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
    /// The database refuses the statement, or the document cannot be upgraded.
    write_back_diesel: to_write_back;

    /// Writes the model to its row, unless another program has written the row since it was read.
    ///
    /// # Errors
    /// The database refuses the statement, or the model cannot be written.
    save_diesel: to_save;
}

impl Migration<'_> {
    /// Migrates a table in `SQLite` or `PostgreSQL`.
    ///
    /// # Errors
    /// The database refuses a statement, or the keys are not of the type that the table says.
    /// Batches before it are written; another run goes on.
    pub fn run_diesel<C>(mut self, connection: &mut C) -> QueryResult<Progress>
    where
        C: Connection,
        C::Backend: HasSqlType<Text>,
        String: ToSql<Text, C::Backend>,
        for<'q> Statement<'static, C::Backend>:
            LoadQuery<'q, C, KeyRow> + LoadQuery<'q, C, DocumentRow>,
    {
        while let Some((sql, parameters)) = self.reads() {
            let found: Vec<DocumentRow> = with(sql, parameters).load(connection)?;
            if let Some((sql, values)) = self.has_read(rows(found)).map_err(failed)? {
                let written: Vec<KeyRow> = with(sql, values).load(connection)?;
                self.has_written(written.into_iter().map(|row| row.upstate_key).collect());
            }
        }
        Ok(self.progress)
    }
}

fn with<DB>(sql: String, parameters: Vec<String>) -> Statement<'static, DB>
where
    DB: Backend + HasSqlType<Text>,
    String: ToSql<Text, DB>,
{
    let mut statement = sql_query(sql).into_boxed();
    for parameter in parameters {
        statement = statement.bind::<Text, _>(parameter);
    }
    statement
}

fn rows(rows: Vec<DocumentRow>) -> Vec<Row> {
    rows.into_iter()
        .map(|row| Row {
            key: row.upstate_key,
            document: row.upstate_document,
        })
        .collect()
}

fn failed(diagnostics: Diagnostics) -> Error {
    Error::SerializationError(Box::new(diagnostics))
}
