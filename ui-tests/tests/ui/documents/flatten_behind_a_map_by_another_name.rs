use std::collections::BTreeMap;

use upstate::Document;

type Rest = BTreeMap<String, u8>;

#[derive(Document)]
struct Window {
    width: u8,
}

#[derive(Document)]
struct Settings {
    #[serde(flatten)]
    rest: Rest,
    #[serde(flatten)]
    window: Window,
}

fn main() {}
