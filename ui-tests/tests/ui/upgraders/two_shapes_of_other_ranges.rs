use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(0..=1, model = ThingV0, carry, when = has("zone"))]
#[upgrade_from(1, raw = read, when = lacks("zone"))]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn main() {}
