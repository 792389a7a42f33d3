//! The use of the connections to a database.

/// The use of the connections to a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolUse {
    /// The greatest number of connections.
    pub most: usize,
    /// The number of those in use.
    pub used: usize,
    /// The number of requests that wait for one.
    pub waiting: usize,
}
