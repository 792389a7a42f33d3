//! Keys, elements and what tuples hold may take more than when they were released.

use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
#[document(type_name = "locked_shelf", version = 0)]
struct Shelf {
    labels: BTreeMap<String, String>,
    marks: Vec<Option<u16>>,
    sizes: Vec<(u32, Option<u16>)>,
}
