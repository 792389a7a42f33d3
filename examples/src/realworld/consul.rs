//! `hashicorp/consul`.

use std::collections::BTreeSet;

use upstate::{Object, Resource};

/// Keys and their values.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "consul_keys", version = 1)]
#[upgrade_from(0 => 1, set(key.flags = 0))]
pub struct Keys {
    #[attribute(computed)]
    pub id: Option<String>,
    pub key: Option<BTreeSet<Key>>,
}

/// A key. Its flags are a number that means something to its users only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
pub struct Key {
    pub default: Option<String>,
    pub delete: Option<bool>,
    pub flags: Option<i64>,
    pub name: Option<String>,
    pub path: String,
    #[attribute(optional, computed)]
    pub value: Option<String>,
}
