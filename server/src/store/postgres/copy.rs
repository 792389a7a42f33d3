//! All rows, out and in; bytes from and to the bucket.

use bytes::{Bytes, BytesMut};
use deadpool_postgres::{Object, Transaction};
use futures_util::TryStreamExt as _;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio_postgres::IsolationLevel;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::blobs;
use super::pool::{Fault, begin, done};
use super::sql::{self, Text};
use super::versions::Place;
use super::{Postgres, garbage};
use crate::store::StoreError;
use crate::store::copy::{self, BLOB, Kind, Part, Row, TABLES, Table, Value};

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql_checked(ty, out),
            Self::Bool(is) => is.to_sql_checked(ty, out),
            Self::Text(text) => Text(text).to_sql_checked(ty, out),
            Self::Bytes(bytes) => bytes.to_sql_checked(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // What it is tells; each of these checks for itself.
        true
    }

    to_sql_checked!();
}

/// What a row of bytes has in addition: the key of the object.
const PLACES: &str = "\"sha256\", \"size\", \"codec\", \"bytes\", \"data_key\", \"object\"";

fn value(row: &tokio_postgres::Row, column: usize, kind: Kind) -> Result<Value, Fault> {
    Ok(match kind {
        Kind::Int => row.try_get::<_, Option<i64>>(column)?.map_or(Value::Null, Value::Int),
        Kind::Bool => row.try_get::<_, Option<bool>>(column)?.map_or(Value::Null, Value::Bool),
        Kind::Text => sql::optional(row, column)?.map_or(Value::Null, Value::Text),
        Kind::Bytes => row.try_get::<_, Option<Vec<u8>>>(column)?.map_or(Value::Null, Value::Bytes),
    })
}

impl Postgres {
    /// Gives all rows as they are at one moment, which objects outlive.
    pub(super) async fn give_rows(&self, to: &Sender<Row>) -> Result<(), StoreError> {
        // The connection ends with this, and so does the lock, which a connection of the pool would keep.
        let mut client = Object::take(self.client().await?);
        client.batch_execute("SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0").await.map_err(Fault::from)?;
        client.execute(garbage::KEEP_OBJECTS, &[&garbage::COPYING]).await.map_err(Fault::from)?;
        let t = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true).start();
        let t = t.await.map_err(Fault::from)?;
        for table in &TABLES {
            self.give_table(&t, table, to).await?;
        }
        done(t).await
    }

    async fn give_table(&self, t: &Transaction<'_>, table: &'static Table, to: &Sender<Row>) -> Result<(), StoreError> {
        let is_blob = table.name == BLOB;
        let columns = if is_blob { PLACES.to_owned() } else { table.column_list() };
        let statement = t.prepare(&table.select(&columns)).await.map_err(Fault::from)?;
        let rows = t.query_raw(&statement, std::iter::empty::<i64>()).await.map_err(Fault::from)?;
        let mut rows = std::pin::pin!(rows);
        while let Some(row) = rows.try_next().await.map_err(Fault::from)? {
            let values = table.columns.iter().enumerate().map(|(column, (_, kind))| value(&row, column, *kind));
            let mut values = values.collect::<Result<Vec<_>, _>>()?;
            if is_blob
                && let Some(key) = sql::optional(&row, table.columns.len())?
                && let Some(bytes) = values.get_mut(3)
            {
                *bytes = Value::Bytes(blobs::packed(Place::Object(key), self.bucket.as_ref()).await?.into());
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
                // Nothing refers to them, and nothing ever will.
                self.delete_objects(&objects).await;
                Err(error)
            }
        }
    }

    async fn take(&self, t: &Transaction<'_>, parts: &mut Receiver<Part>, objects: &mut Vec<String>) -> Result<(), StoreError> {
        // Two imports must not both find it empty.
        t.batch_execute(
            "SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE organization IN ACCESS EXCLUSIVE MODE;
                SET CONSTRAINTS ALL DEFERRED",
        )
        .await
        .map_err(Fault::from)?;
        sql::maybe(t, garbage::KEEP_OBJECTS_FOR_NOW, &[&garbage::COPYING]).await?;
        let used =
            "SELECT EXISTS (SELECT 1 FROM organization) OR EXISTS (SELECT 1 FROM \"user\") OR EXISTS (SELECT 1 FROM audit)";
        let row = sql::maybe(t, used, &[]).await?;
        if row.map(|row| row.try_get::<_, bool>(0)).transpose().map_err(Fault::from)? != Some(false) {
            return Err(copy::not_empty(&self.description));
        }
        sql::run(t, "DELETE FROM setting WHERE name <> 'secret/bucket'", &[]).await?;
        sql::run(t, "DELETE FROM data_key", &[]).await?;
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
                values = vec![Value::Bytes(sha256.clone()), size.clone(), codec.clone(), data_key.clone(), Value::Text(key)];
            }
            let given: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
            sql::run(t, &statement, &given).await?;
        }
        t.batch_execute(copy::PEOPLE).await.map_err(Fault::from)?;
        let next = "SELECT setval(pg_get_serial_sequence('audit', 'seq'), (SELECT greatest(max(seq), 1) FROM audit))";
        sql::maybe(t, next, &[]).await?;
        Ok(())
    }
}
