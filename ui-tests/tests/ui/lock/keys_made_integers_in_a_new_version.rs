//! An upgrader does not say what becomes of keys that are no integers.

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
#[document(type_name = "locked_rack", version = 1)]
#[upgrade_from(0 => 1, set(height = 2))]
struct Rack {
    bins: BTreeMap<String, Bin>,
    #[attribute(flatten)]
    counts: BTreeMap<String, u16>,
    labels: BTreeMap<u16, String>,
    layouts: Vec<Layout>,
    levels: Vec<BTreeMap<String, u8>>,
    height: u8,
}

fn main() {}
