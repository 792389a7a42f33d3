use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, rekey(disks, by = size))]
struct Thing {
    disks: Vec<Disk>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    disks: std::collections::BTreeMap<String, Disk>,
}

#[derive(Object)]
struct Disk {
    name: String,
    size: i64,
}

fn main() {}
