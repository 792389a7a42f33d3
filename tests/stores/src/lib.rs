//! Tests of documents in the rows of real databases; all that run are in `tests/`.

use diesel::connection::LoadConnection;
use diesel::deserialize::FromSql;
use diesel::pg::Pg;
use diesel::serialize::ToSql;
use diesel::sql_types::Text;
use diesel::{Connection, QueryResult};
use upstate::CurrentModel;
use upstate_state::store::{Migration, Progress, Stored, Table};

/// Rows of PostgreSQL by diesel. It compiles and never runs, because diesel connects through libpq,
/// a library in C that the tests would have to build. Its statements are those by sqlx, which do
/// run.
pub fn by_diesel_on_postgres<C, T>(
    connection: &mut C,
    table: &Table<'_>,
    row: &mut Stored<T>,
    migration: Migration<'_>,
) -> QueryResult<Progress>
where
    C: Connection<Backend = Pg> + LoadConnection,
    T: CurrentModel,
{
    is_a_column::<Stored<T>>();
    row.write_back_diesel(connection, table, 1)?;
    row.save_diesel(connection, table, 1)?;
    migration.run_diesel(connection)
}

fn is_a_column<T: FromSql<Text, Pg> + ToSql<Text, Pg>>() {}
