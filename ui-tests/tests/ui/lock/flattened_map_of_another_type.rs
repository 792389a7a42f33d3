//! A flattened map holds something else in a new version, which no operator makes.

use std::collections::BTreeMap;

use upstate::{Document, Union};

#[derive(Union)]
#[union(tag = "kind")]
enum Kind {
    Letter,
    Card { picture: String },
}

#[derive(Document)]
struct Marks {
    #[attribute(flatten)]
    counts: BTreeMap<String, String>,
}

#[derive(Document)]
#[document(type_name = "locked_page", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
struct Page {
    name: String,
    #[attribute(flatten)]
    kind: Kind,
    marks: Marks,
    #[attribute(rest)]
    rest: BTreeMap<String, serde_json::Value>,
}

fn main() {}
