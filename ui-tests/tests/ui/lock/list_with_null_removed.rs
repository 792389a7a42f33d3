use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
#[document(type_name = "locked_shelf", version = 0)]
struct Shelf {
    labels: BTreeMap<u32, String>,
    sizes: Vec<(u16, u16)>,
}

fn main() {}
