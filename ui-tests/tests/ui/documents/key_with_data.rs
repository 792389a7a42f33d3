use std::collections::BTreeMap;

use upstate::{Document, Union};

#[derive(Union, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Low,
    High(u8),
}

#[derive(Document)]
struct Settings {
    levels: BTreeMap<Key, u8>,
}

fn main() {}
