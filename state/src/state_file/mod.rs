//! Terraform state files.

mod address;
mod braces;
mod changes;
mod checks;
mod compare;
mod contents;
mod error;
mod goals;
mod identity;
mod instance;
mod inventory;
mod layout;
mod line;
mod lines;
mod lock;
mod names;
mod normalize;
mod objects;
mod options;
mod outcome;
mod outputs;
mod parallel;
mod parse;
mod piece;
mod position;
mod read;
mod record;
mod scan;
mod secrets;
mod serialize;
mod shown;
mod split;
mod steps;
mod upgrade;
mod write;

pub use address::{Address, InstanceKey, Mode};
pub(crate) use changes::changes_of_attributes;
#[cfg(any(feature = "jsonc", feature = "toml", feature = "yaml"))]
pub(crate) use changes::shown_path;
pub use changes::{Change, Shown};
pub use compare::Difference;
pub use contents::{Output, ResourceContents};
pub use error::{StateFileError, StateFileProblem};
pub use goals::{DowngradeGoals, Goal};
pub use inventory::{InstanceStatus, StoredType};
pub use lines::{LineOptions, LineTotals, upgrade_lines, upgrade_lines_with};
pub use options::UpgradeOptions;
pub use outcome::{IdentityDowngrade, InstanceOutcome, InstanceUpgrade, UpgradeTotals};
pub use parse::{Instance, StateFile};
pub use read::{FileBytes, read};
pub use serialize::UNDEFINED;
#[cfg(feature = "jsonc")]
pub(crate) use shown::string_length;
pub use upgrade::StateFileUpgrade;
pub use write::{LockedFile, Replacement, replace};
