//! The provider without Terraform: its commands, pages, lock and upgraders, the lives of its resources, and how it is released.

mod commands;
mod docs;
mod lock;
mod unit;
mod upgrades;
mod workflow;
