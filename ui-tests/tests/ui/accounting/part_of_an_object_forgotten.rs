use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, unnest(settings => zone))]
struct Thing {
    zone: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    settings: Settings,
}

#[derive(Object)]
struct Settings {
    zone: String,
    size: i64,
}

fn main() {}
