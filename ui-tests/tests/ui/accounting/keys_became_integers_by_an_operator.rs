//! Operators that leave the keys of a map as they are, each before a field that takes fewer.

use std::collections::BTreeMap;

use upstate::{Document, Union};

#[derive(Document)]
#[document(type_name = "renamed", version = 1)]
#[upgrade_from(0 => 1, rename(labels: BTreeMap<String, u8> => tags))]
struct Renamed {
    tags: BTreeMap<u16, u8>,
}

#[derive(Document)]
#[document(type_name = "renamed_in_a_list", version = 1)]
#[upgrade_from(0 => 1, rename(labels: Vec<BTreeMap<u16, u8>> => tags))]
struct RenamedInAList {
    tags: Vec<BTreeMap<u8, u8>>,
}

#[derive(Document)]
#[document(type_name = "converted", version = 1)]
#[upgrade_from(0 => 1, each(convert(tags: BTreeMap<String, u8>)))]
struct Converted {
    tags: BTreeMap<u16, String>,
}

#[derive(Document)]
#[document(type_name = "merged", version = 1)]
#[upgrade_from(0 => 1, merge(first: BTreeMap<u8, u8>, others: BTreeMap<u16, u8> => tags))]
struct Merged {
    tags: BTreeMap<u8, u8>,
}

#[derive(Document)]
#[document(type_name = "keyed", version = 1)]
#[upgrade_from(0 => 1, rekey(tags: Vec<Tag>, by = name))]
struct Keyed {
    tags: BTreeMap<u16, Tag>,
}

#[derive(Document)]
struct Tag {
    name: String,
}

#[derive(Document)]
#[document(type_name = "changed", version = 1)]
#[upgrade_from(0 => 1, model = ChangedV0, variants(tags, "Old" => "New"))]
struct Changed {
    tags: BTreeMap<u16, State>,
}

#[derive(Union)]
enum State {
    New,
    Other(u8),
}

#[derive(Document)]
#[document(type_name = "changed", version = 0, prior)]
struct ChangedV0 {
    tags: BTreeMap<String, StateV0>,
}

#[derive(Union)]
enum StateV0 {
    Old,
    Other(u8),
}

#[derive(Document)]
#[document(type_name = "counted", version = 1)]
#[upgrade_from(0 => 1, model = CountedV0, convert(tags, with = count))]
struct Counted {
    tags: u64,
}

#[derive(Document)]
#[document(type_name = "counted", version = 0, prior)]
struct CountedV0 {
    tags: BTreeMap<String, u8>,
}

fn count(tags: BTreeMap<u16, u8>) -> Result<u64, String> {
    Ok(tags.len() as u64)
}

#[derive(Document)]
#[document(type_name = "zipped", version = 1)]
#[upgrade_from(0 => 1, zip(names: Vec<String>, values: Vec<u8> => tags))]
struct Zipped {
    tags: BTreeMap<u16, u8>,
}

#[derive(Document)]
#[document(type_name = "numbered", version = 1)]
#[upgrade_from(0 => 1, rename(names: BTreeMap<String, u8> => tags))]
struct Numbered {
    tags: BTreeMap<i128, u8>,
}

#[derive(Document)]
#[document(type_name = "shortened", version = 1)]
#[upgrade_from(0 => 1, rename(names: BTreeMap<i128, u8> => tags))]
struct Shortened {
    tags: BTreeMap<i64, u8>,
}

fn main() {}
