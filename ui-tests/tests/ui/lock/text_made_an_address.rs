//! A field that took any string takes only addresses, under a version that was released.

use std::net::IpAddr;

use upstate::Document;

#[derive(Document)]
#[document(type_name = "locked_peer", version = 0)]
struct Peer {
    address: IpAddr,
    name: IpAddr,
}

fn main() {}
