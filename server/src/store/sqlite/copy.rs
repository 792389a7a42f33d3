//! All rows, out and in.

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::mpsc::{Receiver, Sender};

use super::session::value;
use crate::store::copy::{self, Part, Row, TABLES};
use crate::store::session::{Done, wrong};

pub(super) fn export(connection: &mut Connection, to: &Sender<Row>) -> Done<()> {
    let t = connection.transaction()?;
    for table in &TABLES {
        let mut statement = t.prepare(&table.select(&table.column_list()))?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            let values = table.columns.iter().enumerate().map(|(column, (_, kind))| {
                kind.of(value(column, row.get_ref(column)?)?)
                    .ok_or_else(|| wrong(column, "another type"))
            });
            let values = values.collect::<Done<_>>()?;
            copy::give(to, Row { table, values })?;
        }
    }
    Ok(())
}

/// Takes all rows, or none.
pub(super) fn import(
    connection: &mut Connection,
    store: &str,
    parts: &mut Receiver<Part>,
) -> Done<()> {
    let t = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let is_used: bool = t.query_row(copy::USED, (), |row| row.get(0))?;
    if is_used {
        return Err(copy::not_empty(store).into());
    }
    // A workspace comes before its versions.
    t.pragma_update(None, "defer_foreign_keys", true)?;
    t.execute("DELETE FROM setting", ())?;
    t.execute("DELETE FROM data_key", ())?;
    while let Part::Row(Row { table, values }) = copy::next(parts)? {
        t.prepare_cached(&table.insert('?'))?
            .execute(rusqlite::params_from_iter(&values))?;
    }
    t.execute_batch(copy::PEOPLE)?;
    Ok(t.commit()?)
}
