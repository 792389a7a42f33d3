//! Documents in the syntaxes that features add.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests")]

#[cfg(all(feature = "jsonc", feature = "toml", feature = "yaml"))]
mod aliases;
#[cfg(all(feature = "cbor", feature = "msgpack"))]
mod binary;
#[cfg(all(feature = "cbor", feature = "jsonc", feature = "msgpack", feature = "toml", feature = "yaml"))]
mod documents;
#[cfg(all(feature = "jsonc", feature = "toml", feature = "yaml"))]
mod dotted;
#[cfg(all(feature = "cbor", feature = "jsonc", feature = "msgpack", feature = "toml", feature = "yaml"))]
mod files;
#[cfg(all(feature = "jsonc", feature = "toml", feature = "yaml"))]
mod hidden;
#[cfg(feature = "toml")]
mod hostile_toml;
mod ignored;
#[cfg(feature = "jsonc")]
mod jsonc;
#[cfg(all(feature = "jsonc", feature = "toml", feature = "yaml"))]
mod lost;
#[cfg(any(feature = "cbor", feature = "jsonc", feature = "msgpack", feature = "toml", feature = "yaml"))]
mod models;
#[cfg(feature = "toml")]
mod toml;
#[cfg(all(feature = "jsonc", feature = "toml", feature = "yaml"))]
mod variants;

#[cfg(feature = "yaml")]
mod yaml;
