//! A flattened enum lost a variant under a version that was released.

use std::collections::BTreeMap;

use upstate::{Document, Union};

#[derive(Union)]
#[union(tag = "kind")]
enum Kind {
    Letter,
    Note,
}

#[derive(Document)]
struct Marks {
    #[attribute(flatten)]
    counts: BTreeMap<String, u32>,
}

#[derive(Document)]
#[document(type_name = "locked_page", version = 0)]
struct Page {
    title: String,
    #[attribute(flatten)]
    kind: Kind,
    marks: Marks,
    #[attribute(rest)]
    rest: BTreeMap<String, serde_json::Value>,
}

fn main() {}
