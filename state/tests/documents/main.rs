//! Documents in the syntaxes that features add.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests"
)]

#[cfg(all(feature = "jsonc", feature = "toml", feature = "yaml"))]
mod aliases;
#[cfg(all(feature = "cbor", feature = "msgpack"))]
mod binary;
#[cfg(all(
    feature = "cbor",
    feature = "jsonc",
    feature = "msgpack",
    feature = "toml",
    feature = "yaml"
))]
mod documents;
#[cfg(all(feature = "jsonc", feature = "toml", feature = "yaml"))]
mod dotted;
#[cfg(all(feature = "jsonc", feature = "toml", feature = "yaml"))]
mod downgraded;
#[cfg(all(
    feature = "cbor",
    feature = "jsonc",
    feature = "msgpack",
    feature = "toml",
    feature = "yaml"
))]
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
#[allow(unreachable_pub, reason = "other tests share it")]
#[path = "../../../tests/tests/real/memory.rs"]
#[cfg(all(
    unix,
    feature = "cbor",
    feature = "jsonc",
    feature = "msgpack",
    feature = "toml",
    feature = "yaml"
))]
mod memory;
#[cfg(any(
    feature = "cbor",
    feature = "jsonc",
    feature = "msgpack",
    feature = "toml",
    feature = "yaml"
))]
mod models;
#[cfg(all(feature = "jsonc", feature = "toml", feature = "yaml"))]
mod moved;
#[cfg(feature = "toml")]
mod toml;
#[cfg(all(feature = "jsonc", feature = "toml", feature = "yaml"))]
mod variants;

#[cfg(feature = "yaml")]
mod yaml;
