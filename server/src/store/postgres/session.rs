//! Sessions of a `PostgreSQL` connection.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use bytes::BytesMut;
use deadpool_postgres::GenericClient;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use super::Postgres;
use super::pool::{begin, moment};
use crate::store::bucket::Bucket;
use crate::store::encryption::Keyring;
use crate::store::session::{
    Answer, Cell, Database, Dialect, Done, Fault, Mode, Param, Row, Session, wrong,
};
use crate::store::value::Value;
use crate::store::{PoolUse, StoreError};

/// Comes before the letter that replaces a character which `PostgreSQL` does not take.
const ESCAPE: char = '\u{ffff}';

/// A string on its way into a statement: also one with U+0000, which clients may send and
/// `PostgreSQL` refuses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a>(pub(super) &'a str);

impl ToSql for Text<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        if !self.0.contains(['\0', ESCAPE]) {
            return self.0.to_sql(ty, out);
        }
        let mut escaped = String::with_capacity(self.0.len() + 8);
        for letter in self.0.chars() {
            match letter {
                '\0' => escaped.extend([ESCAPE, '0']),
                ESCAPE => escaped.extend([ESCAPE, 'F']),
                other => escaped.push(other),
            }
        }
        escaped.to_sql(ty, out)
    }

    fn accepts(ty: &Type) -> bool {
        <&str as ToSql>::accepts(ty)
    }

    to_sql_checked!();
}

/// A string on its way out of a row.
pub(super) struct Kept(pub(super) String);

impl<'a> FromSql<'a> for Kept {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let text = <&str as FromSql>::from_sql(ty, raw)?;
        if !text.contains(ESCAPE) {
            return Ok(Self(text.to_owned()));
        }
        let mut plain = String::with_capacity(text.len());
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            plain.push(match letter {
                ESCAPE if letters.next() == Some('0') => '\0',
                other => other,
            });
        }
        Ok(Self(plain))
    }

    fn accepts(ty: &Type) -> bool {
        <&str as FromSql>::accepts(ty)
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql_checked(ty, out),
            Self::Bool(is) => is.to_sql_checked(ty, out),
            Self::Text(text) => Text(text).to_sql_checked(ty, out),
            Self::Bytes(bytes) => bytes.to_sql_checked(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // The value decides; each of these checks for itself.
        true
    }

    to_sql_checked!();
}

impl ToSql for Param {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::One(value) => value.to_sql(ty, out),
            Self::Texts(texts) => texts
                .iter()
                .map(|text| Text(text))
                .collect::<Vec<_>>()
                .to_sql_checked(ty, out),
            Self::Hashes(hashes) => hashes
                .iter()
                .map(<[u8; 32]>::as_slice)
                .collect::<Vec<_>>()
                .to_sql_checked(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // As above: the value decides.
        true
    }

    to_sql_checked!();
}

fn cell(row: &tokio_postgres::Row, column: usize, ty: &Type) -> Done<Cell> {
    if *ty == Type::TEXT_ARRAY {
        let texts: Vec<Option<Kept>> = row.try_get(column)?;
        return Ok(Cell::List(
            texts
                .into_iter()
                .map(|text| text.map(|text| text.0))
                .collect(),
        ));
    }
    let value = if *ty == Type::INT8 {
        row.try_get::<_, Option<i64>>(column)?.map(Value::Int)
    } else if *ty == Type::INT4 {
        row.try_get::<_, Option<i32>>(column)?
            .map(|number| Value::Int(number.into()))
    } else if *ty == Type::BOOL {
        row.try_get::<_, Option<bool>>(column)?.map(Value::Bool)
    } else if *ty == Type::BYTEA {
        row.try_get::<_, Option<Vec<u8>>>(column)?.map(Value::Bytes)
    } else if *ty == Type::VOID {
        None
    } else if Kept::accepts(ty) {
        row.try_get::<_, Option<Kept>>(column)?
            .map(|text| Value::Text(text.0))
    } else {
        return Err(wrong(column, format!("it has type {ty}")));
    };
    Ok(Cell::One(value.unwrap_or(Value::Null)))
}

