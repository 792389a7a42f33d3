use upstate::Resource;

#[derive(Resource)]
#[resource(version = 3)]
#[upgrade_from(2, model = ThingV2, carry)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 2, prior)]
struct ThingV2 {
    id: String,
}

fn main() {}
