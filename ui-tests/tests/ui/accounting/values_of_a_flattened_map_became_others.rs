use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
#[document(type_name = "shelf", version = 1)]
#[upgrade_from(0 => 1, model = ShelfV0, carry)]
struct Shelf {
    #[attribute(flatten)]
    notes: BTreeMap<String, u8>,
}

#[derive(Document)]
#[document(type_name = "shelf", version = 0, prior)]
struct ShelfV0 {
    #[attribute(flatten)]
    notes: BTreeMap<String, String>,
}

fn main() {}
