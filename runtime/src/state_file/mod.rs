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
//! if let Some(upgraded) = upgrade.to_bytes() {
//!     state_file::replace(path, &bytes, &upgraded)?;
//! }
//! # Ok(())
//! # }
//! ```

mod address;
mod error;
mod parse;
mod upgrade;
mod write;

pub use address::Address;
pub use error::{StateFileError, StateFileProblem};
pub use parse::{Instance, Mode, StateFile};
pub use upgrade::{InstanceOutcome, StateFileUpgrade};
pub use write::{backup_path, replace, write_new};
