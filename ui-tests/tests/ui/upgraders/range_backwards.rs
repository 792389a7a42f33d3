use upstate::Resource;

#[derive(Resource)]
#[resource(version = 3)]
#[upgrade_from(2..=1, model = ThingV0, carry)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn main() {}
