//! Upgrades of real resources that the recorded cases do not show.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "the test's own helpers may panic too")]

mod azurerm;
mod cloudflare;
