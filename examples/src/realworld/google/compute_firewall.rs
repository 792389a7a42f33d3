//! `google_compute_firewall`: ports were a set inside of a set, and are a list in it.

use std::collections::BTreeSet;

use upstate::{Object, Resource};

/// Which traffic a network lets in.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_compute_firewall", version = 1)]
#[upgrade_from(0, model = FirewallV0, carry)]
pub struct Firewall {
    #[attribute(computed)]
    pub id: Option<String>,
    pub allow: Option<BTreeSet<Allow>>,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
#[upgrade_from(model = AllowV0, carry)]
pub struct Allow {
    pub ports: Option<Vec<String>>,
    pub protocol: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_compute_firewall", version = 0)]
pub struct FirewallV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub allow: Option<BTreeSet<AllowV0>>,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
pub struct AllowV0 {
    pub ports: Option<BTreeSet<String>>,
    pub protocol: String,
}
