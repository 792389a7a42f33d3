use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rename(zone to region))]
struct Thing {
    region: String,
}

fn main() {}
