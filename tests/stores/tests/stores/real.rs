//! PostgreSQL, as the tests of the service start it, which use more of this.

#![allow(dead_code, reason = "the tests of the service use more of it")]

#[path = "../../../tests/real/packages.rs"]
pub mod packages;
#[path = "../../../tests/real/postgres.rs"]
pub mod postgres;
