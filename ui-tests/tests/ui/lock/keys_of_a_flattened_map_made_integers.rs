//! A flattened map takes fewer keys under a version that was released.

use std::collections::BTreeMap;

use upstate::{Document, Union};

#[derive(Document)]
struct Bin {
    depth: u8,
}

#[derive(Union)]
enum Layout {
    Grid(BTreeMap<String, bool>),
    Plain,
}

#[derive(Document)]
#[document(type_name = "locked_rack", version = 0)]
struct Rack {
    bins: BTreeMap<String, Bin>,
    #[attribute(flatten)]
    counts: BTreeMap<u16, u16>,
    labels: BTreeMap<String, String>,
    layouts: Vec<Layout>,
    levels: Vec<BTreeMap<String, u8>>,
}

fn main() {}
