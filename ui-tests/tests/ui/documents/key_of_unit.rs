use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
struct Settings {
    levels: BTreeMap<(), u8>,
}

fn main() {}
