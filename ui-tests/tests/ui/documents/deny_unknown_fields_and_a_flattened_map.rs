use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
#[serde(deny_unknown_fields)]
struct Settings {
    a: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, u8>,
}

fn main() {}
