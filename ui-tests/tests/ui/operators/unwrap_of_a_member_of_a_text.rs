use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, unwrap(disk, member = name))]
struct Thing {
    disk: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    disk: String,
}

fn main() {}
