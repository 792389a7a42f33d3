//! Statements with their values, and columns as values.

use std::error::Error;

use bytes::BytesMut;
use deadpool_postgres::GenericClient;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use super::pool::Fault;
use crate::model::Timestamp;
use crate::store::StoreError;

pub(super) type Done<T> = Result<T, Fault>;

/// The values of a statement.
pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// All rows.
pub(super) async fn all(client: &impl GenericClient, sql: &str, values: Values<'_>) -> Done<Vec<Row>> {
    let statement = client.prepare_cached(sql).await?;
    Ok(client.query(&statement, values).await?)
}

/// The only row, if there is one.
pub(super) async fn maybe(client: &impl GenericClient, sql: &str, values: Values<'_>) -> Done<Option<Row>> {
    let statement = client.prepare_cached(sql).await?;
    Ok(client.query_opt(&statement, values).await?)
}

/// Changes rows; how many.
pub(super) async fn run(client: &impl GenericClient, sql: &str, values: Values<'_>) -> Done<u64> {
    let statement = client.prepare_cached(sql).await?;
    Ok(client.execute(&statement, values).await?)
}

/// The number that a statement counts.
pub(super) async fn count(client: &impl GenericClient, sql: &str, values: Values<'_>) -> Done<u64> {
    match maybe(client, sql, values).await? {
        Some(row) => Ok(u64::try_from(row.try_get::<_, i64>(0)?).unwrap_or_default()),
        None => Ok(0),
    }
}

/// Comes before the letter that replaces a character which `PostgreSQL` does not take.
const ESCAPE: char = '\u{ffff}';

/// A string on its way into a statement: also one with U+0000, which clients may send and `PostgreSQL` refuses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a>(pub(super) &'a str);

impl ToSql for Text<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
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
struct Kept(String);

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

/// A string, or the null of a column that may be null.
pub(super) fn optional(row: &Row, column: usize) -> Done<Option<String>> {
    Ok(row.try_get::<_, Option<Kept>>(column)?.map(|kept| kept.0))
}

/// A string.
pub(super) fn text(row: &Row, column: usize) -> Done<String> {
    Ok(row.try_get::<_, Kept>(column)?.0)
}

/// Strings of an array.
pub(super) fn texts(row: &Row, column: usize) -> Done<Vec<Option<String>>> {
    Ok(row.try_get::<_, Vec<Option<Kept>>>(column)?.into_iter().map(|kept| kept.map(|kept| kept.0)).collect())
}

pub(super) fn time(row: &Row, column: usize) -> Done<Timestamp> {
    Ok(Timestamp::from_millis(row.try_get(column)?))
}

/// A count of bytes.
pub(super) fn size(row: &Row, column: usize) -> Done<u64> {
    u64::try_from(row.try_get::<_, i64>(column)?).map_err(|error| wrong(column, error))
}

/// A SHA-256, or the null of a column that may be null.
pub(super) fn sha256(row: &Row, column: usize) -> Done<Option<[u8; 32]>> {
    let bytes: Option<&[u8]> = row.try_get(column)?;
    bytes.map(|bytes| <[u8; 32]>::try_from(bytes).map_err(|error| wrong(column, error))).transpose()
}

/// What is wrong with a column.
pub(super) fn wrong(column: usize, what: impl Into<Box<dyn Error + Send + Sync>>) -> Fault {
    StoreError::new(format!("column {column} of a row cannot be read")).because(what).into()
}

/// A record that is kept as a JSON text.
pub(super) fn json<T: DeserializeOwned>(row: &Row, column: usize) -> Done<Option<T>> {
    optional(row, column)?.map(|text| serde_json::from_str(&text).map_err(|error| wrong(column, error))).transpose()
}

/// A record as a JSON text.
pub(super) fn to_json<T: Serialize>(value: &T) -> Done<String> {
    serde_json::to_string(value).map_err(|error| StoreError::new("a record cannot be written").because(error).into())
}

/// A count as `PostgreSQL` has it.
pub(super) fn int(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_comes_back() {
        for text in ["", "plain", "a\0b", "\0\u{ffff}0", "\u{ffff}\u{ffff}F\0"] {
            let mut out = BytesMut::new();
            Text(text).to_sql(&Type::TEXT, &mut out).expect("a value");
            assert!(!out.contains(&0), "{text:?}");
            assert_eq!(Kept::from_sql(&Type::TEXT, &out).expect("a text").0, text);
        }
    }
}
