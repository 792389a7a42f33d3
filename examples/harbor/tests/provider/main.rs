//! The provider without Terraform: its pages, its lock, and the lives of its resources.

mod docs;
mod lock;
mod unit;
