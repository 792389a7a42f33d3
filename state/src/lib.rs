//! Terraform state files: read, upgrade every known instance, write back.
//!
//! The edit is surgical. Only the `schema_version` and `attributes` of upgraded instances and the
//! file's `serial` change; every other byte stays as it was: order, white space, instances of types
//! nobody registered, private data.
//!
//! ```no_run
//! use upstate::Registry;
//! use upstate_state::StateFile;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::new(); // .with::<Thing>()
//! let path = std::path::Path::new("terraform.tfstate");
//! let bytes = std::fs::read(path)?;
//! let upgrade = StateFile::parse(&bytes)?.upgrade(&registry)?;
//! if upgrade.has_changes() && let Some(upgraded) = upgrade.bytes() {
//!     upstate_state::replace(path, &bytes, upgraded)?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`document`] is for JSON of your own: settings files, database rows, messages in a queue.
//! [`atomic_file`] writes any file so that it is always whole.
#![cfg_attr(docsrs, feature(doc_cfg))]
// A wildcard arm would hide a new variant of an enum of ours; without one, the compiler asks at
// every match.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

// By the name that it has for programs, since these depend on `upstate`, which has the derives. So do
// the tests.
#[cfg(not(test))]
extern crate upstate_runtime as upstate;

pub mod atomic_file;
pub mod difference;
pub mod document;
mod state_file;
pub mod store;
mod undefined;

pub use state_file::{
    Address, Change, Difference, DowngradeGoals, FileBytes, Goal, IdentityDowngrade, Instance,
    InstanceKey, InstanceOutcome, InstanceStatus, InstanceUpgrade, LineOptions, LineTotals,
    LockedFile, Mode, Output, Replacement, ResourceContents, Shown, StateFile, StateFileError,
    StateFileProblem, StateFileUpgrade, StoredType, UNDEFINED, UpgradeOptions, UpgradeTotals, read,
    replace, upgrade_lines, upgrade_lines_with,
};
