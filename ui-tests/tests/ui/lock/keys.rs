//! Keys that were any strings are others, each time at another place: under a version that was released,
//! and last in a new one, whose upgrader does not say what becomes of them.

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

#[derive(PartialEq, Eq, PartialOrd, Ord, Union)]
enum Side {
    Left,
    Right,
}

#[derive(Union)]
enum Sides {
    Grid(BTreeMap<Side, bool>),
    Plain,
}

#[derive(Document)]
#[document(type_name = "locked_rack", version = 0)]
struct OfStrings {
    bins: BTreeMap<String, Bin>,
    #[attribute(flatten)]
    counts: BTreeMap<String, u16>,
    labels: BTreeMap<u16, String>,
    layouts: Vec<Layout>,
    levels: Vec<BTreeMap<String, u8>>,
}

#[derive(Document)]
#[document(type_name = "locked_rack", version = 0)]
struct OfObjects {
    bins: BTreeMap<u16, Bin>,
    #[attribute(flatten)]
    counts: BTreeMap<String, u16>,
    labels: BTreeMap<String, String>,
    layouts: Vec<Layout>,
    levels: Vec<BTreeMap<String, u8>>,
}

#[derive(Document)]
#[document(type_name = "locked_rack", version = 0)]
struct InAList {
    bins: BTreeMap<String, Bin>,
    #[attribute(flatten)]
    counts: BTreeMap<String, u16>,
    labels: BTreeMap<String, String>,
    layouts: Vec<Layout>,
    levels: Vec<BTreeMap<u16, u8>>,
}

#[derive(Document)]
#[document(type_name = "locked_rack", version = 0)]
struct InAVariant {
    bins: BTreeMap<String, Bin>,
    #[attribute(flatten)]
    counts: BTreeMap<String, u16>,
    labels: BTreeMap<String, String>,
    layouts: Vec<Sides>,
    levels: Vec<BTreeMap<String, u8>>,
}

#[derive(Document)]
#[document(type_name = "locked_rack", version = 0)]
struct Flattened {
    bins: BTreeMap<String, Bin>,
    #[attribute(flatten)]
    counts: BTreeMap<u16, u16>,
    labels: BTreeMap<String, String>,
    layouts: Vec<Layout>,
    levels: Vec<BTreeMap<String, u8>>,
}

#[derive(Document)]
#[document(type_name = "locked_rack", version = 1)]
#[upgrade_from(0 => 1, set(height = 2))]
struct Newer {
    bins: BTreeMap<String, Bin>,
    #[attribute(flatten)]
    counts: BTreeMap<String, u16>,
    labels: BTreeMap<u16, String>,
    layouts: Vec<Layout>,
    levels: Vec<BTreeMap<String, u8>>,
    height: u8,
}

fn main() {}
