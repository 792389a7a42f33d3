use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(flatten)]
    first: BTreeMap<String, u8>,
    #[serde(flatten)]
    second: BTreeMap<String, u8>,
}

fn main() {}
