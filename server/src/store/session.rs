//! One way to run a statement on either database.
//!
//! What the stores keep is read and written by the same functions: they are given a [`Session`],
//! which is a connection in a transaction or on its own, and write statements that both dialects
//! take. Where the dialects differ, the [`Dialect`] has the word.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::bucket::Bucket;
use super::commit::Committed;
use super::encryption::Keyring;
use super::error::StoreError;
use super::page::{Listed, Page};
use super::pool_use::PoolUse;
use super::value::Value;
use crate::model::Timestamp;

/// The reason why a statement, or the work on its rows, failed.
#[derive(Debug)]
pub(super) struct Fault {
    error: StoreError,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Nothing that anybody asks for.
    Other,
    /// A transaction collided with another one.
    Collision,
    /// An index must be unique: this one, if the database names it.
    Duplicate(Option<String>),
    /// The work itself gives up what it wrote.
    Undone(Committed),
}

pub(super) type Done<T> = Result<T, Fault>;

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self {
            error,
            kind: Kind::Other,
        }
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        fault.error
    }
}

impl Fault {
    /// A transaction that was rolled back because of another one, and may work when it is run
    /// again.
    pub(super) fn collision(error: StoreError) -> Self {
        Self {
            error,
            kind: Kind::Collision,
        }
    }

    /// A row that an index refuses.
    pub(super) fn duplicate(error: StoreError, index: Option<String>) -> Self {
        Self {
            error,
            kind: Kind::Duplicate(index),
        }
    }

    /// Rolls a transaction back, because of this.
    pub(super) fn undone(why: Committed) -> Self {
        Self {
            error: StoreError::new("a transaction was given up"),
            kind: Kind::Undone(why),
        }
    }

    /// True if the transaction may work when it is run again.
    pub(super) fn is_collision(&self) -> bool {
        matches!(self.kind, Kind::Collision)
    }

    /// True if an index would not be unique any more: this one, where the database names it.
    pub(super) fn is_duplicate_in(&self, index: &str) -> bool {
        matches!(&self.kind, Kind::Duplicate(found) if found.as_deref().is_none_or(|found| found == index))
    }

    /// The reason for which the work gave up.
    pub(super) fn why_undone(&self) -> Option<Committed> {
        match self.kind {
            Kind::Undone(why) => Some(why),
            Kind::Other | Kind::Collision | Kind::Duplicate(_) => None,
        }
    }

    /// True if it may work in a moment.
    pub(super) const fn is_passing(&self) -> bool {
        self.error.is_passing()
    }

    /// True if a row would refer to one that is not there.
    pub(super) const fn breaks_reference(&self) -> bool {
        self.error.breaks_reference()
    }
}

/// The end of a transaction that gives up for one of these reasons, or because a name in this index
/// is taken.
pub(super) fn committed(done: Done<()>, index: &str) -> Result<Committed, StoreError> {
    match done {
        Ok(()) => Ok(Committed::Done),
        Err(fault) if fault.is_duplicate_in(index) => Ok(Committed::NameTaken),
        Err(fault) => fault.why_undone().map_or_else(|| Err(fault.into()), Ok),
    }
}

/// A parameter of a statement.
#[derive(Clone)]
pub(super) enum Param {
    /// One value.
    One(Value),
    /// Strings, for [`Dialect::among`].
    Texts(Vec<String>),
    /// SHA-256s, for [`Dialect::among_hashes`].
    Hashes(Vec<[u8; 32]>),
}

macro_rules! params_from {
    ($($from:ty => |$value:ident| $param:expr;)*) => {
        $(impl From<$from> for Param {
            fn from($value: $from) -> Self {
                $param
            }
        })*
    };
}

params_from! {
    &str => |text| Self::One(Value::Text(text.to_owned()));
    &String => |text| Self::One(Value::Text(text.clone()));
    String => |text| Self::One(Value::Text(text));
    &[u8] => |bytes| Self::One(Value::Bytes(bytes.to_owned()));
    &Vec<u8> => |bytes| Self::One(Value::Bytes(bytes.clone()));
    Vec<u8> => |bytes| Self::One(Value::Bytes(bytes));
    &[u8; 32] => |bytes| Self::One(Value::Bytes(bytes.to_vec()));
    i64 => |number| Self::One(Value::Int(number));
    u32 => |number| Self::One(Value::Int(number.into()));
    // A page beyond these is as empty as the last one that can be counted.
    u64 => |number| Self::One(Value::Int(i64::try_from(number).unwrap_or(i64::MAX)));
    usize => |number| Self::One(Value::Int(i64::try_from(number).unwrap_or(i64::MAX)));
    bool => |is| Self::One(Value::Bool(is));
    Timestamp => |at| Self::One(Value::Int(at.as_millis()));
    Vec<String> => |texts| Self::Texts(texts);
    Vec<[u8; 32]> => |hashes| Self::Hashes(hashes);
}

