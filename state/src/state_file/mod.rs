//! Terraform state files.

mod address;
mod changes;
mod checks;
mod contents;
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
mod secrets;
mod shown;
mod split;
mod steps;
mod upgrade;
mod write;

pub use address::{Address, InstanceKey};
pub use changes::{Change, Shown};
pub use contents::{Output, ResourceContents};
pub use error::{StateFileError, StateFileProblem};
pub use lines::{LineTotals, upgrade_lines, upgrade_lines_by};
pub use parse::{Instance, Mode, StateFile};
pub use read::read;
pub use upgrade::{InstanceOutcome, InstanceUpgrade, StateFileUpgrade, UpgradeOptions, UpgradeTotals};
pub use write::{LockedFile, Replacement, replace};
