//! The State Versions service and its real clients: three releases of Terraform, and `pytfe`.
//!
//! The service runs as a process of its own on SQLite, on PostgreSQL and on PostgreSQL with a
//! bucket. Nothing to install: what is needed is fetched, pinned, and kept under `target/`. Where
//! that is not possible the tests fail and say what to do.
//!
//! `UPSTATE_KILLS` is how often the service is killed on each store, 6 times unless set.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod api;
mod balancer;
mod bucket;
mod commands;
mod databases;
mod faults;
mod first_page;
mod folder;
mod kills;
mod lifecycle;
mod load;
mod locks;
mod login;
mod migration;
mod programs;
mod proxy;
mod pytfe;
mod python_client;
#[path = "../real/mod.rs"]
mod real;
mod replicas;
mod rollback;
mod sequences;
mod service;
mod traps;
mod upgrades;
mod workspaces;
