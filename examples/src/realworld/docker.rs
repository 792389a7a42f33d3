//! `kreuzwerker/docker`.

use std::collections::{BTreeMap, BTreeSet};

use upstate::{Object, Resource};

/// A network. Labels were a map; they are blocks, so that one module can add to another's.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "docker_network", version = 1)]
#[upgrade_from(0 => 1, rekey(labels: Option<BTreeMap<String, String>>, key = "label", value = "value"))]
pub struct Network {
    #[attribute(computed)]
    pub id: Option<String>,
    #[block]
    pub labels: BTreeSet<Label>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
pub struct Label {
    pub label: String,
    pub value: String,
}
