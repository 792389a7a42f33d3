use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, rekey(disks, by = nmae))]
struct Thing {
    disks: std::collections::BTreeMap<String, Disk>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    disks: Vec<Disk>,
}

#[derive(Object)]
struct Disk {
    name: String,
    size: i64,
}

fn main() {}
