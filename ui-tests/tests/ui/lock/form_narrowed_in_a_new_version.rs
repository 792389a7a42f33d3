//! An upgrader does not say what becomes of strings that a field no longer takes.

use std::net::{IpAddr, Ipv4Addr};

use upstate::Document;

#[derive(Document)]
#[document(type_name = "locked_peer", version = 1)]
#[upgrade_from(0 => 1, rename(name => label))]
struct Peer {
    address: Ipv4Addr,
    label: IpAddr,
}

fn main() {}
