//! A map in a variant takes a few keys under a version that was released.

use std::collections::BTreeMap;

use upstate::{Document, Union};

#[derive(Document)]
struct Bin {
    depth: u8,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Union)]
enum Side {
    Left,
    Right,
}

#[derive(Union)]
enum Layout {
    Grid(BTreeMap<Side, bool>),
    Plain,
}

#[derive(Document)]
#[document(type_name = "locked_rack", version = 0)]
struct Rack {
    bins: BTreeMap<String, Bin>,
    #[attribute(flatten)]
    counts: BTreeMap<String, u16>,
    labels: BTreeMap<String, String>,
    layouts: Vec<Layout>,
    levels: Vec<BTreeMap<String, u8>>,
}

fn main() {}
