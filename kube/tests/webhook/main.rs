//! The programs in a cluster: the webhook, and the migration to the storage version.

#[cfg(feature = "program")]
mod migration;
mod server;
