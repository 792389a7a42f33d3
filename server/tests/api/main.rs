//! The API over the router, in one process: what clients rely on, what must never happen, who may
//! do what.
//!
//! The numbers SV-…, INV-… and the traps are those of the service's specification.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail by a panic"
)]

#[allow(
    unreachable_pub,
    clippy::unwrap_used,
    reason = "other tests share it, and a test may fail by a panic"
)]
#[path = "../../../tests/tests/real/memory.rs"]
mod memory;
mod world;

mod accounts;
mod audience;
mod audit;
mod authorization;
mod certified_provider;
mod create;
mod described;
mod downgrades;
mod drift;
mod fleet;
mod header;
mod held;
mod hostile;
mod http_backend;
mod invariants;
mod jobs;
mod listing;
mod locks;
mod login;
mod night;
mod openapi;
mod outputs;
mod own;
mod page;
mod people;
mod pictures;
mod places;
mod plans;
mod provider;
mod rollback;
mod schemas;
mod stored_plans;
mod traps;
mod trusts;
mod upkeep;
mod uploads;
mod urls;
mod webhook;
mod windows;
mod workspaces;
