//! `google_compute_firewall`: ports were a set inside of a set, and are a list in it.

use std::collections::BTreeSet;

use upstate::{Object, Resource};

/// Which traffic a network lets in.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_compute_firewall", version = 1)]
#[upgrade_from(0 => 1, carry)]
pub struct Firewall {
    #[attribute(computed)]
    pub id: Option<String>,
    pub allow: Option<BTreeSet<Allow>>,
    pub name: Option<String>,
}

/// Its ports were a set in version 0. Both are arrays in state, so one struct reads them in the order in which they were stored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
pub struct Allow {
    pub ports: Option<Vec<String>>,
    pub protocol: String,
}
