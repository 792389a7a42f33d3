//! Everything in `PostgreSQL`; or rows there, and bytes in a bucket.
//!
//! Any number of processes work on one database, and none of them is special: what they must agree
//! on are rows and locks there.

mod copy;
mod garbage;
mod migrate;
mod pool;
mod session;
pub(crate) mod states_table;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use deadpool_postgres::{Object, Pool};
use tokio::sync::mpsc::{Receiver, Sender};

use super::bucket::{Bucket, BucketSettings};
use super::copy::{Part, Row};
use super::encryption::{Keyring, rows};
use super::session::{Database as _, Mode, params};
use super::{Garbage, Store, StoreError};
use crate::model::Timestamp;

/// The database, and the settings with which it is reached.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// `postgresql://user:password@host/database`, with `?sslmode=require` or `disable` if need be.
    pub url: String,
    /// The largest number of connections of this process.
    pub connections: usize,
    /// A file of certificate authorities, in PEM form, that are trusted besides those of the
    /// operating system.
    pub authorities: Option<PathBuf>,
    /// The bucket for bytes; without one they are in the database.
    pub bucket: Option<BucketSettings>,
}

impl Settings {
    /// The settings that most need.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            connections: 16,
            authorities: None,
            bucket: None,
        }
    }
}

/// Without the URL, which may hold a password.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("connections", &self.connections)
            .field("bucket", &self.bucket)
            .finish_non_exhaustive()
    }
}

/// A store in `PostgreSQL`.
pub struct Postgres {
    description: String,
    /// True after a transaction failed for a reason that may pass, until `ready` has written again.
    failing: AtomicBool,
    pool: Pool,
    bucket: Option<Arc<Bucket>>,
    keyring: Arc<Keyring>,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres")
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

/// The number of bytes that `ready` tries to write after a write failed.
const TRIED: usize = 4 << 20;

impl Postgres {
    /// Opens the store; tables that are missing are made.
    ///
    /// # Errors
    /// If database or bucket cannot be reached or used, a newer upstate wrote the tables, or the
    /// bucket is not that of the database.
    pub async fn open(settings: &Settings) -> Result<Self, StoreError> {
        let config = pool::config(settings)?;
        let mut description = pool::describe(&config);
        let bucket = settings.bucket.as_ref().map(Bucket::new).transpose()?;
        if let Some(bucket) = &bucket {
            description = format!("{description}, bytes in {}", bucket.describe());
        }
        let store = Self {
            description,
            failing: AtomicBool::new(false),
            pool: pool::pool(config, settings)?,
            bucket: bucket.map(Arc::new),
            keyring: Arc::default(),
        };
        migrate::migrate(&store.pool).await?;
        store.check_bucket().await?;
        Ok(store)
    }

    /// The store, with keys to encrypt what is written and to read what is encrypted.
    #[must_use]
    pub fn with_keyring(mut self, keyring: Keyring) -> Self {
        self.keyring = Arc::new(keyring);
        self
    }

    /// Refuses to start without the bucket where bytes are, or with another one: what is not found
    /// there would seem lost.
    async fn check_bucket(&self) -> Result<(), StoreError> {
        let sql = "SELECT 1 FROM blob WHERE object IS NOT NULL LIMIT 1";
        let has_objects = self.one(sql, [], |_| Ok(())).await?.is_some();
        match &self.bucket {
            None if has_objects => Err(StoreError::new(
                "bytes of this database are in a bucket; name it with --bucket-url, UPSTATE_BUCKET_URL, or bucket-url",
            )),
            None => Ok(()),
            Some(bucket) => {
                let id = self.bucket_id().await?;
                if has_objects && !bucket.is_of(&id).await? {
                    let text = format!(
                        "the bucket {} does not hold the bytes of this database; name the one that does",
                        bucket.describe()
                    );
                    return Err(StoreError::new(text));
                }
                bucket.claim(&id).await
            }
        }
    }

    async fn client(&self) -> Result<Object, StoreError> {
        pool::client(&self.pool).await
    }

    async fn bucket_id(&self) -> Result<[u8; 32], StoreError> {
        let work = self.work(Mode::Once, |s| {
            Box::pin(async move { rows::secret(s, &Keyring::default(), None, "bucket").await })
        });
        Ok(work.await?)
    }
}

#[async_trait]
impl Store for Postgres {
    fn describe(&self) -> String {
        self.description.clone()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        let sql = "INSERT INTO setting (name, value) VALUES ('ready', $1) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value";
        // One row fits where others were. After a failure, so much is tried as a state may have.
        if self.failing.load(Ordering::Relaxed) {
            // Random, so that the database does not make it small.
            let tried: Vec<u8> = (0..TRIED / 32)
                .flat_map(|_| crate::random::secret())
                .collect();
            self.once(sql, params![tried]).await?;
            self.failing.store(false, Ordering::Relaxed);
        }
        self.once(sql, params![vec![0_u8]]).await?;
        if let Some(bucket) = &self.bucket
            && !bucket.is_of(&self.bucket_id().await?).await?
        {
            return Err(StoreError::new(format!(
                "the bucket {} is not that of this database",
                bucket.describe()
            )));
        }
        Ok(())
    }

    async fn collect_garbage(
        &self,
        older_than: Timestamp,
        dry_run: bool,
    ) -> Result<Garbage, StoreError> {
        self.collect(older_than, dry_run).await
    }

    async fn export(&self, rows: Sender<Row>) -> Result<(), StoreError> {
        self.give_rows(&rows).await
    }

    async fn import(&self, parts: Receiver<Part>) -> Result<(), StoreError> {
        let taken = self.take_rows(parts).await;
        self.keyring.forget().await;
        taken
    }
}