impl<T: Into<Self>> From<Option<T>> for Param {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::One(Value::Null), Into::into)
    }
}

/// The parameters of a statement.
macro_rules! params {
    ($($value:expr),* $(,)?) => { [$($crate::store::session::Param::from($value)),*] };
}
pub(super) use params;

/// The statements that make the tables, in order, from the folder beside the file that asks for
/// them. A migration that was released never changes.
macro_rules! migrations {
    () => {
        [
            include_str!("migrations/0001.sql"),
            include_str!("migrations/0002.sql"),
            include_str!("migrations/0003.sql"),
            include_str!("migrations/0004.sql"),
            include_str!("migrations/0005.sql"),
            include_str!("migrations/0006.sql"),
            concat!(
                include_str!("migrations/0007.sql"),
                include_str!("../people.sql")
            ),
            include_str!("migrations/0008.sql"),
            include_str!("migrations/0009.sql"),
            include_str!("migrations/0010.sql"),
            include_str!("migrations/0011.sql"),
            include_str!("migrations/0012.sql"),
            include_str!("migrations/0013.sql"),
            include_str!("migrations/0014.sql"),
            include_str!("migrations/0015.sql"),
            include_str!("migrations/0016.sql"),
            include_str!("migrations/0017.sql"),
            include_str!("migrations/0018.sql"),
            include_str!("migrations/0019.sql"),
            include_str!("migrations/0020.sql"),
            include_str!("migrations/0021.sql"),
            include_str!("migrations/0022.sql"),
        ]
    };
}
pub(super) use migrations;

/// Without itself, which may be secret.
impl fmt::Debug for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Param")
    }
}

/// A column of a row.
pub(super) enum Cell {
    /// One value.
    One(Value),
    /// Those of [`Dialect::list`].
    List(Vec<Option<String>>),
}

/// A row of an answer. Columns count from 0.
pub(super) struct Row(pub(super) Vec<Cell>);

/// The error of a column.
pub(super) fn wrong(column: usize, what: impl Into<Box<dyn Error + Send + Sync>>) -> Fault {
    StoreError::new(format!("column {column} of a row cannot be read"))
        .because(what)
        .into()
}

impl Row {
    fn value(&self, column: usize) -> Done<&Value> {
        match self.0.get(column) {
            Some(Cell::One(value)) => Ok(value),
            Some(Cell::List(_)) => Err(wrong(column, "it is a list")),
            None => Err(wrong(column, "there is none")),
        }
    }

