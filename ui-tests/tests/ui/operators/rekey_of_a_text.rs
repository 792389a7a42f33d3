use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, rekey(disks, by = name))]
struct Thing {
    disks: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    disks: String,
}

fn main() {}
