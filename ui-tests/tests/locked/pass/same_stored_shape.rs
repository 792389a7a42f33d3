//! Field order, docs, Rust names, who sets an attribute: none of that is stored. Nor is an attribute that may be null.

use upstate::{Object, Resource};

#[derive(Object)]
struct FirewallRule {
    zone: Option<String>,
    #[attribute(name = "source", sensitive)]
    origin: Option<String>,
    #[attribute(requires_replace)]
    port: i64,
}

/// Says something else.
#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 1, oldest = 1)]
struct RenamedStruct {
    #[attribute(default = 3, optional)]
    size: Option<i64>,
    #[block(max = 7)]
    rule: Vec<FirewallRule>,
    /// New since the release.
    zone: Option<String>,
    #[attribute(name = "id", computed)]
    identifier: String,
    label: Option<String>,
    fallback: Option<FirewallRule>,
    #[block]
    timeouts: Option<FirewallRule>,
}

/// Version 2 is not in the lock: it may have any shape.
#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 2, oldest = 2)]
struct Next {
    anything: bool,
}
