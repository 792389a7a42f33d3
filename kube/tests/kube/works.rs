//! Pumps, with an enum in two forms whose variants have members of one name; and tanks, with an
//! enum and a struct beside their own members.

use upstate::{Document, Union};

#[derive(Debug, Document)]
#[document(type_name = "works.pump", version = 0)]
#[kube(group = "works.example.com", kind = "Pump", version(0 = "v1", storage))]
pub(crate) struct Pump {
    drive: Drive,
    filter: Filter,
}

#[derive(Debug, Union)]
#[union(tag = "type")]
enum Drive {
    Small(Small),
    Large(Large),
}

#[derive(Debug, Union)]
#[union(tag = "type", content = "data")]
enum Filter {
    None,
    Small(Small),
    Large(Large),
}

#[derive(Debug, Document)]
struct Small {
    #[kube(range = 1..=5)]
    size: i64,
    #[attribute(default = 3)]
    count: i64,
    label: String,
    #[kube(length = ..=5)]
    name: String,
}

#[derive(Debug, Document)]
struct Large {
    #[kube(range = 10..=50)]
    size: i64,
    #[attribute(default = 7)]
    count: i64,
    #[kube(length = ..=5)]
    label: String,
    #[kube(length = ..=5)]
    name: String,
}

#[derive(Debug, Document)]
#[document(type_name = "works.tank", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
#[kube(group = "works.example.com", kind = "Tank", version(0 = "v1beta1"), version(1 = "v1", storage))]
pub(crate) struct Tank {
    name: Option<String>,
    #[attribute(default = 2)]
    count: u8,
    #[attribute(flatten)]
    content: Content,
    #[attribute(flatten)]
    size: Option<Size>,
}

#[derive(Debug, Document)]
struct Size {
    width: i64,
    #[attribute(default = 2)]
    height: i64,
}

#[derive(Debug, Union)]
#[union(tag = "content")]
enum Content {
    Water { warm: bool },
    Oil { grade: String, warm: Option<bool> },
    Nothing,
}
