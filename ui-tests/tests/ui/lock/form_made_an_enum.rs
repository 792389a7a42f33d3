//! A field takes only a few strings where others were stored, under a version that was released.

use upstate::{Document, StringEnum};

#[derive(StringEnum)]
enum Address {
    Local,
}

#[derive(Document)]
#[document(type_name = "locked_peer", version = 0)]
struct Peer {
    address: Address,
    name: String,
}

fn main() {}
