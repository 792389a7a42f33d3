//! The store, in which everything is kept.
//!
//! [`Store`] is small on purpose. It keeps rows and bytes and decides nothing: what may change is
//! decided by the [rules](crate::rules) on a [`Snapshot`](crate::rules::Snapshot), and written by
//! [`Commits::commit`] in one transaction, under the condition that the workspace is still the one
//! of the snapshot. Each statement has one home, which both databases run in a `Session`; one suite
//! of tests checks both.

mod accounts;
mod audit;
mod blobs;
mod bucket;
mod commit;
pub mod copy;
mod days;
mod deliveries;
pub mod encryption;
mod error;
mod heads;
mod jobs;
mod late;
mod numbers;
mod pack;
mod page;
mod places;
mod pool_use;
pub mod postgres;
mod retention;
mod session;
mod settings;
pub mod sqlite;
mod trusts;
mod value;
mod versions;
mod workspaces;
mod write;

pub use bucket::BucketSettings;
pub(crate) use bucket::{Signer, objects, signer};
use copy::{Part, Row};
use encryption::Sealing;

pub use accounts::{Accounts, NewOwner};
pub use audit::AuditLog;
pub use commit::{Change, Commit, Committed, Details, NewContent};
pub use deliveries::Deliveries;
pub use error::StoreError;
pub use heads::Heads;
pub use jobs::{Claim, Jobs};
pub use late::Late;
pub use numbers::Numbers;
pub(crate) use pack::compress;
pub use page::{Listed, Page};
pub use places::{ConsumerChange, Places};
pub use pool_use::PoolUse;
pub use trusts::Trusts;
pub use versions::{Beside, NAMED_OUTPUTS, Versions};
pub use workspaces::{OfUrl, WorkspaceFilter, Workspaces};
pub use write::Commits;

use async_trait::async_trait;
use tokio::sync::mpsc::{Receiver, Sender};

use crate::model::Timestamp;

/// The garbage of a store: the rows and objects to which nothing refers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Garbage {
    /// The number of rows of bytes.
    pub rows: u64,
    /// The number of objects of a bucket without a row.
    pub objects: u64,
    /// The number of bytes of these rows and objects, as far as it is known.
    pub bytes: u64,
}

/// A store of organizations, workspaces, versions and their bytes.
#[async_trait]
pub trait Store:
    Accounts
    + AuditLog
    + Commits
    + Deliveries
    + Heads
    + Jobs
    + Late
    + Numbers
    + Places
    + Sealing
    + Trusts
    + Versions
    + Workspaces
    + Send
    + Sync
    + std::fmt::Debug
    + 'static
{
    /// The name of the store, for messages: `SQLite in /var/lib/upstate`. It holds no password.
    fn describe(&self) -> String;

    /// Checks that the store can be read and written.
    async fn ready(&self) -> Result<(), StoreError>;

    /// Removes bytes to which nothing refers, and objects without a row that were written before
    /// `older_than`: a writer may be about to refer to younger ones. With `dry_run` they are only
    /// counted.
    async fn collect_garbage(
        &self,
        older_than: Timestamp,
        dry_run: bool,
    ) -> Result<Garbage, StoreError>;

    /// Sends all rows of all [tables](copy::TABLES), in their order and as they are at one moment,
    /// also while others write.
    async fn export(&self, rows: Sender<Row>) -> Result<(), StoreError>;
    /// Takes such rows, all or, without [`Part::End`] or where this store is not empty, none.
    async fn import(&self, parts: Receiver<Part>) -> Result<(), StoreError>;
}
