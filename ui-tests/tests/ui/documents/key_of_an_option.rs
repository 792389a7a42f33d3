use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
struct Settings {
    levels: BTreeMap<Option<String>, u8>,
}

fn main() {}
