//! Custom resources: their definitions, and conversions of their objects.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod boat;
mod conversion;
mod definitions;
mod earlier;
mod family;
mod fields;
mod groups;
mod narrower;
mod released;
mod releases;
mod round_trips;
mod structural;
mod unknown;
mod variants;
mod works;
