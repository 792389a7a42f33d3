//! Documents in the syntaxes that features add.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests")]

mod models;
#[cfg(feature = "toml")]
mod toml;
