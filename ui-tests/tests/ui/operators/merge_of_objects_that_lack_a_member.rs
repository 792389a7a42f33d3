use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, merge(name, disk => all))]
struct Thing {
    all: Disk,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    name: Named,
    disk: Named,
}

#[derive(Object)]
struct Disk {
    name: String,
    size: i64,
}

#[derive(Object)]
struct Named {
    name: String,
}

fn main() {}
