use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0..=1 => 1, carry)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn main() {}
