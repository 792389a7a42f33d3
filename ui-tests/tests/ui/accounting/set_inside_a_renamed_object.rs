use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, rename(old => frame), set(frame.zone = "x"))]
struct Thing {
    frame: Place,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    old: Place,
}

#[derive(Object)]
struct Place {
    zone: Option<String>,
    row: Option<String>,
}

fn main() {}
