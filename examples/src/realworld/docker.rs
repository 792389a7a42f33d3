//! `kreuzwerker/docker`.

use std::collections::{BTreeMap, BTreeSet};

use upstate::{Object, Resource};

/// A network. Labels are blocks, so that one module can add to another's.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "docker_network", version = 1)]
#[upgrade_from(0, model = NetworkV0, rekey(labels, key = "label", value = "value"))]
pub struct Network {
    #[attribute(computed)]
    pub id: Option<String>,
    pub labels: Option<BTreeSet<Label>>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
pub struct Label {
    pub label: String,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "docker_network", version = 0)]
pub struct NetworkV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub labels: Option<BTreeMap<String, String>>,
    pub name: String,
}
