//! Custom resources: their definitions.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs, reason = "tests")]

mod boat;
mod definitions;
mod structural;
