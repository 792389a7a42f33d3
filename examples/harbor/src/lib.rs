//! A Terraform provider for files, directories and configuration files below one folder of this machine.
//!
//! Small, but nothing in it is left out: three resources, each with every schema version it ever had; an upgrade that has to look
//! something up through the client; a resource that moved in from an older type; a data source, an ephemeral resource, a list,
//! an action and a function.

#![allow(
    unnameable_types,
    reason = "earlier models are named by the history of their resource alone"
)]

mod client;
mod config_file;
mod directory;
mod file;
mod join;
mod pass;
mod signal;

pub use client::Harbor;
pub use config_file::{ConfigFile, IniFile};
pub use directory::Directory;
pub use file::{File, FileIdentity, FileLookup, Files};
pub use join::Join;
pub use pass::Pass;
pub use signal::Signal;

use upstate::{Diagnostics, Object};
use upstate_provider::Provider;

/// Where the provider is found, as configurations name it.
pub const ADDRESS: &str = "example.com/upstate/harbor";

/// What users configure.
#[derive(Debug, Object)]
pub struct Config {
    /// The folder below which everything is kept. It is created if it is not there.
    #[attribute(default = "harbor")]
    pub root: Option<String>,
}

/// The provider.
pub fn provider() -> Provider<Harbor> {
    Provider::new(ADDRESS, configure)
        .with_identified::<File>()
        .with::<Directory>()
        .with::<ConfigFile>()
        .with_data_source::<FileLookup>()
        .with_ephemeral_resource::<Pass>()
        .with_list_resource::<Files>()
        .with_action::<Signal>()
        .with_function::<Join>()
}

async fn configure(config: Config) -> Result<Harbor, Diagnostics> {
    Harbor::open(config.root.unwrap_or_else(|| "harbor".to_owned())).await
}