pub(super) fn row(found: &tokio_postgres::Row) -> Done<Row> {
    let cells = found
        .columns()
        .iter()
        .enumerate()
        .map(|(column, of)| cell(found, column, of.type_()));
    Ok(Row(cells.collect::<Done<_>>()?))
}

/// A connection of the pool, or a transaction on one.
pub(super) struct On<'c, C>(pub(super) &'c C);

#[async_trait]
impl<C: GenericClient + Sync> Session for On<'_, C> {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    async fn all(&mut self, sql: &str, params: &[Param]) -> Done<Vec<Row>> {
        let statement = self.0.prepare_cached(sql).await?;
        self.0
            .query(&statement, &references(params))
            .await?
            .iter()
            .map(row)
            .collect()
    }

    async fn run(&mut self, sql: &str, params: &[Param]) -> Done<u64> {
        let statement = self.0.prepare_cached(sql).await?;
        Ok(self.0.execute(&statement, &references(params)).await?)
    }
}

fn references(params: &[Param]) -> Vec<&(dyn ToSql + Sync)> {
    params
        .iter()
        .map(|param| param as &(dyn ToSql + Sync))
        .collect()
}

impl Database for Postgres {
    const DIALECT: Dialect = Dialect::Postgres;

    fn keys(&self) -> &Arc<Keyring> {
        &self.keyring
    }

    fn bucket(&self) -> Option<&Arc<Bucket>> {
        self.bucket.as_ref()
    }

    fn connections(&self) -> PoolUse {
        let status = self.pool.status();
        PoolUse {
            most: status.max_size,
            used: status.size.saturating_sub(status.available),
            waiting: status.waiting,
        }
    }

    async fn delete_objects(&self, keys: &[String]) {
        self.delete(keys).await;
    }

    async fn vacuum(&self) -> Result<Option<String>, StoreError> {
        let client = self.client().await?;
        // Each on its own: several in one message would be one transaction, in which it cannot run.
        for table in ["blob", "output", "setting"] {
            client
                .batch_execute(&format!("VACUUM {table}"))
                .await
                .map_err(Fault::from)?;
        }
        Ok(Some(
            "PostgreSQL's files, its log of writes and older backups may hold plain rows: run VACUUM FULL when no request waits for it, and let \
             backups expire"
                .to_owned(),
        ))
    }

    async fn work<R, F>(&self, mode: Mode, work: F) -> Done<R>
    where
        R: Send + 'static,
        F: for<'s> FnOnce(&'s mut dyn Session) -> Answer<'s, R> + Send + 'static,
    {
        let mut client = self.client().await?;
        let t = match mode {
            Mode::Row | Mode::Look | Mode::Once => return work(&mut On(&client)).await,
            Mode::Rows | Mode::Read => {
                let t = moment(&mut client).await?;
                // It ends when it is dropped, for which nobody waits.
                return work(&mut On(&t)).await;
            }
            Mode::ReadAudit | Mode::Write | Mode::Soon => begin(&mut client).await?,
        };
        let first = match mode {
            // Numbers are taken before their transactions end, so that a lower one may come later:
            // this waits for all that have one.
            Mode::ReadAudit => "LOCK TABLE audit IN SHARE MODE",
            Mode::Soon => "SET LOCAL synchronous_commit TO off",
            Mode::Row | Mode::Rows | Mode::Look | Mode::Once | Mode::Read | Mode::Write => "",
        };
        if !first.is_empty() {
            t.batch_execute(first).await?;
        }
        let written = match work(&mut On(&t)).await {
            Ok(written) => t.commit().await.map(|()| written).map_err(Fault::from),
            Err(fault) => Err(fault),
        };
        // Until it can be written again: see `ready`.
        if written.as_ref().is_err_and(Fault::is_passing) {
            self.failing.store(true, Ordering::Relaxed);
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_read_back() {
        for text in ["", "plain", "a\0b", "\0\u{ffff}0", "\u{ffff}\u{ffff}F\0"] {
            let mut out = BytesMut::new();
            Text(text).to_sql(&Type::TEXT, &mut out).expect("a value");
            assert!(!out.contains(&0), "{text:?}");
            assert_eq!(Kept::from_sql(&Type::TEXT, &out).expect("a text").0, text);
        }
    }
}
