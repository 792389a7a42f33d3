use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, wrap(disk, as = inner))]
struct Thing {
    disk: Mounted,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    disk: DiskV0,
}

#[derive(Object)]
struct Mounted {
    inner: Disk,
}

#[derive(Object)]
#[upgrade_from(model = DiskV0, rename(title => name))]
struct Disk {
    name: String,
}

#[derive(Object)]
struct DiskV0 {
    title: String,
}

fn main() {}
