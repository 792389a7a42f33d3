//! An enum with data in two forms, whose variants have members of one name with limits and defaults of their own.

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
