use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
#[document(type_name = "rack", version = 1)]
#[upgrade_from(0 => 1, model = RackV0, carry)]
struct Rack {
    name: String,
    #[attribute(flatten)]
    counts: BTreeMap<u16, u8>,
}

#[derive(Document)]
#[document(type_name = "rack", version = 0, prior)]
struct RackV0 {
    name: String,
    #[attribute(flatten)]
    counts: BTreeMap<String, u8>,
}

fn main() {}
