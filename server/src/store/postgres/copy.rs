//! All rows, out and in; bytes from and to the bucket.

use bytes::Bytes;
use deadpool_postgres::{Object, Transaction};
use futures_util::TryStreamExt as _;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio_postgres::IsolationLevel;

use super::pool::{begin, done};
use super::session::On;
use super::{Postgres, garbage, session};
use crate::store::StoreError;
use crate::store::blobs::{self, Place};
use crate::store::copy::{self, BLOB, Part, Row, TABLES, Table, Value};
use crate::store::session::{Cell, Done, Fault, Lock, Param, Session, params, wrong};

/// The columns of a row of bytes, with one that a copy does not have: the key of the object.
const PLACES: &str = "\"sha256\", \"size\", \"codec\", \"bytes\", \"data_key\", \"object\"";

impl Postgres {
    /// Gives all rows as they are at one moment, which objects outlive.
    pub(super) async fn give_rows(&self, to: &Sender<Row>) -> Result<(), StoreError> {
        // The connection ends with this, and so does the lock, which a connection of the pool would
        // keep.
        let mut client = Object::take(self.client().await?);
        client
            .batch_execute("SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0")
            .await
            .map_err(Fault::from)?;
        client
            .execute(garbage::KEEP_OBJECTS, &[&Lock::Copy.key()])
            .await
            .map_err(Fault::from)?;
        let t = client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start();
        let t = t.await.map_err(Fault::from)?;
        for table in &TABLES {
            self.give_table(&t, table, to).await?;
        }
        done(t).await
    }

    async fn give_table(
        &self,
        t: &Transaction<'_>,
        table: &'static Table,
        to: &Sender<Row>,
    ) -> Result<(), StoreError> {
        let is_blob = table.name == BLOB;
        let columns = if is_blob {
            PLACES.to_owned()
        } else {
            table.column_list()
        };
        let statement = t
            .prepare(&table.select(&columns))
            .await
            .map_err(Fault::from)?;
        let rows = t
            .query_raw(&statement, std::iter::empty::<i64>())
            .await
            .map_err(Fault::from)?;
        let mut rows = std::pin::pin!(rows);
        while let Some(row) = rows.try_next().await.map_err(Fault::from)? {
            let row = session::row(&row)?;
            let object = if is_blob {
                row.optional(table.columns.len())?
            } else {
                None
            };
            let values =
                table
                    .columns
                    .iter()
                    .zip(row.0)
                    .enumerate()
                    .map(|(column, ((_, kind), cell))| match cell {
                        Cell::One(value) => {
                            kind.of(value).ok_or_else(|| wrong(column, "another type"))
                        }
                        Cell::List(_) => Err(wrong(column, "a list")),
                    });
            let mut values = values.collect::<Done<Vec<_>>>()?;
            if let Some(key) = object
                && let Some(bytes) = values.get_mut(3)
            {
                *bytes = Value::Bytes(
                    blobs::packed(Place::Object(key), self.bucket.as_ref())
                        .await?
                        .into(),
                );
            }
            copy::hand_over(to, Row { table, values }).await?;
        }
        Ok(())
    }

    /// Takes all rows in one transaction.
    pub(super) async fn take_rows(&self, mut parts: Receiver<Part>) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let t = begin(&mut client).await?;
        let mut objects = Vec::new();
        let taken = self.take(&t, &mut parts, &mut objects).await;
        match taken {
            Ok(()) => done(t).await,
            Err(error) => {
                drop(t);
                // The import is undone, so nothing will ever refer to its objects.
                self.delete(&objects).await;
                Err(error)
            }
        }
    }

    async fn take(
        &self,
        t: &Transaction<'_>,
        parts: &mut Receiver<Part>,
        objects: &mut Vec<String>,
    ) -> Result<(), StoreError> {
        // Two imports must not both find it empty.
        t.batch_execute(
            "SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE organization IN ACCESS EXCLUSIVE MODE;
                SET CONSTRAINTS ALL DEFERRED",
        )
        .await
        .map_err(Fault::from)?;
        let s: &mut dyn Session = &mut On(t);
        s.maybe(garbage::KEEP_OBJECTS_FOR_NOW, &params![Lock::Copy.key()])
            .await?;
        if s.maybe(copy::USED, &[])
            .await?
            .map(|row| row.bool(0))
            .transpose()?
            != Some(false)
        {
            return Err(copy::not_empty(&self.description));
        }
        s.run("DELETE FROM setting WHERE name <> 'secret/bucket'", &[])
            .await?;
        s.run("DELETE FROM data_key", &[]).await?;
        while let Part::Row(Row { table, mut values }) = copy::received(parts.recv().await)? {
            let mut statement = table.insert('$');
            if let (BLOB, Some(bucket), [sha256, size, codec, bytes, data_key]) =
                (table.name, &self.bucket, values.as_mut_slice())
                && let (Value::Bytes(sha256), Value::Bytes(packed)) = (&*sha256, &*bytes)
            {
                let known = <[u8; 32]>::try_from(sha256.as_slice())
                    .map_err(|error| StoreError::new("a SHA-256 has 32 bytes").because(error))?;
                let key = bucket.put(&known, Bytes::copy_from_slice(packed)).await?;
                objects.push(key.clone());
                "INSERT INTO blob (sha256, size, codec, data_key, object) VALUES ($1, $2, $3, $4, $5)".clone_into(&mut statement);
                values = vec![
                    Value::Bytes(sha256.clone()),
                    size.clone(),
                    codec.clone(),
                    data_key.clone(),
                    Value::Text(key),
                ];
            }
            let params: Vec<Param> = values.into_iter().map(Param::One).collect();
            s.run(&statement, &params).await?;
        }
        t.batch_execute(copy::PEOPLE).await.map_err(Fault::from)?;
        let next = "SELECT setval(pg_get_serial_sequence('audit', 'seq'), (SELECT greatest(max(seq), 1) FROM audit))";
        s.maybe(next, &[]).await?;
        Ok(())
    }
}
