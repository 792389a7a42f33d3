//! Nothing takes the members any more that releases kept.

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
    counts: BTreeMap<String, u32>,
}

#[derive(Document)]
#[document(type_name = "locked_page", version = 0)]
struct Page {
    title: String,
    #[attribute(flatten)]
    kind: Kind,
    marks: Marks,
}

fn main() {}