    /// A string, or the null of a column that may be null.
    pub(super) fn optional(&self, column: usize) -> Done<Option<String>> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text.clone())),
            Value::Int(_) | Value::Bool(_) | Value::Bytes(_) => {
                Err(wrong(column, "it is not a string"))
            }
        }
    }

    /// A string.
    pub(super) fn text(&self, column: usize) -> Done<String> {
        self.optional(column)?
            .ok_or_else(|| wrong(column, "it is null"))
    }

    /// A string, which the row then has no more.
    pub(super) fn take_text(&mut self, column: usize) -> Done<String> {
        match self.0.get_mut(column) {
            Some(Cell::One(Value::Text(text))) => Ok(std::mem::take(text)),
            Some(
                Cell::One(Value::Null | Value::Int(_) | Value::Bool(_) | Value::Bytes(_))
                | Cell::List(_),
            )
            | None => Err(wrong(column, "it is not a string")),
        }
    }

    /// A number, or the null of a column that may be null.
    pub(super) fn optional_int(&self, column: usize) -> Done<Option<i64>> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Int(number) => Ok(Some(*number)),
            Value::Text(_) | Value::Bool(_) | Value::Bytes(_) => {
                Err(wrong(column, "it is not a number"))
            }
        }
    }

    /// A number.
    pub(super) fn int(&self, column: usize) -> Done<i64> {
        self.optional_int(column)?
            .ok_or_else(|| wrong(column, "it is null"))
    }

    /// A count.
    pub(super) fn size(&self, column: usize) -> Done<u64> {
        u64::try_from(self.int(column)?).map_err(|error| wrong(column, error))
    }

    /// A small count; 0 where there is none.
    pub(super) fn small(&self, column: usize) -> Done<u32> {
        u32::try_from(self.optional_int(column)?.unwrap_or_default())
            .map_err(|error| wrong(column, error))
    }

    /// Yes or no.
    pub(super) fn bool(&self, column: usize) -> Done<bool> {
        match self.value(column)? {
            Value::Bool(is) => Ok(*is),
            // SQLite has no other.
            Value::Int(number) => Ok(*number != 0),
            Value::Null | Value::Text(_) | Value::Bytes(_) => {
                Err(wrong(column, "it is neither true nor false"))
            }
        }
    }

    /// A time.
    pub(super) fn time(&self, column: usize) -> Done<Timestamp> {
        self.int(column).map(Timestamp::from_millis)
    }

    /// A time, or the null of a column that may be null.
    pub(super) fn optional_time(&self, column: usize) -> Done<Option<Timestamp>> {
        Ok(self.optional_int(column)?.map(Timestamp::from_millis))
    }

    /// Bytes, which the row then has no more, or the null of a column that may be null.
    pub(super) fn take_bytes(&mut self, column: usize) -> Done<Option<Vec<u8>>> {
        match self.0.get_mut(column) {
            Some(Cell::One(Value::Null)) => Ok(None),
            Some(Cell::One(Value::Bytes(bytes))) => Ok(Some(std::mem::take(bytes))),
            Some(Cell::One(Value::Int(_) | Value::Bool(_) | Value::Text(_)) | Cell::List(_))
            | None => Err(wrong(column, "it holds no bytes")),
        }
    }

    /// Bytes.
    pub(super) fn bytes(&self, column: usize) -> Done<Vec<u8>> {
        match self.value(column)? {
            Value::Bytes(bytes) => Ok(bytes.clone()),
            Value::Null | Value::Int(_) | Value::Bool(_) | Value::Text(_) => {
                Err(wrong(column, "it holds no bytes"))
            }
        }
    }

    /// A SHA-256, or the null of a column that may be null.
    pub(super) fn optional_sha256(&self, column: usize) -> Done<Option<[u8; 32]>> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Bytes(bytes) => Ok(Some(
                bytes
                    .as_slice()
                    .try_into()
                    .map_err(|error| wrong(column, error))?,
            )),
            Value::Int(_) | Value::Bool(_) | Value::Text(_) => {
                Err(wrong(column, "it holds no bytes"))
            }
        }
    }

    /// A SHA-256.
    pub(super) fn sha256(&self, column: usize) -> Done<[u8; 32]> {
        self.optional_sha256(column)?
            .ok_or_else(|| wrong(column, "it is null"))
    }

    /// A record that is kept as a JSON text.
    pub(super) fn json<T: DeserializeOwned>(&self, column: usize) -> Done<Option<T>> {
        self.optional(column)?
            .map(|text| serde_json::from_str(&text).map_err(|error| wrong(column, error)))
            .transpose()
    }

    /// The strings of [`Dialect::list`].
    pub(super) fn list(&self, column: usize) -> Done<Vec<Option<String>>> {
        match self.0.get(column) {
            Some(Cell::List(texts)) => Ok(texts.clone()),
            Some(Cell::One(Value::Text(json))) => {
                serde_json::from_str(json).map_err(|error| wrong(column, error))
            }
            Some(Cell::One(Value::Null | Value::Int(_) | Value::Bool(_) | Value::Bytes(_)))
            | None => Err(wrong(column, "it is not a list")),
        }
    }
}

/// A record as a JSON text.
pub(super) fn to_json<T: Serialize>(value: &T) -> Done<String> {
    serde_json::to_string(value).map_err(|error| {
        StoreError::new("a record cannot be written")
            .because(error)
            .into()
    })
}

/// The words in which databases differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `SQLite`.
    Sqlite,
    /// `PostgreSQL`.
    Postgres,
}

/// The statement by which `PostgreSQL` says its size, and that of what the objects hold: a row has
/// the size before compression.
const POSTGRES_SIZE: &str = "SELECT pg_database_size(current_database())
    + (SELECT coalesce(sum(size), 0) FROM blob WHERE object IS NOT NULL)::bigint";

impl Dialect {
    /// The place of one string in another, counted from 1; 0 where it is not in it.
    pub(super) fn place(self, of: &str, within: &str) -> String {
        let function = match self {
            Self::Sqlite => "instr",
            Self::Postgres => "strpos",
        };
        format!("{function}({within}, {of})")
    }

