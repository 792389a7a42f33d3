//! Rules of the service: pure functions over one workspace as it is at one moment.
//!
//! Nothing here reads or writes. The service loads a [`Snapshot`], asks a rule, and commits what it
//! decided under the condition that the workspace has not changed meanwhile; where it has, it asks
//! again.

mod backing;
mod import;
mod lock;
mod refusal;
mod retention;
mod rollback;
mod upgrade;
mod write;

pub use backing::{BackingAction, backing};
pub use import::{Described, Following, follows};
pub use lock::{Locking, UNLOCK_GRACE, Unlocking, force_unlock, has_lock, lock, unlock};
pub use refusal::{Refusal, RefusalKind};
pub(crate) use retention::DAY;
pub use retention::{Expired, Expiry, Policy};
pub use rollback::{Rollback, rollback};
pub use upgrade::{Upgrading, Wanted, upgrade};
pub use write::{Created, Proposal, Upload, UploadRefusal, Uploaded, create, holds_lock, upload};

use crate::model::{Version, Workspace};

/// A workspace at one moment, with its current and its pending version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The workspace.
    pub workspace: Workspace,
    /// Its current version.
    pub head: Option<Version>,
    /// The version that waits for its bytes.
    pub pending: Option<Version>,
}
