use upstate::Resource;

#[derive(Resource)]
#[resource(version = 20260101)]
#[upgrade_from(20250101, model = ThingV20250101)]
struct Thing {
    id: String,
}

fn main() {}
