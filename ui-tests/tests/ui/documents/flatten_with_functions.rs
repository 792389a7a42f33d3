use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
struct Settings {
    name: String,
    #[attribute(flatten, with = prefixed)]
    first: BTreeMap<String, String>,
}

mod prefixed {}

fn main() {}