    /// A string in lower case. Letters beyond ASCII have one case in every store.
    pub(super) fn lower(self, text: &str) -> String {
        match self {
            Self::Sqlite => format!("lower({text})"),
            Self::Postgres => format!(r#"lower(CAST({text} AS TEXT) COLLATE "C")"#),
        }
    }

    /// The larger of two numbers.
    pub(super) fn larger(self, one: &str, other: &str) -> String {
        let function = match self {
            Self::Sqlite => "max",
            Self::Postgres => "greatest",
        };
        format!("{function}({one}, {other})")
    }

    /// That a string is one of [`Param::Texts`].
    pub(super) fn among(self, column: &str, parameter: usize) -> String {
        match self {
            Self::Sqlite => format!("{column} IN (SELECT value FROM json_each(${parameter}))"),
            Self::Postgres => format!("{column} = ANY (${parameter}::text[])"),
        }
    }

    /// That a SHA-256 is one of [`Param::Hashes`].
    pub(super) fn among_hashes(self, column: &str, parameter: usize) -> String {
        match self {
            Self::Sqlite => {
                format!("{column} IN (SELECT unhex(value) FROM json_each(${parameter}))")
            }
            Self::Postgres => format!("{column} = ANY (${parameter}::bytea[])"),
        }
    }

    /// A column of several rows, in the order of another one, as one column.
    pub(super) fn list(self, column: &str, from: &str, order: &str) -> String {
        match self {
            Self::Sqlite => format!("(SELECT json_group_array({column} ORDER BY {order}) {from})"),
            Self::Postgres => format!("ARRAY(SELECT {column} {from} ORDER BY {order})"),
        }
    }

    /// The statement for the bytes of the database, and of the objects in its bucket.
    pub(super) const fn size(self) -> &'static str {
        match self {
            Self::Sqlite => {
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            }
            Self::Postgres => POSTGRES_SIZE,
        }
    }

    /// The end of a `SELECT` of rows that are about to be changed: those that another transaction
    /// changes just now are left out.
    pub(super) const fn unless_taken(self) -> &'static str {
        match self {
            // Nothing is locked, because in `SQLite` one transaction writes at a time.
            Self::Sqlite => "",
            Self::Postgres => " FOR UPDATE SKIP LOCKED",
        }
    }
}

/// The locks by which processes on one `PostgreSQL` database agree. The compiler refuses two of one
/// number, with which one would wait for the other.
#[derive(Debug, Clone, Copy)]
#[repr(i64)]
pub(super) enum Lock {
    /// Held by who creates or migrates the tables, so that of several that start at the same time
    /// one does it.
    Migrate = 0x7570_7374_6174_6500,
    /// Held, shared, by everybody who copies the store or fills it: what is copied is as it was
    /// when the copy began, objects included, and objects of a long import have no rows before it
    /// ends.
    Copy = 0x7570_7374_6174_6501,
    /// Held by who looks for work, or ends some.
    Work = 0x7570_7374_6174_6502,
}

impl Lock {
    /// Its number.
    pub(super) const fn key(self) -> i64 {
        self as i64
    }
}

/// A connection on which statements run.
#[async_trait]
pub(super) trait Session: Send {
    /// The words of its database.
    fn dialect(&self) -> Dialect;
    /// All rows of a statement, whose parameters are `$1` and so on.
    async fn all(&mut self, sql: &str, params: &[Param]) -> Done<Vec<Row>>;
    /// The number of rows that a statement changes.
    async fn run(&mut self, sql: &str, params: &[Param]) -> Done<u64>;
}

