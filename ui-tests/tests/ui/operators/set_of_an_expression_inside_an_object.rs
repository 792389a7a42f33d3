use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, set(settings.size = SIZE))]
struct Thing {
    settings: Settings,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    settings: Settings,
}

const SIZE: i64 = 7;

#[derive(Object)]
struct Settings {
    size: i64,
}

fn main() {}
