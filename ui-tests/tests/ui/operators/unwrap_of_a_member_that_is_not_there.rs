use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, unwrap(disk, member = nmae))]
struct Thing {
    disk: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    disk: Disk,
}

#[derive(Object)]
struct Disk {
    name: String,
    size: i64,
}

fn main() {}
