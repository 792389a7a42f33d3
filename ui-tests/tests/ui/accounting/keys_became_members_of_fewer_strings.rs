use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use upstate::Document;

#[derive(Document)]
#[document(type_name = "paired", version = 1)]
#[upgrade_from(0 => 1, rekey(hosts: BTreeMap<String, u8>, key = address, value = load))]
struct Paired {
    hosts: Vec<Host>,
}

#[derive(Document)]
#[document(type_name = "listed", version = 1)]
#[upgrade_from(0 => 1, rekey(hosts: BTreeMap<String, Load>, by = address))]
struct Listed {
    hosts: Vec<Host>,
}

#[derive(Document)]
struct Host {
    address: Ipv4Addr,
    load: u8,
}

#[derive(Document)]
struct Load {
    load: u8,
}

fn main() {}
