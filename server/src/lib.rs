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
//! gives a program whose `serve --data DIR --listen 127.0.0.1:8080` keeps the state of Terraform's
//! `cloud`, `remote` and `http` backends, of `pytfe` and of `go-tfe`. The package's own program,
//! `upstate-server`, is the same without resource types.
//!
//! From bottom to top: `model` (records) · `rules` (what is allowed, pure) · `store` (where it is
//! kept) · `content` (what a state says) · `traffic` (bodies, and where they come from) ·
//! `identity` (who signed an ID token) · `service` (every use) · `api` (HTTP) and `web` (the page
//! for people).
#![cfg_attr(docsrs, feature(doc_cfg))]

mod api;
mod authorities;
mod causes;
mod content;
mod identity;
mod model;
mod program;
mod random;
mod rules;
mod service;
mod store;
mod traffic;
mod web;

use std::ffi::OsString;
use std::process::ExitCode;

use upstate::Registry;

/// Runs the command line of this process.
pub fn main(registry: Registry) -> ExitCode {
    run(registry, std::env::args_os())
}

/// Runs a command line, its first argument being the program's name.
pub fn run<A: Into<OsString> + Clone>(
    registry: Registry,
    arguments: impl IntoIterator<Item = A>,
) -> ExitCode {
    program::run(registry, arguments)
}

/// The inside of the program, for the tests, benches and examples of this project. No part of the
/// public interface: it changes without notice.
#[doc(hidden)]
pub mod __internal {
    /// The routes over HTTP.
    pub mod api {
        pub use crate::api::*;
    }

    /// The facts that a state holds.
    pub mod content {
        pub use crate::content::*;
    }

    /// The issuers of ID tokens.
    pub mod identity {
        pub use crate::identity::*;
    }

    /// Records.
    pub mod model {
        pub use crate::model::*;
    }

    /// The rules of what is allowed.
    pub mod rules {
        pub use crate::rules::*;
    }

    /// Every use.
    pub mod service {
        pub use crate::service::*;
    }

    /// The database and its bytes.
    pub mod store {
        pub use crate::store::*;
    }

    /// Bodies, and where they come from.
    pub mod traffic {
        pub use crate::traffic::*;
    }

    /// The page for people.
    pub mod web {
        pub use crate::web::*;
    }
}
