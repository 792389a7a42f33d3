use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(0..=2, model = ThingV0, carry)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn main() {}
