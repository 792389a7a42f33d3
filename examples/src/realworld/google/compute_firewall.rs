//! `google_compute_firewall`: ports were a set inside of a set, and are a list in it.

use upstate::{Object, Resource};

/// Which traffic a network lets in.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_compute_firewall", version = 1)]
#[upgrade_from(0, model = FirewallV0, carry)]
pub struct Firewall {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(set)]
    pub allow: Option<Vec<Allow>>,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
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
    #[attribute(set)]
    pub allow: Option<Vec<AllowV0>>,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct AllowV0 {
    #[attribute(set)]
    pub ports: Option<Vec<String>>,
    pub protocol: String,
}
