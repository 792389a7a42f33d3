//! The lock and what is made from it: rules, findings, the guide, imported models and proposals.

#![allow(clippy::unwrap_used, reason = "tests")]

mod breaking;
mod definitions;
mod facts;
mod findings;
mod guide;
mod import;
mod lock_file;
mod next;
mod pinned;
mod random;
#[path = "../real/mod.rs"]
mod real;
mod rules;
mod served;
mod target;
