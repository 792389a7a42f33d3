use std::time::Duration;

use upstate::{Resource, With};

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    pauses: Vec<With<Duration, Seconds>>,
}

enum Seconds {}

fn main() {}
