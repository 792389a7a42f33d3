//! The provider without Terraform: its commands, pages, lock and upgraders, the lives of its resources, and how it is released.

mod commands;
mod docs;
mod lock;
// The module itself, because a test of the library would compile and link the whole provider once more.
#[path = "../../src/seeded.rs"]
mod seeded;
mod seeds;
mod unit;
mod upgrades;
mod workflow;
