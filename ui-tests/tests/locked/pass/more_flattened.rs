//! A flattened enum may have more variants, a map wider values, and a part that need not be there may be new.

use std::collections::BTreeMap;

use upstate::{Document, Union};

#[derive(Union)]
#[union(tag = "kind")]
enum Kind {
    Card { picture: String },
    Note,
    Letter,
}

#[derive(Union)]
#[union(tag = "paper")]
enum Paper {
    Thick,
    Thin,
}

#[derive(Document)]
struct Marks {
    #[attribute(flatten)]
    counts: BTreeMap<String, u64>,
}

#[derive(Document)]
#[document(type_name = "locked_page", version = 0)]
struct Page {
    title: String,
    #[attribute(flatten)]
    paper: Option<Paper>,
    #[attribute(flatten)]
    kind: Kind,
    marks: Marks,
    #[attribute(rest)]
    rest: BTreeMap<String, serde_json::Value>,
}
