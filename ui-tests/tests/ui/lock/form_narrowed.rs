//! A field takes only some of the addresses that were stored, under a version that was released.

use std::net::Ipv4Addr;

use upstate::Document;

#[derive(Document)]
#[document(type_name = "locked_peer", version = 0)]
struct Peer {
    address: Ipv4Addr,
    name: String,
}

fn main() {}
