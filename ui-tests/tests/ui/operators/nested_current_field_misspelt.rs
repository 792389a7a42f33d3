use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, nest(zone => settings))]
struct Thing {
    settings: Settings,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    zone: String,
}

#[derive(Object)]
struct Settings {
    zones: String,
}

fn main() {}
