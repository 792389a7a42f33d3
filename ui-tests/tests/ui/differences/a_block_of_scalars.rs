use std::collections::BTreeMap;

use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0 => 1,
    drop(#[block] old: Option<String>, "the API no longer has it"),
    carry(#[block] names: Vec<String>),
    rekey(#[block] labels: BTreeMap<String, String>, key = name, value = value),
    within(place, drop(#[block] one: Label, "the API no longer has it")),
    drop(gone: { #[block] ports: Vec<u16> }, "the API no longer has it"),
)]
struct Thing {
    names: Vec<String>,
    #[block]
    labels: Vec<Label>,
    #[block]
    place: Option<Label>,
}

#[derive(Object)]
struct Label {
    name: String,
    value: String,
}

fn main() {}
