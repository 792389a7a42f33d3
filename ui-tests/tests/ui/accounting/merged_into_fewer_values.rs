use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
#[document(type_name = "entries", version = 1)]
#[upgrade_from(0 => 1, merge(levels: Vec<BTreeMap<String, u16>>))]
struct Entries {
    levels: BTreeMap<String, u8>,
}

#[derive(Document)]
#[document(type_name = "elements", version = 1)]
#[upgrade_from(0 => 1, merge(first: Vec<u8>, others: Vec<u16> => all))]
struct Elements {
    all: Vec<u8>,
}

#[derive(Document)]
#[document(type_name = "together", version = 1)]
#[upgrade_from(0 => 1, model = TogetherV0, merge(size, place => whole))]
struct Together {
    whole: Whole,
}

#[derive(Document)]
struct Whole {
    depth: u8,
    row: u8,
}

#[derive(Document)]
#[document(type_name = "together", version = 0, prior)]
struct TogetherV0 {
    size: Size,
    place: Place,
}

#[derive(Document)]
struct Size {
    depth: u16,
}

#[derive(Document)]
struct Place {
    row: u8,
}

fn main() {}
