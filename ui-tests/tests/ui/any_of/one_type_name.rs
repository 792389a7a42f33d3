//! Two variants hold models of one type name.

use upstate::{AnyOf, Resource};

#[derive(Resource)]
#[resource(type_name = "event")]
struct Opened {
    owner: String,
}

#[derive(Resource)]
#[resource(type_name = "event")]
struct Closed {
    why: String,
}

#[derive(AnyOf)]
enum Event {
    Opened(Opened),
    Closed(Closed),
}

fn main() {}
