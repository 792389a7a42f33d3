use std::collections::BTreeMap;

use upstate::{Document, Union};

#[derive(Document)]
struct OfAnOption {
    levels: BTreeMap<Option<String>, u8>,
}

#[derive(Document)]
struct OfTwo {
    levels: BTreeMap<(u8, u8), u8>,
}

#[derive(Document)]
struct OfUnit {
    levels: BTreeMap<(), u8>,
}

#[derive(Union, PartialEq, Eq, PartialOrd, Ord)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Text(String),
}

#[derive(Document)]
struct OfUntagged {
    levels: BTreeMap<Untagged, u8>,
}

#[derive(Union, PartialEq, Eq, PartialOrd, Ord)]
enum WithData {
    Low,
    High(u8),
}

#[derive(Document)]
struct OfData {
    levels: BTreeMap<WithData, u8>,
}

fn main() {}
