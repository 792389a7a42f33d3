use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, wrap(disk, as = id))]
struct Thing {
    disk: Disk,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    disk: String,
}

#[derive(Object)]
struct Disk {
    name: String,
    size: i64,
}

fn main() {}
