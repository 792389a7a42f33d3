//! All rows, out and in.

use rusqlite::Transaction;
use rusqlite::types::{ToSqlOutput, Value as Sql, ValueRef};
use tokio::sync::mpsc::{Receiver, Sender};

use super::connections::Fault;
use super::rows::wrong;
use crate::store::copy::{self, Kind, Part, Row, TABLES, Value};

type Done<T> = Result<T, Fault>;

pub(super) fn export(t: &Transaction<'_>, to: &Sender<Row>) -> Done<()> {
    for table in &TABLES {
        let mut statement = t.prepare(&table.select(&table.column_list()))?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            let values = table.columns.iter().enumerate().map(|(column, (_, kind))| {
                Ok(match (row.get_ref(column)?, kind) {
                    (ValueRef::Null, _) => Value::Null,
                    (ValueRef::Integer(number), Kind::Int) => Value::Int(number),
                    (ValueRef::Integer(number), Kind::Bool) => Value::Bool(number != 0),
                    (ValueRef::Text(_), Kind::Text) => Value::Text(row.get(column)?),
                    (ValueRef::Blob(bytes), Kind::Bytes) => Value::Bytes(bytes.to_owned()),
                    (_, Kind::Int | Kind::Bool | Kind::Text | Kind::Bytes) => return Err(wrong(column, "another type")),
                })
            });
            let values = values.collect::<Result<_, rusqlite::Error>>()?;
            copy::give(to, Row { table, values })?;
        }
    }
    Ok(())
}

/// Takes all rows; the transaction must be rolled back where it fails.
pub(super) fn import(t: &Transaction<'_>, store: &str, parts: &mut Receiver<Part>) -> Done<()> {
    let is_used: bool = t.query_row(
        "SELECT EXISTS (SELECT 1 FROM organization) OR EXISTS (SELECT 1 FROM user) OR EXISTS (SELECT 1 FROM audit)",
        (),
        |row| row.get(0),
    )?;
    if is_used {
        return Err(copy::not_empty(store).into());
    }
    // A workspace comes before its versions.
    t.pragma_update(None, "defer_foreign_keys", true)?;
    t.execute("DELETE FROM setting", ())?;
    t.execute("DELETE FROM data_key", ())?;
    while let Part::Row(Row { table, values }) = copy::next(parts)? {
        let values = values.iter().map(|value| match value {
            Value::Null => ToSqlOutput::Owned(Sql::Null),
            Value::Int(number) => ToSqlOutput::from(*number),
            Value::Bool(is) => ToSqlOutput::from(*is),
            Value::Text(text) => ToSqlOutput::from(text.as_str()),
            Value::Bytes(bytes) => ToSqlOutput::from(bytes.as_slice()),
        });
        t.prepare_cached(&table.insert('?'))?.execute(rusqlite::params_from_iter(values))?;
    }
    t.execute_batch(copy::PEOPLE)?;
    Ok(())
}
