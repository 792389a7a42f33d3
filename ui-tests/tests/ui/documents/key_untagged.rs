use std::collections::BTreeMap;

use upstate::{Document, Union};

#[derive(Union, PartialEq, Eq, PartialOrd, Ord)]
#[serde(untagged)]
enum Key {
    Number(u8),
    Text(String),
}

#[derive(Document)]
struct Settings {
    levels: BTreeMap<Key, u8>,
}

fn main() {}
