use std::collections::BTreeMap;

use upstate::{Document, Union};

#[derive(Union)]
#[union(tag = "type", content = "of")]
enum Kind {
    Made {
        at: u8,
    },
    #[union(untagged)]
    Any(BTreeMap<String, u8>),
}

#[derive(Document)]
struct Part {
    #[serde(flatten)]
    kind: Kind,
    #[serde(flatten)]
    rest: BTreeMap<String, u8>,
}

fn main() {}
