use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
#[document(type_name = "rack", version = 1)]
#[upgrade_from(0 => 1, model = RackV0, carry)]
struct Rack {
    bins: BTreeMap<u16, Bin>,
    labels: BTreeMap<u16, String>,
    levels: Option<Vec<BTreeMap<u8, bool>>>,
    names: BTreeMap<String, bool>,
}

#[derive(Document)]
#[document(type_name = "rack", version = 0, prior)]
struct RackV0 {
    bins: BTreeMap<String, Bin>,
    labels: BTreeMap<String, String>,
    levels: Option<Vec<BTreeMap<u16, bool>>>,
    names: BTreeMap<u16, bool>,
}

#[derive(Document)]
struct Bin {
    depth: u8,
}

fn main() {}
