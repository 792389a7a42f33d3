//! Each variant holds one model.

use upstate::{AnyOf, Resource};

#[derive(Resource)]
struct Opened {
    owner: String,
}

#[derive(AnyOf)]
enum Event {
    Opened(Opened),
    Closed,
    Moved { to: Opened },
    Both(Opened, Opened),
}

#[derive(AnyOf)]
struct Wrapped(Opened);

fn main() {}
