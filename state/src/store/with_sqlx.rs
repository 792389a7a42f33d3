//! [`Stored`] in sqlx: `SQLite` and `PostgreSQL`, and any database of sqlx whose text is a
//! `String`.

use std::fmt::Display;

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::{
    AssertSqlSafe, ColumnIndex, Database, Decode, Encode, Executor, IntoArguments, Pool, Row as _,
    Type,
};
use upstate::{CurrentModel, Diagnostics};

use super::migration::{Migration, Progress, Row};
use super::stored::{Stored, StoredFormat, WriteBack};
use super::table::Table;

impl<DB: Database, T, F> Type<DB> for Stored<T, F>
where
    String: Type<DB>,
{
    fn type_info() -> DB::TypeInfo {
        String::type_info()
    }

    fn compatible(ty: &DB::TypeInfo) -> bool {
        String::compatible(ty)
    }
}

impl<'r, DB: Database, T: CurrentModel, F: StoredFormat> Decode<'r, DB> for Stored<T, F>
where
    String: Decode<'r, DB>,
{
    fn decode(value: DB::ValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Self::parse(String::decode(value)?)?)
    }
}

impl<'q, DB: Database, T: CurrentModel, F: StoredFormat> Encode<'q, DB> for Stored<T, F>
where
    String: Encode<'q, DB>,
{
    fn encode_by_ref(&self, buffer: &mut DB::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
        self.to_text()?.encode(buffer)
    }
}

/// The writes of a row, which differ in what they put there.
macro_rules! writes {
    ($($(#[$doc:meta])+ $name:ident: $new:ident;)+) => {
        impl<T: CurrentModel, F: StoredFormat> Stored<T, F> {$(
            $(#[$doc])+
            pub async fn $name<DB>(
                &mut self,
                pool: &Pool<DB>,
                table: &Table<'_>,
                key: impl Display,
            ) -> Result<WriteBack, sqlx::Error>
            where
                DB: Database,
                for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
                for<'q> String: Encode<'q, DB> + Type<DB>,
                for<'r> String: Decode<'r, DB>,
                usize: ColumnIndex<DB::Row>,
                DB::Arguments: IntoArguments<DB>,
            {
                let new = match self.$new().map_err(failed)? {
                    Ok(new) => new,
                    Err(outcome) => return Ok(outcome),
                };
                let Some(old) = self.stored().map(str::to_owned) else {
                    return Ok(WriteBack::ChangedMeanwhile);
                };
                let sql = table_in::<DB>(*table).update_returning();
                let values = vec![new, key.to_string(), old];
                let Some(row) = rows(&fetched(pool, sql, values).await?)?.pop() else {
                    return Ok(WriteBack::ChangedMeanwhile);
                };
                self.is_stored_as(row.document);
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
    write_back_sqlx: to_write_back;

    /// Writes the model to its row, unless another program has written the row since it was read.
    ///
    /// # Errors
    /// The database refuses the statement, or the model cannot be written.
    save_sqlx: to_save;
}

impl Migration<'_> {
    /// Migrates a table in `SQLite` or `PostgreSQL`.
    ///
    /// # Errors
    /// The database refuses a statement, or the keys are not of the type that the table says.
    /// Batches before it are written; another run goes on.
    pub async fn run_sqlx<DB>(mut self, pool: &Pool<DB>) -> Result<Progress, sqlx::Error>
    where
        DB: Database,
        for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
        for<'q> String: Encode<'q, DB> + Type<DB>,
        for<'r> String: Decode<'r, DB>,
        usize: ColumnIndex<DB::Row>,
        DB::Arguments: IntoArguments<DB>,
    {
        self.table = table_in::<DB>(self.table);
        while let Some((sql, parameters)) = self.reads() {
            let rows = rows(&fetched(pool, sql, parameters).await?)?;
            if let Some((sql, values)) = self.has_read(rows).map_err(failed)? {
                let written = fetched(pool, sql, values).await?;
                let written = written
                    .iter()
                    .map(|row| row.try_get::<String, _>(0))
                    .collect::<Result<_, _>>()?;
                self.has_written(written);
            }
        }
        Ok(self.progress)
    }
}

fn table_in<DB: Database>(table: Table<'_>) -> Table<'_> {
    if DB::NAME == "SQLite" {
        table.in_sqlite()
    } else {
        table
    }
}

async fn fetched<DB>(
    pool: &Pool<DB>,
    sql: String,
    parameters: Vec<String>,
) -> Result<Vec<DB::Row>, sqlx::Error>
where
    DB: Database,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    for<'q> String: Encode<'q, DB> + Type<DB>,
    DB::Arguments: IntoArguments<DB>,
{
    let mut query = sqlx::query::<DB>(AssertSqlSafe(sql));
    for parameter in parameters {
        query = query.bind(parameter);
    }
    query.fetch_all(pool).await
}

fn rows<R: sqlx::Row>(rows: &[R]) -> Result<Vec<Row>, sqlx::Error>
where
    for<'r> String: Decode<'r, R::Database> + Type<R::Database>,
    usize: ColumnIndex<R>,
{
    rows.iter()
        .map(|row| {
            Ok(Row {
                key: row.try_get(0)?,
                document: row.try_get(1)?,
            })
        })
        .collect()
}

fn failed(diagnostics: Diagnostics) -> sqlx::Error {
    sqlx::Error::Encode(Box::new(diagnostics))
}
