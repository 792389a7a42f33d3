//! The State Versions service: Terraform state, kept with locks, history and rollback.
//!
//! ```no_run
//! use upstate::Registry;
//!
//! fn main() -> std::process::ExitCode {
//!     upstate_server::main(Registry::new()) // .with::<Thing>()
//! }
//! ```
//!
//! gives a program whose `serve --data DIR --listen 127.0.0.1:8080` keeps the state of Terraform's `cloud`, `remote` and `http`
//! backends, of `pytfe` and of `go-tfe`. The package's own program, `upstate-server`, is the same without resource types.
//!
//! From bottom to top: [`model`] (records) · [`rules`] (what is allowed, pure) · [`store`] (where it is kept) · [`content`] (what a
//! state says) · [`traffic`] (bodies, and where they come from) ·
//! [`identity`] (who signed an ID token) · [`service`] (every use) · [`api`] (HTTP) and [`web`] (the page for people).
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod api;
pub mod content;
pub mod identity;
pub mod model;
mod program;
mod random;
pub mod rules;
pub mod service;
pub mod store;
pub mod traffic;
pub mod web;

use std::ffi::OsString;
use std::process::ExitCode;

use upstate::Registry;

/// Runs the command line of this process.
pub fn main(registry: Registry) -> ExitCode {
    run(registry, std::env::args_os())
}

/// Runs a command line, its first argument being the program's name.
pub fn run<A: Into<OsString> + Clone>(registry: Registry, arguments: impl IntoIterator<Item = A>) -> ExitCode {
    program::run(registry, arguments)
}
