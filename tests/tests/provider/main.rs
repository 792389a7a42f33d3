//! The real Terraform, and the providers of this repository.
//!
//! Nothing to install: the first run fetches three releases of Terraform, pinned, as Python
//! packages that hold it as a library, and keeps them under `target/terraform`. Where that is not
//! possible the tests fail and say what to do.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod acceptance;
mod actions;
mod answers;
mod attic;
mod backfill;
mod beside;
mod data_sources;
mod downgrades;
mod ephemeral;
mod failures;
mod functions;
mod guide;
mod harbor;
mod lifecycle;
mod lists;
mod logs;
mod messages;
mod nested;
mod protocols;
mod random;
#[path = "../real/mod.rs"]
mod real;
mod recorded;
mod releases;
mod replacements;
mod rules;
mod share;
mod shipping;
mod tutorial;
mod upgrades;
mod validations;
mod values;
mod waiting;
mod wire;
mod workspace;