impl dyn Session + '_ {
    /// The only row, if there is one.
    pub(super) async fn maybe(&mut self, sql: &str, params: &[Param]) -> Done<Option<Row>> {
        Ok(self.all(sql, params).await?.into_iter().next())
    }

    /// Keeps others from changing a table until the transaction ends.
    pub(super) async fn alone_with(&mut self, table: &str) -> Done<()> {
        match self.dialect() {
            // The transaction took the lock when it began.
            Dialect::Sqlite => Ok(()),
            Dialect::Postgres => self
                .run(
                    &format!("LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE"),
                    &[],
                )
                .await
                .map(drop),
        }
    }

    /// A page of the rows of `which`, which begins with `FROM`, with the number of all rows.
    pub(super) async fn listed<T>(
        &mut self,
        columns: &str,
        which: &str,
        order: &str,
        mut params: Vec<Param>,
        page: Page,
        record: fn(&Row) -> Done<T>,
    ) -> Done<Listed<T>> {
        let total = self
            .count(&format!("SELECT count(*) {which}"), &params)
            .await?;
        let (limit, offset) = (params.len() + 1, params.len() + 2);
        params.extend([Param::from(page.size), Param::from(page.offset())]);
        let sql =
            format!("SELECT {columns} {which} ORDER BY {order} LIMIT ${limit} OFFSET ${offset}");
        let items = self
            .all(&sql, &params)
            .await?
            .iter()
            .map(record)
            .collect::<Done<_>>()?;
        Ok(Listed { items, total })
    }

    /// The number that a statement counts.
    pub(super) async fn count(&mut self, sql: &str, params: &[Param]) -> Done<u64> {
        self.maybe(sql, params)
            .await?
            .map_or(Ok(0), |row| row.size(0))
    }
}

/// An answer that is being worked on.
pub(super) type Answer<'s, R> = Pin<Box<dyn Future<Output = Result<R, Fault>> + Send + 's>>;

/// The kind of session that work needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// One statement that finds a row, or a few short ones, by a key: that takes no longer than to
    /// hand it to another thread.
    Row,
    /// Statements of that kind that all find what was there at one moment.
    Rows,
    /// One statement that reads.
    Look,
    /// Statements that all read what was there at one moment.
    Read,
    /// Reads lines of the audit log that no transaction is about to add others below.
    ReadAudit,
    /// One statement that changes something.
    Once,
    /// A transaction; it is rolled back where the work fails.
    Write,
    /// A transaction that outlives the process at once, and a power failure soon after: its end
    /// does not wait for the disk.
    Soon,
}

/// A database with the tables of a store.
pub(super) trait Database: Send + Sync + 'static {
    /// Its words.
    const DIALECT: Dialect;

    /// The keys for what is encrypted.
    fn keys(&self) -> &Arc<Keyring>;

    /// The bucket in which bytes are, if they are not in the database.
    fn bucket(&self) -> Option<&Arc<Bucket>>;

    /// The use of the connections.
    fn connections(&self) -> PoolUse;

    /// Deletes objects of the bucket to which no row refers.
    fn delete_objects(&self, keys: &[String]) -> impl Future<Output = ()> + Send;

    /// Takes what was deleted or replaced out of files where it is left over; the reason if some of
    /// it may still be there.
    fn vacuum(&self) -> impl Future<Output = Result<Option<String>, StoreError>> + Send;

    /// Runs work.
    fn work<R, F>(&self, mode: Mode, work: F) -> impl Future<Output = Result<R, Fault>> + Send
    where
        R: Send + 'static,
        F: for<'s> FnOnce(&'s mut dyn Session) -> Answer<'s, R> + Send + 'static;

    /// The rows of one statement, as records.
    fn every<T: Send + 'static, const N: usize>(
        &self,
        sql: impl Into<Cow<'static, str>>,
        params: [Param; N],
        record: fn(&Row) -> Done<T>,
    ) -> impl Future<Output = Result<Vec<T>, StoreError>> + Send {
        let sql = sql.into();
        async move {
            let work = self.work(Mode::Look, move |s| {
                Box::pin(async move { s.all(&sql, &params).await?.iter().map(record).collect() })
            });
            Ok(work.await?)
        }
    }

    /// The row of one statement, as a record.
    fn one<T: Send + 'static, const N: usize>(
        &self,
        sql: impl Into<Cow<'static, str>>,
        params: [Param; N],
        record: fn(&Row) -> Done<T>,
    ) -> impl Future<Output = Result<Option<T>, StoreError>> + Send {
        let sql = sql.into();
        async move {
            let work = self.work(Mode::Row, move |s| {
                Box::pin(async move {
                    s.maybe(&sql, &params)
                        .await?
                        .as_ref()
                        .map(record)
                        .transpose()
                })
            });
            Ok(work.await?)
        }
    }

    /// The number of rows that one statement changes.
    fn once<const N: usize>(
        &self,
        sql: impl Into<Cow<'static, str>>,
        params: [Param; N],
    ) -> impl Future<Output = Result<u64, StoreError>> + Send {
        let sql = sql.into();
        async move {
            Ok(self
                .work(Mode::Once, move |s| {
                    Box::pin(async move { s.run(&sql, &params).await })
                })
                .await?)
        }
    }
}
