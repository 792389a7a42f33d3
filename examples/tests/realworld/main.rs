//! Real resources: upgrades that the recorded cases do not show, hostile states, and what was released.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "the test's own helpers may panic too"
)]

mod azurerm;
mod cloudflare;
mod hostile;
mod pinned;
