//! Terraform state files: read, upgrade every known instance, write back.
//!
//! The edit is surgical. Only the `schema_version` and `attributes` of upgraded instances and the file's `serial` change; every
//! other byte stays as it was: order, white space, instances of types nobody registered, private data.
//!
//! ```no_run
//! use upstate::{Registry, state_file::{self, StateFile}};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::new(); // .with::<Thing>()
//! let path = std::path::Path::new("terraform.tfstate");
//! let bytes = std::fs::read(path)?;
//! let upgrade = StateFile::parse(&bytes)?.upgrade(&registry);
//! if upgrade.has_changes() && let Some(upgraded) = upgrade.bytes() {
//!     state_file::replace(path, &bytes, upgraded)?;
//! }
//! # Ok(())
//! # }
//! ```

mod address;
mod changes;
mod checks;
mod error;
mod instance;
mod layout;
mod lines;
mod lock;
mod names;
mod normalize;
mod outputs;
mod parallel;
mod parse;
mod read;
mod record;
mod scan;
mod split;
mod upgrade;
mod write;

pub use address::{Address, InstanceKey};
pub use changes::{Change, Shown};
pub use error::{StateFileError, StateFileProblem};
pub use lines::{LineTotals, upgrade_lines};
pub use parse::{Instance, Mode, StateFile};
pub use read::read;
pub use upgrade::{InstanceOutcome, InstanceUpgrade, StateFileUpgrade, UpgradeOptions, UpgradeTotals};
pub use write::{LockedFile, NewFile, Replacement, backup_path, replace, write_new};
