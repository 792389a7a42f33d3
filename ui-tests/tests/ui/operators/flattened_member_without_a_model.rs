//! A member of a flattened field is the target of an operator, and version 0 has no struct.

use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
struct Size {
    breadth: u32,
}

#[derive(Document)]
#[document(type_name = "flattened_window", version = 1)]
#[upgrade_from(0 => 1, rename(width => breadth))]
struct Window {
    title: String,
    #[attribute(flatten)]
    size: Size,
    #[attribute(flatten)]
    others: BTreeMap<String, u8>,
}

fn main() {}
