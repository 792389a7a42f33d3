use std::collections::BTreeMap;

use upstate::{Document, Union};

#[derive(Document)]
#[document(type_name = "rack", version = 1)]
#[upgrade_from(0 => 1, model = RackV0, carry)]
struct Rack {
    loads: BTreeMap<Side, u8>,
}

#[derive(Document)]
#[document(type_name = "rack", version = 0, prior)]
struct RackV0 {
    loads: BTreeMap<SideV0, u8>,
}

#[derive(Union, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Left,
    Right,
}

#[derive(Union, PartialEq, Eq, PartialOrd, Ord)]
enum SideV0 {
    Left,
    Right,
    Top,
}

fn main() {}
