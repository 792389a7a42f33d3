use std::collections::BTreeMap;

use upstate::Document;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 0)]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1", storage))]
struct Boat {
    #[kube(list_type = "set")]
    name: String,
    #[kube(list_type = "set")]
    decks: Vec<Deck>,
    #[kube(list_type = "set")]
    flags: Vec<Option<String>>,
    #[kube(list_type = "map", list_map_keys("name"))]
    ports: Vec<String>,
    #[kube(list_type = "map", list_map_keys("level"))]
    doors: Vec<Deck>,
    #[kube(list_type = "map", list_map_keys("colour"))]
    rooms: Vec<Deck>,
    #[kube(list_type = "map", list_map_keys("parts"))]
    stairs: Vec<Deck>,
    #[kube(map_type = "atomic")]
    masts: Vec<String>,
    #[kube(map_type = "atomic")]
    labels: BTreeMap<String, String>,
    #[kube(int_or_string)]
    length: u8,
    #[kube(range = 1..=4)]
    hull: String,
}

#[derive(Document)]
struct Deck {
    level: Option<u8>,
    parts: Vec<String>,
}

fn main() {}
